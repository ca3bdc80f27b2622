package lsptest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var variable = regexp.MustCompile(`\$\{(uri|pos|range):([^}]+)\}|\$\{([A-Za-z0-9_]+)\}`)

// expand replaces ${…} by JSON.
func (s *session) expand(text string) string {
	return variable.ReplaceAllStringFunc(text, func(v string) string {
		m := variable.FindStringSubmatch(v)
		var value any
		switch m[1] {
		case "uri":
			value = s.uri(m[2])
		case "pos":
			value = s.rangeOf(s.place(m[2])).Start
		case "range":
			value = s.rangeOf(s.place(m[2]))
		default:
			id, ok := s.commits[m[3]]
			if !ok {
				s.fatal("there is no commit %s", m[3])
			}
			return id
		}
		raw, err := json.Marshal(value)
		if err != nil {
			s.fatal("%v", err)
		}
		return string(raw)
	})
}

// expandCommits replaces ${NAME} by the id of a commit that was made.
func (s *session) expandCommits(text string) string {
	for name, id := range s.commits {
		text = strings.ReplaceAll(text, "${"+name+"}", id)
	}
	return text
}

// value decodes JSON with ${…}.
func (s *session) value(text string) (v any) {
	if err := json.Unmarshal([]byte(s.expand(text)), &v); err != nil {
		s.fatal("%v", err)
	}
	return v
}

// call asks, and fails if the answer is an error.
func (s *session) call(method string, params any) json.RawMessage {
	raw, err := s.running().Call(method, params)
	if err != nil {
		s.fatal("answered %v", err)
	}
	return raw
}

// atMark returns the file of a mark and the params of a request about a place.
func (s *session) atMark(name string) (file string, params map[string]any) {
	m := s.place(name)
	return m.file, map[string]any{
		"textDocument": map[string]any{"uri": s.uri(m.file)},
		"position":     s.rangeOf(m).Start,
		"context":      map[string]any{"includeDeclaration": true},
	}
}

// hover compares the hover's text. Its range, if it has one, must hold the place.
func (s *session) hover(w []string) {
	file, params := s.atMark(w[0])
	raw := s.call("textDocument/hover", params)
	if string(raw) == "null" || w[1] == "none" {
		if string(raw) != "null" || w[1] != "none" {
			s.error("answered %s", raw)
		}
		return
	}
	var h struct {
		Contents json.RawMessage
		Range    *Range
	}
	if err := json.Unmarshal(raw, &h); err != nil {
		s.fatal("%v in %s", err, raw)
	}
	var markup struct{ Kind, Value string }
	if err := json.Unmarshal(h.Contents, &markup); err != nil || markup.Value == "" {
		s.fatal("the contents are no markup: %s", h.Contents)
	}
	text := markup.Value
	if h.Range != nil {
		p := params["position"].(Pos)
		if before(p, h.Range.Start) || before(h.Range.End, p) {
			s.error("the range %+v does not hold the place", *h.Range)
		}
		text = s.showRange(file, *h.Range) + " " + markup.Kind + "\n" + text
	}
	s.compare(w[1], s.neutral(text))
}

func before(a, b Pos) bool { return a.Line < b.Line || a.Line == b.Line && a.Character < b.Character }

