package drawing

import (
	"crypto/sha256"
	_ "embed" // of the page's parts
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"strings"
)

//go:embed page.css
var pageStyle string

//go:embed page.js
var pageScript string

// JSON returns the drawing as the page reads it. No "<" is in it, so that it can stand in a
// script element.
func (d *Drawing) JSON() ([]byte, error) { return json.Marshal(d) }

// HTML returns the drawing as a page that needs nothing else and asks nobody for anything:
// it allows the browser no script but its own, and no request.
func (d *Drawing) HTML() ([]byte, error) {
	data, err := d.JSON()
	if err != nil {
		return nil, err
	}
	style := colors(":root", light) +
		"@media (prefers-color-scheme: dark) {\n" + colors(":root:not(:has(body.vscode-light, body.vscode-high-contrast-light))", dark) + "}\n" +
		colors(":root:has(body.vscode-dark, body.vscode-high-contrast:not(.vscode-high-contrast-light))", dark) + pageStyle
	policy := fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'", hash(style), hash(pageScript))
	var b strings.Builder
	b.Grow(len(data) + len(style) + len(pageScript) + 1000)
	for _, part := range []string{
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"", policy,
		"\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>", html.EscapeString(d.title()),
		"</title>\n<style>", style, "</style>\n</head>\n<body>\n<noscript>This page draws the steps of ", html.EscapeString(d.Document),
		" with JavaScript.</noscript>\n<script type=\"application/json\" id=\"data\">", string(data),
		"</script>\n<script>", pageScript, "</script>\n</body>\n</html>\n",
	} {
		b.WriteString(part)
	}
	return []byte(b.String()), nil
}

func (d *Drawing) title() string {
	if len(d.Paths) == 1 && d.Paths[0].Title != "" {
		return d.Paths[0].Title
	}
	return "Steps of " + d.Document
}

// colors writes the colors of a theme as CSS; those of an editor come before them.
func colors(selector string, t theme) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s {\n", selector)
	for i, c := range t.actors {
		fmt.Fprintf(&b, "  --actor-%d: var(--vscode-toolpath-actor%d, %s);\n", i, i+1, c)
	}
	fmt.Fprintf(&b, "  --background: var(--vscode-editor-background, %s);\n  --text: var(--vscode-foreground, %s);\n  --faint: var(--vscode-descriptionForeground, %s);\n"+
		"  --plus: %s;\n  --minus: %s;\n  --link: %s;\n}\n", t.background, t.text, t.faint, t.plus, t.minus, t.link)
	return b.String()
}

// hash returns the source expression that allows an inline element (CSP Level 3, section 6.7.3.3).
func hash(content string) string {
	sum := sha256.Sum256([]byte(content))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
