// Package lsptest drives a language server as an editor does, for tests. It knows the
// protocol on its own and shares no code with the server.
//
// An [Editor] speaks raw frames over an in-memory stream or the standard streams of a
// process, and records every frame of both directions. A [Script] is a session written
// down as a txtar archive.
package lsptest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is how long an Editor waits for the server. Under testing/synctest it costs
// nothing: the clock jumps when the server is idle.
const patience = 60 * time.Second

// Message is a JSON-RPC message of any kind.
type Message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *Error          `json:"error,omitempty"`
}

// Error is the error of an answer.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *Error) Error() string { return fmt.Sprintf("%d %s", e.Code, e.Message) }

// Frame is a message that was sent or received.
type Frame struct {
	Out bool // from the editor to the server
	Message
}

// Published is the params of textDocument/publishDiagnostics.
type Published struct {
	URI         string       `json:"uri"`
	Version     *int         `json:"version"`
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// Diagnostic is what tests look at in a diagnostic.
type Diagnostic struct {
	Range    Range           `json:"range"`
	Severity int             `json:"severity"`
	Code     json.RawMessage `json:"code"`
	Source   string          `json:"source"`
	Message  string          `json:"message"`
	Related  []struct {
		Location Location `json:"location"`
		Message  string   `json:"message"`
	} `json:"relatedInformation"`
}

// Pos is a position in the units of the session's encoding, both 0-based.
type Pos struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Range is a half-open range.
type Range struct {
	Start Pos `json:"start"`
	End   Pos `json:"end"`
}

// Location is a range in a document.
type Location struct {
	URI   string `json:"uri"`
	Range Range  `json:"range"`
}

// ServeFunc is what an in-memory Editor talks to.
type ServeFunc func(ctx context.Context, rwc io.ReadWriteCloser) error

// Editor is one client of one server.
type Editor struct {
	tb     testing.TB
	stream io.ReadWriteCloser
	done   chan struct{} // closed when the server has ended
	err    error         // of the server, once done is closed
	stderr *lockedBuffer
	cmd    *exec.Cmd

	// Answer answers the server's requests; it returns false to leave one unanswered.
	// It is called by the Editor's reading goroutine. Set it before the first message.
	Answer func(method string, params json.RawMessage) (result any, ok bool)

	writing sync.Mutex
	mu      sync.Mutex
	frames  []Frame
	news    chan struct{} // closed and replaced when a frame arrives
	reading chan struct{} // closed when reading has ended
	gate    chan struct{} // non-nil while reading is paused
	lastID  int
}

// Start serves an Editor in memory. A server that still runs when the test ends is
// ended as by a lost connection.
func Start(tb testing.TB, serve ServeFunc) *Editor {
	tb.Helper()
	fromEditor, toServer := io.Pipe()
	fromServer, toEditor := io.Pipe()
	e := newEditor(tb, pipes{fromServer, toServer})
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		e.err = serve(ctx, serverEnd{fromEditor, toEditor})
		cancel()
		close(e.done)
	}()
	tb.Cleanup(func() {
		if !closed(e.done) {
			e.Resume()
			_ = e.stream.Close()
			<-e.done
			<-e.reading
		}
	})
	return e
}

// Spawn starts a server process and talks to its standard streams. What it writes to
// its standard error is kept for [Editor.Stderr].
func Spawn(tb testing.TB, name string, args ...string) *Editor {
	tb.Helper()
	return SpawnCommand(tb, exec.Command(name, args...))
}

// SpawnCommand is [Spawn] with a command whose environment or folder is set.
func SpawnCommand(tb testing.TB, cmd *exec.Cmd) *Editor {
	tb.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	stderr := &lockedBuffer{}
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	e := newEditor(tb, pipes{out, in})
	e.cmd, e.stderr = cmd, stderr
	go func() {
		<-e.reading // all of the output before Wait closes the pipe
		e.err = cmd.Wait()
		close(e.done)
	}()
	tb.Cleanup(func() {
		if !closed(e.done) {
			_ = cmd.Process.Kill()
			<-e.done
		}
	})
	return e
}

