package gpg

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"math/bits"
	"strings"

	"github.com/ProtonMail/go-crypto/openpgp/packet"
)

const (
	armourBegin = "-----BEGIN PGP SIGNATURE-----"
	armourEnd   = "-----END PGP SIGNATURE-----"
)

// dearmour decodes the armour of a signature (RFC 9580, section 6). It takes it only as an
// encoder writes it: without header lines, all lines of the same length but the last one, a
// checksum that is right if there is one. Lines may end in CR LF if all do.
func dearmour(s string) ([]byte, error) {
	if strings.Contains(s, "\r\n") && strings.Count(s, "\r\n") == strings.Count(s, "\n") {
		s = strings.ReplaceAll(s, "\r\n", "\n")
	}
	s = strings.TrimSuffix(s, "\n")
	s, ok := strings.CutPrefix(s, armourBegin+"\n")
	if !ok {
		return nil, errors.New("it does not begin with " + armourBegin)
	}
	if s, ok = strings.CutSuffix(s, "\n"+armourEnd); !ok {
		return nil, errors.New("it does not end with " + armourEnd)
	}
	if s, ok = strings.CutPrefix(s, "\n"); !ok {
		return nil, errors.New("a blank line must follow its first one: header lines, such as Version and Comment, are not signed and not accepted")
	}
	lines := strings.Split(s, "\n")
	crc := ""
	if last := lines[len(lines)-1]; len(last) == 5 && last[0] == '=' {
		crc, lines = last[1:], lines[:len(lines)-1]
	}
	data, err := decodeLines(lines)
	if err != nil {
		return nil, err
	}
	if crc != "" && crc != checksum(data) {
		return nil, errors.New("its checksum is wrong")
	}
	return data, nil
}

// decodeLines decodes base64 whose lines have one length, but for a shorter last one.
func decodeLines(lines []string) ([]byte, error) {
	for i, l := range lines {
		if l == "" || i > 0 && (len(l) > len(lines[0]) || len(l) < len(lines[0]) && i < len(lines)-1) || len(lines) > 1 && len(lines[0]) < 48 || len(l) > 76 {
			return nil, errors.New("its lines are not what an encoder writes")
		}
	}
	data, err := base64.StdEncoding.Strict().DecodeString(strings.Join(lines, ""))
	if err != nil {
		return nil, errors.New("it is not base64")
	}
	return data, nil
}

// checksum is the CRC-24 of armour in base64 (RFC 9580, section 6.1).
func checksum(data []byte) string {
	crc := uint32(0xB704CE)
	for _, b := range data {
		crc ^= uint32(b) << 16
		for range 8 {
			crc <<= 1
			if crc&0x1000000 != 0 {
				crc ^= 0x1864CFB
			}
		}
	}
	return base64.StdEncoding.EncodeToString([]byte{byte(crc >> 16), byte(crc >> 8), byte(crc)})
}

// strict looks at what the library does not: that there is one packet and nothing behind it,
// that lengths and numbers are written in the one shortest way, and that what the signature
// does not cover names the key and nothing else. It returns the ids of the keys that the
// packet names, in all places.
func strict(b []byte) (issuers []uint64, err error) {
	body, err := onlyPacket(b)
	if err != nil {
		return nil, err
	}
	r := &reader{b: body}
	version := r.byte()
	if version != 4 && version != 6 {
		return nil, errors.New("its version is neither 4 nor 6")
	}
	wide := 2
	if version == 6 {
		wide = 4
	}
	r.byte() // type
	algorithm := packet.PublicKeyAlgorithm(r.byte())
	r.byte() // hash
	hashed := r.bytes(r.number(wide))
	unhashed := r.bytes(r.number(wide))
	r.bytes(2)
	if version == 6 {
		r.bytes(int(r.byte()))
	}
	switch algorithm {
	case packet.PubKeyAlgoRSA:
		r.integer()
	case packet.PubKeyAlgoDSA, packet.PubKeyAlgoECDSA, packet.PubKeyAlgoEdDSA:
		r.integer()
		r.integer()
	case packet.PubKeyAlgoEd25519:
		r.bytes(64)
	case packet.PubKeyAlgoEd448:
		r.bytes(114)
	default:
		return nil, errors.New("its algorithm is not known here")
	}
	if r.bad || len(r.b) > 0 {
		return nil, errors.New("its lengths do not fit")
	}
	for _, area := range []struct {
		b    []byte
		open bool
	}{{hashed, false}, {unhashed, true}} {
		ids, err := subpackets(area.b, area.open)
		if err != nil {
			return nil, err
		}
		issuers = append(issuers, ids...)
	}
	if len(issuers) == 0 {
		return nil, errors.New("it does not say which key it is by")
	}
	return issuers, nil
}

