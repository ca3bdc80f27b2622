package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/convert"
	"github.com/toolpath-ls/toolpath-ls/analysis/format"
	"github.com/toolpath-ls/toolpath-ls/analysis/query"
	"github.com/toolpath-ls/toolpath-ls/analysis/repo"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// exitNoMatch is the exit code of query where a selector names what is not there.
const exitNoMatch = 3

func newQuery() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "query QUESTION DOC",
		Short: "Ask about the history that a Toolpath document records",
		Long: `query asks a question of each path of a document, or of the one that --path names. Paths that it
refers to ($ref) are asked too, behind its own, if they are in a .path.json file on this machine; of
the others stderr says that they are not asked.

Text is for people: a step on each line, with its actor, time and intent; steps of the paths
that this one descends from are written path/step. With --format json there is one object for
each path, on a line of its own, with the document that holds the path:

    {"document": …, "path": …, "query": …, "steps": [ids], "complete": …}

History goes on where path.parent leads, if that document can be read: a file, named by a
file:// URI or relative to the document. Where history is cut off the answer is not complete,
and stderr says why: a parent or a head that names no step, a path.parent that cannot be
followed, steps that are their own ancestors, faults of the syntax.

Exit code: 0 answered, also if no step was found, 2 the document could not be read, or one that it
refers to, or a reference leads back to where it came from, 3 nothing matched a selector: there is
no such path, step, actor or artifact.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("query has no question %q; see query --help", args[0])
			}
			return errors.New("query needs a question and a document, such as: query ancestors DOC")
		},
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	a := asker{}
	cmd.AddCommand(
		a.question("ancestors DOC", "How did things come to where they are?",
			`ancestors prints the step and all it descends from, as one sequence from the first step on:
parents before their children, and in the order of the document where that leaves a choice.`, 0,
			func([]string) (query.Question, error) { return query.Ancestors{}, nil }),
		a.question("main-line DOC", "Which steps are the main line?",
			`main-line prints the step, its first parent, the first parent of that, and so on to a root.`, 0,
			func([]string) (query.Question, error) { return query.MainLine{}, nil }),
		a.question("branch STEP DOC", "Which branches does a step merge?",
			`branch prints, for every parent of STEP but the first, that parent, its first parent, and so on
to the step where the branch has left the main line of STEP, which is part of it. A step that
several branches share comes once. Nothing is found for a step that merges nothing.`, 1,
			func(args []string) (query.Question, error) {
				if a.selection.Step != "" && a.selection.Step != args[0] {
					return nil, errors.New("branch asks about one step: leave out STEP or --step")
				}
				a.selection.Step = args[0]
				return query.Branch{}, nil
			}),
		a.deadEnds(), a.filter(),
		a.question("actor NAME DOC", "Who is an actor, and what did it do?",
			`actor prints who NAME is, as the step, the path or the graph defines it, and its steps in the
order of the document. NAME is an actor, such as human:alex, or a pattern with *; if there is
no such actor it is what comes behind the colon, a name, or an identity, as id or system:id.
The JSON has a further field, actors: [{"actor": …, "defined": "step", "path", "graph" or null,
"definition": …}]. With --step only that step and its ancestors count.`, 1,
			func(args []string) (query.Question, error) {
				g, err := query.NewActorGlob(args[0])
				return query.WhoIs{Name: g}, err
			}),
	)
	return cmd
}

func (a *asker) deadEnds() *cobra.Command {
	var artifact string
	cmd := a.question("dead-ends DOC", "What was tried and led nowhere?",
		`dead-ends prints the steps that the head, or the step of --step, does not descend from, in the
order of the document. --artifact keeps those that changed a file: * stands for any characters
but /, ** for any, ? for one, [a-z] for one of a set.`, 0,
		func([]string) (q query.Question, err error) {
			var g query.Glob
			if artifact != "" {
				g, err = query.NewArtifactGlob(artifact)
			}
			return query.DeadEnds{Artifact: g}, err
		})
	cmd.Flags().StringVar(&artifact, "artifact", "", "pattern of artifacts")
	return cmd
}

func (a *asker) filter() *cobra.Command {
	var actor, artifact, since, until, intent string
	cmd := a.question("filter DOC", "Who changed what, when and why?",
		`filter prints the steps for which all of it is true, in the order of the document; with --step
those among that step and its ancestors, in their order. At least one condition is needed.

