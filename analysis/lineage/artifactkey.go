package lineage

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage/pyjson"
)

// KeyError says why a text may not name an artifact.
type KeyError struct {
	Key    string
	Reason string // "empty", "absolute", "traversal", "unknown-scheme", "malformed-uri", "non-canonical-uri"
	// Canonical is the spelling to use, of a key that only is not spelt so.
	Canonical string
}

func (e *KeyError) Error() string {
	switch e.Reason {
	case "empty":
		return "an artifact key is empty"
	case "absolute":
		return fmt.Sprintf("artifact key %q is an absolute path; it must be relative to the repository", e.Key)
	case "traversal":
		return fmt.Sprintf("artifact key %q leaves the repository with \"..\"", e.Key)
	case "unknown-scheme":
		return fmt.Sprintf("artifact key %q has none of the schemes pr, pkg, deploy and doc", e.Key)
	case "non-canonical-uri":
		return fmt.Sprintf("artifact key %q must be spelt %q", e.Key, e.Canonical)
	}
	return fmt.Sprintf("artifact key %q is not a well-formed URI", e.Key)
}

// CheckArtifactKey says whether a text may name an artifact: as a path of the repository,
// which is taken as it is, or as a URI in its canonical spelling. The error is a [KeyError].
func CheckArtifactKey(key string) error {
	canonical, err := CanonicalArtifactKey(key)
	if err == nil && canonical != key {
		return &KeyError{key, "non-canonical-uri", canonical}
	}
	return err
}

// maxURI bounds an artifact URI, in characters, and maxSegment a part of its path. A bound in
// a regular expression is a copy of what it bounds for each character, made at every start.
const (
	maxURI     = 2048
	maxSegment = 255
)

var (
	scheme       = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*$`)
	host         = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:[1-9][0-9]{0,4})?$`)
	token        = regexp.MustCompile(`^[a-z0-9][a-z0-9._+-]*$`)
	segment      = regexp.MustCompile(`^[A-Za-z0-9._~@+-]+$`)
	globSegment  = regexp.MustCompile(`^[A-Za-z0-9._~@+*?-]+$`)
	pullRequest  = regexp.MustCompile(`^[1-9][0-9]*$`)
	leastOfParts = map[string]int{"pr": 3, "pkg": 2, "deploy": 1, "doc": 1}
)

// CanonicalArtifactKey returns the spelling under which an artifact is recorded.
func CanonicalArtifactKey(key string) (string, error) { return canonicalKey(key, false) }

func canonicalKey(key string, glob bool) (string, error) {
	if key == "" {
		return "", &KeyError{Key: key, Reason: "empty"}
	}
	if strings.Contains(key, "://") {
		return canonicalURI(key, glob)
	}
	return key, checkRepositoryPath(key, key)
}

