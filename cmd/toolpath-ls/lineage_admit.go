package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage"
	"github.com/toolpath-ls/toolpath-ls/analysis/lineage/pyjson"
	"github.com/toolpath-ls/toolpath-ls/analysis/repo"
)

func newLineageAdmit() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "admit EFFECTS",
		Short: "Tell whether tasks may be merged together, from what each changes",
		Long: `admit reads an array of what tasks do, [{task_id, facts, writes, reads}], and checks each pair of
tasks that are coupled for what neither breaks alone: a test that one weakens while the other
changes what it covers, a guard whose definition and use they remove between them, a guarded
setting that one flips while the other reads it.

Exit code: 0 nothing was flagged, 1 a pair was, 2 EFFECTS could not be read.`,
		Args: arguments("admit EFFECTS", 1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			src, err := repo.ReadFile(cmd.Context(), args[0], maxDocument)
			if err != nil {
				return readError(args[0], err)
			}
			list, err := pyjson.Parse(src)
			if err != nil || list.Kind() != pyjson.List {
				return fmt.Errorf("%s: it is no JSON array of what tasks do", args[0])
			}
			var tasks []lineage.TaskEffects
			for _, item := range list.Items() {
				e, err := lineage.EffectsOf(item)
				if err != nil {
					return fmt.Errorf("%s: %w", args[0], err)
				}
				tasks = append(tasks, e)
			}
			if err := printAdmission(cmd, tasks, asJSON); err != nil {
				return err
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func printAdmission(cmd *cobra.Command, tasks []lineage.TaskEffects, asJSON bool) error {
	v := lineage.CheckMerge(tasks)
	type flag struct {
		Invariant string `json:"invariant"`
		TaskA     string `json:"task_a"`
		TaskB     string `json:"task_b"`
		Detail    string `json:"detail"`
	}
	flags, coupled := []flag{}, [][2]string{}
	for _, f := range v.Flags {
		flags = append(flags, flag(f))
	}
	for _, p := range lineage.CoupledPairs(tasks) {
		coupled = append(coupled, [2]string{tasks[p[0]].TaskID, tasks[p[1]].TaskID})
	}
	var err error
	if asJSON {
		err = printLine(cmd.OutOrStdout(), map[string]any{"checked_pairs": v.CheckedPairs, "flags": flags, "clean": v.Clean(), "dependent_pairs": coupled})
	} else {
		for _, f := range flags {
			fmt.Fprintf(cmd.OutOrStdout(), "%s, %s: %s [%s]\n", escaped(f.TaskA), escaped(f.TaskB), escaped(f.Detail), f.Invariant)
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s checked, %d coupled, %s\n", amount(v.CheckedPairs, "pair"), len(coupled), amount(len(flags), "flag"))
	}
	if err == nil && !v.Clean() {
		err = exit(exitFindings)
	}
	return err
}