An actor is exact, or a pattern in which * stands for any characters, such as "agent:*". In a
pattern of artifacts * stands for any characters but / and ** for any. Times are instants,
2026-01-29T15:30:00+01:00, or days in UTC, 2026-01-29; both ends are included, and steps whose
timestamp cannot be read are left out. An intent is part of one, in any letter case.`, 0,
		func([]string) (query.Question, error) {
			q := query.Filter{Intent: intent}
			var errs [4]error
			for i, condition := range []struct {
				value string
				read  func(string) error
			}{
				{actor, func(s string) (err error) { q.Actor, err = query.NewActorGlob(s); return }},
				{artifact, func(s string) (err error) { q.Artifact, err = query.NewArtifactGlob(s); return }},
				{since, func(s string) (err error) { q.Since, err = query.ParseSince(s); return }},
				{until, func(s string) (err error) { q.Until, err = query.ParseUntil(s); return }},
			} {
				if condition.value != "" {
					errs[i] = condition.read(condition.value)
				}
			}
			if actor+artifact+since+until+intent == "" {
				return nil, errors.New("filter needs a condition: --actor, --artifact, --since, --until or --intent")
			}
			return q, errors.Join(errs[:]...)
		})
	cmd.Flags().StringVar(&actor, "actor", "", "actor, or a pattern of actors")
	cmd.Flags().StringVar(&artifact, "artifact", "", "pattern of artifacts")
	cmd.Flags().StringVar(&since, "since", "", "first instant, or day")
	cmd.Flags().StringVar(&until, "until", "", "last instant, or day")
	cmd.Flags().StringVar(&intent, "intent", "", "part of the intent")
	return cmd
}

// asker asks questions and prints their answers.
type asker struct {
	selection query.Selection
	format    string
}

// question makes the command of a question, which has so many arguments before the document.
func (a *asker) question(use, short, long string, n int, read func(args []string) (query.Question, error)) *cobra.Command {
	cmd := &cobra.Command{
		Use:   use + " [--path ID] [--step ID] [--format text|json]",
		Short: short,
		Long:  long + "\n\nExit codes and output are those of query; see query --help.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != n+1 && !a.hasStep(use, args) {
				return fmt.Errorf("this question is asked as: query %s", use)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(a.format, outputFormats); err != nil {
				return err
			}
			if a.hasStep(use, args) {
				args = []string{a.selection.Step, args[0]}
			}
			if n == 1 && isFile(args[0]) && !isFile(args[1]) {
				args[0], args[1] = args[1], args[0] // the document may come first, as with the others
			}
			q, err := read(args[:n])
			if err != nil {
				return err
			}
			return a.ask(cmd.Context(), q, args[n], cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringVar(&a.selection.Path, "path", "", "id of the path to ask (default: all)")
	cmd.Flags().StringVar(&a.selection.Step, "step", "", "id of the step to start at (default: the head)")
	addPager(cmd)
	addFormat(cmd, &a.format, outputFormats)
	return cmd
}

// hasStep says whether --step stands for the argument STEP of branch.
func (a *asker) hasStep(use string, args []string) bool {
	return strings.HasPrefix(use, "branch ") && len(args) == 1 && a.selection.Step != ""
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

func (a *asker) ask(ctx context.Context, q query.Question, doc string, out, errs io.Writer) error {
	r := documentReader{ctx: ctx, left: 2 * maxDocument, known: map[string]reading{}}
	source, faulty, err := r.read(doc)
	if err != nil {
		return documentError(doc, err)
	}
	docs, faults := r.follow(askedDocument{name: doc, source: source, faulty: faulty}, errs)
	answers, none := []documentAnswer(nil), (*query.NoMatch)(nil)
	for _, d := range docs {
		found, err := query.Ask(d.source, q, a.selection, r.load)
		if n := new(query.NoMatch); errors.As(err, &n) {
			if none == nil || !hasPath(docs[0].source.Model) {
				none = n
			}
			continue
		}
		if err != nil {
			return err
		}
		for _, x := range found {
			answers = append(answers, d.answer(x, errs))
		}
	}
	switch {
	case len(answers) == 0 && none != nil:
		fmt.Fprintf(errs, "toolpath-ls: %s: %s\n", doc, escaped(none.Message))
		err = exit(exitNoMatch)
	case a.format == "json":
		err = printAnswers(out, answers)
	default:
		err = writeAnswers(out, errs, doc, answers)
	}
	if faults && (err == nil || none != nil) {
		return exit(exitFailure)
	}
	return err
}

// askedDocument is a document whose own paths are asked.
type askedDocument struct {
	name   string // as it is told
	source query.Source
	faulty error
}

// documentAnswer is an answer, and the document that holds the path.
type documentAnswer struct {
	query.Answer
	document string
}

// answer says on stderr what is wrong with an answer, and returns it.
func (d askedDocument) answer(x query.Answer, errs io.Writer) documentAnswer {
	if d.faulty != nil {
		x.Complete = false
		x.Gaps = append(x.Gaps, "the document has faults of syntax, the first: "+d.faulty.Error())
	}
	for _, g := range x.Gaps {
		fmt.Fprintf(errs, "toolpath-ls: %s, path %s: not complete: %s\n", d.name, escaped(x.Path.ID), escaped(g))
	}
	for _, n := range x.Notes {
		fmt.Fprintf(errs, "toolpath-ls: %s, path %s: %s\n", d.name, escaped(x.Path.ID), escaped(n))
	}
	return documentAnswer{x, d.name}
}

func hasPath(d *toolpath.Document) bool {
	return slices.ContainsFunc(d.Paths, func(p *toolpath.Path) bool { return p.Identity.Valid() })
}

// maxReferred is how many documents are followed from one, maxTried how many references.
const maxReferred, maxTried = 100, 1000

// follow returns the document and those on this machine that its references lead to, each once.
// It says on stderr what is not followed; faults says that something should have been.
func (r *documentReader) follow(first askedDocument, errs io.Writer) (docs []askedDocument, faults bool) {
	seen, tried := map[string]bool{first.source.Name: true}, 0
	var visit func(d askedDocument, above []string)
	visit = func(d askedDocument, above []string) {
		docs, above = append(docs, d), append(above, d.source.Name)
		var elsewhere []string
		for _, p := range d.source.Model.Paths {
			if !p.Ref.Valid() || p.Identity.Valid() {
				continue
			}
			ref := p.Ref.Text()
			told, ok := referred(d.name, ref)
			if tried++; !ok || len(docs) >= maxReferred || tried > maxTried {
				elsewhere = append(elsewhere, ref)
				continue
			}
			next := askedDocument{name: told}
			var err error
			next.source, next.faulty, err = r.read(filepath.FromSlash(told))
			switch {
			case errors.Is(err, fs.ErrNotExist):
				err = errors.New("there is no such file")
			case err == nil && slices.Contains(above, next.source.Name):
				err = errors.New("it leads back to where it came from")
			}
			if err != nil {
				fmt.Fprintf(errs, "toolpath-ls: %s: the reference to %s cannot be followed: %s\n", d.name, escaped(ref), escaped(err.Error()))
				faults = true
			} else if !seen[next.source.Name] {
				seen[next.source.Name] = true
				visit(next, above)
			}
		}
		if len(elsewhere) > 0 {
			const most = 5
			if len(elsewhere) > most {
				elsewhere = append(elsewhere[:most:most], "…")
			}
			fmt.Fprintf(errs, "toolpath-ls: %s: paths that it only refers to are not asked: %s\n", d.name, escaped(strings.Join(elsewhere, ", ")))
		}
	}
	visit(first, nil)
	return docs, faults
}

// referred returns the file that a reference in a document names; not ok if it names none on this
// machine that may be followed, which is a .path.json document.
func referred(from, ref string) (name string, ok bool) {
	name = analysis.FilePath(ref)
	if name == "" {
		if scheme().MatchString(ref) {
			return "", false
		}
		name, _, _ = strings.Cut(strings.ReplaceAll(ref, `\`, "/"), "#")
		if name != "" && !filepath.IsAbs(filepath.FromSlash(name)) {
			name = filepath.ToSlash(filepath.Join(filepath.Dir(from), filepath.FromSlash(name)))
		}
	}
	return name, strings.HasSuffix(strings.ToLower(name), ".json") && !strings.HasPrefix(name, "//")
}

// documentReader reads documents once, up to so many bytes in all.
type documentReader struct {
	ctx   context.Context
	left  int64
	known map[string]reading // by the path of the file, without links
}

type reading struct {
	source query.Source
	faulty error
}

// read reads a document by the path of its file; one of an old form as its current one.
// Faulty is its first fault of syntax.
func (r *documentReader) read(name string) (s query.Source, faulty, err error) {
	real, err := filepath.EvalSymlinks(absolute(name))
	if err != nil {
		return s, nil, err
	}
	if k, ok := r.known[real]; ok {
		return k.source, k.faulty, nil
	}
	src, err := repo.ReadFile(r.ctx, name, min(r.left, maxDocument))
	if err != nil {
		return s, nil, err
	}
	r.left -= int64(len(src))
	form := convert.FormOf(src, formByName(name))
	t := parse(src, form)
	if form == convert.Document && !toolpath.IsToolpath(t) {
		if edits, _, err := convert.Upgrade(t); err == nil && len(edits) > 0 {
			t = parse(format.Apply(src, edits), form)
		}
	}
	model := toolpath.Build(t, nil)
	faulty = format.Syntax(t)
	if len(model.Paths) == 0 && !toolpath.IsToolpath(t) {
		if faulty == nil {
			faulty = errors.New("it has no graph and paths")
		}
		return s, nil, fmt.Errorf("%s: this is no Toolpath document: %w", name, faulty)
	}
	s = query.Source{Name: filepath.ToSlash(real), Model: model}
	r.known[real] = reading{s, faulty}
	return s, faulty, nil
}

// scheme is the start of a URI that has one; a letter alone is a drive.
var scheme = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]+:`)
})

