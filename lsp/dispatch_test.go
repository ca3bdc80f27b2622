package lsp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf16"

	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/lsp/lsptest"
)

// The hazards are what go.lsp.dev/jsonrpc2 and go.lsp.dev/protocol v1.0.1 do in their
// default wiring, and what must not happen here. An upgrade of the libraries is proved
// by these tests.

// Hazard 1: messages are released at once, so edits overtake each other.
func TestHazard01EditsStayInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := startInitialized(t, Options{})
		rnd := rand.New(rand.NewPCG(1, 2))
		reference := utf16.Encode([]rune("first\nsecond 𐐀 line\n"))
		e.Open(doc, "json", 0, string(utf16.Decode(reference)))

		const n = 20_000
		words := []string{"x", "é", "𐐀", "\n", "", "ab"}
		asked := map[int]int{} // request → changes before it
		for i := 1; i <= n; i++ {
			from, to := span(rnd, reference)
			word := words[rnd.IntN(len(words))]
			e.Change(doc, i, lsptest.Change{
				Range: &lsptest.Range{Start: posUTF16(reference, from), End: posUTF16(reference, to)},
				Text:  word,
			})
			tail := append(utf16.Encode([]rune(word)), reference[to:]...)
			reference = append(reference[:from:from], tail...)
			if len(reference) > 300 {
				reference = nil
				e.Change(doc, i, lsptest.Change{Text: ""})
			}
			if i%97 == 0 {
				asked[e.Go("test/text", textParams{doc})] = i
			}
		}
		wantText(t, e, doc, string(utf16.Decode(reference)))
		inversions := 0
		for id, before := range asked {
			raw, err := e.Await(id)
			if err != nil {
				t.Fatal(err)
			}
			if r, _ := toText(t, raw); int(r.Version) != before {
				inversions++
			}
		}
		if inversions > 0 {
			t.Errorf("%d of %d queries saw other edits than those sent before them", inversions, len(asked))
		}
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
	})
}

// span returns a short span that splits no surrogate pair.
func span(rnd *rand.Rand, text []uint16) (from, to int) {
	from = rnd.IntN(len(text) + 1)
	to = min(len(text), from+rnd.IntN(3))
	low := func(i int) bool { return i < len(text) && text[i] >= 0xDC00 && text[i] < 0xE000 }
	if low(from) {
		from--
	}
	if low(to) {
		to++
	}
	return from, to
}

func posUTF16(text []uint16, offset int) (p lsptest.Pos) {
	for _, unit := range text[:offset] {
		p.Character++
		if unit == '\n' {
			p = lsptest.Pos{Line: p.Line + 1}
		}
	}
	return p
}

// badNotifications are unknown, malformed or out of place.
var badNotifications = []string{
	`{"jsonrpc":"2.0","method":"$/unheardOf","params":{}}`,
	`{"jsonrpc":"2.0","method":"textDocument/unheardOf","params":{}}`,
	`{"jsonrpc":"2.0","method":"unheardOf"}`,
	`{"jsonrpc":"2.0","method":""}`,
	`{"jsonrpc":"2.0","method":"textDocument/didOpen"}`,
	`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":null}`,
	`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":[]}`,
	`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":7}`,
	`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{}}`,
	`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"","languageId":"json","version":1,"text":""}}}`,
	`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///v.json","languageId":"json","version":99999999999,"text":""}}}`,
	`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///not-open.json","version":1},"contentChanges":[{"text":""}]}}`,
	`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":7}}}`,
	`{"jsonrpc":"2.0","method":"textDocument/didClose","params":{"textDocument":{"uri":"file:///not-open.json"}}}`,
	`{"jsonrpc":"2.0","method":"textDocument/didSave","params":{"textDocument":{"uri":"file:///not-open.json"}}}`,
	`{"jsonrpc":"2.0","method":"textDocument/didSave","params":{"textDocument":{"uri":"::::"}}}`,
	`{"jsonrpc":"2.0","method":"workspace/didChangeWatchedFiles","params":{"changes":[{"uri":7,"type":"x"}]}}`,
	`{"jsonrpc":"2.0","method":"workspace/didChangeConfiguration","params":{"settings":"x"}}`,
	`{"jsonrpc":"2.0","method":"workspace/didChangeWorkspaceFolders","params":{"event":7}}`,
	`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":{}}}`,
	`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":12345}}`,
	`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1.5}}`,
	`{"jsonrpc":"2.0","method":"$/setTrace","params":{"value":7}}`,
	`{"jsonrpc":"2.0","method":"initialize","params":{}}`,
	`{"jsonrpc":"2.0","method":"shutdown"}`,
	`{"jsonrpc":"2.0","method":"test/text","params":{}}`,
}

