package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// written is a document in which one step wrote the whole of a file.
func written(file, content string) string {
	name, _ := json.Marshal(file)
	text, _ := json.Marshal(content)
	return graph(strings.Replace(step, "{}", fmt.Sprintf(`{%s: {"structural": {"type": "file.write", "operation": "add", "after": %s}}}`, name, text), 1))
}

// A line is what ends in a line feed, and the rest if there is one; its text is printed
// without its end.
func TestBlameLineEnds(t *testing.T) {
	const s = "s1 (human:mira 2026-01-02 "
	for _, c := range []struct{ name, recorded, content, want string }{
		{"empty", "", "", ""},
		{"one line", "a\n", "a\n", s + "1) a\n"},
		{"no line feed at the end", "a", "a", s + "1) a\n"},
		{"CRLF", "a\r\nb\r\n", "a\r\nb\r\n", s + "1) a\n" + s + "2) b\n"},
		{"CRLF on disk alone", "a\nb\n", "a\r\nb\r\n", s + "1) a\n" + s + "2) b\n"},
		{"blank lines", "\n\n", "\n\n", s + "1) \n" + s + "2) \n"},
		{"no UTF-8", "a\n\n", "a\n\xff\xfe\n", "s1      (human:mira 2026-01-02 1) a\nchanged (                      2) \xff\xfe\n"},
		{"ten lines", strings.Repeat("x\n", 10), strings.Repeat("x\n", 10), strings.Join([]string{
			s + " 1) x", s + " 2) x", s + " 3) x", s + " 4) x", s + " 5) x", s + " 6) x", s + " 7) x", s + " 8) x", s + " 9) x", s + "10) x\n",
		}, "\n")},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, map[string]string{"a.path.json": written("a.txt", c.recorded), "a.txt": c.content})
			o := execute(t, dir, "", "blame", "a.txt")
			if o.code != 0 || o.stderr != "" || o.stdout != c.want {
				t.Errorf("exit code %d, stderr %q, stdout\n%swant\n%s", o.code, o.stderr, o.stdout, c.want)
			}
		})
	}
}

// The JSON output has the fields that are promised, and no others.
func TestBlameFields(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"a.path.json": written("a.txt", "a\n"), "a.txt": "a\nb\n"})
	o := execute(t, dir, "", "blame", "--git", "--format", "json", "a.txt")
	var got map[string]json.RawMessage
	var lines []map[string]any
	if err := json.Unmarshal([]byte(o.stdout), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(got["lines"], &lines); err != nil {
		t.Fatal(err)
	}
	if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, []string{"file", "lines"}) {
		t.Errorf("%q", names)
	}
	want := []map[string]any{
		{"line": 1.0, "state": "recorded", "grade": "exact", "step": "s1", "path": "p", "document": "a.path.json", "actor": "human:mira", "timestamp": "2026-01-02T03:04:05Z", "intent": nil},
		{"line": 2.0, "state": "changed", "grade": "changed", "step": nil, "path": nil, "document": nil, "actor": nil, "timestamp": nil, "intent": nil},
	}
	if !slices.EqualFunc(lines, want, maps.Equal[map[string]any, map[string]any]) {
		t.Errorf("got  %v\nwant %v", lines, want)
	}
}

