package main

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage"
	"github.com/toolpath-ls/toolpath-ls/analysis/repo"
)

func newLineageRunGraph() *cobra.Command {
	var key keyFlag
	var runs map[string]string
	var runsFile, verify, publicKey, signKey string
	var seal, asJSON bool
	cmd := &cobra.Command{
		Use:   "run-graph SDD_DIR",
		Short: "Pair the branches of a fan-out with the spines that recorded them",
		Long: `run-graph prints a node for each work tree below .sdd: its session, the commit of its HEAD, the run
that recorded it and the hash of the last row of that run's spine, with the hash of the whole.
Which run recorded a session is given with --run SESSION=RUN, or with --runs, a file of JSON.

--verify RECEIPT checks a sealed receipt, with --public-key (PEM, Ed25519) and the master key:
verified, unreadable, empty, tampered, diverged or unanchored. --seal writes a receipt to
.sdd/run-graph, signed with --sign-key (PEM, PKCS #8), and its anchor to the spine of the run
"run-graph".

Exit code: 0 printed or verified, 1 the receipt is anything but verified, 2 could not run, 3 a key
is missing.`,
		Args: arguments("run-graph SDD_DIR --run SESSION=RUN", 1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := needFolder(args[0]); err != nil {
				return err
			}
			if runsFile != "" {
				src, err := repo.ReadFile(cmd.Context(), runsFile, maxDocument)
				if err == nil {
					err = json.Unmarshal(src, &runs)
				}
				if err != nil {
					return fmt.Errorf("%s: %w", runsFile, err)
				}
			}
			nodes, err := runNodes(cmd, args[0], runs)
			if err != nil {
				return err
			}
			switch {
			case verify != "":
				return verifyReceipt(cmd, args[0], verify, publicKey, nodes, key, asJSON)
			case seal:
				return sealRunGraph(cmd, args[0], signKey, nodes, key)
			}
			return printRunGraph(cmd, nodes, asJSON)
		},
	}
	key.flag(cmd)
	f := cmd.Flags()
	f.StringToStringVar(&runs, "run", nil, "SESSION=RUN, as often as needed")
	f.StringVar(&runsFile, "runs", "", "file of a JSON object from sessions to runs")
	f.StringVar(&verify, "verify", "", "receipt to verify")
	f.StringVar(&publicKey, "public-key", "", "file of the public key of receipts")
	f.BoolVar(&seal, "seal", false, "write a receipt (writes)")
	f.StringVar(&signKey, "sign-key", "", "file of the private key of receipts")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func runNodes(cmd *cobra.Command, sdd string, runs map[string]string) ([]lineage.RunNode, error) {
	folder, err := repo.LineageFolder(sdd)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	sessions, err := lineage.Worktrees(folder)
	if err != nil {
		return nil, err
	}
	git := repo.NewGit(repo.GitOptions{})
	defer git.Close()
	heads := map[string]string{}
	for _, s := range sessions {
		for _, below := range []string{filepath.Join("runtime", "worktrees"), "worktrees"} {
			tree := filepath.Join(sdd, below, s)
			// The repository around .sdd is not the work tree's own.
			if top, err := git.TopLevel(cmd.Context(), tree); err == nil && filepath.Base(top) == s {
				if sha, err := git.Commit(cmd.Context(), top, "HEAD"); err == nil {
					heads[s] = sha
				}
				break
			}
		}
	}
	for s, run := range runs {
		if err := lineage.CheckRunID(run); err != nil {
			return nil, fmt.Errorf("session %s: %w", s, err)
		}
	}
	return lineage.BuildRunGraph(sessions, heads, runs, func(run string) (string, error) {
		v, err := repo.VerifySpine(cmd.Context(), filepath.Join(sdd, "lineage", run), nil, nil)
		return v.HeadHash, err
	})
}

func printRunGraph(cmd *cobra.Command, nodes []lineage.RunNode, asJSON bool) error {
	root, err := lineage.RootHash(nodes)
	if err != nil {
		return err
	}
	type node struct {
		SessionID string  `json:"session_id"`
		HeadSHA   *string `json:"head_sha"`
		RunID     *string `json:"run_id"`
		SpineHead *string `json:"spine_head_hash"`
		Status    string  `json:"status"`
		NodeHash  string  `json:"node_hash"`
	}
	list := []node{}
	for _, n := range nodes {
		hash, err := n.Hash()
		if err != nil {
			return err
		}
		list = append(list, node{n.SessionID, n.HeadSHA, n.RunID, n.SpineHeadHash, n.Status(), hash})
	}
	if asJSON {
		return printLine(cmd.OutOrStdout(), map[string]any{"nodes": list, "root_hash": root})
	}
	or := func(s *string) string {
		if s == nil {
			return "-"
		}
		return orDash(short(*s))
	}
	for _, n := range list {
		fmt.Fprintf(cmd.OutOrStdout(), "%s  head %s  run %s  spine %s  %s\n", escaped(n.SessionID), or(n.HeadSHA), or(n.RunID), or(n.SpineHead), n.Status)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "root %s\n", root)
	return err
}

func verifyReceipt(cmd *cobra.Command, sdd, file, publicKey string, nodes []lineage.RunNode, key keyFlag, asJSON bool) error {
	k, err := key.read(cmd)
	if err != nil {
		return err
	}
	if publicKey == "" {
		return errors.New("a receipt is verified with --public-key FILE")
	}
	src, err := repo.ReadFile(cmd.Context(), publicKey, 1<<20)
	if err != nil {
		return readError(publicKey, err)
	}
	public, err := lineage.Card{AgentID: publicKey, PublicKeyPEM: string(src)}.Key()
	if err != nil {
		return err
	}
	receipt, err := repo.ReadFile(cmd.Context(), file, maxDocument)
	if err != nil {
		return readError(file, err)
	}
	status, reason, err := lineage.VerifyReceipt(receipt, nodes, public, func(run string, each func(lineage.SpineRow)) (lineage.SpineVerdict, error) {
		return repo.VerifySpine(cmd.Context(), filepath.Join(sdd, "lineage", run), k, each)
	})
	if err != nil {
		return err
	}
	if asJSON {
		err = printLine(cmd.OutOrStdout(), map[string]any{"ok": status == lineage.ReceiptVerified, "status": status, "reason": reason})
	} else {
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", status, escaped(reason))
	}
	if err == nil && status != lineage.ReceiptVerified {
		err = exit(exitFindings)
	}
	return err
}

func sealRunGraph(cmd *cobra.Command, sdd, signKey string, nodes []lineage.RunNode, key keyFlag) error {
	k, err := key.read(cmd)
	if err != nil {
		return err
	}
	if signKey == "" {
		return errors.New("a receipt is signed with --sign-key FILE")
	}
	private, err := readPrivateKey(cmd, signKey)
	if err != nil {
		return err
	}
	spine, err := repo.OpenSpine(cmd.Context(), filepath.Join(sdd, "lineage"), lineage.RunGraphRun, lineage.ProfileLegacy, k)
	if err != nil {
		return err
	}
	defer spine.Close()
	receipt, anchor, err := lineage.SealRunGraph(nodes, big.NewInt(time.Now().UnixNano()), private)
	if err != nil {
		return err
	}
	row, err := spine.Record(anchor)
	if err != nil {
		return err
	}
	receipt.JournalEntryHash = row.EntryHash
	folder := filepath.Join(sdd, "run-graph")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	file := filepath.Join(folder, receipt.FileName())
	if err := replaceFile(file, folder, receipt.Bytes(), false); err != nil {
		return err
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), file)
	return err
}

// readPrivateKey reads an Ed25519 key in PKCS #8, which nobody but its owner may read.
func readPrivateKey(cmd *cobra.Command, file string) (ed25519.PrivateKey, error) {
	src, err := repo.ReadSecret(cmd.Context(), file)
	if err != nil {
		return nil, noKey(cmd, err)
	}
	block, _ := pem.Decode(src)
	if block == nil {
		return nil, fmt.Errorf("%s has no private key in PEM", file)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	private, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("%s is not a key of Ed25519", file)
	}
	return private, nil
}
