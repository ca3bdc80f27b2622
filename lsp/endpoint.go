package lsp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

const (
	// defaultMaxFrame bounds the body of one incoming frame, in bytes.
	defaultMaxFrame = 256 << 20
	// maxHeader bounds the header block of one incoming frame, in bytes.
	maxHeader = 8 << 10
	// defaultMaxOutbox bounds what waits for a client that does not read, in bytes.
	defaultMaxOutbox = 512 << 20
	// headerRoom is enough for "Content-Length: ", 20 digits and two line ends.
	headerRoom = 48
)

var (
	errFraming   = errors.New("the input is not framed as LSP demands")
	errTooLarge  = errors.New("the message is larger than the limit")
	errNotRead   = errors.New("the client does not read what the server sends")
	errEndpoint  = errors.New("the endpoint is closed")
	errNoContent = fmt.Errorf("%w: a header block without Content-Length", errFraming)
)

// endpoint is the [jsonrpc2.Stream] of a session: frames in, frames out, over any
// byte stream.
//
// Reading is done by a pump goroutine, so that Close ends a Read even where the byte
// stream cannot be interrupted (os.Stdin). Writing only queues: a handler never waits
// for the client, so a client that writes before it reads cannot stop the server. Each
// frame leaves as one Write, unless it has a long result. Every incoming frame has a buffer of its own, which is
// garbage once the message is handled.
type endpoint struct {
	rwc      io.ReadWriteCloser
	log      *slog.Logger
	trace    *tracer
	maxFrame int
	maxQueue int
	receiver

	frames  chan frame    // from the pump, unbuffered: at most one frame is read ahead
	ended   chan struct{} // closed by the pump once readErr is set
	readErr error

	closed    chan struct{} // closed by Close
	closeOnce sync.Once

	apart   apart
	arrived *arrival // of the frame that ReadFrame returned last; belongs to its caller

	mu       sync.Mutex
	outbox   [][]byte
	queued   int   // bytes in outbox
	stopped  bool  // nothing is queued any more
	writeErr error // first failure of the writer

	wake   chan struct{} // capacity 1: outbox or stopped changed
	broken chan struct{} // closed once writeErr is set
	done   sync.WaitGroup
	wrote  chan struct{} // closed when the writer has ended
}

// frame is the body of a message. The text of a document that is opened may be apart.
type frame struct {
	body []byte
	text *arrival
}

// receiver is what an endpoint does with what it reads itself. All but answers may be nil.
type receiver struct {
	answers func(jsonrpc2.MessageView)                   // takes the client's answers; must not wait
	draft   func(uri, languageID string) *analysis.Draft // starts the draft of a document that arrives
	failed  func(v any)                                  // takes a panic of a draft
}

func newEndpoint(rwc io.ReadWriteCloser, maxFrame int, to receiver, trace *tracer, log *slog.Logger) *endpoint {
	if maxFrame <= 0 {
		maxFrame = defaultMaxFrame
	}
	e := &endpoint{
		rwc: rwc, log: log, trace: trace, maxFrame: maxFrame, maxQueue: defaultMaxOutbox, receiver: to,
		frames: make(chan frame),
		ended:  make(chan struct{}),
		closed: make(chan struct{}),
		wake:   make(chan struct{}, 1),
		broken: make(chan struct{}),
		wrote:  make(chan struct{}),
	}
	e.done.Go(e.pump)
	e.done.Go(e.write)
	return e
}

func (e *endpoint) pump() {
	defer close(e.ended)
	in := bufio.NewReaderSize(e.rwc, maxHeader)
	for {
		f, err := e.readFrame(in)
		if err != nil {
			e.readErr = err
			return
		}
		e.trace.frame("in", f.body)
		select {
		case e.frames <- f:
		case <-e.closed:
			f.text.drop()
			e.readErr = errEndpoint
			return
		}
	}
}

// largeFrame is the size in bytes over which a frame that shows its method is left to the
// library alone: to scan a document of 30 MB twice takes longer than to parse it. If it is
// malformed, the session ends.
const largeFrame = 1 << 20

