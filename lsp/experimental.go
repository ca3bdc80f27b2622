package lsp

import (
	"github.com/go-json-experiment/json"
	"go.lsp.dev/protocol"
)

// experimental are our own capabilities of a client.
type experimental struct {
	Toolpath struct {
		// CommandLinks are the commands that links in hovers may run.
		CommandLinks []string `json:"commandLinks"`
		// WorkspaceDiagnosticWaits says that an answer to workspace/diagnostic may take until
		// there is something new.
		WorkspaceDiagnosticWaits bool `json:"workspaceDiagnosticWaits"`
	} `json:"toolpath"`
}

// readExperimental takes over what the client can do beyond the protocol.
func (s *session) readExperimental(raw protocol.LSPAny) {
	var e experimental
	if len(raw) == 0 {
		return
	}
	if err := json.Unmarshal(raw, &e, lenient); err != nil {
		s.log.Warn("initialize: the experimental capabilities cannot be read and are ignored", "reason", err)
		return
	}
	s.pollsWait = e.Toolpath.WorkspaceDiagnosticWaits
	s.commandLinks = map[string]bool{}
	for _, command := range e.Toolpath.CommandLinks {
		s.commandLinks[command] = true
	}
}
