package entity

import (
	"cmp"
	"slices"
	"strings"
)

// Action is what happened to an entity.
type Action uint8

const (
	// Add: it is in the new version only.
	Add Action = iota
	// Remove: it is in the old version only.
	Remove
	// Modify: it is at its place under its name with other tokens of its own; see
	// [Change.Head] and [Change.Body].
	Modify
	// Rename: it has another name; it may have been modified too.
	Rename
	// Move: it has the same name in another file or in another parent; it may have been
	// modified too.
	Move
	// Format: it means the same, laid out in another way.
	Format
)

var actionNames = [...]string{"add", "remove", "modify", "rename", "move", "format"}

// String is the word for an action, as it stands in JSON.
func (a Action) String() string { return actionNames[a] }

// Ref names an entity of a version: the index of its file and its index in it.
type Ref struct{ File, Entity int }

// Change is what happened to one entity.
type Change struct {
	Action Action
	// Before and After are the entity in the two versions; File is -1 where it is not.
	Before, After Ref
	// Head and Body say which of the entity's own parts have other tokens.
	Head, Body bool
	// Likeness is 1 for a pair that is certain: same place and name, or equal tokens.
	// Below it, it is the share of tokens that both have (Dice).
	Likeness float64
}

// In is the name of the file that the change is told of: the new one, the old one of what
// was removed.
func (c Change) In(before, after []File) string {
	if c.After == none {
		return before[c.Before.File].Name
	}
	return after[c.After.File].Name
}

const (
	// leastSameName, leastOther and leastShort are the least likeness of a pair of one
	// name, of others, and of others with fewer than shortTokens tokens.
	leastSameName = 0.5
	leastOther    = 0.7
	leastShort    = 0.85
	shortTokens   = 24
	// mostLarger is how many times larger one of a pair may be.
	mostLarger = 2
	// leastTokens is what an entity must have so that its tokens say which it is.
	leastTokens = 8
	// mostComparisons bounds the pairs that are compared.
	mostComparisons = 1 << 18
)

var none = Ref{-1, -1}

// Compare says what happened between two versions of files: first what is in the new
// version, in its order, then what was removed, in the order of the old one. Files of one
// name are versions of each other.
func Compare(before, after []File) []Change {
	m := matcher{before: before, after: after}
	m.old, m.new = pairsOf(before), pairsOf(after)
	m.samePlace()
	m.equalTokens()
	m.withParents()
	m.equalButName()
	m.withParents()
	m.alike()
	m.withParents()
	return m.changes()
}

// pair is an entity on its side of the comparison, and its partner on the other.
type pair struct {
	partner  Ref
	likeness float64
}

type matcher struct {
	before, after []File
	old, new      [][]pair
	renamed       map[string]string // new names to old ones
}

func pairsOf(files []File) [][]pair {
	all := make([][]pair, len(files))
	for i, f := range files {
		all[i] = make([]pair, len(f.Entities))
		for j := range all[i] {
			all[i][j].partner = none
		}
	}
	return all
}

func (m *matcher) oldOf(r Ref) *Entity { return &m.before[r.File].Entities[r.Entity] }
func (m *matcher) newOf(r Ref) *Entity { return &m.after[r.File].Entities[r.Entity] }

func (m *matcher) join(o, n Ref, likeness float64) {
	m.old[o.File][o.Entity] = pair{n, likeness}
	m.new[n.File][n.Entity] = pair{o, likeness}
}

// left visits what has no partner yet.
func left(files []File, pairs [][]pair, visit func(Ref, *Entity)) {
	for i := range files {
		for j := range files[i].Entities {
			if pairs[i][j].partner == none {
				visit(Ref{i, j}, &files[i].Entities[j])
			}
		}
	}
}

