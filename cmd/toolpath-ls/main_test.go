package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/internal/race"
)

// TestMain removes the binaries that the tests share.
func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	for _, b := range []*sharedBinary{&plain, &raced} {
		_ = os.RemoveAll(b.dir())
	}
	os.Exit(code)
}

// sharedBinary is built once, for the first test that wants it.
type sharedBinary struct {
	flags []string
	mu    sync.Mutex
	made  bool
	in    string // folder
	err   error
}

// Under the race detector a process takes ten times as long to start, which commands that do
// one thing after the other have nothing from.
var (
	plain = sharedBinary{}
	raced = sharedBinary{flags: []string{"-race"}}
)

func (b *sharedBinary) dir() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.in
}

func (b *sharedBinary) path(t testing.TB) string {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.made {
		b.made = true
		b.in, b.err = buildIn(b.flags...)
	}
	if b.err != nil {
		t.Fatal(b.err)
	}
	return executable(b.in)
}

// build returns the binary under test: that of TOOLPATH_LS, or one built once, with the
// race detector if the test has it.
func build(t testing.TB) string {
	t.Helper()
	if race.Enabled {
		return buildFor(t, &raced)
	}
	return buildFor(t, &plain)
}

func buildFor(t testing.TB, b *sharedBinary) string {
	t.Helper()
	if name := os.Getenv("TOOLPATH_LS"); name != "" {
		return name
	}
	return b.path(t)
}

func buildIn(flags ...string) (dir string, err error) {
	dir, err = os.MkdirTemp("", "toolpath-ls-test")
	if err != nil {
		return "", err
	}
	// Others may run it: a test does so as a user who may read less.
	if err := os.Chmod(dir, 0o755); err != nil {
		return dir, err
	}
	args := slices.Concat([]string{"build", "-o", executable(dir)}, flags, []string{"."})
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		return dir, fmt.Errorf("go build: %w\n%s", err, out)
	}
	return dir, nil
}

func executable(dir string) string {
	name := filepath.Join(dir, "toolpath-ls")
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return name
}

// outcome is what a finished process has said.
type outcome struct {
	stdout, stderr string
	code           int // exit code, -1 after a signal
}

// execute runs the binary in a folder with an input.
func execute(t testing.TB, dir, input string, args ...string) outcome {
	t.Helper()
	return finish(t, command(t, dir, args...), input)
}

// command is the binary with arguments, to be run in a folder. What the machine's user
// has configured for git does not count.
func command(t testing.TB, dir string, args ...string) *exec.Cmd {
	t.Helper()
	binary := buildFor(t, &plain)
	if len(args) > 0 && args[0] == "check" { // works on documents side by side
		binary = build(t)
	}
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	return cmd
}

