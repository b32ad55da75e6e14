package understand

import (
	"math"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/facet"
	"frontdesk/internal/phrase"
)

// TypeName is the name of the attribute that says which types of items are wanted.
const TypeName = "itemType"

// OfType is the slot of a constraint on what items are: its values are schema.org types. Types that are wanted stand in
// [Understood.Types]; those that are not are such a constraint.
const OfType facet.Slot = TypeName

// labels are the names of slots in plain words; a slot without one is called by its own name.
var labels = map[facet.Slot]phrase.Text{
	facet.Price: phrase.Price, facet.Rating: phrase.Rating, facet.Ratings: phrase.Ratings, facet.TotalTime: phrase.TotalTime,
	facet.PrepTime: phrase.PrepTime, facet.CookTime: phrase.CookTime, facet.Duration: phrase.Length, facet.Published: phrase.Published,
	facet.Start: phrase.Start, facet.Location: phrase.Place, facet.Brand: phrase.Brand, facet.Color: phrase.Color,
	facet.Category: phrase.Category, facet.Author: phrase.Author, facet.Material: phrase.Material, facet.Size: phrase.Size,
	facet.Audience: phrase.Audience, facet.Cuisine: phrase.Cuisine, facet.Diet: phrase.Diet, facet.Ingredient: phrase.Ingredient,
	facet.Yield: phrase.Yield, facet.Calories: phrase.Calories, facet.Protein: phrase.Protein, facet.Fat: phrase.Fat,
	facet.Carbohydrate: phrase.Carbohydrate, facet.Sugar: phrase.Sugar, facet.Fiber: phrase.Fiber, facet.Sodium: phrase.Sodium,
	facet.Language: phrase.Tongue, facet.Availability: phrase.Availability, facet.Employment: phrase.Employment, facet.Workplace: phrase.Workplace,
	facet.End: phrase.Ended, "genre": phrase.Genre, "numberOfPages": phrase.Pages, "organizer": phrase.Organizer, "performer": phrase.Performer,
	"director": phrase.Director, "instructor": phrase.Instructor, "hiringOrganization": phrase.Employer, "publisher": phrase.Publisher,
	salary: phrase.Salary, OfType: phrase.Kind, deadline: phrase.Deadline, workload: phrase.Length, "weight": phrase.Weight, "width": phrase.Width, "height": phrase.Height, "depth": phrase.Depth,
}

// units are the units of figures in slots that have one unit.
var units = map[facet.Slot]string{
	facet.TotalTime: "min", facet.PrepTime: "min", facet.CookTime: "min", facet.Duration: "min", facet.Calories: "kcal",
	workload: "min", facet.Protein: "g", facet.Fat: "g", facet.Carbohydrate: "g", facet.Sugar: "g", facet.Fiber: "g", facet.Sodium: "mg",
}

// Label names a slot in plain words.
func Label(s phrase.Speaker, slot facet.Slot) string {
	if text, ok := labels[slot]; ok {
		return s.Say(text)
	}
	return string(slot)
}

// UnitName is the unit of the constraint's figures; empty where there is none.
func (c *Constraint) UnitName() string {
	if c.Min == nil && c.Max == nil {
		return ""
	}
	if c.Unit != "" {
		return c.Unit
	}
	return units[c.Slot]
}

// Say puts a constraint in plain words: "price under $20".
func (c *Constraint) Say(s phrase.Speaker) string {
	text := c.say(s)
	if c.Soft {
		text = s.Say(phrase.Rather, text)
	}
	return text
}

func (c *Constraint) say(s phrase.Speaker) string {
	label := Label(s, c.Slot)
	switch {
	case c.Cheap:
		return s.Say(phrase.LowPrice)
	case c.Free():
		return s.Say(phrase.Free)
	case len(c.Values) > 0:
		return c.sayWords(s, label)
	case c.Slot == facet.End && c.From.IsZero() && !c.To.IsZero():
		return c.negated(s, s.Say(phrase.OverBefore, s.Day(c.To)))
	case !c.From.IsZero() || !c.To.IsZero():
		return c.negated(s, sayPeriod(s, label, c.From, c.To))
	case c.Min != nil || c.Max != nil:
		return c.negated(s, c.sayFigures(s, label))
	}
	return c.negated(s, label)
}

func (c *Constraint) negated(s phrase.Speaker, text string) string {
	if c.Not {
		return s.Say(phrase.Unlike, text)
	}
	return text
}

// sayWords words a constraint on words. What an item is made of and what it mentions needs no name of a slot.
func (c *Constraint) sayWords(s phrase.Speaker, label string) string {
	values := s.Any(Named(s, c.Slot, c.Values))
	if c.Around > 0 && c.Around != nearbyKilometres {
		values += " (≤ " + s.Number(math.Round(10*c.Around)/10, -1) + " km)"
	}
	bare := c.Slot == facet.Ingredient || c.Slot == facet.Mention || c.Slot == facet.Contains
	switch {
	case bare && c.Not:
		return s.Say(phrase.Without, values)
	case bare:
		return s.Say(phrase.Mentions, values)
	case c.Not:
		return s.Say(phrase.NotOfKind, label, values)
	}
	return s.Say(phrase.OfKind, label, values)
}

