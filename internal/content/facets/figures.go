package facets

import (
	"math"
	"strings"
	"unicode"
)

// rating reads a rating on a scale of five, and how many rated.
func (r *reader) rating(name string, v *node) {
	v.each(func(n *node) {
		if n.kind != '{' {
			r.other(name, n)
			return
		}
		value, ok := numberOf(n.member("ratingValue"))
		if !ok {
			return
		}
		best, given := numberOf(n.member("bestRating"))
		if !given || best <= 0 {
			best = 5
			for _, scale := range []float64{10, 100} {
				if value > best {
					best = scale
				}
			}
		}
		slot := Rating
		if name == "starRating" {
			slot = "starRating"
		}
		if value >= 0 && value <= best {
			value = value * 5 / best
			r.figure(Figure{Slot: slot, Kind: Figures, Low: value, High: value})
		}
		for _, count := range []string{"ratingCount", "reviewCount"} {
			if c, ok := numberOf(n.member(count)); ok && c >= 0 {
				r.figure(Figure{Slot: Ratings, Kind: Figures, Low: c, High: c})
				break
			}
		}
	})
}

// span reads a span of time in minutes; "minValue" and "maxValue" too.
func (r *reader) span(name string, v *node) {
	v.each(func(n *node) {
		f := Figure{Slot: Slot(name), Kind: Figures}
		switch n.kind {
		case '"':
			minutes, m := ReadMinutes(strings.TrimSpace(n.text))
			if m == 0 || m != len(strings.TrimSpace(n.text)) {
				return
			}
			f.Low, f.High = minutes, minutes
		case '{':
			low, m := ReadMinutes(n.member("minValue").name())
			high, k := ReadMinutes(n.member("maxValue").name())
			if m == 0 || k == 0 {
				return
			}
			f.Low, f.High = low, high
		default:
			return
		}
		r.figure(f)
	})
}

// nutrition reads figures per serving, in kilocalories, grams or milligrams.
func (r *reader) nutrition(_ string, v *node) {
	v.each(func(n *node) {
		for i, name := range n.names {
			if name == "@type" || name == "servingSize" {
				continue
			}
			value := &n.values[i]
			q, m := Quantity{}, 0
			switch value.kind {
			case '0':
				q.Value, _ = jsonNumber(value.text)
				m = 1
			case '"':
				text := strings.TrimLeftFunc(value.text, func(c rune) bool { return !unicode.IsDigit(c) })
				q, m = ReadQuantity(text)
			}
			if m == 0 {
				continue
			}
			slot, amount := Slot(name), q.Value
			if q.Unit == "g" && (slot == Sodium || slot == "cholesterolContent") {
				amount *= 1000
			}
			r.figure(Figure{Slot: slot, Kind: Figures, Low: amount, High: amount})
		}
	})
}

// yield reads for how many a recipe is: "4 servings", "Serves 4-6", "4".
func (r *reader) yield(_ string, v *node) {
	v.each(func(n *node) {
		if value, ok := numberOf(n); ok {
			r.figure(Figure{Slot: Yield, Kind: Figures, Low: value, High: value})
			return
		}
		text := n.name()
		at := strings.IndexFunc(text, unicode.IsDigit)
		if at < 0 || at > 40 {
			return
		}
		low, m := ReadNumber(text[at:])
		if m == 0 {
			return
		}
		high, end := low, at+m
		if rest := strings.TrimLeft(text[end:], " -–to"); digitAt(rest, 0) {
			if second, k := ReadNumber(rest); k > 0 && second > low {
				high, end = second, len(text)-len(rest)+k
			}
		}
		q, _ := ReadQuantity("1 " + strings.TrimSpace(text[end:]))
		before := Fold(text[:at])
		_, serves := servings()[before[strings.LastIndexByte(before, ' ')+1:]]
		if q.Unit == "people" || serves {
			r.figure(Figure{Slot: Yield, Kind: Figures, Low: low, High: high})
		}
	})
}

// servings are the words before a number of people.
var servings = wordsOf("serves")

// geo reads coordinates: two figures.
func (r *reader) geo(_ string, v *node) {
	v.each(func(n *node) {
		lat, ok := numberOf(n.member("latitude"))
		long, also := numberOf(n.member("longitude"))
		if ok && also && math.Abs(lat) <= 90 && math.Abs(long) <= 180 {
			r.figure(Figure{Slot: Latitude, Kind: Figures, Low: lat, High: lat})
			r.figure(Figure{Slot: Longitude, Kind: Figures, Low: long, High: long})
		}
	})
}

// quantity reads a QuantitativeValue or the like.
func (r *reader) quantity(slot Slot, n *node) bool {
	u := unit{factor: 1}
	if code, ok := unitCodes[strings.TrimSpace(n.member("unitCode").text)]; ok {
		u = code
	} else if word, ok := units()[Fold(n.member("unitText").name())]; ok {
		u = word
	} else if word, ok := units()[Fold(n.member("unitCode").name())]; ok {
		u = word
	}
	f := Figure{Slot: slot, Kind: Figures, Unit: u.base}
	if value, ok := numberOf(n.member("value")); ok {
		f.Low, f.High = value, value
	} else {
		low, some := numberOf(n.member("minValue"))
		high, both := numberOf(n.member("maxValue"))
		switch {
		case some && both:
			f.Low, f.High = low, high
		case some:
			f.Low, f.High = low, low
		case both:
			f.Low, f.High = high, high
		default:
			return false
		}
	}
	f.Low, f.High = f.Low*u.factor, f.High*u.factor
	r.figure(f)
	return true
}

// numberOf reads a number, or a string that is one.
func numberOf(n *node) (float64, bool) {
	switch n.kind {
	case '0':
		return jsonNumber(n.text)
	case '"':
		text := strings.TrimSpace(n.text)
		if value, ok := jsonNumber(text); ok {
			return value, true
		}
		value, m := ReadNumber(text)
		return value, m > 0 && m == len(text)
	}
	return 0, false
}
