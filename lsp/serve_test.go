package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/rules"
	"github.com/toolpath-ls/toolpath-ls/lsp/lsptest"
)

// Each offer of encodings is answered with one of them, and columns are counted in it.
func TestPositionEncoding(t *testing.T) {
	for _, c := range []struct {
		offer  []string
		want   string
		column int // of the end of "é𐐀"
	}{
		{nil, "utf-16", 3},
		{[]string{}, "utf-16", 3},
		{[]string{"utf-16"}, "utf-16", 3},
		{[]string{"utf-16", "utf-8"}, "utf-8", 6},
		{[]string{"utf-32", "utf-16"}, "utf-32", 2},
		{[]string{"utf-32", "utf-16", "utf-8"}, "utf-8", 6},
		{[]string{"utf-7"}, "utf-16", 3},
	} {
		t.Run(fmt.Sprint(c.offer), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := start(t, Options{})
				raw := e.Initialize(map[string]any{"capabilities": map[string]any{
					"general": map[string]any{"positionEncodings": c.offer},
				}})
				var r struct {
					Capabilities struct{ PositionEncoding string }
				}
				if err := json.Unmarshal(raw, &r); err != nil || r.Capabilities.PositionEncoding != c.want {
					t.Errorf("answered %q, %v", r.Capabilities.PositionEncoding, err)
				}
				e.Open(doc, "json", 1, "é𐐀\nsecond")
				at := lsptest.Pos{Character: c.column}
				e.Change(doc, 2, lsptest.Change{Range: &lsptest.Range{Start: at, End: at}, Text: "!"})
				wantText(t, e, doc, "é𐐀!\nsecond")
				if err := e.Shutdown(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// Positions outside of the text are clamped, positions within a character too, and the
// two ends of a range may come in either order.
func TestPositionsAreClamped(t *testing.T) {
	pos := func(line, character int) lsptest.Pos { return lsptest.Pos{Line: line, Character: character} }
	for _, c := range []struct {
		text       string
		start, end lsptest.Pos
		want       string
	}{
		{"ab\ncd", pos(0, 99), pos(0, 99), "ab!\ncd"},
		{"ab\ncd", pos(9, 0), pos(9, 0), "ab\ncd!"},
		{"ab\ncd", pos(1<<31-1, 1<<31-1), pos(1<<31-1, 1<<31-1), "ab\ncd!"},
		{"ab\r\ncd", pos(0, 3), pos(0, 3), "ab!\r\ncd"},
		{"a𐐀b", pos(0, 2), pos(0, 2), "a!𐐀b"},
		{"ab\ncd", pos(1, 1), pos(0, 1), "a!d"},
		{"", pos(3, 3), pos(5, 5), "!"},
	} {
		synctest.Test(t, func(t *testing.T) {
			e := startInitialized(t, Options{})
			e.Open(doc, "json", 1, c.text)
			e.Change(doc, 2, lsptest.Change{Range: &lsptest.Range{Start: c.start, End: c.end}, Text: "!"})
			wantText(t, e, doc, c.want)
			if err := e.Shutdown(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Whatever the order of open, change, save and close, the session goes on, and a
// document is known exactly while it is open.
func TestEveryOrderOfDocumentNotifications(t *testing.T) {
	send := map[rune]func(e *lsptest.Editor, version int){
		'o': func(e *lsptest.Editor, v int) { e.Open(doc, "json", v, fmt.Sprint("opened ", v)) },
		'c': func(e *lsptest.Editor, v int) { e.Change(doc, v, lsptest.Change{Text: fmt.Sprint("changed ", v)}) },
		's': func(e *lsptest.Editor, v int) {
			e.Notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": doc}})
		},
		'x': func(e *lsptest.Editor, v int) { e.CloseDocument(doc) },
	}
	for _, order := range permutations("oocsx") {
		synctest.Test(t, func(t *testing.T) {
			e := startInitialized(t, Options{})
			want, open := "", false
			for i, step := range order {
				send[step](e, i+1)
				switch {
				case step == 'o':
					want, open = fmt.Sprint("opened ", i+1), true
				case step == 'c' && open:
					want = fmt.Sprint("changed ", i+1)
				case step == 'x':
					open = false
				}
				if got, known := textOf(t, e, doc); known != open || known && got.Text != want {
					t.Errorf("%s: after step %d the text is %q (known: %v), want %q (%v)", order, i+1, got.Text, known, want, open)
				}
			}
			if err := e.Shutdown(); err != nil {
				t.Error(err)
			}
		})
	}
}

// permutations returns the distinct orders of the letters.
func permutations(letters string) (all []string) {
	if letters == "" {
		return []string{""}
	}
	for i, first := range letters {
		if strings.ContainsRune(letters[:i], first) {
			continue
		}
		for _, rest := range permutations(letters[:i] + letters[i+1:]) {
			all = append(all, string(first)+rest)
		}
	}
	return all
}

// A notification may come with a version of null, and versions may not grow.
func TestOddVersions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := startInitialized(t, Options{check: checkWords})
		e.Open(doc, "json", 5, "a")
		if err := e.SendBody(fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":%q,"version":null},"contentChanges":[{"text":"b"}]}}`, doc)); err != nil {
			t.Fatal(err)
		}
		wantText(t, e, doc, "b")
		e.Change(doc, 3, lsptest.Change{Text: "bad"})
		if got := described(e.Published(doc, 3)); got != "v3: bad" {
			t.Errorf("published %q", got)
		}
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
	})
}

// Serve ends when the process that initialize names is gone, and does not watch one that
// cannot be seen.
func TestParentGone(t *testing.T) {
	for _, c := range []struct {
		name  string
		alive func(calls int32) bool
		ends  bool
	}{
		{"dies after five seconds", func(n int32) bool { return n <= 5 }, true},
		{"lives", func(int32) bool { return true }, false},
		{"is not to be seen", func(int32) bool { return false }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var calls atomic.Int32
				e := start(t, Options{alive: func(pid int) bool {
					if pid != 4711 {
						t.Errorf("asked for process %d", pid)
					}
					return c.alive(calls.Add(1))
				}})
				e.Initialize(map[string]any{"processId": 4711})
				time.Sleep(time.Minute)
				if e.Ended() != c.ends {
					t.Errorf("ended: %v after %d looks", e.Ended(), calls.Load())
				}
				if c.ends {
					if err := e.Wait(); !errors.Is(err, ErrParentGone) {
						t.Errorf("Serve returned %v", err)
					}
				} else if err := e.Shutdown(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestProcessAlive(t *testing.T) {
	if !processAlive(os.Getpid()) {
		t.Error("this process is not alive")
	}
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip("no sleep command to start and kill")
	}
	cmd := exec.Command(sleep, "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	if !processAlive(pid) {
		t.Error("a process that was just started is not alive")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if processAlive(pid) {
		t.Error("a process that was waited for is alive")
	}
}

// brokenWriter fails after some bytes.
type brokenWriter struct {
	io.ReadWriteCloser
	left atomic.Int64
}

func (b *brokenWriter) Write(p []byte) (int, error) {
	if b.left.Add(-int64(len(p))) < 0 {
		return 0, errors.New("broken pipe")
	}
	return b.ReadWriteCloser.Write(p)
}

// Serve ends at the first failure to write, with no attempt to write more.
func TestWriteError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := make(chan error, 1)
		e := lsptest.Start(t, func(ctx context.Context, rwc io.ReadWriteCloser) error {
			b := &brokenWriter{ReadWriteCloser: rwc}
			b.left.Store(2000)
			err := Serve(ctx, b, Options{check: checkWords})
			served <- err
			return err
		})
		e.Initialize(nil)
		for i := range 100 {
			if e.SendBody(changeBody(i, "")) != nil {
				break
			}
			_ = e.SendBody(openBody(doc, 10))
			synctest.Wait()
		}
		if err := <-served; !errors.Is(err, ErrDisconnected) || !strings.Contains(err.Error(), "broken pipe") {
			t.Errorf("Serve returned %v", err)
		}
	})
}

// A client that does not read for ever is given up at a bound, without the session's
// memory growing beyond it.
func TestOutboxIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEndpoint(nopStream{make(chan struct{})}, 0, receiver{}, nil, discard)
		e.maxQueue = 1 << 20
		var err error
		body := make([]byte, 64<<10)
		n := 0
		for ; err == nil && n < 100; n++ {
			_, err = e.WriteFrame(t.Context(), body)
		}
		if !errors.Is(err, errNotRead) || n*len(body) > e.maxQueue+2*len(body) {
			t.Errorf("%v after %d KB", err, n*64)
		}
		if !ended(e.broken) {
			t.Error("the session is not told")
		}
		if !e.finish(time.Second) {
			t.Error("a goroutine is left")
		}
	})
}

// nopStream is a stream that blocks until it is closed.
type nopStream struct{ closed chan struct{} }

func (s nopStream) Read([]byte) (int, error)  { <-s.closed; return 0, io.EOF }
func (s nopStream) Write([]byte) (int, error) { <-s.closed; return 0, io.ErrClosedPipe }
func (s nopStream) Close() error              { close(s.closed); return nil }

// A handler that does not heed its context does not keep Serve from returning.
func TestHandlerThatDoesNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		log := &logged{}
		e := startInitialized(t, Options{Logger: log.logger(), extra: []route{
			{"test/stuck", query(func(context.Context, *session, *analysis.Snapshot, *none) (*none, error) { <-release; return nil, nil })},
		}})
		e.Go("test/stuck", nil)
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
		if !strings.Contains(log.String(), "still runs") {
			t.Error("the log does not tell of it")
		}
		close(release)
	})
}

// The context given to Serve ends it.
func TestServeEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		e := lsptest.Start(t, func(_ context.Context, rwc io.ReadWriteCloser) error {
			return Serve(ctx, rwc, Options{})
		})
		e.Initialize(nil)
		cancel()
		if err := e.Wait(); !errors.Is(err, ErrDisconnected) {
			t.Errorf("Serve returned %v", err)
		}
	})
}

