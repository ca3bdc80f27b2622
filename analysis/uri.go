package analysis

import (
	"net/url"
	"path"
	"strings"
)

// FilePath returns the path of a file URI, with slashes, "" for any other URI. The drive
// letter of a Windows path is in lower case.
func FilePath(uri string) string {
	const scheme = "file:"
	if len(uri) <= len(scheme) || !strings.EqualFold(uri[:len(scheme)], scheme) || uri[len(scheme)] != '/' {
		return ""
	}
	authority, _ := strings.CutPrefix(uri[len(scheme):], "//") // RFC 8089: "file:/a" has none
	host, rest, _ := strings.Cut(authority, "/")
	rest, _, _ = strings.Cut(rest, "#")
	rest, _, _ = strings.Cut(rest, "?")
	p, err := url.PathUnescape("/" + rest)
	if err != nil || strings.ContainsRune(p, 0) {
		return ""
	}
	if isDrive(p[1:]) {
		p = lowerDrive(p[1:])
	}
	if host != "" && !strings.EqualFold(host, "localhost") {
		return "//" + host + path.Clean(p) // a share of another machine, as Windows writes it
	}
	return path.Clean(p)
}

// FileURI returns the URI of an absolute path, in the spelling that editors use: all but
// letters, digits, "-", ".", "_", "~" and "/" is percent-encoded.
func FileURI(p string) string {
	const hex = "0123456789ABCDEF"
	p = strings.ReplaceAll(p, `\`, "/")
	var b strings.Builder
	b.WriteString("file://")
	if strings.HasPrefix(p, "//") {
		p = p[2:]
	} else if !strings.HasPrefix(p, "/") {
		b.WriteByte('/')
	}
	for _, c := range []byte(p) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~/", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hex[c>>4])
		b.WriteByte(hex[c&15])
	}
	return b.String()
}

// lowerDrive returns a path with the letter of its drive, if it has one, in lower case.
func lowerDrive(p string) string {
	if isDrive(p) {
		return strings.ToLower(p[:1]) + p[1:]
	}
	return p
}

// isDrive says whether p starts as a Windows path: a letter and a colon.
func isDrive(p string) bool {
	return len(p) >= 2 && p[1] == ':' && (p[0]|0x20) >= 'a' && (p[0]|0x20) <= 'z' && (len(p) == 2 || p[2] == '/' || p[2] == '\\')
}
