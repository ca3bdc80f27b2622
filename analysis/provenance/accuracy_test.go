package provenance_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/linediff"
	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
	"github.com/toolpath-ls/toolpath-ls/internal/gosource"
)

// life is a file through its versions; the first one is the base.
type life struct {
	name     string
	versions []string
}

// truth has for each line of the last version the index of the version that
// wrote it, as git blame says (see TestReplayIsGitBlame); 0 is the base.
func (l life) truth() []int {
	h := provenance.History{Base: &l.versions[0]}
	for i := 1; i < len(l.versions); i++ {
		h.Edits = append(h.Edits, provenance.Edit{Step: provenance.StepID(i), Whole: &l.versions[i]})
	}
	return steps(provenance.Project(h))
}

// grow makes a life of a text: half of it is there first; the rest comes in
// pieces, as functions do, while lines change, move, go and come back and names
// change throughout.
func grow(name, text string, n int, r *rand.Rand) life {
	pieces := strings.SplitAfter(text, "\n}\n")
	there := make([]bool, len(pieces))
	var waiting []int
	for i := range pieces {
		there[i] = i == 0 || r.IntN(2) == 0
		if !there[i] {
			waiting = append(waiting, i)
		}
	}
	g := grower{Rand: r, words: words(text)}
	for i, p := range pieces {
		if there[i] {
			g.blocks = append(g.blocks, block{i, strings.SplitAfter(p, "\n")})
		}
	}
	l := life{name, []string{g.text()}}
	for len(l.versions) < n {
		g.step(pieces, &waiting)
		if now := g.text(); now != l.versions[len(l.versions)-1] {
			l.versions = append(l.versions, now)
		}
	}
	return l
}

type block struct {
	place int
	lines []string
}

type grower struct {
	*rand.Rand
	words  []string
	blocks []block
	gone   []block
}

var word = regexp.MustCompile(`[A-Za-z_]\w{3,}`)

func words(text string) []string {
	all := word.FindAllString(text, -1)
	slices.Sort(all)
	return slices.Compact(all)
}

func (g *grower) text() string {
	var b strings.Builder
	for _, block := range g.blocks {
		for _, line := range block.lines {
			b.WriteString(line)
		}
	}
	return b.String()
}

func (g *grower) insert(b block) {
	at, _ := slices.BinarySearchFunc(g.blocks, b.place, func(x block, place int) int { return x.place - place })
	g.blocks = slices.Insert(g.blocks, at, b)
}

func (g *grower) step(pieces []string, waiting *[]int) {
	switch what := g.IntN(20); {
	case what < 5 && len(*waiting) > 0:
		k := g.IntN(len(*waiting))
		i := (*waiting)[k]
		*waiting = slices.Delete(*waiting, k, k+1)
		g.insert(block{i, strings.SplitAfter(pieces[i], "\n")})
	case what == 5: // a name changes throughout
		from, to := g.words[g.IntN(len(g.words))], g.words[g.IntN(len(g.words))]
		for i := range g.blocks {
			if g.IntN(3) > 0 {
				for k, line := range g.blocks[i].lines {
					g.blocks[i].lines[k] = strings.ReplaceAll(line, from, to)
				}
			}
		}
	case what == 6 && len(g.blocks) > 10: // a function goes
		i := 1 + g.IntN(len(g.blocks)-1)
		g.gone = append(g.gone, g.blocks[i])
		g.blocks = slices.Delete(g.blocks, i, i+1)
	case what == 7 && len(g.gone) > 0: // and comes back
		i := g.IntN(len(g.gone))
		g.insert(g.gone[i])
		g.gone = slices.Delete(g.gone, i, i+1)
	case what == 8 && len(g.blocks) > 10: // a function moves
		i := 1 + g.IntN(len(g.blocks)-1)
		b := g.blocks[i]
		g.blocks = slices.Delete(g.blocks, i, i+1)
		b.place = g.IntN(len(pieces))
		g.insert(b)
	default:
		for range 1 + g.IntN(4) {
			g.change(&g.blocks[g.IntN(len(g.blocks))])
		}
	}
}

