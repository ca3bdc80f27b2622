package analysis_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

// typing is an editor with one source file of which documents speak.
type typing struct {
	tb      testing.TB
	m       *memory
	w       *analysis.Workspace
	version int32
	asked   int // how often a computation asked whether to go on: once for each edit, and at its end
}

const typedURI = "file:///w/a.go"

const typedSteps = 10

// startTyping opens a file of which one step wrote the recorded text, and the others changed
// nothing.
func startTyping(tb testing.TB, recorded, buffer string) *typing {
	e := &typing{tb: tb, m: &memory{}, version: 1}
	e.w = e.m.workspace()
	e.w.Open("file:///w/a.path.json", "", 1, chain(typedSteps, func(i int) string {
		if i > 0 {
			return `{"a.go":{"raw":""}}`
		}
		return encode(map[string]any{"a.go": map[string]any{"structural": map[string]any{"type": "file.write", "operation": "add", "after": recorded}}})
	}))
	e.w.Open(typedURI, "go", 1, buffer)
	return e
}

func (e *typing) text() string { return string(e.w.Snapshot().Document(typedURI).Text.Bytes()) }

// replace puts a text in place of bytes.
func (e *typing) replace(start, end int, repl string) {
	t := e.w.Snapshot().Document(typedURI).Text
	e.version++
	r := text.Range{Start: t.Pos(start, text.UTF16), End: t.Pos(end, text.UTF16)}
	if _, err := e.w.Change(typedURI, e.version, text.UTF16, []text.Change{{Range: &r, Text: repl}}); err != nil {
		e.tb.Fatal(err)
	}
}

func (e *typing) replaceAll(content string) {
	e.version++
	if _, err := e.w.Change(typedURI, e.version, text.UTF16, []text.Change{{Text: content}}); err != nil {
		e.tb.Fatal(err)
	}
}

// provenance asks who wrote the lines, and counts what has to be replayed for that.
func (e *typing) provenance() *analysis.Provenance {
	p, needs := e.w.Snapshot().Provenance(typedURI, nil, func() bool { e.asked++; return false })
	if len(needs) > 0 {
		e.tb.Fatal(needs)
	}
	return p
}

// letters has a letter for each line: r recorded, b base, c changed, u unrecorded.
func letters(p *analysis.Provenance) string {
	var b strings.Builder
	for i := range p.Len() {
		b.WriteByte(analysis.StateName(p.Line(i).State)[0])
	}
	return b.String()
}

// What the editor shows is right at once, without a save (report B 33), and undo brings
// back who wrote a line.
func TestTyping(t *testing.T) {
	const recorded = "package a\n\nvar x = 1\nvar y = 2\n"
	for _, c := range []struct {
		name  string
		edits func(e *typing)
		want  string
	}{
		{"nothing", func(*typing) {}, "rrrr"},
		{"in a line", func(e *typing) { e.replace(19, 20, "11") }, "rrcr"},
		{"and undone", func(e *typing) { e.replace(19, 20, "11"); e.provenance(); e.replace(19, 21, "1") }, "rrrr"},
		{"and undone before anybody asks", func(e *typing) { e.replace(19, 20, "11"); e.replace(19, 21, "1") }, "rrrr"},
		{"a new line", func(e *typing) { e.replace(20, 20, "\nvar z = 3") }, "rrrcr"},
		{"a new line at the end", func(e *typing) { e.replace(len(recorded), len(recorded), "var z = 3\n") }, "rrrrc"},
		{"at the end, in two goes", func(e *typing) {
			e.replace(len(recorded), len(recorded), "var z")
			e.replace(len(recorded)+5, len(recorded)+5, " = 3\n")
		}, "rrrrc"},
		{"a line is cut", func(e *typing) { e.replace(11, 21, "") }, "rrr"},
		{"and pasted", func(e *typing) { e.replace(11, 21, ""); e.provenance(); e.replace(11, 11, "var x = 1\n") }, "rrrr"},
		{"and pasted elsewhere", func(e *typing) { e.replace(11, 21, ""); e.replace(0, 0, "var x = 1\n") }, "crrr"},
		{"all is cut", func(e *typing) { e.replace(0, len(recorded), "") }, ""},
		{"and comes back", func(e *typing) { e.replace(0, len(recorded), ""); e.provenance(); e.replace(0, 0, recorded) }, "rrrr"},
		{"the last line feed goes", func(e *typing) { e.replace(len(recorded)-1, len(recorded), "") }, "rrrr"},
		{"and comes back", func(e *typing) {
			e.replace(len(recorded)-1, len(recorded), "")
			e.provenance()
			e.replace(len(recorded)-1, len(recorded)-1, "\n")
		}, "rrrr"},
		{"two lines are joined", func(e *typing) { e.replace(20, 21, "") }, "rrc"},
		{"LF becomes CRLF", func(e *typing) { e.replaceAll(strings.ReplaceAll(recorded, "\n", "\r\n")) }, "rrrr"},
		{"and LF again", func(e *typing) {
			e.replaceAll(strings.ReplaceAll(recorded, "\n", "\r\n"))
			e.provenance()
			e.replaceAll(recorded)
		}, "rrrr"},
		{"the whole text at once", func(e *typing) { e.replaceAll("package a\n\nvar x = 1\nvar y = 3\n") }, "rrrc"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := startTyping(t, recorded, recorded)
			e.provenance()
			c.edits(e)
			e.asked = 0
			p := e.provenance()
			if got := letters(p); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if e.asked > 1 {
				t.Errorf("%d edits were replayed", e.asked-1)
			}
		})
	}
}

