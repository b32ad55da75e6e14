package facts

import (
	"strings"
)

// price is what one offer asks.
type price struct {
	low, high float64
	currency  string
	label     string // the offer's name, or what tells its variant from others
	unit      string // that the price is for: "night"
	path      string
}

// prices are those of a thing's offers, and of its variants' offers.
func (t *teller) prices() (all []price) {
	for _, path := range t.intent.paths {
		for _, value := range t.thing.find(path) {
			all = append(all, t.offerPrices(path, value)...)
		}
		if len(all) > 0 {
			return all
		}
	}
	for _, variant := range t.thing.find("hasVariant") {
		for _, offer := range elements(member(variant, "offers")) {
			for _, p := range t.offerPrices("hasVariant.offers", offer) {
				p.label = variantLabel(variant)
				all = append(all, p)
			}
		}
	}
	if len(all) == 0 {
		for _, value := range t.thing.find("price") {
			if amount, ok := number(value); ok {
				all = append(all,
					price{low: amount, high: amount, path: "price", currency: term(t.thing["priceCurrency"])})
			}
		}
	}
	return all
}

// offerPrices reads an Offer, an AggregateOffer or a PriceSpecification.
func (t *teller) offerPrices(path string, offer any) (all []price) {
	p := price{label: text(member(offer, "name")), path: path + ".price",
		currency: term(member(offer, "priceCurrency"))}
	if p.label == "" {
		p.label = text(member(offer, "description"))
	}
	if code := t.unit(offer); code != "" {
		p.unit = t.measureName(code)
	} else if code := t.unit(member(offer, "referenceQuantity")); code != "" {
		p.unit = t.measureName(code)
	}
	var ok bool
	if p.low, ok = number(member(offer, "price")); ok {
		p.high = p.low
		return []price{p}
	}
	for _, bounds := range [][2]string{{"lowPrice", "highPrice"}, {"minPrice", "maxPrice"}} {
		low, ok := number(member(offer, bounds[0]))
		if !ok {
			continue
		}
		p.path, p.low, p.high = path+"."+bounds[0], low, low
		if high, ok := number(member(offer, bounds[1])); ok && high > low {
			p.high = high
		}
		return []price{p}
	}
	for _, inner := range elements(member(offer, "priceSpecification")) {
		for _, q := range t.offerPrices(path+".priceSpecification", inner) {
			if q.label == "" {
				q.label = p.label
			}
			if q.currency == "" {
				q.currency = p.currency
			}
			all = append(all, q)
		}
	}
	return all
}

// measureName is a unit of time in words, or another unit as it is.
func (t *teller) measureName(unit string) string {
	if word := t.lists["unit."+unit]; word != nil {
		return word[0]
	}
	return unit
}

// variantLabel is what tells a variant from the others.
func variantLabel(variant any) string {
	var parts []string
	for _, name := range []string{"color", "size", "material", "pattern"} {
		parts = added(parts, term(member(variant, name)))
	}
	if len(parts) == 0 {
		return text(variant)
	}
	return strings.Join(parts, ", ")
}

// tellPrice says what an item costs: one price, prices by their names, or from the least to the
// most.
func tellPrice(t *teller) string {
	all := t.prices()
	if wanted := t.wanted(); wanted != "" {
		if named := labelled(all, wanted); len(named) > 0 {
			all = named
		}
	}
	switch {
	case len(all) == 0 && truth(t.thing["isAccessibleForFree"]) == Yes:
		t.state("isAccessibleForFree", t.say("price.free"))
		return t.say("yes.free", "name", t.name)
	case len(all) == 0:
		said := t.textsOf("price-range")
		if len(said) == 0 {
			return ""
		}
		return t.say("tell.price-range", "name", t.name, "value", t.list(said))
	}
	said := t.pricesInWords(all)
	t.state(all[0].path, said...)
	if len(all) == 1 && all[0].high == 0 {
		return t.say("yes.free", "name", t.name)
	}
	return t.say("tell.price", "name", t.name, "value", t.list(said))
}

// tellFree says whether something costs nothing, and what it costs otherwise.
func tellFree(t *teller) string {
	free := truth(t.thing["isAccessibleForFree"])
	all := t.prices()
	costs := len(all) > 0
	for _, p := range all {
		costs = costs && p.low > 0
	}
	switch {
	case free != Neither:
		t.state("isAccessibleForFree", t.say(map[Verdict]string{Yes: "word.yes", No: "word.no"}[free]))
	case costs:
		free = No
	case len(all) == 1:
		t.state(all[0].path, t.say("price.free"))
		free = Yes
	default:
		t.intent.paths = nil // only properties that are called so
		return tellFlag(t)
	}
	if free == Yes || !costs {
		return t.flagged(free)
	}
	t.answer.Verdict = No
	return tellPrice(t)
}

// wanted is the variant or the kind of offer that is asked about.
func (t *teller) wanted() string {
	if t.Variant != "" {
		return t.Variant
	}
	return t.Supposed
}

