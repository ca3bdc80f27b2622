package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

var foreignKey = &analysis.Rule{
	ID: "TP4006", Name: "foreign-key", Severity: analysis.Warning,
	Doc: `The key of a signature is none of its signer's

key names a key of the signer as "type:fingerprint". It is compared without white space, letter
case and "0x"; the short form of a fingerprint, its last digits, is accepted.

## Bad

    "key": "gpg:EFGH5678"   (and the signer's keys are ABCD1234)

## Good

    "key": "gpg:ABCD1234"
`,
	Document: func(p *analysis.Pass) {
		known := map[int]*keyRing{} // by where the keys stand
		eachSignature(p.Model, func(_ *toolpath.Path, sig jsonsrc.Value, def toolpath.ActorDefinition, defined bool) {
			key := sig.Get("key")
			keys := def.Value.Get("keys")
			if !defined || key.Kind() != jsonsrc.String || keys.Kind() != jsonsrc.Array {
				return
			}
			ring := known[keys.Start()]
			if ring == nil {
				ring = newKeyRing(keys)
				known[keys.Start()] = ring
			}
			if ring.has(key.Text()) {
				return
			}
			p.Report(key, fmt.Sprintf("%q is none of the keys that %s has in its definition", clip(key.Text()), clip(sig.Get("signer").Text())),
				analysis.RelatedTo(keys, "the signer's keys"))
		})
	},
}

// keyRing holds the keys of an actor as "type:fingerprint", normalized. The fingerprints of
// SSH keys are in base64, where case counts; of others the last digits name the key too, so
// that these are kept backwards and in order.
type keyRing struct {
	keys     map[string]bool
	backward []string
	lengths  []int // of backward, each once, ascending
}

const (
	shortFingerprint = 8   // digits, at least
	longFingerprint  = 200 // of what is longer, the end names nothing
)

func newKeyRing(keys jsonsrc.Value) *keyRing {
	r := &keyRing{keys: map[string]bool{}}
	for _, k := range keys.Elements() {
		kind, print := normalKey(k.Get("type").Text() + ":" + k.Get("fingerprint").Text())
		r.keys[kind+":"+print] = true
		if kind != "ssh" && len(print) >= shortFingerprint && len(print) <= longFingerprint {
			r.backward = append(r.backward, kind+":"+backward(print))
			r.lengths = append(r.lengths, len(print))
		}
	}
	slices.Sort(r.backward)
	slices.Sort(r.lengths)
	r.lengths = slices.Compact(r.lengths)
	return r
}

// has says whether the key is one of the ring's, or one of the two is the end of the other.
func (r *keyRing) has(key string) bool {
	kind, print := normalKey(key)
	if r.keys[kind+":"+print] {
		return true
	}
	if kind == "ssh" || len(print) < shortFingerprint || len(print) > longFingerprint {
		return false
	}
	end := kind + ":" + backward(print)
	if i, _ := slices.BinarySearch(r.backward, end); i < len(r.backward) && strings.HasPrefix(r.backward[i], end) {
		return true
	}
	for _, n := range r.lengths {
		if n >= len(print) {
			break
		}
		if _, found := slices.BinarySearch(r.backward, end[:len(kind)+1+n]); found {
			return true
		}
	}
	return false
}

func normalKey(key string) (kind, print string) {
	kind, print, _ = strings.Cut(key, ":")
	if kind = strings.ToLower(strings.TrimSpace(kind)); kind == "ssh" {
		return kind, strings.Join(strings.Fields(print), "")
	}
	print = strings.ToUpper(strings.Join(strings.Fields(strings.ReplaceAll(print, ":", "")), ""))
	return kind, strings.TrimPrefix(print, "0X")
}

func backward(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}
