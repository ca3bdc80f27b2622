package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/repo"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
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
	var format, failOn string
	limit := analysis.DefaultMaxFileSize
	cmd := &cobra.Command{
		Use:   "check [--format text|json|sarif|github|junit] [--fail-on SEVERITY] PATH...",
		Short: "Report problems in Toolpath documents",
		Long: `check reports what is wrong in Toolpath documents, one finding a line:

    file:line:column: severity code message

A PATH is a document, or a folder that is searched for *.path.json and *.path.jsonl, or - for
stdin. A name that ends neither in .json nor in .jsonl, as stdin has none, is read as its content
is. With --format json the output is one array of objects {file, line, column, endLine,
endColumn, severity, code, message}. Lines and columns count from 1; columns are in UTF-16
code units, as in editors. The severity is error, warning, information or hint.

Other formats are sarif (SARIF 2.1.0, for code scanning), github (workflow commands, which show
findings on the lines of a pull request) and junit (a test case for each document, which fails
for errors).

Exit code: 0 no finding of severity error, or with --fail-on of that severity or a worse one; 1
some; 2 a PATH could not be read. With --fail-on never findings are no failure.`,
		Args: func(_ *cobra.Command, paths []string) error {
			if len(paths) == 0 {
				return errors.New("check needs a PATH: a document, or a folder that holds some, or - for stdin")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, paths []string) error {
			if err := checkFormat(format, reportFormatNames); err != nil {
				return err
			}
			if err := checkChoice("fail-on", failOn, failOnNames); err != nil {
				return err
			}
			if limit <= 0 {
				return fmt.Errorf("--max-size is a number of bytes over 0, not %d", limit)
			}
			c := checker{files: newFiles(0), limit: limit, in: cmd.InOrStdin(), errs: cmd.ErrOrStderr(), list: []finding{}, seen: map[string]bool{}}
			defer c.files.close()
			for _, p := range paths {
				c.path(cmd.Context(), p)
			}
			c.checkAll(cmd.Context())
			if cmd.Context().Err() != nil {
				return errors.New("interrupted; the documents were not all checked")
			}
			if err := c.print(cmd.OutOrStdout(), format); err != nil {
				return err
			}
			return c.result(failOn)
		},
	}
	addFormat(cmd, &format, reportFormatNames)
	addChoice(cmd, &failOn, "fail-on", "least severity of a finding that the exit code tells of: ", failOnNames)
	cmd.Flags().IntVar(&limit, "max-size", limit, "size in bytes over which a document is skipped, with a finding")
	return cmd
}

// failOnNames are the values of --fail-on: the severities, the worst first, and none.
var failOnNames = []string{analysis.Error.String(), analysis.Warning.String(), analysis.Information.String(), analysis.Hint.String(), "never"}

type checker struct {
	files     *files
	limit     int
	in        io.Reader
	errs      io.Writer
	list      []finding
	queue     []queued
	documents []string        // those that were checked, as they were named or found
	seen      map[string]bool // their absolute paths
	failed    bool
}

// path checks a document or the documents in a folder.
func (c *checker) path(ctx context.Context, p string) {
	if p == "-" {
		c.stdin(ctx)
		return
	}
	st, err := os.Stat(p)
	switch {
	case err != nil:
		c.fail(ctx, readError(p, err))
	case st.IsDir():
		c.folder(ctx, p)
	default:
		c.add(ctx, p)
	}
}

func (c *checker) folder(ctx context.Context, p string) {
	found, err := repo.FindDocuments(ctx, p, repo.WalkOptions{})
	if err != nil {
		c.fail(ctx, readError(p, err))
		return
	}
	if found.Bounds != 0 {
		c.fail(ctx, fmt.Errorf("%s: documents may have been missed: the limit on the %v was reached", p, found.Bounds))
	}
	for _, folder := range found.Unreadable {
		c.fail(ctx, fmt.Errorf("%s: the folder cannot be read", folder))
	}
	if len(found.Paths) == 0 && len(found.Unreadable) == 0 {
		fmt.Fprintf(c.errs, "toolpath-ls: %s: no *.path.json or *.path.jsonl in this folder\n", p)
	}
	for _, doc := range found.Paths {
		c.add(ctx, doc)
	}
}

// fail tells what could not be read. After an interruption that is nobody's fault.
func (c *checker) fail(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	fmt.Fprintln(c.errs, "toolpath-ls:", err)
	c.failed = true
}

// add queues a document, once.
func (c *checker) add(ctx context.Context, p string) {
	abs, err := filepath.Abs(p)
	if err != nil {
		c.fail(ctx, err)
		return
	}
	if !c.seen[abs] {
		c.seen[abs] = true
		c.queue = append(c.queue, queued{name: p, abs: abs})
	}
}

// stdin queues the standard input, once, as a document in the working directory.
func (c *checker) stdin(ctx context.Context) {
	abs, err := filepath.Abs("stdin")
	if err != nil {
		c.fail(ctx, err)
		return
	}
	if c.in != nil {
		c.queue = append(c.queue, queued{"stdin", abs, c.in})
		c.in = nil
	}
}

// queued is a document that is to be checked: as the user named it or as it was found, and
// its absolute path.
type queued struct {
	name, abs string
	in        io.Reader // of stdin
}

