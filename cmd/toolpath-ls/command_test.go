package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestCommands runs the scripts of testdata. A script is a txtar archive whose sections
// are taken in order: a file is written; "$ git …" is run; "$ …" is run with the binary,
// and the section holds what it has to print. A line of stderr starts with "! ", the last
// line "exit N" is there if the exit code is not 0. Words may be "quoted"; NAME=value before
// the command sets a variable, <file after it is its input. In what is printed, the
// folder is $DIR. With -update the sections are rewritten.
func TestCommands(t *testing.T) {
	scripts, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, name := range scripts {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			runScript(t, archive)
			if flag.Lookup("update").Value.String() != "true" {
				return
			}
			if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// runScript runs an archive in a new folder, and replaces what was expected in it with
// what was printed.
func runScript(t *testing.T, archive *txtar.Archive) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for i := range archive.Files {
		section := &archive.Files[i]
		line, isCommand := strings.CutPrefix(section.Name, "$ ")
		if !isCommand {
			write(t, dir, map[string]string{section.Name: string(section.Data)})
			continue
		}
		if rest, ok := strings.CutPrefix(line, "git "); ok {
			git(t, dir, "", words(rest)...)
			continue
		}
		got := transcript(t, dir, line)
		if want := string(section.Data); got != want && flag.Lookup("update").Value.String() != "true" {
			t.Errorf("$ %s\ngot:\n%swant:\n%s", line, got, want)
		}
		section.Data = []byte(got)
	}
}

// transcript runs one command line and writes down what it did.
func transcript(t *testing.T, dir, line string) string {
	var env, args []string
	input := ""
	for _, word := range words(line) {
		switch {
		case len(args) == 0 && strings.Contains(word, "="):
			env = append(env, strings.ReplaceAll(word, "$DIR", dir))
		case strings.HasPrefix(word, "<"):
			content, err := os.ReadFile(filepath.Join(dir, word[1:]))
			if err != nil {
				t.Fatal(err)
			}
			input = string(content)
		default:
			args = append(args, strings.ReplaceAll(word, "$DIR", dir))
		}
	}
	cmd := command(t, dir, args...)
	cmd.Env = append(cmd.Env, env...)
	o := finish(t, cmd, input)
	var b strings.Builder
	b.WriteString(o.stdout)
	for line := range strings.Lines(o.stderr) {
		b.WriteString("! " + line)
	}
	if o.code != 0 {
		fmt.Fprintf(&b, "exit %d\n", o.code)
	}
	return strings.ReplaceAll(b.String(), dir, "$DIR")
}

// words splits a command line at blanks that are not in quotes.
func words(line string) (words []string) {
	quoted := false
	split := func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return r == ' ' && !quoted
	}
	for _, word := range strings.FieldsFunc(line, split) {
		words = append(words, strings.ReplaceAll(word, `"`, ""))
	}
	return words
}
