package answer

import (
	"slices"
	"strings"
	"time"

	"frontdesk/internal/facet"
	"frontdesk/internal/phrase"
	"frontdesk/internal/understand"
)

// Tell answers a question for a detail of an item, from its own facts: the slot that was asked about, and what was
// supposed of it ("vegan" of "is it vegan"), empty for nothing.
func Tell(s phrase.Speaker, item Told, slot facet.Slot, supposed string) string {
	label := understand.Label(s, slot)
	said := ""
	switch {
	case slot == facet.Diet && supposed != "":
		said = tellDiet(s, item.Facts, supposed)
	case slot == facet.Ingredient && supposed != "":
		said = tellIngredient(s, item.Facts, supposed)
	case slot == facet.Price && supposed != "":
		said = tellFree(s, item.Facts)
	case (slot == facet.Employment || slot == facet.Workplace) && supposed != "":
		said = tellWork(s, item.Facts, slot, supposed)
	default:
		if slot, ok := told(item.Facts, slot); ok {
			if label = understand.Label(s, slot); slot == facet.Ingredient && len(item.Facts.Values(slot)) > 1 {
				label = s.Say(phrase.Ingredients)
			}
			said = s.Say(phrase.Exactly, label, inWords(s, item.Facts, slot))
		}
	}
	if said == "" {
		return s.Say(phrase.TellsNot, item.Name, label)
	}
	return s.Say(phrase.Tells, item.Name, said)
}

// likewise are the slots that answer for one that an item does not state.
var likewise = map[facet.Slot][]facet.Slot{
	facet.TotalTime: {facet.Duration, facet.CookTime}, facet.Duration: {facet.TotalTime, facet.CookTime}, facet.CookTime: {facet.TotalTime},
	facet.Author: {"creator", "director", "performer", "organizer"}, facet.Brand: {"manufacturer"}, facet.Location: {"address"},
	facet.Allergens: {facet.Contains}, "genre": {facet.Category}, "director": {"creator", facet.Author}, "instructor": {"performer", "provider"},
	"publisher": {"provider", "organizer"}, "organizer": {"provider", "performer"},
}

// told finds the slot in which an item answers for one.
func told(f facet.Facts, slot facet.Slot) (facet.Slot, bool) {
	for _, s := range append([]facet.Slot{slot}, likewise[slot]...) {
		if _, ok := f.Figure(s); ok || len(f.Values(s)) > 0 {
			return s, true
		}
	}
	return slot, false
}

// tellFree says whether an item costs nothing, and what it costs otherwise.
func tellFree(s phrase.Speaker, f facet.Facts) string {
	price, priced := rangeIn(f, facet.Price)
	switch {
	case priced && price.High > 0:
		return s.Say(phrase.IsNot, s.Say(phrase.Free)) + ", " + s.Say(phrase.Exactly, understand.Label(s, facet.Price), inWords(s, f, facet.Price))
	case priced, slices.Contains(f.Values("isAccessibleForFree"), "true"):
		return s.Say(phrase.Is, s.Say(phrase.Free))
	case slices.Contains(f.Values("isAccessibleForFree"), "false"):
		return s.Say(phrase.IsNot, s.Say(phrase.Free))
	}
	return ""
}

// tellWork says whether work is of a kind, and of which it is otherwise.
func tellWork(s phrase.Speaker, f facet.Facts, slot facet.Slot, supposed string) string {
	has := f.Values(slot)
	switch {
	case len(has) == 0:
		return ""
	case slices.Contains(has, supposed):
		return s.Say(phrase.Is, s.Job(supposed))
	}
	return s.Say(phrase.IsNot, s.Job(supposed)) + ", " + s.List(understand.Named(s, slot, has))
}

// rangeIn is the range of an item's figures in a slot, of those in the unit of the first.
func rangeIn(f facet.Facts, slot facet.Slot) (whole facet.Figure, ok bool) {
	for _, figure := range f.Figures {
		switch {
		case figure.Slot != slot || ok && (figure.Unit != whole.Unit || figure.Kind != whole.Kind):
		case !ok:
			whole, ok = figure, true
		default:
			whole.Low, whole.High = min(whole.Low, figure.Low), max(whole.High, figure.High)
		}
	}
	return whole, ok
}

// States says whether an item says anything in a slot, or in one that answers for it.
func States(item Told, slot facet.Slot) bool {
	_, ok := told(item.Facts, slot)
	return ok
}

// mostTold is how many words of a slot a sentence tells.
const mostTold = 12

