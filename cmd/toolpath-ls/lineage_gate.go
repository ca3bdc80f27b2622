package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage"
)

// gateReport is the gate's verdict in JSON.
type gateReport struct {
	OK           bool            `json:"ok"`
	FailureKinds []string        `json:"failure_kinds"`
	Failures     []gateFailure   `json:"failures"`
	Stricter     []strictFinding `json:"stricter"`
	Entries      int             `json:"entries"`
	Agents       int             `json:"agents"`
}

type gateFailure struct {
	Kind      string   `json:"kind"`
	Line      *int     `json:"line"`
	Path      string   `json:"path,omitempty"`
	EntryHash string   `json:"entry_hash,omitempty"`
	Hashes    []string `json:"hashes,omitempty"`
	Message   string   `json:"message"`
}

func newLineageGate() *cobra.Command {
	var g gateFlags
	var asJSON, strict bool
	cmd := &cobra.Command{
		Use:   "gate LINEAGE_DIR",
		Short: "Check the signed log as a gate of continuous integration",
		Long: `gate checks the signed log: that each entry is spelt as it was written, that the agent's card
is there and its signature right, that the operator's tag is (where the secret is given), that
parents exist, and that no artifact has more than one newest version and no fork is unresolved.

With --json: {ok, failure_kinds, failures, stricter, entries, agents}. Kinds, in the order in
which they are listed: missing_trailing_newline, parse_error, corrupt_entry, non_canonical,
card_conflict, no_card, missing_sidecar, kid_mismatch, invalid_signature, hmac_mismatch,
non_steward_merge, tool_call_unverified, dangling_parent, open_tips, unresolved_fork.

A log that is missing passes, as with the logs' own gate, and is a stricter finding.`,
		Args: arguments("gate LINEAGE_DIR --cards DIR", 1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			v, err := g.run(cmd, args[0])
			if err != nil {
				return err
			}
			if err := printGate(cmd, v, asJSON); err != nil {
				return err
			}
			if !v.OK || strict && len(v.Stricter) > 0 {
				return exit(exitFindings)
			}
			return nil
		},
	}
	g.flags(cmd)
	cmd.Flags().BoolVar(&strict, "strict", false, "count stricter findings as findings")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func printGate(cmd *cobra.Command, v *lineage.GateVerdict, asJSON bool) error {
	out := cmd.OutOrStdout()
	if asJSON {
		r := gateReport{OK: v.OK, FailureKinds: []string{}, Failures: []gateFailure{}, Stricter: strictFindings(v.Stricter),
			Entries: len(v.Entries), Agents: len(v.Cards.All())}
		for _, f := range v.Failures {
			r.FailureKinds = append(r.FailureKinds, f.Kind)
			r.Failures = append(r.Failures, gateFailure{f.Kind, lineOrNull(f.Line), f.Path, f.Hash, f.Hashes, f.Message})
		}
		return printLine(out, r)
	}
	for _, f := range v.Failures {
		fmt.Fprintf(out, "%s [%s]\n", escaped(f.Message), f.Kind)
	}
	printStricter(out, v.Stricter)
	state := "shut"
	if v.OK {
		state = "open"
	}
	fmt.Fprintf(out, "gate %s: %s, %s\n", state, amount(len(v.Entries), "entry"), amount(len(v.Failures), "failure"))
	return nil
}
