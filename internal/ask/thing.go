package ask

import (
	"context"
	"slices"
	"strings"

	"frontdesk/internal/ask/details"
	"frontdesk/internal/ask/facts"
	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/ask/query"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/index"
	"frontdesk/internal/content/search"
)

// The bounds of looking for a detail.
const (
	mostAsked   = 8    // items that may answer
	leastShared = 0.6  // share of the weight of a question's words that a sentence has with the name of its item
	leastYes    = 0.75 // the same where any sentence may answer
	wellNamed   = 0.6  // share that the name has of the item whose property answers,
	partlyNamed = 0.35 // and where the other words may be what is supposed of it
	halfNamed   = 0.5  // share that the name has of an item of which one sentence alone has such a value
	fewWords    = 2    // words of a question that may go on with the one before it
	byNameAlone = 0.7  // what a word counts that the sentence lacks and the name of the item has,
	byTextAlone = 0.5  // or other sentences of it
)

// detail answers a question for a detail of one thing: by the property of the item that the question names, or else by the
// sentence that has most of its words and a value of the kind that was asked for. It is nil where neither is there.
func (s *Service) detail(ctx context.Context, in *askState) (*Answer, error) {
	if in.skip > 0 || in.only != nil || in.typed() || len(in.Attributes) > 0 || in.Report != NoReport || in.asked.Literal ||
		in.understood.Intent == query.Compare || slices.ContainsFunc(in.understood.Constraints, func(c facets.Constraint) bool { return c.Not }) {
		return nil, nil
	}
	asked, ok := details.Read(in.Text)
	if !ok {
		return nil, nil
	}
	if n := len(in.earlier); n > 0 && len(asked.Words) <= fewWords { // "how much is it?"
		longer := asked
		longer.Words = append(slices.Clone(asked.Words), details.Subject(in.earlier[n-1].Text)...)
		if told, err := s.tellOf(ctx, in, longer); told != nil || err != nil {
			return told, err
		}
	}
	return s.tellOf(ctx, in, asked)
}

// tellOf answers a question for a detail that is read.
func (s *Service) tellOf(ctx context.Context, in *askState, asked details.Asked) (*Answer, error) {
	if len(asked.Words) == 0 {
		return nil, nil
	}
	a := s.find(index.Question{
		Text: strings.Join(asked.Words, " "), Sites: in.asked.Sites, Limit: mostAsked, Prefer: in.asked.Prefer,
		AsSpelled: in.asked.AsSpelled, OwnWords: true,
	})
	if len(a.parts) == 0 {
		return nil, nil
	}
	cards, err := a.render(ctx, a.parts[0])
	if err != nil {
		return nil, err
	}
	q := detailQuestion{Asked: asked, language: i18n.For(in.Languages...).Language(), terms: a.terms}
	best, telling, most := -1, "", 0.0
	for i, card := range cards {
		if card != nil {
			named, _ := q.weigh(index.Covered(q.terms, card.Name(), a.parts[0][i].listing.Language))
			q.named = max(q.named, named)
		}
	}
	for _, by := range []func(source, []byte) (string, float64){q.byProperty, q.bySentence} {
		for i, card := range cards {
			if card == nil || !card.Input() {
				continue
			}
			r := card.As(a.parts[0][i].hit())
			if said, share := by(sourceOf(r), r.AppendObject(nil)); share > most {
				best, telling, most = i, said, share
			}
		}
		if best >= 0 {
			break
		}
	}
	if best < 0 {
		return nil, nil
	}
	answering := a.parts[0][best]
	answering.score = 100
	in.only, in.telling = []found{answering}, telling
	told := s.those(in)
	told.view, told.factual = a.view, true
	if whole, err := told.preload(ctx); !whole || err != nil {
		return nil, err
	}
	told.improve(ctx, in)
	return told, nil
}

// detailQuestion is a question for a detail with what became of its words.
type detailQuestion struct {
	details.Asked
	language string
	terms    []search.Term
	named    float64 // the most that any item has of its words in the name
}

// supposing are the intents of which the words beside the name say what is supposed.
var supposing = []string{"size", "ingredients", "availability", "yes", "count", "amount"}

