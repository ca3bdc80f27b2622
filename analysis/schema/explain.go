package schema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// maxUnknown bounds the unknown fields that are named one by one per object.
const maxUnknown = 100

// explainer turns the errors of the validator into problems.
type explainer struct {
	def      Def
	v        any
	problems []Problem
	// renamed holds the missing fields that an unknown field of the same
	// object accounts for: joined pointer of the object, then the field.
	renamed map[string]bool
	missing []missing
}

type missing struct {
	pointer []string
	field   string
}

func newExplainer(def Def, v any) *explainer {
	return &explainer{def: def, v: v, renamed: map[string]bool{}}
}

func (x *explainer) explain(err *jsonschema.ValidationError) []Problem {
	x.leaves(err)
	for _, m := range x.missing {
		if !x.renamed[fieldKey(m.pointer, m.field)] {
			x.add(Problem{Pointer: m.pointer, Cause: MissingProperty, Message: x.missingMessage(m)})
		}
	}
	return x.problems
}

// leaves walks to the errors that have no further causes. The depth is that of
// the schema, not of the value.
func (x *explainer) leaves(err *jsonschema.ValidationError) {
	for _, cause := range err.Causes {
		x.leaves(cause)
	}
	if len(err.Causes) == 0 {
		x.leaf(err)
	}
}

func (x *explainer) leaf(err *jsonschema.ValidationError) {
	pointer := err.InstanceLocation
	if _, unread := x.value(pointer).(Hole); unread {
		return
	}
	switch k := err.ErrorKind.(type) {
	case *kind.Required:
		for _, field := range k.Missing {
			x.missing = append(x.missing, missing{pointer, field})
		}
	case *kind.AdditionalProperties:
		x.unknownFields(pointer, k.Properties)
	case *kind.Type, *kind.InvalidJsonValue:
		x.add(Problem{Pointer: pointer, Cause: WrongType, Message: x.typeMessage(pointer), LeaveOut: x.value(pointer) == nil && x.optional(pointer), Alone: x.alone(pointer)})
	case *kind.Enum:
		if _, isWord := k.Got.(string); isWord { // else its type is said to be wrong
			x.add(x.enumProblem(pointer, k))
		}
	case *kind.Pattern:
		x.add(x.patternProblem(pointer, k.Got))
	case *kind.MinProperties:
		x.add(Problem{Pointer: pointer, Cause: NoPerspective, Message: x.place(pointer) + ` has neither "raw" nor "structural"`})
	case *kind.Not:
		x.add(x.refusedKey(pointer))
	default:
		x.add(Problem{Pointer: pointer, Cause: BadShape, Message: x.place(pointer) + " does not have the shape that the format gives it"})
	}
}

func (x *explainer) add(p Problem) {
	x.problems = append(x.problems, p)
}

func fieldKey(pointer []string, field string) string {
	return strings.Join(append(slices.Clone(pointer), field), "\x00")
}

func (x *explainer) missingMessage(m missing) string {
	return "missing field " + quote(m.field) + " in " + x.place(m.pointer)
}

func (x *explainer) unknownFields(pointer, fields []string) {
	slices.Sort(fields)
	present, _ := x.value(pointer).(map[string]any)
	for i, field := range fields {
		if i == maxUnknown {
			x.add(Problem{Pointer: pointer, Cause: TooManyProperties, Message: strconv.Itoa(len(fields)-i) + " more unknown fields in " + x.place(pointer)})
			return
		}
		x.unknownField(pointer, field, present)
	}
}

func (x *explainer) unknownField(pointer []string, field string, present map[string]any) {
	p := Problem{Pointer: append(slices.Clone(pointer), field), OnKey: true}
	schema := at(x.def, pointer)
	place := schema.text("title")
	if d, ok := draftFields[place+"."+field]; ok {
		p.Cause, p.Message = DraftField, quote(field)+" in "+place+" "+d.message
		x.renamed[fieldKey(pointer, d.standsFor)] = true
		x.add(p)
		return
	}
	p.Cause = UnknownProperty
	p.Message = "unknown field " + quote(field) + " in " + x.place(pointer) + " (allowed: " + strings.Join(schema.properties(), ", ") + ")"
	hint := ""
	if hint, p.Meant = x.hint(pointer, field, present, schema); hint != "" {
		p.Message += "; " + hint
	} else {
		p.Message += "; other readers drop it without a word"
	}
	x.add(p)
}

