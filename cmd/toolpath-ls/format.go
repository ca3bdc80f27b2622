package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// outputFormats are the values of --format.
var outputFormats = []string{"text", "json"}

// addFormat gives a command the flag --format.
func addFormat(cmd *cobra.Command, format *string) {
	cmd.Flags().StringVar(format, "format", outputFormats[0], "output format: text or json")
	complete := cobra.FixedCompletions(outputFormats, cobra.ShellCompDirectiveNoFileComp)
	if err := cmd.RegisterFlagCompletionFunc("format", complete); err != nil {
		panic(err) // the flag was added above
	}
}

func checkFormat(format string) error {
	if !slices.Contains(outputFormats, format) {
		return fmt.Errorf("--format is text or json, not %q", format)
	}
	return nil
}

// escaped returns the text with control characters, line ends among them, and what
// changes the direction of text written as \u escapes: it stays on its line, and shows
// on a terminal what is there.
func escaped(s string) string {
	if !strings.ContainsFunc(s, unprintable) {
		return s
	}
	var b []byte
	for _, r := range s {
		if unprintable(r) {
			b = fmt.Appendf(b, `\u%04x`, r)
		} else {
			b = append(b, string(r)...)
		}
	}
	return string(b)
}
