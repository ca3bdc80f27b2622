//go:build cgo

package structural

import (
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/linediff"
	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// Whatever two texts are, an answer is about lines that they have, and of two equal texts
// there is nothing to say.
func FuzzFormatting(f *testing.F) {
	for i, l := range Languages() {
		source := samples[l.Name].source
		f.Add(uint8(i), source, strings.ReplaceAll(source, " ", "  "), true)
		f.Add(uint8(i), source, source[:len(source)/2], false)
		f.Add(uint8(i), "#include <b>\n#include <a>\nnamespace a {\nint x ;\n}\n", "#include <a>\n#include <b>\nnamespace a {\nint x;\n} // namespace a\n", false)
	}
	f.Fuzz(func(t *testing.T, language uint8, old, now string, declared bool) {
		if len(old)+len(now) > 1<<16 {
			return
		}
		all := Languages()
		name := "a" + all[int(language)%len(all)].Extensions[0]
		hunks := linediff.Bytes([]byte(old), []byte(now), linediff.Options{})
		answer := new(Formatter).Formatting(provenance.Comparison{File: name, Old: old, New: now, Hunks: hunks, Declared: declared})
		last := -1
		for _, l := range answer.Lines {
			if l.New <= last || l.New > strings.Count(now, "\n") || len(l.Old) == 0 {
				t.Fatalf("line %+v after %d", l, last)
			}
			last = l.New
			for _, o := range l.Old {
				if o < 0 || o > strings.Count(old, "\n") {
					t.Fatalf("line %+v of %d", l, strings.Count(old, "\n"))
				}
			}
		}
		for _, c := range answer.Changes {
			if c.OldStart < 0 || c.OldEnd > len(old) || c.NewStart < 0 || c.NewEnd > len(now) || c.OldStart > c.OldEnd || c.NewStart > c.NewEnd {
				t.Fatalf("%+v", c)
			}
		}
		if old == now && (len(answer.Lines) > 0 || len(answer.Changes) > 0) {
			t.Fatalf("%+v of equal texts", answer)
		}
	})
}
