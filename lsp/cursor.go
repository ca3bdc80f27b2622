package lsp

import (
	"context"
	"errors"
	"sync"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// cursor is where the user is, as far as the client tells: by the notification
// toolpath/cursor, or by asking for the highlights of a place, which editors do when the
// cursor comes to rest.
type cursor struct {
	mu   sync.Mutex
	key  string // canonical URI; "" = not known
	line uint32
}

// move sets the place, and says whether it is another line than before.
func (c *cursor) move(key string, line uint32) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	moved := c.key != key || c.line != line
	c.key, c.line = key, line
	return moved
}

// lineIn returns the line of the cursor, if it is in the document.
func (c *cursor) lineIn(key string) (line uint32, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.line, c.key != "" && c.key == key
}

type cursorParams struct {
	TextDocument struct {
		URI string `json:"uri"`
	} `json:"textDocument"`
	Position *positionJSON `json:"position"`
}

func (p *cursorParams) decodeParams(raw jsonrpc2.RawMessage) error {
	if err := json.Unmarshal(raw, p, lenient); err != nil {
		return err
	}
	if p.Position == nil {
		return errors.New("position is missing")
	}
	return nil
}

// onCursor is the notification toolpath/cursor.
func onCursor(_ context.Context, s *session, p *cursorParams) error {
	doc, err := s.openAt(p.TextDocument.URI)
	if err == nil {
		s.moveCursor(doc.key, p.Position.Line)
	}
	return err
}

// moveCursor has the hint of the current line shown where the cursor is now.
func (s *session) moveCursor(key string, line uint32) {
	if !s.cursor.move(key, line) || s.settings.Load().BlameHints != hintsLine {
		return
	}
	if w := s.clientCaps.Workspace; w != nil && w.InlayHint != nil && isTrue(w.InlayHint.RefreshSupport) {
		s.client.refresh(protocol.MethodWorkspaceInlayHintRefresh)
	}
}
