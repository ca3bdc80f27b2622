package lsp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/format"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// A large text gets one edit, which is no larger than it must be.
func TestFormattingOfALargeText(t *testing.T) {
	laid, err := format.Text(jsonsrc.Parse([]byte(manySteps(30_000, deep)), toolpath.Layout))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		content string
		most    int // bytes of the edit
	}{
		"all":     {manySteps(30_000, deep), len(laid)},
		"a blank": {strings.Replace(string(laid), `"id": "s20000"`, `"id":  "s20000"`, 1), 1},
		"nothing": {string(laid), 0},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAsker(t)
			uri := a.open("a.path.json", c.content)
			answer, err := a.ask(t.Context(), "textDocument/formatting", questions(uri, positionJSON{}, positionJSON{})["textDocument/formatting"])
			if err != nil {
				t.Fatal(err)
			}
			var edits []struct {
				Range   rangeJSON
				NewText string
			}
			if err := json.Unmarshal(answer, &edits); err != nil {
				t.Fatal(err)
			}
			doc := text.New([]byte(c.content))
			for _, e := range edits {
				if len(e.NewText) > c.most {
					t.Errorf("an edit of %d bytes", len(e.NewText))
				}
				doc, _ = doc.Apply([]text.Change{{Text: e.NewText, Range: &text.Range{
					Start: text.Pos{Line: int(e.Range.Start.Line), Column: int(e.Range.Start.Character)},
					End:   text.Pos{Line: int(e.Range.End.Line), Column: int(e.Range.End.Character)}}}}, text.UTF16)
			}
			if string(doc.Bytes()) != string(laid) || len(edits) > 1 || c.most == 0 && len(edits) > 0 {
				t.Errorf("%d edits leave another text than the layout", len(edits))
			}
		})
	}
}
