package lsp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/toolpath-ls/toolpath-ls/lsp/lsptest"
)

// wire is a whole session as bytes on the wire.
func wire(bodies ...string) []byte {
	var b strings.Builder
	for _, body := range bodies {
		fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	return []byte(b.String())
}

// Whatever bytes come after the handshake, the server answers or ends, and all of its
// goroutines end when the input does: the bubble reports one that is left.
func FuzzServe(f *testing.F) {
	f.Add(wire(openBody(doc, 5), changeBody(2, `{"range":{"start":{"line":0,"character":1},"end":{"line":0,"character":2}},"text":"y"}`),
		`{"jsonrpc":"2.0","id":5,"method":"test/text","params":{"uri":"`+doc+`"}}`,
		`{"jsonrpc":"2.0","id":6,"method":"shutdown"}`, `{"jsonrpc":"2.0","method":"exit"}`))
	for _, body := range badNotifications {
		f.Add(wire(body))
	}
	for _, r := range badRanges {
		f.Add(wire(openBody(doc, 5), changeBody(2, `{"range":`+r+`,"text":"y"}`)))
	}
	f.Add([]byte("Content-Length: 1000000000\r\n\r\n"))
	f.Add([]byte("Content-Length: 5\r\nContent-Length: 2\r\n\r\n{}"))
	f.Add(wire(`[`+changeBody(1, "")+`]`, `[]`, `[[[[`, `{"jsonrpc":"2.0","id":1.5,"method":"x"}`))
	f.Add(wire(`{"jsonrpc":"2.0","id":1,"result":[{"hover.enable":false}]}`, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`))
	f.Fuzz(func(t *testing.T, input []byte) {
		synctest.Test(t, func(t *testing.T) {
			o := Options{
				check: checkWords,
				extra: []route{textRoute},
				alive: func(int) bool { return true },
				OnBug: func(where string, value any) { t.Errorf("panic in %s: %v", where, value) },
			}
			e := lsptest.Start(t, func(ctx context.Context, rwc io.ReadWriteCloser) error { return Serve(ctx, rwc, o) })
			e.Initialize(map[string]any{"processId": 1, "capabilities": map[string]any{"workspace": map[string]any{"configuration": true}}})
			_ = e.SendRaw(input)
			_ = e.Close()
		})
	})
}

// A change is refused, or it means what the wire says: the four numbers of a range, in
// order, and the text.
func FuzzDecodeChange(f *testing.F) {
	for _, r := range badRanges {
		f.Add(`{"range":` + r + `,"text":"x"}`)
	}
	f.Add(`{"text":"x"}`)
	f.Add(`{"range":{"start":{"line":3,"character":2},"end":{"line":1,"character":0}},"rangeLength":7,"text":"x"}`)
	f.Fuzz(func(t *testing.T, change string) {
		var p changeParams
		if p.decodeParams([]byte(`{"contentChanges":[`+change+`]}`)) != nil {
			return
		}
		for _, c := range p.ContentChanges {
			got, err := decodeChange(c)
			if err != nil {
				continue
			}
			if (got.Range == nil) != (len(c.Range) == 0) {
				t.Errorf("%s: the range became %v", change, got.Range)
			}
			if r := got.Range; r != nil {
				if r.Start.Line < 0 || r.Start.Column < 0 || r.End.Line < r.Start.Line || r.End.Line == r.Start.Line && r.End.Column < r.Start.Column {
					t.Errorf("%s: %+v", change, *r)
				}
				if !strings.Contains(string(c.Range), fmt.Sprint(r.Start.Line)) && r.Start.Line < 10 && !strings.ContainsAny(string(c.Range), "eE.+") {
					t.Errorf("%s: line %d is not in the range", change, r.Start.Line)
				}
			}
		}
	})
}

// A string is decoded as package json does it.
func FuzzUnquote(f *testing.F) {
	for _, s := range []string{`""`, `"a\nb"`, `"\ud800"`, `"\ud801\udc00"`, `"\ud800\u0041"`, `"\u00e9\/\b\f\r\t\\\""`, "\"\xff\xe2\x82\"", `"\udc00\ud800\udc00"`, `"\ud800\ud800\udc00"`, `7`, `null`, `"\uABcd"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var want string
		wantErr := json.Unmarshal(raw, &want, lenient)
		var got quoted
		gotErr := json.Unmarshal(raw, &got, lenient)
		if string(bytes.TrimSpace(raw)) == "null" {
			return
		}
		if (gotErr != nil) != (wantErr != nil) || gotErr == nil && string(got) != want {
			t.Errorf("%q: %q, %v, want %q, %v", raw, got, gotErr, want, wantErr)
		}
		if len(raw) == 0 || raw[0] != '"' {
			return
		}
		for _, size := range []int{1, 2, 7, 8, 30, len(raw)} {
			if arrived, ok := unquoteInPieces(raw[1:], size); ok != (wantErr == nil) || ok && arrived != want {
				t.Errorf("%q in pieces of %d: %q, %v, want %q, %v", raw, size, arrived, ok, want, wantErr)
			}
		}
	})
}

// unquoteInPieces decodes what follows the opening quote of a string, which must end with it,
// as it does when it arrives in pieces of that size. What is valid already does not change.
func unquoteInPieces(raw []byte, size int) (string, bool) {
	u := unquoter{most: len(raw)}
	var piece []byte
	for {
		n := min(size, len(raw))
		piece, raw = append(piece, raw[:n]...), raw[n:]
		before := string(u.text())
		read, closed, err := u.write(piece)
		if !strings.HasPrefix(string(u.text()), before) || !utf8.Valid(u.text()) {
			return "what was decoded changed", true
		}
		if piece = piece[read:]; closed || err != nil {
			return u.string(), closed && len(bytes.TrimSpace(piece)) == 0 && len(bytes.TrimSpace(raw)) == 0
		}
		if len(raw) == 0 {
			return "", false
		}
	}
}
