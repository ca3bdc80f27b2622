package lineage

import (
	"fmt"
	"strings"
)

// MaxMergedBlob is the size in bytes over which a merged file has no row.
const MaxMergedBlob = 8 << 20

// The prefixes of the step ids of rows that were read from git; the commit follows.
const (
	MergePrefix     = "merge:"
	RunBranchPrefix = "run-branch:"
)

// Commit returns the commit in which the content of a row is found, "" where the row was
// not read from git.
func (r Row) Commit() string {
	for _, prefix := range []string{MergePrefix, RunBranchPrefix} {
		if commit, ok := strings.CutPrefix(r.StepID, prefix); ok {
			return commit
		}
	}
	return ""
}

// MergeResult is what recording a merge came to.
type MergeResult struct {
	Recorded   []string // paths, in git's order
	Oversize   []string // they have more than MaxMergedBlob bytes, and no row
	Unreadable []string // they have no content, such as submodules, and no row
	Seen       int
}

// MergeRowState is what a row that was read from git comes to when git is asked again.
type MergeRowState string

// The states. MergeRowMatches and MergeRowDeleted alone pass.
const (
	MergeRowMatches MergeRowState = "matches"
	MergeRowDeleted MergeRowState = "deleted" // the commit does not have the path, as the row says
	MergeRowDiffers MergeRowState = "differs"
	// MergeRowUnverified: the repository does not have the commit, or cannot read the path.
	MergeRowUnverified MergeRowState = "unverified"
)

// CheckMergeRow compares a row with the content of its path in its commit; exists is false
// where the commit does not have the path. A deletion and an empty file have the same hash.
func CheckMergeRow(r Row, content []byte, exists bool) (MergeRowState, string) {
	if !exists {
		content = nil
	}
	found := ContentHash(content)
	switch {
	case found == r.ContentHash && exists:
		return MergeRowMatches, ""
	case found == r.ContentHash:
		return MergeRowDeleted, ""
	case !exists:
		return MergeRowDiffers, fmt.Sprintf("commit %s does not have %s, and the row has content for it", r.Commit(), r.ArtifactPath)
	}
	return MergeRowDiffers, fmt.Sprintf("%s of commit %s has %s, and the row says %s", r.ArtifactPath, r.Commit(), found, r.ContentHash)
}
