package lsp

import (
	"context"
	"net/url"
	"path"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// A virtual document has one of two URIs; the name is for the reader and for the choice of
// a language only:
//
//	toolpath://diff/STEP.diff?document=URI&path=ID&step=ID
//	toolpath://at/NAME?document=URI&path=ID&step=ID&artifact=KEY
const (
	contentScheme = "toolpath"
	contentDiff   = "diff" // what a step did
	contentAt     = "at"   // a file as of a step
)

func (s *session) contentURI(kind, name string, r analysis.StepRef, artifact string) string {
	q := url.Values{}
	q.Set("document", r.Doc.URI)
	q.Set("path", r.Path.ID)
	q.Set("step", r.At().ID)
	if artifact != "" {
		q.Set("artifact", artifact)
	}
	return contentScheme + "://" + kind + "/" + url.PathEscape(name) + "?" + q.Encode()
}

func (s *session) diffURI(r analysis.StepRef) string {
	return s.contentURI(contentDiff, r.At().ID+".diff", r, "")
}

// textDocumentContent answers the text of a virtual document (LSP 3.18,
// workspace/textDocumentContent).
func textDocumentContent(ctx context.Context, s *session, _ *analysis.Snapshot, p *contentParams) (*protocol.TextDocumentContentResult, error) {
	text, err := s.content(ctx, p.URI)
	if err != nil {
		return nil, err
	}
	return &protocol.TextDocumentContentResult{Text: text}, nil
}

// contentParams are decoded here: package protocol would normalize the URI's query.
type contentParams struct {
	URI string `json:"uri"`
}

func (p *contentParams) decodeParams(raw jsonrpc2.RawMessage) error {
	return json.Unmarshal(raw, p, lenient)
}

func contentCommand(ctx context.Context, s *session, _ *analysis.Snapshot, arg protocol.LSPAny) (any, error) {
	var p contentParams
	if err := json.Unmarshal(arg, &p, lenient); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "the argument: %v", err)
	}
	text, err := s.content(ctx, p.URI)
	if err != nil {
		return nil, err
	}
	return map[string]string{"text": text}, nil
}

func (s *session) content(ctx context.Context, name string) (string, error) {
	u, err := url.Parse(name)
	if err != nil || u.Scheme != contentScheme || u.Host != contentDiff && u.Host != contentAt {
		return "", jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%q is no URI of a virtual document", clip([]byte(name), 100))
	}
	q := u.Query()
	key, err := canonical(q.Get("document"))
	if err != nil {
		return "", err
	}
	data, err := argument(stepData{key, q.Get("path"), q.Get("step")})
	if err != nil {
		return "", err
	}
	r, ok, err := s.stepOf(ctx, data)
	switch {
	case err != nil:
		return "", err
	case !ok:
		return "", analysis.Refusal("the step " + q.Get("step") + " is not there any more")
	case u.Host == contentDiff:
		return analysis.DiffText(r), nil
	}
	var refusal error
	text, err := ask(ctx, s, s.work.Snapshot(), func(snap *analysis.Snapshot) (text string, needs []analysis.Need) {
		text, needs, refusal = snap.TextAt(r, q.Get("artifact"), cancelled(ctx))
		return text, needs
	})
	if err != nil {
		return "", err
	}
	return text, refusal
}

// stepDiff answers the URI of what the step at a place did; of a source file's line it is
// the step that wrote it. Null if there is none.
func stepDiff(ctx context.Context, s *session, snap *analysis.Snapshot, arg protocol.LSPAny) (any, error) {
	r, _, err := s.stepAtPlace(ctx, snap, arg)
	if r == nil || err != nil {
		return nil, err
	}
	return map[string]string{"uri": s.diffURI(*r)}, nil
}

// fileAtStep answers the URI of a file as of a step: of the source file at a place as the
// step that wrote the line left it, or of the artifact whose change a place in a document
// lies in. Null if there is none.
func fileAtStep(ctx context.Context, s *session, snap *analysis.Snapshot, arg protocol.LSPAny) (any, error) {
	r, artifact, err := s.stepAtPlace(ctx, snap, arg)
	if r == nil || artifact == "" || err != nil {
		return nil, err
	}
	return map[string]string{"uri": s.contentURI(contentAt, path.Base(artifact), *r, artifact)}, nil
}

// stepAtPlace returns the step at a place, and the key of the artifact that the place is
// about, "" if it is about none.
func (s *session) stepAtPlace(ctx context.Context, snap *analysis.Snapshot, arg protocol.LSPAny) (*analysis.StepRef, string, error) {
	doc, off, err := s.place(snap, arg)
	if doc == nil || err != nil {
		return nil, "", err
	}
	if doc.Kind() == analysis.Other {
		step, err := s.stepOfLine(ctx, doc, off)
		return step, doc.Path, err
	}
	r, ok := doc.StepAt(off)
	if !ok {
		return nil, "", nil
	}
	return &r, doc.ArtifactAt(off), nil
}