// samePlace pairs what has the same kind, parents and name in files of the same name.
func (m *matcher) samePlace() {
	type place struct {
		file, path string
		kind       Kind
	}
	olds, news := map[place][]Ref{}, map[place][]Ref{}
	left(m.before, m.old, func(r Ref, e *Entity) {
		p := place{m.before[r.File].Name, e.path, e.Kind}
		olds[p] = append(olds[p], r)
	})
	var order []place
	left(m.after, m.new, func(r Ref, e *Entity) {
		p := place{m.after[r.File].Name, e.path, e.Kind}
		if len(news[p]) == 0 {
			order = append(order, p)
		}
		news[p] = append(news[p], r)
	})
	for _, p := range order {
		m.overloads(olds[p], news[p])
	}
}

// overloads pairs entities of one name: those with equal tokens first, then the most alike,
// and of equally alike ones those in the same order.
func (m *matcher) overloads(olds, news []Ref) {
	const most = 64
	if len(olds) == 1 && len(news) == 1 {
		m.join(olds[0], news[0], 1)
		return
	}
	if len(olds) > most || len(news) > most {
		for i := range min(len(olds), len(news)) {
			m.join(olds[i], news[i], 1)
		}
		return
	}
	type couple struct {
		old, new, apart int
		likeness        float64
	}
	var all []couple
	for i, o := range olds {
		for j, n := range news {
			a, b := m.oldOf(o), m.newOf(n)
			c := couple{i, j, max(i-j, j-i), likeness(a.tokens, b.tokens)}
			if a.whole == b.whole {
				c.likeness = 2
			}
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b couple) int {
		return cmp.Or(cmp.Compare(b.likeness, a.likeness), cmp.Compare(a.apart, b.apart))
	})
	for _, c := range all {
		if m.free(olds[c.old], news[c.new]) {
			m.join(olds[c.old], news[c.new], min(c.likeness, 1))
		}
	}
}

func (m *matcher) free(o, n Ref) bool {
	return m.old[o.File][o.Entity].partner == none && m.new[n.File][n.Entity].partner == none
}

// equalTokens pairs what has the same tokens in another place.
func (m *matcher) equalTokens() {
	whole := func(e *Entity) uint64 { return e.whole }
	m.equal(whole, leastTokens, inFile)
	m.equal(whole, leastTokens, anywhere)
}

// equalButName pairs what has the same tokens but for its name. What has few tokens says
// nothing elsewhere (there are many `x = 1`), and little in the same parent.
func (m *matcher) equalButName() {
	const least = 4
	for _, hash := range []func(*Entity) uint64{
		func(e *Entity) uint64 { return e.unnamed },
		func(e *Entity) uint64 { return e.anonymous },
	} {
		m.equal(hash, least, inParent)
		m.equal(hash, leastTokens, inFile)
		m.equal(hash, leastTokens, anywhere)
	}
}

// The places in which an entity is looked for.
func anywhere([]File, Ref, *Entity) string         { return "" }
func inFile(files []File, r Ref, _ *Entity) string { return files[r.File].Name }
func inParent(files []File, r Ref, e *Entity) string {
	name := files[r.File].Name + "\x00"
	if e.Parent >= 0 {
		name += files[r.File].Entities[e.Parent].path
	}
	return name
}

// equal pairs what has an equal hash where that says which it is: it is the one such in
// its place on both sides.
func (m *matcher) equal(hash func(*Entity) uint64, least int, place func([]File, Ref, *Entity) string) {
	type key struct {
		kind  Kind
		hash  uint64
		place string
	}
	collect := func(files []File, pairs [][]pair) map[key][]Ref {
		all := map[key][]Ref{}
		left(files, pairs, func(r Ref, e *Entity) {
			if len(e.tokens) >= least && !e.fixed() {
				k := key{e.Kind, hash(e), place(files, r, e)}
				all[k] = append(all[k], r)
			}
		})
		return all
	}
	olds, news := collect(m.before, m.old), collect(m.after, m.new)
	left(m.after, m.new, func(r Ref, e *Entity) {
		k := key{e.Kind, hash(e), place(m.after, r, e)}
		if o, n := olds[k], news[k]; len(o) == 1 && len(n) == 1 {
			sure := 1.0
			if len(e.tokens) < leastTokens {
				sure -= 1 / float64(len(e.tokens))
			}
			m.join(o[0], n[0], sure)
		}
	})
}

