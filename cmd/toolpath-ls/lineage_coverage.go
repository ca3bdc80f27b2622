package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage"
	"github.com/toolpath-ls/toolpath-ls/analysis/repo"
)

func newLineageCoverage() *cobra.Command {
	var g gateFlags
	var record string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "coverage LINEAGE_DIR TOOL_CALL",
		Short: "Check what the log has about how much a tool call looked at",
		Long: `coverage looks for the coverage record of a tool call. The log has its hash and not the record:
without --record the claim is "unverified" and does not pass; with it, it is "recorded" where the
hashes agree, else "mismatch". A call without a record is "absent". Whether the coverage was
enough is for the reader to judge from the record, which is printed.

Exit code: 0 recorded and the gate is open, 1 any other state, 2 the logs could not be read.`,
		Args: arguments("coverage LINEAGE_DIR TOOL_CALL", 2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			v, err := g.run(cmd, args[0])
			if err != nil {
				return err
			}
			var src []byte
			if record != "" {
				if src, err = repo.ReadFile(cmd.Context(), record, maxDocument); err != nil {
					return readError(record, err)
				}
			}
			state, e := lineage.CheckCoverage(v.Entries, args[1], src)
			r := map[string]any{"tool_call_id": args[1], "state": state, "gate_ok": v.OK, "entry_hash": nil, "record": nil}
			if e != nil {
				r["entry_hash"] = e.Hash()
			}
			if state == lineage.CoverageRecorded {
				c, err := lineage.ParseCoverage(src)
				if err != nil {
					return fmt.Errorf("%s: %w", record, err)
				}
				r["record"] = map[string]any{"coverage": c.Coverage, "file_count": c.FileCount, "truncated": c.Truncated, "exit_checked": c.ExitChecked}
			}
			if asJSON {
				err = printLine(cmd.OutOrStdout(), r)
			} else {
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", escaped(args[1]), state)
				if err == nil && !v.OK {
					_, err = fmt.Fprintf(cmd.OutOrStdout(), "the gate is shut, so that what the log says proves nothing\n")
				}
			}
			if err != nil {
				return err
			}
			if state != lineage.CoverageRecorded || !v.OK {
				return exit(exitFindings)
			}
			return nil
		},
	}
	g.flags(cmd)
	cmd.Flags().StringVar(&record, "record", "", "file of the coverage record")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
