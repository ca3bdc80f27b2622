package schema

import "github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"

// Field is a field that an object may have.
type Field struct {
	Name, Type string // Type is a JSON type of its value, "" if it takes several
	Required   bool
}

// Fields returns the fields that the object at pointer below a value of shape def may
// have, in the order of the schema; see [Describe] for pointer.
func Fields(def Def, pointer ...string) []Field {
	n := at(def, pointer)
	if n == nil {
		return nil
	}
	required := map[string]bool{}
	for _, o := range n {
		for _, name := range o.strings("required") {
			required[name] = true
		}
	}
	var fields []Field
	for _, name := range n.properties() {
		var kind string
		for _, o := range n.property(name) {
			if t := o.strings("type"); len(t) == 1 {
				kind = t[0]
			}
		}
		fields = append(fields, Field{name, kind, required[name]})
	}
	return fields
}

// Values returns the strings that the value at pointer may have, if they are few.
func Values(def Def, pointer ...string) []string {
	for _, o := range at(def, pointer) {
		if values := o.strings("enum"); len(values) > 0 {
			return values
		}
	}
	return nil
}

// Structural returns the shape that the version of the kind gives to structural changes
// whose type is the value; not ok if it gives none.
func (s Session) Structural(kind jsonsrc.Value) (Def, bool) {
	if op := s.operation(kind); op != nil {
		return op.def, true
	}
	return 0, false
}
