package main

import "io"

// report is what check has to say.
type report struct {
	findings  []finding
	documents []string // those checked, in order, as the user wrote them or as they were found
	failed    bool     // some could not be read
}

// reportFormats are the ways to print a report.
var reportFormats = map[string]func(io.Writer, report) error{
	"text":   printText,
	"json":   printJSON,
	"sarif":  printSARIF,
	"github": printGitHub,
	"junit":  printJUnit,
}

var reportFormatNames = []string{"text", "json", "sarif", "github", "junit"}
