package toolpath

import (
	"slices"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

// Form is what the root of a document is. All but GraphForm are old, or were never right, and
// rules say so; they are read as if the root were the graph that convert makes of them.
type Form uint8

// The forms. An envelope is an object with the one member "Graph", "Path" or "Step".
const (
	GraphForm Form = iota // also what has none of the others
	GraphEnvelope
	PathEnvelope
	StepEnvelope
	BarePath
	BareStep
)

// envelopes are the keys of those forms that have one.
var envelopes = map[Form]string{GraphEnvelope: "Graph", PathEnvelope: "Path", StepEnvelope: "Step"}

// layouts make chunks of the steps.
var layouts = map[Form]jsonsrc.Layout{
	GraphForm:     {"paths", "*", "steps", "*"},
	GraphEnvelope: {"Graph", "paths", "*", "steps", "*"},
	PathEnvelope:  {"Path", "steps", "*"},
	StepEnvelope:  {"Step"},
	BarePath:      {"steps", "*"},
	BareStep:      jsonsrc.Whole,
}

// Layout makes a chunk of every step of a canonical document.
var Layout = layouts[GraphForm]

// FormOf returns the form of a document's root.
func FormOf(root jsonsrc.Value) Form {
	if root.Get("graph").Valid() || root.Get("paths").Valid() {
		return GraphForm
	}
	for _, f := range []Form{GraphEnvelope, PathEnvelope, StepEnvelope} {
		if root.Get(envelopes[f]).Kind() == jsonsrc.Object {
			return f
		}
	}
	switch {
	case root.Get("path").Kind() == jsonsrc.Object:
		return BarePath
	case root.Get("step").Kind() == jsonsrc.Object:
		return BareStep
	}
	return GraphForm
}

// Envelope returns the key that holds what the document is, "" if nothing does.
func (f Form) Envelope() string { return envelopes[f] }

// HoldsGraph says whether the document is a graph, in an envelope or not.
func (f Form) HoldsGraph() bool { return f <= GraphEnvelope }

// HoldsStep says whether the document is a single step.
func (f Form) HoldsStep() bool { return f == StepEnvelope || f == BareStep }

// Content returns what the document is, without its envelope.
func (f Form) Content(root jsonsrc.Value) jsonsrc.Value {
	if key := f.Envelope(); key != "" {
		return root.Get(key)
	}
	return root
}

// Parse parses a canonical document, or one of another form, so that its steps are chunks. prev
// and e are those of [jsonsrc.Reparse], stop that of [jsonsrc.ReparseUnless].
func Parse(stop func() bool, prev *jsonsrc.Tree, src []byte, e text.Edit) (t *jsonsrc.Tree, ok bool) {
	was := Layout
	if prev != nil && prev.Layout() != nil {
		was = prev.Layout()
	}
	t, ok = jsonsrc.ReparseUnless(stop, prev, src, e, was)
	if !ok {
		return nil, false
	}
	if is := layouts[FormOf(t.Root())]; !slices.Equal(is, was) {
		return jsonsrc.ReparseUnless(stop, nil, src, text.Edit{}, is)
	}
	return t, true
}
