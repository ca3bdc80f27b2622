package analysis

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// DescribeLine tells of line i of a source file in at most six lines: what HoverLine does,
// whether the step was signed and reviewed, which abandoned attempts touched this place, and,
// if there is room, what was deleted above. It is nil if no document speaks of the file. life is
// that of the line, nil: as this file alone tells; now is the present.
func (s *Snapshot) DescribeLine(p *Provenance, file string, i int, life *Life, now time.Time, done func() bool) (*Prose, []Need) {
	dead, needs := s.DeadEnds(p, file, i, done)
	if len(needs) > 0 {
		return nil, needs
	}
	reviews := s.Reviews(now)
	if needs := reviews.Read(p, done); len(needs) > 0 {
		return nil, needs
	}
	out := p.hoverLife(i, life, p.reviewWords(i, reviews))
	if out == nil {
		return nil, nil
	}
	l := p.Line(i)
	if l.Step != nil && l.State == provenance.StateRecorded {
		if line := s.signedBy(*l.Step, now); line != nil {
			out.lines = slices.Insert(out.lines, min(1, len(out.lines)), line)
		}
	}
	out.lines = out.lines[:min(len(out.lines), maxHover)]
	if len(dead) > 0 {
		out.lines = out.lines[:min(len(out.lines), maxHover-1)]
		describeDeadEnds(out, dead)
	}
	if len(out.lines) < maxHover {
		describeDeleted(out, p.DeletedBefore(i))
	}
	return out, nil
}

// reviewWords says of a line that an agent wrote whether a human has looked at it; "" of
// others.
func (p *Provenance) reviewWords(i int, reviews *Reviews) string {
	l := p.Line(i)
	if l.State != provenance.StateRecorded || l.Step == nil || toolpath.ActorKind(l.Step.At().Actor) != "agent" {
		return ""
	}
	if r := reviews.Of(*l.Step); r != nil {
		return "reviewed by " + clip(oneLine(r.Signer), 40)
	}
	if by := reviews.approved(l.Account, l.Account.overlay.Chain(i), *l.Step); by != nil {
		return "reviewed by " + clip(oneLine(by.At().Actor), 40)
	}
	if len(p.Unreviewed(i, i+1, reviews)) > 0 {
		return "not reviewed"
	}
	return ""
}

// describeDeleted writes who took away the lines that once stood above a line, as far as that
// is on record.
func describeDeleted(out *Prose, gone []Deleted) {
	gone = slices.DeleteFunc(slices.Clone(gone), func(d Deleted) bool { return d.By == nil || strings.TrimSpace(d.Text) == "" })
	if len(gone) == 0 {
		return
	}
	last := gone[len(gone)-1].By
	words := plural(len(gone), "line") + " deleted above, by "
	if slices.ContainsFunc(gone, func(d Deleted) bool { return *d.By != *last }) {
		words = fmt.Sprintf("%d lines deleted above, the last by ", len(gone))
	}
	out.line(append([]run{{text: words}}, touchRuns(*last)...)...)
}