type pipes struct {
	io.ReadCloser
	io.WriteCloser
}

// Close closes the editor's output only: the server's end of input.
func (p pipes) Close() error { return p.WriteCloser.Close() }

// serverEnd is the server's end of the in-memory stream. Like that of two pipes, either
// direction can end before the other one, and a write waits for a read.
type serverEnd struct {
	*io.PipeReader
	*io.PipeWriter
}

func (s serverEnd) Close() error { return errors.Join(s.PipeReader.Close(), s.PipeWriter.Close()) }

func newEditor(tb testing.TB, stream io.ReadWriteCloser) *Editor {
	e := &Editor{
		tb: tb, stream: stream,
		done:    make(chan struct{}),
		news:    make(chan struct{}),
		reading: make(chan struct{}),
		Answer:  AnswerNull,
		stderr:  &lockedBuffer{},
	}
	go e.read()
	return e
}

// AnswerNull answers each request with null, and workspace/configuration with a null
// for each item.
func AnswerNull(method string, params json.RawMessage) (any, bool) {
	if method != "workspace/configuration" {
		return nil, true
	}
	var p struct{ Items []json.RawMessage }
	_ = json.Unmarshal(params, &p)
	return make([]any, len(p.Items)), true
}

// read records frames until the stream ends. What is no frame fails the test: a server
// writes nothing else.
func (e *Editor) read() {
	defer close(e.reading)
	in := bufio.NewReader(e.stream)
	for {
		e.mu.Lock()
		gate := e.gate
		e.mu.Unlock()
		if gate != nil {
			<-gate
		}
		body, err := readFrame(in)
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) {
				e.tb.Errorf("lsptest: the server's output: %v", err)
			}
			return
		}
		messages, err := decodeBody(body)
		if err != nil {
			e.tb.Errorf("lsptest: the server sent no JSON-RPC message: %v: %.200q", err, body)
			return
		}
		for _, m := range messages {
			e.record(Frame{Message: m})
			if m.Method != "" && m.ID != nil {
				e.reply(m)
			}
		}
	}
}

// decodeBody reads a message or a batch.
func decodeBody(body []byte) (messages []Message, err error) {
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
		err = json.Unmarshal(body, &messages)
	} else {
		messages = make([]Message, 1)
		err = json.Unmarshal(body, &messages[0])
	}
	for i, m := range messages {
		if m.Result == nil && m.ID != nil && m.Method == "" && m.Error == nil {
			messages[i].Result = json.RawMessage("null")
		}
	}
	return messages, err
}

// reply answers a request of the server on a goroutine of its own: writing may wait for
// the server to read, and this Editor must go on reading.
func (e *Editor) reply(m Message) {
	result, ok := e.Answer(m.Method, m.Params)
	if !ok {
		return
	}
	raw, err := json.Marshal(result)
	if err != nil {
		e.tb.Errorf("lsptest: %v", err)
		return
	}
	go e.write(Message{ID: m.ID, Result: raw})
}

func (e *Editor) record(f Frame) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.frames = append(e.frames, f)
	close(e.news)
	e.news = make(chan struct{})
}

// readFrame reads a frame as strictly as the protocol allows.
func readFrame(in *bufio.Reader) ([]byte, error) {
	length := -1
	for first := true; ; first = false {
		line, err := in.ReadString('\n')
		if err == io.EOF && first && line == "" {
			return nil, io.EOF
		}
		if err != nil {
			return nil, fmt.Errorf("a header that ends early (%q): %w", line, err)
		}
		line, ok := strings.CutSuffix(line, "\r\n")
		if !ok {
			return nil, fmt.Errorf("a header line without CRLF: %q", line)
		}
		if line == "" {
			break
		}
		value, ok := strings.CutPrefix(line, "Content-Length: ")
		if !ok {
			return nil, fmt.Errorf("a header line that is none: %q", line)
		}
		if length, err = strconv.Atoi(value); err != nil {
			return nil, err
		}
	}
	if length < 0 {
		return nil, errors.New("a header without Content-Length")
	}
	body := make([]byte, length)
	_, err := io.ReadFull(in, body)
	return body, err
}

