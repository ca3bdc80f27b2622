package lsp

import (
	"context"
	"fmt"
	"sync/atomic"

	"go.lsp.dev/protocol"
)

// progress shows a long piece of work in the client, if the client can show it. A nil
// progress shows nothing. Its methods do not wait.
type progress struct {
	client *client
	token  string
	shown  bool // belongs to the client's goroutine
	told   atomic.Int32
	forget func()
}

// beginProgress asks the client for a progress display named by the title, by which the user
// may cancel the work.
func (s *session) beginProgress(title string, cancel func()) *progress {
	w := s.clientCaps.Window
	if w == nil || w.WorkDoneProgress == nil || !*w.WorkDoneProgress {
		return nil
	}
	p := &progress{client: s.client, token: fmt.Sprintf("toolpath-ls/%d", s.progresses.Add(1))}
	s.cancels.Store(p.token, cancel)
	p.forget = func() { s.cancels.Delete(p.token) }
	p.client.post("progress "+p.token, func(ctx context.Context, c *client) error {
		create := &protocol.WorkDoneProgressCreateParams{Token: protocol.String(p.token)}
		if err := c.call(ctx, protocol.MethodWindowWorkDoneProgressCreate, create, nil); err != nil {
			return err
		}
		p.shown = true
		p.send(&protocol.WorkDoneProgressBegin{Kind: "begin", Title: title, Cancellable: new(true), Percentage: new(uint32(0))})
		return nil
	})
	return p
}

// report shows how much of the work is done, by whole percents.
func (p *progress) report(done, total int) {
	if p == nil || total == 0 {
		return
	}
	percent := int32(100 * done / total)
	if before := p.told.Load(); percent <= before || !p.told.CompareAndSwap(before, percent) {
		return
	}
	message := fmt.Sprintf("%d/%d", done, total)
	p.client.post("progress report "+p.token, func(context.Context, *client) error {
		if p.shown {
			p.send(&protocol.WorkDoneProgressReport{Kind: "report", Message: &message, Percentage: new(uint32(percent))})
		}
		return nil
	})
}

// cancelProgress is window/workDoneProgress/cancel.
func cancelProgress(_ context.Context, s *session, p *protocol.WorkDoneProgressCancelParams) error {
	token, ok := p.Token.(protocol.String)
	if !ok {
		return nil
	}
	if cancel, ok := s.cancels.Load(string(token)); ok {
		cancel.(func())()
	}
	return nil
}

// end closes the display with a last message.
func (p *progress) end(message string) {
	if p == nil {
		return
	}
	p.forget()
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
