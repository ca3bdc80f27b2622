package analysis

import (
	"iter"
	"maps"
	"path"
	"slices"
	"strings"
)

// FolderLink is a folder that has a second name: a symbolic link. Both are absolute paths, and
// To leads through no link.
type FolderLink struct{ Path, To string }

// otherNames say which files have more than one name on this machine. They do not change; nil
// is none.
type otherNames struct {
	links []FolderLink
	to    map[string]string
	from  map[string][]string
	cased casedNames
}

// casedNames are the names of one file that differ in case alone.
type casedNames struct {
	file   string   // the one that it has in its folder
	others []string // those that documents have
}

const (
	maxLinksDeep   = 16 // links that lead into one another on the way to a file
	maxNamesOfFile = 32 // names of one file that are looked for
)

// newOtherNames leaves out a link that leads back to itself by those before it.
func newOtherNames(links []FolderLink) *otherNames {
	n := &otherNames{to: map[string]string{}, from: map[string][]string{}}
	for _, l := range links {
		l.Path, l.To = lowerDrive(aliased(l.Path)), lowerDrive(aliased(l.To))
		if l.Path == "" || l.To == "" || n.to[l.Path] != "" {
			continue
		}
		end := n.realFolder(l.To)
		if _, back := within(l.Path, end); back || end == l.Path {
			continue
		}
		n.links, n.to[l.Path] = append(n.links, l), l.To
	}
	if len(n.links) == 0 {
		return nil
	}
	slices.SortFunc(n.links, func(a, b FolderLink) int { return strings.Compare(a.Path, b.Path) })
	for _, l := range n.links {
		n.from[l.To] = append(n.from[l.To], l.Path)
	}
	return n
}

func (n *otherNames) equal(o *otherNames) bool {
	return n == o || n != nil && o != nil && slices.Equal(n.links, o.links) &&
		n.cased.file == o.cased.file && slices.Equal(n.cased.others, o.cased.others)
}

// real returns the one name of a file under which it is known here, given any of them as an
// absolute path.
func (n *otherNames) real(file string) string {
	if n == nil {
		return file
	}
	for range maxLinksDeep {
		name, ok := n.followed(aliased(file))
		if !ok {
			break
		}
		file = name
	}
	if slices.Contains(n.cased.others, file) {
		return n.cased.file
	}
	return file
}

// realFolder is real for a folder, which may be a link itself.
func (n *otherNames) realFolder(folder string) string {
	return path.Dir(n.real(path.Join(folder, "x")))
}

// followed follows the first link on the way to a file.
func (n *otherNames) followed(file string) (string, bool) {
	for folder, rest := range waysTo(file) {
		if to := n.to[folder]; to != "" {
			return to + rest, true
		}
	}
	return "", false
}

// waysTo yields the folders on the way to a file, the outermost first, and what is left of
// the way.
func waysTo(file string) iter.Seq2[string, string] {
	return func(yield func(folder, rest string) bool) {
		for i := 1; i < len(file); i++ {
			if file[i] == '/' && !yield(file[:i], file[i:]) {
				return
			}
		}
	}
}

// all returns the names of a file, given any of them; the one that real returns is the first.
func (n *otherNames) all(file string) []string {
	names := []string{n.real(file)}
	if n == nil {
		return names
	}
	if names[0] == n.cased.file {
		names = append(names, n.cased.others...)
	}
	for i := 0; i < len(names); i++ {
		for to, rest := range waysTo(aliased(names[i])) {
			for _, link := range n.from[to] {
				// A link to a folder that holds it leads to as many names as anybody likes.
				if _, through := within(link, names[i]); through || len(names) == maxNamesOfFile || slices.Contains(names, link+rest) {
					continue
				}
				names = append(names, link+rest)
			}
		}
	}
	return names
}

// site is where the files are that a document speaks of.
type site struct {
	root  string // what relative artifact keys refer to, "" if that is not known
	names *otherNames
}

func (a site) equal(b site) bool { return a.root == b.root && a.names.equal(b.names) }

// namesOf returns the names under which a path of a document may speak of the file at an
// absolute path. A relative key is relative to the base. A base of another machine is taken
// for the root.
func (a site) namesOf(file, base string) []string {
	names := make([]string, 0, 2)
	a.isAnyName(file, base, func(name string) bool {
		names = append(names, name)
		return false
	})
	return names
}

// isAnyName says that one of these names is what is looked for. Where links are unknown it
// takes no memory: it is asked about every path of every document.
func (a site) isAnyName(file, base string, is func(name string) bool) bool {
	if file = aliased(file); a.names == nil {
		return a.isNameOf(file, base, is)
	}
	for _, file := range a.names.all(file) {
		if a.isNameOf(file, base, is) {
			return true
		}
	}
	return false
}

func (a site) isNameOf(file, base string, is func(name string) bool) bool {
	root := aliased(a.root)
	rel, ok := within(base, file)
	if !ok && !isHere(base, root) {
		rel, ok = within(root, file)
	}
	return is(file) || ok && is(rel)
}

// fileOf returns the absolute path of the file that has the name, "" if nobody knows.
func (a site) fileOf(name, base string) string {
	switch {
	case isAbsolute(name):
	case isHere(base, aliased(a.root)):
		name = strings.TrimSuffix(base, "/") + "/" + name
	case a.root == "":
		return ""
	default:
		name = strings.TrimSuffix(a.root, "/") + "/" + name
	}
	return a.names.real(name)
}

// SetLinks says which folders of the workspace have a second name: the symbolic links to
// folders that lie in it too. An artifact key that leads through one of them names the file
// that is there.
func (w *Workspace) SetLinks(links []FolderLink) *Snapshot {
	names := newOtherNames(links)
	if w.Snapshot().others.equal(names) {
		return w.Snapshot()
	}
	return w.apply(func(s *Snapshot) {
		s.others = names
		s.disk++
	})
}

// FoldersNamed returns the folders of the files that a document on disk speaks of, as it spells
// them, in order. They need not exist.
func (s *Snapshot) FoldersNamed(doc string) []string {
	e := s.closed.get(doc)
	if e == nil {
		return nil
	}
	all := map[string]bool{}
	for _, p := range e.touches.paths {
		for name := range p.names {
			if file := (site{root: e.root}).fileOf(name, p.base); file != "" {
				all[dir(file)] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// siteOf is where the files are that a document speaks of.
func (s *Snapshot) siteOf(d *Document) site { return site{s.rootOf(d), s.others} }
