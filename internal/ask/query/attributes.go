package query

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/internal/ask/remarks"
	"frontdesk/internal/content/facets"
)

// reading is how the value of an attribute bounds its slot when it is a bare figure or time.
type reading uint8

const (
	readEqual  reading = iota
	readMost           // no more than it
	readLeast          // no less than it
	readNot            // not it
	readServes         // enough for so many
)

// meaningOf is what an attribute's name means.
type meaningOf struct {
	slot    facets.Slot
	reading reading
}

// attributeNames are the names of attributes that are not those of their slots, folded and without
// blanks.
var attributeNames = sync.OnceValue(func() map[string]meaningOf {
	names := map[string]meaningOf{}
	for _, row := range []struct {
		meaning meaningOf
		names   string
	}{
		{meaningOf{facets.Price, readMost}, "price prices cost budget pricerange offers"},
		{meaningOf{facets.Rating, readLeast}, "rating ratingvalue aggregaterating stars"},
		{meaningOf{facets.Ratings, readLeast}, "ratingcount reviewcount reviews ratings"},
		{meaningOf{facets.TotalTime, readMost}, "totaltime time minutes readyin"},
		{meaningOf{facets.CookTime, readMost}, "cooktime cookingtime"},
		{meaningOf{facets.PrepTime, readMost}, "preptime preparationtime"},
		{meaningOf{facets.Duration, readMost}, "duration length runtime timerequired"},
		{meaningOf{facets.Diet, readEqual}, "diet diets suitablefordiet dietary dietaryrestrictions " +
			"dietaryrestriction restrictions dietarypreferences dietarypreference"},
		{meaningOf{facets.Ingredient, readNot}, "allergies allergens allergy allergen intolerances exclude excludes " +
			"excluding without excludeingredients excludedingredients excludeingredient avoid dislikes"},
		{meaningOf{facets.Ingredient, readEqual},
			"ingredient ingredients recipeingredient include includes includeingredients mustinclude"},
		{meaningOf{facets.Brand, readEqual}, "brand manufacturer maker"},
		{meaningOf{facets.Color, readEqual}, "color colour colors colours"},
		{meaningOf{facets.Category, readEqual}, "category"},
		{meaningOf{facets.Author, readEqual}, "author writer by writtenby"},
		{meaningOf{facets.Material, readEqual}, "material"},
		{meaningOf{facets.Size, readEqual}, "size"},
		{meaningOf{facets.Audience, readEqual}, "audience"},
		{meaningOf{facets.Cuisine, readEqual}, "cuisine recipecuisine"},
		{meaningOf{facets.Location, readEqual},
			"location place city near where venue address area areaserved region country joblocation"},
		{meaningOf{facets.Start, readEqual}, "date startdate when day dates"},
		{meaningOf{facets.Published, readEqual}, "datepublished published year publicationdate dateposted releasedate"},
		{meaningOf{facets.Published, readLeast}, "since publishedafter publishedsince newerthan"},
		{meaningOf{facets.Published, readMost}, "publishedbefore olderthan"},
		{meaningOf{facets.Yield, readServes}, "servings recipeyield yield people serves guests portions"},
		{meaningOf{facets.Calories, readMost}, "calories kcal"},
		{meaningOf{facets.Protein, readLeast}, "protein proteincontent"},
		{meaningOf{facets.Fat, readMost}, "fat fatcontent"},
		{meaningOf{facets.Carbohydrate, readMost}, "carbs carbohydrates carbohydratecontent"},
		{meaningOf{facets.Sugar, readMost}, "sugar sugarcontent"},
		{meaningOf{facets.Fiber, readLeast}, "fiber fibre fibercontent"},
		{meaningOf{facets.Sodium, readMost}, "sodium salt sodiumcontent"},
		{meaningOf{facets.Language, readEqual}, "inlanguage language lang"},
		{meaningOf{facets.Availability, readEqual}, "availability available instock stock"},
		{meaningOf{facets.Mention, readEqual}, "mention mentions"},
	} {
		for name := range strings.FieldsSeq(row.names) {
			names[name] = row.meaning
		}
	}
	return names
})

// Names of attributes that say how the answer is to be.
const (
	sortNames  = " sort sortby orderby order sortorder ordering "
	countNames = " count numberofresults "
)

