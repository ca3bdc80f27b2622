package lsp

import (
	"context"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/toolpath-ls/toolpath-ls/analysis"
)

// The commands of workspace/executeCommand. Those that ask for a step take one argument, a
// place, {textDocument: {uri}, position}, or a [stepArgument], and answer a Location, a list of
// them, or null. At a place in a source file, also one as of a step, the step is the one that
// wrote the line.
const (
	commandStep       = "toolpath.step"
	commandParentStep = "toolpath.parentStep"
	commandChildSteps = "toolpath.childSteps"
	commandHeadStep   = "toolpath.headStep"
	// commandShowSteps is that of the lens. A client that has a better view of steps
	// handles it itself; else the server has the last step shown.
	commandShowSteps = "toolpath.showSteps"
	// commandShow has the client show a place, {uri, range?}; a virtual document too.
	commandShow = "toolpath.show"
	// commandContent answers the text of a virtual document, {text}, for clients that do
	// not know workspace/textDocumentContent.
	commandContent = "toolpath.content"
	// commandStepDiff and commandFileAtStep answer the URIs of virtual documents: of what
	// the step did, and of a file as of the step.
	commandStepDiff   = "toolpath.stepDiff"
	commandFileAtStep = "toolpath.fileAtStep"
	// commandNextUnreviewed and commandPreviousUnreviewed have the client show the next run
	// of lines that an agent wrote and that no human has touched since, and answer its place.
	commandNextUnreviewed     = "toolpath.nextUnreviewed"
	commandPreviousUnreviewed = "toolpath.previousUnreviewed"
	// commandPreviousTouch and commandNextTouch have the client show the file as the step
	// before or after left it that touched the line at a place.
	commandPreviousTouch = "toolpath.previousTouch"
	commandNextTouch     = "toolpath.nextTouch"
	// commandDeleted has the client show what once stood above the line at a place.
	commandDeleted = "toolpath.deletedLines"
	// commandFileBeforeStep answers the URI of the file at a place as it was before the step
	// that wrote the line, and where in it the line was.
	commandFileBeforeStep = "toolpath.fileBeforeStep"
	// commandGraph answers a drawing of a document's steps.
	commandGraph = "toolpath.graph"
	// commandDocuments answers the documents of the workspace.
	commandDocuments = "toolpath.documents"
	// commandReading tells by which grammar a source file is read, and why by none.
	commandReading = "toolpath.reading"
)

var commands = map[string]func(ctx context.Context, s *session, snap *analysis.Snapshot, arg protocol.LSPAny) (any, error){
	commandStep:               step,
	commandParentStep:         parentStep,
	commandChildSteps:         childSteps,
	commandHeadStep:           headStep,
	commandShowSteps:          showSteps,
	commandShow:               show,
	commandContent:            contentCommand,
	commandStepDiff:           stepDiff,
	commandFileAtStep:         fileAtStep,
	commandNextUnreviewed:     nextUnreviewed,
	commandPreviousTouch:      previousTouch,
	commandNextTouch:          nextTouch,
	commandFileBeforeStep:     fileBeforeStep,
	commandPreviousUnreviewed: previousUnreviewed,
	commandGraph:              graph,
	commandDocuments:          workspaceDocuments,
	commandSign:               sign,
	commandDeleted:            showDeleted,
	commandMarkReviewed:       markReviewed,
	commandReading:            showReading,
}

func commandNames() []string {
	return slices.Sorted(maps.Keys(commands))
}

// executeCommand runs one of the server's commands (LSP 3.18, workspace/executeCommand).
func executeCommand(ctx context.Context, s *session, snap *analysis.Snapshot, p *protocol.ExecuteCommandParams) (any, error) {
	run, ok := commands[p.Command]
	if !ok {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "there is no command %q", clip([]byte(p.Command), 80))
	}
	if len(p.Arguments) != 1 {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "the command %s takes one argument, not %d", p.Command, len(p.Arguments))
	}
	return run(ctx, s, snap, p.Arguments[0])
}

// placeArgument is a position in a document.
type placeArgument struct {
	TextDocument struct {
		URI string `json:"uri"`
	} `json:"textDocument"`
	Position positionJSON `json:"position"`
}

