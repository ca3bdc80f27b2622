package analysis

import (
	"context"
	"path"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// WorkspacePass is one run of a rule over a document and what it refers to.
type WorkspacePass struct {
	Pass
	s     *Snapshot
	needs *[]Need
}

// Reach says how far a reference to another document leads.
type Reach uint8

const (
	// Elsewhere: the reference is to the network, an archive or a store; it is never followed.
	Elsewhere Reach = iota
	// Awaited: the document is not read yet; the rule will be run again.
	Awaited
	// Absent: there is no such file, or it cannot be read.
	Absent
	// Reached: the document is there.
	Reached
)

// Follow returns the document that a reference leads to ($ref, or the uri of a path's
// parent), in the spelling of the RFC: a path relative to this document, or a file:// URI.
// The document is nil unless it was reached; it may be no Toolpath document.
func (p *WorkspacePass) Follow(ref string) (*Document, Reach) {
	file := p.Doc.referencedFile(ref)
	if ext := strings.ToLower(path.Ext(file)); ext != ".json" && ext != ".jsonl" {
		return nil, Elsewhere
	}
	d, need := p.s.documentAt(file)
	switch {
	case need != nil:
		*p.needs = append(*p.needs, *need)
		return nil, Awaited
	case d == nil:
		return nil, Absent
	}
	return d, Reached
}

// referencedFile returns the absolute path of the file that a reference names, "" if it
// names none.
func (d *Document) referencedFile(ref string) string {
	file := d.referenced(ref)
	if host := machine(file); host != "" && host != machine(d.Path) {
		return "" // asking another machine would be using the network
	}
	return file
}

// machine is the name of the machine that a path is a share of, "" if it is this one.
func machine(file string) string {
	share, ok := strings.CutPrefix(file, "//")
	if !ok {
		return ""
	}
	host, _, _ := strings.Cut(share, "/")
	return strings.ToLower(host)
}

func (d *Document) referenced(ref string) string {
	if i := strings.IndexByte(ref, '#'); i >= 0 {
		ref = ref[:i]
	}
	switch {
	case strings.HasPrefix(ref, "file:"):
		return FilePath(ref)
	case ref == "" || d.Path == "":
		return ""
	case isAbsolute(ref):
		return path.Clean(ref)
	case strings.Contains(ref, ":"):
		return ""
	}
	return path.Join(dir(d.Path), strings.ReplaceAll(ref, `\`, "/"))
}

// documentAt returns the document at a path, from the editor if it is open there; or what
// must be read to know it. Both are nil if it cannot be read.
func (s *Snapshot) documentAt(file string) (*Document, *Need) {
	for _, d := range s.docs {
		if d.Path == file {
			return d, nil
		}
	}
	need := Need{Document: file}
	f := s.fact(need)
	if f == nil {
		return nil, &need
	}
	return f.doc, nil
}

// FindPath returns the path of a document with the id, nil if there is none.
func FindPath(m *toolpath.Document, id string) *toolpath.Path {
	if m == nil {
		return nil
	}
	return m.Find(id)
}

// CheckReferences runs the rules that need more than the document's text: those about
// other documents, and the replay of its diffs. It reads what they need, and never the
// network.
func (w *Workspace) CheckReferences(ctx context.Context, src Source, uri string) ([]Diagnostic, error) {
	const rounds = maxRounds // a reference may lead to the next
	defer w.begin()()
	w.forgetFiles()
	done := func() bool { return ctx.Err() != nil }
	for range rounds {
		s := w.Snapshot()
		found, needs := s.checkReferences(uri, done)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(needs) == 0 {
			return found, nil
		}
		if err := w.Fetch(ctx, src, needs); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

func (s *Snapshot) checkReferences(uri string, done func() bool) ([]Diagnostic, []Need) {
	d := s.docs[uri]
	if d != nil && d.Kind() == Other {
		return s.checkSource(d, done)
	}
	if d == nil || d.Model() == nil {
		return nil, nil
	}
	found, needs := s.checkReplay(d, done)
	for _, r := range s.Options.Rules {
		if r.Workspace == nil || s.Options.severity(r) == Off {
			continue
		}
		if done() {
			return nil, nil
		}
		r.Workspace(&WorkspacePass{Pass{Doc: d, Model: d.Model(), Options: s.Options, Done: done, rule: r, out: &found, shared: new(facts)}, s, &needs})
	}
	return s.Options.settle(found), needs
}

// FollowFrom is Follow for a reference in another document.
func (p *WorkspacePass) FollowFrom(d *Document, ref string) (*Document, Reach) {
	q := *p
	q.Doc = d
	return q.Follow(ref)
}
