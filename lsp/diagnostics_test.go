package lsp

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
	"github.com/toolpath-ls/toolpath-ls/lsp/lsptest"
)

// checkTimes runs checkWords and notes when it began, since the first call.
type checkTimes struct {
	mu    sync.Mutex
	zero  time.Time
	times []time.Duration
	slow  time.Duration
}

func (c *checkTimes) check(ctx context.Context, snap *analysis.Snapshot, uri string) []protocol.Diagnostic {
	c.mu.Lock()
	if c.zero.IsZero() {
		c.zero = time.Now()
	}
	c.times = append(c.times, time.Since(c.zero))
	c.mu.Unlock()
	time.Sleep(c.slow)
	return checkWords(ctx, snap, uri)
}

// When a document is checked, seen from its opening.
func TestWhenDocumentsAreChecked(t *testing.T) {
	ms := func(all ...int) (out []time.Duration) {
		for _, n := range all {
			out = append(out, time.Duration(n)*time.Millisecond)
		}
		return out
	}
	for _, c := range []struct {
		name  string
		edits []time.Duration // times of edits
		want  []time.Duration // times of checks
	}{
		{"opening", nil, ms(0)},
		{"an edit after a rest", ms(1000), ms(0, 1000)},
		{"slow typing", ms(1000, 1060, 1120), ms(0, 1000, 1060, 1120)},
		{"two quick edits", ms(1000, 1010), ms(0, 1000, 1035)},
		{"a burst", ms(1000, 1010, 1020, 1030, 1040), ms(0, 1000, 1065)},
		{"edits right after opening", ms(10, 20), ms(0, 45)},
		{"a typist who does not pause", every(1000, 1700, 20), ms(0, 1000, 1320, 1620, 1725)},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var times checkTimes
				e := startInitialized(t, Options{check: times.check})
				begun := time.Now()
				e.Open(doc, "json", 0, "bad")
				synctest.Wait()
				for i, at := range c.edits {
					time.Sleep(at - time.Since(begun))
					e.Change(doc, i+1, lsptest.Change{Text: fmt.Sprint("bad ", i+1)})
					synctest.Wait()
				}
				time.Sleep(time.Second)
				times.mu.Lock()
				if !slices.Equal(times.times, c.want) {
					t.Errorf("checked at %v, want %v", times.times, c.want)
				}
				times.mu.Unlock()
				all := e.Publishes(doc)
				if last := described(all[len(all)-1]); len(c.edits) > 0 && last != fmt.Sprintf("v%[1]d: bad %[1]d", len(c.edits)) {
					t.Errorf("the last publish is %q", last)
				}
				if err := e.Shutdown(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func every(from, to, step int) (out []time.Duration) {
	for n := from; n <= to; n += step {
		out = append(out, time.Duration(n)*time.Millisecond)
	}
	return out
}

// A set is published after each change, also when it is equal, and when it is empty.
func TestEqualSetsArePublishedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := startInitialized(t, Options{check: checkWords})
		texts := []string{"bad", "bad", "fine", "fine", "bad"}
		for v, text := range texts {
			if v == 0 {
				e.Open(doc, "json", v, text)
			} else {
				e.Change(doc, v, lsptest.Change{Text: text})
			}
			e.Published(doc, v)
			time.Sleep(time.Second)
		}
		var got []string
		for _, p := range e.Publishes(doc) {
			got = append(got, described(p))
		}
		if want := []string{"v0: bad", "v1: bad", "v2: ", "v3: ", "v4: bad"}; !slices.Equal(got, want) {
			t.Errorf("published %q, want %q", got, want)
		}
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
	})
}

