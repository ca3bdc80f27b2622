package lsp

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	glob "github.com/toolpath-ls/toolpath-ls/analysis/query"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// section is the name under which a client keeps the server's settings.
const section = "toolpath"

// Settings is what the user can choose. It is immutable; a change makes a new one.
type Settings struct {
	HoverSource   bool
	CodeLensFile  bool
	CodeLensSteps bool
	// CodeLensSignatures puts a lens at each signature.
	CodeLensSignatures bool
	// CodeLensEntities puts lenses at the functions and types of source files.
	CodeLensEntities bool
	BlameHints       hints
	// Ignore are the actors whose steps do not count as the last one that wrote a line.
	Ignore *analysis.Ignore
	// BlameGit has git asked who committed the lines for which no step is known.
	BlameGit bool
	Sources  Sources        // but for the folders
	Notes    analysis.Notes // the inlay hints of documents
	FileSize int
	Severity map[string]analysis.Severity
	// PrivacyPatterns are what the rule private-pattern looks for.
	PrivacyPatterns []*regexp.Regexp
	// TrustKeys are files and folders with public keys that verify signatures.
	TrustKeys []string
	// SigningKey is the key that signs, as the command sign takes it; "" for none.
	SigningKey string
	// ReviewActor is who marks lines as reviewed; "" if nobody has said.
	ReviewActor string
}

func defaultSettings() Settings {
	return Settings{HoverSource: true, CodeLensFile: true, CodeLensSignatures: true, BlameGit: true, Sources: Sources{Cache: true}, Notes: analysis.Notes{Descent: true}, FileSize: analysis.DefaultMaxFileSize}
}

func (s *Settings) equal(t *Settings) bool {
	return s.HoverSource == t.HoverSource && s.CodeLensFile == t.CodeLensFile && s.BlameHints == t.BlameHints &&
		s.CodeLensSteps == t.CodeLensSteps && s.CodeLensEntities == t.CodeLensEntities && s.CodeLensSignatures == t.CodeLensSignatures && s.SigningKey == t.SigningKey && s.ReviewActor == t.ReviewActor && s.BlameGit == t.BlameGit && s.Sources.equal(&t.Sources) && s.Notes == t.Notes && slices.Equal(s.Ignore.Patterns(), t.Ignore.Patterns()) && s.checksAs(t)
}

// checksAs says whether documents are checked alike by both.
func (s *Settings) checksAs(t *Settings) bool {
	return s.FileSize == t.FileSize && maps.Equal(s.Severity, t.Severity) && slices.Equal(s.TrustKeys, t.TrustKeys) &&
		slices.EqualFunc(s.PrivacyPatterns, t.PrivacyPatterns, func(a, b *regexp.Regexp) bool { return a.String() == b.String() })
}

// Setting is one key of the settings, for the server and for the generated page.
type Setting struct {
	Key     string // dotted, below "toolpath"
	Default string // in JSON
	Doc     string
	set     func(*Settings, jsontext.Value) error
}

// SettingKeys lists all settings in the order of the documentation.
func SettingKeys() []Setting { return slices.Clone(settingKeys) }