// A whole session may be written at once, with the end of input right behind it.
func TestPipedSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, Options{})
		var all strings.Builder
		for _, body := range []string{
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`,
			`{"jsonrpc":"2.0","method":"initialized","params":{}}`,
			`{"jsonrpc":"2.0","id":2,"method":"shutdown"}`,
			`{"jsonrpc":"2.0","method":"exit"}`,
		} {
			fmt.Fprintf(&all, "Content-Length: %d\r\n\r\n%s", len(body), body)
		}
		_ = e.SendRaw([]byte(all.String()))
		if err := e.Close(); err != nil {
			t.Errorf("Serve returned %v", err)
		}
		answers := 0
		for _, f := range e.Frames() {
			if f.Result != nil {
				answers++
			}
		}
		if answers != 2 {
			t.Errorf("%d of 2 requests were answered", answers)
		}
	})
}

// A batch is answered as JSON-RPC 2.0 asks, and its notifications keep their order.
func TestBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := startInitialized(t, Options{})
		open := openBody(doc, 3)
		if err := e.SendBody(`[` + open + `,` + changeBody(2, `{"text":"changed"}`) + `,{"jsonrpc":"2.0","id":"b","method":"test/text","params":{"uri":"` + doc + `"}},7]`); err != nil {
			t.Fatal(err)
		}
		f := e.Until("the answer", func(f lsptest.Frame) bool { return string(f.ID) == `"b"` })
		if got, _ := toText(t, f.Result); got.Text != "changed" {
			t.Errorf("answered %s", f.Result)
		}
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
	})
}

// One odd member does not keep a session from starting.
func TestInitializeIsLenient(t *testing.T) {
	for _, params := range []string{
		`{}`,
		`{"processId":"x","rootUri":7,"rootPath":false,"capabilities":null,"workspaceFolders":{},"trace":1,"initializationOptions":[]}`,
		`{"processId":null,"rootUri":null,"rootPath":null,"capabilities":{"general":{"positionEncodings":7}},"workspaceFolders":null}`,
		`{"capabilities":{"workspace":7,"textDocument":[],"window":"x"},"clientInfo":9}`,
		`{"capabilities":{},"workspaceFolders":[{"uri":"untitled:x","name":"n"},{"uri":"file:///w","name":"w"}]}`,
		`{"capabilities":{},"processId":-5}`,
		`{"capabilities":{},"processId":99999999999}`,
	} {
		synctest.Test(t, func(t *testing.T) {
			e := start(t, Options{alive: func(int) bool { return true }})
			if err := e.SendBody(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":` + params + `}`); err != nil {
				t.Fatal(err)
			}
			f := e.Until("the answer", func(f lsptest.Frame) bool { return string(f.ID) == "0" })
			if f.Error != nil {
				t.Errorf("%s: %v", params, f.Error)
			}
			if err := e.Shutdown(); err != nil {
				t.Error(err)
			}
		})
	}
}

