// Package gosource gives tests the sources of Go's standard library, which are wherever Go is.
package gosource

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// root asks the go command: a test that was built with -trimpath does not know where Go is.
var root = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	return filepath.Join(strings.TrimSpace(string(out)), "src"), err
})

// Root is the folder of the sources.
func Root(tb testing.TB) string {
	tb.Helper()
	folder, err := root()
	if err != nil {
		tb.Fatalf("go env GOROOT: %v", err)
	}
	return folder
}

// Read returns the text of a file below [Root], such as "strings/strings.go".
func Read(tb testing.TB, name string) string {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join(Root(tb), filepath.FromSlash(name)))
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}