// Hazard 2: an error returned for a notification closes the connection.
func TestHazard02NotificationsDoNotEndTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := startInitialized(t, Options{})
		e.Open(doc, "json", 1, "kept")
		for _, body := range badNotifications {
			if err := e.SendBody(body); err != nil {
				t.Fatalf("%v after %s", err, body)
			}
		}
		wantText(t, e, doc, "kept")
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
	})
}

// Hazard 3: a panic in a handler closes the connection.
func TestHazard03PanicsDoNotEndTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var count atomic.Int32
		log := &logged{}
		e := startInitialized(t, Options{
			Logger: log.logger(),
			OnBug:  func(string, any) { count.Add(1) },
			extra: []route{
				{"test/panicQuery", query(func(context.Context, *session, *analysis.Snapshot, *none) (*none, error) { panic("one") })},
				{"test/panicRequest", request(func(context.Context, *session, *none) (*none, error) { panic("two") })},
				{"test/panicNotification", notification(func(context.Context, *session, *none) error { panic("three") })},
				{"test/panicNil", query(func(_ context.Context, _ *session, _ *analysis.Snapshot, p *none) (int, error) {
					var m map[string]int
					m["x"] = 1
					return 0, nil
				})},
			},
			check: func(_ context.Context, snap *analysis.Snapshot, _ string) []protocol.Diagnostic { panic("four") },
		})
		for range 3 {
			for _, method := range []string{"test/panicQuery", "test/panicRequest", "test/panicNil"} {
				_, err := e.Call(method, nil)
				wantCode(t, err, -32603)
			}
			e.Notify("test/panicNotification", nil)
		}
		e.Open(doc, "json", 1, "text")
		if got := e.Published(doc, 1).Diagnostics; len(got) != 1 || got[0].Severity != 3 {
			t.Errorf("a check that panics published %+v, want one information", got)
		}
		wantText(t, e, doc, "text")
		if count.Load() != 13 {
			t.Errorf("%d panics were counted, want 13", count.Load())
		}
		if n := strings.Count(log.String(), "stack="); n != 5 {
			t.Errorf("%d stacks were logged, want one for each of the 5 places", n)
		}
		if !strings.Contains(log.String(), "dispatch_test.go") {
			t.Error("the log does not name the line that panicked")
		}
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
	})
}

// blocked is a query that waits for its context to be done.
func blocked(begun, ended *atomic.Int32) route {
	return route{"test/block", query(func(ctx context.Context, _ *session, _ *analysis.Snapshot, _ *none) (*none, error) {
		begun.Add(1)
		defer ended.Add(1)
		<-ctx.Done()
		return nil, ctx.Err()
	})}
}

// Hazard 4: the context's error is answered with code 0.
func TestHazard04CancelledRequestsSaySo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var begun, ended atomic.Int32
		e := startInitialized(t, Options{extra: []route{
			blocked(&begun, &ended),
			{"test/deadline", query(func(context.Context, *session, *analysis.Snapshot, *none) (*none, error) {
				return nil, fmt.Errorf("too slow: %w", context.DeadlineExceeded)
			})},
			{"test/plain", query(func(context.Context, *session, *analysis.Snapshot, *none) (*none, error) {
				return nil, errors.New("no such step")
			})},
		}})
		id := e.Go("test/block", nil)
		e.Notify("$/cancelRequest", map[string]any{"id": id})
		_, err := e.Await(id)
		wantCode(t, err, -32800)
		_, err = e.Call("test/deadline", nil)
		wantCode(t, err, -32800)
		_, err = e.Call("test/plain", nil)
		wantCode(t, err, -32803)
		if err == nil || !strings.Contains(err.Error(), "no such step") {
			t.Errorf("the error's text is lost: %v", err)
		}
		if err := e.SendBody(`{"jsonrpc":"2.0","id":"text id","method":"test/block"}`); err != nil {
			t.Fatal(err)
		}
		e.Notify("$/cancelRequest", map[string]any{"id": "text id"})
		f := e.Until("the answer", func(f lsptest.Frame) bool { return string(f.ID) == `"text id"` })
		if f.Error == nil || f.Error.Code != -32800 {
			t.Errorf("a request with a text id was answered %+v", f.Message)
		}
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
	})
}

