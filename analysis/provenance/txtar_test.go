package provenance_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

var update = flag.Bool("update", false, "write the want and problems sections of testdata/projection")

// The files of testdata/projection are lineages: `base` (absent: not known),
// `step N [raw|whole|before|delete|creates|git|snippet|opaque]...` in order (the
// sections of one step with the same N are one edit), `buffer` (absent: the
// head), and what is to be said: `want`, a line for each buffer line with state,
// chain and text, and `problems`. In contents ␍ is a carriage return and ␄ before
// the end of a line takes the line feed away.
//
// Chain: `2<1<base` is written by step 2 in place of a line of step 1; `?` is
// unrecorded, `f` formatted, `@` relocated, `~` part of an overwritten file, `r`
// added again after the file was deleted. A `?` after the state: in a gap.
func TestLineages(t *testing.T) {
	files, err := filepath.Glob("../../testdata/projection/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no lineages: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			l := readLineage(t, a)
			p := provenance.Project(l.History)
			if l.buffer == nil {
				head := p.HeadText()
				l.buffer = &head
			}
			o := p.Overlay([]byte(*l.buffer))
			got := map[string]string{"want": annotated(o, *l.buffer), "problems": problems(p, o)}
			if *update {
				write(t, file, a, got)
				return
			}
			for section, text := range got {
				if want := l.expected[section]; text != want {
					t.Errorf("%s is\n%sbut should be\n%s", section, text, want)
				}
			}
		})
	}
}

type lineage struct {
	provenance.History
	buffer   *string
	expected map[string]string
}

func readLineage(t *testing.T, a *txtar.Archive) lineage {
	l := lineage{expected: map[string]string{}}
	for _, f := range a.Files {
		text := strings.NewReplacer("␍", "\r", "␄\n", "").Replace(string(f.Data))
		words := strings.Fields(f.Name)
		switch words[0] {
		case "base":
			l.Base = &text
		case "buffer":
			l.buffer = &text
		case "want", "problems":
			l.expected[f.Name] = string(f.Data)
		case "step":
			n, err := strconv.Atoi(words[1])
			if err != nil {
				t.Fatal(err)
			}
			step := provenance.StepID(n)
			if len(l.Edits) == 0 || l.Edits[len(l.Edits)-1].Step != step {
				l.Edits = append(l.Edits, provenance.Edit{Step: step})
			}
			e := &l.Edits[len(l.Edits)-1]
			for _, word := range words[2:] {
				set, ok := editWords[word]
				if !ok {
					t.Fatalf("unknown word %q", word)
				}
				set(e, text)
			}
		default:
			t.Fatalf("unknown section %q", f.Name)
		}
	}
	return l
}

var editWords = map[string]func(e *provenance.Edit, text string){
	"raw":     func(e *provenance.Edit, text string) { e.Raw, e.HasRaw = text, true },
	"whole":   func(e *provenance.Edit, text string) { e.Whole = &text },
	"before":  func(e *provenance.Edit, text string) { e.Before = &text },
	"delete":  func(e *provenance.Edit, _ string) { e.Delete = true },
	"creates": func(e *provenance.Edit, _ string) { e.Creates = true },
	"updates": func(e *provenance.Edit, _ string) { e.Updates = true },
	"git":     func(e *provenance.Edit, _ string) { e.GitDeriver = true },
	"snippet": func(e *provenance.Edit, _ string) { e.Snippet = true },
	"opaque":  func(*provenance.Edit, string) {},
}

var stateNames = map[provenance.State]string{
	provenance.StateUnrecorded: "unrecorded",
	provenance.StateBase:       "base",
	provenance.StateRecorded:   "recorded",
	provenance.StateChanged:    "changed",
}

func annotated(o *provenance.Overlay, buffer string) string {
	var b strings.Builder
	lines := strings.Split(buffer, "\n")
	for i := range o.Len() {
		line := o.Line(i)
		state := stateNames[line.State]
		if line.InGap {
			state += "?"
		}
		fmt.Fprintf(&b, "%-11s %-12s | %s\n", state, chain(o.Chain(i)), strings.ReplaceAll(lines[i], "\r", "␍"))
	}
	return b.String()
}

func chain(touches []provenance.Touch) string {
	var words []string
	for _, touch := range touches {
		word := fmt.Sprint(touch.Step)
		switch touch.Kind {
		case provenance.Base:
			word = "base"
		case provenance.Unrecorded:
			word = "?"
		case provenance.Format:
			word += "f"
		}
		for _, f := range []struct {
			flag provenance.Flags
			mark string
		}{{provenance.Relocated, "@"}, {provenance.Overwrite, "~"}, {provenance.ReAdded, "r"}} {
			if touch.Flags&f.flag != 0 {
				word += f.mark
			}
		}
		words = append(words, word)
	}
	if len(words) == 0 {
		return "-"
	}
	return strings.Join(words, "<")
}

func problems(p *provenance.Projection, o *provenance.Overlay) string {
	var b strings.Builder
	for _, problem := range p.Problems {
		fmt.Fprintf(&b, "step %d, hunk %d, lost %d: %s\n", problem.Step, problem.Hunk, problem.Lost, problem)
	}
	if problem, ok := o.Problem(); ok {
		fmt.Fprintf(&b, "buffer: %s\n", problem)
	}
	return b.String()
}

func write(t *testing.T, file string, a *txtar.Archive, got map[string]string) {
	var kept []txtar.File
	for _, f := range a.Files {
		if f.Name != "want" && f.Name != "problems" {
			kept = append(kept, f)
		}
	}
	kept = append(kept, txtar.File{Name: "want", Data: []byte(got["want"])})
	if got["problems"] != "" {
		kept = append(kept, txtar.File{Name: "problems", Data: []byte(got["problems"])})
	}
	a.Files = kept
	if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}
