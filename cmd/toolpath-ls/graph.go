package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/convert"
	"github.com/toolpath-ls/toolpath-ls/analysis/drawing"
	"github.com/toolpath-ls/toolpath-ls/analysis/format"
	"github.com/toolpath-ls/toolpath-ls/analysis/repo"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

func newGraph() *cobra.Command {
	var g grapher
	cmd := &cobra.Command{
		Use:   "graph [--path ID] [--html OUT|--svg|--dot] DOC",
		Short: "Draw the steps of a Toolpath document",
		Long: `graph draws the steps of each path of DOC, or of the one that --path names, the newest first:
the main line, which is the chain of first parents from the head, is straight; branches, dead
ends and merges are beside it. The shapes tell people, agents, tools and CI apart, the colors
their actors. A dead end is hollow.

Without an option it draws in text, for terminals.

--html OUT writes a page to the file OUT, or to stdout for -: it is complete in itself, loads
nothing and sends nothing, and lets its reader filter steps and look at what each one did. It
holds diffs up to --diffs bytes in all, the newest first. --svg and --dot print a picture and a
graph for Graphviz.

Exit code: 0, or 2 if DOC could not be read or OUT not be written, 3 if there is no such path.`,
		Args: func(_ *cobra.Command, docs []string) error {
			if len(docs) != 1 {
				return fmt.Errorf("graph needs one DOC, not %d", len(docs))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return g.graph(cmd, args[0]) },
	}
	addPager(cmd)
	cmd.Flags().StringVar(&g.path, "path", "", "id of the path that is drawn (default: all)")
	cmd.Flags().StringVar(&g.html, "html", "", "file that the page is written to; - is stdout")
	cmd.Flags().BoolVar(&g.svg, "svg", false, "print a picture")
	cmd.Flags().BoolVar(&g.dot, "dot", false, "print a graph for Graphviz")
	cmd.Flags().IntVar(&g.diffs, "diffs", drawing.DefaultDiffs, "bytes of diffs in the page; 0 for none")
	return cmd
}

type grapher struct {
	path, html string
	svg, dot   bool
	diffs      int
}

func (g *grapher) graph(cmd *cobra.Command, name string) error {
	if g.svg && g.dot || g.html != "" && (g.svg || g.dot) {
		return errors.New("graph draws in one form: give one of --html, --svg and --dot")
	}
	doc, err := openDocument(cmd, name)
	if err != nil {
		return documentError(name, err)
	}
	options := drawing.Options{Path: g.path}
	if g.html != "" {
		options.Diffs = g.diffs
	}
	ctx := cmd.Context()
	d := drawing.Of(doc, options, func() bool { return ctx.Err() != nil })
	if ctx.Err() != nil {
		return errInterrupted
	}
	if len(d.Paths) == 0 && g.path != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "toolpath-ls: %s: there is no path %q with steps\n", name, escaped(g.path))
		return exit(exitNoMatch)
	}
	if len(d.Paths) == 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "toolpath-ls: %s: there are no steps to draw\n", name)
	}
	out := cmd.OutOrStdout()
	switch {
	case g.html != "":
		return g.page(d, name, out)
	case g.svg:
		return d.WriteSVG(out)
	case g.dot:
		return d.WriteDOT(out)
	}
	return d.WriteText(out)
}

func (g *grapher) page(d *drawing.Drawing, name string, out io.Writer) error {
	if g.html == "-" {
		page, err := d.HTML()
		if err == nil {
			_, err = out.Write(page)
		}
		return err
	}
	if rel, err := filepath.Rel(filepath.Dir(absolute(g.html)), absolute(name)); err == nil {
		d.Href = (&url.URL{Path: filepath.ToSlash(rel)}).String()
	}
	page, err := d.HTML()
	if err != nil {
		return err
	}
	return replaceFile(g.html, filepath.Dir(g.html), page, true)
}

// openDocument reads a document as an editor would open it; one of an old form as its
// current one.
func openDocument(cmd *cobra.Command, name string) (*analysis.Document, error) {
	src, err := repo.ReadFile(cmd.Context(), name, maxDocument)
	if err != nil {
		return nil, err
	}
	form := convert.FormOf(src, formByName(name))
	t := parse(src, form)
	if form == convert.Document && !toolpath.IsToolpath(t) {
		if edits, _, err := convert.Upgrade(t); err == nil && len(edits) > 0 {
			src = format.Apply(src, edits)
		}
	}
	language := "toolpath"
	if form == convert.Stream {
		language = "toolpath-jsonl"
	}
	uri := analysis.FileURI(filepath.ToSlash(absolute(name)))
	w := analysis.NewWorkspace(&analysis.Options{MaxFileSize: maxDocument, Parallel: sideBySide}, nil)
	doc := w.Open(uri, language, 0, string(bytes.ToValidUTF8(src, []byte("\ufffd")))).Document(uri)
	if doc.Model() == nil || len(doc.Model().Paths) == 0 && !toolpath.IsToolpath(doc.Tree()) {
		if fault := format.Syntax(t); fault != nil {
			return nil, fmt.Errorf("%s: this is no Toolpath document: %w", name, fault)
		}
		return nil, errors.New(name + ": this is no Toolpath document: it has no graph and paths")
	}
	return doc, nil
}
