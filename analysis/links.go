package analysis

import (
	"cmp"
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// Link is a place of a document that leads somewhere.
type Link struct {
	Start, End int
	Target     string // a URI
	Tooltip    string
}

// Links returns the links of a document: references to documents, bases and revisions on
// forges, hrefs, artifact keys that are URLs; at most a bounded number.
func (d *Document) Links(done func() bool) []Link {
	m := d.Model()
	if m == nil {
		return nil
	}
	l := linker{d: d}
	l.meta(m.Meta, "")
	for _, p := range m.Paths {
		l.uri(p.Ref)
		base := p.Base()
		forge := forgeOf(base.Get("uri").Text())
		l.add(base.Get("uri"), forge, "the repository")
		l.commit(base.Get("ref"), forge)
		l.uri(p.Parent().Get("uri"))
		l.meta(p.Meta, forge)
		for i, s := range p.Steps.All() {
			if i%1024 == 0 && done() {
				return nil
			}
			l.step(s, forge)
		}
	}
	slices.SortFunc(l.links, func(a, b Link) int { return cmp.Compare(a.Start, b.Start) })
	return l.links
}

type linker struct {
	d     *Document
	links []Link
}

const maxLinks = 20_000

func (l *linker) add(v jsonsrc.Value, target, tooltip string) {
	if target != "" && v.Kind() == jsonsrc.String && v.Closed() && len(l.links) < maxLinks {
		l.links = append(l.links, Link{v.Start() + 1, v.End() - 1, target, tooltip})
	}
}

// uri links a URI that a browser or editor can open.
func (l *linker) uri(v jsonsrc.Value) {
	if v.Kind() != jsonsrc.String {
		return
	}
	s := v.Text()
	switch {
	case strings.HasPrefix(s, "https://"), strings.HasPrefix(s, "http://"):
		if webSafe(s) {
			l.add(v, s, "")
		}
	default:
		if file := l.d.referencedFile(s); file != "" {
			l.add(v, FileURI(file), "")
		} else if issue := issueURL(s); issue != "" {
			l.add(v, issue, "the issue")
		}
	}
}

func (l *linker) commit(v jsonsrc.Value, forge string) {
	l.add(v, commitURL(forge, v.Text()), "the commit")
}

func (l *linker) meta(meta jsonsrc.Value, forge string) {
	for _, ref := range meta.Get("refs").Elements() {
		l.uri(ref.Get("href"))
	}
	for _, def := range meta.Get("actors").Members() {
		for _, key := range def.Get("keys").Elements() {
			l.uri(key.Get("href"))
		}
	}
	l.uri(meta.Get("kind"))
	source := meta.Get("source")
	if source.Kind() == jsonsrc.Object && source.Get("type").Is("git") {
		l.commit(source.Get("revision"), forge)
	} else if s := source.Text(); strings.HasPrefix(s, "github:") {
		l.add(source, forgeOf(s), "")
	}
}

func (l *linker) step(s toolpath.At, forge string) {
	if s.Nodes.Meta != 0 {
		l.meta(s.Value(s.Nodes.Meta), forge)
	}
	for key := range s.Value(s.Nodes.Change).Members() {
		if text := key.Text(); strings.HasPrefix(text, "https://") && webSafe(text) {
			l.add(key, text, "")
		}
	}
}

// forges are the origins whose repositories have pages.
var forges = map[string]string{"github:": "https://github.com/", "gitlab:": "https://gitlab.com/", "codeberg:": "https://codeberg.org/"}

// forgeOf returns the page of the repository that a base's uri names, "" if it has none.
func forgeOf(uri string) string {
	for prefix, page := range forges {
		if rest, ok := strings.CutPrefix(uri, prefix); ok && webSafe(rest) && strings.Count(rest, "/") >= 1 {
			return page + rest
		}
	}
	if strings.HasPrefix(uri, "https://") && webSafe(uri) {
		return strings.TrimSuffix(uri, ".git")
	}
	return ""
}

// issueURL resolves issue://github/owner/repo/issues/42.
func issueURL(s string) string {
	rest, ok := strings.CutPrefix(s, "issue://")
	if !ok || !webSafe(rest) {
		return ""
	}
	host, path, _ := strings.Cut(rest, "/")
	switch host {
	case "github", "github.com":
		return "https://github.com/" + path
	case "gitlab", "gitlab.com":
		return "https://gitlab.com/" + path
	}
	return ""
}

func isRevision(s string) bool {
	if len(s) < 7 || len(s) > 64 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}

// webSafe says whether a string has only what a URL may hold as it is.
func webSafe(s string) bool {
	for _, c := range []byte(s) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			return false
		}
	}
	return s != ""
}
