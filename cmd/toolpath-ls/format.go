package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// outputFormats are the values of --format of all commands but check.
var outputFormats = []string{"text", "json"}

// addFormat gives a command the flag --format with one of the names, the first by default.
func addFormat(cmd *cobra.Command, format *string, names []string) {
	addChoice(cmd, format, "format", "output format: ", names)
}

// addChoice gives a command a flag with one of some values, the first by default.
func addChoice(cmd *cobra.Command, value *string, flag, what string, names []string) {
	cmd.Flags().StringVar(value, flag, names[0], what+orList(names))
	complete := cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp)
	if err := cmd.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic(err) // the flag was added above
	}
}

func checkFormat(format string, names []string) error { return checkChoice("format", format, names) }

func checkChoice(flag, value string, names []string) error {
	if !slices.Contains(names, value) {
		return fmt.Errorf("--%s is %s, not %q", flag, orList(names), value)
	}
	return nil
}

// orList is "a, b or c".
func orList(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// escaped returns the text with control characters, line ends among them, and what
// changes the direction of text written as \u escapes: it stays on its line, and shows
// on a terminal what is there.
func escaped(s string) string {
	if isASCII(s) || !strings.ContainsFunc(s, unprintable) {
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

// exitCodeHelp begins the last paragraph of a command's help.
const exitCodeHelp = "\n\nExit code"