func finish(t testing.TB, cmd *exec.Cmd, input string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &stdout, &stderr
	err := cmd.Run()
	if failed := new(exec.ExitError); err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	o := outcome{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
	for _, trace := range []string{"panic:", "fatal error:", "goroutine 1", "DATA RACE"} {
		if strings.Contains(o.stderr, trace) {
			t.Errorf("%v: %s", cmd.Args, o.stderr)
		}
	}
	return o
}

// write makes files below a folder.
func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// git runs git in a folder, the same on every machine.
func git(t testing.TB, dir, input string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(input)
	cmd.Env = append(os.Environ(),
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
		"GIT_AUTHOR_NAME=Mira", "GIT_AUTHOR_EMAIL=mira@example.com", "GIT_AUTHOR_DATE=2026-01-02T03:04:05Z",
		"GIT_COMMITTER_NAME=Mira", "GIT_COMMITTER_EMAIL=mira@example.com", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// A command line that cannot be followed is refused with the exit code 2 and a sentence
// on stderr, and writes nothing to stdout.
func TestRefusedCommandLines(t *testing.T) {
	for _, c := range []struct {
		args string
		want string // part of stderr
	}{
		{"frobnicate", `unknown command "frobnicate"`},
		{"chek a.path.json", `unknown command "chek"`},
		{"--frobnicate", "unknown flag: --frobnicate"},
		{"serve --frobnicate", "unknown flag: --frobnicate"},
		{"serve a.path.json", "a.path.json"},
		{"serve --log /", "/"},
		{"serve --trace no/such/folder/trace", "no/such/folder/trace"},
		{"check", "PATH"},
		{"check --frobnicate .", "unknown flag: --frobnicate"},
		{"check --format", "--format"},
		{"check --format xml .", `--format is text, json, sarif, github or junit, not "xml"`},
		{"check --format JSON .", `--format is text, json, sarif, github or junit, not "JSON"`},
		{"check --max-size 0 .", "--max-size"},
		{"check --max-size -1 .", "--max-size"},
		{"check --max-size many .", "--max-size"},
		{"blame", "FILE"},
		{"blame a b", "FILE"},
		{"blame --format xml a", `--format is text or json, not "xml"`},
		{"blame no-such-file", "no-such-file: no such file"},
		{"blame .", ".: not a regular file: a folder"},
		{"blame --contents no-such-file main.go", "no-such-file: no such file"},
		{"blame --workspace no-such-folder main.go", "no-such-folder"},
		{"blame --workspace main.go main.go", "main.go is no folder"},
		{"version 2", `"2"`},
	} {
		t.Run(c.args, func(t *testing.T) {
			o := execute(t, ".", "", strings.Fields(c.args)...)
			if o.code != exitFailure || o.stdout != "" || !strings.Contains(o.stderr, c.want) {
				t.Errorf("exit code %d, stdout %q, stderr %q; want 2, nothing, %q", o.code, o.stdout, o.stderr, c.want)
			}
			if !strings.HasPrefix(o.stderr, "toolpath-ls: ") || strings.Count(o.stderr, "\n") != 1 {
				t.Errorf("stderr is no sentence of the program: %q", o.stderr)
			}
		})
	}
}

func TestVersion(t *testing.T) {
	o := execute(t, ".", "", "version")
	if o.code != 0 || o.stderr != "" || !strings.HasPrefix(o.stdout, "toolpath-ls ") || strings.Count(o.stdout, "\n") != 1 {
		t.Errorf("%+v", o)
	}
	if !strings.Contains(o.stdout, runtime.Version()) || !strings.Contains(o.stdout, runtime.GOOS+"/"+runtime.GOARCH) {
		t.Errorf("%q does not name the Go version and the system", o.stdout)
	}
	version := strings.Fields(o.stdout)[1]
	if flag := execute(t, ".", "", "--version"); flag.code != 0 || !strings.Contains(flag.stdout, version) {
		t.Errorf("--version: %+v", flag)
	}
}

// Help goes to stdout, names every command and flag of the README, and says how lines
// and columns count.
func TestHelp(t *testing.T) {
	for args, words := range map[string][]string{
		"--help":              {"serve", "check", "blame", "version", "completion", "--stdio", "--log", "--trace"},
		"help check":          {"--format", "sarif", "github", "junit", "--max-size", "UTF-16", "count from 1", "Exit code"},
		"blame --help":        {"--format", "--workspace", "--contents", "base", "changed", "unrecorded", "Exit code"},
		"fmt --help":          {"-w", "--check", "--follow-links", "100 characters", "Exit code"},
		"convert --help":      {"-o", "--strict", "--follow-links", "base.commit", "Exit code"},
		"query --help":        {"ancestors", "main-line", "branch", "dead-ends", "filter", "actor", "complete", "path.parent", "Exit code"},
		"query filter --help": {"--actor", "--artifact", "--since", "--until", "--intent", "--path", "--step", "--format"},
		"graph --help":        {"--path", "--html", "--svg", "--dot", "--diffs", "Exit code"},
		"serve --help":        {"--stdio", "--log", "--trace", "--verbose", "--no-git", "Exit code"},
	} {
		o := execute(t, ".", "", strings.Fields(args)...)
		if o.code != 0 || o.stderr != "" {
			t.Errorf("%s: exit code %d, stderr %q", args, o.code, o.stderr)
		}
		for _, word := range words {
			if !strings.Contains(o.stdout, word) {
				t.Errorf("%s does not speak of %q:\n%s", args, word, o.stdout)
			}
		}
	}
}

// The shells get a script, and the answers that the script asks for.
func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		o := execute(t, ".", "", "completion", shell)
		if o.code != 0 || o.stderr != "" || !strings.Contains(o.stdout, "__complete") {
			t.Errorf("%s: exit code %d, stderr %q, %d bytes", shell, o.code, o.stderr, len(o.stdout))
		}
	}
	for _, c := range []struct {
		typed string // the last word is being typed; "-" stands for an empty one
		want  []string
	}{
		{"che", []string{"check"}},
		{"check --fo", []string{"--format"}},
		{"check --format -", []string{"text", "json", "sarif", "github", "junit"}},
		{"blame --format j", []string{"text", "json"}}, // the shell picks,
	} {
		words := strings.Fields(c.typed)
		if last := len(words) - 1; words[last] == "-" {
			words[last] = ""
		}
		o := execute(t, ".", "", append([]string{"__complete"}, words...)...)
		var got []string
		for line := range strings.Lines(o.stdout) {
			if word, _, _ := strings.Cut(strings.TrimSpace(line), "\t"); word != "" && !strings.HasPrefix(word, ":") {
				got = append(got, word)
			}
		}
		if o.code != 0 || fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("completing %q: %q, want %q (%+v)", c.typed, got, c.want, o)
		}
	}
}

// In process, a command line answers as the binary does.
func TestRunInProcess(t *testing.T) {
	var stdout, stderr bytes.Buffer
	code := run(context.Background(), []string{"check", "no-such-file"}, strings.NewReader(""), &stdout, &stderr)
	o := execute(t, ".", "", "check", "no-such-file")
	if got := (outcome{stdout.String(), stderr.String(), code}); got != o {
		t.Errorf("in process %+v, as a process %+v", got, o)
	}
}

// An interrupted command says so; it does not pass for one that found nothing.
func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"a.path.json": graph(step), "a.txt": "a\n"})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, args := range [][]string{{"check", dir}, {"check", filepath.Join(dir, "a.path.json")}, {"blame", filepath.Join(dir, "a.txt")},
		{"fmt", dir}, {"fmt", "-w", filepath.Join(dir, "a.path.json")}, {"convert", filepath.Join(dir, "a.path.json")}, {"query", "ancestors", filepath.Join(dir, "a.path.json")},
		{"graph", filepath.Join(dir, "a.path.json")}} {
		var stdout, stderr bytes.Buffer
		code := run(ctx, args, strings.NewReader(""), &stdout, &stderr)
		if code != exitFailure || stdout.Len() > 0 || !strings.HasPrefix(stderr.String(), "toolpath-ls: ") || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q", args, code, stdout.String(), stderr.String())
		}
	}
}
