package lsp

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
)

// KeyReader reads public keys. Its method is called by one goroutine.
type KeyReader interface {
	// Keyring reads the keys that verify documents below a root folder: those of the user,
	// those of the folder, and the files and folders that the user names. Each error is of
	// a file that was not read.
	Keyring(ctx context.Context, root string, named []string) (*trust.Keyring, []error)
}

// keyFolder is where a workspace has public keys, below its root.
const keyFolder = "/.toolpath/keys/"

// keyLoading reads keys once a document has signatures, and again when they change.
type keyLoading struct {
	s    *session
	wake chan struct{} // capacity 1

	mu     sync.Mutex
	wanted map[string]bool           // roots
	rings  map[string]*trust.Keyring // by root; replaced, never changed
	read   chan struct{}             // closed when what is wanted has been read; nil: nothing is wanted
}

func newKeyLoading(s *session) *keyLoading {
	return &keyLoading{s: s, wake: make(chan struct{}, 1), wanted: map[string]bool{}}
}

// want has the keys of a root read, if that has not been done. It does not wait.
func (k *keyLoading) want(root string) {
	k.mu.Lock()
	k.wanted[root] = true
	if k.read == nil {
		k.read = make(chan struct{})
	}
	k.mu.Unlock()
	k.signal()
}

// settle waits until the keys that an answer lacked have been read; false if it lacked none.
// The answer must then be given anew, of the newest snapshot.
func (k *keyLoading) settle(ctx context.Context) bool {
	k.mu.Lock()
	read := k.read
	k.mu.Unlock()
	if read == nil || k.s.opts.Keys == nil {
		return false
	}
	select {
	case <-read:
		return true
	case <-ctx.Done():
		return false
	}
}

// settled tells those who wait that all that was wanted has been read.
func (k *keyLoading) settled() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.read != nil && len(k.wanted) == 0 {
		close(k.read)
		k.read = nil
	}
}

// again has all keys read again that have been read.
func (k *keyLoading) again() {
	k.mu.Lock()
	for root := range k.rings {
		k.wanted[root] = true
	}
	k.rings = nil
	k.mu.Unlock()
	k.signal()
}

func (k *keyLoading) signal() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// run is the goroutine.
func (k *keyLoading) run() {
	for {
		select {
		case <-k.s.ctx.Done():
			return
		case <-k.wake:
			k.work()
		}
	}
}

// work reads what is wanted, and has the open documents checked again.
func (k *keyLoading) work() {
	s := k.s
	defer k.settled()
	defer func() {
		if v := recover(); v != nil {
			s.bugs.record(s.log, "keys", v)
		}
	}()
	if s.opts.Keys == nil {
		return
	}
	k.mu.Lock()
	rings := maps.Clone(k.rings)
	if rings == nil {
		rings = map[string]*trust.Keyring{}
	}
	var roots []string
	for root := range k.wanted {
		if rings[root] == nil {
			roots = append(roots, root)
		}
	}
	clear(k.wanted)
	k.mu.Unlock()
	if len(roots) == 0 {
		return
	}
	slices.Sort(roots)
	for _, root := range roots {
		ring, errs := s.opts.Keys.Keyring(s.ctx, root, s.settings.Load().TrustKeys)
		if s.ctx.Err() != nil {
			return
		}
		for _, err := range errs {
			if s.told.first(err.Error()) {
				s.log.Info("keys were not read", "reason", err)
			}
		}
		rings[root] = ring
	}
	k.mu.Lock()
	k.rings = rings
	k.mu.Unlock()
	s.changeOptions(func(o *analysis.Options) { o.Keyring = k.keyringOf(rings) })
	s.recheck()
	s.refreshProvenance()
	s.refreshDiagnostics()
}

// keyringOf answers from what has been read, and has the rest read.
func (k *keyLoading) keyringOf(rings map[string]*trust.Keyring) func(root string) *trust.Keyring {
	return func(root string) *trust.Keyring {
		ring := rings[root]
		if ring == nil {
			k.want(root)
		}
		return ring
	}
}

// isKeyFile says whether a file is one of a workspace's keys.
func isKeyFile(name string) bool {
	return strings.Contains(name, keyFolder) && !strings.HasPrefix(path.Base(name), ".")
}

// changeOptions replaces the options by changed ones.
func (s *session) changeOptions(change func(*analysis.Options)) {
	s.optionsMu.Lock()
	defer s.optionsMu.Unlock()
	options := *s.work.Snapshot().Options
	change(&options)
	s.work.SetOptions(&options)
}