// load implements query.Loader.
func (r *documentReader) load(from query.Source, uri string) (query.Source, error) {
	name := analysis.FilePath(uri)
	if name == "" {
		if scheme().MatchString(uri) {
			return query.Source{}, errors.New("it is not a file on this machine")
		}
		name, _, _ = strings.Cut(uri, "#")
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(filepath.FromSlash(from.Name)), filepath.FromSlash(name))
		}
	}
	s, faulty, err := r.read(filepath.FromSlash(name))
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.New("there is no such file")
	} else if err == nil {
		err = faulty
	}
	return s, err
}

// answer is the JSON output of query.
type answer struct {
	Document string        `json:"document"`
	Path     string        `json:"path"`
	Query    string        `json:"query"`
	Steps    []string      `json:"steps"`
	Complete bool          `json:"complete"`
	Actors   []actorAnswer `json:"actors,omitempty"`
}

type actorAnswer struct {
	Actor      string          `json:"actor"`
	Defined    *string         `json:"defined"`
	Definition json.RawMessage `json:"definition"`
}

func printAnswers(out io.Writer, answers []documentAnswer) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for _, a := range answers {
		o := answer{Document: a.document, Path: a.Path.ID, Query: a.Query, Steps: make([]string, len(a.Steps)), Complete: a.Complete}
		for i, s := range a.Steps {
			o.Steps[i] = s.At().ID
		}
		for _, x := range a.Actors {
			o.Actors = append(o.Actors, actorJSON(x))
		}
		if err := enc.Encode(o); err != nil {
			return err
		}
	}
	return nil
}