// hint says what was probably meant by an unknown field.
func (x *explainer) hint(pointer []string, field string, present map[string]any, schema node) (hint, meant string) {
	candidates := slices.DeleteFunc(slices.Clone(schema.properties()), func(c string) bool {
		return has(present, c)
	})
	if x.def == Path && len(pointer) == 0 && !has(present, "path") && !has(present, "steps") {
		candidates = append(candidates, "$ref")
	}
	if meant, ok := nearest(field, candidates); ok {
		x.accountFor(pointer, meant)
		return "did you mean " + quote(meant) + "?", meant
	}
	for _, inner := range schema.properties() {
		if schema.property(inner).property(field) != nil {
			return "it belongs in " + quote(inner), ""
		}
	}
	return "", ""
}

// accountFor notes that a misspelt field explains the absence of the one that
// was meant. A misspelt $ref explains the absence of a whole inline path.
func (x *explainer) accountFor(pointer []string, meant string) {
	fields := []string{meant}
	if meant == "$ref" {
		fields = []string{"path", "steps"}
	}
	for _, f := range fields {
		x.renamed[fieldKey(pointer, f)] = true
	}
}

// draftFields are the fields that drafts had, by the title of the object and
// the field, with the missing field that they stood for.
var draftFields = map[string]struct{ message, standsFor string }{
	"path base.commit":     {`is from a form before May 2026: write the revision in "ref"`, ""},
	"path base.from":       {`is from a draft that was given up: descent from another path is written in "parent" of the path identity, and "uri" of the base names the project`, "uri"},
	"path parent.relation": {`is from a draft: whether a path is a continuation or a fork follows from "step" and is not declared`, ""},
}

func (x *explainer) typeMessage(pointer []string) string {
	schema := at(x.def, pointer)
	message := x.subject(pointer) + " must be " + wanted(schema) + ", found " + kindOf(x.value(pointer))
	if x.value(pointer) == nil && x.optional(pointer) {
		message += "; leave the field out instead"
	}
	return message
}

// alone says whether the value would do as the one element of the list that is wanted.
func (x *explainer) alone(pointer []string) bool {
	types := func(pointer []string) []string {
		var names []string
		for _, t := range at(x.def, pointer).last().strings("type") {
			names = append(names, typeNames[t])
		}
		return names
	}
	return slices.Contains(types(pointer), typeNames["array"]) &&
		slices.Contains(types(append(slices.Clone(pointer), "0")), kindOf(x.value(pointer)))
}

// optional says whether pointer leads to a field that its object can do
// without.
func (x *explainer) optional(pointer []string) bool {
	if len(pointer) == 0 {
		return false
	}
	parent, field := at(x.def, pointer[:len(pointer)-1]), pointer[len(pointer)-1]
	return parent.property(field) != nil && !slices.Contains(parent.last().strings("required"), field)
}

var typeNames = map[string]string{
	"string": "a string",
	"object": "an object",
	"array":  "an array",
	"null":   "null",

	"boolean": "true or false",
	"integer": "a whole number",
	"number":  "a number",
}

// wanted names the types that a value can have, and for strings and lists what
// they stand for.
func wanted(schema node) string {
	var names []string
	types := schema.last().strings("type")
	for _, t := range types {
		names = append(names, typeNames[t])
	}
	out := strings.Join(names, " or ")
	if title := schema.text("title"); title != "" && !slices.Contains(types, "object") {
		out += " (" + title + ")"
	}
	return out
}

func (x *explainer) enumProblem(pointer []string, k *kind.Enum) Problem {
	var want []string
	for _, w := range k.Want {
		if s, ok := w.(string); ok {
			want = append(want, s)
		}
	}
	got, _ := k.Got.(string)
	title := at(x.def, pointer).text("title")
	message := title + " " + quote(got) + " is not one of " + strings.Join(want, ", ")
	if len(want) == 1 {
		message = title + " " + quote(got) + " is not known (known: " + quote(want[0]) + ")"
	}
	meant, ok := nearest(got, want)
	if alias := otherWords[title][strings.ToLower(got)]; !ok && slices.Contains(want, alias) {
		meant, ok = alias, true
	}
	if ok {
		message += "; did you mean " + quote(meant) + "?"
	}
	return Problem{Pointer: pointer, Cause: enumCauses[title], Message: message, Meant: meant}
}

