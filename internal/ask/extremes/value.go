package extremes

import (
	"slices"
	"strings"
	"unicode/utf8"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/content/facets"
)

// Bare is the unit of a figure without one.
const Bare = "number"

// Value is a figure of an item.
type Value struct {
	Figure facets.Figure
	Unit   string // its base unit: a currency, "ml", "people", "time" ...
}

// Nothing says whether a value is a nought without a unit, which is the same in any: what is free
// costs nothing in any currency.
func (v Value) Nothing() bool { return v.Unit == Bare && v.Figure.Low == 0 && v.Figure.High == 0 }

// CommonUnit is the unit that most of some figures have: those of others cannot be compared with
// them. Of as many, those of pay for a year come before those of pay for less.
func CommonUnit(values []Value) string {
	counts, most := map[string]int{}, ""
	for _, v := range values {
		if v.Unit == "" || v.Nothing() {
			continue
		}
		counts[v.Unit]++
		more, whole := counts[v.Unit]-counts[most], strings.Contains(most, "/") && !strings.Contains(v.Unit, "/")
		if more > 0 || more == 0 && whole {
			most = v.Unit
		}
	}
	return most
}

// Stated gives what the facts of an item state of a measure: the most of it or the least.
func (w *Wish) Stated(f []facets.Figure, name string) (v Value, ok bool) {
	most := w.Most(name)
	if name == "own" && measures()[w.Own].names != nil {
		name = w.Own
	}
	m := measureOf(name)
	if name == "own" {
		m.names = []string{w.Own}
	}
	named := func(f facets.Figure) bool { return slices.Contains(m.names, facets.Fold(string(f.Slot))) }
	some := slices.ContainsFunc(f, named)
	if !some && m.unit != "" { // "Wuchshöhe", "packed weight"
		named = func(f facets.Figure) bool { return f.Unit == m.unit && m.endsName(facets.Fold(string(f.Slot))) }
		some = slices.ContainsFunc(f, named)
	}
	for _, figure := range f {
		if !named(figure) && (some || m.other == "" || figure.Unit != m.other) {
			continue
		}
		if name == People { // room for up to so many
			figure.Low = figure.High
		}
		unit := figure.Unit
		switch {
		case figure.Kind == facets.Times:
			unit = "time"
		case unit == "" || unit == m.unit:
			unit = m.unit
			if figure.Unit == "" && m.unit == "ml" { // a capacity without a unit is one of people
				continue
			}
		case m.unit != "" && name != "price":
			continue
		}
		if unit == "" {
			unit = Bare
		}
		if !ok || most && figure.High > v.Figure.High || !most && figure.Low < v.Figure.Low {
			v, ok = Value{figure, unit}, true
		}
	}
	return v, ok
}

// Paid is pay as it is compared: what is paid for a month or a week is so for a year, and what is
// paid for less, such as an hour, is in a unit of its own. The period is a code as ask/facts reads
// it; empty for a year.
func (v Value) Paid(period string) Value {
	times := map[string]float64{"": 1, "ANN": 1, "MON": 12, "WEE": 52}[period]
	if times == 0 {
		v.Unit += "/" + period
		return v
	}
	v.Figure.Low, v.Figure.High = v.Figure.Low*times, v.Figure.High*times
	return v
}

// Ranked is the place of a value on the scale of an attribute, counted from nought.
func Ranked(attribute facets.Slot, n int) Value {
	return valueOf(float64(n), string(facets.Stated(attribute)))
}

// Told gives what a text says of a measure: a figure in its unit, or for prices one for what per
// names.
func Told(text, name, per string, most bool) (v Value, ok bool) {
	m := measureOf(name)
	if name != "price" && m.unit == "" {
		return v, false
	}
	for at := range facets.Starts(text) {
		found := Value{}
		if name == "price" {
			found, _ = moneyAt(text[at:], per)
		} else {
			found = quantityAt(text[at:], m.unit)
		}
		switch f := found.Figure; {
		case found.Unit == "":
		case !ok:
			v, ok = found, true
		case name == "price" || found.Unit != v.Unit: // the first sum of a text is what most pay
		case most && f.High > v.Figure.High, !most && f.Low < v.Figure.Low:
			v = found
		}
	}
	return v, ok
}

