package toolpath

import (
	"strings"
	"time"
)

// ParseTimestamp reads an RFC 3339 date-time, as JSON Schema's "date-time" has it: with
// an offset, any number of fractional digits, and a leap second (which time.Time cannot
// hold: it reads as the second before). Its T and Z may be lower case (RFC 3339, 5.6).
func ParseTimestamp(s string) (time.Time, bool) { return parseTimestamp([]byte(s)) }

func parseTimestamp(b []byte) (time.Time, bool) {
	if t, ok := inUTC(b); ok {
		return t, true
	}
	s := strings.ToUpper(string(b))
	b = []byte(s)
	if t, err := time.Parse(time.RFC3339Nano, s); err == nil && strict(b) {
		return t, true
	}
	if len(s) > 19 && s[17:19] == "60" && strict(b) {
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
func strict(s []byte) bool {
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
	return len(rest) >= 6 && string(rest[len(rest)-5:len(rest)-3]) <= "23" && string(rest[len(rest)-2:]) <= "59"
}

// inUTC reads what most timestamps are, 2026-01-29T10:00:00Z with or without milliseconds;
// not ok leaves it to ParseTimestamp.
func inUTC(s []byte) (time.Time, bool) {
	const whole, millis = "dddd-dd-ddTdd:dd:ddZ", "dddd-dd-ddTdd:dd:dd.dddZ"
	if len(s) != len(whole) && len(s) != len(millis) || !strict(s) ||
		s[4] != '-' || s[7] != '-' || s[10] != 'T' || s[13] != ':' || s[16] != ':' {
		return time.Time{}, false
	}
	number := func(from, to int) (n int) {
		for _, c := range s[from:to] {
			n = n*10 + int(c-'0')
		}
		return n
	}
	ms := 0
	if len(s) == len(millis) {
		if s[19] != '.' || !isDigit(s[20]) || !isDigit(s[21]) || !isDigit(s[22]) {
			return time.Time{}, false
		}
		ms = number(20, 23)
	}
	month, day, hour, minute, second := number(5, 7), number(8, 10), number(11, 13), number(14, 16), number(17, 19)
	if s[len(s)-1] != 'Z' || month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59 {
		return time.Time{}, false
	}
	t := time.Date(number(0, 4), time.Month(month), day, hour, minute, second, ms*int(time.Millisecond), time.UTC)
	return t, t.Day() == day
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
