// Package toolpath is the model of a Toolpath document over the spans of its source.
//
// Terms (RFC "Core Concepts"): a graph holds paths; a path is a DAG of steps on a base; a
// step has an id, parents, an actor and a time, and changes artifacts. parents[0] is the
// main line, every further parent a branch merged in. The head is the step that the path
// has come to; steps that the head does not descend from are dead ends.
//
// The model is built from what parses: a fault in one step leaves the others as they are.
// Two forms hold the same: the canonical ".path.json", a graph, and ".path.jsonl", a
// stream of lines that seals to a graph of one path (facts of the JSONL Streaming RFC).
package toolpath
