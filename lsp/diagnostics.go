package lsp

import (
	"container/heap"
	"context"
	"log/slog"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

const (
	// quiet is how long a document must rest before an edit that follows closely upon
	// another one is checked. The first edit after a rest is checked at once. People type
	// slower than this, and what a program inserts piece by piece is gathered.
	quiet = 25 * time.Millisecond
	// maxWait bounds the wait of a document whose author does not pause.
	maxWait = 300 * time.Millisecond
	// rest is how long nothing must happen before memory is given back.
	rest = 30 * time.Second
	// maxPublished bounds the diagnostics of one publish; one more says what is left out.
	maxPublished = 1000
	// codeLeftOut is the code of that one.
	codeLeftOut = "TP9002"
	// source names the server in each diagnostic.
	source = "toolpath"
)

// checkFunc returns the diagnostics of a document, in document order, maxPublished of
// them and one more that counts the rest. It returns early, with any result, when ctx is
// done.
type checkFunc func(ctx context.Context, snap *analysis.Snapshot, uri string) []protocol.Diagnostic

// docState says what a client's document has become.
type docState struct {
	uri      string // the key
	spelling string // as the client writes it
	open     bool   // false: nothing is to be shown any more
	atOnce   bool   // do not wait for quiet
}

// diagnoser decides when a document is checked, and publishes what is found. Its run
// goroutine is the only one that publishes, so that for each document
//   - a check reads the newest snapshot, and its result is published with the version in
//     that snapshot, only if the document has not changed since;
//   - hence never an older version follows a newer one;
//   - each state that was checked is published, an unchanged set of diagnostics as well;
//   - the set is emptied when the document is closed or deleted.
type diagnoser struct {
	ctx     context.Context
	current func() *analysis.Snapshot
	check   checkFunc
	publish func(*protocol.PublishDiagnosticsParams)
	log     *slog.Logger
	bugs    *bugs
	release func() // gives memory back to the system, once when the session rests
	news    *news
	told    func(uri string) // after a check, and what is published of it

	mu     sync.Mutex
	states map[string]docState // not yet seen by run
	wake   chan struct{}       // capacity 1: states is not empty

	// The rest belongs to run.
	docs    map[string]*checked
	queue   dueQueue
	results chan checkResult // room for all that run
	running int
	timer   *time.Timer // when the first of the queue is due
	rested  *time.Timer // when the session has rested
}

// checked is a document in the diagnoser's care.
type checked struct {
	state      docState
	generation uint64
	pending    bool
	due        time.Time          // when pending
	index      int                // in the queue, or -1
	since      time.Time          // first state that no check was started for
	changed    time.Time          // last state
	cancel     context.CancelFunc // of the running check, or nil
}

type checkResult struct {
	uri         string
	version     int32
	generation  uint64
	diagnostics []protocol.Diagnostic
}

func newDiagnoser(ctx context.Context, current func() *analysis.Snapshot, check checkFunc, publish func(*protocol.PublishDiagnosticsParams), log *slog.Logger, b *bugs, n *news, told func(uri string)) *diagnoser {
	return &diagnoser{
		ctx: ctx, current: current, check: check, publish: publish, log: log, bugs: b, news: n, told: told,
		release: debug.FreeOSMemory,
		states:  map[string]docState{},
		wake:    make(chan struct{}, 1),
		docs:    map[string]*checked{},
		results: make(chan checkResult, runtime.GOMAXPROCS(0)),
	}
}

// update tells of a document's new state. It does not wait. A state that run has not
// seen yet is replaced.
func (d *diagnoser) update(st docState) {
	d.mu.Lock()
	st.atOnce = st.atOnce || d.states[st.uri].atOnce
	d.states[st.uri] = st
	d.mu.Unlock()
	d.news.tell()
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// run is the diagnoser's goroutine. It waits for nothing but news, results and two timers,
// neither of which runs in a session that has rested: that one is idle. Memory is given
// back then because the runtime keeps what a start-up or a large document needed.
func (d *diagnoser) run() {
	d.timer, d.rested = time.NewTimer(time.Hour), time.NewTimer(rest)
	d.timer.Stop()
	defer d.timer.Stop()
	defer d.rested.Stop()
	for {
		select {
		case <-d.ctx.Done():
			for ; d.running > 0; d.running-- {
				<-d.results
			}
			return
		case <-d.wake:
			d.mu.Lock()
			states := d.states
			d.states = map[string]docState{}
			d.mu.Unlock()
			for _, st := range states {
				d.take(st, time.Now())
			}
		case r := <-d.results:
			d.running--
			d.finish(r)
		case <-d.timer.C:
		case <-d.rested.C:
			d.release()
			continue
		}
		d.rested.Reset(rest)
		d.start(time.Now())
	}
}

// take notes a new state, which makes a running check of the document worthless.
func (d *diagnoser) take(st docState, now time.Time) {
	c := d.docs[st.uri]
	if c == nil {
		c = &checked{index: -1}
		d.docs[st.uri] = c
	}
	c.state = st
	c.generation++
	if c.cancel != nil {
		c.cancel()
	}
	if !st.open {
		d.clear(c)
		return
	}
	rested := now.Sub(c.changed) >= quiet
	if !c.pending {
		c.pending, c.since = true, now
	}
	switch {
	case st.atOnce || rested:
		c.due = now
	default:
		c.due = now.Add(quiet)
		if last := c.since.Add(maxWait); c.due.After(last) {
			c.due = last
		}
	}
	c.changed = now
	d.enqueue(c)
}

// enqueue puts a pending document at its place in the queue. One whose check still runs
// waits for the end of it.
func (d *diagnoser) enqueue(c *checked) {
	switch {
	case !c.pending || c.cancel != nil:
	case c.index >= 0:
		heap.Fix(&d.queue, c.index)
	default:
		heap.Push(&d.queue, c)
	}
}

// clear empties a document's set and forgets it, unless a check must end first.
func (d *diagnoser) clear(c *checked) {
	c.pending = false
	if c.index >= 0 {
		heap.Remove(&d.queue, c.index)
	}
	d.publish(&protocol.PublishDiagnosticsParams{URI: uri.URI(c.state.spelling)})
	if c.cancel == nil {
		delete(d.docs, c.state.uri)
	}
}

// start begins the checks that are due, one per document and as many as there are
// processors, and sets the timer for the next one.
func (d *diagnoser) start(now time.Time) {
	d.timer.Stop()
	for d.running < cap(d.results) && len(d.queue) > 0 {
		if wait := d.queue[0].due.Sub(now); wait > 0 {
			d.timer.Reset(wait)
			return
		}
		d.begin(heap.Pop(&d.queue).(*checked))
	}
}

// begin starts a check of the newest snapshot. A document that is not open there has
// been closed meanwhile.
func (d *diagnoser) begin(c *checked) {
	c.pending = false
	snap := d.current()
	doc := snap.Document(c.state.uri)
	if doc == nil || !doc.Open {
		c.state.open = false
		d.clear(c)
		return
	}
	ctx, cancel := context.WithCancel(d.ctx)
	c.cancel = cancel
	d.running++
	r := checkResult{uri: c.state.uri, version: doc.Version, generation: c.generation}
	go func() {
		defer cancel()
		r.diagnostics = d.guarded(ctx, snap, r)
		d.results <- r
	}()
}

// guarded runs the check; a panic becomes a diagnostic that says so.
func (d *diagnoser) guarded(ctx context.Context, snap *analysis.Snapshot, r checkResult) (found []protocol.Diagnostic) {
	start := time.Now()
	defer func() {
		if v := recover(); v != nil {
			d.bugs.record(d.log, "check", v)
			found = []protocol.Diagnostic{newDiagnostic(protocol.Range{}, protocol.DiagnosticSeverityInformation, "",
				"this document was not checked: the server has a bug here; its log has the details")}
		}
		d.log.Debug("checked", "uri", r.uri, "version", r.version, "found", len(found), "dur", time.Since(start), "cancelled", ctx.Err() != nil)
	}()
	return d.check(ctx, snap, r.uri)
}

// finish publishes a result unless the document has changed since.
func (d *diagnoser) finish(r checkResult) {
	defer d.told(r.uri)
	c := d.docs[r.uri]
	c.cancel = nil
	d.enqueue(c)
	switch doc := d.current().Document(r.uri); {
	case !c.state.open && !c.pending:
		delete(d.docs, r.uri)
	case !c.state.open || c.generation != r.generation || doc == nil || doc.Version != r.version:
	default:
		d.publish(&protocol.PublishDiagnosticsParams{
			URI:         uri.URI(c.state.spelling),
			Version:     protocol.NewOptional(r.version),
			Diagnostics: r.diagnostics,
		})
	}
}

// dueQueue orders pending documents by the time at which they are due; it implements
// [heap.Interface].
type dueQueue []*checked

func (q dueQueue) Len() int           { return len(q) }
func (q dueQueue) Less(i, j int) bool { return q[i].due.Before(q[j].due) }

func (q dueQueue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

func (q *dueQueue) Push(x any) {
	c := x.(*checked)
	c.index = len(*q)
	*q = append(*q, c)
}

func (q *dueQueue) Pop() any {
	last := len(*q) - 1
	c := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	c.index = -1
	return c
}

// mostSevere splits findings into the limit most severe ones (1 is the worst) and the
// rest, both in the order in which they came.
func mostSevere[T any](all []T, limit int, severity func(T) int) (kept, left []T) {
	if len(all) <= limit {
		return all, nil
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return severity(all[a]) - severity(all[b]) })
	slices.Sort(order[:limit])
	slices.Sort(order[limit:])
	for i, k := range order {
		if i < limit {
			kept = append(kept, all[k])
		} else {
			left = append(left, all[k])
		}
	}
	return kept, left
}

// newDiagnostic returns a diagnostic with all members that the protocol demands: the
// zero value would be sent with a null message. An empty code is left out.
func newDiagnostic(r protocol.Range, severity protocol.DiagnosticSeverity, code, message string) protocol.Diagnostic {
	d := protocol.Diagnostic{
		Range:    r,
		Severity: severity,
		Source:   protocol.NewOptional(source),
		Message:  protocol.String(message),
	}
	if code != "" {
		d.Code = protocol.String(code)
	}
	return d
}
