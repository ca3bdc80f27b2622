// Package canonical writes the canonical form of JSON, of which signatures are made (RFC
// "Signature Algorithm", RFC 8785).
//
// It works on the values of a document as they are written, fields that nobody knows
// included, and never on a model that was read from them. Numbers and strings are written
// by jsontext; only the order of keys is our own, since there are two: the Toolpath RFC
// sorts them by UTF-8 bytes, and RFC 8785, to which it refers, by UTF-16 units. They differ
// where one key has a character beyond U+FFFF and another one, at that place, a character
// from U+E000 to U+FFFF.
//
// A value has no canonical form where readers may disagree on what it is: with a fault of
// the syntax, a key that an object has twice, or a number that a double does not hold.
package canonical

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

// Form is the canonical form of a value, in UTF-8.
type Form struct {
	ByBytes []byte // keys sorted by UTF-8 bytes (RFC "Canonicalization Rules")
	ByUnits []byte // keys sorted by UTF-16 units (RFC 8785); nil if that is the same order
}

// Fault is why a value has no canonical form.
type Fault struct {
	Start, End int // bytes of the document
	Message    string
}

func (f *Fault) Error() string { return f.Message }

// Member is a member of an object that no document has as it is, such as what a signature
// signs. Its value is a jsonsrc.Value, a string, an Object, or a []string.
type Member struct {
	Key   string
	Value any
}

// Object is such an object. Its members may come in any order.
type Object []Member

// Of returns the canonical form of a value. The error is a [*Fault].
func Of(v jsonsrc.Value) (Form, error) { return form(v) }

// OfObject returns the canonical form of an object. The error is a [*Fault].
func OfObject(o Object) (Form, error) { return form(o) }

func form(v any) (Form, error) {
	w := writer{}
	if err := w.any(v); err != nil {
		return Form{}, err
	}
	f := Form{ByBytes: w.out}
	if w.differs {
		w = writer{byUnits: true}
		if err := w.any(v); err != nil {
			return Form{}, err
		}
		f.ByUnits = w.out
	}
	return f, nil
}

// writer writes values in one of the orders.
type writer struct {
	out     []byte
	byUnits bool
	differs bool // an object has another order by units than by bytes
	scratch []byte
}

func (w *writer) any(v any) error {
	switch v := v.(type) {
	case jsonsrc.Value:
		if e, faulty := v.Fault(); faulty {
			return &Fault{e.Start, e.End, e.Message}
		}
		return w.value(v)
	case Object:
		return w.object(v)
	case string:
		return w.text(v)
	case []string:
		return w.texts(v)
	}
	panic(fmt.Sprintf("a member of type %T", v)) // of our own making
}

// checked is a value in one whose faults have been looked for.
type checked jsonsrc.Value

func (w *writer) member(v any) error {
	if v, ok := v.(checked); ok {
		return w.value(jsonsrc.Value(v))
	}
	return w.any(v)
}

func (w *writer) texts(list []string) error {
	w.out = append(w.out, '[')
	for i, s := range list {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		if err := w.text(s); err != nil {
			return err
		}
	}
	w.out = append(w.out, ']')
	return nil
}

// text writes a string that has been decoded.
func (w *writer) text(s string) (err error) {
	if w.out, err = jsontext.AppendQuote(w.out, s); err != nil {
		return &Fault{Message: "a string is not UTF-8"}
	}
	return nil
}

func (w *writer) value(v jsonsrc.Value) error {
	if !v.Closed() {
		return faultAt(v, "the value is not complete")
	}
	switch v.Kind() {
	case jsonsrc.Null, jsonsrc.True, jsonsrc.False:
		w.out = append(w.out, v.Bytes()...)
		return nil
	case jsonsrc.Number:
		return w.number(v)
	case jsonsrc.String:
		return w.string(v)
	case jsonsrc.Array:
		w.out = append(w.out, '[')
		for i, e := range v.Elements() {
			if i > 0 {
				w.out = append(w.out, ',')
			}
			if err := w.value(e); err != nil {
				return err
			}
		}
		w.out = append(w.out, ']')
		return nil
	case jsonsrc.Object:
		var o Object
		for k, member := range v.Members() {
			name, err := w.decode(k)
			if err != nil {
				return err
			}
			o = append(o, Member{string(name), checked(member)})
		}
		if err := w.object(o); err != nil {
			if f := err.(*Fault); f.End == 0 {
				f.Start, f.End = v.Start(), v.Start()+1
			}
			return err
		}
		return nil
	}
	return faultAt(v, "the value is missing")
}