// A check that ends after the next change is not published, and the check of that change
// is, although the first one did not heed its context.
func TestLateResultsAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := checkTimes{slow: time.Second}
		e := startInitialized(t, Options{check: slow.check})
		e.Open(doc, "json", 1, "bad 1")
		time.Sleep(500 * time.Millisecond)
		e.Change(doc, 2, lsptest.Change{Text: "bad 2"})
		if got := described(e.Published(doc, 2)); got != "v2: bad 2" {
			t.Errorf("published %q", got)
		}
		if all := e.Publishes(doc); len(all) != 1 {
			t.Errorf("published %+v", all)
		}
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
	})
}

// A document's check is cancelled by its next change and by closing it.
func TestChecksAreCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var begun, cancelled atomic.Int32
		e := startInitialized(t, Options{check: func(ctx context.Context, _ *analysis.Snapshot, _ string) []protocol.Diagnostic {
			begun.Add(1)
			<-ctx.Done()
			cancelled.Add(1)
			return nil
		}})
		e.Open(doc, "json", 1, "a")
		synctest.Wait()
		e.Change(doc, 2, lsptest.Change{Text: "b"})
		time.Sleep(time.Second)
		if b, c := begun.Load(), cancelled.Load(); b != 2 || c != 1 {
			t.Errorf("after a change, %d checks begun, %d cancelled", b, c)
		}
		e.CloseDocument(doc)
		synctest.Wait()
		if b, c := begun.Load(), cancelled.Load(); b != 2 || c != 2 {
			t.Errorf("after closing, %d checks begun, %d cancelled", b, c)
		}
		if all := e.Publishes(doc); len(all) != 1 || all[0].Version != nil || len(all[0].Diagnostics) != 0 {
			t.Errorf("published %+v, want one empty set", all)
		}
		e.Open(doc, "json", 1, "a")
		synctest.Wait()
		if b := begun.Load(); b != 3 {
			t.Errorf("after opening again, %d checks begun", b)
		}
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
		if cancelled.Load() != 3 {
			t.Error("the end of the session does not cancel a check")
		}
	})
}

// Many documents are checked as many at a time as there are processors, each once.
func TestManyDocuments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most, begun atomic.Int32
		e := startInitialized(t, Options{check: func(ctx context.Context, snap *analysis.Snapshot, uri string) []protocol.Diagnostic {
			begun.Add(1)
			most.Store(max(most.Load(), running.Add(1)))
			time.Sleep(time.Millisecond)
			running.Add(-1)
			return checkWords(ctx, snap, uri)
		}})
		const n = 500
		for i := range n {
			e.Open(fmt.Sprintf("file:///work/%d.path.json", i), "json", 1, "bad")
		}
		for i := range n {
			e.Published(fmt.Sprintf("file:///work/%d.path.json", i), 1)
		}
		if begun.Load() != n || int(most.Load()) > runtime.GOMAXPROCS(0) {
			t.Errorf("%d checks, %d at a time", begun.Load(), most.Load())
		}
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
	})
}

