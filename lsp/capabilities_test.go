package lsp

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
)

// providers are the members of ServerCapabilities and the method that each offers.
var providers = map[string]string{
	"callHierarchyProvider":            "textDocument/prepareCallHierarchy",
	"codeActionProvider":               "textDocument/codeAction",
	"codeLensProvider":                 "textDocument/codeLens",
	"colorProvider":                    "textDocument/documentColor",
	"completionProvider":               "textDocument/completion",
	"declarationProvider":              "textDocument/declaration",
	"definitionProvider":               "textDocument/definition",
	"diagnosticProvider":               "textDocument/diagnostic",
	"documentFormattingProvider":       "textDocument/formatting",
	"documentHighlightProvider":        "textDocument/documentHighlight",
	"documentLinkProvider":             "textDocument/documentLink",
	"documentOnTypeFormattingProvider": "textDocument/onTypeFormatting",
	"documentRangeFormattingProvider":  "textDocument/rangeFormatting",
	"documentSymbolProvider":           "textDocument/documentSymbol",
	"executeCommandProvider":           "workspace/executeCommand",
	"foldingRangeProvider":             "textDocument/foldingRange",
	"hoverProvider":                    "textDocument/hover",
	"implementationProvider":           "textDocument/implementation",
	"inlayHintProvider":                "textDocument/inlayHint",
	"inlineCompletionProvider":         "textDocument/inlineCompletion",
	"inlineValueProvider":              "textDocument/inlineValue",
	"linkedEditingRangeProvider":       "textDocument/linkedEditingRange",
	"monikerProvider":                  "textDocument/moniker",
	"referencesProvider":               "textDocument/references",
	"renameProvider":                   "textDocument/rename",
	"selectionRangeProvider":           "textDocument/selectionRange",
	"semanticTokensProvider":           "textDocument/semanticTokens/full",
	"signatureHelpProvider":            "textDocument/signatureHelp",
	"typeDefinitionProvider":           "textDocument/typeDefinition",
	"typeHierarchyProvider":            "textDocument/prepareTypeHierarchy",
	"workspaceSymbolProvider":          "workspace/symbol",
}

// What is offered is handled, and what is handled is offered.
func TestTableAndCapabilitiesAgree(t *testing.T) {
	raw, err := protocol.Marshal(new(capabilities(&protocol.ClientCapabilities{}, protocol.PositionEncodingKindUTF8)))
	if err != nil {
		t.Fatal(err)
	}
	var offered map[string]json.RawMessage
	if err := json.Unmarshal(raw, &offered); err != nil {
		t.Fatal(err)
	}
	handled := map[string]bool{}
	for _, r := range routes() {
		if handled[r.method] {
			t.Errorf("%s is in the table twice", r.method)
		}
		handled[r.method] = true
	}
	for member := range offered {
		method, ok := providers[member]
		switch {
		case !ok && strings.HasSuffix(member, "Provider"):
			t.Errorf("this test does not know which method %s offers", member)
		case ok && !handled[method]:
			t.Errorf("%s is offered, %s is not in the table", member, method)
		}
	}
	for _, member := range slices.Sorted(maps.Keys(providers)) {
		if handled[providers[member]] && offered[member] == nil {
			t.Errorf("%s is in the table, %s is not offered", providers[member], member)
		}
	}
}
