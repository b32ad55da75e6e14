package facets

import (
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
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
	Contains  Slot = "contains"  // classes of what is in it, by its ingredients, its material and the like: see taxonomy
	Called    Slot = "called"    // classes that only its name speaks of, where nothing else says that it is food
	Traces    Slot = "traces"    // classes that may be in it
	FreeOf    Slot = "freeOf"    // classes that it says to be without
	Speaks    Slot = "speaksOf"  // classes that its description speaks of otherwise
	Allergens Slot = "allergens" // as the item declares them
	Keywords  Slot = "keywords"
	declares  Slot = "declares" // kinds of classes that it lists all of
)

// Properties is the slot of the values that an item has under names of its own, each with its name before it.
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

// Read reads an item's facts from its schema.org object. What cannot be read is left out; a broken object has the facts
// that stand before the break.
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
	as(func(r *reader, _ string, v *node) { v.each(func(o *node) { r.offer(o, "", 0) }) }, "offers", "price", "estimatedCost")
	as((*reader).money, "baseSalary", "estimatedSalary", "salary", "priceRange", "amount")
	as((*reader).rating, "aggregateRating", "reviewRating", "starRating", "contentRating")
	as((*reader).span, "totalTime", "prepTime", "cookTime", "performTime", "duration", "timeRequired", "activityDuration")
	as((*reader).nutrition, "nutrition")
	as((*reader).yield, "recipeYield", "yield")
	as(func(r *reader, _ string, v *node) {
		v.each(func(d *node) { r.word(Diet, dietName(d.name())) })
	}, "suitableForDiet")
	as(func(r *reader, _ string, v *node) { v.each(func(d *node) { r.ingredient(d.name()) }) }, "recipeIngredient", "ingredients", "supply")
	as(func(r *reader, _ string, v *node) { r.names(Brand, v) }, "brand")
	as(func(r *reader, name string, v *node) { r.names(Slot(name), v) },
		"manufacturer", "creator", "director", "performer", "performers", "actor", "actors", "byArtist", "instructor", "organizer", "publisher", "provider", "hiringOrganization", "editor", "illustrator", "composer", "servesCuisine")
	as(func(r *reader, _ string, v *node) { r.names(Author, v) }, "author")
	as((*reader).category, "category", "recipeCategory", "articleSection", "genre", "applicationCategory", "occupationalCategory", "industry", "courseCategory")
	as((*reader).place, "location", "address", "contentLocation", "jobLocation", "areaServed", "spatialCoverage", "locationCreated", "foodEstablishment", "applicantLocationRequirements", "availableAtOrFrom")
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
	as(func(r *reader, _ string, v *node) { v.each(func(part *node) { r.thing(part, false) }) }, "hasCourseInstance", "hasVariant", "model", "eventSchedule", "courseSchedule", "workFeatured")
	as((*reader).byDay, string(Days))
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

