package lsp

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/toolpath-ls/toolpath-ls/analysis/text"
	"github.com/toolpath-ls/toolpath-ls/lsp/collector"
)

// parentPoll is the time between two looks at the client's process.
const parentPoll = time.Second

// initializeParams is decoded member by member, so that one odd member does not keep the
// session from starting.
type initializeParams struct {
	ProcessID             jsontext.Value `json:"processId"`
	RootURI               jsontext.Value `json:"rootUri"`
	RootPath              jsontext.Value `json:"rootPath"`
	WorkspaceFolders      jsontext.Value `json:"workspaceFolders"`
	Capabilities          jsontext.Value `json:"capabilities"`
	InitializationOptions jsontext.Value `json:"initializationOptions"`
	Trace                 jsontext.Value `json:"trace"`
}

func (p *initializeParams) decodeParams(raw jsonrpc2.RawMessage) error {
	return json.Unmarshal(raw, p, lenient)
}

// member decodes one member; an odd one is logged and counts as absent.
func member[T any](s *session, name string, raw jsontext.Value) (v T) {
	if len(raw) == 0 || raw.Kind() == 'n' {
		return v
	}
	if err := protocol.Unmarshal(raw, &v); err != nil {
		s.log.Warn("initialize: a member cannot be read and is ignored", "member", name, "reason", err)
		var zero T
		return zero
	}
	return v
}

func initialize(_ context.Context, s *session, p *initializeParams) (*protocol.InitializeResult, error) {
	s.clientCaps = *cmpOr(member[*protocol.ClientCapabilities](s, "capabilities", p.Capabilities), &protocol.ClientCapabilities{})
	s.readExperimental(s.clientCaps.Experimental)
	kind, encoding := chooseEncoding(&s.clientCaps)
	s.encoding = encoding
	s.setTrace(member[protocol.TraceValue](s, "trace", p.Trace))
	s.configure("initializationOptions", p.InitializationOptions)
	s.folders.set(s.initialFolders(p))
	s.loading.load()
	if pid := member[*int32](s, "processId", p.ProcessID); pid != nil {
		s.watchParent(int(*pid))
	}
	s.setPhase(initialized)
	return &protocol.InitializeResult{
		Capabilities: capabilities(&s.clientCaps, kind),
		ServerInfo:   protocol.ServerInfo{Name: "toolpath-ls", Version: protocol.NewOptional(s.opts.Version)},
	}, nil
}

func cmpOr[T any](v, fallback *T) *T {
	if v != nil {
		return v
	}
	return fallback
}

// chooseEncoding picks the client's first choice among utf-8, utf-32 and utf-16 by what
// costs the server least; utf-16 is what a client that offers nothing speaks.
func chooseEncoding(c *protocol.ClientCapabilities) (protocol.PositionEncodingKind, text.Encoding) {
	if c.General != nil {
		offered := c.General.PositionEncodings
		switch {
		case slices.Contains(offered, protocol.PositionEncodingKindUTF8):
			return protocol.PositionEncodingKindUTF8, text.UTF8
		case slices.Contains(offered, protocol.PositionEncodingKindUTF32):
			return protocol.PositionEncodingKindUTF32, text.UTF32
		}
	}
	return protocol.PositionEncodingKindUTF16, text.UTF16
}

// rehearsalRoom is what rehearsing takes, about, in bytes.
const rehearsalRoom = 32 << 20

// initialized asks the client for what it tells only when asked.
func onInitialized(_ context.Context, s *session, _ *none) error {
	s.registerWatchers()
	s.askConfiguration()
	s.workers.Go(func() {
		defer func() {
			if v := recover(); v != nil {
				s.bugs.record(s.log, "rehearsal", v)
			}
		}()
		defer collector.Rest(rehearsalRoom)()
		s.work.Rehearse()
	})
	return nil
}

// watched are the files whose changes on disk matter: documents, public keys, and what lineage
// logs are verified with. The files that documents speak of are read when a document is.
var watched = []string{"**/*.path.json", "**/*.path.jsonl", "**/.toolpath/keys/*", "**/.sdd/lineage/*/spine.head", "**/.sdd/agents/**/card.json"}

const watchers = "toolpath-ls/watch"

