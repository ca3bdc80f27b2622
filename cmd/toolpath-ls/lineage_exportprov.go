package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage"
)

func newLineageExportProv() *cobra.Command {
	var output, file, entry string
	cmd := &cobra.Command{
		Use:   "export-prov LINEAGE_DIR PATH",
		Short: "Write an artifact's ancestry as W3C PROV-O",
		Long: `export-prov writes where an artifact came from, as PROV-JSON or Turtle: the same log gives the
same bytes. JSON has no newline at the end. PATH must have one newest version; where a fork left
several, name one with --entry. The log is not verified: see lineage gate.

Exit code: 0 written, 1 the log has no entry of PATH, several newest ones, or lacks what they
were made from, 2 the log could not be read.`,
		Args: arguments("export-prov LINEAGE_DIR PATH --format json|turtle", 1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(output, []string{"json", "turtle"}); err != nil {
				return err
			}
			entries, err := readEntries(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			refuse := func(format string, a ...any) error {
				fmt.Fprintf(cmd.ErrOrStderr(), "toolpath-ls: "+format+"\n", a...)
				return exit(exitFindings)
			}
			hash := entry
			if hash == "" {
				if len(args) < 2 {
					return fmt.Errorf("export-prov needs a path, or --entry HASH")
				}
				_, byPath := lineage.ByArtefact(entries)
				open := lineage.OpenTipsOf(byPath[args[1]])
				if len(open) != 1 {
					return refuse("the log has %s of %s, not one", amount(len(open), "newest version"), escaped(args[1]))
				}
				hash = open[0]
			}
			prov, err := lineage.NewLedger(entries).ExportProv(hash)
			if err != nil {
				return refuse("%v", err)
			}
			var content []byte
			if output == "turtle" {
				content, err = prov.Turtle()
			} else {
				content, err = prov.JSON()
			}
			if err != nil {
				return refuse("%v", err)
			}
			return writeOutput(cmd, file, content)
		},
	}
	addFormat(cmd, &output, []string{"json", "turtle"})
	cmd.Flags().StringVarP(&file, "output", "o", "", "file to write to (default: stdout)")
	cmd.Flags().StringVar(&entry, "entry", "", "hash of the entry whose ancestry is written")
	return cmd
}

// writeOutput writes to a file, or to stdout if there is no name.
func writeOutput(cmd *cobra.Command, file string, content []byte) error {
	if file != "" {
		return replaceFile(file, ".", content, true)
	}
	_, err := cmd.OutOrStdout().Write(content)
	return err
}