// Hazard 5: closing the connection inside of a handler never returns.
func TestHazard05ExitEndsTheServer(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(e *lsptest.Editor) error
		want error
	}{
		{"shutdown and exit", (*lsptest.Editor).Shutdown, nil},
		{"exit alone", func(e *lsptest.Editor) error { e.Notify("exit", nil); return e.Wait() }, ErrNoShutdown},
		{"exit twice", func(e *lsptest.Editor) error {
			_ = e.SendBody(`{"jsonrpc":"2.0","method":"exit"}`)
			_ = e.SendBody(`{"jsonrpc":"2.0","method":"exit"}`)
			return e.Wait()
		}, ErrNoShutdown},
		{"end of input", (*lsptest.Editor).Close, ErrDisconnected},
		{"end of input after shutdown", func(e *lsptest.Editor) error { _, _ = e.Call("shutdown", nil); return e.Close() }, ErrDisconnected},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := startInitialized(t, Options{})
				if err := c.end(e); !errors.Is(err, c.want) {
					t.Errorf("Serve returned %v, want %v", err, c.want)
				}
			})
		})
	}
}

// stuckStream is a stream whose Read and Write do not end when it is closed, as those
// of os.Stdin may not.
type stuckStream struct {
	io.ReadWriteCloser
	release chan struct{}
}

func (s stuckStream) Read(p []byte) (int, error) {
	n, err := s.ReadWriteCloser.Read(p)
	if err != nil {
		<-s.release
	}
	return n, err
}

// Hazard 6: closing the connection waits for a read that cannot be interrupted.
func TestHazard06ExitDoesNotWaitForTheReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		served := make(chan error, 1)
		e := lsptest.Start(t, func(ctx context.Context, rwc io.ReadWriteCloser) error {
			err := Serve(ctx, stuckStream{rwc, release}, Options{})
			served <- err
			close(release)
			return err
		})
		e.Initialize(nil)
		begun := time.Now()
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
		if d := time.Since(begun); d > goodbye {
			t.Errorf("the end took %v", d)
		}
	})
}

// bigRoute answers inline with 1 MB.
var bigRoute = route{"test/big", request(func(context.Context, *session, *none) (string, error) {
	return strings.Repeat("x", 1<<20), nil
})}

// Hazard 7: an inline answer that does not fit the pipe waits for the client to read,
// while the client waits for the server to read. The stream here holds nothing at all.
func TestHazard07ClientMayWriteBeforeItReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := startInitialized(t, Options{extra: []route{bigRoute}})
		e.Pause()
		var ids []int
		for range 20 {
			ids = append(ids, e.Go("test/big", nil))
		}
		e.Open(doc, "json", 1, "opened while nobody reads")
		e.Resume()
		for _, id := range ids {
			raw, err := e.Await(id)
			if err != nil || len(raw) != 1<<20+2 {
				t.Fatalf("%d bytes, %v", len(raw), err)
			}
		}
		wantText(t, e, doc, "opened while nobody reads")
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
	})
}

// Hazard 8: a request to the client from an inline handler waits for ever.
func TestHazard08ClientThatNeverAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &logged{}
		e := start(t, Options{Logger: log.logger()})
		e.Answer = func(string, json.RawMessage) (any, bool) { return nil, false }
		e.Initialize(map[string]any{"capabilities": map[string]any{
			"window": map[string]any{"workDoneProgress": true},
			"workspace": map[string]any{
				"configuration":         true,
				"didChangeWatchedFiles": map[string]any{"dynamicRegistration": true},
			},
		}})
		before := time.Now()
		e.Open(doc, "json", 1, "text")
		for range 10 {
			e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
		}
		wantText(t, e, doc, "text")
		if d := time.Since(before); d > 0 {
			t.Errorf("the answer took %v", d)
		}
		for _, method := range []string{"client/registerCapability", "workspace/configuration"} {
			e.Until(method, func(f lsptest.Frame) bool { return f.Method == method })
		}
		time.Sleep(10 * answerTime)
		if n := len(e.Received("workspace/configuration")); n > 2 {
			t.Errorf("the configuration was asked for %d times: requests are not coalesced", n)
		}
		if !strings.Contains(log.String(), "did not do as asked") {
			t.Error("the log does not tell of requests that the client did not answer")
		}
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
	})
}

// Hazard 9: the end of the input does not cancel what runs.
func TestHazard09EndOfInputCancelsQueries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var begun, ended atomic.Int32
		e := startInitialized(t, Options{extra: []route{blocked(&begun, &ended)}})
		e.Go("test/block", nil)
		synctest.Wait()
		before := time.Now()
		if err := e.Close(); !errors.Is(err, ErrDisconnected) {
			t.Errorf("Serve returned %v", err)
		}
		if begun.Load() != 1 || ended.Load() != 1 {
			t.Errorf("%d queries begun, %d ended", begun.Load(), ended.Load())
		}
		if d := time.Since(before); d > 0 {
			t.Errorf("the end took %v", d)
		}
	})
}

