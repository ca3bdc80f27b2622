package toolpath

import "time"

// ParseTimestamp reads an RFC 3339 date-time, as JSON Schema's "date-time" has it: with
// an offset, any number of fractional digits, and a leap second (which time.Time cannot
// hold: it reads as the second before).
func ParseTimestamp(s string) (time.Time, bool) {
	if t, err := time.Parse(time.RFC3339Nano, s); err == nil && strict(s) {
		return t, true
	}
	if len(s) > 19 && s[17:19] == "60" && strict(s) {
		t, err := time.Parse(time.RFC3339Nano, s[:17]+"59"+s[19:])
		// A leap second is the last of its day in UTC.
		if u := t.UTC(); err == nil && u.Hour() == 23 && u.Minute() == 59 {
			return t, true
		}
	}
	return time.Time{}, false
}

// strict refuses what time.Parse lets pass: one-digit hours, a comma before the fraction,
// an offset beyond 23:59.
func strict(s string) bool {
	const shape = "dddd-dd-ddTdd:dd:dd"
	if len(s) < len(shape)+1 {
		return false
	}
	for i := range len(shape) {
		digit := s[i] >= '0' && s[i] <= '9'
		if (shape[i] == 'd') != digit {
			return false
		}
	}
	rest := s[len(shape):]
	if rest[0] == ',' {
		return false
	}
	if rest[len(rest)-1] == 'Z' {
		return true
	}
	return len(rest) >= 6 && rest[len(rest)-5:len(rest)-3] <= "23" && rest[len(rest)-2:] <= "59"
}
