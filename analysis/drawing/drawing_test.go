package drawing

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// document opens a document with one path: a line for each step, "id < parents" with what
// else is to be known of it behind it, such as "a < b c @agent:x".
func document(t testing.TB, head string, lines ...string) *analysis.Document {
	t.Helper()
	type step struct {
		Step struct {
			ID        string   `json:"id"`
			Parents   []string `json:"parents,omitempty"`
			Actor     string   `json:"actor"`
			Timestamp string   `json:"timestamp"`
		} `json:"step"`
		Change map[string]any `json:"change"`
		Meta   map[string]any `json:"meta"`
	}
	steps := []step{}
	for i, line := range lines {
		var s step
		s.Step.Actor, s.Step.Timestamp = "human:mira", fmt.Sprintf("2026-01-01T%02d:%02d:00Z", i/60%24, i%60)
		s.Change = map[string]any{"a.txt": map[string]any{"raw": "@@ -1 +1 @@\n-</script>\n+new\n"}}
		s.Meta = map[string]any{"intent": "intent of " + line}
		for k, word := range strings.Fields(line) {
			switch {
			case k == 0:
				s.Step.ID = word
			case word == "<":
			case word[0] == '@':
				s.Step.Actor = word[1:]
			default:
				s.Step.Parents = append(s.Step.Parents, word)
			}
		}
		steps = append(steps, s)
	}
	text, err := json.Marshal(map[string]any{"graph": map[string]any{"id": "g"}, "paths": []any{map[string]any{
		"path": map[string]any{"id": "p", "head": head}, "steps": steps, "meta": map[string]any{"title": "A <title>"}}}})
	if err != nil {
		t.Fatal(err)
	}
	w := analysis.NewWorkspace(&analysis.Options{}, nil)
	return w.Open("file:///w/a.path.json", "toolpath", 1, string(text)).Document("file:///w/a.path.json")
}

func textOf(t testing.TB, d *analysis.Document) string {
	t.Helper()
	var b strings.Builder
	if err := Of(d, Options{}, nil).WriteText(&b); err != nil {
		t.Fatal(err)
	}
	checkMarks(t, Of(d, Options{}, nil), b.String())
	_, rows, _ := strings.Cut(b.String(), "\n")
	return regexp.MustCompile(` ·.*`).ReplaceAllString(rows, "")
}

// checkMarks expects that each step has its mark where it is said to be.
func checkMarks(t testing.TB, d *Drawing, want string) {
	t.Helper()
	drawn, all := d.Text()
	if drawn != want {
		t.Errorf("Text draws %q, WriteText %q", drawn, want)
	}
	steps := 0
	for _, p := range d.Paths {
		steps += len(p.Steps)
	}
	if len(all) != steps {
		t.Errorf("there are %d marks of %d steps", len(all), steps)
	}
	for _, m := range all {
		s := d.Paths[m.Path].Steps[m.Step]
		line, _, _ := strings.Cut(drawn[m.Start:], "\n")
		if mark := drawn[m.Start:m.End]; !strings.Contains("●○◆◇■□▲△", mark) || !strings.Contains(line, "  "+s.ID+" · ") {
			t.Errorf("the mark of %s is %q in front of %q", s.ID, mark, line)
		}
	}
}