// A line that was typed is unsaved until the file is saved.
func TestUnsavedUntilSaved(t *testing.T) {
	e := startTyping(t, "a\nb\n", "a\nb\n")
	e.provenance()
	e.replace(2, 3, "bb")
	if g := e.provenance().Line(1).Grade.String(); g != "unsaved" {
		t.Errorf("typed: %s", g)
	}
	e.w.Saved(typedURI)
	if g := e.provenance().Line(1).Grade.String(); g != "changed" {
		t.Errorf("saved: %s", g)
	}
	e.replace(2, 4, "b")
	if g := e.provenance().Line(1).Grade.String(); g != "exact" {
		t.Errorf("back to what it was: %s", g)
	}
}

// What differs from the head is unsaved if it differs from the text that was saved last too, by
// whichever edits it came: typed, or as the whole text anew.
func TestUnsavedHangsOnTheSavedTextAlone(t *testing.T) {
	const recorded = "a\nb\nc\n"
	for _, c := range []struct {
		name   string
		opened string
		edits  string // the texts that follow; "!" saves
		want   string // of each line: e exact, c changed since, u unsaved
	}{
		{"opened with more than the head has", "a\nx\nb\nc\n", "", "ecee"},
		{"typed beside it", "a\nx\nb\nc\n", "a\nx\ny\nb\nc\n", "ecuee"},
		{"typed above the same", "a\nx\nb\nc\n", "a\nx\nb\nx\nc\n", "eceue"},
		{"typed and taken back", "a\nx\nb\nc\n", "a\nX\nb\nc\n|a\nx\nb\nc\n", "ecee"},
		{"cut and put back in two edits", "a\nx\nb\nc\n", "|a\nb\nc\n|a\nx\nb\nc\n", "ecee"},
		{"moved", "a\nx\nb\nc\n", "a\nb\nc\nx\n", "eeeu"},
		{"a line of the head is edited", recorded, "a\nB\nc\n", "eue"},
		{"and saved", recorded, "a\nB\nc\n|!", "ece"},
		{"and edited again", recorded, "a\nB\nc\n|!|a\nBB\nc\n", "eue"},
		{"and undone to what was saved", recorded, "a\nB\nc\n|!|a\nBB\nc\n|a\nB\nc\n", "ece"},
		{"and undone to the head", recorded, "a\nB\nc\n|!|a\nBB\nc\n|a\nB\nc\n|a\nb\nc\n", "eee"},
		{"beside a line that was saved", recorded, "a\nB\nc\n|!|a\nB\nC\nc\nd\n", "ecueu"},
		{"all is another text", recorded, "x\ny\n|!|x\nz\ny\n", "cuc"},
		{"with other line ends", "a\nx\nb\nc\n", "a\r\nx\r\ny\r\nb\r\nc\r\n", "ecuee"},
	} {
		for way, edit := range map[string]func(e *typing, text string){
			"typed":    func(e *typing, text string) { from, to, with := difference(e.text(), text); e.replace(from, to, with) },
			"anew":     func(e *typing, text string) { e.replaceAll(text) },
			"by lines": typeByLines,
		} {
			for _, asks := range []bool{false, true} {
				e := startTyping(t, recorded, c.opened)
				for _, text := range strings.Split(c.edits, "|") {
					if asks {
						letters(e.provenance())
					}
					switch text {
					case "":
					case "!":
						e.w.Saved(typedURI)
					default:
						edit(e, text)
					}
				}
				if got := grades(e.provenance()); got != c.want {
					t.Errorf("%s, %s, asked on the way: %v: %s, want %s", c.name, way, asks, got, c.want)
				}
			}
		}
	}
}

