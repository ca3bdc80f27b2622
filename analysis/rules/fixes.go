package rules

import (
	"fmt"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
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
// first one is; not ok if the object has none.
func addMember(src []byte, object jsonsrc.Value, key, value string) (e analysis.TextEdit, ok bool) {
	gap := " "
	for k, v := range object.Members() {
		if !ok {
			if before := string(src[object.Start()+1 : k.Start()]); strings.Contains(before, "\n") {
				gap = before
			}
			ok = true
		}
		e.Start = v.End()
	}
	e.End, e.New = e.Start, fmt.Sprintf(`,%s%q: %s`, gap, key, value)
	return e, ok
}

// swap returns the edits that exchange two values.
func swap(src []byte, a, b jsonsrc.Value) []analysis.TextEdit {
	return []analysis.TextEdit{
		{Start: a.Start(), End: a.End(), New: string(src[b.Start():b.End()])},
		{Start: b.Start(), End: b.End(), New: string(src[a.Start():a.End()])},
	}
}