// Hazard 10: blocked queries pile up goroutines and starve what comes after them.
func TestHazard10QueriesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most, begun atomic.Int32
		e := startInitialized(t, Options{extra: []route{{"test/block", query(
			func(ctx context.Context, _ *session, _ *analysis.Snapshot, _ *none) (*none, error) {
				begun.Add(1)
				most.Store(max(most.Load(), running.Add(1)))
				defer running.Add(-1)
				<-ctx.Done()
				return nil, ctx.Err()
			})}}})
		e.Open(doc, "json", 1, "a")
		before := runtime.NumGoroutine()
		var ids []int
		for range maxWaiting + 500 {
			ids = append(ids, e.Go("test/block", nil))
		}
		synctest.Wait()
		if n := runtime.NumGoroutine() - before; n > maxWaiting+20 {
			t.Errorf("%d goroutines for %d waiting queries", n, maxWaiting)
		}
		e.Change(doc, 2, lsptest.Change{Text: "b"})
		e.Published(doc, 2)
		for _, id := range ids {
			e.Notify("$/cancelRequest", map[string]any{"id": id})
		}
		codes := map[int]int{}
		synctest.Wait()
		for _, f := range e.Frames() {
			if f.Error != nil {
				codes[f.Error.Code]++
			}
		}
		if codes[-32800] != maxWaiting || codes[-32803] != 500 {
			t.Errorf("answers by code: %v, want %d cancelled and 500 refused", codes, maxWaiting)
		}
		if int(most.Load()) > 2*runtime.GOMAXPROCS(0) {
			t.Errorf("%d queries ran at a time", most.Load())
		}
		wantText(t, e, doc, "b")
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
	})
}

// Hazard 11: requests are dispatched before initialize and after shutdown.
func TestHazard11LifecycleIsEnforced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, Options{})
		for _, method := range []string{"test/text", "shutdown", "unheardOf", "textDocument/hover"} {
			_, err := e.Call(method, textParams{doc})
			wantCode(t, err, -32002)
		}
		e.Open(doc, "json", 1, "too early")
		e.Initialize(nil)
		if got, ok := textOf(t, e, doc); ok {
			t.Errorf("a document opened before initialize is known: %+v", got)
		}
		_, err := e.Call("initialize", map[string]any{"capabilities": map[string]any{}})
		wantCode(t, err, -32600)
		if _, err := e.Call("shutdown", nil); err != nil {
			t.Error(err)
		}
		for _, method := range []string{"test/text", "shutdown", "initialize", "unheardOf"} {
			_, err := e.Call(method, textParams{doc})
			wantCode(t, err, -32600)
		}
		e.Open(doc, "json", 1, "too late")
		e.Notify("exit", nil)
		if err := e.Wait(); err != nil {
			t.Error(err)
		}
		if all := e.Publishes(doc); len(all) > 0 {
			t.Errorf("published for a session that was not open: %+v", all)
		}
	})
}

// badRanges are ranges that a change must not be applied with.
var badRanges = []string{
	`null`, `{}`, `[]`, `7`, `"x"`,
	`{"start":{"line":-1,"character":0},"end":{"line":0,"character":0}}`,
	`{"start":{"line":0,"character":-1},"end":{"line":0,"character":0}}`,
	`{"start":{"line":0,"character":0},"end":{"line":4294967296,"character":0}}`,
	`{"start":{"line":0,"character":0},"end":{"line":2147483648,"character":0}}`,
	`{"start":{"line":0,"character":0},"end":{"line":0,"character":1.5}}`,
	`{"start":{"line":0,"character":0},"end":{"line":"0","character":0}}`,
	`{"start":{"line":0,"character":0}}`,
	`{"start":{"line":0,"character":0},"end":null}`,
	`{"start":{"line":0},"end":{"line":0,"character":0}}`,
	`{"start":{"line":0,"character":null},"end":{"line":0,"character":0}}`,
}

func changeBody(version int, changes string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":%q,"version":%d},"contentChanges":[%s]}}`, doc, version, changes)
}

// Hazards 12 and 13: a change whose range cannot be read replaces the whole document, or
// is made at its start.
func TestHazard12UnreadableRangeIsNotApplied(t *testing.T) {
	for _, r := range badRanges[5:] {
		testBadRange(t, r)
	}
}

func TestHazard13EmptyRangeIsNotApplied(t *testing.T) {
	for _, r := range badRanges[:5] {
		testBadRange(t, r)
	}
}