// Named are the values of a slot as people call them.
func Named(s phrase.Speaker, slot facet.Slot, values []string) []string {
	name := func(value string) string { return value }
	switch slot {
	case facet.Diet:
		name = s.Diet
	case facet.Contains:
		name = s.Food
	case facet.Availability:
		name = s.Stock
	case facet.Employment, facet.Workplace:
		name = s.Job
	case facet.Color:
		name, values = s.Color, onceColored(values)
	case OfType:
		name = s.Kind
	}
	names := make([]string, len(values))
	for i, value := range values {
		names[i] = name(value)
	}
	return names
}

// onceColored leaves out words for a colour ahead of its English name, which stands for the same.
func onceColored(values []string) []string {
	once := make([]string, 0, len(values))
	for i, value := range values {
		if !slices.Contains(values[i+1:], colorOf(value)) {
			once = append(once, value)
		}
	}
	return once
}

// colorOf is the English name of a colour in any language; empty when the word is none.
func colorOf(word string) string {
	for _, s := range vocabulary[facet.Fold(word)] {
		if s.role == roleColor {
			return s.arg
		}
	}
	for _, c := range jaColors {
		if slices.Contains(c.values, word) {
			return c.values[len(c.values)-1]
		}
	}
	return ""
}

func (c *Constraint) sayFigures(s phrase.Speaker, label string) string {
	figure := func(v float64) string { return SayFigure(s, c.Slot, v, c.UnitName()) }
	switch {
	case c.Min != nil && c.Max != nil && *c.Min == *c.Max:
		return s.Say(phrase.Exactly, label, figure(*c.Min))
	case c.Min != nil && c.Max != nil:
		return s.Say(phrase.Within, label, figure(*c.Min), figure(*c.Max))
	case c.Min != nil && c.Above:
		return s.Say(phrase.Over, label, figure(*c.Min))
	case c.Min != nil:
		return s.Say(phrase.AtLeast, label, figure(*c.Min))
	case c.Below:
		return s.Say(phrase.Under, label, figure(*c.Max))
	}
	return s.Say(phrase.AtMost, label, figure(*c.Max))
}

// SayFigure writes a figure of a slot with its unit: "$20", "1 h 10 min", "4.5".
func SayFigure(s phrase.Speaker, slot facet.Slot, v float64, unit string) string {
	if unit == "min" {
		return s.Span(v)
	}
	return s.With(unit, bare(s, slot, v))
}

// SayRange writes a range of a slot's figures with their unit: "$20–$40", "20–40 g".
func SayRange(s phrase.Speaker, slot facet.Slot, low, high float64, unit string) string {
	if unit == "min" {
		return s.Span(low) + "–" + s.Span(high)
	}
	return s.Range(unit, bare(s, slot, low), bare(s, slot, high))
}

// bare writes a figure of a slot without its unit.
func bare(s phrase.Speaker, slot facet.Slot, v float64) string {
	if slot == facet.Price {
		return s.Amount(v)
	}
	return s.Number(v, -1)
}

// sayPeriod words a time: a day, or from one to another. To is the moment before which the time ends.
func sayPeriod(s phrase.Speaker, label string, from, to time.Time) string {
	day := s.Day
	last := to.Add(-time.Second)
	switch {
	case to.IsZero():
		return s.Say(phrase.FromDay, label, day(from))
	case from.IsZero():
		return s.Say(phrase.UntilDay, label, day(last))
	case day(from) == day(last):
		return s.Say(phrase.OnDay, label, day(from))
	}
	return s.Say(phrase.Within, label, day(from), day(last))
}

// Say puts an order in plain words.
func (o Sort) Say(s phrase.Speaker) string {
	text := phrase.Rising
	switch dated := o.By == facet.Start || o.By == facet.Published; {
	case dated && o.Descending:
		text = phrase.Latest
	case dated:
		text = phrase.Earliest
	case o.Descending:
		text = phrase.Falling
	}
	return s.Say(text, Label(s, o.By))
}

// SayTypes puts the types in plain words.
func (u *Understood) SayTypes(s phrase.Speaker) string {
	return s.Say(phrase.OfKind, s.Say(phrase.Kind), s.Any(s.Kinds(u.Types)))
}

// Say puts all that is wanted in plain words, each thing once: the words searched for, the conditions that they do not
// say, the order.
func (u *Understood) Say(s phrase.Speaker) string {
	var parts []string
	if u.Text != "" {
		parts = append(parts, u.Text)
	}
	if len(u.Types) > 0 {
		parts = append(parts, u.SayTypes(s))
	}
	searched := " " + facet.Fold(u.Text) + " "
	for i := range u.Constraints {
		c := &u.Constraints[i]
		if said := facet.Fold(c.Said); c.Soft && !c.Not && said != "" && strings.Contains(searched, " "+said+" ") {
			continue
		}
		if text := c.Say(s); !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	if u.Sort.By != "" {
		parts = append(parts, u.Sort.Say(s))
	}
	if u.Count > 0 {
		parts = append(parts, s.Say(phrase.SoMany, u.Count))
	}
	return strings.Join(parts, "; ")
}
