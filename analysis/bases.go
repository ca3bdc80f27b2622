package analysis

import (
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// maxBases bounds the commits of which it is asked how they descend from one another.
const maxBases = 64

// base names the commit that the account's path starts from, "" if it names none.
func (a *Account) base() string {
	for k := range a.strands {
		if ref := a.strands[k].ref(); ref != "" {
			return ref
		}
	}
	return ""
}

// inOrder moves accounts whose base descends from that of another one behind that, and else
// leaves them as they are. What must be read to know that is returned instead.
func (s *Snapshot) inOrder(accounts []*Account) *Need {
	var revs []string
	root := ""
	for _, a := range accounts {
		own := a.strands[0].site.root
		if rev := a.base(); isWord(rev) && own != "" && (root == "" || own == root) && !slices.Contains(revs, rev) {
			root, revs = own, append(revs, rev)
		}
		if len(revs) > maxBases {
			return nil
		}
	}
	if len(revs) < 2 {
		return nil
	}
	slices.Sort(revs)
	need := Need{File: root, Commits: strings.Join(revs, " ")}
	f := s.fact(need)
	if f == nil {
		return &need
	}
	if len(f.descends) == 0 {
		return nil
	}
	for i, a := range accounts {
		if a.strands[0].site.root == root {
			b := *a
			b.from, b.order, accounts[i] = a.base(), f, &b
		}
	}
	// Descent has no circles, so that each place is found.
	for i := range accounts {
		for k := i + 1; k < len(accounts); k++ {
			if accounts[i].descendsFrom(accounts[k]) {
				a := accounts[k]
				copy(accounts[i+1:k+1], accounts[i:k])
				accounts[i], k = a, i
			}
		}
	}
	return nil
}

// descendsFrom says that the account's path starts from a commit that descends from the one
// from which that of b starts. An agent session says nothing by that: it may have gone on
// beside others, whatever was checked out when it began.
func (a *Account) descendsFrom(b *Account) bool {
	return a.order != nil && a.order == b.order && !a.Path.IsAgentSession() && !b.Path.IsAgentSession() &&
		a.order.descends[[2]string{a.from, b.from}]
}

// startsLike says that the accounts are of branches that part at a commit: both start from it,
// or one does on the way of the other. Of agent sessions that says nothing, see descendsFrom.
func (a *Account) startsLike(b *Account) bool {
	if a.NoHead || b.NoHead || a.Path.IsAgentSession() || b.Path.IsAgentSession() || a.strands[0].site.root != b.strands[0].site.root {
		return false
	}
	from, other := a.base(), b.base()
	return from != "" && other != "" && (from == other || a.passes()[other] || b.passes()[from])
}

// partsFrom says that the account starts on a branch of which b tells, and that b goes on there
// without it: were it what became of b, its head would have what the text has of b.
func (a *Account) partsFrom(b *Account) bool {
	return a.descendsFrom(b) && a.projection != nil && a.projection.Known && a.explains < b.explains
}

// passesOf returns the commits from which the steps before the head of a path were derived.
func passesOf(a *strand) map[string]bool {
	revs := map[string]bool{}
	for i, position := range a.order.position {
		if position < 0 && !a.order.merged[i] || i == a.tip {
			continue
		}
		if rev := revision(StepRef{a.doc, a.t.path, i}); rev != "" {
			revs[rev] = true
		}
	}
	return revs
}

// isWord says that there is no white space in a text, and something else.
func isWord(s string) bool {
	words := strings.Fields(s)
	return len(words) == 1 && words[0] == s
}

// sameKind says that both claims are of steps, and that none is of a commit that may only
// carry what the other one wrote.
func (c claim) sameKind(d claim) bool {
	return c.state == provenance.StateRecorded && d.state == c.state && c.commit == d.commit
}
