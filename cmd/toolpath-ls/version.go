package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/toolpath-ls/toolpath-ls/structural"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), versionLine())
			return err
		},
	}
}

func versionLine() string {
	grammars := ""
	if !structural.HasGrammars {
		grammars = ", without syntax trees: built without cgo"
	}
	return fmt.Sprintf("toolpath-ls %s (%s %s/%s%s)", fullVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH, grammars)
}

// fullVersion is the release, or what the build knows of the commit it was made from.
func fullVersion() string {
	if version != "dev" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return version + "-" + s.Value[:12]
		}
	}
	return version
}
