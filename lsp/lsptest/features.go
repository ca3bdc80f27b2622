package lsptest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// The commands of scripts that show the answers of language features in lines that can be
// reviewed. Their documentation is at [Script].

func init() {
	type do = struct {
		min, max int
		do       func(*session, []string)
	}
	for name, c := range map[string]do{
		"highlights":       {2, 99, (*session).highlights},
		"rename":           {3, 3, (*session).rename},
		"refuses":          {3, 4, (*session).refuses},
		"complete":         {2, 2, (*session).complete},
		"actions":          {2, 3, (*session).actions},
		"folds":            {2, 2, (*session).folds},
		"selections":       {2, 2, (*session).selections},
		"tokens":           {2, 2, (*session).tokens},
		"links":            {2, 2, (*session).links},
		"lineage":          {2, 2, (*session).lineage},
		"workspacesymbols": {2, 2, (*session).workspaceSymbols},
		"format":           {2, 2, (*session).format},
		"content":          {2, 3, (*session).content},
		"moments":          {2, 2, (*session).moments},
		"befores":          {2, 2, (*session).befores},
		"pull":             {2, 2, (*session).pull},
		"pullall":          {1, 1, (*session).pullAll},
	} {
		commandTable[name] = c
	}
}

// decode reads an answer.
func (s *session) decode(raw json.RawMessage, into any) {
	if err := json.Unmarshal(raw, into); err != nil {
		s.fatal("%v in %s", err, raw)
	}
}

// whole returns the params of a request about a file.
func (s *session) whole(file string) map[string]any {
	return map[string]any{"textDocument": map[string]any{"uri": s.uri(file)}}
}

