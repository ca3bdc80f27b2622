package repo

import (
	"fmt"
	"strings"
)

const (
	maxRevision = 1024 // bytes
	maxPath     = 4096 // bytes
)

// checkRevision accepts what can only name an object or a ref: hex digits, or
// a refname as git-check-ref-format(1) defines it (one level will do). All of
// it is harmless as a line to cat-file, and none can be taken for an option,
// a path, a range, or a search through history.
func checkRevision(rev string) error {
	if reason := refnameFault(rev); reason != "" {
		return fmt.Errorf("%w: %q is not used as a revision: %s", ErrNoRevision, cut(rev), reason)
	}
	return nil
}

// refnameFault says what is wrong with rev, or is empty.
func refnameFault(rev string) string {
	switch {
	case rev == "":
		return "it is empty"
	case len(rev) > maxRevision:
		return "it is too long"
	case rev[0] == '-':
		return "it starts with -"
	case rev == "@" || strings.Contains(rev, "@{"):
		return "it has @"
	case strings.Contains(rev, ".."):
		return "it has .."
	case strings.HasSuffix(rev, "."):
		return "it ends with a dot"
	}
	for i := range len(rev) {
		if c := rev[i]; c <= ' ' || c == 0x7f || strings.IndexByte(`~^:?*[\`, c) >= 0 {
			return fmt.Sprintf("it has %q", c)
		}
	}
	for part := range strings.SplitSeq(rev, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return "it is no refname"
		}
	}
	return ""
}

// isObjectID reports whether rev is a whole object id, of SHA-1 or SHA-256.
func isObjectID(rev string) bool {
	return (len(rev) == 40 || len(rev) == 64) && strings.Trim(rev, "0123456789abcdefABCDEF") == ""
}

// splitPath returns the names that path is made of.
func splitPath(rev, path string) ([]string, error) {
	fault := func(reason string) error {
		return &NoPathError{Rev: cut(rev), Path: cut(path), Reason: reason}
	}
	switch {
	case path == "":
		return nil, fault("it is empty")
	case len(path) > maxPath:
		return nil, fault("it is too long")
	case path[0] == '/':
		return nil, fault("it is absolute; paths of a commit start at the root of the repository")
	case strings.IndexByte(path, 0) >= 0:
		return nil, fault("it has a NUL")
	}
	names := strings.Split(path, "/")
	for _, name := range names {
		if name == "" || name == "." || name == ".." {
			return nil, fault(fmt.Sprintf("it has %q between slashes", name))
		}
	}
	return names, nil
}

// cut shortens a hostile string for a message.
func cut(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}
