package udiff

import "bytes"

// IsSound says that a raw certainly has nothing but hunks that state their lines, have as
// many as they state, and follow one upon the other. It looks at the raw as it stands
// between the quotes of a JSON text, and allocates nothing, so that a document of many
// diffs is looked through without decoding them. False means that [Parse] has to tell.
func IsSound(quoted []byte) bool {
	const mark = "@@"
	next := -1 // first old line that may be in a hunk
	for len(quoted) > 0 {
		line, rest, ok := cutLine(quoted)
		if !ok || len(line) < 3 || string(line[:2]) != mark || line[2] != ' ' || line[len(line)-1] == '\r' {
			return false
		}
		old, now, ok := statedRanges(line[3:])
		if !ok || old.Count+now.Count == 0 {
			return false
		}
		first := old.Start
		if old.Count == 0 {
			first++
		}
		if first < next {
			return false
		}
		next = first + old.Count
		if quoted, ok = soundBody(rest, old.Count, now.Count); !ok {
			return false
		}
	}
	return next >= 0
}

// soundBody passes over the lines of a hunk.
func soundBody(quoted []byte, old, now int) (rest []byte, ok bool) {
	for old+now > 0 {
		line, rest, ok := cutLine(quoted)
		if !ok || len(line) == 0 {
			return nil, false
		}
		switch line[0] {
		case ' ':
			old--
			now--
		case '-':
			old--
		case '+':
			now--
		default:
			return nil, false
		}
		if old < 0 || now < 0 || len(line) > 2 && string(line[:3]) == "---" {
			return nil, false // or perhaps the header of a file
		}
		quoted = rest
	}
	return quoted, true
}

// cutLine cuts the first line off, up to a \n or the end; not ok if there is an escape that
// may be another line end.
func cutLine(quoted []byte) (line, rest []byte, ok bool) {
	for i := 0; ; {
		k := bytes.IndexByte(quoted[i:], '\\')
		if k < 0 || i+k+1 == len(quoted) {
			return quoted, nil, k < 0
		}
		switch i += k; quoted[i+1] {
		case 'n':
			return quoted[:i], quoted[i+2:], true
		case 'r':
			return nil, nil, false
		case 'u':
			if hex := quoted[i+2:]; len(hex) < 4 || hex[0] == '0' && hex[1] == '0' && hex[2] <= '1' {
				return nil, nil, false
			}
		}
		i += 2
	}
}

// statedRanges reads -a,b +c,d @@ and what may follow.
func statedRanges(s []byte) (old, now Range, ok bool) {
	if old, s, ok = statedRange(s, '-'); !ok || len(s) == 0 || s[0] != ' ' {
		return old, now, false
	}
	if now, s, ok = statedRange(s[1:], '+'); !ok || len(s) < 3 || string(s[:3]) != " @@" {
		return old, now, false
	}
	return old, now, len(s) == 3 || s[3] == ' '
}

func statedRange(s []byte, sign byte) (r Range, rest []byte, ok bool) {
	if len(s) == 0 || s[0] != sign {
		return r, s, false
	}
	if r.Start, s, ok = digits(s[1:]); !ok || len(s) == 0 || s[0] != ',' {
		r.Count = 1
		return r, s, ok
	}
	r.Count, s, ok = digits(s[1:])
	return r, s, ok
}

func digits(s []byte) (n int, rest []byte, ok bool) {
	const most = 9 // as in ranges
	i := 0
	for ; i < len(s) && i < most+1 && s[i] >= '0' && s[i] <= '9'; i++ {
		n = n*10 + int(s[i]-'0')
	}
	return n, s[i:], i > 0 && i <= most
}
