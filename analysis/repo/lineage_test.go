package repo

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage"
)

const lineageVectors = "../../../shared/lineage-vectors"

func needLineageVectors(t testing.TB) {
	t.Helper()
	if _, err := os.Stat(lineageVectors); err != nil {
		t.Skip("needs ../shared/lineage-vectors beside the repository; nothing to install")
	}
}

func writeOf(n int) lineage.Write {
	return lineage.Write{ArtifactPath: fmt.Sprintf("src/%d.go", n), ContentHash: lineage.ContentHash([]byte{byte(n)}),
		Actor: "agent:a", StepID: fmt.Sprint("step-", n), Timestamp: big.NewInt(int64(n))}
}

var testKey = lineage.NewKey([]byte("secret"))

// record appends writes to the spine of run r.
func record(t testing.TB, folder string, numbers ...int) {
	t.Helper()
	s, err := OpenSpine(t.Context(), folder, "r", lineage.ProfileLegacy, testKey)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, n := range numbers {
		if _, err := s.Record(writeOf(n)); err != nil {
			t.Fatal(err)
		}
	}
}

func verdict(t testing.TB, folder string) lineage.SpineVerdict {
	t.Helper()
	v, err := VerifySpine(t.Context(), filepath.Join(folder, "r"), testKey, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestRecordedSpineVerifies(t *testing.T) {
	folder := filepath.Join(t.TempDir(), ".sdd", "lineage")
	if v := verdict(t, folder); v.Status != lineage.StatusNoEntries {
		t.Errorf("before: %+v", v)
	}
	record(t, folder, 1, 2)
	record(t, folder, 3)
	v := verdict(t, folder)
	if v.Status != lineage.StatusOK || v.Count != 3 || !v.HeadSigned || v.StricterCount != 0 {
		t.Errorf("%+v", v)
	}
	events, err := os.ReadFile(filepath.Join(folder, "r", "artifact-events.jsonl"))
	if err != nil || bytes.Count(events, []byte("\n")) != 3 {
		t.Errorf("%s, %v", events, err)
	}
}

// Writers of one run take turns, so that the chain never forks.
func TestWritersTakeTurns(t *testing.T) {
	folder := t.TempDir()
	const writers, rows = 6, 5
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range rows {
				s, err := OpenSpine(t.Context(), folder, "r", lineage.ProfileLegacy, testKey)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := s.Record(writeOf(w*rows + i)); err != nil {
					t.Error(err)
				}
				s.Close()
			}
		})
	}
	wg.Wait()
	if v := verdict(t, folder); v.Status != lineage.StatusOK || v.Count != writers*rows || !v.HeadSigned {
		t.Errorf("%+v", v)
	}
}

// Wherever a writer is interrupted, the next one goes on with a spine that verifies, and no
// row that was acknowledged is lost.
func TestInterruptedWriter(t *testing.T) {
	folder := t.TempDir()
	record(t, folder, 1, 2)
	log := filepath.Join(folder, "r", spineFile)
	two, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	head, err := os.ReadFile(filepath.Join(folder, "r", headFile))
	if err != nil {
		t.Fatal(err)
	}
	record(t, folder, 3)
	three, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for cut := len(two); cut <= len(three); cut += 7 {
		if err := errors.Join(os.WriteFile(log, three[:cut], 0o644), os.WriteFile(filepath.Join(folder, "r", headFile), head, 0o644)); err != nil {
			t.Fatal(err)
		}
		record(t, folder, 4)
		v := verdict(t, folder)
		if v.Status != lineage.StatusOK || v.Count < 3 || !v.HeadSigned || v.StricterCount != 0 {
			t.Fatalf("cut at %d: %+v", cut, v)
		}
	}
	if err := os.WriteFile(log, three[:len(three)-1], 0o644); err != nil { // all but the newline
		t.Fatal(err)
	}
	record(t, folder, 4)
	if v := verdict(t, folder); v.Status != lineage.StatusOK || v.Count != 4 {
		t.Errorf("a row without its newline is lost: %+v", v)
	}
	torn, err := os.ReadFile(log + ".torn")
	if err != nil || !bytes.Contains(torn, three[len(two):len(two)+7]) {
		t.Errorf("what was cut off is not kept: %q, %v", torn, err)
	}
}

