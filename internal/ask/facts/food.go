package facts

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"frontdesk/internal/content/facets"
)

// foodIntents are those whose values say what is in a food. What is supposed of one is looked for in both.
var foodIntents = []string{"allergens", "ingredients"}

// tellFood says what is in a food. Of what is supposed, it tells the values that name it or a food of its class, or else all
// of them. It never says that a food is without something, since its list may name it in another language or leave it out.
func tellFood(t *teller) string {
	if t.Supposed == "" {
		values := t.texts()
		switch {
		case len(values) == 0:
			return ""
		case len(values) == 1 && words("words.no", values[0]):
			return t.say("food.none", "name", t.name)
		}
		return t.tell(values)
	}
	var values []string
	asked := t.intent
	for _, name := range foodIntents {
		t.intent = intents()[name]
		values = append(values, t.texts()...)
	}
	t.intent = asked
	if len(values) == 0 {
		return ""
	}
	found, literal := t.foods(values)
	if literal {
		t.answer.Verdict = Yes
	}
	if len(found) == 0 {
		found = values
	}
	t.answer.Values = found
	return t.say("food.found", "name", t.name, "value", t.list(found))
}

// foods are the values that name what is supposed, or a food of its class; literal says that one does so in these words.
func (t *teller) foods(values []string) (found []string, literal bool) {
	class, known := facets.Class(facets.Fold(t.Supposed))
	for _, value := range values {
		for part := range strings.FieldsFuncSeq(value, func(r rune) bool { return strings.ContainsRune(",;、", r) }) {
			part = strings.TrimSpace(part)
			in := known && inClass(part, class)
			if named := names(part, t.Supposed); in || named && !known {
				found, literal = added(found, part), literal || named
			}
		}
	}
	return found, literal
}

// inClass says whether an ingredient is of a class of food, look-alikes and "free of" aside.
func inClass(ingredient, class string) bool {
	object, err := json.Marshal(map[string]string{"recipeIngredient": ingredient})
	return err == nil && slices.Contains(facets.Read(object).Values(facets.Contains), class)
}
