package gpg

import (
	"bytes"
	"encoding/binary"
	"errors"

	openpgp "github.com/ProtonMail/go-crypto/openpgp/v2"
)

// isKeybox says whether a file is a keybox of GnuPG, pubring.kbx: its first record is of
// type 1, and has "KBXf" at offset 8.
func isKeybox(b []byte) bool {
	return len(b) >= 32 && b[4] == 1 && bytes.Equal(b[8:12], []byte("KBXf"))
}

// readKeybox reads the OpenPGP certificates of a keybox. It is a row of records: 4 bytes of
// length, in which they count themselves, 1 of type, and of type 2, OpenPGP, at 8 and 12 the
// offset and the length of the certificate in the record (doc/kbx in GnuPG's sources).
func readKeybox(b []byte) (openpgp.EntityList, error) {
	const openPGP = 2
	var all openpgp.EntityList
	for len(b) > 0 {
		if len(b) < 5 {
			return all, errors.New("the keybox is cut off")
		}
		size := int(binary.BigEndian.Uint32(b))
		if size < 5 || size > len(b) {
			return all, errors.New("the keybox is cut off or broken")
		}
		record := b[:size]
		b = b[size:]
		if record[4] != openPGP || size < 16 {
			continue
		}
		start, length := int(binary.BigEndian.Uint32(record[8:])), int(binary.BigEndian.Uint32(record[12:]))
		if start > size || length > size-start {
			return all, errors.New("a record of the keybox is broken")
		}
		if list, err := openpgp.ReadKeyRing(bytes.NewReader(record[start : start+length])); err == nil {
			all = append(all, list...)
		}
	}
	return all, nil
}