func decodePlace(arg protocol.LSPAny) (p placeArgument, err error) {
	if err := json.Unmarshal(arg, &p, lenient); err != nil {
		return p, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "the argument: %v", err)
	}
	return p, nil
}

// place decodes a placeArgument; doc is nil if the document is not open.
func (s *session) place(snap *analysis.Snapshot, arg protocol.LSPAny) (doc *analysis.Document, off int, err error) {
	p, err := decodePlace(arg)
	if err != nil {
		return nil, 0, err
	}
	return s.placeIn(snap, p)
}

func (s *session) placeIn(snap *analysis.Snapshot, p placeArgument) (doc *analysis.Document, off int, err error) {
	key, err := canonical(p.TextDocument.URI)
	if err != nil {
		return nil, 0, err
	}
	if doc = snap.Document(key); doc == nil {
		return nil, 0, nil
	}
	return doc, s.offset(doc.Text, position(p.Position)), nil
}

// namedStep returns the step that a [stepArgument] names, nil if the argument is a place or
// the step is not there.
func (s *session) namedStep(ctx context.Context, arg protocol.LSPAny) (r *analysis.StepRef, named stepArgument, err error) {
	if err := json.Unmarshal(arg, &named, lenient); err != nil {
		return nil, named, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "the argument: %v", err)
	}
	if named.Document == "" {
		return nil, named, nil
	}
	key, err := canonical(named.Document)
	if err != nil {
		return nil, named, err
	}
	found, ok, err := s.findStep(ctx, stepData{key, named.Path, named.Step})
	if !ok || err != nil {
		return nil, named, err
	}
	return &found, named, nil
}

// subject is the file that the step of an argument is looked at for.
type subject struct {
	// artifact is a key of the step's path or, of a source file, its path; "" for no file.
	artifact string
	// now is the URI of a source file as it is, "" if the file is not known as one.
	now string
	// prov tells of the source file; nil if nothing was read yet. line is one of its lines.
	prov *analysis.Provenance
	line int
}

// stepOfArgument returns the step that an argument names or that is at its place.
func (s *session) stepOfArgument(ctx context.Context, snap *analysis.Snapshot, arg protocol.LSPAny) (*analysis.StepRef, subject, error) {
	if r, named, err := s.namedStep(ctx, arg); err != nil || named.Document != "" {
		if r == nil || err != nil {
			return nil, subject{}, err
		}
		of, err := s.subjectOf(ctx, &named)
		return r, of, err
	}
	if r, of, isSource, err := s.writerOf(ctx, snap, arg); isSource || err != nil {
		return r, of, err
	}
	doc, off, err := s.place(snap, arg)
	if doc == nil || err != nil {
		return nil, subject{}, err
	}
	r, ok := doc.StepAt(off)
	if !ok {
		return nil, subject{}, nil
	}
	of := subject{artifact: doc.ArtifactAt(off)}
	if changes, n := analysis.ChangesOf(r.At(), 1); of.artifact == "" && n == 1 {
		of.artifact = changes[0].Artifact
	}
	return &r, of, nil
}

// step answers where a step is.
func step(ctx context.Context, s *session, snap *analysis.Snapshot, arg protocol.LSPAny) (any, error) {
	r, _, err := s.stepOfArgument(ctx, snap, arg)
	if r == nil || err != nil {
		return nil, err
	}
	return new(s.stepLocation(*r)), nil
}

// parentStep answers where the first parent of a step is; of a place in a source file the
// step itself, which is where the line came from.
func parentStep(ctx context.Context, s *session, snap *analysis.Snapshot, arg protocol.LSPAny) (any, error) {
	named, argument, err := s.namedStep(ctx, arg)
	if err != nil || named == nil && argument.Document != "" {
		return nil, err
	}
	if named == nil {
		if r, _, isSource, err := s.writerOf(ctx, snap, arg); isSource || err != nil {
			if r == nil || err != nil {
				return nil, err
			}
			return new(s.stepLocation(*r)), nil
		}
		doc, off, err := s.place(snap, arg)
		if doc == nil || err != nil {
			return nil, err
		}
		r, ok := doc.StepNear(off)
		if !ok {
			return nil, nil
		}
		named = &r
	}
	r := *named
	parents, err := ask(ctx, s, s.work.Snapshot(), func(snap *analysis.Snapshot) ([]analysis.StepRef, []analysis.Need) { return snap.Parents(r) })
	if len(parents) == 0 || err != nil {
		return nil, err
	}
	return new(s.stepLocation(parents[0])), nil
}

