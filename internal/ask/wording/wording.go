// Package wording puts what is wanted of items into plain words: conditions, orders and figures, in
// the language of whoever reads them.
//
// It is pure. Enter at Constraint.
package wording

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/taxonomy"
)

// Nearby is how many kilometres around a place are meant where a question names no distance; they
// are not told.
const Nearby = 25.0

// labels are the names of slots in plain words; a slot without one is called by its own name.
var labels = map[facets.Slot]i18n.Text{
	facets.Price: i18n.Price, facets.Rating: i18n.Rating, facets.Ratings: i18n.Ratings,
	facets.TotalTime: i18n.TotalTime, facets.PrepTime: i18n.PrepTime, facets.CookTime: i18n.CookTime,
	facets.Duration: i18n.Length, facets.Published: i18n.Published, facets.Start: i18n.Start,
	facets.Location: i18n.Place, facets.Brand: i18n.Brand, facets.Color: i18n.Color, facets.Category: i18n.Category,
	facets.Author: i18n.Author, facets.Material: i18n.Material, facets.Size: i18n.Size, facets.Audience: i18n.Audience,
	facets.Cuisine: i18n.Cuisine, facets.Diet: i18n.Diet, facets.Ingredient: i18n.Ingredient, facets.Yield: i18n.Yield,
	facets.Age: i18n.Ages, facets.StartTime: i18n.StartTime, facets.Days: i18n.Weekday, facets.Calories: i18n.Calories,
	facets.Protein: i18n.Protein, facets.Fat: i18n.Fat, facets.Carbohydrate: i18n.Carbohydrate,
	facets.Sugar: i18n.Sugar, facets.Fiber: i18n.Fiber, facets.Sodium: i18n.Sodium, facets.Language: i18n.Tongue,
	facets.Spoken: i18n.Tongue, facets.Availability: i18n.Availability, facets.Employment: i18n.Employment,
	facets.Workplace: i18n.Workplace, facets.End: i18n.Ended, "genre": i18n.Genre, "numberOfPages": i18n.Pages,
	"organizer": i18n.Organizer, "performer": i18n.Performer, "director": i18n.Director, "instructor": i18n.Instructor,
	"hiringOrganization": i18n.Employer, "publisher": i18n.Publisher, "baseSalary": i18n.Salary,
	"validThrough": i18n.Deadline, "timeRequired": i18n.Length, facets.OfType: i18n.Kind, "weight": i18n.Weight,
	"width": i18n.Width, "height": i18n.Height, "depth": i18n.Depth,
}

// Label names a slot in plain words.
func Label(s i18n.Speaker, slot facets.Slot) string {
	if text, ok := labels[slot]; ok {
		return s.Say(text)
	}
	if strings.HasPrefix(string(slot), "=") { // a figure of any name
		return ""
	}
	return facets.TraitName(slot, "", s.Language())
}

// Constraint puts a constraint in plain words: "price under $20".
func Constraint(s i18n.Speaker, c *facets.Constraint) string {
	text := sayFirm(s, c)
	if c.Soft {
		text = s.Say(i18n.Rather, text)
	}
	return text
}

func sayFirm(s i18n.Speaker, c *facets.Constraint) string {
	label := Label(s, c.Slot)
	switch {
	case c.Cheap:
		return s.Say(i18n.LowPrice)
	case c.Free():
		return s.Say(i18n.Free)
	case len(c.Values) > 0:
		return sayWords(s, c, label)
	case c.Slot == facets.End && c.From.IsZero() && !c.To.IsZero():
		return sayNegated(s, c, s.Say(i18n.OverBefore, s.Day(c.To)))
	case !c.From.IsZero() || !c.To.IsZero():
		return sayNegated(s, c, sayPeriod(s, label, c.From, c.To))
	case c.Min != nil || c.Max != nil:
		return sayNegated(s, c, strings.TrimSpace(sayFigures(s, c, label)))
	}
	return sayNegated(s, c, label)
}

func sayNegated(s i18n.Speaker, c *facets.Constraint, text string) string {
	if c.Not {
		return s.Say(i18n.Unlike, text)
	}
	return text
}

