package rules

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/udiff"
)

var headerOfOtherFile = &analysis.Rule{
	ID: "TP3003", Name: "header-of-other-file", Severity: analysis.Information,
	Doc: `A diff names another file than its artifact key

The key says which artifact a diff is about (RFC, "Artifacts"); the file names in the diff's own
header (--- and +++) are passed over. Where they differ, the diff may stand under the wrong key.
The prefixes a/ and b/, leading slashes and the way to the repository do not count. In an agent
session only the first such diff is shown.

## Bad

    "src/a.go": {"raw": "--- a/src/b.go\n+++ b/src/b.go\n@@ -1 +1 @@\n-x\n+y"}

## Good

    "src/b.go": {"raw": "--- a/src/b.go\n+++ b/src/b.go\n@@ -1 +1 @@\n-x\n+y"}
`,
	Needs:    diffFaults,
	Step:     diffRule("TP3003"),
	Document: oncePerSession("TP3003"),
}

func (in *inspection) otherFile() {
	for _, issue := range in.Issues {
		if issue.Kind == udiff.SeveralFiles {
			in.add("TP3003", issue.Span, "the hunks from here on are of another file: the diff under a key is of one file")
			return
		}
	}
	if len(in.Sections) == 0 {
		return
	}
	first := &in.Sections[0]
	names := []string{in.key.Text(), in.change.Get("structural").Get("rename_to").Text()}
	at := udiff.Span{}
	for _, span := range []udiff.Span{first.OldName, first.NewName} {
		name := in.Slice(span)
		if name == "" || strings.HasSuffix(name, "/dev/null") {
			continue
		}
		for _, known := range names {
			if known != "" && sameName(name, known) {
				return
			}
		}
		at = span
	}
	if at.End > 0 {
		f := in.add("TP3003", at, fmt.Sprintf("the diff is of %q by its header, but stands under %q", clip(in.Slice(at)), clip(names[0])))
		f.fix = in.renameHeader(first, names[0])
	}
}

// renameHeader is the fix that names the file of the key in a header; nil if that name must
// be quoted there, or is a URL.
func (in *inspection) renameHeader(s *udiff.Section, name string) *analysis.Fix {
	if name == "" || strings.Contains(name, "://") || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == '"' || r == '\\' || r >= 0x7f }) {
		return nil
	}
	fix := &analysis.Fix{Title: "Name " + strconv.Quote(clip(name)) + " in the header"}
	for i, span := range []udiff.Span{s.OldName, s.NewName} {
		old := in.Slice(span)
		if old == "" || strings.HasSuffix(old, "/dev/null") {
			continue
		}
		text := name
		if prefix := [...]string{"a/", "b/"}[i]; strings.HasPrefix(old, prefix) {
			text = prefix + strings.TrimLeft(name, "/")
		}
		fix.Edits = append(fix.Edits, in.edit(span, text))
	}
	return fix
}

// sameName says whether a name in a diff's header can mean the file that a key names: one of
// them ends in the other.
func sameName(header, key string) bool {
	if header[0] == '"' { // git quotes names with octal escapes
		return true
	}
	if path := analysis.FilePath(key); path != "" {
		key = path
	}
	key = plainName(key)
	for _, h := range []string{header, strings.TrimPrefix(strings.TrimPrefix(header, "a/"), "b/")} {
		h = plainName(h)
		if tailOf(h, key) || tailOf(key, h) || strings.HasPrefix(h, key+" ") {
			return true
		}
	}
	return false
}

// tailOf says whether the path ends in the whole names that tail has.
func tailOf(path, tail string) bool { return path == tail || strings.HasSuffix(path, "/"+tail) }

func plainName(s string) string {
	s = strings.ReplaceAll(s, `\`, "/")
	for strings.HasPrefix(s, "./") {
		s = s[2:]
	}
	return strings.TrimLeft(s, "/")
}
