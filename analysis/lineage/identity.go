package lineage

import (
	"bytes"
	"cmp"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage/pyjson"
)

// Card is an agent's card: which key speaks for which agent (a part of A2A's AgentCard).
type Card struct {
	AgentID      string
	Kid          string // the key's id
	PublicKeyPEM string // an Ed25519 key as SubjectPublicKeyInfo
	Protocol     string // "a2a/1.0" where the card has none
}

// ParseCard reads a card. Members that are not part of it are passed over.
func ParseCard(src []byte) (Card, error) {
	v, err := pyjson.Parse(src)
	if err != nil {
		return Card{}, fmt.Errorf("the card is not JSON: %w", err)
	}
	c := Card{Protocol: "a2a/1.0"}
	for _, m := range []struct {
		name string
		to   *string
	}{{"agent_id", &c.AgentID}, {"kid", &c.Kid}, {"public_key_pem", &c.PublicKeyPEM}} {
		value, ok := v.Get(m.name)
		if !ok || value.Kind() != pyjson.String {
			return Card{}, fmt.Errorf("the card has no text %q", m.name)
		}
		*m.to = value.Text()
	}
	if p, ok := v.Get("protocolVersion"); ok {
		c.Protocol = string(literal(p))
		if p.Kind() == pyjson.String {
			c.Protocol = p.Text()
		}
	}
	return c, nil
}

// Key returns the card's public key.
func (c Card) Key() (ed25519.PublicKey, error) {
	block, _ := pem.Decode([]byte(c.PublicKeyPEM))
	if block == nil || block.Type != "PUBLIC KEY" {
		return nil, fmt.Errorf("the card of %s has no public key in PEM", c.AgentID)
	}
	parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("the public key of %s: %w", c.AgentID, err)
	}
	key, ok := parsed.(ed25519.PublicKey)
	if !ok {
		return nil, fmt.Errorf("the public key of %s is not of Ed25519", c.AgentID)
	}
	return key, nil
}

// identity is what a signature is bound to.
type identity struct{ agent, kid string }

// Cards are the cards of a folder.
type Cards struct {
	byIdentity map[identity]Card
	keys       map[identity]ed25519.PublicKey // nil for a key of no use
	// Conflicts tell of cards that give one identity two keys. The first counts.
	Conflicts []string
	// Skipped tell of files that are no cards.
	Skipped []string
}

const (
	maxCard  = 1 << 20 // bytes
	maxCards = 10_000
)

// LoadCards reads the cards of a folder: "*/card.json" and "*/*/card.json". The names of
// the folders mean nothing. A folder that is missing has no cards; nil is one.
func LoadCards(fsys fs.FS) (Cards, error) {
	c := Cards{byIdentity: map[identity]Card{}, keys: map[identity]ed25519.PublicKey{}}
	if fsys == nil {
		return c, nil
	}
	var names []string
	for _, depth := range []int{1, 2} {
		found, err := cardsAt(fsys, ".", depth)
		if err != nil {
			return c, err
		}
		names = append(names, found...)
	}
	if len(names) > maxCards {
		return c, fmt.Errorf("the folder has more than %d cards", maxCards)
	}
	for _, name := range names {
		src, err := readFile(fsys, name, maxCard)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var card Card
		if err == nil {
			card, err = ParseCard(src)
		}
		if err != nil {
			c.Skipped = append(c.Skipped, fmt.Sprintf("%s: %v", name, err))
			continue
		}
		c.add(card)
	}
	return c, nil
}

