package repo

import (
	"bytes"
	"errors"
	"testing"
)

// Whatever is asked for, an answer is the one that git itself gives, and the
// next question gets its own.
func FuzzBlob(f *testing.F) {
	r := initRepository(f, "r")
	id := r.commit(f,
		file{"100644", "f", "content\n"}, file{"100644", "d/e/f", "deep"}, file{"100644", "d/nl\n", "newline"},
		file{"100644", "missing", "m"}, file{"120000", "link", "f"}, file{"100644", "\xff", "bytes"},
	)
	r.git(f, "branch", "topic/a")
	r.git(f, "tag", "-m", "t", "v1")
	for _, rev := range append(unsafeRevisions, id, id[:5], "main", "topic/a", "v1", "HEAD", "blob", "config", "refs") {
		for _, path := range []string{"f", "d/e/f", "d", "link", "d/nl\n", "f\n" + id, "../f", "./f", "", "\xff", "F"} {
			f.Add(rev, path)
		}
	}
	g := newGit(f, GitOptions{})
	f.Fuzz(func(t *testing.T, rev, path string) {
		got, err := g.Blob(t.Context(), r.root, rev, path, 100)
		if err == nil {
			want := runGit(t, "", "-C", r.root, "cat-file", "blob", "--end-of-options", rev+":"+path)
			if !bytes.Equal(got, want) {
				t.Fatalf("%q, git has %q", got, want)
			}
		} else if !errors.Is(err, ErrNoPath) && !errors.Is(err, ErrNoRevision) && !errors.Is(err, ErrNotRegular) {
			t.Fatal(err)
		}
		if got, err := g.Blob(t.Context(), r.root, id, "f", 100); string(got) != "content\n" {
			t.Fatalf("afterwards: %q, %v", got, err)
		}
	})
}

// A revision that is accepted is one that git takes for a refname.
func FuzzRevision(f *testing.F) {
	for _, rev := range append(unsafeRevisions, "main", "a/b", "ünïcode", zeros, "v1.0-3-gabc", "a.lockb", "a@b") {
		f.Add(rev)
	}
	f.Fuzz(func(t *testing.T, rev string) {
		accepted := checkRevision(rev) == nil
		if len(rev) > maxRevision || bytes.IndexByte([]byte(rev), 0) >= 0 {
			if accepted {
				t.Fatal("accepted")
			}
			return
		}
		// git takes an argument with - for an option, so that rule is ours alone.
		wellFormed := rev != "" && rev[0] != '-' &&
			gitCommand("check-ref-format", "--allow-onelevel", rev).Run() == nil
		if accepted != wellFormed {
			t.Fatalf("accepted %v, git: %v", accepted, wellFormed)
		}
	})
}

// Trees that are no trees: lookup ends, and finds nothing that is not there.
func FuzzLookup(f *testing.F) {
	id := bytes.Repeat([]byte{7}, 20)
	good := append([]byte("100644 a\x00"), id...)
	f.Add(good, "a")
	f.Add(append(good, "40000 B\x00short"...), "B")
	f.Add([]byte("100644 a"), "a")
	f.Add([]byte(" \x00"), "")
	f.Fuzz(func(t *testing.T, tree []byte, name string) {
		for _, idBytes := range []int{20, 32} {
			m, ok := lookup(tree, name, idBytes)
			if ok && (!m.variant && m.name != name || !bytes.Contains(tree, []byte(m.mode+" "+m.name+"\x00"))) {
				t.Fatalf("%+v", m)
			}
		}
	})
}
