package policy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/currency"
)

// Money is a compiled price. Its zero value is none.
type Money struct {
	Model    string // as Price.Model names it
	Rate     int64  // in units of 1e-8 of the currency, for one access, token and so on; of revenue_share the share
	Currency string // ISO 4217; empty for models that are not paid in money, and for revenue_share
	Months   int    // for how many months what was paid for is good; 0 for as long as it is paid
	Estimate int    // how many units one use is estimated at; 0 for what the item's own figures say
}

// The units in which models meter.
const (
	UnitTokens  = "tokens"
	UnitPages   = "pages"
	UnitMinutes = "minutes"
	UnitRecords = "records"
)

// Unit is what one use of an item is measured in: what the model meters, and tokens for models that
// meter nothing.
func (m Money) Unit() string {
	switch m.Model {
	case "per_page":
		return UnitPages
	case "per_minute":
		return UnitMinutes
	case "per_record":
		return UnitRecords
	}
	return UnitTokens
}

// Metered says whether the rate is for each unit that is used, so that what is owed is known once
// the use is reported.
func (m Money) Metered() bool { return slices.Contains(meteredModels, m.Model) }

// The models of prices, by what they need beside the name.
var (
	pricedModels = []string{"per_access", "per_token", "per_fetch", "per_page", "per_minute", "per_record", "flat",
		"subscription", "training"}
	shareModel    = "revenue_share"
	unpaidModels  = []string{"free", "attribution", "contribution"}
	priceModels   = slices.Concat(pricedModels, []string{shareModel}, unpaidModels)
	meteredModels = []string{"per_token", "per_page", "per_minute", "per_record"}
	termedModels  = []string{"subscription", "training"} // which may be for some months
)

// moneyUnits is how many units of Money.Rate make one of the currency.
const moneyUnits = 100_000_000

// maxRate bounds a rate, so that sums of it stay far from what an int64 can hold.
const maxRate = 1_000_000 * moneyUnits

// maxMonths bounds Price.Months.
const maxMonths = 1200

// maxEstimate bounds Price.Estimate.
const maxEstimate = 1_000_000_000

// ParseAmount reads a decimal number of at least 0, such as 0.02, as units of 1e-8.
func ParseAmount(text string) (int64, error) {
	wrong := fmt.Errorf("%q is no amount; write a number with at most eight decimals, like \"0.02\"", text)
	whole, decimals, point := strings.Cut(text, ".")
	if whole == "" || point && decimals == "" || len(decimals) > 8 || len(whole) > 10 || !digits(whole) ||
		!digits(decimals) {
		return 0, wrong
	}
	n, err := strconv.ParseInt(whole+decimals+strings.Repeat("0", 8-len(decimals)), 10, 64)
	if err != nil {
		return 0, wrong
	}
	return n, nil
}

func digits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// Amount writes units of 1e-8 as a decimal number without needless zeros.
func Amount(units int64) string {
	sign, size := "", uint64(units)
	if units < 0 {
		sign, size = "-", -size
	}
	text := fmt.Sprintf("%s%d.%08d", sign, size/moneyUnits, size%moneyUnits)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// String says the price in words; it is empty for none.
func (m Money) String() string {
	parts := []string{m.Model}
	if m.Rate > 0 {
		parts = append(parts, Amount(m.Rate))
	}
	if m.Currency != "" {
		parts = append(parts, m.Currency)
	}
	if m.Months > 0 {
		parts = append(parts, fmt.Sprintf("for %d months", m.Months))
	}
	if m.Estimate > 0 {
		parts = append(parts, fmt.Sprintf("at about %d %s", m.Estimate, m.Unit()))
	}
	return strings.Join(parts, " ")
}

// priceError is what is wrong with one member of a price.
type priceError struct{ field, detail string }

// Money reads a price that stands beside the rules; its error says the first thing that is wrong
// with it.
func (p Price) Money() (Money, error) {
	m, wrong := p.money()
	if len(wrong) > 0 {
		return m, fmt.Errorf("%s: %s", wrong[0].field, wrong[0].detail)
	}
	return m, nil
}

// isCurrency says whether a text is the ISO 4217 code of a currency.
func isCurrency(code string) bool {
	unit, err := currency.ParseISO(code)
	return err == nil && unit.String() == code
}

// money reads a price, and says all that is wrong with it.
func (p Price) money() (m Money, wrong []priceError) {
	if p == (Price{}) {
		return m, nil
	}
	report := func(field, format string, args ...any) {
		wrong = append(wrong, priceError{field, fmt.Sprintf(format, args...)})
	}
	m = Money{Model: p.Model, Currency: p.Currency, Months: p.Months, Estimate: p.Estimate}
	paid, unpaid := slices.Contains(pricedModels, p.Model), slices.Contains(unpaidModels, p.Model)
	if !paid && !unpaid && p.Model != shareModel {
		report("model", "%q is no model of prices; there are %s", p.Model, strings.Join(priceModels, ", "))
		return m, wrong
	}
	var err error
	switch {
	case paid && !isCurrency(p.Currency):
		report("currency", "%q is no currency; write its ISO 4217 code, like USD", p.Currency)
	case !paid && p.Currency != "":
		report("currency", "%s is not paid in money; remove the currency", p.Model)
	}
	if unpaid && p.Rate != "" {
		report("rate", "%s is not paid in money; remove the rate", p.Model)
	}
	if !unpaid {
		most := int64(maxRate)
		if p.Model == shareModel {
			most = moneyUnits
		}
		if m.Rate, err = ParseAmount(p.Rate); err != nil {
			report("rate", "%v", err)
		} else if m.Rate <= 0 || m.Rate > most {
			report("rate", "%s is not more than 0 and at most %s", p.Rate, Amount(most))
		}
	}
	if p.Months != 0 && (!slices.Contains(termedModels, p.Model) || p.Months < 0 || p.Months > maxMonths) {
		report("months", "write 1 to %d months, with the models %s only", maxMonths,
			strings.Join(termedModels, " and "))
	}
	if p.Estimate < 0 || p.Estimate > maxEstimate {
		report("estimate", "%d is not between 0 and %d", p.Estimate, maxEstimate)
	}
	return m, wrong
}

func (c *checker) checkPrice(p Price) {
	_, wrong := p.money()
	for _, w := range wrong {
		c.report("price."+w.field, "%s", w.detail)
	}
}
