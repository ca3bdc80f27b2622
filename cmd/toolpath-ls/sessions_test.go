package main

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/internal/race"
	"github.com/toolpath-ls/toolpath-ls/lsp"
	"github.com/toolpath-ls/toolpath-ls/lsp/lsptest"
)

// The scripts of testdata/sessions, in memory and with the binary.
func TestSessions(t *testing.T) {
	spawn := func(binary string) func(tb testing.TB) *lsptest.Editor {
		return func(tb testing.TB) *lsptest.Editor { return lsptest.Spawn(tb, binary, "serve", "--stdio") }
	}
	servers := []lsptest.Server{
		{Name: "memory", Start: inMemory, InMemory: true},
		{Name: "binary", Start: spawn(buildFor(t, &plain))},
	}
	if race.Enabled {
		servers = append(servers, lsptest.Server{Name: "raced", Start: spawn(build(t)), OneMode: true})
	}
	lsptest.RunSessions(t, "../../testdata/sessions/*.txtar", servers...)
}

// inMemory serves as the command does, without a process.
func inMemory(tb testing.TB) *lsptest.Editor {
	return lsptest.Start(tb, func(ctx context.Context, rwc io.ReadWriteCloser) error {
		f := newFiles(0)
		defer f.close()
		return lsp.Serve(ctx, rwc, lsp.Options{
			Workspace: newWorkspace(f, "", analysis.DefaultMaxFileSize),
			Source:    f,
			Loader:    f,
			Keys:      keyReader{},
			OnBug:     func(where string, value any) { tb.Errorf("panic in %s: %v", where, value) },
		})
	})
}

// The process ends with 0 after shutdown and exit and with 1 otherwise, and writes
// nothing to its standard output but frames: an Editor fails for anything else.
func TestServeExitCode(t *testing.T) {
	binary := build(t)
	for _, c := range []struct {
		name string
		args []string
		end  func(e *lsptest.Editor) error
		code int
	}{
		{"shutdown and exit", []string{"serve"}, (*lsptest.Editor).Shutdown, 0},
		{"no command", nil, (*lsptest.Editor).Shutdown, 0},
		{"--stdio alone", []string{"--stdio"}, (*lsptest.Editor).Shutdown, 0},
		{"exit alone", []string{"serve"}, func(e *lsptest.Editor) error { e.Notify("exit", nil); return e.Wait() }, 1},
		{"end of input", []string{"serve"}, (*lsptest.Editor).Close, 1},
		{"no frames", []string{"serve"}, func(e *lsptest.Editor) error { _ = e.SendRaw([]byte("hello\n")); return e.Wait() }, 1},
		{"too large", []string{"serve"}, func(e *lsptest.Editor) error {
			_ = e.SendRaw([]byte("Content-Length: 1000000000\r\n\r\n"))
			return e.Wait()
		}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := lsptest.Spawn(t, binary, c.args...)
			e.Initialize(nil)
			err := c.end(e)
			code := 0
			if failed := new(exec.ExitError); errors.As(err, &failed) {
				code = failed.ExitCode()
			} else if err != nil {
				t.Fatal(err)
			}
			if code != c.code {
				t.Errorf("exit code %d, want %d; stderr: %s", code, c.code, e.Stderr())
			}
			if s := e.Stderr(); strings.Contains(s, "panic") || strings.Contains(s, "goroutine ") {
				t.Errorf("stderr: %s", s)
			}
		})
	}
}

// The process ends when its client's process is killed, although its input stays open.
func TestServeEndsWithItsClient(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip("no sleep command to start and kill")
	}
	client := exec.Command(sleep, "600")
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	e := lsptest.Spawn(t, build(t), "serve")
	e.Initialize(map[string]any{"processId": client.Process.Pid})
	if err := client.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	_ = client.Wait()
	if err := e.Wait(); err == nil {
		t.Error("the process ended with 0")
	}
	t.Logf("the server ended %v after its client", time.Since(killed))
}

// The sessions of testdata/replay, recorded with serve --trace.
func TestReplays(t *testing.T) {
	lsptest.RunReplays(t, "../../testdata/replay/*.jsonl", lsptest.Server{Name: "memory", Start: inMemory, InMemory: true})
}
