// Package gpg reads OpenPGP keys and verifies armoured detached signatures (RFC 9580).
//
// It reads a signature more strictly than OpenPGP asks for, so that nothing of it can be
// changed and the signature still be good: the armour has no header lines and is what an
// encoder would write, and the part of the packet that the signature does not cover may
// only name the key.
package gpg

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
	openpgp "github.com/ProtonMail/go-crypto/openpgp/v2"

	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
)

// Keys are OpenPGP keys that sign. It implements [trust.Keys].
type Keys struct {
	byID map[uint64][]key
	n    int
}

// key is a primary key or a subkey, with what its owner said of it.
type key struct {
	public  *packet.PublicKey
	trust   trust.Key
	revoked string
	terms   []trust.Term
	made    time.Time // when its owner said so last
}

// Bounds of what is read.
const (
	maxKeys      = 100_000 // of a keyring
	maxSignature = 1 << 16 // bytes of a signature's packet
)

// Add adds the keys of a file: armoured or binary certificates, or a keybox of GnuPG. It
// returns how many keys it found that sign. Now decides which revocations count.
func (k *Keys) Add(m trust.Material, now time.Time) (int, error) {
	before := k.n
	entities, err := read(m.Content)
	for _, e := range entities {
		k.entity(e, m, now)
	}
	return k.n - before, err
}

// Is says whether a file is one of OpenPGP keys.
func Is(content []byte) bool {
	switch {
	case isKeybox(content):
		return true
	case bytes.Contains(content[:min(len(content), 1<<16)], []byte("-----BEGIN PGP PUBLIC KEY BLOCK-----")):
		return true
	case len(content) == 0:
		return false
	}
	// The tag of a public key packet, in either format.
	return content[0]&0xFC == 0x98 || content[0] == 0xC6
}

func read(content []byte) (openpgp.EntityList, error) {
	if isKeybox(content) {
		return readKeybox(content)
	}
	if content[0]&0x80 != 0 {
		return openpgp.ReadKeyRing(bytes.NewReader(content))
	}
	var all openpgp.EntityList
	var errs []error
	for rest := content; ; {
		i := bytes.Index(rest, []byte("-----BEGIN PGP PUBLIC KEY BLOCK-----"))
		if i < 0 {
			return all, errors.Join(errs...)
		}
		rest = rest[i:]
		end := bytes.Index(rest, []byte("-----END PGP PUBLIC KEY BLOCK-----"))
		if end < 0 {
			return all, errors.Join(append(errs, errors.New("a key block has no end"))...)
		}
		block := rest[:end+len("-----END PGP PUBLIC KEY BLOCK-----")]
		list, err := openpgp.ReadArmoredKeyRing(bytes.NewReader(block))
		if err != nil {
			errs = append(errs, err)
		}
		all = append(all, list...)
		rest = rest[len(block):]
	}
}

// entity adds the keys of a certificate.
func (k *Keys) entity(e *openpgp.Entity, m trust.Material, now time.Time) {
	always := time.Time{} // times are for the one who asks
	config := &packet.Config{}
	primary := trust.NewKeyName(trust.GPG, fmt.Sprintf("%X", e.PrimaryKey.Fingerprint))
	whole := trust.Key{Names: []trust.KeyName{primary}, Owner: owner(e), File: m.Name, Origin: m.Origin}
	self, err := e.PrimarySelfSignature(always, config)
	if err != nil {
		return // nobody says that it is a key of anybody
	}
	revoked := ""
	if e.Revoked(now) {
		revoked = "the key has been revoked" + reasonOf(e.Revocations)
	}
	terms := []trust.Term{lifetime("the key", e.PrimaryKey, self)}
	if direct, err := e.LatestValidDirectSignature(always, config); err == nil && e.PrimaryKey.Version != 6 {
		terms = append(terms, lifetime("the key", e.PrimaryKey, direct))
	}
	if self.FlagSign || !self.FlagsValid {
		k.add(key{e.PrimaryKey, whole, revoked, terms, self.CreationTime})
	}
	for i := range e.Subkeys {
		sub := &e.Subkeys[i]
		binding, err := sub.LatestValidBindingSignature(always, config)
		if err != nil || !binding.FlagsValid || !binding.FlagSign {
			continue
		}
		its := whole
		its.Names = []trust.KeyName{trust.NewKeyName(trust.GPG, fmt.Sprintf("%X", sub.PublicKey.Fingerprint)), primary}
		why := revoked
		if why == "" && sub.Revoked(binding, now) {
			why = "the subkey has been revoked" + reasonOf(sub.Revocations)
		}
		made := binding.CreationTime
		if self.CreationTime.After(made) {
			made = self.CreationTime
		}
		k.add(key{sub.PublicKey, its, why, append(slices.Clone(terms), lifetime("the subkey", sub.PublicKey, binding)), made})
	}
}

