package lsp

import (
	"context"
	"path"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// readingResult is that of toolpath.reading.
type readingResult struct {
	Language *string    `json:"language"` // null: there is no grammar
	Tree     bool       `json:"tree"`
	Why      *string    `json:"why"`    // null: there is a tree
	Faults   int        `json:"faults"` // that the parser could not read
	First    []faultOut `json:"first"`
	Layout   string     `json:"layout"`
}

type faultOut struct {
	Line    int    `json:"line"` // 0-based
	Text    string `json:"text"`
	Missing bool   `json:"missing"`
}

// showReading tells how the source file of a place is read, and has the client show that.
func showReading(_ context.Context, s *session, snap *analysis.Snapshot, arg protocol.LSPAny) (any, error) {
	doc, _, err := s.place(snap, arg)
	if doc == nil || err != nil || doc.Kind() != analysis.Other || doc.Path == "" {
		return nil, err
	}
	r, ok := snap.ReadingOf(doc.Path, string(doc.Text.Bytes()))
	if !ok {
		return nil, nil
	}
	s.client.post(protocol.MethodWindowShowMessage, func(_ context.Context, c *client) error {
		c.showMessage(protocol.MessageTypeInfo, path.Base(doc.Path)+": "+strings.Join(r.Sentences(), "; "))
		return nil
	})
	result := readingResult{Tree: r.Tree, Faults: r.Faults, First: []faultOut{}, Layout: r.Layout}
	if r.Language != "" {
		result.Language = &r.Language
	}
	if r.Why != "" {
		result.Why = &r.Why
	}
	for _, f := range r.First {
		result.First = append(result.First, faultOut{f.Line, validText(f.Text), f.Missing})
	}
	return result, nil
}
