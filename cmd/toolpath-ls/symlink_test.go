package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file that is opened through a symbolic link, to its folder or to the workspace, is the one
// that documents speak of, by a relative key or an absolute one.
func TestBlameThroughSymbolicLinks(t *testing.T) {
	for _, c := range []struct{ name, key, link, to, file string }{
		{"a folder of the workspace", "src/a.txt", "work/link", "src", "work/link/a.txt"},
		{"the workspace, by an absolute key", "", "other", "work", "other/src/a.txt"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			key := c.key
			if key == "" {
				key = filepath.ToSlash(filepath.Join(dir, "work/src/a.txt"))
			}
			if err := os.MkdirAll(filepath.Join(dir, "work/src"), 0o755); err != nil {
				t.Fatal(err)
			}
			write(t, dir, map[string]string{
				"work/src/a.txt": "hello\n",
				"work/a.path.json": `{"graph":{"id":"g"},"paths":[{"path":{"id":"p","head":"s1"},"steps":[
 {"step":{"id":"s1","actor":"agent:x","timestamp":"2026-01-29T10:00:00Z"},"change":{` + quoted(key) + `:{"structural":{"type":"file.write","operation":"add","after":"hello\n"}}}}]}]}`,
			})
			if err := os.Symlink(c.to, filepath.Join(dir, c.link)); err != nil {
				t.Skip("symbolic links cannot be made here: ", err)
			}
			o := executeAs(t, t.TempDir(), dir, "", "blame", "--workspace", "work", filepath.FromSlash(c.file))
			if o.code != 0 || !strings.Contains(o.stdout, "agent:x") && !strings.Contains(o.stdout, "s1") {
				t.Errorf("%+v", o)
			}
		})
	}
}
