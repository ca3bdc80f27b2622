package lineage

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage/pyjson"
)

// Prov is the ancestry of an entry in the terms of W3C PROV-O: entities are contents,
// activities the writes, agents who wrote and with which model.
type Prov struct {
	root       string
	entities   []provEntity // by id
	activities []provActivity
	agents     []provAgent
	relations  []provRelation
}

type provEntity struct {
	id, kind, contentHash, path, time, trust, sensitivity string
}

type provActivity struct{ id, entryHash, toolCall, span, time string }

type provAgent struct{ id, kind, label string }

type provRelation struct{ kind, subject, object, role string }

const provPrefix = "urn:bernstein:"

// ExportProv returns the ancestry of an entry. It fails where the entry, or one that it was
// made from, is absent: an ancestry with a hole is none.
func (l *Ledger) ExportProv(hash string) (*Prov, error) {
	root := l.byHash[hash]
	if root == nil {
		return nil, fmt.Errorf("the log has no entry %s", hash)
	}
	p := &Prov{root: provPrefix + "entity:" + root.ContentHash}
	entities, activities, agents := map[string]bool{}, map[string]bool{}, map[string]bool{}
	relations := map[provRelation]bool{}
	relate := func(kind, subject, object, role string) {
		r := provRelation{kind, subject, object, role}
		if !relations[r] {
			relations[r] = true
			p.relations = append(p.relations, r)
		}
	}
	agent := func(a provAgent) string {
		if !agents[a.id] {
			agents[a.id] = true
			p.agents = append(p.agents, a)
		}
		return a.id
	}
	for _, hash := range l.Closure(hash) {
		e := l.byHash[hash]
		if e == nil {
			return nil, fmt.Errorf("the log has no entry %s, which the artifact was made from", hash)
		}
		at, err := provTime(e.TsNS)
		if err != nil {
			return nil, fmt.Errorf("entry %s: %w", hash, err)
		}
		entity := provPrefix + "entity:" + e.ContentHash
		if !entities[entity] {
			entities[entity] = true
			p.entities = append(p.entities, provEntity{entity, "artefact", e.ContentHash, e.ArtefactPath, at, e.TrustClass, e.Sensitivity})
		}
		activity := provPrefix + "activity:" + hash
		if !activities[activity] {
			activities[activity] = true
			p.activities = append(p.activities, provActivity{activity, hash, e.ToolCallID, e.SpanID, at})
		}
		relate("wasGeneratedBy", entity, activity, "")
		relate("wasAssociatedWith", activity, agent(provAgent{provPrefix + "agent:" + e.AgentID, "operator", e.AgentID}), "operator")
		if m := e.ModelRef; m != nil {
			id := provPrefix + "agent:model:" + m.Provider + ":" + m.ModelRequested
			relate("wasAssociatedWith", activity, agent(provAgent{id, "model", m.ModelRequested}), "model")
		}
		for _, d := range e.AttachmentDigests {
			id := provPrefix + "entity:" + hashPrefix + d
			if !entities[id] {
				entities[id] = true
				p.entities = append(p.entities, provEntity{id: id, kind: "attachment", contentHash: hashPrefix + d})
			}
			relate("used", activity, id, "")
		}
		for _, parent := range e.Parents {
			if from := l.byHash[parent]; from != nil {
				relate("wasDerivedFrom", entity, provPrefix+"entity:"+from.ContentHash, "")
			}
		}
	}
	slices.SortFunc(p.entities, func(a, b provEntity) int { return cmp.Compare(a.id, b.id) })
	slices.SortFunc(p.activities, func(a, b provActivity) int { return cmp.Compare(a.id, b.id) })
	slices.SortFunc(p.agents, func(a, b provAgent) int { return cmp.Compare(a.id, b.id) })
	slices.SortFunc(p.relations, func(a, b provRelation) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.subject, b.subject), cmp.Compare(a.object, b.object), cmp.Compare(a.role, b.role))
	})
	return p, nil
}

// provTime writes nanoseconds since 1970 as an xsd:dateTime.
func provTime(ns *big.Int) (string, error) {
	if ns == nil {
		return "", fmt.Errorf("its time is not an integer")
	}
	seconds, rest := new(big.Int).DivMod(ns, big.NewInt(1_000_000_000), new(big.Int))
	if seconds.IsInt64() {
		if t := time.Unix(seconds.Int64(), 0).UTC(); t.Year() >= 1 && t.Year() <= 9999 {
			return fmt.Sprintf("%s.%09dZ", t.Format("2006-01-02T15:04:05"), rest), nil
		}
	}
	return "", fmt.Errorf("its time %s is beyond the year 9999, or before the year 1", ns)
}

// provAttributes are the members of an object, those without a value left out.
func provAttributes(pairs ...string) pyjson.Value {
	var members []pyjson.Member
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			members = append(members, pyjson.Member{Name: pairs[i], Value: pyjson.Text(pairs[i+1])})
		}
	}
	return pyjson.Map(members...)
}

// The names of a relation's ends.
var provEnds = map[string][2]string{
	"wasGeneratedBy":    {"prov:entity", "prov:activity"},
	"used":              {"prov:activity", "prov:entity"},
	"wasAssociatedWith": {"prov:activity", "prov:agent"},
	"wasDerivedFrom":    {"prov:generatedEntity", "prov:usedEntity"},
}