func TestTheMainLineIsStraightAndTheRestBesideIt(t *testing.T) {
	for _, c := range []struct {
		name, head string
		steps      []string
		want       string
	}{
		{"a chain", "c", []string{"a", "b < a @agent:x", "c < b @tool:y"}, `
■  c
◆  b
●  a
`},
		{"a dead end", "c", []string{"a", "dead < a @agent:x", "c < a"}, `
●    c
│ ◇  dead
├─╯
●    a
`},
		{"a dead end newer than the head", "b", []string{"a", "b < a", "dead < a @tool:x", "deader < dead @ci:x"}, `
  △  deader
  □  dead
● │  b
├─╯
●    a
`},
		{"a merge", "m", []string{"a", "b < a", "c < a", "d < c", "m < b d"}, `
●    m
├─╮
│ ●  d
│ ●  c
● │  b
├─╯
●    a
`},
		{"a merge of what is in the line already", "c", []string{"a", "b < a", "c < b a"}, `
●    c
├─╮
● │  b
├─╯
●    a
`},
		{"branches one after the other share a lane", "e", []string{"a", "b < a", "c < a b", "d < c", "e < c d"}, `
●    e
├─╮
│ ●  d
├─╯
●    c
├─╮
│ ●  b
├─╯
●    a
`},
		{"two roots", "c", []string{"a", "b", "c < a b"}, `
●    c
├─╮
│ ●  b
●    a
`},
		{"a parent that is not here", "b", []string{"b < gone"}, "\n●  b\n"},
		{"no head", "gone", []string{"a", "b < a"}, "\n●  b\n●  a\n"},
		{"a step that is its own parent", "a", []string{"a < a"}, "\n●  a\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := "\n" + textOf(t, document(t, c.head, c.steps...)); got != c.want {
				t.Errorf("drawn:%s\nwant:%s", got, c.want)
			}
		})
	}
}

// randomDocument makes a path of any shape: branches, merges, parents that are not there,
// and cycles if they are wanted.
func randomDocument(t testing.TB, r *rand.Rand, n int, cycles bool) *analysis.Document {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf("s%d <", i)
		for range r.IntN(3) {
			parent := i
			switch {
			case cycles && r.IntN(10) == 0:
				parent = r.IntN(n)
			case i > 0:
				parent = i - 1 - r.IntN(min(i, 6))
			default:
				continue
			}
			lines[i] += fmt.Sprintf(" s%d", parent)
		}
	}
	return document(t, fmt.Sprintf("s%d", r.IntN(n+1)), lines...)
}

func checkLayout(t *testing.T, d *analysis.Document, cycles bool) {
	t.Helper()
	p := d.Model().Paths[0]
	l := Lay(p)
	rows := slices.Clone(l.Order)
	slices.Sort(rows)
	for i := range rows {
		if rows[i] != i || l.Order[l.Row[i]] != i {
			t.Fatalf("the rows are no permutation of the steps: %v", l.Order)
		}
	}
	onMainLine := map[int]bool{}
	if head := p.DAG().Head; head >= 0 {
		for _, i := range p.DAG().MainLine(head) {
			onMainLine[i] = true
			if l.Lane[i] != 0 && !cycles {
				t.Errorf("step %d is on the main line, and in lane %d", i, l.Lane[i])
			}
		}
		for i, lane := range l.Lane {
			if lane == 0 && !onMainLine[i] {
				t.Errorf("step %d is in lane 0, but not on the main line", i)
			}
		}
	}
	// Every edge to a step that is there is drawn once, down unless there are cycles.
	want := map[[2]int]bool{}
	for i, parents := range p.DAG().Parents.All() {
		for _, parent := range parents {
			if parent >= 0 && int(parent) != i {
				want[[2]int{i, int(parent)}] = true
			}
		}
	}
	for _, e := range l.Edges {
		if !want[[2]int{e.From, e.To}] {
			t.Errorf("the edge from %d to %d is drawn twice, or is none", e.From, e.To)
		}
		delete(want, [2]int{e.From, e.To})
		if !cycles && l.Row[e.To] <= l.Row[e.From] || e.Against != (l.Row[e.To] < l.Row[e.From]) {
			t.Errorf("the edge from row %d leads to row %d, against %v", l.Row[e.From], l.Row[e.To], e.Against)
		}
	}
	if len(want) > 0 {
		t.Errorf("edges are missing: %v", want)
	}
	// No edge runs through a step that it does not belong to.
	if l.Lanes < maxLanes {
		for _, e := range l.Edges {
			for row := min(l.Row[e.From], l.Row[e.To]) + 1; row < max(l.Row[e.From], l.Row[e.To]); row++ {
				if l.Lane[l.Order[row]] == e.Lane {
					t.Errorf("the edge from %d to %d runs through step %d", e.From, e.To, l.Order[row])
				}
			}
		}
	}
}

