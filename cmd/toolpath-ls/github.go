package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// githubCommands are the workflow commands of the severities.
var githubCommands = map[string]string{
	analysis.Error.String():       "error",
	analysis.Warning.String():     "warning",
	analysis.Information.String(): "notice",
	analysis.Hint.String():        "notice",
}

// printGitHub writes a workflow command of GitHub Actions for each finding, which shows it
// on the line of the file. Columns are told of findings within a line only: GitHub takes no
// others.
func printGitHub(out io.Writer, r report) error {
	var b strings.Builder
	for _, f := range r.findings {
		fmt.Fprintf(&b, "::%s file=%s,line=%d,endLine=%d", githubCommands[f.Severity],
			githubProperty.Replace(githubFile(f.File)), f.Line, f.EndLine)
		if f.Line == f.EndLine {
			fmt.Fprintf(&b, ",col=%d,endColumn=%d", f.Column, f.EndColumn)
		}
		fmt.Fprintf(&b, ",title=%s::%s\n", githubProperty.Replace(f.Code), githubMessage.Replace(f.Message))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// githubFile is the path of a file from the top of the repository that a workflow checked out,
// whatever folder its step runs in: GitHub finds files by nothing else.
func githubFile(file string) string {
	abs, err := filepath.Abs(file)
	if top := os.Getenv("GITHUB_WORKSPACE"); top != "" && err == nil {
		if rel, err := filepath.Rel(top, abs); err == nil && filepath.IsLocal(rel) {
			file = rel
		}
	}
	return filepath.ToSlash(file)
}

// What the runner decodes again in the message and in the properties of a command.
var (
	githubMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
