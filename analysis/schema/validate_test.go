package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// decoded returns the value of a JSON text, numbers as json.Number.
func decoded(t testing.TB, text string) any {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

// line prints a problem as "cause pointer: message", with an @ before the
// pointer if the problem is on the key.
func (p Problem) line() string {
	on := ""
	if p.OnKey {
		on = "@"
	}
	return fmt.Sprintf("%s %s/%s: %s", p.Cause, on, strings.Join(p.Pointer, "/"), p.Message)
}

func lines(problems []Problem) []string {
	var out []string
	for _, p := range problems {
		out = append(out, p.line())
	}
	return out
}

const (
	identity = `"step":{"id":"s1","actor":"human:ann","timestamp":"2026-01-01T00:00:00Z"}`
	diff     = `"change":{"a.txt":{"raw":"@@ -1 +1 @@\n-x\n+y"}}`
	step     = `{` + identity + `,` + diff + `}`
	path     = `{"path":{"id":"p1","head":"s1"},"steps":[` + step + `]}`
	graph    = `{"graph":{"id":"g1"},"paths":[` + path + `]}`
)

func TestValidate(t *testing.T) {
	tests := []struct {
		name string
		def  Def
		text string
		want []string
	}{
		{"whole document", Document, graph, nil},
		{"no paths", Document, `{"graph":{"id":""},"paths":[]}`, nil},
		{"reference", Document, `{"graph":{"id":"g"},"paths":[{"$ref":"https://example.com/p.path.json"}]}`, nil},
		{"free fields in every meta", Document, `{"graph":{"id":"g"},"meta":{"x":[1]},"paths":[{"path":{"id":"p","head":""},"steps":[],"meta":{"y":{"z":null}}}]}`, nil},
		{"step with all fields", Step, `{"step":{"id":"s","parents":["a","b"],"actor":"tool:rustfmt/1.5.0","timestamp":"t"},"change":{"a":{"raw":"","structural":{"type":"x","more":1}}},
			"meta":{"intent":"i","description":"d","source":{"type":"git","revision":"1","change_id":"c","more":1},"refs":[{"rel":"fixes","href":"h"}],
			"actors":{"agent:a":{"name":"n","provider":"p","model":"m","identities":[{"system":"s","id":"i"}],"keys":[{"type":"ssh","fingerprint":"f","href":"h"}]}},
			"signatures":[{"signer":"human:a","key":"gpg:1","scope":"author","timestamp":"t","sig":"s"}],"tags":[]}}`, nil},
		{"base, parent, graph_ref", Path, `{"path":{"id":"p","head":"s","base":{"uri":"u","ref":"r","branch":"b"},"graph_ref":"g","parent":{"uri":"u","path":"p","step":"s"}},"steps":[]}`, nil},

		{"unknown field", Step, `{"step":{"id":"s1","actor":"human:ann","timestamp":"t","extra":1},"change":{}}`, []string{
			`unknown-property @/step/extra: unknown field "extra" in step identity (allowed: id, parents, actor, timestamp); other readers drop it without a word`,
		}},
		{"unknown field at the root", Graph, `{"graph":{"id":"g"},"paths":[],"version":"1"}`, []string{
			`unknown-property @/version: unknown field "version" in document (allowed: graph, paths, meta); other readers drop it without a word`,
		}},
		{"misspelt optional field", Step, `{"step":{"id":"s1","actor":"human:ann","timestamp":"t","parent":["s0"]},"change":{}}`, []string{
			`unknown-property @/step/parent: unknown field "parent" in step identity (allowed: id, parents, actor, timestamp); did you mean "parents"?`,
		}},
		{"misspelt required field is not missing too", Step, `{"step":{"id":"s1","Actor":"human:ann","timestmap":"t"},"change":{}}`, []string{
			`unknown-property @/step/Actor: unknown field "Actor" in step identity (allowed: id, parents, actor, timestamp); did you mean "actor"?`,
			`unknown-property @/step/timestmap: unknown field "timestmap" in step identity (allowed: id, parents, actor, timestamp); did you mean "timestamp"?`,
		}},
		{"no suggestion of a field that is there", Path, `{"path":{"id":"p","head":"s"},"steps":[],"step":{}}`, []string{
			`unknown-property @/step: unknown field "step" in path entry (allowed: path, steps, meta); other readers drop it without a word`,
		}},
		{"field of an inner object", Step, `{` + identity + `,"change":{},"intent":"why"}`, []string{
			`unknown-property @/intent: unknown field "intent" in step (allowed: step, change, meta); it belongs in "meta"`,
		}},
		{"missing field", Path, `{"path":{"id":"p"},"steps":[]}`, []string{
			`missing-property /path: missing field "head" in path identity`,
		}},
		{"several missing fields", Step, `{"step":{"id":"s"}}`, []string{
			`missing-property /: missing field "change" in step`,
			`missing-property /step: missing field "actor" in step identity`,
			`missing-property /step: missing field "timestamp" in step identity`,
		}},
		{"wrong type of a string", Step, `{` + identity + `,"change":{"src/a.rs":{"raw":7}}}`, []string{
			`wrong-type /change/src/a.rs/raw: "raw" must be a string (a unified diff), found a number`,
		}},
		{"wrong type of a list", Path, `{"path":{"id":"p","head":"s"},"steps":{}}`, []string{
			`wrong-type /steps: "steps" must be an array (a list of steps), found an object`,
		}},
		{"wrong type of an item", Step, `{"step":{"id":"s","actor":"human:a","timestamp":"t","parents":["a",null]},"change":{}}`, []string{
			`wrong-type /step/parents/1: item 2 of "parents" must be a string (a step id), found null`,
		}},
		{"null for an optional field", Step, `{` + identity + `,"change":{},"meta":null}`, []string{
			`wrong-type /meta: "meta" must be an object, found null; leave the field out instead`,
		}},
		{"null for a required field", Path, `{"path":{"id":"p","head":null},"steps":[]}`, []string{
			`wrong-type /path/head: "head" must be a string (a step id), found null`,
		}},
		{"root is no object", Document, `[` + graph + `]`, []string{
			`wrong-type /: the document must be an object, found an array`,
		}},
		{"change is no object", Step, `{` + identity + `,"change":{"src/a.rs":"diff"}}`, []string{
			`wrong-type /change/src/a.rs: change of "src/a.rs" must be an object, found a string`,
		}},
		{"no perspective", Step, `{` + identity + `,"change":{"src/a.rs":{}}}`, []string{
			`no-perspective /change/src/a.rs: change of "src/a.rs" has neither "raw" nor "structural"`,
		}},
		{"unknown perspective", Step, `{` + identity + `,"change":{"a/~b":{"Raw":"@@"}}}`, []string{
			`unknown-property @/change/a/~b/Raw: unknown field "Raw" in change of "a/~b" (allowed: raw, structural); did you mean "raw"?`,
		}},
		{"structural without type", Step, `{` + identity + `,"change":{"":{"structural":{"kind":"x"}}}}`, []string{
			`missing-property /change//structural: missing field "type" in structural change of ""`,
		}},
		{"key type", Step, `{` + identity + `,"change":{},"meta":{"actors":{"human:ann":{"keys":[{"type":"pgp","fingerprint":"f"}]}}}}`, []string{
			`key-type /meta/actors/human:ann/keys/0/type: key type "pgp" is not one of gpg, ssh, sigstore; did you mean "gpg"?`,
		}},
		{"scope", GraphMeta, `{"signatures":[{"signer":"human:ann","key":"k","scope":"approver","sig":"s"}]}`, []string{
			`unknown-scope /signatures/0/scope: scope "approver" is not one of author, reviewer, witness, ci, release`,
		}},
		{"actor", Step, `{"step":{"id":"s","actor":"human:a b","timestamp":"t"},"change":{}}`, []string{
			`actor-form /step/actor: actor "human:a b" is not of the form kind:name or kind:name/suffix, where kind is human, agent, tool or ci and the rest is letters a-z, digits, ".", "_" and "-"`,
		}},
		{"actor as a key, and its definition", PathMeta, `{"actors":{"robot:x":{"nme":"X"}}}`, []string{
			`actor-form @/actors/robot:x: actor "robot:x" is not of the form kind:name or kind:name/suffix, where kind is human, agent, tool or ci and the rest is letters a-z, digits, ".", "_" and "-"`,
			`unknown-property @/actors/robot:x/nme: unknown field "nme" in definition of "robot:x" (allowed: name, provider, model, identities, keys); did you mean "name"?`,
		}},
		{"reference and path", Document, `{"graph":{"id":"g"},"paths":[{"$ref":"u","path":{"id":"p","head":1},"steps":[{}]}]}`, []string{
			`ref-and-path @/paths/0/$ref: path entry has both "$ref" and "path": an entry is either an inline path or a reference`,
			`wrong-type /paths/0/path/head: "head" must be a string (a step id), found a number`,
			`missing-property /paths/0/steps/0: missing field "change" in step`,
			`missing-property /paths/0/steps/0: missing field "step" in step`,
		}},
		{"reference with more", Path, `{"$ref":1,"meta":{}}`, []string{
			`wrong-type /$ref: "$ref" must be a string (a URL), found a number`,
			`unknown-property @/meta: unknown field "meta" in path reference (allowed: $ref); other readers drop it without a word`,
		}},
		{"misspelt reference", Path, `{"ref":"u"}`, []string{
			`unknown-property @/ref: unknown field "ref" in path entry (allowed: path, steps, meta); did you mean "$ref"?`,
		}},
		{"base.commit", Path, `{"path":{"id":"p","head":"s","base":{"uri":"u","commit":"c"}},"steps":[]}`, []string{
			`draft-field @/path/base/commit: "commit" in path base is from a form before May 2026: write the revision in "ref"`,
		}},
		{"base.from stands for the uri", Path, `{"path":{"id":"p","head":"s","base":{"from":"u"}},"steps":[]}`, []string{
			`draft-field @/path/base/from: "from" in path base is from a draft that was given up: descent from another path is written in "parent" of the path identity, and "uri" of the base names the project`,
		}},
		{"parent.relation", Path, `{"path":{"id":"p","head":"s","parent":{"uri":"u","path":"p","step":"s","relation":"fork"}},"steps":[]}`, []string{
			`draft-field @/path/parent/relation: "relation" in path parent is from a draft: whether a path is a continuation or a fork follows from "step" and is not declared`,
		}},
		{"legacy envelope", Document, `{"Path":` + path + `}`, []string{
			`legacy-envelope @/Path: "Path" is an envelope from before May 2026: the root is now always {"graph": …, "paths": […]}, and a path stands in "paths"`,
		}},
		{"legacy envelope of an entry", Path, `{"Path":` + path + `}`, []string{
			`legacy-envelope @/Path: "Path" is an envelope from before May 2026: an entry of "paths" is the path itself, {"path": …, "steps": […]}`,
		}},
		{"bare path", Document, path, []string{
			`bare-root /: a path cannot be the root of a document: the root is {"graph": …, "paths": […]}, and a path stands in "paths"`,
		}},
		{"bare step", Document, step, []string{
			`bare-root /: a step cannot be the root of a document: the root is {"graph": …, "paths": […]}, and a step stands in "steps" of a path`,
		}},
		{"graph among the paths", Path, graph, []string{
			`misplaced /: a graph cannot stand in "paths": it belongs at the root of a document of its own`,
		}},
		{"path among the steps", Step, path, []string{
			`misplaced /: a path cannot stand in "steps": it belongs in "paths"`,
		}},
		{"line of a stream as a document", Document, `{"PathOpen":{"version":"1","id":"p"}}`, []string{
			`stream-line @/PathOpen: "PathOpen" opens a line of a stream: such lines belong in a .path.jsonl file`,
		}},

		{"PathOpen", Line, `{"PathOpen":{"version":"1","id":"p","base":{"uri":"u"},"graph_ref":"g","parent":{"uri":"u","path":"p","step":"s"},"meta":{"title":"t","x":1}}}`, nil},
		{"Step line", Line, `{"Step":` + step + `}`, nil},
		{"ActorDef", Line, `{"ActorDef":{"actor":"human:ann","definition":{"name":"Ann"}}}`, nil},
		{"Signature of the path", Line, `{"Signature":{"target":"path","signature":{"signer":"human:ann","key":"k","scope":"ci","sig":"s"}}}`, nil},
		{"Signature of a step", Line, `{"Signature":{"target":"step:s1\n#2","signature":{"signer":"human:ann","key":"k","scope":"ci","sig":"s"}}}`, nil},
		{"PathMeta", Line, `{"PathMeta":{"patch":{"title":"b","intent":null,"refs":[],"extra":{"y":3}}}}`, nil},
		{"Head", Line, `{"Head":{"step_id":"s"}}`, nil},
		{"PathClose", Line, `{"PathClose":{"anything":1}}`, nil},
		{"line is no object", Line, `["Head"]`, []string{`wrong-type /: a line must be an object with one key, the variant; found an array`}},
		{"line without a key", Line, `{}`, []string{`variant-count /: a line has one key, the variant; this one has none`}},
		{"line with two keys", Line, `{"Step":{},"Head":{}}`, []string{`variant-count /: a line has one key, the variant; this one has 2: "Head", "Step"`}},
		{"unknown variant", Line, `{"Steps":{}}`, []string{
			`unknown-variant @/Steps: unknown line variant "Steps" (known: PathOpen, Step, ActorDef, Signature, PathMeta, Head, PathClose); did you mean "Step"?`,
		}},
		{"PathOpen without version", Line, `{"PathOpen":{"id":"p"}}`, []string{`missing-property /PathOpen: missing field "version" in PathOpen line`}},
		{"PathOpen of another version", Line, `{"PathOpen":{"version":"2","id":"p"}}`, []string{`unknown-version /PathOpen/version: stream version "2" is not known (known: "1")`}},
		{"PathOpen with actors", Line, `{"PathOpen":{"version":"1","id":"p","meta":{"actors":{}}}}`, []string{
			`reserved-property @/PathOpen/meta/actors: "actors" cannot stand in opening metadata: in a stream each has an ActorDef line of its own`,
		}},
		{"patch with signatures", Line, `{"PathMeta":{"patch":{"signatures":[],"title":1}}}`, []string{
			`reserved-property @/PathMeta/patch/signatures: "signatures" cannot stand in metadata patch: in a stream each has a Signature line of its own`,
			`wrong-type /PathMeta/patch/title: "title" must be a string or null (a title), found a number`,
		}},
		{"Signature of nothing", Line, `{"Signature":{"target":"graph","signature":{"signer":"human:ann","key":"k","scope":"ci","sig":"s"}}}`, []string{
			`signature-target /Signature/target: signature target "graph" is neither "path" nor "step:" and a step id`,
		}},
		{"PathClose null", Line, `{"PathClose":null}`, []string{`wrong-type /PathClose: the body of the PathClose line must be an object, found null`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := lines(Validate(test.def, decoded(t, test.text)))
			if !slices.Equal(got, test.want) {
				t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(test.want, "\n  "))
			}
		})
	}
}

