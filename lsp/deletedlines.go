package lsp

import (
	"context"
	"path"

	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// deletedLinesResult is that of toolpath/deletedLines: what once stood above a line and was
// taken away without anything in its place.
type deletedLinesResult struct {
	URI     string        `json:"uri"`
	Version *int32        `json:"version"` // null of a file as of a step
	Line    int           `json:"line"`    // 0-based: the gap is above it
	Lines   []deletedLine `json:"lines"`   // in the order in which they stood
}

type deletedLine struct {
	Text string `json:"text"`
	// Wrote is the step that wrote the line, RemovedBy the one that took it away; null where
	// that is not known.
	Wrote     *stepJSON `json:"wrote"`
	RemovedBy *stepJSON `json:"removedBy"`
	Grade     string    `json:"grade"` // of RemovedBy
}

// maxDeletedLines bounds an answer: the last ones above the line.
const maxDeletedLines = 1000

func deletedLines(ctx context.Context, s *session, snap *analysis.Snapshot, p *lineParams) (*deletedLinesResult, error) {
	version, _, prov, line, err := s.provenanceAt(ctx, snap, p)
	if err != nil {
		return nil, err
	}
	result := &deletedLinesResult{URI: p.TextDocument.URI, Version: version, Line: int(p.Position.Line), Lines: []deletedLine{}}
	if prov == nil {
		return result, nil
	}
	all := prov.DeletedBefore(line)
	for _, d := range all[max(0, len(all)-maxDeletedLines):] {
		out := deletedLine{Text: validText(d.Text), Grade: d.Grade.String()}
		if d.Wrote != nil {
			out.Wrote = new(s.stepJSON(*d.Wrote))
		}
		if d.By != nil {
			out.RemovedBy = new(s.stepJSON(*d.By))
		}
		result.Lines = append(result.Lines, out)
	}
	return result, nil
}

// showDeleted has the client show what once stood above the line at a place: as a virtual
// document, or as a message if the client has none. It answers the URI, or null if nothing did.
func showDeleted(ctx context.Context, s *session, snap *analysis.Snapshot, arg protocol.LSPAny) (any, error) {
	doc, off, err := s.place(snap, arg)
	if doc == nil || err != nil || doc.Kind() != analysis.Other {
		return nil, err
	}
	prov, err := s.provenance(ctx, doc)
	if err != nil || prov == nil {
		return nil, err
	}
	line := prov.LineOf(off)
	gone := prov.DeletedBefore(line)
	if len(gone) == 0 {
		return nil, nil
	}
	name := s.spelling(doc.URI)
	u := contentURI(contentDeleted, path.Base(doc.Path)+".diff", contentData{Now: doc.URI, Line: line})
	if s.showsContent() {
		s.showDocument(u, nil)
	} else {
		const most = 20 // lines of a message
		s.client.post(protocol.MethodWindowShowMessage, func(_ context.Context, c *client) error {
			c.showMessage(protocol.MessageTypeInfo, analysis.DeletedText(path.Base(doc.Path), line, gone, most))
			return nil
		})
	}
	return deletedShown{URI: u, File: name, Line: line}, nil
}

type deletedShown struct {
	URI  string `json:"uri"`
	File string `json:"file"`
	Line int    `json:"line"`
}

// showsContent says whether the client shows virtual documents.
func (s *session) showsContent() bool {
	w := s.clientCaps.Workspace
	return w != nil && w.TextDocumentContent != nil || len(s.commandLinks) > 0
}

// deletedContent is the text of the virtual document.
func (s *session) deletedContent(ctx context.Context, data contentData) (string, error) {
	doc := s.work.Snapshot().Document(data.Now)
	if doc == nil {
		return "", analysis.Refusal("the file is not open any more")
	}
	prov, err := s.provenance(ctx, doc)
	if err != nil || prov == nil {
		return "", err
	}
	return analysis.DeletedText(path.Base(doc.Path), data.Line, prov.DeletedBefore(data.Line), maxDeletedLines), nil
}

// deletedKind is that of the action that shows what once stood above a line.
const deletedKind = protocol.CodeActionKind("toolpath.deleted")

// deletedAction offers what was deleted above the line at a position, or below it if it is
// the last one.
func (s *session) deletedAction(ctx context.Context, doc *analysis.Document, at protocol.Position) (*protocol.CodeAction, error) {
	prov, err := s.provenance(ctx, doc)
	if err != nil || prov == nil {
		return nil, err
	}
	line := prov.LineOf(s.offset(doc.Text, at))
	title := "Show what was deleted above this line"
	if len(prov.DeletedBefore(line)) == 0 {
		if line++; line != prov.Len() || len(prov.DeletedBefore(line)) == 0 {
			return nil, nil
		}
		title = "Show what was deleted below this line"
	}
	off := prov.LineStart(line)
	place := placeArgument{Position: positionJSON(rangeOf(s.span(doc.Text, off, off)).Start)}
	place.TextDocument.URI = s.spelling(doc.URI)
	raw, err := argument(place)
	if err != nil {
		return nil, err
	}
	return &protocol.CodeAction{Title: title, Kind: new(deletedKind),
		Command: protocol.Command{Title: title, Command: commandDeleted, Arguments: []protocol.LSPAny{raw}}}, nil
}
