package lsp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

// The signs of a drawing in text are where a client of any encoding looks for them, behind the
// lines of other lanes too.
func TestSignsOfADrawingInText(t *testing.T) {
	const step = `{"step": {"id": "%", "actor": "agent:%", "timestamp": "2026-01-01T10:00:00Z", "parents": [#]}, "change": {}}`
	steps := strings.NewReplacer("%", "root", "#", "").Replace(step) + ", " +
		strings.NewReplacer("%", "dead", "#", `"root"`).Replace(step) + ", " +
		strings.NewReplacer("%", "head", "#", `"root"`).Replace(step)
	a := newAsker(t)
	uri := a.open("a.path.json", `{"graph": {"id": "g"}, "paths": [{"path": {"id": "p", "head": "head"}, "steps": [`+steps+`]}]}`)
	for _, encoding := range []text.Encoding{text.UTF8, text.UTF16, text.UTF32} {
		a.encoding = encoding
		raw, err := a.ask(t.Context(), "workspace/executeCommand", object{"command": commandGraph, "arguments": []any{object{"document": uri, "text": true}}})
		if err != nil {
			t.Fatal(err)
		}
		var drawn graphResult
		if err := json.Unmarshal(raw, &drawn); err != nil {
			t.Fatal(err)
		}
		signs := map[string]string{}
		content := text.New([]byte(*drawn.Text))
		for _, s := range drawn.Steps {
			off, exact := content.Offset(text.Pos{Line: int(s.Mark.Line), Column: int(s.Mark.Character)}, encoding)
			if !exact {
				t.Errorf("%v: there is no character at %v", encoding, s.Mark)
			}
			signs[s.Step] = string([]rune((*drawn.Text)[off:])[:1])
		}
		if signs["root"] != "◆" || signs["head"] != "◆" || signs["dead"] != "◇" {
			t.Errorf("%v: the signs are %v in\n%s", encoding, signs, *drawn.Text)
		}
	}
}
