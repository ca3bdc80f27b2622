package structural

import (
	"errors"
	"path"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// maxFaults is how many faults a reading lists.
const maxFaults = 5

// Reading says how a source is read: by which grammar, why by none, and what follows from
// that for telling layout from edits.
func (Syntax) Reading(file, source string) analysis.Reading {
	l := ForFile(file, source)
	r := analysis.Reading{Bytes: len(source)}
	if l != nil {
		r.Language = l.Title
	}
	tree, err := Parse(source, l, Options{})
	if err == nil {
		r.Tree = true
		tree.faults(&r)
		r.Layout = l.layout(r.Faults > 0)
		return r
	}
	switch {
	case !HasGrammars:
		r.Why = "the program was built without cgo, and has no grammars"
	case errors.Is(err, ErrNoGrammar):
		r.Why = "there is no grammar for " + kindOfFile(file)
	default:
		r.Why = err.Error()
	}
	rules := rulesFor(file)
	_, open := rules.read(source)
	switch {
	case rules.content || rules.lines:
		r.Layout = onlyLineEnds
	case open && rules.tokens == nil:
		r.Layout = "a quote does not close, so that the tokens prove nothing: " + onlyLineEnds
	default:
		r.Layout = "a change is formatting where all tokens are the same"
	}
	return r
}

const onlyLineEnds = "only white space at the end of lines is known to be formatting"

func kindOfFile(file string) string {
	name := path.Base(strings.ReplaceAll(file, `\`, "/"))
	if ext := path.Ext(name); ext != "" && ext != name {
		return "files " + ext
	}
	return "the file " + name
}

// layout says what proves formatting.
func (l *Language) layout(faulty bool) string {
	switch {
	case l.Rules.Lines:
		return onlyLineEnds
	case !faulty:
		return "a change is formatting where the trees before and after are the same"
	case l.Rules.Tokens != nil:
		return "a change is formatting where the trees before and after are the same, and near the faults where all tokens are"
	}
	return "a change is formatting where the trees before and after are the same; near the faults only in a step that says that it formats"
}

// faults lists what the parser could not read.
func (t *Tree) faults(r *analysis.Reading) {
	t.Walk(func(n int) bool {
		node := &t.Nodes[n]
		if node.Flags&(Error|Missing) == 0 {
			return node.Flags&Faulty != 0
		}
		if r.Faults++; len(r.First) < maxFaults {
			text := brief(t.Text(n))
			if node.Flags&Missing != 0 {
				text = t.Kind(n)
			}
			r.First = append(r.First, analysis.Fault{
				Line: strings.Count(t.Source[:node.Start], "\n"), Text: text, Missing: node.Flags&Missing != 0,
			})
		}
		return false
	})
}
