package analysis_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/linediff"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
	"github.com/toolpath-ls/toolpath-ls/internal/race"
)

// history is a made-up life of a file of which each line says who wrote it: "s3.17 …" is
// the 17th line that step s3 wrote, "base.2 …" is of the base, "hidden.5 …" of an edit that
// nobody recorded.
type history struct {
	r     *rand.Rand
	lines int
	text  []string
}

// edit changes the text as somebody, and returns what it was.
func (h *history) edit(who string) (was []string) {
	was = h.text
	h.text = append([]string(nil), h.text...)
	for range 1 + h.r.IntN(3) {
		at := h.r.IntN(len(h.text) + 1)
		gone := min(h.r.IntN(4), len(h.text)-at)
		var fresh []string
		for range h.r.IntN(4) {
			h.lines++
			fresh = append(fresh, fmt.Sprintf("%s.%d is here, line %d", who, h.lines, h.r.IntN(1000)))
		}
		h.text = append(h.text[:at:at], append(fresh, h.text[at+gone:]...)...)
	}
	return was
}

// context is 1 to 3 lines: without any, lines put before the first one look like the creation
// of a file.
func (h *history) context() int { return 1 + h.r.IntN(3) }

func joined(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// unified writes the diff between two texts with so many lines of context.
func unified(was, is []string, context int) string {
	hunks := linediff.Lines(bytesOf(was), bytesOf(is), linediff.Options{})
	var b strings.Builder
	for i := 0; i < len(hunks); {
		k := i + 1
		for k < len(hunks) && hunks[k].OldStart-hunks[k-1].OldEnd <= 2*context {
			k++
		}
		oldFrom, newFrom := max(0, hunks[i].OldStart-context), max(0, hunks[i].NewStart-context)
		oldTo, newTo := min(len(was), hunks[k-1].OldEnd+context), min(len(is), hunks[k-1].NewEnd+context)
		fmt.Fprintf(&b, "@@ -%s +%s @@\n", numbers(oldFrom, oldTo), numbers(newFrom, newTo))
		at := oldFrom
		for ; i < k; i++ {
			writeLines(&b, ' ', was[at:hunks[i].OldStart])
			writeLines(&b, '-', was[hunks[i].OldStart:hunks[i].OldEnd])
			writeLines(&b, '+', is[hunks[i].NewStart:hunks[i].NewEnd])
			at = hunks[i].OldEnd
		}
		writeLines(&b, ' ', was[at:oldTo])
	}
	return b.String()
}

func numbers(from, to int) string {
	if from == to {
		return fmt.Sprintf("%d,0", from)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}

func writeLines(b *strings.Builder, kind byte, lines []string) {
	for _, l := range lines {
		fmt.Fprintf(b, "%c%s\n", kind, l)
	}
}

func bytesOf(lines []string) [][]byte {
	var all [][]byte
	for _, l := range lines {
		all = append(all, []byte(l))
	}
	return all
}

// record is what a document says of a history, and what is true.
type record struct {
	steps  []any
	base   string
	head   string
	parent string // of the next step
	file   string
	clock  *int            // minutes
	wholes map[string]bool // the steps that wrote the whole content
}

func (d *record) step(id string, parents []string, change map[string]any) {
	*d.clock++
	identity := map[string]any{"id": id, "actor": "human:" + id, "timestamp": fmt.Sprintf("2026-01-29T10:%02d:00Z", *d.clock)}
	if len(parents) > 0 {
		identity["parents"] = parents
	}
	d.steps = append(d.steps, map[string]any{"step": identity, "change": change})
}

func (d *record) document(agent, known bool) string {
	base := map[string]any{"uri": "github:o/r"}
	if known {
		base["ref"] = d.base
	}
	path := map[string]any{"id": "p", "head": d.head, "base": base}
	meta := map[string]any{}
	if agent {
		meta["kind"] = "https://toolpath.net/kinds/agent-coding-session/v1.0.0"
	}
	return encode(map[string]any{"graph": map[string]any{"id": "g"}, "paths": []any{map[string]any{"path": path, "steps": d.steps, "meta": meta}}})
}

// aDeadEnd and aRename are the indexes of those happenings: an agent session has none of the
// first, and another document does not know the other name of a file.
const aDeadEnd, aRename = 1, 6

// happenings are what can come to pass in a history, with the step that records it. The
// result says whether the record has all of it.
var happenings = []func(h *history, d *record, id string) bool{
	func(h *history, d *record, id string) bool { // a diff
		was := h.edit(id)
		d.commit(id, map[string]any{d.file: map[string]any{"raw": unified(was, h.text, h.context())}})
		return true
	},
	func(h *history, d *record, id string) bool { // a dead end
		keep := h.text
		was := h.edit(id)
		d.step(id, d.parents(), map[string]any{d.file: map[string]any{"raw": unified(was, h.text, 3)}})
		h.text = keep
		return true
	},
	func(h *history, d *record, id string) bool { // the whole content
		h.edit(id)
		d.wholes[id] = true
		d.commit(id, map[string]any{d.file: map[string]any{"structural": map[string]any{"type": "file.write", "tool": "Write", "operation": "add", "after": joined(h.text)}}})
		return false
	},
	func(h *history, d *record, id string) bool { // an edit that nobody records
		h.edit("hidden")
		return false
	},
	func(h *history, d *record, id string) bool { // a step that does not say what it did
		h.edit(id)
		d.commit(id, map[string]any{d.file: map[string]any{"structural": map[string]any{"type": "go.rename"}}})
		return false
	},
	func(h *history, d *record, id string) bool { // a call that failed
		d.commit(id, map[string]any{
			"agent://s": map[string]any{"structural": map[string]any{"type": "conversation.append", "role": "assistant", "text": "", "tool_uses": []any{map[string]any{"id": "t", "name": "Write", "result": map[string]any{"content": "no", "is_error": true}}}}},
			d.file:      map[string]any{"structural": map[string]any{"type": "file.write", "tool": "Write", "tool_id": "t", "operation": "add", "after": id + ".0 never was\n"}}})
		return true
	},
	func(h *history, d *record, id string) bool { // a rename with a change
		if len(h.text) < 4 {
			return true
		}
		was, old := h.text, d.file
		h.lines++
		h.text = append(h.text[:len(h.text):len(h.text)], fmt.Sprintf("%s.%d is here", id, h.lines))
		d.file = id + ".go"
		d.commit(id, map[string]any{old: map[string]any{"raw": unified(was, nil, 0)}, d.file: map[string]any{"raw": unified(nil, h.text, 0)}})
		return true
	},
	func(h *history, d *record, id string) bool { // a branch that is merged without a word
		start := d.parents()
		was := h.edit(id + "b")
		d.step(id+"b", start, map[string]any{d.file: map[string]any{"raw": unified(was, h.text, 3)}})
		d.step(id, append(start[:len(start):len(start)], id+"b"), map[string]any{})
		d.parent, d.head = id, id
		return false
	},
}

func (d *record) parents() []string {
	if d.parent == "" {
		return nil
	}
	return []string{d.parent}
}

func (d *record) commit(id string, change map[string]any) {
	d.step(id, d.parents(), change)
	d.parent, d.head = id, id
}

// Whatever is missing from the record, nobody is named for a line that another one wrote;
// and where nothing is missing, everybody is named. Each line says who wrote it.
func TestNobodyIsNamedForWhatAnotherWrote(t *testing.T) {
	histories := race.Less(3000)
	if testing.Short() {
		histories = 300
	}
	named, lines := 0, 0
	for seed := range histories {
		h := &history{r: rand.New(rand.NewPCG(uint64(seed), 9)), text: nil}
		d := &record{file: "a.go", base: "abc", clock: new(int), wholes: map[string]bool{}}
		if h.r.IntN(3) > 0 {
			h.edit("base")
		}
		m := &memory{files: map[string]string{}, objects: map[[2]string]string{{"abc", "other"}: "", {"def", "other"}: ""}}
		if len(h.text) > 0 {
			m.objects[[2]string{"abc", "a.go"}] = joined(h.text)
		}
		known := h.r.IntN(4) > 0
		calm := h.r.IntN(2) == 0 // nothing is missing
		agent := h.r.IntN(4) == 0
		exact, steps := known, 1+h.r.IntN(8)
		split := -1 // the step with which a second document begins
		if h.r.IntN(3) == 0 {
			split = h.r.IntN(steps)
		}
		var docs []*record
		for i := range steps {
			if i == split && d.head != "" {
				docs = append(docs, d)
				d = &record{file: d.file, base: "def", clock: d.clock, wholes: d.wholes}
				if len(h.text) > 0 {
					m.objects[[2]string{"def", d.file}] = joined(h.text)
				}
			}
			k := h.r.IntN(len(happenings))
			if calm {
				k = h.r.IntN(2)
			}
			if d.head == "" || agent && k == aDeadEnd || split >= 0 && k == aRename {
				k = 0
			}
			if !happenings[k](h, d, fmt.Sprintf("s%d", i)) {
				exact = false
			}
		}
		docs = append(docs, d)
		if h.r.IntN(3) == 0 {
			h.edit("hidden") // after the last step
		}
		w := m.workspace()
		doc := ""
		for i, d := range docs {
			path := fmt.Sprintf("/w/%d.path.json", i)
			m.files[path] = d.document(agent, known)
			w.Add(path, []byte(m.files[path]))
			doc += m.files[path] + "\n"
		}
		_, p, err := w.ProvenanceOf(t.Context(), m, "file:///w/"+d.file, text.New([]byte(joined(h.text))))
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range h.text {
			who, _, _ := strings.Cut(line, ".")
			l := p.Line(i)
			lines++
			switch {
			case l.State == recorded && who == "hidden" && d.wholes[l.Step.At().ID]:
				// Who writes the whole content writes what was added to it in silence too.
			case l.State == recorded && l.Step.At().ID != who:
				t.Fatalf("history %d: %s is named for %q in\n%s\nof\n%s", seed, l.Step.At().ID, line, annotated(p), doc)
			case l.State == recorded:
				named++
			case exact && len(p.Problems()) == 0 && who != "base" && who != "hidden":
				t.Fatalf("history %d: nobody is named for %q in\n%s\nof\n%s\n%v", seed, line, annotated(p), doc, p.Problems())
			case analysis.StateName(l.State) == "base" && who == "hidden" && (!known || len(docs) > 1):
				// Older than a path, or than the first step that says what was there.
			case analysis.StateName(l.State) == "base" && strings.Contains(strings.Join(p.Problems(), ""), "another file"):
				// So little is left of one document that it is not believed.
			case analysis.StateName(l.State) == "base" && who != "base":
				t.Fatalf("history %d: %q is called base in\n%s\nof\n%s", seed, line, annotated(p), doc)
			case analysis.StateName(l.State) == "changed" && who != "hidden":
				t.Fatalf("history %d: %q is called changed in\n%s\nof\n%s", seed, line, annotated(p), doc)
			}
		}
	}
	if named < lines/4 {
		t.Errorf("only %d of %d lines are named: these histories test nothing", named, lines)
	}
}
