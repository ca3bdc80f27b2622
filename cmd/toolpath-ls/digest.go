package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/toolpath-ls/toolpath-ls/analysis/canonical"
	"github.com/toolpath-ls/toolpath-ls/analysis/convert"
	"github.com/toolpath-ls/toolpath-ls/analysis/format"
	"github.com/toolpath-ls/toolpath-ls/analysis/repo"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
)

func newDigest() *cobra.Command {
	var t chosen
	var scope, timestamp, output string
	cmd := &cobra.Command{
		Use:   "digest DOC (--step ID | --path ID)",
		Short: "Print what a signature of a step or path signs",
		Long: `digest prints the payload of a signature, which is JSON in canonical form (JCS, RFC 8785), and
its SHA-256, which is what is signed: of a step {change, step}; of a path {path, step_ids} for
its author, {head, path_id, reviewed_at} for a reviewer. See docs/trust.md.

--format digest writes the 32 bytes of the SHA-256 and nothing else, for a program that signs:

    toolpath-ls digest DOC --step s1 --format digest | ssh-keygen -Y sign -n toolpath -f KEY

Where the order of keys by UTF-8 bytes (Toolpath RFC), which is used, and by UTF-16 units
(RFC 8785) differ, text and JSON have both.

Exit code: 0 printed, 2 DOC could not be read, has no such step or path, or what is signed is not
defined.`,
		Args: oneDocument("digest"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(output, digestFormats); err != nil {
				return err
			}
			doc, err := readSigned(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			path, step, err := t.in(doc.model)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			f, err := payload(path, step, scope, timestamp)
			if err != nil {
				return doc.fault(err)
			}
			return printDigest(cmd.OutOrStdout(), f, output)
		},
	}
	t.flags(cmd)
	cmd.Flags().StringVar(&scope, "scope", trust.Author, "scope of the signature: author, or reviewer of a path")
	cmd.Flags().StringVar(&timestamp, "timestamp", "", "the signature's timestamp, which a reviewer signs")
	addFormat(cmd, &output, digestFormats)
	return cmd
}

var digestFormats = []string{"text", "json", "digest", "payload"}

// oneDocument asks for one argument, the document.
func oneDocument(verb string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("%s needs one document: %s DOC", verb, verb)
		}
		return nil
	}
}

// chosen is what the flags --path and --step choose.
type chosen struct{ path, step string }

func (t *chosen) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&t.step, "step", "", "id of the step")
	cmd.Flags().StringVar(&t.path, "path", "", "id of the path; with --step, the one that has it")
}

// in returns the path and the step, -1 for the path itself.
func (t *chosen) in(m *toolpath.Document) (*toolpath.Path, int, error) {
	if t.path == "" && t.step == "" {
		return nil, 0, errors.New("name what is signed: --step ID or --path ID")
	}
	var path *toolpath.Path
	step := -1
	found := 0
	for _, p := range m.Paths {
		if t.path != "" && p.ID != t.path || p.Ref.Valid() && !p.Identity.Valid() {
			continue
		}
		if t.step == "" {
			path = p
			found++
			continue
		}
		for i, s := range p.Steps.All() {
			if s.ID == t.step && s.Nodes.ID != 0 {
				path, step = p, i
				found++
			}
		}
	}
	what := fmt.Sprintf("the path %q", t.path)
	if t.step != "" {
		what = fmt.Sprintf("the step %q", t.step)
	}
	switch {
	case found == 0:
		return nil, 0, fmt.Errorf("%s is not in the document", what)
	case found > 1:
		return nil, 0, fmt.Errorf("%s is in the document more than once; name its path with --path, or give it another id", what)
	}
	return path, step, nil
}

// signedDocument is a document whose signatures are asked about.
type signedDocument struct {
	name  string
	src   []byte
	form  convert.Form
	model *toolpath.Document
}

// readSigned reads a document without faults of its syntax.
func readSigned(ctx context.Context, name string) (d signedDocument, err error) {
	src, err := repo.ReadFile(ctx, name, maxDocument)
	if err != nil {
		return d, documentError(name, err)
	}
	d = signedDocument{name: name, src: src, form: convert.FormOf(src, formByName(name))}
	t := parse(src, d.form)
	if fault := new(format.SyntaxError); errors.As(format.Syntax(t), &fault) {
		return d, at(name, text.New(src), fault.Start, fault.Message)
	}
	d.model = toolpath.Build(t, nil)
	if d.form == convert.Document && !toolpath.IsToolpath(t) || len(d.model.Paths) == 0 && d.form == convert.Stream {
		return d, fmt.Errorf("%s: this is no Toolpath document of the current form; see toolpath-ls convert", name)
	}
	return d, nil
}

// fault returns an error with the place that it is about.
func (d signedDocument) fault(err error) error {
	if e := new(trust.NoPayloadError); errors.As(err, &e) && e.End > 0 {
		return at(d.name, text.New(d.src), e.Start, e.Reason)
	}
	return fmt.Errorf("%s: %w", d.name, err)
}

// payload returns what a signature signs.
func payload(path *toolpath.Path, step int, scope, timestamp string) (canonical.Form, error) {
	switch {
	case step >= 0 && scope == trust.Author:
		return trust.StepPayload(path.Steps.At(step))
	case step < 0 && scope == trust.Author:
		return trust.PathPayload(path)
	case step < 0 && scope == trust.Reviewer:
		if timestamp == "" {
			return canonical.Form{}, errors.New("a reviewer signs the time of the review: give it with --timestamp")
		}
		return trust.ReviewPayload(path, timestamp)
	case scope == trust.Reviewer:
		return canonical.Form{}, errors.New("a reviewer signs a path: the RFC does not say what a reviewer of a step signs")
	}
	return canonical.Form{}, fmt.Errorf("the RFC does not say what a signature of the scope %q signs; it does for author and reviewer", scope)
}

func printDigest(out io.Writer, f canonical.Form, output string) error {
	digest := sha256.Sum256(f.ByBytes)
	var b bytes.Buffer
	switch output {
	case "digest":
		b.Write(digest[:])
	case "payload":
		b.Write(f.ByBytes)
	case "json":
		o := map[string]any{"payload": string(f.ByBytes), "sha256": hex.EncodeToString(digest[:])}
		if f.ByUnits != nil {
			units := sha256.Sum256(f.ByUnits)
			o["rfc8785"] = map[string]any{"payload": string(f.ByUnits), "sha256": hex.EncodeToString(units[:])}
		}
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(o); err != nil {
			return err
		}
	default:
		fmt.Fprintf(&b, "%s\nsha256 %x\n", f.ByBytes, digest)
		if f.ByUnits != nil {
			fmt.Fprintf(&b, "in the order of RFC 8785, which differs:\n%s\nsha256 %x\n", f.ByUnits, sha256.Sum256(f.ByUnits))
		}
	}
	_, err := out.Write(b.Bytes())
	return err
}
