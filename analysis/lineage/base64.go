package lineage

// looseBase64 decodes base64 in either alphabet as Python's decoder does, which passes over
// what belongs to neither and stops at the padding. It fails where the digits do not make
// whole bytes.
func looseBase64(s string, url bool) ([]byte, bool) {
	if url {
		for range (4 - len(s)%4) % 4 { // Python's callers pad by the length, whatever is in it
			s += "="
		}
	}
	var out []byte
	held, digits, pads := byte(0), 0, 0
	for i := range len(s) {
		c := s[i]
		var v byte
		switch {
		case c >= 'A' && c <= 'Z':
			v = c - 'A'
		case c >= 'a' && c <= 'z':
			v = c - 'a' + 26
		case c >= '0' && c <= '9':
			v = c - '0' + 52
		case c == '+' || url && c == '-':
			v = 62
		case c == '/' || url && c == '_':
			v = 63
		case c == '=':
			if pads++; digits >= 2 && digits+pads >= 4 {
				return out, true
			}
			continue
		default:
			continue
		}
		pads = 0
		switch digits {
		case 0:
			held = v
		case 1:
			out = append(out, held<<2|v>>4)
			held = v & 15
		case 2:
			out = append(out, held<<4|v>>2)
			held = v & 3
		case 3:
			out = append(out, held<<6|v)
		}
		digits = (digits + 1) % 4
	}
	return out, digits == 0
}
