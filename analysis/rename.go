package analysis

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// Refusal is a reason why something cannot be done, for people.
type Refusal string

func (r Refusal) Error() string { return string(r) }

// DocumentEdits are edits of one document.
type DocumentEdits struct {
	Doc   *Document
	Edits []TextEdit
}

// Renameable returns the place of the step id, actor or path id at an offset, without its
// quotes. The error is a Refusal.
func (d *Document) Renameable(off int) (start, end int, err error) {
	v, _, err := d.renameable(off)
	if err != nil {
		return 0, 0, err
	}
	return v.Start() + 1, v.End() - 1, nil
}

func (d *Document) renameable(off int) (jsonsrc.Value, place, error) {
	pl := d.at(off)
	v := pl.value
	switch pl.role {
	case roleStepID, roleParent, roleHead:
		if pl.target() < 0 {
			return v, pl, Refusal(fmt.Sprintf("%q names no step of this path", v.Text()))
		}
	case roleActor, rolePathID:
	default:
		return v, pl, Refusal("only step ids, path ids and actors can be renamed")
	}
	if !v.Closed() {
		return v, pl, Refusal("the string is not closed")
	}
	return v, pl, nil
}

// Rename returns the edits that give what stands at an offset another name, in this
// document and in the open ones that refer to it. The error is a Refusal where the name
// is taken or of no use, or where a signature would break.
func (s *Snapshot) Rename(d *Document, off int, name string) ([]DocumentEdits, error) {
	v, pl, err := d.renameable(off)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(name) == "" {
		return nil, Refusal("the new name is empty")
	}
	if old := v.Text(); old == name {
		return nil, nil
	}
	switch pl.role {
	case roleActor:
		return s.renameActor(d, v.Text(), off, name)
	case rolePathID:
		return s.renamePath(d, pl, name)
	}
	return s.renameStep(d, pl, off, name)
}

// quoted writes a name as a JSON string.
func quoted(name string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(name) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}

func replaceAll(mentions []Mention, with string) (edits []TextEdit) {
	for _, m := range mentions {
		edits = append(edits, TextEdit{m.Start, m.End, with})
	}
	return edits
}

func (s *Snapshot) renameStep(d *Document, pl place, off int, name string) ([]DocumentEdits, error) {
	old := pl.path.Steps[pl.target()].ID
	if pl.path.Find(name) >= 0 {
		return nil, Refusal(fmt.Sprintf("the path has a step %q already", name))
	}
	for _, i := range pl.path.DAG().Duplicates {
		if pl.path.Steps[i].ID == old {
			return nil, Refusal(fmt.Sprintf("several steps have the id %q: give one of them another id by hand first", old))
		}
	}
	if why := signedStep(pl.path, old); why != "" {
		return nil, Refusal(why)
	}
	var edits []TextEdit
	for _, m := range d.References(off) {
		with := quoted(name)
		if strings.HasPrefix(string(d.Text.Bytes()[m.Start:m.End]), `"step:`) && !strings.HasPrefix(old, "step:") {
			with = quoted("step:" + name)
		}
		edits = append(edits, TextEdit{m.Start, m.End, with})
	}
	return s.withReferring(d, edits, func(r reference) (string, bool) {
		if r.path != pl.path.ID || r.step != old {
			return "", false
		}
		return r.withStep(name), true
	}), nil
}

// signedStep says why renaming the step would break a signature, "" if it would not.
func signedStep(p *toolpath.Path, id string) string {
	if p.Meta.Get("signatures").Kind() == jsonsrc.Array && len(elements(p.Meta.Get("signatures"))) > 0 {
		return "the path is signed: with another id its signatures would no longer verify"
	}
	for _, s := range p.Steps {
		names := s.ID == id
		for _, parent := range s.Parents {
			names = names || parent == id
		}
		if names && len(elements(s.Value(s.Nodes.Meta).Get("signatures"))) > 0 {
			return fmt.Sprintf("the step %q is signed: its signature would no longer verify", s.ID)
		}
	}
	signed := false
	if p.Doc.Lines {
		for i := range p.Doc.Tree.Chunks() {
			key, _ := toolpath.Variant(p.Doc.Tree.Chunk(i))
			signed = signed || key.Is("Signature")
		}
	}
	if signed {
		return "the stream has signatures: with another id they would no longer verify"
	}
	return ""
}

func elements(v jsonsrc.Value) (all []jsonsrc.Value) {
	for _, e := range v.Elements() {
		all = append(all, e)
	}
	return all
}

