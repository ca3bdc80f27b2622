package main

import (
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/rules"
)

// Where people read about the program and its rules.
const (
	homePage  = "https://github.com/toolpath-ls/toolpath-ls"
	rulePages = homePage + "/blob/main/docs/rules/"
)

// The parts of SARIF 2.1.0 (OASIS Standard) that check fills.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Artifacts   []sarifArtifact   `json:"artifacts"`
		Results     []sarifResult     `json:"results"`
		ColumnKind  string            `json:"columnKind"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID            string         `json:"id"`
		Name          string         `json:"name,omitempty"`
		Short         *sarifMessage  `json:"shortDescription,omitempty"`
		Help          *sarifMarkdown `json:"help,omitempty"`
		HelpURI       string         `json:"helpUri,omitempty"`
		Configuration *sarifDefaults `json:"defaultConfiguration,omitempty"`
	}
	sarifDefaults struct {
		Level string `json:"level"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifMarkdown struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown"`
	}
	sarifInvocation struct {
		Successful bool `json:"executionSuccessful"`
	}
	sarifArtifact struct {
		Location sarifURI `json:"location"`
	}
	sarifURI struct {
		URI   string `json:"uri"`
		Index *int   `json:"index,omitempty"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifURI    `json:"artifactLocation"`
		Region   sarifRegion `json:"region"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"`
	}
)

// sarifLevels are the levels of the severities.
var sarifLevels = map[string]string{
	analysis.Error.String():       "error",
	analysis.Warning.String():     "warning",
	analysis.Information.String(): "note",
	analysis.Hint.String():        "note",
}

// printSARIF writes one run, with the rules that have found something.
func printSARIF(out io.Writer, r report) error {
	run := sarifRun{
		Tool:        sarifTool{sarifDriver{Name: "toolpath-ls", Version: fullVersion(), InformationURI: homePage, Rules: []sarifRule{}}},
		Invocations: []sarifInvocation{{Successful: !r.failed}},
		Artifacts:   []sarifArtifact{},
		Results:     []sarifResult{},
		ColumnKind:  "utf16CodeUnits",
	}
	ruleIndex, artifactIndex := map[string]int{}, map[string]int{}
	for i, name := range r.documents {
		artifactIndex[name] = i
		run.Artifacts = append(run.Artifacts, sarifArtifact{sarifURI{URI: fileReference(name)}})
	}
	known := rulesByID()
	for _, f := range r.findings {
		i, ok := ruleIndex[f.Code]
		if !ok {
			i = len(run.Tool.Driver.Rules)
			ruleIndex[f.Code] = i
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, describeRule(f.Code, known[f.Code]))
		}
		location := sarifURI{URI: fileReference(f.File)}
		if k, ok := artifactIndex[f.File]; ok {
			location.Index = &k
		}
		run.Results = append(run.Results, sarifResult{RuleID: f.Code, RuleIndex: i, Level: sarifLevels[f.Severity],
			Message:   sarifMessage{f.Message},
			Locations: []sarifLocation{{sarifPhysical{location, sarifRegion{f.Line, f.Column, f.EndLine, f.EndColumn}}}}})
	}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

func rulesByID() map[string]*analysis.Rule {
	byID := map[string]*analysis.Rule{}
	for _, r := range rules.All() {
		byID[r.ID] = r
	}
	return byID
}

// describeRule tells of a rule; nil is one of the command's own.
func describeRule(id string, r *analysis.Rule) sarifRule {
	if r == nil {
		return sarifRule{ID: id}
	}
	title, _, _ := strings.Cut(r.Doc, "\n")
	return sarifRule{ID: id, Name: r.Name, Short: &sarifMessage{strings.TrimSpace(strings.TrimLeft(title, "# "))},
		Help: &sarifMarkdown{r.Doc, r.Doc}, HelpURI: rulePages + id + ".md",
		Configuration: &sarifDefaults{sarifLevels[r.Severity.String()]}}
}

// fileReference is the URI of an absolute path, or the relative reference of a relative one.
func fileReference(name string) string {
	if filepath.IsAbs(name) {
		return analysis.FileURI(filepath.ToSlash(name))
	}
	u := url.URL{Path: filepath.ToSlash(filepath.Clean(name))}
	return u.String()
}
