package lsp

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"
)

// progress shows a long piece of work in the client, if the client can show it. A nil
// progress shows nothing. Its methods do not wait.
type progress struct {
	client *client
	token  string
	shown  bool // belongs to the client's goroutine
}

// beginProgress asks the client for a progress display named by the title.
func (s *session) beginProgress(title string) *progress {
	w := s.clientCaps.Window
	if w == nil || w.WorkDoneProgress == nil || !*w.WorkDoneProgress {
		return nil
	}
	p := &progress{client: s.client, token: fmt.Sprintf("toolpath-ls/%d", s.progresses.Add(1))}
	p.client.post("progress "+p.token, func(ctx context.Context, c *client) error {
		create := &protocol.WorkDoneProgressCreateParams{Token: protocol.String(p.token)}
		if err := c.call(ctx, protocol.MethodWindowWorkDoneProgressCreate, create, nil); err != nil {
			return err
		}
		p.shown = true
		p.send(&protocol.WorkDoneProgressBegin{Kind: "begin", Title: title})
		return nil
	})
	return p
}

// end closes the display with a last message.
func (p *progress) end(message string) {
	if p == nil {
		return
	}
	p.client.post("progress end "+p.token, func(context.Context, *client) error {
		if p.shown {
			p.send(&protocol.WorkDoneProgressEnd{Kind: "end", Message: &message})
		}
		return nil
	})
}

func (p *progress) send(value any) {
	raw, err := protocol.Marshal(value)
	if err != nil {
		return
	}
	p.client.notify(protocol.MethodProgress, &protocol.ProgressParams{Token: protocol.String(p.token), Value: raw})
}
