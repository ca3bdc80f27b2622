package structural

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"sync"
	"unsafe"
)

// Language is a grammar and what is needed to read texts with it. Languages are made
// once, by the files lang_*.go, and never change.
type Language struct {
	// Name is what operations call it, as in "rust.add_items".
	Name string
	// Title is its name for people.
	Title string
	// Extensions are the ends of file names, with the dot; Filenames are whole names.
	Extensions, Filenames []string
	// Interpreters are programs that a first line "#!" may name.
	Interpreters []string
	// Grammar returns tree-sitter's language.
	Grammar func() unsafe.Pointer
	// Query is the language's own .scm: it captures definitions as @def.KIND, with
	// @name, @recv and @body inside of them.
	Query string
	// Rules say what is layout.
	Rules Rules

	once   sync.Once
	loaded *grammar
	broken error
}

var (
	byName      = map[string]*Language{}
	byExtension = map[string]*Language{}
	byFilename  = map[string]*Language{}
)

// register makes a language known. It is called while the package is initialised.
func register(l *Language) *Language {
	byName[l.Name] = l
	for _, e := range l.Extensions {
		byExtension[e] = l
	}
	for _, n := range l.Filenames {
		byFilename[n] = l
	}
	return l
}

// Languages lists all languages by name. Without cgo there are none.
func Languages() []*Language {
	all := make([]*Language, 0, len(byName))
	for _, l := range byName {
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b *Language) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// ByName returns the language of that name, nil if there is none.
func ByName(name string) *Language { return byName[name] }

// ForFile returns the language of a file by its name and, where that says nothing, by its
// first line; nil if there is none.
func ForFile(name, source string) *Language {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	if l := byFilename[base]; l != nil {
		return l
	}
	if ext := path.Ext(base); ext != "" {
		return byExtension[strings.ToLower(ext)]
	}
	first, _, _ := strings.Cut(source[:min(len(source), 256)], "\n")
	if !strings.HasPrefix(first, "#!") {
		return nil
	}
	for _, word := range strings.FieldsFunc(first[2:], func(r rune) bool { return r == ' ' || r == '/' || r == '\r' }) {
		word = strings.TrimRight(word, "0123456789.")
		for _, l := range byName {
			if slices.Contains(l.Interpreters, word) {
				return l
			}
		}
	}
	return nil
}