func faultAt(v jsonsrc.Value, message string) *Fault { return &Fault{v.Start(), v.End(), message} }

// decode returns the content of a string, valid until the next call.
func (w *writer) decode(v jsonsrc.Value) ([]byte, error) {
	if v.Kind() != jsonsrc.String || !v.Closed() {
		return nil, faultAt(v, "a string is missing or not complete")
	}
	decoded, err := jsontext.AppendUnquote(w.scratch[:0], v.Bytes())
	if err != nil {
		return nil, faultAt(v, "the string has a fault: an escape, a control character, or bytes that are no UTF-8")
	}
	w.scratch = decoded
	return decoded, nil
}

// isCanonical says whether a string without faults is written as the canonical form has it: with
// no escape but the short ones that are needed.
func isCanonical(literal []byte) bool {
	for {
		i := bytes.IndexByte(literal, '\\')
		if i < 0 {
			return true
		}
		switch literal[i+1] {
		case 'n', 't', '"', '\\', 'r', 'b', 'f':
		default:
			return false
		}
		literal = literal[i+2:]
	}
}

func (w *writer) string(v jsonsrc.Value) error {
	if literal := v.Bytes(); isCanonical(literal) {
		w.out = append(w.out, literal...)
		return nil
	}
	decoded, err := w.decode(v)
	if err != nil {
		return err
	}
	w.out, err = jsontext.AppendQuote(w.out, decoded)
	if err != nil {
		return faultAt(v, "the string is not UTF-8")
	}
	return nil
}

func (w *writer) number(v jsonsrc.Value) error {
	if !IsExact(v.Bytes()) || !IsInRange(v.Bytes()) {
		return faultAt(v, "the number has more digits than a double holds, so that another one has the same canonical form")
	}
	n := jsontext.Value(bytes.Clone(v.Bytes()))
	if err := n.Canonicalize(); err != nil {
		return faultAt(v, "the number has a fault")
	}
	w.out = append(w.out, n...)
	return nil
}

func (w *writer) object(o Object) error {
	slices.SortStableFunc(o, func(a, b Member) int { return strings.Compare(a.Key, b.Key) })
	for i := 1; i < len(o); i++ {
		if o[i].Key == o[i-1].Key {
			return &Fault{Message: fmt.Sprintf("the object has the key %q twice", short(o[i].Key))}
		}
	}
	if mayDiffer(o) {
		byUnits := slices.Clone(o)
		slices.SortFunc(byUnits, func(a, b Member) int { return CompareUnits(a.Key, b.Key) })
		for i := range o {
			w.differs = w.differs || o[i].Key != byUnits[i].Key
		}
		if w.byUnits {
			o = byUnits
		}
	}
	w.out = append(w.out, '{')
	for i, m := range o {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		if err := w.text(m.Key); err != nil {
			return err
		}
		w.out = append(w.out, ':')
		if err := w.member(m.Value); err != nil {
			return err
		}
	}
	w.out = append(w.out, '}')
	return nil
}

// mayDiffer says whether two keys have characters beyond U+DFFF, at which the orders part.
func mayDiffer(o Object) bool {
	n := 0
	for _, m := range o {
		if strings.IndexFunc(m.Key, func(r rune) bool { return r > 0xDFFF }) >= 0 {
			n++
		}
	}
	return n > 1
}

// CompareUnits compares two keys by UTF-16 units, as RFC 8785 sorts them.
func CompareUnits(a, b string) int {
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}

func short(s string) string {
	const most = 60
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}
