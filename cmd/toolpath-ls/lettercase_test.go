package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file that documents know by two names that differ in case alone, the one after the other,
// is told of once, by the name that it has in its folder.
func TestCommandsTakeOtherCasesForOne(t *testing.T) {
	dir := t.TempDir()
	git(t, dir, "", "init", "-q")
	write(t, dir, map[string]string{
		"Readme.md":   "one line of the file\ntwo lines of the file\n",
		"notes.md":    "one line of the file\n",
		"a.path.json": linked("a", "10", "README.md", makesOne, "Readme.md", addsTwo),
		"b.path.json": linked("b", "10", "Notes.md", makesOne),
	})
	home := t.TempDir()
	for args, want := range map[string]string{
		"blame Readme.md": "a1",
		"stats --by file": "2   67 %      2      0  Readme.md\n    1   33 %      1      0  notes.md",
		"stats":           "1   33 %      1      0  agent:b1",
		"unreviewed":      "Readme.md:1: agent:a1",
	} {
		if o := executeAs(t, home, dir, "", strings.Fields(args)...); !strings.Contains(o.stdout, want) || strings.Contains(o.stdout, "README") {
			t.Errorf("%s: want %q in %+v", args, want, o)
		}
	}
	if o := executeAs(t, home, dir, "", "check", "."); o.code != 0 || strings.Contains(o.stdout, "TP5004") {
		t.Errorf("check: %+v", o)
	}
	// Once the folder has both, they are two files.
	write(t, dir, map[string]string{"README.md": "one line of the file\n"})
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 6 {
		t.Skip("this system takes names that differ in case for one: ", filepath.Base(dir), err)
	}
	if o := executeAs(t, home, dir, "", "blame", "Readme.md"); strings.Contains(o.stdout, "a1") {
		t.Errorf("with both: %+v", o)
	}
}
