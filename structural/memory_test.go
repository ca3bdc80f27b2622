//go:build cgo && linux

package structural

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
	"github.com/toolpath-ls/toolpath-ls/internal/gosource"
	"github.com/toolpath-ls/toolpath-ls/internal/race"
)

// resident is the memory of the process in bytes, that of C included.
func resident(t *testing.T) int {
	t.Helper()
	debug.FreeOSMemory()
	trim()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	n, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return n << 10
}

// After a thousand files, each parsed twice and compared, the memory is what it was after
// the first hundred: nothing of C is left behind.
func TestMemoryReturns(t *testing.T) {
	race.Skip(t)
	files := filesBelow(gosource.Root(t), func(name string) bool { return strings.HasSuffix(name, ".go") })
	if len(files) < 1000 {
		t.Fatalf("%d files", len(files))
	}
	f := new(Formatter)
	first := 0
	for i, name := range files[:1000] {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(source) > 200_000 {
			source = source[:200_000]
		}
		old := string(source)
		f.Formatting(provenance.Comparison{File: name, Old: old, New: strings.ReplaceAll(old, "\t", "  "), Declared: true})
		if i == 99 {
			f = new(Formatter)
			first = resident(t)
		}
	}
	f = nil
	if last := resident(t); last > first+32<<20 {
		t.Errorf("%d MB after 100 files, %d MB after 1,000", first>>20, last>>20)
	} else {
		t.Logf("%d MB after 100 files, %d MB after 1,000", first>>20, last>>20)
	}
}
