package lsp

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// unreviewedParams are those of toolpath/unreviewed: one file, or without it all files of the
// workspace.
type unreviewedParams struct {
	TextDocument *struct {
		URI string `json:"uri"`
	} `json:"textDocument"`
}

func (p *unreviewedParams) decodeParams(raw jsonrpc2.RawMessage) error {
	return json.Unmarshal(raw, p, lenient)
}

// unreviewedResult lists the lines that agents wrote and that no human has touched since.
type unreviewedResult struct {
	Lines     int              `json:"lines"`
	Files     []unreviewedFile `json:"files"` // in the order of their names
	Truncated bool             `json:"truncated"`
}

type unreviewedFile struct {
	URI     string     `json:"uri"`
	Version *int32     `json:"version"` // null if the file is not open: it is that on disk
	Runs    []blameRun `json:"runs"`
}

// maxUnreviewedFiles bounds the files that one question reads.
const maxUnreviewedFiles = 5000

func unreviewed(ctx context.Context, s *session, _ *analysis.Snapshot, p *unreviewedParams) (*unreviewedResult, error) {
	result := &unreviewedResult{Files: []unreviewedFile{}}
	var files []string
	if p.TextDocument != nil {
		key, err := canonical(p.TextDocument.URI)
		if err != nil {
			return nil, err
		}
		file, ok := filePath(key)
		if !ok {
			return result, nil
		}
		files = []string{file}
	} else {
		files = s.touchedFiles(ctx)
	}
	if len(files) > maxUnreviewedFiles {
		files, result.Truncated = files[:maxUnreviewedFiles], true
	}
	seen := map[string]bool{}
	for _, file := range files {
		f, err := s.unreviewedIn(ctx, file)
		if err != nil {
			return nil, err
		}
		if f == nil || seen[f.URI] {
			continue
		}
		seen[f.URI] = true // it may have other names
		for _, r := range f.Runs {
			result.Lines += r.EndLine - r.StartLine
		}
		result.Files = append(result.Files, *f)
	}
	return result, nil
}

