//go:build !race

package lsp

import (
	"bufio"
	"fmt"
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
	count := func(name string, n int) map[string]int {
		profile := filepath.Join(dir, "profile")
		cmd := exec.Command(binary, "-test.run", "^TestEverythingOfMany$/^"+strings.ReplaceAll(name, " ", "_")+"$", "-test.coverprofile", profile)
		cmd.Env = append(os.Environ(), "TOOLPATH_TEST_MANY="+strconv.Itoa(n))
		run(cmd)
		return readProfile(t, profile)
	}
	// outOfProportion says what grew too fast, by place.
	outOfProportion := func(name string) map[string]string {
		found := map[string]string{}
		before, after := count(name, few), count(name, few*times)
		for place, n := range after {
			// Less than so many per thing is a bound that holds for every document.
			if n > 2*times*before[place] && n > 500*few*times {
				found[place] = fmt.Sprintf("%s: %d times at %d of them, %d times at %d: %s", name, before[place], few, n, few*times, place)
			}
		}
		return found
	}
	for name := range many(1) {
		first := outOfProportion(name)
		if len(first) == 0 {
			continue
		}
		// The seed of a hash may have done it, which is another one in another process.
		for place, words := range outOfProportion(name) {
			if first[place] != "" {
				t.Error(words)
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
