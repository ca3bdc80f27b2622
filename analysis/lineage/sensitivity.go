package lineage

import (
	"maps"
	"slices"
)

// Record is an entry of a closure that has a class.
type Record struct {
	Hash, Class string
}

// Sensitivity is how sensitive an artifact is, given what it was made from.
type Sensitivity struct {
	Target string // the hash of an entry, or the path of an artifact without one
	// Class is the highest class of the closure; "restricted", the highest there is, where
	// nothing in it has one.
	Class    string
	Resolved bool     // the target exists
	Closure  []string // sorted
	Records  []Record // sorted
	// RaisedBy is the nearest entry that has the class, "" where nothing has one; Path leads
	// to it from the target.
	RaisedBy string
	Path     []string
}

// Trust is how far an artifact can be trusted, given what it was made from.
type Trust struct {
	Target string
	// Class is the lowest class of the closure, members without one passed over; "public",
	// the lowest there is, where nothing in it has one.
	Class    string
	Tainted  bool // what is from outside is part of it
	Resolved bool
	Closure  []string
	Records  []Record
}

// Sensitivity returns the effective sensitivity of an entry.
func (l *Ledger) Sensitivity(hash string) Sensitivity {
	s := Sensitivity{Target: hash, Class: sensitivities[len(sensitivities)-1]}
	if l.byHash[hash] == nil {
		return s
	}
	s.Resolved = true
	s.Closure = l.Closure(hash)
	rank := -1
	for _, h := range s.Closure {
		if e := l.byHash[h]; e != nil && e.Sensitivity != "" {
			s.Records = append(s.Records, Record{h, e.Sensitivity})
			rank = max(rank, slices.Index(sensitivities, e.Sensitivity))
		}
	}
	if rank < 0 {
		return s
	}
	s.Class = sensitivities[rank]
	// Level by level, each in the order of hashes: the first that has the class is nearest.
	from := map[string]string{hash: ""}
	for level := []string{hash}; len(level) > 0; {
		next := map[string]bool{}
		for _, h := range level {
			e := l.byHash[h]
			if e == nil {
				continue
			}
			if e.Sensitivity == s.Class {
				s.RaisedBy = h
				for at := h; at != ""; at = from[at] {
					s.Path = append(s.Path, at)
				}
				slices.Reverse(s.Path)
				return s
			}
			for _, p := range e.Parents {
				if _, seen := from[p]; !seen {
					from[p] = h
					next[p] = true
				}
			}
		}
		level = sortedKeys(next)
	}
	return s
}

// Trust returns the effective trust of an entry.
func (l *Ledger) Trust(hash string) Trust {
	t := Trust{Target: hash, Class: trustClasses[0], Tainted: true}
	if l.byHash[hash] == nil {
		return t
	}
	t.Resolved = true
	t.Closure = l.Closure(hash)
	rank := len(trustClasses)
	for _, h := range t.Closure {
		if e := l.byHash[h]; e != nil && e.TrustClass != "" {
			t.Records = append(t.Records, Record{h, e.TrustClass})
			rank = min(rank, slices.Index(trustClasses, e.TrustClass))
		}
	}
	if rank < len(trustClasses) {
		t.Class = trustClasses[rank]
	}
	t.Tainted = slices.Contains(outsiderClasses, t.Class)
	return t
}

func sortedKeys(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }
