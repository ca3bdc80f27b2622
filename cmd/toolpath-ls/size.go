package main

import (
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis/repo"
)

// overLimit tells by how much something is too large, in units that show it.
func overLimit(e *repo.TooLargeError) string {
	const megabyte = 1 << 20
	if e.Limit < megabyte || e.Size-e.Limit < megabyte/10 {
		return fmt.Sprintf("has %d bytes, more than the limit of %d", e.Size, e.Limit)
	}
	return fmt.Sprintf("has %.1f MB, more than the limit of %.1f MB", float64(e.Size)/megabyte, float64(e.Limit)/megabyte)
}
