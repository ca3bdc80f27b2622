//go:build cgo

package structural

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go/format"
	"go/scanner"
	gotoken "go/token"

	"github.com/toolpath-ls/toolpath-ls/analysis/linediff"
	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
	"github.com/toolpath-ls/toolpath-ls/internal/gosource"
	"github.com/toolpath-ls/toolpath-ls/internal/race"
)

// full says that all files are wanted and not a sample: make accuracy.
var full = os.Getenv("TOOLPATH_ACCURACY") == "full"

// program finds a program that a test needs. Without it the test is skipped by name, or
// fails where all must be there.
func program(t *testing.T, name, install string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	if os.Getenv("TOOLPATH_TEST_REQUIRE") == "1" {
		t.Fatalf("no %s: %s", name, install)
	}
	t.Skipf("no %s: %s", name, install)
	return ""
}

// reformatted is a file before and after a formatter ran over it.
type reformatted struct{ name, old, new string }

// restyle is a formatter with the files that it is tried on.
type restyle struct {
	name string
	make func(t *testing.T) []reformatted
}

// made keeps the cases of a restyle for the next test.
var made = map[string][]reformatted{}

func (r restyle) cases(t *testing.T) []reformatted {
	t.Helper()
	if made[r.name] == nil {
		made[r.name] = r.make(t)
	}
	return made[r.name]
}

var restyles = []restyle{
	{"gofmt over Go's standard library made ugly", func(t *testing.T) []reformatted {
		return goCases(t, func(ugly string) (string, error) {
			b, err := format.Source([]byte(ugly))
			return string(b), err
		})
	}},
	{"gofumpt over Go's standard library made ugly", func(t *testing.T) []reformatted {
		gofumpt := program(t, "gofumpt", "go install mvdan.cc/gofumpt@v0.12.0")
		return goCases(t, func(ugly string) (string, error) { return filter(ugly, gofumpt) })
	}},
	{"prettier, its defaults, over npm", func(t *testing.T) []reformatted {
		return prettierCases(t, false, "--print-width=80")
	}},
	{"prettier, 80 to 45 columns, no semicolons, over npm", func(t *testing.T) []reformatted {
		return prettierCases(t, true, "--print-width=45", "--no-semi", "--single-quote", "--arrow-parens=avoid", "--trailing-comma=none")
	}},
	{"rustfmt, 100 to 60 columns", func(t *testing.T) []reformatted {
		rustfmt := program(t, "rustfmt", "apt-get install rustfmt")
		return pairsOf(t, rustFiles(t), 150, func(name, source string) (string, string, error) {
			old, err := filter(source, rustfmt, "--edition", "2021", "--emit", "stdout", "--quiet")
			if err != nil {
				return "", "", err
			}
			now, err := filter(old, rustfmt, "--edition", "2021", "--emit", "stdout", "--quiet", "--config", "max_width=60")
			return old, now, err
		})
	}},
	{"clang-format, LLVM, over libstdc++ and tree-sitter", func(t *testing.T) []reformatted { return clangCases(t, "LLVM") }},
	{"clang-format, Mozilla, over libstdc++ and tree-sitter", func(t *testing.T) []reformatted { return clangCases(t, "Mozilla") }},
}

// filter runs a program over a text.
func filter(in, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Stdin = strings.NewReader(in)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s: %w: %s", name, err, brief(errs.String()))
	}
	return string(out), err
}

// sample is how many of most files are tried: all, or enough to see that it works.
func sample(most int) int {
	if full {
		return most
	}
	return max(2, most/20)
}

// pairsOf formats a sample of up to most files.
func pairsOf(t *testing.T, files []string, most int, run func(name, source string) (old, now string, err error)) []reformatted {
	t.Helper()
	most = sample(most)
	random := rand.New(rand.NewPCG(1, 2))
	random.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	var all []reformatted
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(source) < 500 || len(source) > 400_000 {
			continue
		}
		old, now, err := run(name, string(source))
		if err != nil || old == now {
			continue // not for this formatter, or nothing to do
		}
		if all = append(all, reformatted{filepath.Base(name), old, now}); len(all) == most {
			break
		}
	}
	if len(all) == 0 {
		t.Skip("no files to format on this machine")
	}
	return all
}

func filesBelow(dir string, wanted func(name string) bool) []string {
	var files []string
	_ = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && wanted(name) {
			files = append(files, name)
		}
		return nil
	})
	return files
}

func goCases(t *testing.T, run func(string) (string, error)) []reformatted {
	files := filesBelow(gosource.Root(t), func(name string) bool {
		return strings.HasSuffix(name, ".go") && !strings.Contains(name, "testdata")
	})
	seed := uint64(0)
	return pairsOf(t, files, 600, func(_, source string) (string, string, error) {
		seed++
		old := uglyGo(source, rand.New(rand.NewPCG(seed, 7)))
		now, err := run(old)
		return old, now, err
	})
}

