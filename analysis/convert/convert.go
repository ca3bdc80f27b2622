// Package convert turns Toolpath documents from one form into another.
//
// Terms: a document is a ".path.json", one graph; a stream is a ".path.jsonl", the lines of
// one path. Old forms of a document are the envelope ({"Graph": …}, {"Path": …} or
// {"Step": …}), a path or a step in place of the graph, and base.commit. A loss is what the
// new form cannot say.
//
// All of it works on the text of the values: fields that nobody knows are kept, and strings
// and numbers stay as they are spelled. A document that becomes a stream and a document
// again has the same paths, but for the losses that are told.
package convert

import (
	"errors"
	"fmt"
	"slices"

	"github.com/toolpath-ls/toolpath-ls/analysis/format"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// Form is how a text is written.
type Form uint8

// The forms of a text.
const (
	Document Form = iota // ".path.json"
	Stream               // ".path.jsonl"
)

// Loss is a part of a text that its new form does not hold. The span is in bytes of the old
// text.
type Loss struct {
	Start, End int
	Message    string
}

// Error says why a text cannot be converted, and where.
type Error struct {
	Start, End int // bytes of the old text
	Message    string
}

func (e *Error) Error() string { return e.Message }

// Result is a converted text, laid out as package format does.
type Result struct {
	Text   []byte
	Losses []Loss // by their place
}

// FormOf returns the form of a text by its content, otherwise the one that its name says.
func FormOf(src []byte, named Form) Form {
	if toolpath.IsStream(src) {
		return Stream
	}
	if named == Stream && toolpath.MayBeToolpath(text.New(src)) && toolpath.IsToolpath(parse(src, Document)) {
		return Document
	}
	return named
}

func parse(src []byte, f Form) *jsonsrc.Tree {
	if f == Stream {
		return jsonsrc.ParseLines(src)
	}
	return jsonsrc.Parse(src, toolpath.Layout)
}

// IsOld says whether a document is one of an old form.
func IsOld(src []byte) bool {
	edits, _, err := Upgrade(parse(src, Document))
	return err == nil && len(edits) > 0
}

// Convert returns the text in another form, or in the current version of its own form. The
// error is an [*Error].
func Convert(src []byte, from, to Form) (Result, error) {
	t := parse(src, from)
	edits, lost, err := Upgrade(t)
	if err != nil {
		return Result{}, err
	}
	if len(edits) > 0 {
		t = parse(format.Apply(src, edits), from)
	}
	r, err := rewrite(t, from, to)
	for i := range r.Losses {
		r.Losses[i].Start, r.Losses[i].End = origin(edits, r.Losses[i].Start), origin(edits, r.Losses[i].End)
	}
	if e := new(Error); errors.As(err, &e) {
		e.Start, e.End = origin(edits, e.Start), origin(edits, e.End)
	}
	r.Losses = append(lost, r.Losses...)
	slices.SortStableFunc(r.Losses, func(a, b Loss) int { return a.Start - b.Start })
	return r, err
}

func rewrite(t *jsonsrc.Tree, from, to Form) (r Result, err error) {
	switch {
	case from == to:
		r.Text, err = format.Text(t)
		return r, refused(err)
	case to == Stream:
		return ToStream(t)
	}
	return ToDocument(t)
}

// origin returns the offset in a text of what stands at an offset after the edits.
func origin(edits []format.Edit, off int) int {
	for _, e := range edits {
		if off < e.Start {
			break
		}
		if off < e.Start+len(e.New) {
			return e.Start
		}
		off += e.End - e.Start - len(e.New)
	}
	return off
}

// refused makes an Error of a fault of the syntax.
func refused(err error) error {
	if s := new(format.SyntaxError); errors.As(err, &s) {
		return &Error{s.Start, s.End, s.Message}
	}
	return err
}

// fault is an Error about a value.
func fault(v jsonsrc.Value, message string, args ...any) *Error {
	return &Error{v.Start(), v.End(), fmt.Sprintf(message, args...)}
}

// losses gathers what is lost.
type losses []Loss

func (l *losses) add(v jsonsrc.Value, message string, args ...any) {
	*l = append(*l, Loss{v.Start(), v.End(), fmt.Sprintf(message, args...)})
}

// unknown adds the members of an object that are none of those named.
func (l *losses) unknown(v jsonsrc.Value, where string, known ...string) {
	for k := range v.Members() {
		if !isOneOf(k, known) {
			l.add(k, "the unknown field %s of %s is left out", short(k), where)
		}
	}
}

func isOneOf(k jsonsrc.Value, names []string) bool {
	for _, n := range names {
		if k.Is(n) {
			return true
		}
	}
	return false
}

// short is a value as it is spelled, cut after 60 characters.
func short(v jsonsrc.Value) string {
	const most = 60
	for i, n := range v.Bytes() {
		if i >= most && n&0xC0 != 0x80 {
			return string(v.Bytes()[:i]) + "…"
		}
	}
	return string(v.Bytes())
}
