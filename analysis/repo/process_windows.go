package repo

import (
	"os/exec"
	"syscall"
)

// FIFOs do not live in the file system here.
const openNonblock = 0

const createNoWindow = 0x08000000

// isolate puts cmd in a process group of its own, with no console window.
// Cancelling ends the process itself; the git commands used here start none.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | createNoWindow,
	}
}