// An idle session does nothing, but for giving memory back once.
func TestIdleSessionIsIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var freed atomic.Int32
		e := startInitialized(t, Options{check: checkWords, free: func() { freed.Add(1) }})
		e.Open(doc, "json", 1, "bad")
		e.Published(doc, 1)
		frames := len(e.Frames())
		time.Sleep(24 * time.Hour)
		if n := len(e.Frames()); n != frames {
			t.Errorf("%d frames came on a quiet day", n-frames)
		}
		if n := freed.Load(); n != 1 {
			t.Errorf("memory was given back %d times on a quiet day", n)
		}
		e.Change(doc, 2, lsptest.Change{Text: "bad"})
		time.Sleep(rest - time.Millisecond)
		if n := freed.Load(); n != 1 {
			t.Errorf("memory was given back %d times before a rest", n)
		}
		time.Sleep(time.Hour)
		if n := freed.Load(); n != 2 {
			t.Errorf("memory was given back %d times after two rests", n)
		}
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
	})
}

// Saving what was not changed has nothing checked, and nothing read.
func TestSavingIsFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var checks atomic.Int32
		l := &fakeLoader{}
		e := startInitialized(t, Options{Loader: l, check: func(context.Context, *analysis.Snapshot, string) []protocol.Diagnostic {
			checks.Add(1)
			return nil
		}})
		e.Open(doc, "json", 1, "{}")
		e.Published(doc, 1)
		synctest.Wait()
		before := l.log.String()
		for range 100 {
			e.Notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": doc}})
			time.Sleep(time.Second)
		}
		if checks.Load() != 1 || l.log.String() != before {
			t.Errorf("%d checks; the loader was asked to\n%s", checks.Load(), l.log.String())
		}
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
	})
}

