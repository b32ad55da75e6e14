// Package tryout says what an entry of the owner's tuning would do before it is kept: to the
// question that it is for, and to the questions that were asked last. It asks package ask twice,
// with the rules as they are and as they would be. Enter by [Try].
package tryout

import (
	"context"
	"errors"
	"slices"
	"time"

	"frontdesk/internal/ask"
	"frontdesk/internal/ask/questions"
	"frontdesk/internal/ask/tuning"
	"frontdesk/internal/infra/fail"
)

// The bounds of a trial.
const (
	MaxKept     = 500             // questions that it is tried on, the last ones
	MaxTime     = 3 * time.Second // what that may take
	maxItems    = 5               // that are told of an answer
	maxExamples = 20              // questions that are told of
)

// Kept is a question that was asked.
type Kept struct {
	Text     string
	Language string // BCP 47; empty where it is not known
	Times    int    // how often it was asked
	Hidden   bool   // its text is not told
}

// Latest reads the questions that were asked last, of those that are kept.
func Latest(from *questions.Store) func(ctx context.Context, most int) ([]Kept, error) {
	return func(ctx context.Context, most int) (kept []Kept, err error) {
		all, err := from.Latest(ctx, most)
		for _, q := range all {
			kept = append(kept, Kept{Text: q.Text, Language: q.Language, Times: int(q.Times), Hidden: q.Hidden})
		}
		return kept, err
	}
}

// Item is an item of an answer.
type Item struct {
	URL  string `json:"url"`
	Name string `json:"name"`
	Type string `json:"type"`
	Text string `json:"text,omitempty"` // of an answer that was written
}

// Change is a question whose answer is another.
type Change struct {
	Question string `json:"question"`
	Before   *Item  `json:"before"` // what was first; null for nothing
	After    *Item  `json:"after"`
}

// Effect is what an entry does.
type Effect struct {
	Question      string   `json:"question"` // that it was tried on
	Before        []Item   `json:"before"`
	After         []Item   `json:"after"`
	Kept          int      `json:"kept"`  // questions that there were to try it on
	Tried         int      `json:"tried"` // those that it was tried on before the time ran out
	GainAnswer    int      `json:"gain_answer"`
	LoseAnswer    int      `json:"lose_answer"`
	ChangeFirst   int      `json:"change_first"`
	Changes       []Change `json:"changes"`         // some of them
	OutOfTime     bool     `json:"out_of_time"`     // not all that were kept were tried
	NothingIsKept bool     `json:"nothing_is_kept"` // this front desk keeps no questions
}

// Trial is what a trial is of.
type Trial struct {
	Service  *ask.Service
	Rules    *tuning.Rules // in force; nil for none
	Entry    tuning.Entry  // checked
	Question string        // that it is for; empty for the entry's own
	Kept     []Kept        // the last first
	Now      func() time.Time
}

// Try tries an entry. Where the time runs out it tells what it came to.
func Try(ctx context.Context, t Trial) (e Effect, err error) {
	ctx, cancel := context.WithTimeout(ctx, MaxTime)
	defer cancel()
	after := t.Rules.With(t.Entry)
	if t.Entry.Off {
		after = t.Rules
	}
	two := pair{t.Service.Tuned(t.Rules), t.Service.Tuned(after), t.Rules, after, t.Now()}
	e = Effect{Question: t.question(), Kept: min(len(t.Kept), MaxKept), Changes: []Change{}}
	if e.Before, err = first(ctx, two.before, Kept{Text: e.Question}, maxItems); err != nil {
		return e, err
	}
	if e.After, err = first(ctx, two.after, Kept{Text: e.Question}, maxItems); err != nil {
		return e, err
	}
	for _, kept := range t.Kept[:e.Kept] {
		before, after, err := two.ask(ctx, kept)
		if ctx.Err() != nil {
			e.OutOfTime = true
			return e, nil
		}
		if err != nil {
			return e, err
		}
		e.Tried++
		e.count(kept, before, after)
	}
	return e, nil
}

// question is the one that the entry is tried on.
func (t Trial) question() string {
	switch {
	case t.Question != "":
		return t.Question
	case t.Entry.Kind == tuning.Synonym:
		return t.Entry.Words[0]
	}
	return t.Entry.Question
}

func (e *Effect) count(kept Kept, before, after *Item) {
	switch {
	case before == nil && after == nil, before != nil && after != nil && *before == *after:
		return
	case before == nil:
		e.GainAnswer++
	case after == nil:
		e.LoseAnswer++
	default:
		e.ChangeFirst++
	}
	if len(e.Changes) < maxExamples && !kept.Hidden {
		e.Changes = append(e.Changes, Change{kept.Text, before, after})
	}
}

// pair is the service with the rules as they are, and as they would be.
type pair struct {
	before, after  *ask.Service
	rules, changed *tuning.Rules
	now            time.Time
}

// ask gives what comes first for a question. Where the rules say the same for it, nobody is asked.
func (p *pair) ask(ctx context.Context, kept Kept) (before, after *Item, err error) {
	if p.same(kept) {
		return nil, nil, nil
	}
	one, err := first(ctx, p.before, kept, 1)
	if err != nil {
		return nil, nil, err
	}
	other, err := first(ctx, p.after, kept, 1)
	if err != nil {
		return nil, nil, err
	}
	at := func(items []Item) *Item {
		if len(items) == 0 {
			return nil
		}
		return &items[0]
	}
	return at(one), at(other), nil
}

// same says whether both rules say the same for a question.
func (p *pair) same(kept Kept) bool {
	before, after := p.rules.Reword(kept.Text, languages(kept), p.now), p.changed.Reword(kept.Text,
		languages(kept), p.now)
	if before.Text != after.Text || !slices.Equal(before.Also, after.Also) {
		return false
	}
	for _, kind := range []string{tuning.Answer, tuning.Pin} {
		one := p.rules.For(kind, p.now, kept.Text, before.Text)
		other := p.changed.For(kind, p.now, kept.Text, after.Text)
		if (one == nil) != (other == nil) || one != nil && !one.Same(other) {
			return false
		}
	}
	return true
}

func languages(kept Kept) []string {
	if kept.Language == "" {
		return nil
	}
	return []string{kept.Language}
}

// first gives the first items of an answer; none where nothing is found.
func first(ctx context.Context, s *ask.Service, kept Kept, most int) ([]Item, error) {
	items := []Item{}
	q := ask.Question{Text: kept.Text, Languages: languages(kept), Limit: most, AnswersOnly: true, NoQuestions: true}
	reply, err := s.Ask(ctx, q)
	var coded *fail.Error
	if errors.As(err, &coded) && (coded.Code == fail.NoResults || coded.Code == fail.TooLong) {
		return items, nil
	}
	if err != nil {
		return nil, err
	}
	for r, err := range reply.Answer.Results(ctx) {
		if err != nil {
			return nil, err
		}
		one := Item{URL: r.URL(), Name: r.Name(), Type: r.Type()}
		if r.Type() == "Answer" {
			one.Text = r.Description()
		}
		if items = append(items, one); len(items) == most {
			break
		}
	}
	return items, nil
}
