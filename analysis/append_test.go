package analysis_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

// growing is a stream that gets longer while the source file of which it speaks is open.
type growing struct {
	*typing
	stream []byte
	lines  []string // of the source file, as the stream leaves it
	steps  int
	before int // steps that another document has, which the stream continues
	where  string
}

// Where a document grows.
const (
	inEditor  = "in an editor"
	onDisk    = "on disk"
	continued = "in an editor, the continuation of one on disk"
	baseless  = "in an editor, without what the file was at first"
	gapped    = "in an editor, with a change that is not on record"
)

const streamPath = "/w/a.path.jsonl"

func startGrowing(tb testing.TB, where string, lines, steps int) *growing {
	g := &growing{typing: &typing{tb: tb, m: &memory{files: map[string]string{}}, version: 1}, where: where}
	g.w = g.m.workspace()
	for i := range lines {
		g.lines = append(g.lines, fmt.Sprintf("line %d of the file\n", i))
	}
	g.stream = append(g.stream, `{"PathOpen":{"version":"1.0","id":"p"}}`+"\n"...)
	if where != baseless {
		g.step(map[string]any{"structural": map[string]any{"type": "file.write", "operation": "add", "after": strings.Join(g.lines, "")}})
	}
	for g.steps < steps {
		g.append()
		switch {
		case where == continued && g.before == 0 && g.steps >= steps/2:
			g.handOver()
		case where == gapped && g.steps == 10:
			for i := range 5 {
				g.lines[5*i] = fmt.Sprintf("nobody knows who wrote this as number %d\n", i)
			}
		}
	}
	if where != onDisk {
		g.w.Open(analysis.FileURI(streamPath), "", 1, string(g.stream))
	} else {
		g.write()
		g.show("")
	}
	g.w.Open(typedURI, "go", 1, strings.Join(g.lines, ""))
	return g
}

// handOver makes the steps so far those of a document on disk, and a stream that goes on there.
func (g *growing) handOver() {
	const path = "/w/first.path.jsonl"
	g.m.files[path] = string(g.stream)
	g.w.Add(path, g.stream)
	g.before = g.steps
	g.stream = fmt.Appendf(nil, `{"PathOpen":{"version":"1.0","id":"q","parent":{"uri":"first.path.jsonl","path":"p","step":"s%d"}}}`+"\n", g.steps)
}

func (g *growing) step(change any) (line string) {
	g.steps++
	parents := ""
	if g.steps > g.before+1 {
		parents = fmt.Sprintf(`"parents":["s%d"],`, g.steps-1)
	}
	line = fmt.Sprintf(`{"Step":{"step":{"id":"s%d",%s"actor":"agent:x","timestamp":"2026-01-29T10:00:00Z"},"change":%s}}`+"\n", g.steps, parents, encode(map[string]any{"a.go": change}))
	g.stream = append(g.stream, line...)
	return line
}

// append makes a step that changes one line, and returns its line of the stream.
func (g *growing) append() string {
	at := g.steps * 7919 % len(g.lines)
	now := fmt.Sprintf("step %d wrote this\n", g.steps+1)
	raw := fmt.Sprintf("@@ -%d +%d @@\n-%s+%s", at+1, at+1, g.lines[at], now)
	g.lines[at] = now
	return g.step(map[string]any{"raw": raw})
}

// write puts the stream on disk.
func (g *growing) write() { g.m.files[streamPath] = string(g.stream) }

// grow appends a step to the stream as an editor or another program does.
func (g *growing) grow() {
	line := g.append()
	g.write()
	g.show(line)
}

// show lets the workspace see a line that the stream has got.
func (g *growing) show(line string) {
	if g.where == onDisk {
		g.w.Add(streamPath, []byte(g.m.files[streamPath]))
		return
	}
	t := g.w.Snapshot().Document(analysis.FileURI(streamPath)).Text
	at := t.Pos(t.Len(), text.UTF16)
	g.version++
	if _, err := g.w.Change(analysis.FileURI(streamPath), int32(g.version), text.UTF16, []text.Change{{Range: &text.Range{Start: at, End: at}, Text: line}}); err != nil {
		g.tb.Fatal(err)
	}
}

// ask asks who wrote the lines, and returns how many edits were replayed for that.
func (g *growing) ask() (*analysis.Provenance, int) {
	g.asked = 0
	for {
		p, needs := g.w.Snapshot().Provenance(typedURI, nil, func() bool { g.asked++; return false })
		if len(needs) == 0 {
			return p, g.asked
		}
		if err := g.w.Fetch(g.tb.Context(), g.m, needs); err != nil {
			g.tb.Fatal(err)
		}
	}
}

// Where a step is appended to a document, in an editor or on disk, that step alone is
// replayed, and the answer is that of a document that was opened with it.
func TestAppendedStep(t *testing.T) {
	for _, where := range []string{inEditor, onDisk, continued} {
		g := startGrowing(t, where, 40, 30)
		if _, asked := g.ask(); asked < 30 {
			t.Fatalf("this counts nothing: %d", asked)
		}
		for range 5 {
			g.grow()
			g.replaceAll(strings.Join(g.lines, ""))
			p, asked := g.ask()
			const most = 6 // for one edit, and for what is not about edits
			if asked > most {
				t.Errorf("%s: with step %d the replay asked %d times whether to go on", where, g.steps, asked)
			}
			fresh, _ := startGrowing(t, where, 40, g.steps).ask()
			if got, want := annotated(p), annotated(fresh); got != want {
				t.Errorf("%s: got\n%s\nwant\n%s", where, got, want)
			}
		}
	}
}

// Where not all can be replayed, what was lost is recovered from all of the steps. They are not
// replayed once more for that, and the answer is that of a document that was opened with them.
func TestAppendedStepAfterWhatIsNotKnown(t *testing.T) {
	for _, where := range []string{baseless, gapped} {
		const lines, steps = 200, 120
		g := startGrowing(t, where, lines, steps)
		g.ask()
		for range 4 {
			g.grow()
			g.replaceAll(strings.Join(g.lines, ""))
			g.w.Saved(typedURI)
			p, asked := g.ask()
			fresh, all := startGrowing(t, where, lines, g.steps).ask()
			const most = 6 // for one edit, and for what is not about edits
			if asked > all-g.steps+most {
				t.Errorf("%s: with step %d the replays asked %d times whether to go on, and %d times when the document was opened", where, g.steps, asked, all)
			}
			if got, want := annotated(p), annotated(fresh); got != want {
				t.Errorf("%s: got\n%s\nwant\n%s", where, got, want)
			}
		}
	}
}

// BenchmarkAppendedStep appends steps to a document of 5,000 that speaks of a file of 10,000
// lines, and asks who wrote them. It reports the median and the 99th percentile of both
// together.
func BenchmarkAppendedStep(b *testing.B) {
	for name, where := range map[string]string{"editor": inEditor, "disk": onDisk} {
		b.Run(name, func(b *testing.B) {
			g := startGrowing(b, where, 10_000, 5_000)
			g.ask()
			var took []time.Duration
			for b.Loop() {
				line := g.append()
				g.write()
				begin := time.Now()
				g.show(line)
				g.ask()
				took = append(took, time.Since(begin))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-median")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "ms-p99")
		})
	}
}
