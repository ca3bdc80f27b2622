package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	lineagelog "github.com/toolpath-ls/toolpath-ls/analysis/lineage"
)

// The rules about lineage logs. What they find comes with a LogReport of analysis/lineage, for which
// files beside the log are read.
var (
	// LineageBroken is about a row or an entry that does not verify.
	LineageBroken = &Rule{
		ID: "TP6001", Name: "lineage-broken", Severity: Error,
		Doc: `A lineage log does not verify

A row of a spine does not hash to what it says, does not follow the row before, or has a tag that
was not made with the key; or an entry of the signed log fails the gate. The finding stands at the
field that is wrong, with what was expected and what was found. What follows a broken row is not
proved by it. See [trust](../trust.md#lineage-logs).

## Bad

    {"actor":"agent:a", … ,"prev_hash":"sha256:(not the hash of the row before)", …}

## Good

    {"actor":"agent:a", … ,"prev_hash":"sha256:(the entry_hash of the row before)", …}
`,
	}
	// LineageStricter is about what the logs' own tools let pass.
	LineageStricter = &Rule{
		ID: "TP6002", Name: "lineage-stricter", Severity: Warning,
		Doc: `A lineage log has what its own tools let pass

The log verifies for the tools that wrote it, and yet something is not as they write it: rows were
dropped from the end, spine.head is not right, a row is spelt otherwise, a signature is left whose
entry the log does not have. None of it changes the verdict. See [trust](../trust.md#lineage-logs).

## Bad

A spine of five rows whose spine.head counts six.

## Good

A spine of six rows whose spine.head counts six.
`,
	}
	// LineageUnchecked is about a log whose tags or signatures could not be checked.
	LineageUnchecked = &Rule{
		ID: "TP6003", Name: "lineage-unchecked", Severity: Information,
		Doc: `The tags or signatures of a lineage log are not checked

The key of the spine, or the agents' cards, are not at hand. The chain of hashes is checked all the
same, but anyone can make such a chain. The key is read from BERNSTEIN_AUDIT_KEY_PATH, else from
$XDG_STATE_HOME/bernstein/audit.key, and only if nobody else may read it; cards are in agents beside
the lineage folder.

## Bad

A spine, and no key.

## Good

A spine, and the key that it was written with.
`,
	}
)

// IsLineageRule says whether a rule is about lineage logs.
func IsLineageRule(r *Rule) bool {
	return r == LineageBroken || r == LineageStricter || r == LineageUnchecked
}

// LineageFindings returns what a report has against a log, ordered by place.
func LineageFindings(src []byte, r *lineagelog.LogReport, o *Options) []Diagnostic {
	var out []Diagnostic
	firstEnd := 0
	if len(r.Lines) > 0 {
		firstEnd = r.Lines[0].End
	}
	byNumber := map[int]lineagelog.LogLine{}
	for _, l := range r.Lines {
		byNumber[l.Number] = l
		for _, f := range l.Faults {
			d := Diagnostic{Rule: LineageBroken, Start: l.Start, End: l.End, Message: clip(f.Message, maxMessage)}
			if start, end, ok := fieldAt(src, l, f.Field); ok {
				d.Start, d.End = start, end
			}
			if from, ok := byNumber[f.From]; ok {
				start, end, known := fieldAt(src, from, "entry_hash")
				if !known {
					start, end = from.Start, from.End
				}
				d.Related = []Related{{Start: start, End: end, Message: fmt.Sprintf("line %d, which this one should follow", f.From)}}
			}
			out = append(out, d)
		}
	}
	for _, f := range r.General {
		out = append(out, Diagnostic{Rule: LineageBroken, End: firstEnd, Message: clip(f.Message, maxMessage)})
	}
	for _, s := range r.Stricter {
		d := Diagnostic{Rule: LineageStricter, End: firstEnd, Message: clip(s.Message, maxMessage)}
		if l, ok := byNumber[s.Line]; ok {
			d.Start, d.End = l.Start, l.End
		}
		out = append(out, d)
	}
	if r.Unchecked != "" && len(r.Lines) > 0 {
		out = append(out, Diagnostic{Rule: LineageUnchecked, End: firstEnd, Message: r.Unchecked})
	}
	return o.settle(out)
}

// fieldAt returns the place of a member's value in a line.
func fieldAt(src []byte, l lineagelog.LogLine, field string) (start, end int, ok bool) {
	if field == "" || l.End > len(src) {
		return 0, 0, false
	}
	v := jsonsrc.Parse(src[l.Start:l.End], nil).Root().Get(field)
	if !v.Valid() {
		return 0, 0, false
	}
	return l.Start + v.Start(), l.Start + v.End(), true
}

// LineageField returns which member of a line an offset stands in, with the place of its
// value, or of the item of an array, and its text.
func LineageField(src []byte, l lineagelog.LogLine, off int) (field, text string, start, end int, ok bool) {
	for key, v := range jsonsrc.Parse(src[l.Start:l.End], nil).Root().Members() {
		if off < l.Start+key.Start() || off > l.Start+v.End() {
			continue
		}
		if v.Kind() == jsonsrc.Array {
			for _, item := range v.Elements() {
				if off >= l.Start+item.Start() && off <= l.Start+item.End() {
					v = item
					break
				}
			}
		}
		return key.Text(), v.Text(), l.Start + v.Start(), l.Start + v.End(), true
	}
	return "", "", 0, 0, false
}

// FileState is what the disk has for an artifact.
type FileState struct {
	Known   bool // it is a file, and was looked for
	Missing bool
	Hash    string // of its content
}