func testBadRange(t *testing.T, bad string) {
	t.Run(bad, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			e := startInitialized(t, Options{check: checkWords})
			e.Open(doc, "json", 1, "bad text")
			e.Published(doc, 1)
			send := func(version int, changes string) {
				t.Helper()
				if err := e.SendBody(changeBody(version, changes)); err != nil {
					t.Fatal(err)
				}
			}
			send(2, `{"range":`+bad+`,"text":"X"}`)
			if got, ok := textOf(t, e, doc); ok {
				t.Errorf("a document out of sync is still known: %+v", got)
			}
			send(3, `{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"text":"Y"}`)
			send(4, `{"range":`+bad+`,"text":"Z"}`)
			if got, ok := textOf(t, e, doc); ok {
				t.Errorf("a document out of sync is known again: %+v", got)
			}
			synctest.Wait()
			if all := e.Publishes(doc); len(all) != 2 || len(all[1].Diagnostics) != 0 {
				t.Errorf("published %+v, want the last to be empty", all)
			}
			if n := len(e.Received("window/showMessage")); n != 1 {
				t.Errorf("the user was told %d times, want once", n)
			}
			// The whole text ends it, with a change after it and unreadable ones before.
			send(5, `{"range":`+bad+`,"text":"Z"},{"text":"bad again"},{"range":{"start":{"line":0,"character":3},"end":{"line":0,"character":9}},"text":"!"}`)
			wantText(t, e, doc, "bad!")
			if got := described(e.Published(doc, 5)); got != "v5: bad!" {
				t.Errorf("published %q", got)
			}
			if err := e.Shutdown(); err != nil {
				t.Error(err)
			}
		})
	})
}

// heapAfter returns the live heap in bytes.
func heapAfter() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// noCheck finds nothing and holds nothing.
func noCheck(context.Context, *analysis.Snapshot, string) []protocol.Diagnostic { return nil }

// openBody is a didOpen whose text has n bytes.
func openBody(uri string, n int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":%q,"languageId":"json","version":1,"text":"%s"}}}`,
		uri, strings.Repeat("x", n))
}

// Hazard 14: what is kept of a message holds the whole message in memory.
func TestHazard14SmallStringsDoNotHoldLargeMessages(t *testing.T) {
	e := startInitialized(t, Options{check: noCheck})
	const size = 4 << 20
	before := heapAfter()
	for i := range 4 {
		uri := fmt.Sprintf("file:///work/%d.path.json", i)
		if err := e.SendBody(openBody(uri, size)); err != nil {
			t.Fatal(err)
		}
		e.Change(uri, 2, lsptest.Change{Text: "small"})
		wantText(t, e, uri, "small")
		e.Published(uri, 2)
	}
	if grown := int64(heapAfter()) - int64(before); grown > size/2 {
		t.Errorf("4 documents of 5 bytes hold %d MB", grown>>20)
	}
	if err := e.Shutdown(); err != nil {
		t.Error(err)
	}
}

// Hazard 15: the buffer of the largest message is kept, and memory is taken for what a
// header announces.
func TestHazard15FrameBuffersAreBoundedAndFreed(t *testing.T) {
	t.Run("freed", func(t *testing.T) {
		e := startInitialized(t, Options{check: noCheck})
		const size = 16 << 20
		before := heapAfter()
		if err := e.SendBody(openBody(doc, size)); err != nil {
			t.Fatal(err)
		}
		e.CloseDocument(doc)
		if _, known := textOf(t, e, doc); known {
			t.Error("the document is still known")
		}
		if grown := int64(heapAfter()) - int64(before); grown > size/4 {
			t.Errorf("after a message of %d MB, %d MB are kept", size>>20, grown>>20)
		}
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
	})
	t.Run("announced", func(t *testing.T) {
		var m1, m2 runtime.MemStats
		runtime.ReadMemStats(&m1)
		header := fmt.Sprintf("Content-Length: %d\r\n\r\n{", defaultMaxFrame)
		_, err := (&endpoint{maxFrame: defaultMaxFrame}).readFrame(bufio.NewReader(strings.NewReader(header)))
		runtime.ReadMemStats(&m2)
		if err != io.ErrUnexpectedEOF {
			t.Errorf("readFrame: %v", err)
		}
		if n := m2.TotalAlloc - m1.TotalAlloc; n > 1<<20 {
			t.Errorf("%d bytes were allocated for one that came", n)
		}
	})
	t.Run("refused", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			log := &logged{}
			e := startInitialized(t, Options{Logger: log.logger()})
			if err := e.SendRaw([]byte("Content-Length: 1000000000\r\n\r\n")); err != nil {
				t.Fatal(err)
			}
			if err := e.Wait(); !errors.Is(err, errTooLarge) {
				t.Errorf("Serve returned %v", err)
			}
			if !strings.Contains(log.String(), "larger than the limit") {
				t.Error("the log does not say why the session ended")
			}
		})
	})
}

