package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// past returns who wrote the lines of a file as of a step, if the URI is that of such a virtual
// document, which a client can ask about as about an open source file; ok is false for any
// other URI. Steps of actors whom the user ignores do not count.
func (s *session) past(ctx context.Context, name string) (prov *analysis.Provenance, data contentData, ok bool, err error) {
	kind, data, ok := parseContentURI(name)
	if !ok || kind != contentAt && kind != contentBefore && kind != contentAfter {
		return nil, data, false, nil
	}
	r, found, err := s.findStep(ctx, stepData{data.Document, data.Path, data.Step})
	switch {
	case err != nil:
		return nil, data, true, err
	case !found:
		return nil, data, true, analysis.Refusal("the step " + data.Step + " is not there any more")
	}
	var refusal error
	prov, err = ask(ctx, s, s.work.Snapshot(), func(snap *analysis.Snapshot) (p *analysis.Provenance, needs []analysis.Need) {
		p, needs, refusal = snap.ProvenanceAt(r, data.Artifact, kind == contentBefore, cancelled(ctx))
		return p, needs
	})
	if err == nil {
		err = refusal
	}
	if prov == nil || err != nil {
		return nil, data, true, err
	}
	return prov.Ignoring(s.settings.Load().Ignore), data, true, nil
}

// writerOf returns the step that last wrote the line at a place in a source file, open or as of
// a step; isSource is false for a place anywhere else.
func (s *session) writerOf(ctx context.Context, snap *analysis.Snapshot, arg protocol.LSPAny) (r *analysis.StepRef, of subject, isSource bool, err error) {
	prov, line, data, err := s.sourceAt(ctx, snap, arg)
	if data == nil || prov == nil || err != nil {
		return nil, subject{}, data != nil, err
	}
	l := prov.Line(line)
	if l.Step == nil || l.State != provenance.StateRecorded {
		return nil, subject{}, true, nil
	}
	return l.Step, subject{data.Artifact, data.Now, prov, line}, true, nil
}

// sourceAt returns what is known of a source file, open or as of a step, in which a place is,
// and the line of the place; data names the file, and is nil for a place anywhere else.
func (s *session) sourceAt(ctx context.Context, snap *analysis.Snapshot, arg protocol.LSPAny) (prov *analysis.Provenance, line int, data *contentData, err error) {
	p, err := decodePlace(arg)
	if err != nil {
		return nil, 0, nil, err
	}
	if prov, data, ok, err := s.past(ctx, p.TextDocument.URI); ok {
		if prov != nil {
			line = prov.LineOf(s.offset(prov.Text, position(p.Position)))
		}
		return prov, line, &data, err
	}
	doc, off, err := s.placeIn(snap, p)
	if doc == nil || doc.Kind() != analysis.Other || err != nil {
		return nil, 0, nil, err
	}
	prov, err = s.provenance(ctx, doc)
	if prov != nil {
		line = prov.LineOf(off)
	}
	return prov, line, &contentData{Artifact: doc.Path, Now: doc.URI}, err
}

// fileBeforeStep answers the file at a place as it was before the step that wrote the line, and
// where the line was, or would be. Null if no step is known to have written it.
func fileBeforeStep(ctx context.Context, s *session, snap *analysis.Snapshot, arg protocol.LSPAny) (any, error) {
	prov, line, data, err := s.sourceAt(ctx, snap, arg)
	if prov == nil || err != nil {
		return nil, err
	}
	var refusal error
	m, err := ask(ctx, s, s.work.Snapshot(), func(snap *analysis.Snapshot) (m *analysis.Moment, needs []analysis.Need) {
		m, needs, refusal = snap.Before(prov, data.Artifact, line, cancelled(ctx))
		return m, needs
	})
	if err == nil {
		err = refusal
	}
	if m == nil || err != nil {
		return nil, err
	}
	at := positionJSON{Line: uint32(m.Line)}
	return momentResult{s.fileURI(contentBefore, *m.Step, m.Artifact, data.Now), rangeJSON{at, at}, new(s.stepJSON(*m.Step))}, nil
}

// subjectOf returns the source file that an argument names, open or as of a step or neither.
func (s *session) subjectOf(ctx context.Context, named *stepArgument) (subject, error) {
	line := 0
	if named.Position != nil {
		line = int(named.Position.Line)
	}
	if prov, data, ok, err := s.past(ctx, named.File); ok {
		return subject{data.Artifact, data.Now, prov, line}, err
	}
	return subject{analysis.FilePath(named.File), named.File, nil, line}, nil
}

// fileAtStepResult is the result of the command toolpath.fileAtStep.
type fileAtStepResult struct {
	URI  string `json:"uri"`
	Line *int   `json:"line,omitzero"` // 0-based
}

// fileAtStep answers the URI of a file as of a step: of the source file at a place as the
// step that wrote the line left it, or of the artifact whose change the place lies in; of a
// source file also where the line was, or else the one above. Null if there is none.
func fileAtStep(ctx context.Context, s *session, snap *analysis.Snapshot, arg protocol.LSPAny) (any, error) {
	r, of, err := s.stepOfArgument(ctx, snap, arg)
	if r == nil || of.artifact == "" || err != nil {
		return nil, err
	}
	if of.prov == nil && of.now != "" && s.opts.Source != nil {
		s.awaitLoad(ctx)
		if of.prov, err = s.work.Read(ctx, s.opts.Source, of.artifact); ctx.Err() != nil {
			return nil, ctx.Err()
		} else if err != nil {
			of.prov = nil // the file is not there; what it was may be on record
		}
	}
	result := fileAtStepResult{}
	if of.prov != nil {
		m, err := ask(ctx, s, s.work.Snapshot(), func(snap *analysis.Snapshot) (*analysis.Moment, []analysis.Need) {
			return snap.At(of.prov, *r, of.artifact, of.line, cancelled(ctx))
		})
		if err != nil {
			return nil, err
		}
		if m != nil {
			of.artifact = m.Artifact
			result.Line = &m.Line
		}
	}
	result.URI = s.fileURI(contentAt, *r, of.artifact, of.now)
	return result, nil
}
