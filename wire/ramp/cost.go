package ramp

import rampv1 "frontdesk/wire/ramp/v1"

// Metered says whether a price is for each unit that is used, so that a purchase is settled by the
// report on its use.
func Metered(p *rampv1.Pricing) bool {
	switch p.GetModel() {
	case rampv1.PricingModel_PRICING_MODEL_PER_TOKEN, rampv1.PricingModel_PRICING_MODEL_PER_PAGE,
		rampv1.PricingModel_PRICING_MODEL_PER_MINUTE,
		rampv1.PricingModel_PRICING_MODEL_PER_RECORD:
		return true
	}
	return false
}

// Cost is what a price comes to at the most, in its currency, as far as it says: its rate, or that
// for as many units as it estimates (RAMP v1, ExecuteTransaction). Of a share of revenue it is the
// share.
func Cost(p *rampv1.Pricing) float64 {
	if Metered(p) {
		return p.GetRate() * float64(max(p.GetEstimatedQuantity(), 1))
	}
	return p.GetRate()
}
