package schema

import (
	"bytes"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Def names the shape of a unit.
type Def uint8

const (
	// Document is a whole .path.json document, paths and steps included.
	Document Def = iota
	// Graph is the root of a document. The entries of its paths are not looked
	// at.
	Graph
	// Path is an entry of a graph's paths: a reference if it has the key $ref,
	// else an inline path. The items of its steps are not looked at.
	Path
	// Step is an item of a path's steps and the body of a Step line.
	Step

	GraphMeta
	PathMeta
	StepMeta
	ArtifactChange
	ActorDefinition
	Signature

	// Line is a whole line of a .path.jsonl stream.
	Line
	// PathOpenBody and the next are the bodies of a line's variants; the body
	// of a Step line is a Step.
	PathOpenBody
	ActorDefBody
	SignatureBody
	PathMetaBody
	HeadBody
	PathCloseBody

	// SessionMeta and the next are parts of a path of the kind agent-coding-session:
	// its meta, and structural perspectives. See [Session].
	SessionMeta
	Turn100
	Turn
	FileWrite
	SessionEvent
	Compaction

	pathRef
	numDefs
)

const (
	documentFile = "toolpath.schema.json"
	streamFile   = "toolpath-jsonl.schema.json"
	sessionFile  = "agent-coding-session.schema.json"
	// fileBase is what the $id of each schema file begins with.
	fileBase = "https://raw.githubusercontent.com/toolpath-ls/toolpath-ls/main/analysis/schema/"
)

var files = []string{documentFile, streamFile, sessionFile}

// locations holds for each Def the file and the name under $defs.
var locations = [numDefs]struct{ file, name string }{
	Document:        {documentFile, "graph"},
	Graph:           {documentFile, "graph"},
	Path:            {documentFile, "path"},
	pathRef:         {documentFile, "pathRef"},
	Step:            {documentFile, "step"},
	GraphMeta:       {documentFile, "graphMeta"},
	PathMeta:        {documentFile, "pathMeta"},
	StepMeta:        {documentFile, "stepMeta"},
	ArtifactChange:  {documentFile, "artifactChange"},
	ActorDefinition: {documentFile, "actorDefinition"},
	Signature:       {documentFile, "signature"},
	Line:            {streamFile, "line"},
	PathOpenBody:    {streamFile, "pathOpen"},
	ActorDefBody:    {streamFile, "actorDef"},
	SignatureBody:   {streamFile, "signatureLine"},
	PathMetaBody:    {streamFile, "pathMetaLine"},
	HeadBody:        {streamFile, "head"},
	PathCloseBody:   {streamFile, "pathClose"},
	SessionMeta:     {sessionFile, "sessionMeta"},
	Turn100:         {sessionFile, "turn100"},
	Turn:            {sessionFile, "turn"},
	FileWrite:       {sessionFile, "fileWrite"},
	SessionEvent:    {sessionFile, "event"},
	Compaction:      {sessionFile, "compaction"},
}

// variants lists the variants of a line in the order in which a stream has
// them, with the shape of their bodies.
var variants = []struct {
	name string
	body Def
}{
	{"PathOpen", PathOpenBody},
	{"Step", Step},
	{"ActorDef", ActorDefBody},
	{"Signature", SignatureBody},
	{"PathMeta", PathMetaBody},
	{"Head", HeadBody},
	{"PathClose", PathCloseBody},
}

// Body returns the shape of the body of a line's variant, or false if there is
// no such variant.
func Body(variant string) (Def, bool) {
	for _, v := range variants {
		if v.name == variant {
			return v.body, true
		}
	}
	return 0, false
}

// compiled returns the validator of each Def, compiled once from the schemas
// without the items of paths and of steps: units are validated one by one.
var compiled = sync.OnceValue(func() [numDefs]*jsonschema.Schema {
	c := newCompiler(func(file string, doc any) {
		if file == documentFile {
			dropItems(doc, "graph", "paths")
			dropItems(doc, "path", "steps")
		}
	})
	var out [numDefs]*jsonschema.Schema
	for def, at := range locations {
		out[def] = c.MustCompile(fileBase + at.file + "#/$defs/" + at.name)
	}
	return out
})

// newCompiler returns a compiler that knows the schema files, each as edit
// leaves it. It loads nothing else. Broken files are a fault of the build,
// hence the panics.
func newCompiler(edit func(file string, doc any)) *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.UseLoader(jsonschema.SchemeURLLoader{})
	for _, file := range files {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(source(file)))
		if err != nil {
			panic(err)
		}
		edit(file, doc)
		if err := c.AddResource(fileBase+file, doc); err != nil {
			panic(err)
		}
	}
	return c
}

func source(file string) []byte {
	b, err := Files.ReadFile(file)
	if err != nil {
		panic(err)
	}
	return b
}

// dropItems removes the shape of the items of a list property.
func dropItems(doc any, def, property string) {
	for _, key := range strings.Fields("$defs " + def + " properties " + property) {
		doc = doc.(map[string]any)[key]
	}
	delete(doc.(map[string]any), "items")
}
