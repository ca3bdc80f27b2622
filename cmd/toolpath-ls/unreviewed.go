package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

type unreviewedResult struct {
	Lines int             `json:"lines"`
	Runs  []unreviewedRun `json:"runs"`
}

type unreviewedRun struct {
	File      string  `json:"file"`
	StartLine int     `json:"startLine"` // 1-based
	EndLine   int     `json:"endLine"`   // the last one
	Grade     string  `json:"grade"`
	Step      string  `json:"step"`
	Path      string  `json:"path"`
	Document  string  `json:"document"`
	Actor     string  `json:"actor"`
	Timestamp string  `json:"timestamp"`
	Intent    *string `json:"intent"`
}

func newUnreviewed() *cobra.Command {
	var format, workspace string
	cmd := &cobra.Command{
		Use:   "unreviewed [--format text|json] [--workspace DIR] [PATH]...",
		Short: "List the lines of agents that no human has touched since",
		Long: `unreviewed lists the runs of lines whose last author, tools and CI left out, is an agent, and
which no human step touched afterwards. PATH is a file, or a folder of which all files count that
documents speak of; by default the current one.

    src/slug.py:3-5: agent:claude-code in step-2: Leave punctuation out of slugs

Lines count as reviewed too if a human step approves them, which editors write on request ("Mark as
reviewed"), and a step does if a human has signed its path as reviewer, validly and with a key of
yours; see docs/trust.md. A step that only formatted a line does not count as touching it. A line that was changed since
the last recorded step is not listed, and neither is one of which the author is not known.
"~" before the actor: the line was placed where it fits, for want of steps or line numbers.

With --format json the output is {lines, runs: [{file, startLine, endLine, grade, step, path,
document, actor, timestamp, intent}]}; lines count from 1.

Exit code: 0 if there are none, 1 if there are some, 2 if something could not be read.`,
		RunE: func(cmd *cobra.Command, paths []string) error {
			if err := checkFormat(format, outputFormats); err != nil {
				return err
			}
			result := unreviewedResult{Runs: []unreviewedRun{}}
			complete, err := survey(cmd, paths, workspace, func(file string, p *analysis.Provenance, rec *record) {
				reviews, err := rec.work.Reviews(cmd.Context(), rec.files, p, time.Now())
				if err != nil {
					note(cmd.ErrOrStderr(), surveyError(file, err).Error())
				}
				for _, r := range p.Unreviewed(0, p.Len(), reviews) {
					s := r.Step.At()
					run := unreviewedRun{File: shown(file), StartLine: r.Start + 1, EndLine: r.End, Grade: r.Grade.String(),
						Step: s.ID, Path: r.Step.Path.ID, Document: shown(r.Step.Doc.Path), Actor: s.Actor, Timestamp: s.Timestamp()}
					if intent := s.Intent(); intent != "" {
						run.Intent = &intent
					}
					result.Runs = append(result.Runs, run)
					result.Lines += r.End - r.Start
				}
			})
			if err != nil {
				return err
			}
			if format == "json" {
				err = writeJSON(cmd.OutOrStdout(), result)
			} else {
				_, err = cmd.OutOrStdout().Write([]byte(result.text()))
			}
			switch {
			case err != nil:
				return err
			case !complete:
				return exit(exitFailure)
			case len(result.Runs) > 0:
				return exit(exitFindings)
			}
			return nil
		},
	}
	addPager(cmd)
	addFormat(cmd, &format, outputFormats)
	cmd.Flags().StringVar(&workspace, "workspace", "", "folder that is searched for documents (default: the repository of the first PATH)")
	return cmd
}

func (r unreviewedResult) text() string {
	var b strings.Builder
	for _, run := range r.Runs {
		lines := fmt.Sprint(run.StartLine)
		if run.EndLine > run.StartLine {
			lines = fmt.Sprintf("%d-%d", run.StartLine, run.EndLine)
		}
		sure := ""
		if run.Grade != "exact" {
			sure = "~"
		}
		fmt.Fprintf(&b, "%s:%s: %s%s in %s", escaped(run.File), lines, sure, escaped(run.Actor), escaped(run.Step))
		if run.Intent != nil {
			first, _, _ := strings.Cut(*run.Intent, "\n")
			b.WriteString(": " + escaped(first))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
