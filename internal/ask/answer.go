package ask

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/content/index"
	"frontdesk/internal/content/released"
	"frontdesk/internal/content/search"
	"frontdesk/internal/infra/llm"
)

// Answer is what may be told for a question. The items are rendered as they are read. While a
// client takes its time, an Answer waits in memory, so it holds little: see found.
type Answer struct {
	service *Service
	view    *released.View
	asked   index.Question
	parts   [][]found                // of released.Chunk hits each
	given   int                      // how many hits of the question stand before parts
	beyond  int                      // how many hits come after parts, to be found again when it is their turn
	ready   []*released.RenderedItem // of the first part; nil once it is forgotten
	terms   []search.Term

	tab               *llm.BudgetedClient // what it takes of a model; nil without one
	wording, language string              // of the question, for a model
	telling           string              // what a summary begins with; see inquiry
	factual           bool                // telling is the whole answer, which nothing is to be added to
	speaker           i18n.Speaker        // says what a summary says itself
	sure              int                 // how many hits, from the first on, meet every condition without a doubt

	relaxed []index.Relaxed // conditions that gave way
	closest bool            // its items are no answer, but the nearest that there is
	// corrected are misspelt words that were taken for others.
	corrected []search.Correction

	leading             // before what is found
	otherwise []reading // the question in other words, which are searched for, too
}

// found is a hit that may leave, in as few bytes as will do.
type found struct {
	listing *index.Doc
	score   float32 // one decimal of it is shown
	passage uint32
}

func (f found) hit() index.Hit {
	return index.Hit{Doc: f.listing, Score: float64(f.score), Passage: int(f.passage)}
}

// view is the present content, as far as it may leave to who asks.
func (s *Service) view(in *askState) *released.View { return s.deps.Corpus.Current().For(in.party) }

// find selects the items that may leave.
func (s *Service) find(in *askState, q index.Question) *Answer {
	return s.findBehind(in, q, leading{}, nil)
}

// findBehind is find behind what the owner has come first, and by other words, too.
func (s *Service) findBehind(in *askState, q index.Question, first leading, otherwise []reading) *Answer {
	g := s.view(in)
	if q.Within = cmp.Or(q.Within, g.Permit); q.Within != g.Permit {
		q.Within = q.Within.And(g.Permit)
	}
	q.Near = s.vectors.Near(g, q.Near)
	a := &Answer{service: s, view: g, asked: q, leading: first, otherwise: otherwise}
	a.terms = a.lookUp(q.Limit)
	return a
}

// lookUp asks the view, and fills parts with the hits from given on, at most so many.
func (a *Answer) lookUp(most int) []search.Term {
	asked := a.look()
	allowed := slices.DeleteFunc(asked.Hits, func(hit index.Hit) bool {
		return !released.Decide(a.view.Terms, hit.Doc).Allows(released.Search)
	})
	if len(a.first) > 0 {
		if asked.Closest { // beside an answer, what is none is not told
			allowed, asked.Closest, asked.Relaxed = nil, false, nil
		}
		allowed = a.lead(allowed)
		allowed = allowed[:min(len(allowed), a.asked.Limit)]
	}
	allowed = allowed[min(a.given, len(allowed)):]
	a.parts, a.beyond = nil, max(0, len(allowed)-most)
	for hits := range slices.Chunk(allowed[:len(allowed)-a.beyond], released.Chunk) {
		part := make([]found, len(hits))
		for i, hit := range hits {
			part[i] = found{hit.Doc, float32(hit.Score), uint32(hit.Passage)}
		}
		a.parts = append(a.parts, part)
	}
	a.sure = slices.IndexFunc(allowed, func(hit index.Hit) bool { return hit.Doubt })
	a.relaxed, a.closest = asked.Relaxed, asked.Closest
	a.corrected = asked.Corrections
	return asked.Terms
}

// preload makes the first part ready and says whether all of it could be loaded.
func (a *Answer) preload(ctx context.Context) (whole bool, err error) {
	a.ready, err = a.render(ctx, a.parts[0])
	if err != nil {
		return false, err
	}
	return !slices.Contains(a.ready, nil), nil
}

// Len is how many items are still to come, at most: one that is swept from the store meanwhile
// falls out.
func (a *Answer) Len() int {
	n := a.beyond
	for _, part := range a.parts {
		n += len(part)
	}
	return n
}

// Results gives the released items, best first, as each is ready. A failure ends the sequence:
// fail.Timeout when they take longer than Deps.Timeout altogether.
func (a *Answer) Results(ctx context.Context) iter.Seq2[released.Result, error] {
	return func(yield func(released.Result, error) bool) {
		limited, cancel := context.WithTimeout(ctx, a.service.deps.Timeout)
		defer cancel()
		for p, part := range a.parts {
			var ready []*released.RenderedItem
			if p == 0 {
				ready = a.ready
			}
			cards, err := a.cards(limited, part, ready)
			if err != nil {
				yield(released.Result{}, err)
				return
			}
			for i, c := range cards {
				// An item that was swept from the store meanwhile is no longer there to be
				// released.
				if c != nil && !yield(c.Result(part[i].hit()), nil) {
					return
				}
			}
		}
	}
}

// Drain gives an answer's items for the last time: each is forgotten as soon as it was given, so
// that an answer whose client takes its time holds only the next hits. Those beyond are found again
// when it is their turn, in the same view under the same terms: they are the same. It is no
// iterator, so that whoever waits for a client between two items holds no stack of it. One
// goroutine at a time may use it.
type Drain struct {
	answer *Answer
	part   []found                  // what is given at the moment
	cards  []*released.RenderedItem // of part, those that were given forgotten
	at     int                      // how many of part were given
}

// Drain begins to give the items for the last time. The answer must not be used for anything else
// that gives items.
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

// Next gives the next item, best first; false when there is none. After an error there is none
// either: fail.Timeout where Deps.Timeout passed over one part of the answer, as the client's time
// is not ours.
func (d *Drain) Next(ctx context.Context) (released.Result, bool, error) {
	for {
		for d.at < len(d.cards) {
			c, hit := d.cards[d.at], d.part[d.at]
			d.cards[d.at] = nil
			d.at++
			if c != nil { // else it was swept from the store meanwhile
				return c.Result(hit.hit()), true, nil
			}
		}
		if more, err := d.turn(ctx); !more || err != nil {
			return released.Result{}, false, err
		}
	}
}

// turn makes the next part ready, and says whether there is one.
func (d *Drain) turn(ctx context.Context) (more bool, err error) {
	a := d.answer
	if len(a.parts) == 0 {
		if a.beyond > 0 {
			a.lookUp(ahead * released.Chunk)
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

// cards are the ready forms of a part's hits, which may be there already: what is ready costs no
// time any more, and is given when the time is up.
func (a *Answer) cards(ctx context.Context, part []found,
	ready []*released.RenderedItem) ([]*released.RenderedItem, error) {
	if err := ctx.Err(); errors.Is(err, context.Canceled) {
		return nil, err
	}
	if ready != nil {
		return ready, nil
	}
	return a.render(ctx, part)
}
