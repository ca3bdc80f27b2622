package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust/trusttest"
)

// keyServer serves what a test gives, by path, over TLS on this machine, and the fetcher that
// may ask it.
func keyServer(t *testing.T, pages map[string]http.HandlerFunc) (string, fetcher) {
	t.Helper()
	mux := http.NewServeMux()
	for path, page := range pages {
		mux.HandleFunc(path, page)
	}
	s := httptest.NewTLSServer(mux)
	t.Cleanup(s.Close)
	return s.URL, fetcher{fetchClient(s.Client().Transport)}
}

func says(content string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, content) }
}

func TestFetchKeys(t *testing.T) {
	g := trusttest.NewGPG(t)
	alex, eve := g.Key("Alex <alex@example.com>", "ed25519", "0"), g.Key("Eve", "ed25519", "0")
	key, other := trusttest.NewSSHKey(t, "ed25519", "x"), trusttest.NewSSHKey(t, "ed25519", "y")
	base, f := keyServer(t, map[string]http.HandlerFunc{
		"/alex.asc": says(string(g.Export())), "/alex.keys": says(other.Public + "\n" + key.Public + "\n"), "/eve.asc": says(string(g.Export(eve))),
		"/large": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 2*maxFetched)) },
		"/away": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://example.com/", http.StatusFound)
		},
		"/moved":  func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/alex.asc", http.StatusFound) },
		"/around": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/around", http.StatusFound) },
		"/page":   says("<html>"),
	})
	for _, c := range []struct{ name, kind, fingerprint, href, want string }{
		{"of OpenPGP", "gpg", alex, base + "/alex.asc", "it says that it is of: Alex <alex@example.com>"},
		{"of SSH, among others", "ssh", key.Name, base + "/alex.keys", "the key with this fingerprint"},
		{"where it has moved", "gpg", alex, base + "/moved", "the key with this fingerprint"},
		{"another key", "gpg", alex, base + "/eve.asc", "not had: it holds other keys, but not"},
		{"a short name", "gpg", alex[32:], base + "/alex.asc", "not had: gpg:" + alex[32:] + " does not identify a key"},
		{"no key", "gpg", alex, base + "/page", "not had: it holds no public keys"},
		{"nothing there", "gpg", alex, base + "/none", "not had: the answer is 404"},
		{"too large", "gpg", alex, base + "/large", "not had: the answer has more than"},
		{"away from https", "gpg", alex, base + "/away", "what is not https"},
		{"around", "gpg", alex, base + "/around", "too often"},
		{"http", "gpg", alex, "http://example.com/", "not had: only https"},
		{"a file", "gpg", alex, "file:///etc/passwd", "not had: only https"},
	} {
		src := fmt.Sprintf(`{"graph":{"id":"g"},"paths":[{"path":{"id":"p","head":"s"},"steps":[],"meta":{"actors":{"human:../al ex":{"keys":[{"type":%q,"fingerprint":%q,"href":%q}]}}}}]}`, c.kind, c.fingerprint, c.href)
		keys := keysToFetch(toolpath.Build(jsonsrc.Parse([]byte(src), toolpath.Layout), nil), "")
		folder := filepath.Join(t.TempDir(), "keys")
		var out bytes.Buffer
		err := f.fetchAll(context.Background(), keys, folder, &out)
		if !strings.Contains(out.String(), c.want) || (err == nil) == strings.Contains(out.String(), "not had") {
			t.Errorf("%s: %v\n%s", c.name, err, out.String())
		}
		written, _ := os.ReadDir(folder)
		if (err == nil) != (len(written) == 1) {
			t.Errorf("%s: written is %v", c.name, written)
		}
		for _, w := range written {
			content, _ := os.ReadFile(filepath.Join(folder, w.Name()))
			if strings.Contains(string(content), strings.Fields(other.Public)[1]) || strings.ContainsAny(w.Name(), "/\\ ") {
				t.Errorf("%s: %s has more than the key:\n%s", c.name, w.Name(), content)
			}
		}
		if err == nil {
			if err := f.fetchAll(context.Background(), keys, folder, &out); err == nil || !strings.Contains(err.Error(), "is not written over") {
				t.Errorf("%s: a second time: %v", c.name, err)
			}
		}
	}
}

// Without a test's help no address of this machine or of a private network is asked.
func TestFetchAsksNobodyAtHome(t *testing.T) {
	asked := false
	base, _ := keyServer(t, map[string]http.HandlerFunc{"/": func(http.ResponseWriter, *http.Request) { asked = true }})
	_, _, err := newFetcher().key(context.Background(), fetchable{href: base + "/"})
	if err == nil || !strings.Contains(err.Error(), "private network") || asked {
		t.Errorf("asked: %v, %v", asked, err)
	}
	for _, address := range []string{"127.0.0.1:443", "10.1.2.3:443", "192.168.0.1:443", "169.254.169.254:443", "100.64.1.1:443", "0.0.0.0:443", "[::1]:443", "[fe80::1]:443", "[fd00::1]:443", "[::ffff:127.0.0.1]:443"} {
		if publicOnly("tcp", address, nil) == nil {
			t.Errorf("%s may be asked", address)
		}
	}
	if err := publicOnly("tcp", "93.184.216.34:443", nil); err != nil {
		t.Error(err)
	}
}
