package broker

import (
	"math"
	"math/bits"
	"strings"

	rampv1 "frontdesk/wire/ramp/v1"
)

// unit is how many parts an amount of one has inside: amounts are whole numbers of 1e-8 of their
// currency.
const unit = 1e8

// maxAmount is the largest amount that is dealt with.
const maxAmount = 1e9

// units is an amount as it is kept, rounded half to even; ok is false for what is none.
func units(amount float64) (n int64, ok bool) {
	if math.IsNaN(amount) || amount < 0 || amount > maxAmount {
		return 0, false
	}
	return int64(math.RoundToEven(amount * unit)), true
}

// amount is one as the protocol has it.
func amount(n int64) float64 { return float64(n) / unit }

// cost is an amount as the protocol has it.
func cost(n int64, currency string) *rampv1.Cost {
	return &rampv1.Cost{Amount: amount(n), Currency: currency}
}

// of is what the Broker takes on top of a price.
func (f Fee) of(price int64, currency string) int64 {
	if price <= 0 {
		return 0
	}
	high, low := bits.Mul64(uint64(price), uint64(max(f.Share, 0)))
	if high >= unit {
		return math.MaxInt64 / 4
	}
	whole, rest := bits.Div64(high, low, unit)
	if rest > unit/2 || rest == unit/2 && whole%2 == 1 {
		whole++
	}
	fee := int64(whole)
	if f.Each > 0 && strings.EqualFold(f.Currency, currency) {
		fee += f.Each
	}
	return fee
}
