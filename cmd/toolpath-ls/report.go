package main

import "io"

// report is what check has to say.
type report struct {
	findings  []finding
	documents []string // those checked, in order, as the user wrote them or as they were found
	failed    bool     // some could not be read
}

// reportFormats are the ways to print a report beside text and json.
var reportFormats = map[string]func(io.Writer, report) error{
	"sarif":  printSARIF,
	"github": printGitHub,
	"junit":  printJUnit,
}
