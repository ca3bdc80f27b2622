package lsp

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/internal/race"
)

// Four times as many of one thing are four times as much work, not sixteen: no statement of
// the program is run out of proportion, and no function without loops called. Go's counters
// of coverage count.
func TestWorkGrowsWithTheDocument(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	dir := t.TempDir()
	binary := filepath.Join(dir, "many.test")
	run := func(t *testing.T, cmd *exec.Cmd) {
		t.Helper()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", cmd, err, out)
		}
	}
	run(t, exec.Command("go", "test", "-c", "-o", binary, "-covermode=count", "-coverpkg=../analysis/...,.", "."))
	const few, times = 500, 4
	functions := &functions{known: map[string][]extent{}}
	count := func(t *testing.T, name string, n int) map[string]int {
		t.Helper()
		profile := filepath.Join(t.TempDir(), "profile")
		cmd := exec.CommandContext(t.Context(), binary, "-test.run", "^TestEverythingOfMany$/^"+strings.ReplaceAll(name, " ", "_")+"$", "-test.coverprofile", profile)
		cmd.Env = append(os.Environ(), "TOOLPATH_TEST_MANY="+strconv.Itoa(n))
		run(t, cmd)
		return readProfile(t, profile, functions)
	}
	// outOfProportion says what grew too fast, by place.
	outOfProportion := func(t *testing.T, name string) map[string]string {
		t.Helper()
		found := map[string]string{}
		before, after := count(t, name, few), count(t, name, few*times)
		for place, n := range after {
			// Less than so many per thing is a bound that holds for every document.
			if n > 2*times*before[place] && n > 500*few*times {
				found[place] = fmt.Sprintf("%s: %d times at %d of them, %d times at %d: %s", name, before[place], few, n, few*times, place)
			}
		}
		return found
	}
	for name := range many(1) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first := outOfProportion(t, name)
			if len(first) == 0 {
				return
			}
			// The seed of a hash may have done it, which is another one in another process.
			for place, words := range outOfProportion(t, name) {
				if first[place] != "" {
					t.Error(words)
				}
			}
		})
	}
}

// readProfile returns how often each block of statements was run. The blocks of a function
// without loops count as one, since one of them is run in place of another.
func readProfile(t *testing.T, name string, in *functions) map[string]int {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	counts := map[string]int{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if n, err := strconv.Atoi(fields[len(fields)-1]); err == nil && len(fields) == 3 {
			counts[in.place(t, fields[0])] += n
		}
	}
	if len(counts) == 0 {
		t.Fatalf("%s has no counts: %v", name, lines.Err())
	}
	return counts
}

// functions knows where the functions without loops are, by file.
type functions struct {
	mu    sync.Mutex
	known map[string][]extent
}

type extent struct {
	name        string
	first, last int // lines
}

// place returns the function that a block of a profile, "file:line.column,line.column", is in,
// or the block itself.
func (f *functions) place(t *testing.T, block string) string {
	t.Helper()
	file, span, _ := strings.Cut(block, ":")
	number, _, _ := strings.Cut(span, ".")
	line, err := strconv.Atoi(number)
	if err != nil {
		t.Fatal(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, known := f.known[file]; !known {
		f.known[file] = withoutLoops(t, file)
	}
	for _, e := range f.known[file] {
		if e.first <= line && line <= e.last {
			return file + ": " + e.name
		}
	}
	return block
}

func withoutLoops(t *testing.T, file string) (found []extent) {
	t.Helper()
	_, path, ok := strings.Cut(file, "toolpath-ls/toolpath-ls/")
	if !ok {
		t.Fatalf("%s is not of this module", file)
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, filepath.Join("..", filepath.FromSlash(path)), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range parsed.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		loops := false
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit:
				loops = true
			}
			return !loops
		})
		if !loops {
			found = append(found, extent{fn.Name.Name, files.Position(fn.Pos()).Line, files.Position(fn.End()).Line})
		}
	}
	return found
}
