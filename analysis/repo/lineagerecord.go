package repo

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage"
)

// ErrSpineUnreadable: a spine cannot be continued; nothing was written.
var ErrSpineUnreadable = errors.New("the spine cannot be continued")

// CreateLineageKey makes a new master key where there is none. Errors:
// [fs.ErrExist].
func CreateLineageKey(path string) error {
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	secret := make([]byte, 32)
	rand.Read(secret) // never fails
	_, err = f.WriteString(hex.EncodeToString(secret))
	return errors.Join(err, f.Sync(), f.Close())
}

// Spine is a run's spine that is held for writing. Others that hold it wait.
// Close it after use.
type Spine struct {
	root    *os.Root // the run's folder
	lock    *os.File
	log     *os.File
	runID   string
	key     *lineage.Key
	profile lineage.Profile
	prev    string // the hash of the last row
	count   int    // rows
}

// OpenSpine takes the lock of a run below the lineage folder and finds the end
// of its spine. Both are made if they are missing.
//
// A last row that is whole but lacks its newline is given one; what an
// interrupted writer left of a row is moved to spine.jsonl.torn. A last row
// that is none, or whose tag is not of this key, is an error of the kind
// [ErrSpineUnreadable]: what follows it would not verify.
func OpenSpine(ctx context.Context, lineageFolder, runID string, profile lineage.Profile, key *lineage.Key) (*Spine, error) {
	if err := lineage.CheckRunID(runID); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(lineageFolder, 0o755); err != nil {
		return nil, err
	}
	top, err := os.OpenRoot(lineageFolder)
	if err != nil {
		return nil, err
	}
	defer top.Close()
	if err := top.Mkdir(runID, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	s := &Spine{runID: runID, key: key, profile: profile}
	if s.root, err = top.OpenRoot(runID); err != nil {
		return nil, err
	}
	if err := s.open(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Spine) open(ctx context.Context) (err error) {
	if s.lock, err = s.root.OpenFile(".spine.lock", os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644); err != nil {
		return err
	}
	if err := lockFile(ctx, s.lock); err != nil {
		return fmt.Errorf("run %s: the spine is held by another writer: %w", s.runID, err)
	}
	if s.log, err = s.root.OpenFile(spineFile, os.O_RDWR|os.O_CREATE|openNonblock, 0o644); err != nil {
		return err
	}
	st, err := s.log.Stat()
	if err != nil {
		return err
	}
	if !st.Mode().IsRegular() {
		return notRegular(spineFile, st.Mode())
	}
	return s.findEnd(st.Size())
}

// findEnd repairs the end of the spine, and finds the last row.
func (s *Spine) findEnd(size int64) error {
	last, start, err := lastLine(s.log, size)
	if err != nil {
		return err
	}
	if last == nil {
		return nil
	}
	torn := last[len(last)-1] != '\n'
	text := bytes.TrimRight(last, "\n")
	row, err := lineage.ParseRow(text)
	if err != nil && torn {
		if err := s.setAside(last, start); err != nil {
			return err
		}
		return s.findEnd(start)
	}
	if err != nil {
		return fmt.Errorf("%w: its last row is none: %v", ErrSpineUnreadable, err)
	}
	if !row.Verify(s.key) {
		return fmt.Errorf("%w: its last row was changed, or was written with another key", ErrSpineUnreadable)
	}
	if torn {
		if _, err := s.log.WriteAt([]byte{'\n'}, size); err != nil {
			return err
		}
	}
	s.prev = row.EntryHash
	if s.count, err = s.countRows(); err != nil {
		return err
	}
	_, err = s.log.Seek(0, io.SeekEnd)
	return err
}

// setAside moves what an interrupted writer left to a file of its own.
func (s *Spine) setAside(torn []byte, start int64) error {
	f, err := s.root.OpenFile(spineFile+".torn", os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(torn, '\n'))
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return s.log.Truncate(start)
}

// lastLine returns the last line of a file that is not blank, with what ends
// it, and where it starts; nil if there is none.
func lastLine(f io.ReaderAt, size int64) ([]byte, int64, error) {
	const step = 64 << 10
	var tail []byte
	start := size
	for start > 0 {
		n := min(step, start)
		start -= n
		block := make([]byte, n, n+int64(len(tail)))
		if _, err := f.ReadAt(block, start); err != nil {
			return nil, 0, err
		}
		tail = append(block, tail...)
		text := bytes.TrimRight(tail, "\n")
		if at := bytes.LastIndexByte(text, '\n'); len(text) > 0 && at >= 0 {
			return tail[at+1:], start + int64(at) + 1, nil
		}
		if len(tail) > lineage.MaxLine+step {
			return nil, 0, fmt.Errorf("%w: its last line has more than %d bytes", ErrSpineUnreadable, lineage.MaxLine)
		}
	}
	if len(bytes.TrimRight(tail, "\n")) == 0 {
		return nil, 0, nil
	}
	return tail, 0, nil
}

// countRows counts the lines up to the last row: as the head says if the head
// is right, else by reading all.
func (s *Spine) countRows() (int, error) {
	if src, err := s.root.ReadFile(headFile); err == nil {
		if n, ok := lineage.ParseHead(src).Counts(s.prev, s.key); ok {
			return n, nil
		}
	}
	if _, err := s.log.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	count, blank := 0, 0
	buf := make([]byte, 64<<10)
	line := 0 // bytes of the line so far
	for {
		n, err := s.log.Read(buf)
		for _, c := range buf[:n] {
			switch {
			case c != '\n':
				line++
			case line == 0:
				blank++
			default:
				count, blank, line = count+blank+1, 0, 0
			}
		}
		if errors.Is(err, io.EOF) {
			if line > 0 {
				count += blank + 1
			}
			return count, nil
		} else if err != nil {
			return 0, err
		}
	}
}

// Record appends the row of a write, and returns it. When it returns without
// an error, the row is on disk. Errors: those of [lineage.NewRow], and of
// writing; after one of the latter the spine must be opened again.
func (s *Spine) Record(w lineage.Write) (lineage.Row, error) {
	row, line, err := lineage.NewRow(w, s.prev, s.profile, s.key)
	if err != nil {
		return row, err
	}
	if _, err := s.log.Seek(0, io.SeekEnd); err != nil {
		return row, err
	}
	if _, err := s.log.Write(append(line, '\n')); err != nil {
		return row, err
	}
	if err := s.log.Sync(); err != nil {
		return row, err
	}
	s.prev = row.EntryHash
	s.count++
	if err := s.replace(headFile, lineage.NewHead(s.count, s.prev, s.profile, s.key)); err != nil {
		return row, err
	}
	// The side journal can be derived again; it never fails a write.
	if event, err := lineage.WriteEvent(s.runID, row); err == nil {
		if f, err := s.root.OpenFile("artifact-events.jsonl", os.O_WRONLY|os.O_CREATE|os.O_APPEND|openNonblock, 0o644); err == nil {
			f.Write(append(event, '\n'))
			f.Close()
		}
	}
	return row, nil
}

// replace writes a file such that it is the old or the new one, never a part.
func (s *Spine) replace(name string, content []byte) error { return replaceFile(s.root, name, content) }

func replaceFile(root *os.Root, name string, content []byte) error {
	temporary := name + ".tmp"
	f, err := root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|openNonblock, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return root.Rename(temporary, name)
}

// Rows calls the function for each row that can be read, from the first.
func (s *Spine) Rows(each func(lineage.Row)) error {
	st, err := s.log.Stat()
	if err != nil {
		return err
	}
	_, err = lineage.VerifySpine(io.NewSectionReader(s.log, 0, st.Size()), lineage.ParseHead(nil), nil, func(r lineage.SpineRow) {
		if r.Row != nil {
			each(*r.Row)
		}
	})
	return err
}

// Close lets the spine go.
func (s *Spine) Close() error {
	var err error
	if s.log != nil {
		err = s.log.Close()
	}
	if s.lock != nil {
		err = errors.Join(err, unlockFile(s.lock), s.lock.Close())
	}
	return errors.Join(err, s.root.Close())
}

// AppendSigned seals a version and appends its entry to the signed log of a
// lineage folder: the log first, then what follows from it, the artifact's own
// log, its tips and the entry's signature.
//
// The tips are derived from the log of the artifact, which is made anew from
// the signed log when the two disagree.
func AppendSigned(ctx context.Context, lineageFolder string, seal lineage.Seal, by lineage.Signer) (*lineage.Entry, error) {
	if err := os.MkdirAll(lineageFolder, 0o755); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(lineageFolder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	log, err := root.OpenFile(lineage.LogFile, os.O_RDWR|os.O_CREATE|os.O_APPEND|openNonblock, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	if err := lockFile(ctx, log); err != nil {
		return nil, fmt.Errorf("the signed log is held by another writer: %w", err)
	}
	defer unlockFile(log)
	tips, own, err := tipsOf(log, seal.ArtefactPath)
	if err != nil {
		return nil, err
	}
	entry, jws, err := lineage.SealWrite(seal, tips.Open, by)
	if err != nil {
		return nil, err
	}
	line := append(bytes.Clone(entry.Canonical()), '\n')
	if _, err := log.Write(line); err != nil {
		return nil, err
	}
	if err := log.Sync(); err != nil {
		return nil, err
	}
	tips.Add(entry)
	signature := lineage.SignatureFile(seal.ArtefactPath, entry.Hash())
	for _, f := range []struct {
		name    string
		content []byte
	}{
		{lineage.ProjectionFile(seal.ArtefactPath), append(own, line...)},
		{lineage.TipsFile(seal.ArtefactPath), tips.Bytes()},
		{signature, []byte(jws)},
	} {
		if err := root.MkdirAll(filepath.Dir(filepath.FromSlash(f.name)), 0o755); err != nil {
			return entry, err
		}
		if err := replaceFile(root, f.name, f.content); err != nil {
			return entry, err
		}
	}
	return entry, nil
}

// tipsOf returns the tips of an artifact and its lines of the log.
func tipsOf(log *os.File, artefactPath string) (tips lineage.Tips, own []byte, err error) {
	src, err := io.ReadAll(io.LimitReader(log, lineage.MaxLog+1))
	if err != nil {
		return tips, nil, err
	}
	if len(src) > lineage.MaxLog {
		return tips, nil, &TooLargeError{Path: lineage.LogFile, Size: int64(len(src)), Limit: lineage.MaxLog}
	}
	if len(src) > 0 && src[len(src)-1] != '\n' {
		return tips, nil, fmt.Errorf("the signed log does not end in a newline: an entry was cut off; remove what follows the last newline")
	}
	for line := range bytes.Lines(src) {
		text := bytes.TrimSuffix(line, []byte("\n"))
		if len(text) == 0 {
			continue
		}
		e, err := lineage.ParseEntry(text)
		if err != nil {
			return tips, nil, fmt.Errorf("the signed log has a line that is no entry: %w", err)
		}
		if e.ArtefactPath == artefactPath {
			tips.Add(e)
			own = append(own, line...)
		}
	}
	return tips, own, nil
}

// lockPause is how long a writer waits before it asks for a lock again.
const lockPause = 10 * time.Millisecond

// lockFile waits for the lock of a file.
func lockFile(ctx context.Context, f *os.File) error {
	for {
		held, err := tryLock(f)
		if held || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(lockPause):
		}
	}
}
