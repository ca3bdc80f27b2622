package analysis

import (
	"reflect"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

// What the changes of a document say about the files that it speaks of is what is found
// without them.
func TestTouchesOfChanges(t *testing.T) {
	path := func(base, changes string) string {
		return `{"path":{"id":"p","head":"s"` + base + `},"steps":[{"step":{"id":"s","actor":"human:a","timestamp":"2026-01-29T10:00:00Z"},"change":{` + changes + `}}]}`
	}
	src := `{"graph":{"id":"g"},"paths":[` +
		path(`,"base":{"uri":"file:///w"}`, `"/w/in.go":{},"/other/out.go":{},"./a/../b.go":{},"folder/":{},"agent://tool":{},"":{}`) + "," +
		path("", `"new.go":{"raw":"rename from old.go\nrename to new.go\n"},"new.go":{},"same.go":{"structural":{"rename_to":"same.go"}}`) + "," +
		path("", `"to.go":{"raw":"copy from from.go\ncopy to to.go\n"},"was.go":{"structural":{"type":"x","rename_to":"is.go"}},"gone.go":{"raw":"@@ -1,1 +0,0 @@\n-x\n"}`) + "," +
		path("", ``) + `]}`
	d := newDocument("file:///w/a.path.json", "", 1, true, text.New([]byte(src)), 0)
	want := d.findTouches()
	if got := d.touchesOfChanges(); !reflect.DeepEqual(got, want) {
		t.Errorf("%v\nwant %v", got, want)
	}
	names := []int{}
	for _, p := range want.paths {
		names = append(names, len(p.names))
	}
	if want := []int{3, 3, 5, 0}; !reflect.DeepEqual(names, want) {
		t.Errorf("%d names, want %d", names, want)
	}
}
