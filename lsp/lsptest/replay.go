package lsptest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
)

// traced is a line of a trace that the server wrote.
type traced struct {
	Dir   string          `json:"dir"`
	Frame json.RawMessage `json:"frame"`
	Text  string          `json:"text"`
}

// RunReplays runs each recorded session that the pattern names: traces of the server
// (serve --trace), one JSON object a line. What the client sent is sent again, each
// message after the answers that came before it. The server must answer each request that
// it answered then, with no internal error, and end as it is told to.
func RunReplays(t *testing.T, pattern string, server Server) {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("lsptest: %s names no traces: %v", pattern, err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".jsonl"), func(t *testing.T) {
			trace, err := readTrace(name)
			if err != nil {
				t.Fatal(err)
			}
			if !server.InMemory {
				replay(t, trace, server)
				return
			}
			synctest.Test(t, func(t *testing.T) { replay(t, trace, server) })
		})
	}
}

func readTrace(name string) (trace []traced, err error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for n := 1; lines.Scan(); n++ {
		var r traced
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil || r.Dir != "in" && r.Dir != "out" {
			return nil, fmt.Errorf("%s:%d: no line of a trace: %v", name, n, err)
		}
		trace = append(trace, r)
	}
	return trace, lines.Err()
}

func replay(t *testing.T, trace []traced, server Server) {
	e := server.Start(t)
	e.Answer = func(string, json.RawMessage) (any, bool) { return nil, false } // the trace has the answers
	for _, r := range trace {
		body := string(r.Frame)
		if r.Frame == nil {
			body = r.Text
		}
		if r.Dir == "in" {
			if e.SendBody(body) != nil {
				break
			}
			continue
		}
		var m Message
		if json.Unmarshal(r.Frame, &m) != nil || m.Method != "" || m.ID == nil || string(m.ID) == "null" {
			continue
		}
		got := e.Until("the answer to "+string(m.ID), func(f Frame) bool {
			return !f.Out && f.Method == "" && string(f.ID) == string(m.ID)
		})
		if got.Error != nil && got.Error.Code == -32603 {
			t.Errorf("request %s: %v", m.ID, got.Error)
		}
	}
	_ = e.Close()
}
