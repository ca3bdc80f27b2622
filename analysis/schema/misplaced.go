package schema

// forms are the objects of the format that can be taken for each other, with
// the two keys that tell them.
var forms = []struct {
	def  Def
	name string
	keys [2]string
	home string // what such an object belongs in
}{
	{Graph, "graph", [2]string{"graph", "paths"}, "at the root of a document of its own"},
	{Path, "path", [2]string{"path", "steps"}, `in "paths"`},
	{Step, "step", [2]string{"step", "change"}, `in "steps" of a path`},
}

// misplaced reports a graph, path or step that stands at the place of another,
// as itself or in the envelope that the format once had. One such message
// takes the place of several about missing and unknown fields.
func misplaced(def Def, v any) (Problem, bool) {
	object, ok := v.(map[string]any)
	if !ok || (def != Graph && def != Path && def != Step) {
		return Problem{}, false
	}
	if len(object) == 1 {
		for key, inner := range object {
			if p, ok := enveloped(def, key, inner); ok {
				return p, true
			}
		}
	}
	return unwrapped(def, object)
}

func enveloped(def Def, key string, inner any) (Problem, bool) {
	if _, ok := inner.(map[string]any); !ok {
		return Problem{}, false
	}
	p := Problem{Pointer: []string{key}, OnKey: true}
	switch _, isLine := Body(key); {
	case key == "Graph" || key == "Path" || key == "Step":
		p.Cause = LegacyEnvelope
		p.Message = quote(key) + " is an envelope from before May 2026: " + unwrapping[def]
	case def == Graph && isLine:
		p.Cause = StreamLine
		p.Message = quote(key) + " opens a line of a stream: such lines belong in a .path.jsonl file"
	default:
		return Problem{}, false
	}
	return p, true
}

// unwrapping says for each place what to do about an envelope there.
var unwrapping = map[Def]string{
	Graph: `the root is now always {"graph": …, "paths": […]}, and a path stands in "paths"`,
	Path:  `an entry of "paths" is the path itself, {"path": …, "steps": […]}`,
	Step:  `an item of "steps" is the step itself, {"step": …, "change": …}`,
}

func unwrapped(def Def, object map[string]any) (Problem, bool) {
	for _, form := range forms {
		if has(object, form.keys[0]) && has(object, form.keys[1]) {
			if form.def == def {
				return Problem{}, false
			}
			return atWrongPlace(def, form.name, form.home), !hasAny(object, def)
		}
	}
	return Problem{}, false
}

func atWrongPlace(def Def, name, home string) Problem {
	if def == Graph {
		return Problem{Cause: BareRoot, Message: "a " + name + ` cannot be the root of a document: the root is {"graph": …, "paths": […]}, and a ` + name + " stands " + home}
	}
	place := map[Def]string{Path: `"paths"`, Step: `"steps"`}[def]
	return Problem{Cause: Misplaced, Message: "a " + name + " cannot stand in " + place + ": it belongs " + home}
}

// hasAny says whether the object has one of the keys of the form of def.
func hasAny(object map[string]any, def Def) bool {
	for _, form := range forms {
		if form.def == def {
			return has(object, form.keys[0]) || has(object, form.keys[1])
		}
	}
	return false
}

func has(object map[string]any, key string) bool {
	_, ok := object[key]
	return ok
}
