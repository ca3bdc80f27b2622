package lsptest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// Script is an editor session written down. The comment of its archive says what it
// shows. Its files are the workspace, but for one whose name is a URI, such as
// untitled:x, which only the editor has; those named "@…" are expected answers; "script"
// is a list of commands, one a line, run in order:
//
//	set JSON                     initializationOptions, before the first other command
//	capabilities JSON            of the client, before the first other command
//	only CODE...                 ignore the diagnostics of other codes from here on
//	commit NAME                  commit the files on disk; ${NAME} is the commit's id
//	write FILE [@SECTION]        write the file on disk and tell the server of it
//	rm FILE                      remove it and tell the server of it
//	open FILE [LANGUAGE]         open the file in the editor, as the archive has it
//	edit MARK "TEXT"             replace the mark by the text
//	replace FILE @SECTION        replace the whole text
//	save FILE, close FILE
//	diag MARK CODE [SEVERITY] `REGEXP`
//	                             the mark has such a diagnostic, at the newest version
//	nodiags FILE                 the newest version has none
//	diags FILE @SECTION          the newest version has exactly these
//	hover MARK @SECTION|none
//	definition MARK MARK...|none
//	references MARK MARK...|none
//	symbols FILE @SECTION
//	codelens FILE @SECTION
//	inlayhints FILE|MARK @SECTION
//	blame FILE|MARK @SECTION
//	highlights MARK MARK[!]...|none     ! marks a definition
//	rename MARK "NAME" @SECTION
//	refuses METHOD MARK ["NAME"] `REGEXP`
//	                             a request about the mark fails with such a message
//	complete MARK @SECTION
//	actions MARK [KIND] @SECTION
//	folds FILE @SECTION
//	selections MARK @SECTION
//	tokens FILE|MARK @SECTION
//	links FILE @SECTION
//	lineage MARK @SECTION        the step, its parents (↑) and its children (↓)
//	workspacesymbols "QUERY" @SECTION
//	format FILE|MARK @SECTION    the text as formatting leaves it
//	content diff|file|before|after MARK @SECTION
//	                             the virtual document about the step at the mark
//	content again @SECTION       the last one again
//	moments MARK @SECTION        the file as each step left it that touched the line, back
//	                             and forth again
//	befores MARK @SECTION        the file before the step that wrote the line, again and again
//	pull FILE @SECTION           pulled diagnostics
//	pullall @SECTION             those of the workspace
//	request METHOD JSON @SECTION any other request
//	fails METHOD JSON CODE       a request that is answered with an error
//	notify METHOD JSON
//	send BODY                    a frame whose body is sent as it is
//	expect METHOD `REGEXP`       wait for a message of the server
//
// TEXT is quoted as in Go. In JSON, ${uri:FILE}, ${pos:MARK} and ${range:MARK} stand for
// the JSON of the place, and ${NAME} for a commit. Marks are written in the files:
// «name» is a point, «name:text» a range; they move with edits. Answers show positions as
// LINE:COLUMN, from 1 and in characters, and the workspace's folder as $WORK, so that
// they are the same in every mode.
//
// Diagnostics are one to one: once diag has looked at a version of a file, each of its
// diagnostics must be named by a diag before the file changes or the script ends.
type Script struct {
	name     string
	comment  string
	archive  *txtar.Archive
	commands []command
}

type command struct {
	line  int // in the archive's file
	words []string
}

// ParseScript reads an archive.
func ParseScript(name string, data []byte) (*Script, error) {
	s := &Script{name: name, archive: txtar.Parse(data)}
	s.comment = string(s.archive.Comment)
	script, ok := s.section("script")
	if !ok {
		return nil, fmt.Errorf("%s: there is no script", name)
	}
	first := 1 + bytes.Count(data[:bytes.Index(data, []byte("-- script --"))], []byte("\n"))
	for i, text := range strings.Split(script, "\n") {
		words, err := splitWords(text)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, first+1+i, err)
		}
		if len(words) > 0 {
			s.commands = append(s.commands, command{first + 1 + i, words})
		}
	}
	return s, nil
}

