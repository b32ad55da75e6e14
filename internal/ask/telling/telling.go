// Package telling answers a question for a detail from one item: by the property that the question
// names, by one whose name means about what it asks for, or by the sentence that has most of its
// words and a value of the kind that is asked for.
//
// It is pure, and knows neither the search that found the item nor the terms that released it.
// Enter by [Question].
package telling

import (
	"cmp"
	"slices"
	"strings"

	"frontdesk/internal/ask/details"
	"frontdesk/internal/ask/facts"
	"frontdesk/internal/ask/query"
	"frontdesk/internal/ask/quote"
	"frontdesk/internal/content"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/index"
	"frontdesk/internal/content/search"
	"frontdesk/internal/content/vector/words"
)

// The bounds of what answers.
const (
	WellNamed   = 0.6  // share of a question's words in the name of the item whose property answers,
	partlyNamed = 0.35 // and where the other words may be what the question supposes of the item
	HalfNamed   = 0.5  // the same share where only one sentence of the item has such a value
	leastShared = 0.6  // share of the weight of a question's words that a sentence has with the name of its item
	leastYes    = 0.75 // the same where any sentence may answer
	byNameAlone = 0.7  // what a word counts that the sentence lacks and the name of the item has,
	byTextAlone = 0.5  // or other sentences of it,
	byCount     = 0.3  // and how much more a sentence answers that counts what was asked for
	leastShown  = 0.4  // share of the weight of a question's words that a sentence has of an item that was shown
	leastNear   = 0.45 // cosine of what is asked for with the name of a property,
	wholeNear   = 0.8  // and where its value is no figure, though one is asked for
	minWeight   = 1e-6 // of a question without words of weight
)

// Item is one item of an answer as it may be spoken of: what was released of it and nothing else.
type Item struct {
	Type     string
	Name     string
	Language string
	Text     string // released text, from which sentences are taken
	Facts    facets.Facts
	Object   facts.Object // its properties; zero where they were not asked for
}

// Question is a question for a detail with what became of its words.
type Question struct {
	details.Asked
	Language string // of the answer
	Terms    []search.Term
	Named    float64 // the most that any item has of its words in the name
	Several  bool    // and whether several have as many
	Shown    bool    // it is asked of an item that was shown, whether it names it or not
}

// supposing are the intents whose words beside the name say what the question supposes.
var supposing = []string{"size", "speaks", "ingredients", "availability", "yes", "count", "amount"}

// Naming says of each term whether an item's name or, beside another word of it, its type says it.
func (q *Question) Naming(item Item) []bool {
	in := index.Covered(q.Terms, item.Name, item.Language)
	if !slices.Contains(in, true) {
		return in
	}
	for i, term := range q.Terms {
		in[i] = in[i] || slices.ContainsFunc(query.TypesOf(term.Word), func(t string) bool {
			return content.IsA(item.Type, t)
		})
	}
	return in
}

// ByProperty answers from the properties of an item that the question names, and says how well it
// names it.
func (q *Question) ByProperty(item Item, object facts.Object) (said string, share float64) {
	in := q.Naming(item)
	named, whole := q.Weigh(in)
	if !q.means(named) || q.Several && q.open() { // another one is meant, which does not say
		return "", 0
	}
	var beside []string
	for i, term := range q.Terms {
		if !in[i] && term.Use != search.Stop {
			beside = append(beside, term.Word)
		}
	}
	least := WellNamed
	if slices.Contains(supposing, q.Intent) {
		least = partlyNamed
	}
	for _, fact := range q.questions(beside) {
		answer, ok := fact.Answer(object)
		if !ok || fact.Intent == "property" && !q.figures(answer) {
			continue
		}
		// What calls the property calls no item.
		known, _ := q.Weigh(index.Either(in, index.Covered(q.Terms, answer.Called, item.Language)))
		if share = named / max(whole-known+named, minWeight); share >= least || q.Shown {
			// Of items that have as many of the words, the one whose name has the fewest others is
			// meant.
			share = max(share, minWeight) + 0.1/float64(1+len(strings.Fields(item.Name)))
			known := index.Either(in, index.Covered(q.Terms, answer.Text, item.Language))
			return strings.TrimSpace(answer.Text + " " + q.closer(item, known)), share
		}
	}
	return "", 0
}

// means says whether the question may mean an item whose name has a weight of its words.
func (q *Question) means(named float64) bool { return q.Shown || named > 0 && named >= q.Named }

// open says whether the question asks for what no phrase names.
func (q *Question) open() bool { return q.Intent == "property" && !q.Shown }

// closer is the sentence of an item, told behind its property, with a figure of the kind that was
// asked for, and a word of the question that neither the item's name nor its property has: what
// students pay, where the property says what it costs.
func (q *Question) closer(item Item, known []bool) string {
	if !q.asksFigure() {
		return ""
	}
	best, most := "", 0.0
	for _, sentence := range quote.Split(item.Text) {
		in := index.Covered(q.Terms, sentence, item.Language)
		for i := range in {
			in[i] = in[i] && !known[i]
		}
		if own, _ := q.Weigh(in); own > most && details.Has(sentence, q.Kind) {
			best, most = quote.Shorten(sentence), own
		}
	}
	return best
}

