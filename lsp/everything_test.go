package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"go.lsp.dev/protocol"
	"golang.org/x/tools/txtar"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/rules"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
	"github.com/toolpath-ls/toolpath-ls/internal/race"
)

// asker asks a session every query there is, without a wire.
type asker struct {
	*session
	t testing.TB
}

// silent is a client that says nothing and hears nothing.
type silent struct{}

func (silent) Read([]byte) (int, error)    { return 0, io.EOF }
func (silent) Write(b []byte) (int, error) { return len(b), nil }
func (silent) Close() error                { return nil }

func newAsker(t testing.TB) *asker {
	t.Helper()
	work := analysis.NewWorkspace(&analysis.Options{Rules: rules.All(), MaxFileSize: analysis.DefaultMaxFileSize}, nil)
	s := newSession(t.Context(), Options{Workspace: work, Source: noFiles{}})
	s.client.out = newEndpoint(silent{}, 0, receiver{}, newTracer(nil), s.log)
	s.encoding = text.UTF16
	s.loading.firstOnce.Do(func() { close(s.loading.first) })
	all := defaultSettings()
	all.CodeLensSteps, all.CodeLensEntities, all.BlameHints = true, true, hintsRun
	all.Notes = analysis.Notes{DeadEnd: true, Merge: true, Descent: true, Time: true}
	s.settings.Store(&all)
	s.clientCaps = protocol.ClientCapabilities{TextDocument: &protocol.TextDocumentClientCapabilities{
		DocumentSymbol: &protocol.DocumentSymbolClientCapabilities{HierarchicalDocumentSymbolSupport: new(true)}}}
	return &asker{s, t}
}

// noFiles has nothing.
type noFiles struct{}

func (noFiles) ReadFile(context.Context, string) ([]byte, error) { return nil, os.ErrNotExist }
func (noFiles) Root(string) string                               { return "" }
func (noFiles) ReadObject(context.Context, string, string, string) ([]byte, error) {
	return nil, os.ErrNotExist
}

type object = map[string]any

// questions returns the params of every query about a place in a document. Those that come
// out of other answers are asked by follow.
func questions(uri string, pos, end positionJSON) map[string]any {
	doc := object{"uri": uri}
	at := object{"textDocument": doc, "position": pos}
	whole := object{"textDocument": doc, "range": object{"start": positionJSON{}, "end": end}}
	with := func(base object, more object) object {
		all := object{}
		for _, m := range []object{base, more} {
			for k, v := range m {
				all[k] = v
			}
		}
		return all
	}
	content := contentURI(contentAt, "a.go", contentData{Document: uri, Path: "p", Step: "s1", Artifact: "a.go"})
	return map[string]any{
		"textDocument/hover":                at,
		"textDocument/definition":           at,
		"textDocument/documentSymbol":       object{"textDocument": doc},
		"textDocument/codeLens":             object{"textDocument": doc},
		"textDocument/inlayHint":            whole,
		"workspace/executeCommand":          object{"command": "toolpath.graph", "arguments": []any{object{"document": uri, "page": true}}},
		"textDocument/codeAction":           with(whole, object{"context": object{"diagnostics": []any{}, "only": []string{"quickfix", "source"}}}),
		"textDocument/references":           with(at, object{"context": object{"includeDeclaration": true}}),
		"textDocument/documentHighlight":    at,
		"textDocument/foldingRange":         object{"textDocument": doc},
		"textDocument/selectionRange":       object{"textDocument": doc, "positions": []any{pos}},
		"textDocument/documentLink":         object{"textDocument": doc},
		"textDocument/prepareCallHierarchy": at,
		"textDocument/prepareTypeHierarchy": at,
		"textDocument/semanticTokens/full":  object{"textDocument": doc},
		"textDocument/semanticTokens/range": whole,
		"workspace/symbol":                  object{"query": "s1"},
		"textDocument/diagnostic":           object{"textDocument": doc},
		"workspace/diagnostic":              object{"previousResultIds": []any{}},
		"textDocument/prepareRename":        at,
		"textDocument/rename":               with(at, object{"newName": "human:new"}),
		"textDocument/completion":           at,
		"textDocument/formatting":           object{"textDocument": doc, "options": object{"tabSize": 2, "insertSpaces": true}},
		"textDocument/rangeFormatting":      with(whole, object{"options": object{"tabSize": 2, "insertSpaces": true}}),
		"workspace/textDocumentContent":     object{"uri": content},
		"toolpath/blame":                    object{"textDocument": doc},
		"toolpath/unreviewed":               object{"textDocument": doc},
		"toolpath/steps":                    object{"textDocument": doc},
		"toolpath/lineHistory":              at,
		"toolpath/deletedLines":             at,
		"toolpath/fileAtStep":               at,
	}
}

