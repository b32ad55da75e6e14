package facets

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"frontdesk/internal/infra/language"
)

// Quantity is an amount in a base unit: "g", "ml", "cm", "kcal", "min", "W", "V", "mAh", "GB",
// "Hz", "°C", "cm2", "%", "people" ("servings" are people too) or "" for a bare number.
type Quantity struct {
	Value float64
	Unit  string
}

// unit is how a unit's word is turned into a base unit.
type unit struct {
	base   string
	factor float64
}

// unitSigns are the signs and abbreviations of units that are the same in every language, by their
// base units.
var unitSigns = map[string]map[string]float64{
	"g": {
		"mg": 0.001, "g": 1, "gr": 1, "kg": 1000, "kgs": 1000, "kgm": 1000, "oz": 28.349523125, "onz": 28.349523125,
		"lb": 453.59237, "lbs": 453.59237, "lbr": 453.59237, "t": 1e6,
	},
	"ml":   {"ml": 1, "cl": 10, "dl": 100, "l": 1000, "ltr": 1000, "floz": 29.5735295625, "gal": 3785.411784},
	"cm":   {"mm": 0.1, "cm": 1, "m": 100, "km": 1e5, "in": 2.54, "ft": 30.48, "mi": 160934.4},
	"kcal": {"kcal": 1, "cal": 1, "kj": 0.239005736},
	"W":    {"w": 1, "kw": 1000},
	"V":    {"v": 1},
	"mAh":  {"mah": 1, "ah": 1000},
	"GB":   {"gb": 1, "tb": 1024, "mb": 1.0 / 1024},
	"Hz":   {"hz": 1, "hertz": 1, "khz": 1e3, "mhz": 1e6, "ghz": 1e9},
	"°C":   {"°c": 1, "celsius": 1},
}

var units = sync.OnceValue(func() map[string]unit {
	all := map[string]unit{}
	for base, signs := range unitSigns {
		for sign, factor := range signs {
			all[sign] = unit{base, factor}
		}
	}
	for word, of := range wordsOf("unit")() {
		base, factor, _ := strings.Cut(of, " ")
		f, _ := strconv.ParseFloat(factor, 64)
		all[word] = unit{base, f}
	}
	for word, minutes := range minuteWords() {
		if word != "m" {
			all[word] = unit{"min", minutes}
		}
	}
	return all
})

// wordsOf are the folded phrases of the lists of a key in the tables of all languages, each with
// its argument.
func wordsOf(key string) func() map[string]string {
	return sync.OnceValue(func() map[string]string {
		words := map[string]string{}
		for list := range language.Each(key) {
			for _, phrase := range list.Phrases {
				words[Fold(phrase)] = list.Argument
			}
		}
		return words
	})
}

// figuresOf is wordsOf where the arguments are figures.
func figuresOf(key string) func() map[string]float64 {
	return sync.OnceValue(func() map[string]float64 {
		figures := map[string]float64{}
		for word, figure := range wordsOf(key)() {
			figures[word], _ = strconv.ParseFloat(figure, 64)
		}
		return figures
	})
}

// celsius is the sign behind a temperature.
var celsius = regexp.MustCompile(`^[°º] ?C\b`)

// ReadQuantity reads the number with a unit at the beginning of a text and how many bytes it took:
// "5 kg", "418 calories", "1,5 l", "20-inch". The number is in the base unit. A number without a
// unit that is known has none; 0 bytes means that no number is there.
func ReadQuantity(s string) (q Quantity, n int) {
	value, n := ReadNumber(s)
	if n == 0 {
		return Quantity{}, 0
	}
	gap := blanks(s[n:])
	rest := s[n+gap:]
	switch {
	case len(rest) > 0 && rest[0] == '%':
		return Quantity{value, "%"}, n + gap + 1
	case len(rest) > 0 && rest[0] == '"':
		return Quantity{value * 2.54, "cm"}, n + gap + 1
	}
	if m := len(celsius.FindString(rest)); m > 0 {
		return Quantity{value, "°C"}, n + gap + m
	}
	word, m := wordAt(rest)
	if word == "fl" { // "12 fl oz"
		rest = rest[m:]
		for i := range rest {
			if rest[i] != '.' && rest[i] != ' ' {
				if next, k := wordAt(rest[i:]); next == "oz" {
					return Quantity{value * units()["floz"].factor, "ml"}, len(s) - len(rest) + i + k
				}
				break
			}
		}
	}
	if u, ok := units()[word]; ok {
		return Quantity{value * u.factor, u.base}, n + gap + m
	}
	return Quantity{Value: value}, n
}

// belowZero finds the amount of a text that is a temperature below zero: "-4 °C", "down to -25 °C".
var belowZero = regexp.MustCompile(`^(?:\pL+ ){0,3}(?:[-−–]|minus )(\d{1,3}(?:[.,]\d)?) ?(?:°C|Celsius)$`)

// readSpread reads a text that is an amount or two of them: "5 kg", "2 to 5", "8-10 people", "8+".
// A second amount gives the first its unit.
func readSpread(text string) (low, high Quantity, ok bool) {
	text = strings.TrimSpace(text)
	if cold := belowZero.FindStringSubmatch(text); cold != nil {
		value, _ := ReadNumber(cold[1])
		return Quantity{-value, "°C"}, Quantity{-value, "°C"}, true
	}
	low, n := ReadQuantity(text)
	rest := strings.TrimLeft(text[n:], " ")
	switch {
	case n == 0:
		return low, high, false
	case rest == "":
		return low, low, true
	}
	joint, m := rest, strings.IndexFunc(rest, unicode.IsDigit)
	if m > 0 {
		joint = rest[:m]
	}
	high, k := ReadQuantity(rest[max(m, 0):])
	if folded := strings.TrimSpace(joint); m <= 0 || len(rest) != m+k ||
		!isIn(rangeJoints(), Fold(folded)) && !strings.Contains("-–—~", folded) {
		return low, high, false
	}
	if low.Unit == "" {
		first, _ := ReadNumber(text)
		one, _ := ReadNumber(rest[m:])
		low = Quantity{first * high.Value / max(one, 1e-9), high.Unit}
	}
	return low, high, low.Unit == high.Unit && low.Value < high.Value
}

// In gives the quantity in the unit that a slot keeps its figures in: grams of sodium in
// milligrams, minutes for times.
func (q Quantity) In(slot Slot) float64 {
	if q.Unit == "g" && slot == Sodium {
		return q.Value * 1000
	}
	return q.Value
}

// unitCodes are units by their UN/CEFACT codes, which schema.org uses for unitCode.
var unitCodes = map[string]unit{
	"GRM": {"g", 1}, "KGM": {"g", 1000}, "MGM": {"g", 0.001}, "ONZ": {"g", 28.349523125}, "LBR": {"g", 453.59237},
	"MTR": {"cm", 100}, "CMT": {"cm", 1}, "MMT": {"cm", 0.1}, "INH": {"cm", 2.54}, "FOT": {"cm", 30.48},
	"KMT": {"cm", 1e5}, "LTR": {"ml", 1000}, "MLT": {"ml", 1}, "CLT": {"ml", 10}, "MIN": {"min", 1}, "HUR": {"min", 60},
	"DAY": {"min", 1440}, "WTT": {"W", 1}, "KWT": {"W", 1000}, "VLT": {"V", 1}, "E34": {"GB", 1}, "HTZ": {"Hz", 1},
	"CEL": {"°C", 1}, "P1": {"%", 1},
}