// SendRaw writes bytes as they are. It returns an error when the server is gone.
func (e *Editor) SendRaw(b []byte) error {
	e.writing.Lock()
	defer e.writing.Unlock()
	_, err := e.stream.Write(b)
	return err
}

// SendBody writes a frame with the body as it is.
func (e *Editor) SendBody(body string) error {
	return e.SendRaw(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(body), body))
}

func (e *Editor) write(m Message) error {
	body, err := json.Marshal(struct {
		Version string `json:"jsonrpc"`
		Message
	}{"2.0", m})
	if err != nil {
		return err
	}
	e.record(Frame{Out: true, Message: m})
	return e.SendBody(string(body))
}

// Notify sends a notification.
func (e *Editor) Notify(method string, params any) {
	e.tb.Helper()
	if err := e.write(Message{Method: method, Params: e.marshal(params)}); err != nil {
		e.tb.Fatalf("lsptest: %s: %v%s", method, err, e.last())
	}
}

// Go sends a request and returns its id for [Editor.Await].
func (e *Editor) Go(method string, params any) int {
	e.tb.Helper()
	e.mu.Lock()
	e.lastID++
	id := e.lastID
	e.mu.Unlock()
	if err := e.write(Message{ID: json.RawMessage(strconv.Itoa(id)), Method: method, Params: e.marshal(params)}); err != nil {
		e.tb.Fatalf("lsptest: %s: %v%s", method, err, e.last())
	}
	return id
}

func (e *Editor) marshal(params any) json.RawMessage {
	if params == nil {
		return nil
	}
	raw, err := json.Marshal(params)
	if err != nil {
		e.tb.Fatalf("lsptest: %v", err)
	}
	return raw
}

// Await waits for the answer to a request.
func (e *Editor) Await(id int) (json.RawMessage, error) {
	e.tb.Helper()
	want := strconv.Itoa(id)
	f := e.Until("the answer to request "+want, func(f Frame) bool {
		return !f.Out && f.Method == "" && string(f.ID) == want
	})
	if f.Error != nil {
		return nil, f.Error
	}
	return f.Result, nil
}

// Call sends a request and waits for the answer. An error of the answer is an *[Error].
func (e *Editor) Call(method string, params any) (json.RawMessage, error) {
	e.tb.Helper()
	return e.Await(e.Go(method, params))
}

// Until waits for a frame, received or sent, now or earlier, that the function accepts.
func (e *Editor) Until(what string, accept func(Frame) bool) Frame {
	e.tb.Helper()
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	for seen := 0; ; {
		e.mu.Lock()
		fresh, news := e.frames[seen:], e.news
		e.mu.Unlock()
		if i := slices.IndexFunc(fresh, accept); i >= 0 {
			return fresh[i]
		}
		seen += len(fresh)
		select {
		case <-news:
		case <-e.reading:
			e.mu.Lock()
			more := len(e.frames) > seen
			e.mu.Unlock()
			if !more {
				e.tb.Fatalf("lsptest: the server ended before %s%s", what, e.last())
			}
		case <-timeout.C:
			e.tb.Fatalf("lsptest: waited in vain for %s%s", what, e.last())
		}
	}
}

// last describes the end of the conversation.
func (e *Editor) last() string {
	var b strings.Builder
	frames := e.Frames()
	for _, f := range frames[max(0, len(frames)-6):] {
		raw, _ := json.Marshal(f.Message)
		arrow := "server: "
		if f.Out {
			arrow = "editor: "
		}
		fmt.Fprintf(&b, "\n\t%s%.300s", arrow, raw)
	}
	if s := e.Stderr(); s != "" {
		fmt.Fprintf(&b, "\n\tstderr: %s", s[max(0, len(s)-2000):])
	}
	return b.String()
}

// Frames returns all frames so far.
func (e *Editor) Frames() []Frame {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.frames)
}

// Forget drops the recorded frames, for tests that measure memory.
func (e *Editor) Forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.frames = nil
}

