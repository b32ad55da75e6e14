package llm

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// Money is an amount in units of 1e-8 of a currency.
type Money int64

// unit is one whole of the currency.
const unit Money = 1e8

// MaxPrice is the most that a million tokens may cost.
const MaxPrice = 1_000_000 * unit

// Price is what a million tokens cost.
type Price struct {
	Input, Output, Embedding Money
	Currency                 string // ISO 4217
}

// ParseMoney reads a decimal number that is not negative, such as 0.15, with up to eight decimals.
func ParseMoney(text string) (Money, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	if whole == "" || len(whole) > 7 || len(fraction) > 8 || strings.Trim(whole+fraction, "0123456789") != "" {
		return 0, fmt.Errorf("%q is no price; write a number like 0.15", text)
	}
	amount, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", 8-len(fraction)), 10, 64)
	if err != nil || Money(amount) > MaxPrice {
		return 0, fmt.Errorf("%q is no price of a million tokens; write a number like 0.15", text)
	}
	return Money(amount), nil
}

// String writes the amount without zeros at its end.
func (m Money) String() string {
	text := fmt.Sprintf("%d.%08d", m/unit, m%unit)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// Float is the amount for metrics, which know no other numbers.
func (m Money) Float() float64 { return float64(m) / float64(unit) }

// of is what tokens cost at a price for a million, rounded up to the smallest unit.
func (m Money) of(tokens int) Money {
	high, low := bits.Mul64(uint64(m), uint64(tokens))
	low, carry := bits.Add64(low, 999_999, 0)
	cost, _ := bits.Div64(high+carry, low, 1_000_000) // tokens are few enough: see counted
	return Money(cost)
}

// cost is what a call cost.
func (p Price) cost(use endpoint, input, output int) Money {
	if use == embedPath {
		return p.Embedding.of(input)
	}
	return p.Input.of(input) + p.Output.of(output)
}
