package lsp

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"path"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/lineage"
)

// Lineage reads lineage logs and what is beside them: keys, cards and signatures. A
// [analysis.Source] may be one.
type Lineage interface {
	// Report verifies the log at a path with that content; nil for a file that is no log.
	Report(ctx context.Context, path string, content []byte) (*lineage.LogReport, error)
	// Recorded returns what the logs around a file say of it, the newest first.
	Recorded(ctx context.Context, file string) ([]lineage.Recording, error)
}

// lineageReports keeps the report of one version of a log.
type lineageReports struct {
	mu     sync.Mutex
	doc    *analysis.Document
	report *lineage.LogReport
}

func (l *lineageReports) forget() {
	l.mu.Lock()
	l.doc, l.report = nil, nil
	l.mu.Unlock()
}

// lineageLog returns the report of an open document that is a lineage log, nil for any
// other. That of the last version asked about is kept.
func (s *session) lineageLog(ctx context.Context, doc *analysis.Document) *lineage.LogReport {
	reader, ok := s.opts.Source.(Lineage)
	if !ok || doc == nil || doc.Path == "" || doc.Kind() != analysis.Other || doc.TooLarge() ||
		lineage.KindOfLog(doc.Path, doc.Text.Bytes()) == lineage.NoLog {
		return nil
	}
	s.lineage.mu.Lock()
	defer s.lineage.mu.Unlock()
	if s.lineage.doc == doc {
		return s.lineage.report
	}
	r, err := reader.Report(ctx, doc.Path, doc.Text.Bytes())
	if err != nil {
		if ctx.Err() == nil {
			s.log.Warn("a lineage log was not verified", "uri", doc.URI, "err", err)
		}
		return nil
	}
	s.lineage.doc, s.lineage.report = doc, r
	return r
}

// checkLineage returns the findings about a lineage log. What is beside it is read again.
func (s *session) checkLineage(ctx context.Context, doc *analysis.Document, o *analysis.Options) []analysis.Diagnostic {
	s.lineage.forget()
	r := s.lineageLog(ctx, doc)
	if r == nil {
		return nil
	}
	return analysis.LineageFindings(doc.Text.Bytes(), r, o)
}

// lineageHover tells of the line of a log at an offset.
func (s *session) lineageHover(ctx context.Context, doc *analysis.Document, r *lineage.LogReport, off int) *protocol.Hover {
	l, ok := r.At(off)
	if !ok {
		return nil
	}
	prose := analysis.LineageHover(r, l, s.artifactState(ctx, doc, l), time.Now())
	return &protocol.Hover{Contents: s.markup(prose), Range: new(s.span(doc.Text, l.Start, l.End))}
}

// artifactState reads the file that a line of a log names.
func (s *session) artifactState(ctx context.Context, doc *analysis.Document, l lineage.LogLine) analysis.FileState {
	file := artifactOf(s.opts.Source, doc, l)
	if file == "" {
		return analysis.FileState{}
	}
	content, err := s.opts.Source.ReadFile(ctx, file)
	switch {
	case err == nil:
		return analysis.FileState{Known: true, Hash: lineage.ContentHash(content)}
	case errors.Is(err, fs.ErrNotExist):
		return analysis.FileState{Known: true, Missing: true}
	}
	return analysis.FileState{}
}

// artifactOf returns the file that a line of a log names, "" where it names none: relative
// to the folder that has .sdd, else to the top of the repository or the log's own folder.
func artifactOf(source analysis.Source, doc *analysis.Document, l lineage.LogLine) string {
	artifact := l.Artifact()
	if artifact == "" || strings.Contains(artifact, "://") || lineage.CheckArtifactKey(artifact) != nil {
		return ""
	}
	top, _, ok := strings.Cut(doc.Path, "/.sdd/")
	if !ok {
		if top = source.Root(doc.Path); top == "" {
			top = path.Dir(doc.Path)
		}
	}
	return path.Join(top, artifact)
}

// lineageDefinition leads from a hash that a line follows to its line, and from an artifact
// to the file.
func (s *session) lineageDefinition(doc *analysis.Document, r *lineage.LogReport, off int) (protocol.DefinitionResult, error) {
	l, ok := r.At(off)
	if !ok {
		return nil, nil
	}
	field, text, start, end, ok := analysis.LineageField(doc.Text.Bytes(), l, off)
	if !ok {
		return nil, nil
	}
	var to protocol.Location
	switch field {
	case "prev_hash", "parent_hashes":
		target, ok := r.OfHash(text)
		if !ok {
			return nil, nil
		}
		to = protocol.Location{URI: uri.URI(s.spelling(doc.URI)), Range: s.span(doc.Text, target.Start, target.End)}
	case "artifact_path", "artefact_path":
		file := artifactOf(s.opts.Source, doc, l)
		if file == "" {
			return nil, nil
		}
		to = s.location(analysis.Location{Path: file})
	default:
		return nil, nil
	}
	if s.links() {
		from := s.span(doc.Text, start, end)
		return protocol.DefinitionLinkSlice{{OriginSelectionRange: &from, TargetURI: to.URI, TargetRange: to.Range, TargetSelectionRange: to.Range}}, nil
	}
	return protocol.LocationSlice{to}, nil
}