func TestLayoutOfAnyGraph(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		cycles := seed%3 == 0
		checkLayout(t, randomDocument(t, r, 1+r.IntN(40), cycles), cycles)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func TestManyDeadEndsStayInBounds(t *testing.T) {
	lines := []string{"a"}
	for i := range 3000 {
		lines = append(lines, fmt.Sprintf("d%d < a", i))
	}
	d := Of(document(t, "a", lines...), Options{}, nil)
	if lanes := d.Paths[0].Lanes; lanes != maxLanes {
		t.Errorf("%d lanes, want %d", lanes, maxLanes)
	}
	if err := d.WriteText(io.Discard); err != nil {
		t.Error(err)
	}
}

// hostile is a document whose texts try to leave their places.
func hostile(t *testing.T) *Drawing {
	return Of(document(t, "b", `a</script><b>`, `b < a</script><b> @agent:x"><!--]]>&\`), Options{Diffs: DefaultDiffs}, nil)
}

func TestThePageIsOneFileThatRunsItsOwnScriptOnly(t *testing.T) {
	page, err := hostile(t).HTML()
	if err != nil {
		t.Fatal(err)
	}
	html := string(page)
	policy := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(html)
	if policy == nil {
		t.Fatal("the page has no policy")
	}
	between := func(before, after string) string {
		_, rest, ok := strings.Cut(html, before)
		inside, _, closed := strings.Cut(rest, after)
		if !ok || !closed {
			t.Fatalf("the page has no %s", before)
		}
		return inside
	}
	for _, want := range []string{"default-src 'none'", "script-src '" + hash(between("<script>", "</script>")) + "'", "style-src '" + hash(between("<style>", "</style>")) + "'"} {
		if !strings.Contains(policy[1], want) {
			t.Errorf("the policy has no %s: %s", want, policy[1])
		}
	}
	if n := strings.Count(html, "</script>"); n != 2 {
		t.Errorf("%d script elements end, want 2: a text ends one", n)
	}
	for _, pattern := range []string{`\ssrc=`, `<link`, `url\(`, `@import`, `innerHTML`, `https?://(?!www\.w3\.org)`} {
		if strings.Contains(pattern, "(?!") {
			for _, u := range regexp.MustCompile(`https?://[^\s'"]*`).FindAllString(pageScript+pageStyle, -1) {
				if u != "http://www.w3.org/2000/svg" {
					t.Errorf("the page names %s", u)
				}
			}
		} else if regexp.MustCompile(pattern).MatchString(pageScript + pageStyle) {
			t.Errorf("the page has %s", pattern)
		}
	}
	var d Drawing
	if err := json.Unmarshal([]byte(between(`id="data">`, "</script>")), &d); err != nil {
		t.Fatal(err)
	}
	if s := d.Paths[0].Steps[1]; s.ID != "a</script><b>" || !strings.Contains(s.Diff, "-</script>\n") {
		t.Errorf("the step reads %q with the diff %q", s.ID, s.Diff)
	}
}

func TestDiffsAreTakenAlongUpToABoundTheNewestFirst(t *testing.T) {
	d := document(t, "b", "a", "b < a")
	one := len(Of(d, Options{Diffs: DefaultDiffs}, nil).Paths[0].Steps[0].Diff)
	if one == 0 {
		t.Fatal("no diff")
	}
	for _, c := range []struct {
		bound       int
		first, left bool // whether the newest has its diff, and the oldest only says that it has one
	}{{0, false, true}, {one, true, true}, {3 * one, true, false}} {
		steps := Of(d, Options{Diffs: c.bound}, nil).Paths[0].Steps
		if got := steps[0].Diff != ""; got != c.first {
			t.Errorf("with %d bytes: the newest step has its diff: %v", c.bound, got)
		}
		if steps[1].Left != c.left || (steps[1].Diff == "") != c.left {
			t.Errorf("with %d bytes: the oldest step: left %v, diff %q", c.bound, steps[1].Left, steps[1].Diff)
		}
	}
}

func TestSVGIsWellFormed(t *testing.T) {
	var b bytes.Buffer
	if err := hostile(t).WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	decoder := xml.NewDecoder(bytes.NewReader(b.Bytes()))
	text, nodes := "", 0
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, b.String())
		}
		switch token := token.(type) {
		case xml.CharData:
			text += string(token)
		case xml.StartElement:
			if slices.Contains([]string{"script", "foreignObject", "image", "a", "use"}, token.Name.Local) {
				t.Errorf("an element %s", token.Name.Local)
			}
			nodes++
		}
	}
	if !strings.Contains(text, "A <title>") || nodes < 8 {
		t.Errorf("%d elements, with the text %s", nodes, text)
	}
}

