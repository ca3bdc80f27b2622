package lineage

import (
	"bufio"
	"errors"
	"io"
)

// MaxLine bounds a line of a log, in bytes. A longer one is read past, and is malformed.
const MaxLine = 8 << 20

// line is one line of a log, without its newline. Text holds until the next one is read.
type line struct {
	number int // from 1
	offset int64
	text   []byte
	long   bool // it is longer than MaxLine, and text is empty
}

// lines reads the lines of a log. Memory does not grow with the log.
type lines struct {
	r      *bufio.Reader
	held   []byte // a line that is longer than the reader's buffer
	number int
	offset int64
	// ended says, after the last line, whether a newline ended it.
	ended bool
}

func newLines(r io.Reader) *lines {
	return &lines{r: bufio.NewReaderSize(r, 64<<10), ended: true}
}

// next returns the next line, or io.EOF.
func (l *lines) next() (line, error) {
	out := line{number: l.number + 1, offset: l.offset}
	text, err := l.r.ReadSlice('\n')
	l.offset += int64(len(text))
	if errors.Is(err, bufio.ErrBufferFull) {
		l.held = append(l.held[:0], text...)
		for errors.Is(err, bufio.ErrBufferFull) {
			text, err = l.r.ReadSlice('\n')
			l.offset += int64(len(text))
			if out.long = out.long || len(l.held)+len(text) > MaxLine; !out.long {
				l.held = append(l.held, text...)
			}
		}
		ended := len(text) > 0 && text[len(text)-1] == '\n'
		if text = l.held; out.long {
			text = nil
			l.held = nil
			if ended {
				text = []byte{'\n'}
			}
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return out, err
	}
	if errors.Is(err, io.EOF) && l.offset == out.offset {
		return out, io.EOF
	}
	l.number++
	if n := len(text); n > 0 && text[n-1] == '\n' {
		l.ended = true
		text = text[:n-1]
	} else {
		l.ended = false
	}
	out.text = text
	return out, nil
}
