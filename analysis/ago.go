package analysis

import (
	"fmt"
	"time"
)

// units are the lengths of time that people count in, the longest first; a year has 365
// days and a month 30.
var units = []struct {
	name   string
	length time.Duration
}{
	{"year", 365 * 24 * time.Hour},
	{"month", 30 * 24 * time.Hour},
	{"day", 24 * time.Hour},
	{"hour", time.Hour},
	{"minute", time.Minute},
}

// ago says how long before now an instant is, in the largest unit of which it is at least
// one: "3 days ago", "in 2 hours", "just now".
func ago(t, now time.Time) string {
	d := now.Sub(t)
	past := d >= 0
	d = d.Abs()
	for _, u := range units {
		if n := int(d / u.length); n > 0 {
			if past {
				return plural(n, u.name) + " ago"
			}
			return "in " + plural(n, u.name)
		}
	}
	return "just now"
}

// clock writes an instant for people: in UTC, in the place of now where that is another
// time, and how long ago it is.
func clock(t, now time.Time) string {
	out := t.UTC().Format("2006-01-02 15:04:05") + " UTC"
	if _, off := t.In(now.Location()).Zone(); off != 0 {
		out += t.In(now.Location()).Format(" · 2006-01-02 15:04:05 -07:00 here")
	}
	return fmt.Sprintf("%s · %s", out, ago(t, now))
}
