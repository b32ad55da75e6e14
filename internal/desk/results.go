package desk

import (
	"context"
	"errors"
	"iter"
	"slices"

	"frontdesk/internal/content/index"
	"frontdesk/internal/content/released"
)

// Results gives the released items, best first, as each is ready. A failure ends the sequence: fail.Timeout when they
// take longer than Config.Timeout altogether.
func (a *Answer) Results(ctx context.Context) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		limited, cancel := context.WithTimeout(ctx, a.desk.config.Timeout)
		defer cancel()
		for p, part := range a.parts {
			var ready []*released.Card
			if p == 0 {
				ready = a.ready
			}
			cards, err := a.cards(limited, part, ready)
			if err != nil {
				yield(Result{}, err)
				return
			}
			for i, c := range cards {
				// An item that was swept from the store meanwhile is no longer there to be released.
				if c != nil && !yield(c.As(part[i].hit()), nil) {
					return
				}
			}
		}
	}
}

// Drain gives an answer's items for the last time: each is forgotten as soon as it was given, so that an answer whose
// client takes its time holds only the next hits. Those beyond are found again when it is their turn, in the same view
// under the same terms: they are the same. It is no iterator, so that whoever waits for a client between two items holds no
// stack of it. One goroutine at a time may use it.
type Drain struct {
	answer *Answer
	part   []found          // what is given at the moment
	cards  []*released.Card // of part, those that were given forgotten
	at     int              // how many of part were given
}

// Drain begins to give the items for the last time. The answer must not be used for anything else that gives items.
func (a *Answer) Drain() *Drain {
	if len(a.parts) > ahead {
		for _, part := range a.parts[ahead:] {
			a.beyond += len(part)
		}
		a.parts = slices.Clone(a.parts[:ahead])
	}
	return &Drain{answer: a}
}

// ahead is how many parts an answer holds while it is drained.
const ahead = 8

// Next gives the next item, best first; false when there is none. After an error there is none either: fail.Timeout where
// Config.Timeout passed over one part of the answer, as the client's time is not ours.
func (d *Drain) Next(ctx context.Context) (Result, bool, error) {
	for {
		for d.at < len(d.cards) {
			c, hit := d.cards[d.at], d.part[d.at]
			d.cards[d.at] = nil
			d.at++
			if c != nil { // else it was swept from the store meanwhile
				return c.As(hit.hit()), true, nil
			}
		}
		if more, err := d.turn(ctx); !more || err != nil {
			return Result{}, false, err
		}
	}
}

// turn makes the next part ready, and says whether there is one.
func (d *Drain) turn(ctx context.Context) (more bool, err error) {
	a := d.answer
	if len(a.parts) == 0 {
		if a.beyond > 0 {
			a.lookUp(ahead * chunk)
		}
		if len(a.parts) == 0 {
			return false, nil
		}
	}
	part := a.parts[0]
	cards, err := a.cards(ctx, part, a.ready)
	if err != nil {
		return false, err
	}
	a.parts, a.ready = a.parts[1:], nil
	a.given += len(part)
	d.part, d.cards, d.at = part, cards, 0
	return true, nil
}

// cards are the ready forms of a part's hits, which may be there already: what is ready costs no time any more, and is given
// when the time is up.
func (a *Answer) cards(ctx context.Context, part []found, ready []*released.Card) ([]*released.Card, error) {
	if err := ctx.Err(); errors.Is(err, context.Canceled) {
		return nil, err
	}
	if ready != nil {
		return ready, nil
	}
	return a.render(ctx, part)
}

// render returns the ready form of each hit, nil for one whose version is gone.
func (a *Answer) render(ctx context.Context, hits []found) ([]*released.Card, error) {
	items := make([]*index.Listing, len(hits))
	for i, hit := range hits {
		items[i] = hit.listing
	}
	return a.view.Render(ctx, items)
}
