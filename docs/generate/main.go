// Command generate writes the pages of the documentation that follow from the code:
// docs/rules, one page per rule, and docs/settings.md.
//
//	go generate ./...
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/rules"
	"github.com/toolpath-ls/toolpath-ls/lsp"
)

//go:generate go run .

func main() {
	if err := write(".."); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// write writes all pages below the folder docs, and removes pages of rules that are gone.
func write(docs string) error {
	all := pages()
	old, err := filepath.Glob(filepath.Join(docs, "rules", "*.md"))
	if err != nil {
		return err
	}
	for _, name := range old {
		if _, ok := all["rules/"+filepath.Base(name)]; !ok {
			if err := os.Remove(name); err != nil {
				return err
			}
		}
	}
	for name, text := range all {
		file := filepath.Join(docs, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// pages returns the text of every generated page by its name below docs.
func pages() map[string]string {
	all := map[string]string{"rules/README.md": index(rules.All()), "settings.md": settings()}
	for _, r := range rules.All() {
		all["rules/"+r.ID+".md"] = page(r)
	}
	return all
}

func title(r *analysis.Rule) (title, body string) {
	title, body, _ = strings.Cut(r.Doc, "\n")
	return title, strings.TrimSpace(body)
}

func page(r *analysis.Rule) string {
	title, body := title(r)
	return fmt.Sprintf("# %s: %s\n\nRule `%s`, %s by default. [All rules](README.md)\n\n%s\n", r.ID, title, r.Name, r.Severity, body)
}

func index(all []*analysis.Rule) string {
	var b strings.Builder
	b.WriteString(`# Rules

Every finding names its rule. The setting [severity](../settings.md) changes how bad a rule's
findings are, by id or name, or turns it off.

TP1xxx syntax · TP2xxx structure and DAG · TP3xxx diffs and artifact keys · TP4xxx actors and signatures · TP5xxx
replay of recorded diffs · TP6xxx lineage logs · TP7xxx privacy · TP9xxx limits

| id | name | default | what it finds |
|---|---|---|---|
`)
	for _, r := range all {
		title, _ := title(r)
		fmt.Fprintf(&b, "| [%s](%s.md) | %s | %s | %s |\n", r.ID, r.ID, r.Name, r.Severity, title)
	}
	return b.String()
}

func settings() string {
	var b strings.Builder
	b.WriteString(`# Settings

Editors send these below the section ` + "`toolpath`" + `, as initialization options or as configuration.
Keys may be nested or dotted. What cannot be read is reported once and left at its default.

| key | default | what it does |
|---|---|---|
`)
	for _, k := range lsp.SettingKeys() {
		fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", k.Key, k.Default, k.Doc)
	}
	return b.String()
}
