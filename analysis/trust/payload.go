package trust

import (
	"crypto/sha256"
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis/canonical"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// The scopes that have a payload (RFC "What Gets Signed").
const (
	Author   = "author"
	Reviewer = "reviewer"
)

// NoPayloadError is why nothing is defined that a signature could sign.
type NoPayloadError struct {
	Reason     string
	Start, End int // the place of the document that is the reason; both 0 for none
}

func (e *NoPayloadError) Error() string { return e.Reason }

func noPayload(v jsonsrc.Value, reason string, args ...any) *NoPayloadError {
	return &NoPayloadError{fmt.Sprintf(reason, args...), v.Start(), v.End()}
}

// StepPayload returns what a step's author signs: {change, step} (RFC "Step Signature
// (Author)"). The error is a [*NoPayloadError].
func StepPayload(s toolpath.At) (canonical.Form, error) {
	var parts [2]jsonsrc.Value
	for k, v := range s.Self().Members() {
		for i, name := range [...]string{"change", "step"} {
			switch {
			case !k.Is(name):
			case parts[i].Valid():
				return canonical.Form{}, noPayload(k, "the step has %q twice", name)
			default:
				parts[i] = v
			}
		}
	}
	for i, name := range [...]string{"change", "step"} {
		if parts[i].Kind() != jsonsrc.Object {
			return canonical.Form{}, noPayload(s.IDValue(), "the step has no %q", name)
		}
	}
	return of(canonical.Object{{Key: "change", Value: parts[0]}, {Key: "step", Value: parts[1]}}, s.IDValue())
}

// PathPayload returns what a path's author signs: {path, step_ids} (RFC "Path Signature
// (Author)"). The path of a stream is that of its sealed document: what PathOpen says but
// version and meta, and the head. The error is a [*NoPayloadError].
func PathPayload(p *toolpath.Path) (canonical.Form, error) {
	identity, err := identityOf(p)
	if err != nil {
		return canonical.Form{}, err
	}
	ids := make([]string, p.Steps.Len())
	for i, s := range p.Steps.All() {
		if s.Nodes.ID == 0 {
			return canonical.Form{}, noPayload(s.Self(), "step %d of the path has no id", i+1)
		}
		if e, faulty := s.Self().Fault(); faulty {
			return canonical.Form{}, &NoPayloadError{e.Message, e.Start, e.End}
		}
		ids[i] = s.ID
	}
	if !p.Doc.Lines && p.Value.Get("steps").Kind() != jsonsrc.Array {
		return canonical.Form{}, noPayload(p.IDValue, "the path has no steps")
	}
	return of(canonical.Object{{Key: "path", Value: identity}, {Key: "step_ids", Value: ids}}, p.IDValue)
}

// ReviewPayload returns what a path's reviewer signs: {head, path_id, reviewed_at}, of which
// the last is the signature's timestamp (RFC "Path Signature (Reviewer)"). The error is a
// [*NoPayloadError].
func ReviewPayload(p *toolpath.Path, reviewedAt string) (canonical.Form, error) {
	identity, err := identityOf(p)
	if err != nil {
		return canonical.Form{}, err
	}
	if _, ok := toolpath.ParseTimestamp(reviewedAt); !ok {
		return canonical.Form{}, &NoPayloadError{Reason: "a reviewer signs the time of the review, and the signature has no timestamp with date, time and offset"}
	}
	if _, err := of(identity, p.IDValue); err != nil { // whether id and head are one thing to all readers
		return canonical.Form{}, err
	}
	return of(canonical.Object{{Key: "head", Value: p.Head}, {Key: "path_id", Value: p.ID}, {Key: "reviewed_at", Value: reviewedAt}}, p.IDValue)
}

// identityOf returns the path object of a path, which has an id and a head.
func identityOf(p *toolpath.Path) (identity canonical.Object, err error) {
	if err := once(p.Value, "path", "steps", "meta"); err != nil && !p.Doc.Lines {
		return nil, err
	}
	if p.IDValue.Kind() != jsonsrc.String {
		return nil, noPayload(p.Value, "the path has no id")
	}
	if p.Head == "" && !p.HeadVal.Valid() {
		return nil, noPayload(p.IDValue, "the path has no head")
	}
	if e, faulty := p.Identity.Fault(); faulty {
		return nil, &NoPayloadError{e.Message, e.Start, e.End}
	}
	if e, faulty := p.HeadVal.Fault(); faulty {
		return nil, &NoPayloadError{e.Message, e.Start, e.End}
	}
	for k, v := range p.Identity.Members() {
		if p.Doc.Lines && (k.Is("version") || k.Is("meta") || k.Is("head")) {
			continue
		}
		identity = append(identity, canonical.Member{Key: k.Text(), Value: v})
	}
	if p.Doc.Lines {
		identity = append(identity, canonical.Member{Key: "head", Value: p.Head})
	}
	return identity, nil
}

// once says whether an object has one of the keys twice.
func once(object jsonsrc.Value, keys ...string) error {
	for _, key := range keys {
		n := 0
		for k := range object.Members() {
			if k.Is(key) {
				n++
			}
			if n > 1 {
				return noPayload(k, "the path has %q twice", key)
			}
		}
	}
	return nil
}

// of returns the canonical form of an object; where is the place of a fault that has none.
func of(o canonical.Object, where jsonsrc.Value) (canonical.Form, error) {
	f, err := canonical.OfObject(o)
	if err == nil {
		return f, nil
	}
	if fault := err.(*canonical.Fault); fault.End > 0 {
		return canonical.Form{}, &NoPayloadError{fault.Message, fault.Start, fault.End}
	}
	return canonical.Form{}, noPayload(where, "%v", err)
}

// Payload returns what the signature signs. The error is a [*NoPayloadError].
func (s Signature) Payload() (canonical.Form, error) {
	scope := s.Scope()
	switch {
	case s.Path == nil && s.Doc.Lines:
		return canonical.Form{}, noPayload(s.Value, "the step that is signed is not there")
	case s.Path == nil:
		return canonical.Form{}, noPayload(s.Value.Get("scope"), "the RFC does not say what a signature of a graph signs")
	case s.Step >= 0 && scope == Author:
		return StepPayload(s.At())
	case s.Step < 0 && scope == Author:
		return PathPayload(s.Path)
	case s.Step < 0 && scope == Reviewer:
		return ReviewPayload(s.Path, s.Value.Get("timestamp").Text())
	case s.Step >= 0 && scope == Reviewer:
		return canonical.Form{}, noPayload(s.Value.Get("scope"), "a reviewer signs a path: the RFC does not say what a reviewer of a step signs")
	case scope == "":
		return canonical.Form{}, noPayload(s.Value, "the signature has no scope, which says what it signs")
	}
	return canonical.Form{}, noPayload(s.Value.Get("scope"), "the RFC does not say what a signature of the scope %q signs", clip(scope))
}

// digests are the SHA-256 of a payload in both orders of keys, which are mostly the same.
type digests struct {
	byBytes, byUnits [sha256.Size]byte
	differ           bool
	err              error
}

func digestsOf(f canonical.Form, err error) *digests {
	if err != nil {
		return &digests{err: err}
	}
	d := &digests{byBytes: sha256.Sum256(f.ByBytes)}
	if f.ByUnits != nil {
		d.byUnits, d.differ = sha256.Sum256(f.ByUnits), true
	}
	return d
}

// payloads is what the signatures of a path sign.
type payloads struct {
	author  canonical.Form
	err     error
	digests *digests
}

// ofPath returns what the path's author signs, from before if it was asked for.
func (a *Assessor) ofPath(p *toolpath.Path) *payloads {
	known := a.paths[p]
	if known == nil {
		known = new(payloads)
		known.author, known.err = PathPayload(p)
		known.digests = digestsOf(known.author, known.err)
		a.paths[p] = known
	}
	return known
}

// payload returns what a signature signs.
func (a *Assessor) payload(s Signature) (canonical.Form, error) {
	if s.Path != nil && s.Step < 0 && s.Scope() == Author {
		known := a.ofPath(s.Path)
		return known.author, known.err
	}
	return s.Payload()
}

// digests returns the digests of what a signature signs: those of a step from before, if its
// bytes have not changed since.
func (a *Assessor) digests(s Signature) *digests {
	switch {
	case s.Path == nil || s.Step >= 0 && s.Scope() != Author:
		return digestsOf(s.Payload())
	case s.Step < 0 && s.Scope() == Author:
		return a.ofPath(s.Path).digests
	case s.Step < 0:
		return digestsOf(s.Payload())
	}
	at := s.At()
	if d, ok := at.Sealed().(*digests); ok && d.err == nil { // places of errors move
		return d
	}
	d := digestsOf(s.Payload())
	if d.err == nil {
		at.SetSealed(d)
	}
	return d
}

func clip(s string) string {
	const most = 80
	for i := range s {
		if i >= most {
			return s[:i] + "…"
		}
	}
	return s
}