func cardsAt(fsys fs.FS, folder string, depth int) ([]string, error) {
	if depth == 0 {
		return []string{path.Join(folder, "card.json")}, nil
	}
	entries, err := fs.ReadDir(fsys, folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && folder == "." {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() || e.Type()&fs.ModeSymlink != 0 {
			below, err := cardsAt(fsys, path.Join(folder, e.Name()), depth-1)
			if err != nil {
				return nil, err
			}
			names = append(names, below...)
		}
	}
	return names, nil
}

func (c *Cards) add(card Card) {
	id := identity{card.AgentID, card.Kid}
	if first, known := c.byIdentity[id]; known {
		if first != card {
			c.Conflicts = append(c.Conflicts, fmt.Sprintf("two cards give agent %q and key id %q different keys or protocols", card.AgentID, card.Kid))
		}
		return
	}
	c.byIdentity[id] = card
	c.keys[id], _ = card.Key()
}

// Card returns the card of an identity.
func (c Cards) Card(agent, kid string) (Card, bool) {
	card, ok := c.byIdentity[identity{agent, kid}]
	return card, ok
}

// All returns the cards, by agent and key id.
func (c Cards) All() []Card {
	all := make([]Card, 0, len(c.byIdentity))
	for _, card := range c.byIdentity {
		all = append(all, card)
	}
	slices.SortFunc(all, func(a, b Card) int {
		return cmp.Or(strings.Compare(a.AgentID, b.AgentID), strings.Compare(a.Kid, b.Kid))
	})
	return all
}

// SignDetached signs a payload: a JWS in compact form without its payload (RFC 7515
// appendix F), the payload unencoded (RFC 7797).
func SignDetached(payload []byte, kid string, key ed25519.PrivateKey) (string, error) {
	header := append([]byte(`{"alg":"EdDSA","b64":false,"crit":["b64"],"kid":`), literal(pyjson.Text(kid))...)
	protected := base64.RawURLEncoding.EncodeToString(append(header, '}'))
	signature, err := key.Sign(nil, signingInput(protected, payload), &ed25519.Options{})
	if err != nil {
		return "", err
	}
	return protected + ".." + base64.RawURLEncoding.EncodeToString(signature), nil
}

func signingInput(protected string, payload []byte) []byte {
	return append(append([]byte(protected), '.'), payload...)
}

// Signature is a detached JWS that was read.
type Signature struct {
	Kid string // of its header
	// Loose is why a strict reader refuses it although the logs' own tools accept it.
	Loose     string
	protected string
	header    pyjson.Value
	bytes     []byte
}

// ParseSignature reads a detached JWS. It fails where no key id can be read.
func ParseSignature(text string) (Signature, error) {
	var s Signature
	parts := strings.Split(text, ".")
	if len(parts) != 3 || parts[1] != "" {
		return s, errors.New("the signature is not a JWS without a payload: header, two dots, signature")
	}
	s.protected = parts[0]
	header, ok := looseBase64(parts[0], true)
	if !ok {
		return s, errors.New("the header of the signature is not base64url")
	}
	v, notes, err := pyjson.ParseNotes(header)
	if err != nil || v.Kind() != pyjson.Object {
		return s, errors.New("the header of the signature is not a JSON object")
	}
	kid, ok := v.Get("kid")
	if !ok || kid.Kind() != pyjson.String {
		return s, errors.New("the header of the signature has no key id")
	}
	s.header, s.Kid = v, kid.Text()
	s.bytes, ok = looseBase64(parts[2], true)
	if !ok {
		s.bytes = nil
	}
	_, strictHeader := strictBase64(parts[0])
	signature, strictSignature := strictBase64(parts[2])
	b64, _ := v.Get("b64")
	switch {
	case !strictHeader || !strictSignature || !bytes.Equal(signature, s.bytes):
		s.Loose = "the signature has characters that base64url without padding does not"
	case notes.Duplicate:
		s.Loose = "the header of the signature has a member twice"
	case b64.Kind() != pyjson.Bool:
		s.Loose = `"b64" in the header of the signature is not false, but a number`
	}
	return s, nil
}

func strictBase64(s string) ([]byte, bool) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	return b, err == nil && !strings.ContainsAny(s, "\r\n")
}

// VerifyDetached says whether the signature is the key's over the payload, and its header
// the one that [SignDetached] writes for the key id, in any order.
func (s Signature) VerifyDetached(payload []byte, kid string, key ed25519.PublicKey) bool {
	want := pyjson.Map(
		pyjson.Member{Name: "alg", Value: pyjson.Text("EdDSA")},
		pyjson.Member{Name: "b64", Value: pyjson.Truth(false)},
		pyjson.Member{Name: "crit", Value: pyjson.Texts([]string{"b64"})},
		pyjson.Member{Name: "kid", Value: pyjson.Text(kid)},
	)
	return len(key) == ed25519.PublicKeySize && s.header.Equal(want) && isASCII(s.protected) &&
		ed25519.Verify(key, signingInput(s.protected, payload), s.bytes)
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0
}

// readFile reads a file of at most limit bytes.
func readFile(fsys fs.FS, name string, limit int64) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errors.New("is not a regular file")}
	}
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("has more than %d bytes", limit)}
	}
	return b, err
}
