package facets

// Quantity is an amount in a base unit: "g", "ml", "cm", "kcal", "min", "W", "V", "mAh", "GB", "Hz", "°C", "cm2", "%", "people"
// ("servings" are people too) or "" for a bare number.
type Quantity struct {
	Value float64
	Unit  string
}

// unit is how a unit's word is turned into a base unit.
type unit struct {
	base   string
	factor float64
}

var units = map[string]unit{}

func init() {
	for base, list := range map[string]map[float64][]string{
		"g": {
			0.001:        {"mg", "milligram", "milligrams", "milligramm", "milligrammes", "miligramos", "miligramas", "milligrammi", "milligrammo"},
			1:            {"g", "gr", "gram", "grams", "gramm", "gramme", "grammes", "gramos", "gramas", "grammi", "grammo", "グラム"},
			1000:         {"kg", "kgs", "kilo", "kilos", "kilogram", "kilograms", "kilogramm", "kilogramme", "kilogrammes", "kilogramos", "quilos", "chilo", "chili", "chilogrammi", "chilogrammo", "キロ", "kgm"},
			28.349523125: {"oz", "ounce", "ounces", "unze", "unzen", "onz"}, 453.59237: {"lb", "lbs", "pound", "pounds", "pfund", "lbr", "livre", "livres", "libra", "libras", "libbra", "libbre"},
			1e6: {"t", "tonne", "tonnes", "tonnellata", "tonnellate"},
		},
		"ml": {
			1: {"ml", "milliliter", "milliliters", "millilitre", "millilitres", "mililitros", "millilitri", "millilitro"}, 10: {"cl", "zentiliter", "centilitres", "centilitri"}, 100: {"dl", "deziliter"},
			1000: {"l", "liter", "liters", "litre", "litres", "litro", "litros", "litri", "ltr", "リットル"}, 29.5735295625: {"floz"}, 236.5882365: {"cup", "cups", "tasse", "tassen", "tasses"},
			3785.411784: {"gal", "gallon", "gallons"}, 473.176473: {"pint", "pints"},
		},
		"cm": {
			0.1: {"mm", "millimeter", "millimetre", "millimetres", "millimetri", "millimetro"}, 1: {"cm", "centimeter", "centimeters", "centimetre", "centimetres", "zentimeter", "centimetros", "centimetri", "centimetro"},
			100: {"m", "meter", "meters", "metre", "metres", "metro", "metros", "metri"}, 1e5: {"km", "kilometer", "kilometers", "kilometre", "kilometres", "kilometros", "chilometri", "chilometro"},
			2.54: {"in", "inch", "inches", "zoll", "pouces", "pouce", "pulgadas", "polegadas", "pollici", "pollice"}, 30.48: {"ft", "foot", "feet", "fuss", "pieds"}, 160934.4: {"mile", "miles", "mi"},
		},
		"kcal": {1: {"kcal", "cal", "calorie", "calories", "kalorien", "kalorie", "calorias", "caloria", "kilocalories", "kilokalorien", "cals", "カロリー"}, 0.239005736: {"kj", "kilojoule", "kilojoules"}},
		"W":    {1: {"w", "watt", "watts"}, 1000: {"kw", "kilowatt", "kilowatts"}},
		"V":    {1: {"v", "volt", "volts"}},
		"mAh":  {1: {"mah"}, 1000: {"ah"}},
		"GB":   {1: {"gb", "gigabyte", "gigabytes"}, 1024: {"tb", "terabyte", "terabytes"}, 1.0 / 1024: {"mb", "megabyte", "megabytes"}},
		"Hz":   {1: {"hz", "hertz"}, 1e3: {"khz"}, 1e6: {"mhz"}, 1e9: {"ghz"}},
		"°C":   {1: {"°c", "celsius"}},
		"people": {1: {
			"people", "persons", "person", "servings", "serving", "portions", "portion", "guests", "personen", "leute", "portionen", "gaste", "personnes", "personne", "convives",
			"personas", "persona", "porciones", "raciones", "comensales", "pessoas", "pessoa", "porcoes", "persone", "porzioni", "porzione", "commensali", "人", "人分", "人前", "名",
		}},
	} {
		for factor, words := range list {
			for _, word := range words {
				units[word] = unit{base, factor}
			}
		}
	}
	for word, minutes := range minuteWords {
		if word != "m" {
			units[word] = unit{"min", minutes}
		}
	}
}

// ReadQuantity reads the number with a unit at the beginning of a text and how many bytes it took: "5 kg", "418 calories",
// "1,5 l", "20-inch". The number is in the base unit. A number without a unit that is known has none; 0 bytes means that no
// number is there.
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
	word, m := wordAt(rest)
	if word == "fl" { // "12 fl oz"
		rest = rest[m:]
		for i := range rest {
			if rest[i] != '.' && rest[i] != ' ' {
				if next, k := wordAt(rest[i:]); next == "oz" {
					return Quantity{value * units["floz"].factor, "ml"}, len(s) - len(rest) + i + k
				}
				break
			}
		}
	}
	if u, ok := units[word]; ok {
		return Quantity{value * u.factor, u.base}, n + gap + m
	}
	return Quantity{Value: value}, n
}

// In gives the quantity in the unit that a slot keeps its figures in: grams of sodium in milligrams, minutes for times.
func (q Quantity) In(slot Slot) float64 {
	if q.Unit == "g" && slot == Sodium {
		return q.Value * 1000
	}
	return q.Value
}

// unitCodes are units by their UN/CEFACT codes, which schema.org uses for unitCode.
var unitCodes = map[string]unit{
	"GRM": {"g", 1}, "KGM": {"g", 1000}, "MGM": {"g", 0.001}, "ONZ": {"g", 28.349523125}, "LBR": {"g", 453.59237}, "MTR": {"cm", 100}, "CMT": {"cm", 1}, "MMT": {"cm", 0.1},
	"INH": {"cm", 2.54}, "FOT": {"cm", 30.48}, "KMT": {"cm", 1e5}, "LTR": {"ml", 1000}, "MLT": {"ml", 1}, "CLT": {"ml", 10}, "MIN": {"min", 1}, "HUR": {"min", 60}, "DAY": {"min", 1440},
	"WTT": {"W", 1}, "KWT": {"W", 1000}, "VLT": {"V", 1}, "E34": {"GB", 1}, "HTZ": {"Hz", 1}, "CEL": {"°C", 1}, "P1": {"%", 1},
}
