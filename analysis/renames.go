package analysis

import (
	"bytes"
	"path"
	"strings"
	"sync"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
	"github.com/toolpath-ls/toolpath-ls/analysis/udiff"
)

// maxCompared bounds the deleted files of one step with which a created one is compared; of
// more, only those with the same content or the same last name are looked at.
const maxCompared = 50

// deletion is the removal of a file, as a diff that takes all lines away.
type deletion struct {
	name string
	at   touch
}

// deletions are those of one step; what they removed is read on first use.
type deletions struct {
	list   []deletion
	lookUp func() deletedContents
}

// deletedContents are the contents of deleted files, parallel to the list of deletions; nil
// for what was no deletion. The maps find them.
type deletedContents struct {
	contents  []*string
	byContent map[string][]int
	byName    map[string][]int // the last part of the file's name
	byFold    map[string]int   // the name in lower case
}

// noteDeletion notes a change that may delete the file.
func (t *pathTouches) noteDeletion(name string, at touch, raw jsonsrc.Value) {
	if raw.Kind() != jsonsrc.String || !hasEmptyNewSide(raw.Bytes()) {
		return
	}
	d := t.deleted[at.step]
	if d == nil {
		d = &deletions{}
		d.lookUp = sync.OnceValue(func() deletedContents { return t.read(d.list) })
		t.deleted[at.step] = d
	}
	d.list = append(d.list, deletion{name, at})
}

// hasEmptyNewSide says whether a diff has " +0,0 @@" in it. It looks for the plus sign, which
// diffs have fewer of than spaces.
func hasEmptyNewSide(raw []byte) bool {
	for {
		i := bytes.Index(raw, []byte("+0,0 @@"))
		if i < 0 || i > 0 && raw[i-1] == ' ' {
			return i >= 0
		}
		raw = raw[i+1:]
	}
}

func (t *pathTouches) read(list []deletion) deletedContents {
	all := deletedContents{make([]*string, len(list)), map[string][]int{}, map[string][]int{}, map[string]int{}}
	for i, d := range list {
		content, ok := t.deletedContent(t.at(d.at))
		if !ok {
			continue
		}
		all.contents[i] = &content
		all.byContent[content] = append(all.byContent[content], i)
		last := path.Base(d.name)
		all.byName[last] = append(all.byName[last], i)
		all.byFold[strings.ToLower(d.name)] = i
	}
	return all
}

// candidates returns which deletions may be the other half of a rename to the file.
func (d *deletions) candidates(file, content string) []int {
	all := d.lookUp()
	if same := all.byContent[content]; len(same) > 0 {
		return same[:min(len(same), maxCompared)]
	}
	if len(d.list) <= maxCompared {
		list := make([]int, len(d.list))
		for i := range list {
			list[i] = i
		}
		return list
	}
	named := all.byName[path.Base(file)]
	return named[:min(len(named), maxCompared)]
}

// renamedFrom returns the file that was deleted in the step that created this one, and its
// content, if they have enough in common, or if their names differ in case alone; "" if there
// is none.
func (t *pathTouches) renamedFrom(c change, file string, at site) (from string, before *string) {
	if !c.key.Valid() || t.deleted[int32(c.step)] == nil {
		return "", nil
	}
	content, ok := t.created(c)
	if !ok || content == "" {
		return "", nil
	}
	most, gone := provenance.RenameSimilarity-1, t.deleted[int32(c.step)]
	for _, name := range at.namesOf(file, t.base) {
		i, ok := gone.lookUp().byFold[strings.ToLower(name)]
		if !ok {
			continue
		}
		if other := at.fileOf(gone.list[i].name, t.base); other != "" && other != file {
			return other, gone.lookUp().contents[i]
		}
	}
	for _, i := range gone.candidates(file, content) {
		old, other := gone.lookUp().contents[i], at.fileOf(gone.list[i].name, t.base)
		if old == nil || other == "" || other == file || 2*min(len(*old), len(content)) < max(len(*old), len(content)) {
			continue
		}
		if n := provenance.Similarity(*old, content); n > most {
			most, from, before = n, other, old
		}
	}
	return from, before
}

// deletedContent returns the content of a file that a diff takes away.
func (t *pathTouches) deletedContent(c change) (string, bool) {
	e, ok := t.edit(c)
	d := udiff.Parse(e.Raw)
	if !ok || len(d.Hunks) != 1 || d.Hunks[0].NewLines > 0 {
		return "", false
	}
	return unglued(d, d.OldText(), e.GitDeriver), true
}

// unglued takes away what the git deriver glues to a last line without line feed.
func unglued(d *udiff.Diff, content string, git bool) string {
	lines := d.Lines(&d.Hunks[0])
	if !git || len(lines) == 0 {
		return content
	}
	if _, glued := d.Unglued(lines[len(lines)-1]); glued {
		return content[:len(content)-1]
	}
	return content
}

// changesLines says that a change is nothing but a diff that surely creates and deletes no
// file. It looks at the diff as it is in the source, without decoding it.
func (t *pathTouches) changesLines(c change) bool {
	if c.gone || !c.isStep() || !c.key.Valid() || c.before != nil || c.value.Get("structural").Valid() {
		return false
	}
	raw := c.value.Get("raw")
	if raw.Kind() != jsonsrc.String {
		return false
	}
	in := bytes.TrimPrefix(raw.Bytes(), []byte(`"`))
	const header = "@@ -"
	at := 0
	if !bytes.HasPrefix(in, []byte(header)) {
		if at = bytes.Index(in, []byte(`\n`+header)); at < 0 {
			return false
		}
		at += len(`\n`)
	}
	// A creation counts no old lines, or says so above the first hunk, perhaps in escapes.
	for _, sign := range []string{"/dev/null", "new file", `\u`, `\/`} {
		if bytes.Contains(in[:at], []byte(sign)) {
			return false
		}
	}
	at += len(header)
	return at < len(in) && in[at] >= '1' && in[at] <= '9'
}

// created returns the content of a file that a change makes out of nothing.
func (t *pathTouches) created(c change) (string, bool) {
	e, ok := t.edit(c)
	switch {
	case !ok || e.Delete:
		return "", false
	case e.Whole != nil && e.Creates:
		return *e.Whole, true
	case !e.HasRaw:
		return "", false
	}
	d := udiff.Parse(e.Raw)
	if _, whole := d.Replayable(); !whole || len(d.Hunks) != 1 || d.Hunks[0].OldLines > 0 {
		return "", false
	}
	h := &d.Hunks[0]
	if !d.Sections[h.Section].Creates && (h.Numbers != udiff.NumbersStated || h.Old != udiff.Range{}) {
		return "", false
	}
	return unglued(d, d.NewText(), e.GitDeriver), true
}
