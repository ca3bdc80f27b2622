package trust

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// Policy is what must verify (RFC "Signature Verification").
type Policy struct {
	// Require are the scopes of which each path must have a valid signature. Without any,
	// all signatures must be valid, and there must be one.
	Require []string
	// Steps asks of each step a valid signature by its author.
	Steps bool
	// Trusted are the keys that count; nil for all that are known.
	Trusted []KeyName
}

// Assessed is a signature and what is known of it.
type Assessed struct {
	Signature
	Result
	// Untrusted says that the signature is valid, by a key that does not count.
	Untrusted bool
}

// Counts says whether the signature is a valid one by a key that counts.
func (a Assessed) Counts() bool { return a.State == Valid && !a.Untrusted }

// Requirement is one thing that must verify.
type Requirement struct {
	Scope    string
	Step     string // id of the step; "" for the path
	Verified bool
	// Reason says why it does not; "" if it does.
	Reason string
}

// Verification is what was found of a path.
type Verification struct {
	Path       *toolpath.Path // nil: of the graph
	Signatures []Assessed
	Required   []Requirement
	Verified   bool
}

// Verify verifies the signatures of a document, a result for each path, and one for the graph
// if that has signatures or signs what is not there.
func Verify(m *toolpath.Document, k *Keyring, now time.Time, p Policy) []Verification {
	var graph Verification
	all := make([]Verification, len(m.Paths))
	index := make(map[*toolpath.Path]int, len(m.Paths))
	for i, path := range m.Paths {
		all[i].Path, index[path] = path, i
	}
	assessor := k.Assessor(now)
	Each(m, func(s Signature) bool {
		a := Assessed{Signature: s, Result: assessor.Assess(s)}
		a.Untrusted = a.State == Valid && !p.trusts(a.Result.Key)
		if s.Path == nil {
			graph.Signatures = append(graph.Signatures, a)
			return true
		}
		v := &all[index[s.Path]]
		v.Signatures = append(v.Signatures, a)
		return true
	})
	for i := range all {
		p.judge(&all[i])
	}
	if graph.Signatures != nil {
		graph.Verified = len(p.Require) > 0 // which are scopes of paths
		all = append([]Verification{graph}, all...)
	}
	return all
}

func (p Policy) trusts(k Key) bool {
	if p.Trusted == nil {
		return true
	}
	return slices.ContainsFunc(k.Names, func(whole KeyName) bool {
		return slices.ContainsFunc(p.Trusted, func(n KeyName) bool { return n.Identifies(whole) })
	})
}

// judge says whether a path has what is required.
func (p Policy) judge(v *Verification) {
	if v.Path.Ref.Valid() && !v.Path.Identity.Valid() {
		v.Required = append(v.Required, Requirement{Reason: "the path is in another document: " + clip(v.Path.Ref.Text())})
		return
	}
	for _, scope := range p.Require {
		v.Required = append(v.Required, v.requirement(scope, -1, v.Signatures))
	}
	if p.Steps {
		bySteps := map[int][]Assessed{}
		for _, a := range v.Signatures {
			bySteps[a.Step] = append(bySteps[a.Step], a)
		}
		for i := range v.Path.Steps.Len() {
			v.Required = append(v.Required, v.requirement(Author, i, bySteps[i]))
		}
	}
	if p.Require == nil {
		v.Required = append(v.Required, everySignature(v.Signatures))
	}
	v.Verified = !slices.ContainsFunc(v.Required, func(r Requirement) bool { return !r.Verified })
}

// requirement looks for a signature of a scope: of a step, or of the path for step -1.
func (v *Verification) requirement(scope string, step int, among []Assessed) Requirement {
	r := Requirement{Scope: scope}
	if step >= 0 {
		r.Step = v.Path.Steps.At(step).ID
	}
	var reasons []string
	for _, a := range among {
		if a.Step != step || a.Scope() != scope {
			continue
		}
		if a.Counts() {
			r.Verified = true
			return r
		}
		reasons = append(reasons, a.Why())
	}
	if r.Reason = strings.Join(reasons, "; "); r.Reason == "" {
		r.Reason = "there is no such signature"
	}
	return r
}

func everySignature(all []Assessed) Requirement {
	bad := 0
	for _, a := range all {
		if !a.Counts() {
			bad++
		}
	}
	switch {
	case len(all) == 0:
		return Requirement{Reason: "there is no signature"}
	case bad > 0:
		return Requirement{Reason: fmt.Sprintf("%d of %d signatures do not verify", bad, len(all))}
	}
	return Requirement{Verified: true}
}

// Why says in a phrase what a signature is, and why.
func (a Assessed) Why() string {
	words := a.State.Words()
	if a.Untrusted {
		words = "valid, but not by a key that is trusted"
	}
	if a.Reason != "" {
		words += ": " + a.Reason
	}
	return words
}