// The aliased location of propertyNames errors in jsonschema/v6 is why actors
// uses "not"; with two odd keys under several siblings each stays in place.
func TestOddActorKeysKeepTheirPlaces(t *testing.T) {
	meta := `{"actors":{"a b":{"keys":[{"type":"x","fingerprint":"f"}]},"c d":{"identities":[{}]}},"refs":[{"rel":1,"href":"h"}]}`
	var got []string
	for _, p := range Validate(Step, decoded(t, `{`+identity+`,"change":{},"meta":`+meta+`}`)) {
		got = append(got, string(p.Cause)+" "+strings.Join(p.Pointer, "/"))
	}
	want := []string{
		"actor-form meta/actors/a b",
		"key-type meta/actors/a b/keys/0/type",
		"actor-form meta/actors/c d",
		"missing-property meta/actors/c d/identities/0",
		"missing-property meta/actors/c d/identities/0",
		"wrong-type meta/refs/0/rel",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestValidateTakesAnyValue(t *testing.T) {
	deep := any("bottom")
	for range 100_000 {
		deep = []any{deep}
	}
	huge := json.Number("1e" + strings.Repeat("9", 1000))
	tests := []struct {
		name  string
		def   Def
		value any
		want  Cause // "" for no problem
	}{
		{"nil", Step, nil, WrongType},
		{"nil document", Document, nil, WrongType},
		{"a Go struct", Step, struct{}{}, WrongType},
		{"a Go channel deep inside", GraphMeta, map[string]any{"title": make(chan int)}, WrongType},
		{"a number with a huge exponent", GraphMeta, map[string]any{"title": huge}, WrongType},
		{"a number with a huge exponent in free metadata", GraphMeta, map[string]any{"x": huge}, ""},
		{"deep free metadata", GraphMeta, map[string]any{"x": deep}, ""},
		{"deep value in the place of a string", GraphMeta, map[string]any{"title": deep}, WrongType},
		{"a number that is none", HeadBody, map[string]any{"step_id": json.Number("abc")}, WrongType},
		{"typed nil map", HeadBody, map[string]any(nil), MissingProperty},
		{"invalid UTF-8 in a key", HeadBody, map[string]any{"step_id": "s", "\xff": 1}, UnknownProperty},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			problems := Validate(test.def, test.value)
			if test.want == "" {
				if problems != nil {
					t.Errorf("got %q, want none", lines(problems))
				}
				return
			}
			if len(problems) != 1 || problems[0].Cause != test.want {
				t.Errorf("got %q, want one of cause %s", lines(problems), test.want)
			}
		})
	}
}

