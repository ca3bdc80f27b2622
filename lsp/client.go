package lsp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// answerTime is how long the server waits for the client's answer to a request.
const answerTime = time.Second

// client is the editor as the server sees it. Requests to it are made by one goroutine
// only, one after the other: a handler that waited for the client's answer on the read
// goroutine would wait for ever, because that goroutine reads the answer.
// Notifications do not wait and may be sent from anywhere.
type client struct {
	ctx context.Context
	log *slog.Logger
	out *endpoint

	mu      sync.Mutex
	kinds   []string // in the order to run
	calls   map[string]clientCall
	wake    chan struct{}          // capacity 1
	waiting map[string]chan answer // by request id
	lastID  int
}

// clientCall makes requests to the client, with [client.call].
type clientCall func(ctx context.Context, c *client) error

// answer is what the client says to a request.
type answer struct {
	result jsonrpc2.RawMessage
	err    error
}

func newClient(ctx context.Context, log *slog.Logger) *client {
	return &client{
		ctx: ctx, log: log,
		calls:   map[string]clientCall{},
		wake:    make(chan struct{}, 1),
		waiting: map[string]chan answer{},
	}
}

// post has the call made soon. A call of the same kind that has not begun is replaced,
// so a client that never answers meets a bounded queue.
func (c *client) post(kind string, call clientCall) {
	c.mu.Lock()
	if _, waits := c.calls[kind]; !waits {
		c.kinds = append(c.kinds, kind)
	}
	c.calls[kind] = call
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// refresh posts a request without params and result, such as
// workspace/codeLens/refresh.
func (c *client) refresh(method string) {
	c.post(method, func(ctx context.Context, c *client) error {
		return c.call(ctx, method, nil, nil)
	})
}

func (c *client) run() {
	for {
		select {
		case <-c.ctx.Done():
			return
		case <-c.wake:
		}
		for kind, call := c.take(); call != nil; kind, call = c.take() {
			ctx, cancel := context.WithTimeout(c.ctx, answerTime)
			err := call(ctx, c)
			cancel()
			if err != nil {
				c.log.Info("the client did not do as asked", "request", kind, "reason", err)
			}
		}
	}
}

func (c *client) take() (string, clientCall) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.kinds) == 0 {
		return "", nil
	}
	kind := c.kinds[0]
	call := c.calls[kind]
	c.kinds = c.kinds[1:]
	delete(c.calls, kind)
	return kind, call
}

// call sends a request and waits for the answer, which it decodes into result unless
// that is nil. Only a clientCall may use it. The library's own Call is not used because
// it pools channels, which testing/synctest does not allow between tests.
func (c *client) call(ctx context.Context, method string, params, result any) error {
	raw, err := encodeParams(params)
	if err != nil {
		return err
	}
	id, come := c.expect()
	defer c.forget(id)
	if _, err := c.out.Write(ctx, jsonrpc2.NewCall(jsonrpc2.NewStringID(id), method, raw)); err != nil {
		return err
	}
	select {
	case a := <-come:
		if a.err != nil || result == nil || len(a.result) == 0 {
			return a.err
		}
		return codec{}.Unmarshal(a.result, result)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *client) expect() (id string, come chan answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lastID++
	id = fmt.Sprintf("toolpath-ls/%d", c.lastID)
	come = make(chan answer, 1)
	c.waiting[id] = come
	return id, come
}

func (c *client) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, id)
}

// deliver hands an answer to the call that waits for it. It does not wait. An answer
// that nobody waits for came too late, or was never asked for.
func (c *client) deliver(m jsonrpc2.MessageView) {
	id, _ := m.ID.StringValue()
	c.mu.Lock()
	come := c.waiting[id]
	delete(c.waiting, id)
	c.mu.Unlock()
	if come == nil {
		c.log.Debug("an answer that is not waited for", "id", string(m.IDRaw))
		return
	}
	a := answer{result: bytes.Clone(m.Result)}
	if m.Kind == jsonrpc2.MessageViewResponseError {
		a.err = errors.New("the client answered with an error")
		if e, ok := m.Error.Owned(); ok {
			a.err = e
		}
	}
	come <- a
}

func encodeParams(params any) (jsonrpc2.RawMessage, error) {
	if params == nil {
		return nil, nil
	}
	return codec{}.Marshal(params)
}

// notify sends a notification. It does not wait; a failure means that the session ends.
func (c *client) notify(method string, params any) {
	raw, err := encodeParams(params)
	if err == nil {
		_, err = c.out.Write(c.ctx, jsonrpc2.NewNotification(method, raw))
	}
	if err != nil && c.ctx.Err() == nil {
		c.log.Debug("notification not sent", "method", method, "reason", err)
	}
}

func (c *client) publish(p *protocol.PublishDiagnosticsParams) {
	c.notify(protocol.MethodTextDocumentPublishDiagnostics, p)
}

// showMessage tells the user something that needs an action.
func (c *client) showMessage(kind protocol.MessageType, text string) {
	c.notify(protocol.MethodWindowShowMessage, &protocol.ShowMessageParams{Type: kind, Message: text})
}

func (c *client) logMessage(level slog.Level, text string) {
	kind := protocol.MessageTypeWarning
	if level >= slog.LevelError {
		kind = protocol.MessageTypeError
	}
	c.notify(protocol.MethodWindowLogMessage, &protocol.LogMessageParams{Type: kind, Message: text})
}
