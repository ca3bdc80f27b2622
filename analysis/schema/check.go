package schema

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

// Check is Validate for a parsed value that may have syntax errors: what only
// follows from those is not reported again. It is quick on valid steps, for
// which it builds no decoded value.
//
// Pointers are relative to v and resolve with v.Resolve.
func Check(def Def, v jsonsrc.Value) []Problem {
	switch def {
	case Document:
		return checkDocument(v)
	case Graph:
		return checkDecoded(def, v, decodeWithout(v, "paths"))
	case Path:
		return checkDecoded(def, v, decodeWithout(v, "steps"))
	case Step:
		if AcceptsStep(v) {
			return nil
		}
	case Line:
		if AcceptsStepLine(v) {
			return nil
		}
	}
	return checkDecoded(def, v, Decode(v))
}

func checkDocument(v jsonsrc.Value) []Problem {
	problems := Check(Graph, v)
	for i, entry := range v.Get("paths").Elements() {
		at := []string{"paths", strconv.Itoa(i)}
		problems = append(problems, under(at, Check(Path, entry))...)
		for j, step := range entry.Get("steps").Elements() {
			if AcceptsStep(step) {
				continue
			}
			at := append(at, "steps", strconv.Itoa(j))
			problems = append(problems, under(at, Check(Step, step))...)
		}
	}
	return problems
}

func checkDecoded(def Def, v jsonsrc.Value, decoded any) []Problem {
	return slices.DeleteFunc(Validate(def, decoded), func(p Problem) bool {
		if p.Cause != MissingProperty {
			return false
		}
		_, object, ok := v.Resolve(p.Pointer)
		return ok && damaged(object)
	})
}

// damaged says whether an object may hold a field that could not be read: it
// has no end, or a key that is no string.
func damaged(object jsonsrc.Value) bool {
	if !object.Closed() {
		return true
	}
	for key := range object.Members() {
		if key.Kind() != jsonsrc.String || !key.Closed() {
			return true
		}
	}
	return false
}

// Decode returns v as the decoded value that Validate takes. Of equal keys the
// last counts, keys that are no whole strings are left out, values that could not be
// read become a [Hole]. The parser bounds the depth (jsonsrc.MaxDepth).
func Decode(v jsonsrc.Value) any {
	switch v.Kind() {
	case jsonsrc.Null:
		return nil
	case jsonsrc.False:
		return false
	case jsonsrc.True:
		return true
	case jsonsrc.Number:
		return json.Number(v.Bytes())
	case jsonsrc.String:
		return v.Text()
	case jsonsrc.Array:
		list := []any{}
		for _, e := range v.Elements() {
			list = append(list, Decode(e))
		}
		return list
	case jsonsrc.Object:
		return decodeWithout(v, "")
	}
	return Hole{}
}

// decodeWithout is Decode that makes the list of the field named units empty:
// its items are units of their own.
func decodeWithout(v jsonsrc.Value, units string) any {
	if v.Kind() != jsonsrc.Object {
		return Decode(v)
	}
	object := map[string]any{}
	for key, value := range v.Members() {
		switch {
		case key.Kind() != jsonsrc.String || !key.Closed():
		case units != "" && key.Is(units) && value.Kind() == jsonsrc.Array:
			object[units] = []any{}
		default:
			object[key.Text()] = Decode(value)
		}
	}
	return object
}
