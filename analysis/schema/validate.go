package schema

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Hole stands for a value that is there but could not be read, as in {"id": }.
// Validate takes it for right wherever it stands.
type Hole struct{}

// Validate returns what is wrong with the shape of v, sorted by pointer, or
// nil if nothing is. v is a decoded JSON value: nil, bool, json.Number or
// float64, string, []any, map[string]any, or a [Hole]. A value of any other Go
// type is itself a problem. v is not changed, and values in places that take anything
// are not looked into, so neither their size nor their depth matters.
func Validate(def Def, v any) []Problem {
	var problems []Problem
	switch def {
	case Document:
		problems = documentProblems(v)
	case Path:
		problems = entryProblems(v)
	case Line:
		problems = lineProblems(v)
	default:
		problems = unitProblems(def, v)
	}
	slices.SortFunc(problems, Problem.compare)
	return problems
}

func documentProblems(v any) []Problem {
	problems := unitProblems(Graph, v)
	for i, entry := range items(v, "paths") {
		at := []string{"paths", strconv.Itoa(i)}
		problems = append(problems, under(at, entryProblems(entry))...)
		for j, step := range items(entry, "steps") {
			at := append(at, "steps", strconv.Itoa(j))
			problems = append(problems, under(at, unitProblems(Step, step))...)
		}
	}
	return problems
}

// items returns the list behind key if v is an object that has one.
func items(v any, key string) []any {
	object, _ := v.(map[string]any)
	list, _ := object[key].([]any)
	return list
}

func entryProblems(v any) []Problem {
	entry, _ := v.(map[string]any)
	if _, isRef := entry["$ref"]; !isRef {
		return unitProblems(Path, v)
	}
	for _, inline := range []string{"path", "steps"} {
		if _, ok := entry[inline]; ok {
			return append(inlineProblems(entry), Problem{
				Pointer: []string{"$ref"},
				OnKey:   true,
				Cause:   RefAndPath,
				Message: "path entry has both \"$ref\" and \"" + inline + "\": an entry is either an inline path or a reference",
			})
		}
	}
	return unitProblems(pathRef, v)
}

// inlineProblems returns the problems of the inline path in an entry that has
// a $ref too. Whether the path is complete is not the question then.
func inlineProblems(entry map[string]any) []Problem {
	inline := maps.Clone(entry)
	delete(inline, "$ref")
	return slices.DeleteFunc(unitProblems(Path, inline), func(p Problem) bool {
		return len(p.Pointer) == 0
	})
}

func lineProblems(v any) []Problem {
	if _, unread := v.(Hole); unread {
		return nil
	}
	line, ok := v.(map[string]any)
	if !ok {
		return []Problem{{
			Cause:   WrongType,
			Message: "a line must be an object with one key, the variant; found " + kindOf(v),
		}}
	}
	if len(line) != 1 {
		return []Problem{{Cause: VariantCount, Message: variantCount(line)}}
	}
	for variant, body := range line {
		at := []string{variant}
		if def, ok := Body(variant); ok {
			return under(at, unitProblems(def, body))
		}
		message, meant := unknownVariant(variant)
		return []Problem{{Pointer: at, OnKey: true, Cause: UnknownVariant, Message: message, Meant: meant}}
	}
	return nil
}

func variantCount(line map[string]any) string {
	if len(line) == 0 {
		return "a line has one key, the variant; this one has none"
	}
	keys := slices.Sorted(maps.Keys(line))
	return "a line has one key, the variant; this one has " + strconv.Itoa(len(keys)) + ": " + quoteList(keys)
}

func unknownVariant(variant string) (message, meant string) {
	var known []string
	for _, v := range variants {
		known = append(known, v.name)
	}
	message = "unknown line variant " + quote(variant) + " (known: " + strings.Join(known, ", ") + ")"
	meant, ok := nearest(variant, known)
	if ok {
		message += "; did you mean " + quote(meant) + "?"
	}
	return message, meant
}

// unitProblems validates v by the schema of def alone.
func unitProblems(def Def, v any) []Problem {
	if p, ok := misplaced(def, v); ok {
		return []Problem{p}
	}
	err := compiled()[def].Validate(v)
	if err == nil {
		return nil
	}
	var verr *jsonschema.ValidationError
	if !errors.As(err, &verr) {
		return []Problem{{Cause: BadShape, Message: err.Error()}}
	}
	return newExplainer(def, v).explain(verr)
}
