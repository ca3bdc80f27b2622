package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage"
)

// sensitivityReport is the effective class of an artifact in JSON.
type sensitivityReport struct {
	Target       string      `json:"target"`
	Sensitivity  string      `json:"sensitivity"`
	Resolved     bool        `json:"resolved"`
	RaisedBy     *string     `json:"raised_by"`
	Path         []string    `json:"path"`
	Closure      []string    `json:"closure"`
	Records      [][2]string `json:"sensitivity_records"`
	Trust        string      `json:"trust"`
	Tainted      bool        `json:"tainted"`
	TrustRecords [][2]string `json:"trust_records"`
}

func newLineageSensitivity() *cobra.Command {
	var g gateFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "sensitivity LINEAGE_DIR PATH|HASH",
		Short: "Tell how sensitive, and how trusted, an artifact is, given what it was made from",
		Long: `sensitivity prints the highest sensitivity among an entry and all that it was made from
(public < internal < confidential < restricted), what raises it, and the lowest trust
(public < third_party < first_party < workspace < operator). What has no class anywhere, or is
not in the log, is restricted and public. A path stands for its newest entry.

The gate must be open: of a log that does not verify, nothing is said.

Exit code: 0 said, 1 the gate is shut, 2 the logs could not be read.`,
		Args: arguments("sensitivity LINEAGE_DIR PATH", 2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			v, err := g.run(cmd, args[0])
			if err != nil {
				return err
			}
			if !v.OK {
				if err := printGate(cmd, v, asJSON); err != nil {
					return err
				}
				return exit(exitFindings)
			}
			r := sensitivityOf(lineage.NewLedger(v.Entries), args[1])
			if asJSON {
				return printLine(cmd.OutOrStdout(), r)
			}
			out := cmd.OutOrStdout()
			fmt.Fprintf(out, "sensitivity: %s\ntrust: %s\n", r.Sensitivity, r.Trust)
			if r.RaisedBy != nil {
				fmt.Fprintf(out, "raised by: %s\n", strings.Join(r.Path, " ← "))
			}
			if !r.Resolved {
				fmt.Fprintln(out, "the log has no such entry: this is the class of what is not known")
			}
			return nil
		},
	}
	g.flags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func sensitivityOf(l *lineage.Ledger, target string) sensitivityReport {
	hash := target
	if !strings.HasPrefix(target, "sha256:") {
		if tip := l.Tip(target); tip != nil {
			hash = tip.Hash()
		}
	}
	s, t := l.Sensitivity(hash), l.Trust(hash)
	r := sensitivityReport{Target: s.Target, Sensitivity: s.Class, Resolved: s.Resolved, Path: orEmpty(s.Path), Closure: orEmpty(s.Closure),
		Records: pairs(s.Records), Trust: t.Class, Tainted: t.Tainted, TrustRecords: pairs(t.Records)}
	if s.RaisedBy != "" {
		r.RaisedBy = &s.RaisedBy
	}
	return r
}

func pairs(records []lineage.Record) [][2]string {
	out := [][2]string{}
	for _, r := range records {
		out = append(out, [2]string{r.Hash, r.Class})
	}
	return out
}
