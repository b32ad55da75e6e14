package policy

import (
	"slices"
	"strings"

	"frontdesk/wire/licence"
)

// RSLNothing is the licence of an RSL document that permits nothing.
const RSLNothing = `<license><prohibits type="usage">all</prohibits></license>`

// RSL gives the licence that an RSL document states for what was decided on, as its XML. Licensed
// items without a price of their own cost what fallback says, and how they are bought stands at the
// address of how. It never permits more than the decision: what RSL has no words for (a scope that
// must have been granted, a bound of words or a report that is owed for what costs nothing, a model
// of price) permits nothing, and an amount that would be read as one for something else is left
// out.
func (d Decision) RSL(fallback Money, how string) string {
	to, price, some := d.told(fallback)
	payment, known := licence.PaymentOf(price.Model)
	if !some || !known {
		return RSLNothing
	}
	usage, okUsage := rslRestriction("usage", Restriction(to.Functions), functions, "all")
	user, okUser := rslRestriction("user", to.Users, users, "")
	geo, okGeo := rslRestriction("geo", to.Countries, nil, "")
	if !okUsage || !okUser || !okGeo {
		return RSLNothing
	}
	return "<license>" + usage + user + geo + rslPayment(price, payment, price.Free(), how) + "</license>"
}

// told is what a licence can say of the decision: to what it binds and what it costs; some is false
// where that is nothing.
func (d Decision) told(fallback Money) (to Option, price Money, some bool) {
	price = d.Price
	switch {
	case d.Access == Blocked || len(d.Scopes) > 0:
		return to, price, false
	case price == Money{} && d.Access == Open:
		price = Money{Model: "free"}
	case price == Money{}:
		price = fallback
	}
	if price.Free() && (d.DisplayWords > 0 || d.Reporting > 0) {
		return to, price, false
	}
	if to, some = d.rslBound(price.Free()); some {
		price = price.At(to.Price)
	}
	return to, price, some
}

// SitemapTerms is what a RAMP sitemap says of the use of what was decided on (RAMP v1, Ingestion):
// never more than the decision permits. What the extension has no words for, users and countries
// among it, permits nothing.
func (d Decision) SitemapTerms(fallback Money) licence.Stated {
	nothing := licence.Stated{Permits: []string{}}
	to, price, some := d.told(fallback)
	_, known := licence.SitemapName(price.Model)
	if !some || !known || !to.Users.none() || !to.Countries.none() {
		return nothing
	}
	known = len(to.Functions.Permit) == 0
	out := licence.Stated{Model: price.Model, Priced: true, Permits: []string{}}
	if known {
		out.Permits = []string{"all"}
	}
	for _, f := range to.Functions.Permit {
		if slices.Contains(functions, f) {
			out.Permits, known = append(out.Permits, f), true
		}
	}
	for _, f := range to.Functions.Prohibit {
		if slices.Contains(functions, f) {
			out.Prohibits = append(out.Prohibits, f)
		}
	}
	if !known {
		return nothing
	}
	if out.Model == "flat" {
		out.Model = "per_access"
	}
	if price.Rate > 0 && price.Months == 0 {
		out.Rate, out.Currency = Amount(price.Rate), price.Currency
	}
	return out
}

// rslBound narrows the rule's restrictions by the terms that come with an item, as far as they ask
// for no payment where nothing is paid; some is false where nothing is left.
func (d Decision) rslBound(unpaid bool) (to Option, some bool) {
	to = Option{Functions: Functions{d.Permit, d.Prohibit}, Users: d.Users, Countries: d.Countries}
	for _, own := range d.Own {
		if !own.Stated {
			continue
		}
		options := own.Options
		if !unpaid {
			options = slices.Concat(own.Options, own.Paid)
		}
		found := false
		for _, option := range options {
			if narrowed, some := to.narrow(option); some {
				price := dearer(to.Price, option.Price)
				to, found = narrowed, true
				to.Price = price
				break
			}
		}
		if !found {
			return to, false
		}
	}
	return to, true
}

// rslRestriction writes a restriction of a kind, in the words that RSL has for it; all says that
// nothing is restricted. It is not ok where what is permitted has no words.
func rslRestriction(kind string, r Restriction, words []string, all string) (text string, ok bool) {
	said := func(names []string) (list []string) {
		for _, name := range names {
			if words == nil || slices.Contains(words, name) {
				list = append(list, name)
			}
		}
		return list
	}
	permit := said(r.Permit)
	switch {
	case len(permit) > 0:
		text = rslTokensText("permits", kind, permit)
	case len(r.Permit) > 0:
		return "", false
	case all != "":
		text = rslTokensText("permits", kind, []string{all})
	}
	if prohibit := said(r.Prohibit); len(prohibit) > 0 {
		text += rslTokensText("prohibits", kind, prohibit)
	}
	return text, true
}

func rslTokensText(element, kind string, names []string) string {
	return "<" + element + ` type="` + kind + `">` + licence.Escape(strings.Join(names, " ")) + "</" + element + ">"
}

// rslPayment writes a payment. RSL has no word for how many months an amount is for, nor for what
// one token costs.
func rslPayment(price Money, payment string, unpaid bool, how string) string {
	if unpaid {
		return `<payment type="` + payment + `"/>`
	}
	text := `<payment type="` + payment + `">`
	if how != "" {
		text += "<custom>" + licence.Escape(how) + "</custom>"
	}
	if price.Months == 0 && !price.Metered() {
		text += `<amount currency="` + licence.Escape(price.Currency) + `">` + Amount(price.Rate) + "</amount>"
	}
	return text + "</payment>"
}