func TestSpineThatCannotBeContinued(t *testing.T) {
	folder := t.TempDir()
	record(t, folder, 1)
	if _, err := OpenSpine(t.Context(), folder, "r", lineage.ProfileLegacy, lineage.NewKey([]byte("other"))); !errors.Is(err, ErrSpineUnreadable) {
		t.Errorf("with another key: %v", err)
	}
	log := filepath.Join(folder, "r", spineFile)
	before, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(log, append(before, "nonsense\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenSpine(t.Context(), folder, "r", lineage.ProfileLegacy, testKey); !errors.Is(err, ErrSpineUnreadable) {
		t.Errorf("after a line that is no row: %v", err)
	}
	for _, id := range []string{"", "..", "a/b", "../x"} {
		if _, err := OpenSpine(t.Context(), folder, id, lineage.ProfileLegacy, testKey); err == nil {
			t.Errorf("run %q is opened", id)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := os.WriteFile(log, before, 0o644); err != nil {
		t.Fatal(err)
	}
	held, err := OpenSpine(ctx, folder, "r", lineage.ProfileLegacy, testKey)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	cancel()
	if _, err := OpenSpine(ctx, folder, "r", lineage.ProfileLegacy, testKey); !errors.Is(err, context.Canceled) {
		t.Errorf("while another holds it: %v", err)
	}
}

// A folder of a run that links to elsewhere is not written through.
func TestSpineIsNotWrittenThroughLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs symbolic links; on Windows turn on developer mode")
	}
	folder, elsewhere := t.TempDir(), t.TempDir()
	if err := os.Symlink(elsewhere, filepath.Join(folder, "r")); err != nil {
		t.Fatal(err)
	}
	if s, err := OpenSpine(t.Context(), folder, "r", lineage.ProfileLegacy, testKey); err == nil {
		s.Close()
		t.Error("a run that is a link out of the folder is opened")
	}
	if entries, err := os.ReadDir(elsewhere); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestLineageKey(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "deep", "audit.key")
	if _, err := ReadLineageKey(t.Context(), path); !errors.Is(err, ErrNoKey) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a key that is missing: %v", err)
	}
	if _, err := os.Stat(filepath.Dir(path)); !errors.Is(err, fs.ErrNotExist) {
		t.Error("reading a key makes its folder")
	}
	if err := CreateLineageKey(path); err != nil {
		t.Fatal(err)
	}
	if err := CreateLineageKey(path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a key is made where one is: %v", err)
	}
	if _, err := ReadLineageKey(t.Context(), path); err != nil {
		t.Error(err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	for _, mode := range []fs.FileMode{0o640, 0o604, 0o601, 0o777} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadLineageKey(t.Context(), path); !errors.Is(err, ErrKeyMode) {
			t.Errorf("mode %04o: %v", mode, err)
		}
	}
	env := map[string]string{"HOME": "/h"}
	get := func(name string) string { return env[name] }
	for _, c := range []struct{ name, value, want string }{
		{"HOME", "/h", "/h/.local/state/bernstein/audit.key"},
		{"XDG_STATE_HOME", "/s", "/s/bernstein/audit.key"},
		{"BERNSTEIN_AUDIT_KEY_PATH", "~/k", "/h/k"},
	} {
		env[c.name] = c.value
		if got := LineageKeyPath("", get); got != c.want {
			t.Errorf("with %s: %s, want %s", c.name, got, c.want)
		}
	}
	if got := LineageKeyPath("x", get); got != "x" {
		t.Errorf("%s", got)
	}
}

func TestAppendSigned(t *testing.T) {
	folder := t.TempDir()
	by := lineage.Signer{AgentID: "agent:a", Kid: "k", Key: ed25519.NewKeyFromSeed(make([]byte, 32)), Secret: []byte("s")}
	seal := lineage.Seal{ArtefactPath: "a.go", ArtefactKind: "file", ContentHash: lineage.ContentHash(nil), ToolCallID: "t", SpanID: "0", TsNS: big.NewInt(1)}
	first, err := AppendSigned(t.Context(), folder, seal, by)
	if err != nil {
		t.Fatal(err)
	}
	second, err := AppendSigned(t.Context(), folder, seal, by)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(second.Parents, []string{first.Hash()}) {
		t.Errorf("the second version was made of %q", second.Parents)
	}
	f, err := LineageFolder(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	v, err := lineage.Gate(f, nil, lineage.GateOptions{Secret: by.Secret})
	if err != nil || len(v.Failures) != 2 || v.Failures[0].Kind != lineage.NoCard {
		t.Errorf("%+v, %v", v, err)
	}
	tips, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(lineage.TipsFile("a.go"))))
	if want := `{"merged":[],"open":["` + second.Hash() + `"]}`; err != nil || string(tips) != want {
		t.Errorf("%s, %v", tips, err)
	}
}

