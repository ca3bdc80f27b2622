package lsp

import (
	"context"
	"encoding/base64"
	"net/url"
	"path"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// A virtual document's URI is
//
//	toolpath://KIND/DATA/NAME
//
// DATA is a contentData as JSON in base64url without padding. Editors decode and encode URIs
// anew, each in its own way: vscode-uri takes an encoded slash in a path, or an encoded "="
// in a query, for a plain one. They all leave these letters alone. NAME is for the reader and
// for the choice of a language only.
const (
	contentScheme = "toolpath"
	contentDiff   = "diff" // what a step did
	contentAt     = "at"   // a file as of a step
)

// contentData names a step and, of contentAt, an artifact.
type contentData struct {
	Document string `json:"d"`
	Path     string `json:"p"`
	Step     string `json:"s"`
	Artifact string `json:"a,omitempty"`
}

// contentURI returns the URI as every editor writes it.
func contentURI(kind, name string, data contentData) string {
	raw, _ := json.Marshal(data, lenient) // strings cannot fail
	u, _ := uri.From(uri.Components{Scheme: contentScheme, Authority: kind,
		Path: "/" + base64.RawURLEncoding.EncodeToString(raw) + "/" + contentName(name)})
	return string(u)
}

// maxContentName bounds the name of a virtual document, in bytes.
const maxContentName = 100

// contentName makes a name for one segment of a URI's path, and keeps its end, which tells
// the language.
func contentName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || !unicode.IsPrint(r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(name, "_"))
	if n := len(name) - maxContentName; n > 0 {
		name = strings.ToValidUTF8(name[n:], "")
	}
	if strings.Trim(name, ".") == "" {
		return "_"
	}
	return name
}

func parseContentURI(name string) (kind string, data contentData, ok bool) {
	u, err := url.Parse(name)
	if err != nil || u.Scheme != contentScheme || u.Host != contentDiff && u.Host != contentAt {
		return "", data, false
	}
	segment, _, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	raw, err := base64.RawURLEncoding.DecodeString(segment)
	if err != nil || json.Unmarshal(raw, &data, lenient) != nil {
		return "", data, false
	}
	return u.Host, data, true
}

func (s *session) diffURI(r analysis.StepRef) string {
	id := r.At().ID
	return contentURI(contentDiff, id+".diff", contentData{r.Doc.URI, r.Path.ID, id, ""})
}

func (s *session) fileURI(r analysis.StepRef, artifact string) string {
	return contentURI(contentAt, path.Base(artifact), contentData{r.Doc.URI, r.Path.ID, r.At().ID, artifact})
}

// textDocumentContent answers the text of a virtual document (LSP 3.18,
// workspace/textDocumentContent).
func textDocumentContent(ctx context.Context, s *session, _ *analysis.Snapshot, p *protocol.TextDocumentContentParams) (*protocol.TextDocumentContentResult, error) {
	text, err := s.content(ctx, string(p.URI))
	if err != nil {
		return nil, err
	}
	return &protocol.TextDocumentContentResult{Text: text}, nil
}

func contentCommand(ctx context.Context, s *session, _ *analysis.Snapshot, arg protocol.LSPAny) (any, error) {
	var p struct {
		URI string `json:"uri"`
	}
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
	kind, data, ok := parseContentURI(name)
	if !ok {
		return "", jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%q is no URI of a virtual document", clip([]byte(name), 100))
	}
	r, ok, err := s.findStep(ctx, stepData{data.Document, data.Path, data.Step})
	switch {
	case err != nil:
		return "", err
	case !ok:
		return "", analysis.Refusal("the step " + data.Step + " is not there any more")
	case kind == contentDiff:
		return analysis.DiffText(r), nil
	}
	var refusal error
	text, err := ask(ctx, s, s.work.Snapshot(), func(snap *analysis.Snapshot) (text string, needs []analysis.Need) {
		text, needs, refusal = snap.TextAt(r, data.Artifact, cancelled(ctx))
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
	return map[string]string{"uri": s.fileURI(*r, artifact)}, nil
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
