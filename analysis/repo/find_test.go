package repo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// plant writes empty files below a new folder and returns it.
func plant(t *testing.T, paths ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, p := range paths {
		write(t, filepath.Join(root, filepath.FromSlash(p)), "")
	}
	return root
}

// found returns what was found, relative to root and with slashes.
func found(t *testing.T, root string, o WalkOptions) ([]string, Found) {
	t.Helper()
	f, err := FindDocuments(t.Context(), root, o)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, p := range f.Paths {
		rel, err := filepath.Rel(root, p)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, filepath.ToSlash(rel))
	}
	return paths, f
}

func TestFindDocuments(t *testing.T) {
	root := plant(t,
		"b.path.json", "a.path.jsonl", "A.PATH.JSON", ".path.json", "sub/deep/c.path.json", ".toolpath/hidden.path.json",
		"folder.path.json/inner.path.json", "name with space/ü\xff.path.json", "build/x.path.json",
		"path.json", "a.json", "a.path.json.bak", "xpath.json", "a.path.yaml",
		".git/x.path.json", "sub/.git/x.path.json", "node_modules/m/x.path.json", "sub/vendor/x.path.json", ".venv/x.path.json",
		"target/debug/x.path.json", "untagged/x.path.json", "untagged/CACHEDIR.TAG",
	)
	write(t, filepath.Join(root, "target/CACHEDIR.TAG"), cacheSignature+"\n# by a build tool\n")
	want := []string{
		".path.json", ".toolpath/hidden.path.json", "A.PATH.JSON", "a.path.jsonl", "b.path.json", "build/x.path.json",
		"folder.path.json/inner.path.json", "name with space/ü\xff.path.json", "sub/deep/c.path.json", "untagged/x.path.json",
	}
	got, f := found(t, root, WalkOptions{})
	if !slices.Equal(got, want) || f.Bounds != 0 || f.Unreadable != nil {
		t.Errorf("found %q, bounds %q, unreadable %q; want %q", got, f.Bounds, f.Unreadable, want)
	}
	// What is skipped below a root may be a root, as when a user opens it.
	if got, _ := found(t, filepath.Join(root, "node_modules"), WalkOptions{}); !slices.Equal(got, []string{"m/x.path.json"}) {
		t.Errorf("in node_modules: %q", got)
	}
	if got, _ := found(t, filepath.Join(root, "target"), WalkOptions{}); !slices.Equal(got, []string{"debug/x.path.json"}) {
		t.Errorf("in a tagged folder: %q", got)
	}
}

func TestFindDocumentsFollowsLinksToFilesOnly(t *testing.T) {
	root := plant(t, "real.path.json", "dir/in.path.json")
	for link, target := range map[string]string{
		"linked.path.json": "real.path.json", "dangling.path.json": "absent", "loop.path.json": "loop.path.json",
		"dir/up": "..", "again": "dir", "todir.path.json": "dir",
	} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	got, _ := found(t, root, WalkOptions{})
	if want := []string{"dir/in.path.json", "linked.path.json", "real.path.json"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	_, all := found(t, root, WalkOptions{})
	var links []string
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all.Links {
		from, _ := filepath.Rel(root, l.Path)
		to, _ := filepath.Rel(real, l.To)
		links = append(links, filepath.ToSlash(from)+" to "+filepath.ToSlash(to))
	}
	if want := []string{"again to dir", "todir.path.json to dir", "dir/up to ."}; !slices.Equal(links, want) {
		t.Errorf("links: %q, want %q", links, want)
	}
	if _, some := found(t, root, WalkOptions{Links: 2}); len(some.Links) != 2 || some.Bounds != BoundLinks {
		t.Errorf("of two links at most: %+v", some)
	}
	link := filepath.Join(t.TempDir(), "root")
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	if got, _ := found(t, link, WalkOptions{}); len(got) != 3 {
		t.Errorf("through a linked root: %q", got)
	}
}

func TestFindDocumentsBounds(t *testing.T) {
	var paths []string
	for i := range 10 {
		paths = append(paths, fmt.Sprintf("%d.path.json", i))
	}
	root := plant(t, append(paths, "a/x.path.json", "a/b/x.path.json", "a/b/c/x.path.json")...)
	for _, c := range []struct {
		o     WalkOptions
		found int
		want  Bounds
		says  string
	}{
		{WalkOptions{}, 13, 0, ""},
		{WalkOptions{Entries: 16, Depth: 3, Documents: 13}, 13, 0, ""}, // exactly what is there
		{WalkOptions{Depth: 2}, 12, BoundDepth, "depth of folders"},
		{WalkOptions{Depth: 1}, 11, BoundDepth, "depth of folders"},
		{WalkOptions{Documents: 12}, 12, BoundDocuments, "number of documents"},
		{WalkOptions{Documents: 4}, 4, BoundDocuments, "number of documents"},
		{WalkOptions{Entries: 11}, 10, BoundEntries, "number of entries"}, // all of the root, nothing below
		{WalkOptions{Entries: 15}, 12, BoundEntries, "number of entries"},
		{WalkOptions{Documents: 10, Entries: 11}, 10, BoundEntries | BoundDocuments, "number of entries, number of documents"},
	} {
		got, f := found(t, root, c.o)
		if len(got) != c.found || f.Bounds != c.want || f.Bounds.String() != c.says {
			t.Errorf("%+v: %d found, bounds %q; want %d, %q", c.o, len(got), f.Bounds, c.found, c.want)
		}
	}
	if s := (BoundDepth | BoundEntries).String(); s != "number of entries, depth of folders" {
		t.Error(s)
	}
}

func TestFindDocumentsErrors(t *testing.T) {
	root := plant(t, "file", "a.path.json")
	if _, err := FindDocuments(t.Context(), filepath.Join(root, "absent"), WalkOptions{}); !errors.Is(err, ErrNotExist) {
		t.Error(err)
	}
	if _, err := FindDocuments(t.Context(), filepath.Join(root, "file"), WalkOptions{}); !errors.Is(err, ErrNotRegular) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := FindDocuments(ctx, root, WalkOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestFindDocumentsNamesWhatItCannotList(t *testing.T) {
	root := plant(t, "a.path.json", "closed/b.path.json")
	closed := filepath.Join(root, "closed")
	if err := os.Chmod(closed, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(closed, 0o777) })
	if _, err := os.ReadDir(closed); err == nil {
		t.Skip("permissions do not bind this user")
	}
	got, f := found(t, root, WalkOptions{})
	if !slices.Equal(got, []string{"a.path.json"}) || !slices.Equal(f.Unreadable, []string{closed}) {
		t.Errorf("%q, unreadable %q", got, f.Unreadable)
	}
}
