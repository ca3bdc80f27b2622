package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// StateName is the word for a state in JSON: recorded, base, changed or unrecorded.
func StateName(s provenance.State) string {
	switch s {
	case provenance.StateRecorded:
		return "recorded"
	case provenance.StateBase:
		return "base"
	case provenance.StateChanged:
		return "changed"
	}
	return "unrecorded"
}

// Run is a run of lines of which the same is known. Of changed lines it does not say what
// was there before.
type Run struct {
	Start, End int // lines, 0-based; End is not in it
	Line
}

// Runs returns the runs of the lines [from, to), clamped to the text.
func (p *Provenance) Runs(from, to int) []Run {
	from, to = max(from, 0), min(to, p.Len())
	var runs []Run
	for i := from; i < to; i++ {
		l := p.Line(i)
		if l.State == provenance.StateChanged {
			l.Step, l.Overwritten = nil, false
		}
		if n := len(runs); n > 0 && runs[n-1].Line.same(l) {
			runs[n-1].End++
			continue
		}
		if len(runs) == cap(runs) {
			runs = slices.Grow(runs, max(len(runs), 16))
		}
		runs = append(runs, Run{i, i + 1, l})
	}
	return runs
}

func (l Line) same(m Line) bool {
	if l.State != m.State || l.Grade != m.Grade || l.Gap != m.Gap || l.Overwritten != m.Overwritten || l.Account != m.Account || l.Commit != m.Commit || (l.Step == nil) != (m.Step == nil) {
		return false
	}
	return l.Step == nil || *l.Step == *m.Step
}

// Share is how many lines of a file an actor wrote last.
type Share struct {
	Actor string
	Lines int
}

// Percent returns the share in percent of so many lines.
func (s Share) Percent(lines int) int { return percent(s.Lines, lines) }

// Summary sums a file up.
type Summary struct {
	Lines    int // of all states
	Recorded int
	Base     int
	Changed  int
	Shares   []Share // the largest first
	// Steps are those that changed the file on the way to a head, each once.
	Steps []StepRef
}

// Summary counts who wrote how much of the file, and lists the steps that touched it.
func (p *Provenance) Summary() Summary {
	s := Summary{Lines: p.Len()}
	count := map[string]int{}
	for _, r := range p.Runs(0, p.Len()) {
		switch n := r.End - r.Start; {
		case r.State == provenance.StateRecorded && r.Step != nil:
			count[r.Step.At().Actor] += n
			s.Recorded += n
		case r.State == provenance.StateBase:
			s.Base += n
		case r.State == provenance.StateChanged:
			s.Changed += n
		}
	}
	s.Shares = sharesOf(count)
	s.Steps = p.Steps()
	return s
}

// Steps are those that changed the file on the way to a head, each once, as they were replayed.
func (p *Provenance) Steps() (all []StepRef) {
	seen := map[[4]string]bool{}
	for _, a := range p.Accounts {
		for _, c := range a.changes.all() {
			if !c.key.Valid() {
				continue
			}
			r := a.step(c)
			if seen[r.identity()] {
				continue
			}
			seen[r.identity()] = true
			all = append(all, r)
		}
	}
	return all
}

// sharesOf are the lines of actors, the largest share first.
func sharesOf(count map[string]int) []Share {
	var shares []Share
	for actor, n := range count {
		shares = append(shares, Share{actor, n})
	}
	slices.SortFunc(shares, func(a, b Share) int {
		return cmp.Or(cmp.Compare(b.Lines, a.Lines), strings.Compare(a.Actor, b.Actor))
	})
	return shares
}

// Title writes a summary in one line, such as "3 actors · 41 % agent:claude-code · 12 steps".
func (s Summary) Title() string {
	steps := plural(len(s.Steps), "step")
	if len(s.Shares) == 0 {
		return "no line on record · " + steps
	}
	return fmt.Sprintf("%s · %d %% %s · %s", plural(len(s.Shares), "actor"),
		percent(s.Shares[0].Lines, s.Lines), s.Shares[0].Actor, steps)
}

// Words writes who wrote how much of a file for a status bar, such as
// "claude-code 41 % · alex 38 % · not recorded 21 %"; "" of an empty file.
func (s Summary) Words() string {
	const most = 2
	var words []string
	add := func(what string, lines int) {
		if lines > 0 {
			words = append(words, fmt.Sprintf("%s %d %%", what, percent(lines, s.Lines)))
		}
	}
	others := s.Recorded
	for _, share := range s.Shares[:min(len(s.Shares), most)] {
		_, name, ok := strings.Cut(share.Actor, ":")
		if !ok || name == "" {
			name = share.Actor
		}
		add(clip(oneLine(name), 30), share.Lines)
		others -= share.Lines
	}
	add("others", others)
	add("older", s.Base)
	add("changed", s.Changed)
	add("not recorded", s.Lines-s.Recorded-s.Base-s.Changed)
	return strings.Join(words, " · ")
}