var settingKeys = []Setting{
	{"hover.source", "true", "Hovering over a line of a source file tells who wrote it.", boolean(func(s *Settings) *bool { return &s.HoverSource })},
	{"codeLens.file", "true", "One lens at the top of a source file sums up who wrote it.", boolean(func(s *Settings) *bool { return &s.CodeLensFile })},
	{"codeLens.steps", "false", "Lenses at the paths and steps of a document: where a step stands, its children, its diff, its parent.", boolean(func(s *Settings) *bool { return &s.CodeLensSteps })},
	{"codeLens.signatures", "true", "A lens at each signature of a document: whether it is valid, and by whose key.", boolean(func(s *Settings) *bool { return &s.CodeLensSignatures })},
	{"codeLens.entities", "false", "Lenses at the functions and types of a source file: who wrote how much of each, in how many steps.", boolean(func(s *Settings) *bool { return &s.CodeLensEntities })},
	{"inlayHints.blame", `"off"`, "`\"run\"`: a hint at the end of each run of lines names who wrote it; `\"line\"`: only at the end of the line with the cursor, for clients that tell where that is; `\"off\"`: none.", inlayHints},
	{"blame.ignore", "[]", "Actors whose steps do not count, such as `[\"tool:*\"]`: a line belongs to the last step of somebody else. `*` stands for any characters. The chain of a line's steps stays as it is.", ignoredActors},
	{"blame.git", "true", "Lines for which no step is known name the commit that brought them, as `git blame` has it; they stay \"not recorded\". Nothing that the repository configures is run.", boolean(func(s *Settings) *bool { return &s.BlameGit })},
	{"inlayHints.deadEnd", "false", "A hint at the id of each step that is a dead end.", boolean(func(s *Settings) *bool { return &s.Notes.DeadEnd })},
	{"inlayHints.merge", "false", "A hint at the parents of each step that merges branches.", boolean(func(s *Settings) *bool { return &s.Notes.Merge })},
	{"inlayHints.descent", "true", "A hint at a path's parent: whether the path is a continuation or a fork.", boolean(func(s *Settings) *bool { return &s.Notes.Descent })},
	{"inlayHints.time", "false", "A hint at each timestamp of a step: how long ago that was.", boolean(func(s *Settings) *bool { return &s.Notes.Time })},
	{"sources.cache", "true", "Documents in the cache of the Toolpath tools (`documents/*.json` below `$TOOLPATH_CONFIG_DIR` or `~/.toolpath`) count too, those that speak of a workspace folder or of a repository that it was cloned from.", boolean(func(s *Settings) *bool { return &s.Sources.Cache })},
	{"sources.files", "[]", "Globs of JSON files below the workspace folders that are read as documents if their content says that they are, such as `[\"sessions/**/*.json\"]`. `**/*.path.json` and `**/*.path.jsonl` always are.", sourceFiles},
	{"sources.live", "\"\"", "Absolute path of a folder in which `track-*.path.jsonl` grow while they are written, such as the folder for temporary files; those that speak of a workspace folder are followed. `\"\"`: none.", liveFolder},
	{"limits.fileSize", "67108864", "Size in bytes over which a document is not read (one finding says so) and nobody is named for the lines of a source file (its hovers say so).", fileSize},
	{"privacy.patterns", "[]", "Regular expressions (RE2) for what a document that is to be shared should not have, such as `[\"[a-z]+\\\\.corp\\\\.example\\\\.com\"]`; the rule TP7003 reports what they match. TP7001 (home directories) and TP7002 (tokens and keys) are turned on with severity.", privacyPatterns},
	{"review.actor", `""`, "Who you are in the record when you mark lines of agents as reviewed, such as `\"human:alex\"`. With it there is a code action that does so: it adds a step to the document.", reviewActor},
	{"signing.key", `""`, "The key that signs a step or a path for you, as `toolpath-ls sign --key` takes it: `\"~/.ssh/id_ed25519\"` or `\"gpg:FINGERPRINT\"`. With it there is a code action that signs.", signingKey},
	{"trust.keys", "[]", "Files and folders with public keys that verify signatures, beside GnuPG's keyring, `~/.ssh` and `.toolpath/keys`: OpenPGP certificates, SSH public keys, `allowed_signers`, a Sigstore `trusted_root.json`. Absolute, or below your home as `~/…`.", trustKeys},
	{"severity", "{}", "Severity of rules, by id or name: `{\"TP2003\": \"error\", \"actor-form\": \"off\"}`; one of error, warning, information, hint, off.", nil},
}

func boolean(field func(*Settings) *bool) func(*Settings, jsontext.Value) error {
	return func(s *Settings, v jsontext.Value) error {
		if k := v.Kind(); k != 't' && k != 'f' {
			return fmt.Errorf("must be true or false, not %s", clip(v, 40))
		}
		*field(s) = v.Kind() == 't'
		return nil
	}
}

// hints says where the hints are that name who wrote lines.
type hints uint8

const (
	hintsOff hints = iota
	hintsLine
	hintsRun
)

func inlayHints(s *Settings, v jsontext.Value) error {
	switch string(v) {
	case `"off"`, "false":
		s.BlameHints = hintsOff
	case `"line"`:
		s.BlameHints = hintsLine
	case `"run"`, "true":
		s.BlameHints = hintsRun
	default:
		return fmt.Errorf(`must be "off", "line" or "run", not %s`, clip(v, 40))
	}
	return nil
}

func ignoredActors(s *Settings, v jsontext.Value) error {
	var patterns []string
	if err := json.Unmarshal(v, &patterns); err != nil {
		return fmt.Errorf(`must be a list of patterns such as ["tool:*"], not %s`, clip(v, 40))
	}
	ignore, err := analysis.NewIgnore(patterns)
	if err != nil {
		return fmt.Errorf("has a pattern that cannot be used: %w", err)
	}
	s.Ignore = ignore
	return nil
}

