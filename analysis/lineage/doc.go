// Package lineage reads, verifies and writes artifact lineage: the logs below .sdd/lineage
// in which an orchestrator of agents records who wrote which file, in what run, from what.
// It is pure: it takes bytes, readers and file systems, and returns verdicts, bytes and
// graphs. Who locks, writes and runs git is analysis/repo.
//
// Terms:
//
//   - artifact: what was written, named by an artifact key ([CheckArtifactKey]): a path of
//     the repository or a URI. The spine says artifact_path, the signed log artefact_path.
//   - spine: the log of one run, one row for each write, in order. Each row has the hash of
//     the one before and a tag made with a secret key (spine.go, append.go).
//   - signed log: one log for all runs, one entry for each version of an artifact, which
//     names the entries it was made from as its parents. Each is signed by the agent's key
//     (entry.go, identity.go, signedwrite.go), and a gate checks them all (gate.go).
//   - closure: an entry and all that it was made from (sensitivity.go, activity.go).
//   - verdict: what the logs' own tools answer. What they accept and a careful reader should
//     not is a [Stricter] finding, which never changes the verdict.
//
// Hashes are written "sha256:" and 64 digits of lower-case hex, tags as 64 digits alone.
// Lines count from 1, offsets are bytes from 0.
//
// What is hashed and tagged is described in docs/trust.md. Every way in which a log can be
// malformed leads to a verdict that is not "ok"; none to a panic.
package lineage
