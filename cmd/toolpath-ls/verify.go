package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolpath-ls/toolpath-ls/analysis/repo"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust/keyring"
)

func newVerify() *cobra.Command {
	var v verifier
	cmd := &cobra.Command{
		Use:   "verify DOC [--require SCOPES] [--trusted KEYS]",
		Short: "Verify the signatures of a Toolpath document",
		Long: `verify verifies the signatures of a document and says of each what is known: valid, bad, key
unknown, expired, revoked, signer not defined, not the signer's key, placeholder, no defined
payload. See docs/trust.md for what that means and what it does not.

With --require each path, or the one of --path, must have a valid signature of each of the
scopes. Without it every signature must be valid, and each path must have one. With --steps each
step must have a valid signature by its author.

Public keys are looked for in the user's keyrings (GnuPG's pubring.kbx, ~/.ssh,
~/.config/git/allowed_signers) and in .toolpath/keys of the repository of DOC. With --trusted
only those keys count that it names: a file or folder with public keys, or a key as
"gpg:FINGERPRINT", "ssh:SHA256:…" or "sigstore:ISSUER#IDENTITY". In CI name them, and name files
that those whose work is verified cannot write. The network is not used.

Exit code: 0 all that is required verifies, 1 it does not, 2 DOC or a file of keys that was named
could not be read.`,
		Args: oneDocument("verify"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(v.format, outputFormats); err != nil {
				return err
			}
			return v.run(cmd.Context(), args[0], cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringSliceVar(&v.require, "require", nil, "scopes that must verify: author, reviewer")
	cmd.Flags().StringArrayVar(&v.trusted, "trusted", nil, "keys that count: a file, a folder or a key's name; may be repeated")
	cmd.Flags().StringVar(&v.path, "path", "", "id of the path to verify (default: all)")
	cmd.Flags().BoolVar(&v.steps, "steps", false, "each step must be signed by its author")
	addFormat(cmd, &v.format, outputFormats)
	return cmd
}

type verifier struct {
	require, trusted []string
	path, format     string
	steps            bool
}

func (v verifier) run(ctx context.Context, name string, out, errs io.Writer) error {
	doc, err := readSigned(ctx, name)
	if err != nil {
		return err
	}
	policy, keys, err := v.policy(ctx, name, errs)
	if err != nil {
		return err
	}
	results := trust.Verify(doc.model, keys, time.Now(), policy)
	if v.path != "" {
		results = slices.DeleteFunc(results, func(r trust.Verification) bool { return r.Path == nil || r.Path.ID != v.path })
		if len(results) == 0 {
			return fmt.Errorf("%s: the path %q is not in the document", name, v.path)
		}
	}
	verified := !slices.ContainsFunc(results, func(r trust.Verification) bool { return !r.Verified }) &&
		slices.ContainsFunc(results, func(r trust.Verification) bool { return r.Path != nil })
	if v.format == "json" {
		err = printVerifications(out, name, verified, results)
	} else {
		err = writeVerifications(out, results)
	}
	if err == nil && !verified {
		return exit(exitFindings)
	}
	return err
}

// policy reads the flags, and the keys.
func (v verifier) policy(ctx context.Context, doc string, errs io.Writer) (p trust.Policy, keys *trust.Keyring, err error) {
	p = trust.Policy{Require: v.require, Steps: v.steps}
	sources := repo.UserKeys()
	sources.Root = workspaceOf(doc)
	var files []string
	for _, t := range v.trusted {
		if n := trust.ParseKeyName(t); n.Type == trust.GPG || n.Type == trust.SSH || n.Type == trust.Sigstore {
			if !n.IsWhole() {
				return p, nil, fmt.Errorf("--trusted %s: this does not identify a key; give its whole fingerprint: gpg:40 digits, ssh:SHA256:…, or sigstore:ISSUER#IDENTITY", t)
			}
			p.Trusted = append(p.Trusted, n)
			continue
		}
		files = append(files, t)
	}
	if files != nil && p.Trusted == nil {
		sources = repo.KeySources{}
	}
	sources.Given = files
	material, problems := repo.ReadKeys(ctx, sources)
	keys, unread := keyring.New(material, time.Now())
	for _, e := range append(problems, unread...) {
		for _, f := range files {
			if strings.HasPrefix(e.Error(), filepath.ToSlash(f)) || strings.HasPrefix(e.Error(), f) {
				return p, nil, e
			}
		}
		fmt.Fprintln(errs, "toolpath-ls:", e)
	}
	return p, keys, nil
}

// workspaceOf returns the folder that has .toolpath/keys for a document: the root of its
// repository, or its own folder.
func workspaceOf(doc string) string {
	f := newFiles(0)
	defer f.close()
	if root := f.Root(absolute(doc)); root != "" {
		return root
	}
	return filepath.Dir(absolute(doc))
}

// verification is the JSON output of verify.
type verification struct {
	Document string             `json:"document"`
	Verified bool               `json:"verified"`
	Paths    []pathVerification `json:"paths"`
	Graph    []signatureJSON    `json:"graph,omitempty"` // signatures of the graph
}

type pathVerification struct {
	Path       string            `json:"path"`
	Verified   bool              `json:"verified"`
	Required   []requirementJSON `json:"required"`
	Signatures []signatureJSON   `json:"signatures"`
}

type requirementJSON struct {
	Scope    string `json:"scope,omitempty"`
	Step     string `json:"step,omitempty"`
	Verified bool   `json:"verified"`
	Reason   string `json:"reason,omitempty"`
}

type signatureJSON struct {
	Step      *string   `json:"step"` // null: the path, or the graph
	Signer    string    `json:"signer"`
	Key       string    `json:"key"`
	Scope     string    `json:"scope"`
	Timestamp string    `json:"timestamp,omitempty"`
	State     string    `json:"state"`
	Trusted   bool      `json:"trusted"` // valid, and the key counts
	Reason    string    `json:"reason,omitempty"`
	Notes     []string  `json:"notes,omitempty"`
	MadeBy    *keyMaker `json:"madeBy,omitempty"`
}

// keyMaker is the key that made a signature.
type keyMaker struct {
	Key    string `json:"key"`
	Owner  string `json:"owner,omitempty"`
	File   string `json:"file,omitempty"`
	Origin string `json:"origin,omitempty"`
}

func signatureOf(a trust.Assessed) signatureJSON {
	o := signatureJSON{Signer: a.Value.Get("signer").Text(), Key: a.Value.Get("key").Text(), Scope: a.Scope(),
		Timestamp: a.Value.Get("timestamp").Text(), State: a.State.String(), Trusted: a.Counts(), Reason: a.Reason, Notes: a.Notes()}
	if at := a.At(); at.Step != nil {
		o.Step = &at.ID
	}
	if a.Result.Key.Names != nil {
		o.MadeBy = &keyMaker{Key: a.Result.Key.Name().String(), Owner: a.Result.Key.Owner, File: a.Result.Key.File}
		if a.Result.Key.File != "" {
			o.MadeBy.Origin = a.Result.Key.Origin.String()
		}
	}
	return o
}

func printVerifications(out io.Writer, name string, verified bool, results []trust.Verification) error {
	o := verification{Document: name, Verified: verified, Paths: []pathVerification{}}
	for _, r := range results {
		signatures := []signatureJSON{}
		for _, a := range r.Signatures {
			signatures = append(signatures, signatureOf(a))
		}
		if r.Path == nil {
			o.Graph = signatures
			continue
		}
		p := pathVerification{Path: r.Path.ID, Verified: r.Verified, Required: []requirementJSON{}, Signatures: signatures}
		for _, q := range r.Required {
			p.Required = append(p.Required, requirementJSON(q))
		}
		o.Paths = append(o.Paths, p)
	}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	return enc.Encode(o)
}

func writeVerifications(out io.Writer, results []trust.Verification) error {
	var b strings.Builder
	for _, r := range results {
		for _, a := range r.Signatures {
			fmt.Fprintf(&b, "%s, %s by %s: %s", escaped(a.Target()), orNone(a.Scope()), orNone(a.Value.Get("signer").Text()), escaped(a.Why()))
			if a.State == trust.Valid {
				fmt.Fprintf(&b, ", by %s", escaped(a.Result.Key.String()))
				if a.Result.Key.Origin == trust.OfWorkspace {
					fmt.Fprintf(&b, ", a key of the workspace itself")
				}
			}
			b.WriteByte('\n')
			for _, n := range a.Notes() {
				fmt.Fprintf(&b, "    note: %s\n", n)
			}
		}
		if r.Path == nil {
			continue
		}
		for _, q := range r.Required {
			if !q.Verified {
				fmt.Fprintf(&b, "path %s: not verified: %s\n", orNone(r.Path.ID), escaped(requirementWords(q)))
			}
		}
		if r.Verified {
			fmt.Fprintf(&b, "path %s: verified\n", escaped(r.Path.ID))
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func requirementWords(q trust.Requirement) string {
	what := q.Scope
	if q.Step != "" {
		what += " of step " + q.Step
	}
	if what == "" {
		return q.Reason
	}
	return what + ": " + q.Reason
}

func orNone(s string) string {
	if s == "" {
		return "(none)"
	}
	return escaped(s)
}
