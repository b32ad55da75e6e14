package server

import (
	"frontdesk/internal/ask"
	"frontdesk/internal/content/search"
	"frontdesk/internal/content/vector"
	"frontdesk/internal/infra/llm"
)

// openVectors makes the vectors of the content, and holds questions against them, where a model makes any.
func (h *House) openVectors(v vector.Settings) (err error) {
	if !h.Model.Enabled(llm.Embed) {
		return nil
	}
	h.Vectors = vector.New(vector.Options{
		Catalog: h.Catalog, DB: h.db, Model: h.Model, Version: v.Version, TextPrefix: v.TextPrefix, QuestionPrefix: v.QuestionPrefix,
		Passages: v.Passages, Most: v.Most, Pace: v.Pace, Log: h.log,
	})
	deps := ask.VectorDeps{
		Keeper: h.Vectors, Corpus: h.Corpus, Log: h.log,
		Fusion: search.Fusion{Ranks: v.Fusion == vector.ByRanks, Share: v.Share, Least: 1},
	}
	if v.Alone {
		deps.Apart = v.Apart
	}
	h.AskVectors, err = ask.NewVectors(deps)
	return err
}
