package rules

import (
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

var twoSpellings = &analysis.Rule{
	ID: "TP3014", Name: "two-spellings", Severity: analysis.Information,
	Doc: `A file has several names in one path

Keys that are spelled in two ways, "src/a.go" and "./src/a.go" or its absolute path, are two
artifacts to a reader who compares them as they are: each shows a part of the file's history.
Blame knows them for one. The first use of each further spelling is shown.

## Bad

    {"change": {"src/a.go": {…}}} and later {"change": {"./src/a.go": {…}}}

## Good

    {"change": {"src/a.go": {…}}} and later {"change": {"src/a.go": {…}}}
`,
	Needs: artifacts,
	Step:  keepArtifacts,
	Document: func(p *analysis.Pass) {
		if p.Model == nil || len(p.Kept["artifacts"]) == 0 {
			return
		}
		for _, path := range p.Model.Paths {
			reportSpellings(p, path)
		}
	},
}

// spelling is a way to write a file's name, where it stands first.
type spelling struct {
	text string
	key  jsonsrc.Value
}

// spellings are the ways in which a path names its files, by the name that is one for all.
type spellings struct {
	path  *toolpath.Path
	known map[string]bool // keys that were looked at
	files map[string][]spelling
}

func reportSpellings(p *analysis.Pass, path *toolpath.Path) {
	s := spellings{path, make(map[string]bool), make(map[string][]spelling)}
	if path.IsAgentSession() {
		for _, k := range p.Kept["artifacts"] {
			if k.Path == path {
				for _, a := range k.Fact.([]artifact) {
					s.add(p, k.At().Value(a.node), a.text)
				}
			}
		}
		return
	}
	if !hasOddKey(p, path) {
		return
	}
	for _, step := range path.Steps.All() {
		for key := range step.Value(step.Nodes.Change).Members() {
			if isOfFile(key) {
				s.add(p, key, key.Text())
			}
		}
	}
}

// hasOddKey says whether any key of the path can be a second spelling.
func hasOddKey(p *analysis.Pass, path *toolpath.Path) bool {
	for _, k := range p.Kept["artifacts"] {
		if k.Path == path {
			return true
		}
	}
	return false
}

func (s *spellings) add(p *analysis.Pass, key jsonsrc.Value, text string) {
	if s.known[text] {
		return
	}
	s.known[text] = true
	name := analysis.ArtifactName(s.path, text)
	if name == "" {
		return
	}
	all := s.files[name]
	s.files[name] = append(all, spelling{text, key})
	if len(all) > 0 {
		p.Report(key, fmt.Sprintf("%q is one more name of the file %q", clip(text), clip(all[0].text)),
			analysis.RelatedTo(all[0].key, "its first name"))
	}
}
