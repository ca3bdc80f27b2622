package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

var noHead = &analysis.Rule{
	ID: "TP2105", Name: "no-head", Severity: analysis.Error,
	Doc: `The head of a stream does not follow from its lines

Without a Head line the head is the one step that no other step names as a parent. If there is
none, or several, readers refuse the stream: a Head line must say which is meant.

## Bad

    {"PathOpen": {"version": "1", "id": "p"}}
    {"Step": {"step": {"id": "a", …}, …}}
    {"Step": {"step": {"id": "b", …}, …}}

## Good

    {"PathOpen": {"version": "1", "id": "p"}}
    {"Step": {"step": {"id": "a", …}, …}}
    {"Step": {"step": {"id": "b", …}, …}}
    {"Head": {"step_id": "b"}}
`,
	Document: func(p *analysis.Pass) {
		if p.Model == nil || !p.Model.Lines || len(p.Model.Paths) == 0 {
			return
		}
		path := p.Model.Paths[0]
		if path.HeadVal.Valid() || hasVariant(p.Model, "Head") || !path.Value.Valid() {
			return
		}
		key, _ := toolpath.Variant(p.Doc.Tree().Chunk(path.Value.ChunkIndex()))
		switch tips := path.Tips(); {
		case path.Steps.Len() == 0:
			p.Report(key, "the stream has no step and no Head line, so that its head is not known")
		case len(tips) == 0:
			p.Report(key, "no step could be the head, since each is named as a parent: a Head line must name it")
		case len(tips) > 1:
			reportTips(p, key, path, tips)
		}
	},
}

func reportTips(p *analysis.Pass, at analysis.Span, path *toolpath.Path, tips []int) {
	const shown, offered = 10, 4
	var names []string
	var related []analysis.Related
	for _, i := range tips[:min(len(tips), shown)] {
		names = append(names, fmt.Sprintf("%q", clip(path.Steps.At(i).ID)))
		related = append(related, analysis.RelatedTo(path.Steps.At(i).IDValue(), "no step names this one as a parent"))
	}
	if len(tips) > shown {
		names = append(names, "…")
	}
	d := p.Report(at, fmt.Sprintf("%d steps could be the head (%s): a Head line must name it", len(tips), strings.Join(names, ", ")), related...)
	for _, i := range slices.Backward(tips[max(0, len(tips)-offered):]) {
		if edit, ok := addLine(p.Doc, fmt.Sprintf(`{"Head": {"step_id": %s}}`, quoted(path.Steps.At(i).ID))); ok && path.Steps.At(i).ID != "" {
			d.Fix(analysis.Fix{Title: fmt.Sprintf("Make %q the head", clip(path.Steps.At(i).ID)), Edits: []analysis.TextEdit{edit}})
		}
	}
}

func hasVariant(m *toolpath.Document, variant string) (has bool) {
	eachVariant(m, variant, func(jsonsrc.Value) { has = true })
	return has
}
