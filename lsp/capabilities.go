package lsp

import "go.lsp.dev/protocol"

// routes is the dispatch table: every method that a client may call. A feature is one
// line here and one in [capabilities]; a test fails if the two disagree.
func routes() []route {
	return []route{
		{"initialize", request(initialize)},
		{"initialized", notification(onInitialized)},
		{"shutdown", request(shutdown)},
		{"exit", notification(exit)},
		{"$/cancelRequest", notification(cancelRequest)},
		{"$/setTrace", notification(onSetTrace)},
		{"$/progress", ignored},
		{"window/workDoneProgress/cancel", notification(cancelProgress)},

		{"textDocument/didOpen", notification(didOpen)},
		{"textDocument/didChange", notification(didChange)},
		{"textDocument/didSave", notification(didSave)},
		{"textDocument/didClose", notification(didClose)},
		{"textDocument/willSave", ignored},
		{"workspace/didChangeConfiguration", notification(didChangeConfiguration)},
		{"workspace/didChangeWatchedFiles", notification(didChangeWatchedFiles)},
		{"workspace/didChangeWorkspaceFolders", notification(didChangeWorkspaceFolders)},

		{"textDocument/hover", query(hover)},
		{"textDocument/definition", query(definition)},
		{"textDocument/documentSymbol", queryOne(documentSymbol)},
		{"textDocument/codeLens", query(codeLens)},
		{"textDocument/inlayHint", query(inlayHint)},
		{"workspace/executeCommand", query(executeCommand)},
		{"textDocument/codeAction", queryOne(codeAction)},
		{"textDocument/references", query(references)},
		{"textDocument/documentHighlight", query(documentHighlight)},
		{"textDocument/foldingRange", queryOne(foldingRange)},
		{"textDocument/selectionRange", queryOne(selectionRange)},
		{"textDocument/documentLink", queryOne(documentLink)},
		{"textDocument/prepareCallHierarchy", query(prepareCallHierarchy)},
		{"callHierarchy/incomingCalls", query(incomingCalls)},
		{"callHierarchy/outgoingCalls", query(outgoingCalls)},
		{"textDocument/prepareTypeHierarchy", query(prepareTypeHierarchy)},
		{"typeHierarchy/supertypes", query(supertypes)},
		{"typeHierarchy/subtypes", query(subtypes)},
		{"textDocument/semanticTokens/full", queryOne(semanticTokensFull)},
		{"textDocument/semanticTokens/range", queryOne(semanticTokensRange)},
		{"workspace/symbol", query(workspaceSymbol)},
		{"textDocument/diagnostic", queryOne(diagnostic)},
		{"workspace/diagnostic", waiting(awaitNews, query(workspaceDiagnostic))},
		{"textDocument/prepareRename", query(prepareRename)},
		{"textDocument/rename", query(rename)},
		{"textDocument/completion", query(completion)},
		{"textDocument/formatting", queryOne(formatting)},
		{"textDocument/rangeFormatting", queryOne(rangeFormatting)},
		{"workspace/textDocumentContent", query(textDocumentContent)},
		{"toolpath/blame", query(blame)},
		{"toolpath/steps", query(steps)},
		{"toolpath/lineHistory", query(lineHistory)},
		{"toolpath/deletedLines", query(deletedLines)},
		{"toolpath/fileAtStep", query(fileAtStepRequest)},
		{"toolpath/unreviewed", query(unreviewed)},
		{"toolpath/cursor", notification(onCursor)},
	}
}

// capabilities is what the server offers to a client of the given capabilities.
func capabilities(_ *protocol.ClientCapabilities, encoding protocol.PositionEncodingKind) protocol.ServerCapabilities {
	return protocol.ServerCapabilities{
		PositionEncoding: encoding,
		TextDocumentSync: &protocol.TextDocumentSyncOptions{
			OpenClose: new(true),
			Change:    new(protocol.TextDocumentSyncKindIncremental),
			Save:      &protocol.SaveOptions{IncludeText: new(false)},
		},
		HoverProvider:          protocol.Boolean(true),
		DefinitionProvider:     protocol.Boolean(true),
		DocumentSymbolProvider: protocol.Boolean(true),
		CodeLensProvider:       &protocol.CodeLensOptions{},
		InlayHintProvider:      protocol.Boolean(true),
		ExecuteCommandProvider: protocol.ExecuteCommandOptions{Commands: commandNames()},
		CodeActionProvider: &protocol.CodeActionOptions{
			CodeActionKinds: []protocol.CodeActionKind{protocol.CodeActionKindQuickFix, protocol.CodeActionKindRefactorRewrite, fixAllKind, unreviewedKind, reviewKind, deletedKind, signKind}},
		ReferencesProvider:        protocol.Boolean(true),
		DocumentHighlightProvider: protocol.Boolean(true),
		FoldingRangeProvider:      protocol.Boolean(true),
		SelectionRangeProvider:    protocol.Boolean(true),
		DocumentLinkProvider:      &protocol.DocumentLinkOptions{},
		DiagnosticProvider: &protocol.DiagnosticOptions{
			Identifier: new(source), InterFileDependencies: true, WorkspaceDiagnostics: true},
		RenameProvider:                  &protocol.RenameOptions{PrepareProvider: new(true)},
		DocumentFormattingProvider:      protocol.Boolean(true),
		DocumentRangeFormattingProvider: protocol.Boolean(true),
		CompletionProvider:              &protocol.CompletionOptions{TriggerCharacters: []string{`"`, ":", "/"}},
		CallHierarchyProvider:           protocol.Boolean(true),
		TypeHierarchyProvider:           protocol.Boolean(true),
		WorkspaceSymbolProvider:         protocol.Boolean(true),
		SemanticTokensProvider: &protocol.SemanticTokensOptions{
			Legend: protocol.SemanticTokensLegend{TokenTypes: tokenTypes, TokenModifiers: tokenModifiers},
			Range:  protocol.Boolean(true),
			Full:   protocol.Boolean(true),
		},
		Workspace: &protocol.WorkspaceOptions{
			WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{
				Supported:           new(true),
				ChangeNotifications: protocol.Boolean(true),
			},
			TextDocumentContent: &protocol.TextDocumentContentOptions{Schemes: []string{contentScheme}},
		},
	}
}
