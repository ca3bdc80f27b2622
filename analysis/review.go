package analysis

import (
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
)

// Review is a human's signature that says "I reviewed this path at this head and approve it"
// (RFC "Path Signature (Reviewer)").
type Review struct {
	Signer string
	Time   time.Time // as the signer says
}

// Reviews tells which steps were reviewed. It is of one snapshot, and not safe for concurrent
// use.
type Reviews struct {
	s     *Snapshot
	now   time.Time
	paths map[*toolpath.Path]*Review
	// lines are those that review steps approved, with the newest such step. Read fills it.
	lines map[*Account]map[provenance.LineID]*StepRef
}

// Reviews returns the reviews at a time. Those count that a human has signed with a key that
// the reader of the answer has given: one that comes with the repository could come from
// whoever is to be reviewed.
func (s *Snapshot) Reviews(now time.Time) *Reviews {
	return &Reviews{s, now, map[*toolpath.Path]*Review{}, map[*Account]map[provenance.LineID]*StepRef{}}
}

// Of returns the review of a step, nil if there is none: it is on the way to the head that
// was signed, and not younger than the review.
func (r *Reviews) Of(step StepRef) *Review {
	if r == nil {
		return nil
	}
	review, known := r.paths[step.Path]
	if !known {
		review = r.find(step)
		r.paths[step.Path] = review
	}
	at := step.At()
	if review == nil || !step.Path.DAG().Active[step.Step] || !at.HasTime || at.Time().After(review.Time) {
		return nil
	}
	return review
}

// find returns the latest review of a step's path.
func (r *Reviews) find(step StepRef) (latest *Review) {
	signatures := step.Doc.reviews()[step.Path]
	if len(signatures) == 0 {
		return nil // nobody asks for keys
	}
	a := r.s.assessor(step.Doc, r.now)
	for _, sig := range signatures {
		signer := sig.Value.Get("signer").Text()
		at, ok := toolpath.ParseTimestamp(sig.Value.Get("timestamp").Text())
		if !ok || toolpath.ActorKind(signer) != "human" || latest != nil && !at.After(latest.Time) {
			continue
		}
		if result, _ := a.assess(sig); result.State == trust.Valid && result.Key.Origin == trust.OfUser {
			latest = &Review{signer, at}
		}
	}
	return latest
}

// findReviews returns the signatures of reviewers by path.
func (d *Document) findReviews() map[*toolpath.Path][]trust.Signature {
	all := map[*toolpath.Path][]trust.Signature{}
	trust.Each(d.Model(), func(sig trust.Signature) bool {
		if sig.Path != nil && sig.Step < 0 && sig.Scope() == trust.Reviewer {
			all[sig.Path] = append(all[sig.Path], sig)
		}
		return true
	})
	return all
}
