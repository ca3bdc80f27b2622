package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// corpus returns a folder of the corpus that lies beside the repository.
func corpus(t *testing.T, name string) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "..", "..", "shared", "corpus", name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("there is no %s", dir)
	}
	return dir
}

// checkFolder runs check over a folder's files and returns the findings by file name.
func checkFolder(t *testing.T, dir string) map[string][]finding {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json*"))
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"check", "--format", "json"}
	for _, f := range files {
		if name := filepath.Base(f); name != "MANIFEST.json" {
			args = append(args, name)
		}
	}
	o := execute(t, dir, "", args...)
	if o.code == exitFailure || o.stderr != "" {
		t.Fatalf("exit code %d, stderr %q", o.code, o.stderr)
	}
	var list []finding
	if err := json.Unmarshal([]byte(o.stdout), &list); err != nil {
		t.Fatal(err)
	}
	byFile := map[string][]finding{}
	for _, name := range args[3:] {
		byFile[name] = nil
	}
	for _, f := range list {
		byFile[f.File] = append(byFile[f.File], f)
	}
	return byFile
}

// edgeFaults is what at least has to be said of the files of corpus/edge, each as
// "severity code line:column". No error may be said besides.
var edgeFaults = map[string][]string{
	"fault-actor-02.path.json":                    {"warning TP4001 15:22"},
	"fault-actor-06.path.json":                    {"warning TP4001 15:22"},
	"fault-array-root.path.json":                  {"error TP2001 1:1"},
	"fault-bare-path-root.path.json":              {"error TP2010 1:1"},
	"fault-bare-step-root.path.json":              {"error TP2010 1:1"},
	"fault-base-commit.path.json":                 {"warning TP2009 12:11"},
	"fault-base-from.path.json":                   {"warning TP2009 10:11"},
	"fault-bom.path.json":                         {"error TP1001 1:1"},
	"fault-cycle.path.json":                       {"error TP2005 16:15"},
	"fault-deep-nesting.path.json":                {"warning TP1003 1:170"},
	"fault-dup-path-id.path.json":                 {"error TP2002 28:15"},
	"fault-dup-step-id.path.json":                 {"error TP2004 26:19"},
	"fault-head-empty.path.json":                  {"error TP2006 9:17"},
	"fault-head-missing-step.path.json":           {"error TP2006 9:17"},
	"fault-invalid-utf8.path.json":                {"error TP1001 1:18"},
	"fault-jl-array-line.path.jsonl":              {"error TP2001 2:1", "error TP2105 1:2"},
	"fault-jl-bom.path.jsonl":                     {"error TP1001 1:1"},
	"fault-jl-cycle-no-head.path.jsonl":           {"error TP2005 2:39", "error TP2105 1:2"},
	"fault-jl-dup-step.path.jsonl":                {"error TP2004 3:23"},
	"fault-jl-head-unknown.path.jsonl":            {"error TP2006 3:20"},
	"fault-jl-pathclose-null.path.jsonl":          {"error TP2001 3:14"},
	"fault-jl-sig-bad-target.path.jsonl":          {"error TP2001 3:24"},
	"fault-jl-two-keys.path.jsonl":                {"error TP2001 2:1"},
	"fault-jl-unterminated-partial.path.jsonl":    {"information TP2108 3:32"},
	"fault-jl-version-missing.path.jsonl":         {"error TP2001 1:13"},
	"fault-base-toolpath-with-ref.path.json":      {"warning TP2205 11:11"},
	"fault-dup-parent.path.json":                  {"warning TP2301 30:15"},
	"fault-jl-after-close.path.jsonl":             {"error TP2104 4:2"},
	"fault-jl-ambiguous-head.path.jsonl":          {"error TP2105 1:2"},
	"fault-jl-first-not-open.path.jsonl":          {"error TP2104 1:2"},
	"fault-jl-first-unknown.path.jsonl":           {"error TP2104 1:2", "warning TP2103 1:2"},
	"fault-parent-fragment.path.json":             {"warning TP2203 11:28"},
	"fault-ref-to-jsonl.path.json":                {"error TP2201 7:15"},
	"fault-jsonl-in-json.path.json":               {"error TP2110 1:2"},
	"fault-key-type.path.json":                    {"error TP2001 30:25"},
	"fault-kind-breakdown-exceeds.path.json":      {"warning TP2507 28:21"},
	"fault-kind-category.path.json":               {"error TP2504 29:33"},
	"fault-kind-compact-under-v1.1.0.path.json":   {"hint TP2511 21:25"},
	"fault-kind-not-uri.path.json":                {"warning TP2502 26:17"},
	"fault-kind-usage-not-last.path.json":         {"warning TP2506 25:17"},
	"fault-kind-v1.2.0-trigger.path.json":         {"error TP2504 22:28"},
	"fault-sig-signer-undefined.path.json":        {"warning TP4005 26:27"},
	"fault-lone-surrogate.path.json":              {"error TP1001 1:18"},
	"fault-meta-null.path.json":                   {"error TP2001 27:11"},
	"fault-number-overflow.path.json":             {"error TP1001 1:44"},
	"fault-parent-missing-step.path.json":         {"error TP2001 10:19"},
	"fault-parent-relation.path.json":             {"warning TP2009 14:11"},
	"fault-ref-and-path.path.json":                {"error TP2001 7:7"},
	"fault-self-parent.path.json":                 {"error TP2005 16:15"},
	"fault-structural-no-type.path.json":          {"error TP2001 20:29"},
	"fault-timestamp-04.path.json":                {"warning TP2007 16:26"},
	"fault-timestamp-06.path.json":                {"warning TP2007 16:26"},
	"fault-timestamp-09.path.json":                {"warning TP2007 16:26"},
	"fault-truncated.path.json":                   {"error TP1001 24:8"},
	"fault-unknown-perspective.path.json":         {"error TP2001 21:15"},
	"fault-unknown-root-field.path.json":          {"error TP2001 27:3"},
	"fault-unknown-step-identity-field.path.json": {"error TP2001 17:13"},
	"legacy-envelope-path.json":                   {"error TP2010 2:3"},
	"warn-jl-blank-lines.path.jsonl":              {"warning TP2107 1:1", "warning TP2107 3:1", "warning TP2107 5:1", "warning TP2107 7:1"},
	"warn-jl-crlf.path.jsonl":                     {"warning TP2107 1:39"},
	"warn-jl-open-meta-actors.path.jsonl":         {"warning TP2101 1:46"},
	"warn-jl-pathmeta-actors.path.jsonl":          {"warning TP2101 3:23", "warning TP2101 3:61"},
	"warn-jl-pathmeta-extra-key.path.jsonl":       nil,
	"warn-jl-unknown-variant.path.jsonl":          {"warning TP2103 3:2"},
	"warn-jl-version-2.path.jsonl":                {"warning TP2102 1:24"},
	"warn-tags.path.json":                         {"information TP2009 26:15"},
}

