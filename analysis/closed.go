package analysis

import (
	"context"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

// ClosedDocument names a document on disk that no editor holds.
type ClosedDocument struct {
	URI, Path string
	// Hash changes with the content; it is of no use in another process.
	Hash string
}

var contentSeed = maphash.MakeSeed()

func contentHash(b []byte) string {
	return strconv.FormatUint(maphash.Bytes(contentSeed, b), 36)
}

// ClosedDocuments returns the documents on disk that no editor holds, ordered by path.
func (s *Snapshot) ClosedDocuments() []ClosedDocument {
	open := map[string]bool{}
	for _, d := range s.docs {
		open[d.Path] = true
	}
	var all []ClosedDocument
	for _, path := range slices.Sorted(s.closed.keys()) {
		if !open[path] {
			all = append(all, ClosedDocument{FileURI(path), path, s.closed.get(path).hash})
		}
	}
	return all
}

// IndexedDocument is a document of the workspace, open or not.
type IndexedDocument struct {
	URI, Path string
	Steps     int
}

// DocumentIndex returns the Toolpath documents of the workspace, ordered by path; open ones
// that are no file come first.
func (s *Snapshot) DocumentIndex() []IndexedDocument {
	var all []IndexedDocument
	for _, d := range s.Documents() {
		if d.Kind() != Other {
			all = append(all, IndexedDocument{d.URI, d.Path, d.StepCount()})
		}
	}
	for _, c := range s.ClosedDocuments() {
		all = append(all, IndexedDocument{c.URI, c.Path, len(s.closed.get(c.Path).steps.steps)})
	}
	slices.SortStableFunc(all, func(a, b IndexedDocument) int { return strings.Compare(a.Path, b.Path) })
	return all
}

// CheckClosed reads a closed document and runs the rules over it that need nothing else.
// The document is nil if it cannot be read.
func (s *Snapshot) CheckClosed(ctx context.Context, src Source, c ClosedDocument) (*Document, []Diagnostic, error) {
	content, err := src.ReadFile(ctx, c.Path)
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if err != nil {
		return nil, nil, nil
	}
	d := closedDocument(c.Path, content, s.Options.MaxFileSize)
	if err := d.Prepare(ctx); err != nil {
		return nil, nil, err
	}
	return d, Check(d, s.Options, func() bool { return ctx.Err() != nil }), ctx.Err()
}

// goOn fills the entry of a document on disk, but for its pointers, and returns the document.
// It goes on from the entry before and from a version of the document that was read: what both
// contents have in common is not parsed again.
func (e *entry) goOn(before *entry, was *Document, content []byte) *Document {
	edit := text.Between(was.Text.Bytes(), content)
	d := was.edited(0, text.New(content), edit)
	e.touches = d.touchesOfChanges()
	if contentHash(was.Text.Bytes()) == before.hash && d.beginsWith(was, edit.Start) {
		e.steps = d.stepIndexAfter(&before.steps)
	} else {
		e.steps = d.stepIndex()
	}
	return d
}

// beginsWith says that an earlier version of the document had the first steps of its only
// path, in the same places and above the offset from which on the texts differ.
func (d *Document) beginsWith(was *Document, off int) bool {
	now, then := d.Model(), was.Model()
	if now == nil || then == nil || len(now.Paths) != 1 || len(then.Paths) != 1 || now.Paths[0].ID != then.Paths[0].ID {
		return false
	}
	a, b := now.Paths[0].Steps, then.Paths[0].Steps
	if a.Len() < b.Len() {
		return false
	}
	for i, was := range b.All() {
		if now := a.At(i); now.Step != was.Step || now.Offset() != was.Offset() || now.End() > off {
			return false
		}
	}
	return true
}
