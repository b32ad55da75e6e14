package ask

import (
	"context"
	"slices"
	"strings"

	"frontdesk/internal/ask/choice"
	"frontdesk/internal/ask/details"
	"frontdesk/internal/ask/facts"
	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/ask/query"
	"frontdesk/internal/ask/telling"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/index"
	"frontdesk/internal/content/released"
)

// The bounds of looking for a detail.
const (
	mostAsked    = 8  // items that may answer
	fewWords     = 2  // words of a question that may go on with the one before it
	mostPassages = 40 // of an item in which its sentences are looked for
	// among which a name has words of a question by chance: a property of one that is named answers
	// then
	manyItems = 1000
)

// detail answers a question for a detail of one thing: by the property of the item that the
// question names, or else by the sentence that has most of its words and a value of the kind that
// was asked for. A question that names nothing, or goes on with the one before, is about what was
// shown then. It is nil where neither is there.
func (s *Service) detail(ctx context.Context, in *askState) (*proposal, error) {
	excludes := slices.ContainsFunc(in.understood.Constraints, func(c facets.Constraint) bool {
		return c.Not && c.Source > facets.FromEarlier
	})
	if in.skip > 0 || in.only != nil || in.among != nil || in.typed() || len(in.Attributes) > 0 ||
		in.Report != NoReport || in.asked.Literal ||
		in.understood.Intent == query.Compare || excludes {
		return nil, nil
	}
	if in.named != "" {
		if told, err := s.detailIn(ctx, in, in.named); told != nil || err != nil {
			return told, err
		}
	}
	return s.detailIn(ctx, in, in.Text)
}

// detailIn reads the question for a detail in a text.
func (s *Service) detailIn(ctx context.Context, in *askState, text string) (*proposal, error) {
	asked, ok := details.Read(text)
	if len(in.earlier) == 0 {
		if !ok {
			return s.tellCalled(ctx, in, details.Subject(text))
		}
		return s.tellOf(ctx, in, asked, 0)
	}
	last := in.earlier[len(in.earlier)-1].Text
	words, onward := details.Onward(text)
	if onward && details.Says(text, "after") { // "and after that?"
		return s.tellShown(ctx, in, details.Asked{Kind: "after", Words: words})
	}
	if !ok || onward && (asked.Intent == "yes" || asked.Intent == "property") {
		return s.tellOnward(ctx, in, last)
	}
	if len(asked.Words) > fewWords && !details.Says(text, "it") {
		return s.tellOf(ctx, in, asked, 0)
	}
	if told, err := s.tellOf(ctx, in, asked, telling.WellNamed); told != nil || err != nil { // a new subject
		return told, err
	}
	if told, err := s.tellShown(ctx, in, asked); told != nil || err != nil {
		return told, err
	}
	longer := asked
	longer.Words = append(slices.Clone(asked.Words), details.Subject(last)...)
	if told, err := s.tellOf(ctx, in, longer, 0); told != nil || err != nil {
		return told, err
	}
	return s.tellOf(ctx, in, asked, 0)
}

// tellCalled answers words that are no more than the name of a property and that of its item:
// "deposit for the e-bike".
func (s *Service) tellCalled(ctx context.Context, in *askState, words []string) (*proposal, error) {
	if len(words) < 2 || len(in.understood.Constraints) > 0 || !callsProperty(s.view(in).Index.Lexicon(), words) {
		return nil, nil
	}
	told, err := s.tellOf(ctx, in, details.Asked{Intent: details.Called, Words: words}, 0)
	if err != nil || told == nil || told.reading.Fits < 1 || told.reading.Explained < 1 {
		return nil, err
	}
	return told, nil
}

// callsProperty says whether some of the words, next to each other, are what a property is called:
// "R value".
func callsProperty(lexicon *facets.Lexicon, words []string) bool {
	for from := range words {
		for to := from + 1; to <= min(len(words), from+facets.LongestPhrase); to++ {
			if _, known := lexicon.Slot(facets.Fold(strings.Join(words[from:to], ""))); known {
				return true
			}
		}
	}
	return false
}

// tellOnward answers a question that asks of another thing what the last one asked.
func (s *Service) tellOnward(ctx context.Context, in *askState, last string) (*proposal, error) {
	asked, ok := details.Read(last)
	words, onward := details.Onward(in.Text)
	if !ok || !onward {
		return nil, nil
	}
	if told, err := s.tellShown(ctx, in,
		details.Asked{Intent: details.Called, Words: words, Tag: asked.Tag}); told != nil || err != nil {
		return told, err
	}
	if told, err := s.tellSame(ctx, in, asked, words); told != nil || err != nil {
		return told, err
	}
	before := asked.Words
	asked.Words = words
	if told, err := s.tellOf(ctx, in, asked, telling.WellNamed); told != nil || err != nil {
		return told, err
	}
	asked.Words = slices.Concat(words, before)
	told, err := s.tellOf(ctx, in, asked, 0)
	if told != nil && err == nil { // it has to be of the other thing
		told.reading.Explained *= named(strings.Join(words, " "), told.telling, "")
	}
	if told != nil || err != nil {
		return told, err
	}
	asked.Words = words
	return s.tellOf(ctx, in, asked, 0)
}

