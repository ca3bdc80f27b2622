package analysis

import (
	"strings"
	"testing"
)

// Each name of a file leads to the one under which it is known, and that to all of them.
func TestNamesOfFiles(t *testing.T) {
	for _, c := range []struct {
		links, file, real, others string
	}{
		{"", "/w/a", "/w/a", ""},
		{"/w/l=/w/d", "/w/l/a", "/w/d/a", "/w/l/a"},
		{"/w/l=/w/d", "/w/d/a", "/w/d/a", "/w/l/a"},
		{"/w/l=/w/d", "/w/l", "/w/l", ""}, // no file
		{"/w/l=/w/d", "/w/lo/a", "/w/lo/a", ""},
		{"/w/l=/w/d /w/m=/w/d", "/w/m/e/a", "/w/d/e/a", "/w/l/e/a /w/m/e/a"},
		{"/w/d/e=/w/f /w/l=/w/d", "/w/l/e/a", "/w/f/a", "/w/d/e/a /w/l/e/a"},
		{"/w/d/self=/w/d", "/w/d/self/self/a", "/w/d/a", "/w/d/self/a"},
		{"/w/l=/w/m /w/m=/w/l", "/w/l/a", "/w/m/a", "/w/l/a"}, // the second one leads back
		{"/w/l=/w/l/d", "/w/l/a", "/w/l/a", ""},
		{"/real=/w /w/l=/w/d", "/real/l/a", "/w/d/a", "/real/d/a /w/l/a /real/l/a"},
		{"/private/var/w/l=/var/w/d", "/private/var/w/l/a", "/var/w/d/a", "/var/w/l/a"},
	} {
		var links []FolderLink
		for link := range strings.FieldsSeq(c.links) {
			from, to, _ := strings.Cut(link, "=")
			links = append(links, FolderLink{from, to})
		}
		n := newOtherNames(links)
		if got := n.real(c.file); got != c.real {
			t.Errorf("%s: %s is %s, not %s", c.links, c.file, got, c.real)
		}
		all := n.all(c.file)
		if got := strings.Join(all, " "); got != strings.TrimSpace(c.real+" "+c.others) {
			t.Errorf("%s: %s is called %s, not %s %s", c.links, c.file, got, c.real, c.others)
		}
		for _, name := range all {
			if n.real(name) != c.real {
				t.Errorf("%s: %s is %s, not %s", c.links, name, n.real(name), c.real)
			}
		}
	}
}

// Who types asks every path of every document whether it speaks of the file.
func TestAskingForAFileTakesNoMemory(t *testing.T) {
	x := &touchIndex{paths: []pathNames{{base: "/elsewhere/r", names: map[string]struct{}{"b": {}}}, {names: map[string]struct{}{"b": {}}}}}
	at := site{root: "/w"}
	if n := testing.AllocsPerRun(100, func() { x.touches("/w/a", at) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// Links that multiply the names of a file cost no more than so many.
func TestNamesOfFilesAreBounded(t *testing.T) {
	var links []FolderLink
	for i := range 1000 {
		links = append(links, FolderLink{"/w/" + strings.Repeat("x", i+1), "/w/d"})
	}
	if n := len(newOtherNames(links).all("/w/d/a")); n != maxNamesOfFile {
		t.Errorf("%d names", n)
	}
}
