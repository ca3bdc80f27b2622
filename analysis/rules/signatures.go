package rules

import (
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
)

// signatures returns the signatures of a document.
func signatures(p *analysis.Pass) []trust.Signature {
	return p.Shared("signatures", func() any {
		var all []trust.Signature
		trust.Each(p.Model, func(s trust.Signature) bool {
			all = append(all, s)
			return len(all)%256 != 0 || !p.Done()
		})
		return all
	}).([]trust.Signature)
}

// assessed visits the signatures that are in a state, with what is known of them. Before the
// keys were read nothing that depends on them is known.
func assessed(p *analysis.Pass, state trust.State, visit func(s trust.Signature, r trust.Result)) {
	if len(signatures(p)) == 0 {
		return // nobody asks for keys
	}
	keys := p.Options.KeyringOf(p.Doc)
	results := p.Shared("assessed signatures", func() any {
		assessor := keys.Assessor(time.Now())
		var all []trust.Result
		for i, s := range signatures(p) {
			if i%64 == 0 && p.Done() {
				break
			}
			all = append(all, assessor.Assess(s))
		}
		return all
	}).([]trust.Result)
	for i, r := range results {
		if r.State == state && !(keys == nil && state == trust.KeyUnknown) {
			visit(signatures(p)[i], r)
		}
	}
}

// sigKey is the key "sig" of a signature, or the signature where it has none: the value has
// many lines.
func sigKey(s trust.Signature) jsonsrc.Value {
	if k, _ := s.Value.Member("sig"); k.Valid() {
		return k
	}
	return s.Value
}

// orSignature is the value of a field, or the signature where it has no such field.
func orSignature(s trust.Signature, field string) jsonsrc.Value {
	if v := s.Value.Get(field); v.Valid() {
		return v
	}
	return s.Value
}
