package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage"
	"github.com/toolpath-ls/toolpath-ls/analysis/repo"
)

func newLineageShow() *cobra.Command {
	var key keyFlag
	var g gateFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show RUN_DIR|LINEAGE_DIR",
		Short: "List the rows of a spine, or the entries of the signed log, each with its state",
		Long: `show prints a line for each row or entry: its state, time, actor, model, step or tool call,
artifact and content hash. The state is "ok", the kinds of what is wrong, or, without a key,
"chain" where only the chain of hashes could be checked.

With --json each is an object on a line of its own.

Exit code: 0 all are ok or could not be checked further, 1 something is wrong with one, 2 the
logs could not be read.`,
		Args: arguments("show RUN_DIR", 1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			run := runFolder(args[0])
			if _, err := os.Stat(filepath.Join(run, "spine.jsonl")); err == nil {
				return showSpine(cmd, run, key, asJSON)
			}
			v, err := g.run(cmd, args[0])
			if err != nil {
				return err
			}
			return showLog(cmd, v, asJSON)
		},
	}
	key.flag(cmd)
	g.flags(cmd)
	addPager(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// shownRow is a row or an entry in JSON.
type shownRow struct {
	Line        int      `json:"line"`
	State       []string `json:"state"`
	Time        string   `json:"time,omitempty"`
	Timestamp   *big.Int `json:"timestamp,omitempty"`
	Actor       string   `json:"actor"`
	Model       string   `json:"model,omitempty"`
	Step        string   `json:"step_id,omitempty"`
	ToolCall    string   `json:"tool_call_id,omitempty"`
	Artifact    string   `json:"artifact"`
	Kind        string   `json:"kind,omitempty"`
	ContentHash string   `json:"content_hash"`
	EntryHash   string   `json:"entry_hash"`
	Follows     []string `json:"follows"`
}

func showSpine(cmd *cobra.Command, run string, key keyFlag, asJSON bool) error {
	k, err := repo.ReadLineageKey(cmd.Context(), key.file())
	if err != nil && (key.path != "" || !errors.Is(err, fs.ErrNotExist)) {
		return noKey(cmd, err)
	}
	table := newRowTable(cmd.OutOrStdout(), asJSON)
	v, err := repo.VerifySpine(cmd.Context(), run, k, func(r lineage.SpineRow) {
		s := shownRow{Line: r.Line}
		for _, f := range r.Faults {
			s.State = append(s.State, f.Kind)
		}
		if s.State == nil {
			s.State = []string{"ok"}
			if k == nil {
				s.State = []string{"chain"}
			}
		}
		if r.Row != nil {
			s.Timestamp, s.Time = r.Row.Timestamp, timeOf(r.Row.Timestamp)
			s.Actor, s.Model, s.Step = r.Row.Actor, r.Row.Model, r.Row.StepID
			s.Artifact, s.ContentHash, s.EntryHash = r.Row.ArtifactPath, r.Row.ContentHash, r.Row.EntryHash
			if r.Row.PrevHash != "" {
				s.Follows = []string{r.Row.PrevHash}
			}
		}
		table.add(s)
	})
	if err != nil {
		return readError(run, err)
	}
	if err := table.end(); err != nil {
		return err
	}
	if v.FaultCount > 0 {
		return exit(exitFindings)
	}
	return nil
}

func showLog(cmd *cobra.Command, v *lineage.GateVerdict, asJSON bool) error {
	table := newRowTable(cmd.OutOrStdout(), asJSON)
	for _, s := range shownEntries(v) {
		table.add(s)
	}
	if err := table.end(); err != nil {
		return err
	}
	if !v.OK {
		return exit(exitFindings)
	}
	return nil
}

// shownEntries lists the lines of a signed log, those that are no entries too.
func shownEntries(v *lineage.GateVerdict) []shownRow {
	failed := map[int][]string{}
	var lines []shownRow
	entries := map[int]bool{}
	for _, line := range v.Lines {
		entries[line] = true
	}
	for _, f := range v.Failures {
		failed[f.Line] = append(failed[f.Line], f.Kind)
		if f.Line > 0 && !entries[f.Line] {
			lines = append(lines, shownRow{Line: f.Line, State: []string{f.Kind}})
		}
	}
	for i, e := range v.Entries {
		s := shownRow{Line: v.Lines[i], State: failed[v.Lines[i]], Timestamp: e.TsNS, Time: timeOf(e.TsNS), Actor: e.AgentID, Model: e.Model(),
			ToolCall: e.ToolCallID, Artifact: e.ArtefactPath, Kind: e.ArtefactKind, ContentHash: e.ContentHash, EntryHash: e.Hash(), Follows: e.Parents}
		if s.State == nil {
			s.State = []string{"ok"}
		}
		lines = append(lines, s)
	}
	sortByLine(lines)
	return lines
}

// rowTable prints rows as they come.
type rowTable struct {
	out    io.Writer
	table  *tabwriter.Writer
	asJSON bool
	err    error
}

func newRowTable(out io.Writer, asJSON bool) *rowTable {
	return &rowTable{out: out, table: tabwriter.NewWriter(out, 0, 0, 2, ' ', 0), asJSON: asJSON}
}

func (t *rowTable) add(s shownRow) {
	if t.err != nil {
		return
	}
	if t.asJSON {
		s.Follows = orEmpty(s.Follows)
		t.err = printLine(t.out, s)
		return
	}
	step := s.Step
	if step == "" {
		step = s.ToolCall
	}
	_, t.err = fmt.Fprintf(t.table, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", s.Line, strings.Join(s.State, ","), orDash(s.Time), orDash(escaped(s.Actor)),
		orDash(escaped(s.Model)), orDash(escaped(step)), orDash(escaped(s.Artifact)), orDash(short(s.ContentHash)))
}

func (t *rowTable) end() error { return errors.Join(t.err, t.table.Flush()) }

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// timeOf writes a time in ns since 1970; "" for what cannot be one.
func timeOf(ns *big.Int) string {
	if ns == nil || !ns.IsInt64() || ns.Sign() <= 0 {
		return ""
	}
	return time.Unix(0, ns.Int64()).UTC().Format(time.RFC3339Nano)
}