// change edits a few lines of a block.
func (g *grower) change(b *block) {
	if len(b.lines) < 2 {
		return
	}
	at := g.IntN(len(b.lines) - 1)
	switch g.IntN(5) {
	case 0:
		b.lines = slices.Delete(b.lines, at, min(at+1+g.IntN(3), len(b.lines)-1))
	case 1:
		indent := b.lines[at][:len(b.lines[at])-len(strings.TrimLeft(b.lines[at], "\t"))]
		var fresh []string
		for range 1 + g.IntN(6) {
			fresh = append(fresh, indent+g.statement()+"\n")
		}
		b.lines = slices.Insert(b.lines, at, fresh...)
	case 2:
		indent := b.lines[at][:len(b.lines[at])-len(strings.TrimLeft(b.lines[at], "\t"))]
		end := min(at+1+g.IntN(3), len(b.lines)-1)
		fresh := []string{indent + "if " + g.word() + " {\n"}
		for _, line := range b.lines[at:end] {
			fresh = append(fresh, "\t"+line)
		}
		b.lines = slices.Replace(b.lines, at, end, append(fresh, indent+"}\n")...)
	default:
		for range 1 + g.IntN(2) {
			line := b.lines[at]
			if all := word.FindAllStringIndex(line, -1); len(all) > 0 {
				w := all[g.IntN(len(all))]
				b.lines[at] = line[:w[0]] + g.word() + line[w[1]:]
			}
			at = min(at+1, len(b.lines)-1)
		}
	}
}

func (g *grower) word() string { return g.words[g.IntN(len(g.words))] }

func (g *grower) statement() string {
	switch g.IntN(6) {
	case 0:
		return "return nil"
	case 1:
		return ""
	case 2:
		return "}"
	case 3:
		return "// " + g.word() + " " + g.word() + " the " + g.word() + "."
	}
	return g.word() + " := " + g.word() + "(" + g.word() + ")"
}

// lives are grown from files of Go's standard library.
func lives(t testing.TB) []life {
	t.Helper()
	var all []life
	for i, f := range []struct {
		name  string
		steps int
	}{{"strings/strings.go", 150}, {"net/http/server.go", 300}, {"go/ast/ast.go", 200}, {"fmt/print.go", 250}} {
		all = append(all, grow(f.name, gosource.Read(t, f.name), f.steps, rand.New(rand.NewPCG(uint64(i), 11))))
	}
	return all
}

// realLives are files of the repositories that TOOLPATH_TEST_HISTORIES names, as
// in "dir:path,path;dir:path".
func realLives(t testing.TB) []life {
	t.Helper()
	var all []life
	for repo := range strings.SplitSeq(os.Getenv("TOOLPATH_TEST_HISTORIES"), ";") {
		dir, files, _ := strings.Cut(repo, ":")
		for name := range strings.SplitSeq(files, ",") {
			if name != "" {
				all = append(all, readLife(t, dir, name))
			}
		}
	}
	return all
}

// readLife reads the first-parent history of a file, renames included.
func readLife(t testing.TB, dir, name string) life {
	t.Helper()
	l := life{name: name}
	log := git(t, dir, "", "log", "--first-parent", "--follow", "--format=commit %H", "--name-only", "HEAD", "--", name)
	var ask strings.Builder
	parts := regexp.MustCompile(`(?m)^commit `).Split(log, -1)[1:]
	for _, part := range slices.Backward(parts) {
		fields := strings.Fields(part)
		fmt.Fprintf(&ask, "%s:%s\n", fields[0], fields[1])
	}
	out := git(t, dir, ask.String(), "cat-file", "--batch")
	for out != "" {
		head, rest, _ := strings.Cut(out, "\n")
		var id, kind string
		var n int
		if _, err := fmt.Sscan(head, &id, &kind, &n); err != nil {
			out = rest
			continue
		}
		if now := rest[:n]; len(l.versions) == 0 || l.versions[len(l.versions)-1] != now {
			l.versions = append(l.versions, now)
		}
		out = rest[n+1:]
	}
	return l
}

// A dialect writes what a step did as a producer does.
type dialect struct {
	name  string
	write func(r *rand.Rand, a, b string) []provenance.Edit
}

func one(raw string) []provenance.Edit { return []provenance.Edit{{Raw: raw, HasRaw: true}} }

var header = regexp.MustCompile(`(?m)^@@ .*`)