// registerWatchers has the client tell of changes of documents, in place of what it was asked
// to before.
func (s *session) registerWatchers() {
	w := s.clientCaps.Workspace
	if w == nil || w.DidChangeWatchedFiles == nil || !isTrue(w.DidChangeWatchedFiles.DynamicRegistration) {
		return
	}
	options := protocol.DidChangeWatchedFilesRegistrationOptions{}
	sources := s.sources()
	for _, glob := range watched {
		options.Watchers = append(options.Watchers, protocol.FileSystemWatcher{GlobPattern: protocol.Pattern(glob)})
	}
	for _, glob := range sources.Files {
		options.Watchers = append(options.Watchers, protocol.FileSystemWatcher{GlobPattern: protocol.Pattern(glob.String())})
	}
	if s.opts.Loader != nil && isTrue(w.DidChangeWatchedFiles.RelativePatternSupport) {
		for folder, pattern := range s.opts.Loader.Watched(sources) {
			options.Watchers = append(options.Watchers, protocol.FileSystemWatcher{GlobPattern: &protocol.RelativePattern{
				BaseURI: protocol.URI(uri.File(folder)), Pattern: protocol.Pattern(pattern)}})
		}
	}
	again := s.watching.Swap(true)
	s.client.post(protocol.MethodClientRegisterCapability, func(ctx context.Context, c *client) error {
		raw, err := protocol.Marshal(&options)
		if err != nil {
			return err
		}
		if again {
			err := c.call(ctx, protocol.MethodClientUnregisterCapability, &protocol.UnregistrationParams{
				Unregisterations: []protocol.Unregistration{{ID: watchers, Method: protocol.MethodWorkspaceDidChangeWatchedFiles}},
			}, nil)
			if err != nil {
				return err
			}
		}
		return c.call(ctx, protocol.MethodClientRegisterCapability, &protocol.RegistrationParams{
			Registrations: []protocol.Registration{{
				ID:              watchers,
				Method:          protocol.MethodWorkspaceDidChangeWatchedFiles,
				RegisterOptions: raw,
			}},
		}, nil)
	})
}

func isTrue(b *bool) bool { return b != nil && *b }

func shutdown(_ context.Context, s *session, _ *none) (*none, error) {
	s.setPhase(shutDown)
	return nil, nil
}

// exit tells Serve to end. Closing the connection here would wait for this very handler.
func exit(_ context.Context, s *session, _ *none) error {
	s.exitOnce.Do(func() { close(s.exited) })
	return nil
}

// watchParent ends the session when the client's process has ended without closing the
// streams. A process that cannot be seen, such as one outside of this container, is not
// watched.
func (s *session) watchParent(pid int) {
	if pid <= 0 || !s.opts.alive(pid) {
		s.log.Info("the client's process is not watched: there is no such process here", "pid", pid)
		return
	}
	s.workers.Go(func() {
		tick := time.NewTicker(parentPoll)
		defer tick.Stop()
		for {
			select {
			case <-s.ctx.Done():
				return
			case <-tick.C:
				if !s.opts.alive(pid) {
					close(s.parentGone)
					return
				}
			}
		}
	})
}

func onSetTrace(_ context.Context, s *session, p *protocol.SetTraceParams) error {
	s.setTrace(p.Value)
	return nil
}

// setTrace maps the client's wish to the log's level.
func (s *session) setTrace(v protocol.TraceValue) {
	if s.opts.Level == nil {
		return
	}
	switch v {
	case protocol.TraceValueMessages:
		s.opts.Level.Set(slog.LevelInfo)
	case protocol.TraceValueVerbose:
		s.opts.Level.Set(slog.LevelDebug)
	case protocol.TraceValueOff:
		s.opts.Level.Set(slog.LevelWarn)
	}
}

// folder is a workspace folder.
type folder struct {
	uri  string // canonical
	path string // of the file system
}

// folders are the workspace's folders that lie in the file system, without duplicates.
type folders struct {
	mu  sync.Mutex
	all []folder
}

func (f *folders) set(all []folder) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = slices.Clone(all)
}

func (f *folders) get() []folder {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.all)
}

func (f *folders) change(removed, added []folder) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = slices.DeleteFunc(f.all, func(x folder) bool { return slices.Contains(removed, x) })
	for _, x := range added {
		if !slices.Contains(f.all, x) {
			f.all = append(f.all, x)
		}
	}
}

// initialFolders takes workspaceFolders, or else rootUri, or else rootPath.
func (s *session) initialFolders(p *initializeParams) []folder {
	if all := member[[]protocol.WorkspaceFolder](s, "workspaceFolders", p.WorkspaceFolders); len(all) > 0 {
		return toFolders(all)
	}
	if root := member[string](s, "rootUri", p.RootURI); root != "" {
		if u, err := uri.Parse(root); err == nil {
			return toFolders([]protocol.WorkspaceFolder{{URI: u}})
		}
	}
	if root := member[string](s, "rootPath", p.RootPath); root != "" {
		return toFolders([]protocol.WorkspaceFolder{{URI: uri.File(root)}})
	}
	return nil
}

func toFolders(in []protocol.WorkspaceFolder) (out []folder) {
	for _, f := range in {
		key := strings.Clone(string(f.URI))
		if path, ok := filePath(key); ok {
			out = append(out, folder{key, path})
		}
	}
	return out
}

func didChangeWorkspaceFolders(_ context.Context, s *session, p *protocol.DidChangeWorkspaceFoldersParams) error {
	s.folders.change(toFolders(p.Event.Removed), toFolders(p.Event.Added))
	s.loading.load()
	return nil
}