// quote tells a sentence of an item.
func (q *Question) quote(item Item, sentence string) string {
	sentence = quote.Shorten(sentence)
	if item.Name == "" {
		return sentence
	}
	return item.Name + ": " + sentence
}

// ByStatement answers from a property whose name means about what the words beside the item's name
// ask for, or whose value has these words.
func (q *Question) ByStatement(item Item, object facts.Object) (said string, share float64) {
	in := q.Naming(item)
	named, whole := q.Weigh(in)
	if !q.means(named) || q.Several && !q.Shown {
		return "", 0
	}
	var asks []string
	for i, term := range q.Terms {
		if !in[i] && term.Use != search.Stop {
			asks = append(asks, term.Word)
		}
	}
	for _, word := range q.Topic {
		if !details.Says(word, "asking") {
			asks = append(asks, word)
		}
	}
	wanted, alone, several := strings.Join(asks, " "), "", len(asks) > len(q.Topic) && q.Kind == "span"
	for _, s := range object.Statements(q.Language) {
		if (q.Kind == "span" || q.Kind == "temperature") && q.has(s.Value) {
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
	if said == "" && alone != "" && !several { // the only one that tells how long, or how hot
		return alone, max(leastNear, named/max(whole, minWeight))
	}
	if said != "" {
		known := index.Either(in, index.Covered(q.Terms, said, item.Language))
		said = strings.TrimSpace(said + " " + q.closer(item, known))
	}
	return said, share
}

// asksFigure says whether a value of the kind that was asked for is a figure.
func (q *Question) asksFigure() bool {
	return slices.Contains([]string{"count", "quantity", "money", "temperature", "span", "people", "date"}, q.Kind)
}

// figures says whether an answer has a value of the kind that was asked for, where that is a
// figure: "medium" is not how much.
func (q *Question) figures(answer facts.Answer) bool {
	return !q.asksFigure() || slices.ContainsFunc(answer.Values, q.has)
}

// has says whether the value of a property is of the kind that was asked for.
func (q *Question) has(value string) bool {
	if q.Kind == "people" {
		return details.Has(value, "count")
	}
	return details.Has(value, q.Kind)
}

// questions gives the questions that the properties of an item may answer, the likeliest first.
func (q *Question) questions(beside []string) (all []facts.Question) {
	supposed := strings.Join(beside, " ")
	ask := func(question facts.Question) {
		question.Language = q.Language
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

// Weigh gives the weight of the words of the question that hold, and of all.
func (q *Question) Weigh(holds []bool) (those, whole float64) {
	for i, term := range q.Terms {
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

// BySentence answers with the sentence of an item's text that has most of the question's words and
// a value of the kind.
func (q *Question) BySentence(item Item, _ facts.Object) (said string, share float64) {
	inName := q.Naming(item)
	inText := index.Covered(q.Terms, item.Text, item.Language)
	least := leastShared
	if q.Kind == "yes" || q.Kind == "person" || q.Kind == "open" {
		least = leastYes
	}
	if named, _ := q.Weigh(inName); q.open() && (q.Several || !q.means(named)) {
		return "", 0
	}
	if q.Shown {
		least = leastShown
	}
	alone, several := "", false // the first sentence that has such a value, and whether others have
	for _, sentence := range quote.Split(item.Text) {
		if details.Has(sentence, q.Kind) {
			several = several || alone != ""
			alone = cmp.Or(alone, sentence)
		}
		in := index.Covered(q.Terms, sentence, item.Language)
		own, whole := q.Weigh(in)
		named, _ := q.Weigh(index.Either(in, inName))
		all, _ := q.Weigh(index.Either(in, inName, inText))
		covered := (own + byNameAlone*(named-own) + byTextAlone*(all-named)) / max(whole, minWeight)
		aside := own == 0 && (named < whole || q.Shown)
		if q.asksFigure() && quote.Counts(sentence, item.Language, q.Terms, inName) {
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
	switch named, whole := q.Weigh(inName); {
	case said != "" || alone == "" || several && !(q.Shown && whole == 0) || q.Kind == "yes" || q.Kind == "open":
	case q.Shown, whole > 0 && named/whole >= HalfNamed:
		share = leastShared * max(named, minWeight) / max(whole, minWeight)
		return q.quote(item, alone), share
	}
	return said, share
}

// Explained gives two shares of the question: that which the item's name and the told sentence
// have, and that which its name has alone.
func (q *Question) Explained(item Item, told string) (explained, named float64) {
	inName := q.Naming(item)
	says, whole := q.Weigh(inName)
	if whole == 0 { // nothing is left to be explained
		return 1, 0
	}
	explained, _ = q.Weigh(index.Either(inName, index.Covered(q.Terms, told, item.Language)))
	return explained / whole, says / whole
}

// ValueOf gives the value of the property whose name means about the same as some words.
func ValueOf(item Item, called string) (value string) {
	if called == "" {
		return ""
	}
	most := leastNear
	for _, s := range item.Object.Statements(item.Language) {
		for _, name := range s.Names {
			if near := words.Builtin().Nearness(called, name); near >= most {
				most, value = near, s.Value
			}
		}
	}
	return value
}
