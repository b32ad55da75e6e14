package facets

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// offer reads prices from an offer, a number, or words.
func (r *reader) offer(n *node, currency string, depth int) {
	if depth > 4 {
		return
	}
	if n.kind != '{' {
		r.price(Price, n, currency)
		return
	}
	if c := n.member("priceCurrency").name(); c != "" {
		currency = c
	}
	low, high := len(r.Figures), 0
	for _, name := range []string{"price", "lowPrice", "highPrice", "minPrice", "maxPrice"} {
		n.member(name).each(func(v *node) { r.price(Price, v, currency) })
	}
	if high = len(r.Figures); high > low {
		// One offer, one range.
		whole := r.Figures[low]
		for _, f := range r.Figures[low+1 : high] {
			whole.Low, whole.High = min(whole.Low, f.Low), max(whole.High, f.High)
		}
		r.Figures = append(r.Figures[:low], whole)
	} else {
		n.member("priceSpecification").each(func(v *node) { r.offer(v, currency, depth+1) })
		n.member("offers").each(func(v *node) { r.offer(v, currency, depth+1) })
	}
	n.member("availability").each(func(v *node) { r.word(Availability, enumerated(v.name())) })
	n.member("itemCondition").each(func(v *node) { r.word("itemCondition", enumerated(v.name())) })
	n.member("areaServed").each(func(v *node) { r.place("", v) })
	n.member("seller").each(func(v *node) { r.word("seller", v.name()) })
	n.member("category").each(func(v *node) { r.word("offerCategory", v.name()) })
}

// price reads a sum of money: a number, or words with one or two of them ("from € 1.299,00", "10 -
// 20 EUR").
func (r *reader) price(slot Slot, n *node, currency string) {
	sums := sumsIn(n)
	if len(sums) == 0 {
		return
	}
	f := Figure{Slot: slot, Kind: Figures, Low: sums[0].Amount, High: sums[0].Amount}
	for _, sum := range sums {
		f.Low, f.High = min(f.Low, sum.Amount), max(f.High, sum.Amount)
		if f.Unit == "" {
			f.Unit = sum.Currency
		}
	}
	if known := CurrencyOf(currency); known != "" {
		f.Unit = known
	}
	r.figure(f)
}

// freePrices are prices of nothing, in words.
var freePrices = wordsOf("price.free")

// sumsIn reads the sums of money of a value, two at most.
func sumsIn(n *node) (sums []Money) {
	switch n.kind {
	case '0':
		if value, ok := jsonNumber(n.text); ok && value >= 0 {
			return []Money{{Amount: value}}
		}
	case '"':
		text := strings.TrimSpace(n.text)
		if value, ok := jsonNumber(text); ok {
			if value < 0 {
				return nil
			}
			return []Money{{Amount: value}}
		}
		if _, free := freePrices()[Fold(text)]; free {
			return []Money{{}}
		}
		for i := 0; i < len(text) && i < 120 && len(sums) < 2; {
			sum, m := ReadMoney(text[i:])
			if m > 0 && (i == 0 || !wordy(text[:i])) {
				sums = append(sums, sum)
				i += m
				continue
			}
			_, size := utf8.DecodeRuneInString(text[i:])
			i += size
		}
	}
	return sums
}

// wordy says whether a text ends in a letter or digit, so that what follows goes on with a word.
func wordy(s string) bool {
	last, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsLetter(last) || unicode.IsDigit(last)
}

// money reads sums of money that are no price: a salary.
func (r *reader) money(name string, v *node) {
	v.each(func(n *node) {
		if n.kind != '{' {
			r.price(Slot(name), n, "")
			r.word(Slot(name), n.name())
			return
		}
		currency := n.member("currency").name()
		value := n.member("value")
		if value.kind != '{' {
			r.price(Slot(name), value, currency)
			value = n
		}
		low, high := value.member("minValue"), value.member("maxValue")
		if low.kind == 0 {
			low = value.member("value")
		}
		before := len(r.Figures)
		for _, bound := range []*node{low, high} {
			if bound.kind == '0' || bound.kind == '"' {
				r.price(Slot(name), bound, currency)
			}
		}
		if len(r.Figures) == before+2 {
			f := r.Figures[before]
			f.High = max(f.High, r.Figures[before+1].High)
			r.Figures = append(r.Figures[:before], f)
		}
	})
}
