package facts

import (
	"slices"
	"strings"
)

// shipping is one way in which things are sent: an OfferShippingDetails or a ShippingConditions.
type shipping struct {
	path       string
	countries  []string // codes, or names as they stand; none for anywhere
	refused    bool     // it says where nothing is sent
	cost       *price
	from       *price // the order from which it holds
	days       [2]float64
	daysStated bool
}

// shippings reads the ways in which a thing is sent.
func (t *teller) shippings() (all []shipping) {
	for _, path := range t.intent.paths {
		for _, value := range t.thing.find(path) {
			s := shipping{path: path, countries: destinations(member(value, "shippingDestination"))}
			s.refused = truth(member(value, "doesNotShip")) == Yes
			s.cost = amountOf(member(value, "shippingRate"))
			if order := member(value, "orderValue"); order != nil {
				if least, ok := number(member(order, "minValue")); ok && least > 0 {
					s.from = &price{low: least, currency: term(member(order, "currency"))}
				}
			}
			s.readDays(member(value, "deliveryTime"))
			all = append(all, s)
		}
	}
	return all
}

// destinations are the countries of DefinedRegions.
func destinations(value any) (countries []string) {
	for _, region := range elements(value) {
		named := elements(member(region, "addressCountry"))
		if _, written := region.(string); written || len(named) == 0 {
			named = []any{region}
		}
		for _, country := range named {
			countries = added(countries, term(country))
		}
	}
	return countries
}

// amountOf reads a MonetaryAmount.
func amountOf(value any) *price {
	for _, amount := range elements(value) {
		for _, name := range []string{"value", "maxValue", "minValue", "price"} {
			if figure, ok := number(member(amount, name)); ok {
				currency := term(member(amount, "currency"))
				if currency == "" {
					currency = term(member(amount, "priceCurrency"))
				}
				return &price{low: figure, high: figure, currency: currency}
			}
		}
	}
	return nil
}

// readDays adds up how many days it takes to make ready and to bring.
func (s *shipping) readDays(delivery any) {
	for _, part := range []string{"handlingTime", "transitTime"} {
		value := member(delivery, part)
		low, least := number(member(value, "minValue"))
		high, most := number(member(value, "maxValue"))
		if one, ok := number(member(value, "value")); ok && !least && !most {
			low, high, least, most = one, one, true, true
		}
		if code := strings.ToUpper(term(member(value, "unitCode"))); code != "" && codes().times[code] != "DAY" {
			return
		}
		switch {
		case most && !least:
			low = high
		case least && !most:
			high = low
		}
		if least || most {
			s.days[0], s.days[1], s.daysStated = s.days[0]+low, s.days[1]+high, true
		}
	}
}

// reaches says whether a way goes to the country that is asked about.
func (t *teller) reaches(s *shipping) bool {
	return t.Country == "" || len(s.countries) == 0 || slices.ContainsFunc(s.countries, t.isCountry)
}

// isCountry says whether a country, by code or by name, is the one asked about.
func (t *teller) isCountry(country string) bool {
	if strings.EqualFold(country, t.Country) {
		return true
	}
	for _, l := range languages() {
		if strings.EqualFold(country, l.coded["countries"][strings.ToUpper(t.Country)]) {
			return true
		}
	}
	return false
}

// country is a country's name in the asker's language.
func (t *teller) country(code string) string {
	if name := t.coded["countries"][strings.ToUpper(code)]; name != "" {
		return name
	}
	return code
}

func (t *teller) countries(codes []string) string {
	said := make([]string, 0, len(codes))
	for _, code := range codes {
		said = added(said, t.country(code))
	}
	return t.list(said)
}

// tellDeliveryCost says what delivery costs, to the country that is asked about or to all.
func tellDeliveryCost(t *teller) string {
	return t.delivery("tell.delivery-cost", func(s *shipping) string {
		if s.cost == nil {
			return ""
		}
		said := t.priceInWords(*s.cost)
		if s.from != nil {
			said = t.say("delivery.from", "cost", said, "order", t.money(s.from.low, s.from.currency))
		}
		return said
	})
}

