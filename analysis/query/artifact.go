package query

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// touched says which steps changed an artifact that a glob matches.
type touched struct {
	glob Glob
	memo memo
	path *toolpath.Path // that memo and base are of
	base string
}

// memo keeps what was found out of texts that come again and again.
type memo struct {
	match func(string) bool
	known map[string]bool
	any   bool
}

func (m *memo) of(s string) bool {
	yes, known := m.known[s]
	if !known {
		yes = m.match(s)
		m.known[s] = yes
		m.any = m.any || yes
	}
	return yes
}

func newTouched(g Glob) *touched { return &touched{glob: g} }

// by says whether a step changed a matching artifact.
func (t *touched) by(step Step) bool {
	if t.glob.IsZero() {
		return true
	}
	if t.path != step.Path {
		t.path, t.base = step.Path, fileFolder(step.Path.Base().Get("uri").Text())
		t.memo.match, t.memo.known = t.matches, map[string]bool{}
	}
	hit, s := false, step.At()
	for key := range s.Value(s.Nodes.Change).Members() {
		hit = t.memo.of(key.Text()) || hit
	}
	return hit
}

// matches says whether the glob matches an artifact key as it is spelled, or the path below
// the base that it stands for (RFC "Artifacts").
func (t *touched) matches(key string) bool {
	if t.glob.Match(key) {
		return true
	}
	name := strings.TrimPrefix(key, "./")
	if file := fileFolder(key); file != "" {
		name = file
	}
	if t.base != "" {
		name = strings.TrimPrefix(name, strings.TrimSuffix(t.base, "/")+"/")
	}
	return name != key && t.glob.Match(name)
}

// unmatched is a selector and a message if the glob matches no artifact at all.
func (t *touched) unmatched() (selector, message string) {
	if t.glob.IsZero() || t.memo.any {
		return "", ""
	}
	return "--artifact", fmt.Sprintf("no step changes an artifact that matches %s", quote(t.glob.String()))
}

// fileFolder returns the path of a file:// URI, "" for any other.
func fileFolder(uri string) string {
	rest, ok := strings.CutPrefix(uri, "file://")
	if !ok || !strings.HasPrefix(rest, "/") {
		return ""
	}
	if p, err := url.PathUnescape(rest); err == nil {
		return p
	}
	return rest
}

// containsFold says whether s contains part, in any letter case.
func containsFold(s, part string) bool {
	return part == "" || strings.Contains(strings.ToLower(s), strings.ToLower(part))
}
