package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// pagerHelp is the paragraph about the pager in the help of the commands that have one.
const pagerHelp = `

In a terminal the output goes through $TOOLPATH_LS_PAGER, $PAGER or less, which stays away where
all of it fits on the screen; --no-pager or a pager of "cat" prints it as it comes.`

// addPager has a command write through a pager where its output is a terminal.
func addPager(cmd *cobra.Command) {
	before, after, found := strings.Cut(cmd.Long, exitCodeHelp)
	cmd.Long = before + pagerHelp
	if found {
		cmd.Long += exitCodeHelp + after
	}
	cmd.Flags().Bool("no-pager", false, "print as it comes, without a pager")
	cmd.Annotations = map[string]string{"pager": ""}
}

// addNoPager lets --no-pager stand before any command, as git has it.
func addNoPager(root *cobra.Command) {
	root.PersistentFlags().Bool("no-pager", false, "print as it comes, without a pager")
	_ = root.PersistentFlags().MarkHidden("no-pager")
}

func wantsPager(cmd *cobra.Command) bool {
	_, paged := cmd.Annotations["pager"]
	off, err := cmd.Flags().GetBool("no-pager")
	return paged && err == nil && !off && os.Getenv("TERM") != "dumb"
}

// errPagerLeft is the error of writing when the user has left the pager: there is nobody to
// write for.
var errPagerLeft = errors.New("the pager was left")

// A pager runs between a command and the terminal. It is started by the first output, so that
// a command that has none does not touch the screen, and takes stderr too from then on if that is
// the same terminal.
//
// A pager that cannot be run is passed over: what was written for it goes to the terminal.
type pager struct {
	terminal, errs *os.File
	program        *exec.Cmd

	mu      sync.Mutex
	started bool
	pipe    *os.File
	kept    []byte // what was written, while it may be that nobody has read it
	plain   bool   // there is no pager
}

const defaultPager = "less"

// pipeCapacity is what a pipe takes without a reader, at most.
const pipeCapacity = 1 << 16

// attachPager gives the command a pager. It returns nil where there is none to be: no terminal, or no
// pager wanted.
func attachPager(cmd *cobra.Command) *pager {
	out, ok := cmd.OutOrStdout().(*os.File)
	if !ok || !isTerminal(out) || !wantsPager(cmd) {
		return nil
	}
	argv := pagerCommand()
	if argv == nil {
		return nil
	}
	p := &pager{terminal: out, program: exec.Command(argv[0], argv[1:]...)}
	if errs, ok := cmd.ErrOrStderr().(*os.File); ok && isTerminal(errs) {
		p.errs = errs
		cmd.SetErr(pagedErrors{p})
	}
	cmd.SetOut(p)
	return p
}

// pagerCommand is the command line of the user's pager, nil for none. Like git, it is left to the
// shell if it is more than words.
func pagerCommand() []string {
	line := defaultPager
	for _, name := range []string{"TOOLPATH_LS_PAGER", "PAGER"} {
		if value, set := os.LookupEnv(name); set {
			line = value
			break
		}
	}
	argv := strings.Fields(line)
	switch {
	case len(argv) == 0 || len(argv) == 1 && argv[0] == "cat":
		return nil
	case runtime.GOOS != "windows" && strings.ContainsAny(line, "|&;<>()$`\\\"'*?[]#~=%{}\n"):
		return []string{"sh", "-c", line}
	}
	return argv
}

func (p *pager) start() {
	p.started, p.plain = true, true
	reader, writer, err := os.Pipe()
	if err != nil {
		return
	}
	defer reader.Close()
	p.program.Stdin, p.program.Stdout, p.program.Stderr = reader, p.terminal, os.Stderr
	p.program.Env = os.Environ()
	// What git tells less too: leave if all fits on the screen, keep colours, and leave the
	// text where it is. lv is told to keep colours.
	for name, value := range map[string]string{"LESS": "FRX", "LV": "-c"} {
		if _, set := os.LookupEnv(name); !set {
			p.program.Env = append(p.program.Env, name+"="+value)
		}
	}
	if err := p.program.Start(); err != nil {
		_ = writer.Close()
		if p.program.Args[0] != defaultPager {
			fmt.Fprintln(os.Stderr, "toolpath-ls: the pager cannot be run:", err)
		}
		return
	}
	p.pipe, p.plain = writer, false
}

func (p *pager) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.write(b)
}

func (p *pager) write(b []byte) (int, error) {
	if !p.started {
		p.start()
	}
	if p.plain {
		return p.terminal.Write(b)
	}
	if p.pipe == nil {
		return 0, errPagerLeft
	}
	n, err := p.pipe.Write(b)
	if p.kept = append(p.kept, b[:min(n, pipeCapacity+1-len(p.kept))]...); err == nil {
		return n, nil
	}
	if p.close(); !p.plain {
		return n, errPagerLeft
	}
	m, err := p.terminal.Write(b[n:])
	return n + m, err
}

// wait lets the user read to the end.
func (p *pager) wait() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pipe != nil {
		p.close()
	}
}

// close ends the pager's input and waits until the user leaves it. What a pager was given that
// the shell could not run is printed.
func (p *pager) close() {
	_ = p.pipe.Close()
	p.pipe = nil
	_ = p.program.Wait()
	// The shell's exit codes of a command that is not there, or is no program.
	missing := []int{126, 127}
	if slices.Contains(missing, p.program.ProcessState.ExitCode()) && len(p.kept) <= pipeCapacity {
		p.plain = true
		_, _ = p.terminal.Write(p.kept)
	}
}

// pagedErrors is stderr, in the pager once it runs.
type pagedErrors struct{ *pager }

func (e pagedErrors) Write(b []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.pipe != nil {
		return e.write(b)
	}
	return e.errs.Write(b)
}

// terminalOf is the file that a command's output ends in, nil if it is not a terminal.
func terminalOf(w io.Writer) *os.File {
	switch w := w.(type) {
	case *os.File:
		if isTerminal(w) {
			return w
		}
	case *pager:
		return w.terminal
	case pagedErrors:
		return w.errs
	}
	return nil
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
