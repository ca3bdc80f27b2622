package lsp

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// workspaceDiagnostic reports on all documents of the workspace, open or not; of one whose
// report the client has, only that nothing changed (LSP 3.18, workspace/diagnostic).
func workspaceDiagnostic(ctx context.Context, s *session, snap *analysis.Snapshot, p *protocol.WorkspaceDiagnosticParams) (*protocol.WorkspaceDiagnosticReport, error) {
	report := &protocol.WorkspaceDiagnosticReport{Items: []protocol.WorkspaceDocumentDiagnosticReport{}}
	known := map[string]string{}
	for _, id := range p.PreviousResultIds {
		known[string(id.URI)] = id.Value
	}
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