// inWords words what an item says in a slot.
func inWords(s phrase.Speaker, f facet.Facts, slot facet.Slot) string {
	figure, ok := f.Figure(slot)
	if slot == facet.Price || slot == facet.Size {
		figure, ok = rangeIn(f, slot)
	}
	switch {
	case !ok:
		values := f.Values(slot)
		return s.List(understand.Named(s, slot, values[:min(len(values), mostTold)]))
	case figure.Kind == facet.Times:
		at := time.Unix(int64(figure.Low), 0).UTC()
		if slot == facet.Start && figure.High-figure.Low > 36*60*60 {
			return s.Day(at) + "–" + s.Day(time.Unix(int64(figure.High)-1, 0).UTC())
		}
		if at.Hour() == 0 && at.Minute() == 0 {
			return s.Day(at)
		}
		return s.Moment(at)
	}
	unit := figure.Unit
	if unit == "" {
		unit = (&understand.Constraint{Slot: slot, Min: &figure.Low}).UnitName()
	}
	if figure.High > figure.Low && figure.Unit != "" {
		return understand.SayRange(s, slot, figure.Low, figure.High, unit)
	}
	return understand.SayFigure(s, slot, figure.Low, unit)
}

// tellDiet says whether an item keeps to a diet: by what it declares, or by what is in it. It never says so of an item that
// says neither.
func tellDiet(s phrase.Speaker, f facet.Facts, diet string) string {
	name, ok := facet.DietOf(facet.Fold(diet))
	if !ok {
		name = diet
	}
	if text, ok := phrase.Diets[name]; ok {
		diet = s.Say(text)
	}
	has := f.Values(facet.Diet)
	if slices.Contains(has, name) || slices.ContainsFunc(has, func(d string) bool { return slices.Contains(facet.Implied(d), name) }) {
		return s.Say(phrase.Is, diet)
	}
	contents := f.Values(facet.Contains)
	var against []string
	for _, class := range facet.Forbids(name) {
		if slices.Contains(contents, class) {
			against = append(against, s.Food(class))
		}
	}
	if len(against) > 0 {
		switch s.Language() {
		case "fr", "es", "pt":
			if strings.HasSuffix(name, "free") { // their words for it have a denial already
				return s.Say(phrase.No) + ", " + s.Say(phrase.HasIn, s.List(against))
			}
		}
		return s.Say(phrase.IsNot, diet) + s.Say(phrase.Then) + s.Say(phrase.HasIn, s.List(against))
	}
	return ""
}

// tellIngredient says whether an item has something among its ingredients.
func tellIngredient(s phrase.Speaker, f facet.Facts, what string) string {
	folded := facet.Fold(what)
	class, known := facet.Class(folded)
	if known && s.Language() != "en" { // where the word may be in another language
		what = s.Food(class)
	}
	var found []string
	for _, ingredient := range slices.Concat(f.Values(facet.Ingredient), f.Values(facet.Allergens)) {
		if words := " " + facet.Fold(ingredient) + " "; strings.Contains(words, " "+folded+" ") || strings.Contains(words, " "+facet.Singular(folded)+" ") {
			found = append(found, ingredient)
		}
	}
	switch {
	case len(found) > 0:
		return s.Say(phrase.HasIn, s.List(found[:min(len(found), mostTold)]))
	case known && slices.Contains(f.Values(facet.Contains), class):
		return s.Say(phrase.HasIn, what)
	case len(f.Values(facet.Ingredient)) > 0:
		return s.Say(phrase.HasNotIn, what)
	}
	return ""
}

// comparable are the slots by which items are set side by side when none was named, and whether the most is the best to
// know of.
var comparable = []struct {
	slot facet.Slot
	most bool
}{
	{facet.Price, false}, {facet.Rating, true}, {facet.TotalTime, false}, {facet.Duration, false}, {facet.Calories, false}, {facet.Protein, true}, {facet.Start, false}, {"weight", false},
}

// Compare sets items side by side by their own facts: by one slot, or, when it is empty, by all those that every one of them
// states. It is empty when there is none.
func Compare(s phrase.Speaker, items []Told, slot facet.Slot) string {
	var parts []string
	for _, by := range comparable {
		if slot == "" || slot == by.slot {
			if part := sideBySide(s, items, by.slot, by.most); part != "" {
				parts = append(parts, part)
			}
		}
	}
	return strings.Join(parts, " ")
}

func sideBySide(s phrase.Speaker, items []Told, slot facet.Slot, most bool) string {
	var each []string
	best, even, unit := 0, true, ""
	figures := make([]facet.Figure, len(items))
	for i, item := range items {
		figure, ok := item.Facts.Figure(slot)
		if !ok || i > 0 && figure.Unit != unit {
			return ""
		}
		unit, figures[i] = figure.Unit, figure
		each = append(each, item.Name+" "+inWords(s, item.Facts, slot))
		even = even && figure.Low == figures[0].Low
		if most && figure.Low > figures[best].Low || !most && figure.Low < figures[best].Low {
			best = i
		}
	}
	text := s.Say(phrase.SetBeside, understand.Label(s, slot), strings.Join(each, s.Say(phrase.Then)))
	if !even {
		winner := phrase.Lowest
		switch {
		case figures[0].Kind == facet.Times:
			winner = phrase.Soonest
		case most:
			winner = phrase.Highest
		}
		text += "; " + s.Say(winner, items[best].Name)
	}
	return text + s.Say(phrase.Stop)
}
