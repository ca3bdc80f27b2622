package repo

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage"
)

const (
	maxRuns       = 10_000 // of one lineage folder
	keptPerFile   = 8      // recordings of an artifact in one log
	maxIndexed    = 256 << 20
	maxLineageSum = 1 << 20 // recordings of one log
)

// LineageIndex tells what the lineage logs around a file say of it. A log is read again
// when it has changed. Safe for concurrent use; the zero value is ready.
type LineageIndex struct {
	mu   sync.Mutex
	logs map[string]*indexedLog // by file
}

// indexedLog is what was read of a log.
type indexedLog struct {
	size     int64
	modified time.Time
	keyed    bool
	records  map[string][]lineage.Recording // by artifact, the newest first
}

// Report verifies a lineage log with that content, which may be another than the file at
// the path has; nil for what is no log. The key, spine.head, the cards and the signatures
// are read from where they belong; nothing is created. A key that is missing is told in
// the report.
func (x *LineageIndex) Report(ctx context.Context, path string, content []byte) (*lineage.LogReport, error) {
	slashed := filepath.ToSlash(path)
	switch lineage.KindOfLog(slashed, content) {
	case lineage.SpineLog:
		key, why := spineKey(ctx)
		head, err := ReadFile(ctx, filepath.Join(filepath.Dir(path), headFile), headLimit)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			head = []byte("unreadable")
		}
		return lineage.ReportSpine(content, head, key, why), ctx.Err()
	case lineage.SignedLog:
		folder, projection := filepath.Dir(path), false
		if at := strings.LastIndex(slashed, "/by-artefact/"); at >= 0 {
			folder, projection = filepath.FromSlash(slashed[:at]), true
		}
		return reportSigned(folder, content, projection)
	}
	return nil, nil
}

// spineKey returns the key of spines, or why there is none.
func spineKey(ctx context.Context) (*lineage.Key, string) {
	key, err := ReadLineageKey(ctx, LineageKeyPath("", os.Getenv))
	if errors.Is(err, ErrNoKey) {
		return nil, "the tags are not checked: there is no key (set BERNSTEIN_AUDIT_KEY_PATH)"
	} else if err != nil {
		return nil, "the tags are not checked: " + err.Error()
	}
	return key, ""
}

func reportSigned(folder string, content []byte, projection bool) (*lineage.LogReport, error) {
	log, err := LineageFolder(folder)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	var cards fs.FS
	if c, err := LineageFolder(filepath.Join(filepath.Dir(folder), "agents")); err == nil {
		defer c.Close()
		cards = c
	}
	var o lineage.GateOptions
	if secret := os.Getenv("BERNSTEIN_OPERATOR_SECRET"); secret != "" {
		o.Secret = []byte(secret)
	}
	r, err := lineage.ReportSigned(content, log, cards, o, projection)
	if err == nil {
		// Few editors have the operator's secret, and none needs to hear of it in each log.
		r.Stricter = slices.DeleteFunc(r.Stricter, func(s lineage.Stricter) bool { return s.Kind == "hmac_unchecked" })
	}
	return r, err
}

// Recorded returns what the logs of the lineage folder around a file say of it, the newest
// first.
func (x *LineageIndex) Recorded(ctx context.Context, file string) ([]lineage.Recording, error) {
	top, folder := lineageAround(file)
	if folder == "" {
		return nil, nil
	}
	rel, err := filepath.Rel(top, file)
	if err != nil {
		return nil, err
	}
	artifact := filepath.ToSlash(rel)
	key, doubt := spineKey(ctx)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fileError(folder, err)
	}
	var found []lineage.Recording
	for i, e := range entries {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if i >= maxRuns {
			break
		}
		log := filepath.Join(folder, e.Name(), spineFile)
		if e.Name() == lineage.LogFile {
			log = filepath.Join(folder, e.Name())
		}
		found = append(found, x.of(ctx, log, key, doubt)[artifact]...)
	}
	slices.SortStableFunc(found, lineage.Newer)
	return found, ctx.Err()
}

// lineageAround returns the folder at or above a file that has .sdd/lineage, and that.
func lineageAround(file string) (top, folder string) {
	for at := filepath.Dir(file); ; {
		folder := filepath.Join(at, ".sdd", "lineage")
		if st, err := os.Stat(folder); err == nil && st.IsDir() {
			return at, folder
		}
		up := filepath.Dir(at)
		if up == at {
			return "", ""
		}
		at = up
	}
}

// of returns the recordings of a log by artifact. A log that cannot be read has none.
func (x *LineageIndex) of(ctx context.Context, log string, key *lineage.Key, doubt string) map[string][]lineage.Recording {
	st, err := os.Stat(log)
	if err != nil || !st.Mode().IsRegular() || st.Size() > maxIndexed {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if known := x.logs[log]; known != nil && known.size == st.Size() && known.modified.Equal(st.ModTime()) && known.keyed == (key != nil) {
		return known.records
	}
	fresh := &indexedLog{size: st.Size(), modified: st.ModTime(), keyed: key != nil, records: map[string][]lineage.Recording{}}
	n := 0
	add := func(l lineage.LogLine, run, doubt string) {
		list := fresh.records[l.Artifact()]
		if n++; n > maxLineageSum && list == nil {
			return
		}
		list = append([]lineage.Recording{{LogLine: l, Log: log, Run: run, Doubt: doubt}}, list...)
		fresh.records[l.Artifact()] = list[:min(len(list), keptPerFile)]
	}
	if filepath.Base(log) == spineFile {
		run := filepath.Base(filepath.Dir(log))
		v, err := VerifySpine(ctx, filepath.Dir(log), key, func(r lineage.SpineRow) {
			if r.Row == nil {
				return
			}
			why := doubt
			if len(r.Faults) > 0 {
				why = "the row does not verify"
			}
			add(lineage.LogLine{Number: r.Line, Start: int(r.Offset), Faults: r.Faults, Row: r.Row}, run, why)
		})
		if err != nil {
			return nil
		}
		if v.FaultCount > 0 {
			fresh.doubt("the spine of the run does not verify")
		}
	} else {
		content, err := ReadFile(ctx, log, maxIndexed)
		if err != nil {
			return nil
		}
		r, err := reportSigned(filepath.Dir(log), content, false)
		if err != nil {
			return nil
		}
		for _, l := range r.Lines {
			if l.Entry == nil {
				continue
			}
			why := r.Unchecked
			if len(l.Faults) > 0 {
				why = "the entry does not verify"
			}
			add(l, "", why)
		}
	}
	if x.logs == nil {
		x.logs = map[string]*indexedLog{}
	}
	x.logs[log] = fresh
	return fresh.records
}

// doubt marks all recordings that are not in doubt yet.
func (l *indexedLog) doubt(why string) {
	for _, list := range l.records {
		for i := range list {
			if list[i].Doubt == "" {
				list[i].Doubt = why
			}
		}
	}
}
