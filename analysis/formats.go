package analysis

import (
	"regexp"
	"strings"
	"sync"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// formatters are tools that change nothing but the layout, by the name in "tool:NAME".
var formatters = map[string]bool{
	"rustfmt": true, "cargo-fmt": true, "gofmt": true, "gofumpt": true, "gci": true, "golines": true,
	"black": true, "isort": true, "yapf": true, "autopep8": true, "ruff-format": true, "docformatter": true,
	"prettier": true, "dprint": true, "biome-format": true, "deno-fmt": true,
	"clang-format": true, "astyle": true, "uncrustify": true, "google-java-format": true, "spotless": true, "palantir-java-format": true,
	"ktlint": true, "ktfmt": true, "scalafmt": true, "swift-format": true, "swiftformat": true, "dart-format": true,
	"csharpier": true, "rufo": true, "rubyfmt": true,
	"shfmt": true, "taplo": true, "stylua": true, "ormolu": true, "fourmolu": true, "ocamlformat": true, "terraform-fmt": true,
	"zig-fmt": true, "mix-format": true, "buf-format": true, "pg_format": true, "nixfmt": true, "alejandra": true,
}

// formatOps are structural operations that say that they change the layout alone.
var formatOps = map[string]bool{"fmt.apply": true, "core.format": true, "format.apply": true}

// formatIntent matches an intent that speaks of nothing but formatting.
var formatIntent = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(run |apply )?(an? |the )?(auto[- ]?|re)?format(ter|ting|ted)?( on save)?( (the |all )?(code|files?|sources?|everything|imports))?( (with|using|by|via) [\w.+-]+)?( on save)?[.!]?$`)
})

// formats says whether a step claims that what it did to a file is formatting: by its
// actor, its intent or its operation. That it is true is another matter.
func formats(s toolpath.At, change jsonsrc.Value) bool {
	op := change.Get("structural")
	if formatOps[op.Get("type").Text()] {
		return true
	}
	// Imports in another order, if none came and none went.
	if op.Get("type").Is("imports.organize") && !some(op.Get("added")) && !some(op.Get("removed")) {
		return true
	}
	if kind, name, ok := strings.Cut(s.Actor, ":"); ok && (kind == "tool" || kind == "ci") {
		name, _, _ = strings.Cut(name, "/")
		name, _, _ = strings.Cut(name, "@")
		if formatters[strings.ToLower(name)] {
			return true
		}
	}
	return formatIntent().MatchString(strings.TrimSpace(s.Intent()))
}

// some says whether a list has an element.
func some(list jsonsrc.Value) bool {
	for range list.Elements() {
		return true
	}
	return false
}