// followed are the queries about an item that another answer has.
var followed = map[string][]string{
	"textDocument/prepareCallHierarchy": {"callHierarchy/incomingCalls", "callHierarchy/outgoingCalls"},
	"textDocument/prepareTypeHierarchy": {"typeHierarchy/supertypes", "typeHierarchy/subtypes"},
}

// commandsAt are the commands that take a place.
var commandsAt = []string{commandParentStep, commandChildSteps, commandHeadStep, commandStepDiff, commandFileAtStep, commandNextUnreviewed, commandPreviousUnreviewed, commandPreviousTouch, commandNextTouch, commandFileBeforeStep, commandDeleted, commandReading}

// ask makes a query and returns the answer as on the wire.
func (a *asker) ask(ctx context.Context, method string, params any) (json.RawMessage, error) {
	a.t.Helper()
	raw, err := json.Marshal(params)
	if err != nil {
		a.t.Fatal(err)
	}
	result, err := a.routes[method].call(ctx, a.session, a.work.Snapshot(), raw)
	if err != nil {
		return nil, err
	}
	out, err := codec{}.Marshal(result)
	if err != nil {
		a.t.Fatalf("%s: the answer cannot be sent: %v", method, err)
	}
	if len(out) < 1<<20 && !json.Valid(out) {
		a.t.Fatalf("%s: the answer is no JSON: %s", method, out)
	}
	return json.RawMessage(out), nil
}

// everything asks all that can be asked about a place, its document, and what is answered.
func (a *asker) everything(ctx context.Context, uri string, off int) {
	a.t.Helper()
	a.all(ctx, uri, off, func(string) bool { return true })
}

// aboutPlace asks only what depends on the place.
func (a *asker) aboutPlace(ctx context.Context, uri string, off int) {
	a.t.Helper()
	at := questions(uri, positionJSON{}, positionJSON{})
	a.all(ctx, uri, off, func(method string) bool { return at[method].(object)["position"] != nil })
}

func (a *asker) all(ctx context.Context, uri string, off int, wanted func(method string) bool) {
	a.t.Helper()
	doc := a.work.Snapshot().Document(uri)
	c := converter{text: doc.Text, encoding: a.encoding}
	at := func(off int) positionJSON {
		p := c.at(off)
		return positionJSON{p.Line, p.Character}
	}
	pos, end := at(off), at(doc.Text.Len())
	for method, params := range questions(uri, pos, end) {
		if !wanted(method) {
			continue
		}
		answer, _ := a.ask(ctx, method, params)
		for _, next := range followed[method] {
			var items []json.RawMessage
			if json.Unmarshal(answer, &items) == nil {
				for _, item := range items {
					_, _ = a.ask(ctx, next, object{"item": item})
				}
			}
		}
	}
	place := object{"textDocument": object{"uri": uri}, "position": pos}
	for _, name := range commandsAt {
		answer, err := a.ask(ctx, "workspace/executeCommand", object{"command": name, "arguments": []any{place}})
		var virtual struct{ URI string }
		if err == nil && json.Unmarshal(answer, &virtual) == nil && strings.HasPrefix(virtual.URI, "toolpath:") {
			_, _ = a.ask(ctx, "workspace/textDocumentContent", object{"uri": virtual.URI})
			past := object{"textDocument": object{"uri": virtual.URI}, "position": pos}
			for _, method := range []string{"toolpath/blame", "toolpath/steps", "toolpath/lineHistory", "toolpath/deletedLines"} {
				_, _ = a.ask(ctx, method, past)
			}
			_, _ = a.ask(ctx, "workspace/executeCommand", object{"command": commandFileBeforeStep, "arguments": []any{past}})
		}
	}
}

