package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	compv1 "frontdesk/wire/comp/v1"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// NotBought says why nothing was bought, and nothing paid: nothing is offered, nothing that is
// offered fits, or the Exchange denies it.
type NotBought struct {
	URI string // empty where it is about several addresses, or a search
	// Absence is why there is no offer; unspecified where there were some, or where nobody said it.
	Absence rampv1.OfferAbsenceReason
	// Denial is why the Exchange did not sell what it had offered; unspecified where it was not
	// asked to.
	Denial rampv1.DenialReason
	// Passed says of each offer that did not fit, and of each Exchange that could not be asked,
	// why.
	Passed []error
}

// Error says why.
func (e *NotBought) Error() string {
	words := func(name, prefix string) string {
		return strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(name, prefix), "_", " "))
	}
	text := "nothing was bought"
	if e.URI != "" {
		text += " for " + e.URI
	}
	switch {
	case e.Denial != rampv1.DenialReason_DENIAL_REASON_UNSPECIFIED:
		return text + ": the Exchange denies it, " + words(e.Denial.String(), "DENIAL_REASON_")
	case e.Absence != rampv1.OfferAbsenceReason_OFFER_ABSENCE_REASON_UNSPECIFIED:
		text += ": it is not offered, " + words(e.Absence.String(), "OFFER_ABSENCE_REASON_")
	case len(e.Passed) == 0:
		return text + ": no Exchange is known that sells it"
	}
	for _, why := range e.Passed {
		text += "; " + why.Error()
	}
	return text
}

// ErrTooDear is among NotBought.Passed of an offer that costs more than may be paid, or in another
// currency.
var ErrTooDear = errors.New("costs more than may be paid")

// choose finds the cheapest offer that fits, of the first Exchange that has one.
func (c *Client) choose(ctx context.Context, item Result, f Fetching, functions []compv1.Function) (*Purchase, error) {
	none := &NotBought{URI: item.URL}
	for found := range c.sellers(ctx, item, f.Exchange, &none.Passed) {
		offers, err := found.offered(ctx, item, f, none, func(offer *rampv1.Offer) error {
			return f.fits(offer, functions)
		})
		if err != nil {
			return nil, err
		}
		if len(offers) > 0 {
			return offers[0], nil
		}
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return nil, none
}

// offered are purchases of what an Exchange offers for an item and nothing is wrong with, the
// cheapest first. Why others are passed over, or the Exchange is, none says. The error is the
// context's.
func (x *Exchange) offered(ctx context.Context, item Result, f Fetching, none *NotBought,
	wrong func(*rampv1.Offer) error) (all []*Purchase, err error) {
	quotes, err := x.Discover(ctx, Wanted{URIs: []string{item.URL}, Uses: f.uses()})
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		none.Passed = append(none.Passed, err)
		return nil, nil
	}
	for _, q := range quotes.All {
		if q.URI != item.URL {
			continue
		}
		none.Passed = append(none.Passed, q.Passed...)
		if len(q.Offers) == 0 && len(q.Passed) == 0 {
			none.Absence = q.Absence
		}
		for _, offer := range q.Offers {
			if err := wrong(offer); err != nil {
				none.Passed = append(none.Passed, fmt.Errorf("offer %.60q %w", offer.OfferId, err))
				continue
			}
			all = append(all, &Purchase{Exchange: x.address, ID: NewPurchase(), URI: item.URL, Offer: offer})
		}
	}
	slices.SortStableFunc(all, cheaper)
	return all, nil
}

// cheaper puts purchases in the order of what they cost at the most.
func cheaper(a, b *Purchase) int { return cmp.Compare(CostOf(a.Offer).Amount, CostOf(b.Offer).Amount) }

// fits says why an offer cannot be taken.
func (f Fetching) fits(offer *rampv1.Offer, functions []compv1.Function) error {
	p := offer.GetPricing()
	cost := CostOf(offer)
	switch {
	case offer.DeliveryMethod == rampv1.DeliveryMethod_DELIVERY_METHOD_STREAMING:
		return errors.New("is delivered as a stream, which is not fetched at once; open it with a client for streams")
	case p.GetModel() == rampv1.PricingModel_PRICING_MODEL_REVENUE_SHARE:
		return errors.New("asks for a share of what is earned, which no amount bounds; take it by Discover and Buy")
	case ramp.Metered(p) && p.GetRate() > 0 && p.GetEstimatedQuantity() <= 0:
		return errors.New("is charged by the unit and does not say how many it takes, " +
			"which no amount bounds; take it by Discover and Buy")
	case math.IsNaN(cost.Amount) || cost.Amount < 0:
		return errors.New("has a price that is none")
	case cents(cost.Amount) > cents(f.Most.Amount),
		cost.Amount > 0 && !strings.EqualFold(cost.Currency, f.Most.Currency):
		return fmt.Errorf("%w: %s, and %s may be paid", ErrTooDear, cost, f.most())
	}
	return Permits(offer.GetRestrictions(), functions)
}

