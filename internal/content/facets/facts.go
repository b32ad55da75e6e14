package facets

import (
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"frontdesk/internal/content/taxonomy"
)

// Facts are what an item says of itself in figures, times and words. A slot may come several times.
type Facts struct {
	Figures []Figure
	Words   []Word
}

// Figure is a number or a range of them, or a time.
type Figure struct {
	Slot      Slot
	Kind      Kind    // Figures or Times
	Low, High float64 // a time in Unix seconds; High is the first moment after it, or Low for a moment
	Unit      string  // an ISO 4217 currency or a base unit of [Quantity]; empty where the slot has one unit
	Zone      int     // of a time, in seconds east of UTC, as the item writes it
}

// At is the moment of a time, on the item's own clock.
func (f *Figure) At() time.Time {
	return time.Unix(int64(f.Low), 0).In(time.FixedZone("", f.Zone))
}

// Word is a value in words, as the item writes it.
type Word struct {
	Slot Slot
	Text string
}

// Slots that Read fills beside those of schema.org's names.
const (
	// classes of what is in it, by its ingredients, its material and the like: see taxonomy
	Contains  Slot = "contains"
	Called    Slot = "called"    // classes that only its name speaks of, where nothing else says that it is food
	Traces    Slot = "traces"    // classes that may be in it
	FreeOf    Slot = "freeOf"    // classes that it says to be without
	Speaks    Slot = "speaksOf"  // classes that its description speaks of otherwise
	Allergens Slot = "allergens" // as the item declares them
	Keywords  Slot = "keywords"
	declares  Slot = "declares" // kinds of classes that it lists all of
)

// Properties is the slot of the values that an item has under names of its own, each with its name
// before it.
const Properties Slot = "=properties"

const propertySign = ": "

// Declares is the slot of the kinds of classes of which an item lists all that it has.
const Declares = declares

// The bounds of an item's facts, so that one odd item cannot fill the memory.
const (
	maxFigures = 64
	maxWords   = 160
	maxRunes   = 80 // of a value in words
)

// Figure gives the first figure of a slot.
func (f Facts) Figure(slot Slot) (Figure, bool) {
	for _, figure := range f.Figures {
		if figure.Slot == slot {
			return figure, true
		}
	}
	return Figure{}, false
}

// Values gives the words of a slot.
func (f Facts) Values(slot Slot) (values []string) {
	for _, word := range f.Words {
		if word.Slot == slot {
			values = append(values, word.Text)
		}
	}
	return values
}

// Time gives the first time of a slot, on the item's own clock; zero when there is none.
func (f Facts) Time(slot Slot) time.Time {
	if figure, ok := f.Figure(slot); ok && figure.Kind == Times {
		return figure.At()
	}
	return time.Time{}
}

// Read reads an item's facts from its schema.org object. What cannot be read is left out; a broken
// object has the facts that stand before the break.
func Read(object []byte) Facts {
	root := parse(object)
	var r reader
	if root.kind == '{' {
		r.thing(&root, true)
		r.complete()
		r.diets(root.name())
	}
	return r.Facts
}

// reader gathers facts.
type reader struct {
	Facts
	contents taxonomy.Contents
}

// thing reads the members of the item, or of a part of it that says something of the whole.
func (r *reader) thing(n *node, whole bool) {
	for i, name := range n.names {
		value := &n.values[i]
		if name == "about" && whole && attended(n) {
			r.category("category", value)
		}
		if read, ok := readers[name]; ok {
			read(r, name, value)
		} else if whole && name != "name" && !strings.HasPrefix(name, "@") {
			r.other(name, value)
		}
	}
}

// readers are how properties are read that are more than a figure or a word.
var readers map[string]func(r *reader, name string, value *node)

