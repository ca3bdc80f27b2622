package ssh

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
)

// entry is one line that gives a key.
type entry struct {
	key        trust.Key
	principals []string // nil for a file that names none
	namespaces []string // patterns; nil for all
	terms      []trust.Term
}

func (e entry) allows(namespace string) bool {
	if e.namespaces == nil {
		return true
	}
	allowed := false
	for _, p := range e.namespaces {
		p, negated := strings.CutPrefix(p, "!")
		if trust.MatchPattern(p, namespace) {
			if negated {
				return false
			}
			allowed = true
		}
	}
	return allowed
}

// The names of files that are no plain keys.
const (
	AllowedSigners = "allowed_signers"
	RevokedKeys    = "revoked_keys"
)

// Is says whether a file is one of SSH keys.
func Is(name string, content []byte) bool {
	base := path.Base(name)
	if base == AllowedSigners || base == RevokedKeys || strings.HasSuffix(base, ".pub") {
		return true
	}
	for line := range bytes.Lines(content[:min(len(content), 1<<16)]) {
		for _, field := range bytes.Fields(line) {
			if f := string(field); f == ssh.KeyAlgoED25519 || f == ssh.KeyAlgoRSA || strings.HasPrefix(f, "ecdsa-sha2-") || strings.HasPrefix(f, "sk-") && strings.HasSuffix(f, "@openssh.com") {
				return true
			}
		}
	}
	return false
}

// Add adds the keys of a file: a public key, a list of them, allowed_signers, or, by its name,
// keys that are revoked. It returns how many keys it found.
func (k *Keys) Add(m trust.Material) (int, error) {
	if path.Base(m.Name) == RevokedKeys {
		return k.revoke(m)
	}
	before := k.n
	var errs []error
	n := 0
	for line := range strings.Lines(string(m.Content)) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		e, pub, err := parseLine(line, path.Base(m.Name) == AllowedSigners)
		if err != nil {
			if len(errs) < 10 {
				errs = append(errs, fmt.Errorf("line %d: %w", n, err))
			}
			continue
		}
		name := trust.NewKeyName(trust.SSH, ssh.FingerprintSHA256(pub))
		e.key.Names, e.key.File, e.key.Origin = []trust.KeyName{name}, m.Name, m.Origin
		k.add(name.Fingerprint, e)
	}
	return k.n - before, errors.Join(errs...)
}

// add keeps what counts more first: what the user gave, and lines of allowed_signers, which
// restrict a key.
func (k *Keys) add(fingerprint string, e entry) {
	if k.n >= maxKeys {
		return
	}
	if k.byFingerprint == nil {
		k.byFingerprint = map[string][]entry{}
	}
	k.n++
	list := append(k.byFingerprint[fingerprint], e)
	slices.SortStableFunc(list, func(a, b entry) int {
		return rank(a) - rank(b)
	})
	k.byFingerprint[fingerprint] = list
}

func rank(e entry) int {
	n := int(e.key.Origin) * 2
	if e.principals == nil {
		n++
	}
	return n
}

// revoke reads a list of public keys, or of their fingerprints, that are revoked. The binary
// form of such a list, a KRL, is not read; then no key is taken for good.
func (k *Keys) revoke(m trust.Material) (int, error) {
	if bytes.HasPrefix(m.Content, []byte("SSHKRL\n\x00")) {
		k.unreadable = fmt.Sprintf("%s is a key revocation list in binary form, which is not read here: write it as a list of public keys", m.Name)
		return 0, errors.New(k.unreadable)
	}
	if k.revoked == nil {
		k.revoked = map[string]string{}
	}
	n := 0
	var errs []error
	for line := range strings.Lines(string(m.Content)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		fingerprint := strings.TrimSpace(strings.TrimPrefix(line, "sha256:"))
		if !strings.HasPrefix(fingerprint, "SHA256:") {
			pub, _, _, _, err := ssh.ParseAuthorizedKey([]byte(line))
			if err != nil {
				k.unreadable = fmt.Sprintf("%s has a line that is no public key: nobody knows which keys are revoked", m.Name)
				errs = append(errs, errors.New(k.unreadable))
				continue
			}
			fingerprint = ssh.FingerprintSHA256(pub)
		}
		k.revoked[trust.NewKeyName(trust.SSH, fingerprint).Fingerprint] = fmt.Sprintf("the key has been revoked, by %s", m.Name)
		n++
	}
	return n, errors.Join(errs...)
}