// Every query is asked by this test: a new one must be added to its list.
func TestEverythingIsAsked(t *testing.T) {
	known := questions("file:///w/a.path.json", positionJSON{}, positionJSON{})
	for _, all := range followed {
		for _, method := range all {
			known[method] = nil
		}
	}
	for _, r := range routes() {
		if _, ok := known[r.method]; r.handle.kind == aQuery && !ok {
			t.Errorf("nothing asks %s", r.method)
		}
	}
}

// documents returns documents of all kinds by name: those of the tests and of the corpus.
func documents(t testing.TB) map[string]string {
	all := map[string]string{}
	archives, err := filepath.Glob("../testdata/sessions/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no sessions: %v", err)
	}
	for _, name := range archives {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if strings.Contains(f.Name, ".path.json") {
				all[filepath.Base(name)+"/"+f.Name] = string(f.Data)
			}
		}
	}
	corpus, _ := filepath.Glob("../../shared/corpus/*/*.path.json*")
	for _, name := range corpus {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(content)
	}
	if len(corpus) == 0 {
		t.Log("without the corpus, which is not here")
	}
	return all
}

// amount is how much of a long test is done: TOOLPATH_TEST_AMOUNT, else ordinary.
func amount(ordinary int) int {
	return amountOf("TOOLPATH_TEST_AMOUNT", race.Less(ordinary))
}

func amountOf(variable string, ordinary int) int {
	if testing.Short() {
		ordinary = max(1, ordinary/10)
	}
	n, err := strconv.Atoi(os.Getenv(variable))
	if err != nil {
		return ordinary
	}
	return n
}

// open makes the text the document that is asked about.
func (a *asker) open(name, content string) (uri string) {
	uri = "file:///w/a.path.json"
	if strings.HasSuffix(name, "l") {
		uri += "l"
	}
	a.work.Open(uri, "", 1, content)
	return uri
}

// Documents are cut at any byte: nothing panics, and every answer can be sent. The places
// are spread over each document; "make test/long" cuts at every byte.
func TestEverythingOfCutDocuments(t *testing.T) {
	t.Parallel()
	a := newAsker(t)
	r := rand.New(rand.NewPCG(1, 2))
	all := documents(t)
	cuts := amount(20)
	for name, content := range all {
		step := max(1, len(content)/cuts)
		for cut := r.IntN(step); cut <= len(content); cut += step {
			uri := a.open(name, content[:cut])
			func() {
				defer reportCut(t, name, cut)
				a.everything(t.Context(), uri, cut)
				a.everything(t.Context(), uri, r.IntN(cut+1))
			}()
		}
	}
}

func reportCut(t testing.TB, name string, cut int) {
	if v := recover(); v != nil {
		t.Errorf("%s cut at %d: %v", name, cut, v)
		panic(v)
	}
}

