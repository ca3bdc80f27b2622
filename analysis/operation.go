package analysis

import (
	"fmt"
	"slices"
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
	"fmt.apply": func(v jsonsrc.Value) string {
		return "lays the file out" + named(v, "tool", " with ") + named(v, "version", " ")
	},
	ReviewApprove: func(v jsonsrc.Value) string { return "approves these lines" },
	"imports.organize": func(v jsonsrc.Value) string {
		words := "organizes the imports"
		if added := objectWords(v.Get("added")); added != "" {
			words += ", adds " + added
		}
		if removed := objectWords(v.Get("removed")); removed != "" {
			words += ", removes " + removed
		}
		return words
	},
}

// sentences says what an operation of a known verb did, whatever the language.
var sentences = map[string]func(o operation) string{
	"add_items":    func(o operation) string { return "adds " + itemWords(o) },
	"insert_items": func(o operation) string { return "adds " + itemWords(o) },
	"remove_items": func(o operation) string { return "removes " + itemWords(o) },
	"modify_items": func(o operation) string { return "changes " + itemWords(o) },
	"rename": func(o operation) string {
		return "renames " + orWord(strings.TrimSpace(o.value.Get("kind").Text()+quotedField(o.value, "from", " ")), "a name") + quotedField(o.value, "to", " to ")
	},
	"move": func(o operation) string {
		words := "moves " + itemWords(o)
		if from, to := o.value.Get("from_file").Text(), o.value.Get("to_file").Text(); from != "" && to != "" {
			return words + " from " + clip(oneLine(from), 60) + " to " + clip(oneLine(to), 60)
		}
		return words + quotedField(o.value, "to_parent", " into ")
	},
	"change_signature":   func(o operation) string { return "changes the signature of " + itemWords(o) },
	"modify_expressions": func(o operation) string { return "changes " + replacementWords(o) },
	"fix": func(o operation) string {
		return "applies the lint " + strings.TrimSpace(quotedField(o.value, "rule", "")) + ": changes " + replacementWords(o)
	},
	"replace": func(o operation) string {
		return "replaces " + strings.Replace(replacementWords(o), "` to `", "` by `", 1)
	},
	"insert":  func(o operation) string { return "inserts " + replacementWords(o) },
	"delete":  func(o operation) string { return "deletes " + replacementWords(o) },
	"extract": func(o operation) string { return "extracts " + itemWords(o) + quotedField(o.value, "source", " from ") },
	"inline":  func(o operation) string { return "inlines " + itemWords(o) + quotedField(o.value, "source", " into ") },
	"wrap":    func(o operation) string { return "wraps code" + ofItems(o) + " in " + blockWord(o) },
	"unwrap":  func(o operation) string { return "takes code" + ofItems(o) + " out of " + blockWord(o) },
}

// ofItems names the items that an operation is about, if there are any.
func ofItems(o operation) string {
	if len(o.items()) == 0 {
		return ""
	}
	return " of " + itemWords(o)
}

// blockWord names the block of an operation, by the word that it begins with.
func blockWord(o operation) string {
	if kind := o.value.Get("kind").Text(); kind != "" && kind != "block" {
		return "`" + orWord(kind, "") + "`"
	}
	return "a block"
}

func orWord(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return clip(oneLine(s), 40)
}

func quotedField(v jsonsrc.Value, field, words string) string {
	if s := v.Get(field).Text(); s != "" {
		return words + "`" + clip(oneLine(s), 60) + "`"
	}
	return ""
}

// listed joins the first of some words.
func listed(words []string) string {
	const most = 4
	if n := len(words) - most; n > 0 {
		words = append(slices.Clip(words[:most]), fmt.Sprintf("%d more", n))
	}
	return strings.Join(words, ", ")
}

func itemWords(o operation) string {
	var words []string
	for _, it := range o.items() {
		words = append(words, it.words())
	}
	if len(words) == 0 {
		return "definitions"
	}
	return listed(words)
}

func replacementWords(o operation) string {
	var words []string
	for _, r := range o.replacements() {
		from, to := clip(oneLine(strings.TrimSpace(r.from)), 40), clip(oneLine(strings.TrimSpace(r.to)), 40)
		switch {
		case from != "" && to != "":
			words = append(words, "`"+from+"` to `"+to+"`")
		case from != "" || to != "":
			words = append(words, "`"+from+to+"`")
		}
	}
	if len(words) == 0 {
		return "text"
	}
	return listed(words)
}

// operationWords says in a short sentence what a structural change did; "" if it does not
// say what it is.
func operationWords(v jsonsrc.Value) string {
	name := v.Get("type").Text()
	if words := operations[name]; words != nil {
		return words(v)
	}
	if ops := operationsOf(v); len(ops) > 0 {
		var all []string
		for _, op := range ops {
			if sentence := sentences[op.verb]; sentence != nil {
				all = append(all, sentence(op))
			}
		}
		if len(all) == len(ops) {
			return listed(all)
		}
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
