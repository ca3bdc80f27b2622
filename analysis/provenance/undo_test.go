package provenance_test

import (
	"math/rand/v2"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// What a diff leads to leads back to where it came from.
func TestUndo(t *testing.T) {
	w := writer{rand.New(rand.NewPCG(1, 2))}
	for range 200 {
		a := ""
		for range w.IntN(30) {
			a += w.line() + "\n"
		}
		b := w.edit(a)
		e := provenance.Edit{Raw: unified(a, b, w.IntN(4)), HasRaw: true}
		if got, ok := provenance.Undo(b, e); !ok || got != a {
			t.Fatalf("%q, %v; want %q before %q, by %s", got, ok, a, b, e.Raw)
		}
		if _, ok := provenance.Undo(b+"x\n", provenance.Edit{Raw: "@@ -1 +1 @@\n-y\n+no such line\n", HasRaw: true}); ok {
			t.Fatal("undid a diff that leads elsewhere")
		}
	}
}
