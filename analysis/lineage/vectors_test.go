package lineage

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// vectors holds logs with the verdicts that each deserves. It is beside the repository and
// never part of it.
const vectors = "../../../shared/lineage-vectors"

// needVectors skips the test where the vectors are not beside the repository.
func needVectors(t testing.TB) {
	t.Helper()
	if _, err := os.Stat(vectors); err != nil {
		t.Skip("needs ../shared/lineage-vectors beside the repository; nothing to install")
	}
}

func vector(t testing.TB, name ...string) []byte {
	t.Helper()
	needVectors(t)
	b, err := os.ReadFile(filepath.Join(append([]string{vectors}, name...)...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func vectorJSON[T any](t testing.TB, name ...string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(vector(t, name...), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// vectorFolder reads the files of a folder with some of them replaced, or removed.
func vectorFolder(t testing.TB, name string, override map[string]*string) map[string][]byte {
	t.Helper()
	needVectors(t)
	files := map[string][]byte{}
	root := filepath.Join(vectors, name)
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		files[filepath.ToSlash(rel)], err = os.ReadFile(path)
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for name, content := range override {
		if content == nil {
			delete(files, name)
			continue
		}
		b, err := base64.StdEncoding.DecodeString(*content)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = b
	}
	return files
}

// vectorKey reads a key of the vectors.
func vectorKey(t testing.TB, name string) *Key { return KeyFromFile(vector(t, name)) }