func checkRepositoryPath(path, key string) error {
	switch {
	case path == "":
		return &KeyError{Key: key, Reason: "empty"}
	case path[0] == '/', isDrive(path):
		return &KeyError{Key: key, Reason: "absolute"}
	case slices.Contains(strings.Split(strings.ReplaceAll(path, `\`, "/"), "/"), ".."):
		return &KeyError{Key: key, Reason: "traversal"}
	}
	return nil
}

// isDrive says whether a path's second and third character are those of "C:\".
func isDrive(path string) bool {
	runes := []rune(path[:min(len(path), 16)])
	return len(runes) >= 3 && runes[1] == ':' && runes[2] == '\\'
}

func canonicalURI(uri string, glob bool) (string, error) {
	malformed := &KeyError{Key: uri, Reason: "malformed-uri"}
	name, rest, _ := strings.Cut(uri, "://")
	if len([]rune(uri)) > maxURI || strings.Contains(rest, "://") || !scheme.MatchString(name) ||
		strings.ContainsFunc(uri, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return "", malformed
	}
	name = strings.ToLower(name)
	if name == "repo" { // another name of the bare path
		return rest, checkRepositoryPath(rest, uri)
	}
	least, known := leastOfParts[name]
	if !known {
		return "", &KeyError{Key: uri, Reason: "unknown-scheme"}
	}
	if strings.ContainsAny(uri, `%\`) {
		return "", malformed
	}
	parts := strings.Split(rest, "/")
	authority, parts := strings.ToLower(parts[0]), parts[1:]
	if n := len(parts); n > 0 && parts[n-1] == "" {
		parts = parts[:n-1]
	}
	shape := token
	if name == "pr" || name == "doc" {
		shape = host
	}
	if !shape.MatchString(authority) {
		return "", malformed
	}
	if slices.Contains(parts, "..") || slices.Contains(parts, ".") {
		return "", &KeyError{Key: uri, Reason: "traversal"}
	}
	one := segment
	if glob {
		one = globSegment
	}
	for _, p := range parts {
		if len(p) > maxSegment || !one.MatchString(p) {
			return "", malformed
		}
	}
	hasGlob := glob && strings.ContainsAny(uri, "*?")
	if !hasGlob && (len(parts) < least || name == "pr" && !pullRequest.MatchString(parts[len(parts)-1])) {
		return "", malformed
	}
	return name + "://" + strings.Join(append([]string{authority}, parts...), "/"), nil
}

// MatchArtifactKey says whether a pattern covers a key: "?" and "*" stand for characters
// other than "/", "**" for any, and "/**/" for any number of folders. Without any of them
// the pattern is a key itself, in any spelling.
func MatchArtifactKey(pattern, key string) (bool, error) {
	canonicalPattern, err := canonicalKey(pattern, true)
	if err != nil {
		return false, err
	}
	canonical, err := CanonicalArtifactKey(key)
	if err != nil {
		return false, err
	}
	if !strings.ContainsAny(canonicalPattern, "*?") {
		return canonicalPattern == canonical, nil
	}
	var re strings.Builder
	re.WriteString(`(?s)^`)
	for p := canonicalPattern; p != ""; {
		switch {
		case strings.HasPrefix(p, "/**/"):
			re.WriteString(`/(?:.*/)?`)
			p = p[len("/**/"):]
		case strings.HasPrefix(p, "**"):
			re.WriteString(`.*`)
			p = p[len("**"):]
		case p[0] == '*':
			re.WriteString(`[^/]*`)
			p = p[1:]
		case p[0] == '?':
			re.WriteString(`[^/]`)
			p = p[1:]
		default:
			next := strings.IndexAny(p[1:], "*?/") + 1
			if next == 0 {
				next = len(p)
			}
			re.WriteString(regexp.QuoteMeta(p[:next]))
			p = p[next:]
		}
	}
	matcher, err := regexp.Compile(re.String() + `$`)
	if err != nil {
		return false, err
	}
	return matcher.MatchString(canonical), nil
}

// digestLengths are how many digits of hex a digest of an outside artifact has.
var digestLengths = map[string]int{"sha1": 40, "sha256": 64, "sha512": 128}

// ExternalReference returns the document that stands for an artifact outside of the
// repository; its hash is the content hash of an entry of the kind "external". Digest is
// "algorithm:hex", of sha1, sha256 or sha512; extractor may be empty.
func ExternalReference(uri, digest, extractor string) ([]byte, error) {
	canonical, err := CanonicalArtifactKey(uri)
	if err != nil {
		return nil, err
	}
	digest = strings.ToLower(digest)
	algorithm, hex, _ := strings.Cut(digest, ":")
	if n := digestLengths[algorithm]; n == 0 || !isHex(hex, n) {
		return nil, errors.New("a digest must be sha1:, sha256: or sha512: and its hex digits")
	}
	document := pyjson.Map(
		pyjson.Member{Name: "artifact_uri", Value: pyjson.Text(canonical)},
		pyjson.Member{Name: "digest", Value: pyjson.Text(digest)},
		pyjson.Member{Name: "v", Value: pyjson.Number(1)},
	)
	if extractor != "" {
		document = document.With("extractor", pyjson.Text(extractor))
	}
	return pyjson.Encode(document, pyjson.Legacy)
}
