// Package entity compares the named parts of two versions of some files, and says what
// was added, removed, renamed, moved, changed in its signature or in its body.
//
// Terminology:
//
//   - An entity is a definition with a name: a function, a method, a type, a constant, a
//     field, a test. Its span takes in the comments and attributes that stand directly
//     above it.
//   - Its parent is the entity around it; what has the same parent and name is told apart
//     by an ordinal (overloads, reopened classes).
//   - Its head is the part up to the body: the signature of a function, the name and bases
//     of a class. An entity without a body is all head.
//   - Its own tokens are those of its span without those of the entities inside of it.
//
// A change is never about the content of an entity that is named apart: a method that was
// edited does not make its class edited, and the methods of a class that moved have not
// moved by themselves.
//
// How pairs are found is that of design/projection.md 4.3: same place and name, equal
// tokens, equal tokens but for the name, then likeness of the tokens. A pair that is
// only alike is told so ([Change.Likeness]); nothing is paired where several are equally
// good.
package entity

import (
	"cmp"
	"hash/fnv"
	"io"
	"slices"
	"strings"
)

// Kind says what an entity is, in the words of structural operations: "fn", "method",
// "struct", "enum", "trait", "impl", "interface", "class", "type", "const", "static",
// "var", "macro", "mod", "import", "field", "variant", "test", "key".
type Kind string

// Entity is one definition of a file.
type Entity struct {
	Kind Kind
	// Name is the entity's own name. That of a Rust impl is "Trait for Type", that of an
	// import the sorted set of what it brings in.
	Name string
	// Parent is the index of the entity around it in [File.Entities], -1 at the top.
	Parent int
	// Qualifier tells apart what the name does not: the receiver of a Go method.
	Qualifier string
	// Ordinal counts the entities of one kind, parent, qualifier and name from 0.
	Ordinal int
	// Start and End are the span in bytes, with comments and attributes above; NameStart
	// and NameEnd that of the name, both 0 for one whose name is made; Body is where the
	// head ends.
	Start, End, NameStart, NameEnd, Body int

	// Hashes of the tokens of the whole span: all, all but the name, all but the name
	// wherever it is used.
	whole, unnamed, anonymous uint64
	// Hashes of the head and of the body without entities inside: all but the name, all
	// but the name wherever it is used.
	head, anonymousHead, body, anonymousBody uint64
	meaning                                  uint64   // of the whole span, whatever its layout; 0: not known
	bytes                                    uint64   // of the own bytes
	tokens                                   []uint64 // of the whole span, sorted
	path                                     string
}

// Path is the entity's name behind those of its parents, with dots between.
func (e *Entity) Path() string { return e.path }

// Token is a token of the source: its span in bytes and a hash of its text. Comments
// are not tokens.
type Token struct {
	Start, End int
	Hash       uint64
}

// File is one version of a file with its entities in the order of their starts, an outer
// one before those inside of it.
type File struct {
	Name     string
	Entities []Entity
}

