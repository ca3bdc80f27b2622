package lsp

import (
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// A client that can follow links to its own commands names those it has in its experimental
// capabilities, {toolpath: {commandLinks: […]}}. Hovers that tell of a step then end in a line
// of such links; each command takes a stepArgument.
var linkTitles = []struct {
	command, title string
	ofFile         bool // it needs a source file
}{
	{"toolpath.openStep", "Show step", false},
	{"toolpath.openStepDiff", "Diff", false},
	{"toolpath.openParentStep", "Parent", false},
	{"toolpath.openFileAtStep", "File as of step", true},
	{"toolpath.showGraph", "Graph", false},
	{"toolpath.copyStepId", "Copy id", false},
}

// stepArgument names a step across edits, and the source file that it is asked about, if
// any. In the arguments of commands it may stand in place of a place.
type stepArgument struct {
	Document string `json:"document"`
	Path     string `json:"path"`
	Step     string `json:"step"`
	File     string `json:"file,omitempty"`
	// Position is a place in the file.
	Position *positionJSON `json:"position,omitempty"`
}

// addLinks adds links to what a client can do with a step.
func (s *session) addLinks(m *protocol.MarkupContent, r analysis.StepRef, file string) {
	if len(s.commandLinks) == 0 || m.Kind != protocol.MarkupKindMarkdown {
		return
	}
	raw, err := json.Marshal([]stepArgument{{Document: s.spelling(r.Doc.URI), Path: r.Path.ID, Step: r.At().ID, File: file}}, lenient)
	if err != nil {
		return
	}
	// Parentheses would end a link; PathEscape leaves them alone.
	query := strings.NewReplacer("(", "%28", ")", "%29").Replace(url.PathEscape(string(raw)))
	var links []string
	for _, l := range linkTitles {
		if s.commandLinks[l.command] && (!l.ofFile || file != "") {
			links = append(links, "["+l.title+"](command:"+l.command+"?"+query+")")
		}
	}
	if len(links) > 0 {
		m.Value += "\n\n" + strings.Join(links, " · ")
	}
}