func (q queued) read(ctx context.Context, limit int) ([]byte, error) {
	if q.in == nil {
		return repo.ReadFile(ctx, q.name, int64(limit))
	}
	content, err := io.ReadAll(io.LimitReader(q.in, int64(limit)+1))
	if err != nil || len(content) <= limit {
		return content, err
	}
	rest, err := io.Copy(io.Discard, q.in)
	if err == nil {
		err = &repo.TooLargeError{Path: q.name, Size: int64(len(content)) + rest, Limit: int64(limit)}
	}
	return nil, err
}

// checked is the result for one of them.
type checked struct {
	list []finding
	err  error
}

// checkAll checks the queued documents, as many at a time as there are processors, and
// tells of them in the order of the queue.
func (c *checker) checkAll(ctx context.Context) {
	results := make([]checked, len(c.queue))
	bar := newProgress(c.errs, "checked", len(c.queue))
	sideBySide(len(c.queue), func(i int) {
		if ctx.Err() == nil {
			results[i] = c.document(ctx, c.queue[i])
			bar.add(1)
		}
	})
	bar.end()
	for i, r := range results {
		if r.err != nil {
			c.fail(ctx, r.err)
			continue
		}
		c.documents = append(c.documents, c.queue[i].name)
		c.list = append(c.list, r.list...)
	}
}

// document checks one document. One over the size limit is not read: its finding says so.
func (c *checker) document(ctx context.Context, q queued) checked {
	content, err := q.read(ctx, c.limit)
	if tooLarge := new(repo.TooLargeError); errors.As(err, &tooLarge) {
		return checked{list: []finding{skipped(q.name, tooLarge)}}
	}
	if err != nil {
		return checked{err: readError(q.name, err)}
	}
	found, err := checkContent(ctx, c.files, q.name, q.abs, content, c.limit)
	if err != nil {
		return checked{err: fmt.Errorf("%s: %w", q.name, err)}
	}
	return checked{list: found}
}

// checkContent checks the content of the document at the absolute path; file is what the
// findings call it.
func checkContent(ctx context.Context, f *files, file, abs string, content []byte, limit int) ([]finding, error) {
	w := newWorkspace(f, "", limit)
	uri := analysis.FileURI(filepath.ToSlash(abs))
	s := w.Open(uri, documentLanguage(file, content), 1, string(content))
	diagnostics := s.Check(uri, func() bool { return ctx.Err() != nil })
	more, err := w.CheckReferences(ctx, f, uri)
	if err != nil {
		return nil, err
	}
	return findings(file, s.Document(uri).Text, analysis.Merge(diagnostics, more)), nil
}

// maxFindings bounds what is told of one document.
const maxFindings = 10_000

// findings tells of diagnostics, ordered by place, with lines and columns. If they are too
// many, the last one says so, with the severity of the worst that is left out.
func findings(file string, doc *text.Text, diagnostics []analysis.Diagnostic) []finding {
	told := diagnostics[:min(len(diagnostics), maxFindings)]
	list := make([]finding, 0, len(told)+1)
	places := positions{doc: doc}
	add := func(d analysis.Diagnostic, severity analysis.Severity, code, message string) {
		line, column, endLine, endColumn := places.span(d.Start, d.End)
		list = append(list, finding{file, line, column, endLine, endColumn, severity.String(), code, message})
	}
	for _, d := range told {
		add(d, d.Severity, d.Rule.ID, escaped(d.Message))
	}
	if left := diagnostics[len(told):]; len(left) > 0 {
		worst := slices.MinFunc(left, func(a, b analysis.Diagnostic) int { return cmp.Compare(a.Severity, b.Severity) })
		add(left[0], worst.Severity, "TP9002", fmt.Sprintf("%d more findings are not told; the first of them is here", len(left)))
	}
	return list
}

// skipped is the finding about a document that is too large to be read.
func skipped(file string, e *repo.TooLargeError) finding {
	return finding{file, 1, 1, 1, 1, analysis.Warning.String(), "TP9001",
		"this document " + overLimit(e) + ": nothing in it was checked (flag --max-size)"}
}

// readError names the path of a failed read once, as the user wrote it, and leaves out
// the name of the system call.
func readError(path string, err error) error {
	if failed := new(fs.PathError); errors.As(err, &failed) {
		return fmt.Errorf("%s: %w", path, failed.Err)
	}
	return err
}

// documentLanguage is how a document that the user named is read: as its name says or, if that says
// nothing, its content.
func documentLanguage(path string, content []byte) string {
	switch ext := strings.ToLower(filepath.Ext(path)); {
	case ext == ".jsonl", ext != ".json" && toolpath.IsStream(content):
		return analysis.LanguageStream
	}
	return analysis.LanguageCanonical
}

func (c *checker) print(out io.Writer, format string) error {
	return reportFormats[format](out, report{c.list, c.documents, c.failed})
}

func printText(out io.Writer, r report) error {
	var b strings.Builder
	for _, f := range r.findings {
		b.WriteString(f.line())
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func printJSON(out io.Writer, r report) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r.findings)
}

// line is the finding as a line of text.
func (f finding) line() string {
	return fmt.Sprintf("%s:%d:%d: %s %s %s\n", escaped(f.File), f.Line, f.Column, f.Severity, f.Code, f.Message)
}

func (c *checker) result(failOn string) error {
	if c.failed {
		return exit(exitFailure)
	}
	if failOn == "never" {
		return nil
	}
	bad := failOnNames[:slices.Index(failOnNames, failOn)+1]
	for _, f := range c.list {
		if slices.Contains(bad, f.Severity) {
			return exit(exitFindings)
		}
	}
	return nil
}