// Permits says which of some functions restrictions do not permit (RAMP v1, AccessRestrictions);
// nil where they permit all. A function for all uses holds those within it: who wants it wants what
// is prohibited, too.
func Permits(r *rampv1.AccessRestrictions, functions []compv1.Function) error {
	for _, function := range functions {
		if len(r.GetPermittedFunctions()) > 0 && !within(function, r.GetPermittedFunctions()) ||
			touches(function, r.GetProhibitedFunctions()) {
			return fmt.Errorf("does not permit %s", function)
		}
	}
	return nil
}

// most is what may be paid, in words.
func (f Fetching) most() string {
	if f.Most.Amount <= 0 {
		return "nothing"
	}
	return "no more than " + f.Most.String()
}

// within says whether a function is among some, of which those for all hold others.
func within(f compv1.Function, of []compv1.Function) bool {
	const all, ai = compv1.Function_FUNCTION_ALL, compv1.Function_FUNCTION_AI_ALL
	return slices.Contains(of, f) || slices.Contains(of, all) ||
		f != compv1.Function_FUNCTION_SEARCH && f != all && slices.Contains(of, ai)
}

// touches says whether a function is among some, or one for all has one of them among its own: who
// wants all uses wants what is prohibited.
func touches(f compv1.Function, some []compv1.Function) bool {
	return within(f, some) ||
		slices.ContainsFunc(some, func(one compv1.Function) bool { return within(one, []compv1.Function{f}) })
}

// uses are what the content is wanted for.
func (f Fetching) uses() []string {
	if len(f.Uses) == 0 {
		return []string{compv1.Function_FUNCTION_AI_INPUT.String()}
	}
	return f.Uses
}

func (f Fetching) functions() (all []compv1.Function, err error) {
	for _, word := range f.uses() {
		function, err := ParseFunction(word)
		if err != nil {
			return nil, err
		}
		all = append(all, function)
	}
	return all, nil
}

// ParseFunction reads a function of CoMP as people write it: "ai-input", "ai_input" or
// "FUNCTION_AI_INPUT".
func ParseFunction(word string) (compv1.Function, error) {
	name := strings.TrimPrefix(strings.ToUpper(strings.ReplaceAll(strings.TrimSpace(word), "-", "_")), "FUNCTION_")
	value, ok := compv1.Function_value["FUNCTION_"+name]
	if !ok {
		return 0, fmt.Errorf("%q is no function; there are ai-input, search, ai-index, ai-train, ai-all and all", word)
	}
	return compv1.Function(value), nil
}

// ParseSubFunction reads a sub-function of CoMP as people write it: "rag" or "SUB_FUNCTION_RAG".
func ParseSubFunction(word string) (compv1.SubFunction, error) {
	name := strings.TrimPrefix(strings.ToUpper(strings.ReplaceAll(strings.TrimSpace(word), "-", "_")), "SUB_FUNCTION_")
	value, ok := compv1.SubFunction_value["SUB_FUNCTION_"+name]
	if !ok {
		return 0, fmt.Errorf(
			"%q is no sub-function; there are training, rag, grounding, agent-view, agent-actions and other", word)
	}
	return compv1.SubFunction(value), nil
}

// ParseCitation reads how a source was named as people write it: "link" or "CITATION_FORMAT_LINK".
func ParseCitation(word string) (rampv1.CitationFormat, error) {
	name := strings.TrimPrefix(strings.ToUpper(strings.TrimSpace(word)), "CITATION_FORMAT_")
	value, ok := rampv1.CitationFormat_value["CITATION_FORMAT_"+name]
	if !ok {
		return 0, fmt.Errorf("%q is no form of a citation; there are link, footnote and inline", word)
	}
	return rampv1.CitationFormat(value), nil
}

// CostOf is what an offer costs at the most, as far as it says: its rate, or that for as many units
// as it estimates. Of a share of revenue it is the share.
func CostOf(o *rampv1.Offer) Price {
	return Price{ramp.Cost(o.GetPricing()), o.GetPricing().GetCurrency()}
}

// cents is an amount in units of 1e-8, by which amounts are compared.
func cents(amount float64) float64 { return math.Round(amount * 1e8) }

// amountText writes an amount without needless zeros.
func amountText(amount float64) string {
	text := strconv.FormatFloat(amount, 'f', 8, 64)
	return strings.TrimRight(strings.TrimRight(text, "0"), ".")
}
