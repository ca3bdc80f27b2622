package analysis

import (
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// wrapped claims what an operation that put code into a block, or took it out of one, did to
// an item, or to the file: what stands around the code is the step's, the code is laid out
// anew. The text before may be an older one, since both texts tell of the block. It returns
// false if there is no such place, or no one place.
func (c *claimer) wrapped(op operation, it *namedItem) bool {
	was := c.known()
	if was.file == nil {
		return false
	}
	old, now, pairs := lineRange{0, len(was.split)}, lineRange{0, len(c.split)}, []int(nil)
	if it == nil {
		pairs = c.pairs(was)
	} else {
		e, found := c.only(*it), it.find(was.file)
		if e == nil || len(found) != 1 {
			return false
		}
		old, now = linesOf(was.text, found[0].Start, found[0].End), linesOf(c.text, e.Start, e.End)
		pairs = paired(was.split[old.from:old.to], c.split[now.from:now.to])
	}
	w := newWrapping(was.split[old.from:old.to], c.split[now.from:now.to], pairs, op.value.Get("kind").Text(), op.verb == "wrap")
	bodies := w.bodies()
	if len(bodies) != 1 {
		return false
	}
	body := bodies[0]
	for line := body.from; line < body.to; line++ {
		c.laidOut(now.from+line, was, old.from+w.pairs[line])
	}
	if w.in {
		for _, around := range []lineRange{{w.head(body), body.from}, {body.to, w.foot(body)}} {
			for line := around.from; line < around.to; line++ {
				c.put(now.from+line, provenance.Claim{})
			}
		}
	}
	return true
}

// wrapping looks for code with another indentation.
type wrapping struct {
	old, now []string
	pairs    []int  // by new line: the old one, -1: none
	kept     []bool // by old line: there is such a new one
	kind     string
	in       bool // into a block, and not out of it
}

func newWrapping(old, now []string, pairs []int, kind string, in bool) *wrapping {
	w := &wrapping{old, now, pairs, make([]bool, len(old)+1), kind, in}
	for _, o := range pairs {
		if o >= 0 {
			w.kept[o] = true
		}
	}
	return w
}

// bodies are the runs of new lines that moved all in or all out, and before which the text
// with the block has its head.
func (w *wrapping) bodies() []lineRange {
	var all []lineRange
	for i := 0; i < len(w.now); i++ {
		if !w.shifted(i) {
			continue
		}
		body := lineRange{i, i + 1}
		for next := i + 1; next < len(w.now) && w.pairs[next] == w.pairs[next-1]+1; next++ {
			if w.shifted(next) {
				body.to = next + 1
			} else if strings.TrimSpace(w.now[next]) != "" {
				break
			}
		}
		if w.head(body) >= 0 {
			all = append(all, body)
		}
		i = body.to - 1
	}
	return all
}

// shifted says that a line moved in, or out, as the operation says.
func (w *wrapping) shifted(line int) bool {
	if w.pairs[line] < 0 || strings.TrimSpace(w.now[line]) == "" {
		return false
	}
	was, is := len(indentOf(w.old[w.pairs[line]])), len(indentOf(w.now[line]))
	if w.in {
		return is > was
	}
	return is < was
}

// head is the first line of the head of the block around a body, in the text that has the
// block; -1 if it has none: its lines are not in the other text, and one has the kind of
// the block.
func (w *wrapping) head(body lineRange) int {
	lines, last, alone := w.now, body.from, func(line int) bool { return w.pairs[line] < 0 }
	if !w.in {
		lines, last, alone = w.old, w.pairs[body.from], func(line int) bool { return !w.kept[line] }
	}
	for line := last - 1; line >= 0 && alone(line) && strings.TrimSpace(lines[line]) != ""; line-- {
		if len(indentOf(lines[line])) < len(indentOf(lines[last])) && w.begins(lines[line]) {
			return line
		}
	}
	return -1
}

// begins says that a line may be where the block begins. A kind that is no word of languages,
// such as "block", says no more than that.
func (w *wrapping) begins(line string) bool {
	switch w.kind {
	case "", "block", "scope", "closure", "lambda", "function":
		return true
	}
	return len(wordsAt(line, w.kind, 1)) > 0
}

// foot is behind the last line of the block around a body.
func (w *wrapping) foot(body lineRange) int {
	head := len(indentOf(w.now[w.head(body)]))
	end := body.to
	for line := body.to; line < len(w.now) && w.pairs[line] < 0; line++ {
		text := strings.TrimSpace(w.now[line])
		indent := len(indentOf(w.now[line]))
		switch {
		case text == "":
			continue
		case indent < head, indent == head && !continues(text):
			return end
		}
		end = line + 1
		if indent == head && !opens(text) {
			return end
		}
	}
	return end
}

// continues says that a line closes a block, or goes on with the next part of one.
func continues(line string) bool {
	if strings.IndexByte("})]", line[0]) >= 0 {
		return true
	}
	word := pieces(line)[0]
	switch word {
	case "end", "fi", "done", "esac", "else", "elif", "elsif", "catch", "except", "finally", "rescue", "ensure":
		return true
	}
	return false
}

// opens says that more of the block follows behind a line.
func opens(line string) bool {
	switch pieces(line)[0] {
	case "else", "elif", "elsif", "catch", "except", "finally", "rescue", "ensure":
		return true
	}
	return strings.HasSuffix(line, "{") || strings.HasSuffix(line, ":")
}

func indentOf(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }
