package analysis

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// touchIndex says which files the paths of a document change. It holds no part of the
// document's text or tree, so that it can be kept for closed documents.
type touchIndex struct{ paths []pathNames }

// pathNames holds the names that a path's artifact keys give to files. A name is relative
// to the root of the base ("src/a.go"), or absolute ("/home/alex/repo/src/a.go").
type pathNames struct {
	base  string // the folder of a file:// base, else ""
	names map[string]struct{}
}

func (d *Document) findTouches() *touchIndex {
	m := d.Model()
	if m == nil || !d.isCurrent() {
		return &touchIndex{}
	}
	x := &touchIndex{paths: make([]pathNames, len(m.Paths))}
	for i, p := range m.Paths {
		t := pathNames{base: baseFolder(p), names: map[string]struct{}{}}
		last := keyName{}
		for _, s := range p.Steps.All() {
			for key, val := range s.Value(s.Nodes.Change).Members() {
				was := last.name
				if last = last.next(key, t.base); last.name == "" {
					continue
				}
				if last.name != was {
					t.names[last.name] = struct{}{}
				}
				raw, op := perspectives(val)
				if other, _ := renamedBy(raw, op, t.base); other != "" {
					t.names[other] = struct{}{}
				}
			}
		}
		x.paths[i] = t
	}
	return x
}

// keyName is an artifact key and the name that it gives to a file. Steps that follow one
// another mostly have the same.
type keyName struct{ key, name string }

// next is that of another key of the path.
func (k keyName) next(key jsonsrc.Value, base string) keyName {
	if k.key != "" && key.Is(k.key) {
		return k
	}
	text := key.Text()
	return keyName{text, artifactName(text, base)}
}

// touchesOfChanges is findTouches for a document whose changes are asked for too, or of which
// those that were found for an earlier version go on.
func (d *Document) touchesOfChanges() *touchIndex {
	if !d.isCurrent() {
		return &touchIndex{}
	}
	x := &touchIndex{paths: make([]pathNames, len(d.changes()))}
	for i := range d.changes() {
		t := &d.changes()[i]
		names := make(map[string]struct{}, len(t.steps))
		for name := range t.steps {
			names[name] = struct{}{}
		}
		for name, renames := range t.renames {
			names[name] = struct{}{}
			for _, r := range renames {
				names[r.other] = struct{}{}
			}
		}
		x.paths[i] = pathNames{base: t.base, names: names}
	}
	return x
}

// touches says whether any path of the document speaks of the file.
func (x *touchIndex) touches(file string, at site) bool {
	for i := range x.paths {
		p := &x.paths[i]
		if at.isAnyName(file, p.base, func(name string) bool { _, ok := p.names[name]; return ok }) {
			return true
		}
	}
	return false
}

// baseFolder returns the folder of a path's file:// base, else "".
func baseFolder(p *toolpath.Path) string {
	return aliased(FilePath(p.Base().Get("uri").Text()))
}

