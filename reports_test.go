package toolpathls_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every public report from which we are to learn, and that can be tested, is named by a test
// of ours as "report B 17": a comment of a test or of a script.
func TestReportsAreTested(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "shared", "facts", "reports.md"))
	if err != nil {
		t.Skip("the reports are not here: ", err)
	}
	_, part, ok := strings.Cut(string(page), "\n## B.")
	if !ok {
		t.Fatal("there is no part B")
	}
	named := map[string]bool{}
	sentence := regexp.MustCompile(`(?i)reports?\s+B((?:[\s,/]|\band\b|\bto\b|\bB\b|\([^)]*\)|//|#|\d+)+)`)
	number := regexp.MustCompile(`\d+`)
	err = filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			if e != nil && slices.Contains([]string{"node_modules", ".git", "docs"}, e.Name()) {
				return fs.SkipDir
			}
			return err
		}
		if !strings.HasSuffix(path, "_test.go") && !strings.HasSuffix(path, ".txtar") {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range sentence.FindAllStringSubmatch(string(content), -1) {
			for _, n := range number.FindAllString(m[1], -1) {
				named[n] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, m := range regexp.MustCompile(`(?m)^\| (\d+) \|.*\| (T[:/]?[^|]*) \|$`).FindAllStringSubmatch(part, -1) {
		if strings.HasPrefix(m[2], "T(win)") {
			continue
		}
		if rows++; !named[m[1]] {
			t.Errorf("no test names report B %s", m[1])
		}
	}
	if rows < 20 {
		t.Errorf("only %d rows were found", rows)
	}
}
