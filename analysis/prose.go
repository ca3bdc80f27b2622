package analysis

import (
	"strings"
	"unicode"
)

// Prose is a short text for people, in lines of runs, that reads as Markdown and as plain
// text.
type Prose struct{ lines [][]run }

type style uint8

const (
	normal style = iota
	bold
	code
	italic
)

type run struct {
	text  string
	style style
	href  string
}

// wordsOf makes runs of a text in which names stand between backticks.
func wordsOf(text string) []run {
	var runs []run
	for i, part := range strings.Split(text, "`") {
		r := run{text: part}
		if i%2 == 1 {
			r.style = code
		}
		if part != "" {
			runs = append(runs, r)
		}
	}
	return runs
}

// Line starts a new line with the runs.
func (p *Prose) line(runs ...run) {
	if len(runs) > 0 {
		p.lines = append(p.lines, runs)
	}
}

// Empty says whether there is any text.
func (p *Prose) Empty() bool { return len(p.lines) == 0 }

// Plain returns the text without markup; links are in angle brackets behind their text.
func (p *Prose) Plain() string {
	var b strings.Builder
	for i, l := range p.lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		for _, r := range l {
			b.WriteString(oneLine(r.text))
			if r.href != "" {
				b.WriteString(" <" + r.href + ">")
			}
		}
	}
	return b.String()
}

// Markdown returns the text in CommonMark, with hard line breaks. What came out of a
// document cannot become markup.
func (p *Prose) Markdown() string {
	var b strings.Builder
	for i, l := range p.lines {
		if i > 0 {
			b.WriteString("  \n")
		}
		var line strings.Builder
		for _, r := range l {
			line.WriteString(r.markdown())
		}
		b.WriteString(startOfLine(line.String()))
	}
	return b.String()
}

// startOfLine keeps a line of Markdown from becoming an item of a list, a heading or an
// indented block.
func startOfLine(s string) string {
	s = strings.TrimLeft(s, " ")
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	switch {
	case s == "":
	case strings.IndexByte("-+=", s[0]) >= 0:
		return `\` + s
	case digits > 0 && digits < len(s) && (s[digits] == '.' || s[digits] == ')'):
		return s[:digits] + `\` + s[digits:]
	}
	return s
}

func (r run) markdown() string {
	text := oneLine(r.text)
	if text == "" {
		return ""
	}
	out := escapeMarkdown(text)
	switch trimmed := strings.TrimSpace(out); {
	case r.style == code:
		out = codeSpan(text)
	case trimmed == "":
	case r.style == bold:
		out = "**" + trimmed + "**"
	case r.style == italic:
		out = "*" + trimmed + "*"
	}
	if r.href != "" {
		out = "[" + out + "](" + escapeTarget(r.href) + ")"
	}
	return out
}

// escapeTarget makes a URI one that cannot end the link that it is the target of.
func escapeTarget(uri string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for _, c := range []byte(uri) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte("()<>[]\\\"'`*", c) >= 0 {
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

// codeSpan fences a text by more backticks than it has in a row.
func codeSpan(s string) string {
	longest, n := 0, 0
	for _, c := range s {
		if c == '`' {
			n++
			longest = max(longest, n)
		} else {
			n = 0
		}
	}
	fence := strings.Repeat("`", longest+1)
	if longest > 0 {
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}

var markdownEscaper = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;",
	"#", `\#`, "|", `\|`, "~", `\~`, "&", "&amp;", "$", `\$`, "!", `\!`)

func escapeMarkdown(s string) string { return markdownEscaper.Replace(s) }

// oneLine makes a text one short line, without control characters and those that turn the
// direction of writing.
func oneLine(s string) string {
	const most = 300
	if len(s) <= most && isPlain(s) {
		return s
	}
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; n > most {
			b.WriteString("…")
			break
		}
		if unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control) {
			r = ' '
		}
		b.WriteRune(r)
	}
	return b.String()
}

// isPlain says whether a text has printable ASCII alone.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