func (s *Script) section(name string) (string, bool) {
	for _, f := range s.archive.Files {
		if f.Name == name {
			return string(f.Data), true
		}
	}
	return "", false
}

// splitWords splits a line at blanks. Words may be "quoted" as in Go or `raw`; JSON that
// begins with a brace or bracket goes on to the end of its value; # begins a comment.
func splitWords(line string) (words []string, err error) {
	for {
		line = strings.TrimLeft(line, " \t\r")
		if line == "" || line[0] == '#' {
			return words, nil
		}
		var word string
		switch line[0] {
		case '"', '`':
			quoted, err := strconv.QuotedPrefix(line)
			if err != nil {
				return nil, fmt.Errorf("a quoted word: %w", err)
			}
			if word, err = strconv.Unquote(quoted); err != nil {
				return nil, err
			}
			line = line[len(quoted):]
		case '{', '[':
			n := jsonLength(line)
			word, line = line[:n], line[n:]
		default:
			n := strings.IndexAny(line, " \t\r")
			if n < 0 {
				n = len(line)
			}
			word, line = line[:n], line[n:]
		}
		words = append(words, word)
	}
}

// jsonLength returns the length of the bracketed value at the start of the line, in which
// ${…} may stand for values.
func jsonLength(line string) int {
	depth, quoted := 0, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(line)
}

// Mode is a way to run a script.
type Mode struct {
	Encoding string // "utf-8", "utf-16" or "utf-32": the only one that the client offers
	CRLF     bool   // files have CRLF line ends
}

func (m Mode) String() string {
	if m.CRLF {
		return m.Encoding + "/crlf"
	}
	return m.Encoding + "/lf"
}

// session is a run of a script.
type session struct {
	*Script
	tb     testing.TB
	mode   Mode
	dir    string // the workspace, with slashes
	start  func(testing.TB) *Editor
	editor *Editor
	golden map[string]string // the sections that were compared, as they came
	update bool

	caps     map[string]any
	options  any
	files    map[string]string // as on disk, without marks
	marks    map[string]mark
	buffers  map[string]*buffer
	commits  map[string]string
	unnamed  map[string][]Diagnostic // by file: not yet named by diag
	looked   map[string]bool         // by file: diag looked at the newest version
	only     []string                // codes; empty means all
	legend   json.RawMessage         // of semantic tokens
	versions int
	virtual  string // the URI of the last virtual document
	at       command
}

// run runs the script. Files are written below dir, an existing folder.
func (s *Script) run(tb testing.TB, mode Mode, dir string, start func(testing.TB) *Editor, update bool) map[string]string {
	r := &session{
		Script: s, tb: tb, mode: mode, dir: filepath.ToSlash(dir), start: start, update: update,
		golden: map[string]string{}, caps: map[string]any{}, files: map[string]string{},
		marks: map[string]mark{}, buffers: map[string]*buffer{}, commits: map[string]string{},
		unnamed: map[string][]Diagnostic{}, looked: map[string]bool{},
	}
	r.load()
	for _, r.at = range s.commands {
		r.do(r.at.words[0], r.at.words[1:])
	}
	r.finish()
	return r.golden
}

// fatal ends the run with a message that names the command's line.
func (s *session) fatal(format string, args ...any) {
	s.tb.Helper()
	s.tb.Fatalf("%s:%d: %s: %s", s.name, s.at.line, strings.Join(s.at.words, " "), fmt.Sprintf(format, args...))
}

func (s *session) error(format string, args ...any) {
	s.tb.Helper()
	s.tb.Errorf("%s:%d: %s: %s", s.name, s.at.line, strings.Join(s.at.words, " "), fmt.Sprintf(format, args...))
}

// load takes the marks out of the files and writes the files.
func (s *session) load() {
	for _, f := range s.archive.Files {
		if f.Name == "script" || strings.HasPrefix(f.Name, "@") {
			continue
		}
		s.files[f.Name] = s.plain(f.Name, string(f.Data))
		if !strings.Contains(f.Name, ":") {
			s.writeFile(f.Name)
		}
	}
}

