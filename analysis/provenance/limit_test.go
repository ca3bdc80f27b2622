package provenance

import "testing"

// Where looking for hunks takes too long, the answer is a gap, not a hang.
func TestSearchEnds(t *testing.T) {
	base := "a\nb\nc\nd\n"
	h := History{Base: &base, Edits: []Edit{
		{Step: 1, Raw: "@@ -9 +9 @@\n-c\n+C\n", HasRaw: true},
		{Step: 2, Raw: "@@ -9 +9 @@\n-d\n+D\n", HasRaw: true},
	}}
	r := newReplay(h)
	r.search = 8 * 5 // five lines
	for i := range h.Edits {
		r.begin(i, h.Edits[i].Step)
		r.edit(&h.Edits[i])
	}
	p := r.finish()
	if last := p.Problems[len(p.Problems)-1]; last.Kind != SearchEnded || last.Step != 2 || p.HeadText() != "a\nb\nC\nd\n" {
		t.Errorf("problems %v, head %q", p.Problems, p.HeadText())
	}
}