func TestCorpusEdge(t *testing.T) {
	byFile := checkFolder(t, corpus(t, "edge"))
	for file, found := range byFile {
		want, known := edgeFaults[file]
		if !known && !strings.HasPrefix(file, "ok-") {
			t.Errorf("%s is not in the table; found %+v", file, found)
		}
		var got []string
		for _, f := range found {
			told := fmt.Sprintf("%s %s %d:%d", f.Severity, f.Code, f.Line, f.Column)
			got = append(got, told)
			ok := strings.HasPrefix(file, "ok-")
			if ok && f.Severity == "warning" || f.Severity == "error" && (ok || known) && !slices.Contains(want, told) {
				t.Errorf("%s: %s %s", file, told, f.Message)
			}
		}
		for _, told := range want {
			if !slices.Contains(got, told) {
				t.Errorf("%s: %q, and no %q", file, got, told)
			}
		}
	}
	for file := range edgeFaults {
		if _, ok := byFile[file]; !ok {
			t.Errorf("%s is in the table and not in the corpus", file)
		}
	}
}

// Official examples and what the official derivers wrote have no errors; the legacy
// envelope is named as such, once, and is their only error.
func TestCorpusVerdicts(t *testing.T) {
	for _, folder := range []string{"examples", "derived", "blame"} {
		for file, found := range checkFolder(t, corpus(t, folder)) {
			if file == "expected-blame.json" {
				continue
			}
			for _, f := range found {
				if f.Severity == "error" {
					t.Errorf("%s/%s:%d:%d: %s %s", folder, file, f.Line, f.Column, f.Code, f.Message)
				}
			}
		}
	}
	for file, found := range checkFolder(t, corpus(t, "legacy")) {
		for i, f := range found {
			if is := strings.Contains(f.Message, "envelope from before May 2026"); is != (i == 0) || is != (f.Severity == "error") {
				t.Errorf("legacy/%s:%d:%d: %s %s", file, f.Line, f.Column, f.Code, f.Message)
			}
		}
	}
}

