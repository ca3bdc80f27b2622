package provenance

import "strings"

// RenameSimilarity is the percentage from which git calls a file that is deleted
// and another one that is created in the same step a rename.
const RenameSimilarity = 50

// Similarity is the share of the longer content, in percent of its bytes, whose
// lines are in the other one too, in whatever order. A producer without renames
// (the git deriver) writes a deletion and a creation; where they are similar, the
// caller continues the lineage of the deleted file: the creation, with
// [Edit].Creates and without the deletion, is its next edit, and unchanged lines
// keep their authors.
func Similarity(a, b string) int {
	if a == b {
		return 100
	}
	lines := map[string]int{}
	for line := range strings.Lines(a) {
		lines[line]++
	}
	common := 0
	for line := range strings.Lines(b) {
		if lines[line] > 0 {
			lines[line]--
			common += len(line)
		}
	}
	return common * 100 / max(len(a), len(b))
}
