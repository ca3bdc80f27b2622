package rules

import (
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/schema"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// kindValues returns the places at which the paths of a document declare their kind.
func kindValues(m *toolpath.Document) (all []jsonsrc.Value) {
	if m == nil {
		return nil
	}
	add := func(v jsonsrc.Value) {
		if v.Kind() == jsonsrc.String {
			all = append(all, v)
		}
	}
	for _, p := range m.Paths {
		add(p.Meta.Get("kind"))
	}
	eachVariant(m, "PathMeta", func(body jsonsrc.Value) { add(body.Get("patch").Get("kind")) })
	return all
}

// kindsMeant returns the known kinds that a spelling of none of them probably means: the
// versions of a host or scheme that changed, or all of a name without version.
func kindsMeant(kind string) []string {
	const name = "agent-coding-session"
	_, version, ok := strings.Cut(strings.ToLower(kind), name)
	if !ok {
		return nil
	}
	version = "v" + strings.TrimLeft(strings.TrimRight(version, "/ "), "/@:v -_")
	if version == "v" {
		return schema.SessionKinds[:]
	}
	for _, known := range schema.SessionKinds {
		if strings.HasSuffix(known, "/"+version) {
			return []string{known}
		}
	}
	return nil
}

// offerKinds adds a fix for each kind that may be meant.
func offerKinds(d *analysis.Diagnostic, at jsonsrc.Value, kinds []string) {
	for _, k := range kinds {
		d.Fix(analysis.Fix{Title: "Write " + k, Edits: []analysis.TextEdit{{Start: at.Start(), End: at.End(), New: `"` + k + `"`}}})
	}
}

// turn is what the accounting rules of the kind need of a conversation.append; it stays
// with the step, so that its nodes are places in the step's chunk.
type turn struct {
	group            string
	groupAt          uint32
	structural       uint32
	usageAt, shareAt uint32 // token_usage and attributed_token_usage
	usage, share     tokens
}

// tokens are the counts of a usage, in the order of tokenClasses; -1 for one that is not
// told.
type tokens [4]int64

var tokenClasses = [...]string{"input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"}

func tokensOf(usage jsonsrc.Value) (t tokens) {
	for i, class := range tokenClasses {
		t[i] = count(usage.Get(class))
	}
	return t
}

// count reads a number of tokens, -1 if it is none.
func count(v jsonsrc.Value) int64 {
	const most = 1 << 53
	if v.Kind() != jsonsrc.Number {
		return -1
	}
	var n int64
	for _, c := range v.Bytes() {
		if c < '0' || c > '9' {
			return -1
		}
		n = min(n*10+int64(c-'0'), most)
	}
	return n
}

// operation is a change of a step that has a structural perspective.
type operation struct {
	key, structural, name jsonsrc.Value // name is the type
}

// sessionOperations are the structural perspectives of a step in an agent session.
var sessionOperations = &analysis.Fact{Name: "operations", Of: func(p *analysis.StepPass) any {
	if p.Kind == "" || !toolpath.IsAgentSession(p.Kind) {
		return nil
	}
	if all := operationsOf(p.Step); all != nil {
		return all
	}
	return nil
}}

func operationsOf(s toolpath.At) (all []operation) {
	for key, change := range s.Value(s.Nodes.Change).Members() {
		structural := change.Get("structural")
		if name := structural.Get("type"); name.Kind() == jsonsrc.String {
			all = append(all, operation{key, structural, name})
		}
	}
	return all
}

// eachOperation visits the structural perspectives of a step that have the type; the rule
// needs sessionOperations.
func eachOperation(p *analysis.StepPass, name string, visit func(key, structural jsonsrc.Value)) {
	for _, op := range p.Fact().([]operation) {
		if op.name.Is(name) {
			visit(op.key, op.structural)
		}
	}
}

// keepTurn keeps the step's turn, if the kind of its path accounts by group (version 1.1.0
// and later).
func keepTurn(p *analysis.StepPass) {
	if schema.SessionOf(p.Kind) < schema.Session110 {
		return
	}
	t := p.Shared("turn", func() any {
		var t *turn
		eachOperation(p, "conversation.append", func(_, structural jsonsrc.Value) { t = newTurn(structural) })
		return t
	}).(*turn)
	if t != nil {
		p.Keep("turn", t)
	}
}

func newTurn(structural jsonsrc.Value) *turn {
	t := &turn{structural: structural.Node()}
	if v := structural.Get("group_id"); v.Kind() == jsonsrc.String {
		t.group, t.groupAt = v.Text(), v.Node()
	}
	if v := structural.Get("token_usage"); v.Kind() == jsonsrc.Object {
		t.usageAt, t.usage = v.Node(), tokensOf(v)
	}
	if v := structural.Get("attributed_token_usage"); v.Kind() == jsonsrc.Object {
		t.shareAt, t.share = v.Node(), tokensOf(v)
	}
	return t
}

// group is the turns that share a group_id, in the order of the document. A turn that has
// none is a group by itself.
type group struct {
	id    string
	turns []turnAt
	apart []int // indexes into turns: those before which turns of others stand
}

// turnAt is a turn at its place.
type turnAt struct {
	*turn
	step toolpath.At
	at   int // in the order of all turns of the path
}

func (t turnAt) value(node uint32) jsonsrc.Value { return t.step.Value(node) }

func (g *group) last() turnAt { return g.turns[len(g.turns)-1] }

// groupsOf returns the groups of a document's turns in which there is something to compare:
// those of several turns, and turns that have both a usage and a share of it.
func groupsOf(p *analysis.Pass) []*group {
	return p.Shared("groups", func() any { return groupsOfAll(p.Kept["turn"]) }).([]*group)
}

func groupsOfAll(kept []analysis.Kept) (all []*group) {
	for len(kept) > 0 {
		n := 1
		for n < len(kept) && kept[n].Path == kept[0].Path {
			n++
		}
		all = append(all, groupsOfPath(kept[:n])...)
		kept = kept[n:]
	}
	return all
}

func groupsOfPath(kept []analysis.Kept) (all []*group) {
	alone := make(map[string]int, len(kept)) // the one turn of a group that has no more yet
	made := make(map[string]*group)
	start := func(i int) *group {
		t := kept[i].Fact.(*turn)
		g := &group{id: t.group}
		g.add(kept[i], i)
		if all = append(all, g); t.groupAt != 0 {
			made[t.group] = g
		}
		return g
	}
	for i, k := range kept {
		t := k.Fact.(*turn)
		if g := made[t.group]; g != nil && t.groupAt != 0 {
			g.add(k, i)
			continue
		}
		first, known := alone[t.group]
		switch {
		case t.groupAt != 0 && known:
			start(first).add(k, i)
		case t.shareAt != 0 && t.usageAt != 0:
			start(i)
		case t.groupAt != 0:
			alone[t.group] = i
		}
	}
	return all
}

func (g *group) add(k analysis.Kept, at int) {
	if n := len(g.turns); n > 0 && g.turns[n-1].at != at-1 {
		g.apart = append(g.apart, n)
	}
	g.turns = append(g.turns, turnAt{k.Fact.(*turn), k.At(), at})
}
