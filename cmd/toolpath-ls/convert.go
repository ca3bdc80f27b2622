package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolpath-ls/toolpath-ls/analysis/convert"
	"github.com/toolpath-ls/toolpath-ls/analysis/repo"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

func newConvert() *cobra.Command {
	var out string
	var strict, follow bool
	cmd := &cobra.Command{
		Use:   "convert IN [-o OUT]",
		Short: "Convert a Toolpath document into another form",
		Long: `convert turns a document (.path.json) into a stream of lines (.path.jsonl) and back, and brings
old forms of a document to the current one: the envelope ({"Graph": …}, {"Path": …} or
{"Step": …}), a path or a step in place of a graph, base.commit.

The extension of OUT says what it becomes: .jsonl a stream, .json a document. Without -o the
result is printed: an old form as a current document, a current document as a stream, a stream
as a document. Fields that nobody knows are kept, strings and numbers stay as they are
spelled, and the layout is that of fmt.

What the new form cannot say is told on stderr, a line for each with its place in IN: a stream
has no graph.id and no meta of the graph. A document with several paths, or with a reference
to a path ($ref), cannot become a stream. With --strict nothing may be lost.

Exit code: 0 converted, 1 with --strict: something would be lost, and nothing was written,
2 IN could not be read or converted, or OUT could not be written.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("convert needs one IN: a document or a stream")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			in := args[0]
			src, err := repo.ReadFile(cmd.Context(), in, maxDocument)
			if err != nil {
				return documentError(in, err)
			}
			from := convert.FormOf(src, formByName(in))
			to, err := target(out, src, from)
			if err != nil {
				return err
			}
			doc := text.New(src)
			r, err := convert.Convert(src, from, to)
			if fault := new(convert.Error); errors.As(err, &fault) {
				return at(in, doc, fault.Start, fault.Message)
			}
			if err != nil {
				return err
			}
			for _, l := range r.Losses {
				fmt.Fprintln(cmd.ErrOrStderr(), "toolpath-ls:", at(in, doc, l.Start, l.Message))
			}
			if strict && len(r.Losses) > 0 {
				return exit(exitFindings)
			}
			if out == "" {
				_, err = cmd.OutOrStdout().Write(r.Text)
				return err
			}
			return replaceFile(out, filepath.Dir(out), r.Text, follow)
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "file to write, .json or .jsonl")
	cmd.Flags().BoolVar(&strict, "strict", false, "write nothing if something would be lost")
	cmd.Flags().BoolVar(&follow, "follow-links", false, "write OUT where it is a link that leads out of its folder, too")
	return cmd
}

// target is the form that the text becomes.
func target(out string, src []byte, from convert.Form) (convert.Form, error) {
	if out != "" {
		if ext := strings.ToLower(filepath.Ext(out)); ext != ".json" && ext != ".jsonl" {
			return 0, fmt.Errorf("the extension of %s does not say what it becomes; name it .path.json or .path.jsonl", out)
		}
		return formByName(out), nil
	}
	if from == convert.Stream || convert.IsOld(src) {
		return convert.Document, nil
	}
	return convert.Stream, nil
}
