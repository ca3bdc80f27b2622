package analysis

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/entity"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// StructuralPerspective returns the fix that adds to the artifact change at an offset, which
// has a diff alone, what the diff did to definitions (RFC "Change Perspectives"). The error
// is a Refusal that says why there is none; what must be read to know is returned instead.
//
// The change is part of what a step's signature signs: the title says so if there is one.
func (s *Snapshot) StructuralPerspective(d *Document, off int, done func() bool) (Fix, []Need, error) {
	r, ok := d.StepAt(off)
	if !ok {
		return Fix{}, nil, Refusal("there is no step")
	}
	artifact := d.ArtifactAt(off)
	change := r.At().Value(r.At().Nodes.Change).Get(artifact)
	raw := change.Get("raw")
	switch {
	case artifact == "" || raw.Kind() != jsonsrc.String:
		return Fix{}, nil, Refusal("there is no diff")
	case change.Get("structural").Valid():
		return Fix{}, nil, Refusal("the change has a structural perspective")
	case s.language(artifact, "") == "":
		return Fix{}, nil, errNoGrammar
	}
	st, needs := s.StructureOf(r, done)
	if len(needs) > 0 {
		return Fix{}, needs, nil
	}
	if err := st.Unread[artifact]; err != nil {
		return Fix{}, nil, err
	}
	op, ok := st.Operation(artifact)
	if !ok {
		return Fix{}, nil, Refusal("no definition changed")
	}
	text, err := operationText(op, d, raw)
	if err != nil {
		return Fix{}, nil, err
	}
	title := fmt.Sprintf("Add structural perspective (%s)", op.Type)
	if brokenSignature(r.Path, func(s toolpath.At) bool { return s.ID == r.At().ID }) != "" {
		title += "; the step's signature will not hold any more"
	}
	return Fix{Title: title, Edits: []TextEdit{{Start: raw.End(), End: raw.End(), New: text}}}, nil, nil
}

// operationText is the member "structural", to be put behind the raw diff: on lines of its
// own if that stands on one.
func operationText(op entity.Operation, d *Document, raw jsonsrc.Value) (string, error) {
	b := d.Text.Bytes()
	start := raw.Start()
	for start > 0 && b[start-1] != '\n' {
		start--
	}
	line := string(b[start:raw.Start()])
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if !strings.HasPrefix(line[len(indent):], `"raw"`) {
		err := enc.Encode(op)
		return `, "structural": ` + strings.TrimSpace(out.String()), err
	}
	unit := "  "
	if strings.Contains(indent, "\t") {
		unit = "\t"
	}
	enc.SetIndent(indent, unit)
	err := enc.Encode(op)
	return ",\n" + indent + `"structural": ` + strings.TrimSpace(out.String()), err
}