// uglyGo lays Go out as nobody would: without indentation, with white space between
// tokens as chance has it, and with statements on one line.
func uglyGo(source string, random *rand.Rand) string {
	var s scanner.Scanner
	files := gotoken.NewFileSet()
	s.Init(files.AddFile("", -1, len(source)), []byte(source), nil, scanner.ScanComments)
	var b strings.Builder
	at, comment := 0, false
	base := files.Base() - len(source) - 1
	indent := strings.Repeat(" ", random.IntN(3))
	for {
		pos, tok, text := s.Scan()
		if tok == gotoken.EOF {
			b.WriteString("\n")
			return b.String()
		}
		from := int(pos) - base
		blank := ""
		if from > at {
			blank = source[at:from]
		}
		switch {
		case comment || tok == gotoken.COMMENT || strings.Contains(blank, "\n\n"):
			b.WriteString(blank)
		case strings.Contains(blank, "\n"):
			b.WriteString("\n" + indent)
		case blank != "" && tok != gotoken.SEMICOLON:
			b.WriteString(strings.Repeat(" ", 1+random.IntN(2)))
		}
		comment = tok == gotoken.COMMENT
		switch {
		case tok == gotoken.SEMICOLON && text == "\n":
			at = from
			if from < len(source) && source[from] == '\n' {
				at++
				next := strings.TrimLeft(source[at:], " \t")
				at = len(source) - len(next)
				if random.IntN(6) == 0 && next != "" && next[0] != '\n' && next[0] != '/' && next[0] != '}' && next[0] != ')' && !strings.HasPrefix(next, "case") && !strings.HasPrefix(next, "default") {
					b.WriteString("; ")
				} else {
					b.WriteString("\n" + indent)
				}
			}
			continue
		case text == "" || tok.IsOperator() && tok != gotoken.SEMICOLON:
			text = tok.String()
		}
		b.WriteString(text)
		at = from + len(text)
	}
}

func rustFiles(t *testing.T) []string {
	var files []string
	for _, dir := range []string{"/usr/share/cargo/registry", filepath.Join(os.Getenv("HOME"), ".cargo/registry/src"), moduleDir(t, "")} {
		files = append(files, filesBelow(dir, func(name string) bool { return strings.HasSuffix(name, ".rs") })...)
	}
	return files
}

// moduleDir is a folder of Go's module cache.
func moduleDir(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), name)
}

func clangCases(t *testing.T, style string) []reformatted {
	clang := program(t, "clang-format", "apt-get install clang-format")
	files := filesBelow(moduleDir(t, "github.com/tree-sitter"), func(name string) bool {
		return strings.HasSuffix(name, "scanner.c") || strings.Contains(name, "go-tree-sitter@") && strings.HasSuffix(name, ".c")
	})
	files = append(files, filesBelow("/usr/include/c++", func(name string) bool { return strings.HasSuffix(name, ".h") || strings.HasSuffix(name, ".hpp") })...)
	return pairsOf(t, files, 200, func(name, source string) (string, string, error) {
		now, err := filter(source, clang, "--style="+style, "--assume-filename=x.cc")
		return source, now, err
	})
}

// prettierCases formats JavaScript of npm with options, twice: from prettier's defaults
// if styled, else from what it is.
func prettierCases(t *testing.T, styled bool, options ...string) []reformatted {
	node := program(t, "node", "apt-get install nodejs npm")
	prettier := "../.tools/prettier/node_modules/prettier/index.cjs"
	if p := os.Getenv("TOOLPATH_PRETTIER"); p != "" {
		prettier = p
	}
	install := "npm install --prefix .tools/prettier prettier@3.10.1"
	if _, err := os.Stat(prettier); err != nil {
		if os.Getenv("TOOLPATH_TEST_REQUIRE") == "1" {
			t.Fatal("no prettier: " + install)
		}
		t.Skip("no prettier: " + install)
	}
	prettier, _ = filepath.Abs(prettier)
	var files []string
	// npm's own folders, where it came with Node.js, where Debian has it, and ours.
	for _, dir := range []string{filepath.Join(filepath.Dir(node), "../lib/node_modules/npm"), "/usr/lib/node_modules/npm", "/usr/share/nodejs", "../node_modules"} {
		if len(files) < 400 {
			files = append(files, filesBelow(dir, func(name string) bool { return strings.HasSuffix(name, ".js") && !strings.Contains(name, ".min.") })...)
		}
	}
	slices.Sort(files)
	files = slices.Compact(files)
	script := `
const prettier = require(process.argv[1]);
const options = JSON.parse(process.argv[2]);
let input = '';
process.stdin.on('data', d => input += d).on('end', async () => {
  const all = JSON.parse(input), out = [];
  for (const source of all) {
    try {
      const old = options.styled ? await prettier.format(source, {parser: 'babel'}) : source;
      out.push([old, await prettier.format(old, {parser: 'babel', ...options.to})]);
    } catch { out.push(['', '']); }
  }
  process.stdout.write(JSON.stringify(out));
});`
	return batch(t, files, 400, func(sources []string) [][2]string {
		return nodeBatch(t, node, script, prettier, options, styled, sources)
	})
}

