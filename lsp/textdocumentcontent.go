package lsp

import (
	"context"
	"encoding/base64"
	"net/url"
	"path"
	"slices"
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
	// The two sides of what a step did to a file, for editors that compare texts. A side is
	// empty where there is no file.
	contentBefore = "before"
	contentAfter  = "after"
	// What was deleted above a line of a file.
	contentDeleted = "deleted"
)

// contentData names a step and, of contentAt, an artifact; of contentDeleted a line.
type contentData struct {
	Document string `json:"d"`
	Path     string `json:"p"`
	Step     string `json:"s"`
	Artifact string `json:"a,omitempty"`
	// Now is the URI of the file as it is, which may have another name.
	Now string `json:"n,omitempty"`
	// Line is, of contentDeleted, the line of that file, 0-based.
	Line int `json:"l,omitempty"`
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
	if err != nil || u.Scheme != contentScheme || !slices.Contains([]string{contentDiff, contentAt, contentBefore, contentAfter, contentDeleted}, u.Host) {
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
	return contentURI(contentDiff, id+".diff", contentData{Document: r.Doc.URI, Path: r.Path.ID, Step: id})
}

// fileURI is that of a file as of a step; now is the URI of the file as it is, "" if that is
// what the artifact names.
func (s *session) fileURI(kind string, r analysis.StepRef, artifact, now string) string {
	return contentURI(kind, path.Base(artifact), contentData{Document: r.Doc.URI, Path: r.Path.ID, Step: r.At().ID, Artifact: artifact, Now: now})
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
	if kind == contentDeleted {
		return s.deletedContent(ctx, data)
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
		textOf := snap.TextAt
		switch kind {
		case contentBefore:
			textOf = snap.TextBefore
		case contentAfter:
			textOf = snap.TextAfter
		}
		text, needs, refusal = textOf(r, data.Artifact, cancelled(ctx))
		return text, needs
	})
	if err != nil {
		return "", err
	}
	return text, refusal
}

// stepDiffResult is the result of the command toolpath.stepDiff.
type stepDiffResult struct {
	URI  string `json:"uri"`
	Step string `json:"step"`
	// Files are the two sides of every file that the step changed; empty unless both sides of
	// all of them are known.
	Files []fileDiff `json:"files"`
}

type fileDiff struct {
	Artifact string `json:"artifact"`
	Before   string `json:"before"` // URI
	After    string `json:"after"`  // URI
}

// maxFileDiffs bounds the files whose sides are looked at.
const maxFileDiffs = 50

// stepDiff answers the URI of what the step did, as one text and file by file; of a place in
// a source file it is the step that wrote the line. Null if there is none.
func stepDiff(ctx context.Context, s *session, snap *analysis.Snapshot, arg protocol.LSPAny) (any, error) {
	r, _, err := s.stepOfArgument(ctx, snap, arg)
	if r == nil || err != nil {
		return nil, err
	}
	result := stepDiffResult{URI: s.diffURI(*r), Step: r.At().ID}
	changes, n := analysis.ChangesOf(r.At(), maxFileDiffs)
	if n > len(changes) {
		return result, nil
	}
	for _, c := range changes {
		if !c.HasDiff {
			return result, nil
		}
	}
	known, err := ask(ctx, s, s.work.Snapshot(), func(snap *analysis.Snapshot) (bool, []analysis.Need) {
		for _, c := range changes {
			_, _, needs, err := snap.Sides(*r, c.Artifact, cancelled(ctx))
			if len(needs) > 0 || err != nil {
				return false, needs
			}
		}
		return true, nil
	})
	if !known || err != nil {
		return result, err
	}
	for _, c := range changes {
		result.Files = append(result.Files, fileDiff{c.Artifact, s.fileURI(contentBefore, *r, c.Artifact, ""), s.fileURI(contentAfter, *r, c.Artifact, "")})
	}
	return result, nil
}
