package ask

import (
	"strings"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/ask/wording"
	"frontdesk/internal/content/facets"
)

// comparable are the slots of a comparison that names none; most says that the highest value is the
// best.
var comparable = []struct {
	slot facets.Slot
	most bool
}{
	{facets.Price, false}, {facets.Rating, true}, {facets.TotalTime, false}, {facets.Duration, false},
	{facets.Calories, false}, {facets.Protein, true}, {facets.Start, false}, {"weight", false},
}

// compare sets items side by side by their own facts: by one slot, or, when it is empty, by all
// those that every one of them states. It is empty when there is none.
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
		each = append(each, item.Name+" "+figureInWords(s, item.Facts, figure))
		even = even && figure.Low == figures[0].Low
		if most && figure.Low > figures[best].Low || !most && figure.Low < figures[best].Low {
			best = i
		}
	}
	text := s.Say(i18n.SetBeside, wording.Label(s, slot), strings.Join(each, s.Say(i18n.Then)))
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

// figureInWords words a figure of an item; of prices from the least to the most.
func figureInWords(s i18n.Speaker, f facets.Facts, figure facets.Figure) string {
	if figure.Slot == facets.Price {
		figure = priceRange(f, figure)
	}
	if figure.Kind == facets.Times {
		at := figure.At()
		if at.Hour() == 0 && at.Minute() == 0 {
			return s.Day(at)
		}
		return s.Moment(at)
	}
	unit := figure.Unit
	if unit == "" {
		unit = (&facets.Constraint{Slot: figure.Slot, Min: &figure.Low}).UnitName()
	}
	if figure.High > figure.Low && figure.Unit != "" {
		return wording.Range(s, figure.Slot, figure.Low, figure.High, unit)
	}
	return wording.Figure(s, figure.Slot, figure.Low, unit)
}

// priceRange is the range of an item's prices in the currency of one of them.
func priceRange(f facets.Facts, whole facets.Figure) facets.Figure {
	for _, figure := range f.Figures {
		if figure.Slot == whole.Slot && figure.Unit == whole.Unit && figure.Kind == whole.Kind {
			whole.Low, whole.High = min(whole.Low, figure.Low), max(whole.High, figure.High)
		}
	}
	return whole
}
