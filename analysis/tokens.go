package analysis

import (
	"slices"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// TokenKind says what a token names.
type TokenKind uint8

// The kinds of tokens.
const (
	StepToken TokenKind = iota
	HumanToken
	AgentToken
	ToolToken
	CIToken
)

// Token is a place with a meaning, without quotes.
type Token struct {
	Start, End int
	Kind       TokenKind
	Definition bool // a step's id, or an actor's key
	DeadEnd    bool
	Head       bool
}

var actorTokens = map[string]TokenKind{"human": HumanToken, "agent": AgentToken, "tool": ToolToken, "ci": CIToken}

// Tokens returns the step ids and actors of the text between two offsets, in order. It
// returns early, with a part, once done says so.
func (d *Document) Tokens(from, to int, done func() bool) []Token {
	m := d.Model()
	if m == nil {
		return nil
	}
	k := tokenizer{from: from, to: to, done: done}
	k.actorsOf(m.Meta)
	for _, p := range m.Paths {
		k.step(p, p.HeadVal, p.DAG().Head)
		k.actorsOf(p.Meta)
		k.steps(p)
		if m.Lines {
			k.lines(p)
		}
	}
	slices.SortFunc(k.tokens, func(a, b Token) int { return a.Start - b.Start })
	return slices.CompactFunc(k.tokens, func(a, b Token) bool { return a.Start == b.Start })
}

type tokenizer struct {
	from, to int
	done     func() bool
	tokens   []Token
}

// steps adds the tokens of the steps that lie between the offsets.
func (k *tokenizer) steps(p *toolpath.Path) {
	if p.Steps.Len() == 0 {
		return
	}
	chunk := p.Doc.Tree.ChunkIndex(k.from)
	first, _ := p.Steps.Search(chunk)
	for i := first; i < p.Steps.Len() && p.Steps.At(i).Offset() < k.to; i++ {
		if i%1024 == 0 && k.done() {
			return
		}
		s := p.Steps.At(i)
		k.step(p, s.Value(s.Nodes.ID), i)
		for n, parent := range s.ParentValues() {
			k.step(p, parent, int(p.DAG().Parents.At(i)[n]))
		}
		k.actor(s.Value(s.Nodes.Actor), s.Actor, false)
		if s.Nodes.Meta != 0 {
			k.actorsOf(s.Value(s.Nodes.Meta))
		}
	}
}

// lines adds the tokens of the lines that are no steps.
func (k *tokenizer) lines(p *toolpath.Path) {
	t := p.Doc.Tree
	for i := max(t.ChunkIndex(k.from), 0); i < t.NumChunks() && t.ChunkAt(i).Off < k.to; i++ {
		if i%1024 == 0 && k.done() {
			return
		}
		key, body := toolpath.Variant(t.Chunk(i))
		switch {
		case key.Is("ActorDef"):
			k.actor(body.Get("actor"), body.Get("actor").Text(), true)
		case key.Is("Signature"):
			signer := body.Get("signature").Get("signer")
			k.actor(signer, signer.Text(), false)
		case key.Is("Head"):
			id := body.Get("step_id")
			k.step(p, id, p.Find(id.Text()))
		}
	}
}

func (k *tokenizer) add(v jsonsrc.Value, t Token) {
	if v.Kind() != jsonsrc.String || !v.Closed() || v.End() < k.from || v.Start() > k.to || v.End()-v.Start() <= 2 {
		return
	}
	t.Start, t.End = v.Start()+1, v.End()-1
	k.tokens = append(k.tokens, t)
}

func (k *tokenizer) step(p *toolpath.Path, v jsonsrc.Value, i int) {
	if i < 0 {
		return
	}
	dag := p.DAG()
	k.add(v, Token{Kind: StepToken, Head: i == dag.Head, Definition: v.Valid() && v == p.Steps.At(i).Value(p.Steps.At(i).Nodes.ID),
		DeadEnd: dag.Head >= 0 && !dag.Active[i] && !p.IsAgentSession()})
}

func (k *tokenizer) actor(v jsonsrc.Value, actor string, definition bool) {
	if kind, ok := actorTokens[toolpath.ActorKind(actor)]; ok {
		k.add(v, Token{Kind: kind, Definition: definition})
	}
}

func (k *tokenizer) actorsOf(meta jsonsrc.Value) {
	if meta.End() < k.from || meta.Start() > k.to {
		return
	}
	for key := range meta.Get("actors").Members() {
		k.actor(key, key.Text(), true)
	}
	for _, sig := range meta.Get("signatures").Elements() {
		k.actor(sig.Get("signer"), sig.Get("signer").Text(), false)
	}
}