// oracle is, for every new line, the old lines that share a character with it which both
// texts have in order when what formatters add and drop is left out. A line that both texts
// have once, but for white space, is that line: imports are sorted.
func oracle(old, now string) (share map[int]map[int]bool) {
	type char struct {
		r    rune
		line int
	}
	chars := func(s string) (all []char, text []uint32) {
		line := 0
		for _, r := range s {
			switch {
			case r == '\n':
				line++
			case strings.ContainsRune(" \t\r,;(){}|\"'`\\/*#", r):
			default:
				all = append(all, char{r, line})
				text = append(text, uint32(r))
			}
		}
		return all, text
	}
	a, x := chars(old)
	b, y := chars(now)
	share = map[int]map[int]bool{}
	hunks := linediff.Numbered(linediff.Text{IDs: x}, linediff.Text{IDs: y}, linediff.Options{})
	for j, i := range pair(len(a), len(b), hunks) {
		if i >= 0 {
			if share[b[j].line] == nil {
				share[b[j].line] = map[int]bool{}
			}
			share[b[j].line][a[i].line] = true
		}
	}
	was, is := once(old), once(now)
	for text, l := range is {
		if o, ok := was[text]; ok && l >= 0 && o >= 0 {
			share[l] = map[int]bool{o: true}
		}
	}
	return share
}

// once are the lines that a text has, without their white space, -1 for those that it has
// several times. What formatters add and drop is no line.
func once(s string) map[string]int {
	lines := map[string]int{}
	l := 0
	for line := range strings.Lines(s) {
		if text := strings.Join(strings.Fields(line), ""); strings.Trim(text, ",;(){}|\"'`\\/*#") != "" {
			if _, again := lines[text]; again {
				lines[text] = -1
			} else {
				lines[text] = l
			}
		}
		l++
	}
	return lines
}

// ours projects a history of one step and returns for every line of the new text the old
// line, -1: the step.
func ours(f provenance.Formatter, c reformatted, declared bool) ([]int, *provenance.Projection) {
	p := provenance.Project(provenance.History{
		Base: &c.old, File: c.name, Formatter: f,
		Edits: []provenance.Edit{{Step: 1, Whole: &c.new, Formats: declared}},
	})
	var lines []int
	for _, id := range p.Lines() {
		if owner := p.Owner(id); p.Ident(owner).Kind == provenance.Base {
			lines = append(lines, int(owner)-1) // idents of the base come first
		} else {
			lines = append(lines, -1)
		}
	}
	return lines, p
}

// gitBlame is the same by git blame with options, each line of which may hold "REV" for
// the commit of the step.
type gitBlame struct {
	name string
	args []string
}

var gitBlames = []gitBlame{
	{"git blame", nil},
	{"-w", []string{"-w"}},
	{"--ignore-rev", []string{"--ignore-rev", "HEAD"}},
	{"-w --ignore-rev", []string{"-w", "--ignore-rev", "HEAD"}},
}

// repository has every case as a file, in the old and then in the new form.
func repository(t *testing.T, cases []reformatted) string {
	t.Helper()
	dir := t.TempDir()
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.autocrlf=false", "-c", "commit.gpgsign=false"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	for step, text := range []func(reformatted) string{func(c reformatted) string { return c.old }, func(c reformatted) string { return c.new }} {
		for i, c := range cases {
			if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(i)), []byte(text(c)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		git("add", ".")
		git("commit", "-q", "-m", strconv.Itoa(step))
	}
	return dir
}

func (g gitBlame) lines(t *testing.T, dir string, i int) []int {
	t.Helper()
	args := append([]string{"-C", dir, "blame", "--porcelain"}, g.args...)
	out, err := exec.Command("git", append(args, "--", strconv.Itoa(i))...).Output()
	if err != nil {
		t.Fatal(err)
	}
	head, err := exec.Command("git", "-C", dir, "rev-parse", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	step := strings.TrimSpace(string(head))
	var lines []int
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) < 3 || len(fields[0]) != 40 || strings.HasPrefix(line, "\t") {
			continue
		}
		old, err := strconv.Atoi(fields[1])
		if err != nil {
			continue
		}
		if fields[0] == step {
			old = 0
		}
		lines = append(lines, old-1)
	}
	return lines
}

