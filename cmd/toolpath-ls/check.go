package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/repo"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

// finding is a diagnostic in the JSON output of check.
type finding struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"`
	Severity  string `json:"severity"`
	Code      string `json:"code"`
	Message   string `json:"message"`
}

func newCheck() *cobra.Command {
	var format string
	limit := analysis.DefaultMaxFileSize
	cmd := &cobra.Command{
		Use:   "check [--format text|json] PATH...",
		Short: "Report problems in Toolpath documents",
		Long: `check reports what is wrong in Toolpath documents, one finding a line:

    file:line:column: severity code message

A PATH is a document, or a folder that is searched for *.path.json and *.path.jsonl.
With --format json the output is one array of objects {file, line, column, endLine,
endColumn, severity, code, message}. Lines and columns count from 1; columns are in UTF-16
code units, as in editors. The severity is error, warning, information or hint.

Exit code: 0 no finding of severity error, 1 some, 2 a PATH could not be read.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, paths []string) error {
			if format != "text" && format != "json" {
				return fmt.Errorf("--format is text or json, not %q", format)
			}
			c := checker{files: newFiles(0), limit: limit, errs: cmd.ErrOrStderr(), list: []finding{}}
			defer c.files.close()
			for _, p := range paths {
				c.path(cmd.Context(), p)
			}
			if err := c.print(cmd.OutOrStdout(), format); err != nil {
				return err
			}
			return c.result()
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "output format: text or json")
	cmd.Flags().IntVar(&limit, "max-size", limit, "size in bytes over which a document is skipped, with a finding")
	return cmd
}

type checker struct {
	files  *files
	limit  int
	errs   io.Writer
	list   []finding
	failed bool
}

// path checks a document or the documents in a folder.
func (c *checker) path(ctx context.Context, p string) {
	st, err := os.Stat(p)
	if err != nil {
		c.fail(p, err)
		return
	}
	if !st.IsDir() {
		c.document(ctx, p)
		return
	}
	found, err := repo.FindDocuments(ctx, p, repo.WalkOptions{})
	if err != nil {
		c.fail(p, err)
		return
	}
	if found.Bounds != 0 {
		c.fail(p, fmt.Errorf("documents may have been missed: the limit on the %v was reached", found.Bounds))
	}
	for _, folder := range found.Unreadable {
		c.fail(folder, errors.New("the folder cannot be read"))
	}
	for _, doc := range found.Paths {
		c.document(ctx, doc)
	}
}

func (c *checker) fail(path string, err error) {
	var pathError *os.PathError
	if errors.As(err, &pathError) {
		err = pathError.Err
	}
	fmt.Fprintf(c.errs, "toolpath-ls: %s: %v\n", path, err)
	c.failed = true
}

// document checks one document. One over the size limit is not read: its finding says so.
func (c *checker) document(ctx context.Context, p string) {
	abs, err := filepath.Abs(p)
	if err != nil {
		c.fail(p, err)
		return
	}
	content, err := repo.ReadFile(ctx, abs, int64(c.limit))
	limit := c.limit
	var tooLarge *repo.TooLargeError
	if errors.As(err, &tooLarge) {
		c.list = append(c.list, finding{p, 1, 1, 1, 1, analysis.Warning.String(), "TP9001",
			fmt.Sprintf("this document has %.1f MB, more than the limit of %.1f MB: nothing in it was checked (flag --max-size)", megabytes(tooLarge.Size), megabytes(tooLarge.Limit))})
		return
	}
	if err != nil {
		c.fail(p, err)
		return
	}
	w := newWorkspace(c.files, "", limit)
	uri := analysis.FileURI(filepath.ToSlash(abs))
	s := w.Open(uri, documentLanguage(p), 1, string(content))
	stopped := func() bool { return ctx.Err() != nil }
	diagnostics := s.Check(uri, stopped)
	replayed, err := w.CheckReplay(ctx, c.files, uri)
	if err != nil {
		c.fail(p, err)
		return
	}
	doc := s.Document(uri).Text
	for _, d := range analysis.Merge(diagnostics, replayed) {
		start, end := doc.Pos(d.Start, text.UTF16), doc.Pos(d.End, text.UTF16)
		c.list = append(c.list, finding{p, start.Line + 1, start.Column + 1, end.Line + 1, end.Column + 1,
			d.Severity.String(), d.Rule.ID, d.Message})
	}
}

// documentLanguage is how a document that the user named is read, whatever its content is.
func documentLanguage(path string) string {
	if strings.EqualFold(filepath.Ext(path), ".jsonl") {
		return analysis.LanguageStream
	}
	return analysis.LanguageCanonical
}

func megabytes(n int64) float64 { return float64(n) / (1 << 20) }

func (c *checker) print(out io.Writer, format string) error {
	if format == "json" {
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(c.list)
	}
	var b strings.Builder
	for _, f := range c.list {
		fmt.Fprintf(&b, "%s:%d:%d: %s %s %s\n", f.File, f.Line, f.Column, f.Severity, f.Code, f.Message)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func (c *checker) result() error {
	if c.failed {
		return exit(exitFailure)
	}
	for _, f := range c.list {
		if f.Severity == analysis.Error.String() {
			return exit(exitFindings)
		}
	}
	return nil
}
