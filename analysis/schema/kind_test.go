package schema

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

// sessionProblems returns what is wrong with a path entry as a path and as one of the
// kind, as the rules find it.
func sessionProblems(s Session, entry any) (base, kind []Problem) {
	base = entryProblems(entry)
	object, _ := entry.(map[string]any)
	for _, step := range items(entry, "steps") {
		base = append(base, unitProblems(Step, step)...)
		kind = append(kind, s.CheckStep(value(step))...)
	}
	return base, append(kind, s.CheckMeta(value(object["meta"]))...)
}

func value(v any) jsonsrc.Value {
	b, _ := json.Marshal(v)
	return jsonsrc.Parse(b, nil).Root()
}

// publishedKinds compiles the published schemas of the kind, Session100 first.
func publishedKinds(t testing.TB) (all [3]*jsonschema.Schema) {
	needCorpus(t)
	for i := range all {
		name := fmt.Sprintf("agent-coding-session-v1.%d.0.schema.json", i)
		doc, ok := load(t, corpus+"/schemas/"+name)
		if !ok {
			t.Fatalf("%s is not JSON", name)
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource(name, doc); err != nil {
			t.Fatal(err)
		}
		all[i] = c.MustCompile(name)
	}
	return all
}

func ownKinds() (all [3]*jsonschema.Schema) {
	c := newCompiler(func(string, any) {})
	for i := range all {
		all[i] = c.MustCompile(fmt.Sprintf("%s%s#/$defs/v1.%d.0", fileBase, sessionFile, i))
	}
	return all
}

// kindJudge compares verdicts on one path entry.
type kindJudge struct {
	published, own [3]*jsonschema.Schema
	base           *jsonschema.Schema
}

func newKindJudge(t testing.TB) kindJudge {
	return kindJudge{publishedKinds(t), ownKinds(), published(t)}
}

func (j kindJudge) judge(t *testing.T, s Session, entry any) (valid bool) {
	t.Helper()
	want := j.published[s-1].Validate(entry)
	if err := j.own[s-1].Validate(entry); (want == nil) != (err == nil) {
		t.Fatalf("%s says %v, the published schema says %v\n%s", sessionFile, err, want, text(entry))
	}
	base, kind := sessionProblems(s, entry)
	if len(base) == 0 && (want == nil) != (len(kind) == 0) {
		t.Fatalf("got %q, the published schema says %v\n%s", lines(kind), want, text(entry))
	}
	for _, p := range kind {
		if p.Cause == BadShape || p.Cause == "" || p.Message == "" {
			t.Errorf("unexplained: %s\n%s", p.line(), text(entry))
		}
	}
	return want == nil
}

// sessionEntries returns the paths of the corpus that have a version of the kind.
func sessionEntries(t testing.TB) (entries []any) {
	for _, path := range corpusFiles(t, ".json") {
		v, ok := load(t, path)
		if !ok {
			continue
		}
		for _, entry := range items(v, "paths") {
			object, _ := entry.(map[string]any)
			meta, _ := object["meta"].(map[string]any)
			if kind, _ := meta["kind"].(string); SessionOf(kind) != NoSession {
				entries = append(entries, entry)
			}
		}
	}
	return entries
}

func versionOf(entry any) Session {
	meta := entry.(map[string]any)["meta"].(map[string]any)
	return SessionOf(meta["kind"].(string))
}

func TestVerdictOnSessionsOfCorpusIsThatOfPublishedKinds(t *testing.T) {
	j := newKindJudge(t)
	valid := 0
	entries := sessionEntries(t)
	for _, entry := range entries {
		if j.judge(t, versionOf(entry), entry) {
			valid++
		}
	}
	if valid == 0 || valid == len(entries) {
		t.Errorf("%d of %d sessions are valid: the corpus should have both kinds", valid, len(entries))
	}
}

func TestVerdictOnMutatedSessionsIsThatOfPublishedKinds(t *testing.T) {
	j := newKindJudge(t)
	seeds := sessionSeeds()
	for _, entry := range sessionEntries(t) {
		if size(entry) < 1000 {
			seeds = append(seeds, entry)
		}
	}
	m := mutator{rand.New(rand.NewPCG(5, 6))}
	valid := 0
	for i := range mutations(t) {
		entry := mutateSession(m, seeds[i%len(seeds)])
		s := Session(1 + i/len(seeds)%3)
		if object, ok := entry.(map[string]any); ok {
			if meta, ok := object["meta"].(map[string]any); ok && meta["kind"] != nil {
				meta["kind"] = SessionKinds[s-1]
			} else {
				continue // no longer of the kind
			}
		}
		if j.judge(t, s, entry) {
			valid++
		}
	}
	t.Logf("%d of %d mutated sessions are valid", valid, mutations(t))
	if valid*10 < mutations(t) {
		t.Error("too few mutated sessions are valid for a comparison")
	}
}

// sessionSeeds are paths that together have every field of the kind.
func sessionSeeds() []any {
	structurals := []string{
		`{"type":"conversation.append","role":"assistant","text":"","thinking":"t","group_id":"g","stop_reason":"end",
		  "tool_uses":[{"id":"t","name":"n","input":[1],"category":"shell","result":{"content":"c","is_error":false}},{"id":"u","name":"n","input":null,"category":null}],
		  "token_usage":{"input_tokens":1,"output_tokens":null,"cache_read_tokens":2,"cache_write_tokens":3,"breakdowns":{"output":{"reasoning":1}}},
		  "attributed_token_usage":{"input_tokens":1},"delegations":[{"agent_id":"a","prompt":"p","turns":[1],"result":"r"}],
		  "environment":{"working_dir":"/","vcs_branch":"b","vcs_revision":"r"}}`,
		`{"type":"file.write","tool_id":"t","tool":"Edit","operation":"update","before":"a","after":"b","rename_to":"c"}`,
		`{"type":"conversation.event","entry_type":"e","event_source_id":"i","more":1}`,
		`{"type":"conversation.compact","trigger":"auto","summary":"s","pre_tokens":1.5,"kept":["s1"]}`,
	}
	var seeds []any
	for _, s := range structurals {
		doc := `{"path":{"id":"p","head":"s1"},"meta":{"kind":"` + SessionKinds[1] + `","source":"x","files_changed":["a"],"vcs_remote":"u","producer":{"name":"n","version":"1"}},
		 "steps":[{"step":{"id":"s1","actor":"agent:m","timestamp":"2026-01-29T10:00:00Z"},"change":{"x":{"structural":` + s + `}}}]}`
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(doc))
		if err != nil {
			panic(err)
		}
		seeds = append(seeds, v)
	}
	return seeds
}

