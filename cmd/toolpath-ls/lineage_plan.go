package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage"
)

func newLineagePlan() *cobra.Command {
	var asJSON bool
	var folder string
	cmd := &cobra.Command{
		Use:   "plan RUN_ID|JOURNAL",
		Short: "Print the task graph that a run's journal records",
		Long: `plan prints the goal and the tasks of a run, as its journal (.sdd/runs/RUN_ID/journal.jsonl, or
the file given) records them last. The same journal gives the same bytes. A journal whose hashes
do not hold is told on stderr.

Exit code: 0 printed, also where no plan is recorded, 1 the journal's hashes do not hold, 2 it
could not be read.`,
		Args: arguments("plan RUN_ID", 1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			runID, file := args[0], args[0]
			if st, err := os.Stat(file); err == nil && st.Mode().IsRegular() {
				runID = filepath.Base(filepath.Dir(absolute(file)))
			} else {
				if err := lineage.CheckRunID(runID); err != nil {
					return err
				}
				file = filepath.Join(folder, ".sdd", "runs", runID, "journal.jsonl")
			}
			journal, err := openJournal(file)
			if err != nil {
				return err
			}
			defer journal.Close()
			j, err := lineage.ReadJournal(journal)
			if err != nil {
				return readError(file, err)
			}
			if err := printPlan(cmd, runID, j, asJSON); err != nil {
				return err
			}
			if j.Broken > 0 {
				fmt.Fprintf(cmd.ErrOrStderr(), "toolpath-ls: %s:%d: the journal's hashes do not hold from here on\n", file, j.Broken)
				return exit(exitFindings)
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&folder, "workdir", "w", ".", "folder that has .sdd")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// openJournal opens a journal; one that is missing has no events.
func openJournal(file string) (io.ReadCloser, error) {
	st, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return io.NopCloser(strings.NewReader("")), nil
	}
	if err != nil || !st.Mode().IsRegular() {
		return nil, readError(file, errors.Join(err, errors.New("is no regular file")))
	}
	return os.Open(file)
}

func printPlan(cmd *cobra.Command, runID string, j lineage.Journal, asJSON bool) error {
	if !asJSON {
		_, err := cmd.OutOrStdout().Write(j.Plan.Render(runID))
		return err
	}
	type task struct {
		ID        string   `json:"id"`
		Role      string   `json:"role"`
		Title     string   `json:"title"`
		DependsOn []string `json:"depends_on"`
	}
	r := struct {
		RunID    string  `json:"run_id"`
		Goal     *string `json:"goal"`
		Recorded bool    `json:"recorded"`
		Tasks    []task  `json:"tasks"`
		Events   int     `json:"events"`
		Skipped  int     `json:"skipped_lines"`
		Head     string  `json:"journal_head"`
		Broken   *int    `json:"broken_at"`
	}{runID, nil, j.Plan.Recorded, []task{}, j.Events, j.Skipped, j.Head, lineOrNull(j.Broken)}
	if j.Plan.Goal != "" {
		r.Goal = &j.Plan.Goal
	}
	for _, t := range j.Plan.Tasks {
		r.Tasks = append(r.Tasks, task{t.ID, t.Role, t.Title, orEmpty(t.DependsOn)})
	}
	return printLine(cmd.OutOrStdout(), r)
}
