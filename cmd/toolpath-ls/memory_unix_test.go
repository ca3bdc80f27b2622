//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peakMemory is the most memory that a process had, in bytes.
func peakMemory(p *os.ProcessState) float64 {
	u := p.SysUsage().(*syscall.Rusage)
	if runtime.GOOS == "darwin" {
		return float64(u.Maxrss)
	}
	return float64(u.Maxrss) * 1024
}
