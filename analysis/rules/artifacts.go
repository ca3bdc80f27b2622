package rules

import (
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// artifact is an artifact key of a step.
type artifact struct {
	text    string
	node    uint32
	outside bool // it leads out of the repository
}

// artifacts are the artifact keys of a step that have more than one spelling, and in an agent
// session all that name files, since tools spell one file in several ways there.
var artifacts = &analysis.Fact{Name: "artifacts", Of: func(p *analysis.StepPass) any {
	if list := artifactsOf(p); list != nil {
		return list
	}
	return nil
}}

// keepArtifacts keeps them.
func keepArtifacts(p *analysis.StepPass) { p.Keep("artifacts", p.Fact()) }

func artifactsOf(p *analysis.StepPass) (list []artifact) {
	s := p.Step
	if s.Nodes.Change == 0 {
		return nil
	}
	session := p.Kind != "" && toolpath.IsAgentSession(p.Kind)
	w := s.Value(s.Nodes.Change).Walk()
	for k := w.First(s.Nodes.Change); k != 0; k = w.Next(w.Next(k)) {
		if quoted, plain := w.Quoted(k); quoted == nil || plain && !session && isPlainKey(quoted) {
			continue
		}
		key := s.Value(k)
		if text := key.Text(); isOfFile(key) && (session || !isPlainKey([]byte(text))) {
			list = append(list, artifact{text, k, leavesRoot(text)})
		}
	}
	return list
}

// isPlainKey says whether a key is a relative path that has no other spelling.
func isPlainKey(s []byte) bool {
	name := 0 // where it starts
	for i, c := range s {
		switch c {
		case '\\', ':':
			return false
		case '/':
			if isNoName(s[name:i]) {
				return false
			}
			name = i + 1
		}
	}
	return !isNoName(s[name:])
}

func isNoName(s []byte) bool {
	return len(s) == 0 || s[0] == '.' && (len(s) == 1 || len(s) == 2 && s[1] == '.')
}

// isAbsoluteKey says whether a key is an absolute path; a file:// URL is none, since the
// format has it as a key of its own.
func isAbsoluteKey(s string) bool {
	return strings.HasPrefix(s, "/") || strings.HasPrefix(s, `\\`) || len(s) > 2 && s[1] == ':' && isLetter(s[0]) && (s[2] == '/' || s[2] == '\\')
}

// oddKey is an artifact key that has more than one spelling.
type oddKey struct {
	path *toolpath.Path
	key  jsonsrc.Value
	text string
	// beside says whether the change has another key as well.
	beside func(text string) bool
}

// rewrite returns the fix that writes the key in another way; nil if the change has that
// key already, or it cannot be written so.
func (k oddKey) rewrite(title, text string) *analysis.Fix {
	if text == "" || strings.ContainsAny(text, "\"\\") || k.beside(text) {
		return nil
	}
	for _, c := range []byte(text) {
		if c < ' ' {
			return nil
		}
	}
	return &analysis.Fix{Title: title, Edits: []analysis.TextEdit{{Start: k.key.Start(), End: k.key.End(), New: `"` + text + `"`}}}
}

// eachOddKey visits the artifact keys of a document that have more than one spelling, but
// for those of agent sessions, whose tools choose them.
func eachOddKey(p *analysis.Pass, visit func(oddKey)) {
	var of *toolpath.Path
	session := false
	for _, k := range p.Kept["artifacts"] {
		if k.Path != of {
			of, session = k.Path, k.Path.IsAgentSession()
		}
		if session {
			continue
		}
		s := k.At()
		var keys map[string]bool
		beside := func(text string) bool {
			if keys == nil {
				keys = map[string]bool{}
				for key := range s.Value(s.Nodes.Change).Members() {
					keys[key.Text()] = true
				}
			}
			return keys[text]
		}
		for _, a := range k.Fact.([]artifact) {
			visit(oddKey{k.Path, s.Value(a.node), a.text, beside})
		}
	}
}

func offer(d *analysis.Diagnostic, fix *analysis.Fix) {
	if fix != nil {
		d.Fix(*fix)
	}
}
