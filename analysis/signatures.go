package analysis

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
)

// SignatureLens says what is known of a signature, at its place.
type SignatureLens struct {
	Start, End int
	Title      string
}

// MaxSignatureLenses bounds the lenses of a document's signatures.
const MaxSignatureLenses = 500

// SignatureLenses returns the lenses of a document's signatures, in the order of the text.
// now is the present.
func (s *Snapshot) SignatureLenses(d *Document, now time.Time, done func() bool) (lenses []SignatureLens) {
	if d.Model() == nil {
		return nil
	}
	var signatures []trust.Signature
	trust.Each(d.Model(), func(sig trust.Signature) bool {
		signatures = append(signatures, sig)
		return len(signatures) < MaxSignatureLenses
	})
	if signatures == nil {
		return nil // nobody asks for keys
	}
	a := s.assessor(d, now)
	for i, sig := range signatures {
		if i%64 == 0 && done() {
			return nil
		}
		lenses = append(lenses, SignatureLens{sig.Value.Start(), sig.Value.Start() + 1, clip(oneLine(a.words(sig)), maxLensTitle)})
	}
	slices.SortStableFunc(lenses, func(a, b SignatureLens) int { return a.Start - b.Start })
	return lenses
}

const maxLensTitle = 160

// assessor says what is known of the signatures of a document.
type assessor struct {
	*trust.Assessor
	unread bool // no keys have been read
}

func (s *Snapshot) assessor(d *Document, now time.Time) assessor {
	keys := s.Options.keyring(s.rootOf(d))
	return assessor{keys.Assessor(now), keys == nil}
}

// assess says what is known of a signature; false before the keys were read, if that
// depends on them.
func (a assessor) assess(sig trust.Signature) (trust.Result, bool) {
	r := a.Assess(sig)
	return r, !a.unread || r.State != trust.KeyUnknown
}

// words says in a phrase what is known of a signature.
func (a assessor) words(sig trust.Signature) string {
	r, known := a.assess(sig)
	switch {
	case !known:
		return "not verified: no keys have been read yet"
	case r.State == trust.Valid:
		return fmt.Sprintf("valid: by %s of %s", r.Key, sig.Value.Get("signer").Text())
	case r.Reason == "":
		return r.State.Words()
	}
	return r.State.Words() + ": " + r.Reason
}

// signature tells of the signature that the position lies in.
func (t *teller) signature() {
	sig, ok := signatureAt(t.d, t.object)
	if !ok {
		return
	}
	line := []run{{text: "signed by "}, {text: t.object.Get("signer").Text(), style: code}}
	if scope := sig.Scope(); scope != "" {
		line = append(line, run{text: " as " + scope})
	}
	if at, ok := toolpath.ParseTimestamp(t.object.Get("timestamp").Text()); ok {
		line = append(line, run{text: ", " + ago(at, t.now)})
	}
	t.out.line(line...)
	r, known := t.assessor(t.d, t.now).assess(sig)
	if !known {
		t.out.line(run{text: "not verified: no keys have been read yet", style: italic})
		return
	}
	state := []run{{text: r.State.Words(), style: bold}}
	if r.Reason != "" {
		state = append(state, run{text: ": " + r.Reason})
	}
	t.out.line(state...)
	if r.State == trust.Valid {
		t.out.line(run{text: "by "}, run{text: r.Key.String(), style: code})
		if r.Key.Origin == trust.OfWorkspace {
			t.out.line(run{text: "a key of the workspace itself: " + r.Key.File, style: italic})
		}
		t.out.line(run{text: covers(sig), style: italic})
	}
	for _, note := range r.Notes() {
		t.out.line(run{text: note, style: italic})
	}
}

// covers says what a signature is of, and what it is not.
func covers(sig trust.Signature) string {
	switch {
	case sig.Step >= 0:
		return "signs what the step did and who did it, but nothing of meta"
	case sig.Scope() == trust.Reviewer:
		return "signs the path's id, its head and the time, but not what the steps say"
	}
	return "signs the path's identity and the ids of its steps, but not what the steps say"
}

// signatureAt returns the signature whose object a value is.
func signatureAt(d *Document, object jsonsrc.Value) (found trust.Signature, ok bool) {
	if d.Model() == nil || object.Kind() != jsonsrc.Object {
		return found, false
	}
	trust.Each(d.Model(), func(sig trust.Signature) bool {
		found, ok = sig, sig.Value == object
		return !ok
	})
	return found, ok
}

// signedBy says who signed a step, and what that is worth; nil if nobody did.
func (s *Snapshot) signedBy(step StepRef, now time.Time) []run {
	const most = 2
	var signatures []trust.Signature
	trust.EachOf(step.Path, step.Step, func(sig trust.Signature) bool {
		signatures = append(signatures, sig)
		return len(signatures) < most
	})
	if signatures == nil {
		return nil
	}
	var words []string
	a := s.assessor(step.Doc, now)
	for _, sig := range signatures {
		who := "signed by " + sig.Value.Get("signer").Text()
		if scope := sig.Scope(); scope != trust.Author && scope != "" {
			who += " as " + scope
		}
		words = append(words, who+": "+a.words(sig))
	}
	return []run{{text: clip(oneLine(strings.Join(words, "; ")), maxLensTitle), style: italic}}
}

// SignTarget returns what is signed where an offset lies: the path, and the step or -1 for
// the path itself, by index.
func (d *Document) SignTarget(off int) (path, step int, ok bool) {
	pl := d.at(off)
	if pl.path == nil || pl.path.Ref.Valid() && !pl.path.Identity.Valid() {
		return 0, 0, false
	}
	return pl.path.Index, pl.step, true
}
