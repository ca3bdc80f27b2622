package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolpath-ls/toolpath-ls/analysis/convert"
	"github.com/toolpath-ls/toolpath-ls/analysis/format"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/repo"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// maxDocument is the size in bytes over which the commands that print or change a document
// do not read it.
const maxDocument = 512 << 20

var errInterrupted = errors.New("interrupted")

func newFmt() *cobra.Command {
	f := formatter{}
	cmd := &cobra.Command{
		Use:   "fmt [-w] [--check] PATH...",
		Short: "Lay Toolpath documents out in one way",
		Long: `fmt prints documents in their canonical layout. A PATH is a document, or a folder that is
searched for *.path.json and *.path.jsonl, or - for stdin.

In a .path.json known keys come in the order of the format's examples and unknown ones after
them; every member has its line, indented by two blanks, but for arrays of scalars and small
objects in arrays, which take one line up to 100 characters. A .path.jsonl has one value on
each line, without white space. Strings and numbers stay as they are spelled, and nothing but
white space and the order of keys changes. What is no JSON is left alone, with its first fault
on stderr.

With -w the files are written in place of being printed, each at once and with its mode kept.
A link that leads out of its folder is not followed without --follow-links. With --check the
names of files that are laid out differently are printed, in place of their content.

Exit code: 0 done, 1 with --check: some were laid out differently, 2 a PATH could not be read,
written or laid out.`,
		Args: func(_ *cobra.Command, paths []string) error {
			if len(paths) == 0 {
				return errors.New("fmt needs a PATH: a document, or a folder that holds some, or - for stdin")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, paths []string) error {
			f.in, f.out, f.errs = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
			for _, p := range paths {
				if err := f.path(cmd.Context(), p); err != nil {
					return err
				}
			}
			return f.result()
		},
	}
	cmd.Flags().BoolVarP(&f.write, "write", "w", false, "write the files, in place of printing them")
	cmd.Flags().BoolVar(&f.check, "check", false, "print the names of files that are laid out differently")
	cmd.Flags().BoolVar(&f.follow, "follow-links", false, "write what links lead to outside of their folder, too")
	return cmd
}

type formatter struct {
	write, check, follow bool

	in        io.Reader
	out, errs io.Writer
	failed    bool
	different bool
}

// path lays out a document or the documents in a folder. An error ends the command.
func (f *formatter) path(ctx context.Context, p string) error {
	if p == "-" {
		return f.stdin()
	}
	st, err := os.Stat(p)
	if err != nil {
		f.fail(documentError(p, err))
		return nil
	}
	if !st.IsDir() {
		return f.file(ctx, p, filepath.Dir(p))
	}
	found, err := repo.FindDocuments(ctx, p, repo.WalkOptions{})
	if ctx.Err() != nil {
		return errInterrupted
	}
	if err != nil {
		f.fail(readError(p, err))
		return nil
	}
	if found.Bounds != 0 {
		f.fail(fmt.Errorf("%s: documents may have been missed: the limit on the %v was reached", p, found.Bounds))
	}
	for _, folder := range found.Unreadable {
		f.fail(fmt.Errorf("%s: the folder cannot be read", folder))
	}
	for _, doc := range found.Paths {
		if err := f.file(ctx, doc, p); err != nil {
			return err
		}
	}
	return nil
}

func (f *formatter) fail(err error) {
	fmt.Fprintln(f.errs, "toolpath-ls:", err)
	f.failed = true
}

func (f *formatter) file(ctx context.Context, p, folder string) error {
	src, err := repo.ReadFile(ctx, p, maxDocument)
	if ctx.Err() != nil {
		return errInterrupted
	}
	if err != nil {
		f.fail(documentError(p, err))
		return nil
	}
	laid, err := layout(p, src, formByName(p))
	if err != nil {
		f.fail(err)
		return nil
	}
	return f.done(p, src, laid, func() error { return replaceFile(p, folder, laid, f.follow) })
}

func (f *formatter) stdin() error {
	if f.write {
		return errors.New("fmt -w cannot write to stdin; leave out -w, or name a file")
	}
	src, err := readAll(f.in, maxDocument)
	if err != nil {
		return documentError("stdin", err)
	}
	laid, err := layout("stdin", src, convert.FormOf(src, convert.Document))
	if err != nil {
		f.fail(err)
		return nil
	}
	return f.done("stdin", src, laid, nil)
}

// done does with a layout what the flags say.
func (f *formatter) done(name string, src, laid []byte, write func() error) error {
	if !f.check && !f.write {
		_, err := f.out.Write(laid)
		return err
	}
	if bytes.Equal(src, laid) {
		return nil
	}
	f.different = true
	if f.write {
		if err := write(); err != nil {
			f.fail(err)
			return nil
		}
	}
	if f.check {
		_, err := fmt.Fprintln(f.out, escaped(name))
		return err
	}
	return nil
}

func (f *formatter) result() error {
	if f.failed {
		return exit(exitFailure)
	}
	if f.check && f.different {
		return exit(exitFindings)
	}
	return nil
}

// documentError names what could not be read, once.
func documentError(name string, err error) error {
	if errors.Is(err, context.Canceled) {
		return errInterrupted
	}
	if tooLarge := new(repo.TooLargeError); errors.As(err, &tooLarge) {
		return fmt.Errorf("%s %s", name, overLimit(tooLarge))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: no such file", name)
	}
	return readError(name, err)
}

// formByName is how a file that the user named is read.
func formByName(name string) convert.Form {
	if strings.EqualFold(filepath.Ext(name), ".jsonl") {
		return convert.Stream
	}
	return convert.Document
}

func parse(src []byte, f convert.Form) *jsonsrc.Tree {
	if f == convert.Stream {
		return jsonsrc.ParseLines(src)
	}
	return jsonsrc.Parse(src, toolpath.Layout)
}

func layout(name string, src []byte, f convert.Form) ([]byte, error) {
	laid, err := format.Text(parse(src, f))
	if fault := new(format.SyntaxError); errors.As(err, &fault) {
		return nil, at(name, text.New(src), fault.Start, fault.Message)
	}
	return laid, err
}

// at is a message about a place of a document.
func at(name string, t *text.Text, off int, message string) error {
	p := t.Pos(off, text.UTF16)
	return fmt.Errorf("%s:%d:%d: %s", name, p.Line+1, p.Column+1, escaped(message))
}
