package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/internal/race"
)

// gcTrace is what the runtime writes of each garbage collection: the size of the heap at
// its start, at its end and what of it was in use, in MB. The process may end within a line.
var (
	gcTrace = regexp.MustCompile(`(?m)^gc \d+ @.* (\d+)->(\d+)->(\d+) MB.*\n`)
	gcLine  = regexp.MustCompile(`(?m)^gc( .*)?\n?`)
)

// withPeak runs a command and returns, in MB, the size of the heap when it was largest.
func withPeak(t *testing.T, cmd *exec.Cmd) (o outcome, peak int) {
	t.Helper()
	cmd.Env = append(cmd.Env, "GODEBUG=gctrace=1")
	o = finish(t, cmd, "")
	for _, sizes := range gcTrace.FindAllStringSubmatch(o.stderr, -1) {
		for _, size := range sizes[1:3] {
			n, _ := strconv.Atoi(size)
			peak = max(peak, n)
		}
	}
	o.stderr = gcLine.ReplaceAllString(o.stderr, "")
	return o, peak
}

// step is a valid step of a canonical document.
const step = `{"step": {"id": "s1", "parents": [], "actor": "human:mira", "timestamp": "2026-01-02T03:04:05Z"}, "change": {}}`

// graph is a valid document with one path that has the steps.
func graph(steps string) string {
	return `{"graph": {"id": "g"}, "paths": [{"path": {"id": "p", "head": "s1"}, "steps": [` + steps +
		`], "meta": {"actors": {"human:mira": {"name": "Mira"}}}}]}`
}

// checkFile checks one document and returns its findings. It fails unless the process
// ended by itself, said nothing else, and had a heap that is bounded by the content.
func checkFile(t *testing.T, name, content string) []finding {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, map[string]string{name: content})
	o, peak := withPeak(t, command(t, dir, "check", "--format", "json", name))
	var found []finding
	if err := json.Unmarshal([]byte(o.stdout), &found); err != nil || o.stderr != "" || o.code > exitFindings {
		t.Fatalf("%v; exit code %d, stderr %q", err, o.code, o.stderr)
	}
	if most := 64 + 256*len(content)>>20; peak > most {
		t.Errorf("a heap of %d MB for %d bytes", peak, len(content))
	}
	return found
}

