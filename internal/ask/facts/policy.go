package facts

import "slices"

// tellReturns says for how long things are taken back, what that costs and how they come back.
func tellReturns(t *teller) string {
	for _, path := range t.intent.paths {
		for _, policy := range t.thing.find(path) {
			if countries := destinations(member(policy, "applicableCountry")); t.Country != "" && len(countries) > 0 &&
				!slices.ContainsFunc(countries, t.isCountry) {
				continue
			}
			if said := t.returns(path, policy); said != "" {
				return said
			}
		}
	}
	return ""
}

// returns words one MerchantReturnPolicy.
func (t *teller) returns(path string, policy any) string {
	category := term(member(policy, "returnPolicyCategory"))
	days, counted := number(member(policy, "merchantReturnDays"))
	within := t.measured(t.figures.Number(days, -1), "DAY", days)
	var said string
	switch {
	case category == "MerchantReturnNotPermitted":
		t.answer.Verdict = No
		t.state(path + ".returnPolicyCategory")
		return t.say("returns.never", "name", t.name)
	case counted && days > 0:
		said = t.say("returns.within", "name", t.name, "days", within)
		t.state(path+".merchantReturnDays", within)
	case category == "MerchantReturnUnlimitedWindow":
		said = t.say("returns.any", "name", t.name)
		t.state(path + ".returnPolicyCategory")
	default:
		return ""
	}
	return t.clauses(append([]string{said}, t.returnTerms(path, policy)...)...)
}

// returnTerms are what a return costs and the ways it may go.
func (t *teller) returnTerms(path string, policy any) (said []string) {
	fee := term(member(policy, "returnFees"))
	if amount := amountOf(member(policy, "returnShippingFeesAmount")); amount != nil && amount.low > 0 {
		said = append(said, t.say("returns.fee", "value", t.priceInWords(*amount)))
		t.state(path + ".returnShippingFeesAmount")
	} else if t.has("returns." + fee) {
		said = append(said, t.say("returns."+fee))
		t.state(path + ".returnFees")
	}
	var ways []string
	for _, way := range elements(member(policy, "returnMethod")) {
		if key := "returns." + term(way); t.has(key) {
			ways = added(ways, t.say(key))
		}
	}
	if len(ways) > 0 {
		said = append(said, t.say("returns.ways", "value", t.list(ways)))
		t.state(path + ".returnMethod")
	}
	return said
}

// tellWarranty says how long a promise holds.
func tellWarranty(t *teller) string {
	for _, path := range t.intent.paths {
		for _, value := range t.thing.find(path) {
			said := t.measure(member(value, "durationOfWarranty"))
			if said == "" {
				said = t.measure(value)
			}
			if said != "" {
				t.state(path, said)
				return t.say("tell.warranty", "name", t.name, "value", said)
			}
		}
	}
	for _, p := range t.named(t.intent.name) {
		if said := t.propertyText(p); said != "" {
			return t.say("tell.warranty", "name", t.name, "value", said)
		}
	}
	return ""
}
