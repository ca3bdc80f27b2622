package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const (
	unlaid = `{"paths": [], "graph": {"id": "g"}}`
	laid   = "{\n  \"graph\": {\n    \"id\": \"g\"\n  },\n  \"paths\": []\n}\n"
)

func content(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		if runtime.GOOS == "windows" {
			t.Skip("this user may not make links: ", err)
		}
		t.Fatal(err)
	}
}

// A file that is written keeps its mode, one that is as it should be is not touched, and
// nothing else is left in the folder.
func TestFmtWrites(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"a.path.json": unlaid, "b.path.json": laid})
	a, b := filepath.Join(dir, "a.path.json"), filepath.Join(dir, "b.path.json")
	if err := os.Chmod(a, 0o640); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(b)
	if err != nil {
		t.Fatal(err)
	}
	if o := execute(t, dir, "", "fmt", "-w", "."); o != (outcome{}) {
		t.Errorf("%+v", o)
	}
	after, err := os.Stat(b)
	if err != nil {
		t.Fatal(err)
	}
	if !os.SameFile(before, after) || !before.ModTime().Equal(after.ModTime()) {
		t.Error("a file that is laid out was written")
	}
	st, err := os.Stat(a)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && st.Mode().Perm() != 0o640 {
		t.Errorf("the mode is %v", st.Mode())
	}
	if got := content(t, a); got != laid {
		t.Errorf("%q", got)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("%v, %v", entries, err)
	}
}

// A link stays a link. One that leads out of the folder is not followed without being told.
func TestFmtLinks(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"ws/sub/in.path.json": unlaid, "out/out.path.json": unlaid, "ws/x.txt": ""})
	in, out := filepath.Join(dir, "ws", "in.path.json"), filepath.Join(dir, "ws", "out.path.json")
	link(t, filepath.Join("sub", "in.path.json"), in)
	link(t, filepath.Join("..", "out", "out.path.json"), out)

	o := execute(t, dir, "", "fmt", "-w", "ws")
	if o.code != exitFailure || !strings.Contains(o.stderr, "leads out of its folder") || strings.Count(o.stderr, "\n") != 1 {
		t.Errorf("%+v", o)
	}
	if content(t, in) != laid || content(t, out) != unlaid {
		t.Error("the wrong links were followed")
	}
	if o := execute(t, dir, "", "fmt", "-w", "--follow-links", "ws"); o != (outcome{}) {
		t.Errorf("%+v", o)
	}
	if content(t, out) != laid {
		t.Error("the link was not followed")
	}
	for _, name := range []string{in, out} {
		if st, err := os.Lstat(name); err != nil || st.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more: %v", name, err)
		}
	}
}

// The output of convert is a new file, or one that is replaced; not one that a link leads to
// elsewhere, and nothing that is no file.
func TestConvertWrites(t *testing.T) {
	dir := t.TempDir()
	doc := `{"graph": {"id": "p"}, "paths": [{"path": {"id": "p", "head": "s"}, "steps": []}]}`
	stream := "{\"PathOpen\":{\"version\":\"1\",\"id\":\"p\"}}\n{\"Head\":{\"step_id\":\"s\"}}\n{\"PathClose\":{}}\n"
	write(t, dir, map[string]string{"a.path.json": doc, "there.path.jsonl": "old", "elsewhere/x": "old"})
	if err := os.Mkdir(filepath.Join(dir, "folder.path.jsonl"), 0o755); err != nil {
		t.Fatal(err)
	}
	link(t, filepath.Join("elsewhere", "x"), filepath.Join(dir, "inside.path.jsonl"))
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	link(t, filepath.Join("..", "elsewhere", "x"), filepath.Join(dir, "sub", "out.path.jsonl"))
	link(t, "nowhere", filepath.Join(dir, "dangling.path.jsonl"))
	for _, c := range []struct {
		out  string
		code int
		said string
	}{
		{"new.path.jsonl", 0, ""},
		{"there.path.jsonl", 0, ""},
		{"folder.path.jsonl", exitFailure, "not a regular file"},
		{"sub/out.path.jsonl", exitFailure, "leads out of its folder"},
		{"dangling.path.jsonl", exitFailure, "a link to what is not there"},
		{"inside.path.jsonl", 0, ""},
	} {
		o := execute(t, dir, "", "convert", "a.path.json", "-o", filepath.FromSlash(c.out))
		if o.code != c.code || !strings.Contains(o.stderr, c.said) || o.stdout != "" {
			t.Errorf("%s: %+v", c.out, o)
		}
		if c.code == 0 && content(t, filepath.Join(dir, c.out)) != stream {
			t.Errorf("%s is %q", c.out, content(t, filepath.Join(dir, c.out)))
		}
	}
}

// A file that may not be written is not replaced, although its folder would let it.
func TestFmtReadOnly(t *testing.T) {
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("this user may write every file")
	}
	dir := t.TempDir()
	write(t, dir, map[string]string{"a.path.json": unlaid})
	name := filepath.Join(dir, "a.path.json")
	if err := os.Chmod(name, 0o400); err != nil {
		t.Fatal(err)
	}
	if o := execute(t, dir, "", "fmt", "-w", name); o.code != exitFailure || content(t, name) != unlaid {
		t.Errorf("%+v", o)
	}
}