func init() {
	as := func(read func(r *reader, name string, value *node), names ...string) {
		for _, name := range names {
			readers[name] = read
		}
	}
	readers = map[string]func(r *reader, name string, value *node){}
	as(func(r *reader, _ string, v *node) { v.each(func(o *node) { r.offer(o, "", 0) }) }, "offers", "price",
		"estimatedCost")
	as((*reader).money, "baseSalary", "estimatedSalary", "salary", "priceRange", "amount")
	as((*reader).rating, "aggregateRating", "reviewRating", "starRating", "contentRating")
	as((*reader).span, "totalTime", "prepTime", "cookTime", "performTime", "duration", "timeRequired",
		"activityDuration")
	as((*reader).nutrition, "nutrition")
	as((*reader).yield, "recipeYield", "yield")
	as(func(r *reader, _ string, v *node) {
		v.each(func(d *node) { r.word(Diet, dietName(d.name())) })
	}, "suitableForDiet")
	as(func(r *reader, _ string, v *node) { v.each(func(d *node) { r.ingredient(d.name()) }) }, "recipeIngredient",
		"ingredients", "supply")
	as(func(r *reader, _ string, v *node) { r.names(Brand, v) }, "brand")
	as(func(r *reader, name string, v *node) { r.names(Slot(name), v) },
		"manufacturer", "creator", "director", "performer", "performers", "actor", "actors", "byArtist", "instructor",
		"organizer", "publisher", "provider", "hiringOrganization", "editor", "illustrator", "composer",
		"servesCuisine")
	as(func(r *reader, _ string, v *node) { r.names(Author, v) }, "author")
	as((*reader).category, "category", "recipeCategory", "articleSection", "genre", "applicationCategory",
		"occupationalCategory", "industry", "courseCategory")
	as((*reader).place, "location", "address", "contentLocation", "jobLocation", "areaServed", "spatialCoverage",
		"locationCreated", "foodEstablishment", "applicantLocationRequirements", "availableAtOrFrom")
	as((*reader).geo, "geo")
	as((*reader).ages, string(Age))
	as((*reader).holds, "occupancy", "maximumAttendeeCapacity")
	as((*reader).language, "inLanguage")
	as((*reader).spoken, string(Spoken), "availableLanguage")
	as((*reader).audience, "audience", "educationalAudience")
	as((*reader).properties, "additionalProperty", "additionalProperties")
	as((*reader).list, "keywords")
	as((*reader).amenity, "amenityFeature")
	as((*reader).employment, "employmentType")
	as((*reader).workplace, "jobLocationType")
	as((*reader).allergen, "allergens", "allergen", "allergenInformation")
	as((*reader).part, "hasCourseInstance", "hasVariant", "model", "eventSchedule", "courseSchedule", "workFeatured")
	as((*reader).byDay, string(Days))
	as((*reader).startTime, string(StartTime))
	as(func(r *reader, _ string, v *node) {
		v.each(func(n *node) {
			if len(n.text) <= maxStatement {
				r.contents.Add(n.text, taxonomy.Mentioned)
			}
		})
	}, "description")
	as((*reader).material, "material")
	as((*reader).other, "color", "size", "startDate", "endDate", "courseMode")
}

// part reads a part of an item that says something of the whole; a schedule may be told in words:
// "Tuesday 10:00 to 10:30".
func (r *reader) part(name string, v *node) {
	v.each(func(part *node) {
		if part.kind == '"' && strings.HasSuffix(name, "Schedule") {
			r.weekly(part.text)
		}
		r.thing(part, false)
	})
}

// figure keeps a figure that is one.
func (r *reader) figure(f Figure) {
	if len(r.Figures) >= maxFigures || math.IsNaN(f.Low+f.High) || math.IsInf(f.Low, 0) || math.IsInf(f.High, 0) ||
		f.Low > f.High || f.Slot == "" || len(f.Slot) > maxRunes {
		return
	}
	if f.Kind == Figures && (f.Low < -1e12 || f.High > 1e15) {
		return
	}
	r.Figures = append(r.Figures, f)
}

