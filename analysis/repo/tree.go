package repo

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"iter"
	"strings"
)

// entry is a line of a tree object, in its bytes.
type entry struct {
	mode []byte // octal digits, as stored: 100644, 40000, …
	name []byte
	id   []byte // raw, not hex
}

// What the modes that are no regular file stand for (gitformat-index(5)).
var modeKinds = map[string]string{
	"40000":  "a folder",
	"040000": "a folder", // written by old tools
	"120000": "a symbolic link",
	"160000": "a submodule",
}

// nextEntry takes the first entry off a tree object: mode, space, name, NUL
// and the bytes of the id. Is false at the end and at damage.
func nextEntry(tree []byte, idBytes int) (e entry, rest []byte, ok bool) {
	mode, rest, ok := bytes.Cut(tree, []byte{' '})
	if !ok || len(mode) > 6 {
		return entry{}, nil, false
	}
	name, rest, ok := bytes.Cut(rest, []byte{0})
	if !ok || len(rest) < idBytes {
		return entry{}, nil, false
	}
	return entry{mode, name, rest[:idBytes]}, rest[idBytes:], true
}

// entries are those of a tree object, up to its end or damage.
func entries(tree []byte, idBytes int) iter.Seq[entry] {
	return func(yield func(entry) bool) {
		for {
			e, rest, ok := nextEntry(tree, idBytes)
			if !ok || !yield(e) {
				return
			}
			tree = rest
		}
	}
}

// match is the entry of a tree for a name.
type match struct {
	mode, name string
	id         string // hex digits
	variant    bool   // the name differs by letter case
}

func matched(e entry, variant bool) match {
	return match{string(e.mode), string(e.name), hex.EncodeToString(e.id), variant}
}

// lookup finds the entry called name or, failing that, the only one whose
// name differs by letter case alone.
func lookup(tree []byte, name string, idBytes int) (match, bool) {
	wanted := []byte(name)
	for e := range entries(tree, idBytes) {
		if bytes.Equal(e.name, wanted) {
			return matched(e, false), true
		}
	}
	var variant entry
	variants := 0
	for e := range entries(tree, idBytes) {
		if len(e.name) == len(wanted) && bytes.EqualFold(e.name, wanted) {
			variant = e
			variants++
		}
	}
	if variants != 1 {
		return match{}, false
	}
	return matched(variant, true), true
}

// find returns the id of the blob at path, whose names are given.
func (c *catFile) find(commit commit, rev, path string, names []string) (string, error) {
	missing := &NoPathError{Rev: rev, Path: path}
	id, variant := commit.tree, false
	for i, name := range names {
		tree, err := c.tree(id, rev, names[:i])
		if err != nil {
			return "", err
		}
		m, ok := lookup(tree, name, len(id)/2)
		if !ok {
			return "", missing
		}
		if m.variant {
			variant = true
			names[i] = m.name
		}
		kind, last := modeKinds[m.mode], i == len(names)-1
		switch {
		case last && kind != "" && !variant:
			return "", fmt.Errorf("commit %s, path %q: %w: %s", rev, path, ErrNotRegular, kind)
		case !last && kind != "a folder":
			if kind == "" {
				kind = "a file"
			}
			if !variant {
				missing.Reason = fmt.Sprintf("%q is %s", strings.Join(names[:i+1], "/"), kind)
			}
			return "", missing
		}
		id = m.id
	}
	if variant {
		missing.Variant = strings.Join(names, "/")
		return "", missing
	}
	return id, nil
}
