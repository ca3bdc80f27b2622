package lsptest_test

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/rules"
	"github.com/toolpath-ls/toolpath-ls/lsp"
	"github.com/toolpath-ls/toolpath-ls/lsp/lsptest"
)

// failing is a test that keeps its failures to itself. Its scripts must run on a
// goroutine of their own, which FailNow ends.
type failing struct {
	testing.TB
	mu       sync.Mutex
	messages []string
}

func (f *failing) Errorf(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.messages = append(f.messages, fmt.Sprintf(format, args...))
}

func (f *failing) Fatalf(format string, args ...any) {
	f.Errorf(format, args...)
	runtime.Goexit()
}

func (f *failing) Fatal(args ...any) { f.Fatalf("%s", fmt.Sprint(args...)) }

// Scripts fail for what is not so. A file has one unknown head at the mark h.
func TestScriptsFail(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{"open a.path.json\ndiag h TP2006 `names no step`", ""},
		{"open a.path.json\ndiag h TP2006 error `names no step`", ""},
		{"open a.path.json\ndiags a.path.json @diags", ""},
		{"open a.path.json\nhover n none", ""},
		{"open a.path.json\nhover g none", "answered"},
		{"open a.path.json\nhighlights h h", ""},
		{"open a.path.json\nhighlights h none", "answered"},
		{"open a.path.json\nhighlights h h!", "answered"},
		{"open a.path.json\nrefuses textDocument/prepareRename h `names no step`", ""},
		{"open a.path.json\nrefuses textDocument/prepareRename h `is fine`", "answered"},
		{"open a.path.json\nrefuses textDocument/hover h `is fine`", "answered"},
		{"open a.path.json\nfolds a.path.json @diags", "got"},
		{"open a.path.json\ntokens a.path.json @diags", "got"},
		{"open a.path.json\nformat a.path.json @diags", "got"},
		{"open a.path.json\ncomplete h @diags", "got"},
		{"open a.path.json\nnodiags a.path.json", "names no step"},
		{"open a.path.json\ndiag h TP2006 `something else`", "no such diagnostic"},
		{"open a.path.json\ndiag h TP2006 warning `names no step`", "no such diagnostic"},
		{"open a.path.json\ndiag h TP2003 `names no step`", "no such diagnostic"},
		{"open a.path.json\ndiag g TP2006 `names no step`", "no such diagnostic"},
		{"open a.path.json\ndiag h TP2006 `no`\ndiag h TP2006 `no`", "no such diagnostic"},
		{"open a.path.json\ndiag h TP9999 `x`", "that no diag has named"},
		{"open a.path.json\nedit h \"\\\"s8\\\"\"\ndiags a.path.json @diags", "s8"},
		{"open a.path.json\ndiags a.path.json @missing", "run the test with -update"},
		{"open a.path.json\nhover h @diags", "got"},
		{"open a.path.json\nhover h none", "answered"},
		{"open a.path.json\ndefinition h g", "answered"},
		{"open a.path.json\nfails textDocument/hover [7] -32601", "-32602"},
		{"open a.path.json\nrequest unheardOf {} @diags", "-32601"},
		{"open b.path.json", "no such file"},
		{"edit h \"x\"", "not open"},
		{"open a.path.json\nhover x none", "no mark x"},
		{"jump h", "no such command"},
		{"open", "it takes 1 to 2 words"},
	} {
		archive := "-- a.path.json --\n" + `«n»{"graph": {"id": «g:"g"»}, "paths": [{"path": {"id": "p", "head": «h:"s9"»}, "steps": []}]}` +
			"\n-- @diags --\n1:63-1:67 error TP2006 the head \"s9\" names no step: the path has none\n-- script --\n" + c.script + "\n"
		script, err := lsptest.ParseScript("x.txtar", []byte(archive))
		if err != nil {
			t.Fatal(err)
		}
		for _, mode := range []lsptest.Mode{{Encoding: "utf-8"}, {Encoding: "utf-16", CRLF: true}} {
			f := &failing{TB: t}
			ended := make(chan struct{})
			dir := t.TempDir()
			go func() {
				defer close(ended)
				script.Run(f, mode, dir, serve)
			}()
			<-ended
			got := strings.Join(f.messages, "\n")
			if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
				t.Errorf("%q in %v failed with %q, want %q", c.script, mode, got, c.want)
			}
			if got != "" && !strings.Contains(got, "x.txtar:") {
				t.Errorf("%q: the failure names no line: %s", c.script, got)
			}
		}
	}
}

func serve(tb testing.TB) *lsptest.Editor {
	only := slices.DeleteFunc(rules.All(), func(r *analysis.Rule) bool { return r.ID != "TP2006" })
	return lsptest.Start(tb, func(ctx context.Context, rwc io.ReadWriteCloser) error {
		return lsp.Serve(ctx, rwc, lsp.Options{Workspace: analysis.NewWorkspace(&analysis.Options{Rules: only}, nil)})
	})
}

func TestParseScript(t *testing.T) {
	for _, c := range []struct{ archive, want string }{
		{"-- script --\nopen a\n", ""},
		{"no script", "there is no script"},
		{"comment\n-- script --\nopen a\nedit p \"x\n", "x.txtar:4"},
		{"-- script --\nexpect m `x\n", "x.txtar:2"},
	} {
		_, err := lsptest.ParseScript("x.txtar", []byte(c.archive))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.archive, err, c.want)
		}
	}
}