func readName(name string, lexicon *facets.Lexicon) (m meaningOf, ok bool) {
	plain := strings.ReplaceAll(facets.Fold(name), " ", "")
	if m, ok = attributeNames()[plain]; ok {
		if m.slot == facets.Duration && !says(lexicon, facets.Duration) {
			m.slot = facets.TotalTime
		}
		return m, says(lexicon, m.slot) || m.slot == facets.Mention || m.reading == readNot
	}
	if known, ok := lexicon.Slot(name); ok {
		return meaningOf{known.Slot, readEqual}, true
	}
	for _, bound := range []struct {
		word    string
		reading reading
	}{{"max", readMost}, {"min", readLeast}, {"maximum", readMost}, {"minimum", readLeast}, {"not", readNot},
		{"exclude", readNot}, {"without", readNot}} {
		rest, found := strings.CutPrefix(plain, bound.word)
		if !found {
			rest, found = strings.CutSuffix(plain, bound.word)
		}
		if !found || rest == "" {
			continue
		}
		if m, ok = attributeNames()[rest]; ok {
			return meaningOf{m.slot, bound.reading}, says(lexicon, m.slot)
		}
		if known, ok := lexicon.Slot(rest); ok {
			return meaningOf{known.Slot, bound.reading}, true
		}
	}
	return m, false
}

func says(lexicon *facets.Lexicon, slot facets.Slot) bool {
	_, ok := lexicon.Slot(string(slot))
	return ok
}

// Heed applies attributes of a question, each a JSON value by its name, to what was understood so
// far. What comes from an attribute replaces what was inferred about the same; the values "any",
// "none" and "no preference", and null, take it away. Attributes that no item here has filter
// nothing: their words are soft evidence, and Ignored names them.
func (u *Understood) Heed(attributes map[string]jsontext.Value, source facets.Source, at Asking) {
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		u.heed(name, attributes[name], source, at)
	}
	if u.Text == u.Asked && len(u.Constraints) > 0 {
		u.Text = u.lean
	}
}

func (u *Understood) heed(name string, value jsontext.Value, source facets.Source, at Asking) {
	plain := strings.ReplaceAll(facets.Fold(name), " ", "")
	h := heeder{name: name, source: source, at: at, wishes: wishes(value)}
	switch {
	case strings.Contains(sortNames, " "+plain+" "):
		u.heedSort(h)
		return
	case strings.Contains(countNames, " "+plain+" "):
		u.heedCount(h)
		return
	}
	if diet, ok := facets.DietOf(name); ok && (value.Kind() == 't' || value.Kind() == 'f') &&
		says(at.Lexicon, facets.Diet) {
		if value.Kind() == 't' { // "vegan": true
			u.take(h, []facets.Constraint{{Slot: facets.Diet, Values: []string{diet}}}, facets.Diet, false)
		}
		return
	}
	if (plain == "isaccessibleforfree" || plain == "free") && value.Kind() == 't' && says(at.Lexicon, facets.Price) {
		nothing := 0.0
		u.take(h, []facets.Constraint{{Slot: facets.Price, Max: &nothing}}, facets.Price, false)
		return
	}
	m, ok := readName(name, at.Lexicon)
	if !ok {
		u.ignore(h, "nothing here says it, so it does not filter; its words raise items that mention them")
		return
	}
	if h.indifferent(value) {
		u.drop(m.slot)
		return
	}
	constraints := h.constraints(m, value)
	if len(constraints) == 0 && impossible(m.slot, value) {
		u.Ignored = append(u.Ignored,
			Ignored{Name: h.name, Reason: "no item can have such a number; give one from 0 on, such as 20"})
		return
	}
	if len(constraints) == 0 {
		u.ignore(h, "its value cannot be read, so it does not filter; its words raise items that mention them")
		return
	}
	u.take(h, constraints, m.slot, m.reading == readNot)
}

// ignore tells that an attribute does not filter, and takes its words as soft evidence.
func (u *Understood) ignore(h heeder, reason string) {
	u.Ignored = append(u.Ignored, Ignored{Name: h.name, Reason: reason})
	for _, w := range h.wishes {
		if w = strings.TrimSpace(w); len(w) >= leastEvidence && len(w) <= mostEvidence && len(u.Soft) < mostSoft &&
			!indifferent()[facets.Fold(w)] {
			u.Soft = append(u.Soft, w)
		}
	}
}

// Bounds of what attributes that filter nothing add.
const (
	leastEvidence = 3 // bytes of one value: letters and numbers alone say nothing
	mostEvidence  = 100
	mostSoft      = 8
	mostValues    = 32 // of one attribute
)

