package analysis

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
)

// asked is a context that ends when it was asked so many times.
type asked struct {
	context.Context
	left, asked int
}

func (a *asked) Err() error {
	a.asked++
	if a.left--; a.left >= 0 {
		return nil
	}
	return context.Canceled
}

func largeDocuments() map[string]string {
	const n = 8000
	steps := make([]string, n)
	for i := range steps {
		steps[i] = fmt.Sprintf(`{"step": {"id": "s%d", "actor": "human:asa"}, "change": {"a.go": {}}}`, i)
	}
	return map[string]string{
		"file:///w/steps.path.json":   `{"graph": {"id": "g"}, "paths": [{"path": {"id": "p", "head": "s1"}, "steps": [` + strings.Join(steps, ",") + `]}]}`,
		"file:///w/steps.json":        `{"graph": {"id": "g"}, "paths": [{"path": {"id": "p", "head": "s1"}, "steps": [` + strings.Join(steps, ",") + `]}]}`,
		"file:///w/lines.path.jsonl":  `{"PathOpen": {"version": "1", "id": "p"}}` + "\n" + `{"Step": ` + strings.Join(steps, "}\n{\"Step\": ") + "}\n",
		"file:///w/one.path.json":     `{"graph": {"id": "g"}, "paths": [{"path": {"id": "p", "head": "s1"}, "steps": [{"step": {"id": "s1", "parents": [` + strings.Repeat("1,", 10*n) + `1]}}]}]}`,
		"file:///w/nosteps.path.json": `{"graph": {"id": "g"}, "x": {"y": [` + strings.Repeat("{\"a\": []},", 10*n) + `1]}, "paths": []}`,
		"file:///w/broken.path.json":  `{"graph": {"id": "g"}, "paths": [{"steps": [` + strings.Repeat(`{"step": {"id" "s1" "x"}] `, 5*n),
	}
}

// A parse that is not wanted any more ends soon, wherever it is, and leaves the document as
// it was: who asks next gets the same as if there had been none.
func TestPrepareStops(t *testing.T) {
	for uri, content := range largeDocuments() {
		t.Run(uri, func(t *testing.T) {
			w := NewWorkspace(&Options{}, nil)
			full := &asked{t.Context(), 1 << 40, 0}
			want := w.Open(uri, "", 1, content).Document(uri)
			if err := want.Prepare(full); err != nil || want.made.Load() == nil {
				t.Fatal(err)
			}
			if full.asked < 10 {
				t.Errorf("it asks %d times only", full.asked)
			}
			var doc *Document
			for left := 0; left < full.asked-4; left += 1 + full.asked/20 {
				doc = w.Open(uri, "", 1, content).Document(uri)
				ctx := &asked{t.Context(), left, 0}
				if err := doc.Prepare(ctx); err == nil || ctx.asked > left+4 {
					t.Errorf("stopped after %d of %d questions it asks %d and says %v", left, full.asked, ctx.asked, err)
				}
				if doc.made.Load() != nil {
					t.Fatalf("there is a model after %d of %d questions", left, full.asked)
				}
			}
			got := doc.Model()
			if len(got.Paths) != len(want.Model().Paths) || doc.Kind() != want.Kind() {
				t.Errorf("the model is another one")
			}
			if doc.Tree().NumChunks() != want.Tree().NumChunks() || doc.Tree().Root().End() != want.Tree().Root().End() {
				t.Error("the tree is another one")
			}
		})
	}
}

// Who waits for a parse that somebody else makes can give up.
func TestPrepareWaitsNoLongerThanItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const uri = "file:///w/a.path.json"
		doc := NewWorkspace(&Options{}, nil).Open(uri, "", 1, `{}`).Document(uri)
		doc.turn <- struct{}{} // somebody else's
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- doc.Prepare(ctx) }()
		synctest.Wait()
		cancel()
		if err := <-ended; err == nil {
			t.Error("it waited")
		}
		<-doc.turn
		if err := doc.Prepare(t.Context()); err != nil || doc.Model() == nil {
			t.Errorf("afterwards: %v", err)
		}
	})
}
