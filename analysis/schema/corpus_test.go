package schema

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolpath-ls/toolpath-ls/internal/race"
)

const corpus = "../../../shared/corpus"

// needCorpus skips the test where the corpus is not beside the repository. It
// is never part of a checkout, so its absence is no failure.
func needCorpus(t testing.TB) {
	t.Helper()
	if _, err := os.Stat(corpus); err != nil {
		t.Skip("needs ../shared/corpus beside the repository; nothing to install")
	}
}

// corpusFiles returns the files of the corpus with the suffix, schemas and
// manifests left out.
func corpusFiles(t testing.TB, suffix string) []string {
	t.Helper()
	needCorpus(t)
	var out []string
	err := filepath.WalkDir(corpus, func(path string, entry fs.DirEntry, err error) error {
		dir := filepath.Base(filepath.Dir(path))
		if err == nil && strings.HasSuffix(path, suffix) && dir != "schemas" && dir != "sessions" {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// load decodes a file, or returns false if it is not JSON.
func load(t testing.TB, path string) (any, bool) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	return v, err == nil
}

// published compiles the format's published schema, version 0.8.0.
func published(t testing.TB) *jsonschema.Schema {
	t.Helper()
	needCorpus(t)
	doc, ok := load(t, corpus+"/schemas/toolpath.schema.0.8.0.json")
	if !ok {
		t.Fatal("the published schema is not JSON")
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("published.json", doc); err != nil {
		t.Fatal(err)
	}
	return c.MustCompile("published.json")
}

// ownFile compiles a schema file of this package as other programs see it.
func ownFile(file string) *jsonschema.Schema {
	return newCompiler(func(string, any) {}).MustCompile(fileBase + file)
}

func TestVerdictOnCorpusIsThatOfPublishedSchema(t *testing.T) {
	theirs, whole := published(t), ownFile(documentFile)
	for _, path := range corpusFiles(t, ".json") {
		v, ok := load(t, path)
		if !ok {
			continue
		}
		problems := Validate(Document, v)
		want := theirs.Validate(v)
		if (want == nil) != (problems == nil) {
			t.Errorf("%s: got %q, published schema says %v", path, lines(problems), want)
		}
		if err := whole.Validate(v); (want == nil) != (err == nil) {
			t.Errorf("%s: %s says %v, published schema says %v", path, documentFile, err, want)
		}
		if bad := find(problems, BadShape); bad != nil {
			t.Errorf("%s: unexplained: %s", path, bad.line())
		}
	}
}

func find(problems []Problem, cause Cause) *Problem {
	for i := range problems {
		if problems[i].Cause == cause {
			return &problems[i]
		}
	}
	return nil
}

func TestEdgeCasesHaveOneProblemEach(t *testing.T) {
	tests := []struct {
		file    string
		cause   Cause
		pointer string
	}{
		{"fault-actor-02.path.json", ActorForm, "paths/0/steps/0/step/actor"},
		{"fault-actor-06.path.json", ActorForm, "paths/0/steps/0/step/actor"},
		{"fault-array-root.path.json", WrongType, ""},
		{"fault-bare-path-root.path.json", BareRoot, ""},
		{"fault-bare-step-root.path.json", BareRoot, ""},
		{"fault-base-commit.path.json", DraftField, "paths/0/path/base/commit"},
		{"fault-base-from.path.json", DraftField, "paths/0/path/base/from"},
		{"fault-key-type.path.json", KeyType, "paths/0/meta/actors/human:ann/keys/0/type"},
		{"fault-meta-null.path.json", WrongType, "meta"},
		{"fault-parent-missing-step.path.json", MissingProperty, "paths/0/path/parent"},
		{"fault-parent-relation.path.json", DraftField, "paths/0/path/parent/relation"},
		{"fault-ref-and-path.path.json", RefAndPath, "paths/0/$ref"},
		{"fault-structural-no-type.path.json", MissingProperty, "paths/0/steps/0/change/a.txt/structural"},
		{"fault-unknown-perspective.path.json", UnknownProperty, ""},
		{"fault-unknown-root-field.path.json", UnknownProperty, ""},
		{"fault-unknown-step-identity-field.path.json", UnknownProperty, ""},
		{"legacy-envelope-path.json", LegacyEnvelope, "Path"},
	}
	needCorpus(t)
	for _, test := range tests {
		v, _ := load(t, corpus+"/edge/"+test.file)
		problems := Validate(Document, v)
		if len(problems) != 1 || problems[0].Cause != test.cause {
			t.Errorf("%s: got %q, want one problem of cause %s", test.file, lines(problems), test.cause)
			continue
		}
		if got := strings.Join(problems[0].Pointer, "/"); test.pointer != "" && got != test.pointer {
			t.Errorf("%s: got pointer %s, want %s", test.file, got, test.pointer)
		}
	}
}

func TestLegacyDocumentsHaveOneProblem(t *testing.T) {
	for _, path := range corpusFiles(t, ".json") {
		if filepath.Base(filepath.Dir(path)) != "legacy" {
			continue
		}
		v, _ := load(t, path)
		problems := Validate(Document, v)
		if len(problems) != 1 || problems[0].Cause != LegacyEnvelope {
			t.Errorf("%s: got %q", path, lines(problems))
		}
	}
}

// streamProblems are the only problems of lines in the corpus, by file.
var streamProblems = map[string]Cause{
	"fault-jl-array-line.path.jsonl":                 WrongType,
	"fault-jl-first-unknown.path.jsonl":              UnknownVariant,
	"fault-jl-pathclose-null.path.jsonl":             WrongType,
	"fault-jl-sig-bad-target.path.jsonl":             SignatureTarget,
	"fault-jl-two-keys.path.jsonl":                   VariantCount,
	"fault-jl-version-missing.path.jsonl":            MissingProperty,
	"path-05-continuation.draft-relation.path.jsonl": DraftField,
	"warn-jl-open-meta-actors.path.jsonl":            ReservedProperty,
	"warn-jl-pathmeta-actors.path.jsonl":             ReservedProperty,
	"warn-jl-unknown-variant.path.jsonl":             UnknownVariant,
	"warn-jl-version-2.path.jsonl":                   UnknownVersion,
}

func TestLinesOfCorpus(t *testing.T) {
	whole := ownFile(streamFile)
	for _, path := range corpusFiles(t, ".jsonl") {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want := streamProblems[filepath.Base(path)]
		var got []Problem
		for line := range bytes.Lines(b) {
			v, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
			if err != nil {
				continue
			}
			problems := Validate(Line, v)
			if err := whole.Validate(v); (err == nil) != (problems == nil) {
				t.Errorf("%s: got %q, %s says %v", path, lines(problems), streamFile, err)
			}
			got = append(got, problems...)
		}
		if (want == "") != (got == nil) || slices.ContainsFunc(got, func(p Problem) bool { return p.Cause != want }) {
			t.Errorf("%s: got %q, want cause %q", path, lines(got), want)
		}
	}
}

// mutations is the number of mutated documents and lines that are tried;
// TOOLPATH_TEST_MUTATIONS changes it.
func mutations(t testing.TB) int {
	if s := os.Getenv("TOOLPATH_TEST_MUTATIONS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	return race.Less(10_000)
}

func TestVerdictOnMutatedDocumentsIsThatOfPublishedSchema(t *testing.T) {
	theirs, whole := published(t), ownFile(documentFile)
	var documents []any
	for _, path := range corpusFiles(t, ".json") {
		if v, ok := load(t, path); ok && size(v) < 3000 {
			documents = append(documents, v)
		}
	}
	m := mutator{rand.New(rand.NewPCG(1, 2))}
	valid := 0
	for i := range mutations(t) {
		v := m.mutate(documents[i%len(documents)])
		problems := Validate(Document, v)
		want := theirs.Validate(v)
		if want == nil {
			valid++
		}
		if (want == nil) != (problems == nil) {
			t.Fatalf("mutation %d: got %q, published schema says %v\n%s", i, lines(problems), want, text(v))
		}
		if err := whole.Validate(v); (want == nil) != (err == nil) {
			t.Fatalf("mutation %d: %s says %v, published schema says %v\n%s", i, documentFile, err, want, text(v))
		}
		checkProblems(t, v, problems)
	}
	t.Logf("%d of %d mutated documents are valid", valid, mutations(t))
}

func TestVerdictOnMutatedLinesIsThatOfFile(t *testing.T) {
	whole := ownFile(streamFile)
	var all []any
	for _, path := range corpusFiles(t, ".jsonl") {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(b) {
			if v, err := jsonschema.UnmarshalJSON(bytes.NewReader(line)); err == nil {
				all = append(all, v)
			}
		}
	}
	m := mutator{rand.New(rand.NewPCG(3, 4))}
	for i := range mutations(t) {
		v := m.mutate(all[i%len(all)])
		problems := Validate(Line, v)
		if err := whole.Validate(v); (err == nil) != (problems == nil) {
			t.Fatalf("mutation %d: got %q, %s says %v\n%s", i, lines(problems), streamFile, err, text(v))
		}
		checkProblems(t, v, problems)
	}
}

// checkProblems holds each problem to what the package promises of all.
func checkProblems(t *testing.T, v any, problems []Problem) {
	t.Helper()
	for _, p := range problems {
		if p.Cause == BadShape || p.Cause == "" || p.Message == "" {
			t.Errorf("unexplained: %s\n%s", p.line(), text(v))
		}
		if _, ok := lookup(v, p.Pointer); !ok {
			t.Errorf("pointer leads nowhere: %s\n%s", p.line(), text(v))
		}
		for _, word := range []string{"oneOf", "anyOf", "additionalProperties", "schema"} {
			if strings.Contains(p.Message, word) && !strings.Contains(text(v), word) {
				t.Errorf("speaks of %s: %s", word, p.line())
			}
		}
	}
	for i := range problems[min(1, len(problems)):] {
		if problems[i].line() == problems[i+1].line() {
			t.Errorf("said twice: %s\n%s", problems[i].line(), text(v))
		}
	}
}

func lookup(v any, pointer []string) (any, bool) {
	for _, element := range pointer {
		switch c := v.(type) {
		case map[string]any:
			inner, ok := c[element]
			if !ok {
				return nil, false
			}
			v = inner
		case []any:
			i, err := strconv.Atoi(element)
			if err != nil || i < 0 || i >= len(c) {
				return nil, false
			}
			v = c[i]
		default:
			return nil, false
		}
	}
	return v, true
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b[:min(len(b), 4000)])
}

func size(v any) int {
	n := 1
	switch c := v.(type) {
	case map[string]any:
		for _, inner := range c {
			n += size(inner)
		}
	case []any:
		for _, inner := range c {
			n += size(inner)
		}
	}
	return n
}

// mutator changes a copy of a value at one to three random places.
type mutator struct{ *rand.Rand }

func (m mutator) mutate(v any) any {
	v = clone(v)
	for range 1 + m.IntN(3) {
		sites := containers(v, nil)
		if len(sites) == 0 {
			return m.value()
		}
		switch c := sites[m.IntN(len(sites))].(type) {
		case map[string]any:
			m.mutateObject(c)
		case []any:
			if len(c) > 0 {
				c[m.IntN(len(c))] = m.value()
			}
		}
	}
	return v
}

func (m mutator) mutateObject(object map[string]any) {
	if len(object) == 0 {
		object[m.key()] = m.value()
		return
	}
	keys := slices.Sorted(maps.Keys(object))
	key, other := keys[m.IntN(len(keys))], keys[m.IntN(len(keys))]
	switch m.IntN(7) {
	case 0:
		delete(object, key)
	case 1:
		v := object[key]
		delete(object, key)
		object[m.key()] = v
	case 2:
		object[key] = m.value()
	case 3:
		object[m.key()] = m.value()
	case 4:
		object[key], object[other] = object[other], object[key]
	case 5:
		object[key] = nil
	case 6:
		object[m.key()] = object[key]
	}
}

// key returns a field of the format, a misspelt one, or something else.
func (m mutator) key() string {
	words := []string{
		"graph", "paths", "path", "steps", "step", "change", "meta", "$ref", "id", "head", "base", "uri", "ref", "branch", "commit", "from",
		"parent", "parents", "relation", "graph_ref", "actor", "timestamp", "raw", "structural", "type", "title", "kind", "source", "intent",
		"description", "refs", "rel", "href", "actors", "name", "identities", "system", "keys", "fingerprint", "signatures", "signer", "key",
		"scope", "sig", "revision", "change_id", "Graph", "Path", "Step", "PathOpen", "ActorDef", "Signature", "PathMeta", "Head", "PathClose",
		"version", "step_id", "target", "patch", "definition", "human:ann", "agent:a/b/c", "", "a/b~c", "extra", "\x00",
	}
	word := words[m.IntN(len(words))]
	if m.IntN(5) == 0 && len(word) > 1 {
		at := m.IntN(len(word) - 1)
		word = word[:at] + word[at+1:]
	}
	return word
}

func (m mutator) value() any {
	values := []any{
		nil, true, "", "human:ann", "agent:x y", "gpg", "author", "path", "1", "step:s1", json.Number("1"), json.Number("1e400"),
		[]any{}, []any{"s1"}, []any{nil}, map[string]any{}, map[string]any{"type": "x"}, map[string]any{"raw": ""}, map[string]any{"id": "x"},
		map[string]any{"$ref": "u"}, map[string]any{"x": map[string]any{}},
	}
	return clone(values[m.IntN(len(values))])
}

func clone(v any) any {
	switch c := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(c))
		for k, inner := range c {
			out[k] = clone(inner)
		}
		return out
	case []any:
		out := make([]any, len(c))
		for i, inner := range c {
			out[i] = clone(inner)
		}
		return out
	}
	return v
}

// containers returns the objects and arrays in v in a stable order.
func containers(v any, out []any) []any {
	switch c := v.(type) {
	case map[string]any:
		out = append(out, c)
		for _, k := range slices.Sorted(maps.Keys(c)) {
			out = containers(c[k], out)
		}
	case []any:
		out = append(out, c)
		for _, inner := range c {
			out = containers(inner, out)
		}
	}
	return out
}

func FuzzValidate(f *testing.F) {
	for _, seed := range []string{graph, path, step, `{"PathOpen":{"version":"1","id":"p"}}`, `{"$ref":1,"path":[]}`, `{"Path":{}}`, `1e999999999`, `{"":{"":{"":[[[]]]}}}`, `null`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input string) {
		dec := json.NewDecoder(strings.NewReader(input))
		dec.UseNumber()
		var v any
		if dec.Decode(&v) != nil {
			return
		}
		for def := range numDefs {
			checkProblems(t, v, Validate(def, v))
			Describe(def, input, "0", input)
		}
	})
}