// moneyAt reads a sum of money in a currency at the beginning of a text, and whether it is for what
// per names.
func moneyAt(text, per string) (v Value, ok bool) {
	money, n := facets.ReadMoney(text)
	if n == 0 || money.Currency == "" {
		return v, false
	}
	if per != "" && !followedBy(text[n:], "per "+per) {
		return v, false
	}
	return valueOf(money.Amount, money.Currency), true
}

// followedBy says whether a text begins with a phrase of a name, in any language.
func followedBy(text, name string) bool {
	end := min(len(text), 60)
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	words := wordsOf(strings.ReplaceAll(text[:end], "/", " /"))
	return slices.ContainsFunc(tables(), func(t *table) bool {
		return slices.ContainsFunc(t.phrases[name], func(phrase []string) bool {
			return len(phrase) <= len(words) && standsIn(words[:len(phrase)], phrase) == 0
		})
	})
}

// quantityAt reads a figure in a unit at the beginning of a text: "18 litri", "six personnes", "38
// m²".
func quantityAt(text, unit string) (v Value) {
	q, n := facets.ReadQuantity(text)
	if n > 0 && q.Unit == unit {
		return valueOf(q.Value, unit)
	}
	amount, m := facets.ReadCount(text)
	if m == 0 {
		return v
	}
	if q, n := facets.ReadQuantity("1" + text[m:]); n > 1 && q.Unit == unit { // "six litres"
		return valueOf(amount*q.Value, unit)
	}
	if followedBy(text[m:], "read "+unit) {
		return valueOf(amount, unit)
	}
	return v
}

func valueOf(amount float64, unit string) Value {
	return Value{facets.Figure{Kind: facets.Figures, Low: amount, High: amount, Unit: unit}, unit}
}

// in gives the table of a language, for what is said.
func in(language string) *table {
	base, _, _ := strings.Cut(strings.ToLower(language), "-")
	for _, tag := range []string{base, fallback} {
		for _, t := range tables() {
			if t.tag == tag {
				return t
			}
		}
	}
	return tables()[0]
}

// Say words the answer to a wish for an extreme: which item it is, and its figure in words, if
// it has one.
func (w *Wish) Say(language, name, value string) string {
	t := in(language)
	told := t.texts["say"]
	if value == "" {
		told = strings.NewReplacer(" ({value})", "", "（{value}）", "").Replace(told)
	}
	return strings.NewReplacer("{word}", t.texts["label "+w.Superlative], "{name}", name, "{value}",
		value).Replace(told)
}

// SayCount words how many there are; names are those of the first ones, joined.
func SayCount(language string, n, named int, figure, names string) string {
	t, key := in(language), "say some"
	switch {
	case n == 1:
		key = "say one"
	case named < n:
		key = "say many"
	}
	return strings.NewReplacer("{n}", figure, "{names}", names).Replace(t.texts[key])
}

// UnitName is how a base unit is said behind its figure; the unit itself where the tables have no
// word for it.
func UnitName(language, unit string) string {
	if said := in(language).texts["unit "+unit]; said != "" {
		return said
	}
	return unit
}

// Say words the figure, of a range its end that was asked for; empty for a place on a scale.
func (v Value) Say(say i18n.Speaker, most bool) string {
	amount := v.Figure.Low
	if most {
		amount = v.Figure.High
	}
	money := len(v.Unit) == 3 && v.Unit == strings.ToUpper(v.Unit)
	if money && amount == 0 {
		return say.Say(i18n.Free)
	}
	if facets.Derived(facets.Slot(v.Unit)) {
		return ""
	}
	switch v.Unit {
	case "time":
		at := v.Figure.At()
		if at.Hour() == 0 && at.Minute() == 0 {
			return say.Day(at)
		}
		return say.Moment(at)
	case "min":
		return say.Span(amount)
	case "ml", "g", "cm":
		return say.Measure(amount, v.Unit)
	case Bare:
		return say.Number(amount, -1)
	}
	if money {
		return say.With(v.Unit, say.Amount(amount))
	}
	return say.Number(amount, -1) + " " + UnitName(say.Language(), v.Unit)
}
