package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
	"github.com/toolpath-ls/toolpath-ls/lsp"
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

// linked is a document with one step per pair of a key and a diff or content: the first one
// makes the file.
func linked(id, at string, changes ...string) string {
	var steps []string
	for i := 0; i < len(changes); i += 2 {
		name, parents := fmt.Sprint(id, i/2+1), ""
		if i > 0 {
			parents = `,"parents":["` + fmt.Sprint(id, i/2) + `"]`
		}
		steps = append(steps, `{"step":{"id":"`+name+`","actor":"agent:`+name+`","timestamp":"2026-01-29T`+at+`:0`+fmt.Sprint(i/2)+`:00Z"`+parents+`},
"change":{`+quoted(changes[i])+`:{"raw":`+quoted(changes[i+1])+`}}}`)
	}
	return `{"graph":{"id":"g` + id + `"},"paths":[{"path":{"id":"` + id + `","head":"` + fmt.Sprint(id, len(steps)) + `"},"steps":[` + strings.Join(steps, ",\n") + `]}]}`
}

const (
	makesOne = "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+one line of the file\n"
	addsTwo  = "@@ -1 +1,2 @@\n one line of the file\n+two lines of the file\n"
)

// A key that leads through a link to a folder names the file that is there, whatever the
// spelling; what one path or several say of the file by several names is one history.
func TestKeysThroughLinkedFolders(t *testing.T) {
	const content = "one line of the file\ntwo lines of the file\n"
	for _, c := range []struct {
		name  string
		links map[string]string // in the workspace
		docs  []string
		want  string
	}{
		{"relative", map[string]string{"link": "src"}, []string{linked("a", "10", "link/f.txt", makesOne, "link/f.txt", addsTwo)}, "a1 a2"},
		{"absolute", map[string]string{"link": "src"}, []string{linked("a", "10", "$WORK/link/f.txt", makesOne, "$WORK/link/f.txt", addsTwo)}, "a1 a2"},
		{"as URIs", map[string]string{"link": "src"}, []string{linked("a", "10", "file://$WORK/link/f.txt", makesOne, "file://$WORK/link/f.txt", addsTwo)}, "a1 a2"},
		{"of the physical workspace", nil, []string{linked("a", "10", "$PHYSICAL/src/f.txt", makesOne, "src/f.txt", addsTwo)}, "a1 a2"},
		{"several in one path", map[string]string{"link": "src"}, []string{linked("a", "10", "link/f.txt", makesOne, "src/f.txt", addsTwo)}, "a1 a2"},
		{"several in one path, the link last", map[string]string{"link": "src"}, []string{linked("a", "10", "src/f.txt", makesOne, "./link/f.txt", addsTwo)}, "a1 a2"},
		{"in two documents", map[string]string{"link": "src"}, []string{
			linked("a", "10", "link/f.txt", makesOne),
			linked("b", "11", "src/f.txt", makesOne, "src/f.txt", addsTwo)}, "b1 b2"},
		{"a link to a link", map[string]string{"link": "middle", "middle": "src"}, []string{linked("a", "10", "link/f.txt", makesOne, "middle/f.txt", addsTwo)}, "a1 a2"},
		{"a link in a linked folder", map[string]string{"link": "src", "src/deep": "../other", "other/back": "../src"}, []string{linked("a", "10", "link/deep/back/f.txt", makesOne, "other/back/f.txt", addsTwo)}, "a1 a2"},
		{"a link to the folder that holds it", map[string]string{"src/self": "."}, []string{linked("a", "10", "src/self/f.txt", makesOne, "src/f.txt", addsTwo)}, "a1 a2"},
		{"a link to the workspace", map[string]string{"src/up": ".."}, []string{linked("a", "10", "src/up/src/f.txt", makesOne, "src/f.txt", addsTwo)}, "a1 a2"},
		{"links in a circle", map[string]string{"link": "ring", "ring": "link"}, []string{linked("a", "10", "link/f.txt", makesOne, "src/f.txt", addsTwo)}, "a2"},
		{"a link that leads out", map[string]string{"link": "../elsewhere"}, []string{linked("a", "10", "link/f.txt", makesOne, "link/f.txt", addsTwo)}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			work := filepath.Join(dir, "work")
			for _, folder := range []string{"physical/src", "physical/other", "elsewhere"} {
				if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink("physical", work); err != nil {
				t.Skip("symbolic links cannot be made here: ", err)
			}
			write(t, dir, map[string]string{"physical/src/f.txt": content, "elsewhere/f.txt": content})
			names := []string{"src/f.txt"}
			for link, to := range c.links {
				if err := os.Symlink(to, filepath.Join(work, link)); err != nil {
					t.Fatal(err)
				}
				if to == "src" {
					names = append(names, link+"/f.txt")
				}
			}
			for i, doc := range c.docs {
				doc = strings.NewReplacer("$WORK", filepath.ToSlash(work), "$PHYSICAL", filepath.ToSlash(dir)+"/physical").Replace(doc)
				write(t, work, map[string]string{fmt.Sprintf("%d.path.json", i): doc})
			}
			f := newFiles(0)
			t.Cleanup(f.close)
			w := newWorkspace(f, filepath.ToSlash(work), 0)
			_ = f.Load(t.Context(), w, lsp.Sources{Folders: []string{work}}, nil)
			for _, name := range names {
				_, p, err := w.ProvenanceOf(t.Context(), f, analysis.FileURI(filepath.ToSlash(filepath.Join(work, name))), text.New([]byte(content)))
				if err != nil {
					t.Fatal(err)
				}
				if got := writers(p); got != c.want {
					t.Errorf("%s was written by %q, not by %q", name, got, c.want)
				}
			}
		})
	}
}

