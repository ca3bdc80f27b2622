package analysis

import (
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// namesFor returns the names of files for a question about one of them, to which belong those
// of the file that differ in case alone: where systems take them for the same, tools change
// them without a word. A file has several only if its folder has one of them, and if no two
// of them ever lived at the same time; in doubt it is two files. What must be read to know
// that is returned instead.
func (s *Snapshot) namesFor(file string, done func() bool) (*otherNames, []Need) {
	file = s.others.real(file)
	spelled := s.spelledFor(file)
	if len(spelled) == 1 {
		return s.others, nil
	}
	there, need := s.onlySpelling(file)
	if need != nil {
		return nil, []Need{*need}
	}
	i := slices.Index(spelled, there)
	if i < 0 {
		return s.others, nil
	}
	names := otherNames{cased: casedNames{there, slices.Delete(spelled, i, i+1)}}
	if s.others != nil {
		names.links, names.to, names.from = s.others.links, s.others.to, s.others.from
	}
	lives, needs := s.livesOf(&names, done)
	if len(needs) > 0 {
		return nil, needs
	}
	if !follow(lives) {
		return s.others, nil
	}
	return &names, nil
}

// onlySpelling returns the file in the same folder of which the name differs from that of a file
// in case alone, or not at all; "" if there is none, or more than one.
func (s *Snapshot) onlySpelling(file string) (string, *Need) {
	need := Need{File: file, Spellings: true}
	f := s.fact(need)
	switch {
	case f == nil:
		return "", &need
	case f.err != nil || len(f.spellings) != 1:
		return "", nil
	}
	return path.Join(dir(file), f.spellings[0]), nil
}

// spelledFor returns the file and, in order, what documents say that differs from its name in
// case alone, in the same folder; nothing but the file if that is too much to be one.
func (s *Snapshot) spelledFor(file string) []string {
	all := []string{file}
	add := func(other string) {
		if other != "" && dir(other) == dir(file) && !slices.Contains(all, other) {
			all = append(all, other)
		}
	}
	for _, part := range s.byName.spellings(path.Base(file)) {
		if other := path.Join(dir(file), part); s.isNamed(other) {
			add(other)
		}
		if len(all) > maxNamesOfFile {
			return all[:1]
		}
	}
	for _, d := range s.docs {
		if d.Kind() == Other {
			continue
		}
		for _, other := range d.cased.of(d, s.siteOf(d))[strings.ToLower(file)] {
			if add(other); len(all) > maxNamesOfFile {
				return all[:1]
			}
		}
	}
	slices.Sort(all[1:])
	return all
}

// casedFiles finds the files that an open document speaks of by what their paths are in lower
// case. It is made when somebody asks, for the site that is asked about.
type casedFiles struct {
	mu    sync.Mutex
	at    site
	files map[string][]string
}

func (c *casedFiles) of(d *Document, at site) map[string][]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.files != nil && c.at.equal(at) {
		return c.files
	}
	c.at, c.files = at, map[string][]string{}
	add := func(name, base string) {
		file := at.fileOf(name, base)
		lower := strings.ToLower(file)
		if all := c.files[lower]; len(all) <= maxNamesOfFile && !slices.Contains(all, file) {
			c.files[lower] = append(all, file)
		}
	}
	for _, t := range d.changes() {
		for name := range t.steps {
			add(name, t.base)
		}
		for name := range t.renames {
			add(name, t.base)
		}
	}
	return c.files
}

// isNamed says whether a document on disk speaks of a file.
func (s *Snapshot) isNamed(file string) bool {
	for doc := range s.byName.about([]string{file}) {
		if e := s.closed.get(doc); e != nil && e.touches.touches(file, site{e.root, s.others}) {
			return true
		}
	}
	return false
}

// life is a time in which a path speaks of a file by one of its names.
type life struct {
	t           *pathTouches
	name        string
	first, last change
	from, until time.Time
}

// maxLives bounds them; of a file with more nobody says that it is one.
const maxLives = 1000

// livesOf returns when documents speak of a file by which of its names; not at all if that
// cannot be told.
func (s *Snapshot) livesOf(names *otherNames, done func() bool) (lives []life, needs []Need) {
	docs, _ := s.docsAbout(names.cased.file, names, &needs)
	if len(needs) > 0 {
		return nil, needs
	}
	all := append([]string{names.cased.file}, names.cased.others...)
	for _, d := range docs {
		at := s.siteOf(d)
		for i := range d.changes() {
			t := &d.changes()[i]
			found, ok := t.livesOf(all, at)
			if lives = append(lives, found...); !ok || len(lives) > maxLives || done != nil && done() {
				return nil, nil
			}
		}
	}
	return lives, nil
}

// livesOf is that of one path. It is not ok where that speaks of several of the names, and of
// two of them in one step or on a branch that was merged, or says that it renamed a file.
func (t *pathTouches) livesOf(names []string, at site) (lives []life, ok bool) {
	type spoken struct {
		change
		name string
	}
	var all []spoken
	several, unsure := 0, false
	for _, name := range names {
		found, branched := t.touchesOf(name, at, t.order)
		if len(found.list) > 0 || branched {
			several++
		}
		unsure = unsure || branched || len(found.renames) > 0 // which say themselves what became of the file
		for _, c := range found.list {
			all = append(all, spoken{t.at(c), name})
		}
	}
	if several > 1 && unsure {
		return nil, false
	}
	slices.SortStableFunc(all, func(a, b spoken) int { return int(t.order.position[a.step]) - int(t.order.position[b.step]) })
	for i, c := range all {
		s := t.path.Steps.At(c.step)
		if !s.HasTime {
			return nil, false
		}
		if n := len(lives); n > 0 && lives[n-1].name == c.name {
			lives[n-1].last, lives[n-1].until = c.change, later(lives[n-1].until, s.Time())
			lives[n-1].from = earlier(lives[n-1].from, s.Time())
			continue
		}
		if i > 0 && all[i-1].step == c.step {
			return nil, false
		}
		lives = append(lives, life{t, c.name, c.change, c.change, s.Time(), s.Time()})
	}
	return lives, true
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// follow says that of the names each lived in a time of its own, and that each goes on with
// what the one before it left: no file was removed before, and none is made then.
func follow(lives []life) bool {
	slices.SortStableFunc(lives, func(a, b life) int { return a.from.Compare(b.from) })
	had := map[string]bool{}
	var until time.Time
	for i, l := range lives {
		if i > 0 && l.name != lives[i-1].name {
			if had[l.name] || !until.Before(l.from) || lives[i-1].ends() || l.begins() {
				return false
			}
		}
		had[l.name], until = true, later(until, l.until)
	}
	return len(lives) > 0
}

// begins says that the file is made when the life begins.
func (l life) begins() bool {
	_, created := l.t.created(l.first)
	return created
}

// ends says that the file is removed when the life ends, or that nobody knows.
func (l life) ends() bool {
	e, ok := l.t.edit(l.last)
	if !ok || e.Delete {
		return true
	}
	_, deleted := l.t.deletedContent(l.last)
	return deleted
}
