package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

func sortByLine(rows []shownRow) {
	slices.SortStableFunc(rows, func(a, b shownRow) int { return cmp.Compare(a.Line, b.Line) })
}

func newLineageChain() *cobra.Command {
	var g gateFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "chain LINEAGE_DIR PATH",
		Short: "List the versions of an artifact in the signed log",
		Long: `chain prints the entries of an artifact in the order of the log, each with its state, and what
the gate has against the artifact. With --json each entry is an object on a line of its own.

Exit code: 0 ok, 1 the log has no entry of PATH or the gate has something against it, 2 the logs
could not be read.`,
		Args: arguments("chain LINEAGE_DIR PATH", 2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			v, err := g.run(cmd, args[0])
			if err != nil {
				return err
			}
			table := newRowTable(cmd.OutOrStdout(), asJSON)
			found := 0
			for _, s := range shownEntries(v) {
				if s.Artifact == args[1] {
					table.add(s)
					found++
				}
			}
			if err := table.end(); err != nil {
				return err
			}
			against := 0
			for _, f := range v.Failures {
				if f.Path == args[1] || f.Path == "" && strings.Contains(f.Message, args[1]) {
					against++
					if !asJSON {
						fmt.Fprintf(cmd.OutOrStdout(), "%s [%s]\n", escaped(f.Message), f.Kind)
					}
				}
			}
			if found == 0 {
				fmt.Fprintf(cmd.ErrOrStderr(), "the log has no entry of %s\n", escaped(args[1]))
			}
			if found == 0 || against > 0 {
				return exit(exitFindings)
			}
			return nil
		},
	}
	g.flags(cmd)
	addPager(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
