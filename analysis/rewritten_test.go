package analysis_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// rewriting is a document on disk that other programs write anew.
type rewriting struct {
	r     *rand.Rand
	path  string // the id of the path
	steps []string
	made  int
	gap   string // between steps
}

func (d *rewriting) step() string {
	d.made++
	file := fmt.Sprintf("%c.go", 'a'+d.r.IntN(3))
	change := map[string]any{file: map[string]any{"structural": map[string]any{"type": "file.write", "operation": "add", "after": fmt.Sprintf("package x\nvar v = %d\n", d.made)}}}
	if d.r.IntN(4) == 0 {
		change = map[string]any{file: map[string]any{"structural": map[string]any{"type": "file.write", "operation": "rename", "rename_to": "d.go"}}}
	}
	return fmt.Sprintf(`{"step":{"id":"s%d","actor":"agent:%c","timestamp":"2026-01-29T10:00:00Z"},"change":%s,"meta":{"intent":"why %d"}}`,
		d.made, 'x'+rune(d.r.IntN(3)), encode(change), d.r.IntN(5))
}

// change does what may happen to the document; mostly a step is appended.
func (d *rewriting) change() {
	at := d.r.IntN(len(d.steps) + 1)
	switch d.r.IntN(12) {
	case 0:
		d.steps = append(d.steps[:at:at], append([]string{d.step()}, d.steps[at:]...)...)
	case 1:
		d.steps = append(d.steps[:at:at], d.steps[min(at+1, len(d.steps)):]...)
	case 2:
		d.path = fmt.Sprint("p", d.r.IntN(3))
	case 3:
		d.gap = []string{"", "\n", "\n\n", "\r\n"}[d.r.IntN(4)]
	case 4:
		d.steps = nil
	default:
		d.steps = append(d.steps, d.step())
	}
}

func (d *rewriting) canonical() string {
	last := "none"
	if n := len(d.steps); n > 0 {
		last = strings.Split(d.steps[n-1], `"`)[5]
	}
	return fmt.Sprintf(`{"graph":{"id":"g"},"paths":[{"path":{"id":%q,"head":%q},"meta":{"kind":"https://toolpath.net/kinds/agent-coding-session/v1"},"steps":[%s]}]}`,
		d.path, last, d.gap+strings.Join(d.steps, ","+d.gap))
}

func (d *rewriting) stream() string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"PathOpen":{"version":"1.0","id":%q,"meta":{"kind":"https://toolpath.net/kinds/agent-coding-session/v1"}}}`+"\n", d.path)
	for _, s := range d.steps {
		fmt.Fprintf(&b, `{"Step":%s}`+"\n%s", s, d.gap)
	}
	return b.String()
}

// What is known of a document on disk that was written anew is what is known of it to
// somebody who reads it for the first time, whatever was read of it before.
func TestDocumentWrittenAnewEqualsFreshOne(t *testing.T) {
	for seed := range uint64(40) {
		d := &rewriting{r: rand.New(rand.NewPCG(seed, 5)), path: "p"}
		path, content := "/w/a.path.json", d.canonical
		if seed%2 > 0 {
			path, content = "/w/a.path.jsonl", d.stream
		}
		m := &memory{files: map[string]string{}}
		w := m.workspace()
		for round := range 25 {
			d.change()
			m.files[path] = content()
			w.Add(path, []byte(m.files[path]))
			if got, want := known(t, m, w), freshlyKnown(t, m, path); !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d, round %d: got\n%v\nwant\n%v\nof\n%s", seed, round, got, want, m.files[path])
			}
		}
	}
}

func freshlyKnown(t *testing.T, m *memory, path string) []string {
	w := m.workspace()
	w.Add(path, []byte(m.files[path]))
	return known(t, m, w)
}

// known is what a workspace says of its documents.
func known(t *testing.T, m *memory, w *analysis.Workspace) []string {
	var all []string
	for _, f := range w.Snapshot().FindSteps("", 1000, func() bool { return false }) {
		all = append(all, fmt.Sprint(f.StepSummary))
	}
	for _, name := range []string{"a", "b", "c", "d"} {
		uri := "file:///w/" + name + ".go"
		w.Open(uri, "go", 1, "package x\nvar v = 3\n")
		_, p, err := w.ProvenanceOf(t.Context(), m, uri, nil)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, annotated(p), fmt.Sprint(len(p.Accounts)))
		w.Close(uri)
	}
	return all
}