func sourceFiles(s *Settings, v jsontext.Value) error {
	const most = 100
	var patterns []string
	if err := json.Unmarshal(v, &patterns); err != nil || len(patterns) > most {
		return fmt.Errorf("must be a list of at most %d globs, not %s", most, clip(v, 40))
	}
	var globs []glob.Glob
	for _, p := range patterns {
		g, err := glob.NewArtifactGlob(p)
		if err != nil {
			return fmt.Errorf("has a glob that cannot be read, %s: %w", clip([]byte(p), 40), err)
		}
		globs = append(globs, g)
	}
	s.Sources.Files = globs
	return nil
}

func liveFolder(s *Settings, v jsontext.Value) error {
	var folder string
	if err := json.Unmarshal(v, &folder); err != nil || folder != "" && !filepath.IsAbs(folder) || strings.HasPrefix(filepath.ToSlash(folder), "//") {
		return fmt.Errorf("must be the absolute path of a folder of this machine, or \"\", not %s", clip(v, 40))
	}
	s.Sources.Live = folder
	return nil
}

func fileSize(s *Settings, v jsontext.Value) error {
	const least, most = 1 << 10, 1 << 30
	var n float64
	if err := json.Unmarshal(v, &n); err != nil || n < least || n > most {
		return fmt.Errorf("must be a number of bytes from %d to %d, not %s", least, most, clip(v, 40))
	}
	s.FileSize = int(n)
	return nil
}

func privacyPatterns(s *Settings, v jsontext.Value) error {
	const most, longest = 100, 1000 // patterns, and bytes of each
	var patterns []string
	if err := json.Unmarshal(v, &patterns); err != nil {
		return fmt.Errorf("must be a list of regular expressions, not %s", clip(v, 40))
	}
	if len(patterns) > most {
		return fmt.Errorf("has %d patterns; at most %d are looked for", len(patterns), most)
	}
	var compiled []*regexp.Regexp
	for _, p := range patterns {
		re, err := regexp.Compile(p)
		if err != nil || len(p) > longest {
			return fmt.Errorf("has a pattern that is no regular expression of RE2 with at most %d bytes: %s", longest, clip([]byte(p), 40))
		}
		compiled = append(compiled, re)
	}
	s.PrivacyPatterns = compiled
	return nil
}

func trustKeys(s *Settings, v jsontext.Value) error {
	const most = 100
	var names []string
	if err := json.Unmarshal(v, &names); err != nil || len(names) > most {
		return fmt.Errorf("must be a list of at most %d files and folders, not %s", most, clip(v, 40))
	}
	for _, name := range names {
		if !strings.HasPrefix(name, "~/") && !filepath.IsAbs(name) {
			return fmt.Errorf("has %s, which is neither absolute nor begins with ~/", clip([]byte(name), 80))
		}
	}
	s.TrustKeys = names
	return nil
}

func signingKey(s *Settings, v jsontext.Value) error {
	if err := json.Unmarshal(v, &s.SigningKey); err != nil {
		return fmt.Errorf("must be the name of a key or of its file, not %s", clip(v, 40))
	}
	return nil
}

func reviewActor(s *Settings, v jsontext.Value) error {
	var actor string
	if err := json.Unmarshal(v, &actor); err != nil || actor != "" && toolpath.ActorKind(actor) != "human" {
		return fmt.Errorf("must be a human, such as \"human:alex\", not %s", clip(v, 40))
	}
	s.ReviewActor = actor
	return nil
}

// ruleSeverity reads one member of the setting severity.
func ruleSeverity(s *Settings, rule string, v jsontext.Value) error {
	var name string
	severity, ok := analysis.Off, false
	if json.Unmarshal(v, &name) == nil {
		severity, ok = analysis.ParseSeverity(name)
	}
	if !ok {
		return fmt.Errorf("must be error, warning, information, hint or off, not %s", clip(v, 40))
	}
	if s.Severity == nil {
		s.Severity = map[string]analysis.Severity{}
	}
	s.Severity[rule] = severity
	return nil
}

// decodeSettings reads settings over the defaults. Keys may be nested or dotted. What
// cannot be used is left at its default and described in problems, one line each.
func decodeSettings(raw jsontext.Value) (s Settings, problems []string) {
	s = defaultSettings()
	if len(raw) == 0 || raw.Kind() == 'n' {
		return s, nil
	}
	walkSettings("", raw, 0, func(key string, v jsontext.Value) {
		if rule, ok := strings.CutPrefix(key, "severity."); ok {
			if err := ruleSeverity(&s, rule, v); err != nil {
				problems = append(problems, fmt.Sprintf("%s.%s %v", section, key, err))
			}
			return
		}
		i := slices.IndexFunc(settingKeys, func(k Setting) bool { return k.Key == key && k.set != nil })
		if i < 0 {
			problems = append(problems, unknownKey(key))
			return
		}
		if err := settingKeys[i].set(&s, v); err != nil {
			problems = append(problems, fmt.Sprintf("%s.%s %v", section, key, err))
		}
	})
	return s, problems
}

