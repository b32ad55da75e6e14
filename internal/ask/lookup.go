package ask

import (
	"context"

	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/fail"
)

// LookUp finds items for a program of ours, as a question of a stranger would: by the same search,
// under the same terms, and without a model, so that the same is found each time. It gives at most
// q.Limit. Nothing that fits is no error.
func (s *Service) LookUp(ctx context.Context, q Question) ([]released.Result, error) {
	if err := s.deps.Corpus.Ready(); err != nil {
		return nil, err
	}
	q.Numbered, q.AnswersOnly, q.NoQuestions = true, true, true
	in := &askState{Question: q, caller: caller{party: released.PartyOf(ctx)}}
	s.tune(in)
	var err error
	if in.asked, err = s.check(in.Question); err != nil {
		return nil, err
	}
	in.types = in.asked.Types
	if err = s.understand(ctx, in); err != nil {
		return nil, err
	}
	in.tuned.leading = leading{} // which is for people
	a, err := s.answer(ctx, in)
	if err != nil {
		if fail.From(err).Code == fail.NoResults {
			return nil, nil
		}
		return nil, err
	}
	if a.closest {
		return nil, nil
	}
	var items []released.Result
	for r, err := range a.Results(ctx) {
		if err != nil {
			return nil, err
		}
		items = append(items, r)
	}
	return items[:min(len(items), q.Limit)], nil
}
