package provenance

import "strings"

// chunkSize is the number of bytes of lines that are kept in one piece.
const chunkSize = 64 << 10

// chunk is a source that lines of many edits are gathered in.
type chunk struct {
	text  strings.Builder
	index uint32 // in Projection.sources
}

// gather copies the lines that the last edit made out of the diff or content that it made
// them of, which is then let go: most of it is context. Sources and idents before the given
// ones are those of earlier edits.
func (r *replay) gather(sources, idents int) {
	if len(r.p.sources) == sources {
		return
	}
	whole, kept := 0, 0
	for _, s := range r.p.sources[sources:] {
		whole += len(s)
	}
	made := r.p.idents[idents:]
	for i := range made {
		if int(made[i].source) >= sources {
			kept += int(made[i].to - made[i].from)
		}
	}
	if 2*kept > whole {
		return
	}
	lines := make([]string, 0, 16)
	for i := range made {
		if m := &made[i]; int(m.source) >= sources {
			lines = append(lines, r.p.sources[m.source][m.from:m.to])
		}
	}
	clear(r.p.sources[sources:])
	r.p.sources = r.p.sources[:sources]
	if kept > 0 && (r.chunk == nil || r.chunk.text.Cap()-r.chunk.text.Len() < kept) {
		r.chunk = &chunk{index: r.source("")}
		r.chunk.text.Grow(max(kept, min(chunkSize, 8*kept)))
	}
	for i := range made {
		m := &made[i]
		if int(m.source) < sources {
			continue
		}
		line := lines[0]
		lines = lines[1:]
		if line == "" {
			m.source, m.from, m.to = 0, 0, 0
			continue
		}
		m.source, m.from = r.chunk.index, uint32(r.chunk.text.Len())
		r.chunk.text.WriteString(line)
		m.to = uint32(r.chunk.text.Len())
	}
	if kept > 0 {
		r.p.sources[r.chunk.index] = r.chunk.text.String()
	}
}
