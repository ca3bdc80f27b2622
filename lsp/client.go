package lsp

import (
	"context"
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
	ctx  context.Context
	log  *slog.Logger
	conn jsonrpc2.Conn

	mu    sync.Mutex
	kinds []string // in the order to run
	calls map[string]clientCall
	wake  chan struct{} // capacity 1
}

// clientCall makes one request to the client.
type clientCall func(ctx context.Context, conn jsonrpc2.Conn) error

func newClient(ctx context.Context, log *slog.Logger) *client {
	return &client{ctx: ctx, log: log, calls: map[string]clientCall{}, wake: make(chan struct{}, 1)}
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
	c.post(method, func(ctx context.Context, conn jsonrpc2.Conn) error {
		_, err := conn.Call(ctx, method, nil, nil)
		return err
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
			err := call(ctx, c.conn)
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

// notify sends a notification. It does not wait; a failure means that the session ends.
func (c *client) notify(method string, params any) {
	if err := c.conn.Notify(c.ctx, method, params); err != nil && c.ctx.Err() == nil {
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
