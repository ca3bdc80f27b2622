// Package neovim tests the Neovim plugin in real Neovims.
//
// The tests themselves are Lua, in spec/: a Neovim runs them and drives a second one of the same
// version by its keys. This file finds the Neovims, builds the server and reports each spec as a
// subtest.
//
// A *client* here is one version of Neovim. The oldest that the plugin supports is required where
// TOOLPATH_TEST_REQUIRE=1; the newer ones are tested where they are found, and have to be there where
// their variable names them.
package neovim

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
)

type client struct {
	name     string
	variable string   // names the program
	programs []string // looked at in this order when the variable is empty; relative to the repository
	required bool
	install  string
}

var clients = []client{
	{"oldest", "NVIM_0_7", []string{"nvim"}, true, "apt-get install neovim"},
	{"0.10", "NVIM_0_10", []string{".tools/nvim-0.10/usr/bin/nvim"}, false,
		"scripts/debian-program trixie .tools/nvim-0.10 usr/bin/nvim neovim"},
	{"0.12", "NVIM_0_12", []string{".tools/nvim-0.12/usr/bin/nvim"}, false,
		"scripts/debian-program forky .tools/nvim-0.12 usr/bin/nvim neovim"},
}

// patience bounds one spec file in one Neovim, so that an editor that hangs fails the test.
const patience = 5 * time.Minute

func TestPlugin(t *testing.T) {
	if testing.Short() {
		t.Skip("drives real editors")
	}
	specs, err := filepath.Glob("spec/*_spec.lua")
	if err != nil || len(specs) == 0 {
		t.Fatalf("no specs in spec/: %v", err)
	}
	declareInputs(t)
	server := buildServer(t)
	for _, c := range clients {
		t.Run(c.name, func(t *testing.T) {
			nvim := c.find(t)
			t.Logf("%s", firstLine(t, nvim))
			for _, spec := range specs {
				name := strings.TrimSuffix(filepath.Base(spec), "_spec.lua")
				t.Run(name, func(t *testing.T) { runSpec(t, nvim, server, spec) })
			}
		})
	}
}

// find returns the client's program. Without one it skips the test, or fails it where the client is
// required or was named by its variable.
func (c client) find(t *testing.T) string {
	t.Helper()
	if named := os.Getenv(c.variable); named != "" {
		path, err := exec.LookPath(named)
		if err != nil {
			t.Fatalf("%s=%s: %v", c.variable, named, err)
		}
		return absolute(t, path)
	}
	for _, program := range c.programs {
		if strings.Contains(program, "/") {
			program = filepath.Join(repository(t), program)
		}
		if path, err := exec.LookPath(program); err == nil {
			return absolute(t, path)
		}
	}
	if c.required && os.Getenv("TOOLPATH_TEST_REQUIRE") == "1" {
		t.Fatalf("no Neovim; install it with: %s", c.install)
	}
	t.Skipf("no Neovim for %q; install it with: %s", c.name, c.install)
	return ""
}

// The colors of actors are those of drawings, so that an actor looks the same everywhere.
func TestColorsAreThoseOfDrawings(t *testing.T) {
	read := func(file string, list *regexp.Regexp) (palettes [][]string) {
		t.Helper()
		content, err := os.ReadFile(filepath.Join(repository(t), filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range list.FindAllString(string(content), -1) {
			palettes = append(palettes, regexp.MustCompile("#[0-9a-f]{6}").FindAllString(found, -1))
		}
		return palettes
	}
	drawn := read("analysis/drawing/palette.go", regexp.MustCompile(`actors:\s*\[8\]string\{[^}]*\}`))
	ours := read("editors/neovim/lua/toolpath/colors.lua", regexp.MustCompile(`(?s)(light|dark) = \{.*?\n  \}`))
	if len(drawn) != 2 || len(drawn[0]) != 8 || !reflect.DeepEqual(ours, drawn) {
		t.Errorf("light and dark are %q, in drawings %q", ours, drawn)
	}
}

func firstLine(t *testing.T, nvim string) string {
	t.Helper()
	out, err := exec.Command(nvim, "--version").Output()
	if err != nil {
		t.Fatalf("%s --version: %v", nvim, err)
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return line
}

// declareInputs looks at every file that the editors and the server are made of. The go command repeats
// a cached result only while the files that a test looked at are the same, and those that other
// programs read it does not see.
func declareInputs(t *testing.T) {
	t.Helper()
	for _, dir := range []string{"cmd", "lsp", "analysis", "structural", "scripts", "editors/neovim"} {
		root := filepath.Join(repository(t), filepath.FromSlash(dir))
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err == nil {
				_, err = os.Stat(path)
			}
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
}

// buildServer returns a folder that holds nothing but toolpath-ls.
func buildServer(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(bin, "toolpath-ls"), "./cmd/toolpath-ls")
	build.Dir = repository(t)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build ./cmd/toolpath-ls: %v\n%s", err, out)
	}
	return bin
}

// A result is one line that spec/run.lua writes.
type result struct {
	Name    string
	OK      bool
	Message string
	Seconds float64
}

// runSpec runs a spec file in a Neovim and reports each of its tests as a subtest.
func runSpec(t *testing.T, nvim, server, spec string) {
	scratch := t.TempDir()
	resultFile := filepath.Join(scratch, "results")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()

	plugin := absolute(t, ".")
	run := exec.CommandContext(ctx, nvim, "--headless", "-u", "NONE", "-i", "NONE", "-n",
		"-c", "luafile "+filepath.Join(plugin, "spec", "run.lua"), "-c", "cquit")
	run.WaitDelay = 10 * time.Second
	run.Env = append(os.Environ(),
		"PATH="+server+string(os.PathListSeparator)+os.Getenv("PATH"),
		"TOOLPATH_PLUGIN="+plugin,
		"TOOLPATH_SPEC="+filepath.Join(plugin, spec),
		"TOOLPATH_DEMO="+filepath.Join(repository(t), "scripts", "demo-workspace"),
		"TOOLPATH_SCRATCH="+scratch,
		"TOOLPATH_RESULTS="+resultFile,
		// Nothing of the user's own Neovim is read or written.
		"XDG_CONFIG_HOME="+filepath.Join(scratch, "config"),
		"XDG_CONFIG_DIRS="+filepath.Join(scratch, "config"),
		"XDG_DATA_HOME="+filepath.Join(scratch, "data"),
		"XDG_STATE_HOME="+filepath.Join(scratch, "state"),
		"XDG_CACHE_HOME="+filepath.Join(scratch, "cache"),
	)
	out, err := run.CombinedOutput()
	results := readResults(t, resultFile)
	for _, r := range results {
		t.Run(r.Name, func(t *testing.T) {
			if !r.OK {
				t.Error(r.Message)
			}
		})
	}
	if err != nil || len(results) == 0 {
		t.Errorf("%s reported %d tests and ended with %v\n%s", spec, len(results), err, out)
	}
}

func readResults(t *testing.T, file string) []result {
	t.Helper()
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var results []result
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r result
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatalf("%s: %v in %q", file, err, lines.Text())
		}
		results = append(results, r)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return results
}

func repository(t *testing.T) string {
	t.Helper()
	return absolute(t, filepath.Join("..", ".."))
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}
