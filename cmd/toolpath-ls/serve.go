package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/repo"
	"github.com/toolpath-ls/toolpath-ls/lsp"
)

func newServe() *cobra.Command {
	var logFile, traceFile string
	var verbose, noGit bool
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the Language Server Protocol on stdin and stdout",
		Long: `serve speaks the Language Server Protocol 3.18 on stdin and stdout until the client says
exit, closes stdin or is gone.

Exit code: 0 after shutdown and exit, 1 otherwise.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			// Who closes the pipe of the log still wants answers, and who closes that of the
			// answers ends the session through the failed write.
			signal.Ignore(syscall.SIGPIPE)
			log, err := appendTo(logFile, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			trace, err := appendTo(traceFile, nil)
			if err != nil {
				return err
			}
			level := new(slog.LevelVar)
			if verbose {
				level.Set(slog.LevelDebug)
			}
			f := newFilesWith(repo.GitOptions{Off: noGit}, 0)
			defer f.close()
			err = lsp.Serve(cmd.Context(), stdio{cmd.InOrStdin(), cmd.OutOrStdout()}, lsp.Options{
				Workspace: newWorkspace(f, "", analysis.DefaultMaxFileSize),
				Source:    f,
				Loader:    f,
				Keys:      keyReader{},
				Signer:    documentSigner{},
				Logger:    slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: level})),
				Level:     level,
				Trace:     trace,
				Version:   fullVersion(),
			})
			if err != nil && !errors.Is(err, lsp.ErrNoShutdown) && !errors.Is(err, lsp.ErrDisconnected) {
				fmt.Fprintln(cmd.ErrOrStderr(), "toolpath-ls:", err)
			}
			if err != nil {
				return exit(1)
			}
			return nil
		},
	}
	cmd.Flags().Bool("stdio", true, "use stdin and stdout; the only way there is, accepted since editors pass it")
	cmd.Flags().StringVar(&logFile, "log", "", "file that the log is appended to (default: stderr)")
	cmd.Flags().StringVar(&traceFile, "trace", "", "file that all messages are appended to, as JSON lines")
	cmd.Flags().BoolVar(&noGit, "no-git", false, "never run git, as in a folder that is not trusted: recordings that start from a commit say less")
	cmd.Flags().BoolVar(&verbose, "verbose", false, "log everything")
	return cmd
}

// appendTo opens a file for appending; without a name it is the other writer.
func appendTo(name string, otherwise io.Writer) (io.Writer, error) {
	if name == "" {
		return otherwise, nil
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// stdio joins the two streams of the process. Closing closes what can be closed.
type stdio struct {
	io.Reader
	io.Writer
}

func (s stdio) Close() error {
	var errs []error
	for _, end := range []any{s.Reader, s.Writer} {
		if c, ok := end.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(errs...)
}
