package jsonsrc

import "slices"

// Code classifies a syntax error.
type Code uint8

// The kinds of syntax errors.
const (
	Unexpected    Code = iota // text that has no place here
	Missing                   // a value, comma, colon, bracket or quote that is not there
	BadString                 // a control character, line break or faulty escape
	BadNumber                 // no JSON number
	NumberRange               // a number beyond what a double can hold
	LoneSurrogate             // half of a UTF-16 pair
	InvalidUTF8               // bytes that are no UTF-8
	ByteOrderMark             // U+FEFF at the start
	DuplicateKey              // a key that its object has already; Related spans the first
	DeepNesting               // nested deeper than DeepDepth, which others refuse; still read
	TooDeep                   // nested deeper than MaxDepth
	TooMany                   // more steps or lines than MaxChunks
	TooManyErrors             // what follows is not listed
)

// Error is one syntax error. Offsets count from the start of its chunk, or of the text
// for those that [Tree.Errors] yields.
type Error struct {
	Code       Code
	Start, End int
	// RelatedStart and RelatedEnd span what the error refers to: the opening bracket of
	// what is not closed, the first of two equal keys. Both 0 = nothing.
	RelatedStart, RelatedEnd int
	Message                  string
	// Repair is the right answer, if there is one: to be made together, ascending. Of two
	// that may be right, Alternative is the other one.
	Repair, Alternative []Replacement
}

// Replacement replaces the text in [Start, End); offsets count as those of its error.
type Replacement struct {
	Start, End int
	New        string
}

func (e Error) shift(off int) Error {
	e.Start += off
	e.End += off
	e.Repair, e.Alternative = shifted(e.Repair, off), shifted(e.Alternative, off)
	if e.RelatedEnd > 0 {
		e.RelatedStart += off
		e.RelatedEnd += off
	}
	return e
}

func shifted(all []Replacement, off int) []Replacement {
	all = slices.Clone(all)
	for i := range all {
		all[i].Start += off
		all[i].End += off
	}
	return all
}

// Bounds of the parser.
const (
	MaxDepth  = 512     // nesting of arrays and objects
	DeepDepth = 128     // nesting that is reported: the format's own parser refuses more
	MaxChunks = 1 << 20 // steps, or lines, of one document

	maxChunkErrors = 200    // listed errors of one chunk
	maxTreeErrors  = 10_000 // from here on a chunk lists its first error only
)
