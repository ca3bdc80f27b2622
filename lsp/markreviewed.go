package lsp

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// commandMarkReviewed records that a human has looked at lines of agents: a step that approves
// them, in the document that tells of them, which the client applies as an edit. Its argument
// is a reviewArgument, its result {lines}: how many.
const commandMarkReviewed = "toolpath.markReviewed"

// reviewKind is that of the action that marks lines as reviewed.
const reviewKind = protocol.CodeActionKind("toolpath.review")

// reviewArgument names lines of a source file. An empty range stands for the run of lines that
// it is in.
type reviewArgument struct {
	TextDocument struct {
		URI string `json:"uri"`
	} `json:"textDocument"`
	Range rangeJSON `json:"range"`
	Actor string    `json:"actor,omitempty"` // "": that of the setting review.actor
}

type reviewResult struct {
	Lines int `json:"lines"`
}

// reviewed are the lines [from, to) that a range of a source file means.
func (s *session) reviewedLines(doc *analysis.Document, prov *analysis.Provenance, reviews *analysis.Reviews, r protocol.Range) (from, to int) {
	start, end := s.offset(doc.Text, r.Start), s.offset(doc.Text, r.End)
	from = prov.LineOf(start)
	if start == end {
		for _, run := range prov.Unreviewed(0, prov.Len(), reviews) {
			if run.Start <= from && from < run.End {
				return run.Start, run.End
			}
		}
		return from, from + 1
	}
	to = prov.LineOf(end)
	if end > prov.LineStart(to) { // a range that ends at the start of a line does not hold it
		to++
	}
	return from, to
}

// markReviewedAction offers to mark the lines of a range as reviewed, if the client has said
// who does.
func (s *session) markReviewedAction(ctx context.Context, doc *analysis.Document, r protocol.Range) (*protocol.CodeAction, error) {
	actor := s.settings.Load().ReviewActor
	if actor == "" {
		return nil, nil
	}
	prov, err := s.provenance(ctx, doc)
	if err != nil || prov == nil {
		return nil, err
	}
	reviews := s.reviews(ctx, prov)
	from, to := s.reviewedLines(doc, prov, reviews, r)
	lines := 0
	for _, run := range prov.Unreviewed(from, to, reviews) {
		lines += run.End - run.Start
	}
	if lines == 0 {
		return nil, nil
	}
	var a reviewArgument
	a.TextDocument.URI = s.spelling(doc.URI)
	a.Range = rangeJSON{positionJSON(r.Start), positionJSON(r.End)}
	raw, err := argument(a)
	if err != nil {
		return nil, err
	}
	what := "this line"
	if lines > 1 {
		what = fmt.Sprintf("%d lines", lines)
	}
	title := fmt.Sprintf("Mark %s as reviewed by %s", what, clip([]byte(actor), 60))
	return &protocol.CodeAction{Title: title, Kind: new(reviewKind),
		Command: protocol.Command{Title: title, Command: commandMarkReviewed, Arguments: []protocol.LSPAny{raw}}}, nil
}

// markReviewed runs commandMarkReviewed.
func markReviewed(ctx context.Context, s *session, snap *analysis.Snapshot, arg protocol.LSPAny) (any, error) {
	var a reviewArgument
	if err := json.Unmarshal(arg, &a, lenient); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "the argument: %v", err)
	}
	key, err := canonical(a.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	doc := snap.Document(key)
	if doc == nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s is not open", clip([]byte(a.TextDocument.URI), 200))
	}
	actor := cmp.Or(a.Actor, s.settings.Load().ReviewActor)
	if actor == "" {
		return nil, analysis.Refusal(`it is not known who reviews: name yourself in the setting toolpath.review.actor, such as "human:alex"`)
	}
	prov, err := s.provenance(ctx, doc)
	if err != nil {
		return nil, err
	}
	if prov == nil {
		return nil, analysis.Refusal("no document tells who wrote this file")
	}
	reviews := s.reviews(ctx, prov)
	from, to := s.reviewedLines(doc, prov, reviews, protocol.Range{Start: position(a.Range.Start), End: position(a.Range.End)})
	approval, err := prov.Approve(from, to, reviews, actor, time.Now().UTC().Format(time.RFC3339))
	if err != nil {
		return nil, err
	}
	edit := s.workspaceEdits(approval.Edits)
	s.client.post(protocol.MethodWorkspaceApplyEdit, func(ctx context.Context, c *client) error {
		return c.call(ctx, protocol.MethodWorkspaceApplyEdit, &protocol.ApplyWorkspaceEditParams{Label: new("Mark as reviewed"), Edit: *edit}, nil)
	})
	return reviewResult{approval.Lines}, nil
}