// highlights compares the places with marks; that of a definition is written MARK!.
func (s *session) highlights(w []string) {
	file, params := s.atMark(w[0])
	var all []struct {
		Range Range
		Kind  int
	}
	s.decode(s.call("textDocument/documentHighlight", params), &all)
	var got, want []string
	for _, h := range all {
		got = append(got, fmt.Sprint(s.showRange(file, h.Range), h.Kind == 3))
	}
	for _, name := range w[1:] {
		if name != "none" {
			plain, definition := strings.CutSuffix(name, "!")
			want = append(want, fmt.Sprint(s.showRange(file, s.rangeOf(s.place(plain))), definition))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		s.error("answered %q, want %q", got, want)
	}
}

// textEdit is a TextEdit.
type textEdit struct {
	Range   Range
	NewText string
}

// edits shows edits of one document, one a line, in the order of the text.
func (s *session) edits(b *strings.Builder, file string, edits []textEdit) {
	slices.SortFunc(edits, func(a, b textEdit) int {
		return cmp.Or(cmp.Compare(a.Range.Start.Line, b.Range.Start.Line), cmp.Compare(a.Range.Start.Character, b.Range.Start.Character))
	})
	for _, e := range edits {
		fmt.Fprintf(b, "\t%s %s %q\n", file, s.showRange(file, e.Range), s.lf(e.NewText))
	}
}

// lf makes line ends those of the archive.
func (s *session) lf(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// workspaceEdit shows a WorkspaceEdit in both of its forms.
func (s *session) workspaceEdit(b *strings.Builder, raw json.RawMessage) {
	var edit struct {
		Changes         map[string][]textEdit
		DocumentChanges []struct {
			TextDocument struct {
				URI     string
				Version *int
			}
			Edits []textEdit
		}
	}
	s.decode(raw, &edit)
	files := map[string][]textEdit{}
	for uri, edits := range edit.Changes {
		files[s.file(uri)] = append(files[s.file(uri)], edits...)
	}
	for _, d := range edit.DocumentChanges {
		file := s.file(d.TextDocument.URI)
		if buffer := s.buffers[file]; (buffer == nil) != (d.TextDocument.Version == nil) || buffer != nil && buffer.version != *d.TextDocument.Version {
			s.error("the edits of %s are for version %v", file, d.TextDocument.Version)
		}
		files[file] = append(files[file], d.Edits...)
	}
	var names []string
	for file := range files {
		names = append(names, file)
	}
	slices.Sort(names)
	for _, file := range names {
		s.edits(b, file, files[file])
	}
}

func (s *session) rename(w []string) {
	file, params := s.atMark(w[0])
	raw := s.call("textDocument/prepareRename", params)
	var at Range
	s.decode(raw, &at)
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", s.showRange(file, at))
	params["newName"] = w[1]
	s.workspaceEdit(&b, s.call("textDocument/rename", params))
	s.compare(w[2], b.String())
}

// refuses expects an error with a reason for people.
func (s *session) refuses(w []string) {
	_, params := s.atMark(w[1])
	if len(w) == 4 {
		params["newName"] = w[2]
	}
	raw, err := s.running().Call(w[0], params)
	if e, ok := err.(*Error); !ok || !regexp.MustCompile(w[len(w)-1]).MatchString(e.Message) {
		s.error("answered %s %v", raw, err)
	}
}

var instant = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)

// complete shows the items in the order in which an editor shows them. The present time
// in them is $NOW.
func (s *session) complete(w []string) {
	file, params := s.atMark(w[0])
	var list struct {
		IsIncomplete bool
		Items        []struct {
			Label, Detail, SortText, FilterText string
			InsertTextFormat                    int
			TextEdit                            textEdit
		}
	}
	s.decode(s.call("textDocument/completion", params), &list)
	slices.SortStableFunc(list.Items, func(a, b struct {
		Label, Detail, SortText, FilterText string
		InsertTextFormat                    int
		TextEdit                            textEdit
	}) int {
		return strings.Compare(a.SortText, b.SortText)
	})
	var b strings.Builder
	for _, item := range list.Items {
		now := func(text string) string { return text }
		if strings.Contains(item.Detail, "now") || strings.Contains(item.Detail, "time") {
			now = func(text string) string { return instant.ReplaceAllString(text, "$$NOW") }
		}
		fmt.Fprintf(&b, "%s", now(item.Label))
		if item.Detail != "" {
			fmt.Fprintf(&b, " (%s)", item.Detail)
		}
		fmt.Fprintf(&b, " %s %s\n", s.showRange(file, item.TextEdit.Range), now(item.TextEdit.NewText))
		if at := item.TextEdit.Range; at.Start.Line != at.End.Line {
			s.error("%s replaces text of several lines", item.Label)
		}
	}
	if list.IsIncomplete {
		b.WriteString("(more)\n")
	}
	s.compare(w[1], b.String())
}

// actions shows the code actions of a mark's range: the word before the section is the only
// kind that is asked for.
func (s *session) actions(w []string) {
	m := s.place(w[0])
	params := s.whole(m.file)
	params["range"] = s.rangeOf(m)
	context := map[string]any{"diagnostics": []any{}}
	if len(w) == 3 {
		context["only"] = []string{w[1]}
	}
	params["context"] = context
	var all []struct {
		Title, Kind string
		IsPreferred bool
		Diagnostics []Diagnostic
		Edit        json.RawMessage
		Command     *struct{ Command string }
	}
	s.decode(s.call("textDocument/codeAction", params), &all)
	var b strings.Builder
	for _, a := range all {
		fmt.Fprintf(&b, "%s [%s]", a.Title, a.Kind)
		if a.IsPreferred {
			b.WriteString(" preferred")
		}
		for _, d := range a.Diagnostics {
			fmt.Fprintf(&b, " for %s", strings.Trim(string(d.Code), `"`))
		}
		if a.Command != nil {
			fmt.Fprintf(&b, " runs %s", a.Command.Command)
		}
		b.WriteByte('\n')
		if a.Edit != nil {
			s.workspaceEdit(&b, a.Edit)
		}
	}
	s.compare(w[len(w)-1], b.String())
}

func (s *session) folds(w []string) {
	var all []struct{ StartLine, EndLine int }
	s.decode(s.call("textDocument/foldingRange", s.whole(w[0])), &all)
	var b strings.Builder
	for _, f := range all {
		fmt.Fprintf(&b, "%d-%d\n", f.StartLine+1, f.EndLine+1)
	}
	s.compare(w[1], b.String())
}

// selections shows the selections around a mark, the innermost first.
func (s *session) selections(w []string) {
	file, params := s.atMark(w[0])
	params["positions"] = []any{params["position"]}
	type selection struct {
		Range  Range
		Parent *json.RawMessage
	}
	var all []json.RawMessage
	s.decode(s.call("textDocument/selectionRange", params), &all)
	var b strings.Builder
	text := s.textOf(file)
	for _, raw := range all {
		for next := &raw; next != nil; {
			var one selection
			s.decode(*next, &one)
			start, _ := toOffset(text, one.Range.Start, s.mode.Encoding)
			end, _ := toOffset(text, one.Range.End, s.mode.Encoding)
			shown := []rune(s.lf(text[start:end]))
			if len(shown) > 40 {
				shown = append(shown[:37:37], '…')
			}
			fmt.Fprintf(&b, "%s %q\n", s.showRange(file, one.Range), string(shown))
			next = one.Parent
		}
	}
	s.compare(w[1], b.String())
}

// tokens shows the tokens of a file, or of a mark's range, with the names of the legend.
func (s *session) tokens(w []string) {
	method, file := "textDocument/semanticTokens/full", w[0]
	params := s.whole(file)
	if m, ok := s.marks[w[0]]; ok {
		method, file = "textDocument/semanticTokens/range", m.file
		params = s.whole(file)
		params["range"] = s.rangeOf(m)
	}
	var legend struct{ TokenTypes, TokenModifiers []string }
	s.decode(s.legend, &legend)
	var answer struct{ Data []int }
	s.decode(s.call(method, params), &answer)
	var b strings.Builder
	var at Pos
	for d := answer.Data; len(d) >= 5; d = d[5:] {
		if d[0] > 0 {
			at.Character = 0
		}
		at.Line, at.Character = at.Line+d[0], at.Character+d[1]
		r := Range{at, Pos{at.Line, at.Character + d[2]}}
		text := s.textOf(file)
		start, _ := toOffset(text, r.Start, s.mode.Encoding)
		end, _ := toOffset(text, r.End, s.mode.Encoding)
		fmt.Fprintf(&b, "%s %s %s", s.showRange(file, r), text[start:end], legend.TokenTypes[d[3]])
		for i, name := range legend.TokenModifiers {
			if d[4]&(1<<i) != 0 {
				b.WriteString(" " + name)
			}
		}
		b.WriteByte('\n')
	}
	s.compare(w[1], b.String())
}

func (s *session) links(w []string) {
	var all []struct {
		Range           Range
		Target, Tooltip string
	}
	s.decode(s.call("textDocument/documentLink", s.whole(w[0])), &all)
	var b strings.Builder
	for _, l := range all {
		fmt.Fprintf(&b, "%s %s", s.showRange(w[0], l.Range), l.Target)
		if l.Tooltip != "" {
			fmt.Fprintf(&b, " (%s)", l.Tooltip)
		}
		b.WriteByte('\n')
	}
	s.compare(w[1], s.neutral(b.String()))
}

// lineage shows the step at a mark with its parents and children, which both hierarchies
// must answer alike.
func (s *session) lineage(w []string) {
	_, params := s.atMark(w[0])
	var b strings.Builder
	show := func(sign string, raw json.RawMessage) string {
		var item struct {
			Name, Detail, URI string
			SelectionRange    Range
		}
		s.decode(raw, &item)
		file := s.file(item.URI)
		return fmt.Sprintf("%s %s (%s) %s %s\n", sign, item.Name, item.Detail, file, s.showRange(file, item.SelectionRange))
	}
	items := func(method string, params any, member, sign string) (all []json.RawMessage, shown string) {
		for _, raw := range s.list(s.call(method, params)) {
			if member != "" {
				var call map[string]json.RawMessage
				s.decode(raw, &call)
				raw = call[member]
			}
			all = append(all, raw)
			shown += show(sign, raw)
		}
		return all, shown
	}
	calls, _ := items("textDocument/prepareCallHierarchy", params, "", "·")
	kinds, _ := items("textDocument/prepareTypeHierarchy", params, "", "·")
	for i, item := range calls {
		b.WriteString(show("·", item))
		_, parents := items("callHierarchy/incomingCalls", map[string]any{"item": item}, "from", "↑")
		_, children := items("callHierarchy/outgoingCalls", map[string]any{"item": item}, "to", "↓")
		_, super := items("typeHierarchy/supertypes", map[string]any{"item": kinds[i]}, "", "↑")
		_, sub := items("typeHierarchy/subtypes", map[string]any{"item": kinds[i]}, "", "↓")
		if parents != super || children != sub {
			s.error("the hierarchies differ:\n%s%s\n%s%s", parents, children, super, sub)
		}
		b.WriteString(parents + children)
	}
	s.compare(w[1], b.String())
}

func (s *session) workspaceSymbols(w []string) {
	var all []struct {
		Name, ContainerName string
		Location            Location
	}
	s.decode(s.call("workspace/symbol", map[string]any{"query": w[0]}), &all)
	var b strings.Builder
	for _, y := range all {
		file := s.file(y.Location.URI)
		fmt.Fprintf(&b, "%s (%s) %s %s\n", y.Name, y.ContainerName, file, s.showRange(file, y.Location.Range))
	}
	s.compare(w[1], b.String())
}

// format shows a file as the edits of formatting it, or the range of a mark in it, leave it.
// Line ends are shown as "\n".
func (s *session) format(w []string) {
	method, file := "textDocument/formatting", w[0]
	m, ranged := s.marks[w[0]]
	if ranged {
		method, file = "textDocument/rangeFormatting", m.file
	}
	params := s.whole(file)
	params["options"] = map[string]any{"tabSize": 8, "insertSpaces": false}
	if ranged {
		params["range"] = s.rangeOf(m)
	}
	raw := s.call(method, params)
	if string(raw) == "null" {
		s.compare(w[1], "null")
		return
	}
	var edits []textEdit
	s.decode(raw, &edits)
	slices.SortStableFunc(edits, func(a, b textEdit) int {
		return -cmp.Or(cmp.Compare(a.Range.Start.Line, b.Range.Start.Line), cmp.Compare(a.Range.Start.Character, b.Range.Start.Character))
	})
	text := s.textOf(file)
	for _, e := range edits {
		start, err1 := toOffset(text, e.Range.Start, s.mode.Encoding)
		end, err2 := toOffset(text, e.Range.End, s.mode.Encoding)
		if err1 != nil || err2 != nil || text[start:end] == e.NewText {
			s.error("an edit of no use: %+v %v %v", e, err1, err2)
			continue
		}
		text = text[:start] + e.NewText + text[end:]
	}
	s.compare(w[1], s.lf(text))
}

// content asks for the text of a virtual document, by request and by command.
func (s *session) content(w []string) {
	if w[0] != "again" {
		command, ok := map[string]string{"diff": "toolpath.stepDiff", "file": "toolpath.fileAtStep", "before": "toolpath.stepDiff", "after": "toolpath.stepDiff", "deleted": "toolpath.deletedLines"}[w[0]]
		if !ok {
			s.fatal("no such content: %s", w[0])
		}
		_, params := s.atMark(w[1])
		var at struct {
			URI   string
			Files []struct{ Before, After string }
		}
		s.decode(s.call("workspace/executeCommand", map[string]any{"command": command, "arguments": []any{params}}), &at)
		s.virtual = at.URI
		if w[0] == "before" || w[0] == "after" {
			if len(at.Files) == 0 {
				s.fatal("the sides of the step at %s are not known", w[1])
			}
			s.virtual = map[string]string{"before": at.Files[0].Before, "after": at.Files[0].After}[w[0]]
		}
	}
	var answer, byCommand struct{ Text string }
	s.decode(s.call("workspace/textDocumentContent", map[string]any{"uri": s.virtual}), &answer)
	s.decode(s.call("workspace/executeCommand", map[string]any{"command": "toolpath.content", "arguments": []any{map[string]any{"uri": s.virtual}}}), &byCommand)
	if answer != byCommand {
		s.error("the command answers %q", byCommand.Text)
	}
	s.compare(w[len(w)-1], s.lf(answer.Text))
}

// pull shows pulled diagnostics as diags does, and expects that a second pull repeats none.
func (s *session) pull(w []string) {
	type report struct {
		Kind, ResultID string
		Items          []Diagnostic
	}
	pull := func(known string) (r report) {
		params := s.whole(w[0])
		params["previousResultId"] = known
		s.decode(s.call("textDocument/diagnostic", params), &r)
		return r
	}
	r := pull("unheard-of")
	if again := pull(r.ResultID); again.Kind != "unchanged" || again.ResultID != r.ResultID {
		s.error("pulled again: %+v", again)
	}
	r.Items = slices.DeleteFunc(r.Items, func(d Diagnostic) bool {
		return len(s.only) > 0 && !slices.Contains(s.only, strings.Trim(string(d.Code), `"`))
	})
	s.compare(w[1], r.Kind+"\n"+s.showDiagnostics(w[0], r.Items))
}

// pullAll shows the pulled diagnostics of the workspace, and expects that a second pull
// repeats none of them.
func (s *session) pullAll(w []string) {
	type report struct {
		Kind, URI, ResultID string
		Items               []Diagnostic
	}
	pull := func(known []map[string]string) []report {
		var answer struct{ Items []report }
		s.decode(s.call("workspace/diagnostic", map[string]any{"previousResultIds": known}), &answer)
		slices.SortFunc(answer.Items, func(a, b report) int { return strings.Compare(a.URI, b.URI) })
		return answer.Items
	}
	var b strings.Builder
	known := []map[string]string{}
	for _, r := range pull(known) {
		file := s.file(r.URI)
		r.Items = slices.DeleteFunc(r.Items, func(d Diagnostic) bool {
			return len(s.only) > 0 && !slices.Contains(s.only, strings.Trim(string(d.Code), `"`))
		})
		fmt.Fprintf(&b, "%s %s\n%s", r.Kind, file, s.showDiagnostics(file, r.Items))
		if r.ResultID != "" {
			known = append(known, map[string]string{"uri": r.URI, "value": r.ResultID})
		}
	}
	for _, r := range pull(known) {
		if r.Kind != "unchanged" {
			s.error("%s is reported again", r.URI)
		}
	}
	s.compare(w[0], b.String())
}

// moments goes from touch to touch of the line at a mark, back to the first one and forth to
// the file as it is, and shows the line at each.
func (s *session) moments(w []string) {
	_, params := s.atMark(w[0])
	var b strings.Builder
	for _, command := range []string{"toolpath.previousTouch", "toolpath.nextTouch"} {
		for range 20 {
			raw := s.call("workspace/executeCommand", map[string]any{"command": command, "arguments": []any{params}})
			var at *struct {
				URI   string
				Range Range
				Step  *struct{ Step string }
			}
			s.decode(raw, &at)
			if at == nil {
				fmt.Fprintf(&b, "%s: none\n", command)
				break
			}
			params = map[string]any{"textDocument": map[string]any{"uri": at.URI}, "position": at.Range.Start}
			if at.Step == nil {
				fmt.Fprintf(&b, "%s: %s line %d\n", command, s.file(at.URI), at.Range.Start.Line+1)
				break
			}
			var content struct{ Text string }
			s.decode(s.call("workspace/textDocumentContent", map[string]any{"uri": at.URI}), &content)
			lines := strings.Split(s.lf(content.Text), "\n")
			fmt.Fprintf(&b, "%s: %s %s line %d of %d: %s\n", command, at.Step.Step, path.Base(at.URI), at.Range.Start.Line+1, len(lines)-1, lines[at.Range.Start.Line])
		}
	}
	s.compare(w[1], b.String())
}

// befores shows the file before the step that wrote a line, before the step that wrote the line
// that was there, and so on, with the writers of its lines.
func (s *session) befores(w []string) {
	_, params := s.atMark(w[0])
	var b strings.Builder
	for range 20 {
		raw, err := s.running().Call("workspace/executeCommand", map[string]any{"command": "toolpath.fileBeforeStep", "arguments": []any{params}})
		if e, ok := err.(*Error); ok {
			fmt.Fprintln(&b, e.Message)
			break
		} else if err != nil {
			s.fatal("%v", err)
		}
		var at *struct {
			URI   string
			Range Range
			Step  struct{ Step string }
		}
		if s.decode(raw, &at); at == nil {
			b.WriteString("no step is known\n")
			break
		}
		fmt.Fprintf(&b, "before %s: %s\n", at.Step.Step, path.Base(at.URI))
		document := map[string]any{"uri": at.URI}
		params = map[string]any{"textDocument": document, "position": at.Range.Start}
		var content struct{ Text string }
		s.decode(s.call("workspace/textDocumentContent", document), &content)
		var blame struct {
			Version *int
			Runs    []struct {
				StartLine, EndLine int
				State              string
				Step               *string
			}
		}
		s.decode(s.call("toolpath/blame", map[string]any{"textDocument": document}), &blame)
		if blame.Version != nil {
			s.error("a file as of a step has the version %d", *blame.Version)
		}
		lines := strings.Split(s.lf(content.Text), "\n")
		for _, run := range blame.Runs {
			for i := run.StartLine; i < run.EndLine; i++ {
				mark, writer := " ", run.State
				if i == at.Range.Start.Line {
					mark = ">"
				}
				if run.Step != nil {
					writer = *run.Step
				}
				fmt.Fprintln(&b, strings.TrimRight(fmt.Sprintf("%s %-8s %s", mark, writer, lines[i]), " "))
			}
		}
		var history struct {
			Touches []struct{ Step, Verb string }
		}
		s.decode(s.call("toolpath/lineHistory", params), &history)
		for _, t := range history.Touches {
			fmt.Fprintf(&b, "  %s in %s\n", t.Verb, t.Step)
		}
	}
	s.compare(w[1], b.String())
}
