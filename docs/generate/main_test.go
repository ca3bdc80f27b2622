package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestGeneratedPagesAreUpToDate(t *testing.T) {
	all := pages()
	for name, want := range all {
		got, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(name)))
		if err != nil || string(got) != want {
			t.Errorf("docs/%s is not up to date; run make docs/generate", name)
		}
	}
	old, _ := filepath.Glob(filepath.Join("..", "rules", "*.md"))
	for _, name := range old {
		if _, ok := all["rules/"+filepath.Base(name)]; !ok {
			t.Errorf("%s is of a rule that is gone; run make docs/generate", name)
		}
	}
}