// sayWords words a constraint on words. What an item is made of and what it mentions needs no name
// of a slot.
func sayWords(s i18n.Speaker, c *facets.Constraint, label string) string {
	values := s.Any(Named(s, c.Slot, c.Values))
	if facets.IsFlag(c.Slot) {
		return sayNegated(s, c, values)
	}
	if c.Around > 0 && c.Around != Nearby {
		values += " (≤ " + s.Number(math.Round(10*c.Around)/10, -1) + " km)"
	}
	bare := c.Slot == facets.Ingredient || c.Slot == facets.Mention || c.Slot == facets.Contains
	switch {
	case bare && c.Not:
		return s.Say(i18n.Without, values)
	case bare:
		return s.Say(i18n.Mentions, values)
	case c.Not:
		return s.Say(i18n.NotOfKind, label, values)
	}
	return s.Say(i18n.OfKind, label, values)
}

// Named are the values of a slot as people call them.
func Named(s i18n.Speaker, slot facets.Slot, values []string) []string {
	var names i18n.Names
	switch slot {
	case facets.Diet:
		names = i18n.Diets
	case facets.Contains, facets.Ingredient, facets.Material, facets.Mention:
		named := make([]string, len(values))
		for i, value := range values {
			if named[i] = facets.TraitName(slot, value, s.Language()); named[i] == value {
				named[i] = taxonomy.Name(value, s.Language())
			}
		}
		return named
	case facets.Availability:
		names = i18n.Stocks
	case facets.Employment, facets.Workplace:
		names = i18n.Jobs
	case facets.OfType:
		return s.Kinds(values)
	case facets.Size:
		for i, value := range values {
			values = slices.Clone(values)
			values[i] = facets.SizeName(value)
		}
	}
	named := make([]string, len(values))
	for i, value := range values {
		named[i] = names.In(s, value)
		if names == nil {
			named[i] = facets.TraitName(slot, value, s.Language())
		}
	}
	return named
}

func sayFigures(s i18n.Speaker, c *facets.Constraint, label string) string {
	figure := func(v float64) string { return Figure(s, c.Slot, v, c.UnitName()) }
	switch {
	case c.Min != nil && c.Max != nil && *c.Min == *c.Max:
		return s.Say(i18n.Exactly, label, figure(*c.Min))
	case c.Min != nil && c.Max != nil:
		return s.Say(i18n.Within, label, figure(*c.Min), figure(*c.Max))
	case c.Min != nil && c.Above:
		return s.Say(i18n.Over, label, figure(*c.Min))
	case c.Min != nil:
		return s.Say(i18n.AtLeast, label, figure(*c.Min))
	case c.Below:
		return s.Say(i18n.Under, label, figure(*c.Max))
	}
	return s.Say(i18n.AtMost, label, figure(*c.Max))
}

// Figure writes a figure of a slot with its unit: "$20", "1 h 10 min", "4.5".
func Figure(s i18n.Speaker, slot facets.Slot, v float64, unit string) string {
	if unit == "min" {
		return s.Span(v)
	}
	return s.With(unit, bare(s, slot, v))
}

// Range writes a range of a slot's figures with their unit: "$20–$40", "20–40 g".
func Range(s i18n.Speaker, slot facets.Slot, low, high float64, unit string) string {
	if unit == "min" {
		return s.Span(low) + "–" + s.Span(high)
	}
	return s.Range(unit, bare(s, slot, low), bare(s, slot, high))
}

// bare writes a figure of a slot without its unit.
func bare(s i18n.Speaker, slot facets.Slot, v float64) string {
	switch slot {
	case facets.Price:
		return s.Amount(v)
	case facets.StartTime:
		return fmt.Sprintf("%02d:%02d", int(v)/60, int(v)%60)
	}
	return s.Number(v, -1)
}

// sayPeriod words a time: a day, or from one to another. To is the moment before which the time
// ends.
func sayPeriod(s i18n.Speaker, label string, from, to time.Time) string {
	day := s.Day
	last := to.Add(-time.Second)
	switch {
	case to.IsZero():
		return s.Say(i18n.FromDay, label, day(from))
	case from.IsZero():
		return s.Say(i18n.UntilDay, label, day(last))
	case day(from) == day(last):
		return s.Say(i18n.OnDay, label, day(from))
	}
	return s.Say(i18n.Within, label, day(from), day(last))
}

// Sort puts an order in plain words.
func Sort(s i18n.Speaker, o facets.Sort) string {
	text := i18n.Rising
	switch dated := o.By == facets.Start || o.By == facets.Published; {
	case dated && o.Descending:
		text = i18n.Latest
	case dated:
		text = i18n.Earliest
	case o.Descending:
		text = i18n.Falling
	}
	return s.Say(text, Label(s, o.By))
}
