package i18n

import (
	"iter"
	"strings"

	tables "frontdesk/internal/infra/language"
)

// Currencies are those (ISO 4217) that have a sign of their own.
func Currencies() iter.Seq[string] {
	return func(yield func(string) bool) {
		for key := range tables.Tables()[0].Texts {
			if code, ok := strings.CutPrefix(key, signOf); ok && !yield(code) {
				return
			}
		}
	}
}

// signOf is before the keys of the signs of currencies. A table has those that its language writes
// otherwise than the first of Languages, so that one country's dollar is not taken for another's.
// Every other currency goes by its code.
const signOf = "sign."

// sign is that of a currency in the speaker's language; empty where the code is written.
func (s Speaker) sign(currency string) string {
	if own := s.table().Texts[signOf+currency]; own != "" {
		return own
	}
	return tables.Tables()[0].Texts[signOf+currency]
}

var (
	signed      = in("money")       // a sign and a figure
	signedRange = in("money_range") // a sign and two figures
)

// With writes a figure with its unit where the language puts it: "20 g", and for currencies that
// have a sign "$20" in English, "20 $" in German.
func (s Speaker) With(unit, figure string) string {
	sign := s.sign(unit)
	switch {
	case unit == "":
		return figure
	case sign == "":
		return figure + " " + unit
	}
	return s.Say(signed, sign, figure)
}

// Range writes a range of figures of one unit: "$20–$40" in English, "20–40 $" in German.
func (s Speaker) Range(unit, low, high string) string {
	if sign := s.sign(unit); sign != "" {
		return s.Say(signedRange, sign, low, high)
	}
	return low + "–" + s.With(unit, high)
}