// drop takes away what was inferred about a slot.
func (u *Understood) drop(slot facets.Slot) {
	same := func(s facets.Slot) bool {
		return s == slot || slot == facets.TotalTime && s == facets.Duration ||
			slot == facets.Ingredient && s == facets.Mention
	}
	u.Constraints = slices.DeleteFunc(u.Constraints, func(c facets.Constraint) bool {
		return same(c.Slot) && c.Source < facets.FromAttribute
	})
}

// take adds constraints of an attribute. On most slots they replace what was inferred; of what
// items are made of and must not have, all holds together.
func (u *Understood) take(h heeder, constraints []facets.Constraint, slot facets.Slot, not bool) {
	if slot != facets.Diet && slot != facets.Ingredient && slot != facets.Mention && !not {
		u.Constraints = slices.DeleteFunc(u.Constraints, func(c facets.Constraint) bool {
			return c.Slot == slot && c.Source < h.source
		})
	}
	for _, c := range constraints {
		c.Source = h.source
		if c.Said == "" {
			c.Said = h.name
		}
		u.Constraints = append(u.Constraints, c)
	}
}

func (u *Understood) heedSort(h heeder) {
	text := strings.Join(h.wishes, " ")
	if indifferent()[facets.Fold(text)] {
		u.Sort = facets.Sort{}
		return
	}
	at := h.at
	at.Literal = true
	if read := Read(text, at); read.Sort.By != "" {
		u.Sort = read.Sort
		u.Sort.Said = text
		return
	}
	words := strings.Fields(facets.Fold(text))
	descending := false
	words = slices.DeleteFunc(words, func(w string) bool {
		switch w {
		case "desc", "descending", "down", "highest", "high":
			descending = true
			return true
		case "asc", "ascending", "up", "first", "by", "lowest", "low":
			return true
		}
		return false
	})
	if strings.HasPrefix(strings.TrimSpace(text), "-") {
		descending = true
	}
	if m, ok := readName(strings.Join(words, " "), at.Lexicon); ok {
		if m.slot == facets.Rating && !strings.Contains(text, "asc") {
			descending = true
		}
		u.Sort = facets.Sort{By: m.slot, Descending: descending, Said: text}
		return
	}
	if text != "" && facets.Fold(text) != "relevance" {
		u.Ignored = append(u.Ignored, Ignored{Name: h.name,
			Reason: "nothing here can be ordered so; name a figure that items have, such as price"})
	} else {
		u.Sort = facets.Sort{}
	}
}

func (u *Understood) heedCount(h heeder) {
	text := strings.Join(h.wishes, " ")
	if value, ok := numberOf(facets.Fold(text)); ok && value >= 1 && value <= mostCount {
		u.Count = int(value)
		return
	}
	u.Count = 0
	if !indifferent()[facets.Fold(text)] {
		u.Ignored = append(u.Ignored, Ignored{Name: h.name, Reason: "it must be a number from 1 to 100"})
	}
}

// indifferent are values that want nothing in particular.
var indifferent = sync.OnceValue(func() map[string]bool {
	set := everywhere("any")()
	maps.Copy(set, everywhere("any.value")())
	set[""] = true
	return set
})

// Indifferent says whether words mean that anything will do: "any", "none", "no preference" in any
// of our languages.
func Indifferent(words string) bool { return indifferent()[facets.Fold(words)] }

// heeder reads the value of one attribute.
type heeder struct {
	name   string
	source facets.Source
	at     Asking
	wishes []string // the texts in the value
}

// wishes are the texts and numbers of a value, an array's one by one.
func wishes(v jsontext.Value) (all []string) {
	switch v.Kind() {
	case '"':
		var s string
		if json.Unmarshal(v, &s, jsontext.AllowInvalidUTF8(true)) == nil {
			all = append(all, strings.ToValidUTF8(s, "\uFFFD"))
		}
	case '0':
		all = append(all, plainNumber(v))
	case '[':
		var list []jsontext.Value
		if json.Unmarshal(v, &list, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) == nil {
			for _, each := range list[:min(len(list), mostValues)] {
				if each.Kind() == '"' || each.Kind() == '0' {
					all = append(all, wishes(each)...)
				}
			}
		}
	}
	return all
}