// word keeps a value in words once.
func (r *reader) word(slot Slot, text string) {
	text = strings.Join(strings.Fields(text), " ")
	if text == "" || len(r.Words) >= maxWords || slot == "" || len(slot) > maxRunes ||
		utf8.RuneCountInString(text) > maxRunes {
		return
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	w := Word{slot, text}
	if !slices.Contains(r.Words, w) {
		r.Words = append(r.Words, w)
	}
}

func (r *reader) names(slot Slot, v *node) {
	v.each(func(n *node) { r.word(slot, n.name()) })
}

// list reads words in an array, or separated by commas or semicolons.
func (r *reader) list(name string, v *node) {
	v.each(func(n *node) {
		for part := range splitList(n.name()) {
			r.word(Slot(name), part)
		}
	})
}

func splitList(s string) func(func(string) bool) {
	return strings.FieldsFuncSeq(s, func(c rune) bool {
		return c == ',' || c == ';' || c == '\n' || c == '|' || c == '、' || c == '，'
	})
}

// category reads a path of categories. What has a name of its own at schema.org is kept under it
// too.
func (r *reader) category(name string, v *node) {
	v.each(func(n *node) {
		text := n.name()
		for _, separator := range []string{" › ", "›", " > ", ">", " / ", " » "} {
			text = strings.ReplaceAll(text, separator, "\n")
		}
		for part := range splitList(text) {
			r.word(Category, enumerated(part))
			if name != "category" {
				r.word(Slot(name), enumerated(part))
			}
		}
	})
}

// attended says whether an item is a course or an event, by its type: its subject is its category.
func attended(n *node) (is bool) {
	types := n.member("@type")
	types.each(func(t *node) { is = is || t.text == "Course" || strings.HasSuffix(t.text, "Event") })
	return is
}

// place reads the names of a place: its own, and the parts of its address.
func (r *reader) place(_ string, v *node) {
	v.each(func(n *node) {
		if n.kind == '"' {
			for part := range splitList(n.text) {
				r.word(Location, part)
			}
			return
		}
		r.word(Location, n.name())
		for _, part := range []string{
			"streetAddress", "postalCode", "addressLocality", "addressRegion", "addressCountry",
		} {
			n.member(part).each(func(p *node) { r.word(Location, p.name()) })
		}
		for _, inner := range []string{"address", "containedInPlace", "location"} {
			if m := n.member(inner); m.kind != 0 {
				r.place("", m)
			}
		}
		if m := n.member("geo"); m.kind == '{' {
			r.geo("", m)
		}
	})
}

func (r *reader) language(_ string, v *node) {
	v.each(func(n *node) {
		text := n.name()
		if n.kind == '{' && n.member("alternateName").kind == '"' {
			text = n.member("alternateName").text
		}
		if code, ok := LanguageCode(Fold(text)); ok {
			text = code
		}
		r.word(Language, strings.ToLower(strings.ReplaceAll(text, "_", "-")))
	})
}

func (r *reader) audience(_ string, v *node) {
	v.each(func(n *node) {
		r.word(Audience, n.name())
		for _, member := range []string{"audienceType", "suggestedGender", "educationalRole", "geographicArea"} {
			n.member(member).each(func(m *node) { r.word(Audience, enumerated(m.name())) })
		}
		least, from := numberOf(n.member("suggestedMinAge"))
		most, upTo := numberOf(n.member("suggestedMaxAge"))
		if !upTo {
			most = maxAge
		}
		if from || upTo {
			r.suits(least, most)
		}
	})
}

// other reads a property by its form alone: numbers, dates, quantities, short words, names of
// things.
func (r *reader) other(name string, v *node) {
	slot := Slot(name)
	v.each(func(n *node) {
		switch n.kind {
		case '0':
			if value, ok := jsonNumber(n.text); ok {
				r.figure(Figure{Slot: slot, Kind: Figures, Low: value, High: value})
			}
		case 't', 'f':
			r.word(slot, map[bool]string{true: "true", false: "false"}[n.kind == 't'])
		case '"':
			r.text(slot, strings.TrimSpace(n.text))
		case '{':
			if n.isType("QuantitativeValue") || n.isType("PropertyValue") || n.name() == "" {
				if r.quantity(slot, n) {
					return
				}
				if value := n.member("value"); value.kind == '"' {
					r.text(slot, strings.TrimSpace(value.text))
					return
				}
			}
			r.word(slot, n.name())
		}
	})
}

// text reads a short text as what it is.
func (r *reader) text(slot Slot, text string) {
	if text == "" || len(text) > 4*maxRunes {
		return
	}
	if len(text) >= 4 && text[0] >= '0' && text[0] <= '9' {
		if from, to, n := readISODay(text, time.UTC); n == len(text) && (n > 4 || isDate(slot)) {
			_, zone := from.Zone()
			r.figure(Figure{Slot: slot, Kind: Times, Low: float64(from.Unix()), High: float64(to.Unix()), Zone: zone})
			if minute := from.Hour()*60 + from.Minute(); slot == Start && minute > 0 {
				r.beginsAt(minute)
			}
			return
		}
	}
	if isDate(slot) {
		if from, to, n := ReadDay(text, time.UTC); n == len(text) {
			r.figure(Figure{Slot: slot, Kind: Times, Low: float64(from.Unix()), High: float64(to.Unix())})
		}
		return
	}
	if low, high, ok := readSpread(text); ok {
		r.figure(Figure{Slot: slot, Kind: Figures, Low: low.Value, High: high.Value, Unit: low.Unit})
		if low.Unit != "" || low != high || slot == Size {
			r.word(slot, text) // a size is asked for in words too: "500 ml"
		}
		return
	}
	r.word(slot, enumerated(text))
}

func isDate(slot Slot) bool {
	name := strings.ToLower(string(slot))
	return strings.Contains(name, "date") || strings.HasSuffix(name, "year") || name == "validfrom" ||
		name == "validthrough" || name == "availabilitystarts" || name == "expires"
}