// Hazard 16: the library's tracing stream deadlocks on an error that the client answers,
// and misses frames.
func TestHazard16TraceHoldsEveryFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trace := &logged{}
		e := start(t, Options{Trace: trace, check: checkWords})
		e.Answer = func(string, json.RawMessage) (any, bool) { return nil, false }
		e.Initialize(map[string]any{"capabilities": map[string]any{"workspace": map[string]any{"configuration": true}}})
		asked := e.Until("a request", func(f lsptest.Frame) bool { return f.Method == "workspace/configuration" })
		if err := e.SendBody(`{"jsonrpc":"2.0","id":` + string(asked.ID) + `,"error":{"code":-32601,"message":"no"}}`); err != nil {
			t.Fatal(err)
		}
		if err := e.SendBody("{\n \"jsonrpc\": \"2.0\",\n \"method\": \"$/spread\"}"); err != nil {
			t.Fatal(err)
		}
		if err := e.SendBody("no JSON \xff"); err != nil {
			t.Fatal(err)
		}
		e.Open(doc, "json", 1, "bad")
		e.Published(doc, 1)
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
		in, out := 0, 0
		for line := range strings.Lines(trace.String()) {
			var r struct {
				Time  time.Time
				Dir   string
				Frame json.RawMessage
				Text  string
			}
			if err := json.Unmarshal([]byte(line), &r); err != nil || r.Time.IsZero() || (r.Frame == nil) == (r.Text == "") {
				t.Errorf("%v in the trace's line %s", err, line)
			}
			switch r.Dir {
			case "in":
				in++
			case "out":
				out++
			}
		}
		sent, received := 3, 0 // three bodies were sent raw
		for _, f := range e.Frames() {
			if f.Out {
				sent++
			} else {
				received++
			}
		}
		if in != sent || out != received {
			t.Errorf("the trace has %d and %d frames, the editor sent %d and got %d", in, out, sent, received)
		}
	})
}

// Hazard 17: request contexts are pooled and must not outlive the handler.
func TestHazard17ContextsAreNotReused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var kept []context.Context
		keep := func(ctx context.Context) {
			mu.Lock()
			defer mu.Unlock()
			kept = append(kept, ctx)
		}
		e := startInitialized(t, Options{extra: []route{
			{"test/keepQuery", query(func(ctx context.Context, _ *session, _ *analysis.Snapshot, _ *none) (*none, error) {
				keep(ctx)
				return nil, nil
			})},
			{"test/keepRequest", request(func(ctx context.Context, _ *session, _ *none) (*none, error) { keep(ctx); return nil, nil })},
		}})
		for range 100 {
			for _, method := range []string{"test/keepQuery", "test/keepRequest"} {
				if _, err := e.Call(method, nil); err != nil {
					t.Fatal(err)
				}
			}
		}
		synctest.Wait()
		mu.Lock()
		for i, ctx := range kept {
			if done := ctx.Err() != nil; done != (i%2 == 0) {
				t.Fatalf("context %d of an ended request: Err is %v", i, ctx.Err())
			}
		}
		mu.Unlock()
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
		for i, ctx := range kept {
			if ctx.Err() == nil {
				t.Fatalf("context %d outlives the session", i)
			}
		}
	})
}

// Hazard 18: an unknown request without params is answered with ParseError.
func TestHazard18UnknownRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := startInitialized(t, Options{})
		for _, params := range []any{nil, map[string]any{}, []int{1}} {
			for _, method := range []string{"unheardOf", "textDocument/unheardOf", "$/unheardOf"} {
				_, err := e.Call(method, params)
				wantCode(t, err, -32601)
			}
		}
		for _, method := range []string{"textDocument/didOpen", "exit", "textDocument/willSave"} {
			_, err := e.Call(method, nil)
			wantCode(t, err, -32600)
		}
		for _, params := range []any{nil, 7, []int{}, map[string]any{"uri": 7}} {
			_, err := e.Call("test/text", params)
			wantCode(t, err, -32602)
		}
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
	})
}

