package ask

import (
	"slices"
	"strings"
	"time"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/ask/query"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/taxonomy"
)

// tellDetail answers a question for a detail of an item, from its own facts: the slot that was asked about, and what was
// supposed of it ("vegan" of "is it vegan"), empty for nothing.
func tellDetail(s i18n.Speaker, item source, slot facets.Slot, supposed string) string {
	label := query.Label(s, slot)
	said := ""
	switch {
	case slot == facets.Diet && supposed != "":
		said = tellDiet(s, item.Facts, supposed)
	case slot == facets.Ingredient && supposed != "":
		said = tellIngredient(s, item.Facts, supposed)
	case slot == facets.Price && supposed != "":
		said = tellFree(s, item.Facts)
	case (slot == facets.Employment || slot == facets.Workplace) && supposed != "":
		said = tellWork(s, item.Facts, slot, supposed)
	default:
		if slot, ok := told(item.Facts, slot); ok {
			if label = query.Label(s, slot); slot == facets.Ingredient && len(item.Facts.Values(slot)) > 1 {
				label = s.Say(i18n.Ingredients)
			}
			said = s.Say(i18n.Exactly, label, inWords(s, item.Facts, slot))
		}
	}
	if said == "" {
		return s.Say(i18n.TellsNot, item.Name, label)
	}
	return s.Say(i18n.Tells, item.Name, said)
}

// likewise are the slots that answer for one that an item does not state.
var likewise = map[facets.Slot][]facets.Slot{
	facets.TotalTime: {facets.Duration, facets.CookTime}, facets.Duration: {facets.TotalTime, facets.CookTime}, facets.CookTime: {facets.TotalTime},
	facets.Author: {"creator", "director", "performer", "organizer"}, facets.Brand: {"manufacturer"}, facets.Location: {"address"},
	facets.Allergens: {facets.Contains}, "genre": {facets.Category}, "director": {"creator", facets.Author}, "instructor": {"performer", "provider"},
	"publisher": {"provider", "organizer"}, "organizer": {"provider", "performer"},
}

// told finds the slot in which an item answers for one.
func told(f facets.Facts, slot facets.Slot) (facets.Slot, bool) {
	for _, s := range append([]facets.Slot{slot}, likewise[slot]...) {
		if _, ok := f.Figure(s); ok || len(f.Values(s)) > 0 {
			return s, true
		}
	}
	return slot, false
}

// tellFree says whether an item costs nothing, and what it costs otherwise.
func tellFree(s i18n.Speaker, f facets.Facts) string {
	price, priced := rangeIn(f, facets.Price)
	switch {
	case priced && price.High > 0:
		return s.Say(i18n.IsNot, s.Say(i18n.Free)) + ", " + s.Say(i18n.Exactly, query.Label(s, facets.Price), inWords(s, f, facets.Price))
	case priced, slices.Contains(f.Values("isAccessibleForFree"), "true"):
		return s.Say(i18n.Is, s.Say(i18n.Free))
	case slices.Contains(f.Values("isAccessibleForFree"), "false"):
		return s.Say(i18n.IsNot, s.Say(i18n.Free))
	}
	return ""
}

// tellWork says whether work is of a kind, and of which it is otherwise.
func tellWork(s i18n.Speaker, f facets.Facts, slot facets.Slot, supposed string) string {
	has := f.Values(slot)
	switch {
	case len(has) == 0:
		return ""
	case slices.Contains(has, supposed):
		return s.Say(i18n.Is, i18n.Jobs.In(s, supposed))
	}
	return s.Say(i18n.IsNot, i18n.Jobs.In(s, supposed)) + ", " + s.List(query.Named(s, slot, has))
}

