package lsp

import (
	"context"
	"errors"
	"slices"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/jsonrpc2"

	"github.com/toolpath-ls/toolpath-ls/analysis"
	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
)

// stepsParams are those of toolpath/steps: a document, or a source file.
type stepsParams struct {
	TextDocument struct {
		URI string `json:"uri"`
	} `json:"textDocument"`
}

func (p *stepsParams) decodeParams(raw jsonrpc2.RawMessage) error {
	if err := json.Unmarshal(raw, p, lenient); err != nil {
		return err
	}
	if p.TextDocument.URI == "" {
		return errors.New("textDocument.uri is missing")
	}
	return nil
}

// stepsResult lists steps, and who took them, for clients that let their users choose.
type stepsResult struct {
	URI       string      `json:"uri"`
	Steps     []stepJSON  `json:"steps"`  // the last one first
	Actors    []stepActor `json:"actors"` // those of most steps first
	Truncated bool        `json:"truncated"`
}

type stepActor struct {
	Actor string `json:"actor"`
	Kind  string `json:"kind"`
	Color int    `json:"color"` // [0, 8)
	Steps int    `json:"steps"`
}

// maxSteps bounds an answer: the last ones.
const maxSteps = 10_000

// steps answers the steps of a document, or those that touched a source file, open or as of a
// step.
func steps(ctx context.Context, s *session, snap *analysis.Snapshot, p *stepsParams) (*stepsResult, error) {
	all, colors, err := s.stepsOf(ctx, snap, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	result := &stepsResult{URI: p.TextDocument.URI, Actors: []stepActor{}, Truncated: len(all) > maxSteps}
	all = slices.Clone(all[max(0, len(all)-maxSteps):])
	slices.Reverse(all)
	result.Steps = s.stepsJSON(all)
	at := map[string]int{}
	for _, r := range all {
		actor := r.At().Actor
		k, known := at[actor]
		if !known {
			k = len(result.Actors)
			at[actor] = k
			result.Actors = append(result.Actors, stepActor{Actor: actor, Kind: toolpath.ActorKind(actor), Color: colors[actor]})
		}
		result.Actors[k].Steps++
	}
	slices.SortStableFunc(result.Actors, func(a, b stepActor) int { return b.Steps - a.Steps })
	return result, ctx.Err()
}

// stepsOf returns the steps, the last one last, and the colors of actors.
func (s *session) stepsOf(ctx context.Context, snap *analysis.Snapshot, name string) ([]analysis.StepRef, map[string]int, error) {
	prov, _, isPast, err := s.past(ctx, name)
	if !isPast && err == nil {
		key, err := canonical(name)
		if err != nil {
			return nil, nil, err
		}
		doc := snap.Document(key)
		if doc == nil {
			return nil, nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s is not open", name)
		}
		if doc.Kind() != analysis.Other {
			all := doc.Steps()
			return all, colorsOf(all), nil
		}
		if prov, err = s.provenance(ctx, doc); err != nil {
			return nil, nil, err
		}
	}
	if prov == nil || err != nil {
		return nil, nil, err
	}
	return prov.Steps(), prov.Colors(), nil
}

func colorsOf(steps []analysis.StepRef) map[string]int {
	actors := make([]string, len(steps))
	for i, r := range steps {
		actors[i] = r.At().Actor
	}
	return analysis.ColorsOf(actors)
}
