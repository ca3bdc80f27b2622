package lineage

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage/pyjson"
)

// Journal is what a run's journal says of its plan.
type Journal struct {
	Plan Plan
	// Events is how many there are; lines that are no events are passed over.
	Events  int
	Skipped int
	// Head is the hash of the last event, which a spine's seal names; "" for none.
	Head string
	// Broken is the first line whose hashes are wrong, 0 where none is.
	Broken int
}

// Plan is the task graph of a run.
type Plan struct {
	Goal     string // "" where none was recorded
	Recorded bool   // tasks were recorded, it may be none
	Tasks    []Task // in the journal's order
}

// Task is one node of a plan.
type Task struct {
	ID, Role, Title string
	DependsOn       []string // sorted
}

// notPayload are the members of an event that its payload hash does not cover.
var notPayload = []string{"ts", "elapsed_s", "index", "prev_hash", "payload_hash", "event_hash"}

// ReadJournal reads a run's journal, to the last goal and the last task graph that it has.
func ReadJournal(r io.Reader) (Journal, error) {
	var j Journal
	in := newLines(r)
	for {
		l, err := in.next()
		if errors.Is(err, io.EOF) {
			return j, nil
		} else if err != nil {
			return j, err
		}
		v, err := pyjson.Parse(l.text)
		if err != nil || v.Kind() != pyjson.Object {
			if len(l.text) > 0 || l.long {
				j.Skipped++
			}
			continue
		}
		j.Events++
		if !j.follows(v) && j.Broken == 0 {
			j.Broken = l.number
		}
		hash, _ := v.Get("event_hash")
		j.Head = hash.Text()
		j.Plan.fold(v)
	}
}

// follows says whether an event's hashes are right and it follows the one before.
func (j *Journal) follows(v pyjson.Value) bool {
	prev, _ := v.Get("prev_hash")
	index, _ := v.Get("index")
	event, _ := v.Get("event")
	payloadHash, _ := v.Get("payload_hash")
	eventHash, _ := v.Get("event_hash")
	return prev.Text() == j.Head &&
		bareHash(v.Without(notPayload...)) == payloadHash.Text() &&
		bareHash(pyjson.Map(
			pyjson.Member{Name: "event_type", Value: event},
			pyjson.Member{Name: "index", Value: index},
			pyjson.Member{Name: "payload_hash", Value: payloadHash},
			pyjson.Member{Name: "prev_hash", Value: prev},
		)) == eventHash.Text()
}

// bareHash returns the hash of a value in ASCII, without a prefix.
func bareHash(v pyjson.Value) string {
	sum := sha256.Sum256(literal(v))
	return hex.EncodeToString(sum[:])
}

// fold takes an event into the plan.
func (p *Plan) fold(v pyjson.Value) {
	if event, _ := v.Get("event"); event.Text() != "plan.graph.full" {
		return
	}
	if goal, ok := v.Get("goal"); ok && goal.Kind() == pyjson.String {
		p.Goal = goal.Text()
	}
	nodes, ok := v.Get("nodes")
	if !ok || nodes.Kind() != pyjson.List {
		return
	}
	p.Recorded, p.Tasks = true, nil
	for _, n := range nodes.Items() {
		if n.Kind() != pyjson.Object {
			continue
		}
		t := Task{ID: asText(n, "id"), Role: asText(n, "role"), Title: asText(n, "title")}
		depends, _ := n.Get("depends_on")
		for _, d := range depends.Items() {
			if d.Kind() == pyjson.String {
				t.DependsOn = append(t.DependsOn, d.Text())
			}
		}
		slices.Sort(t.DependsOn)
		p.Tasks = append(p.Tasks, t)
	}
}

func asText(v pyjson.Value, name string) string {
	m, ok := v.Get(name)
	if !ok {
		return ""
	}
	if s, ok := m.ToText(); ok {
		return s
	}
	return string(literal(m))
}

// Render writes the plan of a run as text.
func (p Plan) Render(runID string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "run: %s\ngoal: %s\n", runID, orText(p.Goal, "(not recorded)"))
	if !p.Recorded {
		b.WriteString("\nNo plan.graph.full row in this journal: the run's task graph was never recorded.\n" +
			"This is not the same as a run that planned nothing.\n")
		return []byte(b.String())
	}
	fmt.Fprintf(&b, "tasks: %d\n\n", len(p.Tasks))
	for _, t := range p.Tasks {
		fmt.Fprintf(&b, "  %s  [%s]  %s\n      depends on: %s\n", t.ID, orText(t.Role, "unassigned"), orText(t.Title, "(untitled)"),
			orText(strings.Join(t.DependsOn, ", "), "nothing"))
	}
	return []byte(b.String())
}

func orText(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
