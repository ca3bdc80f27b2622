package rules

import (
	"fmt"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// removeMember returns the edit that removes a member of an object together with the comma
// that parts it from its neighbour; not ok if the object has no such member.
func removeMember(object jsonsrc.Value, key string) (e analysis.TextEdit, ok bool) {
	var before, at jsonsrc.Value
	for k, v := range object.Members() {
		if ok {
			// The next key takes the place of this one, with its comma and indentation.
			return analysis.TextEdit{Start: at.Start(), End: k.Start()}, true
		}
		if k.Is(key) {
			at, ok = k, true
			e = analysis.TextEdit{Start: k.Start(), End: v.End()}
			if before.Valid() {
				e.Start = before.End()
			}
			continue
		}
		before = v
	}
	return e, ok
}

// removeElement is removeMember for element i of an array.
func removeElement(array jsonsrc.Value, i int) (e analysis.TextEdit, ok bool) {
	var before, at jsonsrc.Value
	for k, v := range array.Elements() {
		if ok {
			return analysis.TextEdit{Start: at.Start(), End: v.Start()}, true
		}
		if k == i {
			at, ok = v, true
			e = analysis.TextEdit{Start: v.Start(), End: v.End()}
			if before.Valid() {
				e.Start = before.End()
			}
			continue
		}
		before = v
	}
	return e, ok
}

// addMember returns the edit that adds a member at the end of an object, laid out as its
// first one is; not ok if the object is cut off.
func addMember(d *analysis.Document, object jsonsrc.Value, key, value string) (e analysis.TextEdit, ok bool) {
	gap := " "
	for k, v := range object.Members() {
		if !ok {
			if before := string(d.Text.Slice(object.Start()+1, k.Start())); strings.Contains(before, "\n") {
				gap = before
			}
			ok = true
		}
		e.Start = v.End()
	}
	if !ok {
		at := object.Start() + 1
		return analysis.TextEdit{Start: at, End: at, New: quoted(key) + ": " + value}, object.Kind() == jsonsrc.Object && object.Closed()
	}
	e.End, e.New = e.Start, ","+gap+quoted(key)+": "+value
	return e, object.Closed()
}

// addLine returns the edit that adds a line to a stream, before the line that closes it; not
// ok if its last line is not finished.
func addLine(d *analysis.Document, line string) (e analysis.TextEdit, ok bool) {
	tree, at := d.Tree(), d.Text.Len()
	for i := range tree.NumChunks() {
		if key, _ := toolpath.Variant(tree.Chunk(i)); key.Is("PathClose") {
			at = tree.ChunkAt(i).Off
			break
		}
	}
	if at > 0 && !d.Text.EndsWith(at, "\n") {
		return e, false
	}
	return analysis.TextEdit{Start: at, End: at, New: line + "\n"}, true
}

// removeLine returns the edit that removes a line of a stream, by its chunk.
func removeLine(d *analysis.Document, chunk int) analysis.TextEdit {
	t := d.Tree()
	e := analysis.TextEdit{Start: t.ChunkAt(chunk).Off, End: d.Text.Len()}
	if chunk+1 < t.NumChunks() {
		e.End = t.ChunkAt(chunk + 1).Off
	}
	return e
}

// defineActor is the fix that defines an actor in the path's meta.actors, by the name that
// its string has, or in a line of its own.
func defineActor(d *analysis.Document, path *toolpath.Path, actor string) (f analysis.Fix, ok bool) {
	_, name, _ := strings.Cut(actor, ":")
	def := fmt.Sprintf(`{"name": %s}`, quoted(name))
	var edit analysis.TextEdit
	actors := path.Meta.Get("actors")
	switch {
	case toolpath.ActorFault(actor) != "":
		return f, false
	case path.Doc.Lines:
		edit, ok = addLine(d, fmt.Sprintf(`{"ActorDef": {"actor": %s, "definition": %s}}`, quoted(actor), def))
	case actors.Kind() == jsonsrc.Object:
		edit, ok = addMember(d, actors, actor, def)
	case actors.Valid():
		return f, false
	case path.Meta.Kind() == jsonsrc.Object:
		edit, ok = addMember(d, path.Meta, "actors", fmt.Sprintf(`{%s: %s}`, quoted(actor), def))
	case !path.Meta.Valid():
		edit, ok = addMember(d, path.Value, "meta", fmt.Sprintf(`{"actors": {%s: %s}}`, quoted(actor), def))
	}
	return analysis.Fix{Title: fmt.Sprintf("Define %q", clip(actor)), Edits: []analysis.TextEdit{edit}}, ok
}

// swap returns the edits that exchange two values.
func swap(a, b jsonsrc.Value) []analysis.TextEdit {
	return []analysis.TextEdit{
		{Start: a.Start(), End: a.End(), New: string(b.Bytes())},
		{Start: b.Start(), End: b.End(), New: string(a.Bytes())},
	}
}
