package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// tallied are the values of --by of stats.
var tallied = []string{"actor", "actor-kind", "file"}

func newStats() *cobra.Command {
	var format, workspace, by string
	var ignore []string
	cmd := &cobra.Command{
		Use:   "stats [--by actor|actor-kind|file] [--ignore ACTOR]... [--format text|json] [--workspace DIR] [PATH]...",
		Short: "Count the lines that each actor wrote",
		Long: `stats counts who wrote the lines of files as they are now, by the recorded steps. PATH is a
file, or a folder of which all files count that documents speak of; by default the current one.

    lines  share  exact  other  actor
       42   70 %     40      2  agent:claude-code
       12   20 %     12      0  human:mira
        6   10 %                not recorded

A line belongs to the step that blame names: steps that only formatted it, or
that --ignore names ("tool:*"), do not count. "exact" are the lines that follow from the
record; "other" those that were placed where they fit, for want of steps or line numbers.
Lines of which no step is known are older than the record (base), changed since its last
step, or not recorded; nobody is named for them.

With --by actor-kind rows are human, agent, tool and ci, with --by file they are files. With
--format json the output is {files, lines, by, rows: [{name, lines, share, grades: {GRADE:
lines}}], base, changed, unrecorded}; share is a part of 1 of all lines.

Exit code: 0, or 2 if something could not be read.`,
		RunE: func(cmd *cobra.Command, paths []string) error {
			if err := checkFormat(format, outputFormats); err != nil {
				return err
			}
			if err := checkChoice("by", by, tallied); err != nil {
				return err
			}
			g, err := analysis.NewIgnore(ignore)
			if err != nil {
				return fmt.Errorf("--ignore: %w", err)
			}
			t := analysis.NewTally()
			complete, err := survey(cmd, paths, workspace, func(file string, p *analysis.Provenance, _ *record) {
				t.Add(p.Ignoring(g), func(actor string) string {
					switch by {
					case "file":
						return shown(file)
					case "actor-kind":
						return toolpath.ActorKind(actor)
					}
					return actor
				})
			})
			if err != nil {
				return err
			}
			print := statsText
			if format == "json" {
				print = statsJSON
			}
			if err := print(cmd.OutOrStdout(), by, t); err != nil {
				return err
			}
			if !complete {
				return exit(exitFailure)
			}
			return nil
		},
	}
	addFormat(cmd, &format, outputFormats)
	addChoice(cmd, &by, "by", "what is counted: ", tallied)
	addIgnore(cmd, &ignore)
	addPager(cmd)
	addNoCache(cmd)
	cmd.Flags().StringVar(&workspace, "workspace", "", "folder that is searched for documents (default: the repository of the first PATH)")
	return cmd
}

// addIgnore gives a command the flag --ignore.
func addIgnore(cmd *cobra.Command, patterns *[]string) {
	cmd.Flags().StringArrayVar(patterns, "ignore", nil, `actors whose steps do not count, such as "tool:*"; may be repeated`)
}

func statsText(out io.Writer, by string, t *analysis.Tally) error {
	rows := [][]string{{"lines", "share", "exact", "other", by}}
	add := func(name string, lines int, grades map[string]int) {
		row := []string{strconv.Itoa(lines), fmt.Sprintf("%d %%", analysis.Percent(lines, t.Lines)), "", "", name}
		if grades != nil {
			row[2], row[3] = strconv.Itoa(grades["exact"]), strconv.Itoa(lines-grades["exact"])
		}
		rows = append(rows, row)
	}
	for _, r := range t.Sorted() {
		add(escaped(r.Name), r.Lines, r.Grades)
	}
	for _, r := range []struct {
		name  string
		lines int
	}{{"base", t.Base}, {"changed since the last step", t.Changed}, {"not recorded", t.Unrecorded}} {
		if r.lines > 0 {
			add(r.name, r.lines, nil)
		}
	}
	var width [4]int
	for _, r := range rows {
		for k := range width {
			width[k] = max(width[k], columns(r[k]))
		}
	}
	var b strings.Builder
	for _, r := range rows {
		for k := range width {
			b.WriteString(strings.Repeat(" ", width[k]-columns(r[k])) + r[k] + "  ")
		}
		b.WriteString(r[len(width)] + "\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}

type statsRow struct {
	Name   string         `json:"name"`
	Lines  int            `json:"lines"`
	Share  float64        `json:"share"`
	Grades map[string]int `json:"grades"`
}

func statsJSON(out io.Writer, by string, t *analysis.Tally) error {
	result := struct {
		Files      int        `json:"files"`
		Lines      int        `json:"lines"`
		By         string     `json:"by"`
		Rows       []statsRow `json:"rows"`
		Base       int        `json:"base"`
		Changed    int        `json:"changed"`
		Unrecorded int        `json:"unrecorded"`
	}{t.Files, t.Lines, by, []statsRow{}, t.Base, t.Changed, t.Unrecorded}
	for _, r := range t.Sorted() {
		result.Rows = append(result.Rows, statsRow{r.Name, r.Lines, float64(r.Lines) / float64(t.Lines), r.Grades})
	}
	return writeJSON(out, result)
}

// writeJSON writes a result for programs that people can read too.
func writeJSON(out io.Writer, result any) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(result)
}
