package lsp

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// tracer writes the frames of a session as JSON lines:
//
//	{"time":"2026-12-01T10:00:00.000000001Z","dir":"in","frame":{…}}
//
// dir is "in" (from the client) or "out". A body that is no JSON is kept as the string
// "text" in place of "frame". A nil tracer writes nothing.
type tracer struct {
	mu  sync.Mutex
	w   io.Writer
	now func() time.Time
}

func newTracer(w io.Writer) *tracer {
	if w == nil {
		return nil
	}
	return &tracer{w: w, now: time.Now}
}

func (t *tracer) frame(dir string, body []byte) {
	if t == nil {
		return
	}
	line := fmt.Appendf(nil, `{"time":%q,"dir":%q,`, t.now().UTC().Format(time.RFC3339Nano), dir)
	v := jsontext.Value(append([]byte(nil), body...))
	if err := v.Compact(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err == nil {
		line = append(append(line, `"frame":`...), v...)
	} else {
		line = append(line, `"text":`...)
		line, _ = jsontext.AppendQuote(line, strings.ToValidUTF8(string(body), "\uFFFD"))
	}
	line = append(line, '}', '\n')
	t.mu.Lock()
	defer t.mu.Unlock()
	_, _ = t.w.Write(line) // a full disk must not end the session
}

// clientLog is a [slog.Handler] that also shows warnings and errors in the client
// (window/logMessage), the same message at most once a second.
type clientLog struct {
	slog.Handler
	send func(level slog.Level, text string)
	seen *rateLimit
}

func (h clientLog) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn && h.seen.allow(r.Message, r.Time) {
		var b strings.Builder
		b.WriteString(r.Message)
		r.Attrs(func(a slog.Attr) bool {
			if a.Key != stackKey {
				fmt.Fprintf(&b, "; %s: %v", a.Key, a.Value)
			}
			return true
		})
		h.send(r.Level, b.String())
	}
	if !h.Handler.Enabled(ctx, r.Level) {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

func (h clientLog) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn || h.Handler.Enabled(ctx, l)
}

func (h clientLog) WithAttrs(a []slog.Attr) slog.Handler {
	h.Handler = h.Handler.WithAttrs(a)
	return h
}

func (h clientLog) WithGroup(name string) slog.Handler {
	h.Handler = h.Handler.WithGroup(name)
	return h
}

// rateLimit lets each key pass once a second.
type rateLimit struct {
	mu   sync.Mutex
	last map[string]time.Time
}

func (l *rateLimit) allow(key string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t, ok := l.last[key]; ok && now.Sub(t) < time.Second {
		return false
	}
	if l.last == nil || len(l.last) > 1000 {
		l.last = map[string]time.Time{}
	}
	l.last[key] = now
	return true
}

const stackKey = "stack"

// bugs counts recovered panics and logs the stack of each place once.
type bugs struct {
	mu    sync.Mutex
	sites map[string]int
	count int
	on    func(where string, value any)
}

// record must be called by the function that recovered the panic's value.
func (b *bugs) record(log *slog.Logger, where string, value any) {
	site := panicSite()
	b.mu.Lock()
	if b.sites == nil {
		b.sites = map[string]int{}
	}
	b.sites[site]++
	b.count++
	first := b.sites[site] == 1
	b.mu.Unlock()

	if first {
		log.Error("bug: panic", "method", where, "value", value, "site", site, stackKey, string(debug.Stack()))
	}
	if b.on != nil {
		b.on(where, value)
	}
}

// panicSite names the source line that panicked. It looks for the first frame below
// the runtime's panic functions.
func panicSite() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	below := false
	for {
		f, more := frames.Next()
		if below && !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		below = below || f.Function == "runtime.gopanic"
		if !more {
			return "unknown"
		}
	}
}

// onceEach remembers what was said. It forgets when there is too much of it.
type onceEach struct {
	mu   sync.Mutex
	said map[string]bool
}

func (o *onceEach) first(text string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.said[text] {
		return false
	}
	if o.said == nil || len(o.said) > 1000 {
		o.said = map[string]bool{}
	}
	o.said[text] = true
	return true
}
