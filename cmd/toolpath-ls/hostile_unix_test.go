//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A FIFO and a device are refused without waiting for what comes out of them.
func TestFIFOAndDevice(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo.path.json"), 0o644); err != nil {
		t.Skip(err)
	}
	write(t, dir, map[string]string{"a.txt": "a\n"})
	for _, c := range []struct{ args, stderr string }{
		{"check fifo.path.json", "toolpath-ls: fifo.path.json: not a regular file: a FIFO\n"},
		{"check " + os.DevNull, "toolpath-ls: " + os.DevNull + ": not a regular file: a device\n"},
		{"check /dev/zero", "toolpath-ls: /dev/zero: not a regular file: a device\n"},
		{"blame fifo.path.json", "toolpath-ls: fifo.path.json: not a regular file: a FIFO\n"},
		{"blame --contents /dev/zero a.txt", "toolpath-ls: /dev/zero: not a regular file: a device\n"},
	} {
		if o := execute(t, dir, "", strings.Fields(c.args)...); o != (outcome{"", c.stderr, exitFailure}) {
			t.Errorf("%s: %+v", c.args, o)
		}
	}
	// In a folder it is no document, as any file of another name.
	if o := execute(t, dir, "", "check", "."); o.code != 0 || o.stdout != "" {
		t.Errorf("check .: %+v", o)
	}
}

// What may not be read is named, and the rest is checked.
func TestUnreadable(t *testing.T) {
	dir := openFolder(t)
	write(t, dir, map[string]string{
		"a.path.json":         `{"graph": {"id": "g"}, "paths": [], "a": 1}`,
		"locked.path.json":    graph(step),
		"closed/b.path.json":  graph(step),
		"source.txt":          "text\n",
		"locked.txt":          "text\n",
		"locked-ok.path.json": graph(step),
	})
	for _, name := range []string{"locked.path.json", "locked.txt", "closed"} {
		if err := os.Chmod(filepath.Join(dir, name), 0); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "closed"), 0o755) })
	const finding = "a.path.json:1:37: error TP2001 unknown field \"a\" in document (allowed: graph, paths, meta); other readers drop it without a word\n"
	for _, c := range []struct {
		args string
		want outcome
	}{
		{"check locked.path.json", outcome{"", "toolpath-ls: locked.path.json: permission denied\n", 2}},
		{"check locked.path.json a.path.json", outcome{finding, "toolpath-ls: locked.path.json: permission denied\n", 2}},
		{"check closed", outcome{"", "toolpath-ls: closed: the folder cannot be read\n", 2}},
		{"check .", outcome{finding, "toolpath-ls: closed: the folder cannot be read\ntoolpath-ls: locked.path.json: permission denied\n", 2}},
		{"blame locked.txt", outcome{"", "toolpath-ls: locked.txt: permission denied\n", 2}},
		{"blame source.txt", outcome{"unrecorded (  1) text\n", "toolpath-ls: " + dir + "/closed: the folder cannot be read\n" +
			"toolpath-ls: " + dir + "/locked.path.json: permission denied\n" +
			"toolpath-ls: no document in " + dir + " speaks of source.txt\n", 0}},
	} {
		cmd := command(t, dir, strings.Fields(c.args)...)
		if os.Geteuid() == 0 { // whom no mode bits stop
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		if o := finish(t, cmd, ""); o != c.want {
			t.Errorf("%s: %+v, want %+v", c.args, o, c.want)
		}
	}
}

// openFolder is a temporary folder that other users may enter.
func openFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "toolpath-ls-open")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}