// fixed says that an entity is nothing but its name: it is neither renamed nor moved.
func (e *Entity) fixed() bool { return e.Kind == "import" }

// isType says that methods may belong to the entity.
func (e *Entity) isType() bool {
	switch e.Kind {
	case "struct", "enum", "trait", "interface", "class", "type":
		return true
	}
	return false
}

// withParents pairs what has the same kind and name in parents that are a pair, and the
// methods of a type that has another name.
func (m *matcher) withParents() {
	type place struct {
		file, parent    int
		kind            Kind
		qualifier, name string
	}
	olds := map[place][]Ref{}
	left(m.before, m.old, func(r Ref, e *Entity) {
		p := place{r.File, e.Parent, e.Kind, e.Qualifier, e.Name}
		olds[p] = append(olds[p], r)
	})
	m.renamed = map[string]string{}
	for i := range m.after {
		for j, p := range m.new[i] {
			if p.partner == none {
				continue
			}
			e := &m.after[i].Entities[j]
			if was := m.oldOf(p.partner).Name; was != e.Name && e.isType() {
				m.renamed[e.Name] = was
			}
		}
	}
	fileOf := map[string]int{}
	for i := range m.before {
		fileOf[m.before[i].Name] = i
	}
	left(m.after, m.new, func(r Ref, e *Entity) {
		p := place{-1, -1, e.Kind, e.Qualifier, e.Name}
		if e.Parent >= 0 {
			up := m.new[r.File][e.Parent].partner
			if up == none {
				return
			}
			p.file, p.parent = up.File, up.Entity
		} else if was, ok := m.renamed[e.Qualifier]; ok && e.Qualifier != "" {
			p.qualifier = was
			i, ok := fileOf[m.after[r.File].Name]
			if !ok {
				return
			}
			p.file = i
		} else {
			return
		}
		for _, o := range olds[p] {
			if m.free(o, r) {
				m.join(o, r, 1)
				return
			}
		}
	})
}

// alike pairs by likeness, the most alike first. Where two would be equally good, neither
// is taken.
func (m *matcher) alike() {
	type candidate struct {
		old, new Ref
		likeness float64
		name     bool
	}
	kinds := map[Kind][]Ref{}
	left(m.before, m.old, func(r Ref, e *Entity) { kinds[e.Kind] = append(kinds[e.Kind], r) })
	for _, refs := range kinds {
		slices.SortStableFunc(refs, func(a, b Ref) int { return cmp.Compare(len(m.oldOf(a).tokens), len(m.oldOf(b).tokens)) })
	}
	var all []candidate
	budget := mostComparisons
	left(m.after, m.new, func(r Ref, e *Entity) {
		refs := kinds[e.Kind]
		if len(e.tokens) < leastTokens || e.fixed() {
			return
		}
		from, _ := slices.BinarySearchFunc(refs, len(e.tokens), func(o Ref, n int) int {
			return cmp.Compare(mostLarger*len(m.oldOf(o).tokens), n)
		})
		for _, o := range refs[from:] {
			old := m.oldOf(o)
			if len(old.tokens) > mostLarger*len(e.tokens) || budget <= 0 {
				break
			}
			if len(old.tokens) < leastTokens {
				continue
			}
			budget--
			same := old.Name == e.Name && old.Name != ""
			if d := likeness(old.tokens, e.tokens); d >= leastOther && (d >= leastShort || len(e.tokens) >= shortTokens) || same && d >= leastSameName {
				all = append(all, candidate{o, r, d, same})
			}
		}
	})
	// A pair of one name comes before a pair that is only more alike.
	order := func(a, b candidate) int {
		if a.name != b.name {
			if a.name {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.likeness, a.likeness)
	}
	slices.SortStableFunc(all, order)
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && order(all[from], all[to]) == 0 {
			to++
		}
		olds, news := map[Ref]int{}, map[Ref]int{}
		for _, c := range all[from:to] {
			if m.free(c.old, c.new) {
				olds[c.old]++
				news[c.new]++
			}
		}
		for _, c := range all[from:to] {
			if m.free(c.old, c.new) && olds[c.old] == 1 && news[c.new] == 1 {
				m.join(c.old, c.new, min(c.likeness, 0.999))
			}
		}
		from = to
	}
}

