package toolpath

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

// pathOf builds a path from lines such as "c: a b", a step and its parents.
func pathOf(head string, lines ...string) *Path {
	var b strings.Builder
	for i, l := range lines {
		id, parents, _ := strings.Cut(l, ":")
		quoted := []string{}
		for _, p := range strings.Fields(parents) {
			quoted = append(quoted, fmt.Sprintf("%q", p))
		}
		fmt.Fprintf(&b, `%s{"step":{"id":%q,"parents":[%s],"actor":"human:a","timestamp":"2026-01-29T10:00:00Z"},"change":{}}`,
			strings.Repeat(",", min(i, 1)), id, strings.Join(quoted, ","))
	}
	src := fmt.Sprintf(`{"graph":{"id":"g"},"paths":[{"path":{"id":"p","head":%q},"steps":[%s]}]}`, head, b.String())
	return Build(jsonsrc.Parse([]byte(src), Layout), nil).Paths[0]
}

func ids(p *Path, steps []int) string {
	var out []string
	for _, i := range steps {
		out = append(out, p.Steps.At(i).ID)
	}
	return strings.Join(out, " ")
}

func TestDAG(t *testing.T) {
	p := pathOf("f", "a:", "b: a", "c: b", "dead: b", "d: b", "e: c d", "f: e nothing")
	d := p.DAG()
	if got := ids(p, d.MainLine(d.Head)); got != "f e c b a" {
		t.Errorf("the main line is %s", got)
	}
	var dead []int
	for i, active := range d.Active {
		if !active {
			dead = append(dead, i)
		}
	}
	if got := ids(p, dead); got != "dead" {
		t.Errorf("dead ends: %s", got)
	}
	if want := []int32{int32(p.Find("e")), -1}; !slices.Equal(d.Parents.At(p.Find("f")), want) {
		t.Errorf("parents of f are %v, want %v", d.Parents.At(p.Find("f")), want)
	}
	if got := ids(p, p.Tips()); got != "dead f" {
		t.Errorf("tips: %s", got)
	}
}

func TestCyclesAreFoundOnce(t *testing.T) {
	for _, c := range []struct {
		lines []string
		want  string
	}{
		{[]string{"a: b", "b: a"}, "a b"},
		{[]string{"a: a"}, "a"},
		{[]string{"a:", "b: a d", "c: b", "d: c"}, "b d c"},
		{[]string{"a: b", "b: a", "c: d", "d: e", "e: c"}, "a b; c d e"},
		{[]string{"a:", "b: a", "c: a b"}, ""},
	} {
		p := pathOf("a", c.lines...)
		var got []string
		for _, cycle := range p.DAG().Cycles {
			got = append(got, ids(p, cycle))
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("%v: cycles %q, want %q", c.lines, s, c.want)
		}
		p.DAG().MainLine(0)
	}
}

func TestFirstOfTwoEqualIDsIsFound(t *testing.T) {
	p := pathOf("a", "a:", "b:", "a: b")
	if p.Find("a") != 0 || p.Find("b") != 1 || p.Find("") != -1 {
		t.Errorf("found %d %d %d", p.Find("a"), p.Find("b"), p.Find(""))
	}
}

func TestStreamSealsToOnePath(t *testing.T) {
	src := `{"PathOpen":{"version":"1","id":"p","meta":{"title":"a"}}}
{"ActorDef":{"actor":"human:a","definition":{"name":"A"}}}
{"Step":{"step":{"id":"s1","actor":"human:a","timestamp":"2026-01-29T10:00:00Z"},"change":{}}}
{"Step":{"step":{"id":"s2","parents":["s1"],"actor":"human:a","timestamp":"2026-01-29T10:00:00Z"},"change":{}}}
{"PathMeta":{"patch":{"title":"b"}}}
{"ActorDef":{"actor":"human:a","definition":{"name":"B"}}}
`
	d := Build(jsonsrc.ParseLines([]byte(src)), nil)
	p := d.Paths[0]
	if p.ID != "p" || p.Head != "s2" || p.Title() != "b" || p.Steps.Len() != 2 {
		t.Errorf("path %s head %s title %s with %d steps", p.ID, p.Head, p.Title(), p.Steps.Len())
	}
	if a, ok := p.Actor(p.Steps.At(0), "human:a"); !ok || a.Name != "B" {
		t.Errorf("human:a is %q, the later definition replaces the earlier", a.Name)
	}
	d = Build(jsonsrc.ParseLines([]byte(src+`{"Head":{"step_id":"s1"}}`)), nil)
	if d.Paths[0].Head != "s1" {
		t.Errorf("head %s", d.Paths[0].Head)
	}
}

