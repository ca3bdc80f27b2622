package rules

import (
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

var homeDirectory = &analysis.Rule{
	ID: "TP7001", Name: "home-directory", Severity: analysis.Off,
	Doc: `A home directory names a person

Agent sessions record absolute paths, which hold the name of the user: /home/NAME, /Users/NAME,
C:\Users\NAME. Turn the rule on before a document is shared, with the setting severity:
{"TP7001": "information"}. The first place of each home directory is shown, with the number of
places.

## Bad

    "working_dir": "/home/alex/projects/myrepo"

## Good

    "working_dir": "myrepo"
`,
	Step: func(p *analysis.StepPass) {
		var list []homeAt
		off := p.Step.Offset()
		eachPrivate(p.Step.Self(), homes, func(start, end int, text, _ string) {
			list = append(list, homeAt{start - off, end - off, text})
		})
		if list != nil {
			p.Keep("homes", list)
		}
	},
	Document: func(p *analysis.Pass) {
		var all []homeAt
		for _, v := range outsideSteps(p) {
			eachPrivate(v, homes, func(start, end int, text, _ string) { all = append(all, homeAt{start, end, text}) })
		}
		for _, k := range p.Kept["homes"] {
			for _, h := range k.Fact.([]homeAt) {
				h.start, h.end = h.start+k.At().Offset(), h.end+k.At().Offset()
				all = append(all, h)
			}
		}
		reportHomes(p, all)
	},
}

// homeAt is a home directory in a document, or in a step relative to its start.
type homeAt struct {
	start, end int
	folder     string
}

func reportHomes(p *analysis.Pass, all []homeAt) {
	first, count := make(map[string]homeAt), make(map[string]int)
	var order []string
	for _, h := range all {
		if count[h.folder]++; count[h.folder] == 1 {
			order = append(order, h.folder)
			first[h.folder] = h
		} else if h.start < first[h.folder].start {
			first[h.folder] = h
		}
	}
	for _, folder := range order {
		message := fmt.Sprintf("%q is somebody's home directory", clip(folder))
		if n := count[folder]; n > 1 {
			message += fmt.Sprintf("; it stands at %d places of this document", n)
		}
		p.ReportAt(first[folder].start, first[folder].end, message)
	}
}
