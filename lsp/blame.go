package lsp

import (
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// blameParams are the params of the request toolpath/blame: a document and, optionally,
// the range whose lines are asked for, and the actors to ignore in place of the setting
// blame.ignore.
type blameParams struct {
	TextDocument struct {
		URI string `json:"uri"`
	} `json:"textDocument"`
	Range  *rangeJSON `json:"range"`
	Ignore *[]string  `json:"ignore"`
}

func (p *blameParams) decodeParams(raw jsonrpc2.RawMessage) error {
	if err := json.Unmarshal(raw, p, lenient); err != nil {
		return err
	}
	if p.TextDocument.URI == "" {
		return errors.New("textDocument.uri is missing")
	}
	return nil
}

// blameResult is its result. Runs are in order and cover the lines asked for; what
// belongs to no step has null for it.
type blameResult struct {
	URI      string     `json:"uri"`
	Version  *int32     `json:"version"` // null of a file as of a step
	Runs     []blameRun `json:"runs"`
	Problems []string   `json:"problems"`
	// Summary is of the whole file; null if no document speaks of it.
	Summary *blameSummary `json:"summary"`
}

// blameSummary sums up who wrote a file.
type blameSummary struct {
	Text   string       `json:"text"` // for a status bar
	Lines  int          `json:"lines"`
	Actors []blameActor `json:"actors"` // those who wrote most first
	// The lines that belong to no step.
	Base       int `json:"base"`
	Changed    int `json:"changed"`
	Unrecorded int `json:"unrecorded"`
}

type blameActor struct {
	Actor   string `json:"actor"`
	Kind    string `json:"kind"`
	Color   int    `json:"color"` // [0, 8)
	Lines   int    `json:"lines"`
	Percent int    `json:"percent"`
}

type blameRun struct {
	Range     rangeJSON `json:"range"`     // whole lines
	StartLine int       `json:"startLine"` // 0-based
	EndLine   int       `json:"endLine"`   // not in it
	State     string    `json:"state"`     // recorded, base, changed or unrecorded
	Grade     string    `json:"grade"`     // exact, fuzzy, inferred, base, changed, unsaved or unrecorded
	Step      *string   `json:"step"`
	Path      *string   `json:"path"`
	Document  *string   `json:"document"`
	Actor     *string   `json:"actor"`
	Timestamp *string   `json:"timestamp"`
	Intent    *string   `json:"intent"`
	// Commit is the commit that brought lines for which no step is known; it is not on
	// record who wrote them.
	Commit *commitJSON `json:"commit,omitzero"`
}

type commitJSON struct {
	ID      string `json:"id"`
	Author  string `json:"author"`
	Time    string `json:"time"` // RFC 3339
	Summary string `json:"summary"`
}

// blame answers who wrote the lines of an open document, or of a file as of a step, for clients
// that draw it themselves. The result names the version that it is about.
func blame(ctx context.Context, s *session, snap *analysis.Snapshot, p *blameParams) (*blameResult, error) {
	result := &blameResult{URI: p.TextDocument.URI, Runs: []blameRun{}, Problems: []string{}}
	prov, _, isPast, err := s.past(ctx, p.TextDocument.URI)
	var doc *analysis.Document
	if !isPast {
		key, err := canonical(p.TextDocument.URI)
		if err != nil {
			return nil, err
		}
		if doc = snap.Document(key); doc == nil {
			return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s is not open", p.TextDocument.URI)
		}
		result.Version = &doc.Version
		if doc.Kind() != analysis.Other {
			return result, nil
		}
		if prov, err = s.provenance(ctx, doc); err != nil {
			return nil, err
		}
	}
	if err != nil || prov == nil || len(prov.Accounts) == 0 {
		return result, err
	}
	if p.Ignore != nil {
		ignore, err := analysis.NewIgnore(*p.Ignore)
		if err != nil {
			return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "ignore: %v", err)
		}
		prov = prov.Ignoring(ignore)
	}
	if doc != nil {
		prov = s.commits.with(ctx, doc, prov)
	}
	from, to := 0, prov.Len()
	if p.Range != nil {
		from = prov.LineOf(s.offset(prov.Text, position(p.Range.Start)))
		to = min(to, prov.LineOf(s.offset(prov.Text, position(p.Range.End)))+1)
	}
	c := &converter{text: prov.Text, encoding: s.encoding}
	for _, r := range prov.Runs(from, to) {
		result.Runs = append(result.Runs, s.blameRun(c, prov, r))
	}
	result.Problems = append(result.Problems, prov.Problems()...)
	result.Summary = summaryOf(prov)
	return result, nil
}

func position(p positionJSON) protocol.Position {
	return protocol.Position{Line: p.Line, Character: p.Character}
}

func (s *session) blameRun(c *converter, prov *analysis.Provenance, r analysis.Run) blameRun {
	span := c.span(prov.LineStart(r.Start), prov.LineStart(r.End))
	run := blameRun{
		Range:     rangeJSON{positionJSON{span.Start.Line, span.Start.Character}, positionJSON{span.End.Line, span.End.Character}},
		StartLine: int(span.Start.Line), EndLine: int(span.Start.Line) + r.End - r.Start,
		State: analysis.StateName(r.State), Grade: r.Grade.String(),
	}
	if r.State == provenance.StateRecorded && r.Step != nil {
		j := s.stepJSON(*r.Step)
		run.Step, run.Path, run.Document = &j.Step, &j.Path, &j.Document
		run.Actor, run.Timestamp, run.Intent = &j.Actor, &j.Timestamp, optional(j.Intent)
	}
	if c := r.Commit; c != nil {
		run.Commit = &commitJSON{c.ID, c.Author, c.Time.Format(time.RFC3339), c.Summary}
	}
	return run
}

func summaryOf(prov *analysis.Provenance) *blameSummary {
	sum, colors := prov.Summary(), prov.Colors()
	out := &blameSummary{Text: sum.Words(), Lines: sum.Lines, Actors: []blameActor{}, Base: sum.Base, Changed: sum.Changed,
		Unrecorded: sum.Lines - sum.Recorded - sum.Base - sum.Changed}
	for _, share := range sum.Shares {
		out.Actors = append(out.Actors, blameActor{share.Actor, toolpath.ActorKind(share.Actor), colors[share.Actor], share.Lines, share.Percent(sum.Lines)})
	}
	return out
}
