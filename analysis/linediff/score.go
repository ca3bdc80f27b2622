package linediff

const (
	// maxSlide is how many lines above its lowest place a group is looked at.
	maxSlide = 100
	// maxBlank is how many blank lines are crossed to find one that is not.
	maxBlank = 20
	// maxIndent is the column at which measuring an indent stops.
	maxIndent = 200
	tabWidth  = 8
	// indentWeight is how much a deeper indent costs.
	indentWeight = 60
)

// The penalties of cutting a text at a line; less is better.
const (
	startOfText        = 1
	endOfText          = 21
	perBlank           = -30
	perBlankAfter      = 6
	indented           = -4
	indentedAfterBlank = 10
	outdented          = 24 // less indent than before, more in the next line
	outdentedBlank     = 17
	dedented           = 23 // less indent than before, and no more in the next line
	dedentedBlank      = 17
)

// blank is the indent of a line without ink.
const blank = -1

// score is the cost of a place of a group: of the cuts above and below it.
type score struct{ indent, penalty int }

func (s score) better(than score) bool {
	deeper := 0
	switch {
	case s.indent > than.indent:
		deeper = 1
	case s.indent < than.indent:
		deeper = -1
	}
	return indentWeight*deeper+s.penalty-than.penalty <= 0
}

// bestEnd returns where the group, now in its lowest place, should end; topEnd
// is where it ends in its highest. Of equal places the lowest is best.
func (s *side) bestEnd(g group, topEnd int) int {
	size := g.end - g.start
	best, bestScore := -1, score{}
	for end := max(topEnd, g.start-1, g.end-maxSlide); end <= g.end; end++ {
		this := s.cut(end - size).plus(s.cut(end))
		if best < 0 || this.better(bestScore) {
			best, bestScore = end, this
		}
	}
	return best
}

func (s score) plus(t score) score { return score{s.indent + t.indent, s.penalty + t.penalty} }

// cut scores a cut of the text before the given line.
func (s *side) cut(line int) score {
	atEnd := line >= len(s.ids)
	own := blank
	if !atEnd {
		own = s.indent(line)
	}
	before, blanksBefore := s.ink(line, -1)
	after, blanksAfter := s.ink(line, +1)

	var result score
	if before == blank && blanksBefore == 0 {
		result.penalty += startOfText
	}
	if atEnd {
		result.penalty += endOfText
	}
	indent := own
	if own == blank {
		indent = after
		blanksAfter++
	} else {
		blanksAfter = 0
	}
	blanks := blanksBefore + blanksAfter
	result.indent = indent
	result.penalty += perBlank*blanks + perBlankAfter*blanksAfter
	if indent != blank && before != blank {
		result.penalty += step(before, indent, after, blanks > 0)
	}
	return result
}

// step is the penalty of a change of the indent at a cut.
func step(before, indent, after int, blanks bool) int {
	switch {
	case indent == before:
		return 0
	case indent > before:
		return either(blanks, indentedAfterBlank, indented)
	case after > indent:
		return either(blanks, outdentedBlank, outdented)
	default:
		return either(blanks, dedentedBlank, dedented)
	}
}

func either(condition bool, yes, no int) int {
	if condition {
		return yes
	}
	return no
}

// ink looks from a line in one direction for a line that is not blank and
// returns its indent and the number of blank lines before it. Too many blank
// lines count as an indent of 0, the end of the text as blank.
func (s *side) ink(line, direction int) (indent, blanks int) {
	for i := line + direction; i >= 0 && i < len(s.ids); i += direction {
		if indent := s.indent(i); indent != blank {
			return indent, blanks
		}
		if blanks++; blanks == maxBlank {
			return 0, blanks
		}
	}
	return blank, blanks
}

// indent returns the column of the first ink in a line, or blank. It looks at
// each line once, so long blank lines cost their length and no more.
func (s *side) indent(line int) int {
	const unknown, offset = 0, 2
	if s.indents == nil {
		s.indents = make([]int16, len(s.ids))
	}
	if s.indents[line] == unknown {
		s.indents[line] = int16(indentOf(s.line(line)) + offset)
	}
	return int(s.indents[line]) - offset
}

func indentOf(line []byte) int {
	column := 0
	for _, c := range line {
		switch c {
		case ' ':
			column++
		case '\t':
			column += tabWidth - column%tabWidth
		case '\n', '\r': // git counts \v and \f as ink
		default:
			return column
		}
		if column >= maxIndent {
			return maxIndent
		}
	}
	return blank
}
