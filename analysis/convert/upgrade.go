package convert

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/format"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

// Upgrade returns the edits that bring a text of an old form to the current one, ascending
// and disjoint; none if it has that. Layout is left as it is. A graph that is made for a
// path has the path's id, a path that is made for a step has the step's id behind "path-".
//
// base.commit becomes base.ref. A ref beside it becomes the branch, unless there is one, or
// it is a tag: then it is lost, since the commit says more. The error is an [*Error].
func Upgrade(t *jsonsrc.Tree) ([]format.Edit, []Loss, error) {
	if err := format.Syntax(t); err != nil {
		return nil, nil, refused(err)
	}
	var u upgrade
	if t.IsLines() {
		for i := range t.NumChunks() {
			u.base(t.Chunk(i).Get("PathOpen").Get("base"))
		}
	} else if err := u.root(t.Root()); err != nil {
		return nil, nil, err
	}
	slices.SortStableFunc(u.edits, func(a, b format.Edit) int { return a.Start - b.Start })
	return u.edits, u.lost, nil
}

type upgrade struct {
	edits []format.Edit
	lost  losses
}

func (u *upgrade) replace(start, end int, s string) {
	u.edits = append(u.edits, format.Edit{Start: start, End: end, New: s})
}

// root finds out which form the document has.
func (u *upgrade) root(root jsonsrc.Value) error {
	if root.Kind() != jsonsrc.Object {
		return fault(root, "a Toolpath document is an object with graph and paths, not %v", root.Kind())
	}
	if root.Get("graph").Valid() || root.Get("paths").Valid() {
		u.bases(root)
		return nil
	}
	for _, form := range []struct {
		name string
		wrap func(key, v jsonsrc.Value) error
	}{
		{"Graph", u.unwrapGraph},
		{"Path", u.wrapPath},
		{"Step", u.wrapStep},
	} {
		if k, v := root.Member(form.name); v.Kind() == jsonsrc.Object {
			return form.wrap(k, v)
		}
	}
	if root.Get("path").Kind() == jsonsrc.Object {
		return u.wrapPath(jsonsrc.Value{}, root)
	}
	if root.Get("step").Kind() == jsonsrc.Object {
		return u.wrapStep(jsonsrc.Value{}, root)
	}
	return fault(root, "this is no Toolpath document: it has no graph and paths, and is no path and no step")
}

func (u *upgrade) bases(graph jsonsrc.Value) {
	for _, p := range graph.Get("paths").Elements() {
		u.base(p.Get("path").Get("base"))
	}
}

// unwrapGraph puts the members of the graph in place of the one that holds it.
func (u *upgrade) unwrapGraph(key, v jsonsrc.Value) error {
	if !v.Get("graph").Valid() && !v.Get("paths").Valid() {
		return fault(v, "the graph in this envelope has neither graph nor paths")
	}
	u.replace(key.Start(), v.Start()+1, "")
	u.replace(v.End()-1, v.End(), "")
	u.bases(v)
	return nil
}

func (u *upgrade) wrapPath(key, v jsonsrc.Value) error {
	id := v.Get("path").Get("id")
	if id.Kind() != jsonsrc.String {
		return fault(v, "this path has no id, from which its graph could take one")
	}
	u.wrap(key, v, string(id.Bytes()), "[", "]")
	u.base(v.Get("path").Get("base"))
	return nil
}

func (u *upgrade) wrapStep(key, v jsonsrc.Value) error {
	id := v.Get("step").Get("id")
	if id.Kind() != jsonsrc.String {
		return fault(v, "this step has no id, from which its path could take one")
	}
	path := `"path-` + string(id.Bytes()[1:])
	u.wrap(key, v, path, fmt.Sprintf(`[{"path":{"id":%s,"head":%s},"steps":[`, path, id.Bytes()), "]}]")
	return nil
}

// wrap makes the value, with what comes before and after it, the paths of a graph with the
// id. The key, if there is one, is that of the envelope.
func (u *upgrade) wrap(key, v jsonsrc.Value, id, before, after string) {
	graph := `"graph":{"id":` + id + `},"paths"`
	if key.Valid() {
		u.replace(key.Start(), key.End(), graph)
		u.replace(v.Start(), v.Start(), before)
		u.replace(v.End(), v.End(), after)
		return
	}
	u.replace(v.Start(), v.Start(), "{"+graph+":"+before)
	u.replace(v.End(), v.End(), after+"}")
}

// UpgradeBase returns the edits that take the field commit out of a base, as [Upgrade] does.
func UpgradeBase(base jsonsrc.Value) ([]format.Edit, []Loss) {
	var u upgrade
	u.base(base)
	return u.edits, u.lost
}

// base takes the field commit out of a base.
func (u *upgrade) base(v jsonsrc.Value) {
	key, commit := v.Member("commit")
	if commit.Kind() != jsonsrc.String {
		return
	}
	refKey, ref := v.Member("ref")
	switch {
	case !ref.Valid():
		u.replace(key.Start(), key.End(), `"ref"`)
	case ref.Kind() == jsonsrc.String && ref.Text() != commit.Text() && !v.Get("branch").Valid() && !strings.HasPrefix(ref.Text(), "refs/tags/"):
		u.replace(refKey.Start(), refKey.End(), `"branch"`)
		u.replace(key.Start(), key.End(), `"ref"`)
	default:
		if !ref.Is(commit.Text()) {
			u.lost.add(ref, "base.ref %s is left out: base.commit, which takes its place, says more", short(ref))
			u.replace(ref.Start(), ref.End(), string(commit.Bytes()))
		}
		u.remove(v, key, commit)
	}
}

// remove takes a member out of an object, and a comma with it.
func (u *upgrade) remove(object, key, value jsonsrc.Value) {
	before := -1
	for k, v := range object.Members() {
		if k.Start() > value.Start() && before < 0 {
			u.replace(key.Start(), k.Start(), "")
			return
		}
		if k.Start() < key.Start() {
			before = v.End()
		}
	}
	u.replace(before, value.End(), "")
}