// byProperty answers from the properties of an item that the question names, and says how well it names it.
func (q *detailQuestion) byProperty(item source, object []byte) (said string, share float64) {
	in := index.Covered(q.terms, item.Name, item.Language)
	named, whole := q.weigh(in)
	if whole == 0 || named == 0 || named < q.named { // another one is meant, which does not say
		return "", 0
	}
	var beside []string
	for i, term := range q.terms {
		if !in[i] && term.Use != search.Stop {
			beside = append(beside, term.Word)
		}
	}
	share = named / whole
	least := wellNamed
	if slices.Contains(supposing, q.Intent) {
		least = partlyNamed
	}
	if share < least {
		return "", 0
	}
	// Of items that have as many of the words, the one whose name has the fewest others is meant.
	share += 0.1 / float64(1+len(strings.Fields(item.Name)))
	whatever := facts.Read(object)
	for _, fact := range q.questions(beside) {
		if answer, ok := fact.Answer(whatever); ok && (fact.Intent != "property" || q.figures(answer)) {
			return answer.Text, share
		}
	}
	return "", 0
}

// figures says whether an answer has a value of the kind that was asked for, where that is a figure: "medium" is not how much.
func (q *detailQuestion) figures(answer facts.Answer) bool {
	switch q.Kind {
	case "count", "quantity", "money", "temperature", "span":
		return slices.ContainsFunc(answer.Values, func(v string) bool { return details.Has(v, q.Kind) })
	}
	return true
}

// questions gives the questions that the properties of an item may answer, the likeliest first.
func (q *detailQuestion) questions(beside []string) (all []facts.Question) {
	supposed := strings.Join(beside, " ")
	ask := func(question facts.Question) {
		question.Language = q.language
		all = append(all, question)
	}
	switch q.Intent {
	case "size":
		ask(facts.Question{Intent: "size", Supposed: supposed})
	case "ingredients":
		for _, intent := range []string{"ingredients", "allergens"} {
			ask(facts.Question{Intent: intent, Supposed: supposed})
		}
	case "dimensions":
		ask(facts.Question{Intent: "size"})
	case "availability", "price":
		ask(facts.Question{Intent: q.Intent, Variant: supposed})
		ask(facts.Question{Intent: q.Intent})
	default:
		ask(facts.Question{Intent: q.Intent})
	}
	for _, words := range [][]string{beside, q.Topic} {
		for n := min(3, len(words)); n > 0; n-- {
			for i := 0; i+n <= len(words); i++ {
				ask(facts.Question{Intent: "property", Property: strings.Join(words[i:i+n], " ")})
			}
		}
	}
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
func (q *detailQuestion) bySentence(item source, _ []byte) (said string, share float64) {
	inName := index.Covered(q.terms, item.Name, item.Language)
	inText := index.Covered(q.terms, item.Text, item.Language)
	least := leastShared
	if q.Kind == "yes" || q.Kind == "person" {
		least = leastYes
	}
	alone, several := "", false // the sentence that has such a value
	for _, sentence := range sentences(item.Text) {
		if details.Has(sentence, q.Kind) {
			if alone != "" {
				several = true
			}
			alone = sentence
		}
		in := index.Covered(q.terms, sentence, item.Language)
		own, whole := q.weigh(in)
		named, _ := q.weigh(either(in, inName))
		all, _ := q.weigh(either(in, inName, inText))
		covered := (own + byNameAlone*(named-own) + byTextAlone*(all-named)) / whole
		if whole == 0 || covered < least || covered <= share || own == 0 && named < whole || !details.Has(sentence, q.Kind) {
			continue
		}
		beyond := named > own // the name says what the sentence is about
		said, share = shorten(strings.Join(strings.Fields(sentence), " "), sentenceRunes), covered
		if beyond && item.Name != "" {
			said = item.Name + ": " + said
		}
	}
	if named, whole := q.weigh(inName); said == "" && alone != "" && !several && q.Kind != "yes" && whole > 0 && named/whole >= halfNamed {
		return item.Name + ": " + shorten(strings.Join(strings.Fields(alone), " "), sentenceRunes), leastShared * named / whole
	}
	return said, share
}

// either says what holds in any of several.
func either(lists ...[]bool) []bool {
	any := make([]bool, len(lists[0]))
	for _, list := range lists {
		for i, holds := range list {
			any[i] = any[i] || holds
		}
	}
	return any
}