// changes reads the pairs. What follows from a change of the parent is not told again.
func (m *matcher) changes() []Change {
	var all []Change
	for i := range m.after {
		for j := range m.after[i].Entities {
			n, p := Ref{i, j}, m.new[i][j]
			if p.partner == none {
				if up := m.newOf(n).Parent; up < 0 || m.new[i][up].partner != none {
					all = append(all, Change{Action: Add, Before: none, After: n, Likeness: 1})
				}
				continue
			}
			if c, ok := m.change(p.partner, n, p.likeness); ok {
				all = append(all, c)
			}
		}
	}
	for i := range m.before {
		for j := range m.before[i].Entities {
			if m.old[i][j].partner != none {
				continue
			}
			if up := m.before[i].Entities[j].Parent; up < 0 || m.old[i][up].partner != none {
				all = append(all, Change{Action: Remove, Before: Ref{i, j}, After: none, Likeness: 1})
			}
		}
	}
	return all
}

func (m *matcher) change(o, n Ref, likeness float64) (Change, bool) {
	a, b := m.oldOf(o), m.newOf(n)
	c := Change{
		Before: o, After: n, Likeness: likeness,
		Head: a.head != b.head && a.anonymousHead != b.anonymousHead,
		Body: a.body != b.body && a.anonymousBody != b.anonymousBody,
	}
	switch same := a.meaning == b.meaning; {
	case a.meaning == 0 || b.meaning == 0:
	case same:
		c.Head, c.Body = false, false
	case a.whole == b.whole:
		c.Body = true
	}
	elsewhere := m.before[o.File].Name != m.after[n.File].Name || !m.sameParent(o, n) || a.Qualifier != b.Qualifier
	switch {
	case m.follows(o, n):
	case a.Name != b.Name:
		c.Action = Rename
		return c, true
	case elsewhere:
		c.Action = Move
		return c, true
	}
	switch {
	case c.Head || c.Body:
		c.Action = Modify
	case a.bytes != b.bytes && (a.whole == b.whole || a.meaning != 0 && a.meaning == b.meaning):
		c.Action = Format
	default:
		return c, false
	}
	return c, true
}

// follows says that the entity has another place or name only since its parent has, or
// the type that it belongs to.
func (m *matcher) follows(o, n Ref) bool {
	a, b := m.oldOf(o), m.newOf(n)
	if a.Name != b.Name && !(a.Kind == "impl" && m.sameImpl(a.Name, b.Name)) {
		return false
	}
	if a.Qualifier != b.Qualifier && m.renamed[b.Qualifier] != a.Qualifier {
		return false
	}
	if a.Parent < 0 || b.Parent < 0 {
		return a.Parent == b.Parent && m.before[o.File].Name == m.after[n.File].Name
	}
	return m.new[n.File][b.Parent].partner == Ref{o.File, a.Parent}
}

// sameImpl says that two names of impls differ by the renamed type alone.
func (m *matcher) sameImpl(was, is string) bool {
	words := strings.Fields(is)
	for i, w := range words {
		if old, ok := m.renamed[w]; ok {
			words[i] = old
		}
	}
	return strings.Join(words, " ") == was
}

func (m *matcher) sameParent(o, n Ref) bool {
	a, b := m.oldOf(o).Parent, m.newOf(n).Parent
	if a < 0 || b < 0 {
		return a < 0 && b < 0
	}
	return m.before[o.File].Entities[a].path == m.after[n.File].Entities[b].path
}