// add adds a key. Of several copies of one the newest counts; one that is revoked is revoked
// whatever the others say.
func (k *Keys) add(one key) {
	if k.n >= maxKeys {
		return
	}
	k.n++
	list := k.byID[one.public.KeyId]
	for i, known := range list {
		if known.trust.Name() != one.trust.Name() {
			continue
		}
		if known.made.Before(one.made) {
			known, one = one, known
		}
		if known.revoked == "" {
			known.revoked = one.revoked
		}
		if one.trust.Origin < known.trust.Origin {
			known.trust.Origin, known.trust.File = one.trust.Origin, one.trust.File
		}
		list[i] = known
		return
	}
	if k.byID == nil {
		k.byID = map[uint64][]key{}
	}
	k.byID[one.public.KeyId] = append(list, one)
}

// lifetime returns the term of a key that its self-signature says.
func lifetime(what string, pub *packet.PublicKey, self *packet.Signature) trust.Term {
	t := trust.Term{What: what, From: pub.CreationTime.Add(-skew)}
	if self.KeyLifetimeSecs != nil && *self.KeyLifetimeSecs != 0 {
		t.Until = pub.CreationTime.Add(time.Duration(*self.KeyLifetimeSecs) * time.Second)
	}
	if s := self.SigLifetimeSecs; s != nil && *s != 0 {
		if until := self.CreationTime.Add(time.Duration(*s) * time.Second); t.Until.IsZero() || until.Before(t.Until) {
			t.Until = until
		}
	}
	return t
}

func reasonOf(revocations []*packet.VerifiableSignature) string {
	for _, r := range revocations {
		if r.Valid == nil || !*r.Valid {
			continue
		}
		if text := strings.TrimSpace(r.Packet.RevocationReasonText); text != "" {
			return ": " + text
		}
	}
	return ""
}

// owner returns the user ids of a key, the primary one first.
func owner(e *openpgp.Entity) string {
	names := slices.Sorted(maps.Keys(e.Identities))
	if _, id := e.PrimaryIdentity(time.Time{}, &packet.Config{}); id != nil {
		names = slices.DeleteFunc(names, func(n string) bool { return n == id.Name })
		names = append([]string{id.Name}, names...)
	}
	const most = 3
	return strings.Join(names[:min(len(names), most)], ", ")
}

// Check implements [trust.Keys].
func (k *Keys) Check(sig string, _ trust.KeyName, message []byte) trust.Check {
	body, err := dearmour(sig)
	if err != nil {
		return trust.Check{Match: trust.Unreadable, Reason: fmt.Sprintf("this is no armoured OpenPGP signature: %v", err)}
	}
	if len(body) > maxSignature {
		return trust.Check{Match: trust.Unreadable, Reason: "the signature is too long"}
	}
	issuers, err := strict(body)
	if err != nil {
		return trust.Check{Match: trust.Unreadable, Reason: fmt.Sprintf("the OpenPGP signature has a fault: %v", err)}
	}
	p, err := packet.Read(bytes.NewReader(body))
	s, ok := p.(*packet.Signature)
	if err != nil || !ok {
		return trust.Check{Match: trust.Unreadable, Reason: fmt.Sprintf("the OpenPGP signature cannot be read: %v", err)}
	}
	config := &packet.Config{}
	switch {
	case s.SigType != packet.SigTypeBinary:
		return trust.Check{Match: trust.Unreadable, Reason: "it is not an OpenPGP signature of a binary document"}
	case config.RejectMessageHashAlgorithm(s.Hash):
		return trust.Check{Match: trust.Unreadable, Reason: fmt.Sprintf("it uses the hash %v, which is broken", s.Hash)}
	}
	for _, n := range s.Notations {
		if n.IsCritical {
			return trust.Check{Match: trust.Unreadable, Reason: "it has a critical notation that is not known here"}
		}
	}
	if s.IssuerKeyId == nil && s.IssuerFingerprint == nil {
		return trust.Check{Match: trust.Unreadable, Reason: "the OpenPGP signature does not say which key it is by"}
	}
	return k.verify(s, issuers, message)
}

