package rules

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/convert"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/schema"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

var draftField = &analysis.Rule{
	ID: "TP2009", Name: "draft-field", Severity: analysis.Warning,
	Doc: `A field of an earlier draft of the format

Drafts of the format had "base.commit" (now "base.ref"), "base.from" (now "path.parent") and
"parent.relation" (which follows from the parent and is not declared). Readers of today drop
them silently. "tags" of a step, from a line of the format that was given up, they keep as a key
of the producer's own; that is noted for information.

## Bad

    {"id": "p1", "head": "s1", "base": {"uri": "github:org/repo", "commit": "abc123"}}

## Good

    {"id": "p1", "head": "s1", "base": {"uri": "github:org/repo", "ref": "abc123"}}
`,
	Step: noteTags,
	Document: func(p *analysis.Pass) {
		if p.Model == nil {
			return
		}
		report := func(at analysis.Span, message string) *analysis.Diagnostic {
			d := p.Report(at, message)
			if fix, ok := draftFix(p.Doc, at.Start()); ok {
				d.Fix(fix)
			}
			return d
		}
		for _, l := range p.Shared("schema", func() any { return checkDocument(p) }).([]located) {
			reportProblems(report, l.value, l.problems, only(schema.DraftField))
		}
	},
}

// draftFix is the fix for the draft field whose key starts at an offset: "commit" is called
// "ref" today, and "relation" follows from the parent.
func draftFix(d *analysis.Document, off int) (analysis.Fix, bool) {
	for _, path := range d.Model().Paths {
		if key, _ := path.Base().Member("commit"); key.Valid() && key.Start() == off {
			return commitFix(path.Base())
		}
		if key, _ := path.Parent().Member("relation"); key.Valid() && key.Start() == off {
			e, ok := removeMember(path.Parent(), "relation")
			return analysis.Fix{Title: "Remove it", Edits: []analysis.TextEdit{e}, Safe: true}, ok
		}
		if key, from := path.Base().Member("from"); key.Valid() && key.Start() == off && !path.Parent().Valid() {
			return parentFix(d, path, from)
		}
	}
	return analysis.Fix{}, false
}

// commitFix is the fix for a base that has a commit, not ok if something would be lost.
func commitFix(base jsonsrc.Value) (f analysis.Fix, ok bool) {
	edits, lost := convert.UpgradeBase(base)
	if len(lost) > 0 {
		return f, false
	}
	for _, e := range edits {
		f.Edits = append(f.Edits, analysis.TextEdit{Start: e.Start, End: e.End, New: e.New})
	}
	switch ref := base.Get("ref"); {
	case !ref.Valid():
		f.Title, f.Safe = `Call it "ref"`, true
	case ref.Is(base.Get("commit").Text()):
		f.Title, f.Safe = `Remove it, since "ref" says the same`, true
	default:
		f.Title = `Call it "ref", and what is called so "branch"`
	}
	return f, len(edits) > 0
}

// parentFix is the fix that says in path.parent what base.from said: the uri of a document
// with a fragment of a path's id and a step's, percent-encoded, with a slash between them.
func parentFix(d *analysis.Document, path *toolpath.Path, from jsonsrc.Value) (f analysis.Fix, ok bool) {
	uri, fragment, _ := strings.Cut(from.Text(), "#")
	id, step, _ := strings.Cut(fragment, "/")
	id, err := url.PathUnescape(id)
	step, err2 := url.PathUnescape(step)
	if err != nil || err2 != nil || uri == "" || id == "" || step == "" {
		return f, false
	}
	parent := fmt.Sprintf(`{"uri": %s, "path": %s, "step": %s}`, quoted(uri), quoted(id), quoted(step))
	f = analysis.Fix{Title: "Say it in path.parent", Safe: true}
	if base := path.Base(); !base.Get("uri").Valid() && !base.Get("ref").Valid() && !base.Get("branch").Valid() {
		key, _ := path.Identity.Member("base")
		f.Edits = []analysis.TextEdit{{Start: key.Start(), End: base.End(), New: `"parent": ` + parent}}
		return f, true
	}
	remove, removed := removeMember(path.Base(), "from")
	add, added := addMember(d, path.Identity, "parent", parent)
	f.Edits = []analysis.TextEdit{remove, add}
	return f, removed && added
}

// noteTags notes the tags of a step, which an abandoned line of the format had as a field.
func noteTags(p *analysis.StepPass) {
	key, tags := p.Step.Value(p.Step.Nodes.Meta).Member("tags")
	if tags.Kind() != jsonsrc.Array {
		return
	}
	seen := map[string]bool{}
	for _, e := range tags.Elements() {
		if seen[e.Text()] {
			p.Report(e, fmt.Sprintf("the tag %q stands twice", clip(e.Text()))).As(analysis.Information)
			return
		}
		seen[e.Text()] = e.Kind() == jsonsrc.String
	}
	p.Report(key, `"tags" is a field of a line of the format that was given up: readers keep it as a key of your own, without meaning`).As(analysis.Information)
}
