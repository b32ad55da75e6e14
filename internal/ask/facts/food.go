package facts

import (
	"slices"
	"strings"

	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/taxonomy"
)

// tellFood says what is in a food, or what is supposed to be in it.
func tellFood(t *teller) string {
	if t.Supposed != "" {
		return t.supposedFood()
	}
	values := t.texts()
	switch {
	case len(values) == 0:
		return ""
	case len(values) == 1 && words("words.no", values[0]):
		return t.say("food.none", "name", t.name)
	}
	said := t.tell(values)
	if traces := t.textsOf("traces"); len(traces) > 0 && t.intent.name == "allergens" {
		said = t.clauses(said, t.say("tell.traces", "name", t.name, "value", t.list(traces)))
	}
	return said
}

// tellDiet says whether a food keeps to a diet: by what it declares, or by what is in it. It never
// says so of a food that says neither.
func tellDiet(t *teller) string {
	if said := tellFlag(t); said != "" {
		return said
	}
	stated := append(t.textsOf("ingredients"), t.textsOf("allergens")...)
	diet, _ := facets.DietOf(strings.ReplaceAll(t.intent.name, "-", " "))
	var against []string
	for _, class := range facets.Forbids(diet) {
		if slices.ContainsFunc(stated, func(value string) bool { return states(value, class, false) }) {
			against = append(against, taxonomy.Name(class, t.tag))
		}
	}
	if len(against) == 0 {
		return ""
	}
	t.answer.Values = against
	return t.say("diet.broken", "said", t.flagged(No), "value", t.list(against))
}

// supposedFood tells the values that name what is supposed or a food of its class, of all that is
// said of what is in a food, or else all of them. It never says that a food is without something,
// since its list may name it in another language or leave it out.
func (t *teller) supposedFood() string {
	stated := append(t.textsOf("allergens"), t.textsOf("ingredients")...)
	traces := t.textsOf("traces")
	found, literal := t.foods(stated, false)
	if len(found) > 0 {
		if literal {
			t.answer.Verdict = Yes
		}
		t.answer.Values = found
		return t.say("food.found", "name", t.name, "value", t.list(found))
	}
	near, _ := t.foods(traces, false)
	if more, _ := t.foods(stated, true); len(near) == 0 && len(more) > 0 {
		near = []string{t.Supposed} // since words that say "may contain" stand among them
	}
	if len(near) > 0 {
		t.answer.Values = near
		return t.say("tell.traces", "name", t.name, "value", t.list(near))
	}
	if stated = append(stated, traces...); len(stated) == 0 {
		return ""
	}
	return t.say("food.found", "name", t.name, "value", t.list(stated))
}

// foods are the values that name what is supposed, or a food of its class; literal says that one
// does so in these words. With traces they are those of which a value says that they may be in it.
func (t *teller) foods(values []string, traces bool) (found []string, literal bool) {
	class, known := taxonomy.Named(t.Supposed)
	for _, value := range values {
		if known && !states(value, class, traces) {
			continue
		}
		for part := range parts(value) {
			part = strings.TrimSpace(part)
			in := known && (states(part, class, false) || traces && states(part, class, true))
			if named := names(part, t.Supposed) && !denies(part, t.Supposed); in || named && !known && !traces {
				found, literal = added(found, part), literal || named
			}
		}
	}
	return found, literal
}

// states says whether an ingredient, or a list of them, is or has one of a class of food,
// look-alikes and "free of" aside; with traces, whether it may.
func states(list, class string, traces bool) bool {
	var c taxonomy.Contents
	c.AddList(list, taxonomy.Food)
	if traces {
		return slices.Contains(c.Traces(), class)
	}
	return slices.Contains(c.Has(), class)
}
