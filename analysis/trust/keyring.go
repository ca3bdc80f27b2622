package trust

import (
	"crypto/sha256"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis/canonical"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// Keyring is all keys that are known. It is safe for concurrent use. A nil *Keyring has no
// keys.
type Keyring struct {
	keys map[string]Keys // by type

	mu     sync.Mutex
	checks map[[sha256.Size]byte]*checked
}

// NewKeyring makes a keyring of the keys of each type.
func NewKeyring(keys map[string]Keys) *Keyring { return &Keyring{keys: keys} }

// checked is what was found of one signature and one payload.
type checked struct {
	Check
	canonical, byUnits bool
}

// maxChecks bounds the checks that are kept.
const maxChecks = 1 << 14

// MaxSignature is the size in bytes over which a signature is not looked at.
const MaxSignature = 1 << 20

// Assess says what is known of a signature at a time.
func (k *Keyring) Assess(s Signature, now time.Time) Result { return k.Assessor(now).Assess(s) }

// Assessor assesses the signatures of one document at one time; it is Assess for many. It is
// for one goroutine.
type Assessor struct {
	keys  *Keyring
	now   time.Time
	paths map[*toolpath.Path]*payloads
	count map[target]int
}

// Assessor returns an assessor with the keys.
func (k *Keyring) Assessor(now time.Time) *Assessor {
	return &Assessor{keys: k, now: now, paths: map[*toolpath.Path]*payloads{}, count: map[target]int{}}
}

// target is what a signature is of.
type target struct {
	path *toolpath.Path
	step int
}

// maxPerTarget bounds the signatures of one step or path that are looked at.
const maxPerTarget = 200

// Assess says what is known of a signature.
func (a *Assessor) Assess(s Signature) Result {
	k, now, t := a.keys, a.now, target{s.Path, s.Step}
	if a.count[t]++; a.count[t] > maxPerTarget {
		return Result{State: NoPayload, Reason: fmt.Sprintf("only the first %d signatures of one step or path are looked at", maxPerTarget)}
	}
	sig := s.Value.Get("sig").Text()
	if IsPlaceholder(sig) {
		return Result{State: Placeholder}
	}
	if e, faulty := s.Value.Fault(); faulty {
		return Result{State: NoPayload, Reason: e.Message, Start: e.Start, End: e.End}
	}
	d := a.digests(s)
	if d.err != nil {
		e := d.err.(*NoPayloadError)
		return Result{State: NoPayload, Reason: e.Reason, Start: e.Start, End: e.End}
	}
	if len(sig) > MaxSignature {
		return Result{State: Bad, Reason: fmt.Sprintf("the signature has more than %d bytes", MaxSignature)}
	}
	named := s.Key()
	c := k.check(func() (canonical.Form, error) { return a.payload(s) }, sig, named, d)
	r := Result{Key: c.Key, Reason: c.Reason, Canonical: c.canonical, ByUnits: c.byUnits, ByBytes: d.differ && !c.byUnits}
	switch c.Match {
	case Unreadable, Mismatch:
		return Result{State: Bad, Reason: c.Reason, Key: c.Key}
	case NoKey:
		return Result{State: KeyUnknown, Reason: c.Reason, Key: c.Key}
	}
	r.State, r.Reason = s.judge(c.Check, named, now)
	for i := 0; i < len(c.Or) && r.State != Valid; i++ {
		if state, _ := s.judge(c.Or[i], named, now); state == Valid {
			r.State, r.Reason, r.Key = Valid, "", c.Or[i].Key
		}
	}
	return r
}

// judge says what a matching signature is worth.
func (s Signature) judge(c Check, named KeyName, now time.Time) (State, string) {
	if !c.Key.likely(named) {
		return Bad, fmt.Sprintf("it was made by the key %s, not by the one that it names", c.Key.Name())
	}
	if c.Revoked != "" {
		return Revoked, c.Revoked
	}
	actor, def, defined := s.Signer()
	if !defined {
		return SignerUndefined, fmt.Sprintf("it matches, by %s, but no meta.actors defines %s", c.Key, clip(actor))
	}
	if reason := c.Key.refuses(actor, def); reason != "" {
		return KeyNotOfSigner, reason
	}
	if reason := refusedByPrincipals(c, actor, def); reason != "" {
		return KeyNotOfSigner, reason
	}
	for _, t := range c.Terms {
		switch {
		case !t.From.IsZero() && now.Before(t.From):
			return Expired, fmt.Sprintf("%s is not in force before %s", t.What, t.From.UTC().Format(time.RFC3339))
		case !t.Until.IsZero() && !now.Before(t.Until):
			return Expired, fmt.Sprintf("%s has expired, on %s", t.What, t.Until.UTC().Format(time.RFC3339))
		}
	}
	return Valid, ""
}

// likely says whether the name can be the key's.
func (k Key) likely(n KeyName) bool {
	for _, whole := range k.Names {
		if n.endsAs(whole, leastToName) {
			return true
		}
	}
	return false
}

// String names the key and its owner.
func (k Key) String() string {
	if k.Owner == "" {
		return k.Name().String()
	}
	return fmt.Sprintf("%s (%s)", k.Name(), clip(k.Owner))
}

// refuses says why the key is none that the definition of the signer has; "" if it is one.
func (k Key) refuses(actor string, def toolpath.ActorDefinition) string {
	short := false
	const most = 1000 // keys
	for i, v := range def.Value.Get("keys").Elements() {
		if i == most {
			break
		}
		n := NewKeyName(v.Get("type").Text(), v.Get("fingerprint").Text())
		for _, whole := range k.Names {
			if n.Identifies(whole) {
				return ""
			}
		}
		short = short || k.likely(n)
	}
	if short {
		return fmt.Sprintf("it matches, but %s names the key by its last digits only, which others can imitate: write the whole fingerprint %s", clip(actor), k.Names[len(k.Names)-1])
	}
	return fmt.Sprintf("it matches, by %s, which is none of the keys of %s", k, clip(actor))
}

// refusedByPrincipals says why those that the key material gives the key to are not the
// signer; "" if they may be. A signer without an e-mail address can only be told from others
// by principals that are actors.
func refusedByPrincipals(c Check, actor string, def toolpath.ActorDefinition) string {
	if c.Principals == nil {
		return ""
	}
	names := []string{actor}
	for _, id := range def.Identities {
		if strings.EqualFold(id.System, "email") {
			names = append(names, id.ID)
		}
	}
	comparable, given := len(names) > 1, false
	for _, pattern := range c.Principals {
		pattern, negated := strings.CutPrefix(pattern, "!")
		for _, name := range names {
			switch {
			case !MatchPattern(pattern, name):
			case negated:
				return notGiven(c, names)
			default:
				given = true
			}
		}
		kind, _, _ := strings.Cut(pattern, ":")
		comparable = comparable || slices.Contains(toolpath.ActorKinds, kind)
	}
	if given || !comparable {
		return ""
	}
	return notGiven(c, names)
}

func notGiven(c Check, names []string) string {
	return fmt.Sprintf("it matches, but %s gives the key to %s, not to %s", path.Base(c.Key.File), clip(strings.Join(c.Principals, ",")), clip(strings.Join(names, " or ")))
}

// MatchPattern says whether s is what the pattern says, in which * stands for any characters
// and ? for one (ssh-keygen(1), "ALLOWED SIGNERS").
func MatchPattern(pattern, s string) bool {
	star, mark := -1, 0
	i, k := 0, 0
	for k < len(s) {
		switch {
		case i < len(pattern) && pattern[i] == '*':
			star, mark = i, k
			i++
		case i < len(pattern) && (pattern[i] == '?' || pattern[i] == s[k]):
			i++
			k++
		case star >= 0:
			mark++
			i, k = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[i:], "*") == ""
}

// check returns what the keys say of the signature, from before if they were asked.
func (k *Keyring) check(payload func() (canonical.Form, error), sig string, named KeyName, d *digests) *checked {
	var keys Keys
	if k != nil {
		keys = k.keys[named.Type]
	}
	if keys == nil {
		reason := "no key of this type is known here"
		switch named.Type {
		case GPG, SSH, Sigstore:
		case "":
			reason = `the signature does not name its key as "type:fingerprint"`
		default:
			reason = fmt.Sprintf("keys of the type %q cannot be verified; gpg, ssh and sigstore can", clip(named.Type))
		}
		return &checked{Check: Check{Match: NoKey, Reason: reason}}
	}
	h := sha256.New()
	h.Write(d.byBytes[:])
	h.Write(d.byUnits[:])
	fmt.Fprintf(h, "%d %s\n%s", len(named.String()), named, sig)
	id := [sha256.Size]byte(h.Sum(nil))
	k.mu.Lock()
	c := k.checks[id]
	k.mu.Unlock()
	if c != nil {
		return c
	}
	c = tryAll(keys, payload, sig, named, d)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.checks == nil || len(k.checks) >= maxChecks {
		k.checks = make(map[[sha256.Size]byte]*checked)
	}
	k.checks[id] = c
	return c
}

// tryAll looks for the message that the signature matches: the digest of the payload, which
// is what the RFC signs, else its canonical bytes, each in both orders of keys.
func tryAll(keys Keys, payload func() (canonical.Form, error), sig string, named KeyName, d *digests) *checked {
	first := &checked{Check: keys.Check(sig, named, d.byBytes[:])}
	if first.Match != Mismatch {
		return first
	}
	if d.differ {
		if c := keys.Check(sig, named, d.byUnits[:]); c.Match == Matches {
			return &checked{Check: c, byUnits: true}
		}
	}
	f, err := payload()
	if err != nil {
		return first
	}
	for _, form := range []struct {
		bytes   []byte
		byUnits bool
	}{{f.ByBytes, false}, {f.ByUnits, true}} {
		if form.bytes == nil {
			continue
		}
		if c := keys.Check(sig, named, form.bytes); c.Match == Matches {
			return &checked{Check: c, canonical: true, byUnits: form.byUnits}
		}
	}
	return first
}

// IsPlaceholder says whether a signature is the place for one: nothing, dots, or a text with
// an ellipsis, which no signature has.
func IsPlaceholder(sig string) bool {
	t := strings.TrimSpace(sig)
	return t == "" || strings.Contains(t, "...") || strings.Contains(t, "…") || strings.HasPrefix(t, "<") && strings.HasSuffix(t, ">") || strings.Trim(t, ".") == ""
}

// Refuses says why a signature is not one of the message by the key; "" if it is.
func (k *Keyring) Refuses(sig string, name KeyName, message []byte) string {
	keys := k.keys[name.Type]
	if keys == nil {
		return "keys of this type are not known here"
	}
	switch c := keys.Check(sig, name, message); {
	case c.Match != Matches:
		return c.Reason
	case !c.Key.likely(name):
		return "it is by " + c.Key.Name().String()
	}
	return ""
}
