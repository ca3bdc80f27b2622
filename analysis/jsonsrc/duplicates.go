package jsonsrc

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// duplicates reports keys that stand twice in the object.
func (p *parser) duplicates(object uint32) {
	if p.node(object).flags&flagChildren == 0 {
		return
	}
	const small = 8
	var keys [small]uint32
	n := 0
	for k := object + 1; k != 0; k = p.node(p.node(k).next).next {
		if n == small {
			p.duplicatesOfMany(object)
			return
		}
		for _, other := range keys[:n] {
			if p.sameKey(other, k) {
				p.duplicate(other, k)
				break
			}
		}
		keys[n] = k
		n++
	}
}

func (p *parser) duplicatesOfMany(object uint32) {
	seen := make(map[string]uint32)
	for k := object + 1; k != 0; k = p.node(p.node(k).next).next {
		name := p.keyText(k)
		if first, ok := seen[name]; ok {
			p.duplicate(first, k)
			continue
		}
		seen[name] = k
	}
}

func (p *parser) duplicate(first, k uint32) {
	a, b := p.node(first), p.node(k)
	start, end := p.off+int(b.start), p.off+int(b.end)
	e := p.fail(DuplicateKey, start, end, fmt.Sprintf("the key %s stands twice in this object; readers keep only one of the values", short(p.src[start:end])))
	p.related(e, p.off+int(a.start), p.off+int(a.end))
}

func short(b []byte) string {
	const most = 60
	if len(b) <= most {
		return string(b)
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(b[cut]) {
		cut--
	}
	return string(b[:cut]) + "…"
}

func (p *parser) sameKey(a, b uint32) bool {
	na, nb := p.node(a), p.node(b)
	if (na.flags|nb.flags)&flagEscaped == 0 {
		return na.end-na.start == nb.end-nb.start &&
			bytes.Equal(p.src[p.off+int(na.start):p.off+int(na.end)], p.src[p.off+int(nb.start):p.off+int(nb.end)])
	}
	return p.keyText(a) == p.keyText(b)
}

func (p *parser) keyText(k uint32) string {
	n := p.node(k)
	if n.kind != String {
		return string(p.src[p.off+int(n.start) : p.off+int(n.end)])
	}
	t := Tree{src: p.src}
	c := Chunk{rare: &rareParts{long: p.nodes}}
	return Value{t: &t, c: &c, off: p.off, n: k}.Text()
}