// plain returns a text of the archive as the mode wants it, and adds its marks.
func (s *session) plain(file, text string) string {
	text = s.expandCommits(text)
	if s.mode.CRLF {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	text, marks, err := unmark(file, text)
	if err != nil {
		s.tb.Fatalf("%s: %v", s.name, err)
	}
	for name, m := range marks {
		if old, twice := s.marks[name]; twice && old.file != file {
			s.tb.Fatalf("%s: the mark %s is in %s and %s", s.name, name, old.file, file)
		}
		s.marks[name] = m
	}
	return text
}

func (s *session) writeFile(file string) {
	p := filepath.Join(s.dir, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
		s.tb.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(s.files[file]), 0o666); err != nil {
		s.tb.Fatal(err)
	}
}

// uri is the URI of a file of the archive.
func (s *session) uri(file string) string {
	if strings.Contains(file, ":") {
		return file
	}
	p := path.Join(s.dir, file)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	return "file://" + strings.ReplaceAll(p, " ", "%20")
}

// file is the opposite of uri, for answers.
func (s *session) file(uri string) string {
	if rest, ok := strings.CutPrefix(uri, s.uri("")+"/"); ok {
		return strings.ReplaceAll(rest, "%20", " ")
	}
	return uri
}

// textOf is what the editor shows of a file.
func (s *session) textOf(file string) string {
	if b := s.buffers[file]; b != nil {
		return b.text
	}
	return s.files[file]
}

// commandTable maps a command to what it does and to its number of words.
var commandTable = map[string]struct {
	min, max int
	do       func(*session, []string)
}{
	"set":          {1, 1, func(s *session, w []string) { s.options = s.value(w[0]) }},
	"capabilities": {1, 1, func(s *session, w []string) { merge(s.caps, s.value(w[0]).(map[string]any)) }},
	"only":         {1, 99, func(s *session, w []string) { s.only = w }},
	"commit":       {1, 1, (*session).commit},
	"write":        {1, 2, (*session).write},
	"rm":           {1, 1, (*session).remove},
	"open":         {1, 2, (*session).open},
	"edit":         {2, 2, (*session).edit},
	"replace":      {2, 2, (*session).replace},
	"save":         {1, 1, (*session).save},
	"close":        {1, 1, (*session).close},
	"diag":         {3, 4, (*session).diag},
	"nodiags":      {1, 1, (*session).noDiags},
	"diags":        {2, 2, (*session).diags},
	"hover":        {2, 2, (*session).hover},
	"definition":   {2, 99, func(s *session, w []string) { s.locations("textDocument/definition", w) }},
	"references":   {2, 99, func(s *session, w []string) { s.locations("textDocument/references", w) }},
	"symbols":      {2, 2, func(s *session, w []string) { s.ask("textDocument/documentSymbol", w, outline) }},
	"codelens":     {2, 2, func(s *session, w []string) { s.ask("textDocument/codeLens", w, lenses) }},
	"inlayhints":   {2, 2, func(s *session, w []string) { s.ask("textDocument/inlayHint", w, hints) }},
	"blame":        {2, 2, func(s *session, w []string) { s.ask("toolpath/blame", w, runs) }},
	"request":      {3, 3, (*session).request},
	"fails":        {3, 3, (*session).fails},
	"notify":       {2, 2, func(s *session, w []string) { s.running().Notify(w[0], s.value(w[1])) }},
	"send":         {1, 1, func(s *session, w []string) { _ = s.running().SendBody(s.expand(w[0])) }},
	"expect":       {2, 2, (*session).expect},
}

func (s *session) do(name string, words []string) {
	c, known := commandTable[name]
	switch {
	case !known:
		s.fatal("there is no such command; there are %s", strings.Join(slices.Sorted(maps.Keys(commandTable)), ", "))
	case len(words) < c.min || len(words) > c.max:
		s.fatal("it takes %d to %d words", c.min, c.max)
	}
	c.do(s, words)
}

// running starts the session with the first command that needs the server.
func (s *session) running() *Editor {
	if s.editor != nil {
		return s.editor
	}
	s.editor = s.start(s.tb)
	caps := map[string]any{
		"general": map[string]any{"positionEncodings": []string{s.mode.Encoding}},
		"textDocument": map[string]any{
			"hover":              map[string]any{"contentFormat": []string{"markdown", "plaintext"}},
			"documentSymbol":     map[string]any{"hierarchicalDocumentSymbolSupport": true},
			"publishDiagnostics": map[string]any{"relatedInformation": true, "versionSupport": true, "codeDescriptionSupport": true},
		},
	}
	merge(caps, s.caps)
	raw := s.editor.Initialize(map[string]any{
		"rootUri":               s.uri(""),
		"workspaceFolders":      []any{map[string]any{"uri": s.uri(""), "name": "work"}},
		"capabilities":          caps,
		"initializationOptions": s.options,
	})
	var r struct {
		Capabilities struct {
			PositionEncoding       string
			SemanticTokensProvider struct{ Legend json.RawMessage }
		}
	}
	if err := json.Unmarshal(raw, &r); err != nil || r.Capabilities.PositionEncoding != s.mode.Encoding {
		s.fatal("the server speaks %q, want %s", r.Capabilities.PositionEncoding, s.mode.Encoding)
	}
	s.legend = r.Capabilities.SemanticTokensProvider.Legend
	return s.editor
}

func merge(into, from map[string]any) {
	for k, v := range from {
		a, isMap := into[k].(map[string]any)
		if b, ok := v.(map[string]any); ok && isMap {
			merge(a, b)
			continue
		}
		into[k] = v
	}
}

// commit commits all files on disk in a repository at the workspace's folder.
func (s *session) commit(w []string) {
	git := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = filepath.FromSlash(s.dir)
		cmd.Env = append(os.Environ(),
			"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
			"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_AUTHOR_DATE=2026-01-01T00:00:00Z",
			"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z")
		out, err := cmd.CombinedOutput()
		if err != nil {
			s.fatal("git %s: %v\n%s", args[0], err, out)
		}
		return strings.TrimSpace(string(out))
	}
	if len(s.commits) == 0 {
		git("init", "-q", "-b", "main")
		git("config", "core.autocrlf", "false")
	}
	git("add", "-A")
	git("commit", "-q", "--allow-empty", "-m", w[0])
	s.commits[w[0]] = git("rev-parse", "HEAD")
	for _, f := range s.archive.Files {
		if _, ours := s.files[f.Name]; ours && bytes.Contains(f.Data, []byte("${"+w[0]+"}")) {
			s.files[f.Name] = s.plain(f.Name, string(f.Data))
			s.writeFile(f.Name)
		}
	}
}