// score counts lines that a formatter changed.
type score struct {
	lines, right, wrong, left int
	others, othersLeft        int // blank lines, brackets: those that the oracle is silent about
}

func (s *score) add(t score) {
	s.lines += t.lines
	s.right += t.right
	s.wrong += t.wrong
	s.left += t.left
	s.others += t.others
	s.othersLeft += t.othersLeft
}

func (s score) String() string {
	percent := func(n int) float64 { return 100 * float64(n) / float64(max(s.lines, 1)) }
	return fmt.Sprintf("%7.3f %% right, %7.3f %% wrong, %7.3f %% left on the formatter (and %d of %d blank and bracket lines)",
		percent(s.right), percent(s.wrong), percent(s.left), s.othersLeft, s.others)
}

// judge compares an answer with the oracle, over the lines that are in both and that the
// line diff calls changed.
func judge(share map[int]map[int]bool, changed map[int]bool, lines []int) (s score, bad []int) {
	for l, old := range lines {
		if !changed[l] {
			continue
		}
		if share[l] == nil {
			if s.others++; old < 0 {
				s.othersLeft++
				bad = append(bad, l)
			}
			continue
		}
		s.lines++
		switch {
		case old < 0:
			s.left++
			bad = append(bad, l)
		case share[l][old]:
			s.right++
		default:
			s.wrong++
			bad = append(bad, l)
		}
	}
	return s, bad
}

func changedLines(c reformatted) map[int]bool {
	changed := map[int]bool{}
	for _, h := range linediff.Bytes([]byte(c.old), []byte(c.new), linediff.Options{IndentHeuristic: true}) {
		for l := h.NewStart; l < h.NewEnd; l++ {
			changed[l] = true
		}
	}
	return changed
}

// Formatters that really run, and an oracle that knows no tokens.
func TestFormatterTruth(t *testing.T) {
	race.Skip(t)
	total, wrong, ran := 0, 0, 0
	for _, r := range restyles {
		t.Run(r.name, func(t *testing.T) {
			cases := r.cases(t)
			ran++
			dir := repository(t, cases)
			var f Formatter
			var declared, proven score
			gits := make([]score, len(gitBlames))
			falsely, shown, left := 0, 0, 0
			for i, c := range cases {
				share, changed := oracle(c.old, c.new), changedLines(c)
				lines, p := ours(&f, c, true)
				judged, bad := judge(share, changed, lines)
				declared.add(judged)
				for _, l := range bad {
					if shown++; shown <= 20 || lines[l] >= 0 && shown <= 100 {
						text := strings.Split(c.new, "\n")[l]
						was := "the formatter"
						if lines[l] >= 0 {
							was = strings.Split(c.old, "\n")[lines[l]]
						}
						t.Logf("%s:%d %q is said to be from %q", c.name, l+1, text, was)
					}
				}
				reported := len(p.Meanings) > 0
				for _, c := range p.Meanings[:min(len(p.Meanings), 1)] {
					t.Logf("%s: %s", cases[i].name, c.Words(r.name))
				}
				if reported {
					falsely++
				} else {
					left += judged.left
				}
				lines, _ = ours(&f, c, false)
				s, _ := judge(share, changed, lines)
				proven.add(s)
				for k, g := range gitBlames {
					s, _ := judge(share, changed, g.lines(t, dir, i))
					gits[k].add(s)
				}
			}
			var b strings.Builder
			fmt.Fprintf(&b, "%s: %d files, %d lines changed\n", r.name, len(cases), declared.lines)
			for k, g := range gitBlames {
				fmt.Fprintf(&b, "%-28s %s\n", g.name, gits[k])
			}
			fmt.Fprintf(&b, "%-28s %s\n%-28s %s\n", "ours, nobody says it formats", proven, "ours, the step says so", declared)
			fmt.Fprintf(&b, "meaning falsely reported as changed: %d files\n", falsely)
			t.Log(b.String())
			// Of a formatter that is said to have changed more than the layout, the line is its own.
			if 1000*declared.right < 999*declared.lines || left > 0 {
				t.Errorf("%d of %d lines right, %d left on the formatter: want 99.9 %% and none", declared.right, declared.lines, left)
			}
			// What nobody declares and nothing proves stays with the step.
			if 1000*proven.right < 995*proven.lines {
				t.Errorf("%d of %d lines right where nobody says that it formats, want 99.5 %%", proven.right, proven.lines)
			}
			total, wrong = total+len(cases), wrong+falsely
		})
	}
	t.Logf("of %d outputs of formatters, %d were reported as changes of meaning", total, wrong)
	if full && ran == len(restyles) && total < 500 {
		t.Errorf("%d outputs of formatters, want at least 500", total)
	}
	if 100*wrong > total {
		t.Errorf("of %d outputs of formatters, %d were reported as changes of meaning", total, wrong)
	}
}
