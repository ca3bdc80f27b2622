package lsp

import "sync"

// news counts what happens in a session that diagnostics may depend on, and lets others wait
// for it.
type news struct {
	mu    sync.Mutex
	count uint64
	next  chan struct{} // closed by the next one; nil if nobody waits
}

// tell says that something happened.
func (n *news) tell() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.count++
	if n.next != nil {
		close(n.next)
		n.next = nil
	}
}

// seen returns how much has happened.
func (n *news) seen() uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.count
}

// after returns a channel that is closed once more has happened than was seen.
func (n *news) after(seen uint64) <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.count > seen {
		closed := make(chan struct{})
		close(closed)
		return closed
	}
	if n.next == nil {
		n.next = make(chan struct{})
	}
	return n.next
}