// onlyPacket returns the body of the one packet, a signature, whose length is written in the
// shortest way.
func onlyPacket(b []byte) ([]byte, error) {
	r := &reader{b: b}
	n := 0
	switch tag := r.byte(); tag {
	case 0x88:
		n = r.number(1)
	case 0x89:
		if n = r.number(2); n < 1<<8 {
			r.bad = true
		}
	case 0xC2:
		switch n = r.number(1); {
		case n >= 192 && n < 224:
			n = (n-192)<<8 + r.number(1) + 192
		case n >= 224:
			r.bad = true
		}
	default:
		return nil, errors.New("it is not a signature packet")
	}
	if r.bad || n != len(r.b) {
		return nil, errors.New("its length is not that of one packet")
	}
	return r.b, nil
}

// subpackets reads an area of subpackets. What is not hashed may only have the key's id or
// fingerprint.
func subpackets(area []byte, open bool) (issuers []uint64, err error) {
	const issuer, issuerFingerprint = 16, 33
	r := &reader{b: area}
	for len(r.b) > 0 && !r.bad {
		n := r.number(1)
		switch {
		case n >= 192 && n < 255:
			n = (n-192)<<8 + r.number(1) + 192
		case n == 255:
			if n = r.number(4); n < 8384 {
				r.bad = true
			}
		}
		if n == 0 {
			r.bad = true
			break
		}
		kind := r.byte()
		content := r.bytes(n - 1)
		switch {
		case r.bad:
		case kind&0x7F == issuer && len(content) == 8:
			issuers = append(issuers, binary.BigEndian.Uint64(content))
		case kind&0x7F == issuerFingerprint && len(content) == 21 && content[0] == 4:
			issuers = append(issuers, binary.BigEndian.Uint64(content[13:]))
		case kind&0x7F == issuerFingerprint && len(content) == 33 && content[0] == 6:
			issuers = append(issuers, binary.BigEndian.Uint64(content[1:]))
		case open:
			return nil, errors.New("it has more than the name of its key in the part that is not signed")
		}
		if open && kind&0x80 != 0 {
			return nil, errors.New("it has something critical in the part that is not signed")
		}
	}
	if r.bad {
		return nil, errors.New("the lengths of its parts do not fit")
	}
	return issuers, nil
}

// reader takes numbers and bytes off a slice; bad says that there were too few.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) bytes(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.bad, r.b = true, nil
		return nil
	}
	head := r.b[:n]
	r.b = r.b[n:]
	return head
}

func (r *reader) byte() byte { return byte(r.number(1)) }

// number reads a big-endian number of so many bytes.
func (r *reader) number(size int) (n int) {
	for _, b := range r.bytes(size) {
		n = n<<8 | int(b)
	}
	return n
}

// integer reads a multiprecision integer, whose length in bits must be exact (RFC 9580,
// section 3.2).
func (r *reader) integer() {
	n := r.number(2)
	b := r.bytes((n + 7) / 8)
	if len(b) == 0 || (len(b)-1)*8+bits.Len8(b[0]) != n {
		r.bad = true
	}
}