// locations compares the places of an answer with marks, in any order.
func (s *session) locations(method string, w []string) {
	_, params := s.atMark(w[0])
	got := s.placesOf(s.call(method, params))
	var want []string
	for _, name := range w[1:] {
		if name == "none" {
			continue
		}
		if m, ok := s.marks[name]; ok {
			want = append(want, m.file+" "+s.showRange(m.file, s.rangeOf(m)))
		} else if _, ok := s.files[name]; ok {
			want = append(want, name+" 1:1-1:1")
		} else {
			s.fatal("there is no mark or file %s", name)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		s.error("answered %q, want %q", got, want)
	}
}

// placesOf reads a Location, a list of them, or a list of LocationLinks.
func (s *session) placesOf(raw json.RawMessage) (all []string) {
	if string(raw) == "null" {
		return nil
	}
	if !bytes.HasPrefix(raw, []byte("[")) {
		raw = slices.Concat([]byte("["), raw, []byte("]"))
	}
	var list []struct {
		URI                  string
		Range                Range
		TargetURI            string
		TargetSelectionRange Range
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		s.fatal("%v in %s", err, raw)
	}
	for _, l := range list {
		if l.TargetURI != "" {
			l.URI, l.Range = l.TargetURI, l.TargetSelectionRange
		}
		file := s.file(l.URI)
		all = append(all, file+" "+s.showRange(file, l.Range))
	}
	return all
}

// ask makes a request about a file, or about a mark's range, and compares the answer as
// the function shows it.
func (s *session) ask(method string, w []string, show func(s *session, file string, raw json.RawMessage) string) {
	file := w[0]
	params := map[string]any{}
	if m, ok := s.marks[w[0]]; ok {
		file = m.file
		params["range"] = s.rangeOf(m)
	} else {
		text := s.textOf(file)
		if method == "textDocument/inlayHint" {
			params["range"] = Range{End: toPos(text, len(text), s.mode.Encoding)}
		}
	}
	params["textDocument"] = map[string]any{"uri": s.uri(file)}
	s.compare(w[1], s.neutral(show(s, file, s.call(method, params))))
}

// outline shows document symbols, one a line, indented.
func outline(s *session, file string, raw json.RawMessage) string {
	type symbol struct {
		Name, Detail          string
		Kind                  int
		Tags                  []int
		Range, SelectionRange Range
		Children              []json.RawMessage
	}
	var b strings.Builder
	var walk func(depth int, raw json.RawMessage)
	walk = func(depth int, raw json.RawMessage) {
		var y symbol
		if err := json.Unmarshal(raw, &y); err != nil {
			s.fatal("%v in %s", err, raw)
		}
		if before(y.SelectionRange.Start, y.Range.Start) || before(y.Range.End, y.SelectionRange.End) {
			s.error("the selection range of %s is not within its range", y.Name)
		}
		fmt.Fprintf(&b, "%s%s (%d) %s", strings.Repeat("\t", depth), y.Name, y.Kind, s.showRange(file, y.SelectionRange))
		if y.Detail != "" {
			fmt.Fprintf(&b, " %s", y.Detail)
		}
		if len(y.Tags) > 0 {
			fmt.Fprintf(&b, " tags %v", y.Tags)
		}
		b.WriteByte('\n')
		for _, child := range y.Children {
			walk(depth+1, child)
		}
	}
	for _, raw := range s.list(raw) {
		walk(0, raw)
	}
	return b.String()
}

func (s *session) list(raw json.RawMessage) (list []json.RawMessage) {
	if err := json.Unmarshal(raw, &list); err != nil {
		s.fatal("%v in %s", err, raw)
	}
	return list
}

// lenses shows code lenses, one a line.
func lenses(s *session, file string, raw json.RawMessage) string {
	var b strings.Builder
	for _, raw := range s.list(raw) {
		var l struct {
			Range   Range
			Command *struct{ Title, Command string }
		}
		if err := json.Unmarshal(raw, &l); err != nil {
			s.fatal("%v in %s", err, raw)
		}
		title, command := "(not resolved)", ""
		if l.Command != nil {
			title, command = l.Command.Title, l.Command.Command
		}
		fmt.Fprintf(&b, "%s %s [%s]\n", s.showRange(file, l.Range), title, command)
	}
	return b.String()
}

// hints shows inlay hints, one a line.
func hints(s *session, file string, raw json.RawMessage) string {
	var b strings.Builder
	for _, raw := range s.list(raw) {
		var h struct {
			Position Pos
			Label    json.RawMessage
		}
		if err := json.Unmarshal(raw, &h); err != nil {
			s.fatal("%v in %s", err, raw)
		}
		fmt.Fprintf(&b, "%s %s\n", s.showPos(file, h.Position), h.Label)
	}
	return b.String()
}

// runs shows the result of toolpath/blame, a run of lines per line.
func runs(s *session, file string, raw json.RawMessage) string {
	var r struct {
		URI     string
		Version int
		Runs    []struct {
			Range                                          Range
			StartLine, EndLine                             int
			State, Grade                                   string
			Step, Path, Document, Actor, Timestamp, Intent *string
			Commit                                         *struct{ ID, Author, Summary string }
		}
		Problems []string
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		s.fatal("%v in %s", err, raw)
	}
	if b := s.buffers[file]; r.URI != s.uri(file) || b == nil || r.Version != b.version {
		s.error("the answer is about %s at version %d", r.URI, r.Version)
	}
	var b strings.Builder
	for _, run := range r.Runs {
		s.showRange(file, run.Range) // must exist
		if run.Range.Start != (Pos{Line: run.StartLine}) {
			s.error("lines %d-%d have the range %+v", run.StartLine, run.EndLine, run.Range)
		}
		fmt.Fprintf(&b, "%d-%d %s", run.StartLine+1, run.EndLine, run.State)
		if run.Grade != run.State && !(run.State == "recorded" && run.Grade == "exact") {
			fmt.Fprintf(&b, " (%s)", run.Grade)
		}
		for _, v := range []*string{run.Step, run.Actor, run.Timestamp, run.Intent} {
			if v != nil {
				fmt.Fprintf(&b, " | %s", *v)
			}
		}
		if run.Document != nil && run.Path != nil {
			fmt.Fprintf(&b, " | %s#%s", *run.Document, *run.Path)
		}
		if c := run.Commit; c != nil {
			fmt.Fprintf(&b, " | commit %s by %s: %s", c.ID, c.Author, c.Summary)
		}
		b.WriteByte('\n')
	}
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "problem: %s\n", p)
	}
	return b.String()
}