// Hazard 19: a frame that holds no message ends the connection.
func TestHazard19MalformedFrames(t *testing.T) {
	for _, c := range []struct {
		body string
		code int // of the answer; 0 means none
	}{
		{`{`, -32700},
		{`no JSON`, -32700},
		{` `, -32700},
		{`null`, -32700},
		{`"text"`, -32700},
		{"{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\x00", -32700},
		{strings.Repeat("[", 100_000), -32600},
		{`{"a":` + strings.Repeat("[", 100_000), -32700},
		{`[]`, -32600},
		{`[1,2]`, -32700},
		{`{}`, 0},
		{`{"jsonrpc":"2.0"}`, 0},
		{`{"jsonrpc":"2.0","id":1}`, 0},
		{`{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":""}}`, 0},
		{`{"jsonrpc":"2.0","id":77,"result":"never asked"}`, 0},
		{`{"jsonrpc":"2.0","id":1.5,"method":"test/text"}`, -32600},
		{`{"jsonrpc":"2.0","id":{},"method":"test/text"}`, -32600},
		{`{"jsonrpc":"1.0","id":1,"method":"test/text"}`, -32600},
		{`{"id":1,"method":"test/text"}`, -32600},
		{`{"jsonrpc":"2.0","id":1,"method":7}`, -32600},
	} {
		t.Run(clip([]byte(c.body), 40), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := startInitialized(t, Options{})
				if err := e.SendBody(c.body); err != nil {
					t.Fatal(err)
				}
				if c.code != 0 {
					f := e.Until("an answer", func(f lsptest.Frame) bool { return !f.Out && f.Error != nil })
					if f.Error.Code != c.code || string(f.ID) != "null" {
						t.Errorf("answered %s %v, want id null and code %d", f.ID, f.Error, c.code)
					}
				}
				e.Open(doc, "json", 1, "alive")
				wantText(t, e, doc, "alive")
				if err := e.Shutdown(); err != nil {
					t.Error(err)
				}
				for _, f := range e.Frames() {
					if c.code == 0 && !f.Out && f.Error != nil {
						t.Errorf("an answer was answered: %+v", f.Message)
					}
				}
			})
		})
	}
	for _, header := range []string{
		"Content-Length: x\r\n\r\n", "Content-Length: -1\r\n\r\n", "Content-Length: 99999999999999999999\r\n\r\n",
		"Content-Type: x\r\n\r\n", "\r\n\r\n", "nonsense\r\n\r\n", strings.Repeat("x", maxHeader+1),
		strings.Repeat("a: b\r\n", maxHeader),
	} {
		t.Run("header "+clip([]byte(header), 30), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := &logged{}
				e := startInitialized(t, Options{Logger: log.logger()})
				_ = e.SendRaw([]byte(header))
				if err := e.Wait(); !errors.Is(err, errFraming) && !errors.Is(err, errTooLarge) {
					t.Errorf("Serve returned %v", err)
				}
				if !strings.Contains(log.String(), "no further message can be read") {
					t.Error("the log does not say why the session ended")
				}
			})
		})
	}
}

// Hazard 20: URIs are canonicalized, and clients match the spelling.
func TestHazard20ClientsSpellingIsRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := startInitialized(t, Options{check: checkWords})
		for _, c := range []struct{ spelling, other, key string }{
			{"file:///C:/work/a@b.path.json", "file:///c%3A/work/a%40b.path.json", "file:///c%3A/work/a%40b.path.json"},
			{"file:///work/app/(auth)/x.path.json", "file:///work/app/%28auth%29/x.path.json", "file:///work/app/%28auth%29/x.path.json"},
			{"file:///work/a%20b.path.json", "file:///work/a b.path.json", "file:///work/a%20b.path.json"},
			{"file:///work/%C3%A9.path.json", "file:///work/é.path.json", "file:///work/%C3%A9.path.json"},
		} {
			e.Open(c.spelling, "json", 1, "bad 1")
			e.Published(c.spelling, 1)
			e.Change(c.other, 2, lsptest.Change{Text: "bad 2"})
			if got := described(e.Published(c.spelling, 2)); got != "v2: bad 2" {
				t.Errorf("%s: published %q", c.spelling, got)
			}
			wantText(t, e, c.key, "bad 2")
			e.CloseDocument(c.other)
			synctest.Wait()
			if all := e.Publishes(c.spelling); len(all) != 3 || len(all[2].Diagnostics) != 0 {
				t.Errorf("%s: published %+v, want an empty set at last", c.spelling, all)
			}
		}
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
	})
}

// Hazard 21: a URI that names no file has a path nevertheless.
func TestHazard21OnlyFileURIsHavePaths(t *testing.T) {
	for _, c := range []struct{ spelling, path string }{
		{"file:///work/a.path.json", "/work/a.path.json"},
		{"file:///work/a%20b%25.path.json", "/work/a b%.path.json"},
		{"untitled:Untitled-1", ""},
		{"vscode-notebook-cell:/work/n.ipynb#X1", ""},
		{"git:/work/a.path.json?%7B%22ref%22%3A%22HEAD%22%7D", ""},
		{"https://example.org/a.path.json", ""},
	} {
		key, err := canonical(c.spelling)
		if err != nil {
			t.Errorf("%s: %v", c.spelling, err)
			continue
		}
		if path, ok := filePath(key); path != c.path || ok != (c.path != "") {
			t.Errorf("%s has the path %q, %v, want %q", c.spelling, path, ok, c.path)
		}
	}
	for _, bad := range []string{"", "  ", "\n"} {
		if key, err := canonical(bad); err == nil {
			t.Errorf("%q has the key %q, want an error", bad, key)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		e := startInitialized(t, Options{check: checkWords})
		e.Open("untitled:Untitled-1", "json", 1, "bad")
		if got := described(e.Published("untitled:Untitled-1", 1)); got != "v1: bad" {
			t.Errorf("published %q", got)
		}
		e.Notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": "untitled:Untitled-1"}})
		e.CloseDocument("untitled:Untitled-1")
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
	})
}

