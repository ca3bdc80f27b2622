package analysis

import (
	"fmt"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

// The words for structural changes: those of agent sessions are known, any other has a name
// such as rust.add_items, which reads as words.

// operations says what a structural change of a known type did.
var operations = map[string]func(v jsonsrc.Value) string{
	"conversation.append":  turnWords,
	"conversation.event":   func(v jsonsrc.Value) string { return "an entry of the session's log" + named(v, "entry_type", ": ") },
	"conversation.compact": compactWords,
	"file.write":           writeWords,
}

// operationWords says in a short sentence what a structural change did; "" if it does not
// say what it is.
func operationWords(v jsonsrc.Value) string {
	name := v.Get("type").Text()
	if words := operations[name]; words != nil {
		return words(v)
	}
	words := strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' || r == ' ' }), " ")
	if tool, verb, ok := cutLast(words, "."); ok {
		words = tool + ": " + verb
	}
	if words == "" {
		return ""
	}
	for key, val := range v.Members() {
		if objects := objectWords(val); !key.Is("type") && objects != "" {
			return words + " (" + objects + ")"
		}
	}
	return words
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i <= 0 || i+len(sep) == len(s) {
		return "", "", false
	}
	return s[:i], s[i+len(sep):], true
}

// objectWords names the first objects of a list, such as "struct A, fn b".
func objectWords(list jsonsrc.Value) string {
	const most = 4
	var words []string
	n := 0
	for _, e := range list.Elements() {
		name := e.Text()
		if e.Kind() == jsonsrc.Object {
			name = strings.TrimSpace(e.Get("kind").Text() + " " + e.Get("name").Text())
		}
		if name == "" {
			continue
		}
		if n++; n <= most {
			words = append(words, clip(oneLine(name), 40))
		}
	}
	if n > most {
		words = append(words, fmt.Sprintf("%d more", n-most))
	}
	return strings.Join(words, ", ")
}

// named returns the text of a field behind some words, "" if it has none.
func named(v jsonsrc.Value, field, words string) string {
	if s := v.Get(field).Text(); s != "" {
		return words + clip(oneLine(s), 60)
	}
	return ""
}

func turnWords(v jsonsrc.Value) string {
	words := "a turn of the conversation" + named(v, "role", " by ")
	if text := strings.TrimSpace(v.Get("text").Text()); text != "" {
		words += ": “" + clip(oneLine(text), 80) + "”"
	}
	n := 0
	for range v.Get("tool_uses").Elements() {
		n++
	}
	if n > 0 {
		words += "; " + plural(n, "tool call")
		if names := toolWords(v.Get("tool_uses")); names != "" {
			words += " (" + names + ")"
		}
	}
	return words
}

// toolWords names the tools that were called, each once, and says how often a call failed.
func toolWords(uses jsonsrc.Value) string {
	const most = 4
	var names []string
	seen := map[string]bool{}
	failed := 0
	for _, use := range uses.Elements() {
		if name := use.Get("name").Text(); name != "" && !seen[name] && len(seen) < most {
			seen[name] = true
			names = append(names, clip(oneLine(name), 30))
		}
		if use.Get("result").Get("is_error").Kind() == jsonsrc.True {
			failed++
		}
	}
	var words []string
	if len(names) > 0 {
		words = append(words, strings.Join(names, ", "))
	}
	if failed > 0 {
		words = append(words, fmt.Sprintf("%d failed", failed))
	}
	return strings.Join(words, "; ")
}

func writeWords(v jsonsrc.Value) string {
	words := "a write to the file" + named(v, "operation", ": ") + named(v, "tool", ", with the tool ")
	return words + named(v, "rename_to", ", renamed to ")
}

func compactWords(v jsonsrc.Value) string {
	words := "the conversation before it was replaced by a summary"
	kept := 0
	for range v.Get("kept").Elements() {
		kept++
	}
	if kept > 0 {
		words += ", but for " + plural(kept, "turn")
	}
	return words + named(v, "trigger", "; started: ")
}