// artifactName returns the name that an artifact key gives to a file: relative to the
// base's root if it lies below it, else absolute; "" if the key names no file (RFC
// "Artifacts"), or one outside of the root by "..".
func artifactName(key, base string) string {
	if strings.Contains(key, "://") || strings.HasPrefix(strings.ToLower(key), "file:/") {
		if key = FilePath(key); key == "" {
			return ""
		}
	}
	share := strings.HasPrefix(key, `\\`) || strings.HasPrefix(base, "//") && strings.HasPrefix(key, "//")
	key = strings.ReplaceAll(key, `\`, "/")
	if key == "" || strings.HasSuffix(key, "/") {
		return ""
	}
	if key = path.Clean(key); share {
		key = "/" + key
	}
	if key == ".." || strings.HasPrefix(key, "../") {
		if base == "" {
			return ""
		}
		key = path.Join(base, key)
	}
	key = lowerDrive(key)
	if isAbsolute(key) {
		key = aliased(key)
		if rel, ok := within(base, key); ok {
			return rel
		}
		return key
	}
	if key == "." {
		return ""
	}
	return key
}

func isAbsolute(p string) bool { return strings.HasPrefix(p, "/") || isDrive(p) }

// aliased returns the shorter spelling of the folders that macOS has two of: editors and
// shells say /var and /tmp, what resolves symbolic links says /private/var and
// /private/tmp.
func aliased(p string) string {
	rest, ok := strings.CutPrefix(p, "/private/")
	if !ok {
		return p
	}
	switch top, _, _ := strings.Cut(rest, "/"); top {
	case "var", "tmp", "etc":
		return "/" + rest
	}
	return p
}

// within returns the path of p relative to the folder, if p lies below it.
func within(folder, p string) (rel string, ok bool) {
	if folder == "" {
		return "", false
	}
	if rel, ok = strings.CutPrefix(p, strings.TrimSuffix(folder, "/")); !ok || len(rel) < 2 || rel[0] != '/' {
		return "", false
	}
	return rel[1:], true
}

func dir(p string) string { return path.Dir(p) }

// isHere says whether the folder of a path's base is on this machine, as far as that
// shows: it is, holds, or lies in the repository of the document, whose root is given.
func isHere(base, root string) bool {
	if base == "" || root == "" {
		return base != ""
	}
	_, holds := within(base, root)
	_, lies := within(root, base)
	return base == root || holds || lies
}

// touch is the place of an artifact change: nodes of the chunk of a step.
type touch struct {
	step       int32 // index in the path
	key, value uint32
}

// pathTouches says which steps of a path change which file, and in what order they count.
type pathTouches struct {
	path  *toolpath.Path
	base  string
	steps map[string][]touch // by name, in document order
	order replayOrder
	// failed holds the tool calls that ended in an error, by step.
	failed map[int32]map[string]struct{}
	// deleted holds the deletions of files, by step.
	deleted map[int32]*deletions
	// renames holds what says that it renamed a file, by either name.
	renames map[string][]rename
	// orders are those to other steps than the head, made on first use.
	orders *sync.Map
}

// rename is an artifact change that says that it renamed a file. Producers disagree on which
// of the two names is the key (facts 7.2).
type rename struct {
	touch
	other string // the other name
	copy  bool   // the file of the other name stays
}

func (d *Document) findChanges() []pathTouches {
	m := d.Model()
	if m == nil {
		return nil
	}
	all := make([]pathTouches, len(m.Paths))
	before := d.touched.take()
	for i, p := range m.Paths {
		t := &all[i]
		*t = pathTouches{path: p, base: baseFolder(p), steps: map[string][]touch{},
			failed: map[int32]map[string]struct{}{}, deleted: map[int32]*deletions{}, renames: map[string][]rename{}, orders: &sync.Map{}}
		first := 0
		if i < len(before) {
			first = t.goOn(&before[i])
		}
		last := keyName{}
		for i, s := range p.Steps.Between(first, p.Steps.Len()) {
			for key, val := range s.Value(s.Nodes.Change).Members() {
				last = last.next(key, t.base)
				t.add(int32(i), key, val, last)
			}
		}
		t.order = orderOf(p)
	}
	d.touched.note(all)
	return all
}

// touchedBefore is what was found in the paths of an earlier version of a document; it holds
// nothing of that version but its steps.
type touchedBefore struct {
	mu    sync.Mutex
	paths []pathBefore
}

type pathBefore struct {
	pathTouches                  // without its path
	seen        []*toolpath.Step // in which it was found
}

// take returns what was found; it is good for one version that follows.
func (b *touchedBefore) take() []pathBefore {
	b.mu.Lock()
	defer b.mu.Unlock()
	paths := b.paths
	b.paths = nil
	return paths
}

func (b *touchedBefore) note(all []pathTouches) {
	paths := make([]pathBefore, len(all))
	for i := range all {
		paths[i] = pathBefore{all[i], make([]*toolpath.Step, all[i].path.Steps.Len())}
		for k := range all[i].path.Steps.Len() {
			paths[i].seen[k] = all[i].path.Steps.At(k).Step
		}
		paths[i].path, paths[i].orders, paths[i].order = nil, nil, replayOrder{}
		paths[i].deleted = make(map[int32]*deletions, len(all[i].deleted))
		for step, d := range all[i].deleted {
			paths[i].deleted[step] = &deletions{list: d.list}
		}
	}
	b.mu.Lock()
	b.paths = paths
	b.mu.Unlock()
}

// goOn takes over what was found in the steps of an earlier version, if those are the first
// ones of the path, and returns how many they are.
func (t *pathTouches) goOn(before *pathBefore) int {
	n := len(before.seen)
	if n > t.path.Steps.Len() || before.base != t.base {
		return 0
	}
	for k, s := range before.seen {
		if t.path.Steps.At(k).Step != s {
			return 0
		}
	}
	for name, list := range before.steps {
		t.steps[name] = slices.Clip(list)
	}
	for name, list := range before.renames {
		t.renames[name] = slices.Clip(list)
	}
	maps.Copy(t.failed, before.failed)
	for step, d := range before.deleted {
		next := &deletions{list: d.list}
		next.lookUp = sync.OnceValue(func() deletedContents { return t.read(next.list) })
		t.deleted[step] = next
	}
	return n
}

// add notes an artifact change. Of two with the very same key in one step the last one
// counts, as for every reader of JSON.
func (t *pathTouches) add(step int32, key, val jsonsrc.Value, named keyName) {
	const lookBack = 8 // spellings of one file in one step
	raw, op := perspectives(val)
	t.noteFailures(step, op.Get("tool_uses"))
	name := named.name
	if name == "" {
		return
	}
	at := touch{step, key.Node(), val.Node()}
	t.noteDeletion(name, at, raw)
	if other, copied := renamedBy(raw, op, t.base); other != "" && other != name {
		t.renames[name] = append(t.renames[name], rename{at, other, copied})
		if !copied {
			t.renames[other] = append(t.renames[other], rename{at, name, false})
		}
	}
	list := t.steps[name]
	for i := len(list) - 1; i >= max(0, len(list)-lookBack) && list[i].step == step; i-- {
		if t.at(list[i]).key.Is(named.key) {
			list[i] = at
			return
		}
	}
	t.steps[name] = append(list, at)
}

// noteFailures notes the tool calls of a turn that ended in an error: what they were to
// write was not written.
func (t *pathTouches) noteFailures(step int32, uses jsonsrc.Value) {
	for _, use := range uses.Elements() {
		if use.Get("result").Get("is_error").Kind() != jsonsrc.True || use.Get("id").Kind() != jsonsrc.String {
			continue
		}
		if t.failed[step] == nil {
			t.failed[step] = map[string]struct{}{}
		}
		t.failed[step][use.Get("id").Text()] = struct{}{}
	}
}

func (t *pathTouches) at(at touch) change {
	s := t.path.Steps.At(int(at.step))
	return change{step: int(at.step), key: s.Value(at.key), value: s.Value(at.value)}
}

// touches says whether the path speaks of the file.
func (t *pathTouches) touches(file string, at site) bool {
	return at.isAnyName(file, t.base, func(name string) bool { return len(t.steps[name]) > 0 || len(t.renames[name]) > 0 })
}

// fileTouches are what the steps on a main line did to one file, in replay order.
type fileTouches struct {
	list    []touch
	renames map[touch]rename // those of the list that say that they renamed it
}

// touchesOf returns what the steps on the main line did to the file, and whether steps on
// branches that were merged speak of it too.
func (t *pathTouches) touchesOf(file string, at site, o replayOrder) (found fileTouches, branched bool) {
	for _, name := range at.namesOf(file, t.base) {
		found.list = slices.Grow(found.list, len(t.steps[name]))
		for _, at := range t.steps[name] {
			switch {
			case o.position[at.step] >= 0:
				found.list = append(found.list, at)
			case o.merged[at.step]:
				branched = true
			}
		}
		for _, r := range t.renames[name] {
			if o.position[r.step] < 0 {
				branched = branched || o.merged[r.step]
				continue
			}
			if !slices.Contains(found.list, r.touch) {
				found.list = append(found.list, r.touch)
			}
			if found.renames == nil {
				found.renames = map[touch]rename{}
			}
			found.renames[r.touch] = r
		}
	}
	byPosition := func(a, b touch) int {
		return cmp.Or(int(o.position[a.step])-int(o.position[b.step]), cmp.Compare(a.key, b.key))
	}
	if !slices.IsSortedFunc(found.list, byPosition) {
		slices.SortStableFunc(found.list, byPosition)
	}
	return found, branched
}

// isCommit says whether a step was derived from a commit. Of a merge such a step records
// all that it changed against its first parent.
func isCommit(s toolpath.At) bool {
	return s.Value(s.Nodes.Meta).Get("source").Get("type").Kind() == jsonsrc.String
}

// replayOrder says in which order the steps of a path count. Both are by step.
type replayOrder struct {
	// position is the step's place on the main line, -1 if it is not on it.
	position []int32
	// merged says that the step is on a branch that was merged into the main line.
	merged []bool
}

// orderOf returns the order of the steps whose changes led to the path's head. That is the
// parents[0] chain of the head (RFC "First Parent"). An agent session has one working
// tree, and its head and parents say nothing about what is on disk, so that all of its
// steps count, in the order of the document.
func orderOf(p *toolpath.Path) replayOrder { return orderTo(p, headOf(p)) }

// orderTo is orderOf for what led to a step, whether that is the head or not.
func (t *pathTouches) orderTo(to int) replayOrder {
	if o, ok := t.orders.Load(to); ok {
		return o.(replayOrder)
	}
	o := orderTo(t.path, to)
	t.orders.Store(to, o)
	return o
}

func orderTo(p *toolpath.Path, to int) replayOrder {
	o := replayOrder{make([]int32, p.Steps.Len()), make([]bool, p.Steps.Len())}
	for i := range p.Steps.Len() {
		o.position[i] = -1
	}
	if p.IsAgentSession() {
		for i := range to + 1 {
			o.position[i] = int32(i)
		}
		return o
	}
	dag := p.DAG()
	line := dag.MainLine(to)
	slices.Reverse(line)
	for i, s := range line {
		o.position[s] = int32(i)
	}
	var stack []int32
	for _, s := range line {
		stack = append(stack[:0], dag.Parents.At(s)...)
		for len(stack) > 0 {
			k := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if k >= 0 && o.position[k] < 0 && !o.merged[k] {
				o.merged[k] = true
				stack = append(stack, dag.Parents.At(int(k))...)
			}
		}
	}
	return o
}