// writers are the steps that wrote the lines of a file, as far as they are on record.
func writers(p *analysis.Provenance) string {
	var steps []string
	for i := range p.Len() {
		if l := p.Line(i); l.State == provenance.StateRecorded {
			steps = append(steps, l.Step.At().ID)
		}
	}
	return strings.Join(steps, " ")
}

// Links come and go while a server runs: they are looked at again when a document has changed.
func TestLinksAreLookedAtAgain(t *testing.T) {
	p := newPlaces(t, map[string]string{
		"work/src/f.txt":   "one line of the file\n",
		"work/a.path.json": linked("a", "10", "link/f.txt", makesOne),
	})
	writers := func() string {
		t.Helper()
		_, prov, err := p.w.ProvenanceOf(t.Context(), p.f, analysis.FileURI(filepath.ToSlash(p.root)+"/work/src/f.txt"), text.New([]byte("one line of the file\n")))
		if err != nil {
			t.Fatal(err)
		}
		return writers(prov)
	}
	reload := func() {
		t.Helper()
		if err := p.f.Reload(t.Context(), p.w, p.from, []string{filepath.Join(p.root, "work/a.path.json")}); err != nil {
			t.Fatal(err)
		}
	}
	p.load(t)
	if got := writers(); got != "" {
		t.Errorf("before there is a link: %q", got)
	}
	link := filepath.Join(p.root, "work/link")
	if err := os.Symlink("src", link); err != nil {
		t.Skip("symbolic links cannot be made here: ", err)
	}
	before := p.w.Snapshot()
	if reload(); writers() != "a1" || p.w.Snapshot().SameDisk(before) {
		t.Errorf("with the link: %q", writers())
	}
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if reload(); writers() != "" {
		t.Errorf("without the link: %q", writers())
	}
}

// Commands tell of the file once, by the name where it is.
func TestCommandsTakeLinkedFoldersForOne(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "src"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("src", filepath.Join(dir, "link")); err != nil {
		t.Skip("symbolic links cannot be made here: ", err)
	}
	write(t, dir, map[string]string{
		"src/f.txt":   "one line of the file\ntwo lines of the file\n",
		"a.path.json": linked("a", "10", "link/f.txt", makesOne, "src/f.txt", addsTwo),
	})
	git(t, dir, "", "init", "-q")
	for _, c := range []struct{ args, want string }{
		{"blame src/f.txt", "a2"},
		{"blame link/f.txt", "a1"},
		{"stats --by file", "src/f.txt"},
		{"stats --by actor link", "agent:a2"},
		{"unreviewed", "src/f.txt:1"},
		{"unreviewed link", "src/f.txt:2"},
	} {
		o := executeAs(t, t.TempDir(), dir, "", strings.Fields(c.args)...)
		if !strings.Contains(o.stdout, c.want) || !strings.HasPrefix(c.args, "blame") && strings.Contains(o.stdout, "link/") {
			t.Errorf("%s: want %s in %+v", c.args, c.want, o)
		}
	}
	if o := executeAs(t, t.TempDir(), dir, "", "check", "."); o.code != 0 {
		t.Errorf("check: %+v", o)
	}
}