func (s *Snapshot) renamePath(d *Document, pl place, name string) ([]DocumentEdits, error) {
	if FindPath(d.Model(), name) != nil {
		return nil, Refusal(fmt.Sprintf("the graph has a path %q already", name))
	}
	if why := signedStep(pl.path, ""); why != "" {
		return nil, Refusal(why)
	}
	old := pl.path.ID
	edits := []TextEdit{{pl.value.Start(), pl.value.End(), quoted(name)}}
	return s.withReferring(d, edits, func(r reference) (string, bool) {
		if r.path != old {
			return "", false
		}
		return r.withPath(name), true
	}), nil
}

func (s *Snapshot) renameActor(d *Document, old string, off int, name string) ([]DocumentEdits, error) {
	if fault := toolpath.ActorFault(name); fault != "" {
		return nil, Refusal(fmt.Sprintf("%q is no actor: %s", name, fault))
	}
	m := d.Model()
	for _, p := range m.Paths {
		for _, step := range p.Steps {
			if step.Actor == old && len(elements(step.Value(step.Nodes.Meta).Get("signatures"))) > 0 {
				return nil, Refusal(fmt.Sprintf("the step %q is signed: its signature would no longer verify", step.ID))
			}
			if step.Actor == name {
				return nil, Refusal(fmt.Sprintf("%q is an actor of this document already: the two could not be told apart any more", name))
			}
		}
	}
	return []DocumentEdits{{d, replaceAll(d.References(off), quoted(name))}}, nil
}

// reference is a place that names a path, and mostly a step of it, from outside.
type reference struct {
	value      jsonsrc.Value // the string to change
	path, step string
	uri        bool // the string is toolpath:<path>/<step>
	field      string
}

func (r reference) withStep(name string) string {
	if r.uri {
		return quoted("toolpath:" + r.path + "/" + name)
	}
	if r.field == "step" {
		return quoted(name)
	}
	return string(r.value.Bytes())
}

func (r reference) withPath(name string) string {
	switch {
	case r.uri && r.step != "":
		return quoted("toolpath:" + name + "/" + r.step)
	case r.uri:
		return quoted("toolpath:" + name)
	case r.field == "path":
		return quoted(name)
	}
	return string(r.value.Bytes())
}

// withReferring adds, to the edits of a document, those of the references to it in this
// document and in the other open ones.
func (s *Snapshot) withReferring(d *Document, edits []TextEdit, change func(reference) (string, bool)) []DocumentEdits {
	all := []DocumentEdits{{d, edits}}
	for _, other := range s.Documents() {
		if other.Model() == nil {
			continue
		}
		var more []TextEdit
		for _, r := range other.referencesTo(d) {
			if with, ok := change(r); ok && with != string(r.value.Bytes()) {
				more = append(more, TextEdit{r.value.Start(), r.value.End(), with})
			}
		}
		switch {
		case len(more) == 0:
		case other == d:
			all[0].Edits = append(all[0].Edits, more...)
		default:
			all = append(all, DocumentEdits{other, more})
		}
	}
	return all
}

// referencesTo returns the references of a document to paths and steps of another one:
// path.parent by its uri, and toolpath: bases and hrefs in the same document.
func (d *Document) referencesTo(to *Document) []reference {
	var all []reference
	m := d.Model()
	toolpathURI := func(v jsonsrc.Value) {
		name, ok := strings.CutPrefix(v.Text(), "toolpath:")
		if !ok || d != to {
			return
		}
		for _, p := range to.Model().Paths {
			if name == p.ID {
				all = append(all, reference{value: v, path: p.ID, uri: true})
			} else if step, ok := strings.CutPrefix(name, p.ID+"/"); ok && p.ID != "" {
				all = append(all, reference{value: v, path: p.ID, step: step, uri: true})
			}
		}
	}
	refs := func(meta jsonsrc.Value) {
		for _, ref := range meta.Get("refs").Elements() {
			toolpathURI(ref.Get("href"))
		}
	}
	refs(m.Meta)
	for _, p := range m.Paths {
		parent := p.Parent()
		if to.Path != "" && d.referencedFile(parent.Get("uri").Text()) == to.Path {
			path, step := parent.Get("path"), parent.Get("step")
			all = append(all, reference{value: path, path: path.Text(), step: step.Text(), field: "path"},
				reference{value: step, path: path.Text(), step: step.Text(), field: "step"})
		}
		toolpathURI(p.Base().Get("uri"))
		refs(p.Meta)
		for _, s := range p.Steps {
			if s.Nodes.Meta != 0 {
				refs(s.Value(s.Nodes.Meta))
			}
		}
	}
	return all
}
