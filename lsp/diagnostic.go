package lsp

import (
	"context"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// pulls remembers for which documents the client asks for diagnostics itself. What is
// pulled is not pushed as well, since editors would show it twice.
type pulls struct {
	mu   sync.Mutex
	keys map[string]bool
}

// note returns whether this is the first time that the client pulls for the document.
func (p *pulls) note(key string) (first bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.keys[key] {
		return false
	}
	if p.keys == nil {
		p.keys = map[string]bool{}
	}
	p.keys[key] = true
	return true
}

func (p *pulls) has(key string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.keys[key]
}

func (p *pulls) forget(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.keys, key)
}

// push publishes diagnostics unless the client pulls them.
func (s *session) push(p *protocol.PublishDiagnosticsParams) {
	if key, err := canonical(string(p.URI)); err == nil && len(p.Diagnostics) > 0 && s.pulls.has(key) {
		return
	}
	s.client.publish(p)
}

// diagnostic answers with what would be pushed (LSP 3.18, textDocument/diagnostic).
func diagnostic(ctx context.Context, s *session, snap *analysis.Snapshot, p *protocol.DocumentDiagnosticParams) (*protocol.RelatedFullDocumentDiagnosticReport, error) {
	key := string(p.TextDocument.URI)
	report := &protocol.RelatedFullDocumentDiagnosticReport{
		FullDocumentDiagnosticReport: protocol.FullDocumentDiagnosticReport{Kind: "full", Items: []protocol.Diagnostic{}}}
	doc := snap.Document(key)
	if doc == nil {
		return report, nil
	}
	if s.pulls.note(key) {
		s.client.publish(&protocol.PublishDiagnosticsParams{URI: uri.URI(s.spelling(key)), Version: protocol.NewOptional(doc.Version)})
	}
	if items := s.check(ctx, snap, key); items != nil {
		report.Items = items
	}
	return report, ctx.Err()
}

// refreshDiagnostics has the client pull again what it pulls.
func (s *session) refreshDiagnostics() {
	if w := s.clientCaps.Workspace; w != nil && w.Diagnostics != nil && isTrue(w.Diagnostics.RefreshSupport) {
		s.client.refresh(protocol.MethodWorkspaceDiagnosticRefresh)
	}
}
