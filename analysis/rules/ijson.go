package rules

import (
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/canonical"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// walk visits a value and all in it, keys left out.
func walk(v jsonsrc.Value, visit func(jsonsrc.Value)) {
	visit(v)
	switch v.Kind() {
	case jsonsrc.Object:
		for _, inner := range v.Members() {
			walk(inner, visit)
		}
	case jsonsrc.Array:
		for _, inner := range v.Elements() {
			walk(inner, visit)
		}
	}
}

// place is a span relative to a step.
type place struct{ start, end int }

// inexact is what of a step a canonical form does not hold, or not in one way: numbers and
// keys of objects. Signed says whether the step has signatures of its own.
type inexact struct {
	numbers   []place // in the whole step
	inPayload int     // how many of them, the first ones, are in what a signature signs
	keys      []place // in what a signature signs
	signed    bool
}

// inexactParts are what a step has that is not exact.
var inexactParts = &analysis.Fact{Name: "inexact", Of: func(p *analysis.StepPass) any {
	if x := inexactOf(p.Step); x != nil {
		return x
	}
	return nil
}}

// keepInexact keeps them.
func keepInexact(p *analysis.StepPass) { p.Keep("inexact", p.Fact()) }

func inexactOf(s toolpath.At) *inexact {
	if s.Tree.ChunkAt(s.Chunk).Plain() {
		return nil
	}
	var x inexact
	off := s.Offset()
	add := func(list *[]place, v jsonsrc.Value) { *list = append(*list, place{v.Start() - off, v.End() - off}) }
	self, meta := s.Self(), s.Value(s.Nodes.Meta)
	for _, part := range []jsonsrc.Value{self.Get("step"), s.Value(s.Nodes.Change)} {
		walk(part, func(v jsonsrc.Value) {
			switch v.Kind() {
			case jsonsrc.Number:
				if !canonical.IsExact(v.Bytes()) {
					add(&x.numbers, v)
				}
			case jsonsrc.Object:
				if k := misorderedKey(v); k.Valid() {
					add(&x.keys, k)
				}
			}
		})
	}
	x.inPayload = len(x.numbers)
	walk(meta, func(v jsonsrc.Value) {
		if v.Kind() == jsonsrc.Number && !canonical.IsExact(v.Bytes()) {
			add(&x.numbers, v)
		}
	})
	if x.numbers == nil && x.keys == nil {
		return nil
	}
	x.signed = hasElements(meta.Get("signatures"))
	return &x
}

func hasElements(v jsonsrc.Value) bool {
	for range v.Elements() {
		return true
	}
	return false
}

// signedSteps returns the ids of the steps that Signature lines of a stream are of.
func signedSteps(m *toolpath.Document) map[string]bool {
	ids := make(map[string]bool)
	eachVariant(m, "Signature", func(body jsonsrc.Value) {
		if id, ok := strings.CutPrefix(body.Get("target").Text(), "step:"); ok {
			ids[id] = true
		}
	})
	return ids
}

// isAuthored says whether a path has a signature of its author, whose payload has the path's
// identity object in it.
func isAuthored(p *toolpath.Path) (authored bool) {
	for _, sig := range p.Meta.Get("signatures").Elements() {
		authored = authored || sig.Get("scope").Is("author")
	}
	eachVariant(p.Doc, "Signature", func(body jsonsrc.Value) {
		authored = authored || body.Get("target").Is("path") && body.Get("signature").Get("scope").Is("author")
	})
	return authored
}

// mayMisorder says whether a key can have characters beyond U+DFFF, at which the two orders
// part.
func mayMisorder(key jsonsrc.Value) bool {
	const first = 0xEE // byte of U+E000 in UTF-8
	for _, c := range key.Bytes() {
		if c >= first || c == '\\' {
			return true
		}
	}
	return false
}