// stepLocation returns where the id of a step is.
func (s *session) stepLocation(r analysis.StepRef) protocol.Location {
	v := r.At().IDValue()
	return s.location(analysis.Location{Doc: r.Doc, Start: v.Start(), End: v.End()})
}

func (s *session) locationOrNull(l analysis.Location, ok bool) any {
	if !ok {
		return nil
	}
	return new(s.location(l))
}

func childSteps(ctx context.Context, s *session, snap *analysis.Snapshot, arg protocol.LSPAny) (any, error) {
	all := []protocol.Location{}
	r, _, isSource, err := s.writerOf(ctx, snap, arg)
	if err != nil {
		return nil, err
	}
	if !isSource {
		doc, off, err := s.place(snap, arg)
		if doc == nil || err != nil {
			return nil, err
		}
		if near, ok := doc.StepNear(off); ok {
			r = &near
		}
	}
	if r == nil {
		return all, nil
	}
	s.awaitLoad(ctx)
	children, err := ask(ctx, s, s.work.Snapshot(), func(snap *analysis.Snapshot) ([]analysis.StepRef, []analysis.Need) { return snap.Children(*r) })
	for _, child := range children {
		all = append(all, s.stepLocation(child))
	}
	return all, err
}

func headStep(ctx context.Context, s *session, snap *analysis.Snapshot, arg protocol.LSPAny) (any, error) {
	if r, _, isSource, err := s.writerOf(ctx, snap, arg); isSource || err != nil {
		if r == nil || r.Path.DAG().Head < 0 || err != nil {
			return nil, err
		}
		return new(s.stepLocation(analysis.StepRef{Doc: r.Doc, Path: r.Path, Step: r.Path.DAG().Head})), nil
	}
	doc, off, err := s.place(snap, arg)
	if doc == nil || err != nil {
		return nil, err
	}
	l, ok := doc.HeadStep(off)
	return s.locationOrNull(l, ok), nil
}

// showSteps has the client show the last step of the lens that was clicked.
func showSteps(_ context.Context, s *session, _ *analysis.Snapshot, arg protocol.LSPAny) (any, error) {
	var p showStepsArgument
	if err := json.Unmarshal(arg, &p, lenient); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "the argument: %v", err)
	}
	if len(p.Steps) == 0 {
		return nil, nil
	}
	if l := p.Steps[len(p.Steps)-1].Location; l != nil {
		s.showDocument(l.URI, &l.Range)
	}
	return p.Steps, nil
}

// showArgument is the argument of the command toolpath.show.
type showArgument struct {
	URI   string     `json:"uri"`
	Range *rangeJSON `json:"range,omitempty"`
}

func rangeOf(r protocol.Range) *rangeJSON {
	return &rangeJSON{positionJSON{r.Start.Line, r.Start.Character}, positionJSON{r.End.Line, r.End.Character}}
}

// show has the client show a place, and answers the argument for one that cannot.
func show(_ context.Context, s *session, _ *analysis.Snapshot, arg protocol.LSPAny) (any, error) {
	var p showArgument
	if err := json.Unmarshal(arg, &p, lenient); err != nil || p.URI == "" {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "the argument must be {uri, range?}")
	}
	s.showDocument(p.URI, p.Range)
	return p, nil
}

// showDocument has the client show a place, if it can.
func (s *session) showDocument(name string, r *rangeJSON) {
	w := s.clientCaps.Window
	if w == nil || w.ShowDocument == nil || !w.ShowDocument.Support {
		return
	}
	params := &protocol.ShowDocumentParams{URI: uri.URI(name), TakeFocus: new(true)}
	if r != nil {
		params.Selection = &protocol.Range{Start: position(r.Start), End: position(r.End)}
	}
	s.client.post(protocol.MethodWindowShowDocument, func(ctx context.Context, c *client) error {
		return c.call(ctx, protocol.MethodWindowShowDocument, params, nil)
	})
}