// plainNumber is a JSON number in digits alone, as people write it: 1000 for 1e3. One that is out
// of all bounds stays as it is written.
func plainNumber(v jsontext.Value) string {
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil || math.Abs(f) >= 1e15 {
		return string(v)
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// unbounded are numbers that no item has: below zero, or with an exponent, which is left where
// digits would be too many.
var unbounded = regexp.MustCompile(`^\s*(?:\p{Sc}?\s*[-−–]\s*\p{Sc}?\s*\d|[-+]?\d[\d.]*[eE][-+]?\d)`)

// impossible says whether a value has a number that no item can have.
func impossible(slot facets.Slot, v jsontext.Value) bool {
	if !figured(slot) && !isTime(slot) {
		return false
	}
	all := wishes(v)
	if v.Kind() == '{' {
		var object map[string]jsontext.Value
		if json.Unmarshal(v, &object, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
			return false
		}
		for _, member := range object {
			all = append(all, wishes(member)...)
		}
	}
	return slices.ContainsFunc(all, unbounded.MatchString)
}

// indifferent says whether a value takes a constraint away.
func (h heeder) indifferent(v jsontext.Value) bool {
	if v.Kind() == 'n' {
		return true
	}
	if v.Kind() != '"' && v.Kind() != '[' {
		return false
	}
	return !slices.ContainsFunc(h.wishes, func(w string) bool { return !Indifferent(w) })
}

// kindOf says what the values of a slot are.
func (h heeder) kindOf(slot facets.Slot) facets.Kind {
	if known, ok := h.at.Lexicon.Slot(string(slot)); ok && slot != facets.Rating {
		return known.Kind
	}
	switch {
	case figured(slot), isTime(slot):
		return facets.Figures
	case slot == facets.Start, slot == facets.Published, slot == facets.End, slot == facets.Modified:
		return facets.Times
	}
	return facets.Words
}

// constraints reads a value as conditions on a slot; none when it cannot be.
func (h heeder) constraints(m meaningOf, v jsontext.Value) []facets.Constraint {
	kind := h.kindOf(m.slot)
	switch v.Kind() {
	case '{':
		return h.structured(m, kind, v)
	case 't', 'f':
		if m.slot == facets.Availability {
			return []facets.Constraint{{Slot: m.slot, Values: []string{"InStock"}, Not: v.Kind() == 'f'}}
		}
		return []facets.Constraint{{Slot: m.slot, Values: []string{string(v)}}}
	}
	if kind == facets.Words && m.slot == facets.Diet && m.reading != readNot {
		return h.dietary(m)
	}
	if kind == facets.Words {
		return h.worded(m, h.wishes)
	}
	if len(h.wishes) == 2 && v.Kind() == '[' { // [10, 20]
		low, okLow := h.one(meaningOf{m.slot, readLeast}, kind, h.wishes[0])
		high, okHigh := h.one(meaningOf{m.slot, readMost}, kind, h.wishes[1])
		if okLow && okHigh && low.Min != nil && high.Max != nil && *low.Min <= *high.Max {
			low.Max = high.Max
			return []facets.Constraint{low}
		}
	}
	var all []facets.Constraint
	for _, text := range h.wishes {
		if Indifferent(text) {
			continue
		}
		if c, ok := h.one(m, kind, text); ok {
			all = append(all, c)
		}
	}
	return all
}

// one reads a figure or a time in words or digits.
func (h heeder) one(m meaningOf, kind facets.Kind, text string) (facets.Constraint, bool) {
	if len(text) > 400 || (figured(m.slot) || isTime(m.slot)) && unbounded.MatchString(text) {
		return facets.Constraint{}, false
	}
	u := Understood{}
	r := &reader{line: split(text), at: h.at, out: &u, force: m.slot}
	if r.at.IsA == nil {
		r.at.IsA = func(typ, ancestor string) bool { return typ == ancestor }
	}
	r.guessTongue()
	for i := 0; i < len(r.tokens) && len(u.Constraints) == 0; i++ {
		if kind == facets.Times {
			r.readForcedTime(i)
		} else {
			r.readBound(i)
		}
	}
	if len(u.Constraints) == 0 {
		return h.gratis(m, text)
	}
	c := u.Constraints[0]
	c.Said, c.Soft = text, false
	if kind == facets.Times {
		switch {
		case m.reading == readLeast:
			c.To = time.Time{}
		case m.reading == readMost && !c.From.IsZero() && !c.To.IsZero():
			c.From, c.To = time.Time{}, c.From
		}
		return c, true
	}
	if r.barely { // a bare figure: the attribute says how it bounds
		value := c.Min
		if value == nil {
			value = c.Max
		}
		c.Min, c.Max = nil, nil
		switch m.reading {
		case readMost:
			c.Max = value
		case readLeast:
			c.Min = value
		case readServes:
			most := *value + max(2, float64(int(*value/2)))
			c.Min, c.Max = value, &most
		default:
			c.Min, c.Max = value, value
		}
	}
	if m.reading == readNot {
		c.Not = true
	}
	return c, true
}

// gratis reads the words for a price of nothing, and for what is cheap none.
func (h heeder) gratis(m meaningOf, text string) (facets.Constraint, bool) {
	nothing := 0.0
	said := func(s sense) bool { return s.role == roleGratis || s.role == roleFree }
	if m.slot == facets.Price && (slices.ContainsFunc(compiled().vocabulary[foldPhrase(text)], said) ||
		slices.ContainsFunc(gratisWithin(), func(p piece) bool { return p.word == text })) {
		return facets.Constraint{Slot: facets.Price, Max: &nothing, Said: text}, true
	}
	return facets.Constraint{}, false
}

// worded reads words. Each of several things that must hold together, such as diets and what is not
// wanted, is a condition of its own; of all else any will do.
func (h heeder) worded(m meaningOf, texts []string) []facets.Constraint {
	var wanted, unwanted []string
	for _, text := range texts {
		for part := range strings.SplitSeq(text, ",") {
			for _, word := range alternatives(part) {
				word, not := negated(word)
				switch {
				case Indifferent(word) || len(wanted)+len(unwanted) >= mostValues || len(word) > 200:
				case not != (m.reading == readNot):
					unwanted = append(unwanted, word)
				default:
					wanted = append(wanted, word)
				}
			}
		}
	}
	slot := m.slot
	if slot == facets.Ingredient && !says(h.at.Lexicon, facets.Ingredient) {
		slot = facets.Mention
	}
	var all []facets.Constraint
	for _, word := range unwanted {
		all = append(all, facets.Constraint{Slot: slot, Not: true, Values: []string{word}, Said: word})
	}
	switch {
	case slot == facets.Diet:
		for _, word := range wanted {
			if diet, ok := facets.DietOf(facets.Fold(word)); ok {
				word = diet
			}
			all = append(all, facets.Constraint{Slot: slot, Values: []string{word}, Said: word})
		}
	case slot == facets.Ingredient || slot == facets.Mention:
		for _, word := range wanted {
			all = append(all, facets.Constraint{Slot: slot, Values: []string{word}, Said: word})
		}
	case len(wanted) > 0:
		all = append(all, facets.Constraint{Slot: slot, Values: wanted, Said: strings.Join(wanted, ", ")})
	}
	if m.reading == readNot { // "without": nuts; "exclude": "not X" is not meant
		for i := range all {
			all[i].Not = true
		}
	}
	return all
}

// dietary reads words about what somebody eats: diets by their names, and prose ("no nuts please",
// "I am allergic to shellfish") as the question would have said it.
func (h heeder) dietary(m meaningOf) (all []facets.Constraint) {
	for _, text := range h.wishes {
		said := h.worded(m, []string{text})
		if len(text) > 400 || !slices.ContainsFunc(said,
			func(c facets.Constraint) bool { _, diet := facets.DietOf(facets.Fold(c.Values[0])); return !diet }) {
			all = append(all, said...)
			continue
		}
		var read []facets.Constraint
		for _, remark := range remarks.Read(text) {
			for _, c := range Read(remark.Text, h.at).Constraints {
				if c.Slot == facets.Diet || c.Not && (c.Slot == facets.Ingredient || c.Slot == facets.Mention) {
					c.Said, c.Soft = text, remark.Dislikes
					read = append(read, c)
				}
			}
		}
		if len(read) == 0 {
			read = said
		}
		all = append(all, read...)
	}
	return all
}

// alternatives splits words at "or".
func alternatives(text string) []string {
	fields := strings.Fields(text)
	var all []string
	start := 0
	for i, field := range fields {
		if slices.ContainsFunc(compiled().vocabulary[facets.Fold(field)],
			func(s sense) bool { return s.role == roleOr }) {
			all = append(all, strings.Join(fields[start:i], " "))
			start = i + 1
		}
	}
	return append(all, strings.Join(fields[start:], " "))
}

// unwantedLeads stand before a value that is not wanted, the longest first.
var unwantedLeads = sync.OnceValue(func() []string {
	leads := []string{"!"}
	for _, lead := range texts("attribute.not")() {
		leads = append(leads, lead+" ")
	}
	slices.SortStableFunc(leads, func(a, b string) int { return len(b) - len(a) })
	return leads
})

// negated takes a negation from the front of words.
func negated(text string) (rest string, not bool) {
	lower := strings.ToLower(text)
	for _, word := range unwantedLeads() {
		if strings.HasPrefix(lower, word) {
			return strings.TrimSpace(text[len(word):]), true
		}
	}
	return text, false
}

// structured reads {"min": 10, "max": 20, "currency": "EUR"} and the like, schema.org's quantities
// among them.
func (h heeder) structured(m meaningOf, kind facets.Kind, v jsontext.Value) []facets.Constraint {
	var object map[string]jsontext.Value
	if json.Unmarshal(v, &object, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		return nil
	}
	c := facets.Constraint{Slot: m.slot}
	said := false
	for _, name := range slices.Sorted(maps.Keys(object)) {
		texts := wishes(object[name])
		if len(texts) == 0 {
			if object[name].Kind() == 't' && (name == "not" || name == "exclude") {
				c.Not = true
			}
			continue
		}
		bound, known := bounds[strings.ReplaceAll(facets.Fold(name), " ", "")]
		switch {
		case !known:
		case bound == "unit":
			c.Unit = facets.CurrencyOf(texts[0])
		case bound == "not":
			if kind == facets.Words {
				return h.worded(meaningOf{m.slot, readNot}, texts)
			}
		case kind == facets.Words:
			return h.worded(m, texts)
		default:
			said = h.side(&c, m, kind, bound, texts[0]) || said
		}
	}
	if !said || c.Min != nil && c.Max != nil && *c.Min > *c.Max {
		return nil
	}
	if m.slot != facets.Price {
		c.Unit = ""
	}
	return []facets.Constraint{c}
}

// bounds are the names of the members of a structured value.
var bounds = map[string]string{
	"min": "min", "minvalue": "min", "minimum": "min", "gte": "min", "atleast": "min", "lowprice": "min",
	"minprice": "min", "low": "min", "from": "min", "start": "min", "startdate": "min",
	"since": "min", "max": "max", "maxvalue": "max", "maximum": "max", "lte": "max", "atmost": "max",
	"highprice": "max", "maxprice": "max", "high": "max", "to": "max", "end": "max",
	"enddate": "max", "until": "max", "lt": "below", "under": "below", "below": "below", "before": "below",
	"lessthan": "below", "gt": "above", "over": "above", "above": "above", "after": "above", "morethan": "above",
	"greaterthan": "above", "value": "value", "price": "value", "eq": "value",
	"equals": "value", "is": "value", "name": "value", "values": "value", "in": "value",
	"text": "value", "any": "value", "anyof": "value", "currency": "unit", "pricecurrency": "unit", "unit": "unit",
	"unittext": "unit", "unitcode": "unit", "not": "not", "exclude": "not", "ne": "not",
	"addresslocality": "value", "addressregion": "value", "addresscountry": "value", "city": "value",
}

// side fills in one bound of a structured value.
func (h heeder) side(c *facets.Constraint, m meaningOf, kind facets.Kind, bound, text string) bool {
	read := map[string]reading{"min": readLeast, "above": readLeast, "max": readMost, "below": readMost,
		"value": m.reading}[bound]
	one, ok := h.one(meaningOf{m.slot, readEqual}, kind, text)
	if !ok {
		return false
	}
	if kind == facets.Times {
		switch bound {
		case "min":
			c.From = one.From
		case "above":
			c.From = one.To
		case "max":
			c.To = one.To
		case "below":
			c.To = one.From
		default:
			c.From, c.To = one.From, one.To
		}
		return true
	}
	value := one.Min
	if value == nil {
		value = one.Max
	}
	if c.Unit == "" {
		c.Unit = one.Unit
	}
	switch read {
	case readLeast:
		c.Min, c.Above = value, bound == "above"
	case readMost:
		c.Max, c.Below = value, bound == "below"
	default:
		c.Min, c.Max = value, value
		if one.Min != one.Max && one.Max != nil && one.Min != nil {
			c.Min, c.Max = one.Min, one.Max
		}
	}
	return true
}