// mutateSession is mutate with the words and numbers of the kind among the values.
func mutateSession(m mutator, v any) any {
	v = clone(v)
	for range 1 + m.IntN(2) {
		sites := containers(v, nil)
		object, ok := sites[m.IntN(len(sites))].(map[string]any)
		if !ok || len(object) == 0 {
			continue
		}
		keys := make([]string, 0, len(object))
		for k := range object {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		key := keys[m.IntN(len(keys))]
		switch m.IntN(4) {
		case 0:
			delete(object, key)
		case 1:
			object[sessionWords[m.IntN(len(sessionWords))]] = m.sessionValue()
		default:
			object[key] = m.sessionValue()
		}
	}
	return v
}

var sessionWords = []string{
	"role", "text", "thinking", "group_id", "tool_uses", "token_usage", "attributed_token_usage", "breakdowns", "input_tokens", "output_tokens",
	"cache_read_tokens", "id", "name", "input", "category", "result", "content", "is_error", "agent_id", "prompt", "turns", "environment",
	"working_dir", "tool_id", "before", "after", "entry_type", "trigger", "kept", "pre_tokens", "producer", "files_changed", "source", "type",
}

func (m mutator) sessionValue() any {
	values := []any{
		nil, true, false, "", "shell", "file_read", "auto", "conversation.append", "file.write", "conversation.event", "conversation.compact",
		json.Number("1"), json.Number("1.0"), json.Number("1e2"), json.Number("1.5"), json.Number("-0"), json.Number("12345678901234567890"),
		[]any{}, []any{"s1"}, []any{map[string]any{}}, map[string]any{}, map[string]any{"type": "file.write"}, map[string]any{"output": map[string]any{"a": json.Number("1")}},
		map[string]any{"input_tokens": nil, "output_tokens": json.Number("2")},
	}
	return clone(values[m.IntN(len(values))])
}

func TestProblemsOfSessionsNameTheCause(t *testing.T) {
	tests := []struct{ structural, want string }{
		{`{"type":"conversation.append","role":"user"}`, `change/k/structural: missing field "text" in turn`},
		{`{"type":"conversation.append","role":"user","text":null}`, `change/k/structural/text: "text" must be a string (what was said), found null`},
		{`{"type":"conversation.append","role":"a","text":"","tool_uses":[{"id":"t","name":"n","input":{},"category":"browse"}]}`,
			`change/k/structural/tool_uses/0/category: tool category "browse" is not one of file_read, file_write, file_search, shell, network, delegation`},
		{`{"type":"conversation.append","role":"a","text":"","tool_uses":[{"id":"t","name":"n","input":{},"category":7}]}`,
			`change/k/structural/tool_uses/0/category: "category" must be a string or null (tool category), found a number`},
		{`{"type":"conversation.append","role":"a","text":"","token_usage":{"input_tokens":1.5,"output_tokens":2}}`,
			`change/k/structural/token_usage/input_tokens: "input_tokens" must be a whole number or null (tokens), found a number`},
		{`{"type":"conversation.append","role":"a","text":"","token_usage":{"input_tokens":1,"output_tokens":2,"breakdowns":{"output":{"x":"y"}}}}`,
			`change/k/structural/token_usage/breakdowns/output/x: token count of "x" must be a whole number (token count), found a string`},
		{`{"type":"conversation.event"}`, `change/k/structural: missing field "entry_type" in session event`},
		{`{"type":"conversation.compact","trigger":"timer"}`, `change/k/structural/trigger: compaction trigger "timer" is not one of auto, manual`},
		{`{"type":"file.write","after":1}`, `change/k/structural/after: "after" must be a string (a text), found a number`},
		{`{"type":"something.else","role":1}`, ``},
	}
	for _, test := range tests {
		step := jsonsrc.Parse([]byte(`{"change":{"k":{"structural":`+test.structural+`}}}`), nil).Root()
		var got []string
		for _, p := range Session120.CheckStep(step) {
			got = append(got, strings.Join(p.Pointer, "/")+": "+p.Message)
		}
		if strings.Join(got, "\n") != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.structural, strings.Join(got, "\n"), test.want)
		}
	}
}

