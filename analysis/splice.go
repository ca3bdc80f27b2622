package analysis

import (
	"bytes"
	"cmp"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

// edited is what was known of a file before edits that nobody has asked about yet. It holds
// no text.
type edited struct {
	before *Provenance
	edit   text.Edit // from the text of before to the newest one
}

// maxSpliced bounds the lines that are put into a projection without comparing the whole
// text with it anew.
const maxSpliced = 2000

// after returns the cache of the snapshot in which an edit of a document follows: what was
// known of the file can be spliced, and what the document is part of is forgotten.
func (c *projectionCache) after(uri string, edit text.Edit) *projectionCache {
	file := FilePath(uri)
	next := c.without(uri)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch p, e := c.files[file], c.edited[file]; {
	case p != nil:
		before := *p
		before.Text = nil
		next.edited[file] = edited{&before, edit}
	case e.before != nil:
		next.edited[file] = edited{e.before, e.edit.Then(edit)}
	}
	return next
}

// spliced returns what accounts say about an edited text, made from what they said before
// the edits; nil if that cannot be, or would cost as much as to compare the whole text.
func (c *projectionCache) spliced(file string, content *text.Text, accounts []*Account, unread []string) *Provenance {
	c.mu.Lock()
	e := c.edited[file]
	c.mu.Unlock()
	if e.before == nil || !e.before.isOf(accounts, unread) {
		return nil
	}
	return e.before.splice(content, e.edit)
}

// isOf says whether p was made of these accounts.
func (p *Provenance) isOf(accounts []*Account, unread []string) bool {
	if len(p.Accounts) != len(accounts) || len(p.Unread) != len(unread) {
		return false
	}
	for i, u := range unread {
		if p.Unread[i] != u {
			return false
		}
	}
	for i, a := range accounts {
		if p.Accounts[i].exact != a.exact || p.Accounts[i].order != a.order || p.Accounts[i].Doc != a.Doc {
			return false
		}
	}
	return true
}

// splice returns what p says once its text was edited to become content; nil if so much was
// edited that the whole text had better be compared.
func (p *Provenance) splice(content *text.Text, edit text.Edit) *Provenance {
	b := content.Bytes()
	starts := p.starts
	if p.endsOpen {
		starts = append(starts[:len(starts):len(starts)], uint32(p.size))
	}
	first, last := lineAt(starts, edit.Start), lineAt(starts, edit.OldEnd) // the lines that the edit touches
	from, to := int(starts[first]), len(b)
	if last+1 < len(starts) {
		to = int(starts[last+1]) - 1 + edit.NewEnd - edit.OldEnd // before the line feed
	}
	if last-first > maxSpliced || from > to || to > len(b) {
		return nil
	}
	fresh := bytes.Split(b[from:to], []byte{'\n'})
	if len(fresh) > maxSpliced {
		return nil
	}
	lines := make([]string, len(fresh))
	next := &Provenance{Text: content, Unread: p.Unread, kin: p.kin, sinceSaved: p.sinceSaved, size: len(b), endsOpen: endsOpen(b)}
	next.starts = append(make([]uint32, 0, len(starts)+len(fresh)), starts[:first]...)
	at := from
	for i, line := range fresh {
		lines[i] = string(line)
		next.starts = append(next.starts, uint32(at))
		at += len(line) + 1
	}
	for _, s := range starts[last+1:] {
		next.starts = append(next.starts, uint32(int(s)+edit.NewEnd-edit.OldEnd))
	}
	if next.endsOpen {
		next.starts = next.starts[:len(next.starts)-1]
	}
	for _, a := range p.Accounts {
		c := *a
		if c.overlay != nil {
			c.overlay = a.overlay.Splice(first, last+1, lines)
			c.explains = c.overlay.InHead()
			if c.projection != c.exact && !p.sinceSaved && !fits(c.overlay) {
				return nil // what was recovered for the text as it was may not be right for this one
			}
		}
		next.Accounts = append(next.Accounts, &c)
	}
	if !sameOrder(p.Accounts, next.Accounts) {
		next.decide()
		return next
	}
	next.lines = make([]lineClaim, len(next.starts))
	copy(next.lines, p.lines[:min(first, len(p.lines))])
	for i := first; i < min(first+len(fresh), len(next.lines)); i++ {
		next.lines[i] = next.decideLine(i)
	}
	if last+1 < len(p.lines) {
		copy(next.lines[first+len(fresh):], p.lines[last+1:])
	}
	return next
}

// sameOrder says whether the accounts explain more or less of the text than one another as
// they did before, on which decisions about all lines hang.
func sameOrder(before, now []*Account) bool {
	for i := range now {
		for k := range i {
			if cmp.Compare(before[i].explains, before[k].explains) != cmp.Compare(now[i].explains, now[k].explains) {
				return false
			}
		}
	}
	return true
}

// fits says whether a recovered projection is good for the text that it is laid under.
func fits(o *provenance.Overlay) bool { return 10*o.InHead() >= 9*o.Len() }

// endsOpen says whether an editor shows an empty line at the end of the text, which is none
// for a diff.
func endsOpen(b []byte) bool { return len(b) == 0 || b[len(b)-1] == '\n' }

// lineAt returns the line that holds an offset.
func lineAt(starts []uint32, off int) int {
	low, high := 0, len(starts)
	for high-low > 1 {
		if mid := (low + high) / 2; int(starts[mid]) <= off {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}
