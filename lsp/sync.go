package lsp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

// The params of document synchronization are decoded here and not by package protocol:
// that one takes a change whose range it cannot read for a change of the whole document,
// reads "range": null as a range at the document's start, canonicalizes the URI that
// diagnostics must repeat as the client wrote it, and lets strings share memory with the
// message. Package json copies each string, so that what is kept holds nothing else.

type openParams struct {
	TextDocument struct {
		URI        string `json:"uri"`
		LanguageID string `json:"languageId"`
		Version    int32  `json:"version"`
		Text       quoted `json:"text"`
	} `json:"textDocument"`
}

func (p *openParams) decodeParams(raw jsonrpc2.RawMessage) error {
	return json.Unmarshal(raw, p, lenient)
}

type changeParams struct {
	TextDocument struct {
		URI     string `json:"uri"`
		Version *int32 `json:"version"` // null from some clients
	} `json:"textDocument"`
	ContentChanges []contentChange `json:"contentChanges"`
}

func (p *changeParams) decodeParams(raw jsonrpc2.RawMessage) error {
	return json.Unmarshal(raw, p, lenient)
}

type contentChange struct {
	Range jsontext.Value `json:"range"` // empty if absent
	Text  *quoted        `json:"text"`
}

// documentParams are the params of didClose and didSave.
type documentParams struct {
	TextDocument struct {
		URI string `json:"uri"`
	} `json:"textDocument"`
}

func (p *documentParams) decodeParams(raw jsonrpc2.RawMessage) error {
	return json.Unmarshal(raw, p, lenient)
}

// decodeChange reads one change. It demands all four numbers of a range, each from 0 to
// 2³¹-1 (LSP uinteger), and orders the two positions.
func decodeChange(c contentChange) (text.Change, error) {
	if c.Text == nil {
		return text.Change{}, errors.New("a change without text")
	}
	if len(c.Range) == 0 {
		return text.Change{Text: string(*c.Text)}, nil
	}
	type position struct {
		Line      *uint32 `json:"line"`
		Character *uint32 `json:"character"`
	}
	var r *struct {
		Start *position `json:"start"`
		End   *position `json:"end"`
	}
	if err := json.Unmarshal(c.Range, &r, lenient); err != nil {
		return text.Change{}, fmt.Errorf("a change whose range cannot be read: %w", err)
	}
	if r == nil || r.Start == nil || r.End == nil {
		return text.Change{}, errors.New("a change whose range lacks its start or end")
	}
	start, err := decodePos(r.Start.Line, r.Start.Character)
	if err != nil {
		return text.Change{}, err
	}
	end, err := decodePos(r.End.Line, r.End.Character)
	if err != nil {
		return text.Change{}, err
	}
	if end.Line < start.Line || end.Line == start.Line && end.Column < start.Column {
		start, end = end, start
	}
	return text.Change{Range: &text.Range{Start: start, End: end}, Text: string(*c.Text)}, nil
}

func decodePos(line, character *uint32) (text.Pos, error) {
	if line == nil || character == nil {
		return text.Pos{}, errors.New("a change whose range lacks a line or character")
	}
	const uinteger = 1<<31 - 1
	if *line > uinteger || *character > uinteger {
		return text.Pos{}, errors.New("a change whose range has a number over 2147483647")
	}
	return text.Pos{Line: int(*line), Column: int(*character)}, nil
}

// openDocument is what the session knows of a document that the client has open.
type openDocument struct {
	key        string // canonical URI
	spelling   string // the client's URI; what is published repeats it
	languageID string
	version    int32
	lost       bool // out of sync: edits are refused until a whole text arrives
}

// openDocuments are written by the read goroutine only.
type openDocuments struct {
	mu    sync.RWMutex
	byKey map[string]openDocument
}

func (d *openDocuments) get(key string) (openDocument, bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	doc, ok := d.byKey[key]
	return doc, ok
}

func (d *openDocuments) set(doc openDocument) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.byKey == nil {
		d.byKey = map[string]openDocument{}
	}
	d.byKey[doc.key] = doc
}

func (d *openDocuments) remove(key string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.byKey, key)
}

func (d *openDocuments) all() []openDocument {
	d.mu.RLock()
	defer d.mu.RUnlock()
	all := make([]openDocument, 0, len(d.byKey))
	for _, doc := range d.byKey {
		all = append(all, doc)
	}
	return all
}

// canonical returns the key of a client's URI. Two spellings of one URI have one key.
func canonical(spelling string) (string, error) {
	if strings.TrimSpace(spelling) == "" {
		return "", errors.New("the document has no URI")
	}
	u, err := uri.Parse(spelling)
	if err != nil {
		return "", fmt.Errorf("the document's URI %q cannot be read: %w", clip([]byte(spelling), 200), err)
	}
	return strings.Clone(string(u)), nil
}

// filePath returns the path of a file URI. A URI of another scheme has no path, although
// [uri.URI.FsPath] returns one.
func filePath(key string) (string, bool) {
	path := analysis.FilePath(key)
	return path, path != ""
}