// Where the record does not tell what the file was, what is recovered for the saved text counts,
// however much is typed: what is typed is unsaved, and once it is saved it is as if it had been
// opened so.
func TestUnsavedOfARecovery(t *testing.T) {
	const saved, typed = "what was before\na line of the record\n", "one\ntwo\nthree\nfour\n"
	open := func(text string) *typing {
		e := &typing{tb: t, m: &memory{}, version: 1}
		e.w = e.m.workspace()
		e.w.Open("file:///w/a.path.json", "", 1, chain(1, func(int) string {
			return encode(map[string]any{"a.go": map[string]any{"raw": "@@ -1 +1,2 @@\n something that is gone\n+a line of the record\n"}})
		}))
		e.w.Open(typedURI, "go", 1, text)
		return e
	}
	for way, edit := range map[string]func(e *typing){
		"anew":     func(e *typing) { e.replaceAll(saved + typed) },
		"at once":  func(e *typing) { e.replace(len(saved), len(saved), typed) },
		"by lines": func(e *typing) { typeByLines(e, saved+typed) },
	} {
		e := open(saved)
		e.provenance()
		edit(e)
		if got := letters(e.provenance()) + " " + grades(e.provenance()); got != "urcccc ufuuuu" || e.provenance().Line(2).Grade.String() != "unsaved" {
			t.Errorf("%s: %s", way, got)
		}
		e.w.Saved(typedURI)
		if got, want := annotated(e.provenance()), annotated(open(saved+typed).provenance()); got != want {
			t.Errorf("%s, saved:\n%sbut opened\n%s", way, got, want)
		}
	}
}

// What an editor takes over from the disk was saved, though nobody told; what it has opened
// without having saved it was not.
func TestUnsavedIsWhatTheDiskDoesNotHave(t *testing.T) {
	e := startTyping(t, "a\nb\n", "a\nkept from before\nb\n")
	compare := func(disk string) bool {
		e.m.files = map[string]string{"/w/a.go": disk}
		return e.w.CompareDisk(t.Context(), e.m, typedURI)
	}
	if news := compare("a\nb\n"); !news || grades(e.provenance()) != "eue" {
		t.Errorf("opened unsaved: %v, %s", news, grades(e.provenance()))
	}
	e.replaceAll("a\nkept from before\nb\nby another program\n")
	if news := compare("\uFEFFa\r\nb\r\nby another program\r\n"); !news || grades(e.provenance()) != "euec" {
		t.Errorf("written by another program: %v, %s", news, grades(e.provenance()))
	}
	for _, disk := range []string{"\uFEFFa\r\nb\r\nby another program\r\n", "a\n\xff\n"} {
		if news := compare(disk); news || grades(e.provenance()) != "euec" {
			t.Errorf("%q: %v, %s", disk, news, grades(e.provenance()))
		}
	}
	if e.w.Saved(typedURI); grades(e.provenance()) != "ecec" {
		t.Errorf("saved: %s", grades(e.provenance()))
	}
	if news := e.w.CompareDisk(t.Context(), &memory{}, typedURI); news {
		t.Error("a file that is not there is no news")
	}
}

// grades has a letter for each line: e exact, c changed since, u unsaved.
func grades(p *analysis.Provenance) string {
	var b strings.Builder
	for i := range p.Len() {
		b.WriteByte(p.Line(i).Grade.String()[0])
	}
	return b.String()
}

// typeByLines makes a text of what is there by taking all lines that are not in common away,
// and then by putting lines in one by one.
func typeByLines(e *typing, content string) {
	from, to, with := difference(e.text(), content)
	for from > 0 && e.text()[from-1] != '\n' {
		with, from = e.text()[from-1:from]+with, from-1
	}
	e.replace(from, to, "")
	for line := range strings.Lines(with) {
		e.provenance()
		e.replace(from, from, line)
		from += len(line)
	}
}

// However a text came to be, by edits and saves in any order, it is the same lines that are
// unsaved.
func TestUnsavedByManyEdits(t *testing.T) {
	for seed := range 200 {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		made := 0
		line := func() string { made++; return fmt.Sprintf("line %d\n", made) }
		var lines []string
		for range 5 + r.IntN(20) {
			lines = append(lines, line())
		}
		recorded := strings.Join(lines, "")
		saved := recorded
		typed, anew := startTyping(t, recorded, recorded), startTyping(t, recorded, recorded)
		for range 15 {
			at := r.IntN(len(lines) + 1)
			lines = slices.Concat(lines[:at], []string{line()}, lines[min(at+r.IntN(3), len(lines)):])
			content := strings.Join(lines, "")
			from, to, with := difference(typed.text(), content)
			typed.replace(from, to, with)
			if r.IntN(2) == 0 {
				typed.provenance()
			}
			anew.replaceAll(content)
			if r.IntN(5) == 0 {
				saved = content
				typed.w.Saved(typedURI)
				anew.w.Saved(typedURI)
			}
		}
		p, q := typed.provenance(), anew.provenance()
		for i, line := range lines {
			want := "unsaved"
			if strings.Contains("\n"+recorded, "\n"+line) {
				want = "exact"
			} else if strings.Contains("\n"+saved, "\n"+line) {
				want = "changed"
			}
			if a, b := p.Line(i).Grade.String(), q.Line(i).Grade.String(); a != want || b != want {
				t.Errorf("seed %d: %q is %s typed and %s anew, not %s", seed, line, a, b, want)
			}
		}
	}
}

