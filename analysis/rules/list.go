// Package rules holds the checks of Toolpath documents, one file each, named after the
// rule's id and name. A rule's Doc is its page in docs/rules.
//
// Ids: TP1xxx syntax, TP2xxx structure and DAG (TP25xx kinds), TP3xxx diffs, TP4xxx actors and
// signatures, TP5xxx projection, TP9xxx limits.
package rules

import "github.com/toolpath-ls/toolpath-ls/analysis"

// All returns every rule, ordered by id.
func All() []*analysis.Rule {
	return []*analysis.Rule{
		syntax,
		duplicateKey,
		deepNesting,
		shape,
		duplicatePathID,
		unknownParent,
		duplicateStepID,
		cycle,
		unknownHead,
		timestampForm,
		childOlderThanParent,
		draftField,
		reservedKey,
		unknownVersion,
		unknownVariant,
		streamOrder,
		noHead,
		signatureTarget,
		blankLine,
		unfinishedLine,
		patchExtra,
		wrongForm,
		refToStream,
		refTarget,
		parentURI,
		parentTarget,
		toolpathBase,
		refHref,
		unreachable,
		duplicateParent,
		redundantParent,
		mergeOrder,
		headBeforeEnd,
		sessionHead,
		emptyPath,
		deadEnd,
		unknownKind,
		kindForm,
		misplacedKind,
		sessionShape,
		groupApart,
		usageNotLast,
		breakdownExceeds,
		attributedExceeds,
		sessionActor,
		compaction,
		laterKind,
		failedWrite,
		actorForm,
		unknownScope,
		undefinedActor,
		unusedActor,
		undefinedSigner,
		foreignKey,
		reviewWithoutTime,
		keyWithoutMaterial,
		analysis.UnreadableBase,
		analysis.NotReplayed,
		fileTooLarge,
	}
}
