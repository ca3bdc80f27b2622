package analysis

import (
	"fmt"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/entity"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

// The rules about structural operations compare them with the contents that the recorded
// steps lead to, which may need files and git, and read these with [Options.Syntax].
var (
	// ContradictedOperation is about an operation that the text before the step
	// contradicts.
	ContradictedOperation = &Rule{
		ID: "TP5101", Name: "contradicted-operation", Severity: Warning,
		Doc: `A structural operation does not fit what the file was before

A structural operation says what a step did in the terms of the language: that it added a
function, or renamed one. The steps before it lead to the content that it started from. Where
that has an item already which is said to be added, or lacks one that is said to be removed,
renamed, moved or changed, the record contradicts itself: a step is missing before this one, or
the operation is of something else. No line is attributed by such an operation.

Nothing is said where the content before the step is not known, or its language has no grammar
here (docs/languages.md).

## Bad

    {"src/a.rs": {"structural": {"type": "rust.add_items", "items": [{"kind": "fn", "name": "there_before"}]}}}

## Good

    {"src/a.rs": {"structural": {"type": "rust.modify_items", "items": [{"kind": "fn", "name": "there_before"}]}}}
`,
		Workspace: func(p *WorkspacePass) { p.checkOperations(false) },
	}
	// UnlikeDiff is about an operation that disagrees with what the step's diff did.
	UnlikeDiff = &Rule{
		ID: "TP5102", Name: "operation-unlike-diff", Severity: Warning,
		Doc: `The structural operation and the diff of a change disagree

A change may say both what lines it changed (raw) and what that was in the terms of the
language (structural): two views of one edit (RFC "Change Perspectives"). The file after the
step is what the diff makes of it. Where that lacks an item which the operation says is added,
still has one that it says is removed, or lacks a name or an expression that it says came in,
one of the two is wrong; lines are attributed by the diff.

## Bad

    {"src/a.rs": {"raw": "@@ -1 +1,2 @@\n fn a() {}\n+fn b() {}\n",
                  "structural": {"type": "rust.add_items", "items": [{"kind": "fn", "name": "c"}]}}}

## Good

    {"src/a.rs": {"raw": "@@ -1 +1,2 @@\n fn a() {}\n+fn b() {}\n",
                  "structural": {"type": "rust.add_items", "items": [{"kind": "fn", "name": "b"}]}}}
`,
		Workspace: func(p *WorkspacePass) { p.checkOperations(true) },
	}
)

// maxComparedOperations bounds the changes of a document whose operations are compared with
// the text, each of which costs a replay.
const maxComparedOperations = 200

// checkOperations compares the operations of each change with the text before it, or with
// that after it if there is a diff.
func (p *WorkspacePass) checkOperations(after bool) {
	if p.s.Options.Syntax == nil {
		return
	}
	n := 0
	for _, path := range p.Model.Paths {
		for i, step := range path.Steps.All() {
			for key, change := range step.Value(step.Nodes.Change).Members() {
				ops := operationsOf(change.Get("structural"))
				if len(ops) == 0 || after && change.Get("raw").Kind() != jsonsrc.String {
					continue
				}
				if p.Done() {
					return
				}
				if n++; n > maxComparedOperations {
					p.Report(key, fmt.Sprintf("from here on operations are not compared with the text: the document has more than %d", maxComparedOperations)).As(Information)
					return
				}
				r, artifact := StepRef{p.Doc, path, i}, key.Text()
				text := p.s.TextBefore
				if after {
					text = p.s.TextAfter
				}
				content, needs, err := text(r, artifact, p.Done)
				*p.needs = append(*p.needs, needs...)
				if err != nil || len(needs) > 0 {
					continue
				}
				f, err := p.s.Options.Syntax.Entities(artifact, content)
				if err != nil {
					continue
				}
				for _, op := range ops {
					if after {
						p.checkAfter(op, &f, content)
					} else {
						p.checkBefore(op, &f, content)
					}
				}
			}
		}
	}
}

// checkBefore wants the text before the step to have what an operation changes, and not to
// have what it adds. An item counts as missing only if its name is nowhere in the text.
func (p *WorkspacePass) checkBefore(op operation, f *entity.File, content string) {
	switch op.verb {
	case "add_items", "insert_items":
		for _, it := range op.items() {
			if found := it.find(f); len(found) == 1 && it.kind != "import" && it.kind != "impl" && len(it.methods) == 0 {
				p.Report(it.at, fmt.Sprintf("%s is said to be added, but the file had it before the step", it.words()))
			}
		}
	case "extract":
		for _, it := range op.items() {
			if found := it.find(f); len(found) == 1 {
				p.Report(it.at, fmt.Sprintf("%s is said to be extracted, but the file had it before the step", it.words()))
			}
		}
		p.wantSource(op, content)
	case "remove_items", "modify_items", "change_signature", "move", "inline", "wrap", "unwrap":
		for _, it := range op.items() {
			if from, to := op.value.Get("from_file").Text(), op.value.Get("to_file").Text(); op.verb == "move" && from != "" && from != to {
				// It was in another file, or this is that one.
				if found := it.find(f); sameEnd(f.Name, to) && len(found) == 1 {
					p.Report(it.at, fmt.Sprintf("%s is said to be moved here, but the file had it before the step", it.words()))
				}
				continue
			}
			if !it.mentions(content) {
				p.Report(it.at, fmt.Sprintf("%s is said to be %s, but the file did not have it before the step", it.words(), pastVerbs[op.verb]))
			}
		}
		if op.verb == "inline" {
			p.wantSource(op, content)
		}
	case "rename":
		if from := op.value.Get("from"); from.Kind() == jsonsrc.String && !(namedItem{name: from.Text()}).mentions(content) {
			p.Report(from, fmt.Sprintf("%q is said to be renamed, but the file did not have it before the step", clip(from.Text(), 60)))
		}
	default:
		for _, r := range op.replacements() {
			if r.from != "" && !strings.Contains(flattened(content), flattened(r.from)) {
				p.Report(r.at, fmt.Sprintf("%q is said to be replaced, but the file did not have it before the step", clip(oneLine(r.from), 60)))
			}
		}
	}
}

// wantSource wants the text before the step to have the item from which another one was
// taken, or into which it went.
func (p *WorkspacePass) wantSource(op operation, content string) {
	if source, ok := itemOf(op.value.Get("source")); ok && !source.mentions(content) {
		p.Report(source.at, fmt.Sprintf("%s is said to be changed, but the file did not have it before the step", source.words()))
	}
}

// checkAfter wants the text after the step to have what an operation made, and not to have
// what it took away.
func (p *WorkspacePass) checkAfter(op operation, f *entity.File, content string) {
	switch op.verb {
	case "add_items", "insert_items", "modify_items", "change_signature":
		for _, it := range op.items() {
			if !it.mentions(content) {
				p.Report(it.at, fmt.Sprintf("%s is said to be %s, but the file does not have it after the step's diff", it.words(), pastVerbs[op.verb]))
			}
		}
	case "remove_items":
		for _, it := range op.items() {
			if found := it.find(f); len(found) == 1 && it.kind != "import" && it.kind != "impl" && len(it.methods) == 0 {
				p.Report(it.at, fmt.Sprintf("%s is said to be removed, but the file still has it after the step's diff", it.words()))
			}
		}
	case "rename":
		if to := op.value.Get("to"); to.Kind() == jsonsrc.String && !(namedItem{name: to.Text()}).mentions(content) {
			p.Report(to, fmt.Sprintf("%q is said to be the new name, but the file does not have it after the step's diff", clip(to.Text(), 60)))
		}
	default:
		for _, r := range op.replacements() {
			if r.to != "" && !strings.Contains(flattened(content), flattened(r.to)) {
				p.Report(r.at, fmt.Sprintf("%q is said to come in, but the file does not have it after the step's diff", clip(oneLine(r.to), 60)))
			}
		}
	}
}

var pastVerbs = map[string]string{
	"add_items": "added", "insert_items": "added", "remove_items": "removed", "modify_items": "changed",
	"change_signature": "changed", "move": "moved", "inline": "inlined", "wrap": "changed", "unwrap": "changed",
}

func (it namedItem) words() string {
	return strings.TrimSpace(it.kind + " `" + clip(oneLine(it.name), 60) + "`")
}

// flattened is a text without white space, which producers lay out as they like.
func flattened(s string) string { return strings.Join(strings.Fields(s), "") }

// operationProblem says that a change is on record by what it did, and not by lines.
func operationProblem(op jsonsrc.Value) string {
	var words []string
	if known := operations[op.Get("type").Text()]; known != nil {
		return "the step " + known(op) + ", and does not say in which lines"
	}
	for _, o := range operationsOf(op) {
		sentence := sentences[o.verb]
		if sentence == nil {
			return fmt.Sprintf("the operation %q does not say which lines it changed", clip(oneLine(op.Get("type").Text()), 60))
		}
		words = append(words, sentence(o))
	}
	return "the step " + listed(words) + ", and does not say in which lines"
}
