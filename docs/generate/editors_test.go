package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every tick in the table of editors.md leads to a test that there is.
func TestTicksOfEditorsAreTests(t *testing.T) {
	page, err := os.ReadFile("../editors.md")
	if err != nil {
		t.Fatal(err)
	}
	ticks := regexp.MustCompile(`\[✓\]\(([^ ]+) "([^"]+)"\)`).FindAllStringSubmatch(string(page), -1)
	if len(ticks) < 30 || len(ticks) != strings.Count(string(page), "✓") {
		t.Fatalf("%d ticks lead to tests, of %d", len(ticks), strings.Count(string(page), "✓"))
	}
	for _, tick := range ticks {
		source, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(tick[1])))
		if err != nil {
			t.Error(err)
		} else if !strings.Contains(string(source), tick[2]) {
			t.Errorf("%s has no test %q", tick[1], tick[2])
		}
	}
}