// What is no document, or hardly one, gets a finding that says what is wrong where, and
// none of what was read before it is lost.
func TestCheckBadInput(t *testing.T) {
	const big = 1 << 20
	for _, c := range []struct {
		name, file, content string
		want                string // how one finding starts: "severity code line:column"
		says                string // part of its message
	}{
		{"empty", "a.path.json", "", "error TP1001 1:1", "empty"},
		{"blanks", "a.path.json", " \n\t\n", "error TP1001 1:1", "empty"},
		{"empty stream", "a.path.jsonl", "", "error TP1001 1:1", "empty"},
		{"blank stream", "a.path.jsonl", "\n\n\n", "error TP1001 1:1", "empty"},
		{"cut off", "a.path.json", graph(step)[:100], "error TP1001 1:101", "missing"},
		{"cut in a string", "a.path.json", graph(step)[:18], "error TP1001 1:18", "quote"},
		{"no JSON", "a.path.json", "hello, world", "error TP1001 1:1", "hello"},
		{"a number", "a.path.json", "42", "error TP2001 1:1", "object"},
		{"a string", "a.path.json", `"graph"`, "error TP2001 1:1", "object"},
		{"null", "a.path.json", "null", "error TP2001 1:1", "object"},
		{"byte order mark", "a.path.json", "\ufeff" + graph(step), "error TP1001 1:1", "byte order mark"},
		{"UTF-16", "a.path.json", "\xff\xfe{\x00}\x00", "error TP1001 1:1", "UTF-8"},
		{"Latin-1", "a.path.json", strings.Replace(graph(step), `"g"`, "\"M\xfcller\"", 1), "error TP1001 1:20", "UTF-8"},
		{"NUL byte", "a.path.json", "{\x00}", "error TP1001 1:2", ""},
		{"NUL in a string", "a.path.json", "{\"graph\": {\"id\": \"a\x00b\"}, \"paths\": []}", "error TP1001 1:20", "control character"},
		{"lone surrogate", "a.path.json", `{"graph": {"id": "\udc00"}, "paths": []}`, "error TP1001 1:19", "surrogate"},
		{"reversed surrogates", "a.path.json", `{"graph": {"id": "\udc00\ud800"}, "paths": []}`, "error TP1001 1:19", "surrogate"},
		{"bad escape", "a.path.json", `{"graph": {"id": "\x41"}, "paths": []}`, "error TP1001 1:19", `\x`},
		{"huge number", "a.path.json", `{"graph": {"id": "g"}, "paths": [], "meta": {"n": 1e999999999}}`, "error TP1001 1:51", "out of range"},
		{"comment", "a.path.json", "{\n// why\n}", "error TP1001 2:1", "comment"},
		{"single quotes", "a.path.json", "{'graph': {}}", "error TP1001 1:2", ""},
		{"CRLF", "a.path.json", "{\"graph\": {\"id\": \"g\"},\r\n\"paths\": [],\r\n\"x\": 1}\r\n", "error TP2001 3:1", `"x"`},
		{"lone CR", "a.path.json", "{\"graph\": {\"id\": \"g\"},\r\"paths\": [],\r\"x\": 1}", "error TP2001 3:1", `"x"`},
		{"two documents", "a.path.json", graph(step) + graph(step), "error TP1001 1:", "after the end"},
		{"million brackets", "a.path.json", strings.Repeat("[", big), "error TP", ""},
		{"million brackets closed", "a.path.json", strings.Repeat("[", big) + strings.Repeat("]", big), "error TP", ""},
		{"million objects", "a.path.json", strings.Repeat(`{"a":`, big), "error TP", ""},
		{"million closing brackets", "a.path.json", strings.Repeat("]", big), "error TP1001 1:1", ""},
		{"million brackets in a document", "a.path.json", graph(strings.Replace(step, "{}}", `{"a.txt": {"structural": {"type": "x", "deep": `+strings.Repeat("[", big)+strings.Repeat("]", big)+"}}}}", 1)), "warning TP1003 1:", "nested"},
		{"million brackets in a stream", "a.path.jsonl", `{"PathOpen": {"version": "1", "id": "p"}}` + "\n" + strings.Repeat("[", big) + "\n", "error TP", ""},
		{"million quotes", "a.path.json", strings.Repeat(`"`, big), "error TP1001 1:", ""},
		{"million commas", "a.path.json", "[" + strings.Repeat(",", big) + "]", "error TP", ""},
		{"million backslashes", "a.path.json", `{"graph": {"id": "` + strings.Repeat(`\`, big), "error TP1001 1:", ""},
		{"million invalid bytes", "a.path.json", strings.Repeat("\xff", big), "error TP1001 1:1", "UTF-8"},
		{"many empty lines", "a.path.jsonl", strings.Repeat("\n", big/4) + "{\n", "warning TP2107 1:1", "blank line"},
		{"many open lines", "a.path.jsonl", strings.Repeat("{\n", big/8), "error TP1001 1:", ""},
		{"million equal keys", "a.path.json", `{` + strings.Repeat(`"a":0,`, big/8) + `"a":0}`, "error TP", ""},
		{"million keys", "a.path.json", `{` + keys(big/8) + `"graph": {"id": "g"}, "paths": []}`, "error TP2001 1:", "unknown field"},
		{"one line of a megabyte", "a.path.json", graph(strings.Replace(step, "{}", `{"a.txt": {"raw": "`+strings.Repeat("é", big/2)+`"}, "x": {}}`, 1)), "error TP2001 1:524", "raw"},
		{"long key", "a.path.json", `{"graph": {"id": "g"}, "paths": [], "` + strings.Repeat("k", big) + `": 1}`, "error TP2001 1:37", "kkk"},
		{"long id", "a.path.json", strings.Replace(graph(step), `"head": "s1"`, `"head": "`+strings.Repeat("h", big)+`"`, 1), "error TP2006 1:63", "hhh"},
		{"many findings on one line", "a.path.json", graph(strings.Repeat(strings.Replace(step, "human:mira", "mira", 1)+",", big/128) + step), "error TP9002 1:", "more findings"},
		{"many parents", "a.path.json", graph(strings.Replace(step, `[]`, `[`+strings.Repeat(`"nope",`, 10_000)+`"nope"]`, 1)), "warning TP2003 1:", "nope"},
		{"last line cut off", "a.path.jsonl", `{"PathOpen": {"version": "1", "id": "p"}}` + "\n" + `{"Step": {"step": {"id": "s`, "information TP2108 2:28", "not finished"},
		{"last line faulty", "a.path.jsonl", `{"PathOpen": {"version": "1", "id": "p"}}` + "\n" + `{"Head" {"step_id": "s"}}`, "error TP1001 2:9", "colon"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && len(c.content) > big/2 {
				t.Skip("large; without -short")
			}
			found := checkFile(t, c.file, c.content)
			told := func(f finding) bool {
				got := fmt.Sprintf("%s %s %d:%d", f.Severity, f.Code, f.Line, f.Column)
				return strings.HasPrefix(got, c.want) && strings.Contains(f.Message, c.says)
			}
			if !slices.ContainsFunc(found, told) {
				t.Errorf("want %s … %s, found %.1000s", c.want, c.says, fmt.Sprint(found))
			}
			for _, f := range found {
				if len(f.Message) > 2000 {
					t.Errorf("a message of %d bytes: %.200s…", len(f.Message), f.Message)
				}
				if f.Line < 1 || f.Column < 1 || f.EndLine < f.Line || f.EndLine == f.Line && f.EndColumn < f.Column {
					t.Errorf("no place: %+v", f)
				}
			}
			if len(found) > maxFindings+1 {
				t.Errorf("%d findings", len(found))
			}
		})
	}
}

// keys is an object's members, each with a key of its own.
func keys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"k%d":0,`, i)
	}
	return b.String()
}

// A document of just the limit is checked to its end; of one byte more it is said that it
// was skipped and why.
func TestCheckSizeLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("64 MB; without -short")
	}
	const limit = analysis.DefaultMaxFileSize
	content := strings.Repeat(" ", limit/2) + strings.TrimSuffix(graph(step), "}") + `, "last": 1}`
	content += strings.Repeat("\n", limit-len(content))

	dir := t.TempDir()
	write(t, dir, map[string]string{"a.path.json": content})
	o := execute(t, dir, "", "check", "a.path.json")
	if o.code != exitFindings || o.stderr != "" || !strings.Contains(o.stdout, `unknown field "last"`) {
		t.Errorf("64 MB: %.1000s", fmt.Sprint(o))
	}
	f, err := os.OpenFile(filepath.Join(dir, "a.path.json"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("\n"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	const want = "a.path.json:1:1: warning TP9001 this document has 67108865 bytes, more than the limit of 67108864: nothing in it was checked (flag --max-size)\n"
	if o := execute(t, dir, "", "check", "a.path.json"); o != (outcome{stdout: want}) {
		t.Errorf("64 MB + 1: %.1000s", fmt.Sprint(o))
	}
	// blame says that it did without the document.
	write(t, dir, map[string]string{"a.txt": "a\n"})
	o = execute(t, dir, "", "blame", "a.txt")
	if o.code != 0 || o.stdout != "unrecorded (  1) a\n" || !strings.Contains(o.stderr, "a.path.json") || !strings.Contains(o.stderr, "limit") {
		t.Errorf("blame beside 64 MB + 1: %+v", o)
	}
}

// Many documents are checked one after the other, in the memory of a few.
func TestCheckManyDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("2,000 documents; without -short")
	}
	dir := t.TempDir()
	files := map[string]string{}
	text, _ := json.Marshal(strings.Repeat("a line of text\n", 3000))
	document := graph(strings.Replace(step, "{}", `{"a.txt": {"structural": {"type": "file.write", "operation": "add", "after": `+string(text)+`}}, "b.txt": {"x": 1}}`, 1))
	for i := range race.Less(2000) {
		files[fmt.Sprintf("%02d/%04d.path.json", i%100, i)] = document
	}
	write(t, dir, files)
	o, peak := withPeak(t, command(t, dir, "check", "."))
	if n := strings.Count(o.stdout, "\n"); o.code != exitFindings || o.stderr != "" || n < len(files) {
		t.Errorf("exit code %d, %d findings, stderr %q", o.code, n, o.stderr)
	}
	// On a busy machine the collector may come late, but not every time.
	for range 2 {
		if peak > 32 {
			_, again := withPeak(t, command(t, dir, "check", "."))
			peak = min(peak, again)
		}
	}
	if peak > 32 {
		t.Errorf("a heap of %d MB for documents of %d MB", peak, len(files)*len(document)>>20)
	}
}

// Files that are none are refused by name, at once.
func TestFilesThatAreNone(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"folder.path.json/inner.txt": "text", "fine.path.json": graph(step)})
	if err := os.Symlink("nowhere", filepath.Join(dir, "broken.path.json")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("loop.path.json", filepath.Join(dir, "loop.path.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("fine.path.json", filepath.Join(dir, "link.path.json")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, stderr string
		code         int
	}{
		{"broken.path.json", "toolpath-ls: broken.path.json: no such file or directory\n", 2},
		{"loop.path.json", "toolpath-ls: loop.path.json: too many levels of symbolic links\n", 2},
		{"link.path.json", "", 0},
		{"folder.path.json", "toolpath-ls: folder.path.json: no *.path.json or *.path.jsonl in this folder\n", 0},
		{".", "", 0},
	} {
		if o := execute(t, dir, "", "check", c.path); o != (outcome{"", c.stderr, c.code}) {
			t.Errorf("check %s: %+v", c.path, o)
		}
	}
	for _, path := range []string{"broken.path.json", "loop.path.json", "folder.path.json"} {
		o := execute(t, dir, "", "blame", path)
		if o.code != exitFailure || o.stdout != "" || !strings.HasPrefix(o.stderr, "toolpath-ls: "+path+": ") {
			t.Errorf("blame %s: %+v", path, o)
		}
	}
}
