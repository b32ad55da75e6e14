package broker

import (
	"math"
	"math/bits"
	"strings"
)

// Rates says what one currency is worth in another, as somebody has noted it: offers are compared
// by it, and draw on bounds and budgets of another currency. The zero value converts nothing.
type Rates struct {
	Currency string           `json:"currency,omitempty"` // in which the others are told
	Of       map[string]int64 `json:"of,omitempty"`       // how much one of each other is, in units of 1e-8; above 0
	Date     string           `json:"date,omitempty"`     // of the table, such as 2026-11-20
	Note     string           `json:"note,omitempty"`     // such as where it is from
}

// of is what one of a currency is worth in that of the table; 0 where that is not known.
func (r *Rates) of(currency string) int64 {
	if currency == r.Currency && currency != "" {
		return unit
	}
	return r.Of[currency]
}

// convert gives what an amount of one currency is in another, never less: the last unit of 1e-8 is
// rounded up, against whoever has a bound. ok is false where the table does not say. Nothing is
// nothing in each.
func (r *Rates) convert(n int64, from, to string) (converted int64, ok bool) {
	if from == to || n <= 0 {
		return max(n, 0), true
	}
	a, b := r.of(from), r.of(to)
	if a <= 0 || b <= 0 {
		return 0, false
	}
	high, low := bits.Mul64(uint64(n), uint64(a))
	if high >= uint64(b) {
		return maxUnits, true
	}
	whole, rest := bits.Div64(high, low, uint64(b))
	if rest > 0 && whole < maxUnits {
		whole++
	}
	return int64(min(whole, maxUnits)), true
}

// maxUnits is more than any amount that is dealt with, and four of it are still a number.
const maxUnits = math.MaxInt64 / 4

// common is a cost of a currency in that of the table, and that; as it is where the table does not
// say. It is for comparing what a unit costs, which comes as a number that no whole one holds.
func (r *Rates) common(each float64, currency string) (float64, string) {
	if n := r.of(currency); n > 0 {
		return each * float64(n) / unit, r.Currency
	}
	return each, currency
}

// into is a cost of a currency in another.
func (r *Rates) into(each float64, from, to string) (float64, bool) {
	a, b := r.of(from), r.of(to)
	switch {
	case from == to:
		return each, true
	case a <= 0 || b <= 0:
		return 0, false
	}
	return each * float64(a) / float64(b), true
}

// counted says whether something of a work counts in another currency than its own.
func (w *work) counted() bool {
	for _, i := range w.Items {
		if i.State == denied || i.paid() <= 0 {
			continue
		}
		if w.Most >= 0 && i.Currency != w.Currency {
			return true
		}
		for _, d := range w.Budgets {
			if i.Currency != d.Currency {
				return true
			}
		}
	}
	return false
}

// noted is where rates are from, for who asks.
func (r *Rates) noted() any {
	out := map[string]any{"currency": r.Currency}
	for key, text := range map[string]string{"date": r.Date, "note": r.Note} {
		if strings.TrimSpace(text) != "" {
			out[key] = text
		}
	}
	return out
}
