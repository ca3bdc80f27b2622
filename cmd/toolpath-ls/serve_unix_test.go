//go:build unix

package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/lsp/lsptest"
)

// A signal ends the process by itself, with the exit code of a session that was not
// closed by its client.
func TestServeSignals(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(signal.String(), func(t *testing.T) {
			e := lsptest.Spawn(t, build(t), "serve")
			e.Initialize(nil)
			if err := e.Process().Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			wantExitCode(t, e.Wait(), 1)
		})
	}
}

func wantExitCode(t *testing.T, err error, code int) {
	t.Helper()
	if failed := new(exec.ExitError); !errors.As(err, &failed) || failed.ExitCode() != code {
		t.Errorf("ended with %v, want exit code %d", err, code)
	}
}

const (
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}`
	shutdown   = `{"jsonrpc":"2.0","id":2,"method":"shutdown"}`
	exitNow    = `{"jsonrpc":"2.0","method":"exit"}`
)

func send(t *testing.T, w io.Writer, body string) {
	t.Helper()
	if _, err := io.WriteString(w, "Content-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"+body); err != nil {
		t.Fatal(err)
	}
}

// A client that closes the pipe of the log is served on: the log is lost, no more.
func TestServeWithoutLog(t *testing.T) {
	cmd := command(t, ".", "serve", "--verbose")
	in, out := pipesOf(t, cmd)
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = reader.Close()
	cmd.Stderr = writer
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = writer.Close()
	send(t, in, initialize)
	send(t, in, `{"jsonrpc":"2.0","method":"no/such/notification"}`)
	send(t, in, shutdown)
	send(t, in, exitNow)
	answers, err := io.ReadAll(out)
	if err != nil || !strings.Contains(string(answers), `"id":2`) {
		t.Errorf("%v, answers %q", err, answers)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("ended with %v", err)
	}
}

// A client that no longer reads is gone: the process ends by itself, although its input is
// still open.
func TestServeWithoutReader(t *testing.T) {
	cmd := command(t, ".", "serve")
	in, out := pipesOf(t, cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	send(t, in, initialize)
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	send(t, in, shutdown)
	wantExitCode(t, cmd.Wait(), 1)
}

func pipesOf(t *testing.T, cmd *exec.Cmd) (in io.WriteCloser, out io.ReadCloser) {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err = cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if cmd.Process != nil && cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
	return in, out
}

// A process whose standard streams are closed, or nothing but a null device, ends at once.
func TestServeWithoutStreams(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh")
	}
	for _, redirection := range []string{"</dev/null", "<&-", "<&- >&-", "<&- >&- 2>&-", "</dev/null >/dev/full"} {
		cmd := exec.CommandContext(t.Context(), sh, "-c", `exec "$0" serve `+redirection, build(t))
		wantExitCode(t, cmd.Run(), 1)
	}
}

// check into a pipe that is closed ends as every program does there.
func TestCheckIntoClosedPipe(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"a.path.json": strings.Repeat("[", 100)})
	cmd := command(t, dir, "check", "a.path.json")
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = reader.Close()
	cmd.Stdout = writer
	err = cmd.Run()
	_ = writer.Close()
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if err == nil || !ok || !(status.Signaled() && status.Signal() == syscall.SIGPIPE || status.ExitStatus() == exitFailure) {
		t.Errorf("ended with %v", err)
	}
}
