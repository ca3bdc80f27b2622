package analysis

import (
	"slices"
	"time"
)

// formerName is a name that a file had until a step gave it another one.
type formerName struct {
	name  string
	until time.Time // zero: nobody knows
}

// formerNames are the names that the file had on the way to the head, other than the one
// that is asked for, the last one first.
func (w *tracer) formerNames(file string) []formerName {
	var all []formerName
	var until time.Time
	for i, s := range w.segments {
		if i > 0 && s.name != w.segments[i-1].name {
			until = w.strands[s.strand].timeAt(s.until)
		}
		if s.name != file {
			all = append(all, formerName{s.name, until})
		}
	}
	return all
}

// timeAt is when the step at a position of the main line was taken.
func (a *strand) timeAt(position int32) time.Time {
	i := slices.Index(a.order.position, position)
	if i < 0 || !a.t.path.Steps.At(i).HasTime {
		return time.Time{}
	}
	return a.t.path.Steps.At(i).Time()
}

// follows says that the account is one of a path that itself tells that the file had a name.
func (a *Account) follows(d *Document, path int, name string) bool {
	return a.Doc == d && a.Path.Index == path && slices.ContainsFunc(a.formerly, func(was formerName) bool { return was.name == name })
}

// maxFormerNames bounds the names under which other paths are asked about a file.
const maxFormerNames = 16

// formerly returns, for a file of which accounts tell that it had other names, what other
// paths say of it by those: those that had ended when it was renamed. What came later under
// such a name is another file.
func (s *Snapshot) formerly(file string, accounts []*Account, done func() bool) (more []*Account, needs []Need) {
	asked := map[string]bool{file: true}
	accounts = slices.Clone(accounts)
	for i := 0; i < len(accounts); i++ {
		for _, was := range accounts[i].formerly {
			if asked[was.name] || was.until.IsZero() || len(asked) > maxFormerNames {
				continue
			}
			asked[was.name] = true
			docs, _ := s.docsAbout(was.name, s.others, &needs)
			for _, d := range docs {
				at := site{s.rootOf(d), s.others}
				for k := range d.changes() {
					if !d.changes()[k].touches(was.name, at) || slices.ContainsFunc(accounts, func(a *Account) bool { return a.follows(d, k, was.name) }) {
						continue
					}
					a, need := s.account(d, k, was.name, s.others, done)
					needs = append(needs, need...)
					if a == nil || a.NoHead || a.changes.len() == 0 || a.latest.IsZero() || a.latest.After(was.until) {
						continue
					}
					b := *a
					b.former = true
					accounts, more = append(accounts, &b), append(more, &b)
				}
			}
		}
	}
	return more, needs
}
