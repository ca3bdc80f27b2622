package lsp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// maxWaiting bounds the requests that run or wait to run.
const maxWaiting = 4096

// codeRequestFailed is LSP's RequestFailed: a request that was understood and could not
// be answered, with a message for people.
const codeRequestFailed jsonrpc2.Code = -32803

var (
	errNotInitialized = jsonrpc2.NewError(jsonrpc2.ServerNotInitialized, "the first request must be initialize")
	errInitialized    = jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the server is initialized already")
	errShutDown       = jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the server has been shut down: only exit is expected")
	errCancelled      = jsonrpc2.NewError(protocol.CodeRequestCancelled, "the request was cancelled")
	errBusy           = jsonrpc2.NewError(codeRequestFailed, "too many requests are waiting for an answer")
)

// phase is the state of a session's life (LSP 3.18, "Server lifecycle").
type phase int32

const (
	created phase = iota
	initialized
	shutDown
)

// route binds a method to its handler.
type route struct {
	method string
	handle handler
}

// handler is what the dispatch does with a method. The zero handler ignores the
// notification.
type handler struct {
	kind kind
	call func(ctx context.Context, s *session, snap *analysis.Snapshot, params jsonrpc2.RawMessage) (any, error)
	// wait, if not nil, lets a query wait before it takes the place of others.
	wait func(ctx context.Context, s *session, params jsonrpc2.RawMessage)
}

type kind uint8

const (
	// A notification runs on the read goroutine, in the order of the wire.
	aNotification kind = iota
	// A request that runs on the read goroutine because it changes the session.
	anInlineRequest
	// A query runs on a goroutine of its own over the snapshot of its moment.
	aQuery
)

// ignored accepts a notification and does nothing.
var ignored = handler{}

// notification returns a handler that changes the session. It runs on the read
// goroutine, so it must not wait. Its error is logged: a notification has no answer,
// and an error that reached the library would end the connection.
func notification[P any](f func(ctx context.Context, s *session, p *P) error) handler {
	return handler{kind: aNotification, call: func(ctx context.Context, s *session, _ *analysis.Snapshot, raw jsonrpc2.RawMessage) (any, error) {
		p, err := decode[P](raw)
		if err != nil {
			return nil, err
		}
		return nil, f(ctx, s, p)
	}}
}

// request returns a handler that answers on the read goroutine, so it must not wait.
func request[P, R any](f func(ctx context.Context, s *session, p *P) (R, error)) handler {
	return handler{kind: anInlineRequest, call: func(ctx context.Context, s *session, _ *analysis.Snapshot, raw jsonrpc2.RawMessage) (any, error) {
		p, err := decode[P](raw)
		if err != nil {
			return nil, err
		}
		return f(ctx, s, p)
	}}
}

// query returns a handler that answers from a snapshot: the one that holds exactly the
// edits that came before the request on the wire. f runs on a goroutine of its own and
// must return soon after ctx is done. A nil pointer result is null on the wire, a nil
// slice []. An error that is no *[jsonrpc2.Error] is answered as RequestFailed with
// its text; the context's error as RequestCancelled.
//
// The documents of the snapshot are parsed before f is called, since within f that cannot
// be stopped.
func query[P, R any](f func(ctx context.Context, s *session, snap *analysis.Snapshot, p *P) (R, error)) handler {
	return queryAbout(f, func(snap *analysis.Snapshot, _ jsonrpc2.RawMessage) []*analysis.Document { return snap.Documents() })
}

// queryOne is query for an f that looks at no document but the one that params name.
func queryOne[P, R any](f func(ctx context.Context, s *session, snap *analysis.Snapshot, p *P) (R, error)) handler {
	return queryAbout(f, func(snap *analysis.Snapshot, raw jsonrpc2.RawMessage) []*analysis.Document {
		var p placeArgument
		if json.Unmarshal(raw, &p, lenient) != nil {
			return nil
		}
		key, err := canonical(p.TextDocument.URI)
		if doc := snap.Document(key); err == nil && doc != nil {
			return []*analysis.Document{doc}
		}
		return nil
	})
}

func queryAbout[P, R any](f func(ctx context.Context, s *session, snap *analysis.Snapshot, p *P) (R, error), about func(*analysis.Snapshot, jsonrpc2.RawMessage) []*analysis.Document) handler {
	return handler{kind: aQuery, call: func(ctx context.Context, s *session, snap *analysis.Snapshot, raw jsonrpc2.RawMessage) (any, error) {
		p, err := decode[P](raw)
		if err != nil {
			return nil, err
		}
		for _, doc := range about(snap, raw) {
			if err := doc.Prepare(ctx); err != nil {
				return nil, err
			}
		}
		return f(ctx, s, snap, p)
	}}
}

// waiting returns the query, which waits as f does before it runs. f must return soon after
// ctx is done.
func waiting[P any](f func(ctx context.Context, s *session, p *P), query handler) handler {
	query.wait = func(ctx context.Context, s *session, raw jsonrpc2.RawMessage) {
		if p, err := decode[P](raw); err == nil {
			f(ctx, s, p)
		}
	}
	return query
}

// none is the type of absent params.
type none struct{}

// decode reads params. The result may share memory with a copy of the whole message:
// what is kept must be cloned.
func decode[P any](raw jsonrpc2.RawMessage) (*P, error) {
	p := new(P)
	if _, ok := any(p).(*none); ok {
		return p, nil
	}
	if len(raw) == 0 {
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, "params are missing")
	}
	if own, ok := any(p).(paramsDecoder); ok {
		if err := own.decodeParams(raw); err != nil {
			return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "params: %v", err)
		}
		return p, nil
	}
	if err := protocol.Unmarshal(raw, p); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "params: %v", err)
	}
	return p, nil
}

// paramsDecoder is implemented by params that package protocol reads too loosely.
type paramsDecoder interface {
	decodeParams(raw jsonrpc2.RawMessage) error
}

// dispatch is the [jsonrpc2.Handler] of a session. It runs on the read goroutine, one
// message after the other. It returns an error for requests only.
func (s *session) dispatch(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	h, known := s.routes[req.Method()]
	if req.IsCall() {
		return s.answer(ctx, req, h, known)
	}
	if !known || h.kind != aNotification {
		s.log.Debug("notification ignored", "method", req.Method())
		return nil, nil
	}
	s.note(req, h)
	return nil, nil
}

// note runs a notification's handler.
func (s *session) note(req *jsonrpc2.Request, h handler) {
	if h.call == nil || (s.phase() != initialized && req.Method() != protocol.MethodExit) {
		return
	}
	_, err := s.run(s.ctx, req.Method(), h, nil, req.Params())
	if err != nil {
		s.log.Warn("notification ignored", "method", req.Method(), "reason", err)
	}
}

// answer runs a request's handler and maps its error to what the wire expects.
func (s *session) answer(ctx context.Context, req *jsonrpc2.Request, h handler, known bool) (any, error) {
	switch s.phase() {
	case created:
		if req.Method() != protocol.MethodInitialize {
			return nil, errNotInitialized
		}
	case initialized:
		if req.Method() == protocol.MethodInitialize {
			return nil, errInitialized
		}
	default:
		return nil, errShutDown
	}
	switch {
	case !known:
		return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "the server has no method %q", clip([]byte(req.Method()), 80))
	case h.kind == aNotification:
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "%s is a notification, not a request", req.Method())
	case h.kind == anInlineRequest:
		return s.run(s.ctx, req.Method(), h, nil, req.Params())
	}
	return s.answerQuery(ctx, req, h)
}

// answerQuery captures the snapshot, lets the read goroutine go on, and runs the query
// when one of the slots is free. The query's context ends with the session, not with
// the library's request context, which is pooled.
func (s *session) answerQuery(ctx context.Context, req *jsonrpc2.Request, h handler) (any, error) {
	snap := s.work.Snapshot()
	id := req.ID()
	qctx, cancel := context.WithCancel(s.ctx)
	entry := &cancel
	if !s.running.add(id, entry) {
		cancel()
		return nil, errBusy
	}
	defer func() {
		s.running.remove(id, entry)
		cancel()
	}()
	jsonrpc2.Async(ctx)
	if h.wait != nil {
		h.wait(qctx, s, req.Params())
	}
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-qctx.Done():
		return nil, errCancelled
	}
	if qctx.Err() != nil {
		return nil, errCancelled
	}
	return s.run(qctx, req.Method(), h, snap, req.Params())
}

// run calls the handler, turns a panic into an internal error, and logs the duration.
func (s *session) run(ctx context.Context, method string, h handler, snap *analysis.Snapshot, params jsonrpc2.RawMessage) (result any, err error) {
	start := time.Now()
	defer func() {
		if v := recover(); v != nil {
			s.bugs.record(s.log, method, v)
			result, err = nil, jsonrpc2.Errorf(jsonrpc2.InternalError, "internal error in %s; the server's log has the details", method)
		}
		err = wireError(err)
		s.log.Debug("handled", "method", method, "dur", time.Since(start), "err", err)
	}()
	return h.call(ctx, s, snap, params)
}

// wireError gives an error the code that the peer can act on. The library would send
// code 0.
func wireError(err error) error {
	var coded *jsonrpc2.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &coded):
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return errCancelled
	default:
		return jsonrpc2.NewError(codeRequestFailed, err.Error())
	}
}

// inFlight holds how to cancel the queries that run or wait.
type inFlight struct {
	mu   sync.Mutex
	byID map[jsonrpc2.ID]*context.CancelFunc
	n    int
}

// add registers a query and reports whether there is room for it. A client that uses an
// id twice at a time can cancel the later one only.
func (q *inFlight) add(id jsonrpc2.ID, cancel *context.CancelFunc) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.n >= maxWaiting {
		return false
	}
	if q.byID == nil {
		q.byID = map[jsonrpc2.ID]*context.CancelFunc{}
	}
	q.byID[id] = cancel
	q.n++
	return true
}

func (q *inFlight) remove(id jsonrpc2.ID, cancel *context.CancelFunc) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.n--
	if q.byID[id] == cancel {
		delete(q.byID, id)
	}
}

func (q *inFlight) cancel(id jsonrpc2.ID) {
	q.mu.Lock()
	cancel := q.byID[id]
	q.mu.Unlock()
	if cancel != nil {
		(*cancel)()
	}
}

// cancelRequest handles $/cancelRequest. An unknown id is not an error: the answer may
// be on its way.
func cancelRequest(_ context.Context, s *session, p *protocol.CancelParams) error {
	switch id := p.ID.(type) {
	case protocol.Integer:
		s.running.cancel(jsonrpc2.NewNumberID(int64(id)))
	case protocol.String:
		s.running.cancel(jsonrpc2.NewStringID(string(id)))
	default:
		return fmt.Errorf("the id to cancel is neither a number nor a string")
	}
	return nil
}
