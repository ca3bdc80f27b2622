//go:build cgo

package structural

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/internal/race"
)

// mixed is a formatting step with real edits in it.
type mixed struct {
	reformatted
	from []int // by line of new: the line that the formatter left, -1: added
	real map[int]bool
}

var telling = regexp.MustCompile(`\b[A-Za-z_][A-Za-z0-9_]{3,}\b`)

// withEdits puts edits on a twentieth of the lines that the formatter changed: another
// name in a line, or a comment on a line of its own. words are no names.
func withEdits(c reformatted, random *rand.Rand) mixed {
	m := mixed{reformatted: c, real: map[int]bool{}}
	changed := changedLines(c)
	var b strings.Builder
	edits, inComment := 0, false
	for l, line := range strings.SplitAfter(c.new, "\n") {
		trimmed := strings.TrimSpace(line)
		inComment = (inComment || strings.Contains(line, "/*")) && !strings.Contains(line, "*/")
		plain := !inComment && !strings.ContainsAny(line, "\"'`/#\\") && telling.MatchString(line) && trimmed != ""
		if plain && changed[l] && random.IntN(20) == 0 {
			edits++
			if at := identifier(line); at != nil && random.IntN(3) > 0 {
				line = line[:at[0]] + fmt.Sprintf("zzEdit%d", edits) + line[at[1]:]
				m.real[len(m.from)] = true
			} else if strings.HasSuffix(trimmed, "{") {
				m.from = append(m.from, l)
				b.WriteString(line)
				line = fmt.Sprintf("// zzEdit%d was added\n", edits)
				l = -1
				m.real[len(m.from)] = true
			}
		}
		m.from = append(m.from, l)
		b.WriteString(line)
	}
	m.new = b.String()
	return m
}

// keywords are not replaced: what is left would not parse.
var keywords = regexp.MustCompile(`^(func|return|const|continue|break|else|while|this|null|true|false|struct|interface|package|import|range|switch|case|default|defer|type|class|void|template|typename|static|inline|using|namespace|public|private|protected|async|await|typeof|instanceof|export|extends|from|function|match|impl|self|Self|where|crate|super|enum|union|unsigned|signed|char|long|short|float|double|bool|explicit|virtual|operator|friend|noexcept|constexpr|auto|throw|catch|delete|sizeof|yield|goto|select|chan|fallthrough|mut|loop|pub|unsafe|trait|move|dyn|elif|endif|define|include|undefined|volatile|extern|typedef|concept|requires|__.*|_GLIBCXX.*)$`)

// identifier is where a name stands in a line that may be another one.
func identifier(line string) []int {
	for _, at := range telling.FindAllStringIndex(line, -1) {
		if !keywords.MatchString(line[at[0]:at[1]]) {
			return at
		}
	}
	return nil
}

// A human or an agent whose editor formats on save: what was edited is the step's, what was
// only laid out anew is not.
func TestMixedSteps(t *testing.T) {
	race.Skip(t)
	for _, r := range restyles {
		t.Run(r.name, func(t *testing.T) {
			cases := r.cases(t)
			random := rand.New(rand.NewPCG(3, 4))
			var all []mixed
			var files []reformatted
			for _, c := range cases {
				m := withEdits(c, random)
				all, files = append(all, m), append(files, m.reformatted)
			}
			dir := repository(t, files)
			var f Formatter
			ways := []struct {
				name  string
				lines func(i int) []int
			}{}
			for _, g := range gitBlames {
				ways = append(ways, struct {
					name  string
					lines func(i int) []int
				}{g.name, func(i int) []int { return g.lines(t, dir, i) }})
			}
			for _, declared := range []bool{false, true} {
				name := "ours, nobody says it formats"
				if declared {
					name = "ours, the step says so"
				}
				ways = append(ways, struct {
					name  string
					lines func(i int) []int
				}{name, func(i int) []int { lines, _ := ours(&f, files[i], declared); return lines }})
			}
			var b strings.Builder
			fmt.Fprintf(&b, "%s, with real edits: %d files\n", r.name, len(all))
			for _, way := range ways {
				edits, credited, lines, right := 0, 0, 0, 0
				var bad []string
				for i, m := range all {
					share, changed := oracle(cases[i].old, cases[i].new), changedLines(cases[i])
					for l, old := range way.lines(i) {
						switch from := m.from[l]; {
						case m.real[l]:
							edits++
							lines++
							if old < 0 {
								credited++
								right++
							} else {
								bad = append(bad, fmt.Sprintf("%s:%d edit not credited %q", m.name, l+1, strings.Split(m.new, "\n")[l]))
							}
						case from < 0 || !changed[from] || share[from] == nil:
						default:
							lines++
							if old >= 0 && share[from][old] {
								right++
							} else {
								bad = append(bad, fmt.Sprintf("%s:%d %d %q", m.name, l+1, old, strings.Split(m.new, "\n")[l]))
							}
						}
					}
				}
				fmt.Fprintf(&b, "%-28s %7.3f %% of %d edits credited, %7.3f %% of %d lines right\n", way.name,
					100*float64(credited)/float64(max(edits, 1)), edits, 100*float64(right)/float64(max(lines, 1)), lines)
				if !strings.HasPrefix(way.name, "ours") {
					continue
				}
				if 100*credited < 95*edits || 1000*right < 995*lines {
					t.Errorf("%s: %d of %d edits credited, %d of %d lines right", way.name, credited, edits, right, lines)
				}
				for _, s := range bad[:min(len(bad), 15)] {
					t.Log(way.name + ": " + s)
				}
			}
			t.Log(b.String())
		})
	}
}