// What documents need is given back when they are closed (golang/go#72919).
func TestClosedDocumentsHoldNoMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := startInitialized(t, Options{Workspace: analysis.NewWorkspace(&analysis.Options{Rules: rules.All()}, nil)})
		visit := func(i int) {
			uri := fmt.Sprintf("file:///work/%d.path.json", i)
			if err := e.SendBody(openBody(uri, 1)); err != nil {
				t.Fatal(err)
			}
			for v := 2; v < 5; v++ {
				e.Change(uri, v, lsptest.Change{Range: &lsptest.Range{}, Text: strings.Repeat(`[{"a": 1}], `, 500)})
			}
			e.Published(uri, 4)
			e.CloseDocument(uri)
			if _, known := textOf(t, e, uri); known {
				t.Fatal("a closed document is known")
			}
			e.Forget()
		}
		visit(0)
		before := heapAfter()
		for i := range 200 {
			visit(i)
		}
		if after := heapAfter(); after > before+before/10 {
			t.Errorf("200 documents later the heap has %d KB, %d KB before", after>>10, before>>10)
		}
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
	})
}

// The client is told of warnings, the same one at most once a second.
func TestLogReachesTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := startInitialized(t, Options{})
		for range 100 {
			e.CloseDocument("file:///not-open")
		}
		time.Sleep(1100 * time.Millisecond)
		e.CloseDocument("file:///not-open")
		synctest.Wait()
		if n := len(e.Received("window/logMessage")); n != 2 {
			t.Errorf("the client was told %d times, want twice", n)
		}
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
	})
}

// fakeLoader notes what it is asked for and opens the workspace's documents.
type fakeLoader struct {
	log   logged
	grown atomic.Bool
}

func (l *fakeLoader) Load(_ context.Context, _ *analysis.Workspace, from Sources, _ func(done, total int)) error {
	fmt.Fprintf(&l.log, "load %v", from.Folders)
	if from.Live != "" {
		fmt.Fprintf(&l.log, " live %s", from.Live)
	}
	fmt.Fprintln(&l.log)
	return nil
}

