//go:build !race

package lsp

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Four times as many of one thing are four times as much work, not sixteen: no statement of
// the program is run out of proportion. Go's counters of coverage count.
func TestWorkGrowsWithTheDocument(t *testing.T) {
	dir := t.TempDir()
	binary := filepath.Join(dir, "many.test")
	run := func(cmd *exec.Cmd) {
		t.Helper()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", cmd, err, out)
		}
	}
	run(exec.Command("go", "test", "-c", "-o", binary, "-covermode=count", "-coverpkg=../analysis/...,.", "."))
	const few, times = 500, 4
	for name := range many(1) {
		counts := [2]map[string]int{}
		for i, n := range []int{few, few * times} {
			profile := filepath.Join(dir, "profile")
			cmd := exec.Command(binary, "-test.run", "^TestEverythingOfMany$/^"+strings.ReplaceAll(name, " ", "_")+"$", "-test.coverprofile", profile)
			cmd.Env = append(os.Environ(), "TOOLPATH_TEST_MANY="+strconv.Itoa(n))
			run(cmd)
			counts[i] = readProfile(t, profile)
		}
		for place, n := range counts[1] {
			// Less than so many per thing is a bound that holds for every document.
			if n > 2*times*counts[0][place] && n > 500*few*times {
				t.Errorf("%s: %d times at %d of them, %d times at %d: %s", name, counts[0][place], few, n, few*times, place)
			}
		}
	}
}

// readProfile returns how often each block of statements was run.
func readProfile(t *testing.T, name string) map[string]int {
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
			counts[fields[0]] += n
		}
	}
	if len(counts) == 0 {
		t.Fatalf("%s has no counts: %v", name, lines.Err())
	}
	return counts
}
