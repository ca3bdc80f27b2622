package provenance_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/toolpath-ls/toolpath-ls/analysis/provenance"
)

// uniqueLife is a file whose lines are all different, so that everything has one place. Three
// bytes of the script are an edit: where, how many lines go, how many come. The bits of the
// first byte say whether lines end in CRLF and whether the last one ends at all.
func uniqueLife(script []byte) (versions []string) {
	const most = 60 // edits
	if len(script) == 0 {
		return nil
	}
	end, open := "\n", script[0]&2 > 0
	if script[0]&1 > 0 {
		end = "\r\n"
	}
	n := 0
	fresh := func(count int) (lines []string) {
		for range count {
			n++
			lines = append(lines, fmt.Sprintf("\tvalue%d := compute(%d, %x)%s", n, n*7919, n*104729, end))
		}
		return lines
	}
	lines := fresh(20)
	text := func() string {
		all := strings.Join(lines, "")
		if open {
			all = strings.TrimSuffix(all, end)
		}
		return all
	}
	versions = []string{text()}
	for rest := script[1:]; len(rest) >= 3 && len(versions) < most; rest = rest[3:] {
		at := int(rest[0]) % (len(lines) + 1)
		to := min(len(lines), at+int(rest[1]%4))
		come := int(rest[2] % 5)
		if to-at == len(lines) || to == at && come == 0 {
			continue
		}
		lines = slices.Replace(lines, at, to, fresh(come)...)
		versions = append(versions, text())
	}
	return versions
}

// recordOf writes the diffs of a life with three lines of context.
func recordOf(versions []string) (h provenance.History) {
	for i := 1; i < len(versions); i++ {
		h.Edits = append(h.Edits, provenance.Edit{Step: provenance.StepID(i), Raw: unified(versions[i-1], versions[i], 3), HasRaw: true})
	}
	return h
}

func addScripts(f *testing.F, more ...any) {
	for _, script := range []string{"\x00\x05\x01\x01", "\x01\x05\x01\x02\x06\x02\x01\x00\x00\x03", "\x02\x14\x00\x02\x15\x01\x00\x00\x03\x04", "\x03\x07\x02\x02\x07\x02\x02\x13\x01\x01\x01\x03\x00", "\x00\x00\x00\x01\xff\x00\x01\x0a\x03\x03\x0a\x03\x03\x0a\x00\x04"} {
		f.Add(append([]any{[]byte(script)}, more...)...)
	}
}

// On histories that are in step the backward replay, which does not look at the base, names
// whom the forward replay names, line by line. (That a last line only got its line end counts
// forward, as it does for git blame, and not backward.)
func FuzzBackwardIsForward(f *testing.F) {
	addScripts(f)
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 0 {
			script = slices.Clone(script)
			script[0] &^= 2
		}
		versions := uniqueLife(script)
		if len(versions) < 2 {
			return
		}
		h := recordOf(versions)
		h.Base = &versions[0]
		forward := provenance.Project(h)
		if text := versions[len(versions)-1]; forward.HeadText() != text || !forward.Known {
			t.Fatalf("the head is %q, want %q: %v", forward.HeadText(), text, forward.Problems)
		}
		h.Base = nil
		backward := provenance.Project(h).Recover(h, versions[len(versions)-1])
		if got, want := steps(backward), steps(forward); !slices.Equal(got, want) {
			t.Errorf("backward %v\nforward  %v", got, want)
		}
	})
}

// Whoever is ignored, the life of a line is what it was; who is named for it is the last one
// in it who is not ignored, or if all are the last one; and nobody is ignored any more when
// nobody is.
func FuzzFilters(f *testing.F) {
	addScripts(f, uint64(0b1010))
	f.Fuzz(func(t *testing.T, script []byte, ignored uint64) {
		versions := uniqueLife(script)
		if len(versions) < 2 {
			return
		}
		h := recordOf(versions)
		h.Base = &versions[0]
		p := provenance.Project(h)
		for _, id := range p.Lines() {
			before := p.Chain(id)
			owner, _ := p.OwnerBut(id, func(s provenance.StepID) bool { return ignored>>(s%64)&1 > 0 })
			if after := p.Chain(id); !slices.Equal(before, after) {
				t.Fatalf("the chain was %v and is %v", before, after)
			}
			want := p.Owner(id)
			for _, touch := range before {
				if touch.Kind == provenance.Base || touch.Kind != provenance.Format && ignored>>(touch.Step%64)&1 == 0 {
					want = touch.ID
					break
				}
			}
			if owner != want {
				t.Fatalf("the line %q is of %v, want %v", p.Text(id), p.Ident(owner), p.Ident(want))
			}
			if nobody, _ := p.OwnerBut(id, func(provenance.StepID) bool { return false }); nobody != p.Owner(id) {
				t.Fatal("with nobody ignored it is another one")
			}
		}
	})
}