// mergeCase is one of the merges of the vectors.
type mergeCase struct {
	Case, Before, After, Function string
	RunID                         string `json:"run_id"`
	DefaultBranch                 string `json:"default_branch"`
	Environment                   map[string]string
	Expect                        struct {
		Result struct {
			Recorded   []string
			Oversize   []string `json:"skipped_oversize"`
			Unreadable []string
			Seen       int `json:"total_seen"`
			Raises     string
		}
		SpineVerify string `json:"spine_verify"`
		Rows        []struct {
			Deleted bool
		}
	}
}

// Merges of a real repository are recorded byte for byte, and every row is confirmed from
// the repository alone.
func TestMergeVectors(t *testing.T) {
	needLineageVectors(t)
	src, err := os.ReadFile(filepath.Join(lineageVectors, "merge", "cases.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases struct {
		Actor, Model string
		Cases        []mergeCase
	}
	if err := json.Unmarshal(src, &cases); err != nil {
		t.Fatal(err)
	}
	bundle, err := filepath.Abs(filepath.Join(lineageVectors, "merge", "repo.bundle"))
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(realTempDir(t), "r")
	runGit(t, "", "init", "-q", "-b", "main", root)
	runGit(t, "", "-C", root, "fetch", "-q", "--update-head-ok", bundle, "refs/heads/*:refs/heads/*")
	runGit(t, "", "-C", root, "symbolic-ref", "HEAD", "refs/heads/run/x")
	refs := string(runGit(t, "", "-C", root, "for-each-ref"))
	keySrc, err := os.ReadFile(filepath.Join(lineageVectors, "keys", "audit.key"))
	if err != nil {
		t.Fatal(err)
	}
	key := lineage.KeyFromFile(keySrc)
	g := newGit(t, GitOptions{})
	folder := t.TempDir()
	for _, c := range cases.Cases {
		t.Run(c.Case, func(t *testing.T) {
			m := MergeRecord{Root: root, Before: c.Before, After: c.After, Prefix: lineage.MergePrefix, Actor: cases.Actor, Model: cases.Model,
				Trace: lineage.TraceFrom(func(name string) string { return c.Environment[name] })}
			clock := int64(1700000000000000000)
			m.Now = func() int64 { clock++; return clock }
			if c.Function == "record_run_branch_artifacts" {
				m.Prefix = lineage.RunBranchPrefix
				trunk := c.DefaultBranch
				if trunk == "" {
					trunk = "main"
				}
				if m.Before, m.After, err = g.RunBranch(t.Context(), root, trunk); err != nil {
					t.Fatal(err)
				}
			}
			spine, err := OpenSpine(t.Context(), folder, c.RunID, lineage.ProfileLegacy, key)
			if err != nil {
				t.Fatal(err)
			}
			result, err := g.RecordMerge(t.Context(), spine, m)
			spine.Close()
			want := c.Expect.Result
			if want.Raises != "" {
				if err == nil {
					t.Errorf("no error where the recorder fails with %s", want.Raises)
				}
			} else if got := fmt.Sprint(result.Recorded, result.Oversize, result.Unreadable, result.Seen); err != nil ||
				got != fmt.Sprint(want.Recorded, want.Oversize, want.Unreadable, want.Seen) {
				t.Errorf("%s, %v; want %+v", got, err, want)
			}
			run := filepath.Join(folder, c.RunID)
			i := 0
			v, err := VerifySpine(t.Context(), run, key, func(r lineage.SpineRow) {
				state, reason := g.CheckMergeRow(t.Context(), root, *r.Row)
				expect := lineage.MergeRowMatches
				if c.Expect.Rows[i].Deleted {
					expect = lineage.MergeRowDeleted
				}
				if state != expect {
					t.Errorf("%s: %s %s", r.Row.ArtifactPath, state, reason)
				}
				i++
				changed := *r.Row
				changed.ContentHash = lineage.ContentHash([]byte("other"))
				if state, _ := g.CheckMergeRow(t.Context(), root, changed); state != lineage.MergeRowDiffers {
					t.Errorf("%s with another hash: %s", r.Row.ArtifactPath, state)
				}
			})
			if err != nil || string(v.Status) != c.Expect.SpineVerify || i != len(c.Expect.Rows) {
				t.Errorf("%+v with %d rows, %v; want %s with %d", v, i, err, c.Expect.SpineVerify, len(c.Expect.Rows))
			}
			for _, name := range []string{spineFile, headFile, "artifact-events.jsonl"} {
				wantSrc, err := os.ReadFile(filepath.Join(lineageVectors, "merge", "lineage", c.RunID, name))
				if errors.Is(err, fs.ErrNotExist) {
					continue
				}
				if got, err := os.ReadFile(filepath.Join(run, name)); err != nil || !bytes.Equal(got, wantSrc) {
					t.Errorf("%s is\n%s\nwant\n%s", name, got, wantSrc)
				}
			}
		})
	}
	if now := string(runGit(t, "", "-C", root, "for-each-ref")); now != refs {
		t.Errorf("recording changed the repository:\n%s\nbefore\n%s", now, refs)
	}
}

// The same without the vectors: what rows say is found in the repository again.
func TestMergeRows(t *testing.T) {
	r := initRepository(t, "r")
	before := r.commit(t, file{"100644", "a.txt", "1"}, file{"100644", "gone.txt", "x"})
	after := r.commit(t, file{"100644", "a.txt", "2"}, file{"100644", "dir/b c\n.txt", "3"}, file{"120000", "link", "a.txt"},
		file{"160000", "sub", strings.Repeat("1", 40)}, file{"100644", "empty.txt", ""})
	g := newGit(t, GitOptions{})
	folder := t.TempDir()
	spine, err := OpenSpine(t.Context(), folder, "r", lineage.ProfileLegacy, testKey)
	if err != nil {
		t.Fatal(err)
	}
	defer spine.Close()
	result, err := g.RecordMerge(t.Context(), spine, MergeRecord{Root: r.root, Before: before, After: after, Prefix: lineage.MergePrefix,
		Actor: "agent:a", Now: func() int64 { return 1 }})
	if err != nil || !slices.Equal(result.Recorded, []string{"a.txt", "dir/b c\n.txt", "empty.txt", "gone.txt", "link"}) || !slices.Equal(result.Unreadable, []string{"sub"}) {
		t.Fatalf("%+v, %v", result, err)
	}
	err = spine.Rows(func(row lineage.Row) {
		want := lineage.MergeRowMatches
		if row.ArtifactPath == "gone.txt" {
			want = lineage.MergeRowDeleted
		}
		if state, why := g.CheckMergeRow(t.Context(), r.root, row); state != want {
			t.Errorf("%s: %s %s", row.ArtifactPath, state, why)
		}
		row.StepID = lineage.MergePrefix + strings.Repeat("0", 40)
		if state, _ := g.CheckMergeRow(t.Context(), r.root, row); state != lineage.MergeRowUnverified {
			t.Errorf("%s of a commit that is not there: %s", row.ArtifactPath, state)
		}
		row.StepID = lineage.MergePrefix + "HEAD"
		if state, _ := g.CheckMergeRow(t.Context(), r.root, row); state != lineage.MergeRowUnverified {
			t.Errorf("%s of a name that moves: %s", row.ArtifactPath, state)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}
