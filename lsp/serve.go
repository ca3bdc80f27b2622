package lsp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/text"
)

// goodbye bounds the wait for queued frames and for handlers at the end of a session.
const goodbye = time.Second

// Reasons for which Serve ends other than shutdown followed by exit.
var (
	// ErrNoShutdown: the client sent exit without shutdown.
	ErrNoShutdown = errors.New("exit without shutdown")
	// ErrDisconnected: the input ended, or the output could not be written.
	ErrDisconnected = errors.New("the client is gone")
	// ErrParentGone: the process named by initialize's processId has ended.
	ErrParentGone = errors.New("the client's process has ended")
)

// Options configures a session. The zero value serves an empty workspace and logs
// nothing.
type Options struct {
	// Workspace holds the documents; nil means a new one without
	// rules.
	Workspace *analysis.Workspace
	// Source reads files and git objects for projections; nil means nothing is read.
	Source analysis.Source
	// Loader reads documents that the client has not opened; nil means none are read.
	Loader Loader
	// Keys reads the public keys that verify signatures; nil means that none are read.
	Keys KeyReader
	// Signer signs steps and paths; nil means that nothing is signed.
	Signer Signer
	// Logger receives the session's records; nil discards them. Warnings and errors
	// are shown in the client too.
	Logger *slog.Logger
	// Level, if set, is the level that $/setTrace changes.
	Level *slog.LevelVar
	// Trace receives the frames of both directions as JSON lines; nil means no trace.
	Trace io.Writer
	// Version is told to the client in the answer to initialize.
	Version string
	// MaxFrame bounds one incoming message, in bytes; 0 means 256 MB. A larger one
	// ends the session.
	MaxFrame int
	// OnBug is called after a panic in a handler or in the analysis was recovered. It
	// may be called on several goroutines at a time.
	OnBug func(where string, value any)

	// For tests of this package.
	alive func(pid int) bool // instead of processAlive
	check checkFunc          // instead of session.check
	free  func()             // instead of debug.FreeOSMemory
	extra []route            // more routes
}

// session is the state of one Serve call. What is set by initialize is read only after
// it: by the handlers that the read goroutine runs or starts, and by goroutines that
// hear of documents through a lock.
type session struct {
	opts   Options
	log    *slog.Logger
	ctx    context.Context // ends with the session
	work   *analysis.Workspace
	routes map[string]handler
	life   atomic.Int32 // phase

	encoding     text.Encoding // set by initialize
	clientCaps   protocol.ClientCapabilities
	commandLinks map[string]bool // commands that the client has for links
	pollsWait    bool            // the client lets workspace/diagnostic wait
	settings     atomic.Pointer[Settings]
	configured   atomic.Int32 // how often settings have changed

	docs        openDocuments
	cursor      cursor
	arrived     func() *arrival // with the message that is being handled, nil if nothing
	folders     folders
	client      *client
	diagnostics *diagnoser
	loading     *loading
	replays     *replays
	keys        *keyLoading
	optionsMu   sync.Mutex // of who changes the workspace's options
	lineage     lineageReports
	commits     commits
	rests       rests
	pulls       pulls
	polled      workspaceReport
	news        news
	running     inFlight
	slots       chan struct{}
	bugs        bugs
	progresses  atomic.Int32
	cancels     sync.Map // of progresses, by token
	watching    atomic.Bool
	told        onceEach

	exitOnce   sync.Once
	exited     chan struct{} // closed by the exit notification
	parentGone chan struct{} // closed when the client's process has ended
	workers    sync.WaitGroup
}

func (s *session) phase() phase     { return phase(s.life.Load()) }
func (s *session) setPhase(p phase) { s.life.Store(int32(p)) }