// walkSettings calls leaf for each member that is not itself a group of settings.
func walkSettings(prefix string, v jsontext.Value, depth int, leaf func(string, jsontext.Value)) {
	var members map[string]jsontext.Value
	if v.Kind() != '{' || depth > 8 || json.Unmarshal(v, &members, lenient) != nil {
		leaf(prefix, v)
		return
	}
	keys := make([]string, 0, len(members))
	for k := range members {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		if v := members[k]; v.Kind() != 'n' {
			walkSettings(strings.TrimPrefix(prefix+"."+k, "."), v, depth+1, leaf)
		}
	}
}

func unknownKey(key string) string {
	best, distance := "", 4
	for _, k := range settingKeys {
		if d := editDistance(strings.ToLower(key), strings.ToLower(k.Key)); d < distance {
			best, distance = k.Key, d
		}
	}
	text := fmt.Sprintf("there is no setting %s.%s", section, clip([]byte(key), 80))
	if best != "" {
		text += fmt.Sprintf("; did you mean %s.%s?", section, best)
	}
	return text
}

// editDistance counts the insertions, deletions and replacements of bytes between two
// short strings. Long ones are 1000 apart.
func editDistance(a, b string) int {
	if len(a) > 100 || len(b) > 100 {
		return 1000
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// configure takes settings from where they came, tells problems once, and has
// everything shown anew if something changed.
func (s *session) configure(from string, raw jsontext.Value) {
	next, problems := decodeSettings(raw)
	for _, p := range problems {
		if s.told.first(p) {
			s.log.Warn("setting ignored", "from", from, "problem", p)
		}
	}
	before := s.settings.Swap(&next)
	if before.equal(&next) {
		return
	}
	if !before.Sources.equal(&next.Sources) && s.phase() == initialized {
		s.registerWatchers()
		s.loading.load()
	}
	s.configured.Add(1)
	s.refreshProvenance()
	if before.checksAs(&next) {
		return
	}
	s.changeOptions(func(o *analysis.Options) {
		o.Severity, o.MaxFileSize, o.PrivacyPatterns = next.Severity, next.FileSize, next.PrivacyPatterns
	})
	if !slices.Equal(before.TrustKeys, next.TrustKeys) {
		s.keys.again()
	}
	s.recheck()
	s.refreshDiagnostics()
}

// refreshProvenance has the client ask again for what it shows at the lines of files.
func (s *session) refreshProvenance() {
	if w := s.clientCaps.Workspace; w != nil {
		if w.CodeLens != nil && isTrue(w.CodeLens.RefreshSupport) {
			s.client.refresh(protocol.MethodWorkspaceCodeLensRefresh)
		}
		if w.InlayHint != nil && isTrue(w.InlayHint.RefreshSupport) {
			s.client.refresh(protocol.MethodWorkspaceInlayHintRefresh)
		}
	}
}

// askConfiguration asks the client for the settings, if it keeps some.
func (s *session) askConfiguration() {
	w := s.clientCaps.Workspace
	if w == nil || !isTrue(w.Configuration) {
		return
	}
	s.client.post(protocol.MethodWorkspaceConfiguration, func(ctx context.Context, c *client) error {
		var answer []jsontext.Value
		params := &protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{{Section: new(section)}}}
		if err := c.call(ctx, protocol.MethodWorkspaceConfiguration, params, &answer); err != nil {
			return err
		}
		if len(answer) == 1 && answer[0].Kind() == '{' {
			s.configure(protocol.MethodWorkspaceConfiguration, answer[0])
		}
		return nil
	})
}

// didChangeConfiguration takes the settings that the client pushes, or asks for them.
func didChangeConfiguration(_ context.Context, s *session, p *protocol.DidChangeConfigurationParams) error {
	if w := s.clientCaps.Workspace; w != nil && isTrue(w.Configuration) {
		s.askConfiguration()
		return nil
	}
	var all map[string]jsontext.Value
	if len(p.Settings) == 0 || json.Unmarshal(p.Settings, &all, lenient) != nil {
		return nil
	}
	if own, ok := all[section]; ok {
		s.configure("workspace/didChangeConfiguration", own.Clone())
	}
	return nil
}
