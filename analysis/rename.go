package analysis

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
)

// Refusal is a reason why something cannot be done, for people.
type Refusal string

func (r Refusal) Error() string { return string(r) }

// DocumentEdits are edits of one document.
type DocumentEdits struct {
	Doc   *Document
	Edits []TextEdit
}

// Renameable returns the place of the step id, path id or actor at an offset, without
// quotes and, in a URI, without what stands before the id. The error is a Refusal.
func (s *Snapshot) Renameable(d *Document, off int) (start, end int, needs []Need, err error) {
	pl, _, needs, err := s.renameable(d, off)
	if err != nil || len(needs) > 0 {
		return 0, 0, needs, err
	}
	v := pl.value
	name := v.Text()
	switch o, found := d.outwardAt(pl); {
	case pl.role == roleTarget:
		name = strings.TrimPrefix(name, stepTarget)
	case found && o.name != "":
		name = o.name
		if sub, _, ok := s.follow(d, o); ok && sub.step != "" {
			name = sub.step
		}
	}
	if inner := v.Bytes()[1 : len(v.Bytes())-1]; strings.HasSuffix(string(inner), name) {
		return v.End() - 1 - len(name), v.End() - 1, nil, nil
	}
	return v.Start() + 1, v.End() - 1, nil, nil // the name is written with escapes
}

// renameable returns what stands at an offset; of a step or path the subject too.
func (s *Snapshot) renameable(d *Document, off int) (place, subject, []Need, error) {
	pl := d.at(off)
	if pl.role == roleActor {
		if !pl.value.Closed() {
			return pl, subject{}, nil, Refusal("the string is not closed")
		}
		return pl, subject{}, nil, nil
	}
	sub, need, ok := s.subjectAt(d, pl)
	switch {
	case need != nil:
		return pl, sub, []Need{*need}, nil
	case pl.role == roleOutward && !ok:
		return pl, sub, nil, Refusal("what this names is not in reach: it can be renamed where it is defined")
	case !ok:
		return pl, sub, nil, Refusal("only step ids, path ids and actors can be renamed")
	case !pl.value.Closed():
		return pl, sub, nil, Refusal("the string is not closed")
	case sub.step != "" && sub.path.Find(sub.step) < 0:
		return pl, sub, nil, Refusal(fmt.Sprintf("%q names no step of the path %q", sub.step, sub.path.ID))
	}
	return pl, sub, nil, nil
}

// Rename returns the edits that give what stands at an offset another name, in all
// documents of the workspace that name it, or what must be read for that. The error is a
// Refusal where the name is taken or of no use, where a signature would break, and where
// it is not sure what a place names.
func (s *Snapshot) Rename(d *Document, off int, name string, done func() bool) ([]DocumentEdits, []Need, error) {
	pl, sub, needs, err := s.renameable(d, off)
	if err != nil || len(needs) > 0 {
		return nil, needs, err
	}
	if strings.TrimSpace(name) == "" {
		return nil, nil, Refusal("the new name is empty")
	}
	if pl.role == roleActor {
		edits, err := d.renameActor(pl, name, done)
		return edits, nil, err
	}
	r := renaming{s: s, sub: sub, name: name, done: done}
	if name == r.old() {
		return nil, nil, nil
	}
	return r.edits()
}

// quoted writes a name as a JSON string.
func quoted(name string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(name) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}

func never() bool { return false }

// renaming gives a path or a step another name.
type renaming struct {
	s    *Snapshot
	sub  subject
	name string
	done func() bool
	then ids            // see idsThen
	held map[string]int // by what follows toolpath:, how many documents it may mean
}

func (r *renaming) old() string {
	if r.sub.step != "" {
		return r.sub.step
	}
	return r.sub.path.ID
}

func (r *renaming) edits() ([]DocumentEdits, []Need, error) {
	if why := r.taken(); why != "" {
		return nil, nil, Refusal(why)
	}
	if why := signedStep(r.sub.path, r.sub.step); why != "" {
		return nil, nil, Refusal(why)
	}
	others, unread, needs := r.s.pointing(r.sub.doc)
	if len(needs) > 0 {
		return nil, needs, nil
	}
	if len(unread) > 0 {
		return nil, nil, Refusal(fmt.Sprintf("%s may name it and cannot be read", unread[0]))
	}
	var all []DocumentEdits
	for _, d := range append([]*Document{r.sub.doc}, others...) {
		edits, err := r.in(d)
		if err != nil {
			return nil, nil, err
		}
		if len(edits) > 0 {
			all = append(all, DocumentEdits{d, edits})
		}
	}
	return all, nil, nil
}

// taken says why the path or graph cannot have the new name, "" if it can.
func (r *renaming) taken() string {
	p := r.sub.path
	if r.sub.step == "" {
		switch all := r.sub.doc.ids(); {
		case all[r.name] > 0:
			return fmt.Sprintf("the graph has a path %q already", r.name)
		case all[p.ID] > 1:
			return fmt.Sprintf("several paths have the id %q: give one of them another id by hand first", p.ID)
		}
		return ""
	}
	if p.Find(r.name) >= 0 {
		return fmt.Sprintf("the path has a step %q already", r.name)
	}
	for _, i := range p.DAG().Duplicates {
		if p.Steps.At(int(i)).ID == r.sub.step {
			return fmt.Sprintf("several steps have the id %q: give one of them another id by hand first", r.sub.step)
		}
	}
	return ""
}