// The documents are those of the repository that holds the file, from whatever folder and
// by whatever name it is asked for.
func TestBlameFromAnywhere(t *testing.T) {
	root := t.TempDir()
	repository, other := filepath.Join(root, "repository"), filepath.Join(root, "other")
	write(t, repository, map[string]string{"record/a.path.json": written("src/a.txt", "a\n"), "src/a.txt": "a\n"})
	write(t, other, map[string]string{"a.txt": "a\n"})
	git(t, repository, "", "init", "-q")
	link := filepath.Join(root, "link")
	if err := os.Symlink(repository, link); err != nil {
		t.Skip(err)
	}
	const recorded = "s1 (human:mira 2026-01-02 1) a\n"
	for _, c := range []struct {
		dir  string
		args []string
		want string
	}{
		{repository, []string{"src/a.txt"}, recorded},
		{repository, []string{"./src/../src/a.txt"}, recorded},
		{filepath.Join(repository, "src"), []string{"a.txt"}, recorded},
		{filepath.Join(repository, "record"), []string{"../src/a.txt"}, recorded},
		{other, []string{filepath.Join(repository, "src", "a.txt")}, recorded},
		{other, []string{filepath.Join(link, "src", "a.txt")}, recorded},
		{link, []string{"src/a.txt"}, recorded},
		{filepath.Join(repository, "src"), []string{"--workspace", "..", "a.txt"}, recorded},
		{root, []string{"--workspace", "repository", "repository/src/a.txt"}, recorded},
		{root, []string{"--workspace", "repository/record", "repository/src/a.txt"}, recorded},
		{root, []string{"--workspace", "repository", "other/a.txt"}, "unrecorded (  1) a\n"},
		{root, []string{"--workspace", "other", "repository/src/a.txt"}, "unrecorded (  1) a\n"},
		{other, []string{"a.txt"}, "unrecorded (  1) a\n"},
	} {
		o := execute(t, c.dir, "", append([]string{"blame"}, c.args...)...)
		note := ""
		if c.want != recorded {
			note = "speaks of " + c.args[len(c.args)-1] + "\n"
		}
		if o.code != 0 || o.stdout != c.want || !strings.HasSuffix(o.stderr, note) || (note == "") != (o.stderr == "") {
			t.Errorf("in %s, %q: %+v", c.dir, c.args, o)
		}
	}
}

// Lines that are not on record name their commits, and nobody is said to have written them;
// git is not asked where that is not wanted, and nothing fails where there is none.
func TestBlameCommits(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"a.txt": "old\n"})
	git(t, dir, "", "init", "-q")
	git(t, dir, "", "add", ".")
	git(t, dir, "", "-c", "user.name=Mira", "-c", "user.email=m@example.org", "commit", "-q", "--date=2026-01-05T00:00:00Z", "-m", "First")
	id := strings.TrimSpace(git(t, dir, "", "rev-parse", "HEAD"))
	write(t, dir, map[string]string{"a.txt": "old\nnew\n"})
	const none = "unrecorded (  1) old\nunrecorded (  2) new\n"
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--git"}, "unrecorded (" + id[:7] + " Mira 2026-01-05 1) old\nunrecorded (                        2) new\n"},
		{nil, none},
		{[]string{"--contents", "empty"}, ""},
	} {
		write(t, dir, map[string]string{"empty": ""})
		o := execute(t, dir, "", append([]string{"blame", "a.txt"}, c.args...)...)
		if o.code != 0 || o.stdout != c.want {
			t.Errorf("%q: exit code %d, stdout\n%swant\n%s", c.args, o.code, o.stdout, c.want)
		}
	}
	o := execute(t, dir, "", "blame", "--git", "--format", "json", "a.txt")
	var got struct {
		Lines []struct {
			State  string
			Actor  *string
			Commit map[string]string
		}
	}
	if err := json.Unmarshal([]byte(o.stdout), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"id": id, "author": "Mira", "time": "2026-01-05T00:00:00Z", "summary": "First"}
	if l := got.Lines[0]; l.State != "unrecorded" || l.Actor != nil || !maps.Equal(l.Commit, want) {
		t.Errorf("%+v", l)
	}
	if l := got.Lines[1]; l.Commit != nil {
		t.Errorf("a line that is not committed: %+v", l)
	}
	t.Setenv("PATH", t.TempDir())
	if o := execute(t, dir, "", "blame", "--git", "a.txt"); o.code != 0 || o.stdout != none {
		t.Errorf("without git: exit code %d, stdout\n%s", o.code, o.stdout)
	}
}
