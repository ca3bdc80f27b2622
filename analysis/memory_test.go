package analysis_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/internal/race"
)

// A document of 100,000 steps that speaks of a file of 10,000 lines takes, with the answer to
// who wrote the file, no more than its own size (the bytes of its text) and 64 MB.
func TestMemoryOfALongHistory(t *testing.T) {
	race.Skip(t)
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	const most = 64 << 20
	doc, source := longHistory(10_000, 100_000)
	size := int64(len(doc))
	before := liveHeap() // with the text, which the document shares
	m := &memory{}
	w := m.workspace()
	w.Open("file:///w/a.path.json", "", 1, doc)
	w.Open(typedURI, "go", 1, source)
	p, needs := w.Snapshot().Provenance(typedURI, nil, nil)
	if len(needs) > 0 || p.Line(0).Step == nil {
		t.Fatalf("nobody is named; missing: %v", needs)
	}
	now := liveHeap()
	over := now - before
	t.Logf("a document of %.1f MB takes %.1f MB more", float64(size)/(1<<20), float64(over)/(1<<20))
	if over > most {
		t.Errorf("that is more than %d MB", most>>20)
	}
	runtime.KeepAlive(w)
	runtime.KeepAlive(p)
}

// liveHeap is the size of what is reachable, in bytes.
func liveHeap() int64 {
	var s runtime.MemStats
	runtime.GC()
	runtime.GC() // what finalizers and pools held
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

// longHistory is a document of so many steps that each change a few of the lines of a file, as
// editors indent it, and the file as it is after them.
func longHistory(lines, steps int) (doc, source string) {
	text := make([]string, lines)
	for i := range text {
		text[i] = fmt.Sprintf("\tline%d := compute(%d) // as it was first\n", i, i*7)
	}
	var b strings.Builder
	b.WriteString(`{"graph": {"id": "g"}, "paths": [{"path": {"id": "p", "head": "` + fmt.Sprintf("step-%06d", steps) + "\"}, \"steps\": [\n")
	fmt.Fprintf(&b, `{"step": {"id": "step-%06d", "actor": "agent:claude-code", "timestamp": "2026-01-29T10:00:00Z"}, "change": {"a.go": {"structural": {"type": "file.write", "operation": "add", "after": %s}}}}`, 1, encode(strings.Join(text, "")))
	for n := 2; n <= steps; n++ {
		at := n * 7919 % (lines - 8)
		var raw strings.Builder
		fmt.Fprintf(&raw, "@@ -%d,7 +%d,7 @@\n", at+1, at+1)
		for k := range 7 {
			if k != 3 {
				raw.WriteString(" " + text[at+k])
				continue
			}
			raw.WriteString("-" + text[at+k])
			text[at+k] = fmt.Sprintf("\tline%d := compute(%d) // since step %d\n", at+k, n, n)
			raw.WriteString("+" + text[at+k])
		}
		fmt.Fprintf(&b, ",\n"+`{"step": {"id": "step-%06d", "parents": ["step-%06d"], "actor": "agent:claude-code", "timestamp": "2026-01-29T10:%02d:%02dZ"}, "meta": {"intent": "Compute line %d anew"}, "change": {"a.go": {"raw": %s}}}`,
			n, n-1, n/60%60, n%60, at+3, encode(raw.String()))
	}
	b.WriteString("\n]}]}\n")
	return b.String(), strings.Join(text, "")
}