// Serve speaks LSP over rwc until the client says exit or is gone, and closes rwc. It
// returns nil after shutdown and exit, and the reason otherwise; a process should exit
// with 0 and 1. All goroutines that it started have ended when it returns, but those
// that a blocking read or write of rwc holds although rwc is closed.
func Serve(ctx context.Context, rwc io.ReadWriteCloser, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := newSession(ctx, o)
	end := newEndpoint(rwc, o.MaxFrame, receiver{s.client.deliver, s.work.Draft, s.draftFailed}, newTracer(o.Trace), s.log)
	conn := jsonrpc2.NewConn(end, jsonrpc2.WithCodec(codec{&end.apart}))
	s.client.out = end
	s.arrived = end.takeArrival
	s.workers.Go(s.client.run)
	s.workers.Go(s.diagnostics.run)
	s.workers.Go(s.loading.run)
	s.workers.Go(s.replays.run)
	s.workers.Go(s.keys.run)
	conn.Go(ctx, s.dispatch)

	select {
	case <-s.exited:
	case <-s.parentGone:
	case <-end.ended:
	case <-end.broken:
	case <-conn.Done():
	case <-ctx.Done():
	}
	// What came before the end of the input is still handled; queries are cancelled.
	cancel()
	if ended(end.ended) {
		waitFor(conn.Done(), goodbye)
	}
	inTime := end.finish(goodbye)
	if !waitFor(conn.Done(), goodbye) {
		s.log.Error("a request still runs at the end of the session")
	} else {
		s.workers.Wait()
	}
	s.rests.allOver()
	if !inTime {
		s.log.Debug("a read or write of the client's stream is still blocked")
	}
	return s.reason(end, conn)
}

func ended(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// reason says why the session ended.
func (s *session) reason(end *endpoint, conn jsonrpc2.Conn) error {
	switch {
	case ended(s.exited) && s.phase() == shutDown:
		return nil
	case ended(s.exited):
		return ErrNoShutdown
	case ended(s.parentGone):
		return ErrParentGone
	case ended(end.broken):
		return fmt.Errorf("%w: %w", ErrDisconnected, end.writeErr)
	case ended(end.ended) && (errors.Is(end.readErr, errFraming) || errors.Is(end.readErr, errTooLarge)):
		s.log.Error("the session ends: no further message can be read", "reason", end.readErr)
		return end.readErr
	case ended(end.ended) && end.readErr != io.EOF && end.readErr != errEndpoint:
		return fmt.Errorf("%w: %w", ErrDisconnected, end.readErr)
	case conn.Err() != nil:
		return conn.Err()
	default:
		return ErrDisconnected
	}
}

func newSession(ctx context.Context, o Options) *session {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Workspace == nil {
		o.Workspace = analysis.NewWorkspace(&analysis.Options{MaxFileSize: analysis.DefaultMaxFileSize}, nil)
	}
	if o.alive == nil {
		o.alive = processAlive
	}
	s := &session{
		opts: o, ctx: ctx, work: o.Workspace,
		routes:     map[string]handler{},
		slots:      make(chan struct{}, 2*runtime.GOMAXPROCS(0)),
		exited:     make(chan struct{}),
		parentGone: make(chan struct{}),
	}
	s.bugs.on = o.OnBug
	s.arrived = func() *arrival { return nil }
	s.settings.Store(new(defaultSettings()))
	for _, r := range append(routes(), o.extra...) {
		s.routes[r.method] = r.handle
	}
	s.client = newClient(ctx, o.Logger)
	s.log = slog.New(clientLog{o.Logger.Handler(), s.client.logMessage, &rateLimit{}})
	if o.check == nil {
		o.check = s.check
	}
	s.diagnostics = newDiagnoser(ctx, s.work.Snapshot, o.check, s.push, s.log, &s.bugs, &s.news, s.rests.over)
	if o.free != nil {
		s.diagnostics.release = o.free
	}
	s.loading = newLoading(s)
	s.replays = newReplays(s)
	s.keys = newKeyLoading(s)
	if o.Keys != nil {
		s.changeOptions(func(o *analysis.Options) { o.Keyring = s.keys.keyringOf(nil) })
	}
	s.commits.s = s
	return s
}
