package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage"
	"github.com/toolpath-ls/toolpath-ls/analysis/repo"
)

func newLineageMergeRows() *cobra.Command {
	var key keyFlag
	var root, before, after, actor, model, trunk string
	var runBranch, asJSON bool
	cmd := &cobra.Command{
		Use:   "merge-rows RUN_DIR",
		Short: "Confirm rows of merges from the repository alone, or record those of a merge (writes)",
		Long: `merge-rows looks at the rows of a run that were read from git (steps merge:COMMIT and
run-branch:COMMIT) and reads the content of each path in its commit again: "matches", "deleted"
(the commit does not have it, as the row says), "differs", or "unverified" (the repository
does not have the commit). No key is needed. Rows of other steps are passed over.

With --before and --after, commits, it appends a row for each path that the merge changed, and
with --run-branch one for each path that HEAD adds to the trunk. The repository is read and
never written to: a merge is neither stopped nor undone, whatever the exit code.

Exit code: 0 all rows are confirmed, or the merge is recorded, 1 a row differs or is unverified,
or there is none, 2 could not run, 3 a key is missing.`,
		Args: arguments("merge-rows RUN_DIR --repo DIR", 1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			git := repo.NewGit(repo.GitOptions{})
			defer git.Close()
			top, err := git.TopLevel(cmd.Context(), root)
			if err != nil {
				return err
			}
			if before == "" && after == "" && !runBranch {
				return checkMergeRows(cmd, git, top, runFolder(args[0]), asJSON)
			}
			if actor == "" {
				return errors.New("recording a merge needs --actor, such as agent:worker-1")
			}
			m := repo.MergeRecord{Root: top, Before: before, After: after, Prefix: lineage.MergePrefix, Actor: actor, Model: model,
				Trace: lineage.TraceFrom(os.Getenv), Now: func() int64 { return time.Now().UnixNano() }}
			if runBranch {
				m.Prefix = lineage.RunBranchPrefix
				m.Before, m.After, err = git.RunBranch(cmd.Context(), top, trunk)
			} else if before == "" || after == "" {
				err = errors.New("give both --before and --after")
			} else {
				m.After, err = git.Commit(cmd.Context(), top, after) // rows name whole ids
			}
			if err != nil {
				return err
			}
			k, err := key.read(cmd)
			if err != nil {
				return err
			}
			run := absolute(args[0])
			spine, err := repo.OpenSpine(cmd.Context(), filepath.Dir(run), filepath.Base(run), lineage.ProfileLegacy, k)
			if err != nil {
				return err
			}
			defer spine.Close()
			result, err := git.RecordMerge(cmd.Context(), spine, m)
			return errors.Join(err, printMerge(cmd, result, asJSON))
		},
	}
	key.flag(cmd)
	f := cmd.Flags()
	f.StringVar(&root, "repo", ".", "folder in the git repository")
	f.StringVar(&before, "before", "", "commit before the merge")
	f.StringVar(&after, "after", "", "commit that the merge led to")
	f.BoolVar(&runBranch, "run-branch", false, "record what HEAD adds to the trunk")
	f.StringVar(&trunk, "trunk", "main", "the trunk")
	f.StringVar(&actor, "actor", "", "who is recorded")
	f.StringVar(&model, "model", "", "the model that is recorded")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func printMerge(cmd *cobra.Command, r lineage.MergeResult, asJSON bool) error {
	if asJSON {
		return printLine(cmd.OutOrStdout(), map[string]any{"recorded": orEmpty(r.Recorded), "skipped_oversize": orEmpty(r.Oversize),
			"unreadable": orEmpty(r.Unreadable), "total_seen": r.Seen})
	}
	for _, list := range []struct {
		what  string
		paths []string
	}{{"recorded", r.Recorded}, {"too large, no row", r.Oversize}, {"no content, no row", r.Unreadable}} {
		for _, p := range list.paths {
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", list.what, escaped(p))
		}
	}
	return nil
}

func checkMergeRows(cmd *cobra.Command, git *repo.Git, root, run string, asJSON bool) error {
	confirmed, wrong := 0, 0
	var failed error
	v, err := repo.VerifySpine(cmd.Context(), run, nil, func(r lineage.SpineRow) {
		if r.Row == nil || r.Row.Commit() == "" || failed != nil {
			return
		}
		state, reason := git.CheckMergeRow(cmd.Context(), root, *r.Row)
		if state == lineage.MergeRowMatches || state == lineage.MergeRowDeleted {
			confirmed++
		} else {
			wrong++
		}
		if asJSON {
			failed = printLine(cmd.OutOrStdout(), map[string]any{"line": r.Line, "state": state, "artifact_path": r.Row.ArtifactPath,
				"commit": r.Row.Commit(), "content_hash": r.Row.ContentHash, "reason": reason})
		} else {
			if reason != "" {
				reason = ": " + reason
			}
			_, failed = fmt.Fprintf(cmd.OutOrStdout(), "line %d: %s: %s%s\n", r.Line, state, escaped(r.Row.ArtifactPath), escaped(reason))
		}
	})
	if err := errors.Join(err, failed); err != nil {
		return readError(run, err)
	}
	if v.FaultCount > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "toolpath-ls: the spine itself is %s; see lineage verify\n", v.Status)
	}
	if confirmed == 0 && wrong == 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "toolpath-ls: %s has no row that was read from git\n", run)
	}
	if wrong > 0 || confirmed == 0 || v.FaultCount > 0 {
		return exit(exitFindings)
	}
	return nil
}