func (l *fakeLoader) Grown(from Sources) []string {
	if l.grown.Swap(false) {
		return []string{from.Live + "/track-1.path.jsonl"}
	}
	return nil
}

func (l *fakeLoader) Watched(Sources) map[string]string { return map[string]string{"/cache": "*.json"} }

func (l *fakeLoader) Reload(_ context.Context, _ *analysis.Workspace, _ Sources, paths []string) error {
	fmt.Fprintf(&l.log, "reload %v\n", paths)
	return errors.New("one file could not be read")
}

// Live documents are looked at only while a setting names their folder, and read again when
// they have grown.
func TestLiveDocumentsAreFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &fakeLoader{}
		e := startInitialized(t, Options{Loader: l})
		l.grown.Store(true)
		time.Sleep(time.Minute)
		settings := func(live string) {
			e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"toolpath": map[string]any{"sources": map[string]any{"live": live}}}})
			synctest.Wait()
		}
		settings("/tmp")
		time.Sleep(3 * time.Second)
		settings("")
		l.grown.Store(true)
		time.Sleep(time.Minute)
		settings("not absolute")
		if got := l.log.String(); got != "load []\nload [] live /tmp\nreload [/tmp/track-1.path.jsonl]\nload []\n" {
			t.Errorf("the loader was asked to\n%s", got)
		}
	})
}

// blockingLoader reads until it is stopped.
type blockingLoader struct {
	fakeLoader
	stopped chan error
}

func (l *blockingLoader) Load(ctx context.Context, _ *analysis.Workspace, _ Sources, tell func(done, total int)) error {
	tell(1, 4)
	tell(1, 4)
	<-ctx.Done()
	l.stopped <- ctx.Err()
	return ctx.Err()
}

// The user sees how far the reading of documents is, and can stop it.
func TestLoadingIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &blockingLoader{stopped: make(chan error, 1)}
		e := start(t, Options{Loader: l})
		e.Initialize(map[string]any{"capabilities": map[string]any{"window": map[string]any{"workDoneProgress": true}}})
		e.Notify("initialized", map[string]any{})
		synctest.Wait()
		for _, token := range []any{"no such token", 7, "toolpath-ls/1"} {
			e.Notify("window/workDoneProgress/cancel", map[string]any{"token": token})
		}
		if err := <-l.stopped; err != context.Canceled {
			t.Error(err)
		}
		synctest.Wait()
		var kinds []string
		for _, raw := range e.Received("$/progress") {
			var p struct {
				Value struct {
					Kind        string
					Cancellable bool
					Percentage  int
					Message     string
				}
			}
			if err := json.Unmarshal(raw, &p); err != nil {
				t.Fatal(err)
			}
			kinds = append(kinds, fmt.Sprint(p.Value))
		}
		if want := []string{"{begin true 0 }", "{report false 25 1/4}", "{end false 0 stopped: some documents were not read}"}; !slices.Equal(kinds, want) {
			t.Errorf("progress %q, want %q", kinds, want)
		}
	})
}

// Folders are loaded at the start and when they change; files when they change on disk,
// but for those that are open.
func TestLoader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &fakeLoader{}
		e := start(t, Options{Loader: l})
		e.Initialize(map[string]any{"workspaceFolders": []map[string]any{{"uri": "file:///w1", "name": "w1"}, {"uri": "git:/x", "name": "x"}}})
		synctest.Wait()
		e.Notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{
			"added": []map[string]any{{"uri": "file:///w2", "name": "w2"}}, "removed": []map[string]any{{"uri": "file:///w1", "name": "w1"}}}})
		synctest.Wait()
		e.Open("file:///w2/open.path.json", "json", 1, "")
		e.Notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []map[string]any{
			{"uri": "file:///w2/open.path.json", "type": 2}, {"uri": "file:///w2/closed.path.json", "type": 3}, {"uri": "untitled:x", "type": 1}}})
		synctest.Wait()
		e.CloseDocument("file:///w2/open.path.json")
		synctest.Wait()
		want := "load [/w1]\nload [/w2]\nreload [/w2/closed.path.json]\nreload [/w2/open.path.json]\n"
		if got := l.log.String(); got != want {
			t.Errorf("the loader was asked to\n%swant\n%s", got, want)
		}
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
	})
}