// lineageReferences lists the lines that follow the line at an offset, or the one that is
// named there.
func (s *session) lineageReferences(doc *analysis.Document, r *lineage.LogReport, off int, declaration bool) []protocol.Location {
	all := []protocol.Location{}
	l, ok := r.At(off)
	if !ok {
		return all
	}
	hash := l.Hash()
	if field, text, _, _, ok := analysis.LineageField(doc.Text.Bytes(), l, off); ok && (field == "prev_hash" || field == "parent_hashes") {
		hash = text
	}
	c := &converter{text: doc.Text, encoding: s.encoding}
	add := func(l lineage.LogLine) {
		all = append(all, protocol.Location{URI: uri.URI(s.spelling(doc.URI)), Range: c.span(l.Start, l.End)})
	}
	if own, ok := r.OfHash(hash); ok && declaration {
		add(own)
	}
	for _, next := range r.Followers(hash) {
		add(next)
	}
	return all
}

// lineageOutline lists the lines of a log; there is but one level.
func lineageOutline(r *lineage.LogReport) iter.Seq2[int, analysis.Symbol] {
	return func(yield func(int, analysis.Symbol) bool) {
		for _, l := range r.Lines {
			sym := analysis.Symbol{Kind: analysis.StepSymbol, Name: l.Artifact(), Detail: l.Actor(), Start: l.Start, End: l.End, NameStart: l.Start, NameEnd: l.End}
			if step := l.Step(); step != "" {
				sym.Detail += " · " + step
			}
			if len(l.Faults) > 0 {
				sym.Detail = "does not verify · " + sym.Detail
			}
			if sym.Name == "" {
				sym.Name = "(not readable)"
			}
			if !yield(0, sym) {
				return
			}
		}
	}
}

// lineageLens sums up a log at its top. It leads to the first line that does not verify,
// else to the last one.
func (s *session) lineageLens(doc *analysis.Document, r *lineage.LogReport) ([]protocol.CodeLens, error) {
	var to lineage.LogLine
	for _, l := range r.Lines {
		if to = l; len(l.Faults) > 0 {
			break
		}
	}
	return s.lensTo(doc, r.Summary, showArgument{URI: s.spelling(doc.URI), Range: rangeOf(s.span(doc.Text, to.Start, to.End))})
}

// lensTo returns a lens at the top of a document that leads to a place.
func (s *session) lensTo(doc *analysis.Document, title string, to showArgument) ([]protocol.CodeLens, error) {
	raw, err := argument(to)
	if err != nil {
		return nil, err
	}
	return []protocol.CodeLens{{Range: s.span(doc.Text, 0, 0), Command: protocol.Command{Title: title, Command: commandShow, Arguments: []protocol.LSPAny{raw}}}}, nil
}

// recordedLens tells at the top of a source file who recorded it last.
func (s *session) recordedLens(ctx context.Context, doc *analysis.Document) ([]protocol.CodeLens, error) {
	found, hash := s.recorded(ctx, doc)
	if len(found) == 0 {
		return []protocol.CodeLens{}, nil
	}
	line := protocol.Position{Line: uint32(found[0].Number - 1)}
	return s.lensTo(doc, analysis.RecordingWords(found[0], hash), showArgument{URI: string(uri.File(found[0].Log)), Range: rangeOf(protocol.Range{Start: line, End: line})})
}

// recorded returns what the lineage logs around an open file say of it, and the hash of its
// content.
func (s *session) recorded(ctx context.Context, doc *analysis.Document) ([]lineage.Recording, string) {
	reader, ok := s.opts.Source.(Lineage)
	if !ok || doc.Path == "" {
		return nil, ""
	}
	found, err := reader.Recorded(ctx, doc.Path)
	if err != nil {
		if ctx.Err() == nil {
			s.log.Warn("the lineage logs were not read", "uri", doc.URI, "err", err)
		}
		return nil, ""
	}
	return found, lineage.ContentHash(doc.Text.Bytes())
}
