package provenance_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// Edit by edit or all at once, twice from the same point: the answer is the same.
func TestExtend(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 17))
		versions := writer{r}.history(40)
		h := provenance.History{Base: versions[0]}
		for i := 1; i < len(versions); i++ {
			e := provenance.Edit{Step: provenance.StepID(i), Delete: versions[i] == nil}
			before, now := "", ""
			if versions[i-1] != nil {
				before = *versions[i-1]
			}
			if versions[i] != nil {
				now = *versions[i]
			}
			switch r.IntN(10) {
			case 0: // nothing on record
			case 1:
				e.Whole = &now
			default:
				e.Raw, e.HasRaw = unified(before, now, r.IntN(4)), true
			}
			h.Edits = append(h.Edits, e)
		}
		first, more := h, h
		first.Edits = nil
		p := provenance.Project(first)
		for n, before := 1, 0; n <= len(h.Edits); n, before = n+1+r.IntN(3), n {
			first.Edits, more.Edits = h.Edits[:n], h.Edits[before:n]
			lines := slices.Clone(p.Lines())
			q := p.Extend(more)
			p.Extend(more)
			if !slices.Equal(p.Lines(), lines) {
				t.Fatalf("seed %d: extending changed the projection", seed)
			}
			p = q
			whole := provenance.Project(first)
			if !slices.Equal(steps(p), steps(whole)) || p.HeadText() != whole.HeadText() || p.Known != whole.Known || !reflect.DeepEqual(p.Problems, whole.Problems) {
				t.Fatalf("seed %d, %d edits: got %v %v\nwant %v %v", seed, n, steps(p), p.Problems, steps(whole), whole.Problems)
			}
		}
	}
}
