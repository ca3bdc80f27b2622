package rules

import (
	"fmt"
	"regexp"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
)

var privatePattern = &analysis.Rule{
	ID: "TP7003", Name: "private-pattern", Severity: analysis.Information,
	Doc: `A text matches a pattern that should not be shared

The setting privacy.patterns lists regular expressions (RE2) for what must not leave the house,
such as the names of hosts and customers. Keys and strings of a document are compared, decoded.
Without patterns the rule says nothing.

## Bad

    "text": "ssh build7.corp.example.com"   with "privacy.patterns": ["[a-z0-9.]+\\.corp\\.example\\.com"]

## Good

    "text": "ssh the build host"
`,
	Step: func(p *analysis.StepPass) {
		if len(p.Options.PrivacyPatterns) > 0 {
			reportMatches(p.ReportAt, p.Step.Self(), p.Options.PrivacyPatterns)
		}
	},
	Document: func(p *analysis.Pass) {
		if len(p.Options.PrivacyPatterns) == 0 {
			return
		}
		report := func(start, end int, message string) *analysis.Diagnostic { return p.ReportAt(start, end, message) }
		for _, v := range outsideSteps(p) {
			reportMatches(report, v, p.Options.PrivacyPatterns)
		}
	},
}

func reportMatches(reportAt func(start, end int, message string) *analysis.Diagnostic, v jsonsrc.Value, patterns []*regexp.Regexp) {
	eachPrivate(v, matches(patterns), func(start, end int, _, pattern string) {
		reportAt(start, end, fmt.Sprintf("this matches %q, a pattern of the setting privacy.patterns", clip(pattern)))
	})
}

// matches finds the matches of patterns that are not empty.
func matches(patterns []*regexp.Regexp) finder {
	return finder{in: func(text string) (found []private) {
		for _, re := range patterns {
			for _, m := range re.FindAllStringIndex(text, maxPrivate) {
				if m[0] < m[1] {
					found = append(found, private{m[0], m[1], re.String()})
				}
			}
		}
		return found
	}}
}
