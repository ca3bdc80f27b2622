//go:build cgo

package structural

import (
	"os"
	"strings"
	"testing"
)

// docs/languages.md has a row for every language, with its files.
func TestDocs(t *testing.T) {
	doc, err := os.ReadFile("../docs/languages.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(doc)) {
		if strings.HasPrefix(line, "| ") && strings.Count(line, "`") >= 2 {
			rows++
		}
	}
	for _, l := range Languages() {
		files := "`" + strings.Join(append(append([]string{}, l.Extensions...), l.Filenames...), "` `") + "`"
		proven := "yes"
		if l.Rules.Lines {
			proven = "white space at the end of lines"
		}
		row := "| " + l.Title + " | `" + l.Name + "` | " + files + " | " + proven + " |\n"
		if !strings.Contains(string(doc), row) {
			t.Errorf("docs/languages.md lacks\n%s", row)
		}
	}
	if rows != len(Languages()) {
		t.Errorf("docs/languages.md has %d rows for %d languages", rows, len(Languages()))
	}
}
