package main

import (
	"io"
	"os"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// colorModes are the values of --color.
var colorModes = []string{"auto", "always", "never"}

// wantsColors says whether output is coloured: in a terminal, unless NO_COLOR is set
// (https://no-color.org) or the terminal knows no colours.
func wantsColors(mode string, out io.Writer) bool {
	if mode != "auto" {
		return mode == "always"
	}
	return terminalOf(out) != nil && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// actorColors are the terminal's colours of the kinds of actors.
var actorColors = map[string]string{"human": "32", "agent": "36", "tool": "33", "ci": "35"}

// painted is the actor of a run in the colour of its kind.
func painted(r analysis.Run, actor string) string {
	if r.State != provenance.StateRecorded || r.Step == nil {
		return actor
	}
	color, ok := actorColors[toolpath.ActorKind(r.Step.At().Actor)]
	if !ok {
		return actor
	}
	return "\x1b[" + color + "m" + actor + "\x1b[m"
}