// tellDeliveryTime says how long delivery takes.
func tellDeliveryTime(t *teller) string {
	return t.delivery("tell.delivery-time", func(s *shipping) string {
		switch {
		case !s.daysStated:
			return ""
		case s.days[0] == s.days[1]:
			return t.measured(t.figures.Number(s.days[1], -1), "DAY", s.days[1])
		}
		days := t.say("range", "low", t.figures.Number(s.days[0], -1), "high", t.figures.Number(s.days[1], -1))
		return t.measured(days, "DAY", s.days[1])
	})
}

// delivery says what is stated of the ways to the country that is asked about, or of each country.
func (t *teller) delivery(key string, state func(*shipping) string) string {
	var said []string
	all := t.shippings()
	for i := range all {
		s := &all[i]
		one := state(s)
		if one == "" || s.refused || !t.reaches(s) {
			continue
		}
		t.state(s.path, one)
		if t.Country == "" && len(s.countries) > 0 {
			one = t.say("delivery.to", "value", one, "countries", t.countries(s.countries))
		}
		said = added(said, one)
	}
	switch {
	case len(said) == 0 && t.Country != "":
		return t.unreached(all)
	case len(said) == 0:
		return ""
	}
	if t.Country != "" {
		key += ".country"
	}
	if free := key + ".free"; len(said) == 1 && said[0] == t.say("price.free") && t.has(free) {
		key = free
	}
	return t.say(key, "name", t.name, "to", t.to(), "value", t.list(said))
}

// to is the country that is asked about, as a place to send things to.
func (t *teller) to() string {
	if to := t.coded["countries.to"][strings.ToUpper(t.Country)]; to != "" {
		return to
	}
	return t.say("delivery.country", "country", t.Country)
}

// tellDeliveryCountries says where things are sent to.
func tellDeliveryCountries(t *teller) string {
	all := t.shippings()
	if len(all) == 0 {
		all = t.areas()
	}
	for i := range all {
		if s := &all[i]; t.Country != "" && !s.refused && len(s.countries) > 0 && t.reaches(s) {
			t.state(s.path, t.country(t.Country))
			t.answer.Verdict = Yes
			return t.say("delivery.yes", "name", t.name, "to", t.to())
		}
	}
	if t.Country != "" {
		return t.unreached(all)
	}
	reached := t.reached(all)
	if len(reached) == 0 {
		return ""
	}
	return t.say("tell.delivery-countries", "name", t.name, "value", t.countries(reached))
}

// areas are the countries that a place or an offer names without saying how things are sent.
func (t *teller) areas() (all []shipping) {
	for _, path := range []string{"offers.eligibleRegion", "eligibleRegion", "offers.areaServed", "areaServed"} {
		if countries := destinations(t.thing.find(path)); len(countries) > 0 {
			all = append(all, shipping{path: path, countries: countries})
		}
	}
	for _, path := range []string{"offers.ineligibleRegion", "ineligibleRegion"} {
		if countries := destinations(t.thing.find(path)); len(countries) > 0 {
			all = append(all, shipping{path: path, countries: countries, refused: true})
		}
	}
	return all
}

// reached are the countries that things are sent to, noted as evidence.
func (t *teller) reached(all []shipping) (countries []string) {
	for _, s := range all {
		for _, country := range s.countries {
			if !s.refused {
				countries = added(countries, country)
				t.state(s.path)
			}
		}
	}
	return countries
}

// unreached says that nothing is sent to the country asked about, where that is stated, or that it
// is not among those named.
func (t *teller) unreached(all []shipping) string {
	for _, s := range all {
		if s.refused && slices.ContainsFunc(s.countries, t.isCountry) {
			t.state(s.path, t.country(t.Country))
			t.answer.Verdict = No
			return t.say("delivery.no", "name", t.name, "to", t.to())
		}
	}
	if slices.ContainsFunc(all, func(s shipping) bool { return !s.refused && t.reaches(&s) }) {
		return "" // it goes there, and does not say what was asked
	}
	reached := t.reached(all)
	if len(reached) == 0 {
		return ""
	}
	t.answer.Values = append(t.answer.Values, reached...)
	return t.say("delivery.unnamed", "name", t.name, "country", t.country(t.Country), "countries", t.countries(reached))
}
