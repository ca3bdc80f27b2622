package toolpath

import (
	"strings"
	"unicode/utf8"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

// ActorKinds are the prefixes of actor strings (RFC "Actors").
var ActorKinds = []string{"human", "agent", "tool", "ci"}

// ActorKind returns what stands before the colon of an actor string.
func ActorKind(actor string) string {
	kind, _, _ := strings.Cut(actor, ":")
	return kind
}

// ActorFault says in plain words what keeps s from being an actor string, "" for nothing:
// one of human, agent, tool, ci; a colon; a name of letters, digits, ".", "_" and "-";
// and optionally one "/"-delimited suffix of the same (RFC "Actors").
func ActorFault(s string) string {
	if isSimpleActor(s) {
		return ""
	}
	kind, rest, ok := strings.Cut(s, ":")
	if !ok {
		return `an actor is written kind:name, such as "human:alex" or "agent:claude-code"`
	}
	known := false
	for _, k := range ActorKinds {
		known = known || k == kind
	}
	if !known {
		return "the part before the colon must be human, agent, tool or ci"
	}
	name, suffix, cut := strings.Cut(rest, "/")
	if name == "" {
		return "the name behind the colon is missing"
	}
	if i := strings.IndexFunc(name, notActorName); i >= 0 {
		return quoteRune(name[i:]) + " is not allowed in an actor's name: it has letters (a-z, A-Z), digits, \".\", \"_\" and \"-\""
	}
	if !cut {
		return ""
	}
	if suffix == "" {
		return `the suffix behind "/" is empty`
	}
	switch i := strings.IndexFunc(suffix, notActorName); {
	case i >= 0 && suffix[i] == '/':
		return `an actor has one suffix: a second "/" is not allowed`
	case i >= 0:
		return quoteRune(suffix[i:]) + " is not allowed in the suffix of an actor"
	}
	return ""
}

// isSimpleActor says whether s is an actor string without a suffix.
func isSimpleActor(s string) bool {
	colon := strings.IndexByte(s, ':')
	if colon < 0 || colon+1 == len(s) {
		return false
	}
	switch s[:colon] {
	case "human", "agent", "tool", "ci":
	default:
		return false
	}
	for _, c := range []byte(s[colon+1:]) {
		if !inActorName[c] {
			return false
		}
	}
	return true
}

var inActorName = func() (ok [256]bool) {
	for c := range ok {
		ok[c] = c < utf8.RuneSelf && !notActorName(rune(c))
	}
	return ok
}()

func quoteRune(s string) string {
	for _, r := range s {
		return `"` + string(r) + `"`
	}
	return `""`
}

func notActorName(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '-')
}

// ActorDefinition is an entry of a meta.actors (RFC "Actor Definitions").
type ActorDefinition struct {
	Key        jsonsrc.Value
	Value      jsonsrc.Value
	Name       string
	Provider   string
	Model      string
	Identities []Identity
}

// Identity is one identity of an actor in an outer system.
type Identity struct{ System, ID string }

// NewActorDefinition reads an entry of a meta.actors.
func NewActorDefinition(key, v jsonsrc.Value) ActorDefinition {
	d := ActorDefinition{Key: key, Value: v,
		Name: v.Get("name").Text(), Provider: v.Get("provider").Text(), Model: v.Get("model").Text()}
	for _, e := range v.Get("identities").Elements() {
		if id := (Identity{e.Get("system").Text(), e.Get("id").Text()}); id.ID != "" {
			d.Identities = append(d.Identities, id)
		}
	}
	return d
}

// Definitions reads the actors of a meta object. As in Value.Member, the last of equal keys
// counts.
func Definitions(meta jsonsrc.Value) map[string]ActorDefinition {
	all := map[string]ActorDefinition{}
	for k, v := range meta.Get("actors").Members() {
		all[k.Text()] = NewActorDefinition(k, v)
	}
	return all
}
