package main

import (
	"context"
	"path/filepath"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis/repo"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust/keyring"
)

// keyReader implements lsp.KeyReader: it reads the user's keys, those of the workspace, and
// those that the settings name.
type keyReader struct{}

func (keyReader) Keyring(ctx context.Context, root string, named []string) (*trust.Keyring, []error) {
	sources := repo.UserKeys()
	sources.Given, sources.Root = named, filepath.FromSlash(root)
	files, errs := repo.ReadKeys(ctx, sources)
	keys, unread := keyring.New(files, time.Now())
	return keys, append(errs, unread...)
}
