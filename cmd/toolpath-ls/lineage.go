package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolpath-ls/toolpath-ls/analysis/lineage"
	"github.com/toolpath-ls/toolpath-ls/analysis/repo"
)

// exitNoKey is the exit code of the lineage commands where a key that is needed is missing
// or may not be used.
const exitNoKey = 3

func newLineage() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lineage VERB",
		Short: "Verify, read and write artifact lineage: spines and signed logs",
		Long: `lineage reads the logs below .sdd/lineage, in which an orchestrator of agents records who wrote
which file: the spine of each run (RUN_DIR/spine.jsonl) and the signed log of all
(LINEAGE_DIR/log.jsonl). It needs nothing but the files, and no network.

A verdict is what the logs' own tools answer. What they let pass and a careful reader should
know, such as rows dropped from the end, is listed apart as "stricter", and counts for the exit
code with --strict. See docs/trust.md.

Nothing is written but by the verbs that say so: record, seal, merge-rows --after and run-graph --seal.

Exit code: 0 ok, 1 there are findings, 2 the command could not run, 3 a key is missing or others
may read it.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("lineage has no verb %q; see lineage --help", args[0])
			}
			return errors.New("lineage needs a verb, such as: lineage verify RUN_DIR")
		},
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	cmd.AddCommand(newLineageVerify(), newLineageGate(), newLineageShow(), newLineageChain(), newLineageSensitivity(),
		newLineageExportProv(), newLineageRunGraph(), newLineageMergeRows(), newLineagePlan(), newLineageRecord(), newLineageSeal(),
		newLineageCoverage(), newLineageAttestations(), newLineageAdmit(), newLineageToToolpath())
	return cmd
}

// arguments asks for between least and most arguments; most < 0 is no bound.
func arguments(usage string, least, most int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < least || most >= 0 && len(args) > most {
			return fmt.Errorf("it is used as: lineage %s", usage)
		}
		return nil
	}
}

// printLine writes a value on one line.
func printLine(out io.Writer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// orEmpty lets a list that is nil be written as [].
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// strictFinding is a stricter finding in JSON.
type strictFinding struct {
	Line    *int   `json:"line"`
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

func lineOrNull(line int) *int {
	if line == 0 {
		return nil
	}
	return &line
}

func strictFindings(list []lineage.Stricter) []strictFinding {
	out := []strictFinding{}
	for _, s := range list {
		out = append(out, strictFinding{lineOrNull(s.Line), s.Kind, s.Message})
	}
	return out
}

func printStricter(out io.Writer, list []lineage.Stricter) {
	for _, s := range list {
		fmt.Fprintf(out, "stricter: %s%s [%s]\n", lineLabel(s.Line), escaped(s.Message), s.Kind)
	}
}

func lineLabel(line int) string {
	if line == 0 {
		return ""
	}
	return fmt.Sprintf("line %d: ", line)
}

// keyFlag is the master key of spines.
type keyFlag struct{ path string }

func (k *keyFlag) flag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&k.path, "key", "", "file of the master key (default $BERNSTEIN_AUDIT_KEY_PATH, else $XDG_STATE_HOME/bernstein/audit.key)")
}

func (k *keyFlag) file() string { return repo.LineageKeyPath(k.path, os.Getenv) }

// read returns the key. A reading command never makes one.
func (k *keyFlag) read(cmd *cobra.Command) (*lineage.Key, error) {
	key, err := repo.ReadLineageKey(cmd.Context(), k.file())
	return key, noKey(cmd, err)
}

// noKey turns errors about keys into their exit code.
func noKey(cmd *cobra.Command, err error) error {
	if errors.Is(err, repo.ErrNoKey) || errors.Is(err, repo.ErrKeyMode) {
		fmt.Fprintln(cmd.ErrOrStderr(), "toolpath-ls:", err)
		return exit(exitNoKey)
	}
	return err
}

// runFolder returns the folder of a run, which may be named by a file in it.
func runFolder(name string) string {
	if st, err := os.Stat(name); err == nil && st.Mode().IsRegular() {
		return filepath.Dir(name)
	}
	return name
}

// lineageFolder returns the folder that has the signed log: the one given, the one of the
// file given, or the lineage folder below it.
func lineageFolder(name string) string {
	name = runFolder(name)
	if _, err := os.Stat(filepath.Join(name, lineage.LogFile)); err != nil {
		for _, below := range []string{"lineage", filepath.Join(".sdd", "lineage")} {
			if _, err := os.Stat(filepath.Join(name, below, lineage.LogFile)); err == nil {
				return filepath.Join(name, below)
			}
		}
	}
	return name
}

// needFolder fails where there is no folder of that name, so that a typing error is not
// taken for an empty log.
func needFolder(name string) error {
	st, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: there is no such folder", name)
	case err != nil:
		return readError(name, err)
	case !st.IsDir():
		return fmt.Errorf("%s is no folder", name)
	}
	return nil
}

// gateFlags are what the gate is told beyond the log.
type gateFlags struct {
	cards, secretFile, secretEnv string
	stewards, toolCalls          []string
	modelRef                     bool
}

func (g *gateFlags) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&g.cards, "cards", "", "folder of the agents' cards (default: agents beside LINEAGE_DIR)")
	f.StringVar(&g.secretFile, "operator-secret-file", "", "file of the operator's secret, used as it is but for a newline at the end")
	f.StringVar(&g.secretEnv, "operator-secret-env", "BERNSTEIN_OPERATOR_SECRET", "variable of the operator's secret, where there is no file")
	f.StringSliceVar(&g.stewards, "stewards", nil, "the agents who may merge forks (default: all)")
	f.StringSliceVar(&g.toolCalls, "tool-calls", nil, "the tool calls that are attested (default: not checked)")
	f.BoolVar(&g.modelRef, "accept-model-ref", false, "accept entries that name their model, which the logs' own gate takes for corrupt")
}

// run opens a lineage folder and checks it.
func (g *gateFlags) run(cmd *cobra.Command, name string) (*lineage.GateVerdict, error) {
	folder := lineageFolder(name)
	if err := needFolder(folder); err != nil {
		return nil, err
	}
	o := lineage.GateOptions{ModelRef: g.modelRef}
	if cmd.Flags().Changed("stewards") {
		o.Stewards = orEmpty(g.stewards)
	}
	if cmd.Flags().Changed("tool-calls") {
		o.ToolCalls = orEmpty(g.toolCalls)
	}
	switch {
	case g.secretFile != "":
		secret, err := repo.ReadFile(cmd.Context(), g.secretFile, 1<<20)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, noKey(cmd, fmt.Errorf("%s: %w", g.secretFile, repo.ErrNoKey))
		} else if err != nil {
			return nil, err
		}
		o.Secret = []byte(strings.TrimSuffix(string(secret), "\n"))
	case os.Getenv(g.secretEnv) != "":
		o.Secret = []byte(os.Getenv(g.secretEnv))
	}
	cards := g.cards
	if cards == "" {
		cards = filepath.Join(filepath.Dir(absolute(folder)), "agents")
	} else if err := needFolder(cards); err != nil {
		fmt.Fprintln(cmd.ErrOrStderr(), "toolpath-ls:", err) // nobody has a card then
	}
	return gateFolders(folder, cards, o)
}

func gateFolders(folder, cards string, o lineage.GateOptions) (*lineage.GateVerdict, error) {
	log, err := repo.LineageFolder(folder)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	var cardFS fs.FS
	if c, err := repo.LineageFolder(cards); err == nil {
		defer c.Close()
		cardFS = c
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return lineage.Gate(log, cardFS, o)
}

// readEntries reads the signed log of a folder without checking it. A line that is no entry
// is an error: what follows from a log with holes is not what was recorded.
func readEntries(ctx context.Context, name string) ([]*lineage.Entry, error) {
	file := filepath.Join(lineageFolder(name), lineage.LogFile)
	src, err := repo.ReadFile(ctx, file, lineage.MaxLog)
	if err != nil {
		return nil, readError(file, err)
	}
	var entries []*lineage.Entry
	number := 0
	for line := range strings.Lines(string(src)) {
		number++
		if line = strings.TrimSuffix(line, "\n"); line == "" {
			continue
		}
		e, err := lineage.ParseEntry([]byte(line))
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, number, err)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// amount writes a number of things.
func amount(n int, thing string) string {
	switch {
	case n == 1:
		return "1 " + thing
	case strings.HasSuffix(thing, "y"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(thing, "y"))
	case strings.HasSuffix(thing, "ch"):
		return fmt.Sprintf("%d %ses", n, thing)
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// short cuts a hash for people: 12 digits of it.
func short(hash string) string {
	if lineage.IsHash(hash) {
		return hash[len("sha256:"):][:12]
	}
	return escaped(hash)
}
