package pyjson

import (
	"math/big"
	"strings"
)

// Kind is the type of a value.
type Kind uint8

// The kinds of a value, by Python's names.
const (
	None Kind = iota
	Bool
	Int
	Float
	String
	List
	Object
)

var kindNames = [...]string{"null", "boolean", "integer", "float", "string", "array", "object"}

func (k Kind) String() string { return kindNames[k] }

// Value is one JSON value. The zero Value is null. Values are not to be changed once made.
type Value struct {
	kind    Kind
	truth   bool
	text    string // a string's text in WTF-8; a number's literal
	items   []Value
	members []Member
}

// Member is one member of an object.
type Member struct {
	Name  string
	Value Value
}

// Null is null.
var Null Value

// Text returns a string.
func Text(s string) Value { return Value{kind: String, text: s} }

// Truth returns a boolean.
func Truth(b bool) Value { return Value{kind: Bool, truth: b} }

// Integer returns an integer.
func Integer(i *big.Int) Value { return Value{kind: Int, text: i.String()} }

// Number returns an integer.
func Number(i int64) Value { return Integer(big.NewInt(i)) }

// Array returns an array.
func Array(items ...Value) Value { return Value{kind: List, items: items} }

// Texts returns an array of strings.
func Texts(items []string) Value {
	v := Value{kind: List, items: make([]Value, len(items))}
	for i, s := range items {
		v.items[i] = Text(s)
	}
	return v
}

// Map returns an object. Names must differ.
func Map(members ...Member) Value { return Value{kind: Object, members: members} }

// Kind returns the value's type.
func (v Value) Kind() Kind { return v.kind }

// Text returns a string's text in WTF-8, "" for what is no string.
func (v Value) Text() string {
	if v.kind != String {
		return ""
	}
	return v.text
}

// Literal returns how a number was written, "" for what is no number.
func (v Value) Literal() string {
	if v.kind != Int && v.kind != Float {
		return ""
	}
	return v.text
}

// Truth returns a boolean's value, false for what is no boolean.
func (v Value) Truth() bool { return v.truth }

// Items returns an array's values.
func (v Value) Items() []Value { return v.items }

// Members returns an object's members, each name once, in the order of first occurrence.
func (v Value) Members() []Member { return v.members }

// Get returns a member of an object.
func (v Value) Get(name string) (Value, bool) {
	for _, m := range v.members {
		if m.Name == name {
			return m.Value, true
		}
	}
	return Value{}, false
}

// Without returns the object without the members of these names.
func (v Value) Without(names ...string) Value {
	return v.filter(func(m Member) bool {
		for _, n := range names {
			if m.Name == n {
				return false
			}
		}
		return true
	})
}

// With returns the object with a member of that value.
func (v Value) With(name string, value Value) Value {
	v = v.Without(name)
	v.members = append(v.members, Member{name, value})
	return v
}

func (v Value) filter(keep func(Member) bool) Value {
	kept := make([]Member, 0, len(v.members)+1)
	for _, m := range v.members {
		if keep(m) {
			kept = append(kept, m)
		}
	}
	v.members = kept
	return v
}

// Equal says whether Python holds the values for equal: true is 1, and 1.0 is 1.
func (v Value) Equal(w Value) bool {
	if a, ok := v.number(); ok {
		b, ok := w.number()
		return ok && a.Cmp(b) == 0
	}
	if v.kind != w.kind {
		return false
	}
	switch v.kind {
	case String:
		return v.text == w.text
	case Float: // infinite, or not a number
		return v.text == w.text && v.text != nan
	case List:
		if len(v.items) != len(w.items) {
			return false
		}
		for i := range v.items {
			if !v.items[i].Equal(w.items[i]) {
				return false
			}
		}
	case Object:
		if len(v.members) != len(w.members) {
			return false
		}
		for _, m := range v.members {
			other, ok := w.Get(m.Name)
			if !ok || !m.Value.Equal(other) {
				return false
			}
		}
	}
	return true
}

// number returns the value of a boolean or of a finite number.
func (v Value) number() (*big.Rat, bool) {
	switch v.kind {
	case Bool:
		if v.truth {
			return big.NewRat(1, 1), true
		}
		return new(big.Rat), true
	case Int:
		i, ok := v.BigInt()
		if !ok {
			return nil, false
		}
		return new(big.Rat).SetInt(i), true
	case Float:
		r := new(big.Rat)
		if r.SetFloat64(v.float()) == nil {
			return nil, false
		}
		return r, true
	}
	return nil, false
}

// BigInt returns an integer's value.
func (v Value) BigInt() (*big.Int, bool) {
	if v.kind != Int {
		return nil, false
	}
	return new(big.Int).SetString(v.text, 10)
}

// ToInt returns what Python's int() makes of the value: booleans, floats (cut towards zero)
// and strings of decimal digits have an integer too. Digits other than ASCII's are not
// taken.
func (v Value) ToInt() (*big.Int, bool) {
	switch v.kind {
	case Bool:
		if v.truth {
			return big.NewInt(1), true
		}
		return new(big.Int), true
	case Int:
		return v.BigInt()
	case Float:
		f := new(big.Float)
		if x := v.float(); x-x != 0 { // infinite, or not a number
			return nil, false
		} else {
			f.SetFloat64(x)
		}
		i, _ := f.Int(nil)
		return i, true
	case String:
		s := strings.Trim(v.text, " \t\n\v\f\r\x1c\x1d\x1e\x1f\u0085\u00a0")
		digits := strings.TrimPrefix(strings.TrimPrefix(s, "+"), "-")
		if len(s)-len(digits) > 1 || len(digits) > maxDigits {
			return nil, false
		}
		for i := range len(digits) {
			c := digits[i]
			lone := c == '_' && (i == 0 || i == len(digits)-1 || digits[i-1] == '_')
			if lone || c != '_' && (c < '0' || c > '9') {
				return nil, false
			}
		}
		return new(big.Int).SetString(strings.ReplaceAll(s, "_", ""), 10)
	}
	return nil, false
}

// ToText returns what Python's str() makes of the value; not of arrays and objects.
func (v Value) ToText() (string, bool) {
	switch v.kind {
	case None:
		return "None", true
	case Bool:
		if v.truth {
			return "True", true
		}
		return "False", true
	case Int:
		return v.text, true
	case Float:
		switch v.text {
		case nan:
			return "nan", true
		case inf:
			return "inf", true
		case negInf:
			return "-inf", true
		}
		return repr(v.float()), true
	case String:
		return v.text, true
	}
	return "", false
}