// figure keeps a figure that is one.
func (r *reader) figure(f Figure) {
	if len(r.Figures) >= maxFigures || math.IsNaN(f.Low+f.High) || math.IsInf(f.Low, 0) || math.IsInf(f.High, 0) || f.Low > f.High || f.Slot == "" || len(f.Slot) > maxRunes {
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
	if text == "" || len(r.Words) >= maxWords || slot == "" || len(slot) > maxRunes || utf8.RuneCountInString(text) > maxRunes {
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
	return strings.FieldsFuncSeq(s, func(c rune) bool { return c == ',' || c == ';' || c == '\n' || c == '|' || c == '、' || c == '，' })
}

// offer reads prices from an offer, a number, or words.
func (r *reader) offer(n *node, currency string, depth int) {
	if depth > 4 {
		return
	}
	if n.kind != '{' {
		r.price(Price, n, currency)
		return
	}
	if c := n.member("priceCurrency").name(); c != "" {
		currency = c
	}
	low, high := len(r.Figures), 0
	for _, name := range []string{"price", "lowPrice", "highPrice", "minPrice", "maxPrice"} {
		n.member(name).each(func(v *node) { r.price(Price, v, currency) })
	}
	if high = len(r.Figures); high > low {
		// One offer, one range.
		whole := r.Figures[low]
		for _, f := range r.Figures[low+1 : high] {
			whole.Low, whole.High = min(whole.Low, f.Low), max(whole.High, f.High)
		}
		r.Figures = append(r.Figures[:low], whole)
	} else {
		n.member("priceSpecification").each(func(v *node) { r.offer(v, currency, depth+1) })
		n.member("offers").each(func(v *node) { r.offer(v, currency, depth+1) })
	}
	n.member("availability").each(func(v *node) { r.word(Availability, enumerated(v.name())) })
	n.member("itemCondition").each(func(v *node) { r.word("itemCondition", enumerated(v.name())) })
	n.member("areaServed").each(func(v *node) { r.place("", v) })
	n.member("seller").each(func(v *node) { r.word("seller", v.name()) })
	n.member("category").each(func(v *node) { r.word("offerCategory", v.name()) })
}

// price reads a sum of money: a number, or words with one or two of them ("from € 1.299,00", "10 - 20 EUR").
func (r *reader) price(slot Slot, n *node, currency string) {
	sums := sumsIn(n)
	if len(sums) == 0 {
		return
	}
	f := Figure{Slot: slot, Kind: Figures, Low: sums[0].Amount, High: sums[0].Amount}
	for _, sum := range sums {
		f.Low, f.High = min(f.Low, sum.Amount), max(f.High, sum.Amount)
		if f.Unit == "" {
			f.Unit = sum.Currency
		}
	}
	if known := CurrencyOf(currency); known != "" {
		f.Unit = known
	}
	r.figure(f)
}

// freePrices are prices of nothing, in words.
var freePrices = wordsOf("price.free")

// Words of allergens that are declared: the names of properties that do, what stands before them, and what declares none.
var allergenNames, allergenLeads, noAllergens = wordsOf("allergen.property"), wordsOf("allergen.lead"), wordsOf("allergen.no")

// sumsIn reads the sums of money of a value, two at most.
func sumsIn(n *node) (sums []Money) {
	switch n.kind {
	case '0':
		if value, ok := jsonNumber(n.text); ok && value >= 0 {
			return []Money{{Amount: value}}
		}
	case '"':
		text := strings.TrimSpace(n.text)
		if value, ok := jsonNumber(text); ok {
			if value < 0 {
				return nil
			}
			return []Money{{Amount: value}}
		}
		if _, free := freePrices[Fold(text)]; free {
			return []Money{{}}
		}
		for i := 0; i < len(text) && i < 120 && len(sums) < 2; {
			sum, m := ReadMoney(text[i:])
			if m > 0 && (i == 0 || !wordy(text[:i])) {
				sums = append(sums, sum)
				i += m
				continue
			}
			_, size := utf8.DecodeRuneInString(text[i:])
			i += size
		}
	}
	return sums
}

// wordy says whether a text ends in a letter or digit, so that what follows goes on with a word.
func wordy(s string) bool {
	last, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsLetter(last) || unicode.IsDigit(last)
}

// money reads sums of money that are no price: a salary.
func (r *reader) money(name string, v *node) {
	v.each(func(n *node) {
		if n.kind != '{' {
			r.price(Slot(name), n, "")
			r.word(Slot(name), n.name())
			return
		}
		currency := n.member("currency").name()
		value := n.member("value")
		if value.kind != '{' {
			r.price(Slot(name), value, currency)
			value = n
		}
		low, high := value.member("minValue"), value.member("maxValue")
		if low.kind == 0 {
			low = value.member("value")
		}
		before := len(r.Figures)
		for _, bound := range []*node{low, high} {
			if bound.kind == '0' || bound.kind == '"' {
				r.price(Slot(name), bound, currency)
			}
		}
		if len(r.Figures) == before+2 {
			f := r.Figures[before]
			f.High = max(f.High, r.Figures[before+1].High)
			r.Figures = append(r.Figures[:before], f)
		}
	})
}

// rating reads a rating on a scale of five, and how many rated.
func (r *reader) rating(name string, v *node) {
	v.each(func(n *node) {
		if n.kind != '{' {
			r.other(name, n)
			return
		}
		value, ok := numberOf(n.member("ratingValue"))
		if !ok {
			return
		}
		best, given := numberOf(n.member("bestRating"))
		if !given || best <= 0 {
			best = 5
			for _, scale := range []float64{10, 100} {
				if value > best {
					best = scale
				}
			}
		}
		slot := Rating
		if name == "starRating" {
			slot = "starRating"
		}
		if value >= 0 && value <= best {
			value = value * 5 / best
			r.figure(Figure{Slot: slot, Kind: Figures, Low: value, High: value})
		}
		for _, count := range []string{"ratingCount", "reviewCount"} {
			if c, ok := numberOf(n.member(count)); ok && c >= 0 {
				r.figure(Figure{Slot: Ratings, Kind: Figures, Low: c, High: c})
				break
			}
		}
	})
}

// span reads a span of time in minutes; "minValue" and "maxValue" too.
func (r *reader) span(name string, v *node) {
	v.each(func(n *node) {
		f := Figure{Slot: Slot(name), Kind: Figures}
		switch n.kind {
		case '"':
			minutes, m := ReadMinutes(strings.TrimSpace(n.text))
			if m == 0 || m != len(strings.TrimSpace(n.text)) {
				return
			}
			f.Low, f.High = minutes, minutes
		case '{':
			low, m := ReadMinutes(n.member("minValue").name())
			high, k := ReadMinutes(n.member("maxValue").name())
			if m == 0 || k == 0 {
				return
			}
			f.Low, f.High = low, high
		default:
			return
		}
		r.figure(f)
	})
}

// nutrition reads figures per serving, in kilocalories, grams or milligrams.
func (r *reader) nutrition(_ string, v *node) {
	v.each(func(n *node) {
		for i, name := range n.names {
			if name == "@type" || name == "servingSize" {
				continue
			}
			value := &n.values[i]
			q, m := Quantity{}, 0
			switch value.kind {
			case '0':
				q.Value, _ = jsonNumber(value.text)
				m = 1
			case '"':
				text := strings.TrimLeftFunc(value.text, func(c rune) bool { return !unicode.IsDigit(c) })
				q, m = ReadQuantity(text)
			}
			if m == 0 {
				continue
			}
			slot, amount := Slot(name), q.Value
			if q.Unit == "g" && (slot == Sodium || slot == "cholesterolContent") {
				amount *= 1000
			}
			r.figure(Figure{Slot: slot, Kind: Figures, Low: amount, High: amount})
		}
	})
}

// yield reads for how many a recipe is: "4 servings", "Serves 4-6", "4".
func (r *reader) yield(_ string, v *node) {
	v.each(func(n *node) {
		if value, ok := numberOf(n); ok {
			r.figure(Figure{Slot: Yield, Kind: Figures, Low: value, High: value})
			return
		}
		text := n.name()
		at := strings.IndexFunc(text, unicode.IsDigit)
		if at < 0 || at > 40 {
			return
		}
		low, m := ReadNumber(text[at:])
		if m == 0 {
			return
		}
		high, end := low, at+m
		if rest := strings.TrimLeft(text[end:], " -–to"); digitAt(rest, 0) {
			if second, k := ReadNumber(rest); k > 0 && second > low {
				high, end = second, len(text)-len(rest)+k
			}
		}
		q, _ := ReadQuantity("1 " + strings.TrimSpace(text[end:]))
		before := Fold(text[:at])
		_, serves := servings[before[strings.LastIndexByte(before, ' ')+1:]]
		if q.Unit == "people" || serves {
			r.figure(Figure{Slot: Yield, Kind: Figures, Low: low, High: high})
		}
	})
}

// servings are the words before a number of people.
var servings = wordsOf("serves")

// category reads a path of categories. What has a name of its own at schema.org is kept under it too.
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
		for _, part := range []string{"streetAddress", "postalCode", "addressLocality", "addressRegion", "addressCountry"} {
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

// geo reads coordinates: two figures.
func (r *reader) geo(_ string, v *node) {
	v.each(func(n *node) {
		lat, ok := numberOf(n.member("latitude"))
		long, also := numberOf(n.member("longitude"))
		if ok && also && math.Abs(lat) <= 90 && math.Abs(long) <= 180 {
			r.figure(Figure{Slot: Latitude, Kind: Figures, Low: lat, High: lat})
			r.figure(Figure{Slot: Longitude, Kind: Figures, Low: long, High: long})
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

// properties reads PropertyValues under their own names: "Battery life" is the slot batteryLife.
func (r *reader) properties(_ string, v *node) {
	v.each(func(n *node) {
		name := camel(n.member("name").name())
		if name == "" {
			return
		}
		n.member("value").each(func(value *node) { r.property(n.member("name").name(), value) })
		if isSpoken(n.member("name").name()) {
			r.spoken("", n.member("value"))
			return
		}
		if name == string(Contains) || isIn(allergenNames, Fold(n.member("name").name())) {
			r.allergen("", n.member("value"))
			return
		}
		if _, room := peopleOf[Fold(n.member("name").name())]; room {
			r.holds("", n.member("value"))
		}
		if read := readers[name]; read != nil && name != "additionalProperty" {
			read(r, name, n.member("value"))
			return
		}
		if n.member("unitCode").kind != 0 || n.member("unitText").kind != 0 || n.member("minValue").kind != 0 || n.member("maxValue").kind != 0 {
			if r.quantity(Slot(name), n) {
				return
			}
		}
		n.member("value").each(func(value *node) { r.other(name, value) })
	})
}

// property reads what a PropertyValue states of what is in the item, and the diet that it says yes to.
func (r *reader) property(name string, value *node) {
	text := value.name()
	if value.kind == 't' || value.kind == 'f' {
		text = map[bool]string{true: "yes", false: "no"}[value.kind == 't']
		r.word(Slot(camel(name)), text)
	}
	if len(text) > maxStatement {
		return
	}
	if t := traits(); text != "" && !t.sizes[Fold(name)] && (t.attributesOf(Slot(camel(name))) == nil || !taxonomy.Affirms(text) && !taxonomy.Negates(text)) {
		r.word(Properties, name+propertySign+text)
	}
	if days := daysOf(text); len(days) > 0 {
		r.word(Slot(camel(name)), strings.Join(days, " "))
		for _, day := range days {
			r.word(Days, day)
		}
	}
	if diet, ok := DietOf(Fold(name)); ok && taxonomy.Affirms(text) {
		r.word(Diet, diet)
	}
	if kind := r.contents.AddProperty(name, text); kind != "" {
		r.word(declares, string(kind))
	}
}

// material reads what an item is made of.
func (r *reader) material(name string, v *node) {
	v.each(func(n *node) {
		r.word(declares, string(taxonomy.Material))
		r.contents.AddList(n.name(), taxonomy.Material)
	})
	r.other(name, v)
}

// maxStatement bounds how long a text is that is read for what it states.
const maxStatement = 4000

func (r *reader) amenity(name string, v *node) {
	v.each(func(n *node) {
		value := n.member("value")
		if value.text != "false" && value.text != "0" {
			r.word(Slot(name), n.name())
		}
		if called := n.name(); value.kind == 't' || value.kind == 'f' {
			r.property(called, value)
			r.other(camel(called), value)
		}
	})
}

// allergen reads declared allergens: a list in words.
func (r *reader) allergen(_ string, v *node) {
	v.each(func(n *node) {
		r.word(declares, string(taxonomy.Food))
		r.contents.AddList(n.name(), taxonomy.Food)
		for part := range splitList(n.name()) {
			folded := Fold(part)
			for lead := range allergenLeads {
				folded = strings.TrimPrefix(folded, lead+" ")
			}
			first, _, _ := strings.Cut(folded, " ")
			_, begins := noAllergens[first]
			if _, ends := noAllergens[folded[strings.LastIndexByte(folded, ' ')+1:]]; folded == "" || begins || ends {
				continue
			}
			r.word(Allergens, strings.TrimSpace(part))
		}
	})
}

// quantity reads a QuantitativeValue or the like.
func (r *reader) quantity(slot Slot, n *node) bool {
	u := unit{factor: 1}
	if code, ok := unitCodes[strings.TrimSpace(n.member("unitCode").text)]; ok {
		u = code
	} else if word, ok := units[Fold(n.member("unitText").name())]; ok {
		u = word
	} else if word, ok := units[Fold(n.member("unitCode").name())]; ok {
		u = word
	}
	f := Figure{Slot: slot, Kind: Figures, Unit: u.base}
	if value, ok := numberOf(n.member("value")); ok {
		f.Low, f.High = value, value
	} else {
		low, some := numberOf(n.member("minValue"))
		high, both := numberOf(n.member("maxValue"))
		switch {
		case some && both:
			f.Low, f.High = low, high
		case some:
			f.Low, f.High = low, low
		case both:
			f.Low, f.High = high, high
		default:
			return false
		}
	}
	f.Low, f.High = f.Low*u.factor, f.High*u.factor
	r.figure(f)
	return true
}

// other reads a property by its form alone: numbers, dates, quantities, short words, names of things.
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
			if minute := float64(from.Hour()*60 + from.Minute()); slot == Start && minute > 0 {
				r.figure(Figure{Slot: StartTime, Kind: Figures, Low: minute, High: minute})
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
	if q, n := ReadQuantity(text); n == len(text) {
		r.figure(Figure{Slot: slot, Kind: Figures, Low: q.Value, High: q.Value, Unit: q.Unit})
		if q.Unit != "" || slot == Size {
			r.word(slot, text) // a size is asked for in words too: "500 ml"
		}
		return
	}
	r.word(slot, enumerated(text))
}

func isDate(slot Slot) bool {
	name := strings.ToLower(string(slot))
	return strings.Contains(name, "date") || strings.HasSuffix(name, "year") || name == "validfrom" || name == "validthrough" || name == "availabilitystarts" || name == "expires"
}

// enumerated gives the name of a member of a schema.org enumeration, or the text itself: an address is no word.
func enumerated(text string) string {
	text = strings.TrimSpace(text)
	for _, prefix := range []string{"https://schema.org/", "http://schema.org/", "schema:"} {
		if rest, ok := strings.CutPrefix(text, prefix); ok {
			return rest
		}
	}
	if strings.Contains(text, "://") {
		return ""
	}
	return text
}

// camel makes a property's name of words: "Battery life (h)" becomes "batteryLifeH".
func camel(name string) string {
	if len(name) > maxRunes {
		return ""
	}
	if !strings.ContainsAny(name, " -_/()&.") && name != "" && name[0] < utf8.RuneSelf {
		return strings.ToLower(name[:1]) + name[1:]
	}
	var b strings.Builder
	for i, word := range strings.Fields(Fold(name)) {
		if first, size := utf8.DecodeRuneInString(word); i > 0 {
			b.WriteRune(unicode.ToUpper(first))
			b.WriteString(word[size:])
			continue
		}
		b.WriteString(word)
	}
	return b.String()
}

// complete adds what follows from what was said.
func (r *reader) complete() {
	first := func(slot Slot) (float64, bool) { f, ok := r.Figure(slot); return f.Low, ok }
	if _, ok := first(TotalTime); !ok {
		prep, prepared := first(PrepTime)
		cook, cooked := first(CookTime)
		if prepared || cooked {
			r.figure(Figure{Slot: TotalTime, Kind: Figures, Low: prep + cook, High: prep + cook})
		}
	}
	// What takes time is asked for alike, whatever it is called: a course of five hours, a film of ninety minutes.
	for _, pair := range [][2]Slot{{Duration, "timeRequired"}, {TotalTime, Duration}} {
		if f, ok := r.Figure(pair[1]); ok {
			if _, said := first(pair[0]); !said {
				f.Slot = pair[0]
				r.figure(f)
			}
		}
	}
	r.lasting()
	_, begins := first(Start)
	if _, ok := first(Price); !ok && (begins || len(r.Values(Location)) > 0) && slices.Contains(r.Words, Word{"isAccessibleForFree", "true"}) {
		r.figure(Figure{Slot: Price, Kind: Figures})
	}
	if _, ok := first(Published); !ok {
		for _, slot := range []Slot{"datePosted", "uploadDate", "dateCreated"} {
			if f, ok := r.Figure(slot); ok && f.Kind == Times {
				f.Slot = Published
				r.figure(f)
				break
			}
		}
	}
	r.stand(Brand, "manufacturer")
	r.stand(Author, "creator")
	r.stand(Cuisine, "servesCuisine")
}

// lasting lets what is on for days be found on each of them: an exhibition of two months is on in the second, too.
func (r *reader) lasting() {
	end, ok := r.Figure("endDate")
	if !ok || end.Kind != Times {
		return
	}
	for i, f := range r.Figures {
		if f.Slot == Start && f.Kind == Times && end.High > f.High && end.High-f.Low < longestRun {
			r.Figures[i].High = end.High
			return
		}
	}
}

// longestRun is the longest time, in seconds, that something is taken to be on all the while.
const longestRun = 400 * 24 * 60 * 60

// stand lets the words of one slot stand for another that has none.
func (r *reader) stand(slot, other Slot) {
	if len(r.Values(slot)) == 0 {
		for _, text := range r.Values(other) {
			r.word(slot, text)
		}
	}
}

// numberOf reads a number, or a string that is one.
func numberOf(n *node) (float64, bool) {
	switch n.kind {
	case '0':
		return jsonNumber(n.text)
	case '"':
		text := strings.TrimSpace(n.text)
		if value, ok := jsonNumber(text); ok {
			return value, true
		}
		value, m := ReadNumber(text)
		return value, m > 0 && m == len(text)
	}
	return 0, false
}
