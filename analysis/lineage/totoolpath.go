package lineage

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"time"
)

// Run is a run whose spine is to be written as a Toolpath document.
type Run struct {
	ID   string
	Rows []Row
}

// The parts of a Toolpath document that lineage fills.
type (
	tpDocument struct {
		Graph tpIdentity `json:"graph"`
		Paths []tpPath   `json:"paths"`
	}
	tpPath struct {
		Path  tpIdentity     `json:"path"`
		Steps []*tpStep      `json:"steps"`
		Meta  map[string]any `json:"meta"`
	}
	tpIdentity struct {
		ID   string `json:"id"`
		Head string `json:"head,omitempty"`
	}
	tpStep struct {
		Step struct {
			ID        string   `json:"id"`
			Parents   []string `json:"parents,omitempty"`
			Actor     string   `json:"actor"`
			Timestamp string   `json:"timestamp"`
		} `json:"step"`
		Change map[string]any `json:"change"`
		Meta   map[string]any `json:"meta"`
	}
)

// ToToolpath writes runs, and the entries of a signed log, as a Toolpath document: a path
// for each run, and one for the log. Rows that follow each other with the same step, actor
// and model are one step. A step says for each artifact the hash of the content that was
// written, under the structural operation "lineage.write" and in meta.lineage; what was there before is not
// recorded in lineage, and so not here. Nothing of it is verified.
func ToToolpath(graph string, runs []Run, entries []*Entry) ([]byte, error) {
	d := tpDocument{Graph: tpIdentity{ID: graph}}
	for _, r := range runs {
		if len(r.Rows) > 0 {
			d.Paths = append(d.Paths, runPath(r))
		}
	}
	if len(entries) > 0 {
		d.Paths = append(d.Paths, logPath(entries))
	}
	if len(d.Paths) == 0 {
		return nil, errors.New("there is nothing recorded that could be written")
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(d); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func runPath(r Run) tpPath {
	p := tpPath{Path: tpIdentity{ID: r.ID}, Meta: map[string]any{"title": "Run " + r.ID, "lineage": map[string]any{"run_id": r.ID}}}
	ids := uniqueIDs{}
	var last *tpStep
	var before Row
	contents := map[string]string{} // of the step, by artifact
	for _, row := range r.Rows {
		same := last != nil && before.StepID == row.StepID && before.Actor == row.Actor && before.Model == row.Model && last.Change[row.ArtifactPath] == nil
		if !same {
			next := &tpStep{Change: map[string]any{}, Meta: map[string]any{}}
			next.Step.ID = ids.of(orText(row.StepID, "row"))
			next.Step.Actor = toolpathActor(row.Actor)
			next.Step.Timestamp = toolpathTime(row.Timestamp)
			if last != nil {
				next.Step.Parents = []string{last.Step.ID}
			}
			contents = map[string]string{}
			facts := map[string]any{"actor": row.Actor, "step_id": row.StepID, "content_hash": contents}
			if row.Model != "" {
				facts["model"] = row.Model
			}
			if c := row.Commit(); c != "" {
				next.Meta["source"] = map[string]string{"type": "git", "revision": c}
			}
			next.Meta["lineage"] = facts
			last = next
			p.Steps = append(p.Steps, next)
		}
		contents[row.ArtifactPath] = row.ContentHash
		last.Change[row.ArtifactPath] = write(row.ContentHash, row.EntryHash, row.Timestamp)
		before = row
	}
	p.Path.Head = last.Step.ID
	return p
}

func logPath(entries []*Entry) tpPath {
	p := tpPath{Path: tpIdentity{ID: "signed-log"}, Meta: map[string]any{"title": "Signed lineage log"}}
	ids, byHash := uniqueIDs{}, map[string]string{}
	for _, e := range entries {
		s := &tpStep{Change: map[string]any{e.ArtefactPath: write(e.ContentHash, e.hash, e.TsNS)}}
		s.Step.ID = ids.of("entry-" + e.hash[len(hashPrefix):][:12])
		byHash[e.hash] = s.Step.ID
		for _, parent := range e.Parents {
			if id := byHash[parent]; id != "" && id != s.Step.ID {
				s.Step.Parents = append(s.Step.Parents, id)
			}
		}
		s.Step.Actor = toolpathActor(e.AgentID)
		s.Step.Timestamp = toolpathTime(e.TsNS)
		facts := map[string]any{"actor": e.AgentID, "tool_call_id": e.ToolCallID, "artefact_kind": e.ArtefactKind,
			"content_hash": map[string]string{e.ArtefactPath: e.ContentHash}}
		for name, value := range map[string]string{"model": e.Model(), "trust_class": e.TrustClass, "sensitivity": e.Sensitivity} {
			if value != "" {
				facts[name] = value
			}
		}
		s.Meta = map[string]any{"lineage": facts}
		p.Steps = append(p.Steps, s)
	}
	p.Path.Head = p.Steps[len(p.Steps)-1].Step.ID
	return p
}

// write is the change of an artifact.
func write(contentHash, entryHash string, at *big.Int) map[string]any {
	w := map[string]any{"type": "lineage.write", "content_hash": contentHash, "entry_hash": entryHash}
	if at != nil {
		w["timestamp"] = json.Number(at.String())
	}
	return map[string]any{"structural": w}
}

// uniqueIDs makes the ids of a path's steps differ.
type uniqueIDs map[string]int

func (u uniqueIDs) of(id string) string {
	for {
		u[id]++
		if u[id] == 1 {
			return id
		}
		numbered := fmt.Sprintf("%s#%d", id, u[id])
		if u[numbered] == 0 {
			u[numbered] = 1
			return numbered
		}
	}
}

var (
	actorOfToolpath = regexp.MustCompile(`^(human|agent|tool|ci):[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)?$`)
	notInActor      = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)
)

// toolpathActor returns the actor as Toolpath spells it; lineage has any text for one.
func toolpathActor(actor string) string {
	if actorOfToolpath.MatchString(actor) {
		return actor
	}
	kind, name, ok := strings.Cut(actor, ":")
	if !ok || !actorOfToolpath.MatchString(kind+":x") {
		kind, name = "agent", actor
	}
	if name = strings.Trim(notInActor.ReplaceAllString(name, "-"), "-"); name == "" {
		name = "unknown"
	}
	return kind + ":" + name
}

// toolpathTime returns a time as RFC 3339. A spine's unit is not stated: what can be no time
// in nanoseconds since 1973 is taken for seconds.
func toolpathTime(at *big.Int) string {
	if at == nil || !at.IsInt64() {
		return time.Unix(0, 0).UTC().Format(time.RFC3339)
	}
	n := at.Int64()
	t := time.Unix(0, n)
	if n > -100_000_000_000_000 && n < 100_000_000_000_000 {
		t = time.Unix(n, 0)
	}
	if t = t.UTC(); t.Year() < 1 || t.Year() > 9999 {
		t = time.Unix(0, 0).UTC()
	}
	return t.Format(time.RFC3339Nano)
}