// ReadFrame returns the body of the next frame that holds a request, a notification or a
// batch. Answers go to the client's calls. What is framed but is no message is answered
// and skipped here: the library ends the connection over it, although the framing is
// intact.
func (e *endpoint) ReadFrame(context.Context) ([]byte, int64, error) {
	e.takeArrival().drop()
	for {
		select {
		case f := <-e.frames:
			body := f.body
			e.arrived = f.text
			if len(body) > largeFrame && bytes.Contains(body[:512], []byte(`"method":"`)) {
				return body, int64(len(body)), nil
			}
			switch m, err := scan(body); {
			case err != nil:
				e.refuse(body, err)
			case m.Kind == jsonrpc2.MessageViewResponseResult || m.Kind == jsonrpc2.MessageViewResponseError:
				e.answers(m)
			default:
				return body, int64(len(body)), nil
			}
		case <-e.ended:
			return nil, 0, e.readErr
		case <-e.closed:
			return nil, 0, io.EOF
		}
	}
}

// scan looks at a body as the library will, and reports what that would end the
// connection over. The view of a batch is empty.
func scan(body []byte) (jsonrpc2.MessageView, error) {
	if first := bytes.TrimLeft(body, " \t\r\n"); len(first) > 0 && first[0] == '[' {
		_, err := jsonrpc2.ParseRequests(body)
		return jsonrpc2.MessageView{}, err
	}
	return jsonrpc2.ScanMessageView(body)
}

// refuse answers what is no message as JSON-RPC 2.0 section 5 asks, unless it may be
// an answer itself.
func (e *endpoint) refuse(body []byte, cause error) {
	e.log.Warn("message skipped", "reason", cause, "bytes", len(body), "begins", clip(body, 80))
	if errors.Is(cause, jsonrpc2.ErrInvalidRequest) {
		var request struct {
			Method jsontext.Value `json:"method"`
		}
		if json.Unmarshal(body, &request, lenient) == nil && request.Method == nil {
			return
		}
	}
	_, _ = e.Write(context.Background(), jsonrpc2.NewResponse(jsonrpc2.ID{}, nil, cause))
}

// Read implements [jsonrpc2.Stream] for a library that does not ask for whole frames.
func (e *endpoint) Read(ctx context.Context) (jsonrpc2.Message, int64, error) {
	body, n, err := e.ReadFrame(ctx)
	if err != nil {
		return nil, 0, err
	}
	m, err := jsonrpc2.DecodeMessage(body)
	return m, n, err
}

// Write queues the message. It never waits.
func (e *endpoint) Write(_ context.Context, m jsonrpc2.Message) (int64, error) {
	buf := jsonrpc2.AppendMessage(make([]byte, headerRoom, headerRoom+256), m)
	if before, long, after := e.apart.take(buf); long != nil {
		if e.trace == nil {
			return e.enqueue(before, long, after)
		}
		buf = slices.Concat(before, long, after)
	}
	return e.enqueue(buf)
}

// WriteFrame queues an encoded body. It never waits.
func (e *endpoint) WriteFrame(_ context.Context, body []byte) (int64, error) {
	buf := make([]byte, headerRoom, headerRoom+len(body))
	return e.enqueue(append(buf, body...))
}

// enqueue takes a body behind headerRoom bytes, perhaps in parts, and puts the header before
// it.
func (e *endpoint) enqueue(buf []byte, more ...[]byte) (int64, error) {
	length := len(buf) - headerRoom
	for _, part := range more {
		length += len(part)
	}
	var head [headerRoom]byte
	h := append(head[:0], "Content-Length: "...)
	h = strconv.AppendInt(h, int64(length), 10)
	h = append(h, "\r\n\r\n"...)
	start := headerRoom - len(h)
	copy(buf[start:], h)
	frame := buf[start:]
	length += len(h)

	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.writeErr != nil:
		return 0, e.writeErr
	case e.stopped:
		return 0, errEndpoint
	case e.queued+length > e.maxQueue:
		e.failLocked(errNotRead)
		return 0, errNotRead
	}
	e.outbox = append(append(e.outbox, frame), more...)
	e.queued += length
	e.signal()
	return int64(length), nil
}

func (e *endpoint) signal() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

func (e *endpoint) failLocked(err error) {
	if e.writeErr != nil {
		return
	}
	e.writeErr = err
	e.outbox, e.queued = nil, 0
	close(e.broken)
}

// write is the writer goroutine. It ends when the outbox is stopped and empty, or at
// the first failure.
func (e *endpoint) write() {
	defer close(e.wrote)
	for range e.wake {
		for {
			frame, more := e.next()
			if frame == nil {
				if !more {
					return
				}
				break
			}
			if e.trace != nil { // then a frame is never in parts
				e.trace.frame("out", frame[bytes.Index(frame, []byte("\r\n\r\n"))+4:])
			}
			if _, err := e.rwc.Write(frame); err != nil {
				e.mu.Lock()
				e.failLocked(err)
				e.mu.Unlock()
				return
			}
		}
	}
}

