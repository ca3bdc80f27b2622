package analysis

import (
	"path"
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// outward is a place that names a path, and mostly a step of it, from outside of that path:
// a field of a path's parent (RFC "Path Parent"), or a toolpath: URI as the base of a path
// or the target of a link (RFC "Toolpath Base").
type outward struct {
	value jsonsrc.Value // the string that names it
	in    *toolpath.Path
	field outwardField

	file       string // of a parent: the absolute path of its document, "" if it is elsewhere
	path, step string // of a parent
	name       string // of a URI: what follows the scheme
}

type outwardField uint8

const (
	parentPath outwardField = iota
	parentStep
	baseURI
	linkURI
)

const toolpathScheme = "toolpath:"

// outwards returns the places of the document that name paths from outside, in no order.
func (d *Document) outwards() []outward { return d.outward() }

// outwardsOf returns those of one path.
func (d *Document) outwardsOf(p *toolpath.Path) []outward { return d.byPath()[p] }

func (d *Document) findByPath() map[*toolpath.Path][]outward {
	all := map[*toolpath.Path][]outward{}
	for _, o := range d.outwards() {
		all[o.in] = append(all[o.in], o)
	}
	return all
}

func (d *Document) findOutwards() []outward {
	m := d.Model()
	if m == nil {
		return nil
	}
	var all []outward
	uri := func(v jsonsrc.Value, in *toolpath.Path, field outwardField) {
		if name, ok := strings.CutPrefix(v.Text(), toolpathScheme); ok && v.Closed() && !strings.HasPrefix(name, "//") {
			all = append(all, outward{value: v, in: in, field: field, name: name})
		}
	}
	refs := func(meta jsonsrc.Value, in *toolpath.Path) {
		for _, ref := range meta.Get("refs").Elements() {
			uri(ref.Get("href"), in, linkURI)
		}
	}
	refs(m.Meta, nil)
	for _, p := range m.Paths {
		parent := p.Parent()
		o := outward{in: p, file: d.referencedFile(parent.Get("uri").Text())}
		path, step := parent.Get("path"), parent.Get("step")
		o.path, o.step = path.Text(), step.Text()
		for field, v := range map[outwardField]jsonsrc.Value{parentPath: path, parentStep: step} {
			if v.Kind() == jsonsrc.String && v.Closed() {
				o.value, o.field = v, field
				all = append(all, o)
			}
		}
		uri(p.Base().Get("uri"), p, baseURI)
		refs(p.Meta, p)
		for _, patch := range p.Patches() {
			refs(patch, p)
		}
		for _, s := range p.Steps.All() {
			if s.Nodes.Meta != 0 {
				refs(s.Value(s.Nodes.Meta), p)
			}
		}
	}
	return all
}

// ids are the ids of the paths of a document, each with how many paths have it.
type ids map[string]int

// split splits what follows toolpath: into a path's id and, behind a slash, a step's. Ids
// may have slashes themselves: the longest of the ids that fits is meant.
func (all ids) split(name string) (path, step string, ok bool) {
	const most = 256 // slashes, from the end
	for end, n := len(name), 0; end > 0 && n < most; end, n = strings.LastIndexByte(name[:end], '/'), n+1 {
		if all[name[:end]] > 0 {
			return name[:end], strings.TrimPrefix(name[end:], "/"), true
		}
	}
	return "", "", false
}

// SplitName splits what follows "toolpath:" into the id of a path of this document and,
// behind a slash, that of a step; not ok if the document has no such path.
func (d *Document) SplitName(name string) (path, step string, ok bool) { return d.ids().split(name) }

func (all ids) has(name string) bool {
	_, _, ok := all.split(name)
	return ok
}

// PointsTo says whether the document refers to the one at a file: by $ref, or as the parent
// of a path.
func (d *Document) PointsTo(file string) bool {
	m := d.Model()
	if m == nil || file == "" {
		return false
	}
	return slices.ContainsFunc(m.Paths, func(p *toolpath.Path) bool {
		return d.referencedFile(p.Ref.Text()) == file || d.referencedFile(p.Parent().Get("uri").Text()) == file
	})
}

// HasPath says whether exactly one path of the document has the id.
func (d *Document) HasPath(id string) bool { return d.ids()[id] == 1 }

func (d *Document) findIDs() ids {
	all := ids{}
	if m := d.Model(); m != nil {
		for _, p := range m.Paths {
			if !p.Ref.Valid() {
				all[p.ID]++
			}
		}
	}
	return all
}

// pointers is what is kept of the outward places of a closed document.
type pointers struct {
	paths ids
	files []string // that parents name
	refs  []string // that $ref names
	names []string // that URIs name, but for those of its own paths
	many  bool     // there are more names than are kept
}

const maxNames = 256

func (d *Document) pointers() pointers {
	p := pointers{paths: d.ids()}
	if m := d.Model(); m != nil {
		for _, path := range m.Paths {
			file := d.referencedFile(path.Ref.Text())
			if file != "" && !slices.Contains(p.refs, file) && len(p.refs) < maxNames {
				p.refs = append(p.refs, file)
			}
		}
	}
	for _, o := range d.outwards() {
		if o.file != "" && !slices.Contains(p.files, o.file) {
			p.files = append(p.files, o.file)
		}
		if o.name == "" {
			continue
		}
		if p.paths.has(o.name) {
			continue
		}
		if len(p.names) == maxNames {
			p.many = true
			continue
		}
		p.names = append(p.names, strings.Clone(o.name))
	}
	return p
}

// to says whether the document may point to a path of the document at a file.
func (p *pointers) to(file string, paths ids) bool {
	return p.many || file != "" && slices.Contains(p.files, file) ||
		slices.ContainsFunc(p.names, paths.has)
}

// pointing returns the other documents of the workspace that may point to a document, in
// the order of their URIs; needs are those that must be read first, unread the names of
// those that cannot be.
func (s *Snapshot) pointing(d *Document) (docs []*Document, unread []string, needs []Need) {
	open := map[string]bool{}
	for _, other := range s.Documents() {
		open[other.Path] = true
		if other.URI != d.URI && other.Model() != nil {
			docs = append(docs, other)
		}
	}
	for _, e := range s.closed.all() {
		if open[e.path] || e.path == d.Path || !e.pointers.to(d.Path, d.ids()) {
			continue
		}
		need := Need{Document: e.path}
		switch f := s.fact(need); {
		case f == nil:
			needs = append(needs, need)
		case f.doc == nil:
			unread = append(unread, path.Base(e.path))
		case f.doc.Model() != nil:
			docs = append(docs, f.doc)
		}
	}
	slices.SortFunc(docs, func(a, b *Document) int { return strings.Compare(a.URI, b.URI) })
	slices.Sort(unread)
	return docs, unread, needs
}

// holders returns the documents that have a path which the name of a toolpath: URI may
// mean, as keys: the URIs of open documents and the paths of closed ones.
func (s *Snapshot) holders(name string) (keys []string) {
	open := map[string]bool{}
	for _, d := range s.Documents() {
		open[d.Path] = true
		if d.ids().has(name) {
			keys = append(keys, d.URI)
		}
	}
	for _, e := range s.closed.all() {
		if e.pointers.paths.has(name) && !open[e.path] {
			keys = append(keys, FileURI(e.path))
		}
	}
	slices.Sort(keys)
	return keys
}

// subject is a path, or one of its steps by id, whether it has that or not.
type subject struct {
	doc  *Document
	path *toolpath.Path
	step string
}

// follow returns what an outward place of a document names; not ok if that is not in reach.
func (s *Snapshot) follow(d *Document, o outward) (sub subject, need *Need, ok bool) {
	target, path, step := d, o.path, o.step
	switch {
	case o.file != "":
		if target, need = s.documentAt(o.file); need != nil {
			return sub, need, false
		}
	case o.name != "":
		if path, step, ok = d.ids().split(o.name); !ok {
			keys := s.holders(o.name)
			if len(keys) != 1 {
				return sub, nil, false
			}
			if target = s.docs[keys[0]]; target == nil {
				if target, need = s.documentAt(FilePath(keys[0])); need != nil {
					return sub, need, false
				}
			}
			if target != nil {
				path, step, _ = target.ids().split(o.name)
			}
		}
	default:
		return sub, nil, false
	}
	if target == nil {
		return sub, nil, false
	}
	p := FindPath(target.Model(), path)
	if o.field == parentPath {
		step = ""
	}
	return subject{target, p, step}, nil, p != nil
}

// names says whether an outward place of a document names the subject or, if that is a
// path, a step of it.
func (s *Snapshot) names(d *Document, o outward, sub subject) (yes bool) {
	path, step := o.path, o.step
	switch {
	case o.file != "":
		if o.file != sub.doc.Path {
			return false
		}
	case o.name != "":
		if d.URI == sub.doc.URI {
			path, step, yes = d.ids().split(o.name)
		} else {
			if d.ids().has(o.name) {
				return false
			}
			path, step, yes = sub.doc.ids().split(o.name)
		}
		if !yes {
			return false
		}
	default:
		return false
	}
	if path != sub.path.ID {
		return false
	}
	if sub.step == "" {
		return o.field != parentStep
	}
	return step == sub.step && o.field != parentPath
}

// subjectAt returns the path or step that a place names, here or in another document.
func (s *Snapshot) subjectAt(d *Document, pl place) (sub subject, need *Need, ok bool) {
	switch pl.role {
	case roleStepID, roleParent, roleHead, roleKept, roleTarget:
		id, named := pl.named()
		return subject{d, pl.path, id}, nil, named && id != "" && pl.path != nil
	case rolePathID:
		return subject{d, pl.path, ""}, nil, pl.path != nil
	case roleOutward:
		if o, found := d.outwardAt(pl); found {
			return s.follow(d, o)
		}
	}
	return subject{}, nil, false
}

func (d *Document) outwardAt(pl place) (outward, bool) {
	for _, o := range d.outwards() {
		if o.value == pl.value {
			return o, true
		}
	}
	return outward{}, false
}
