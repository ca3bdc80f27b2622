package repo

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// What is told of each line is what git blame tells.
func TestBlameIsGitBlame(t *testing.T) {
	r := initRepository(t, "r")
	random := rand.New(rand.NewPCG(3, 1))
	lines := []string{"é in UTF-8\n"}
	for i := range 12 {
		at := random.IntN(len(lines) + 1)
		lines = append(lines[:at:at], append([]string{fmt.Sprintf("line of %d\r\n", i)}, lines[at:]...)...)
		name := "old name"
		if i > 5 {
			name = "a folder/-f [x]"
		}
		r.commit(t, file{"100644", name, strings.Join(lines, "") + "no line feed"})
	}
	const path = "a folder/-f [x]"
	got, err := newGit(t, GitOptions{}).Blame(t.Context(), r.root, "main", path, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for line := range strings.Lines(r.git(t, "--literal-pathspecs", "blame", "-l", "-s", "--root", "main", "--", path)) {
		want.WriteString(line[:40] + "\n")
	}
	var said strings.Builder
	for i := range strings.Count(string(got.Content), "\n") + 1 {
		c := got.All[got.Lines[i]]
		said.WriteString(c.ID + "\n")
		if c.Author != "A" || c.Summary != "m" || c.Time.Unix() != 1767225600 {
			t.Errorf("line %d: %+v", i, c)
		}
	}
	if said.String() != want.String() {
		t.Errorf("got\n%swant\n%s", said.String(), want.String())
	}
}

// A repository may name a file of commits to ignore that is not there, for which git itself
// gives up.
func TestBlameWithoutIgnoredRevisions(t *testing.T) {
	r := initRepository(t, "r")
	r.commit(t, file{"100644", "f", "x\n"})
	r.git(t, "config", "blame.ignoreRevsFile", "no-such-file")
	if _, err := newGit(t, GitOptions{}).Blame(t.Context(), r.root, "main", "f", 100); err != nil {
		t.Error(err)
	}
}

func TestBlameErrors(t *testing.T) {
	r := initRepository(t, "r")
	g := newGit(t, GitOptions{})
	s := Source{Git: g}
	if _, err := s.Head(t.Context(), r.root+"/f"); !errors.Is(err, ErrNoRevision) {
		t.Errorf("before the first commit: %v", err)
	}
	id := r.commit(t, file{"100644", "f", "x\n"})
	if head, err := s.Head(t.Context(), r.root+"/f"); head != id || err != nil {
		t.Errorf("%s, %v", head, err)
	}
	if _, err := s.Blame(t.Context(), r.root+"/g", id); !errors.Is(err, ErrNoPath) {
		t.Errorf("a file that was not committed: %v", err)
	}
	if _, err := s.Head(t.Context(), "/no/such/folder/f"); !errors.Is(err, ErrNoRepository) {
		t.Errorf("no repository: %v", err)
	}
	if _, err := (Source{}).Head(t.Context(), "/f"); !errors.Is(err, ErrNoGit) {
		t.Errorf("no git: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Blame(ctx, r.root+"/f", id); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Whatever git says: nothing panics, and what is not understood is an error.
func TestReadBlame(t *testing.T) {
	id := strings.Repeat("a", 40)
	for _, c := range []struct {
		name, said string
		ok         bool
	}{
		{"a run", id + " 1 1 2\nauthor X\nauthor-time 5\nsummary s\nfilename f\n", true},
		{"a commit again", id + " 1 1 1\nauthor X\nfilename f\n" + id + " 2 2 1\nfilename f\n", true},
		{"nothing", "", true},
		{"lines that the file does not have", id + " 1 3 9\nfilename f\n", false},
		{"a negative line", id + " 1 -3 1\nfilename f\n", false},
		{"no lines", id + " 1 1\nfilename f\n", false},
		{"no commit", "x 1 1 1\nfilename f\n", false},
		{"cut off", id + " 1 1 1\nauthor X\n", false},
		{"a line without end", strings.Repeat("x", blameLine+1), false},
	} {
		commits := analysis.Commits{Content: []byte("a\nb\n")}
		if err := readBlame(strings.NewReader(c.said), &commits); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
