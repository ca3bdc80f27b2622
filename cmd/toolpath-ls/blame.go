package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
	"github.com/toolpath-ls/toolpath-ls/analysis/repo"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
	"github.com/toolpath-ls/toolpath-ls/lsp/collector"
)

// blamedFile is the JSON output of blame.
type blamedFile struct {
	File  string       `json:"file"`
	Lines []blamedLine `json:"lines"`
}

type blamedLine struct {
	Line      int     `json:"line"`
	State     string  `json:"state"`
	Grade     string  `json:"grade"`
	Step      *string `json:"step"`
	Path      *string `json:"path"`
	Document  *string `json:"document"`
	Actor     *string `json:"actor"`
	Timestamp *string `json:"timestamp"`
	Intent    *string `json:"intent"`
	// Commit is the one that brought a line for which no step is known.
	Commit *blamedCommit `json:"commit,omitempty"`
}

type blamedCommit struct {
	ID      string `json:"id"`
	Author  string `json:"author"`
	Time    string `json:"time"`
	Summary string `json:"summary"`
}

func newBlame() *cobra.Command {
	var format, workspace, contents, color string
	var ignore []string
	var raw, git bool
	cmd := &cobra.Command{
		Use:   "blame [--ignore ACTOR]... [--format text|json] [--workspace DIR] [--contents FILE|-] [--raw] [--git] FILE",
		Short: "Show who wrote each line of a file, by the recorded steps",
		Long: `blame shows for each line of FILE the last recorded step that wrote it:

    step (actor date line) text

It reads all Toolpath documents in the workspace: the folder given, or the repository that
holds FILE; and those in the cache of the Toolpath tools that speak of it. A step with "~"
behind it was placed where it fits, since the record has gaps or no line numbers. A line
without a step is

    base        older than the recorded path
    changed     edited after the last recorded step
    unrecorded  not on record; nobody is named

With --git such a line names the commit that brought it, as git blame has it and takes the time for;
who wrote it is not on record.

With --format json the output is {file, lines: [{line, state, grade, step, path, document,
actor, timestamp, intent, commit: {id, author, time, summary}}]}; from step to intent all are
null where no step is known, and commit is there only then, with --git. The grade is
exact, fuzzy ("~"), inferred (nobody is named), unrecorded, base, changed since or unsaved. With
--contents the text of another file, or of standard input, takes the place of FILE's, such
as that of an editor's buffer. Steps of actors that --ignore names ("tool:*") do not count: the
last step of somebody else owns the line, or if there is none, the last one of them.

A step that only lays lines out anew, be it a formatter's or not, does not become their author;
with --raw it does, as if what it did were an edit.

What keeps lines from being attributed, a commit that is missing for one, is told on stderr.

In a terminal actors are coloured by their kind, unless NO_COLOR is set; --color never turns
that off, --color always on.

Exit code: 0, or 2 if FILE or the workspace could not be read.`,
		Args: func(_ *cobra.Command, files []string) error {
			if len(files) != 1 {
				return fmt.Errorf("blame needs one FILE, not %d", len(files))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(format, outputFormats); err != nil {
				return err
			}
			if err := checkChoice("color", color, colorModes); err != nil {
				return err
			}
			g, err := analysis.NewIgnore(ignore)
			if err != nil {
				return fmt.Errorf("--ignore: %w", err)
			}
			b := &blamer{file: args[0], workspace: workspace, raw: raw, git: git, errs: cmd.ErrOrStderr(), colors: wantsColors(color, cmd.OutOrStdout())}
			content, err := readContents(cmd, contents, args[0])
			if err != nil {
				return err
			}
			defer b.closing.Wait()
			defer collector.Rest(blameRoom)()
			p, err := b.blame(cmd, content)
			if err != nil {
				return err
			}
			p = p.Ignoring(g)
			print := b.text
			if format == "json" {
				print = b.json
			}
			if err := print(cmd.OutOrStdout(), p); err != nil {
				return err
			}
			for _, problem := range p.Problems() {
				note(b.errs, problem)
			}
			return nil
		},
	}
	addFormat(cmd, &format, outputFormats)
	addIgnore(cmd, &ignore)
	addChoice(cmd, &color, "color", "colours of actors by their kind: ", colorModes)
	cmd.Flags().BoolVar(&raw, "raw", false, "name the last step that touched a line, one that only formatted it too")
	addPager(cmd)
	addNoCache(cmd)
	cmd.Flags().BoolVar(&git, "git", false, "name the commits of lines that are not on record, as git blame has them")
	cmd.Flags().StringVar(&workspace, "workspace", "", "folder that is searched for documents (default: the repository of FILE)")
	cmd.Flags().StringVar(&contents, "contents", "", "file whose text takes the place of FILE's; - is standard input")
	return cmd
}

func readContents(cmd *cobra.Command, contents, file string) ([]byte, error) {
	switch contents {
	case "":
		contents = file
	case "-":
		return readAll(cmd.InOrStdin(), analysis.DefaultMaxFileSize)
	}
	content, err := repo.ReadFile(cmd.Context(), contents, analysis.DefaultMaxFileSize)
	if tooLarge := new(repo.TooLargeError); errors.As(err, &tooLarge) {
		return nil, fmt.Errorf("%s %s", contents, overLimit(tooLarge))
	}
	if err != nil {
		return nil, readError(contents, err)
	}
	return content, nil
}

func readAll(in io.Reader, limit int) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(in, int64(limit)+1))
	if err == nil && len(content) > limit {
		err = fmt.Errorf("standard input has more than %d bytes", limit)
	}
	return content, err
}