// Whatever happens to documents, what is published for each never goes back, fits its
// version, and ends with what the document is at last.
func TestPublishesNeverGoBack(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 7))
			var choosing sync.Mutex
			choose := func(limit int) int {
				choosing.Lock()
				defer choosing.Unlock()
				return rnd.IntN(limit)
			}
			pause := func(limit int) { time.Sleep(time.Duration(choose(limit)) * time.Millisecond) }
			e := startInitialized(t, Options{check: func(ctx context.Context, snap *analysis.Snapshot, uri string) []protocol.Diagnostic {
				found := checkWords(ctx, snap, uri)
				pause(150)
				return found
			}})
			version := 0
			last := map[string]int{} // version, or 0 if closed
			for range 200 {
				uri := fmt.Sprintf("file:///work/%d.path.json", choose(3))
				version++
				switch {
				case last[uri] == 0:
					e.Open(uri, "json", version, fmt.Sprint("bad ", version))
					last[uri] = version
				case choose(10) == 0:
					e.CloseDocument(uri)
					last[uri] = 0
				default:
					e.Change(uri, version, lsptest.Change{Text: fmt.Sprint("bad ", version)})
					last[uri] = version
				}
				pause(120)
			}
			time.Sleep(2 * time.Second)
			for uri, want := range last {
				highest := 0
				all := e.Publishes(uri)
				for _, p := range all {
					if p.Version == nil {
						continue
					}
					if *p.Version < highest {
						t.Errorf("%s: version %d came after %d", uri, *p.Version, highest)
					}
					highest = *p.Version
					if got, want := described(p), fmt.Sprintf("v%[1]d: bad %[1]d", highest); got != want {
						t.Errorf("%s: published %q, want %q", uri, got, want)
					}
				}
				end := all[len(all)-1]
				if want == 0 && (end.Version != nil || len(end.Diagnostics) > 0) || want != 0 && (end.Version == nil || *end.Version != want) {
					t.Errorf("%s: the last publish is %q, the document is at %d", uri, described(end), want)
				}
			}
			if err := e.Shutdown(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Over the limit the most severe findings are kept, in their order.
func TestMostSevere(t *testing.T) {
	for _, c := range []struct {
		all        string // severities; a later letter is less severe
		limit      int
		kept, left string
	}{
		{"", 3, "", ""},
		{"cba", 3, "cba", ""},
		{"cbac", 3, "cba", "c"},
		{"ccccab", 3, "cab", "ccc"},
		{"abababab", 4, "aaaa", "bbbb"},
		{"bbbaaa", 2, "aa", "bbba"},
	} {
		kept, left := mostSevere([]rune(c.all), c.limit, func(r rune) int { return int(r) })
		if string(kept) != c.kept || string(left) != c.left {
			t.Errorf("%s at %d: %q and %q, want %q and %q", c.all, c.limit, string(kept), string(left), c.kept, c.left)
		}
	}
}

// A document with too many findings says how many are not shown.
func TestTooManyDiagnostics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := startInitialized(t, Options{Workspace: analysis.NewWorkspace(&analysis.Options{Rules: []*analysis.Rule{everyLine}}, nil)})
		e.Open(doc, "json", 1, strings.Repeat("[\n", maxPublished+499)+"[")
		all := e.Published(doc, 1).Diagnostics
		if len(all) != maxPublished+1 {
			t.Fatalf("%d diagnostics", len(all))
		}
		last := all[maxPublished]
		if string(last.Code) != `"TP9002"` || last.Severity != 3 || !strings.Contains(last.Message, "500 more") || last.Range.Start.Line != maxPublished {
			t.Errorf("the last says %+v", last)
		}
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
	})
}

// everyLine reports each line.
var everyLine = &analysis.Rule{ID: "TP0001", Severity: analysis.Warning, Document: func(p *analysis.Pass) {
	for i := range p.Doc.Text.Lines() {
		p.ReportAt(p.Doc.Text.LineStart(i), p.Doc.Text.LineEnd(i), "a line")
	}
}}

// Offsets become the positions that package text gives them one by one, in any order.
func TestConverter(t *testing.T) {
	lines := text.New([]byte("aé𐐀b\r\nsecond \xff line\n\n𐐀𐐀"))
	for _, encoding := range []text.Encoding{text.UTF8, text.UTF16, text.UTF32} {
		rnd := rand.New(rand.NewPCG(1, 1))
		c := &converter{text: lines, encoding: encoding}
		for range 2000 {
			start := rnd.IntN(lines.Len()+3) - 1
			end := start + rnd.IntN(8)
			got := c.span(start, end)
			a, b := lines.Pos(start, encoding), lines.Pos(end, encoding)
			want := protocol.Range{
				Start: protocol.Position{Line: uint32(a.Line), Character: uint32(a.Column)},
				End:   protocol.Position{Line: uint32(b.Line), Character: uint32(b.Column)},
			}
			if got != want {
				t.Fatalf("[%d,%d) became %+v, want %+v", start, end, got, want)
			}
		}
	}
}
