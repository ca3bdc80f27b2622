package lineage

import (
	"math/big"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage/pyjson"
)

// Profile says how the messages of a spine's tags are written.
type Profile string

// The profiles. A spine that names another one is not verified.
const (
	ProfileLegacy Profile = "py-json-v1" // never named by writers
	ProfileJCS    Profile = "jcs-v2"
)

func (p Profile) form() pyjson.Form {
	if p == ProfileJCS {
		return pyjson.Canonical
	}
	return pyjson.Legacy
}

// Head is what spine.head says of a spine. The file is a convenience: what it says of the
// rows is not part of the verdict, only of what is [Stricter].
type Head struct {
	Profile Profile
	Count   *big.Int // nil where it is not an integer
	Hash    string
	// Fault is why the file is of no use, "" if it is.
	Fault string
	// Unknown is the profile that is named and not known, as Python writes it.
	Unknown string
	// crash says that the spine's own tools fail over the file, so that nothing may pass.
	crash bool

	value pyjson.Value
	src   []byte
}

// ParseHead reads a spine.head; nil stands for a file that is not there.
func ParseHead(src []byte) Head {
	h := Head{Profile: ProfileLegacy, src: src}
	if src == nil {
		h.Fault = "there is no spine.head"
		return h
	}
	v, err := pyjson.Parse(src)
	if err != nil {
		h.Fault = "spine.head is not JSON: " + err.Error()
		h.crash = !pyjson.ValidText(src)
		return h
	}
	if v.Kind() != pyjson.Object {
		h.Fault = "spine.head is not a JSON object"
		h.crash = true
		return h
	}
	h.value = v
	if profile, ok := v.Get("hash_profile"); ok {
		name, ok := profile.ToText()
		if !ok {
			name = profile.Kind().String()
		}
		if h.Profile = Profile(name); h.Profile != ProfileLegacy && h.Profile != ProfileJCS {
			h.Unknown = name
		}
	}
	count, _ := v.Get("count")
	h.Count, _ = count.BigInt()
	hash, _ := v.Get("head_hash")
	h.Hash = hash.Text()
	if h.Count == nil || hash.Kind() != pyjson.String {
		h.Fault = "spine.head does not say count and head_hash"
	}
	return h
}

// authentic says whether the head's tag was made with the key.
func (h Head) authentic(key *Key) bool {
	stated, _ := h.value.Get("hmac")
	message, err := pyjson.Encode(h.value.Without("hmac"), h.Profile.form())
	if err != nil {
		return false
	}
	return sameText(tag(key.derived, message), stated.Text()) || sameText(tag(key.master, message), stated.Text())
}

// Counts returns how many rows there are when the head was made with the key and the last
// row has that hash.
func (h Head) Counts(last string, key *Key) (int, bool) {
	if h.Fault != "" || h.Unknown != "" || h.Hash != last || !h.Count.IsInt64() || !h.authentic(key) {
		return 0, false
	}
	return int(h.Count.Int64()), true
}

// NewHead returns the content of spine.head for a spine of count rows.
func NewHead(count int, hash string, profile Profile, key *Key) []byte {
	v := pyjson.Map(
		pyjson.Member{Name: "count", Value: pyjson.Number(int64(count))},
		pyjson.Member{Name: "head_hash", Value: pyjson.Text(hash)},
	)
	if profile != ProfileLegacy {
		v = v.With("hash_profile", pyjson.Text(string(profile)))
	}
	message, err := pyjson.Encode(v, profile.form())
	if err != nil {
		panic(err) // a hash is ASCII
	}
	out, err := pyjson.Encode(v.With("hmac", pyjson.Text(tag(key.derived, message))), pyjson.Legacy)
	if err != nil {
		panic(err)
	}
	return out
}
