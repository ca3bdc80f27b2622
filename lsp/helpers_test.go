package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/lsp/lsptest"
)

const doc = "file:///work/a.path.json"

// start serves an Editor with the options. A recovered panic fails the test unless the
// options say what to do with it.
func start(t testing.TB, o Options) *lsptest.Editor {
	t.Helper()
	if o.OnBug == nil {
		o.OnBug = func(where string, value any) { t.Errorf("panic in %s: %v", where, value) }
	}
	o.extra = append(o.extra, textRoute)
	return lsptest.Start(t, func(ctx context.Context, rwc io.ReadWriteCloser) error { return Serve(ctx, rwc, o) })
}

// startInitialized is start and the handshake.
func startInitialized(t testing.TB, o Options) *lsptest.Editor {
	t.Helper()
	e := start(t, o)
	e.Initialize(nil)
	return e
}

// textRoute answers what the snapshot of the moment holds.
var textRoute = route{"test/text", query(func(_ context.Context, _ *session, snap *analysis.Snapshot, p *textParams) (*textResult, error) {
	d := snap.Document(p.URI)
	if d == nil {
		return nil, nil
	}
	return &textResult{d.Version, string(d.Text.Bytes())}, nil
})}

type textParams struct {
	URI string `json:"uri"`
}

type textResult struct {
	Version int32  `json:"version"`
	Text    string `json:"text"`
}

// textOf asks the server for a document's text; it returns false if it has none.
func textOf(t testing.TB, e *lsptest.Editor, uri string) (textResult, bool) {
	t.Helper()
	raw, err := e.Call("test/text", textParams{uri})
	if err != nil {
		t.Fatalf("test/text: %v", err)
	}
	return toText(t, raw)
}

func toText(t testing.TB, raw json.RawMessage) (r textResult, ok bool) {
	t.Helper()
	if string(raw) == "null" {
		return r, false
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	return r, true
}

// wantText fails unless the server holds the text.
func wantText(t testing.TB, e *lsptest.Editor, uri, want string) {
	t.Helper()
	if got, ok := textOf(t, e, uri); !ok || got.Text != want {
		t.Errorf("the text of %s is %q (known: %v), want %q", uri, got.Text, ok, want)
	}
}

// wantCode fails unless err is an answer's error with the code.
func wantCode(t testing.TB, err error, code int) {
	t.Helper()
	e, ok := err.(*lsptest.Error)
	if !ok || e.Code != code {
		t.Errorf("answered %v, want an error of code %d", err, code)
	}
}

// logged is a logger and what was logged.
type logged struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (l *logged) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// checkWords reports each occurrence of a word that begins with "bad" on a line of its
// own, with the line as range and the word as message.
func checkWords(_ context.Context, snap *analysis.Snapshot, uri string) (found []protocol.Diagnostic) {
	d := snap.Document(uri)
	for i, line := range strings.Split(string(d.Text.Bytes()), "\n") {
		if strings.HasPrefix(line, "bad") {
			r := protocol.Range{
				Start: protocol.Position{Line: uint32(i)},
				End:   protocol.Position{Line: uint32(i), Character: uint32(len(line))},
			}
			found = append(found, newDiagnostic(r, protocol.DiagnosticSeverityError, "TP0000", line))
		}
	}
	return found
}

// described writes a publish as "v2: bad1, bad2".
func described(p lsptest.Published) string {
	var words []string
	for _, d := range p.Diagnostics {
		words = append(words, d.Message)
	}
	if p.Version == nil {
		return fmt.Sprintf("v-: %s", strings.Join(words, ", "))
	}
	return fmt.Sprintf("v%d: %s", *p.Version, strings.Join(words, ", "))
}

var discard = slog.New(slog.DiscardHandler)
