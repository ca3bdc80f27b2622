package repo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
)

// KeySources says where public keys are looked for. Empty fields are not looked at.
type KeySources struct {
	// GnuPG is a home of GnuPG: its public keyring is read.
	GnuPG string
	// SSH is a folder such as ~/.ssh: id_*.pub, allowed_signers and revoked_keys are read.
	SSH string
	// Git is a folder such as ~/.config/git: allowed_signers is read.
	Git string
	// Given are files and folders that the user names. A "~/" at the start is the home.
	Given []string
	// Root is the folder that has .toolpath/keys, whose files are read.
	Root string
}

// KeysFolder is where a workspace keeps public keys, below its root.
const KeysFolder = ".toolpath/keys"

// Bounds of what is read of keys.
const (
	maxKeyFile  = 32 << 20
	maxKeyFiles = 500 // of a folder
	maxKeyBytes = 128 << 20
)

// UserKeys returns the user's own sources: GNUPGHOME or ~/.gnupg, ~/.ssh, ~/.config/git.
func UserKeys() KeySources {
	home, err := os.UserHomeDir()
	s := KeySources{GnuPG: os.Getenv("GNUPGHOME")}
	if err != nil || !filepath.IsAbs(home) {
		return s
	}
	if s.GnuPG == "" {
		s.GnuPG = filepath.Join(home, ".gnupg")
	}
	s.SSH = filepath.Join(home, ".ssh")
	s.Git = filepath.Join(home, ".config", "git")
	if config := os.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(config) {
		s.Git = filepath.Join(config, "git")
	}
	return s
}

// ReadKeys reads files with public keys. What a source does not have is no error, but what
// the user names must be there. Private keys are not opened, but where the user or the
// workspace names them.
func ReadKeys(ctx context.Context, s KeySources) (files []trust.Material, errs []error) {
	r := keyReader{ctx: ctx, left: maxKeyBytes}
	if s.GnuPG != "" {
		r.optional(filepath.Join(s.GnuPG, "pubring.kbx"), trust.OfUser)
		r.optional(filepath.Join(s.GnuPG, "pubring.gpg"), trust.OfUser)
		if _, err := os.Stat(filepath.Join(s.GnuPG, "public-keys.d", "pubring.db")); err == nil {
			r.errs = append(r.errs, fmt.Errorf("%s: GnuPG keeps its keys in a database (keyboxd), which is not read; export those that count: gpg --export --armor KEY > FILE", s.GnuPG))
		}
	}
	if s.SSH != "" {
		r.optional(filepath.Join(s.SSH, "allowed_signers"), trust.OfUser)
		r.optional(filepath.Join(s.SSH, "revoked_keys"), trust.OfUser)
		names, _ := filepath.Glob(filepath.Join(escapeGlob(s.SSH), "id_*.pub"))
		for _, name := range names {
			if !strings.HasSuffix(name, "-cert.pub") {
				r.optional(name, trust.OfUser)
			}
		}
	}
	if s.Git != "" {
		r.optional(filepath.Join(s.Git, "allowed_signers"), trust.OfUser)
	}
	for _, name := range s.Given {
		r.given(expandHome(name), s.Root)
	}
	if s.Root != "" {
		r.folder(filepath.Join(s.Root, filepath.FromSlash(KeysFolder)), trust.OfWorkspace)
	}
	return r.files, r.errs
}

// escapeGlob makes a folder's name one that filepath.Glob takes as it is.
func escapeGlob(name string) string {
	return strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]").Replace(name)
}

func expandHome(name string) string {
	if rest, ok := strings.CutPrefix(filepath.ToSlash(name), "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, filepath.FromSlash(rest))
		}
	}
	return name
}

type keyReader struct {
	ctx   context.Context
	left  int64
	files []trust.Material
	errs  []error
}

// optional reads a file that need not be there.
func (r *keyReader) optional(name string, origin trust.Origin) {
	err := r.file(name, origin)
	if err == nil || errors.Is(err, ErrNotExist) {
		return
	}
	r.errs = append(r.errs, fmt.Errorf("%s: %w", name, err))
	if filepath.Base(name) == "revoked_keys" { // where nobody knows which keys are revoked, none is good
		r.files = append(r.files, trust.Material{Name: filepath.ToSlash(name), Origin: origin, Content: []byte("unreadable\n")})
	}
}

func (r *keyReader) file(name string, origin trust.Origin) error {
	content, err := ReadFile(r.ctx, name, min(maxKeyFile, r.left))
	if err != nil {
		return err
	}
	r.left -= int64(len(content))
	if len(content) > 0 {
		r.files = append(r.files, trust.Material{Name: filepath.ToSlash(name), Origin: origin, Content: content})
	}
	return nil
}

// given reads a file or a folder that the user names. What lies in the workspace is the
// workspace's, who knows where the settings come from that name it.
func (r *keyReader) given(name, root string) {
	origin := trust.OfUser
	if rel, err := filepath.Rel(root, name); root != "" && err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		origin = trust.OfWorkspace
	}
	st, err := os.Stat(name)
	switch {
	case err != nil:
		r.errs = append(r.errs, fmt.Errorf("%s: there is no such file or folder of keys", name))
	case st.IsDir():
		r.folder(name, origin)
	default:
		r.optional(name, origin)
	}
}

// folder reads the files of a folder, but not those in folders below it, and none whose name
// starts with a dot or is that of a text about them.
func (r *keyReader) folder(name string, origin trust.Origin) {
	f, err := os.Open(name)
	if err != nil {
		if !errors.Is(err, os.ErrNotExist) {
			r.errs = append(r.errs, fmt.Errorf("%s: the folder of keys cannot be read", name))
		}
		return
	}
	defer f.Close()
	entries, _ := f.ReadDir(maxKeyFiles + 1)
	if len(entries) > maxKeyFiles {
		r.errs = append(r.errs, fmt.Errorf("%s: only %d of its files are read", name, maxKeyFiles))
		entries = entries[:maxKeyFiles]
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		if base := e.Name(); !e.IsDir() && base[0] != '.' && !strings.HasSuffix(strings.ToLower(base), ".md") {
			r.optional(filepath.Join(name, base), origin)
		}
	}
}