// in returns the edits of one document.
func (r *renaming) in(d *Document) (edits []TextEdit, err error) {
	outwards := map[int]outward{}
	for _, o := range d.outwards() {
		outwards[o.value.Start()] = o
	}
	for _, m := range r.s.mentionsIn(d, r.sub, r.done) {
		o, outer := outwards[m.Start]
		with := r.name
		switch {
		case outer:
			if with, err = r.pointer(d, o); err != nil {
				return nil, err
			}
		case strings.HasPrefix(string(d.Text.Slice(m.Start, m.End)), `"`+stepTarget) && !strings.HasPrefix(r.old(), stepTarget):
			with = stepTarget + r.name
		}
		edits = append(edits, TextEdit{m.Start, m.End, quoted(with)})
	}
	return edits, nil
}

// pointer returns the text with which an outward place names the subject by its new name.
func (r *renaming) pointer(d *Document, o outward) (string, error) {
	if o.field != linkURI && o.in != nil && signed(o.in) {
		return "", Refusal(fmt.Sprintf("the path %q of %s names it and is signed: its signature would no longer verify", o.in.ID, d.Name()))
	}
	if o.name == "" {
		return r.name, nil
	}
	if d.URI != r.sub.doc.URI {
		if r.held == nil {
			r.held = map[string]int{}
		}
		if _, known := r.held[o.name]; !known {
			r.held[o.name] = len(r.s.holders(o.name))
		}
		if r.held[o.name] > 1 {
			return "", Refusal(fmt.Sprintf("%s names %q, which several documents have: which one is meant is not known", d.Name(), toolpathScheme+o.name))
		}
	}
	path, step, _ := ids{r.sub.path.ID: 1}.split(o.name)
	if r.sub.step == "" {
		path = r.name
	} else {
		step = r.name
	}
	name := path
	if step != "" {
		name += "/" + step
	}
	if p, t, _ := r.idsThen().split(name); p != path || t != step {
		return "", Refusal(fmt.Sprintf("%s would have to name it as %q, which would mean another path", d.Name(), toolpathScheme+name))
	}
	return toolpathScheme + name, nil
}

// idsThen returns the ids of the paths once one of them has its new name.
func (r *renaming) idsThen() ids {
	if r.sub.step != "" {
		return r.sub.doc.ids()
	}
	if r.then == nil {
		r.then = maps.Clone(r.sub.doc.ids())
		delete(r.then, r.sub.path.ID)
		r.then[r.name]++
	}
	return r.then
}

// signedTargets returns what the Signature lines of a stream are for.
func signedTargets(m *toolpath.Document) map[string]bool {
	if !m.Lines {
		return nil
	}
	targets := map[string]bool{}
	for i := range m.Tree.NumChunks() {
		if key, body := toolpath.Variant(m.Tree.Chunk(i)); key.Is("Signature") && isSignature(body.Get("signature")) {
			targets[body.Get("target").Text()] = true
		}
	}
	return targets
}

// signed says whether the path itself has signatures.
func signed(p *toolpath.Path) bool {
	return hasSignature(p.Meta) || signedTargets(p.Doc)["path"]
}

// hasSignature says whether one of the signatures in some metadata is one.
func hasSignature(meta jsonsrc.Value) bool {
	for _, sig := range meta.Get("signatures").Elements() {
		if isSignature(sig) {
			return true
		}
	}
	return false
}

// isSignature says whether a signature is more than the place for one, which signs nothing.
func isSignature(v jsonsrc.Value) bool { return !trust.IsPlaceholder(v.Get("sig").Text()) }

// signedStep says why renaming the step, or the path if the id is "", would break a
// signature, "" if it would not (RFC "What Gets Signed").
func signedStep(p *toolpath.Path, id string) string {
	if signed(p) {
		return "the path is signed: with another id its signatures would no longer verify"
	}
	if id == "" {
		return ""
	}
	session := p.IsAgentSession()
	return brokenSignature(p, func(s toolpath.At) bool {
		return s.ID == id || slices.Contains(s.Parents, id) ||
			session && slices.ContainsFunc(keptIn(s), func(v jsonsrc.Value) bool { return v.Is(id) })
	})
}

// brokenSignature says that a step is signed which a change would touch, "" if none is.
func brokenSignature(p *toolpath.Path, touched func(toolpath.At) bool) string {
	targets := signedTargets(p.Doc)
	for _, s := range p.Steps.All() {
		if touched(s) && (targets[stepTarget+s.ID] || hasSignature(s.Value(s.Nodes.Meta))) {
			return fmt.Sprintf("the step %q is signed: its signature would no longer verify", s.ID)
		}
	}
	return ""
}

// renameActor gives an actor another name in its document: in others the same string may
// be somebody else.
func (d *Document) renameActor(pl place, name string, done func() bool) ([]DocumentEdits, error) {
	old := pl.value.Text()
	if old == name {
		return nil, nil
	}
	if fault := toolpath.ActorFault(name); fault != "" {
		return nil, Refusal(fmt.Sprintf("%q is no actor: %s", name, fault))
	}
	c := collector{doc: d, done: done}
	if c.actor(name); len(c.all) > 0 {
		return nil, Refusal(fmt.Sprintf("%q is an actor of this document already: the two could not be told apart any more", name))
	}
	for _, p := range d.Model().Paths {
		if why := brokenSignature(p, func(s toolpath.At) bool { return s.Actor == old }); why != "" {
			return nil, Refusal(why)
		}
	}
	var edits []TextEdit
	for _, m := range d.mentions(pl, done) {
		edits = append(edits, TextEdit{m.Start, m.End, quoted(name)})
	}
	return []DocumentEdits{{d, edits}}, nil
}