func actorJSON(x query.Actor) actorAnswer {
	o := actorAnswer{Actor: x.Actor}
	if x.Defined != "" {
		o.Defined = &x.Defined
	}
	if b := x.Definition.Value.Bytes(); json.Valid(b) {
		o.Definition = b
	}
	return o
}

func writeAnswers(out, errs io.Writer, doc string, answers []documentAnswer) error {
	var b strings.Builder
	steps := 0
	for _, a := range answers {
		if len(answers) > 1 {
			fmt.Fprintf(&b, "path %s\n", escaped(a.Path.ID))
		}
		for _, x := range a.Actors {
			writeActor(&b, x)
		}
		writeSteps(&b, a.Answer)
		steps += len(a.Steps)
	}
	if steps == 0 {
		fmt.Fprintf(errs, "toolpath-ls: %s: no steps found\n", doc)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func writeActor(b *strings.Builder, x query.Actor) {
	b.WriteString(escaped(x.Actor))
	d := x.Definition
	if x.Defined == "" {
		b.WriteString(" is not defined")
	}
	words := []string{d.Name, d.Provider, d.Model}
	for _, id := range d.Identities {
		words = append(words, id.System+":"+id.ID)
	}
	for _, k := range d.Value.Get("keys").Elements() {
		words = append(words, "key "+k.Get("type").Text()+":"+k.Get("fingerprint").Text())
	}
	separator := ": "
	for _, w := range words {
		if w != "" {
			b.WriteString(separator + escaped(w))
			separator = ", "
		}
	}
	b.WriteByte('\n')
}

// writeSteps writes a line for each step, in columns.
func writeSteps(b *strings.Builder, a query.Answer) {
	rows := make([][]string, len(a.Steps))
	var widths [3]int
	for i, s := range a.Steps {
		at := s.At()
		id := at.ID
		if s.Path != a.Path {
			id = s.Path.ID + "/" + id
		}
		intent, _, _ := strings.Cut(at.Intent(), "\n")
		rows[i] = []string{escaped(id), escaped(at.Actor), escaped(at.Timestamp()), escaped(intent)}
		for k := range widths {
			widths[k] = min(max(widths[k], columns(rows[i][k])), 40)
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for k, cell := range row {
			line.WriteString(cell)
			if k < len(widths) {
				line.WriteString(strings.Repeat(" ", max(0, widths[k]-columns(cell))+2))
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " "))
		b.WriteByte('\n')
	}
}
