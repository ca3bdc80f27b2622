package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// The parts of JUnit's XML that the readers of it agree on.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		File    string        `xml:"file,attr"`
		Failure *junitFailure `xml:"failure"`
		Output  string        `xml:"system-out,omitempty"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

// printJUnit writes a test case for each document. It fails if there is an error; what else
// was found is its output.
func printJUnit(out io.Writer, r report) error {
	suite := junitSuite{Name: "toolpath-ls check", Tests: len(r.documents)}
	byFile := map[string][]finding{}
	for _, f := range r.findings {
		byFile[f.File] = append(byFile[f.File], f)
	}
	for _, name := range r.documents {
		c := junitCaseOf(name, byFile[name])
		if c.Failure != nil {
			suite.Failures++
		}
		suite.Cases = append(suite.Cases, c)
	}
	if _, err := io.WriteString(out, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(out)
	enc.Indent("", "  ")
	if err := enc.Encode(junitSuites{Name: suite.Name, Tests: suite.Tests, Failures: suite.Failures, Suites: []junitSuite{suite}}); err != nil {
		return err
	}
	_, err := io.WriteString(out, "\n")
	return err
}

func junitCaseOf(name string, findings []finding) junitCase {
	c := junitCase{Name: name, Class: "toolpath-ls.check", File: name}
	var errs, others []string
	for _, f := range findings {
		if f.Severity != analysis.Error.String() {
			others = append(others, f.line())
			continue
		}
		if c.Failure == nil {
			c.Failure = &junitFailure{Message: f.Message, Type: f.Code}
		}
		errs = append(errs, f.line())
	}
	if c.Failure != nil {
		if n := len(errs) - 1; n > 0 {
			c.Failure.Message += fmt.Sprintf(" (and %d more)", n)
		}
		c.Failure.Text = strings.Join(errs, "")
	}
	c.Output = strings.Join(others, "")
	return c
}
