package ask

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"frontdesk/internal/ask/choice"
	"frontdesk/internal/ask/details"
	"frontdesk/internal/ask/facts"
	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/ask/query"
	"frontdesk/internal/ask/quote"
	"frontdesk/internal/content"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/index"
	"frontdesk/internal/content/released"
	"frontdesk/internal/content/search"
	"frontdesk/internal/content/vector/words"
)

// The bounds of looking for a detail.
const (
	mostAsked    = 8    // items that may answer
	leastShared  = 0.6  // share of the weight of a question's words that a sentence has with the name of its item
	leastYes     = 0.75 // the same where any sentence may answer
	wellNamed    = 0.6  // share that the name has of the item whose property answers,
	partlyNamed  = 0.35 // and where the other words may be what is supposed of it
	halfNamed    = 0.5  // share that the name has of an item of which one sentence alone has such a value
	fewWords     = 2    // words of a question that may go on with the one before it
	byNameAlone  = 0.7  // what a word counts that the sentence lacks and the name of the item has,
	byTextAlone  = 0.5  // or other sentences of it,
	byCount      = 0.3  // and how much more a sentence answers that counts what was asked for
	leastShown   = 0.4  // share of the weight of a question's words that a sentence has of an item that was shown
	leastNear    = 0.45 // cosine of what is asked for with the name of a property,
	wholeNear    = 0.8  // and where its value is no figure, though one is asked for
	mostPassages = 40   // of an item in which its sentences are looked for
	minWeight    = 1e-6 // of a question without words of weight
	manyItems    = 1000 // among which a name has words of a question by chance: a property of one that is named answers then
)

