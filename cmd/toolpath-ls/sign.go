package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolpath-ls/toolpath-ls/analysis/convert"
	"github.com/toolpath-ls/toolpath-ls/analysis/format"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust/keyring"
)

func newSign() *cobra.Command {
	var t chosen
	var r signRequest
	var out string
	var follow bool
	cmd := &cobra.Command{
		Use:   "sign DOC (--step ID | --path ID) --key KEY",
		Short: "Sign a step or path of a Toolpath document",
		Long: `sign signs a step or a path with gpg, ssh-keygen or the SSH agent, and writes the signature into
the document. Nothing else of it is touched: no order, no layout. In a stream the signature is
a line of its own.

KEY is gpg:FINGERPRINT, or whatever gpg takes for one secret key; ssh:SHA256:…, a key of the SSH
agent or of ~/.ssh; or the file of an SSH key, private or public. Programs that need a
passphrase or a touch ask for it themselves.

A signature counts only if the document defines its signer with that key (meta.actors). With
--define the definition is added where it is missing; else stderr says that it is.

Exit code: 0 signed and written, 2 not.`,
		Args: oneDocument("sign"),
		RunE: func(cmd *cobra.Command, args []string) error {
			doc, err := readSigned(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			path, step, err := t.in(doc.model)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			signed, warning, err := r.sign(cmd.Context(), doc, path.Index, step)
			if err != nil {
				return doc.fault(err)
			}
			if warning != "" {
				fmt.Fprintf(cmd.ErrOrStderr(), "toolpath-ls: %s: %s\n", args[0], escaped(warning))
			}
			switch out {
			case "":
				out = args[0]
			case "-":
				_, err := cmd.OutOrStdout().Write(signed)
				return err
			}
			return replaceFile(out, filepath.Dir(out), signed, follow)
		},
	}
	t.flags(cmd)
	cmd.Flags().StringVar(&r.scope, "scope", trust.Author, "scope of the signature: author, or reviewer of a path")
	cmd.Flags().StringVar(&r.key, "key", "", "key that signs")
	cmd.Flags().StringVar(&r.signer, "signer", "", "actor that signs (default: the step's actor, or the one actor that has the key)")
	cmd.Flags().StringVar(&r.timestamp, "timestamp", "", "time of the signature (default: now)")
	cmd.Flags().BoolVar(&r.define, "define", false, "add the key to the definition of the signer, where it is missing")
	cmd.Flags().StringVarP(&out, "output", "o", "", "file to write, - for standard output (default: DOC)")
	cmd.Flags().BoolVar(&follow, "follow-links", false, "write the file where it is a link that leads out of its folder, too")
	return cmd
}

// signRequest is what is wanted of a signature.
type signRequest struct {
	scope, key, signer, timestamp string
	define                        bool
}

// sign returns the document with a signature of a step, or of the path for step -1. The
// warning says why the signature will not count.
func (r signRequest) sign(ctx context.Context, doc signedDocument, path, step int) (signed []byte, warning string, err error) {
	key, err := findSigner(ctx, r.key)
	if err != nil {
		return nil, "", err
	}
	p := doc.model.Paths[path]
	if r.signer == "" {
		if r.signer, err = signerOf(p, step, key.name); err != nil {
			return nil, "", err
		}
	}
	if r.timestamp == "" {
		r.timestamp = time.Now().UTC().Format(time.RFC3339)
	} else if _, ok := toolpath.ParseTimestamp(r.timestamp); !ok {
		return nil, "", fmt.Errorf("--timestamp %s is no time such as 2026-01-29T15:30:00Z", r.timestamp)
	}
	if r.define {
		edits, err := trust.Define(p, step, r.signer, key.name)
		if err != nil {
			return nil, "", err
		}
		doc = doc.edited(edits)
		p = doc.model.Paths[path]
	}
	f, err := payload(p, step, r.scope, r.timestamp)
	if err != nil {
		return nil, "", err
	}
	sig, err := key.sign(ctx, digestOf(f.ByBytes))
	if err != nil {
		return nil, "", err
	}
	edits, err := trust.Insert(p, step, trust.Fields{Signer: r.signer, Key: key.name, Scope: r.scope, Timestamp: r.timestamp, Sig: sig})
	if err != nil {
		return nil, "", err
	}
	doc = doc.edited(edits)
	warning, err = doc.assess(key, path, step, sig)
	return doc.src, warning, err
}

// signerOf returns who signs when nobody says: the step's actor, or the one actor that the
// document gives the key to.
func signerOf(p *toolpath.Path, step int, key trust.KeyName) (string, error) {
	if step >= 0 {
		if actor := p.Steps.At(step).Actor; actor != "" {
			return actor, nil
		}
		return "", errors.New("the step has no actor; name the signer with --signer")
	}
	if actors := trust.ActorsWith(p, key); len(actors) == 1 {
		return actors[0], nil
	}
	return "", fmt.Errorf("no actor of the path, or more than one, has the key %s; name the signer with --signer", key)
}

// edited returns the document after edits.
func (d signedDocument) edited(edits []format.Edit) signedDocument {
	if len(edits) == 0 {
		return d
	}
	d.src = format.Apply(d.src, edits)
	d.model = toolpath.Build(parse(d.src, d.form), nil)
	return d
}

// assess verifies a new signature where it stands now. It is an error if it is not there, or
// not one of what the document says.
func (d signedDocument) assess(key signer, path, step int, sig string) (warning string, err error) {
	keys, _ := keyring.New([]trust.Material{key.public}, time.Now())
	state, reason, found := trust.State(0), "", false
	trust.Each(d.model, func(s trust.Signature) bool {
		if s.Path != d.model.Paths[path] || s.Step != step || s.Value.Get("sig").Text() != sig {
			return true
		}
		r := keys.Assess(s, time.Now())
		state, reason, found = r.State, r.Reason, true
		return false
	})
	switch {
	case !found:
		return "", errors.New("the signature is not where it was written: the document was not changed")
	case state == trust.Valid:
		return "", nil
	case state == trust.SignerUndefined || state == trust.KeyNotOfSigner:
		return fmt.Sprintf("signed, but the signature does not count yet: %s; sign with --define, or add the key there", reason), nil
	case state == trust.Expired || state == trust.Revoked:
		return "signed, but the signature does not count: " + reason, nil
	}
	return "", fmt.Errorf("the new signature is %s: %s; the document was not changed", state.Words(), reason)
}

// documentSigner implements lsp.Signer.
type documentSigner struct{}

func (documentSigner) Sign(ctx context.Context, m *toolpath.Document, path, step int, scope, key string) ([]byte, string, error) {
	form := convert.Document
	if m.Lines {
		form = convert.Stream
	}
	r := signRequest{scope: scope, key: key, define: true}
	return r.sign(ctx, signedDocument{src: m.Tree.Source(), form: form, model: m}, path, step)
}
