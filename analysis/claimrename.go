package analysis

import (
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// renamedLine is a line in which nothing changed but names.
type renamedLine struct {
	line int
	was  *provenance.OldLine
}

// renames are the lines of the text in which names became other ones since an older text and
// nothing else changed, by those other names. ops are the operations since then. It is nil if
// the older text is not known.
func (c *claimer) renames(was before, ops []operation) map[string][]renamedLine {
	if was.file == nil {
		return nil
	}
	one := map[string]string{} // what stands for a name that was given or taken
	for _, o := range ops {
		if from, to := namesOf(o); o.verb == "rename" && from != "" && to != "" {
			join(one, from, to)
		}
	}
	all := map[string][]renamedLine{}
	for i, o := range pairsOf(renamedLines(was.split, one), renamedLines(c.split, one)) {
		if o < 0 {
			continue
		}
		old, now := pieces(strings.TrimSpace(was.split[o])), pieces(strings.TrimSpace(c.split[i]))
		for k := range min(len(old), len(now)) {
			if old[k] != now[k] {
				all[now[k]] = append(all[now[k]], renamedLine{i, was.line(o)})
			}
		}
	}
	return all
}

// renamed claims the lines in which a name became another one and nothing else changed but by
// renaming. If no older text is known, only the definition of the new name is certain, and
// its uses are inferred.
func (c *claimer) renamed(op operation, renames map[string][]renamedLine) {
	switch from, to := namesOf(op); {
	case from == "" || to == "" || from == to:
	case renames == nil:
		c.named(op, to)
	default:
		for _, l := range renames[to] {
			c.put(l.line, provenance.Claim{Was: l.was})
		}
	}
}

// named claims what a rename says of a text of which the older versions are not known.
func (c *claimer) named(op operation, to string) {
	if c.base != "" && len(wordsAt(c.base, to, 1)) > 0 {
		return
	}
	it := namedItem{kind: op.value.Get("kind").Text(), name: op.value.Get("to").Text()}
	if kind, ok := itemKinds[it.kind]; ok {
		it.kind = kind
	}
	if e := c.only(it); e != nil && e.NameStart > 0 && len((namedItem{kind: it.kind, name: op.value.Get("from").Text()}).find(c.now)) == 0 {
		c.span(e.NameStart, e.NameEnd, provenance.Claim{})
	}
	const most = 1000
	for _, at := range wordsAt(c.text, to, most) {
		c.span(at, at+len(to), provenance.Claim{Inferred: true})
	}
}

// namesOf are the names of a rename, without what they are qualified by; "" if that is no
// word.
func namesOf(op operation) (from, to string) {
	return lastWord(op.value.Get("from").Text()), lastWord(op.value.Get("to").Text())
}

// lastWord is the last word of a name such as "a::b".
func lastWord(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return !isWordRune(r) })
	if len(words) == 0 || !strings.HasSuffix(name, words[len(words)-1]) {
		return ""
	}
	return words[len(words)-1]
}

// join makes two names one.
func join(one map[string]string, a, b string) {
	a, b = standsFor(one, a), standsFor(one, b)
	if a != b {
		for name, s := range one {
			if s == a {
				one[name] = b
			}
		}
		one[a] = b
	}
}

func standsFor(one map[string]string, name string) string {
	if s, ok := one[name]; ok {
		return s
	}
	return name
}

// renamedLines are lines without white space around them, in which names that were given to
// one thing are one.
func renamedLines(lines []string, one map[string]string) [][]byte {
	all := make([][]byte, len(lines))
	for i, l := range lines {
		var b strings.Builder
		for _, piece := range pieces(strings.TrimSpace(l)) {
			b.WriteString(standsFor(one, piece))
		}
		all[i] = []byte(b.String())
	}
	return all
}

// pieces cuts a line into words and what stands between them.
func pieces(line string) []string {
	var all []string
	start, word := 0, false
	for at, r := range line {
		if is := isWordRune(r); at == 0 {
			word = is
		} else if is != word {
			all = append(all, line[start:at])
			start, word = at, is
		}
	}
	return append(all, line[start:])
}
