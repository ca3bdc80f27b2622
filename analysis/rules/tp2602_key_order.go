package rules

import (
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/canonical"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

var keyOrder = &analysis.Rule{
	ID: "TP2602", Name: "key-order", Severity: analysis.Warning,
	Doc: `The order of keys in a signed object is not the same for all

The canonical form that is signed has its keys sorted by UTF-8 bytes (RFC, "Canonicalization
Rules"), but RFC 8785, to which it refers, sorts by UTF-16 units. The two differ where one key has
a character beyond U+FFFF, such as an emoji, and another one a character from U+E000 to U+FFFF at
that place. Then a signature that one tool makes is wrong to another. It is said only where a
signature of this document covers the object.

## Bad

    {"change": {"\ud83d\ude00.txt": {…}, "\uff5e.txt": {…}}} in a step with signatures

## Good

    {"change": {"smile.txt": {…}, "tilde.txt": {…}}} in a step with signatures
`,
	Needs: inexactParts,
	Step:  keepInexact,
	Document: func(p *analysis.Pass) {
		if p.Model == nil {
			return
		}
		const message = "this key has another place by UTF-8 bytes (RFC, \"Canonicalization Rules\") than by UTF-16 units (RFC 8785): tools differ on what the signature signs"
		ids := signedSteps(p.Model)
		for _, k := range p.Kept["inexact"] {
			x, off := k.Fact.(*inexact), k.At().Offset()
			if !x.signed && !ids[k.At().ID] {
				continue
			}
			for _, at := range x.keys {
				p.ReportAt(off+at.start, off+at.end, message)
			}
		}
		for _, path := range p.Model.Paths {
			if !isAuthored(path) {
				continue
			}
			walk(path.Identity, func(v jsonsrc.Value) {
				if k := misorderedKey(v); k.Valid() {
					p.Report(k, message)
				}
			})
		}
	},
}

// misorderedKey returns the first key of an object that has another place in the order of
// UTF-8 bytes than in that of UTF-16 units; not valid if there is none.
func misorderedKey(object jsonsrc.Value) jsonsrc.Value {
	odd := 0
	for key := range object.Members() {
		if mayMisorder(key) {
			odd++
		}
	}
	if odd < 2 {
		return jsonsrc.Value{}
	}
	type named struct {
		text string
		key  jsonsrc.Value
	}
	var byBytes []named
	for key := range object.Members() {
		byBytes = append(byBytes, named{key.Text(), key})
	}
	byUnits := slices.Clone(byBytes)
	slices.SortStableFunc(byBytes, func(a, b named) int { return strings.Compare(a.text, b.text) })
	slices.SortStableFunc(byUnits, func(a, b named) int { return canonical.CompareUnits(a.text, b.text) })
	for i := range byBytes {
		if byBytes[i].text != byUnits[i].text {
			return byBytes[i].key
		}
	}
	return jsonsrc.Value{}
}