// touchedFiles lists the files in the workspace's folders that documents speak of.
func (s *session) touchedFiles(ctx context.Context) []string {
	s.awaitLoad(ctx)
	var all []string
	snap := s.work.Snapshot()
	for _, f := range s.folders.get() {
		all = append(all, snap.TouchedFiles(f.path)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// boundOf is the workspace's folder in which a file must lie to be read, "" if an editor holds
// it.
func (s *session) boundOf(file string) string {
	if s.work.Snapshot().Document(analysis.FileURI(file)) != nil {
		return ""
	}
	for _, f := range s.folders.get() {
		if strings.HasPrefix(file, strings.TrimSuffix(f.path, "/")+"/") {
			return f.path
		}
	}
	return ""
}

// unreviewedIn returns the runs of a file, nil if it has none or cannot be read.
func (s *session) unreviewedIn(ctx context.Context, file string) (*unreviewedFile, error) {
	if s.opts.Source == nil {
		return nil, nil
	}
	s.awaitLoad(ctx)
	file, prov, err := s.work.ReadAs(ctx, s.opts.Source, file, s.boundOf(file))
	if cerr := ctx.Err(); cerr != nil {
		return nil, cerr
	}
	if err != nil || prov == nil {
		return nil, nil
	}
	runs := s.unreviewedRuns(ctx, prov, 0, prov.Len())
	if len(runs) == 0 {
		return nil, nil
	}
	key := analysis.FileURI(file)
	result := &unreviewedFile{URI: s.spelling(key)}
	if doc := s.work.Snapshot().Document(key); doc != nil && doc.Text == prov.Text {
		result.Version = &doc.Version
	}
	c := &converter{text: prov.Text, encoding: s.encoding}
	for _, r := range runs {
		result.Runs = append(result.Runs, s.blameRun(c, prov, r))
	}
	return result, nil
}

// unreviewedRuns are those of the lines [from, to) of a file.
func (s *session) unreviewedRuns(ctx context.Context, prov *analysis.Provenance, from, to int) []analysis.Run {
	return prov.Unreviewed(from, to, s.reviews(ctx, prov))
}

// reviews are those of a file: steps of humans that approve lines of it, and signatures of
// reviewers. What cannot be read approves nothing.
func (s *session) reviews(ctx context.Context, prov *analysis.Provenance) *analysis.Reviews {
	read := func() *analysis.Reviews {
		if s.opts.Source != nil {
			if reviews, err := s.work.Reviews(ctx, s.opts.Source, prov, time.Now()); err == nil {
				return reviews
			}
		}
		return s.work.Snapshot().Reviews(time.Now())
	}
	reviews := read()
	prov.Unreviewed(0, prov.Len(), reviews) // asks for the keys of signatures
	if s.keys.settle(ctx) {
		reviews = read()
	}
	return reviews
}

func nextUnreviewed(ctx context.Context, s *session, _ *analysis.Snapshot, arg protocol.LSPAny) (any, error) {
	return s.showUnreviewed(ctx, arg, 1)
}

func previousUnreviewed(ctx context.Context, s *session, _ *analysis.Snapshot, arg protocol.LSPAny) (any, error) {
	return s.showUnreviewed(ctx, arg, -1)
}

// showUnreviewed has the client show the next run (or the one before) from a place on: in its
// file, then in the files behind it, then from the first file on. It answers the place, or
// null if there is none.
func (s *session) showUnreviewed(ctx context.Context, arg protocol.LSPAny, direction int) (any, error) {
	var p placeArgument
	if err := json.Unmarshal(arg, &p, lenient); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "the argument: %v", err)
	}
	key, err := canonical(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	here, ok := filePath(key)
	if !ok {
		return nil, nil
	}
	files := s.touchedFiles(ctx)
	at, found := slices.BinarySearch(files, here)
	if !found {
		files = slices.Insert(files, at, here)
	}
	line := int(p.Position.Line)
	for step := range len(files) + 1 {
		file := files[(at+direction*step+len(files)*2)%len(files)]
		f, err := s.unreviewedIn(ctx, file)
		if err != nil {
			return nil, err
		}
		if f == nil {
			continue
		}
		runs := f.Runs
		if direction < 0 {
			slices.Reverse(runs)
		}
		for _, r := range runs {
			if step == 0 && (r.StartLine-line)*direction <= 0 {
				continue
			}
			l := locationJSON{URI: f.URI, Range: r.Range}
			s.showDocument(l.URI, &l.Range)
			return l, nil
		}
	}
	return nil, nil
}

// unreviewedKind is that of the action that leads to the next agent change.
const unreviewedKind = protocol.CodeActionKind("toolpath.unreviewed")

// unreviewedAction offers the way to the next agent change where the range touches one.
func (s *session) unreviewedAction(ctx context.Context, doc *analysis.Document, r protocol.Range) (*protocol.CodeAction, error) {
	prov, err := s.provenance(ctx, doc)
	if err != nil || prov == nil {
		return nil, err
	}
	from, to := prov.LineOf(s.offset(doc.Text, r.Start)), prov.LineOf(s.offset(doc.Text, r.End))
	if len(s.unreviewedRuns(ctx, prov, from, to+1)) == 0 {
		return nil, nil
	}
	place := placeArgument{Position: positionJSON{r.End.Line, r.End.Character}}
	place.TextDocument.URI = s.spelling(doc.URI)
	raw, err := argument(place)
	if err != nil {
		return nil, err
	}
	const title = "Go to the next agent change that no human has touched"
	return &protocol.CodeAction{Title: title, Kind: new(unreviewedKind),
		Command: protocol.Command{Title: title, Command: commandNextUnreviewed, Arguments: []protocol.LSPAny{raw}}}, nil
}
