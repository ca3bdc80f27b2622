package main

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// initTrace is what the runtime writes of a package that is initialized.
var initTrace = regexp.MustCompile(`(?m)^init (\S+) @.* (\d+) bytes, \d+ allocs$`)

// Every command pays for what packages set up before it runs: ours leave to later what few
// runs need, and the garbage collector rests from before the libraries begin.
func TestStart(t *testing.T) {
	cmd := command(t, t.TempDir(), "version")
	cmd.Env = append(cmd.Env, "GODEBUG=inittrace=1,gctrace=1", "GOGC=", "GOMEMLIMIT=")
	o := finish(t, cmd, "")
	ours, before := 0, -1 // bytes
	for _, m := range initTrace.FindAllStringSubmatch(o.stderr, -1) {
		bytes, _ := strconv.Atoi(m[2])
		switch {
		case strings.HasSuffix(m[1], "/lsp/collector"):
			before = ours
		case strings.HasPrefix(m[1], "github.com/santhosh-tekuri/") && before < 0:
			t.Errorf("%s is initialized before the collector rests", m[1])
		}
		if strings.HasPrefix(m[1], "github.com/toolpath-ls/") {
			ours += bytes
		}
	}
	if before < 0 || ours == 0 {
		t.Fatalf("no trace: %s", o.stderr)
	}
	if most := 256 << 10; ours > most {
		t.Errorf("our packages take %d bytes to start, more than %d:\n%s", ours, most, o.stderr)
	}
	if strings.Contains(o.stderr, "\ngc 1 ") {
		t.Error("garbage is collected before anything is done")
	}
}
