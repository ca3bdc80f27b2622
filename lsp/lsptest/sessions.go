package lsptest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the expected answers of session scripts")

// Server is a way to run the server for scripts.
type Server struct {
	Name string
	// Start returns an Editor of a new server.
	Start func(tb testing.TB) *Editor
	// InMemory runs the script under testing/synctest. Everything that the server
	// makes must then be made by Start.
	InMemory bool
	// OneMode runs each script in one encoding and with one line end alone.
	OneMode bool
}

// RunSessions runs each script that the pattern names against each server in each
// encoding and with both line ends. With -update the first run of a script rewrites its
// expected answers, and the other runs are compared with them.
func RunSessions(t *testing.T, pattern string, servers ...Server) {
	t.Helper()
	inUTC(t)
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("lsptest: %s names no scripts: %v", pattern, err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			if *update {
				rewrite(t, name, servers[0])
			}
			script := parse(t, name)
			for _, server := range servers {
				for _, encoding := range encodings {
					for _, crlf := range []bool{false, true} {
						mode := Mode{encoding, crlf}
						if server.OneMode && (encoding != encodings[0] || crlf) {
							continue
						}
						t.Run(server.Name+"/"+mode.String(), func(t *testing.T) {
							runOne(t, script, server, mode, false)
						})
					}
				}
			}
		})
	}
}

// inUTC makes the time of the place that in which answers are written down.
func inUTC(t *testing.T) {
	t.Setenv("TZ", "UTC")
	local := time.Local
	time.Local = time.UTC
	t.Cleanup(func() { time.Local = local })
}

func parse(t *testing.T, name string) *Script {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	script, err := ParseScript(name, data)
	if err != nil {
		t.Fatal(err)
	}
	return script
}

func runOne(t *testing.T, script *Script, server Server, mode Mode, update bool) (golden map[string]string) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if !server.InMemory {
		return script.run(t, mode, dir, server.Start, update)
	}
	synctest.Test(t, func(t *testing.T) { golden = script.run(t, mode, dir, server.Start, update) })
	return golden
}

// rewrite runs the script once and writes the answers into its archive.
func rewrite(t *testing.T, name string, server Server) {
	script := parse(t, name)
	var golden map[string]string
	t.Run("update", func(t *testing.T) { golden = runOne(t, script, server, Mode{Encoding: "utf-16"}, true) })
	if t.Failed() {
		return
	}
	files := script.archive.Files[:0:0]
	for _, f := range script.archive.Files {
		if got, ok := golden[f.Name]; ok {
			f.Data = []byte(got)
			delete(golden, f.Name)
		}
		files = append(files, f)
	}
	for _, c := range script.commands { // new sections in the order of the script
		for _, w := range c.words {
			if got, ok := golden[w]; ok {
				files = append(files, txtar.File{Name: w, Data: []byte(got)})
				delete(golden, w)
			}
		}
	}
	data := txtar.Format(&txtar.Archive{Comment: script.archive.Comment, Files: files})
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
}
