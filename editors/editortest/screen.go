package editortest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A Screen is a terminal of tmux, of 50 lines of 160 columns, in which an editor runs.
type Screen struct {
	t      *testing.T
	socket string
	env    []string
}

// patience bounds the wait for something on a screen.
const patience = time.Minute

// NewScreen starts a program in a folder. It ends with the test.
func NewScreen(t *testing.T, dir string, env []string, program ...string) *Screen {
	t.Helper()
	Need(t, "tmux", "apt-get install tmux")
	s := &Screen{t: t, socket: filepath.Join(t.TempDir(), "tmux")}
	s.env = append(env, "TERM=xterm-256color", "LC_ALL=C.UTF-8", "TMUX=")
	s.tmux(append([]string{"-f", os.DevNull, "new-session", "-d", "-x", "160", "-y", "50", "-c", dir}, program...)...)
	t.Cleanup(func() { s.tmux("kill-server") })
	return s
}

func (s *Screen) tmux(args ...string) string {
	s.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-S", s.socket}, args...)...)
	cmd.Env = s.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("tmux %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// Press presses keys, by tmux's names of them.
func (s *Screen) Press(keys ...string) {
	s.t.Helper()
	s.tmux(append([]string{"send-keys"}, keys...)...)
}

// Wait waits until the screen shows what the pattern matches, WaitGone until it shows it no more.
func (s *Screen) Wait(pattern string) {
	s.t.Helper()
	s.until(pattern, true)
}

func (s *Screen) WaitGone(pattern string) {
	s.t.Helper()
	s.until(pattern, false)
}

func (s *Screen) until(pattern string, shown bool) {
	s.t.Helper()
	re := regexp.MustCompile(pattern)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	late := time.After(patience)
	for {
		text := s.tmux("capture-pane", "-p")
		if re.MatchString(text) == shown {
			return
		}
		select {
		case <-tick.C:
		case <-late:
			s.t.Fatalf("%q is to be shown: %t. The screen:\n%s", pattern, shown, text)
		}
	}
}
