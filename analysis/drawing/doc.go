// Package drawing draws the steps of a path: as a page to look around in, as SVG and as DOT.
//
// Terms: a step has a row, the newest in row 0, so that parents are below their children. It
// stands in a lane, numbered from the left; lane 0 is the main line, the chain of first
// parents from the head, and nothing else is in it. Every other lane holds branches and dead
// ends, each straight. An edge leads from a step down to a parent; it runs along one lane
// and bends to the lanes of its two steps at its ends.
package drawing
