package desk

import (
	"context"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/intake/offers"
)

// LookUp finds items for an engine of offers, as a question of a stranger would: by the same search, under the same
// terms, and without a model, so that the same is found each time. Nothing that fits is no error.
func (d *Desk) LookUp(ctx context.Context, l offers.Lookup) ([]offers.Item, error) {
	if err := d.Ready(); err != nil {
		return nil, err
	}
	in := &inquiry{Question: Question{Text: l.Query, Sites: l.Sites, Types: l.Types, Limit: l.Limit, Numbered: true, AnswersOnly: true, NoQuestions: true}}
	var err error
	if in.asked, err = d.check(in.Question); err != nil {
		return nil, err
	}
	if err = d.understand(ctx, in); err != nil {
		return nil, err
	}
	a, err := d.answer(ctx, in)
	if err != nil {
		if fail.From(err).Code == fail.NoResults {
			return nil, nil
		}
		return nil, err
	}
	var items []offers.Item
	for r, err := range a.Results(ctx) {
		if err != nil {
			return nil, err
		}
		items = append(items, offers.Item{
			URL: r.URL(), Name: r.Name(), Type: r.Type(), Site: r.Site(), Description: r.Description(), Score: r.Score(), Object: r.AppendObject(nil),
		})
	}
	return items[:min(len(items), l.Limit)], nil
}
