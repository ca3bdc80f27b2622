package lsp

import (
	"bufio"
	"bytes"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/lsp/collector"
)

// The text of a large document is decoded, parsed and checked while the message that opens
// it arrives, since the client needs as long to write it as the server to read it.

const (
	// openHead is how much of a message is looked at to see whether it opens a document.
	openHead = 4 << 10
	// readPiece is how much of the text is decoded at a time, in bytes.
	readPiece = 256 << 10
	// draftPiece is how much new text is parsed at a time, in bytes.
	draftPiece = 128 << 10
)

// arrival is the text of a document that was opened, and what was read of it on the way.
type arrival struct {
	text   string // once all has come
	rested func() // lets the collector work again

	draft   *analysis.Draft
	failed  func(v any) // takes a panic
	mu      sync.Mutex
	come    []byte        // the text as far as it has come
	wake    chan struct{} // capacity 1: come has grown; closed at the end
	parsed  chan struct{} // closed once all that has come is parsed
	parts   chan analysis.Part
	stopped atomic.Bool // nobody waits for the parts any more
	broken  atomic.Bool // the draft is of no use
}

// readLarge reads a body of n bytes. If it is a didOpen, the text does not become part of
// the body: it stands there as "".
func (e *endpoint) readLarge(in *bufio.Reader, n int) (frame, error) {
	head, err := readBody(in, nil, openHead)
	if err != nil {
		return frame{}, err
	}
	open, ok := opens(head)
	if !ok {
		body, err := readBody(in, head, n)
		return frame{body: body}, err
	}
	a := e.arrive(open, n)
	defer a.end()
	u := unquoter{most: n - open.text}
	piece := make([]byte, readPiece)
	have, left := copy(piece, head[open.text:]), n-len(head)
	for {
		read, closed, bad := u.write(piece[:have])
		a.more(u.text())
		if closed {
			read-- // the quote stays
		}
		have = copy(piece, piece[read:have])
		if closed || bad != nil || left == 0 {
			break
		}
		k, err := in.Read(piece[have:min(len(piece), have+left)])
		if k == 0 && err != nil {
			a.drop()
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return frame{}, err
		}
		have, left = have+k, left-k
	}
	a.text = u.string()
	body := append(head[:open.text:open.text], piece[:have]...)
	if body, err = readBody(in, body, len(body)+left); err != nil {
		a.drop()
	}
	return frame{body, a}, err
}

// opening is what the head of a didOpen says.
type opening struct {
	uri, languageID string
	text            int // offset of the text behind its quote
}

// opens reads the head of a message; not ok if it is no didOpen, or does not come to the
// text.
func opens(head []byte) (o opening, ok bool) {
	if !bytes.Contains(head, []byte(`"textDocument/didOpen"`)) {
		return o, false
	}
	dec := jsontext.NewDecoder(bytes.NewReader(head), lenient)
	var method string
	for {
		token, err := dec.ReadToken()
		if err != nil {
			return o, false
		}
		if kind, n := dec.StackIndex(dec.StackDepth()); kind != '{' || n%2 == 0 || token.Kind() != '"' {
			continue
		}
		var value *string
		switch dec.StackPointer() {
		case "/method":
			value = &method
		case "/params/textDocument/uri":
			value = &o.uri
		case "/params/textDocument/languageId":
			value = &o.languageID
		case "/params/textDocument/text":
			rest := bytes.TrimLeft(head[dec.InputOffset():], " \t\r\n:")
			o.text = len(head) - len(rest) + 1
			return o, method == "textDocument/didOpen" && len(rest) > 0 && rest[0] == '"'
		default:
			continue
		}
		if dec.PeekKind() == '"' {
			token, err := dec.ReadToken()
			if err != nil {
				return o, false
			}
			*value = token.String()
		}
	}
}

// takeArrival returns the text that belongs to the message which ReadFrame returned last, nil
// if there is none or it was taken.
func (e *endpoint) takeArrival() *arrival {
	a := e.arrived
	e.arrived = nil
	return a
}

// arrive starts to read a document that is being opened by a message of n bytes.
func (e *endpoint) arrive(open opening, n int) *arrival {
	const most, more = 6, 32 << 20 // bytes that opening takes: times n, and beyond
	a := &arrival{
		rested: collector.Rest(int64(most*n + more)),
		wake:   make(chan struct{}, 1), parsed: make(chan struct{}),
		parts:  make(chan analysis.Part, 1<<12),
		failed: e.failed,
	}
	if key, err := canonical(open.uri); err == nil && e.draft != nil {
		a.draft = e.draft(key, open.languageID)
	}
	if a.draft == nil {
		close(a.parsed)
		return a
	}
	e.done.Go(a.parse)
	for range runtime.GOMAXPROCS(0) {
		e.done.Go(a.read)
	}
	return a
}

// more tells of the text as far as it has come. It does not wait.
func (a *arrival) more(come []byte) {
	if a.draft == nil || len(come)-len(a.come) < draftPiece {
		return
	}
	a.mu.Lock()
	a.come = come
	a.mu.Unlock()
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// end says that no more will come.
func (a *arrival) end() { close(a.wake) }

// parse is the goroutine that looks for steps in what comes.
func (a *arrival) parse() {
	defer close(a.parsed)
	defer close(a.parts)
	defer a.guard()
	for at := 0; ; {
		_, more := <-a.wake
		a.mu.Lock()
		come := a.come
		a.mu.Unlock()
		for at < len(come) {
			at = min(at+draftPiece, len(come))
			select {
			case a.parts <- a.draft.More(come[:at]):
			default: // who opens the document will read them
			}
			runtime.Gosched() // who reads what the client writes goes first
		}
		if !more {
			return
		}
	}
}

// read is a goroutine that reads and checks steps.
func (a *arrival) read() {
	defer a.guard()
	for part := range a.parts {
		a.draft.Read(part, func() bool {
			runtime.Gosched()
			return a.stopped.Load()
		})
	}
}

// drop is for a text that nobody takes, nil included.
func (a *arrival) drop() {
	if a != nil {
		a.stopped.Store(true)
		a.rested()
	}
}

// guard turns a panic into a draft that is of no use.
func (a *arrival) guard() {
	if v := recover(); v != nil {
		a.broken.Store(true)
		a.failed(v)
	}
}

// finish returns the draft, nil if there is none, once all of the text is parsed.
func (a *arrival) finish() *analysis.Draft {
	<-a.parsed
	a.stopped.Store(true)
	if a.broken.Load() {
		return nil
	}
	return a.draft
}

func (s *session) draftFailed(v any) { s.bugs.record(s.log, "draft", v) }