func TestManyUnknownFieldsAreSummedUp(t *testing.T) {
	object := map[string]any{"step_id": "s"}
	for i := range 5000 {
		object[fmt.Sprintf("%04d", i)] = nil
	}
	problems := Validate(HeadBody, object)
	if len(problems) != maxUnknown+1 {
		t.Fatalf("got %d problems, want %d", len(problems), maxUnknown+1)
	}
	want := `too-many-properties /: 4900 more unknown fields in Head line`
	if got := problems[0].line(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestMessagesStayOnOneShortLine(t *testing.T) {
	long := strings.Repeat("ü\n", 10_000)
	for _, p := range Validate(Step, map[string]any{
		"step":   map[string]any{"id": "s", "timestamp": "t", "actor": long, long: 1},
		"change": map[string]any{long: map[string]any{}},
	}) {
		if strings.Contains(p.Message, "\n") || len(p.Message) > 500 {
			t.Errorf("message of %d bytes: %.100q…", len(p.Message), p.Message)
		}
	}
}

func TestNearest(t *testing.T) {
	fields := []string{"id", "parents", "actor", "timestamp", "graph_ref", "$ref"}
	tests := []struct{ word, want string }{
		{"parent", "parents"},
		{"actr", "actor"},
		{"acotr", "actor"},
		{"time_stamp", "timestamp"},
		{"graphRef", "graph_ref"},
		{"GRAPH-REF", "graph_ref"},
		{"ref", "$ref"},
		{"ID", "id"},
		{"author", ""},
		{"extra", ""},
		{"", ""},
		{"\xff", ""},
		{strings.Repeat("a", 100), ""},
	}
	for _, test := range tests {
		if got, _ := nearest(test.word, fields); got != test.want {
			t.Errorf("nearest(%q) = %q, want %q", test.word, got, test.want)
		}
	}
}

func TestDescribe(t *testing.T) {
	tests := []struct {
		def     Def
		pointer string
		want    string
	}{
		{Document, "", "A Toolpath document."},
		{Document, "paths/0/steps/3/step/actor", "Who made the change."},
		{Document, "paths/0/$ref", "Where the path is stored"},
		{Document, "paths/0/path/base/ref", "The exact state"},
		{Document, "meta/actors/human:ann/keys/0/type", "What kind of key it is"},
		{Step, "change/src/a.rs", "The change of one artifact"},
		{Step, "meta/intent", "What the work set out to do"},
		{Line, "Step", "Appends one step"},
		{Line, "Step/step/id", "Name of the step"},
		{Line, "PathOpen/graph_ref", "URL of the graph"},
		{Line, "PathMeta/patch/actors", "Not allowed here"},
		{Step, "meta/unheard-of", ""},
		{Step, "nonsense/0/x", ""},
	}
	for _, test := range tests {
		var pointer []string
		if test.pointer != "" {
			pointer = strings.Split(strings.Replace(test.pointer, "src/a.rs", "a.rs", 1), "/")
		}
		got := Describe(test.def, pointer...)
		if !strings.HasPrefix(got, test.want) || (test.want == "" && got != "") {
			t.Errorf("Describe(%d, %s) = %q, want %q…", test.def, test.pointer, got, test.want)
		}
	}
}

// Every field that the schemas name has a description, for hover.
func TestEveryFieldIsDescribed(t *testing.T) {
	for file, root := range roots() {
		defs := root.child("$defs")
		for _, name := range defs.keys {
			n := newNode(defs.child(name))
			for _, field := range n.properties() {
				if n.property(field).text("description") == "" {
					t.Errorf("%s: %s.%s has no description", file, name, field)
				}
			}
		}
	}
}
