package facets

import "time"

// Constraint is one condition on items.
type Constraint struct {
	Slot Slot
	// Not turns it around: items for which it holds are left out.
	Not bool
	// Allergy says that what is not wanted harms somebody: traces of it count, and so does what is
	// only spoken of.
	Allergy bool
	// Bare says that an amount was named and not bounded: it may be one of something else that an
	// item does not state.
	Bare bool
	// Stated says that only what states it is an answer.
	Stated bool
	// Values are words of a slot that holds words. One of them is enough.
	Values []string
	// Min and Max bound a figure, each when not nil, both inclusive unless Below or Above is set.
	Min, Max *float64
	// Above and Below say that Min and Max themselves are outside ("more than 3", "under 20").
	Above, Below bool
	// Unit is the unit of the figures: an ISO 4217 currency, or empty where the slot has one unit.
	Unit string
	// From and To bound a time, each when not zero: from From on, before To.
	From, To time.Time
	// Around is how many kilometres away from a place is near enough; 0 for in it.
	Around float64
	// Cheap prefers what costs less than the others that are found, the more the cheaper; it bounds
	// nothing and is soft.
	Cheap bool
	// Soft conditions raise items that meet them and leave none out.
	Soft bool
	// Source is where the condition comes from.
	Source Source
	// Said is how it was said, for people: words of the question, or those of the attribute.
	Said string
}

// Free says whether a constraint is that something costs nothing.
func (c *Constraint) Free() bool {
	return c.Slot == Price && c.Min == nil && c.Max != nil && *c.Max == 0 && !c.Below && !c.Not
}

// Source is where a constraint comes from.
type Source uint8

// The sources, from the one that gives way first to the one that gives way last.
const (
	FromMemory    Source = iota // what is known about the person
	FromContext                 // context.text and contexts of other types
	FromEarlier                 // earlier questions of the conversation
	FromText                    // the words of the question
	FromAnswer                  // the answer to a question that was asked back
	FromAttribute               // an attribute of the question
)

// String names the source as answers do.
func (s Source) String() string {
	return [...]string{"memory", "context", "earlier", "question", "answer", "attribute"}[s]
}

// Sort is an order of items.
type Sort struct {
	By         Slot // empty: by how well they fit
	Descending bool
	Said       string
}

// Name is the order as the attribute "sort" has it: "price", "-datePublished". It is empty for no
// order.
func (o Sort) Name() string {
	if o.Descending {
		return "-" + string(o.By)
	}
	return string(o.By)
}

// OfType is the slot of a constraint on what items are: its values are schema.org types. Types that
// are wanted stand in a list of their own; those that are not are such a constraint.
const OfType Slot = "itemType"

// slotUnits are the units of figures in slots that have one unit.
var slotUnits = map[Slot]string{
	TotalTime: "min", PrepTime: "min", CookTime: "min", Duration: "min", Calories: "kcal",
	"timeRequired": "min", Protein: "g", Fat: "g", Carbohydrate: "g", Sugar: "g", Fiber: "g", Sodium: "mg",
}

// UnitName is the unit of the constraint's figures; empty where there is none.
func (c *Constraint) UnitName() string {
	if c.Min == nil && c.Max == nil {
		return ""
	}
	if c.Unit != "" {
		return c.Unit
	}
	return slotUnits[c.Slot]
}