// What is a link now may have been a folder in the commit from which a path starts: its file is
// the one that was moved. Where the commit has both, they were two files.
func TestFoldersThatWereMovedAndLinked(t *testing.T) {
	for _, c := range []struct {
		name   string
		commit map[string]string
		want   string
	}{
		{"moved", map[string]string{"old/f.txt": "one line of the file\n"}, "a1"},
		{"a link then too", map[string]string{"src/f.txt": "one line of the file\n"}, "a1"},
		{"two files", map[string]string{"old/f.txt": "one line of the file\n", "src/f.txt": "one line of the file\n"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlaces(t, map[string]string{})
			work := filepath.Join(p.root, "work")
			write(t, work, c.commit)
			git(t, work, "", "init", "-q")
			git(t, work, "", "add", ".")
			git(t, work, "", "commit", "-q", "-m", "m")
			rev := strings.TrimSpace(git(t, work, "", "rev-parse", "HEAD"))
			if err := os.RemoveAll(filepath.Join(work, "old")); err != nil {
				t.Fatal(err)
			}
			const content = "one line of the file\ntwo lines of the file\n"
			write(t, work, map[string]string{"src/f.txt": content, "a.path.json": strings.Replace(linked("a", "10", "old/f.txt", addsTwo),
				`"id":"a","head"`, `"id":"a","base":{"uri":"github:o/r","ref":"`+rev+`"},"head"`, 1)})
			if err := os.Symlink("src", filepath.Join(work, "old")); err != nil {
				t.Skip("symbolic links cannot be made here: ", err)
			}
			p.load(t)
			_, prov, err := p.w.ProvenanceOf(t.Context(), p.f, analysis.FileURI(filepath.ToSlash(work)+"/src/f.txt"), text.New([]byte(content)))
			if err != nil {
				t.Fatal(err)
			}
			if got := writers(prov); got != c.want {
				t.Errorf("written by %q, not by %q", got, c.want)
			}
			if first := prov.Line(0).State; c.want != "" && first != provenance.StateBase {
				t.Errorf("the first line is %v, not of the base", first)
			}
		})
	}
}

// What links lead to outside of the workspace is not read because a document names it, be it a
// folder or a file that is the link; only who names it himself is told of it.
func TestNothingOutsideIsRead(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"elsewhere/f.txt":  "one line of the file\nand a secret\n",
		"work/src/own.txt": "one line of the file\n",
		"work/a.path.json": linked("a", "10", "link/f.txt", makesOne),
		"work/b.path.json": linked("b", "10", "src/g.txt", makesOne),
		"work/c.path.json": linked("c", "10", "src/own.txt", makesOne),
	})
	work := filepath.Join(dir, "work")
	git(t, work, "", "init", "-q")
	for link, to := range map[string]string{"link": "../elsewhere", "src/g.txt": "../../elsewhere/f.txt"} {
		if err := os.Symlink(to, filepath.Join(work, link)); err != nil {
			t.Skip("symbolic links cannot be made here: ", err)
		}
	}
	for args, want := range map[string]string{
		"stats --by file": "1  100 %      1      0  src/own.txt\n",
		"unreviewed":      "src/own.txt:1: agent:c1 in c1\n",
	} {
		if o := executeAs(t, t.TempDir(), work, "", strings.Fields(args)...); !strings.HasSuffix(o.stdout, want) || strings.Contains(o.stdout, "f.txt") || strings.Contains(o.stdout, "g.txt") {
			t.Errorf("%s: want %q in %+v", args, want, o)
		}
	}
	if o := executeAs(t, t.TempDir(), work, "", "check", "."); strings.Contains(o.stdout, "TP5004") {
		t.Errorf("check: %+v", o)
	}
	if o := executeAs(t, t.TempDir(), work, "", "blame", "--workspace", ".", "link/f.txt"); !strings.Contains(o.stdout, "a1") {
		t.Errorf("named by the user: %+v", o)
	}
}
