package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// replaceFile writes a file at once: whoever reads it finds the old content or the new one.
// A file that is there keeps its mode. A symbolic link stays one, and what it leads to is
// written, if that is in the folder or links are to be followed.
func replaceFile(name, folder string, content []byte, follow bool) error {
	target, err := writeTarget(name, folder, follow)
	if err != nil {
		return err
	}
	mode := fs.FileMode(0)
	switch st, err := os.Stat(target); {
	case err == nil && !st.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", name)
	case err == nil:
		mode = st.Mode().Perm()
		if err := mayWrite(target); err != nil {
			return readError(name, err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return readError(name, err)
	}
	return readError(name, rename(target, content, mode))
}

// writeTarget returns the file that is written for a name.
func writeTarget(name, folder string, follow bool) (string, error) {
	target, err := filepath.EvalSymlinks(name)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(name); err == nil {
			return "", fmt.Errorf("%s is a link to what is not there", name)
		}
		return name, nil
	}
	if err != nil {
		return "", readError(name, err)
	}
	if follow {
		return target, nil
	}
	inside, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return "", readError(folder, err)
	}
	rel, err := filepath.Rel(absolute(inside), absolute(target))
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", fmt.Errorf("%s is a link that leads out of its folder, to %s; name that file, or give --follow-links", name, target)
	}
	return target, nil
}

func absolute(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return name
}

// mayWrite says why a file may not be written, which a rename over it would not ask.
func mayWrite(name string) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// rename writes the content to a new file beside the target and puts it in its place. Mode 0
// is that of a new file.
func rename(target string, content []byte, mode fs.FileMode) (err error) {
	f, err := createBeside(target)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: no such folder", filepath.Dir(target))
	}
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if mode != 0 {
		if err := f.Chmod(mode); err != nil {
			return err
		}
	}
	if _, err := f.Write(content); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), target)
}

// createBeside creates a file in the folder of another one, with the mode of new files.
func createBeside(target string) (*os.File, error) {
	for n := 0; ; n++ {
		name := filepath.Join(filepath.Dir(target), fmt.Sprintf(".%s.%d-%d", filepath.Base(target), os.Getpid(), n))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) || n == 100 {
			return f, err
		}
	}
}
