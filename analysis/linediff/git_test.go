package linediff

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// couple is an old and a new text.
type couple struct{ old, new []byte }

// git runs git in dir, untouched by the configuration of the machine. git diff
// --no-index exits with 1 when there is a difference.
func git(t testing.TB, dir string, args ...string) []byte {
	t.Helper()
	path, err := exec.LookPath("git")
	if err != nil {
		const missing = "git is missing; install it with: apt-get install git"
		if os.Getenv("TOOLPATH_TEST_REQUIRE") == "1" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CEILING_DIRECTORIES=" + dir,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_AUTHOR_DATE=1700000000 +0000",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org", "GIT_COMMITTER_DATE=1700000000 +0000",
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1 && stderr.Len() == 0) {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return out
}

// writeCouples puts the old texts into dir/old and the new ones into dir/new,
// each in a file named after its number.
func writeCouples(t testing.TB, dir string, couples []couple) {
	t.Helper()
	for _, side := range []string{"old", "new"} {
		if err := os.MkdirAll(filepath.Join(dir, side), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for i, c := range couples {
		name := strconv.Itoa(i)
		if err := os.WriteFile(filepath.Join(dir, "old", name), c.old, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "new", name), c.new, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// gitHunks compares all couples in dir with one call of git.
func gitHunks(t testing.TB, dir string, couples int, options ...string) [][]Hunk {
	t.Helper()
	args := append([]string{"diff", "--no-index", "--no-ext-diff", "--no-textconv", "--no-renames",
		"--no-color", "--text", "--diff-algorithm=myers"}, options...)
	hunks, err := readHunks(git(t, dir, append(args, "old", "new")...), couples)
	if err != nil {
		t.Fatal(err)
	}
	return hunks
}

// readHunks reads the changed regions from the output of git diff, whatever its
// number of context lines.
func readHunks(diff []byte, couples int) ([][]Hunk, error) {
	result := make([][]Hunk, couples)
	r := bufio.NewReaderSize(bytes.NewReader(diff), 1<<16)
	file := -1
	for {
		line, err := r.ReadString('\n')
		if err == io.EOF && line == "" {
			return result, nil
		}
		switch {
		case strings.HasPrefix(line, "diff --git "):
			name := strings.TrimSpace(line[strings.LastIndexByte(line, '/')+1:])
			if file, err = strconv.Atoi(name); err != nil {
				return nil, fmt.Errorf("unexpected file name in %q", line)
			}
		case strings.HasPrefix(line, "@@ "):
			hunks, err := readHunk(r, line)
			if err != nil {
				return nil, err
			}
			result[file] = append(result[file], hunks...)
		}
	}
}

// readHunk reads the body that follows a hunk header.
func readHunk(r *bufio.Reader, header string) ([]Hunk, error) {
	fields := strings.Fields(header)
	o, oldLeft, err := readRange(fields[1])
	if err != nil {
		return nil, err
	}
	n, newLeft, err := readRange(fields[2])
	if err != nil {
		return nil, err
	}
	var hunks []Hunk
	current := Hunk{o, o, n, n}
	flush := func() {
		if current.OldStart < current.OldEnd || current.NewStart < current.NewEnd {
			hunks = append(hunks, current)
		}
	}
	oldEnd, newEnd := o+oldLeft, n+newLeft
	for current.OldEnd < oldEnd || current.NewEnd < newEnd {
		line, err := r.ReadString('\n')
		if err != nil {
			return nil, fmt.Errorf("hunk %s ends early: %v", header, err)
		}
		switch line[0] {
		case '-':
			current.OldEnd++
		case '+':
			current.NewEnd++
		case ' ':
			flush()
			current = Hunk{current.OldEnd + 1, current.OldEnd + 1, current.NewEnd + 1, current.NewEnd + 1}
		case '\\':
		default:
			return nil, fmt.Errorf("unexpected line %q in hunk %s", line, header)
		}
	}
	flush()
	return hunks, nil
}

// readRange reads "-12,3" as the first line, counted from 0, and the number of
// lines. An empty range names the line before it.
func readRange(field string) (start, count int, err error) {
	first, rest, counted := strings.Cut(field[1:], ",")
	if start, err = strconv.Atoi(first); err != nil {
		return 0, 0, err
	}
	count = 1
	if counted {
		if count, err = strconv.Atoi(rest); err != nil {
			return 0, 0, err
		}
	}
	if count > 0 {
		start--
	}
	return start, count, nil
}
