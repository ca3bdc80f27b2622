package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage"
	"github.com/toolpath-ls/toolpath-ls/analysis/repo"
)

// maxArtifact bounds a file that is recorded, in bytes.
const maxArtifact = 1 << 30

func newLineageRecord() *cobra.Command {
	var key keyFlag
	var actor, step, model, profile, folder string
	var createKey, asJSON bool
	cmd := &cobra.Command{
		Use:   "record RUN_DIR FILE...",
		Short: "Append a row for each file to the spine of a run (writes)",
		Long: `record appends a row for each file to the spine of a run, with the hash of what the file has now,
and rewrites spine.head. Other writers of the run are waited for. A row is on disk before the
next one is written; what an interrupted writer left of a row is moved to spine.jsonl.torn.

Files are recorded by their path from --root. TRACEPARENT, TRACESTATE and BAGGAGE are recorded
where the baggage is the orchestrator's.`,
		Args: arguments("record RUN_DIR FILE... --actor NAME --step ID", 2, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if actor == "" {
				return errors.New("record needs --actor, such as agent:worker-1")
			}
			p := lineage.Profile(profile)
			if p != lineage.ProfileLegacy && p != lineage.ProfileJCS {
				return fmt.Errorf("--hash-profile is %s or %s, not %q", lineage.ProfileLegacy, lineage.ProfileJCS, profile)
			}
			if createKey {
				if err := repo.CreateLineageKey(key.file()); err != nil && !errors.Is(err, fs.ErrExist) {
					return err
				}
			}
			k, err := key.read(cmd)
			if err != nil {
				return err
			}
			writes, err := writesOf(cmd, folder, args[1:])
			if err != nil {
				return err
			}
			spine, err := repo.OpenSpine(cmd.Context(), filepath.Dir(absolute(args[0])), filepath.Base(absolute(args[0])), p, k)
			if err != nil {
				return err
			}
			defer spine.Close()
			for _, w := range writes {
				w.Actor, w.StepID, w.Model, w.Trace = actor, step, model, lineage.TraceFrom(os.Getenv)
				w.Timestamp = big.NewInt(time.Now().UnixNano())
				row, err := spine.Record(w)
				if err != nil {
					return err
				}
				if asJSON {
					err = printLine(cmd.OutOrStdout(), map[string]string{"artifact_path": row.ArtifactPath, "content_hash": row.ContentHash, "entry_hash": row.EntryHash})
				} else {
					_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n", row.EntryHash, escaped(row.ArtifactPath))
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
	key.flag(cmd)
	f := cmd.Flags()
	f.StringVar(&actor, "actor", "", "who wrote the files, such as agent:worker-1")
	f.StringVar(&step, "step", "", "id of the step in which they were written")
	f.StringVar(&model, "model", "", "the model that wrote them")
	f.StringVar(&profile, "hash-profile", string(lineage.ProfileLegacy), "py-json-v1 or jcs-v2")
	f.StringVar(&folder, "root", ".", "folder that paths are relative to")
	f.BoolVar(&createKey, "create-key", false, "make a key where there is none")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// writesOf hashes files.
func writesOf(cmd *cobra.Command, folder string, files []string) ([]lineage.Write, error) {
	var writes []lineage.Write
	for _, file := range files {
		rel, err := filepath.Rel(absolute(folder), absolute(file))
		if err != nil {
			return nil, err
		}
		content, err := repo.ReadFile(cmd.Context(), file, maxArtifact)
		if err != nil {
			return nil, readError(file, err)
		}
		w := lineage.Write{ArtifactPath: filepath.ToSlash(rel), ContentHash: lineage.ContentHash(content)}
		if err := lineage.CheckArtifactKey(w.ArtifactPath); err != nil {
			return nil, err
		}
		writes = append(writes, w)
	}
	return writes, nil
}
