package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A screen is a terminal that a command runs in, of 10 lines of 80 columns.
type screen struct {
	t        *testing.T
	keyboard *os.File
	cmd      *exec.Cmd

	mu    sync.Mutex
	shown bytes.Buffer
	grew  chan struct{} // has something after more was shown
	ended chan struct{}
}

// inTerminal starts the binary in a terminal.
func inTerminal(t *testing.T, dir string, env []string, args ...string) *screen {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = master.Close() })
	fd := int(master.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 10, Col: 80})
	}
	if err != nil {
		t.Fatal(err)
	}
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	s := &screen{t: t, keyboard: master, cmd: command(t, dir, args...), grew: make(chan struct{}, 1), ended: make(chan struct{})}
	s.cmd.Env = slices.DeleteFunc(s.cmd.Environ(), func(inherited string) bool {
		name, _, _ := strings.Cut(inherited, "=")
		return slices.Contains([]string{"PAGER", "TOOLPATH_LS_PAGER", "LESS", "LV", "NO_COLOR"}, name)
	})
	s.cmd.Env = append(append(s.cmd.Env, "TERM=xterm"), env...)
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = terminal, terminal, terminal
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go s.watch()
	return s
}

// watch takes what is shown, until the last program has left the terminal.
func (s *screen) watch() {
	defer close(s.ended)
	part := make([]byte, 4096)
	for {
		n, err := s.keyboard.Read(part)
		s.mu.Lock()
		s.shown.Write(part[:n])
		s.mu.Unlock()
		select {
		case s.grew <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.ReplaceAll(s.shown.String(), "\r\n", "\n")
}

// wait waits until something is shown.
func (s *screen) wait(want string) {
	s.t.Helper()
	for !strings.Contains(s.text(), want) {
		select {
		case <-s.grew:
		case <-s.ended:
			if !strings.Contains(s.text(), want) {
				s.t.Fatalf("ended without showing %q:\n%s", want, s.text())
			}
		case <-time.After(time.Minute):
			s.t.Fatalf("does not show %q:\n%s", want, s.text())
		}
	}
}

func (s *screen) press(keys string) {
	s.t.Helper()
	if _, err := io.WriteString(s.keyboard, keys); err != nil {
		s.t.Fatal(err)
	}
}

// pressUntil presses keys until something is shown.
func (s *screen) pressUntil(keys, want string) {
	s.t.Helper()
	again := time.NewTicker(time.Second)
	defer again.Stop()
	s.press(keys)
	for late := time.After(time.Minute); !strings.Contains(s.text(), want); {
		select {
		case <-s.grew:
		case <-again.C:
			s.press(keys)
		case <-late:
			s.t.Fatalf("does not show %q:\n%s", want, s.text())
		}
	}
}

// end waits until the program has ended, and returns all that was shown and its exit code.
func (s *screen) end() (string, int) {
	s.t.Helper()
	hangs := time.AfterFunc(time.Minute, func() {
		s.t.Errorf("does not end:\n%s", s.text())
		_ = s.cmd.Process.Kill()
		_ = s.keyboard.Close()
	})
	defer hangs.Stop()
	err := s.cmd.Wait()
	if failed := new(exec.ExitError); err != nil && !errors.As(err, &failed) {
		s.t.Fatal(err)
	}
	<-s.ended
	return s.text(), s.cmd.ProcessState.ExitCode()
}

// pagedFiles are a file of many lines, which a step wrote, one of two, and a source.
func pagedFiles(t *testing.T) string {
	dir := t.TempDir()
	var long strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&long, "line %d\n", i+1)
	}
	raw := func(text string) string {
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		return fmt.Sprintf(`--- /dev/null\n+++ b/new\n@@ -0,0 +1,%d @@\n+%s`, len(lines), strings.Join(lines, `\n+`))
	}
	short, source := "one\ntwo\n", "package a\n\nfunc f() {}\n"
	write(t, dir, map[string]string{
		"long.txt": long.String(), "short.txt": short, "a.go": source,
		"a.path.json": fmt.Sprintf(`{"graph": {"id": "g"}, "paths": [{"path": {"id": "p", "head": "s"}, "steps": [{"step": {"id": "s", "actor": "agent:claude-code",`+
			` "timestamp": "2026-01-01T00:00:00Z"}, "change": {"long.txt": {"raw": "%s"}, "short.txt": {"raw": "%s"}, "a.go": {"raw": "%s"}}}]}]}`,
			raw(long.String()), raw(short), raw(source)),
	})
	return dir
}