// parseLine reads a line of a file of keys. In allowed_signers the first field is the
// principals; a line elsewhere has them if it does not start with a key.
func parseLine(line string, allowedSigners bool) (e entry, pub ssh.PublicKey, err error) {
	if !allowedSigners {
		if pub, comment, err := parseKey(line); err == nil {
			return entry{key: trust.Key{Owner: comment}}, pub, nil
		}
	}
	principals, rest := cutField(line)
	if principals == "" || rest == "" {
		return e, nil, errors.New("it is no public key")
	}
	e.principals = strings.Split(principals, ",")
	e.key.Owner = principals
	if pub, _, err = parseKey(rest); err != nil {
		options, behind := cutField(rest)
		if pub, _, err = parseKey(behind); err != nil {
			return e, nil, errors.New("it has no public key behind the principals and options")
		}
		if err := e.options(options); err != nil {
			return e, nil, err
		}
	}
	return e, pub, nil
}

// parseKey reads "type base64 comment".
func parseKey(s string) (ssh.PublicKey, string, error) {
	kind, rest := cutField(s)
	encoded, comment := cutField(rest)
	blob, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, "", err
	}
	pub, err := ssh.ParsePublicKey(blob)
	if err != nil {
		return nil, "", err
	}
	if pub.Type() != kind {
		return nil, "", errors.New("the key is of another type than it says")
	}
	return pub, comment, nil
}

// cutField returns the first field, in which white space between quotes is none that ends
// it, and what is behind it. A field that is all in quotes loses them.
func cutField(s string) (field, rest string) {
	s = strings.TrimLeft(s, " \t")
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && quoted && i+1 < len(s):
			i++
		case c == '"':
			quoted = !quoted
		case (c == ' ' || c == '\t') && !quoted:
			return unquote(s[:i]), strings.TrimLeft(s[i:], " \t")
		}
	}
	return unquote(s), ""
}

func unquote(s string) string {
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' && !strings.Contains(s[1:len(s)-1], `"`) {
		return s[1 : len(s)-1]
	}
	return s
}

// options reads the options of a line of allowed_signers. One that is not known may restrict
// the key, so that the line is refused.
func (e *entry) options(s string) error {
	var from, until time.Time
	for s != "" {
		var option string
		option, s = cutOption(s)
		name, value, _ := strings.Cut(option, "=")
		value = unquote(value)
		var err error
		switch strings.ToLower(name) {
		case "namespaces":
			e.namespaces = strings.Split(value, ",")
		case "valid-after":
			from, err = parseTime(value)
		case "valid-before":
			until, err = parseTime(value)
		case "cert-authority":
			err = errors.New("it is a certificate authority, and certificates are not verified here")
		default:
			err = fmt.Errorf("the option %q is not known", name)
		}
		if err != nil {
			return err
		}
	}
	if !from.IsZero() || !until.IsZero() {
		e.terms = append(e.terms, trust.Term{What: "the key, by its allowed_signers,", From: from, Until: until})
	}
	return nil
}

// cutOption returns what stands before the first comma that is not quoted.
func cutOption(s string) (option, rest string) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && quoted && i+1 < len(s):
			i++
		case s[i] == '"':
			quoted = !quoted
		case s[i] == ',' && !quoted:
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

// parseTime reads a time of allowed_signers: YYYYMMDD, YYYYMMDDHHMM or YYYYMMDDHHMMSS, in
// UTC with a "Z" behind it, else in the zone of the machine (ssh-keygen(1)).
func parseTime(s string) (time.Time, error) {
	zone := time.Local
	digits, isUTC := strings.CutSuffix(s, "Z")
	if isUTC {
		zone = time.UTC
	}
	for _, layout := range []string{"20060102", "200601021504", "20060102150405"} {
		if len(digits) == len(layout) {
			if t, err := time.ParseInLocation(layout, digits, zone); err == nil {
				return t, nil
			}
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time such as 20260129 or 20260129153000Z", s)
}

// Pick returns the line of the key among those of a file, nil if it is not there.
func Pick(content []byte, name trust.KeyName) (file []byte, owner string, err error) {
	for line := range strings.Lines(string(content)) {
		pub, comment, err := parseKey(strings.TrimSpace(line))
		if err == nil && trust.NewKeyName(trust.SSH, ssh.FingerprintSHA256(pub)) == name {
			return ssh.MarshalAuthorizedKey(pub), comment, nil
		}
	}
	return nil, "", nil
}
