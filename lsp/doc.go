// Package lsp is the only package that knows the Language Server Protocol. It serves one
// client over a byte stream, keeps the client's documents in a workspace of package
// analysis, and turns questions into answers. Its entry is [Serve].
//
// # Terms
//
// A client is the editor. A frame is one message with its header. A notification expects
// no answer, a request does. A query is a request that reads and changes nothing. A
// snapshot is the immutable state of all documents at one moment. A document's key is its
// canonical URI; its spelling is the URI as the client writes it.
//
// # Message loop
//
//	client ─► pump ─► read goroutine ─┬─ inline: lifecycle, synchronization ─► workspace
//	                                  └─ query: snapshot captured ─► goroutine ─► answer
//	workspace ─► diagnoser: waits for quiet, checks the newest snapshot, publishes
//	loader:  reads documents that the client has not opened
//	caller:  requests from the server to the client, one at a time
//	writer:  unbounded outbox ─► client
//
// The library go.lsp.dev/jsonrpc2 gives one goroutine that reads and dispatches in the
// order of the wire. Edits are applied on it, so they cannot overtake each other. A query
// captures its snapshot there as well, before it lets the next message be read: it sees
// exactly the edits that were sent before it.
//
// # What is not so
//
//   - No notification ends the session: an unknown, malformed or failing one is logged.
//   - No panic ends the session: it is answered as an internal error, logged once per
//     place and counted.
//   - No handler waits for the client: what is sent is queued, and what the client is
//     asked for is asked on another goroutine.
//   - No edit is guessed: a change whose range cannot be read takes the document out of
//     sync until the client sends its whole text.
//   - No result is published for a text that the client has changed since.
//   - No string of a message is kept: what is kept is cloned, so that a small piece
//     cannot hold a large message in memory.
//   - No connection is closed by a handler: exit is a signal to Serve.
//
// # Adding a feature
//
// A feature is a file named after its method, one line in the table of [routes], and one
// in [capabilities]:
//
//	{"textDocument/hover", query(hover)},
//
//	func hover(ctx context.Context, s *session, snap *analysis.Snapshot, p *protocol.HoverParams) (*protocol.Hover, error)
//
// A question that may need other documents is asked with ask, which reads them. What the
// analysis does for every step of a document takes cancelled(ctx), and stops when that says
// so.
package lsp
