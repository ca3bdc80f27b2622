package analysis

import (
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/schema"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// Draft reads a document whose text is still being received, as far as it has come. The
// document that is opened from it takes over what was read, as an edited document does
// from the version before, so that it says what one says that was opened without.
type Draft struct {
	growth  *jsonsrc.Growth
	options *Options
	rules   *stepRules
	kind    string // what the steps are checked as
	known   bool   // kind was guessed
}

// Part is the steps of a draft that came at once.
type Part struct {
	tree *jsonsrc.Tree
	kind string
}

// Draft starts a draft of a document that is about to be opened, nil unless its name or
// language says that it is a Toolpath document.
func (w *Workspace) Draft(uri, languageID string) *Draft {
	o := w.options()
	d := &Draft{options: o, rules: o.stepRules()}
	switch kindByName(uri, languageID) {
	case Canonical:
		d.growth = jsonsrc.NewGrowth(toolpath.Layout)
	case Stream:
		d.growth = jsonsrc.NewLineGrowth()
	default:
		return nil
	}
	return d
}

// More takes the text as far as it has come, which begins with what earlier calls were
// given, and returns the steps that came since.
func (d *Draft) More(content []byte) Part {
	if d.options.MaxFileSize > 0 && len(content) > d.options.MaxFileSize {
		return Part{}
	}
	t := d.growth.More(content)
	if !d.known && t.NumChunks() > 0 {
		d.known, d.kind = true, guessKind(t)
	}
	return Part{t, d.kind}
}

// guessKind returns the kind that a path will probably declare behind its steps, by the
// first of them. A wrong guess costs a second look at them.
func guessKind(t *jsonsrc.Tree) string {
	const most = 16
	in := &toolpath.Interner{}
	for i := range min(t.NumChunks(), most) {
		step, ok := toolpath.StepIn(t, i, in)
		if !ok {
			continue
		}
		for _, change := range step.Value(step.Nodes.Change).Members() {
			if strings.HasPrefix(change.Get("structural").Get("type").Text(), "conversation.") {
				return schema.SessionKinds[schema.Session110-schema.Session100] // what derivers write today
			}
		}
	}
	return ""
}

// Read reads and checks the steps of a part. Parts may be read side by side, and while More
// runs. It returns early once done says so.
func (d *Draft) Read(p Part, done func() bool) {
	if p.tree == nil {
		return
	}
	c := checker{options: d.options, rules: d.rules}
	nothing := &stepFindings{kind: p.kind, options: d.options}
	in := toolpath.NewInterner()
	for i := range p.tree.NumChunks() {
		if i%256 == 0 && done() {
			return
		}
		if step, ok := toolpath.StepIn(p.tree, i, in); ok {
			c.memo(step, nothing)
		}
	}
}