// tellSame answers what was asked before of another thing from the item that answered it, where a
// sentence tells all that is named now: what cats cost in the club that dogs are in, too.
func (s *Service) tellSame(
	ctx context.Context, in *askState, asked details.Asked, words []string,
) (*proposal, error) {
	before, err := s.tellOf(ctx, in, asked, 0)
	if before == nil || err != nil {
		return nil, err
	}
	asked.Words = words
	a := s.find(in, index.Question{Text: strings.Join(words, " "), Sites: in.asked.Sites, Limit: 1, OwnWords: true})
	q := telling.Question{Asked: asked, Terms: slices.Clone(a.terms), Shown: true}
	for i, term := range q.Terms { // in its own words, not in those that mean about as much
		q.Terms[i].Stems = term.Stems[:min(1, len(term.Stems))]
	}
	if _, whole := q.Weigh(make([]bool, len(q.Terms))); whole == 0 {
		return nil, nil
	}
	told, err := s.tellFrom(ctx, in, a, before.items, q, 0)
	if told == nil || err != nil || told.reading.Explained < 1 || told.reading.Called > 0 {
		return nil, err
	}
	return told, nil
}

// tellShown answers a question for a detail of what the last answer showed first.
func (s *Service) tellShown(ctx context.Context, in *askState, asked details.Asked) (*proposal, error) {
	wanted := s.toQuery(in.asked, &in.before.wanted)
	wanted.Sites, wanted.Limit = in.before.sites, in.before.skip+1
	shown := s.find(in, wanted)
	shown.cut(in.before.skip)
	if len(shown.parts) == 0 || shown.closest {
		return nil, nil
	}
	asking := s.find(in, index.Question{
		Text: strings.Join(asked.Words, " "), Sites: in.asked.Sites, Limit: 1, Prefer: in.asked.Prefer,
		AsSpelled: in.asked.AsSpelled, OwnWords: true,
	})
	first := shown.parts[0][:1]
	return s.tellFrom(ctx, in, shown, first, telling.Question{Asked: asked, Terms: asking.terms, Shown: true}, 0)
}

// tellOf answers a question for a detail that is read, of items whose names have at least a share
// of its words.
func (s *Service) tellOf(ctx context.Context, in *askState, asked details.Asked, least float64) (*proposal, error) {
	if len(asked.Words) == 0 {
		return nil, nil
	}
	a := s.find(in, index.Question{
		Text: strings.Join(asked.Words, " "), Sites: in.asked.Sites, Limit: mostAsked, Prefer: in.asked.Prefer,
		AsSpelled: in.asked.AsSpelled, OwnWords: true,
	})
	if len(a.parts) == 0 {
		return nil, nil
	}
	return s.tellFrom(ctx, in, a, a.parts[0], telling.Question{Asked: asked, Terms: a.terms}, least)
}

// tellFrom answers a question for a detail from some items of an answer.
func (s *Service) tellFrom(
	ctx context.Context, in *askState, a *Answer, items []found, q telling.Question, least float64,
) (*proposal, error) {
	cards, err := a.render(ctx, items)
	if err != nil {
		return nil, err
	}
	q.Language = in.speaker(q.Tag).Language()
	best, said, most, property := -1, "", 0.0, 0.0
	for i, card := range cards {
		if card == nil {
			continue
		}
		switch says, _ := q.Weigh(q.Naming(sourceOf(card.Result(items[i].hit())))); {
		case says > q.Named:
			q.Named, q.Several = says, false
		case says == q.Named:
			q.Several = true
		}
	}
	if _, whole := q.Weigh(make([]bool, len(q.Terms))); q.Named < least*whole {
		return nil, nil
	}
	ways := []func(source, facts.Object) (string, float64){q.ByProperty, q.ByStatement, q.BySentence}
	if q.Intent == details.Called {
		ways = ways[:1]
	}
	for n, by := range ways {
		for i, card := range cards {
			if card == nil || !card.Input() {
				continue
			}
			r := card.Result(items[i].hit())
			if tells, share := by(wholeSource(card, items[i].listing), facts.Read(r.AppendObject(nil))); share > most {
				best, said, most = i, tells, share
			}
		}
		if best >= 0 {
			property = 1 - float64(n)/2
			break
		}
	}
	if best < 0 || q.Intent == details.Called && q.Several && !q.Shown {
		return nil, nil
	}
	answering := items[best]
	answering.score = 100
	item := sourceOf(cards[best].Result(answering.hit()))
	explained, called := q.Explained(item, said)
	if !q.Shown && a.view.Index.Len() >= manyItems &&
		(property < 1 || named(item.Name, in.Text, "") < telling.HalfNamed) {
		return nil, nil
	}
	return &proposal{
		view: a.view, telling: said, items: []found{answering},
		understood: query.Understood{Asked: in.understood.Asked, Text: item.Name, Intent: query.Tell},
		reading: choice.Reading{
			Route: choice.Detail, Fits: min(most, 1), Explained: explained,
			Called: called * named(item.Name, in.Text, ""), Property: property,
		},
	}, nil
}

// wholeSource is an item with all of its text.
func wholeSource(card *released.RenderedItem, l *index.Doc) source {
	all := sourceOf(card.Result(index.Hit{Doc: l}))
	for n := 1; n < mostPassages; n++ {
		all.Text += "\n" + card.Result(index.Hit{Doc: l, Passage: n}).Passage()
	}
	return all
}

// speaker speaks the language of the answer: where none is asked for, that which the question was
// read in.
func (in *askState) speaker(tag string) i18n.Speaker {
	if len(in.Languages) == 0 && tag != "" {
		return i18n.For(tag)
	}
	return i18n.For(in.Languages...)
}
