package analysis

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolpath-ls/toolpath-ls/analysis/entity"
	"github.com/toolpath-ls/toolpath-ls/analysis/jsonsrc"
	"github.com/toolpath-ls/toolpath-ls/analysis/udiff"
)

// Syntax reads source files by their grammars. Package structural implements it.
type Syntax interface {
	// Language is what operations call the language of a file, as in "rust.add_items"; "" if
	// there is no grammar for it.
	Language(file, source string) string
	// Entities lists the definitions of a source. It is bounded in time and memory; the
	// error says why there are none to be had.
	Entities(file, source string) (entity.File, error)
	// Reading says how a source is read, and what follows from that.
	Reading(file, source string) Reading
}

var errNoGrammar = errors.New("there is no grammar for the file's language")

// Structure is what happened to the definitions of the files of a step, or between two
// steps.
type Structure struct {
	Before, After []entity.File
	Changes       []entity.Change

	old, new  entity.Sources
	languages map[string]string
	// Unread says, by artifact, why a file could not be compared.
	Unread map[string]error
}

// Operation is the structural operation that an artifact's changes amount to; false if
// none of its definitions changed.
func (s *Structure) Operation(artifact string) (entity.Operation, bool) {
	return entity.Operations(s.languages[artifact], artifact, s.Changes, s.Before, s.After, s.old, s.new)
}

// Of returns the changes whose new version, or old one for what was removed, is in the
// artifact.
func (s *Structure) Of(artifact string) []entity.Change {
	var own []entity.Change
	for _, c := range s.Changes {
		if c.In(s.Before, s.After) == artifact {
			own = append(own, c)
		}
	}
	return own
}

// maxStructureFiles bounds the files of one step whose definitions are compared.
const maxStructureFiles = 200

// StructureOf compares the files of a step before and after it.
func (s *Snapshot) StructureOf(r StepRef, done func() bool) (*Structure, []Need) {
	return s.structureOf(r, func(string) bool { return true }, done)
}

// structureFor is StructureOf for a reader of one artifact, who does not wait for the other
// files if there are many: what moved to or from them is then new or gone.
func (s *Snapshot) structureFor(r StepRef, artifact string, done func() bool) (*Structure, []Need) {
	const many = 8
	n := 0
	for range r.At().Value(r.At().Nodes.Change).Members() {
		n++
	}
	return s.structureOf(r, func(key string) bool { return n <= many || key == artifact }, done)
}

func (s *Snapshot) structureOf(r StepRef, wanted func(artifact string) bool, done func() bool) (*Structure, []Need) {
	st := newStructure()
	var needs []Need
	files := 0
	for key, change := range r.At().Value(r.At().Nodes.Change).Members() {
		artifact := key.Text()
		if !changesText(change) || s.language(artifact, "") == "" || !wanted(artifact) {
			continue
		}
		if files++; files > maxStructureFiles || done != nil && done() {
			st.Unread[artifact] = fmt.Errorf("of more than %d files of a step the definitions are not compared", maxStructureFiles)
			break
		}
		needs = append(needs, s.compare(st, artifact, func() (old, new string, needs []Need, err error) {
			if !r.creates(key, change) {
				old, needs, err = s.TextBefore(r, artifact, done)
			}
			if needs != nil || err != nil {
				return "", "", needs, err
			}
			new, needs, err = s.TextAfter(r, artifact, done)
			return old, new, needs, err
		})...)
	}
	st.Changes = entity.Compare(st.Before, st.After)
	return st, needs
}

// StructureBetween compares one file after two steps.
func (s *Snapshot) StructureBetween(from, to StepRef, artifact string, done func() bool) (*Structure, []Need) {
	st := newStructure()
	needs := s.compare(st, artifact, func() (old, new string, needs []Need, err error) {
		old, needs, err = s.TextAt(from, artifact, done)
		if needs != nil || err != nil {
			return "", "", needs, err
		}
		new, needs, err = s.TextAt(to, artifact, done)
		return old, new, needs, err
	})
	st.Changes = entity.Compare(st.Before, st.After)
	return st, needs
}

func newStructure() *Structure {
	return &Structure{old: entity.Sources{}, new: entity.Sources{}, languages: map[string]string{}, Unread: map[string]error{}}
}

// creates says that the file was not there before the step, by what the step says.
func (r StepRef) creates(key, value jsonsrc.Value) bool {
	t := &r.Doc.changes()[r.Path.Index]
	if e, ok := t.edit(change{step: r.Step, key: key, value: value}); ok && e.Creates {
		return true
	}
	d := udiff.Parse(value.Get("raw").Text())
	return len(d.Sections) > 0 && d.Sections[0].Creates
}

// changesText says whether an artifact change is about the text of a file.
func changesText(change jsonsrc.Value) bool {
	return change.Get("raw").Kind() == jsonsrc.String || change.Get("structural").Get("type").Is("file.write")
}

func (s *Snapshot) language(file, source string) string {
	if s.Options.Syntax == nil {
		return ""
	}
	return s.Options.Syntax.Language(file, source)
}

// compare adds the two versions of an artifact.
func (s *Snapshot) compare(st *Structure, artifact string, texts func() (old, new string, needs []Need, err error)) []Need {
	old, new, needs, err := texts()
	if needs != nil {
		return needs
	}
	st.old[artifact], st.new[artifact] = old, new
	if st.languages[artifact] = s.language(artifact, new); err == nil && st.languages[artifact] == "" {
		err = errNoGrammar
	}
	var before, after entity.File
	if err == nil {
		before, err = s.Options.Syntax.Entities(artifact, old)
	}
	if err == nil {
		after, err = s.Options.Syntax.Entities(artifact, new)
	}
	if err != nil {
		st.Unread[artifact] = err
		return nil
	}
	st.Before, st.After = append(st.Before, before), append(st.After, after)
	return nil
}

// EntityAt is an entity in one version of its file; its lines count from 0, both ends
// included.
type EntityAt struct {
	Entity             *entity.Entity
	File               string
	StartLine, EndLine int
}

// Pair returns the entity of a change in the two versions, nil where it is not.
func (s *Structure) Pair(c entity.Change) (before, after *EntityAt) {
	return entityAt(s.Before, c.Before, s.old), entityAt(s.After, c.After, s.new)
}

func entityAt(files []entity.File, r entity.Ref, sources entity.Sources) *EntityAt {
	if r.File < 0 {
		return nil
	}
	f := &files[r.File]
	e, text := &f.Entities[r.Entity], sources[f.Name]
	start := strings.Count(text[:e.Start], "\n")
	return &EntityAt{e, f.Name, start, start + strings.Count(strings.TrimRight(text[e.Start:e.End], "\n"), "\n")}
}

// ArtifactKey is the key under which a step changed the file at an absolute path.
func (s *Snapshot) ArtifactKey(r StepRef, file string) (string, bool) {
	base := baseFolder(r.Path)
	names := s.siteOf(r.Doc).namesOf(s.others.real(file), base)
	for key := range r.At().Value(r.At().Nodes.Change).Members() {
		if slices.Contains(names, artifactName(key.Text(), base)) {
			return key.Text(), true
		}
	}
	return "", false
}
