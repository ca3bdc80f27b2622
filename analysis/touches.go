package analysis

import (
	"path"
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// touchIndex says which steps of a document change which file. It holds no part of the
// document's text or tree, so that it can be kept for closed documents.
type touchIndex struct{ paths []pathTouches }

// pathTouches maps the names that a path's artifact keys give to files, to the indexes of
// the steps, ascending. A name is relative to the root of the base ("src/a.go"), or
// absolute ("/home/alex/repo/src/a.go").
type pathTouches struct {
	base  string // the folder of a file:// base, else ""
	steps map[string][]int32
}

func (d *Document) findTouches() *touchIndex {
	m := d.Model()
	if m == nil {
		return &touchIndex{}
	}
	x := &touchIndex{paths: make([]pathTouches, len(m.Paths))}
	for i, p := range m.Paths {
		t := pathTouches{base: FilePath(p.Base().Get("uri").Text()), steps: map[string][]int32{}}
		for k, s := range p.Steps {
			for key := range s.Value(s.Nodes.Change).Members() {
				name := artifactName(key.Text(), t.base)
				if name == "" {
					continue
				}
				if list := t.steps[name]; len(list) == 0 || list[len(list)-1] != int32(k) {
					t.steps[name] = append(list, int32(k))
				}
			}
		}
		x.paths[i] = t
	}
	return x
}

// artifactName returns the name that an artifact key gives to a file: relative to the
// base's root if it lies below it, else absolute; "" if the key names no file (RFC
// "Artifacts"), or one outside of the root by "..".
func artifactName(key, base string) string {
	if strings.Contains(key, "://") {
		key = FilePath(key)
	}
	key = strings.ReplaceAll(key, `\`, "/")
	if key == "" || strings.HasSuffix(key, "/") {
		return ""
	}
	key = path.Clean(key)
	if isDrive(key) {
		key = strings.ToLower(key[:1]) + key[1:]
	}
	if isAbsolute(key) {
		if rel, ok := within(base, key); ok {
			return rel
		}
		return key
	}
	if key == "." || key == ".." || strings.HasPrefix(key, "../") {
		return ""
	}
	return key
}

func isAbsolute(p string) bool { return strings.HasPrefix(p, "/") || isDrive(p) }

// within returns the path of p relative to the folder, if p lies below it.
func within(folder, p string) (rel string, ok bool) {
	if folder == "" {
		return "", false
	}
	rel, ok = strings.CutPrefix(p, strings.TrimSuffix(folder, "/")+"/")
	return rel, ok && rel != ""
}

func dir(p string) string { return path.Dir(p) }

// namesOf returns the names under which a path of a document may speak of the file at an
// absolute path: root is where the document's repository is on this machine.
func (t *pathTouches) namesOf(file, root string) []string {
	names := []string{file}
	for _, folder := range []string{root, t.base} {
		if rel, ok := within(folder, file); ok && !slices.Contains(names, rel) {
			names = append(names, rel)
		}
	}
	return names
}

// of returns the steps that touch the file, ascending.
func (t *pathTouches) of(file, root string) []int32 {
	var steps []int32
	for _, name := range t.namesOf(file, root) {
		steps = append(steps, t.steps[name]...)
	}
	slices.Sort(steps)
	return slices.Compact(steps)
}

// touches says whether any path of the document speaks of the file.
func (x *touchIndex) touches(file, root string) bool {
	for i := range x.paths {
		for _, name := range x.paths[i].namesOf(file, root) {
			if len(x.paths[i].steps[name]) > 0 {
				return true
			}
		}
	}
	return false
}

// replayOrder returns the steps whose changes led to the path's head, oldest first. That
// is the parents[0] chain of the head (RFC "First Parent"). An agent session has one
// working tree, and its head and parents say nothing about what is on disk, so that all
// of its steps count, in the order of the document.
func replayOrder(p *toolpath.Path) []int {
	if p.IsAgentSession() {
		all := make([]int, len(p.Steps))
		for i := range all {
			all[i] = i
		}
		return all
	}
	line := p.DAG().MainLine(p.DAG().Head)
	slices.Reverse(line)
	return line
}