// tellOfFile sends didChangeWatchedFiles once the session runs.
func (s *session) tellOfFile(file string, kind int) {
	if s.editor != nil {
		s.editor.Notify("workspace/didChangeWatchedFiles", map[string]any{
			"changes": []any{map[string]any{"uri": s.uri(file), "type": kind}},
		})
	}
}

func (s *session) write(w []string) {
	source := w[0]
	if len(w) == 2 {
		source = w[1]
	}
	text, ok := s.section(source)
	if !ok {
		s.fatal("the archive has no %s", source)
	}
	s.forgetMarks(w[0])
	s.files[w[0]] = s.plain(w[0], text)
	s.writeFile(w[0])
	s.tellOfFile(w[0], 2)
}

func (s *session) forgetMarks(file string) {
	maps.DeleteFunc(s.marks, func(_ string, m mark) bool { return m.file == file })
}

func (s *session) remove(w []string) {
	if err := os.Remove(filepath.Join(s.dir, filepath.FromSlash(w[0]))); err != nil {
		s.fatal("%v", err)
	}
	delete(s.files, w[0])
	s.tellOfFile(w[0], 3)
}

func (s *session) open(w []string) {
	text, ok := s.files[w[0]]
	if !ok {
		s.fatal("the archive has no such file")
	}
	language := strings.TrimPrefix(path.Ext(w[0]), ".")
	if len(w) == 2 {
		language = w[1]
	}
	s.versions++
	s.buffers[w[0]] = &buffer{text, s.versions}
	s.running().Open(s.uri(w[0]), language, s.versions, text)
}

