package analysis

import "fmt"

// Reading is how a source file is read.
type Reading struct {
	Bytes    int
	Language string // for people; "" if there is no grammar
	Tree     bool   // it has a syntax tree
	Why      string // why it has none; "" if it has one
	Faults   int    // places that the parser could not read
	First    []Fault
	Layout   string // what of a change is formatting, in a sentence
}

// Fault is a place that a parser could not read.
type Fault struct {
	Line    int    // 0-based
	Text    string // on one line, shortened
	Missing bool   // the text should stand there
}

// ReadingOf says how an open source file is read; false without grammars at all.
func (s *Snapshot) ReadingOf(file, source string) (Reading, bool) {
	if s.Options.Syntax == nil {
		return Reading{}, false
	}
	return s.Options.Syntax.Reading(file, source), true
}

// Sentences tells it for people, each on a line.
func (r Reading) Sentences() []string {
	var all []string
	switch {
	case !r.Tree && r.Language != "":
		all = append(all, fmt.Sprintf("no syntax tree, though there is a grammar for %s: %s", r.Language, r.Why))
	case !r.Tree:
		all = append(all, "no syntax tree: "+r.Why)
	case r.Faults == 0:
		all = append(all, "read by the grammar for "+r.Language+", without faults")
	default:
		all = append(all, fmt.Sprintf("read by the grammar for %s, with %s that it cannot read", r.Language, plural(r.Faults, "place")))
		for _, f := range r.First {
			if f.Missing {
				all = append(all, fmt.Sprintf("line %d: %q is missing", f.Line+1, f.Text))
			} else {
				all = append(all, fmt.Sprintf("line %d: %q", f.Line+1, f.Text))
			}
		}
		if n := r.Faults - len(r.First); n > 0 {
			all = append(all, fmt.Sprintf("%d more", n))
		}
	}
	if !r.Tree {
		all = append(all, "definitions are not told")
	}
	return append(all, r.Layout)
}
