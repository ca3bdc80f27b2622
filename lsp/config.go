package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
)

// section is the name under which a client keeps the server's settings.
const section = "toolpath"

// Settings is what the user can choose. It is immutable; a change makes a new one.
type Settings struct {
	// Hover answers hovers with provenance.
	Hover bool
	// CodeLens shows one lens at the top of a source file that documents speak of.
	CodeLens bool
	// InlayHints shows who wrote the current line at its end.
	InlayHints bool
	// MaxFileSize is the size in bytes over which a document is not checked.
	MaxFileSize int
}

func defaultSettings() Settings {
	return Settings{Hover: true, CodeLens: true, InlayHints: false, MaxFileSize: 64 << 20}
}

// Setting is one key of the settings, for the server and for the generated page.
type Setting struct {
	Key string // dotted, below "toolpath"
	Doc string
	set func(*Settings, jsontext.Value) error
}

// SettingKeys lists all settings in the order of the documentation.
func SettingKeys() []Setting { return slices.Clone(settingKeys) }

var settingKeys = []Setting{
	{"hover.enable", "Show provenance when hovering.", boolean(func(s *Settings) *bool { return &s.Hover })},
	{"codeLens.enable", "Show a lens with the actors at the top of a source file.", boolean(func(s *Settings) *bool { return &s.CodeLens })},
	{"inlayHints.enable", "Show who wrote the current line at its end.", boolean(func(s *Settings) *bool { return &s.InlayHints })},
	{"maxFileSize", "Size in MB over which a document is not checked.", megabytes(func(s *Settings) *int { return &s.MaxFileSize })},
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

func megabytes(field func(*Settings) *int) func(*Settings, jsontext.Value) error {
	return func(s *Settings, v jsontext.Value) error {
		var mb float64
		if err := json.Unmarshal(v, &mb); err != nil || !(mb > 0 && mb <= 4096) {
			return fmt.Errorf("must be a number of MB from 0 to 4096, not %s", clip(v, 40))
		}
		*field(s) = int(mb * (1 << 20))
		return nil
	}
}

// decodeSettings reads settings over the defaults. Keys may be nested or dotted. What
// cannot be used is left at its default and described in problems, one line each.
func decodeSettings(raw jsontext.Value) (s Settings, problems []string) {
	s = defaultSettings()
	if len(raw) == 0 || raw.Kind() == 'n' {
		return s, nil
	}
	walkSettings("", raw, 0, func(key string, v jsontext.Value) {
		i := slices.IndexFunc(settingKeys, func(k Setting) bool { return k.Key == key })
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
	if *before == next {
		return
	}
	s.recheck()
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
