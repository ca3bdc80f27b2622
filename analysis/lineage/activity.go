package lineage

import "slices"

// Ledger answers questions about entries by their hashes.
type Ledger struct {
	entries  []*Entry
	byHash   map[string]*Entry
	children map[string][]string // of entries that are absent too
}

// NewLedger indexes entries. Where a hash occurs twice the first entry counts.
func NewLedger(entries []*Entry) *Ledger {
	l := &Ledger{entries: entries, byHash: make(map[string]*Entry, len(entries)), children: map[string][]string{}}
	for _, e := range entries {
		if l.byHash[e.hash] != nil {
			continue
		}
		l.byHash[e.hash] = e
		for _, p := range e.Parents {
			l.children[p] = append(l.children[p], e.hash)
		}
	}
	return l
}

// Entry returns the entry of a hash, nil if there is none.
func (l *Ledger) Entry(hash string) *Entry { return l.byHash[hash] }

// Children returns the entries that were made from one, which need not exist, in the order
// of the log.
func (l *Ledger) Children(hash string) []string { return l.children[hash] }

// Tip returns the newest entry of an artifact: of the greatest time, and of two the one of
// the greater hash; nil if there is none. An entry without a time is older than any.
func (l *Ledger) Tip(artefactPath string) *Entry {
	var tip *Entry
	for _, e := range l.entries {
		if e.ArtefactPath == artefactPath && (tip == nil || newer(e, tip)) {
			tip = e
		}
	}
	return tip
}

func newer(a, b *Entry) bool {
	switch {
	case a.TsNS == nil || b.TsNS == nil:
		if (a.TsNS == nil) != (b.TsNS == nil) {
			return b.TsNS == nil
		}
	case a.TsNS.Cmp(b.TsNS) != 0:
		return a.TsNS.Cmp(b.TsNS) > 0
	}
	return a.hash > b.hash
}

// Closure returns an entry and all that it was made from, absent ones too, sorted; nil for
// an entry that is absent.
func (l *Ledger) Closure(hash string) []string {
	if l.byHash[hash] == nil {
		return nil
	}
	seen := map[string]bool{hash: true}
	for queue := []string{hash}; len(queue) > 0; queue = queue[1:] {
		if e := l.byHash[queue[0]]; e != nil {
			for _, p := range e.Parents {
				if !seen[p] {
					seen[p] = true
					queue = append(queue, p)
				}
			}
		}
	}
	return sortedKeys(seen)
}

// ActiveSet returns the hashes of the entries that still stand when those of the seeds do
// not: without the seeds (which need not exist), the entries that name an absent parent, and
// all that was made from either. They are sorted.
func (l *Ledger) ActiveSet(seeds []string) []string {
	inactive := map[string]bool{}
	var queue []string
	out := func(hash string) {
		if !inactive[hash] {
			inactive[hash] = true
			queue = append(queue, hash)
		}
	}
	for _, s := range seeds {
		out(s)
	}
	for hash, e := range l.byHash {
		if slices.ContainsFunc(e.Parents, func(p string) bool { return l.byHash[p] == nil }) {
			out(hash)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, c := range l.children[queue[0]] {
			out(c)
		}
	}
	active := map[string]bool{}
	for hash := range l.byHash {
		if !inactive[hash] {
			active[hash] = true
		}
	}
	return sortedKeys(active)
}