// detail answers a question for a detail of one thing: by the property of the item that the question names, or else by
// the sentence that has most of its words and a value of the kind that was asked for. A question that names nothing, or
// goes on with the one before, is about what was shown then. It is nil where neither is there.
func (s *Service) detail(ctx context.Context, in *askState) (*proposal, error) {
	excludes := slices.ContainsFunc(in.understood.Constraints, func(c facets.Constraint) bool {
		return c.Not && c.Source > facets.FromEarlier
	})
	if in.skip > 0 || in.only != nil || in.among != nil || in.typed() || len(in.Attributes) > 0 || in.Report != NoReport || in.asked.Literal ||
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
			return nil, nil
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
	if told, err := s.tellOf(ctx, in, asked, wellNamed); told != nil || err != nil { // a new subject
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

// tellOnward answers a question that asks of another thing what the last one asked.
func (s *Service) tellOnward(ctx context.Context, in *askState, last string) (*proposal, error) {
	asked, ok := details.Read(last)
	words, onward := details.Onward(in.Text)
	if !ok || !onward {
		return nil, nil
	}
	if told, err := s.tellShown(ctx, in, details.Asked{Intent: details.Called, Words: words, Tag: asked.Tag}); told != nil || err != nil {
		return told, err
	}
	before := asked.Words
	asked.Words = words
	if told, err := s.tellOf(ctx, in, asked, wellNamed); told != nil || err != nil {
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
	return s.tellFrom(ctx, in, shown, first, detailQuestion{Asked: asked, terms: asking.terms, shown: true})
}

// tellOf answers a question for a detail that is read, of items whose names have at least a share of its words.
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
	return s.tellFrom(ctx, in, a, a.parts[0], detailQuestion{Asked: asked, terms: a.terms, least: least})
}

// tellFrom answers a question for a detail from some items of an answer.
func (s *Service) tellFrom(ctx context.Context, in *askState, a *Answer, items []found, q detailQuestion) (*proposal, error) {
	cards, err := a.render(ctx, items)
	if err != nil {
		return nil, err
	}
	q.language = in.speaker(q.Tag).Language()
	best, telling, most, property := -1, "", 0.0, 0.0
	for i, card := range cards {
		if card == nil {
			continue
		}
		switch says, _ := q.weigh(q.naming(sourceOf(card.Result(items[i].hit())))); {
		case says > q.named:
			q.named, q.several = says, false
		case says == q.named:
			q.several = true
		}
	}
	if _, whole := q.weigh(make([]bool, len(q.terms))); q.named < q.least*whole {
		return nil, nil
	}
	ways := []func(source, facts.Object) (string, float64){q.byProperty, q.byStatement, q.bySentence}
	if q.Intent == details.Called {
		ways = ways[:1]
	}
	for n, by := range ways {
		for i, card := range cards {
			if card == nil || !card.Input() {
				continue
			}
			r := card.Result(items[i].hit())
			if said, share := by(wholeSource(card, items[i].listing), facts.Read(r.AppendObject(nil))); share > most {
				best, telling, most = i, said, share
			}
		}
		if best >= 0 {
			property = 1 - float64(n)/2
			break
		}
	}
	if best < 0 {
		return nil, nil
	}
	answering := items[best]
	answering.score = 100
	item := sourceOf(cards[best].Result(answering.hit()))
	explained, called := q.explainedBy(item, in, telling)
	if !q.shown && a.view.Index.Len() >= manyItems && (property < 1 || named(item.Name, in.Text, "") < halfNamed) {
		return nil, nil
	}
	return &proposal{
		view: a.view, telling: telling, items: []found{answering},
		understood: query.Understood{Asked: in.understood.Asked, Text: item.Name, Intent: query.Tell},
		reading:    choice.Reading{Route: choice.Detail, Fits: min(most, 1), Explained: explained, Called: called, Property: property},
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

// speaker speaks the language of the answer: where none is asked for, that which the question was read in.
func (in *askState) speaker(tag string) i18n.Speaker {
	if len(in.Languages) == 0 && tag != "" {
		return i18n.For(tag)
	}
	return i18n.For(in.Languages...)
}

// detailQuestion is a question for a detail with what became of its words.
type detailQuestion struct {
	details.Asked
	language string
	terms    []search.Term
	named    float64 // the most that any item has of its words in the name
	several  bool    // and whether several have as many
	least    float64 // share of its words that one has to have
	shown    bool    // it is asked of an item that was shown, whether it names it or not
}

// supposing are the intents of which the words beside the name say what is supposed.
var supposing = []string{"size", "speaks", "ingredients", "availability", "yes", "count", "amount"}

// naming says of each term whether an item's name or, beside another word of it, its type says it.
func (q *detailQuestion) naming(item source) []bool {
	in := index.Covered(q.terms, item.Name, item.Language)
	if !slices.Contains(in, true) {
		return in
	}
	for i, term := range q.terms {
		in[i] = in[i] || slices.ContainsFunc(query.TypesOf(term.Word), func(t string) bool { return content.IsA(item.Type, t) })
	}
	return in
}

// byProperty answers from the properties of an item that the question names, and says how well it names it.
func (q *detailQuestion) byProperty(item source, object facts.Object) (said string, share float64) {
	in := q.naming(item)
	named, whole := q.weigh(in)
	if !q.means(named) || q.several && q.open() { // another one is meant, which does not say
		return "", 0
	}
	var beside []string
	for i, term := range q.terms {
		if !in[i] && term.Use != search.Stop {
			beside = append(beside, term.Word)
		}
	}
	least := wellNamed
	if slices.Contains(supposing, q.Intent) {
		least = partlyNamed
	}
	for _, fact := range q.questions(beside) {
		answer, ok := fact.Answer(object)
		if !ok || fact.Intent == "property" && !q.figures(answer) {
			continue
		}
		// What calls the property calls no item.
		known, _ := q.weigh(index.Either(in, index.Covered(q.terms, answer.Called, item.Language)))
		if share = named / max(whole-known+named, minWeight); share >= least || q.shown {
			// Of items that have as many of the words, the one whose name has the fewest others is meant.
			share = max(share, minWeight) + 0.1/float64(1+len(strings.Fields(item.Name)))
			if closer := q.closer(item, index.Either(in, index.Covered(q.terms, answer.Text, item.Language))); closer != "" {
				return closer, share
			}
			return answer.Text, share
		}
	}
	return "", 0
}

// means says whether an item may be meant of which the name has a weight of the question's words.
func (q *detailQuestion) means(named float64) bool { return q.shown || named > 0 && named >= q.named }

// open says whether the question asks for what no phrase names.
func (q *detailQuestion) open() bool { return q.Intent == "property" && !q.shown }

// closer is the sentence of an item with a figure of the kind that was asked for that has a word of the question which
// neither the item's name nor its property has: what students pay, where the property says what it costs.
func (q *detailQuestion) closer(item source, known []bool) string {
	if !q.asksFigure() {
		return ""
	}
	best, most := "", 0.0
	for _, sentence := range quote.Split(item.Text) {
		in := index.Covered(q.terms, sentence, item.Language)
		for i := range in {
			in[i] = in[i] && !known[i]
		}
		if own, _ := q.weigh(in); own > most && details.Has(sentence, q.Kind) {
			best, most = q.quote(item, sentence), own
		}
	}
	return best
}

// quote tells a sentence of an item.
func (q *detailQuestion) quote(item source, sentence string) string {
	sentence = quote.Shorten(sentence)
	if item.Name == "" {
		return sentence
	}
	return item.Name + ": " + sentence
}

// byStatement answers from a property of any name that means about what the words beside the item's name ask for, or of
// which the value has them.
func (q *detailQuestion) byStatement(item source, object facts.Object) (said string, share float64) {
	in := q.naming(item)
	named, _ := q.weigh(in)
	if !q.means(named) || q.several && !q.shown {
		return "", 0
	}
	var asks []string
	for i, term := range q.terms {
		if !in[i] && term.Use != search.Stop {
			asks = append(asks, term.Word)
		}
	}
	for _, word := range q.Topic {
		if !details.Says(word, "asking") {
			asks = append(asks, word)
		}
	}
	wanted, alone, several := strings.Join(asks, " "), "", len(asks) > len(q.Topic)
	for _, s := range object.Statements(q.language) {
		if q.Kind == "span" && q.has(s.Value) {
			several = several || alone != ""
			alone = s.Text
		}
		least := leastNear
		if q.asksFigure() && !q.has(s.Value) {
			least = wholeNear
		}
		for _, name := range s.Names {
			if near := words.Builtin().Nearness(wanted, name); near >= least && near > share {
				said, share = s.Text, near
			}
		}
	}
	if said == "" && alone != "" && !several { // the only one that tells how long
		return alone, leastNear
	}
	if said != "" {
		said = cmp.Or(q.closer(item, index.Either(in, index.Covered(q.terms, said, item.Language))), said)
	}
	return said, share
}

// asksFigure says whether a value of the kind that was asked for is a figure.
func (q *detailQuestion) asksFigure() bool {
	return slices.Contains([]string{"count", "quantity", "money", "temperature", "span", "people", "date"}, q.Kind)
}

// figures says whether an answer has a value of the kind that was asked for, where that is a figure: "medium" is not how much.
func (q *detailQuestion) figures(answer facts.Answer) bool {
	return !q.asksFigure() || slices.ContainsFunc(answer.Values, q.has)
}

// has says whether the value of a property is of the kind that was asked for.
func (q *detailQuestion) has(value string) bool {
	if q.Kind == "people" {
		return details.Has(value, "count")
	}
	return details.Has(value, q.Kind)
}

// questions gives the questions that the properties of an item may answer, the likeliest first.
func (q *detailQuestion) questions(beside []string) (all []facts.Question) {
	supposed := strings.Join(beside, " ")
	ask := func(question facts.Question) {
		question.Language = q.language
		all = append(all, question)
	}
	switch q.Intent {
	case "size", "speaks":
		ask(facts.Question{Intent: q.Intent, Supposed: supposed})
	case "ingredients":
		for _, intent := range []string{"ingredients", "allergens"} {
			ask(facts.Question{Intent: intent, Supposed: supposed})
		}
	case "dimensions":
		ask(facts.Question{Intent: "size"})
	case "availability", "price":
		ask(facts.Question{Intent: q.Intent, Variant: supposed})
		ask(facts.Question{Intent: q.Intent})
	case details.Called:
	default:
		ask(facts.Question{Intent: q.Intent})
	}
	ask(facts.Question{Intent: "property", Property: strings.Join(slices.Concat(q.Words, q.Topic), " ")})
	return all
}

// weigh gives the weight of the words of the question that hold, and of all.
func (q *detailQuestion) weigh(holds []bool) (those, whole float64) {
	for i, term := range q.terms {
		if term.Use == search.Stop {
			continue
		}
		whole += term.Weight
		if holds[i] {
			those += term.Weight
		}
	}
	return those, whole
}

// bySentence answers with the sentence of an item's text that has most of the question's words and a value of the kind.
func (q *detailQuestion) bySentence(item source, _ facts.Object) (said string, share float64) {
	inName := q.naming(item)
	inText := index.Covered(q.terms, item.Text, item.Language)
	least := leastShared
	if q.Kind == "yes" || q.Kind == "person" || q.Kind == "open" {
		least = leastYes
	}
	if named, _ := q.weigh(inName); q.open() && (q.several || !q.means(named)) {
		return "", 0
	}
	if q.shown {
		least = leastShown
	}
	alone, several := "", false // the first sentence that has such a value, and whether others have
	for _, sentence := range quote.Split(item.Text) {
		if details.Has(sentence, q.Kind) {
			several = several || alone != ""
			alone = cmp.Or(alone, sentence)
		}
		in := index.Covered(q.terms, sentence, item.Language)
		own, whole := q.weigh(in)
		named, _ := q.weigh(index.Either(in, inName))
		all, _ := q.weigh(index.Either(in, inName, inText))
		covered := (own + byNameAlone*(named-own) + byTextAlone*(all-named)) / max(whole, minWeight)
		aside := own == 0 && (named < whole || q.shown)
		if q.asksFigure() && quote.Counts(sentence, item.Language, q.terms, inName) {
			covered += byCount
		}
		if whole == 0 || covered < least || covered <= share || aside || !details.Has(sentence, q.Kind) {
			continue
		}
		beyond := named > own // the name says what the sentence is about
		said, share = quote.Shorten(sentence), covered
		if beyond {
			said = q.quote(item, sentence)
		}
	}
	switch named, whole := q.weigh(inName); {
	case said != "" || alone == "" || several && !(q.shown && whole == 0) || q.Kind == "yes" || q.Kind == "open":
	case q.shown, whole > 0 && named/whole >= halfNamed:
		share = leastShared * max(named, minWeight) / max(whole, minWeight)
		return q.quote(item, alone), share
	}
	return said, share
}
