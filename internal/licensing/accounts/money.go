package accounts

import (
	"math"
	"math/bits"
)

// unit is how many units of an amount make one of the currency.
const unit = 100_000_000

// most bounds every amount that is paid in and every balance: sums of them stay far from what an
// int64 can hold.
const most = 1_000_000_000 * unit

// MaxLimit is the largest credit limit, in 1e-8 of a currency.
const MaxLimit = most

// tooMuch is an amount that nobody has.
const tooMuch = math.MaxInt64

// Product is what a quantity costs at a rate, in 1e-8 of the currency. What is more than anybody
// can have is math.MaxInt64.
func Product(rate, quantity int64) int64 {
	if rate < 0 || quantity < 0 {
		return tooMuch
	}
	high, low := bits.Mul64(uint64(rate), uint64(quantity))
	if high != 0 || low > most {
		return tooMuch
	}
	return int64(low)
}

// Share is a part of an amount, in units of 1e-8 of one, rounded half to even. What is more than
// anybody can have is math.MaxInt64.
func Share(amount, part int64) int64 { return portion(amount, part, unit) }

// portion is amount × part ÷ whole, rounded half to even.
func portion(amount, part, whole int64) int64 {
	if amount < 0 || part < 0 || whole <= 0 {
		return tooMuch
	}
	high, low := bits.Mul64(uint64(amount), uint64(part))
	if high >= uint64(whole) {
		return tooMuch
	}
	quotient, rest := bits.Div64(high, low, uint64(whole))
	if twice := rest * 2; twice > uint64(whole) || twice == uint64(whole) && quotient%2 == 1 {
		quotient++
	}
	if quotient > most {
		return tooMuch
	}
	return int64(quotient)
}