// blameRoom is what blame takes for some thousand steps, about, in bytes.
const blameRoom = 48 << 20

type blamer struct {
	file, workspace string
	raw, git        bool
	errs            io.Writer
	colors          bool
	closing         sync.WaitGroup // what was read from ends while its lines are printed
}

// blame projects the workspace's documents on the content of the file.
func (b *blamer) blame(cmd *cobra.Command, content []byte) (*analysis.Provenance, error) {
	abs, err := filepath.Abs(b.file)
	if err != nil {
		return nil, err
	}
	r, err := openRecord(cmd, abs, b.workspace)
	if err != nil {
		return nil, err
	}
	defer b.closing.Go(r.files.close)
	if b.raw {
		o := *r.work.Snapshot().Options
		o.Formatter = nil
		r.work.SetOptions(&o)
	}
	_, p, err := r.work.ProvenanceOf(cmd.Context(), r.files, analysis.FileURI(filepath.ToSlash(abs)), text.New(content))
	if err == nil && !p.IsSpokenOf() {
		note(b.errs, fmt.Sprintf("no document in %s speaks of %s", r.folder, b.file))
	}
	if err == nil && b.git && p.HasUnrecorded() {
		p = withCommits(cmd.Context(), r.files, filepath.ToSlash(abs), p)
	}
	return p, err
}

// withCommits asks git who committed the lines that are not on record. That it does not know
// is no failure.
func withCommits(ctx context.Context, f *files, file string, p *analysis.Provenance) *analysis.Provenance {
	rev, err := f.Head(ctx, file)
	if err != nil {
		return p
	}
	commits, err := analysis.CommitsOf(ctx, f, file, rev)
	if err != nil {
		return p
	}
	return p.WithCommits(commits)
}

func (b *blamer) json(out io.Writer, p *analysis.Provenance) error {
	result := blamedFile{File: b.file, Lines: []blamedLine{}}
	for i := range lineTexts(p) {
		l := p.Line(i)
		line := blamedLine{Line: i + 1, State: analysis.StateName(l.State), Grade: l.Grade.String()}
		if l.State == provenance.StateRecorded && l.Step != nil {
			s, doc := l.Step.At(), shown(l.Step.Doc.Path)
			line.Step, line.Path, line.Document = &s.ID, &l.Step.Path.ID, &doc
			timestamp := s.Timestamp()
			line.Actor, line.Timestamp = &s.Actor, &timestamp
			if intent := s.Intent(); intent != "" {
				line.Intent = &intent
			}
		}
		if c := l.Commit; c != nil {
			line.Commit = &blamedCommit{c.ID, c.Author, c.Time.Format(time.RFC3339), c.Summary}
		}
		result.Lines = append(result.Lines, line)
	}
	return writeJSON(out, result)
}