// rangeIn is the range of an item's figures in a slot, of those in the unit of the first.
func rangeIn(f facets.Facts, slot facets.Slot) (whole facets.Figure, ok bool) {
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

// states says whether an item says anything in a slot, or in one that answers for it.
func states(item source, slot facets.Slot) bool {
	_, ok := told(item.Facts, slot)
	return ok
}

// mostTold is how many words of a slot a sentence tells.
const mostTold = 12

// inWords words what an item says in a slot.
func inWords(s i18n.Speaker, f facets.Facts, slot facets.Slot) string {
	figure, ok := f.Figure(slot)
	if slot == facets.Price || slot == facets.Size {
		figure, ok = rangeIn(f, slot)
	}
	switch {
	case !ok:
		values := f.Values(slot)
		return s.List(query.Named(s, slot, values[:min(len(values), mostTold)]))
	case figure.Kind == facets.Times:
		at := time.Unix(int64(figure.Low), 0).UTC()
		if slot == facets.Start && figure.High-figure.Low > 36*60*60 {
			return s.Day(at) + "–" + s.Day(time.Unix(int64(figure.High)-1, 0).UTC())
		}
		if at.Hour() == 0 && at.Minute() == 0 {
			return s.Day(at)
		}
		return s.Moment(at)
	}
	unit := figure.Unit
	if unit == "" {
		unit = (&facets.Constraint{Slot: slot, Min: &figure.Low}).UnitName()
	}
	if figure.High > figure.Low && figure.Unit != "" {
		return query.SayRange(s, slot, figure.Low, figure.High, unit)
	}
	return query.SayFigure(s, slot, figure.Low, unit)
}

// tellDiet says whether an item keeps to a diet: by what it declares, or by what is in it. It never says so of an item that
// says neither.
func tellDiet(s i18n.Speaker, f facets.Facts, diet string) string {
	name, ok := facets.DietOf(facets.Fold(diet))
	if !ok {
		name = diet
	}
	if text, ok := i18n.Diets[name]; ok {
		diet = s.Say(text)
	}
	has := f.Values(facets.Diet)
	if slices.Contains(has, name) || slices.ContainsFunc(has, func(d string) bool { return slices.Contains(facets.Implied(d), name) }) {
		return s.Say(i18n.Is, diet)
	}
	contents := f.Values(facets.Contains)
	var against []string
	for _, class := range facets.Forbids(name) {
		if slices.Contains(contents, class) {
			against = append(against, taxonomy.Name(class, s.Language()))
		}
	}
	if len(against) > 0 {
		switch s.Language() {
		case "fr", "es", "pt":
			if strings.HasSuffix(name, "free") { // their words for it have a denial already
				return s.Say(i18n.No) + ", " + s.Say(i18n.HasIn, s.List(against))
			}
		}
		return s.Say(i18n.IsNot, diet) + s.Say(i18n.Then) + s.Say(i18n.HasIn, s.List(against))
	}
	return ""
}

// tellIngredient says whether an item has something among its ingredients.
func tellIngredient(s i18n.Speaker, f facets.Facts, what string) string {
	folded := facets.Fold(what)
	class, known := taxonomy.Named(what)
	if known && s.Language() != "en" { // where the word may be in another language
		what = taxonomy.Name(class, s.Language())
	}
	var found []string
	for _, ingredient := range slices.Concat(f.Values(facets.Ingredient), f.Values(facets.Allergens)) {
		if words := " " + facets.Fold(ingredient) + " "; strings.Contains(words, " "+folded+" ") || strings.Contains(words, " "+facets.Singular(folded)+" ") {
			found = append(found, ingredient)
		}
	}
	switch {
	case len(found) > 0:
		return s.Say(i18n.HasIn, s.List(found[:min(len(found), mostTold)]))
	case known && slices.Contains(f.Values(facets.Contains), class):
		return s.Say(i18n.HasIn, what)
	case len(f.Values(facets.Ingredient)) > 0:
		return s.Say(i18n.HasNotIn, what)
	}
	return ""
}

// comparable are the slots by which items are set side by side when none was named, and whether the most is the best to
// know of.
var comparable = []struct {
	slot facets.Slot
	most bool
}{
	{facets.Price, false}, {facets.Rating, true}, {facets.TotalTime, false}, {facets.Duration, false}, {facets.Calories, false}, {facets.Protein, true}, {facets.Start, false}, {"weight", false},
}

// compare sets items side by side by their own facts: by one slot, or, when it is empty, by all those that every one of them
// states. It is empty when there is none.
func compare(s i18n.Speaker, items []source, slot facets.Slot) string {
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

func sideBySide(s i18n.Speaker, items []source, slot facets.Slot, most bool) string {
	var each []string
	best, even, unit := 0, true, ""
	figures := make([]facets.Figure, len(items))
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
	text := s.Say(i18n.SetBeside, query.Label(s, slot), strings.Join(each, s.Say(i18n.Then)))
	if !even {
		winner := i18n.Lowest
		switch {
		case figures[0].Kind == facets.Times:
			winner = i18n.Soonest
		case most:
			winner = i18n.Highest
		}
		text += "; " + s.Say(winner, items[best].Name)
	}
	return text + s.Say(i18n.Stop)
}
