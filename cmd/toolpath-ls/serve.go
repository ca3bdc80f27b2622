package main

import "github.com/spf13/cobra"

func newServe() *cobra.Command {
	return &cobra.Command{Use: "serve", RunE: func(cmd *cobra.Command, args []string) error { return nil }}
}
