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
	"slices"
	"strings"
	"testing"
)

// recordSteps makes a repository with a file of so many lines, and a document whose steps,
// each a diff of one or two hunks, lead from there to the file as it is.
func recordSteps(b *testing.B, lines, steps int) (folder string, documentSize int64) {
	b.Helper()
	folder = b.TempDir()
	git := func(args ...string) string {
		cmd := exec.Command("git", append([]string{"-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
		out, err := cmd.Output()
		if err != nil {
			b.Fatalf("git %v: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	rng := rand.New(rand.NewPCG(7, 8))
	text := make([]string, lines)
	for i := range text {
		text[i] = fmt.Sprintf("line %d %x", i, rng.Uint64())
	}
	file := filepath.Join(folder, "f.txt")
	put := func() {
		if err := os.WriteFile(file, []byte(strings.Join(text, "\n")+"\n"), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	put()
	git("init", "-q", "-b", "main")
	git("add", ".")
	git("commit", "-q", "-m", "base")
	var doc bytes.Buffer
	fmt.Fprintf(&doc, `{"graph":{"id":"g"},"paths":[{"path":{"id":"p","head":"s%d","base":{"uri":"github:org/repo","ref":"%s"}},"steps":[`, steps, git("rev-parse", "HEAD"))
	for s := 1; s <= steps; s++ {
		var raw strings.Builder
		at, shift := 0, 0
		for range 1 + rng.IntN(2) {
			if at >= len(text)-10 {
				break
			}
			at = at + 4 + rng.IntN(len(text)-at-8)
			fresh := []string{fmt.Sprintf("step %d %x", s, rng.Uint64())}
			gone := 1
			switch rng.IntN(3) {
			case 0:
				gone = 0
			case 1:
				fresh = nil
			}
			was := text[at-3 : at+gone+3]
			fmt.Fprintf(&raw, "@@ -%d,%d +%d,%d @@\n", at-2-shift, len(was), at-2, 6+len(fresh))
			for i, l := range was {
				sign := " "
				if i >= 3 && i < 3+gone {
					sign = "-"
				}
				raw.WriteString(sign + l + "\n")
				if i == 2+gone {
					for _, f := range fresh {
						raw.WriteString("+" + f + "\n")
					}
				}
			}
			text = slices.Replace(text, at, at+gone, fresh...)
			shift += len(fresh) - gone
			at += 8
		}
		diff, _ := json.Marshal(raw.String())
		parent := ""
		if s > 1 {
			doc.WriteByte(',')
			parent = fmt.Sprintf(`,"parents":["s%d"]`, s-1)
		}
		fmt.Fprintf(&doc, `{"step":{"id":"s%d","actor":"agent:a","timestamp":"2026-01-01T00:00:00Z"%s},"change":{"f.txt":{"raw":%s}}}`, s, parent, diff)
	}
	doc.WriteString("]}]}\n")
	put()
	if err := os.WriteFile(filepath.Join(folder, "f.path.json"), doc.Bytes(), 0o644); err != nil {
		b.Fatal(err)
	}
	return folder, int64(doc.Len())
}

// BenchmarkBlameSteps runs the command as a process on histories of two lengths: the time
// grows with the steps, and the memory with the document. Both are reported for each.
func BenchmarkBlameSteps(b *testing.B) {
	bin := buildBinary(b)
	for _, steps := range []int{5_000, 100_000} {
		folder, size := recordSteps(b, 10_000, steps)
		b.Run(fmt.Sprintf("%d-steps", steps), func(b *testing.B) {
			var peak, cpu float64
			for b.Loop() {
				cmd := exec.Command(bin, "blame", "f.txt")
				cmd.Dir, cmd.Stdout, cmd.Stderr = folder, io.Discard, os.Stderr
				if err := cmd.Run(); err != nil {
					b.Fatal(err)
				}
				peak = max(peak, peakMemory(cmd.ProcessState))
				cpu += (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds() * 1000
			}
			b.ReportMetric(cpu/float64(b.N), "ms-cpu/op")
			b.ReportMetric(float64(size)/1e6, "MB-document")
			b.ReportMetric(peak/1e6-float64(size)/1e6, "MB-peak-above-it")
		})
	}
}

func buildBinary(b *testing.B) string {
	b.Helper()
	bin := filepath.Join(b.TempDir(), "toolpath-ls")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return bin
}
