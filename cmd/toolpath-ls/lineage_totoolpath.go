package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage"
	"github.com/toolpath-ls/toolpath-ls/analysis/repo"
)

// maxRows bounds how many rows are written as steps.
const maxRows = 1_000_000

func newLineageToToolpath() *cobra.Command {
	var file, id string
	cmd := &cobra.Command{
		Use:   "to-toolpath RUN_DIR|LINEAGE_DIR...",
		Short: "Write lineage as a Toolpath document",
		Long: `to-toolpath writes a Toolpath document with one path for each run, and one for the signed log: its
steps name the actor, the step and the model, and for each artifact the hash of what was written.
Lineage does not record the content itself, so there are no diffs. Of a LINEAGE_DIR all runs and
the log are written. Nothing is verified: see lineage verify and lineage gate; rows that cannot be
read are told on stderr.

Exit code: 0 written, 1 rows could not be read, 2 nothing could be written.`,
		Args: arguments("to-toolpath RUN_DIR", 1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var runs []lineage.Run
			var entries []*lineage.Entry
			unread := 0
			for _, name := range args {
				folders, err := runsBelow(name)
				if err != nil {
					return err
				}
				for _, folder := range folders {
					run := lineage.Run{ID: filepath.Base(absolute(folder))}
					v, err := repo.VerifySpine(cmd.Context(), folder, nil, func(r lineage.SpineRow) {
						if r.Row != nil && len(run.Rows) < maxRows {
							run.Rows = append(run.Rows, *r.Row)
						}
					})
					if err != nil {
						return readError(folder, err)
					}
					if left := v.Count - len(run.Rows); left > 0 {
						fmt.Fprintf(cmd.ErrOrStderr(), "toolpath-ls: %s: %s cannot be read and are left out\n", folder, amount(left, "row"))
						unread += left
					}
					runs = append(runs, run)
				}
				if _, err := os.Stat(filepath.Join(lineageFolder(name), lineage.LogFile)); err == nil {
					more, err := readEntries(cmd.Context(), name)
					if err != nil {
						return err
					}
					entries = append(entries, more...)
				}
			}
			document, err := lineage.ToToolpath(id, runs, entries)
			if err != nil {
				return err
			}
			if err := writeOutput(cmd, file, document); err != nil {
				return err
			}
			if unread > 0 {
				return exit(exitFindings)
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&file, "output", "o", "", "file to write to (default: stdout)")
	cmd.Flags().StringVar(&id, "graph", "lineage", "id of the graph")
	return cmd
}

// runsBelow returns the folder of the run that is named, or those of all runs below.
func runsBelow(name string) ([]string, error) {
	folder := runFolder(name)
	if _, err := os.Stat(filepath.Join(folder, "spine.jsonl")); err == nil {
		return []string{folder}, nil
	}
	folder = lineageFolder(name)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, readError(folder, err)
	}
	var runs []string
	for _, e := range entries {
		run := filepath.Join(folder, e.Name())
		if _, err := os.Stat(filepath.Join(run, "spine.jsonl")); err == nil {
			runs = append(runs, run)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, lineage.LogFile)); err != nil && runs == nil {
		return nil, errors.New(name + " has neither a spine nor a signed log")
	}
	slices.SortFunc(runs, cmp.Compare[string])
	return runs, nil
}