// New makes a file of the entities of a source; their spans, kinds, names and qualifiers
// are given, all else is computed here. Tokens are those of the whole source in order;
// meaning, which may be nil, is a hash of what a span is apart from its layout, not 0.
func New(name, source string, entities []Entity, tokens []Token, meaning func(start, end int) uint64) File {
	slices.SortStableFunc(entities, func(a, b Entity) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	f := File{Name: name, Entities: entities}
	f.nest()
	f.Entities = slices.DeleteFunc(f.Entities, func(e Entity) bool { return e.Ordinal > maxDepth })
	f.nest()
	seen := map[string]int{}
	for i := range f.Entities {
		e := &f.Entities[i]
		e.path = e.Name
		if e.Qualifier != "" {
			e.path = e.Qualifier + "." + e.Name
		}
		if e.Parent >= 0 {
			e.path = f.Entities[e.Parent].path + "." + e.path
		}
		key := string(e.Kind) + " " + e.path
		e.Ordinal = seen[key]
		seen[key]++
	}
	f.fingerprint(source, tokens)
	if meaning != nil {
		for i := range f.Entities {
			if f.Entities[i].Kind == "import" {
				continue // its tokens are sorted, which is the same
			}
			f.Entities[i].meaning = meaning(f.Entities[i].Start, f.Entities[i].End)
		}
	}
	return f
}

// maxDepth bounds how deep entities are nested; what is deeper belongs to the one around it.
const maxDepth = 24

// nest finds the parents by the spans, and for now keeps the depth as the ordinal. An entity that overlaps another in part is taken
// to stand beside it, as is one of the same span: `x, y int` declares two.
func (f *File) nest() {
	var open []int
	for i := range f.Entities {
		e := &f.Entities[i]
		for len(open) > 0 && !around(&f.Entities[open[len(open)-1]], e) {
			open = open[:len(open)-1]
		}
		e.Parent = -1
		if len(open) > 0 {
			e.Parent = open[len(open)-1]
		}
		e.Ordinal = len(open)
		open = append(open, i)
	}
}

func around(out, in *Entity) bool {
	return in.End <= out.End && (in.Start > out.Start || in.End < out.End)
}

// The seeds of a hash over tokens, and what stands for the own name.
const (
	hashSeed = 14695981039346656037
	hashStep = 1099511628211
	nameHash = 0x9e3779b97f4a7c15
	// ownerHash stands for the type that a method or an impl belongs to.
	ownerHash = 0xbf58476d1ce4e5b9
)

func mix(h, x uint64) uint64 {
	h ^= x
	h *= hashStep
	return h ^ h>>29
}

func (f *File) fingerprint(source string, tokens []Token) {
	for i := range f.Entities {
		e := &f.Entities[i]
		e.whole, e.unnamed, e.anonymous = hashSeed, hashSeed, hashSeed
		e.head, e.anonymousHead, e.body, e.anonymousBody = hashSeed, hashSeed, hashSeed, hashSeed
		from, _ := slices.BinarySearchFunc(tokens, e.Start, func(t Token, at int) int { return cmp.Compare(t.Start, at) })
		to, _ := slices.BinarySearchFunc(tokens, e.End, func(t Token, at int) int { return cmp.Compare(t.Start, at) })
		span := tokens[from:max(from, to)]
		if e.Kind == "import" {
			// What it brings in may stand in any order.
			span = slices.SortedFunc(slices.Values(span), func(a, b Token) int { return cmp.Compare(a.Hash, b.Hash) })
		}
		name := nameOf(tokens, e)
		owners := strings.Fields(e.Name)
		inner := f.inner(i)
		e.bytes = e.ownBytes(source, inner)
		for _, t := range span {
			e.tokens = append(e.tokens, t.Hash)
			e.whole = mix(e.whole, t.Hash)
			// A name that the entity uses of itself goes with it when it is renamed.
			unnamed, anonymous := t.Hash, t.Hash
			switch text := source[t.Start:t.End]; {
			case name != 0 && t.Hash == name:
				anonymous = nameHash
				if t.Start == e.NameStart {
					unnamed = nameHash
				}
			case text == e.Qualifier || e.Kind == "impl" && t.Start < e.Body && slices.Contains(owners, text):
				anonymous, unnamed = ownerHash, ownerHash
			}
			e.unnamed = mix(e.unnamed, unnamed)
			e.anonymous = mix(e.anonymous, anonymous)
			for len(inner) > 0 && inner[0].End <= t.Start {
				inner = inner[1:]
			}
			if len(inner) > 0 && inner[0].Start <= t.Start {
				continue
			}
			if t.Start < e.Body || e.Body <= e.Start {
				e.head = mix(e.head, unnamed)
				e.anonymousHead = mix(e.anonymousHead, anonymous)
			} else {
				e.body = mix(e.body, unnamed)
				e.anonymousBody = mix(e.anonymousBody, anonymous)
			}
		}
		slices.Sort(e.tokens)
	}
}

// span is a range of bytes.
type span struct{ Start, End int }

// inner lists the spans of the entities directly inside of one.
func (f *File) inner(i int) []span {
	var spans []span
	for j := i + 1; j < len(f.Entities) && f.Entities[j].Start < f.Entities[i].End; j++ {
		if f.Entities[j].Parent == i {
			spans = append(spans, span{f.Entities[j].Start, f.Entities[j].End})
		}
	}
	return spans
}

// ownBytes is a hash of the entity's bytes without those of the entities inside of it.
func (e *Entity) ownBytes(source string, inner []span) uint64 {
	h := fnv.New64a()
	at := e.Start
	for _, s := range append(inner, span{e.End, e.End}) {
		if s.Start > at {
			io.WriteString(h, source[at:s.Start])
		}
		h.Write([]byte{0})
		at = max(at, s.End)
	}
	return h.Sum64()
}

// nameOf is the hash of the token that is the entity's name; 0 if it has none.
func nameOf(tokens []Token, e *Entity) uint64 {
	i, found := slices.BinarySearchFunc(tokens, e.NameStart, func(t Token, at int) int { return cmp.Compare(t.Start, at) })
	if e.NameEnd > e.NameStart && found && tokens[i].End == e.NameEnd {
		return tokens[i].Hash
	}
	return 0
}

// likeness is twice the common tokens over all tokens of both (Dice), of sorted
// multisets.
func likeness(a, b []uint64) float64 {
	if len(a)+len(b) == 0 {
		return 1
	}
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			common++
			i++
			j++
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return 2 * float64(common) / float64(len(a)+len(b))
}