func (k *Keys) verify(s *packet.Signature, issuers []uint64, message []byte) trust.Check {
	id := issuers[0]
	for _, other := range issuers {
		if other != id {
			return trust.Check{Match: trust.Unreadable, Reason: "the OpenPGP signature names two keys"}
		}
	}
	candidates := k.byID[id]
	if len(candidates) == 0 {
		name := trust.NewKeyName(trust.GPG, fmt.Sprintf("%016X", id))
		if s.IssuerFingerprint != nil {
			name = trust.NewKeyName(trust.GPG, fmt.Sprintf("%X", s.IssuerFingerprint))
		}
		return trust.Check{Match: trust.NoKey, Key: trust.Key{Names: []trust.KeyName{name}},
			Reason: fmt.Sprintf("the public key %s is in none of the keyrings", name)}
	}
	found := trust.Check{Match: trust.Mismatch, Reason: "the signature is not one of this content"}
	for _, c := range candidates {
		found.Key = c.trust
		if !s.CheckKeyIdOrFingerprint(c.public) || matches(c.public, s, message) != nil {
			continue
		}
		if s.CreationTime.Unix() < c.public.CreationTime.Unix() {
			found.Reason = "the signature is older than its key"
			continue
		}
		terms := append(slices.Clone(c.terms), term(s))
		return trust.Check{Match: trust.Matches, Key: c.trust, Revoked: c.revoked, Terms: terms}
	}
	return found
}

// matches verifies the signature, with the two bytes of the hash that stand beside it.
func matches(pub *packet.PublicKey, s *packet.Signature, message []byte) error {
	h, err := s.PrepareVerify()
	if err != nil {
		return err
	}
	h.Write(message)
	if err := packet.VerifyHashTag(h, s); err != nil {
		return err
	}
	if h, err = s.PrepareVerify(); err != nil {
		return err
	}
	h.Write(message)
	return pub.VerifySignature(h, s)
}

// skew is how far clocks may differ.
const skew = 5 * time.Minute

// term is when the signature says that it is in force.
func term(s *packet.Signature) trust.Term {
	t := trust.Term{What: "the signature", From: s.CreationTime.Add(-skew)}
	if s.SigLifetimeSecs != nil && *s.SigLifetimeSecs != 0 {
		t.Until = s.CreationTime.Add(time.Duration(*s.SigLifetimeSecs) * time.Second)
	}
	return t
}

// Pick returns the armoured certificate of the key among those of a file, nil if it is not
// there.
func Pick(content []byte, name trust.KeyName) (file []byte, user string, err error) {
	entities, err := read(content)
	for _, e := range entities {
		if !name.Identifies(trust.NewKeyName(trust.GPG, fmt.Sprintf("%X", e.PrimaryKey.Fingerprint))) {
			continue
		}
		var b bytes.Buffer
		w, err := armor.Encode(&b, openpgp.PublicKeyType, nil)
		if err != nil {
			return nil, "", err
		}
		if err := errors.Join(e.Serialize(w), w.Close()); err != nil {
			return nil, "", err
		}
		b.WriteByte('\n')
		return b.Bytes(), owner(e), nil
	}
	return nil, "", err
}