const colouredAgent = "\x1b[36magent:claude-code\x1b[m"

func needLess(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("less"); err == nil {
		return
	}
	if os.Getenv("TOOLPATH_TEST_REQUIRE") == "1" {
		t.Fatal("no less; install it with: apt-get install less")
	}
	t.Skip("no less; install it with: apt-get install less")
}

// In a terminal, what does not fit on the screen is read in less, in colours, and the user
// may leave before its end.
func TestPagerLess(t *testing.T) {
	needLess(t)
	dir := pagedFiles(t)
	for _, c := range []struct{ name, keys, last string }{
		{"left at once", "q", "line 1"},
		{"read to the end", "Gq", "line 3000"},
		{"searched", "/line 2000$\nq", "line 2000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := inTerminal(t, dir, nil, "blame", "long.txt")
			s.wait(colouredAgent)
			s.wait(":") // less's prompt
			before, keys := c.keys[:len(c.keys)-1], c.keys[len(c.keys)-1:]
			if before != "" {
				s.press(before)
				s.wait(c.last)
			}
			s.press(keys)
			shown, code := s.end()
			if code != 0 || strings.Contains(shown, "toolpath-ls:") {
				t.Errorf("exit code %d, shown:\n%s", code, shown)
			}
			if strings.Contains(shown, "line 1500") {
				t.Error("the whole output went over the screen")
			}
		})
	}
}

// Ctrl-C while the user reads is less's affair, and the user reads on.
func TestPagerInterrupted(t *testing.T) {
	needLess(t)
	s := inTerminal(t, pagedFiles(t), nil, "blame", "long.txt")
	s.wait("line 9")
	s.wait(":")
	s.press("\x03")
	s.pressUntil("G", "line 3000") // less drops what is typed before it has settled again
	s.press("q")
	if shown, code := s.end(); code != 0 || strings.Contains(shown, "interrupted") {
		t.Errorf("exit code %d, shown:\n%s", code, shown)
	}
}

// What fits on the screen stays on it, and less asks for no key; nor does it where there is
// no output but an error.
func TestPagerShort(t *testing.T) {
	needLess(t)
	dir := pagedFiles(t)
	shown, code := inTerminal(t, dir, nil, "blame", "short.txt").end()
	if code != 0 || !strings.Contains(shown, colouredAgent) || !strings.Contains(shown, "2) two") || strings.Contains(shown, "\x1b[?1049h") {
		t.Errorf("exit code %d, shown:\n%q", code, shown)
	}
	shown, code = inTerminal(t, dir, nil, "blame", "none.txt").end()
	if code != exitFailure || shown != "toolpath-ls: none.txt: no such file: file does not exist\n" {
		t.Errorf("exit code %d, shown:\n%q", code, shown)
	}
}

// The commands that git's users expect to page do, and others do not.
func TestPagedCommands(t *testing.T) {
	dir := pagedFiles(t)
	for args, paged := range map[string]bool{
		"blame short.txt": true, "blame --format json short.txt": true, "stats": true, "unreviewed": true, "graph a.path.json": true,
		"query ancestors a.path.json": true, "structural a.go@s": true,
		"check a.path.json": false, "fmt a.path.json": false, "version": false, "blame --help": false, "graph --html OUT a.path.json": false,
		"blame --no-pager short.txt": false, "--no-pager blame short.txt": false, "--no-pager check a.path.json": false,
	} {
		shown, _ := inTerminal(t, dir, []string{"PAGER=sed s/^/paged:/"}, strings.Fields(args)...).end()
		if got := strings.HasPrefix(shown, "paged:"); got != paged {
			t.Errorf("%s: paged is %t, want %t:\n%s", args, got, paged, shown)
		}
	}
}

