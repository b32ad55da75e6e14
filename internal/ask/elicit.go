package ask

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"frontdesk/internal/ask/elicitation"
	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/ask/query"
	"frontdesk/internal/ask/session"
	"frontdesk/internal/content"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/index"
	"frontdesk/internal/content/search"
	"frontdesk/internal/infra/fail"
)

// applyAnswers puts the answers to questions that were asked back where the question would have
// said the same itself: among its attributes, or behind its words.
func (s *Service) applyAnswers(in *askState) {
	heard := s.deps.Elicitation.Heed(in.Attributes, in.Context.Others)
	in.worded, in.Attributes, in.answered, in.settled = in.Text, heard.Attributes, heard.Answered, heard.Settled
	for _, words := range heard.Words {
		if longer := in.Text + ", " + words; utf8.RuneCountInString(longer) <= MaxText {
			in.Text = longer
		}
	}
	in.asked.Text = in.Text
	if len(in.Types) == 0 {
		in.Types, in.asked.Types = heard.Types, heard.Types
	}
}

// The bounds of looking whether a question is vague.
const (
	vagueWords = 16  // a question of more words is not
	sample     = 200 // items by which facets are weighed
	near       = 0.4 // share of the best score that an item needs to fit well
	outright   = 0.6 // share of the best score that the second has, at most, when the best is what was meant
)

// askBack decides whether something has to be known before the question is answered. What was
// understood says most of it; a look at what fits says the rest. Nothing is asked back of somebody
// who wants a comparison, a detail, an order or a number of items: he knows what he wants.
func (s *Service) askBack(ctx context.Context, in *askState) *elicitation.Elicitation {
	asker, u := s.deps.Elicitation, &in.understood
	told := progressOf(ctx)
	promised := told != nil && told.resumed // an answer: there is nobody to ask
	if promised || in.AnswersOnly || in.NoQuestions || u.Intent != query.List || u.Count > 0 || u.Sort.By != "" ||
		!asker.Open(in.elicited()) ||
		len(strings.Fields(u.Text)) > vagueWords {
		return nil
	}
	first := in.asked
	first.Limit, first.Literal = 1, true
	telling := s.find(in, first).tellingWords()
	if !asker.Asks(telling) { // as mostly, before anybody looks at what fits
		return nil
	}
	wide := in.asked
	wide.Limit, wide.OwnWords = sample, true // by words alone: what an item means lifts one above its equals
	look := s.find(in, wide)
	fit := look.near()
	if len(fit) == 0 {
		return nil
	}
	back := asker.Ask(elicitation.Need{
		Speaker: i18n.For(in.Languages...), Text: u.Asked, Are: in.are(fit), Telling: telling, Known: in.known,
		Matches: len(fit), Facets: look.facets(fit), State: in.elicited(), Answered: in.answered, Settled: in.settled,
	})
	if back != nil {
		after := in.elicited().After(back.Prompts)
		in.talk.Back = session.AskedBack{Question: fail.Clip(in.worded), Rounds: after.Rounds, IDs: after.Asked}
	}
	return back
}

// tellingWords is how many words of the question say what is wanted.
func (a *Answer) tellingWords() (n int) {
	for _, term := range a.terms {
		if term.Use == search.Used || term.Use == search.Unknown {
			n++
		}
	}
	return n
}

// elicited is what the conversation was asked back. Rounds count for one question, with those that
// follow it up; what was asked once is not asked again all the same.
func (in *askState) elicited() elicitation.State {
	back := in.talk.Back
	state := elicitation.State{Rounds: back.Rounds, Asked: back.IDs}
	if fail.Clip(in.worded) != back.Question && in.understood.Asked == in.Text {
		state.Rounds = 0
	}
	return state
}

// near are the items that fit about as well as the best one; none when the best one is what was
// meant.
func (a *Answer) near() []*index.Doc {
	var fit []*index.Doc
	best := float32(0)
	for _, part := range a.parts {
		for i, f := range part {
			switch {
			case len(fit) == 0:
				best = f.score
			case len(fit) == 1 && i == 1 && f.score < outright*best:
				return nil
			case f.score < near*best:
				return fit
			}
			fit = append(fit, f.listing)
		}
	}
	return fit
}

// facets tells what the items differ in.
func (a *Answer) facets(items []*index.Doc) []elicitation.Facet {
	hits := make([]index.Hit, len(items))
	for i, item := range items {
		hits[i].Doc = item
	}
	var known []elicitation.Facet
	for _, f := range a.view.Index.Facets(hits) {
		one := elicitation.Facet{Slot: f.Slot, Known: f.Items, Unit: f.Unit}
		switch f.Kind {
		case facets.Words:
			for _, c := range f.Values {
				one.Values = append(one.Values, elicitation.Count(c))
			}
		case facets.Figures:
			one.Known, one.Figures = len(f.Lows), f.Lows
		default: // of days nobody chooses a range by heart
			continue
		}
		known = append(known, one)
	}
	return known
}

// are says whether a type was asked for, or else most of the items are of it.
func (in *askState) are(items []*index.Doc) func(string) bool {
	return func(wanted string) bool {
		if asked := in.understood.Types; len(asked) > 0 {
			return slices.ContainsFunc(asked, func(t string) bool { return content.IsA(t, wanted) })
		}
		n := 0
		for _, item := range items {
			if slices.ContainsFunc(item.Types, func(t string) bool { return content.IsA(t, wanted) }) {
				n++
			}
		}
		return 2*n > len(items)
	}
}

// known says whether anything is known of an attribute: the question has it, or something was
// understood of it.
func (in *askState) known(attribute string) bool {
	if _, given := in.Attributes[attribute]; given {
		return true
	}
	return slices.ContainsFunc(in.understood.Constraints, func(c facets.Constraint) bool {
		return c.Slot == facets.Slot(attribute)
	})
}