// The text output says the same as the JSON output.
func TestCorpusText(t *testing.T) {
	dir := corpus(t, "edge")
	var want strings.Builder
	files, _ := filepath.Glob(filepath.Join(dir, "*.path.json*"))
	byFile := checkFolder(t, dir)
	args := []string{"check"}
	for _, f := range files {
		name := filepath.Base(f)
		args = append(args, name)
		for _, f := range byFile[name] {
			fmt.Fprintf(&want, "%s:%d:%d: %s %s %s\n", f.File, f.Line, f.Column, f.Severity, f.Code, f.Message)
		}
	}
	if o := execute(t, dir, "", args...); o.stdout != want.String() || o.code != exitFindings {
		t.Errorf("exit code %d, stdout\n%s\nwant\n%s", o.code, o.stdout, want.String())
	}
}

// blame --raw says of every line of a linear history what git blame --first-parent does.
func TestCorpusBlame(t *testing.T) {
	dir := corpus(t, "blame")
	var expected map[string]struct {
		Files map[string]struct {
			Text        string
			Default     []string
			FirstParent []string `json:"first_parent"`
		}
	}
	content, err := os.ReadFile(filepath.Join(dir, "expected-blame.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(content, &expected); err != nil {
		t.Fatal(err)
	}
	export, err := os.ReadFile(filepath.Join(dir, "repo.fast-export"))
	if err != nil {
		t.Fatal(err)
	}
	document, err := os.ReadFile(filepath.Join(dir, "git-linear.path.json"))
	if err != nil {
		t.Fatal(err)
	}
	repository := t.TempDir()
	git(t, repository, "", "init", "-q", "-b", "unborn")
	git(t, repository, string(export), "fast-import", "--quiet")
	git(t, repository, "", "-c", "core.autocrlf=false", "checkout", "-q", "linear")
	write(t, repository, map[string]string{"git-linear.path.json": string(document)})

	if len(expected["linear"].Files) == 0 {
		t.Fatal("no files are expected")
	}
	for file, want := range expected["linear"].Files {
		onDisk, err := os.ReadFile(filepath.Join(repository, filepath.FromSlash(file)))
		if err != nil || string(onDisk) != want.Text {
			t.Fatalf("%s is not what it is in the corpus: %v", file, err)
		}
		o := execute(t, repository, "", "blame", "--raw", "--format", "json", filepath.FromSlash(file))
		var got blamedFile
		if err := json.Unmarshal([]byte(o.stdout), &got); err != nil || o.code != 0 || o.stderr != "" {
			t.Fatalf("%s: %v, exit code %d, stderr %q", file, err, o.code, o.stderr)
		}
		if len(got.Lines) != len(want.FirstParent) {
			t.Fatalf("%s: %d lines, want %d", file, len(got.Lines), len(want.FirstParent))
		}
		var columns [2]int // lines that differ from first_parent, and from default
		for i, line := range got.Lines {
			step := line.State
			if line.Step != nil {
				step = *line.Step
			}
			if step != want.FirstParent[i] {
				columns[0]++
			}
			if step != want.Default[i] {
				columns[1]++
			}
			if file != "renamed.txt" && step != want.FirstParent[i] {
				t.Errorf("%s:%d: %s, want %s", file, i+1, step, want.FirstParent[i])
			}
			if line.State == "recorded" && (*line.Document != "git-linear.path.json" || *line.Path == "" || *line.Actor == "" || *line.Timestamp == "") {
				t.Errorf("%s:%d: %+v", file, i+1, line)
			}
		}
		if file == "renamed.txt" && columns[0] > 0 && columns[1] > 0 {
			t.Errorf("%s: %d lines differ from git blame --first-parent, %d from git blame", file, columns[0], columns[1])
		}
	}
	// A document whose base is at hand has nothing to say.
	if o := execute(t, repository, "", "check", "git-linear.path.json"); o != (outcome{}) {
		t.Errorf("check: %+v", o)
	}
}