// scraps are put into documents: what makes and breaks them.
var scraps = []string{
	`"`, `{`, `}`, `[`, `]`, `,`, `:`, "\n", `\`, `"parents": ["s1", "s1"], `, `"head": "s1"`, `{"step": {"id": "s1"}}, `, `"steps": [], `,
	`"paths": [], `, `"meta": {"actors": {"human:asa": {}}}, `, `null`, `1e999`, "é", "𐐀", "\r\n", "\xff", "\x00", `"change": {"a.go": {"raw": "@@ -1 +1 @@\n-a\n+b"}}`,
	`"parent": {"uri": "a.path.json", "path": "p", "step": "s1"}`, `"href": "toolpath:p/s1"`, "{\"Head\": {\"step_id\": \"s1\"}}\n", "{\"Step\": {}}\n",
}

func mutated(r *rand.Rand, content string) string {
	for range 1 + r.IntN(4) {
		start := r.IntN(len(content) + 1)
		end := min(len(content), start+r.IntN(1+r.IntN(60)))
		piece := ""
		switch r.IntN(3) {
		case 0:
			piece = scraps[r.IntN(len(scraps))]
		case 1:
			from := r.IntN(len(content) + 1)
			piece = content[from:min(len(content), from+r.IntN(200))]
		}
		content = content[:start] + piece + content[end:]
	}
	return content
}

// Documents are mutated: as above.
func TestEverythingOfMutatedDocuments(t *testing.T) {
	t.Parallel()
	a := newAsker(t)
	r := rand.New(rand.NewPCG(3, 4))
	all := documents(t)
	var small, large []string
	for name, content := range all {
		if len(content) < 5000 {
			small = append(small, name)
		} else if len(content) < 50_000 {
			large = append(large, name)
		}
	}
	slices.Sort(small)
	slices.Sort(large)
	for i := range amount(10_000) {
		names := small
		if i%20 == 0 {
			names = large
		}
		name := names[r.IntN(len(names))]
		content := mutated(r, all[name])
		uri := a.open(name, content)
		func() {
			defer func() {
				if v := recover(); v != nil {
					t.Fatalf("%v: of %s\n%s", v, name, content)
				}
			}()
			a.everything(t.Context(), uri, r.IntN(len(content)+1))
		}()
	}
}

// FuzzEverything is the same for whatever text.
func FuzzEverything(f *testing.F) {
	for name, content := range documents(f) {
		if len(content) < 5000 {
			f.Add(content, strings.HasSuffix(name, "l"), 100)
		}
	}
	a := newAsker(f)
	f.Fuzz(func(t *testing.T, content string, lines bool, off int) {
		if len(content) > 20_000 {
			return
		}
		name := "a"
		if lines {
			name = "l"
		}
		b := &asker{a.session, t}
		uri := b.open(name, content)
		b.everything(t.Context(), uri, min(max(off, 0), len(content)))
	})
}

// manySteps returns a document of n steps with given parents.
func manySteps(n int, parents func(i int) []int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "{\"graph\": {\"id\": \"g\"}, \"paths\": [{\"path\": {\"id\": \"p\", \"head\": \"s%d\"}, \"steps\": [\n", n-1)
	for i := range n {
		ids := []string{}
		for _, k := range parents(i) {
			ids = append(ids, fmt.Sprintf(`"s%d"`, k))
		}
		fmt.Fprintf(&b, "%s{\"step\": {\"id\": \"s%d\", \"parents\": [%s], \"actor\": \"human:asa\", \"timestamp\": \"2026-01-01T10:00:00Z\"}, \"change\": {\"a.go\": {\"raw\": \"@@ -1 +1 @@\\n-a\\n+b\"}}}",
			strings.Repeat(",\n", min(i, 1)), i, strings.Join(ids, ", "))
	}
	b.WriteString("]}]}\n")
	return b.String()
}

func deep(i int) []int {
	if i == 0 {
		return nil
	}
	return []int{i - 1}
}

func wide(i int) []int {
	if i == 0 {
		return nil
	}
	return []int{0}
}

// merging makes the last step name all others.
func merging(n int) func(int) []int {
	return func(i int) []int {
		if i < n-1 {
			return nil
		}
		all := make([]int, i)
		for k := range all {
			all[k] = k
		}
		return all
	}
}

// A document of 100,000 steps, deep and wide, is answered about: this ends.
func TestEverythingOfManySteps(t *testing.T) {
	t.Parallel()
	n := race.Less(100_000)
	if testing.Short() {
		n = 10_000
	}
	for name, parents := range map[string]func(int) []int{"deep": deep, "wide": wide, "merging": merging(n)} {
		t.Run(name, func(t *testing.T) {
			a := newAsker(t)
			content := manySteps(n, parents)
			uri := a.open("a.path.json", content)
			a.everything(t.Context(), uri, strings.Index(content, `"s0"`)+2)
			for _, what := range []string{`"head"`, `"human:asa"`, `"a.go"`, `"p"`, fmt.Sprintf(`"id": "s%d"`, n-1)} {
				a.aboutPlace(t.Context(), uri, strings.Index(content, what)+2)
			}
		})
	}
}

// A workspace of 1,000 documents is answered about.
func TestEverythingInAWorkspace(t *testing.T) {
	a := newAsker(t)
	for i := range 1000 {
		a.work.Add(fmt.Sprintf("/w/%d.path.json", i), []byte(manySteps(20, deep)))
	}
	content := manySteps(20, deep)
	uri := a.open("a.path.json", content)
	for off := 0; off < len(content); off += len(content) / 20 {
		a.everything(t.Context(), uri, off)
	}
}

// countdown is a context that is cancelled when it was asked so many times.
type countdown struct {
	context.Context
	left  atomic.Int64
	asked atomic.Int64
	late  atomic.Int64 // questions after the end
}

func newCountdown(ctx context.Context, n int64) *countdown {
	c := &countdown{Context: ctx}
	c.left.Store(n)
	return c
}

func (c *countdown) Err() error {
	c.asked.Add(1)
	if c.left.Add(-1) >= 0 {
		return nil
	}
	c.late.Add(1)
	return context.Canceled
}

// A query over many steps, which begins with their parse, asks again and again whether it is
// still wanted, so that a cancelled one stops soon: never is more than a small part of its
// work done in between.
func TestCancelledQueriesStop(t *testing.T) {
	n := race.Less(50_000)
	a := newAsker(t)
	content := manySteps(n, wide)
	uri := a.open("a.path.json", content)
	doc := a.work.Snapshot().Document(uri)
	c := converter{text: doc.Text, encoding: a.encoding}
	end := c.at(doc.Text.Len())
	at := c.at(strings.Index(content, `"human:asa"`) + 2)
	all := questions(uri, positionJSON{at.Line, at.Character}, positionJSON{end.Line, end.Character})
	for _, method := range []string{
		"textDocument/documentSymbol", "textDocument/inlayHint", "textDocument/codeAction", "textDocument/references",
		"textDocument/documentHighlight", "textDocument/foldingRange", "textDocument/documentLink",
		"textDocument/semanticTokens/full", "textDocument/semanticTokens/range", "workspace/symbol", "textDocument/diagnostic",
		"workspace/diagnostic", "textDocument/rename", "textDocument/formatting", "textDocument/rangeFormatting",
	} {
		t.Run(method, func(t *testing.T) {
			b := &asker{a.session, t}
			b.open("a.path.json", content)
			free := newCountdown(t.Context(), 1<<40)
			_, _ = b.ask(free, method, all[method])
			if asked := free.asked.Load(); asked < int64(n/4096) {
				t.Errorf("it asks %d times in %d steps", asked, n)
			}
			for _, after := range []int64{0, 1, free.asked.Load() / 2} {
				b.open("a.path.json", content)
				ctx := newCountdown(t.Context(), after)
				if _, err := b.ask(ctx, method, all[method]); wireError(err) != error(errCancelled) {
					t.Errorf("cancelled after %d questions it answers %v", after, err)
				}
				if late := ctx.late.Load(); late > 40 {
					t.Errorf("cancelled after %d of %d questions, it asks %d times more", after, free.asked.Load(), late)
				}
			}
		})
	}
}
