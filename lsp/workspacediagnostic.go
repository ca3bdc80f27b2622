package lsp

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// workspaceReport is what a client was told of the workspace last.
type workspaceReport struct {
	mu   sync.Mutex
	ids  map[string]string // results by URI
	seen uint64            // news that it knows of
}

// awaitNews lets a request for what the client was told last wait until it may be something
// else: a client that asks again and again then costs nothing while nothing happens. Only a
// client that wants it has to wait, since others take a request that is not answered for a
// server that hangs.
func awaitNews(ctx context.Context, s *session, p *protocol.WorkspaceDiagnosticParams) {
	if !s.pollsWait || len(p.PreviousResultIds) == 0 {
		return
	}
	s.polled.mu.Lock()
	ids, seen := s.polled.ids, s.polled.seen
	s.polled.mu.Unlock()
	if !maps.Equal(ids, resultIDs(p)) {
		return
	}
	select {
	case <-s.news.after(seen):
	case <-ctx.Done():
	}
}

func resultIDs(p *protocol.WorkspaceDiagnosticParams) map[string]string {
	ids := map[string]string{}
	for _, id := range p.PreviousResultIds {
		ids[string(id.URI)] = id.Value
	}
	return ids
}

// workspaceDiagnostic reports on all documents of the workspace, open or not; of one whose
// report the client has, only that nothing changed (LSP 3.18, workspace/diagnostic).
func workspaceDiagnostic(ctx context.Context, s *session, _ *analysis.Snapshot, p *protocol.WorkspaceDiagnosticParams) (*protocol.WorkspaceDiagnosticReport, error) {
	seen := s.news.seen()
	report, err := s.reportWorkspace(ctx, s.work.Snapshot(), resultIDs(p))
	if err != nil {
		return nil, err
	}
	ids := map[string]string{}
	for _, item := range report.Items {
		switch item := item.(type) {
		case *protocol.WorkspaceFullDocumentDiagnosticReport:
			ids[string(item.URI)] = *item.ResultID
		case *protocol.WorkspaceUnchangedDocumentDiagnosticReport:
			ids[string(item.URI)] = item.ResultID
		}
	}
	s.polled.mu.Lock()
	defer s.polled.mu.Unlock()
	s.polled.ids, s.polled.seen = ids, seen
	return report, nil
}

// reportWorkspace makes the report for a client that knows the results with these ids, by
// URI.
func (s *session) reportWorkspace(ctx context.Context, snap *analysis.Snapshot, known map[string]string) (*protocol.WorkspaceDiagnosticReport, error) {
	report := &protocol.WorkspaceDiagnosticReport{Items: []protocol.WorkspaceDocumentDiagnosticReport{}}
	for _, doc := range snap.Documents() {
		if doc.Kind() == analysis.Other {
			continue
		}
		full, err := s.openReport(ctx, snap, doc.URI)
		if err != nil {
			return nil, err
		}
		name, version := s.spelling(doc.URI), new(doc.Version)
		if known[name] == *full.ResultID || known[doc.URI] == *full.ResultID {
			report.Items = append(report.Items, &protocol.WorkspaceUnchangedDocumentDiagnosticReport{
				UnchangedDocumentDiagnosticReport: unchanged(*full.ResultID), URI: uri.URI(name), Version: version})
			continue
		}
		report.Items = append(report.Items, &protocol.WorkspaceFullDocumentDiagnosticReport{
			FullDocumentDiagnosticReport: full, URI: uri.URI(name), Version: version})
	}
	if s.opts.Source == nil {
		return report, nil
	}
	s.awaitLoad(ctx)
	for _, c := range s.work.Snapshot().ClosedDocuments() {
		// Another setting makes other findings of the same content.
		id := fmt.Sprintf("%s-%d", c.Hash, s.configured.Load())
		if known[c.URI] == id {
			report.Items = append(report.Items, &protocol.WorkspaceUnchangedDocumentDiagnosticReport{
				UnchangedDocumentDiagnosticReport: unchanged(id), URI: uri.URI(c.URI)})
			continue
		}
		full, err := s.closedReport(ctx, snap, c, id)
		if err != nil {
			return nil, err
		}
		report.Items = append(report.Items, full)
	}
	return report, ctx.Err()
}

func (s *session) closedReport(ctx context.Context, snap *analysis.Snapshot, c analysis.ClosedDocument, id string) (*protocol.WorkspaceFullDocumentDiagnosticReport, error) {
	full := &protocol.WorkspaceFullDocumentDiagnosticReport{
		FullDocumentDiagnosticReport: protocol.FullDocumentDiagnosticReport{Kind: "full", ResultID: new(id), Items: []protocol.Diagnostic{}},
		URI:                          uri.URI(c.URI)}
	doc, found, err := snap.CheckClosed(ctx, s.opts.Source, c)
	if err != nil || doc == nil {
		return full, err
	}
	kept, left := mostSevere(found, maxPublished, func(d analysis.Diagnostic) int { return int(d.Severity) })
	conv := &converter{text: doc.Text, encoding: s.encoding}
	for _, d := range kept {
		full.Items = append(full.Items, s.diagnostic(doc.URI, conv, d))
	}
	if len(left) > 0 {
		full.Items = append(full.Items, leftOut(conv.span(left[0].Start, left[0].End), len(left)))
	}
	return full, nil
}
