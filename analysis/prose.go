package analysis

import "strings"

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
		for _, r := range l {
			b.WriteString(r.markdown())
		}
	}
	return b.String()
}

func (r run) markdown() string {
	text := oneLine(r.text)
	if text == "" {
		return ""
	}
	out := escapeMarkdown(text)
	switch r.style {
	case bold:
		out = "**" + out + "**"
	case italic:
		out = "*" + out + "*"
	case code:
		out = codeSpan(text)
	}
	if r.href != "" {
		out = "[" + out + "](" + r.href + ")"
	}
	return out
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

// oneLine makes a text that has line breaks or control characters one short line.
func oneLine(s string) string {
	const most = 300
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; n > most {
			b.WriteString("…")
			break
		}
		if r < ' ' || r == 0x7f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			r = ' ' // controls, and those that turn the writing direction
		}
		b.WriteRune(r)
	}
	return b.String()
}