var dialects = []dialect{
	{"unified diff", func(_ *rand.Rand, a, b string) []provenance.Edit { return one(unified(a, b, 3)) }},
	{"no context", func(_ *rand.Rand, a, b string) []provenance.Edit { return one(unified(a, b, 0)) }},
	{"no numbers", func(_ *rand.Rand, a, b string) []provenance.Edit {
		return one(header.ReplaceAllString(unified(a, b, 3), "@@"))
	}},
	{"neither", func(_ *rand.Rand, a, b string) []provenance.Edit {
		return one(header.ReplaceAllString(unified(a, b, 0), "@@"))
	}},
	{"CRLF diff", func(_ *rand.Rand, a, b string) []provenance.Edit {
		return one(strings.ReplaceAll(unified(a, b, 3), "\n", "\r\n"))
	}},
	{"agent edits", func(_ *rand.Rand, a, b string) []provenance.Edit { return replacements(a, b, false, writeEdit) }},
	{"agent edits of fragments", func(_ *rand.Rand, a, b string) []provenance.Edit { return replacements(a, b, true, writeEdit) }},
	{"old and new side only", func(_ *rand.Rand, a, b string) []provenance.Edit { return replacements(a, b, false, writeSides) }},
	{"truncated", func(r *rand.Rand, a, b string) []provenance.Edit { return one(truncated(r, unified(a, b, 3))) }},
}

// replacements are the edits of a tool that replaces a text which occurs once.
func replacements(a, b string, fragments bool, write func(old, now []string, before, after, part, parts int) string) []provenance.Edit {
	old, now := linediff.Split([]byte(a)), linediff.Split([]byte(b))
	text := strings.SplitAfter(a, "\n")
	if text[len(text)-1] == "" {
		text = text[:len(text)-1]
	}
	hunks := linediff.Lines(old, now, linediff.Options{IndentHeuristic: true, NoContext: true})
	var raw strings.Builder
	shift := 0
	for i, h := range hunks {
		from, to := h.OldStart+shift, h.OldEnd+shift
		var fresh []string
		for _, line := range now[h.NewStart:h.NewEnd] {
			fresh = append(fresh, string(line))
		}
		raw.WriteString(replacement(text, from, to, fresh, fragments, write, i+1, len(hunks)))
		text = slices.Replace(text, from, to, fresh...)
		shift += len(fresh) - (to - from)
	}
	return []provenance.Edit{{Raw: raw.String(), HasRaw: true, Snippet: true}}
}

// replacement writes the replacement of lines [from,to), with as much around
// them as makes the old text unique.
func replacement(text []string, from, to int, fresh []string, fragments bool, write func(old, now []string, before, after, part, parts int) string, part, parts int) string {
	whole := strings.Join(text, "")
	unique := func(old string) bool {
		return old != "" && strings.Index(whole, old) == strings.LastIndex(whole, old)
	}
	if fragments && to == from+1 && len(fresh) == 1 {
		if old, now := differing(strings.TrimSuffix(text[from], "\n"), strings.TrimSuffix(fresh[0], "\n")); unique(old) {
			return write([]string{old}, []string{now}, 0, 0, part, parts)
		}
	}
	a, b := from, to
	for before := true; ; before = !before {
		old := slices.Clone(text[a:b])
		now := slices.Concat(text[a:from], fresh, text[to:b])
		if fragments && (b > to || to > from && len(fresh) > 0) && len(old[len(old)-1]) > 1 && len(now[len(now)-1]) > 1 {
			old[len(old)-1] = strings.TrimSuffix(old[len(old)-1], "\n")
			now[len(now)-1] = strings.TrimSuffix(now[len(now)-1], "\n")
		}
		if unique(strings.Join(old, "")) || a == 0 && b == len(text) {
			return write(old, now, from-a, b-to, part, parts)
		}
		if before && a > 0 || b == len(text) {
			a--
		} else {
			b++
		}
	}
}