// labelled are the prices whose label holds words.
func labelled(all []price, words string) (found []price) {
	for _, p := range all {
		if names(p.label, words) {
			found = append(found, p)
		}
	}
	return found
}

// pricesInWords words prices by their names where all have one, else as one range of each
// currency's.
func (t *teller) pricesInWords(all []price) (said []string) {
	named := true
	for _, p := range all {
		named = named && p.label != "" && len(all) <= maxTold
	}
	if len(all) > 1 && !named {
		all = ranges(all)
	}
	for _, p := range all {
		one := t.priceInWords(p)
		if named && len(all) > 1 {
			one = t.say("price.named", "price", one, "label", p.label)
		}
		said = added(said, one)
	}
	return said
}

// ranges joins the prices of each currency and unit.
func ranges(all []price) (joined []price) {
next:
	for _, p := range all {
		for i := range joined {
			if q := &joined[i]; q.currency == p.currency && q.unit == p.unit {
				q.low, q.high = min(q.low, p.low), max(q.high, p.high)
				continue next
			}
		}
		joined = append(joined, p)
	}
	return joined
}

func (t *teller) priceInWords(p price) string {
	said := t.money(p.low, p.currency)
	switch {
	case p.high > p.low:
		said = t.say("price.range", "low", said, "high", t.money(p.high, p.currency))
	case p.low == 0:
		return t.say("price.free")
	}
	if p.unit != "" {
		return t.say("price.per", "price", said, "unit", p.unit)
	}
	return said
}

// tellSalary says what work pays.
func tellSalary(t *teller) string {
	for _, path := range t.intent.paths {
		for _, value := range t.thing.find(path) {
			said := t.salary(value)
			if said == "" {
				continue
			}
			t.state(path, said)
			return t.say("tell.jobs-pay", "name", t.name, "value", said)
		}
	}
	return ""
}

// Pay is what work pays, in words, and the code of the time for which: "HUR", "ANN"; empty where
// none is stated.
func (o Object) Pay(tag string) (said, period string) {
	answer, ok := Question{Language: tag, Intent: "jobs-pay"}.Answer(o)
	if !ok || len(answer.Values) == 0 {
		return "", ""
	}
	t := teller{language: languageFor(tag)}
	for _, path := range []string{"baseSalary", "baseSalary.value", "estimatedSalary", "estimatedSalary.value"} {
		for _, value := range o.find(path) {
			if code := t.unit(value); code != "" {
				return answer.Values[0], code
			}
		}
	}
	return answer.Values[0], ""
}

// salary words a MonetaryAmount, or pay that is a figure or a text.
func (t *teller) salary(value any) string {
	if said, ok := value.(string); ok {
		if _, figure := number(value); !figure {
			return clip(said)
		}
	}
	currency := term(member(value, "currency"))
	if currency == "" {
		currency = term(t.thing["salaryCurrency"])
	}
	inner := member(value, "value")
	if _, nested := inner.(map[string]any); !nested {
		inner = value
	}
	p := price{currency: currency}
	low, least := number(member(inner, "minValue"))
	high, most := number(member(inner, "maxValue"))
	figure, one := number(inner)
	switch {
	case least && most:
		p.low, p.high = low, high
	case one:
		p.low, p.high = figure, figure
	case least:
		p.low, p.high = low, low
	default:
		return ""
	}
	for _, of := range []any{inner, value} {
		if code := t.unit(of); code != "" && p.unit == "" {
			p.unit = t.measureName(code)
		}
	}
	return t.priceInWords(p)
}

// tellAvailability says whether an item can be had: as the variant that is named, or as one of its
// offers.
func tellAvailability(t *teller) string {
	best, path := "", ""
	consider := func(at string, offer any) {
		status := term(member(offer, "availability"))
		if !t.has("availability."+status) || best != "" && (obtainable(best) || !obtainable(status)) {
			return
		}
		best, path = status, at
	}
	for _, variant := range t.thing.find("hasVariant") {
		if t.Variant == "" || names(variantLabel(variant), t.Variant) {
			for _, offer := range elements(member(variant, "offers")) {
				consider("hasVariant.offers.availability", offer)
			}
		}
	}
	if best == "" || t.Variant == "" {
		for _, offer := range t.thing.find("offers") {
			consider("offers.availability", offer)
			for _, inner := range elements(member(offer, "offers")) {
				consider("offers.offers.availability", inner)
			}
		}
	}
	if best == "" {
		return ""
	}
	said := t.say("availability." + best)
	t.state(path, said)
	t.verdict(obtainable(best))
	return t.say("tell.availability", "name", t.name, "value", said)
}

// obtainable says whether what has an ItemAvailability can be had.
func obtainable(status string) bool {
	switch status {
	case "OutOfStock", "SoldOut", "Discontinued":
		return false
	}
	return true
}
