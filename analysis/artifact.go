package analysis

import "github.com/toolpath-ls/toolpath-ls/analysis/toolpath"

// ArtifactName returns the name of the file that an artifact key of a path means, the same
// for every spelling of it: relative to the folder of a file:// base if the file lies below
// it, else as the key has it; "" if the key means no file (RFC "Artifacts").
func ArtifactName(p *toolpath.Path, key string) string {
	return artifactName(key, baseFolder(p))
}