func didOpen(_ context.Context, s *session, p *openParams) error {
	td := &p.TextDocument
	key, err := canonical(td.URI)
	if err != nil {
		return err
	}
	if _, open := s.docs.get(key); open {
		s.log.Warn("a document was opened that is open already", "uri", key)
	}
	content, draft := string(td.Text), (*analysis.Draft)(nil)
	if a := s.arrived(); a != nil && content == "" {
		content, draft = a.text, a.finish()
		s.rests.begin(key, a.rested)
	}
	s.opened(openDocument{
		key:        key,
		spelling:   td.URI,
		languageID: td.LanguageID,
		version:    td.Version,
	}, draft, content)
	return nil
}

// opened makes the text the document's, whether it was open before or not. The draft of it
// may be nil.
func (s *session) opened(doc openDocument, draft *analysis.Draft, content string) {
	doc.lost = false
	s.work.OpenDraft(draft, doc.key, doc.languageID, doc.version, content)
	s.docs.set(doc)
	s.diagnostics.update(docState{doc.key, doc.spelling, true, true})
}

// openAt returns the open document that a notification names.
func (s *session) openAt(uri string) (openDocument, error) {
	key, err := canonical(uri)
	if err != nil {
		return openDocument{}, err
	}
	doc, open := s.docs.get(key)
	if !open {
		return openDocument{}, fmt.Errorf("%s is not open", key)
	}
	return doc, nil
}

func didChange(_ context.Context, s *session, p *changeParams) error {
	doc, err := s.openAt(p.TextDocument.URI)
	if err != nil {
		return err
	}
	if v := p.TextDocument.Version; v != nil {
		if *v <= doc.version {
			s.log.Debug("the version did not grow", "uri", doc.key, "version", *v, "before", doc.version)
		}
		doc.version = *v
	}
	changes, whole, err := decodeChanges(p.ContentChanges)
	switch {
	case err != nil:
		s.lose(doc, err)
		return nil
	case doc.lost && !whole:
		s.docs.set(doc)
		return nil
	case doc.lost:
		content, _ := text.New(nil).Apply(changes, s.encoding)
		s.opened(doc, nil, string(content.Bytes()))
		return nil
	}
	if _, err := s.work.Change(doc.key, doc.version, s.encoding, changes); err != nil {
		return err
	}
	s.docs.set(doc)
	s.diagnostics.update(docState{doc.key, doc.spelling, true, false})
	return nil
}

// decodeChanges reads the changes of one notification. What comes before the last whole
// text does not matter, so an error there is none; whole says that there is one.
func decodeChanges(in []contentChange) (changes []text.Change, whole bool, err error) {
	for _, c := range in {
		change, cerr := decodeChange(c)
		switch {
		case cerr != nil:
			err = errors.Join(err, cerr)
			continue
		case change.Range == nil:
			changes, whole, err = changes[:0], true, nil
		}
		changes = append(changes, change)
	}
	return changes, whole, err
}

// lose takes the document out of sync: its text is not known any more, so it is treated
// as closed until the client sends a whole text. The user is told once.
func (s *session) lose(doc openDocument, cause error) {
	told := doc.lost
	doc.lost = true
	s.docs.set(doc)
	if told {
		return
	}
	s.log.Error("the document is out of sync", "uri", doc.key, "version", doc.version, "reason", cause)
	s.client.showMessage(protocol.MessageTypeError, fmt.Sprintf(
		"toolpath-ls lost track of %s: the editor sent %v. Close and open the file again.", doc.spelling, cause))
	s.work.Close(doc.key)
	s.diagnostics.update(docState{doc.key, doc.spelling, false, false})
}

func didClose(_ context.Context, s *session, p *documentParams) error {
	doc, err := s.openAt(p.TextDocument.URI)
	if err != nil {
		return err
	}
	s.docs.remove(doc.key)
	s.work.Close(doc.key)
	s.diagnostics.update(docState{doc.key, doc.spelling, false, false})
	s.rests.over(doc.key)
	s.replays.forget(doc.key)
	s.pulls.forget(doc.key)
	s.commits.forget(doc.key)
	s.reload(doc.key)
	return nil
}

// didSave changes no text: what was saved is known already.
func didSave(_ context.Context, s *session, p *documentParams) error {
	doc, err := s.openAt(p.TextDocument.URI)
	if err == nil {
		s.work.Saved(doc.key)
	}
	return err
}

// didChangeWatchedFiles has changed files read again. An open document is the client's:
// what the disk holds does not matter to it.
func didChangeWatchedFiles(_ context.Context, s *session, p *protocol.DidChangeWatchedFilesParams) error {
	besides := false // what lineage logs are verified with
	for _, change := range p.Changes {
		key := strings.Clone(string(change.URI))
		if isKeyFile(key) {
			s.keys.again()
			continue
		}
		if _, open := s.docs.get(key); open {
			continue
		}
		s.reload(key)
		besides = besides || strings.Contains(key, "/.sdd/")
	}
	if besides {
		s.recheck()
	}
	return nil
}

// reload asks the loader to read the file again, if it may be a Toolpath document.
func (s *session) reload(key string) {
	path, ok := filePath(key)
	name := strings.ToLower(path)
	if ok && (strings.HasSuffix(name, ".json") || strings.HasSuffix(name, ".jsonl")) {
		s.loading.reload(path)
	}
}

// recheck has all open documents checked again, because something changed that they
// depend on.
func (s *session) recheck() {
	for _, doc := range s.docs.all() {
		if !doc.lost {
			s.diagnostics.update(docState{doc.key, doc.spelling, true, true})
		}
	}
}
