package lsp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// pullGrace is how long the first diagnostics of a document are held back from a client
// that can pull them, to see whether it does: what is pulled is not pushed as well, since
// editors would show it twice.
const pullGrace = 500 * time.Millisecond

// pulls remembers for which documents the client asks for diagnostics itself.
type pulls struct {
	mu   sync.Mutex
	docs map[string]*pulled
}

type pulled struct {
	asked   bool // the client pulls
	settled bool // the grace is over
	held    *protocol.PublishDiagnosticsParams
}

// of returns the state of a document; the caller holds the lock.
func (p *pulls) of(key string) *pulled {
	if p.docs == nil {
		p.docs = map[string]*pulled{}
	}
	if p.docs[key] == nil {
		p.docs[key] = &pulled{}
	}
	return p.docs[key]
}

// note says that the client pulls for the document, and returns whether anything was
// pushed before.
func (p *pulls) note(key string) (pushed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	d := p.of(key)
	pushed = !d.asked && d.settled
	d.asked, d.settled, d.held = true, true, nil
	return pushed
}

func (p *pulls) has(key string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.docs[key] != nil && p.docs[key].asked
}

func (p *pulls) forget(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.docs, key)
}

// push publishes diagnostics unless the client pulls them.
func (s *session) push(p *protocol.PublishDiagnosticsParams) {
	key, err := canonical(string(p.URI))
	if _, open := s.docs.get(key); err != nil || !open {
		s.client.publish(p)
		return
	}
	s.pulls.mu.Lock()
	defer s.pulls.mu.Unlock()
	switch d := s.pulls.of(key); {
	case d.asked:
	case d.settled || !s.canPull():
		d.settled = true
		s.client.publish(p)
	default:
		first := d.held == nil
		if d.held = p; first {
			time.AfterFunc(pullGrace, func() { s.release(key, d) })
		}
	}
}

// release pushes what was held back, if the client has not pulled since.
func (s *session) release(key string, d *pulled) {
	s.pulls.mu.Lock()
	defer s.pulls.mu.Unlock()
	if d.held == nil || s.pulls.docs[key] != d || s.ctx.Err() != nil {
		return
	}
	s.client.publish(d.held)
	d.settled, d.held = true, nil
}

func (s *session) canPull() bool {
	td := s.clientCaps.TextDocument
	return td != nil && td.Diagnostic != nil
}

// diagnostic answers with what would be pushed, or that it is what the client has (LSP 3.18,
// textDocument/diagnostic).
func diagnostic(ctx context.Context, s *session, snap *analysis.Snapshot, p *protocol.DocumentDiagnosticParams) (protocol.DocumentDiagnosticReport, error) {
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
	full, err := s.openReport(ctx, snap, key)
	if err != nil {
		return nil, err
	}
	if p.PreviousResultID != nil && *p.PreviousResultID == *full.ResultID {
		return &protocol.RelatedUnchangedDocumentDiagnosticReport{UnchangedDocumentDiagnosticReport: unchanged(*full.ResultID)}, nil
	}
	report.FullDocumentDiagnosticReport = full
	return report, nil
}

// openReport checks an open document. The report's id is a digest of what is found, so that
// it tells whether anything changed, whatever that may follow from.
func (s *session) openReport(ctx context.Context, snap *analysis.Snapshot, key string) (report protocol.FullDocumentDiagnosticReport, err error) {
	defer s.rests.over(key)
	items := s.check(ctx, snap, key)
	if err := ctx.Err(); err != nil {
		return report, err
	}
	if items == nil {
		items = []protocol.Diagnostic{}
	}
	raw, err := codec{}.Marshal(items)
	if err != nil {
		return report, err
	}
	digest := sha256.Sum256(raw)
	return protocol.FullDocumentDiagnosticReport{Kind: "full", ResultID: new(hex.EncodeToString(digest[:16])), Items: items}, nil
}

func unchanged(id string) protocol.UnchangedDocumentDiagnosticReport {
	return protocol.UnchangedDocumentDiagnosticReport{Kind: "unchanged", ResultID: id}
}

// refreshDiagnostics has the client pull again what it pulls.
func (s *session) refreshDiagnostics() {
	s.news.tell()
	if w := s.clientCaps.Workspace; w != nil && w.Diagnostics != nil && isTrue(w.Diagnostics.RefreshSupport) {
		s.client.refresh(protocol.MethodWorkspaceDiagnosticRefresh)
	}
}
