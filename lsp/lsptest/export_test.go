package lsptest

import "testing"

// Run runs the script in one mode in the folder.
func (s *Script) Run(tb testing.TB, mode Mode, dir string, start func(testing.TB) *Editor) {
	s.run(tb, mode, dir, start, false)
}
