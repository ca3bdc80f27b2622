package analysis

import (
	"cmp"
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// SafeFixes returns the edits of all safe fixes of the findings that can be applied
// together, in the order of their places: of two that overlap the first one counts. What a
// signature of a step signs stays as it is (RFC "What Gets Signed").
func SafeFixes(doc *Document, found []Diagnostic) []TextEdit {
	var edits []TextEdit
	taken, signed := newOccupancy(found), doc.signedSteps()
	for _, d := range found {
		for _, f := range d.Fixes {
			if f.Safe && !signed.touchedBy(f.Edits) && taken.take(f.Edits) {
				edits = append(edits, f.Edits...)
				break
			}
		}
	}
	slices.SortFunc(edits, func(a, b TextEdit) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	return edits
}

// signedSteps are the steps of a document that a signature signs.
type signedSteps struct {
	tree  *jsonsrc.Tree
	steps map[int]toolpath.At // by chunk
}

func (d *Document) signedSteps() signedSteps {
	all := signedSteps{steps: map[int]toolpath.At{}}
	m := d.Model()
	if m == nil {
		return all
	}
	all.tree = m.Tree
	for _, p := range m.Paths {
		for _, s := range p.Steps.All() {
			if s.Nodes.Meta != 0 && hasSignature(s.Value(s.Nodes.Meta)) {
				all.steps[s.Chunk] = s
			}
		}
		for i := range m.Tree.NumChunks() {
			if !m.Lines {
				break
			}
			if key, body := toolpath.Variant(m.Tree.Chunk(i)); key.Is("Signature") && isSignature(body.Get("signature")) {
				if id, ok := strings.CutPrefix(body.Get("target").Text(), stepTarget); ok && p.Find(id) >= 0 {
					s := p.Steps.At(p.Find(id))
					all.steps[s.Chunk] = s
				}
			}
		}
	}
	return all
}

// touchedBy says whether an edit changes what a signature signs: a step but for its meta.
func (s signedSteps) touchedBy(edits []TextEdit) bool {
	for _, e := range edits {
		if len(s.steps) == 0 {
			return false
		}
		step, ok := s.steps[s.tree.ChunkIndex(e.Start)]
		if !ok {
			continue
		}
		self, meta := step.Self(), step.Value(step.Nodes.Meta)
		if e.Start < self.End() && self.Start() < e.End && (!meta.Valid() || e.Start < meta.Start() || e.End > meta.End()) {
			return true
		}
	}
	return false
}

// occupancy knows which places of a text edits have taken. Of n places that edits start or
// end at, place k has the number 2k and what lies between it and the next one 2k+1; sums is
// a Fenwick tree over how many of the numbers are taken.
type occupancy struct {
	places []int
	sums   []int32
}

func newOccupancy(found []Diagnostic) *occupancy {
	o := &occupancy{}
	for _, d := range found {
		for _, f := range d.Fixes {
			for _, e := range f.Edits {
				if f.Safe {
					o.places = append(o.places, e.Start, e.End)
				}
			}
		}
	}
	slices.Sort(o.places)
	o.places = slices.Compact(o.places)
	o.sums = make([]int32, 2*len(o.places)+1)
	return o
}

// take takes the places of edits, unless one of them is taken. An insertion takes the place
// that it is made at.
func (o *occupancy) take(edits []TextEdit) bool {
	for _, e := range edits {
		if from, to := o.numbers(e); o.before(to) != o.before(from) {
			return false
		}
	}
	for _, e := range edits {
		from, to := o.numbers(e)
		for n := from; n < to; n++ {
			for k := n + 1; k < len(o.sums); k += k & -k {
				o.sums[k]++
			}
		}
	}
	return true
}

func (o *occupancy) numbers(e TextEdit) (from, to int) {
	start, _ := slices.BinarySearch(o.places, e.Start)
	end, _ := slices.BinarySearch(o.places, e.End)
	return 2 * start, max(2*end, 2*start+1)
}

func (o *occupancy) before(n int) (sum int32) {
	for ; n > 0; n -= n & -n {
		sum += o.sums[n]
	}
	return sum
}

// ApplyEdits returns the text with the edits made; they must not overlap.
func ApplyEdits(src []byte, edits []TextEdit) []byte {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b TextEdit) int { return cmp.Compare(a.Start, b.Start) })
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, src[at:e.Start]...), e.New...)
		at = e.End
	}
	return append(out, src[at:]...)
}
