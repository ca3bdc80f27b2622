package rules

import (
	"bytes"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

// private is one place of a string that should not be shared: positions in the decoded text.
type private struct {
	start, end int
	what       string
}

// finder finds the private places of texts, in time linear in their length.
type finder struct {
	in func(text string) []private
	// words are texts of which every text with a private place has one; nil = not known.
	words []string
}

// mayBeIn says whether the source of a value can hold a private place.
func (f finder) mayBeIn(src []byte) bool {
	if f.words == nil || bytes.Contains(src, []byte(`\u`)) {
		return true
	}
	for _, w := range f.words {
		if bytes.Contains(src, []byte(w)) {
			return true
		}
	}
	return false
}

var (
	homes   = finder{homesIn, []string{"home", "Users"}}
	secrets = finder{secretsIn, append(tokenPrefixes(), "PRIVATE KEY")}
)

// maxPrivate bounds the findings of one string.
const maxPrivate = 20

// eachPrivate visits what a finder finds in the strings of a value, its keys included.
func eachPrivate(v jsonsrc.Value, find finder, visit func(start, end int, text, what string)) {
	if !find.mayBeIn(v.Bytes()) {
		return
	}
	in := func(s jsonsrc.Value) {
		if s.Kind() != jsonsrc.String {
			return
		}
		text := s.Text()
		found := find.in(text)
		if len(found) == 0 {
			return
		}
		decoded := s.Decode()
		for _, f := range found[:min(len(found), maxPrivate)] {
			visit(decoded.Offset(f.start), decoded.Offset(f.end), text[f.start:f.end], f.what)
		}
	}
	walk(v, func(inner jsonsrc.Value) {
		in(inner)
		for key := range inner.Members() {
			in(key)
		}
	})
}

// outsideSteps returns the values of a document that together are all of it but its steps.
func outsideSteps(p *analysis.Pass) (all []jsonsrc.Value) {
	if p.Model == nil {
		return nil
	}
	if p.Model.Lines {
		for i := range p.Doc.Tree().NumChunks() {
			if line := p.Doc.Tree().Chunk(i); line.Valid() && !isStepLine(line) {
				all = append(all, line)
			}
		}
		return all
	}
	if form := p.Model.Form; form.HoldsStep() {
		return nil
	} else if form.HoldsGraph() {
		all = outsidePaths(form.Content(p.Doc.Tree().Root()))
	}
	for _, path := range p.Model.Paths {
		for _, v := range path.Value.Members() {
			if _, _, chunked := v.Chunked(); !chunked {
				all = append(all, v)
			}
		}
	}
	return all
}

// outsidePaths returns the members of a graph but its paths.
func outsidePaths(graph jsonsrc.Value) (all []jsonsrc.Value) {
	for _, v := range graph.Members() {
		if _, _, chunked := v.Chunked(); !chunked && v.Kind() != jsonsrc.Array {
			all = append(all, v)
		}
	}
	return all
}

// homesIn finds home directories, without what stands below them.
func homesIn(text string) (found []private) {
	for _, h := range homeFolders {
		for at := 0; len(found) < maxPrivate; {
			i := strings.Index(text[at:], h.folder)
			if i < 0 {
				break
			}
			start := at + i
			end := start + len(h.folder)
			at = end
			for end < len(text) && isNameByte(text[end]) {
				end++
			}
			name := text[at:end]
			if name == "" || sharedFolders[name] || h.drive != behindDrive(text, start) || start > 0 && isNameByte(text[start-1]) {
				continue // srv/home/name is no home directory
			}
			if h.drive {
				start -= len("C:")
			}
			found = append(found, private{start, end, name})
			at = end
		}
	}
	return found
}

// homeFolders hold the home directories of the systems; those of Windows come behind a drive.
var homeFolders = []struct {
	folder string
	drive  bool
}{{"/home/", false}, {"/Users/", false}, {`\Users\`, true}, {"/Users/", true}}

// sharedFolders are no home directories, or nobody's in particular.
var sharedFolders = map[string]bool{"Shared": true, "Public": true, "Default": true, "...": true, "..": true, ".": true}

// behindDrive says whether the letter of a drive and a colon stand before i.
func behindDrive(text string, i int) bool {
	return i >= 2 && text[i-1] == ':' && isLetter(text[i-2]) && (i == 2 || !isNameByte(text[i-3]))
}

func isNameByte(c byte) bool {
	return isLetter(c) || c >= '0' && c <= '9' || c == '.' || c == '-' || c == '_' || c >= 0x80
}

// secretsIn finds tokens of services and private keys.
func secretsIn(text string) (found []private) {
	for _, t := range tokenForms {
		for at := 0; len(found) < maxPrivate; {
			i := strings.Index(text[at:], t.prefix)
			if i < 0 {
				break
			}
			start := at + i
			end := start + len(t.prefix)
			at = end
			if start > 0 && (isNameByte(text[start-1])) {
				continue
			}
			for end < len(text) && t.has(text[end]) {
				end++
			}
			if end-at >= t.least {
				found = append(found, private{start, end, t.what})
				at = end
			}
		}
	}
	return append(found, privateKeys(text)...)
}

// tokenForms are the forms of well known tokens: what they start with, and how many
// characters of which kind follow at least.
var tokenForms = []struct {
	prefix, what string
	least        int
	has          func(byte) bool
}{
	{"ghp_", "a GitHub token", 36, isAlphanumeric},
	{"gho_", "a GitHub token", 36, isAlphanumeric},
	{"ghu_", "a GitHub token", 36, isAlphanumeric},
	{"ghs_", "a GitHub token", 36, isAlphanumeric},
	{"ghr_", "a GitHub token", 36, isAlphanumeric},
	{"github_pat_", "a GitHub token", 22, isWord},
	{"glpat-", "a GitLab token", 20, isWord},
	{"sk-ant-", "an Anthropic key", 20, isWord},
	{"sk-proj-", "an OpenAI key", 20, isWord},
	{"xoxb-", "a Slack token", 20, isWord},
	{"xoxp-", "a Slack token", 20, isWord},
	{"xoxa-", "a Slack token", 20, isWord},
	{"xoxr-", "a Slack token", 20, isWord},
	{"xoxs-", "a Slack token", 20, isWord},
	{"AKIA", "an AWS key id", 16, isUpper},
	{"ASIA", "an AWS key id", 16, isUpper},
	{"AIza", "a Google key", 35, isWord},
	{"npm_", "an npm token", 36, isAlphanumeric},
	{"pypi-AgEI", "a PyPI token", 50, isWord},
	{"hf_", "a Hugging Face token", 30, isAlphanumeric},
}

func tokenPrefixes() (all []string) {
	for _, t := range tokenForms {
		all = append(all, t.prefix)
	}
	return all
}

func isAlphanumeric(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' }

func isWord(c byte) bool { return isAlphanumeric(c) || c == '_' || c == '-' }

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' }

// privateKeys finds armoured private keys: from the first line to the last one, or to the
// end of the text.
func privateKeys(text string) (found []private) {
	const begin, end, marker = "-----BEGIN ", "-----END ", "PRIVATE KEY"
	for at := 0; len(found) < maxPrivate; {
		i := strings.Index(text[at:], begin)
		if i < 0 {
			break
		}
		start := at + i
		at = start + len(begin)
		label, _, closed := strings.Cut(text[at:min(len(text), at+80)], "-----")
		if !closed || !strings.Contains(label, marker) || strings.ContainsAny(label, "\r\n") {
			continue
		}
		at += len(label) + len("-----")
		stop := len(text)
		if i := strings.Index(text[at:], end+label+"-----"); i >= 0 {
			stop = at + i + len(end+label+"-----")
		}
		found = append(found, private{start, stop, "a private key"})
		at = stop
	}
	return found
}