// differing are the parts of two lines between what they have in common, whole
// words.
func differing(a, b string) (string, string) {
	blank := func(s string, i int) bool { return i == 0 || i == len(s) || !word.MatchString("xxx"+s[i:i+1]) }
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	for head > 0 && !(blank(a, head-1) && blank(b, head-1)) {
		head--
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	for tail > 0 && !blank(a, len(a)-tail) {
		tail--
	}
	return a[head : len(a)-tail], b[head : len(b)-tail]
}

// writeEdit writes the diff of the two sides, as the reference derivers do, which
// have before and after lines in common at their ends.
func writeEdit(old, now []string, before, after, part, parts int) string {
	var b strings.Builder
	if parts > 1 {
		fmt.Fprintf(&b, "# edit %d/%d\n", part, parts)
	}
	b.WriteString("--- a/f\n+++ b/f\n--- \n+++ \n")
	from, to := linediff.Split([]byte(strings.Join(old, ""))), linediff.Split([]byte(strings.Join(now, "")))
	change := linediff.Hunk{OldStart: before, OldEnd: len(from) - after, NewStart: before, NewEnd: len(to) - after}
	writeHunk(&b, from, to, []linediff.Hunk{change}, 1000)
	return b.String() + "\n"
}

// writeSides writes both sides as one hunk without context.
func writeSides(old, now []string, _, _, part, parts int) string {
	var b strings.Builder
	if parts > 1 {
		fmt.Fprintf(&b, "# edit %d/%d\n", part, parts)
	}
	fmt.Fprintf(&b, "@@ -1,%d +1,%d @@\n", len(old), len(now))
	for _, line := range old {
		b.WriteString("-" + strings.TrimSuffix(line, "\n") + "\n")
	}
	for _, line := range now {
		b.WriteString("+" + strings.TrimSuffix(line, "\n") + "\n")
	}
	return b.String()
}

// truncated cuts one hunk in four short.
func truncated(r *rand.Rand, raw string) string {
	var b strings.Builder
	for i, hunk := range strings.Split(raw, "\n@@ ") {
		if i > 0 {
			b.WriteString("\n@@ ")
		}
		if lines := strings.Split(hunk, "\n"); r.IntN(4) == 0 && len(lines) > 4 {
			hunk = strings.Join(lines[:2+r.IntN(len(lines)-3)], "\n") + "\n..."
		}
		b.WriteString(hunk)
	}
	return b.String()
}

// record writes a life down in a dialect, with one step in so many left out
// (0: none).
func (l life) record(d dialect, without float64, base bool, seed uint64) (h provenance.History, missing map[int]bool) {
	r := rand.New(rand.NewPCG(seed, 5))
	missing = map[int]bool{}
	if base {
		h.Base = &l.versions[0]
	}
	for i := 1; i < len(l.versions); i++ {
		if r.Float64() < without {
			missing[i] = true
			continue
		}
		for _, e := range d.write(r, l.versions[i-1], l.versions[i]) {
			e.Step = provenance.StepID(i)
			h.Edits = append(h.Edits, e)
		}
	}
	return h, missing
}

// score counts lines.
type score struct {
	lines, right, wrong, silent int
	recorded, recordedRight     int // of the lines that a recorded step wrote
	named, namedRight           [8]int
}

func (s *score) add(o score) {
	s.lines, s.right, s.wrong, s.silent = s.lines+o.lines, s.right+o.right, s.wrong+o.wrong, s.silent+o.silent
	s.recorded, s.recordedRight = s.recorded+o.recorded, s.recordedRight+o.recordedRight
	for g := range s.named {
		s.named[g] += o.named[g]
		s.namedRight[g] += o.namedRight[g]
	}
}

func percent(a, b int) float64 {
	if b == 0 {
		return 100
	}
	return 100 * float64(a) / float64(b)
}

// judge compares what is said of the lines with the truth. A line of the base or
// of a missing step is right as long as no step is named for it.
func judge(o *provenance.Overlay, truth []int, missing map[int]bool) score {
	var s score
	for i, want := range truth {
		if missing[want] {
			want = 0
		}
		line := o.Line(i)
		got := 0
		if line.State == provenance.StateRecorded && line.Grade != provenance.GradeUnrecorded {
			got = int(o.Projection().Ident(line.ID).Step)
			s.named[line.Grade]++
			if got == want {
				s.namedRight[line.Grade]++
			}
		}
		s.lines++
		if want > 0 {
			s.recorded++
			if got == want {
				s.recordedRight++
			}
		}
		switch {
		case got == want:
			s.right++
		case got == 0:
			s.silent++
		default:
			s.wrong++
		}
	}
	return s
}
