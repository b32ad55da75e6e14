package ask

import (
	"context"

	"frontdesk/internal/ask/choice"
	"frontdesk/internal/ask/query"
	"frontdesk/internal/ask/telling"
	"frontdesk/internal/content/released"
)

// proposal is what may be answered in place of the items that are found: some items and a sentence.
type proposal struct {
	reading choice.Reading
	view    *released.View
	items   []found
	telling string
	certain bool // nothing competes with it, as with a greeting

	understood query.Understood
}

// choose chooses among what may be answered, and makes it ready; nil for the items that are found.
func (s *Service) choose(ctx context.Context, in *askState) (*Answer, error) {
	var proposals []*proposal
	for _, propose := range []func(context.Context, *askState) (*proposal, error){s.practical, s.detail} {
		p, err := propose(ctx, in)
		switch {
		case err != nil:
			return nil, err
		case p != nil && p.certain:
			return s.tell(ctx, in, p)
		case p != nil:
			proposals = append(proposals, p)
		}
	}
	if len(proposals) == 0 {
		return nil, nil
	}
	literal, err := s.searching(ctx, in)
	if err != nil {
		return nil, err
	}
	readings := []choice.Reading{literal}
	for _, p := range proposals {
		readings = append(readings, p.reading)
	}
	best := choice.Best(ctx, readings)
	if best == 0 {
		return nil, nil
	}
	return s.tell(ctx, in, proposals[best-1])
}

// searching is the evidence for the items that are found.
func (s *Service) searching(ctx context.Context, in *askState) (choice.Reading, error) {
	r := choice.Reading{Route: choice.Search}
	asked := in.asked
	asked.Limit = 1
	a := s.find(in, asked)
	if len(a.parts) == 0 {
		return r, nil
	}
	cards, err := a.render(ctx, a.parts[0])
	if err != nil || cards[0] == nil {
		return r, err
	}
	item := sourceOf(cards[0].Result(a.parts[0][0].hit()))
	q := telling.Question{Terms: a.terms}
	explained, called := q.Explained(item, item.Text)
	r.Explained, r.Called = explained, called*named(item.Name, in.Text, "")
	if !a.closest {
		r.Fits = float64(a.parts[0][0].score) / 100
	}
	return r, nil
}

// tell makes an answer of what was chosen ready.
func (s *Service) tell(ctx context.Context, in *askState, p *proposal) (*Answer, error) {
	in.only, in.telling, in.understood = p.items, p.telling, p.understood
	a := s.those(in)
	a.view, a.factual = p.view, p.telling != ""
	if whole, err := a.preload(ctx); !whole || err != nil {
		return nil, err
	}
	a.improve(ctx, in)
	return a, nil
}

// tellTrial tells the trial of a context, if it has one, which items competed for the first places
// of a search.
func (a *Answer) tellTrial(ctx context.Context) error {
	trial := choice.TrialOf(ctx)
	if trial == nil || a.asked.Within == nil { // items that were pointed at did not compete
		return nil
	}
	for _, c := range a.view.Index.Candidates(a.asked) {
		item := choice.Item{Values: c.Values}
		if c.Hit.Doc != nil {
			cards, err := a.render(ctx, []found{{listing: c.Hit.Doc}})
			if err != nil {
				return err
			}
			if cards[0] != nil {
				item.Name = cards[0].Name()
			}
		}
		trial.Items = append(trial.Items, item)
	}
	return nil
}
