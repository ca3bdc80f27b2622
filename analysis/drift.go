package analysis

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Drift is about a path whose head is no longer what the files are.
var Drift = &Rule{
	ID: "TP5004", Name: "drift", Severity: Information,
	Doc: `The files are no longer what the path left

The steps can be replayed up to the path's head, and some of the files that they speak of are
something else now: they were edited after the last recorded step, another path went on with
them, or they are gone. The share of the lines that the path still explains is told for each
file. Nothing is wrong with the document: it is no description of the files as they are.

Files that are open in the editor count with their unsaved text. Only files in the repository of
the document are looked at.

## Bad

A path at whose head src/a.go has ten lines, beside a src/a.go with five more.

## Good

A path that goes on to record what was done since, in the same document or in one whose
path.parent is its head.
`,
}

// drifted is a file that is not what a path left.
type drifted struct {
	name          string // as the document has it
	lines, known  int    // of the file now
	gone, created bool
}

func (d drifted) String() string {
	switch {
	case d.gone:
		return d.name + " is gone"
	case d.created:
		return d.name + " is there again"
	case d.lines == 0:
		return d.name + " is empty"
	}
	return fmt.Sprintf("%s: %d %% of %s", d.name, percent(d.known, d.lines), plural(d.lines, "line"))
}

// drift compares files with what an account says that they were at its head. Not ok if that is
// not known, or if they are the same.
func (s *Snapshot) drift(a *Account, name, file string) (d drifted, there, ok bool, need *Need) {
	if a.exact == nil || !a.exact.Known || !a.within(file) {
		return d, false, false, nil
	}
	root := a.strands[0].site.root
	content, there, readable, need := s.now(file, root)
	if need == nil && !there {
		var only string
		if only, need = s.onlySpelling(file); need == nil && only != "" && only != file {
			content, there, readable, need = s.now(only, root)
		}
	}
	if need != nil {
		return d, false, false, need
	}
	d.name = name
	switch {
	case !readable:
		return d, there, false, nil
	case !there && a.exact.Absent:
		return d, false, false, nil
	case !there:
		d.gone = true
		return d, false, true, nil
	case a.exact.Absent:
		d.created = true
		return d, true, true, nil
	}
	o := a.exact.Overlay(content)
	d.lines, d.known = o.Len(), o.InHead()
	return d, true, d.known < d.lines || d.known < len(a.exact.Lines()), nil
}

// within says whether a file lies in the workspace: others are never read.
func (a *Account) within(file string) bool {
	_, ok := within(aliased(a.strands[0].site.root), aliased(file))
	return ok
}

// now returns what a file is: in the editor if it is open there, else on disk. One that is
// there may not be readable: it is too large, a folder or forbidden, or lies outside of root.
func (s *Snapshot) now(file, root string) (content []byte, there, readable bool, need *Need) {
	for _, d := range s.docs {
		if d.Path == file {
			return d.Text.Bytes(), true, !d.TooLarge(), nil
		}
	}
	n := Need{File: file, Within: root}
	f := s.fact(n)
	switch {
	case f == nil:
		return nil, false, false, &n
	case f.err != nil:
		gone := errors.Is(f.err, fs.ErrNotExist)
		return nil, !gone, gone, nil
	}
	return f.content, true, true, nil
}

// driftOf is the finding about the files of a path.
func driftOf(a *Account, files []drifted, of int) Diagnostic {
	const told = 5
	var words []string
	for _, f := range files[:min(len(files), told)] {
		words = append(words, f.String())
	}
	if n := len(files) - told; n > 0 {
		words = append(words, fmt.Sprintf("and %d more", n))
	}
	head := a.Path.HeadVal
	start, end := head.Start(), head.End()
	if !head.Valid() {
		start, end = a.Path.IDValue.Start(), a.Path.IDValue.End()
	}
	return Diagnostic{Rule: Drift, Start: start, End: end, Message: fmt.Sprintf(
		"this path left %d of %s otherwise than they are; it explains of %s", len(files), plural(of, "file"), strings.Join(words, "; "))}
}
