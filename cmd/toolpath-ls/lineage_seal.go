package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage"
	"github.com/toolpath-ls/toolpath-ls/analysis/repo"
)

func newLineageSeal() *cobra.Command {
	var agent, kid, agentKey, kind, toolCall, span, trust, sensitivity, secretFile, folder string
	var parents []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "seal LINEAGE_DIR FILE...",
		Short: "Append a signed entry for each file to the signed log (writes)",
		Long: `seal appends an entry for each file to the signed log of a lineage folder, with the hash of what
the file has now, signed with the agent's key (PEM, PKCS #8, Ed25519), and writes what follows
from it: the log of the artifact, its tips and the signature. The newest version of the artifact
becomes a parent; --parent names what else the files were made from.

Files are recorded by their path from --root. The operator's tag is made with the secret of
--operator-secret-file or of BERNSTEIN_OPERATOR_SECRET; without one it is made with an empty
secret and proves nothing.`,
		Args: arguments("seal LINEAGE_DIR FILE... --agent NAME --kid ID --agent-key FILE", 2, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if agent == "" || kid == "" || agentKey == "" {
				return errors.New("seal needs --agent, --kid and --agent-key")
			}
			private, err := readPrivateKey(cmd, agentKey)
			if err != nil {
				return err
			}
			by := lineage.Signer{AgentID: agent, Kid: kid, Key: private, Secret: []byte(os.Getenv("BERNSTEIN_OPERATOR_SECRET"))}
			if secretFile != "" {
				secret, err := repo.ReadFile(cmd.Context(), secretFile, 1<<20)
				if errors.Is(err, fs.ErrNotExist) {
					return noKey(cmd, fmt.Errorf("%s: %w", secretFile, repo.ErrNoKey))
				} else if err != nil {
					return err
				}
				by.Secret = []byte(strings.TrimSuffix(string(secret), "\n"))
			}
			writes, err := writesOf(cmd, folder, args[1:])
			if err != nil {
				return err
			}
			for _, w := range writes {
				e, err := repo.AppendSigned(cmd.Context(), args[0], lineage.Seal{ArtefactPath: w.ArtifactPath, ArtefactKind: kind, ContentHash: w.ContentHash,
					ExtraParents: parents, ToolCallID: toolCall, SpanID: span, TsNS: big.NewInt(time.Now().UnixNano()), TrustClass: trust, Sensitivity: sensitivity}, by)
				if err != nil {
					return err
				}
				if asJSON {
					err = printLine(cmd.OutOrStdout(), map[string]any{"artefact_path": e.ArtefactPath, "content_hash": e.ContentHash, "entry_hash": e.Hash(), "parent_hashes": orEmpty(e.Parents)})
				} else {
					_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n", e.Hash(), escaped(e.ArtefactPath))
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&agent, "agent", "", "the agent, such as agent:worker-1")
	f.StringVar(&kid, "kid", "", "the id of its key, as on its card")
	f.StringVar(&agentKey, "agent-key", "", "file of its private key")
	f.StringVar(&kind, "kind", "file", "kind of the artifacts")
	f.StringVar(&toolCall, "tool-call", "", "id of the tool call that wrote the files")
	f.StringVar(&span, "span", "0000000000000000", "id of the span that wrote the files")
	f.StringVar(&trust, "trust", "", "trust class of what was written")
	f.StringVar(&sensitivity, "sensitivity", "", "sensitivity of what was written")
	f.StringSliceVar(&parents, "parent", nil, "hash of an entry that the files were made from")
	f.StringVar(&secretFile, "operator-secret-file", "", "file of the operator's secret, used as it is but for a newline at the end")
	f.StringVar(&folder, "root", ".", "folder that paths are relative to")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