func TestDOTQuotesWhatItSays(t *testing.T) {
	var b strings.Builder
	if err := hostile(t).WriteDOT(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`p0_1 -> p0_0 [weight=10];`, `label="b\nx\"><!--]]>&\\\nintent of b`, "peripheries=2", "shape=hexagon"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
}

// TestColorsCanBeToldApart holds the colors to what people with and without color blindness
// see (Machado, Oliveira and Fernandes 2009; OKLab distance), and to the contrast that WCAG 2.1
// wants of graphics (1.4.11).
func TestColorsCanBeToldApart(t *testing.T) {
	const least, leastContrast = 0.1, 3
	for name, theme := range map[string]theme{"light": light, "dark": dark} {
		for i, a := range theme.actors {
			if c := contrast(a, theme.background); c < leastContrast {
				t.Errorf("%s: %s has the contrast %.1f", name, a, c)
			}
			for _, b := range theme.actors[:i] {
				for sight, seen := range sights {
					if d := distance(seen, a, b); d < least {
						t.Errorf("%s: with %s, %s and %s differ by %.3f", name, sight, a, b, d)
					}
				}
			}
		}
		for _, c := range []string{theme.text, theme.faint, theme.link} {
			if r := contrast(c, theme.background); r < 4.5 {
				t.Errorf("%s: text in %s has the contrast %.1f", name, c, r)
			}
		}
	}
}

var sights = map[string][3][3]float64{
	"full color vision": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":        {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia":      {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":        {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

func linear(hex string) (rgb [3]float64) {
	var b [3]int
	fmt.Sscanf(hex, "#%02x%02x%02x", &b[0], &b[1], &b[2])
	for i, v := range b {
		c := float64(v) / 255
		if rgb[i] = c / 12.92; c > 0.04045 {
			rgb[i] = math.Pow((c+0.055)/1.055, 2.4)
		}
	}
	return rgb
}

func times(m [3][3]float64, v [3]float64) (out [3]float64) {
	for i, row := range m {
		out[i] = row[0]*v[0] + row[1]*v[1] + row[2]*v[2]
	}
	return out
}

func contrast(a, b string) float64 {
	luminance := func(hex string) float64 {
		c := linear(hex)
		return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] + 0.05
	}
	x, y := luminance(a), luminance(b)
	return max(x, y) / min(x, y)
}

func distance(sight [3][3]float64, a, b string) float64 {
	lab := func(hex string) [3]float64 {
		c := times(sight, linear(hex))
		for i := range c {
			c[i] = min(max(c[i], 0), 1)
		}
		c = times([3][3]float64{{0.4122214708, 0.5363325363, 0.0514459929}, {0.2119034982, 0.6806995451, 0.1073969566}, {0.0883024619, 0.2817188376, 0.6299787005}}, c)
		for i := range c {
			c[i] = math.Cbrt(c[i])
		}
		return times([3][3]float64{{0.2104542553, 0.7936177850, -0.0040720468}, {1.9779984951, -2.4285922050, 0.4505937099}, {0.0259040371, 0.7827717662, -0.8086757660}}, c)
	}
	x, y := lab(a), lab(b)
	return math.Hypot(math.Hypot(x[0]-y[0], x[1]-y[1]), x[2]-y[2])
}

func BenchmarkPage(b *testing.B) {
	d := randomDocument(b, rand.New(rand.NewPCG(1, 1)), 10_000, false)
	d.Model().Paths[0].DAG()
	for b.Loop() {
		if _, err := Of(d, Options{Diffs: DefaultDiffs}, nil).HTML(); err != nil {
			b.Fatal(err)
		}
	}
}
