package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// progress draws a bar on stderr while many things are worked on, if that is a terminal
// and the work is not over at once. Its methods may be called by several goroutines.
type progress struct {
	out         io.Writer // nil: nothing is drawn
	verb        string
	done, total int

	mu    sync.Mutex
	next  time.Time // not before then
	drawn bool
}

const (
	progressDelay    = 500 * time.Millisecond
	progressInterval = 100 * time.Millisecond
	progressWidth    = 30
)

func newProgress(out io.Writer, verb string, total int) *progress {
	p := &progress{verb: verb, total: total, next: time.Now().Add(progressDelay)}
	if terminalOf(out) != nil && os.Getenv("TERM") != "dumb" {
		p.out = out
	}
	return p
}

// add counts n more as done.
func (p *progress) add(n int) {
	if p.out == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
	if now := time.Now(); now.After(p.next) {
		p.next = now.Add(progressInterval)
		p.drawn = true
		fmt.Fprint(p.out, p.line())
	}
}

// line is the bar, from the start of the line on.
func (p *progress) line() string {
	filled := progressWidth * p.done / max(p.total, 1)
	bar := make([]byte, progressWidth)
	for i := range bar {
		bar[i] = ' '
		if i < filled {
			bar[i] = '='
		}
	}
	return fmt.Sprintf("\r[%s] %s %d of %d", bar, p.verb, p.done, p.total)
}

// end clears the bar.
func (p *progress) end() {
	if p.drawn {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
