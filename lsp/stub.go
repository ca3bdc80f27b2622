package lsp

import (
	"context"
	"errors"
	"maps"
	"sync"
	"sync/atomic"

	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

// Stand-ins until package analysis has them.
type (
	workspace struct {
		mu  sync.Mutex
		cur atomic.Pointer[snapshot]
	}
	snapshot struct{ docs map[string]*document }
	document struct {
		URI, LanguageID string
		Version         int32
		Open            bool
		Text            *text.Text
	}
)

func newWorkspace() *workspace {
	w := &workspace{}
	w.cur.Store(&snapshot{})
	return w
}

func (w *workspace) Snapshot() *snapshot { return w.cur.Load() }

func (w *workspace) apply(f func(map[string]*document) error) (*snapshot, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	docs := maps.Clone(w.cur.Load().docs)
	if docs == nil {
		docs = map[string]*document{}
	}
	if err := f(docs); err != nil {
		return w.cur.Load(), err
	}
	s := &snapshot{docs}
	w.cur.Store(s)
	return s, nil
}

func (w *workspace) Open(uri, lang string, version int32, content string) *snapshot {
	s, _ := w.apply(func(d map[string]*document) error {
		d[uri] = &document{uri, lang, version, true, text.New([]byte(content))}
		return nil
	})
	return s
}

func (w *workspace) Change(uri string, version int32, enc text.Encoding, changes []text.Change) (*snapshot, error) {
	return w.apply(func(d map[string]*document) error {
		old := d[uri]
		if old == nil || !old.Open {
			return errors.New("not open")
		}
		t, _ := old.Text.Apply(changes, enc)
		d[uri] = &document{uri, old.LanguageID, version, true, t}
		return nil
	})
}

func (w *workspace) Close(uri string) *snapshot {
	s, _ := w.apply(func(d map[string]*document) error { delete(d, uri); return nil })
	return s
}

func (s *snapshot) Document(uri string) *document { return s.docs[uri] }

func (s *session) check(context.Context, *snapshot, string) []protocol.Diagnostic { return nil }
