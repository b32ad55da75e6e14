package i18n

import (
	"iter"
	"maps"
	"slices"
)

// signs are the currencies (ISO 4217) that people write with a sign where our languages are read, and the sign in the languages
// that have one of their own, so that one country's dollar is not taken for another's. Every other goes by its code.
var signs = map[string]map[string]string{
	"USD": {"": "$", "fr": "$US", "es": "US$", "pt": "US$"},
	"EUR": {"": "€"},
	"GBP": {"": "£"},
	"JPY": {"": "¥", "ja": "￥"},
	"BRL": {"": "R$"},
	"CAD": {"": "CA$", "fr": "$CA"},
	"AUD": {"": "A$", "fr": "$AU", "de": "AU$"},
	"NZD": {"": "NZ$", "fr": "$NZ"},
	"MXN": {"": "MX$"},
	"HKD": {"": "HK$"},
	"TWD": {"": "NT$"},
	"CNY": {"": "CN¥", "ja": "元"},
	"KRW": {"": "₩"},
	"INR": {"": "₹"},
	"ILS": {"": "₪"},
	"VND": {"": "₫"},
	"PHP": {"": "₱"},
}

// Currencies are those that have a sign, by their ISO 4217 codes.
func Currencies() iter.Seq[string] { return maps.Keys(signs) }

// sign is that of a currency in the speaker's language; empty where the code is written.
func (s Speaker) sign(currency string) string {
	if own := signs[currency][s.Language()]; own != "" {
		return own
	}
	return signs[currency][""]
}

// With writes a figure with its unit where the language puts it: "20 g", and for currencies that have a sign "$20" in English,
// "20 $" in German.
func (s Speaker) With(unit, figure string) string {
	sign := s.sign(unit)
	switch {
	case unit == "":
		return figure
	case sign == "":
		return figure + " " + unit
	case s.leads():
		return sign + s.gap() + figure
	}
	return figure + " " + sign
}

// Range writes a range of figures of one unit: "$20–$40" in English, "20–40 $" in German.
func (s Speaker) Range(unit, low, high string) string {
	if s.sign(unit) != "" && s.leads() {
		return s.With(unit, low) + "–" + s.With(unit, high)
	}
	return low + "–" + s.With(unit, high)
}

// leads says whether the language puts signs of currencies first.
func (s Speaker) leads() bool { return slices.Contains([]string{"en", "pt", "ja"}, s.Language()) }

// gap is what stands between a sign and the figure after it.
func (s Speaker) gap() string {
	if s.Language() == "pt" {
		return " "
	}
	return ""
}
