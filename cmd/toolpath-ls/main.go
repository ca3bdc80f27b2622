// Command toolpath-ls is a language server and a checker for Toolpath documents, and tells
// who wrote each line of a source file.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// version is set by the linker for releases.
var version = "dev"

// Exit codes of all commands but serve.
const (
	exitFindings = 1 // the command ran, and found what it is there to find
	exitFailure  = 2 // the command could not run
)

// exit is an error that carries an exit code; its text, if any, has been printed.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

func main() {
	// Only frames and results may reach stdout. Whoever else writes to it, a library or a
	// child, finds stderr there.
	stdout := os.Stdout
	os.Stdout = os.Stderr

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run executes a command line and returns its exit code.
func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errs)
	var p *pager
	root.PersistentPreRun = func(cmd *cobra.Command, _ []string) { p = attachPager(cmd) }
	ran, err := root.ExecuteContextC(ctx)
	if p != nil {
		defer p.wait()
	}
	var code exit
	switch {
	case err == nil, errors.Is(err, errPagerLeft):
		return 0
	case errors.As(err, &code):
		return int(code)
	}
	fmt.Fprintln(ran.ErrOrStderr(), "toolpath-ls:", err)
	return exitFailure
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "toolpath-ls",
		Short: "Language server and checker for Toolpath provenance documents",
		Long: `toolpath-ls checks Toolpath documents (.path.json, .path.jsonl) and tells for every line of
a source file which actor wrote it, in which step and why.

Without a command it serves the Language Server Protocol on stdin and stdout.`,
		Args:          cobra.NoArgs,
		Version:       versionLine(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	serve := newServe()
	root.RunE = serve.RunE
	root.Flags().AddFlagSet(serve.Flags())
	addNoPager(root)
	root.SetVersionTemplate("{{.Version}}\n")
	root.AddCommand(serve, newCheck(), newBlame(), newStats(), newUnreviewed(), newFmt(), newConvert(), newQuery(), newGraph(), newStructural(), newDigest(), newVerify(), newSign(), newKeys(), newLineage(), newMan(), newVersion())
	return root
}
