package scripts

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A release is what scripts/release makes of what is checked out, for this machine, as v9.9.9.
const releaseVersion = "v9.9.9"

var releaseTarget = "linux_" + runtime.GOARCH

// needRelease skips tests of releases where they cannot be made.
func needRelease(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("releases for this system need its GNU tar and coreutils")
	}
	need(t, "gcc", "apt-get install gcc libc6-dev")
}

var release = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "toolpath-release")
	if err != nil {
		return "", err
	}
	args := append([]string{"--version", releaseVersion, "--out", dir}, vsix()...)
	out, err := exec.Command("./release", append(args, releaseTarget)...).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("scripts/release: %w\n%s", err, out)
	}
	return dir, err
})

// vsix is the option for the extension of VS Code, where what packages it is installed.
func vsix() []string {
	if _, err := os.Stat("../node_modules/.bin/vsce"); err != nil {
		return nil
	}
	return []string{"--vsix"}
}

func TestMain(m *testing.M) {
	code := m.Run()
	if made {
		dir, _ := release()
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

var made bool

// releaseFolder is the folder with the release, which is made once.
func releaseFolder(t *testing.T) string {
	t.Helper()
	made = true
	dir, err := release()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// The archive holds what users need, and no more.
func TestReleaseArchive(t *testing.T) {
	needRelease(t)
	declareInputs(t)
	out, dir := releaseFolder(t), t.TempDir()
	name := "toolpath-ls_" + releaseVersion + "_" + releaseTarget
	run(t, dir, "tar", "-xzf", filepath.Join(out, name+".tar.gz"))
	program := filepath.Join(dir, name, "toolpath-ls")
	if got := run(t, dir, program, "version"); !strings.HasPrefix(got, "toolpath-ls "+releaseVersion+" (") || strings.Contains(got, "without") {
		t.Errorf("its program is %q", got)
	}
	if got, _ := exec.Command("ldd", program).CombinedOutput(); !strings.Contains(string(got), "not a dynamic executable") {
		t.Errorf("it needs libraries of the system: %s", got)
	}
	got := files(t, filepath.Join(dir, name))
	for _, want := range []string{
		"LICENSE", "README.md", "toolpath-ls",
		"completions/_toolpath-ls", "completions/toolpath-ls.bash", "completions/toolpath-ls.fish", "completions/toolpath-ls.ps1",
		"man/man1/toolpath-ls.1", "man/man1/toolpath-ls-blame.1",
		"editors/neovim/lua/toolpath/init.lua", "editors/neovim/doc/toolpath.txt",
		"editors/emacs/toolpath-ls.el", "editors/vim/ale_linters/toolpath/toolpath.vim",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("there is no %s in\n%s", want, strings.Join(got, "\n"))
		}
	}
	for _, name := range got {
		if strings.Contains(name, "_test.") || strings.Contains(name, "/test/") || strings.Contains(name, "/spec/") {
			t.Errorf("%s is for tests", name)
		}
	}
	run(t, out, "sha256sum", "--check", "--strict", "SHA256SUMS")
}

// The extension for VS Code has the same program in it as the archive.
func TestReleaseExtension(t *testing.T) {
	needRelease(t)
	needFile(t, "../node_modules/.bin/vsce", "npm ci")
	declareInputs(t)
	out, dir := releaseFolder(t), t.TempDir()
	name := "toolpath-ls_" + releaseVersion + "_" + releaseTarget
	run(t, dir, "tar", "-xzf", filepath.Join(out, name+".tar.gz"))
	want, err := os.ReadFile(filepath.Join(dir, name, "toolpath-ls"))
	if err != nil {
		t.Fatal(err)
	}
	platform := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	extension, err := zip.OpenReader(filepath.Join(out, "toolpath-"+releaseVersion+"-linux-"+platform+".vsix"))
	if err != nil {
		t.Fatal(err)
	}
	defer extension.Close()
	program, err := extension.Open("extension/server/toolpath-ls")
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(program)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("the program has %d bytes in the extension, %d in the archive (%v)", len(got), len(want), err)
	}
}

// Of the same commit, checked out elsewhere by somebody else at another time, the same bytes come.
func TestReleaseIsReproducible(t *testing.T) {
	needRelease(t)
	declareInputs(t)
	first := releaseFolder(t)
	elsewhere, second := checkout(t, filepath.Join(t.TempDir(), "a folder", "of another name")), t.TempDir()
	args := append([]string{"-c", `umask 077; exec scripts/release "$@"`, "release", "--version", releaseVersion, "--out", second}, vsix()...)
	if len(vsix()) > 0 {
		if err := os.Symlink(filepath.Join(repository(t), "node_modules"), filepath.Join(elsewhere, "node_modules")); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "bash", append(args, releaseTarget)...)
	cmd.Dir = elsewhere
	cmd.Env = append(os.Environ(), "TZ=Asia/Tokyo", "LANG=de_DE.UTF-8")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	names := files(t, first)
	if got := files(t, second); !slices.Equal(got, names) || len(names) != 2+len(vsix()) {
		t.Fatalf("made are %q and %q", names, got)
	}
	for _, name := range names {
		a, errA := os.ReadFile(filepath.Join(first, name))
		b, errB := os.ReadFile(filepath.Join(second, name))
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if !bytes.Equal(a, b) {
			t.Errorf("%s: %d bytes with the sum %x, and %d with %x", name, len(a), sha256.Sum256(a), len(b), sha256.Sum256(b))
		}
	}
}

// What cannot be built here is said, with what it needs, and is a failure if it was asked for.
func TestReleaseTargets(t *testing.T) {
	needRelease(t)
	list := run(t, ".", "./release", "--list")
	for _, target := range []string{"linux_amd64", "linux_arm64", "windows_amd64", "windows_arm64", "darwin_amd64", "darwin_arm64"} {
		if !strings.Contains(list, target+" ") {
			t.Errorf("there is no %s in\n%s", target, list)
		}
	}
	if !strings.Contains(list, "apt-get install gcc-aarch64-linux-gnu") && runtime.GOARCH == "amd64" && !strings.Contains(list, "aarch64-linux-gnu-gcc\n") {
		t.Errorf("it does not say what linux_arm64 needs:\n%s", list)
	}
	out, err := exec.Command("./release", "--out", t.TempDir(), "darwin_arm64").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "darwin_arm64   darwin-arm64  not built here: needs oa64-clang") {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := exec.Command("./release", "plan9_mips").CombinedOutput(); err == nil || !strings.Contains(string(out), "there is no target plan9_mips") {
		t.Errorf("%v\n%s", err, out)
	}
}
