package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage"
	"github.com/toolpath-ls/toolpath-ls/analysis/lineage/pyjson"
	"github.com/toolpath-ls/toolpath-ls/analysis/repo"
)

func newLineageAttestations() *cobra.Command {
	var issuerKey string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "attestations LINEAGE_DIR",
		Short: "Classify what outsiders claim in the signed log",
		Long: `attestations prints the verdict about each claim of an outsider that an entry carries:
verified_foreign (the issuer signed it), unverifiable (there is no key to check it with), rejected
or malformed. An outsider's claim may carry the trust class third_party or public; with any other
it is malformed. --issuer-key is the issuer's public key in PEM, Ed25519 or RSA.

Exit code: 0 none is rejected or malformed, 1 one is, 2 the log could not be read.`,
		Args: arguments("attestations LINEAGE_DIR", 1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			entries, err := readEntries(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			var key []byte
			if issuerKey != "" {
				if key, err = repo.ReadFile(cmd.Context(), issuerKey, 1<<20); err != nil {
					return readError(issuerKey, err)
				}
			}
			bad := false
			for _, e := range entries {
				if e.ExternalAttestation.Kind() != pyjson.Object {
					continue
				}
				verdict, taint, reason := lineage.VerifyForeign(e.ExternalAttestation, key)
				bad = bad || verdict == lineage.Rejected || verdict == lineage.Malformed
				issuer, _ := e.ExternalAttestation.Get("issuer")
				if asJSON {
					err = printLine(cmd.OutOrStdout(), map[string]any{"entry_hash": e.Hash(), "artefact_path": e.ArtefactPath, "issuer": issuer.Text(),
						"verdict": verdict, "verified": verdict == lineage.VerifiedForeign, "taint": taint, "reason": reason})
				} else {
					_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s by %s, taint %s %s\n", escaped(e.ArtefactPath), verdict, escaped(issuer.Text()), taint, escaped(reason))
				}
				if err != nil {
					return err
				}
			}
			if bad {
				return exit(exitFindings)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&issuerKey, "issuer-key", "", "file of the issuer's public key")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
