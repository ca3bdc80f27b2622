package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// make install brings the program, its manual and its completions, make uninstall takes all of
// it away, and both leave what others have installed.
func TestInstall(t *testing.T) {
	need(t, "make", "apt-get install make")
	declareInputs(t)
	dest, build := t.TempDir(), t.TempDir()
	theirs := filepath.Join(dest, "usr", "share", "man", "man1", "theirs.1")
	if err := os.MkdirAll(filepath.Dir(theirs), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(theirs, []byte(".TH THEIRS 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	variables := []string{"DESTDIR=" + dest, "PREFIX=/usr", "BIN=" + filepath.Join(build, "bin"), "DIST=" + filepath.Join(build, "dist")}
	run(t, repository(t), "make", append(variables, "install")...)

	share := filepath.Join(dest, "usr", "share")
	want := []string{
		"usr/bin/toolpath-ls",
		"usr/share/bash-completion/completions/toolpath-ls",
		"usr/share/fish/vendor_completions.d/toolpath-ls.fish",
		"usr/share/man/man1/theirs.1",
		"usr/share/zsh/site-functions/_toolpath-ls",
	}
	program := filepath.Join(dest, "usr", "bin", "toolpath-ls")
	for _, page := range pages(t, program) {
		want = append(want, "usr/share/man/man1/"+page+".1")
	}
	slices.Sort(want)
	if got := files(t, dest); !slices.Equal(got, want) {
		t.Errorf("installed are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}

	t.Run("manual", func(t *testing.T) {
		need(t, "mandoc", "apt-get install mandoc")
		pages, err := filepath.Glob(filepath.Join(share, "man", "man1", "toolpath-ls*.1"))
		if err != nil {
			t.Fatal(err)
		}
		run(t, ".", "mandoc", append([]string{"-T", "lint", "-W", "warning"}, pages...)...)
	})
	t.Run("man", func(t *testing.T) {
		need(t, "man", "apt-get install man-db")
		cmd := exec.CommandContext(t.Context(), "man", "-l", filepath.Join(share, "man", "man1", "toolpath-ls-blame.1"))
		cmd.Env = append(os.Environ(), "MANPAGER=cat", "MANWIDTH=100", "LC_ALL=C.UTF-8", "MAN_KEEP_FORMATTING=")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{
			"TOOLPATH-LS-BLAME(1)",
			"toolpath-ls-blame - Show who wrote each line of a file, by the recorded steps",
			"    step (actor date line) text\n",
			`A step with "~"`,
			"--contents string",
			"EXIT STATUS",
			"toolpath-ls(1)",
		} {
			if !strings.Contains(string(out), part) {
				t.Errorf("the page does not say %q:\n%s", part, out)
			}
		}
	})
	// The shells complete by what was installed.
	for _, c := range []struct{ shell, install, script, completions string }{
		{"bash", "apt-get install bash", `. /usr/share/bash-completion/bash_completion; . "$1"; COMP_WORDS=(toolpath-ls bla) COMP_CWORD=1 COMP_LINE="toolpath-ls bla" COMP_POINT=15
			__start_toolpath-ls; printf '%s\n' "${COMPREPLY[@]}"`, "bash-completion/completions/toolpath-ls"},
		{"fish", "apt-get install fish", `source $argv[1]; complete -C "toolpath-ls bla"`, "fish/vendor_completions.d/toolpath-ls.fish"},
		{"zsh", "apt-get install zsh", `fpath=(${1:h} $fpath); autoload -Uz compinit; compinit -u -D; [[ $_comps[toolpath-ls] == _toolpath-ls ]] || exit 1
			compadd() { print -r -- "$@" }; _describe() { print -rl -- "${(@P)${argv[-1]}}" "${completions[@]}" }
			words=(toolpath-ls bla) CURRENT=2; . "$1"; _toolpath-ls`, "zsh/site-functions/_toolpath-ls"},
	} {
		t.Run(c.shell, func(t *testing.T) {
			need(t, c.shell, c.install)
			if c.shell == "bash" {
				needFile(t, "/usr/share/bash-completion/bash_completion", "apt-get install bash-completion")
			}
			args := []string{"-c", c.script, c.shell, filepath.Join(share, c.completions)}
			if c.shell == "fish" {
				args = slices.Delete(args, 2, 3)
			}
			cmd := exec.CommandContext(t.Context(), c.shell, args...)
			cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"), "HOME="+t.TempDir())
			if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "blame") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}

	run(t, repository(t), "make", append(variables, "uninstall")...)
	if got := files(t, dest); !slices.Equal(got, []string{"usr/share/man/man1/theirs.1"}) {
		t.Errorf("left are %q", got)
	}
}

// pages are the names of the pages that a program should have: one for it, and one for each of
// its commands but help, as its help lists them.
func pages(t *testing.T, program string, words ...string) []string {
	t.Helper()
	list := []string{strings.Join(append([]string{"toolpath-ls"}, words...), "-")}
	help := run(t, ".", program, append(words, "--help")...)
	_, commands, ok := strings.Cut(help, "\nAvailable Commands:\n")
	if !ok {
		return list
	}
	for line := range strings.Lines(commands) {
		name, isCommand := strings.CutPrefix(line, "  ")
		if !isCommand {
			break
		}
		if name = strings.Fields(name)[0]; name != "help" {
			list = append(list, pages(t, program, append(slices.Clone(words), name)...)...)
		}
	}
	return list
}
