package main

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/lsp"
)

// index reads all documents of a folder as the server does when it starts.
func index(tb testing.TB, folder string) (*analysis.Workspace, *files) {
	tb.Helper()
	f := newFiles(0)
	root := filepath.ToSlash(folder)
	w := newWorkspace(f, root, analysis.DefaultMaxFileSize)
	if err := f.Load(tb.Context(), w, lsp.Sources{Folders: []string{root}}, func(int, int) {}); err != nil {
		tb.Fatal(err)
	}
	return w, f
}

// live is the size of what is reachable, in bytes.
func live() int64 {
	var s runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

// Of documents that nobody has open summaries are kept, which take a fifth of their size at
// most, although these have a step in every 320 bytes.
func TestIndexKeepsSummaries(t *testing.T) {
	const documents, size = 100, 220_000
	folder := newDocuments(t, documents, size)
	before := live()
	w, f := index(t, folder)
	defer f.close()
	kept := live() - before
	if n := len(w.Snapshot().ClosedDocuments()); n != documents {
		t.Fatalf("%d documents are known", n)
	}
	t.Logf("%.1f MB of documents take %.1f MB", float64(documents*size)/1e6, float64(kept)/1e6)
	if kept > documents*size/5 {
		t.Errorf("%d bytes are kept of %d", kept, documents*size)
	}
	runtime.KeepAlive(w)
}

// BenchmarkIndexWorkspace indexes 1,000 documents of 220 kB, and reports what is kept of them.
func BenchmarkIndexWorkspace(b *testing.B) {
	folder := newDocuments(b, 1000, 220_000)
	before := live()
	for b.Loop() {
		w, f := index(b, folder)
		b.StopTimer()
		b.ReportMetric(float64(live()-before)/1e6, "MB-kept")
		runtime.KeepAlive(w)
		f.close()
		b.StartTimer()
	}
}
