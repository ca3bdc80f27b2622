//go:build nosigstore

// Package sigstore stands for the one that verifies Sigstore bundles, in a build that leaves
// it and its library out.
package sigstore

import (
	"bytes"
	"errors"

	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
)

const left = "this build of toolpath-ls cannot verify Sigstore bundles: it was made with the tag nosigstore"

// Keys verify nothing. It implements [trust.Keys].
type Keys struct{}

// Is says whether a file is a trusted root of Sigstore.
func Is(content []byte) bool {
	return bytes.Contains(content[:min(len(content), 1<<12)], []byte("application/vnd.dev.sigstore.trustedroot"))
}

// Add refuses a trusted root.
func (*Keys) Add(trust.Material) (int, error) { return 0, errors.New(left) }

// Check implements [trust.Keys].
func (*Keys) Check(string, trust.KeyName, []byte) trust.Check {
	return trust.Check{Match: trust.NoKey, Reason: left}
}
