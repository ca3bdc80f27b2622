package format

import (
	"bytes"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// Append returns the edit that adds an element to an array, or a member to an object, as its
// last one. It stands on a line of its own if the others do.
func Append(t *jsonsrc.Tree, container jsonsrc.Value, literal string) Edit {
	src := t.Source()
	var last jsonsrc.Value
	start := 0 // of the last element, or of the key of the last member
	for k, v := range container.Members() {
		last, start = v, k.Start()
	}
	for _, v := range container.Elements() {
		last, start = v, v.Start()
	}
	if !last.Valid() {
		return Edit{Start: container.Start() + 1, End: container.End() - 1, New: literal}
	}
	gap := whiteBefore(src, start)
	if !strings.Contains(gap, "\n") && gap != "" {
		gap = " "
	}
	return Edit{Start: last.End(), End: last.End(), New: "," + gap + literal}
}

// whiteBefore returns the white space before an offset.
func whiteBefore(src []byte, off int) string {
	start := off
	for start > 0 && strings.IndexByte(" \t\r\n", src[start-1]) >= 0 {
		start--
	}
	return string(src[start:off])
}

// AppendLine returns the edit that adds a line to a stream: before its PathClose, if it is
// closed, else at the end.
func AppendLine(t *jsonsrc.Tree, line string) Edit {
	src := t.Source()
	eol := "\n"
	if bytes.Contains(src[:min(len(src), 1<<16)], []byte("\r\n")) {
		eol = "\r\n"
	}
	for i := t.NumChunks() - 1; i >= 0; i-- {
		v := t.Chunk(i)
		if !v.Valid() {
			continue
		}
		if key, _ := toolpath.Variant(v); key.Is("PathClose") {
			return Edit{Start: v.Start(), End: v.Start(), New: line + eol}
		}
		break
	}
	end := len(src)
	if end > 0 && src[end-1] != '\n' {
		return Edit{Start: end, End: end, New: eol + line + eol}
	}
	return Edit{Start: end, End: end, New: line + eol}
}
