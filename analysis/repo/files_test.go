package repo

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("ten"), "0123456789")
	write(t, at("empty"), "")
	write(t, at("big"), strings.Repeat("x", 3*chunk+7))
	for link, target := range map[string]string{"to-ten": "ten", "dangling": "absent", "loop": "loop", "to-dir": "."} {
		if err := os.Symlink(target, at(link)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	for _, c := range []struct {
		path  string
		limit int64
		size  int
		want  error
	}{
		{at("ten"), 10, 10, nil},
		{at("ten"), 9, 0, ErrTooLarge},
		{at("ten"), 0, 0, ErrTooLarge},
		{at("to-ten"), 10, 10, nil},
		{at("empty"), 0, 0, nil},
		{at("big"), 1 << 30, 3*chunk + 7, nil},
		{at("absent"), 10, 0, ErrNotExist},
		{at("absent/x"), 10, 0, fs.ErrNotExist},
		{at("ten/x"), 10, 0, fs.ErrNotExist},
		{at("dangling"), 10, 0, fs.ErrNotExist},
		{at("loop"), 10, 0, fs.ErrNotExist},
		{at("nul\x00"), 10, 0, fs.ErrNotExist},
		{at(strings.Repeat("n", 5000)), 10, 0, fs.ErrNotExist},
		{"", 10, 0, fs.ErrNotExist},
		{dir, 10, 0, ErrNotRegular},
		{at("to-dir"), 10, 0, ErrNotRegular},
	} {
		data, err := ReadFile(t.Context(), c.path, c.limit)
		if !errors.Is(err, c.want) || len(data) != c.size {
			t.Errorf("%.60q within %d: %d bytes, %v; want %d, %v", c.path, c.limit, len(data), err, c.size, c.want)
		}
	}
	var large *TooLargeError
	_, err := ReadFile(t.Context(), at("ten"), 9)
	if !errors.As(err, &large) || *large != (TooLargeError{at("ten"), 10, 9}) {
		t.Errorf("too large: %#v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ReadFile(ctx, at("ten"), 10); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestReadFileReportsOtherErrorsAsTheyAre(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	write(t, path, "x")
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	if f, err := os.Open(path); err == nil {
		f.Close()
		t.Skip("permissions do not bind this user")
	}
	if _, err := ReadFile(t.Context(), path, 10); !errors.Is(err, fs.ErrPermission) {
		t.Error(err)
	}
}

// A reader that has more than the size that was announced.
func TestReadAtMostHoldsTheLimitAgainstGrowth(t *testing.T) {
	for _, announced := range []int64{0, 5, 100} {
		data, err := readAtMost(t.Context(), strings.NewReader(strings.Repeat("x", 50)), "f", announced, 50)
		if len(data) != 50 || err != nil {
			t.Errorf("announced %d: %d bytes, %v", announced, len(data), err)
		}
		_, err = readAtMost(t.Context(), strings.NewReader(strings.Repeat("x", 51)), "f", announced, 50)
		if !errors.Is(err, ErrTooLarge) {
			t.Errorf("announced %d: %v", announced, err)
		}
	}
}
