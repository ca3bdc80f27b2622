//go:build cgo

package structural

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	tree_sitter "github.com/tree-sitter/go-tree-sitter"

	"github.com/toolpath-ls/toolpath-ls/analysis/linediff"
	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
	"github.com/toolpath-ls/toolpath-ls/internal/gosource"
)

// bigGo is the first 10,000 lines of a large Go file.
func bigGo(tb testing.TB) string {
	lines := strings.SplitAfter(gosource.Read(tb, "net/http/h2_bundle.go"), "\n")
	return strings.Join(lines[:min(len(lines), 10_000)], "")
}

// Parsing alone, by tree-sitter's own binding, and parsing with tokens and shape, in one
// run: the ratio is what counts.
func BenchmarkForm(b *testing.B) {
	source := bigGo(b)
	l := ByName("go")
	parser := tree_sitter.NewParser()
	defer parser.Close()
	if err := parser.SetLanguage(tree_sitter.NewLanguage(l.Grammar())); err != nil {
		b.Fatal(err)
	}
	var theirs, ours time.Duration
	for b.Loop() {
		start := time.Now()
		parser.Parse([]byte(source), nil).Close()
		theirs += time.Since(start)
		start = time.Now()
		if _, err := newForm("a.go", source, l, false); err != nil {
			b.Fatal(err)
		}
		ours += time.Since(start)
	}
	b.ReportMetric(float64(theirs.Microseconds())/1000/float64(b.N), "ms/tree-sitter")
	b.ReportMetric(float64(ours.Microseconds())/1000/float64(b.N), "ms/ours")
	b.ReportMetric(float64(ours)/float64(theirs), "ratio")
}

// The question whether a step on a large file is formatting: of an edit that shows that it
// is not, of one in a file without a grammar, and with both texts parsed.
func BenchmarkFormatting(b *testing.B) {
	source := bigGo(b)
	ugly := strings.ReplaceAll(source, "\t", "  ")
	edited := strings.Replace(source, "return nil", "return errNever", 1)
	for _, c := range []struct{ name, file, old, new string }{
		{"an edit", "a.go", source, edited},
		{"a reformat without a grammar", "a.dart", ugly, source},
		{"a reformat, parsed", "a.go", ugly, source},
		{"a reformat with an edit, parsed", "a.go", ugly, edited},
	} {
		hunks := linediff.Bytes([]byte(c.old), []byte(c.new), linediff.Options{IndentHeuristic: true})
		h := provenance.History{Base: &c.old, File: c.file, Edits: []provenance.Edit{{Step: 1, Whole: &c.new}}}
		b.Run(c.name, func(b *testing.B) {
			var plain time.Duration
			for b.Loop() {
				start := time.Now()
				provenance.Project(h)
				plain += time.Since(start)
				h.Formatter = new(Formatter) // remembers nothing
				provenance.Project(h)
				h.Formatter = nil
			}
			total := b.Elapsed() - plain
			b.ReportMetric(float64((total-plain).Microseconds())/1000/float64(b.N), "ms/question")
			b.ReportMetric(float64(len(hunks)), "hunks")
		})
	}
}

// A long history of small edits, with nobody to tell formatting and with: what it costs to
// see that none of them formats.
func BenchmarkHistory(b *testing.B) {
	source := bigGo(b)
	lines := strings.SplitAfter(source, "\n")
	random := rand.New(rand.NewPCG(5, 6))
	h := provenance.History{Base: &source, File: "a.go"}
	for step := range 5000 {
		at := random.IntN(len(lines) - 1)
		was := lines[at]
		if strings.TrimSpace(was) == "" {
			continue
		}
		lines[at] = strings.TrimSuffix(was, "\n") + " // edit " + strconv.Itoa(step) + "\n"
		raw := fmt.Sprintf("@@ -%d +%d @@\n-%s+%s", at+1, at+1, was, lines[at])
		h.Edits = append(h.Edits, provenance.Edit{Step: provenance.StepID(step + 1), Raw: raw, HasRaw: true})
	}
	for _, c := range []struct {
		name string
		f    provenance.Formatter
	}{{"without", nil}, {"with", new(Formatter)}} {
		h.Formatter = c.f
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				provenance.Project(h)
			}
		})
	}
}
