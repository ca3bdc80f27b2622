package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newMan() *cobra.Command {
	return &cobra.Command{
		Use:    "man FOLDER",
		Short:  "Write the manual, a page for each command",
		Hidden: true, // for those who package the program
		Long: `man writes the pages of section 1 of the manual into FOLDER, which it makes if it is not there.
They carry the date of $SOURCE_DATE_EPOCH, or none.`,
		Args: func(_ *cobra.Command, folders []string) error {
			if len(folders) != 1 {
				return fmt.Errorf("man needs one FOLDER, not %d", len(folders))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, folders []string) error {
			date, err := pageDate()
			if err != nil {
				return err
			}
			if err := os.MkdirAll(folders[0], 0o755); err != nil {
				return err
			}
			cmd.Root().InitDefaultCompletionCmd()
			return writeManual(cmd.Root(), folders[0], date)
		},
	}
}

// pageDate is the date of the pages, which does not depend on when they are made; "" if
// there is none.
func pageDate() (string, error) {
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil {
			return "", fmt.Errorf("SOURCE_DATE_EPOCH is a number of seconds, not %q", epoch)
		}
		return time.Unix(seconds, 0).UTC().Format(time.DateOnly), nil
	}
	return "", nil
}

// writeManual writes the pages of a command and of all below it.
func writeManual(cmd *cobra.Command, folder, date string) error {
	name := filepath.Join(folder, pageName(cmd)+".1")
	errs := []error{os.WriteFile(name, []byte(manualPage(cmd, date)), 0o644)}
	for _, c := range documented(cmd) {
		errs = append(errs, writeManual(c, folder, date))
	}
	return errors.Join(errs...)
}

// documented are the commands below one that have a page; help is told of in all of them.
func documented(cmd *cobra.Command) []*cobra.Command {
	var list []*cobra.Command
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && c.Name() != "help" {
			list = append(list, c)
		}
	}
	return list
}

// pageName is the name of a command's page: toolpath-ls-query-filter.
func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manualPage is a command's page in roff, with the macros of man(7).
func manualPage(cmd *cobra.Command, date string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %q 1 %q %q %q\n", strings.ToUpper(pageName(cmd)), date, "toolpath-ls "+fullVersion(), "Toolpath")
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(pageName(cmd)), roff(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(cmd.CommandPath()))
	if _, rest, ok := strings.Cut(cmd.UseLine(), cmd.CommandPath()+" "); ok {
		b.WriteString(roff(strings.TrimSuffix(rest, " [flags]")) + "\n")
	}
	description, exitCode, hasExitCode := strings.Cut(cmp.Or(cmd.Long, cmd.Short), exitCodeHelp)
	b.WriteString(".SH DESCRIPTION\n")
	writeText(&b, description)
	cmd.InitDefaultHelpFlag()
	b.WriteString(".SH OPTIONS\n")
	cmd.NonInheritedFlags().VisitAll(func(f *pflag.Flag) { writeFlag(&b, f) })
	if hasExitCode {
		b.WriteString(".SH EXIT STATUS\n")
		writeText(&b, strings.TrimSpace(exitCodeHelp)+exitCode)
	}
	if list := documented(cmd); len(list) > 0 {
		b.WriteString(".SH COMMANDS\n")
		for _, c := range list {
			fmt.Fprintf(&b, ".TP\n.BR %s (1)\n%s\n", roff(pageName(c)), roff(c.Short))
		}
	}
	if parent := cmd.Parent(); parent != nil {
		fmt.Fprintf(&b, ".SH SEE ALSO\n.BR %s (1)\n", roff(pageName(parent)))
	}
	return b.String()
}

func writeFlag(b *strings.Builder, f *pflag.Flag) {
	if f.Hidden {
		return
	}
	b.WriteString(".TP\n")
	if f.Shorthand != "" {
		fmt.Fprintf(b, "\\fB%s\\fR, ", roff("-"+f.Shorthand))
	}
	value, usage := pflag.UnquoteUsage(f)
	fmt.Fprintf(b, "\\fB%s\\fR", roff("--"+f.Name))
	if value != "" {
		fmt.Fprintf(b, " \\fI%s\\fR", roff(value))
	}
	b.WriteString("\n" + roff(usage))
	switch f.DefValue {
	case "", "false", "[]", "0":
	default:
		b.WriteString(roff(" (default: " + f.DefValue + ")"))
	}
	b.WriteByte('\n')
}

// writeText writes the paragraphs of a help text. Indented lines are shown as they are.
func writeText(b *strings.Builder, text string) {
	literal, paragraph := false, false
	for line := range strings.Lines(text + "\n") {
		line = strings.TrimRight(line, "\n")
		shown := strings.TrimPrefix(strings.TrimPrefix(line, "    "), "\t")
		indented := shown != line
		switch {
		case line == "":
			paragraph = true
			continue
		case indented && !literal:
			b.WriteString(".PP\n.RS 4\n.nf\n")
		case !indented && literal:
			b.WriteString(".fi\n.RE\n.PP\n")
		case paragraph && indented:
			b.WriteString("\n")
		case paragraph:
			b.WriteString(".PP\n")
		}
		literal, paragraph = indented, false
		b.WriteString(roff(shown) + "\n")
	}
	if literal {
		b.WriteString(".fi\n.RE\n")
	}
}

// roffText are the characters that roff would read as more than text, or set as others.
var roffText = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`, `"`, `\(dq`)

func roff(s string) string {
	s = roffText.Replace(s)
	if strings.HasPrefix(s, ".") {
		s = `\&` + s
	}
	return s
}