// An answer about an older text does not become part of what is known of the newest one.
func TestOlderTextAskedLate(t *testing.T) {
	e := startTyping(t, "a\nb\nc\n", "a\nb\nc\n")
	e.provenance()
	older := e.w.Snapshot().Document(typedURI).Text
	e.replace(0, 0, "x\ny\n")
	p, _ := e.w.Snapshot().Provenance(typedURI, older, nil)
	if got := letters(p); got != "rrr" {
		t.Errorf("the older text: %s", got)
	}
	e.replace(2, 2, "z\n")
	if got := letters(e.provenance()); got != "cccrrr" {
		t.Errorf("the newest text: %s", got)
	}
}

// However a text came to be, the same is said of it as when it is opened: but that typed
// lines are unsaved.
func TestTypedTextIsAsOpenedText(t *testing.T) {
	for seed := range 300 {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		made := 0
		lines := func(n int) string {
			var b strings.Builder
			for range n {
				made++
				fmt.Fprintf(&b, "line %d 𝒳\n", made)
			}
			return b.String()
		}
		recorded := lines(1 + r.IntN(30))
		e := startTyping(t, recorded, recorded+lines(r.IntN(3)))
		var undo []string
		for range 20 {
			if r.IntN(2) == 0 {
				e.provenance()
			}
			was := e.text()
			switch k := r.IntN(4); {
			case k == 0 && len(undo) > 0: // undo
				last := undo[len(undo)-1]
				undo = undo[:len(undo)-1]
				a, b, repl := difference(was, last)
				e.replace(a, b, repl)
				continue
			case k == 1: // lines go
				starts := lineStartsOf(was)
				i := r.IntN(len(starts))
				j := min(i+r.IntN(4), len(starts)-1)
				e.replace(starts[i], starts[j], "")
			case k == 2: // lines come
				starts := lineStartsOf(was)
				at := starts[r.IntN(len(starts))]
				e.replace(at, at, lines(1+r.IntN(3)))
			default: // a line is edited
				starts := lineStartsOf(was)
				at := starts[r.IntN(len(starts))]
				made++
				e.replace(at, at, fmt.Sprint(made, " "))
			}
			undo = append(undo, was)
		}
		fresh := startTyping(t, recorded, e.text())
		got, want := annotated(e.provenance()), annotated(fresh.provenance())
		if got != want {
			t.Fatalf("seed %d: typed\n%sbut opened\n%s", seed, got, want)
		}
	}
}

func lineStartsOf(s string) []int {
	starts := []int{0}
	for i := range s {
		if s[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// difference returns the bytes of a that must be replaced to make b.
func difference(a, b string) (start, end int, repl string) {
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	end, to := len(a), len(b)
	for end > start && to > start && a[end-1] == b[to-1] {
		end--
		to--
	}
	for start > 0 && start < len(a) && a[start]&0xC0 == 0x80 { // not inside of a character
		start--
	}
	for end < len(a) && a[end]&0xC0 == 0x80 {
		end, to = end+1, to+1
	}
	return start, end, b[start:to]
}

// Who chooses actors to ignore is answered from what is known: nothing is replayed.
func TestIgnoringReplaysNothing(t *testing.T) {
	e := startTyping(t, "a\nb\n", "a\nb\nc\n")
	p := e.provenance()
	if e.asked <= typedSteps {
		t.Fatalf("this counts nothing: %d", e.asked)
	}
	e.asked = 0
	g, err := analysis.NewIgnore([]string{"tool:*"})
	if err != nil {
		t.Fatal(err)
	}
	letters(p.Ignoring(g))
	letters(e.provenance().Ignoring(g))
	if e.asked > 0 {
		t.Errorf("%d edits were replayed", e.asked)
	}
	if got := letters(p.Ignoring(nil)); got != "rrc" {
		t.Errorf("ignoring nobody: %s", got)
	}
}

// BenchmarkKeystroke types into a file of 10,000 lines and asks for the hover of the line
// after each key. It reports the median and the 99th percentile of both together.
func BenchmarkKeystroke(b *testing.B) {
	var recorded strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&recorded, "line %d of the file\n", i)
	}
	e := startTyping(b, recorded.String(), recorded.String())
	e.provenance()
	at := len("line 0 of the file\n") * 4000
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		begin := time.Now()
		e.replace(at, at+i%2, "xy"[i%2:i%2+1])
		p := e.provenance()
		if p.HoverLine(p.LineOf(at)) == nil {
			b.Fatal("no hover")
		}
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-median")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "ms-p99")
}
