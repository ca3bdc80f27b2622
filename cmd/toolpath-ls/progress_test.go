package main

import (
	"bytes"
	"testing"
)

func TestProgressIsDrawnOnTerminalsOnly(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out, "checked", 2)
	p.add(1)
	p.end()
	if out.Len() > 0 {
		t.Errorf("drawn to a pipe: %q", out.String())
	}
	p.done = 1
	if want := "\r[===============               ] checked 1 of 2"; p.line() != want {
		t.Errorf("bar %q, want %q", p.line(), want)
	}
}
