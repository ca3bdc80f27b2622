package schema

import (
	"bytes"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

// Session is a version of the kind agent-coding-session (RFC, "Document Kind").
type Session uint8

// The versions that have a shape here.
const (
	NoSession Session = iota
	Session100
	Session110
	Session120
)

// SessionKinds are the URIs of the versions, Session100 first.
var SessionKinds = [...]string{
	"https://toolpath.net/kinds/agent-coding-session/v1.0.0",
	"https://toolpath.net/kinds/agent-coding-session/v1.1.0",
	"https://toolpath.net/kinds/agent-coding-session/v1.2.0",
}

// SessionOf returns the version that a path's meta.kind names: the URI as it is, since
// every other spelling is another kind.
func SessionOf(kind string) Session {
	for i, uri := range SessionKinds {
		if kind == uri {
			return Session(i + 1)
		}
	}
	return NoSession
}

// operations are the structural perspectives that a version defines, by their type. What
// has another type is free.
var operations = [...][]operation{
	NoSession:  nil,
	Session100: {{"conversation.append", Turn100, &turn100Shape}, fileWrite, event},
	Session110: {turn, fileWrite, event},
	Session120: {turn, fileWrite, event, {"conversation.compact", Compaction, &compactionShape}},
}

// Operations returns the types of the structural perspectives that the version defines.
func (s Session) Operations() []string {
	names := make([]string, len(operations[s]))
	for i, op := range operations[s] {
		names[i] = op.name
	}
	return names
}

type operation struct {
	name  string
	def   Def
	shape *shape
}

var (
	turn      = operation{"conversation.append", Turn, &turnShape}
	fileWrite = operation{"file.write", FileWrite, &fileWriteShape}
	event     = operation{"conversation.event", SessionEvent, &eventShape}
)

// CheckStep returns what keeps a step from having the shape that the version of the kind
// gives to its changes, apart from what Check says of every step. It builds nothing where
// all is right. Pointers are relative to step.
func (s Session) CheckStep(step jsonsrc.Value) (problems []Problem) {
	for key, change := range step.Get("change").Members() {
		structural := change.Get("structural")
		if structural.Kind() != jsonsrc.Object || !key.Closed() {
			continue
		}
		op := s.operation(structural.Get("type"))
		if op == nil || op.shape.accepts(structural.Walk(), structural.Node()) {
			continue
		}
		at := []string{"change", key.Text(), "structural"}
		problems = append(problems, under(at, checkDecoded(op.def, structural, bounded(Decode(structural))))...)
	}
	return problems
}

func (s Session) operation(name jsonsrc.Value) *operation {
	if name.Kind() != jsonsrc.String {
		return nil
	}
	for i := range operations[s] {
		if op := &operations[s][i]; name.Is(op.name) {
			return op
		}
	}
	return nil
}

// CheckMeta returns what keeps the meta object of a path from having the shape that the
// kind gives it. Pointers are relative to meta.
func (s Session) CheckMeta(meta jsonsrc.Value) []Problem {
	if s == NoSession || meta.Kind() != jsonsrc.Object {
		return nil
	}
	return checkDecoded(SessionMeta, meta, bounded(Decode(meta)))
}

// CheckPatch is CheckMeta for the patch of a stream's PathMeta line, in which null says
// that a field stays as it is.
func (s Session) CheckPatch(patch jsonsrc.Value) []Problem {
	decoded, ok := bounded(Decode(patch)).(map[string]any)
	if s == NoSession || !ok {
		return nil
	}
	for key, v := range decoded {
		if v == nil {
			delete(decoded, key)
		}
	}
	if _, ok := decoded["kind"]; !ok {
		decoded["kind"] = SessionKinds[s-1]
	}
	return checkDecoded(SessionMeta, patch, decoded)
}

func acceptAny(w jsonsrc.Walk, n uint32) bool { return w.Kind(n) != jsonsrc.Invalid }

func acceptBool(w jsonsrc.Walk, n uint32) bool {
	return w.Kind(n) == jsonsrc.True || w.Kind(n) == jsonsrc.False
}

func acceptArray(w jsonsrc.Walk, n uint32) bool { return w.Kind(n) == jsonsrc.Array }

// acceptTokens accepts whole numbers that are written as such.
func acceptTokens(w jsonsrc.Walk, n uint32) bool {
	return w.Kind(n) == jsonsrc.Number && !bytes.ContainsAny(w.Bytes(n), ".eE")
}

func acceptTokensOrNull(w jsonsrc.Walk, n uint32) bool {
	return w.Kind(n) == jsonsrc.Null || acceptTokens(w, n)
}

func acceptCategory(w jsonsrc.Walk, n uint32) bool {
	return w.Kind(n) == jsonsrc.Null || acceptCategoryName(w, n)
}

var acceptCategoryName = oneOf("file_read", "file_write", "file_search", "shell", "network", "delegation")

var (
	turn100Shape = shape{open: true, required: 0b11, fields: append(turnFields(),
		field{"token_usage", usage100Shape.accepts},
	)}
	turnShape = shape{open: true, required: 0b11, fields: append(turnFields(),
		field{"token_usage", usageShape.accepts},
		field{"attributed_token_usage", attributedUsageShape.accepts},
		field{"group_id", acceptString},
	)}
	usage100Shape = shape{open: true, required: 0b11, fields: []field{
		{"input_tokens", acceptTokensOrNull},
		{"output_tokens", acceptTokensOrNull},
		{"cache_read_tokens", acceptTokens},
		{"cache_write_tokens", acceptTokens},
	}}
	usageShape = shape{open: true, required: 0b11, fields: []field{
		{"input_tokens", acceptTokensOrNull},
		{"output_tokens", acceptTokensOrNull},
		{"cache_read_tokens", acceptTokens},
		{"cache_write_tokens", acceptTokens},
		{"breakdowns", mapOf(acceptString, mapOf(acceptString, acceptTokens))},
	}}
	attributedUsageShape = shape{open: true, fields: []field{
		{"input_tokens", acceptTokensOrNull},
		{"output_tokens", acceptTokensOrNull},
		{"cache_read_tokens", acceptTokens},
		{"cache_write_tokens", acceptTokens},
	}}
	toolUseShape = shape{open: true, required: 0b1111, fields: []field{
		{"id", acceptString},
		{"name", acceptString},
		{"input", acceptAny},
		{"category", acceptCategory},
		{"result", toolResultShape.accepts},
	}}
	toolResultShape = shape{open: true, required: 0b11, fields: []field{
		{"content", acceptString},
		{"is_error", acceptBool},
	}}
	delegationShape = shape{open: true, required: 0b11, fields: []field{
		{"agent_id", acceptString},
		{"prompt", acceptString},
		{"turns", acceptArray},
		{"result", acceptString},
	}}
	environmentShape = shape{open: true, fields: []field{
		{"working_dir", acceptString},
		{"vcs_branch", acceptString},
		{"vcs_revision", acceptString},
	}}
	fileWriteShape = shape{open: true, fields: []field{
		{"tool_id", acceptString},
		{"tool", acceptString},
		{"operation", acceptString},
		{"before", acceptString},
		{"after", acceptString},
		{"rename_to", acceptString},
	}}
	eventShape = shape{open: true, required: 1, fields: []field{
		{"entry_type", acceptString},
		{"event_source_id", acceptString},
	}}
	compactionShape = shape{open: true, fields: []field{
		{"trigger", oneOf("auto", "manual")},
		{"summary", acceptString},
		{"pre_tokens", acceptTokens},
		{"kept", listOf(acceptString)},
	}}
)

// turnFields are the fields of a turn that all versions share, the required ones first.
func turnFields() []field {
	return []field{
		{"role", acceptString},
		{"text", acceptString},
		{"thinking", acceptString},
		{"tool_uses", listOf(toolUseShape.accepts)},
		{"stop_reason", acceptString},
		{"delegations", listOf(delegationShape.accepts)},
		{"environment", environmentShape.accepts},
	}
}