func TestTimestamps(t *testing.T) {
	for s, want := range map[string]bool{
		"2026-01-29T10:00:00Z":            true,
		"2026-01-29T10:00:00.123456789Z":  true,
		"2026-01-29T10:00:00+05:30":       true,
		"2016-12-31T23:59:60Z":            true,
		"2017-01-01T05:29:60+05:30":       true,
		"2026-01-29t10:00:00z":            true,
		"2016-12-31t23:59:60z":            true,
		"2016-12-31T22:59:60Z":            false,
		"2026-01-29 10:00:00Z":            false,
		"2026-01-29":                      false,
		"2026-01-29T10:00:00":             false,
		"2026-02-30T10:00:00Z":            false,
		"2026-01-29T1:00:00Z":             false,
		"2026-01-29T10:00:00,5Z":          false,
		"2026-01-29T10:00:00+25:00":       false,
		"2026-01-29T10:00:00+05:77":       false,
		"":                                false,
		"2026-01-29T10:00:00.Z":           false,
		"2026-01-29T24:00:00Z":            false,
		"2026-01-29T10:00:00.1234567890Z": true,
	} {
		if _, ok := ParseTimestamp(s); ok != want {
			t.Errorf("%q is a timestamp: %v, want %v", s, ok, want)
		}
	}
}

// What is read by hand is what package time reads.
func TestTimestampsReadAsPackageTimeReadsThem(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	read := 0
	for range 20_000 {
		s := []byte(fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:%02d%sZ", rng.IntN(3000), rng.IntN(14), rng.IntN(33), rng.IntN(26), rng.IntN(62), rng.IntN(62), []string{"", ".123", ".9", ",123"}[rng.IntN(4)]))
		if rng.IntN(4) == 0 {
			s[rng.IntN(len(s))] = "0 9-T:.Zx"[rng.IntN(9)]
		}
		got, ok := inUTC(s)
		if !ok {
			continue
		}
		read++
		if want, err := time.Parse(time.RFC3339Nano, string(s)); err != nil || got != want {
			t.Fatalf("%s reads as %v, package time says %v %v", s, got, want, err)
		}
	}
	if read < 5000 {
		t.Errorf("only %d were read", read)
	}
}

func TestActorFaults(t *testing.T) {
	for s, want := range map[string]string{
		"human:alex": "", "agent:gpt-5.5": "", "tool:rustfmt/1.5.0": "",
		"agent:anthropic/claude/x": "one suffix",
		"human:a b":                `" " is not`, "human:müller": `"ü" is not`,
		"nobody": "kind:name", "robot:x": "before the colon", "human:": "missing", "tool:x/": "empty", "Human:x": "before the colon",
	} {
		if got := ActorFault(s); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

func TestShapeIsTakenOverWhileNoEdgeChanges(t *testing.T) {
	p := pathOf("c", "a:", "b: a", "c: b")
	build := func(from, to string) (*Path, *Path) {
		src := p.Doc.Tree.Source()
		next := strings.Replace(string(src), from, to, 1)
		return p, Build(jsonsrc.Parse([]byte(next), Layout), p.Doc).Paths[0]
	}
	if p, q := build("human:a", "human:b"); p.DAG() != q.DAG() {
		t.Error("another actor made a new DAG")
	}
	for _, edit := range [][2]string{{`["a"]`, `["c"]`}, {`"id":"b"`, `"id":"x"`}, {`"head":"c"`, `"head":"b"`}} {
		if p, q := build(edit[0], edit[1]); p.DAG() == q.DAG() {
			t.Errorf("%s -> %s kept the old DAG", edit[0], edit[1])
		}
	}
}