// Hazard 22: the zero Diagnostic is sent with a null message.
func TestHazard22DiagnosticsAreComplete(t *testing.T) {
	for _, c := range []struct{ code, message, want string }{
		{"TP1001", "m", `{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"severity":1,"code":"TP1001","source":"toolpath","message":"m"}`},
		{"", "", `{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"severity":1,"source":"toolpath","message":""}`},
	} {
		raw, err := codec{}.Marshal(newDiagnostic(protocol.Range{}, protocol.DiagnosticSeverityError, c.code, c.message))
		if err != nil {
			t.Fatal(err)
		}
		wantJSON(t, raw, c.want)
	}
	raw, err := codec{}.Marshal(&protocol.PublishDiagnosticsParams{URI: "file:///a"})
	if err != nil {
		t.Fatal(err)
	}
	wantJSON(t, raw, `{"uri":"file:///a","diagnostics":[]}`)
}

func wantJSON(t *testing.T, got []byte, want string) {
	t.Helper()
	var a, b any
	if err := errors.Join(json.Unmarshal(got, &a), json.Unmarshal([]byte(want), &b)); err != nil {
		t.Fatalf("%v in %s", err, got)
	}
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	if !bytes.Equal(x, y) {
		t.Errorf("encoded as %s, want %s", x, y)
	}
}

// Hazard 23: lone surrogates and bytes that are no UTF-8 become U+FFFD, one column wide.
func TestHazard23TextThatIsNoUnicode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := startInitialized(t, Options{})
		for _, c := range []struct{ escaped, want string }{
			{`a\ud800b`, "a\uFFFDb"},
			{`a\udc00b`, "a\uFFFDb"},
			{"a\xffb", "a\uFFFDb"},
			{`a\ud801\udc00b`, "a𐐀b"},
			{`a\u0000b`, "a\x00b"},
		} {
			open := strings.Replace(openBody(doc, 0), `"text":""`, `"text":"`+c.escaped+`"`, 1)
			if err := e.SendBody(open); err != nil {
				t.Fatal(err)
			}
			wantText(t, e, doc, c.want)
			end := len(utf16.Encode([]rune(c.want)))
			e.Change(doc, 2, lsptest.Change{
				Range: &lsptest.Range{Start: lsptest.Pos{Character: end - 1}, End: lsptest.Pos{Character: end}}, Text: "c"})
			wantText(t, e, doc, strings.TrimSuffix(c.want, "b")+"c")
			e.CloseDocument(doc)
		}
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
	})
}

// Hazard 24: the library's union-aware codec is not exported.
func TestHazard24CodecKnowsUnions(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
	}{
		{&protocol.Hover{Contents: &protocol.MarkupContent{Kind: protocol.MarkupKindMarkdown, Value: "**x**"}}, `{"contents":{"kind":"markdown","value":"**x**"}}`},
		{(*protocol.Hover)(nil), `null`},
		{nil, `null`},
		{[]protocol.Location(nil), `[]`},
		{&textResult{1, "x"}, `{"version":1,"text":"x"}`},
	} {
		raw, err := codec{}.Marshal(c.value)
		if err != nil {
			t.Errorf("%+v: %v", c.value, err)
			continue
		}
		wantJSON(t, raw, c.want)
	}
	var p protocol.CancelParams
	if err := (codec{}).Unmarshal([]byte(`{"id":"x"}`), &p); err != nil || p.ID != protocol.String("x") {
		t.Errorf("decoded %+v, %v", p, err)
	}
}

// Hazard 25: options are pointers, and a forgotten one is not sent.
func TestHazard25SyncOptionsAreSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, Options{Version: "1.2.3"})
		var r struct {
			Capabilities struct {
				PositionEncoding string
				TextDocumentSync struct {
					OpenClose *bool
					Change    *int
					Save      json.RawMessage
				}
			}
			ServerInfo struct{ Name, Version string }
		}
		if err := json.Unmarshal(e.Initialize(nil), &r); err != nil {
			t.Fatal(err)
		}
		s := r.Capabilities.TextDocumentSync
		if s.OpenClose == nil || !*s.OpenClose || s.Change == nil || *s.Change != 2 || s.Save == nil {
			t.Errorf("textDocumentSync: %+v", s)
		}
		if r.Capabilities.PositionEncoding != "utf-16" || r.ServerInfo.Version != "1.2.3" {
			t.Errorf("%+v", r)
		}
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
	})
}