// Received returns the params of all messages of the method that came so far.
func (e *Editor) Received(method string) (all []json.RawMessage) {
	for _, f := range e.Frames() {
		if !f.Out && f.Method == method {
			all = append(all, f.Params)
		}
	}
	return all
}

// Publishes returns all that was published for the URI so far.
func (e *Editor) Publishes(uri string) (all []Published) {
	for _, raw := range e.Received("textDocument/publishDiagnostics") {
		var p Published
		if err := json.Unmarshal(raw, &p); err != nil {
			e.tb.Errorf("lsptest: %v", err)
		}
		if p.URI == uri {
			all = append(all, p)
		}
	}
	return all
}

// Published waits for the first publish of the URI with the version and returns it.
func (e *Editor) Published(uri string, version int) Published {
	e.tb.Helper()
	var p Published
	e.Until(fmt.Sprintf("diagnostics of %s at version %d", uri, version), func(f Frame) bool {
		if f.Out || f.Method != "textDocument/publishDiagnostics" {
			return false
		}
		p = Published{}
		return json.Unmarshal(f.Params, &p) == nil && p.URI == uri && p.Version != nil && *p.Version == version
	})
	return p
}

// Initialize starts the session with the client's capabilities, or with nothing if nil,
// and returns the answer.
func (e *Editor) Initialize(params map[string]any) json.RawMessage {
	e.tb.Helper()
	all := map[string]any{"processId": nil, "rootUri": nil, "capabilities": map[string]any{}}
	for k, v := range params {
		all[k] = v
	}
	result, err := e.Call("initialize", all)
	if err != nil {
		e.tb.Fatalf("lsptest: initialize: %v", err)
	}
	e.Notify("initialized", map[string]any{})
	return result
}

// Open sends didOpen.
func (e *Editor) Open(uri, languageID string, version int, text string) {
	e.tb.Helper()
	e.Notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": uri, "languageId": languageID, "version": version, "text": text,
	}})
}

// Change sends didChange. A change with a nil range replaces the whole text.
func (e *Editor) Change(uri string, version int, changes ...Change) {
	e.tb.Helper()
	e.Notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": uri, "version": version},
		"contentChanges": changes,
	})
}

// Change is one change of a document.
type Change struct {
	Range *Range `json:"range,omitempty"`
	Text  string `json:"text"`
}

// CloseDocument sends didClose.
func (e *Editor) CloseDocument(uri string) {
	e.tb.Helper()
	e.Notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uri}})
}

// Shutdown sends shutdown and exit and returns what the server ended with.
func (e *Editor) Shutdown() error {
	e.tb.Helper()
	if _, err := e.Call("shutdown", nil); err != nil {
		e.tb.Errorf("lsptest: shutdown: %v", err)
	}
	e.Notify("exit", nil)
	return e.Wait()
}

// Close ends the editor's output, as the end of its process does, and returns what the
// server ended with.
func (e *Editor) Close() error {
	e.tb.Helper()
	_ = e.stream.Close()
	return e.Wait()
}

// Wait waits for the server to end and returns what it ended with: the result of the
// ServeFunc, or an *[exec.ExitError] of a process.
func (e *Editor) Wait() error {
	e.tb.Helper()
	e.Resume()
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	select {
	case <-e.done:
	case <-timeout.C:
		e.tb.Fatalf("lsptest: the server does not end%s", e.last())
	}
	_ = e.stream.Close()
	<-e.reading
	return e.err
}

// Ended reports whether the server has ended.
func (e *Editor) Ended() bool { return closed(e.done) }

// Pause stops reading after the frame that is being read, as an editor that is busy.
func (e *Editor) Pause() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.gate == nil {
		e.gate = make(chan struct{})
	}
}

// Resume undoes Pause.
func (e *Editor) Resume() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.gate != nil {
		close(e.gate)
		e.gate = nil
	}
}

// Process returns the server's process, or nil for a server in memory.
func (e *Editor) Process() *exec.Cmd { return e.cmd }

// Stderr returns what a process wrote to its standard error so far.
func (e *Editor) Stderr() string { return e.stderr.String() }

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