// Colors gives each actor of the documents that speak of a file one of the ActorColors
// colors, as a drawing of such a document does.
func (p *Provenance) Colors() map[string]int {
	var actors []string
	seen := map[string]bool{}
	for _, a := range p.Accounts {
		for i := range a.Path.Steps.Len() {
			if actor := a.Path.Steps.At(i).Actor; !seen[actor] {
				seen[actor] = true
				actors = append(actors, actor)
			}
		}
	}
	return ColorsOf(actors)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// percent rounds, but says neither 0 of something nor 100 of not all.
func percent(part, whole int) int {
	if whole == 0 {
		return 0
	}
	n := (part*200 + whole) / (2 * whole)
	switch {
	case part > 0 && n == 0:
		return 1
	case part < whole && n == 100:
		return 99
	}
	return n
}

// maxHover bounds the lines of a hover over a source file: it must not hide the others.
const maxHover = 6

// HoverLine tells of a line of a source file, 0-based, in at most six lines; nil if no
// document speaks of the file.
func (p *Provenance) HoverLine(i int) *Prose { return p.hoverLife(i, nil, "") }

// hoverLife is HoverLine that tells of the life of the line, which may be nil, where one
// file says only a part of it, and of what is known of a review of the step.
func (p *Provenance) hoverLife(i int, life *Life, review string) *Prose {
	if !p.IsSpokenOf() || i < 0 || i >= p.Len() {
		return nil
	}
	out := &Prose{}
	l := p.Line(i)
	switch l.State {
	case provenance.StateRecorded:
		describeTouch(out, *l.Step, l.Grade, review)
		if life == nil {
			life = p.Life(i)
		}
		describeChain(out, "", life.Touches)
		out.line(life.describeMove()...)
		describeAlso(out, p.Also(i))
	case provenance.StateBase:
		out.line(run{text: "Older than the recorded path", style: bold}, run{text: baseWords(l.Account)})
	case provenance.StateChanged:
		what := "Changed since the last recorded step"
		if l.Grade == provenance.GradeUnsaved {
			what = "Not saved: changed since the last recorded step"
		}
		out.line(run{text: what, style: bold})
		if l.Step != nil && !l.Overwritten {
			describeChain(out, "the line before: ", p.Chain(i))
		}
	default:
		out.line(run{text: "Not recorded", style: bold})
		if l.Overwritten && l.Step != nil {
			out.line(append([]run{{text: "the whole file was written by "}}, touchRuns(*l.Step)...)...)
			out.line(run{text: "what it was before is not on record, so the line may be older", style: italic})
		} else if l.Grade == provenance.GradeInferred && l.Step != nil {
			out.line(append([]run{{text: "likely, but not surely, written by "}}, touchRuns(*l.Step)...)...)
		} else if why := p.reason(l); why != "" {
			out.line(run{text: why, style: italic})
		}
	}
	describeCommit(out, l.Commit)
	if l.Gap && (l.State == provenance.StateRecorded || l.State == provenance.StateBase) {
		out.line(run{text: "later steps could not be replayed: one of them may have rewritten this line", style: italic})
	}
	out.lines = out.lines[:min(len(out.lines), maxHover)]
	return out
}

// describeCommit writes which commit brought a line that is not on record.
func describeCommit(out *Prose, c *Commit) {
	if c == nil {
		return
	}
	out.line(run{text: c.words()}, run{text: " · " + c.Time.Format(time.DateOnly)})
	if c.Summary != "" {
		out.line(run{text: clip(oneLine(c.Summary), 100), style: italic})
	}
}

// describeAlso writes the steps of other records that name the line too.
func describeAlso(out *Prose, also []StepRef) {
	if len(also) == 0 {
		return
	}
	line := append([]run{{text: "also on record: "}}, touchRuns(also[0])...)
	line = append(line, run{text: " in " + also[0].Doc.Name()})
	if len(also) > 1 {
		line = append(line, run{text: fmt.Sprintf(", %d more", len(also)-1)})
	}
	out.line(line...)
}

// describeTouch writes who wrote a line, when, why and in which step, how sure that is, and
// what is known of a review.
func describeTouch(out *Prose, r StepRef, g provenance.Grade, review string) {
	s := r.At()
	def, known := r.Path.Actor(s, s.Actor)
	who := describeActor(s.Actor, def, true)
	if known && len(def.Identities) > 0 {
		def.Identities = def.Identities[:1]
		who = append(append(who, run{text: " ("}), append(describeIdentities(def), run{text: ")"})...)
	}
	out.line(append(who, run{text: " · " + when(s)})...)
	if intent := s.Intent(); intent != "" {
		out.line(run{text: intent, style: italic})
	}
	where := []run{{text: "step "}, stepLink(r)}
	if title := r.Path.Title(); title != "" {
		where = append(where, run{text: " of " + title})
	}
	where = append(where, run{text: " in " + r.Doc.Name() + " · " + gradeWords(g)})
	if review != "" {
		where = append(where, run{text: " · " + review})
	}
	out.line(where...)
}

// gradeWords says how sure it is that a step wrote a line.
func gradeWords(g provenance.Grade) string {
	if g == provenance.GradeFuzzy {
		return "fuzzy: its diff fits here, but the record has gaps, no line numbers or equal lines to choose from"
	}
	return g.String()
}

// touchRuns writes a step in one line.
func touchRuns(r StepRef) []run {
	s := r.At()
	return []run{stepLink(r), {text: " " + displayName(r.Path, s, s.Actor) + ", " + day(s)}}
}

// stepLink links to the line of the document where the step is.
func stepLink(r StepRef) run {
	s := r.At()
	line := r.Doc.Text.Line(s.IDValue().Start()) + 1
	return run{text: s.ID, style: code, href: fmt.Sprintf("%s#L%d", r.Doc.URI, line)}
}

// describeChain writes what became of a line, oldest first: "mira wrote s1 → gofmt formatted
// s2 → claude-code edited s4". One step says no more than what is said of it anyhow, unless
// the words before it introduce it.
func describeChain(out *Prose, before string, chain []Touch) {
	const most = 5
	if len(chain) == 0 || before == "" && len(chain) == 1 && chain[0].Kind == provenance.Add {
		return
	}
	line := []run{{text: before}}
	if oldest := chain[len(chain)-1]; oldest.Kind == provenance.Modify {
		line = append(line, run{text: "an older line → "})
	}
	for k := len(chain) - 1; k >= 0; k-- {
		if skip := len(chain) - most; skip > 0 && k == len(chain)-2 {
			line = append(line, run{text: fmt.Sprintf(" → %d more", skip)})
			k -= skip
		}
		if k < len(chain)-1 {
			line = append(line, run{text: " → "})
		}
		s := chain[k].At()
		line = append(line, run{text: displayName(chain[k].Path, s, s.Actor) + " " + chain[k].Verb + " "}, stepLink(chain[k].StepRef))
	}
	out.line(line...)
}

func baseWords(a *Account) string {
	base := a.Path.Base()
	words := ""
	if uri := base.Get("uri").Text(); uri != "" {
		words = " · base " + uri
	}
	if ref := base.Get("ref").Text(); ref != "" {
		words += " at " + clip(ref, 12)
	}
	return words
}

// reason says why nothing is known of a line.
func (p *Provenance) reason(l Line) string {
	accounts := p.Accounts
	if l.Account != nil {
		accounts = []*Account{l.Account}
	}
	for _, a := range accounts {
		if a.NoHead {
			return "the head of the path " + a.Path.ID + " names no step"
		}
		if a.BaseError != nil {
			return a.baseWords()
		}
		if problems := a.Problems(); len(problems) > 0 {
			q := problems[len(problems)-1]
			if q.Step > 0 {
				return "step " + a.ref(q.Step).At().ID + ": " + a.words(q)
			}
			return a.words(q)
		}
	}
	if len(p.Unread) > 0 {
		return p.Unread[0]
	}
	return ""
}

// Problems says in a sentence each what keeps lines of the file from being attributed.
func (p *Provenance) Problems() []string {
	all := slices.Clone(p.Unread)
	for _, a := range p.Accounts {
		where := a.Doc.Name() + ", path " + a.Path.ID + ": "
		if a.NoHead {
			all = append(all, where+"the head names no step")
		}
		if a.BaseError != nil {
			all = append(all, where+a.baseWords())
		}
		for _, q := range a.Problems() {
			step := ""
			if q.Step > 0 {
				step = "step " + a.ref(q.Step).At().ID + ": "
			}
			all = append(all, where+step+a.words(q))
		}
	}
	return all
}

// Hint writes a run in a few words, for the end of a line; "" if it has nothing to say.
func (r Run) Hint() string {
	switch r.State {
	case provenance.StateRecorded:
		s := r.Step.At()
		hint := clip(oneLine(displayName(r.Step.Path, s, s.Actor)), 40) + ", " + clip(oneLine(day(s)), 20)
		if intent := s.Intent(); intent != "" {
			hint += " · " + clip(oneLine(intent), 60)
		}
		if r.Grade != provenance.GradeExact {
			hint = "~ " + hint // as in "about"
		}
		return hint
	case provenance.StateChanged:
		return "changed since the last recorded step"
	}
	return ""
}

func clip(s string, most int) string {
	n := 0
	for i := range s {
		if n == most {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
