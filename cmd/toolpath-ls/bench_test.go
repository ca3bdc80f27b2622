package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// history is a repository with one file, and a document that records each of its commits
// after the first as a step.
type history struct {
	folder string
	lines  int
}

// newHistory makes a file of so many lines and changes a few of them in each commit.
func newHistory(b *testing.B, lines, commits int) history {
	b.Helper()
	h := history{folder: b.TempDir(), lines: lines}
	git := func(stdin []byte, args ...string) []byte {
		cmd := exec.Command("git", append([]string{"-C", h.folder}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
		cmd.Stdin = bytes.NewReader(stdin)
		out, err := cmd.Output()
		if err != nil {
			b.Fatalf("git %v: %v", args, err)
		}
		return out
	}
	git(nil, "init", "-q", "-b", "main")
	rng := rand.New(rand.NewPCG(7, 8))
	text := make([]string, lines)
	for i := range text {
		text[i] = fmt.Sprintf("line %d %x\n", i, rng.Uint64())
	}
	var stream bytes.Buffer
	for c := range commits + 1 {
		for range min(c, 3) {
			at := rng.IntN(len(text))
			switch line := fmt.Sprintf("commit %d %x\n", c, rng.Uint64()); rng.IntN(3) {
			case 0:
				text = append(text[:at], append([]string{line}, text[at:]...)...)
			case 1:
				text = append(text[:at], text[at+1:]...)
			default:
				text[at] = line
			}
		}
		content := strings.Join(text, "")
		fmt.Fprintf(&stream, "commit refs/heads/main\ncommitter A <a@example.org> %d +0000\ndata 1\nx\nM 100644 inline f.txt\ndata %d\n%s\n", 1_700_000_000+60*c, len(content), content)
	}
	git(stream.Bytes(), "fast-import", "--quiet")
	git(nil, "reset", "-q", "--hard", "main")
	git(nil, "gc", "-q")

	type object = map[string]any
	var steps []any
	base, parent := "", ""
	for entry := range strings.SplitSeq(string(git(nil, "log", "-p", "--reverse", "-U3", "--format=%x00%H"))[1:], "\x00") {
		id, diff, _ := strings.Cut(entry, "\n")
		if base == "" {
			base = id
			continue
		}
		step := object{"id": "step-" + id, "actor": "human:a", "timestamp": "2026-01-01T00:00:00Z"}
		if parent != "" {
			step["parents"] = []string{parent}
		}
		parent = "step-" + id
		steps = append(steps, object{"step": step, "change": object{"f.txt": object{"raw": diff[strings.Index(diff, "@@"):]}}})
	}
	doc, err := json.Marshal(object{"graph": object{"id": "g"}, "paths": []any{object{
		"path": object{"id": "p", "head": parent, "base": object{"uri": "github:org/repo", "ref": base}}, "steps": steps}}})
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h.folder, "f.path.json"), doc, 0o644); err != nil {
		b.Fatal(err)
	}
	return h
}

// BenchmarkBlame runs the command as a process beside git blame, on one history.
func BenchmarkBlame(b *testing.B) {
	bin := buildBinary(b)
	for _, commits := range []int{1000, 5000} {
		h := newHistory(b, 10_000, commits)
		for _, peer := range []struct {
			name string
			args []string
		}{
			{"toolpath-ls", []string{bin, "blame", "f.txt"}},
			{"git", []string{"git", "blame", "-s", "f.txt"}},
		} {
			b.Run(fmt.Sprintf("%d-steps/%s", commits, peer.name), func(b *testing.B) {
				cpu := 0.0
				for b.Loop() {
					cmd := exec.Command(peer.args[0], peer.args[1:]...)
					cmd.Dir = h.folder
					out, err := cmd.Output()
					if err != nil {
						b.Fatal(err)
					}
					if n := bytes.Count(out, []byte("\n")); n < h.lines*9/10 {
						b.Fatalf("%d lines", n)
					}
					cpu += (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds() * 1000
				}
				b.ReportMetric(cpu/float64(b.N), "ms-cpu/op")
			})
		}
	}
}

// newDocuments makes so many documents of about size bytes in a folder, some with faults.
func newDocuments(b testing.TB, documents, size int) string {
	b.Helper()
	folder := b.TempDir()
	for d := range documents {
		var doc strings.Builder
		fmt.Fprintf(&doc, "{\n  \"graph\": {\"id\": \"g%d\"},\n  \"paths\": [\n    {\n      \"path\": {\"id\": \"p\", \"head\": \"s1\"},\n      \"steps\": [", d)
		for i := size / 320; i > 0; i-- {
			fmt.Fprintf(&doc, "%s\n        {\n          \"step\": {\n            \"id\": \"s%d\",\n            \"parents\": [\"s%d\"],\n            \"actor\": \"agent:claude-code\",\n            \"timestamp\": \"2026-01-29T10:00:00Z\"\n          },\n          \"change\": {\n            \"src/f%d.rs\": {\n              \"raw\": \"@@ -1,1 +1,1 @@\\n-x\\n+y\"\n            }\n          }\n        }",
				strings.Repeat(",", min(size/320-i, 1)), i, i+1, i%97)
		}
		doc.WriteString("\n      ],\n      \"meta\": {\"actors\": {\"agent:claude-code\": {\"name\": \"Claude Code\"}}}\n    }\n  ]\n}\n")
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("d%04d.path.json", d)), []byte(doc.String()), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return folder
}

// BenchmarkCheckWorkspace checks 1,000 documents of 220 kB, beside reading them and
// passing over their tokens alone, on as many processors.
func BenchmarkCheckWorkspace(b *testing.B) {
	folder := newDocuments(b, 1000, 220_000)
	names, err := filepath.Glob(filepath.Join(folder, "*.path.json"))
	if err != nil {
		b.Fatal(err)
	}
	b.Run("check", func(b *testing.B) {
		for b.Loop() {
			if code := run(b.Context(), []string{"check", folder}, strings.NewReader(""), io.Discard, io.Discard); code != 0 {
				b.Fatal(code)
			}
		}
	})
	b.Run("tokens", func(b *testing.B) {
		for b.Loop() {
			var next atomic.Int64
			var workers sync.WaitGroup
			for range runtime.GOMAXPROCS(0) {
				workers.Go(func() {
					for i := next.Add(1) - 1; i < int64(len(names)); i = next.Add(1) - 1 {
						if err := readTokens(names[i]); err != nil {
							b.Error(err)
						}
					}
				})
			}
			workers.Wait()
		}
	})
}

func readTokens(name string) error {
	src, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	for dec := jsontext.NewDecoder(bytes.NewReader(src)); ; {
		if _, err := dec.ReadToken(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}
