package structural

import (
	"cmp"
	"slices"
	"strings"
)

// A label is a comment behind the bracket that closes a block, of words that the head of the
// block has: "} // namespace std". It says nothing that the code does not, and formatters
// write, correct and drop it: the line is that of the bracket.

// block is what stands between two brackets.
type block struct {
	head uint32 // where what the block belongs to begins: behind the statement before
	open uint32 // the opening bracket
}

// blocks are the blocks of a text, by the byte of the bracket that closes them.
func (f *form) blocks() map[uint32]block {
	var marks []uint32 // brackets, and what ends a statement
	for _, t := range f.soft {
		if strings.IndexByte("{};", f.source[t.at]) >= 0 {
			marks = append(marks, t.at)
		}
	}
	for i := range f.items {
		if it := &f.items[i]; it.kind == leafItem && it.end-it.start == 1 && strings.IndexByte("{};", f.source[it.start]) >= 0 {
			marks = append(marks, it.start)
		}
	}
	slices.Sort(marks)
	closed := map[uint32]block{}
	var open []block
	head := uint32(0)
	for _, at := range marks {
		switch f.source[at] {
		case '{':
			open = append(open, block{head, at})
		case '}':
			if n := len(open); n > 0 {
				closed[at] = open[n-1]
				open = open[:n-1]
			}
		}
		head = at + 1
	}
	return closed
}

// commentsOn are the words of comments on a line.
func (f *form) commentsOn(line int) []token {
	find := func(at uint32) int {
		n, _ := slices.BinarySearchFunc(f.comments, at, func(t token, at uint32) int { return cmp.Compare(t.start, at) })
		return n
	}
	return f.comments[find(f.lines[line]):find(f.lineEnd(line))]
}

// closing is the bracket that closes a block, of a line that has no more code.
func (f *form) closing(line int) (at uint32, ok bool) {
	text := f.text(line)
	code := strings.TrimLeft(text, " \t")
	at = f.lines[line] + uint32(len(text)-len(code))
	if words := f.commentsOn(line); len(words) > 0 {
		if words[0].start < at {
			return 0, false
		}
		code = f.source[at:words[0].start]
	}
	code, ok = strings.CutPrefix(code, "}")
	return at, ok && strings.Trim(code, " \t;,)/*#-") == ""
}

// isLabel says that the comment on a line is a label of the block that ends there. What the
// step gave another head has no mere label: edited tells, by line, what it changed; it may
// be nil.
func (f *form) isLabel(line int, blocks map[uint32]block, rules *lexRules, edited []bool) bool {
	at, ok := f.closing(line)
	if !ok {
		return false
	}
	b, ok := blocks[at]
	if !ok {
		return false
	}
	head := map[string]bool{"end": true}
	for l := f.line(b.head); l <= f.line(b.open); l++ {
		from := max(f.lines[l], b.head)
		text := f.source[from:max(from, min(f.lineEnd(l), b.open))]
		if strings.HasPrefix(strings.TrimLeft(text, " \t"), "#") {
			continue // a directive
		}
		for _, t := range rules.lex(text) {
			switch {
			case t.kind == tokenComment:
			case edited != nil && edited[l]:
				return false
			case t.kind == tokenWord:
				head[text[t.start:t.end]] = true
			}
		}
	}
	words := 0
	for _, t := range f.commentsOn(line) {
		for _, word := range strings.FieldsFunc(f.source[t.start:t.end], func(r rune) bool { return r < 0x80 && !isWordByte(byte(r)) }) {
			if words++; !head[word] {
				return false
			}
		}
	}
	return words > 0
}

// labeller finds the lines of which a label is all that differs.
type labeller struct {
	*comparison
	rules     *lexRules
	were, are map[uint32]block // blocks before and after
	said      [2]int           // the last question, lines plus 1
}

// labelled says that a label is all that differs in a new line, and gives the line to the
// bracket. was is the old line of which words are gone, -1: there are none. A line is asked
// about as often as it has words.
func (m *labeller) labelled(now, was int) bool {
	switch {
	case m.edited[now]:
		return false
	case m.said == [2]int{now + 1, was + 1}:
		return m.labels[now]
	}
	m.said = [2]int{now + 1, was + 1}
	m.labels[now] = false
	at, ok := m.new.closing(now)
	if !ok {
		return false
	}
	if m.are == nil {
		m.rules, m.were, m.are = rulesFor(m.File), m.old.blocks(), m.new.blocks()
	}
	if was >= 0 && !m.old.isLabel(was, m.were, m.rules, nil) || len(m.new.commentsOn(now)) > 0 && !m.new.isLabel(now, m.are, m.rules, m.edited) {
		return false
	}
	old := m.closed(now, at)
	if old < 0 {
		return false
	}
	if _, ok := m.old.closing(old); ok && len(m.old.commentsOn(old)) > 0 && !m.old.isLabel(old, m.were, m.rules, nil) {
		return false // it had a remark
	}
	m.labels[now], m.told[now] = true, true
	m.votes[now] = []lineVote{{int32(old), 1}}
	return true
}

// place gives changed lines with a label to their brackets: the words of labels are alike, so
// that they do not tell which is which.
func (m *labeller) place() {
	for l, touched := range m.touched {
		if touched && len(m.new.commentsOn(l)) > 0 {
			label := m.labels[l]
			m.labelled(l, -1)
			m.labels[l] = label
		}
	}
}

// closed is the old line of the bracket at a byte with which a new line begins, -1 if the
// bracket is new.
func (m *comparison) closed(line int, at uint32) int {
	if t := m.first[line]; t != nil && t.at == at {
		return m.bracket(t)
	}
	if m.new.tree != nil {
		return -1
	}
	j, ok := slices.BinarySearchFunc(m.new.items, at, func(i item, at uint32) int { return cmp.Compare(i.start, at) })
	if !ok || m.pairs[j] < 0 {
		return -1
	}
	return m.old.line(m.old.items[m.pairs[j]].start)
}
