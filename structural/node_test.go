//go:build cgo

package structural

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// batch is pairsOf for a formatter that is slow to start.
func batch(t *testing.T, files []string, most int, run func(sources []string) [][2]string) []reformatted {
	t.Helper()
	most = sample(most)
	random := rand.New(rand.NewPCG(1, 2))
	random.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	var names, sources []string
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(source) >= 500 && len(source) <= 100_000 && len(sources) < most {
			names, sources = append(names, filepath.Base(name)), append(sources, string(source))
		}
	}
	if len(sources) == 0 {
		t.Skip("no files to format on this machine")
	}
	var all []reformatted
	for i, pair := range run(sources) {
		if pair[0] != pair[1] {
			all = append(all, reformatted{names[i], pair[0], pair[1]})
		}
	}
	return all
}

// nodeBatch runs a script of Node.js over texts.
func nodeBatch(t *testing.T, node, script, prettier string, options []string, styled bool, sources []string) [][2]string {
	t.Helper()
	to := map[string]any{}
	for _, o := range options {
		name, value, set := strings.Cut(strings.TrimPrefix(o, "--"), "=")
		switch {
		case name == "print-width":
			to["printWidth"] = json.Number(value)
		case name == "no-semi":
			to["semi"] = false
		case name == "single-quote":
			to["singleQuote"] = true
		case set:
			head, tail, _ := strings.Cut(name, "-")
			to[head+strings.ToUpper(tail[:1])+tail[1:]] = value
		}
	}
	arg, err := json.Marshal(map[string]any{"styled": styled, "to": to})
	if err != nil {
		t.Fatal(err)
	}
	in, err := json.Marshal(sources)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, "-e", script, prettier, string(arg))
	cmd.Stdin = strings.NewReader(string(in))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var pairs [][2]string
	if err := json.Unmarshal(out, &pairs); err != nil {
		t.Fatal(err)
	}
	return pairs
}
