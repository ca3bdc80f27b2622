//go:build unix

package repo

import (
	"os"
	"os/exec"
	"syscall"
)

// openNonblock makes an open return at once should path have become a FIFO.
const openNonblock = syscall.O_NONBLOCK

// isolate puts cmd in a process group of its own and makes cancelling it end
// the group: a terminal's ^C does not reach git, and nothing git started
// outlives it.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if err == syscall.ESRCH {
			return os.ErrProcessDone
		}
		return err
	}
}
