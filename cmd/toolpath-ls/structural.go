package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/entity"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
	"github.com/toolpath-ls/toolpath-ls/structural"
)

// structuralFile is the JSON output of structural.
type structuralFile struct {
	File      string             `json:"file"`
	Document  string             `json:"document"`
	Path      string             `json:"path"`
	From      *string            `json:"from"`
	To        string             `json:"to"`
	Operation *entity.Operation  `json:"operation"`
	Changes   []structuralChange `json:"changes"`
}

type structuralChange struct {
	Action   string      `json:"action"`
	Kind     entity.Kind `json:"kind"`
	Before   *place      `json:"before"`
	After    *place      `json:"after"`
	Head     bool        `json:"signature_changed"`
	Body     bool        `json:"body_changed"`
	Likeness float64     `json:"likeness"`
}

// place is where an entity is: its lines are 1-based, both ends included.
type place struct {
	File  string `json:"file"`
	Name  string `json:"name"`
	Start int    `json:"start_line"`
	End   int    `json:"end_line"`
}

func newStructural() *cobra.Command {
	var format, workspace, document string
	var why bool
	cmd := &cobra.Command{
		Use:   "structural FILE@STEP[..STEP]",
		Short: "Show what happened to the definitions of a file",
		Long: `structural compares the functions, types, constants and other definitions of FILE before and
after a step, or after one step and after another, and says what was added, removed, renamed,
moved, changed in its signature or body, or only laid out anew. The contents of the file are
those that the recorded steps lead to; where they are not known exactly nothing is said.

A step is named by its id, or by the start of it if no other of the path begins so. With
--document only that document counts.

With --format json the output is one object: {file, document, path, from, to, operation,
changes}. The operation is what the step would record as "structural", or null; changes are
[{action, kind, before, after, signature_changed, body_changed, likeness}], where before and
after are {file, name, start_line, end_line} or null, and likeness is below 1 where the pair
of old and new was found by its likeness.

With --why the argument is a FILE alone. It is told by which grammar FILE is read as it is on
disk, or why there is no syntax tree of it, which places the grammar cannot read, and what of
a change of it is known to be formatting: {file, bytes, language, tree, why, faults, first,
layout} as JSON.

Exit code: 0 compared, also if nothing changed, 2 the file or its contents at a step could not
be had, or its language has no grammar, 3 there is no such step.`,
		Args: func(_ *cobra.Command, args []string) error {
			if why && len(args) == 1 {
				return nil
			}
			if len(args) != 1 || !strings.Contains(args[0], "@") {
				return fmt.Errorf("structural needs one FILE@STEP or FILE@STEP..STEP")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(format, outputFormats); err != nil {
				return err
			}
			if why {
				return writeReading(cmd, args[0], format)
			}
			at := strings.LastIndexByte(args[0], '@')
			from, to, between := strings.Cut(args[0][at+1:], "..")
			if !between {
				from, to = "", from
			}
			c := structuralCommand{file: args[0][:at], workspace: workspace, document: document, errs: cmd.ErrOrStderr()}
			result, words, err := c.compare(cmd, from, to)
			if err != nil {
				return err
			}
			if format == "json" {
				return writeJSON(cmd.OutOrStdout(), result)
			}
			for _, w := range words {
				if _, err := fmt.Fprintln(cmd.OutOrStdout(), escaped(w)); err != nil {
					return err
				}
			}
			return nil
		},
	}
	addPager(cmd)
	addFormat(cmd, &format, outputFormats)
	cmd.Flags().StringVar(&workspace, "workspace", "", "folder that is searched for documents (default: the repository of FILE)")
	cmd.Flags().StringVar(&document, "document", "", "the document that records the steps")
	cmd.Flags().BoolVar(&why, "why", false, "tell how FILE is read, and why not by a grammar")
	return cmd
}

// readingFile is the JSON output of structural --why.
type readingFile struct {
	File     string         `json:"file"`
	Bytes    int            `json:"bytes"`
	Language *string        `json:"language"`
	Tree     bool           `json:"tree"`
	Why      *string        `json:"why"`
	Faults   int            `json:"faults"`
	First    []readingFault `json:"first"`
	Layout   string         `json:"layout"`
}

type readingFault struct {
	Line    int    `json:"line"` // 1-based
	Text    string `json:"text"`
	Missing bool   `json:"missing"`
}

// writeReading tells how a file is read.
func writeReading(cmd *cobra.Command, file, format string) error {
	source, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	r := structural.Syntax{}.Reading(file, string(source))
	if format != "json" {
		for _, line := range r.Sentences() {
			if _, err := fmt.Fprintln(cmd.OutOrStdout(), escaped(line)); err != nil {
				return err
			}
		}
		return nil
	}
	out := readingFile{File: file, Bytes: r.Bytes, Tree: r.Tree, Faults: r.Faults, First: []readingFault{}, Layout: r.Layout}
	if r.Language != "" {
		out.Language = &r.Language
	}
	if r.Why != "" {
		out.Why = &r.Why
	}
	for _, f := range r.First {
		out.First = append(out.First, readingFault{f.Line + 1, strings.ToValidUTF8(f.Text, "\ufffd"), f.Missing})
	}
	return writeJSON(cmd.OutOrStdout(), out)
}

type structuralCommand struct {
	file, workspace, document string
	errs                      io.Writer
}

func (c *structuralCommand) compare(cmd *cobra.Command, from, to string) (*structuralFile, []string, error) {
	abs, err := filepath.Abs(c.file)
	if err != nil {
		return nil, nil, err
	}
	r, err := openRecord(cmd, abs, c.workspace)
	if err != nil {
		return nil, nil, err
	}
	defer r.files.close()
	ctx, file := cmd.Context(), filepath.ToSlash(abs)
	done := func() bool { return ctx.Err() != nil }
	snap, p, err := r.work.ProvenanceOf(ctx, r.files, analysis.FileURI(file), text.New(nil))
	if err != nil {
		return nil, nil, err
	}
	accounts, err := c.chosen(p.Accounts)
	if err != nil {
		return nil, nil, err
	}
	last, err := c.find(accounts, to)
	if err != nil {
		return nil, nil, err
	}
	result := &structuralFile{File: c.file, Document: shown(last.Doc.Path), Path: last.Path.ID, To: last.At().ID, Changes: []structuralChange{}}
	artifact := file
	question := func(s *analysis.Snapshot) (*analysis.Structure, []analysis.Need) {
		return s.StructureOf(last, done)
	}
	if from != "" {
		first, err := c.find(slices.DeleteFunc(slices.Clone(accounts), func(a *analysis.Account) bool { return a.Path != last.Path }), from)
		if err != nil {
			return nil, nil, err
		}
		id := first.At().ID
		result.From = &id
		question = func(s *analysis.Snapshot) (*analysis.Structure, []analysis.Need) {
			return s.StructureBetween(first, last, artifact, done)
		}
	} else if key, ok := snap.ArtifactKey(last, file); ok {
		artifact = key
	} else {
		return nil, nil, fmt.Errorf("the step %q did not change %s", last.At().ID, c.file)
	}
	st, err := analysis.Ask(ctx, r.work, r.files, snap, question)
	if err != nil {
		return nil, nil, err
	}
	if why := st.Unread[artifact]; why != nil {
		return nil, nil, fmt.Errorf("%s: %w", c.file, why)
	}
	if op, ok := st.Operation(artifact); ok {
		result.Operation = &op
	}
	var words []string
	for _, change := range st.Of(artifact) {
		words = append(words, change.Words(st.Before, st.After))
		result.Changes = append(result.Changes, shownChange(st, change))
	}
	return result, words, nil
}

func shownChange(st *analysis.Structure, change entity.Change) structuralChange {
	c := structuralChange{Action: change.Action.String(), Head: change.Head, Body: change.Body, Likeness: change.Likeness}
	was, is := st.Pair(change)
	for _, side := range []struct {
		of   *analysis.EntityAt
		into **place
	}{{was, &c.Before}, {is, &c.After}} {
		if side.of == nil {
			continue
		}
		c.Kind = side.of.Entity.Kind
		*side.into = &place{File: side.of.File, Name: side.of.Entity.Path(), Start: side.of.StartLine + 1, End: side.of.EndLine + 1}
	}
	return c
}

// chosen are the accounts of the document that --document names; of all without it.
func (c *structuralCommand) chosen(all []*analysis.Account) ([]*analysis.Account, error) {
	if c.document == "" {
		return all, nil
	}
	abs, err := filepath.Abs(c.document)
	if err != nil {
		return nil, err
	}
	own := slices.DeleteFunc(slices.Clone(all), func(a *analysis.Account) bool { return a.Doc.Path != filepath.ToSlash(abs) })
	if len(own) == 0 {
		return nil, fmt.Errorf("%s does not speak of %s", c.document, c.file)
	}
	return own, nil
}

// find returns the step of that id, or of the one id that begins so.
func (c *structuralCommand) find(accounts []*analysis.Account, id string) (analysis.StepRef, error) {
	var found []analysis.StepRef
	exact := false
	for _, a := range accounts {
		for i, s := range a.Path.Steps.All() {
			switch {
			case s.ID == id && !exact:
				found, exact = nil, true
				fallthrough
			case s.ID == id, !exact && id != "" && strings.HasPrefix(s.ID, id):
				found = append(found, analysis.StepRef{Doc: a.Doc, Path: a.Path, Step: i})
			}
		}
	}
	switch len(found) {
	case 0:
		note(c.errs, fmt.Sprintf("no document that speaks of %s has a step %q", c.file, id))
		return analysis.StepRef{}, exit(exitNoMatch)
	case 1:
		return found[0], nil
	}
	var names []string
	for _, r := range found[:min(len(found), 5)] {
		names = append(names, fmt.Sprintf("%s in %s", r.At().ID, shown(r.Doc.Path)))
	}
	return analysis.StepRef{}, fmt.Errorf("%q names several steps: %s; say which with --document or the whole id", id, strings.Join(names, ", "))
}