// otherWords are other names of what is in a list, by the title of the field.
var otherWords = map[string]map[string]string{
	"key type": {"pgp": "gpg", "openpgp": "gpg", "gnupg": "gpg", "openssh": "ssh"},
}

// enumCauses gives the cause of a value that is not in the list, by the title
// of the field.
var enumCauses = map[string]Cause{
	"key type":       KeyType,
	"scope":          UnknownScope,
	"stream version": UnknownVersion,

	"tool category":      UnknownWord,
	"compaction trigger": UnknownWord,
}

func (x *explainer) patternProblem(pointer []string, got string) Problem {
	if at(x.def, pointer).text("title") == "signature target" {
		p := Problem{Pointer: pointer, Cause: SignatureTarget, Message: "signature target " + quote(got) + ` is neither "path" nor "step:" and a step id`}
		switch kind, id, named := strings.Cut(got, ":"); {
		case named && id != "" && strings.EqualFold(strings.TrimSpace(kind), "step"):
			p.Meant = "step:" + id
		case strings.EqualFold(strings.TrimSpace(got), "path"):
			p.Meant = "path"
		}
		return p
	}
	return Problem{Pointer: pointer, Cause: ActorForm, Message: actorMessage(got)}
}

func actorMessage(got string) string {
	return "actor " + quote(got) + " is not of the form kind:name or kind:name/suffix, where kind is human, agent, tool or ci and the rest is letters a-z, digits, \".\", \"_\" and \"-\""
}

// refusedKey explains a key that the schema refuses by "not": one that is no
// actor string in actors, or one that is reserved.
func (x *explainer) refusedKey(pointer []string) Problem {
	p := Problem{Pointer: pointer, OnKey: true}
	key := pointer[len(pointer)-1]
	if at(x.def, pointer[:len(pointer)-1]).property(key) == nil {
		p.Cause, p.Message = ActorForm, actorMessage(key)
		return p
	}
	line := map[string]string{"actors": "an ActorDef", "signatures": "a Signature"}[key]
	p.Cause = ReservedProperty
	p.Message = quote(key) + " cannot stand in " + x.place(pointer[:len(pointer)-1]) + ": in a stream each has " + line + " line of its own"
	return p
}

// place names the object at pointer.
func (x *explainer) place(pointer []string) string {
	title := at(x.def, pointer).text("title")
	if keyed, ok := keyedPlaces[title]; ok && keyed.up < len(pointer) {
		return keyed.before + quote(pointer[len(pointer)-1-keyed.up])
	}
	return title
}

// keyedPlaces are the objects that are best named by a key above them: up
// counts from the last element of the pointer.
var keyedPlaces = map[string]struct {
	before string
	up     int
}{
	"artifact change":   {"change of ", 0},
	"structural change": {"structural change of ", 1},
	"actor definition":  {"definition of ", 0},
	"breakdown":         {"breakdown of ", 0},
	"token count":       {"token count of ", 0},
}

// subject names the value at pointer as the subject of a sentence.
func (x *explainer) subject(pointer []string) string {
	if len(pointer) == 0 && locations[x.def].file == streamFile {
		return "the body of the " + x.place(pointer)
	}
	if len(pointer) == 0 {
		return "the " + x.place(pointer)
	}
	last := pointer[len(pointer)-1]
	parent := at(x.def, pointer[:len(pointer)-1])
	switch {
	case parent.property(last) != nil:
		return quote(last)
	case parent.last().child("items") != nil:
		i, _ := strconv.Atoi(last)
		return "item " + strconv.Itoa(i+1) + " of " + quote(pointer[len(pointer)-2])
	}
	return x.place(pointer)
}

// value returns the value at pointer, or nil.
func (x *explainer) value(pointer []string) any {
	v := x.v
	for _, element := range pointer {
		switch c := v.(type) {
		case map[string]any:
			v = c[element]
		case []any:
			i, err := strconv.Atoi(element)
			if err != nil || i < 0 || i >= len(c) {
				return nil
			}
			v = c[i]
		default:
			return nil
		}
	}
	return v
}

func quoteList(keys []string) string {
	const most = 5
	var quoted []string
	for _, k := range keys[:min(len(keys), most)] {
		quoted = append(quoted, quote(k))
	}
	if len(keys) > most {
		quoted = append(quoted, "…")
	}
	return strings.Join(quoted, ", ")
}