// shown returns a path as the user would write it: from the current folder if it lies
// below it.
func shown(path string) string {
	path = filepath.FromSlash(path)
	if cwd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(cwd, path); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return path
}

// lineTexts returns the lines that blame shows, without their line ends.
func lineTexts(p *analysis.Provenance) [][]byte {
	lines := make([][]byte, 0, p.Len())
	for line := range bytes.Lines(p.Text.Bytes()) {
		lines = append(lines, bytes.TrimRight(line, "\r\n"))
	}
	return lines
}

// text prints a table, aligned as that of git blame.
func (b *blamer) text(out io.Writer, p *analysis.Provenance) error {
	lines := lineTexts(p)
	runs := p.Runs(0, len(lines))
	rows := make([][3]string, len(runs)) // step, actor, date
	const shard = 1024
	sideBySide((len(runs)+shard-1)/shard, func(k int) {
		for i := k * shard; i < min((k+1)*shard, len(runs)); i++ {
			rows[i] = row(runs[i].Line)
		}
	})
	var width [3]int
	for _, r := range rows {
		for k, cell := range r {
			width[k] = max(width[k], columns(cell))
		}
	}
	digits := len(strconv.Itoa(len(lines)))
	var w bytes.Buffer
	var who []byte
	w.Grow(p.Text.Len() + len(lines)*(width[0]+width[1]+width[2]+digits+8))
	for k, run := range runs {
		r := rows[k]
		who = append(append(who[:0], r[0]...), spaces(width[0]-columns(r[0]))...)
		who = append(who, " ("...)
		actor := pad(r[1], width[1])
		if b.colors {
			actor = painted(run, actor)
		}
		who = append(append(who, actor...), ' ')
		who = append(append(who, r[2]...), spaces(width[2]-columns(r[2]))...)
		who = append(who, ' ')
		for i := run.Start; i < run.End; i++ {
			number := strconv.Itoa(i + 1)
			w.Write(who)
			w.WriteString(spaces(digits - len(number)))
			w.WriteString(number)
			w.WriteString(") ")
			w.Write(lines[i])
			w.WriteByte('\n')
		}
	}
	_, err := out.Write(w.Bytes())
	return err
}

// row returns the step, actor and date of a line, or the word for its state.
func row(l analysis.Line) [3]string {
	const stepWidth, actorWidth = 14, 24
	if l.State != provenance.StateRecorded || l.Step == nil {
		if c := l.Commit; c != nil {
			return [3]string{analysis.StateName(l.State), cut(c.Short()+" "+c.Author, actorWidth), c.Time.Format(time.DateOnly)}
		}
		return [3]string{analysis.StateName(l.State)}
	}
	s := l.Step.At()
	var date string
	if s.HasTime {
		date = s.Time().Format(time.DateOnly)
	} else {
		date = s.Timestamp()
	}
	id := cut(s.ID, stepWidth)
	if l.Grade != provenance.GradeExact {
		id += "~"
	}
	return [3]string{id, cut(s.Actor, actorWidth), cut(date, len(time.DateOnly))}
}

// cut shortens a text to so many columns.
func cut(s string, width int) string {
	s = escaped(s)
	if columns(s) <= width {
		return s
	}
	taken := 0
	for i, r := range s {
		if taken += columnsOf(r); taken >= width {
			return s[:i] + "…"
		}
	}
	return s
}

func pad(s string, width int) string {
	return s + spaces(width-columns(s))
}

func spaces(n int) string {
	const many = "                                        "
	if n <= len(many) {
		return many[:n]
	}
	return strings.Repeat(" ", n)
}
