package analysis

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// ActorName returns the name that people know the actor of a step by.
func ActorName(p *toolpath.Path, s toolpath.At) string { return displayName(p, s, s.Actor) }

// displayName returns the name that people know an actor by: that of its definition, else
// what stands behind the colon.
func displayName(p *toolpath.Path, s toolpath.At, actor string) string {
	if d, ok := p.Actor(s, actor); ok && d.Name != "" {
		return d.Name
	}
	if _, name, ok := strings.Cut(actor, ":"); ok && name != "" {
		return name
	}
	return actor
}

// describeActor writes who an actor is: name, actor string, provider and model.
func describeActor(actor string, def toolpath.ActorDefinition, known bool) []run {
	if actor == "" {
		return []run{{text: "no actor", style: italic}}
	}
	var line []run
	if known && def.Name != "" {
		line = append(line, run{text: def.Name, style: bold}, run{text: " "})
	}
	line = append(line, run{text: actor, style: code})
	for _, s := range []string{def.Provider, def.Model} {
		if s != "" {
			line = append(line, run{text: " · " + s})
		}
	}
	if !known {
		line = append(line, run{text: " · not defined in this document", style: normal})
	}
	return line
}

// describeIdentities writes the identities of an actor, as links where their system has
// pages.
func describeIdentities(def toolpath.ActorDefinition) []run {
	const most = 6
	var line []run
	for i, id := range def.Identities {
		if i == most {
			line = append(line, run{text: fmt.Sprintf(", %d more", len(def.Identities)-most)})
			break
		}
		if i > 0 {
			line = append(line, run{text: ", "})
		}
		line = append(line, run{text: id.System + ": "}, run{text: id.ID, href: identityURL(id)})
	}
	return line
}

// profiles maps systems to the pages of their identities.
var profiles = map[string]string{
	"github":    "https://github.com/",
	"gitlab":    "https://gitlab.com/",
	"codeberg":  "https://codeberg.org/",
	"twitter":   "https://x.com/",
	"x":         "https://x.com/",
	"orcid":     "https://orcid.org/",
	"email":     "mailto:",
	"npm":       "https://www.npmjs.com/package/",
	"crates.io": "https://crates.io/crates/",
	"pypi":      "https://pypi.org/project/",
	"bluesky":   "https://bsky.app/profile/",
}

func identityURL(id toolpath.Identity) string {
	prefix := profiles[strings.ToLower(id.System)]
	if prefix == "" || strings.Contains(id.ID, "..") {
		return ""
	}
	for _, c := range id.ID {
		ok := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-._@/+", c)
		if !ok {
			return ""
		}
	}
	return prefix + (&url.URL{Path: id.ID}).EscapedPath()
}

// when writes an instant as the document has it, to the minute.
func when(s toolpath.At) string {
	there, ok := toolpath.ParseTimestamp(s.Timestamp())
	if !ok {
		return s.Timestamp()
	}
	if _, off := there.Zone(); off == 0 {
		return there.UTC().Format("2006-01-02 15:04") + " UTC"
	}
	return there.Format("2006-01-02 15:04 -07:00")
}

// day writes the date of a step in UTC, or what stands there if it is no time.
func day(s toolpath.At) string {
	if !s.HasTime {
		return s.Timestamp()
	}
	return s.Time().Format(time.DateOnly)
}