func TestNumbersThatCostMuchAreNotLookedAt(t *testing.T) {
	step := jsonsrc.Parse([]byte(`{"change":{"k":{"structural":{"type":"conversation.append","role":"a","text":"","token_usage":{"input_tokens":1e999999999,"output_tokens":1e-999999999}}}}}`), nil).Root()
	if p := Session110.CheckStep(step); p != nil {
		t.Errorf("got %q", lines(p))
	}
}

func TestPatchMayLeaveFieldsAsTheyAre(t *testing.T) {
	for patch, want := range map[string]int{
		`{"source":null,"producer":null}`: 0,
		`{"source":1}`:                    1,
		`{"producer":{"version":"1"}}`:    1,
	} {
		if p := Session110.CheckPatch(jsonsrc.Parse([]byte(patch), nil).Root()); len(p) != want {
			t.Errorf("%s: %q", patch, lines(p))
		}
	}
}

func BenchmarkCheckSessionStep(b *testing.B) {
	turn := `{"type":"conversation.append","role":"assistant","text":"` + strings.Repeat("word ", 200) + `","group_id":"g",
	  "tool_uses":[{"id":"t","name":"n","input":{"path":"a"},"category":"shell","result":{"content":"c","is_error":false}}],
	  "token_usage":{"input_tokens":1,"output_tokens":2}}`
	src := []byte(`{"change":{"k":{"structural":` + turn + `}}}`)
	step := jsonsrc.Parse(src, nil).Root()
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if Session110.CheckStep(step) != nil {
			b.Fatal("not valid")
		}
	}
}