// opened returns the buffer of an open file.
func (s *session) opened(file string) *buffer {
	b := s.buffers[file]
	if b == nil {
		s.fatal("%s is not open", file)
	}
	return b
}

func (s *session) place(name string) mark {
	m, ok := s.marks[name]
	if !ok {
		s.fatal("there is no mark %s", name)
	}
	return m
}

func (s *session) rangeOf(m mark) Range {
	text := s.textOf(m.file)
	return Range{toPos(text, m.start, s.mode.Encoding), toPos(text, m.end, s.mode.Encoding)}
}

func (s *session) edit(w []string) {
	m := s.place(w[0])
	b := s.opened(m.file)
	s.settle(m.file)
	text := w[1]
	if s.mode.CRLF {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	r := s.rangeOf(m)
	s.versions++
	s.running().Change(s.uri(m.file), s.versions, Change{&r, text})
	*b = buffer{b.text[:m.start] + text + b.text[m.end:], s.versions}
	shift(s.marks, w[0], m.file, m.start, m.end, len(text))
}

func (s *session) replace(w []string) {
	b := s.opened(w[0])
	s.settle(w[0])
	text, ok := s.section(w[1])
	if !ok {
		s.fatal("the archive has no %s", w[1])
	}
	s.forgetMarks(w[0])
	s.versions++
	*b = buffer{s.plain(w[0], text), s.versions}
	s.running().Change(s.uri(w[0]), s.versions, Change{Text: b.text})
}

func (s *session) save(w []string) {
	s.files[w[0]] = s.opened(w[0]).text
	s.writeFile(w[0])
	s.running().Notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": s.uri(w[0])}})
}

func (s *session) close(w []string) {
	s.opened(w[0])
	s.settle(w[0])
	delete(s.buffers, w[0])
	uri := s.uri(w[0])
	before := len(s.editor.Publishes(uri))
	s.editor.CloseDocument(uri)
	s.editor.Until("the empty set of a closed document", func(Frame) bool {
		all := s.editor.Publishes(uri)
		return len(all) > before && all[len(all)-1].Version == nil && len(all[len(all)-1].Diagnostics) == 0
	})
}

// newest waits for the diagnostics of a file's newest version.
func (s *session) newest(file string) []Diagnostic {
	all := s.running().Published(s.uri(file), s.opened(file).version).Diagnostics
	return slices.DeleteFunc(all, func(d Diagnostic) bool {
		return len(s.only) > 0 && !slices.Contains(s.only, strings.Trim(string(d.Code), `"`))
	})
}

var severities = []string{"", "error", "warning", "information", "hint"}

func (s *session) diag(w []string) {
	m := s.place(w[0])
	if !s.looked[m.file] {
		s.unnamed[m.file] = slices.Clone(s.newest(m.file))
		s.looked[m.file] = true
	}
	severity := ""
	if len(w) == 4 {
		severity = w[2]
		if slices.Index(severities, severity) < 1 {
			s.fatal("there is no severity %s", severity)
		}
	}
	re, err := regexp.Compile(w[len(w)-1])
	if err != nil {
		s.fatal("%v", err)
	}
	want := s.rangeOf(m)
	i := slices.IndexFunc(s.unnamed[m.file], func(d Diagnostic) bool {
		return d.Range == want && string(d.Code) == strconv.Quote(w[1]) && re.MatchString(d.Message) &&
			(severity == "" || severities[d.Severity] == severity)
	})
	if i < 0 {
		s.error("there is no such diagnostic; those not yet named are\n%s", s.showDiagnostics(m.file, s.unnamed[m.file]))
		return
	}
	s.unnamed[m.file] = slices.Delete(s.unnamed[m.file], i, i+1)
}

// settle fails for the diagnostics that no diag named, before the file changes.
func (s *session) settle(file string) {
	if s.looked[file] && len(s.unnamed[file]) > 0 {
		s.error("diagnostics that no diag has named:\n%s", s.showDiagnostics(file, s.unnamed[file]))
	}
	delete(s.looked, file)
	delete(s.unnamed, file)
}

func (s *session) noDiags(w []string) {
	if all := s.newest(w[0]); len(all) > 0 {
		s.error("there are\n%s", s.showDiagnostics(w[0], all))
	}
}

func (s *session) diags(w []string) {
	s.compare(w[1], s.showDiagnostics(w[0], s.newest(w[0])))
}

func (s *session) showDiagnostics(file string, all []Diagnostic) string {
	var b strings.Builder
	for _, d := range all {
		var code string
		_ = json.Unmarshal(d.Code, &code)
		fmt.Fprintf(&b, "%s %s %s %s\n", s.showRange(file, d.Range), severities[min(d.Severity, 4)], code, s.neutral(d.Message))
		for _, r := range d.Related {
			other := s.file(r.Location.URI)
			fmt.Fprintf(&b, "\t%s %s %s\n", other, s.showRange(other, r.Location.Range), s.neutral(r.Message))
		}
	}
	return b.String()
}

// showRange writes a range as LINE:COLUMN-LINE:COLUMN, from 1 and in characters.
func (s *session) showRange(file string, r Range) string {
	return s.showPos(file, r.Start) + "-" + s.showPos(file, r.End)
}

func (s *session) showPos(file string, p Pos) string {
	text := s.textOf(file)
	offset, err := toOffset(text, p, s.mode.Encoding)
	if err != nil {
		s.error("%s: %v", file, err)
		return "?"
	}
	q := toPos(text, offset, "utf-32")
	return fmt.Sprintf("%d:%d", q.Line+1, q.Character+1)
}

// since is how long ago something was, in words.
var since = regexp.MustCompile(`\b\d+ (second|minute|hour|day|month|year)s? ago\b|\bin \d+ (second|minute|hour|day|month|year)s?\b|\bjust now\b`)

// virtual is what the URI of a virtual document begins with.
var virtual = regexp.MustCompile(`toolpath://(diff|at|before|after|deleted)/[\w-]+/`)

// commandLink is a link to a command, with its arguments.
var commandLink = regexp.MustCompile(`\(command:([\w.]+)\?([^)]*)\)`)

// readableLinks writes the arguments of links to commands as they are.
func readableLinks(text string) string {
	return commandLink.ReplaceAllStringFunc(text, func(link string) string {
		parts := commandLink.FindStringSubmatch(link)
		arguments, err := url.PathUnescape(parts[2])
		if err != nil {
			return link
		}
		return "(" + parts[1] + " " + arguments + ")"
	})
}

// neutral takes out of a text what differs between runs.
func (s *session) neutral(text string) string {
	text = readableLinks(since.ReplaceAllString(text, "$$AGO"))
	text = strings.ReplaceAll(text, s.uri(""), "$WORK")
	text = strings.ReplaceAll(text, s.dir, "$WORK")
	text = virtual.ReplaceAllString(text, "toolpath://$1/…/")
	for name, id := range s.commits {
		text = strings.ReplaceAll(text, id, "${"+name+"}")
		text = strings.ReplaceAll(text, id[:12]+"…", "${"+name+"}")
		text = strings.ReplaceAll(text, id[:7], "${"+name+"}")
	}
	return text
}

// compare compares an answer with a section, or keeps it for -update.
func (s *session) compare(section, got string) {
	s.tb.Helper()
	if !strings.HasPrefix(section, "@") {
		s.fatal("%s is no name of a section: it must begin with @", section)
	}
	got = strings.TrimRight(got, "\n") + "\n"
	s.golden[section] = got
	want, ok := s.section(section)
	if s.update {
		return
	}
	if !ok {
		s.error("the archive has no %s; run the test with -update", section)
	} else if strings.TrimRight(want, "\n") != strings.TrimRight(got, "\n") {
		s.error("got\n%s\nwant\n%s", got, want)
	}
}

// finish checks what is left of diagnostics and ends the session.
func (s *session) finish() {
	for _, file := range slices.Sorted(maps.Keys(s.buffers)) {
		s.settle(file)
	}
	if err := s.running().Shutdown(); err != nil {
		s.error("the server ended with %v\n%s", err, s.editor.Stderr())
	}
}
