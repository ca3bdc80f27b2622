//go:build cgo

package structural

/*
#cgo CFLAGS: -std=c11 -O2
#include <stdlib.h>
#include "parse.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"unsafe"

	_ "github.com/tree-sitter/go-tree-sitter" // the C library
)

// HasGrammars says whether the program can parse, or has the generic lexer alone.
const HasGrammars = true

func init() {
	C.tp_init()
	trimWithGC()
}

// grammar is what tree-sitter knows of a language.
type grammar struct {
	language, query unsafe.Pointer
	kinds, fields   []string
	captures        []string
	rules           []kindRule // by kind
}

func (g *grammar) kind(k uint16) string {
	if int(k) >= len(g.kinds) {
		return "ERROR" // tree-sitter gives errors the last numbers
	}
	return g.kinds[k]
}

func (g *grammar) field(f uint16) string {
	if int(f) >= len(g.fields) {
		return ""
	}
	return g.fields[f]
}

// load makes the grammar ready, once.
func (l *Language) load() error {
	l.once.Do(func() {
		g := &grammar{language: l.Grammar()}
		for k := range uint32(C.tp_kind_count(g.language)) {
			g.kinds = append(g.kinds, C.GoString(C.tp_kind_name(g.language, C.uint16_t(k))))
		}
		g.fields = append(g.fields, "")
		for f := range uint32(C.tp_field_count(g.language)) {
			g.fields = append(g.fields, C.GoString(C.tp_field_name(g.language, C.uint16_t(f+1))))
		}
		g.rules = l.Rules.byKind(g.kinds)
		if l.Query != "" {
			var at C.uint32_t
			g.query = unsafe.Pointer(C.tp_query(g.language, (*C.char)(unsafe.Pointer(unsafe.StringData(l.Query))), C.uint32_t(len(l.Query)), &at))
			if g.query == nil {
				l.broken = fmt.Errorf("the query of %s is wrong at %q", l.Name, l.Query[at:min(len(l.Query), int(at)+40)])
			}
		}
		for i := C.uint32_t(0); g.query != nil && i < C.tp_capture_count(g.query); i++ {
			var length C.uint32_t
			name := C.tp_capture_name(g.query, i, &length)
			g.captures = append(g.captures, C.GoStringN(name, C.int(length)))
		}
		l.loaded = g
	})
	return l.broken
}

// slots bound how many files are parsed at a time, for the memory that it takes.
var slots = make(chan struct{}, max(1, min(4, runtime.GOMAXPROCS(0))))

// parsed counts the bytes parsed since freed memory was last given back.
var parsed atomic.Int64

// trimAfter is how many bytes are parsed before freed memory is given back.
const trimAfter = 2 << 20

// trim gives freed memory back, if there was a parse since the last time.
func trim() {
	if parsed.Swap(0) > 0 {
		C.tp_trim()
	}
}

// trimWithGC trims whenever Go collects garbage, as it does when a session rests.
func trimWithGC() {
	type cycle struct{ _ *int }
	runtime.SetFinalizer(&cycle{}, func(*cycle) {
		trim()
		trimWithGC()
	})
}

func parse(source string, l *Language, o Options) (*Tree, error) {
	if err := l.load(); err != nil {
		return nil, err
	}
	slots <- struct{}{}
	defer func() { <-slots }()
	g := l.loaded
	query := unsafe.Pointer(nil)
	if o.Query {
		query = g.query
	}
	text := source
	if text == "" {
		text = "\n" // the C side gets no null
	}
	var r C.tp_result
	C.tp_parse(g.language, query, (*C.char)(unsafe.Pointer(unsafe.StringData(text))), C.uint32_t(len(source)),
		C.uint64_t(o.Limits.Time.Nanoseconds()), C.uint32_t(min(o.Limits.Nodes, 1<<31)), &r)
	defer func() {
		C.tp_free(&r)
		if parsed.Add(int64(len(source))) > trimAfter {
			trim()
		}
	}()
	switch r.status {
	case C.TP_TIME:
		return nil, fmt.Errorf("%w: more than %v", ErrTooSlow, o.Limits.Time)
	case C.TP_SIZE:
		return nil, fmt.Errorf("%w: more than %d nodes", ErrTooLarge, o.Limits.Nodes)
	case C.TP_LANGUAGE:
		return nil, fmt.Errorf("the grammar of %s does not fit this tree-sitter", l.Name)
	}
	t := &Tree{Language: l, Source: source, Nodes: make([]Node, r.count)}
	copy(t.Nodes, unsafe.Slice((*Node)(unsafe.Pointer(r.nodes)), r.count))
	if r.capture_count > 0 {
		t.Captures = make([]Capture, r.capture_count)
		copy(t.Captures, unsafe.Slice((*Capture)(unsafe.Pointer(r.captures)), r.capture_count))
	}
	return t, nil
}

// The C side writes what Go reads.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(Node{})-C.sizeof_tp_node]
	_ = [1]struct{}{}[unsafe.Sizeof(Capture{})-C.sizeof_tp_capture]
)
