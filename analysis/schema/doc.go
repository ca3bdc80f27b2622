// Package schema says whether a decoded JSON value has the shape of a
// Toolpath document or of a part of one, and if not, what is wrong where, in
// words for people.
//
// Terms:
//
//   - A unit is a part that is validated by itself: the root of a document
//     without its paths, a path entry without its steps, a step, one line of a
//     .path.jsonl stream. A [Def] names the shape that a unit must have.
//   - A problem is one fault with one cause. It carries the instance path of
//     the value (or key) it speaks of, relative to the unit.
//   - A cause is the machine-readable reason of a problem. Callers choose the
//     severity by it, or drop the problem because a rule of their own says it
//     better.
//
// The shapes are written in JSON Schema 2020-12 in the files beside this
// one, from the RFC ("Format Specification", "Actors", "Meta Object",
// "Signatures", "Path Parent") and, for lines of a stream, from the facts
// about the JSONL streaming RFC. They use no oneOf or anyOf: what can have
// several shapes is told apart by a key that it has or has not ($ref in a path
// entry, the variant of a line), so that each fault has one message.
//
// The verdict (problems or none) on a document is that of the format's
// published schema, version 0.8.0, with no difference. Where the RFC is
// softer than that schema, the cause lets the caller be softer too:
//
//   - [UnknownScope]: the RFC's list of scopes ends in "etc.", the schema's is
//     closed.
//   - [ActorForm]: the RFC describes the form, and tools that derive documents
//     write others (a model name with a colon, a name in another script).
//   - [DraftField]: fields that drafts of the format had, such as base.commit
//     and parent.relation.
//
// A third file has the shapes of the kind agent-coding-session, one per version. They come
// on top of those that every path has; see [Session]. Their verdict is that of the published
// schemas of the kind.
//
// Formats (date-time, uri) are not checked here; they are rules of their own.
package schema

import "embed"

// Files holds the schemas: toolpath.schema.json, toolpath-jsonl.schema.json and
// agent-coding-session.schema.json.
//
//go:embed toolpath.schema.json toolpath-jsonl.schema.json agent-coding-session.schema.json
var Files embed.FS
