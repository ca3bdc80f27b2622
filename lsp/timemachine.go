package lsp

import (
	"context"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// momentResult is a place in a file as of a step, or in the file as it is now.
type momentResult struct {
	URI   string    `json:"uri"`
	Range rangeJSON `json:"range"`
	Step  *stepJSON `json:"step"` // null: the file as it is now
}

// previousTouch has the client show the file as the last step left it that touched the line
// at a place; at a place in such a virtual document it is the step before.
func previousTouch(ctx context.Context, s *session, snap *analysis.Snapshot, arg protocol.LSPAny) (any, error) {
	r, data, line, err := s.touchArgument(ctx, arg)
	if err != nil {
		return nil, err
	}
	var refusal error
	var m *analysis.Moment
	now := data.Now
	if r != nil {
		m, err = ask(ctx, s, s.work.Snapshot(), func(snap *analysis.Snapshot) (m *analysis.Moment, needs []analysis.Need) {
			m, needs, refusal = snap.EarlierThan(*r, data.Artifact, line, cancelled(ctx))
			return m, needs
		})
	} else {
		prov, line, source, perr := s.sourceAt(ctx, snap, arg)
		if prov == nil || perr != nil {
			return nil, perr
		}
		now = source.Now
		m, err = ask(ctx, s, s.work.Snapshot(), func(snap *analysis.Snapshot) (m *analysis.Moment, needs []analysis.Need) {
			m, needs, refusal = snap.Earlier(prov, source.Artifact, line, cancelled(ctx))
			return m, needs
		})
	}
	if err == nil {
		err = refusal
	}
	if m == nil || err != nil {
		return nil, err
	}
	return s.showMoment(m, now), nil
}

// nextTouch has the client show the file as the next step left it that touched the line at a
// place in a virtual document, or at last the file as it is now.
func nextTouch(ctx context.Context, s *session, _ *analysis.Snapshot, arg protocol.LSPAny) (any, error) {
	r, data, line, err := s.touchArgument(ctx, arg)
	if r == nil || err != nil {
		return nil, err
	}
	file := analysis.FilePath(data.Now)
	if file == "" {
		file = r.File(s.work.Snapshot(), data.Artifact)
	}
	if file == "" || s.opts.Source == nil {
		return nil, nil
	}
	s.awaitLoad(ctx)
	prov, err := s.work.Read(ctx, s.opts.Source, file)
	if prov == nil || err != nil {
		return nil, err
	}
	var refusal error
	m, err := ask(ctx, s, s.work.Snapshot(), func(snap *analysis.Snapshot) (m *analysis.Moment, needs []analysis.Need) {
		m, needs, refusal = snap.LaterThan(*r, data.Artifact, line, prov, cancelled(ctx))
		return m, needs
	})
	if err == nil {
		err = refusal
	}
	if m == nil || err != nil {
		return nil, err
	}
	return s.showMoment(m, analysis.FileURI(file)), nil
}

// touchArgument reads an argument whose place may lie in a file as of a step: r is that
// step, nil if the place lies elsewhere.
func (s *session) touchArgument(ctx context.Context, arg protocol.LSPAny) (r *analysis.StepRef, data contentData, line int, err error) {
	var p placeArgument
	if err := json.Unmarshal(arg, &p, lenient); err != nil {
		return nil, data, 0, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "the argument: %v", err)
	}
	kind, data, ok := parseContentURI(p.TextDocument.URI)
	if !ok || kind != contentAt {
		return nil, data, 0, nil
	}
	step, ok, err := s.findStep(ctx, stepData{data.Document, data.Path, data.Step})
	if err == nil && !ok {
		err = analysis.Refusal("the step " + data.Step + " is not there any more")
	}
	return &step, data, int(p.Position.Line), err
}

// showMoment has the client show a moment; now is the URI of the file as it is.
func (s *session) showMoment(m *analysis.Moment, now string) momentResult {
	at := positionJSON{Line: uint32(m.Line)}
	result := momentResult{URI: s.spelling(now), Range: rangeJSON{at, at}}
	if r := m.Step; r != nil {
		result.Step = new(s.stepJSON(*r))
		result.URI = s.fileURI(contentAt, *r, m.Artifact, now)
	}
	s.showDocument(result.URI, &result.Range)
	return result
}
