package repo

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// CacheFolder returns the folder where the Toolpath tools keep documents: documents
// below $TOOLPATH_CONFIG_DIR or ~/.toolpath. "" if neither is known.
func CacheFolder() string {
	config := os.Getenv("TOOLPATH_CONFIG_DIR")
	if config == "" {
		home, err := os.UserHomeDir()
		if err != nil || home == "" {
			return ""
		}
		config = filepath.Join(home, ".toolpath")
	}
	if !filepath.IsAbs(config) {
		return ""
	}
	return filepath.Join(config, "documents")
}

// maxListed bounds the documents of one folder that are looked at.
const maxListed = 20_000

// List returns the regular files of a folder whose names match, as
// [filepath.Match] has it, sorted. Nothing below it is looked at, and no symbolic
// link is followed: in such folders other programs keep secrets beside documents.
// A folder that cannot be listed has none.
func List(ctx context.Context, folder, pattern string) []string {
	dir, err := os.Open(folder)
	if err != nil {
		return nil
	}
	defer dir.Close()
	var files []string
	for ctx.Err() == nil && len(files) < maxListed {
		entries, err := dir.ReadDir(1000)
		for _, e := range entries {
			if ok, _ := filepath.Match(pattern, e.Name()); ok && e.Type().IsRegular() {
				files = append(files, filepath.Join(folder, e.Name()))
			}
		}
		if err != nil {
			break
		}
	}
	slices.Sort(files)
	return files
}

// Concern returns the first of the roots that a document speaks of: by a path below
// it, spelled as it is or with symbolic links resolved, or by the name of the
// repository that one of its remotes has on a host ("github:org/repo"). "" for none.
func (s Source) Concern(content []byte, roots []string) string {
	for _, root := range roots {
		for _, name := range s.namesOf(root) {
			if mentions(content, name) {
				return root
			}
		}
	}
	return ""
}

// namesOf returns the names under which documents speak of a root.
func (s Source) namesOf(root string) []string {
	names := []string{filepath.ToSlash(root)}
	if real, err := filepath.EvalSymlinks(root); err == nil && real != root {
		names = append(names, filepath.ToSlash(real))
	}
	return append(names, remotes(root)...)
}

// mentions says whether a JSON text has a string that begins with name, or with its
// file URI, and ends there or goes on with a slash. macOS has two names for some
// folders.
func mentions(content []byte, name string) bool {
	for _, spelled := range []string{name, strings.ReplaceAll(name, "/", `\`), "/private" + name, analysis.FileURI(name)} {
		quoted, err := json.Marshal(spelled)
		if err != nil {
			return false
		}
		quoted = quoted[1 : len(quoted)-1]
		for at := 0; ; {
			i := bytes.Index(content[at:], quoted)
			if i < 0 {
				break
			}
			at += i + len(quoted)
			if at < len(content) && bytes.IndexByte([]byte(`"/\#`), content[at]) >= 0 {
				return true
			}
		}
	}
	return false
}

// hosts are the words by which a base.uri names hosts of repositories.
var hosts = map[string]string{"github.com": "github", "gitlab.com": "gitlab", "bitbucket.org": "bitbucket", "codeberg.org": "codeberg"}

// remotes returns the names of the repositories from which the one at root was
// cloned, as a base.uri has them. Only git's own configuration file of the
// repository is read, and nothing that it includes.
func remotes(root string) []string {
	dir, err := gitDir(root)
	if err != nil {
		return nil
	}
	config, err := ReadFile(context.Background(), filepath.Join(commonDir(dir), "config"), 1<<20)
	if err != nil {
		return nil
	}
	var names []string
	for line := range strings.Lines(string(config)) {
		key, url, ok := strings.Cut(strings.TrimSpace(line), "=")
		if !ok || strings.TrimSpace(key) != "url" {
			continue
		}
		if name := remoteName(strings.TrimSpace(url)); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// remoteName turns the URL of a remote into "github:org/repo"; "" if it is none of
// a host that is known.
func remoteName(url string) string {
	rest := url
	if _, after, ok := strings.Cut(url, "://"); ok {
		rest = after
	}
	if _, after, ok := strings.Cut(rest, "@"); ok {
		rest = after
	}
	i := strings.IndexAny(rest, ":/")
	if i < 0 {
		return ""
	}
	host, path := strings.ToLower(rest[:i]), strings.Trim(rest[i+1:], "/")
	if port, after, ok := strings.Cut(path, "/"); ok && rest[i] == ':' && strings.Trim(port, "0123456789") == "" {
		path = after
	}
	path = strings.TrimSuffix(path, ".git")
	if hosts[host] == "" || !strings.Contains(path, "/") {
		return ""
	}
	return hosts[host] + ":" + path
}
