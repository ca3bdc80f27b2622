package rules

import (
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

var secret = &analysis.Rule{
	ID: "TP7002", Name: "secret", Severity: analysis.Off,
	Doc: `A token or private key stands in the document

Agent sessions record what commands print and files hold, secrets included. Tokens are known by
the form that GitHub, GitLab, Anthropic, OpenAI, Slack, AWS, Google, npm, PyPI and Hugging Face
give theirs, private keys by their first line. Turn the rule on before a document is shared, with
the setting severity: {"TP7002": "information"}. A secret that was shared has to be revoked;
removing it changes what signatures cover.

## Bad

    "content": "GITHUB_TOKEN=ghp_…"   (with the token)

## Good

    "content": "GITHUB_TOKEN=[removed]"
`,
	Step: func(p *analysis.StepPass) {
		eachPrivate(p.Step.Self(), secrets, func(start, end int, text, what string) {
			reportSecret(p.ReportAt(start, end, secretMessage(text, what)))
		})
	},
	Document: func(p *analysis.Pass) {
		for _, v := range outsideSteps(p) {
			eachPrivate(v, secrets, func(start, end int, text, what string) {
				reportSecret(p.ReportAt(start, end, secretMessage(text, what)))
			})
		}
	},
}

// secretMessage tells what a secret is and not what it says.
func secretMessage(text, what string) string {
	const shown = 4
	if text[0] == '-' {
		return "this looks like " + what
	}
	return fmt.Sprintf("this looks like %s (%s…, %d characters)", what, text[:shown], len(text))
}

func reportSecret(d *analysis.Diagnostic) {
	d.Fix(analysis.Fix{Title: "Remove the secret", Edits: []analysis.TextEdit{{Start: d.Start, End: d.End, New: "[removed]"}}})
}
