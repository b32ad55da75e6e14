// Package facts answers a practical or factual question in one sentence, from the schema.org
// properties of objects that the terms have let out: when a place is open, what an item costs,
// whether a mug may go in the dishwasher.
//
// It is pure. What can be asked stands in intents.txt, what is said in one table a language
// (languages, whose format keys.txt describes), codes of units and diets in codes.txt. An answer
// says only what a property states; where none does, there is no answer. A list that lacks what was
// supposed is told as it is, and never as a "no": it may call the thing by another name.
package facts

import (
	"iter"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/content/facets"
)

// Question is what is asked of some objects.
type Question struct {
	Language string    // of the asker, a BCP 47 tag; English where no table is for it
	Intent   string    // a name of intents.txt
	When     When      // of hours
	Now      time.Time // in the place's own zone; zero when it is not known
	Country  string    // ISO 3166-1 alpha-2, of a delivery
	Variant  string    // of an item: a colour, a size, the name of an offer
	Property string    // of the intent "property": words among which it is called, in any of the languages
	Supposed string    // what is supposed of the value: "milk" of "does it contain milk"
}

// Verdict is what an answer says to a question for yes or no.
type Verdict int

// The zero Verdict is that of an answer that says neither.
const (
	Neither Verdict = iota
	Yes
	No
)

// Answer is what objects say to a question.
type Answer struct {
	Text       string   // one sentence in the asker's language
	Values     []string // the values in it, as they are told
	Properties []string // the properties that state them: "offers.price"
	Object     int      // which of the objects states them
	Called     string   // folded, what the words of the intent "property" call it
	Verdict    Verdict
}

// Answer gives what the first object that can answer says; false when none states it.
func (q Question) Answer(objects ...Object) (Answer, bool) {
	intent, known := intents()[q.Intent]
	if !known {
		return Answer{}, false
	}
	speech := languageFor(q.Language)
	for i, object := range objects {
		for _, thing := range object.things {
			t := teller{language: speech, Question: q, intent: intent, thing: thing}
			t.name = t.title()
			if said := forms[intent.form](&t); said != "" {
				t.answer.Object, t.answer.Text = i, t.sentence(said)
				return t.answer, true
			}
		}
	}
	return Answer{}, false
}

// teller answers one question from one thing.
type teller struct {
	*language
	Question
	intent intent
	thing  thing
	name   string
	answer Answer
}

// forms are the ways to read the properties of an intent. Each gives a statement, empty where
// nothing is stated. The map is filled by init because the form "property" looks other forms up.
var forms map[string]func(*teller) string

func init() {
	forms = map[string]func(*teller) string{
		"hours": tellHours, "open": tellOpen, "opens": tellOpens, "closes": tellCloses,
		"list": tellList, "named": tellNamed, "address": tellAddress, "place": tellPlace, "contact": tellContact,
		"date": tellDate, "clock": tellClock,
		"price": tellPrice, "free": tellFree, "salary": tellSalary,
		"availability": tellAvailability, "rating": tellRating,
		"delivery-cost": tellDeliveryCost, "delivery-countries": tellDeliveryCountries,
		"delivery-time": tellDeliveryTime,
		"returns":       tellReturns, "warranty": tellWarranty, "quantity": tellQuantity, "size": tellSize,
		"language": tellLanguage,
		"food":     tellFood, "amenities": tellAmenities, "flag": tellFlag, "diet": tellDiet, "stated": tellStated,
		"kind": tellKind, "property": tellProperty,
	}
}

// title is what the thing is called in a sentence.
func (t *teller) title() string {
	for _, member := range []string{"name", "legalName", "headline", "title"} {
		if name := text(t.thing[member]); name != "" {
			return name
		}
	}
	return t.say("nameless")
}

// state notes the values of an answer and the property that states them.
func (t *teller) state(property string, values ...string) {
	t.answer.Values = append(t.answer.Values, values...)
	if !slices.Contains(t.answer.Properties, property) {
		t.answer.Properties = append(t.answer.Properties, property)
	}
}

// tell words values as the intent does, and says yes where what was supposed is among them, no
// where they deny it.
func (t *teller) tell(values []string) string {
	t.answer.Verdict = mentions(values, t.Supposed)
	return t.say("tell."+t.intent.name, "name", t.name, "value", t.list(values))
}

// tellOr is tell where the values are names or codes: it says so when what was supposed is not
// among them.
func (t *teller) tellOr(values []string) string {
	if t.Supposed != "" && mentions(values, t.Supposed) == Neither {
		return t.say("unnamed", "name", t.name, "supposed", t.Supposed, "value", t.list(values))
	}
	return t.tell(values)
}

// mentions says whether values name what is supposed, or deny it.
func mentions(values []string, supposed string) Verdict {
	verdict := Neither
	for _, value := range values {
		for part := range parts(value) {
			switch {
			case !names(part, supposed):
			case !denies(part, supposed):
				return Yes
			default:
				verdict = No
			}
		}
	}
	return verdict
}

// parts are the entries of a list in one text.
func parts(value string) iter.Seq[string] {
	return strings.FieldsFuncSeq(strings.ReplaceAll(value, ". ", "; "), func(r rune) bool {
		return strings.ContainsRune(",;、。", r)
	})
}

// denies says whether words beside what is supposed deny it: "no cheques".
func denies(part, supposed string) bool {
	beside := strings.ReplaceAll(facets.Fold(part), facets.Fold(supposed), " ")
	for _, l := range languages() {
		if slices.ContainsFunc(l.lists["words.denied"], func(word string) bool { return names(beside, word) }) {
			return true
		}
	}
	return false
}

// sentence makes a sentence of a statement, with the verdict before it.
func (t *teller) sentence(said string) string {
	key := map[Verdict]string{Neither: "sentence", Yes: "yes", No: "no"}[t.answer.Verdict]
	said = t.say(key, "text", strings.TrimRight(said, "."))
	if strings.HasPrefix(said, t.name) && t.name != t.say("nameless") {
		return said
	}
	first, size := utf8.DecodeRuneInString(said)
	return string(unicode.ToUpper(first)) + said[size:]
}