func (s *session) request(w []string) {
	raw := s.call(w[0], s.value(w[1]))
	file := ""
	if m := regexp.MustCompile(`\$\{uri:([^}]+)\}`).FindStringSubmatch(w[1]); m != nil {
		file = m[1]
	}
	s.compare(w[2], s.neutral(s.showJSON(file, raw)))
}

// showJSON indents JSON and writes each range and position in it as a string. They are
// about the file, or about that of the nearest uri around them.
func (s *session) showJSON(file string, raw json.RawMessage) string {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		s.fatal("%v in %s", err, raw)
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(s.readable(file, v)); err != nil {
		s.fatal("%v", err)
	}
	return b.String()
}

func (s *session) readable(file string, v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = s.readable(file, v[i])
		}
	case map[string]any:
		if uri, ok := v["uri"].(string); ok {
			file = s.file(uri)
		}
		if p, ok := position(v); ok {
			return s.showPos(file, p)
		}
		if len(v) == 2 {
			start, ok1 := position(v["start"])
			end, ok2 := position(v["end"])
			if ok1 && ok2 {
				return s.showRange(file, Range{start, end})
			}
		}
		for k := range v {
			v[k] = s.readable(file, v[k])
		}
	}
	return v
}

func position(v any) (p Pos, ok bool) {
	m, _ := v.(map[string]any)
	line, ok1 := m["line"].(json.Number)
	character, ok2 := m["character"].(json.Number)
	if !ok1 || !ok2 || len(m) != 2 {
		return p, false
	}
	l, err1 := strconv.Atoi(line.String())
	c, err2 := strconv.Atoi(character.String())
	return Pos{l, c}, err1 == nil && err2 == nil
}

func (s *session) fails(w []string) {
	_, err := s.running().Call(w[0], s.value(w[1]))
	if e, ok := err.(*Error); !ok || strconv.Itoa(e.Code) != w[2] {
		s.error("answered %v", err)
	}
}

func (s *session) expect(w []string) {
	re, err := regexp.Compile(w[1])
	if err != nil {
		s.fatal("%v", err)
	}
	s.running().Until(w[0]+" that matches "+w[1], func(f Frame) bool {
		return !f.Out && f.Method == w[0] && re.Match(f.Params)
	})
}