// Which program pages, by the environment.
func TestPagerChoice(t *testing.T) {
	dir := pagedFiles(t)
	tools := t.TempDir()
	write(t, tools, map[string]string{"less": "#!/bin/sh\necho \"LESS=$LESS LV=$LV\"; exec cat\n", "words": "#!/bin/sh\necho \"$#:$*\"; exec cat\n"})
	for _, name := range []string{"less", "words"} {
		if err := os.Chmod(filepath.Join(tools, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	path := "PATH=" + tools + ":" + os.Getenv("PATH")
	whole := `\S*s +\(\S*agent:claude-code\S* 2026-01-01 1\) one\n\S*s +\(\S*agent:claude-code\S* 2026-01-01 2\) two\n`
	for _, c := range []struct {
		name string
		env  []string
		want string
	}{
		{"less by default, told what git tells it", nil, `^LESS=FRX LV=-c\n` + whole + `$`},
		{"what the user tells less stays", []string{"LESS=S", "LV="}, `^LESS=S LV=\n` + whole + `$`},
		{"PAGER", []string{"PAGER=words"}, `^0:\n` + whole + `$`},
		{"with arguments", []string{"PAGER=words -a b"}, `^2:-a b\n` + whole + `$`},
		{"ours comes first", []string{"TOOLPATH_LS_PAGER=words ours", "PAGER=less"}, `^1:ours\n` + whole + `$`},
		{"the shell reads more than words", []string{`PAGER=words "a b" | tr a-z A-Z`}, `^1:A B\n(?i)` + whole + `$`},
		{"cat is none", []string{"PAGER=cat"}, `^` + whole + `$`},
		{"neither is nothing", []string{"PAGER="}, `^` + whole + `$`},
		{"ours is cat", []string{"TOOLPATH_LS_PAGER=cat", "PAGER=words"}, `^` + whole + `$`},
		{"a terminal that cannot", []string{"TERM=dumb"}, `^` + whole + `$`},
		{"one that is missing", []string{"PAGER=no-such-pager"}, `^toolpath-ls: the pager cannot be run: .*no-such-pager.*\n` + whole + `$`},
		{"one that the shell misses", []string{"PAGER=no-such-pager 'a b'"}, `^sh: .*no-such-pager.*\n` + whole + `$`},
		{"less is missing", []string{"PATH=" + gitAlone(t)}, `^` + whole + `$`},
	} {
		t.Run(c.name, func(t *testing.T) {
			shown, code := inTerminal(t, dir, append([]string{path}, c.env...), "blame", "short.txt").end()
			if code != 0 || !regexp.MustCompile(c.want).MatchString(shown) {
				t.Errorf("exit code %d, shown:\n%q\nwant %s", code, shown, c.want)
			}
		})
	}
}

// gitAlone is a folder with git, and no less.
func gitAlone(t *testing.T) string {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(git, filepath.Join(dir, "git")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A pager that takes part of the output only is no error, and one that fails does not change
// the exit code. What a command has found decides it as ever.
func TestPagerLeavesEarly(t *testing.T) {
	dir := pagedFiles(t)
	for _, c := range []struct {
		pager, args string
		code        int
	}{
		{"head -n 1", "blame long.txt", 0},
		{"true", "blame long.txt", 0},
		{"false", "blame short.txt", 0},
		{"sed -n 1p", "unreviewed long.txt", exitFindings},
		{"sed -n 1p", "query ancestors --step none a.path.json", exitNoMatch},
	} {
		shown, code := inTerminal(t, dir, []string{"PAGER=" + c.pager}, strings.Fields(c.args)...).end()
		if code != c.code || strings.Count(shown, "\n") > 1 {
			t.Errorf("%s in %s: exit code %d, shown:\n%.500s", c.args, c.pager, code, shown)
		}
	}
}

// What is told on stderr is read in the pager too, behind the output, if both are in the
// terminal.
func TestPagerTakesNotes(t *testing.T) {
	dir := pagedFiles(t)
	write(t, dir, map[string]string{"other.txt": "x\n"})
	shown, code := inTerminal(t, dir, []string{"PAGER=sed s/^/paged:/"}, "stats", "short.txt", "none.txt").end()
	if code != exitFailure || !strings.Contains(shown, "none.txt") {
		t.Errorf("exit code %d, shown:\n%s", code, shown)
	}
	shown, _ = inTerminal(t, dir, []string{"PAGER=sed s/^/paged:/"}, "blame", "other.txt").end()
	if strings.Count(shown, "\n") != strings.Count("\n"+shown, "\npaged:")+1 {
		t.Errorf("shown:\n%s", shown)
	}
}

// Where the output is no terminal there is no pager and no colour.
func TestNoPagerInPipes(t *testing.T) {
	dir := pagedFiles(t)
	cmd := command(t, dir, "blame", "short.txt")
	cmd.Env = append(cmd.Env, "PAGER=sed s/^/paged:/")
	if o := finish(t, cmd, ""); o.code != 0 || strings.Contains(o.stdout, "paged:") || strings.Contains(o.stdout, "\x1b") {
		t.Errorf("%+v", o)
	}
}