// JSON returns the ancestry as PROV-JSON, without a newline at the end.
func (p *Prov) JSON() ([]byte, error) {
	var entities, activities, agents []pyjson.Member
	for _, e := range p.entities {
		entities = append(entities, pyjson.Member{Name: e.id, Value: provAttributes("prov:type", "bernstein:"+e.kind,
			"bernstein:contentHash", e.contentHash, "bernstein:artefactPath", e.path, "prov:generatedAtTime", e.time,
			"bernstein:trustClass", e.trust, "bernstein:sensitivity", e.sensitivity)})
	}
	for _, a := range p.activities {
		activities = append(activities, pyjson.Member{Name: a.id, Value: provAttributes("bernstein:entryHash", a.entryHash,
			"prov:endTime", a.time, "bernstein:toolCallId", a.toolCall, "bernstein:spanId", a.span)})
	}
	for _, a := range p.agents {
		agents = append(agents, pyjson.Member{Name: a.id, Value: pyjson.Map(
			pyjson.Member{Name: "prov:type", Value: pyjson.Text("bernstein:" + a.kind)},
			pyjson.Member{Name: "bernstein:label", Value: pyjson.Text(a.label)})})
	}
	document := pyjson.Map(
		pyjson.Member{Name: "schema_version", Value: pyjson.Text("1.0.0")},
		pyjson.Member{Name: "prefix", Value: provAttributes("prov", "http://www.w3.org/ns/prov#",
			"xsd", "http://www.w3.org/2001/XMLSchema#", "bernstein", provPrefix)},
		pyjson.Member{Name: "root_entity", Value: pyjson.Text(p.root)},
		pyjson.Member{Name: "entity", Value: pyjson.Map(entities...)},
		pyjson.Member{Name: "activity", Value: pyjson.Map(activities...)},
		pyjson.Member{Name: "agent", Value: pyjson.Map(agents...)},
	)
	byKind := map[string][]pyjson.Member{}
	for i, r := range p.relations {
		ends := provEnds[r.kind]
		id := "_:" + r.kind + strconv.Itoa(i)
		byKind[r.kind] = append(byKind[r.kind], pyjson.Member{Name: id, Value: provAttributes(ends[0], r.subject, ends[1], r.object, "prov:role", r.role)})
	}
	for kind, members := range byKind {
		document = document.With(kind, pyjson.Map(members...))
	}
	return pyjson.Encode(document, pyjson.Legacy)
}

// Turtle returns the ancestry as Turtle. It fails where an id cannot be written as an IRI.
func (p *Prov) Turtle() ([]byte, error) {
	w := turtle{}
	for _, prefix := range [][2]string{{"prov", "http://www.w3.org/ns/prov#"}, {"xsd", "http://www.w3.org/2001/XMLSchema#"}, {"bernstein", provPrefix}} {
		fmt.Fprintf(&w.out, "@prefix %s: <%s> .\n", prefix[0], prefix[1])
	}
	w.out.WriteByte('\n')
	for _, e := range p.entities {
		w.subject(e.id, "prov:Entity", "bernstein:contentHash", w.text(e.contentHash), "bernstein:artefactPath", w.text(e.path),
			"prov:generatedAtTime", w.time(e.time), "bernstein:trustClass", w.text(e.trust), "bernstein:sensitivity", w.text(e.sensitivity))
	}
	for _, a := range p.activities {
		w.subject(a.id, "prov:Activity", "bernstein:entryHash", w.text(a.entryHash), "bernstein:toolCallId", w.text(a.toolCall),
			"bernstein:spanId", w.text(a.span), "prov:endTime", w.time(a.time))
	}
	for _, a := range p.agents {
		w.subject(a.id, "prov:Agent", "bernstein:label", w.quote(a.label))
	}
	for _, r := range p.relations {
		fmt.Fprintf(&w.out, "%s prov:%s %s .\n", w.iri(r.subject), r.kind, w.iri(r.object))
	}
	return []byte(w.out.String()), w.err
}

type turtle struct {
	out strings.Builder
	err error
}

// subject writes what is said of a subject: predicates and objects, those that are "" left
// out.
func (w *turtle) subject(id, class string, pairs ...string) {
	w.out.WriteString(w.iri(id) + " a " + class)
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			w.out.WriteString(" ;\n    " + pairs[i] + " " + pairs[i+1])
		}
	}
	w.out.WriteString(" .\n\n")
}

func (w *turtle) text(s string) string {
	if s == "" {
		return ""
	}
	return w.quote(s)
}

func (w *turtle) quote(s string) string {
	if strings.ContainsRune(s, '\r') && w.err == nil {
		w.err = fmt.Errorf("%q has a carriage return, which Turtle cannot have in a text", s)
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

func (w *turtle) time(s string) string {
	if s == "" {
		return ""
	}
	return w.quote(s) + "^^xsd:dateTime"
}

// iri writes an IRI. What could end it, or begin another statement, is refused.
func (w *turtle) iri(s string) string {
	escaped := strings.NewReplacer(`\`, "%5C", ">", "%3E", " ", "%20").Replace(s)
	if strings.ContainsFunc(escaped, func(r rune) bool { return r < ' ' || strings.ContainsRune("<\"{}|^`", r) }) && w.err == nil {
		w.err = fmt.Errorf("%q cannot be written as an IRI", s)
	}
	return "<" + escaped + ">"
}