// next takes the oldest frame, or part of one; more is false when none will come.
func (e *endpoint) next() (frame []byte, more bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.outbox) == 0 {
		e.outbox = nil
		return nil, !e.stopped && e.writeErr == nil
	}
	frame = e.outbox[0]
	e.outbox[0] = nil
	e.outbox = e.outbox[1:]
	e.queued -= len(frame)
	return frame, true
}

// Close ends reading, without waiting: the library calls it with its own lock held.
func (e *endpoint) Close() error {
	e.closeOnce.Do(func() { close(e.closed) })
	return nil
}

// finish sends what is queued, waits at most the given time for it, closes the byte
// stream and waits for the endpoint's goroutines. It reports false when a goroutine is
// still blocked in a read or a write that the operating system does not interrupt;
// only the end of the process ends that one.
func (e *endpoint) finish(limit time.Duration) bool {
	e.Close()
	e.mu.Lock()
	e.stopped = true
	e.signal()
	e.mu.Unlock()
	waitFor(e.wrote, limit)
	if err := e.rwc.Close(); err != nil {
		e.log.Debug("close", "err", err)
	}
	ended := make(chan struct{})
	go func() { e.done.Wait(); close(ended) }()
	return waitFor(ended, limit/50) // an interrupted goroutine ends at once
}

// waitFor waits for the channel to close and reports whether it did within the limit.
func waitFor(c <-chan struct{}, limit time.Duration) bool {
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-c:
		return true
	case <-t.C:
		return false
	}
}

// readFrame reads a header block and the body that it announces (LSP 3.18, "Base
// Protocol"). It returns io.EOF at a clean end, io.ErrUnexpectedEOF within a frame, and
// an error of errFraming or errTooLarge where no next frame can be found.
func (e *endpoint) readFrame(in *bufio.Reader) (frame, error) {
	n, err := readHeader(in)
	if err != nil {
		return frame{}, err
	}
	if n > e.maxFrame {
		return frame{}, fmt.Errorf("%w: Content-Length is %d, the limit %d bytes", errTooLarge, n, e.maxFrame)
	}
	if n > largeFrame && e.trace == nil {
		return e.readLarge(in, n)
	}
	body, err := readBody(in, nil, n)
	return frame{body: body}, err
}

func readHeader(in *bufio.Reader) (length int, err error) {
	length = -1
	for read := 0; ; {
		line, err := in.ReadSlice('\n')
		read += len(line)
		switch {
		case err == io.EOF && read == 0:
			return 0, io.EOF
		case err == io.EOF:
			return 0, io.ErrUnexpectedEOF
		case err == bufio.ErrBufferFull || read > maxHeader:
			return 0, fmt.Errorf("%w: a header block of more than %d bytes", errFraming, maxHeader)
		case err != nil:
			return 0, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			if length < 0 {
				return 0, errNoContent
			}
			return length, nil
		}
		name, value, ok := bytes.Cut(line, []byte(":"))
		if !ok {
			return 0, fmt.Errorf("%w: header line %q has no colon", errFraming, clip(line, 80))
		}
		if !bytes.EqualFold(name, []byte("Content-Length")) {
			continue
		}
		if length, err = parseLength(bytes.TrimSpace(value)); err != nil {
			return 0, err
		}
	}
}

func parseLength(digits []byte) (int, error) {
	n, err := strconv.ParseUint(string(digits), 10, 63)
	if err != nil {
		return 0, fmt.Errorf("%w: Content-Length is %q", errFraming, clip(digits, 40))
	}
	return int(min(n, 1<<62)), nil
}

// readBody reads on until the body has n bytes. It takes memory as the bytes arrive, at most
// 64 times what has come, and not as announced.
func readBody(in io.Reader, body []byte, n int) ([]byte, error) {
	body = slices.Grow(body, min(n-len(body), 64<<10))
	for len(body) < n {
		if len(body) == cap(body) {
			body = slices.Grow(body, min(n-len(body), 63*len(body)))
		}
		k, err := io.ReadFull(in, body[len(body):min(cap(body), n)])
		body = body[:len(body)+k]
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
	}
	return body, nil
}

// clip returns at most n bytes of b as a string.
func clip(b []byte, n int) string {
	if len(b) <= n {
		return string(b)
	}
	return string(b[:n]) + "…"
}
