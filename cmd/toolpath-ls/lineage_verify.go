package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage"
	"github.com/toolpath-ls/toolpath-ls/analysis/repo"
)

// spineReport is the verdict about a spine in JSON.
type spineReport struct {
	Status     lineage.Status  `json:"status"`
	Count      int             `json:"count"`
	ErrorKinds []errorKind     `json:"error_kinds"`
	HeadHash   string          `json:"head_hash"`
	Stricter   []strictFinding `json:"stricter"`
	// Errors are the faults again, with what was expected and found.
	Errors []spineError `json:"errors"`
	// Omitted is how many faults and stricter findings are not listed.
	Omitted    int    `json:"omitted,omitempty"`
	Profile    string `json:"hash_profile"`
	HeadSigned bool   `json:"head_signed"`
}

type errorKind struct {
	Line *int   `json:"line"`
	Kind string `json:"kind"`
}

type spineError struct {
	Line     *int   `json:"line"`
	Kind     string `json:"kind"`
	Message  string `json:"message"`
	Field    string `json:"field,omitempty"`
	Expected string `json:"expected,omitempty"`
	Found    string `json:"found,omitempty"`
}

func newLineageVerify() *cobra.Command {
	var key keyFlag
	var asJSON, strict, noTags bool
	cmd := &cobra.Command{
		Use:   "verify RUN_DIR",
		Short: "Verify the spine of a run",
		Long: `verify reads the spine of a run from its first row: that each row hashes to what it says, that
it names the row before, and that its tag was made with the key. Memory does not grow with the
spine.

With --json: {status, count, error_kinds: [{line, kind}], head_hash, stricter: [{line, kind,
message}], errors, hash_profile, head_signed}. The first four are the verdict of the spine's own
tools. Status is ok, no_entries, seal_only (no work is recorded), tampered, or unverified (the
chain holds, and with --no-key the tags were not checked); ok alone passes.`,
		Args: arguments("verify RUN_DIR --key FILE", 1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var k *lineage.Key
			if !noTags {
				var err error
				if k, err = key.read(cmd); err != nil {
					return err
				}
			}
			v, err := repo.VerifySpine(cmd.Context(), runFolder(args[0]), k, nil)
			if err != nil {
				return readError(args[0], err)
			}
			if err := printSpine(cmd, args[0], v, asJSON); err != nil {
				return err
			}
			if v.Status != lineage.StatusOK || strict && v.StricterCount > 0 {
				return exit(exitFindings)
			}
			return nil
		},
	}
	key.flag(cmd)
	cmd.Flags().BoolVar(&noTags, "no-key", false, "check the chain of hashes alone, which anyone can make")
	cmd.Flags().BoolVar(&strict, "strict", false, "count stricter findings as findings")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func printSpine(cmd *cobra.Command, name string, v lineage.SpineVerdict, asJSON bool) error {
	out := cmd.OutOrStdout()
	omitted := v.FaultCount - len(v.Faults) + v.StricterCount - len(v.Stricter)
	if asJSON {
		r := spineReport{Status: v.Status, Count: v.Count, ErrorKinds: []errorKind{}, HeadHash: v.HeadHash, Stricter: strictFindings(v.Stricter),
			Errors: []spineError{}, Omitted: omitted, Profile: string(v.Profile), HeadSigned: v.HeadSigned}
		for _, f := range v.Faults {
			r.ErrorKinds = append(r.ErrorKinds, errorKind{lineOrNull(f.Line), f.Kind})
			r.Errors = append(r.Errors, spineError{lineOrNull(f.Line), f.Kind, f.Message, f.Field, f.Expected, f.Found})
		}
		return printLine(out, r)
	}
	for _, f := range v.Faults {
		fmt.Fprintf(out, "%s%s [%s]\n", lineLabel(f.Line), escaped(f.Message), f.Kind)
	}
	printStricter(out, v.Stricter)
	if omitted > 0 {
		fmt.Fprintf(out, "%d more findings\n", omitted)
	}
	fmt.Fprintf(out, "%s: %s\n", name, spineSummary(v))
	return nil
}

// spineSummary says in a few words what a spine is.
func spineSummary(v lineage.SpineVerdict) string {
	head := "head not confirmed"
	if v.HeadSigned {
		head = "head signed"
	}
	switch v.Status {
	case lineage.StatusOK:
		return fmt.Sprintf("ok, %s, %s", amount(v.Count, "row"), head)
	case lineage.StatusNoEntries:
		return "no entries: nothing is recorded"
	case lineage.StatusSealOnly:
		return fmt.Sprintf("seal only: %s, and none of them records work", amount(v.Count, "row"))
	case lineage.StatusUnverified:
		return fmt.Sprintf("unverified: the chain of %s holds, and the tags were not checked", amount(v.Count, "row"))
	}
	return fmt.Sprintf("tampered: %s in %s, chain intact to line %d", amount(v.FaultCount, "fault"), amount(v.Count, "row"), v.Intact)
}