// words compares the file with the content that was recorded.
func (f FileState) words(recorded string) string {
	switch {
	case !f.Known:
		return ""
	case f.Missing && recorded == lineagelog.ContentHash(nil):
		return "missing, as a deletion leaves it"
	case f.Missing:
		return "missing"
	case f.Hash == recorded:
		return "current"
	}
	return "changed since"
}

// LineageHover tells of a line of a log.
func LineageHover(r *lineagelog.LogReport, l lineagelog.LogLine, file FileState, now time.Time) *Prose {
	p := &Prose{}
	p.line(run{text: fmt.Sprintf("Line %d", l.Number), style: bold}, run{text: " · " + lineageState(r, l)})
	for _, f := range l.Faults {
		p.line(run{text: f.Message})
		if f.Expected != "" || f.Found != "" {
			p.line(run{text: "expected "}, run{text: cmp.Or(f.Expected, "none"), style: code}, run{text: ", found "}, run{text: cmp.Or(f.Found, "none"), style: code})
		}
	}
	if l.Row == nil && l.Entry == nil {
		return p
	}
	p.line(lineageWho(l, now)...)
	p.line(run{text: l.Artifact(), style: code}, run{text: prefixed(" · ", file.words(l.ContentHash()))})
	p.line(run{text: "content "}, run{text: l.ContentHash(), style: code})
	for _, hash := range l.Follows() {
		at := "which the log does not have"
		if from, ok := r.OfHash(hash); ok {
			at = fmt.Sprintf("line %d", from.Number)
		}
		p.line(run{text: "follows " + at})
	}
	if next := r.Followers(l.Hash()); len(next) > 0 {
		numbers := make([]string, 0, len(next))
		for _, n := range next[:min(len(next), 6)] {
			numbers = append(numbers, fmt.Sprint(n.Number))
		}
		if len(next) > 6 {
			numbers = append(numbers, "…")
		}
		p.line(run{text: "followed by line " + strings.Join(numbers, ", ")})
	}
	if l.Entry != nil {
		for _, m := range []struct{ what, value string }{{"kind", l.Entry.ArtefactKind}, {"trust", l.Entry.TrustClass}, {"sensitivity", l.Entry.Sensitivity}} {
			if m.value != "" {
				p.line(run{text: m.what + " " + m.value})
			}
		}
		if l.Entry.ArtefactKind == "coverage" {
			p.line(run{text: "the log has a hash of the coverage record and not the record: the claim is not verified", style: italic})
		}
	}
	return p
}

func lineageState(r *lineagelog.LogReport, l lineagelog.LogLine) string {
	switch {
	case len(l.Faults) > 0:
		kinds := make([]string, 0, len(l.Faults))
		for _, f := range l.Faults {
			kinds = append(kinds, strings.ReplaceAll(f.Kind, "_", " "))
		}
		return "does not verify: " + strings.Join(slices.Compact(kinds), ", ")
	case r.Unchecked != "" && r.Kind == lineagelog.SpineLog:
		return "chain intact, tag not checked"
	case r.Unchecked != "":
		return "signature not checked"
	case r.Kind == lineagelog.SpineLog:
		return "verified: hash, chain and tag"
	}
	return "verified: hash, parents and signature"
}

// lineageWho writes actor, model, step and time.
func lineageWho(l lineagelog.LogLine, now time.Time) []run {
	out := []run{{text: l.Actor(), style: bold}}
	if m := l.Model(); m != "" {
		out = append(out, run{text: " (" + m + ")"})
	}
	if s := l.Step(); s != "" {
		what := " in step "
		if l.Entry != nil {
			what = " in tool call "
		}
		out = append(out, run{text: what}, run{text: s, style: code})
	}
	if at, ok := lineageTime(l); ok {
		out = append(out, run{text: " · " + at.Format("2006-01-02 15:04 MST") + ", " + ago(at, now)})
	}
	return out
}

// lineageTime returns the time of a line, where it can be one in nanoseconds.
func lineageTime(l lineagelog.LogLine) (time.Time, bool) {
	t := l.Time()
	if t == nil || !t.IsInt64() || t.Int64() < int64(100_000*time.Hour) { // before 1981: another unit, or none
		return time.Time{}, false
	}
	return time.Unix(0, t.Int64()).UTC(), true
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

// maxRecordings bounds how many recordings are listed.
const maxRecordings = 5

// Recordings adds what lineage logs say of a file, the newest first: hash is that of the
// file's content now. A nil Prose begins a new one.
func (p *Prose) Recordings(found []lineagelog.Recording, hash string) *Prose {
	if len(found) == 0 {
		return p
	}
	if p == nil {
		p = &Prose{}
	}
	for i, r := range found[:min(len(found), maxRecordings)] {
		words := RecordingWords(r, hash)
		if i > 0 {
			words = strings.Replace(words, "last recorded", "before that", 1)
		}
		p.line(run{text: "lineage: ", style: italic}, run{text: words})
	}
	if n := len(found) - maxRecordings; n > 0 {
		p.line(run{text: fmt.Sprintf("lineage: %d more", n), style: italic})
	}
	return p
}

// RecordingWords says in one sentence what a log says of a file, and whether it is worth
// anything.
func RecordingWords(r lineagelog.Recording, hash string) string {
	where := "in the signed log"
	if r.Run != "" {
		where = "in run " + r.Run
	}
	content := "content has changed since"
	if hash == r.ContentHash() {
		content = "content matches"
	}
	words := fmt.Sprintf("last recorded by %s %s, %s", r.Actor(), where, content)
	if r.Doubt != "" {
		words += " (not verified: " + r.Doubt + ")"
	}
	return words
}
