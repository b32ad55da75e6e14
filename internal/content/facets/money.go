package facets

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Money is an amount in a currency.
type Money struct {
	Amount   float64
	Currency string // ISO 4217, empty when the text names none
}

// ReadMoney reads the sum of money at the beginning of a text and how many bytes it took; 0 when
// there is none: "$20", "US$ 1,299.00", "20€", "1.299,00 EUR", "20 bucks", "円" behind a number. A
// number alone is money without a currency.
func ReadMoney(s string) (m Money, n int) {
	currency, before := currencyAt(s)
	n = before
	if before > 0 {
		n += blanks(s[n:])
	}
	amount, m1 := readNumber(s[n:], true)
	if m1 == 0 {
		return Money{}, 0
	}
	n += m1
	if factor, k := magnitude(s[n:]); k > 0 {
		amount, n = amount*factor, n+k
	}
	if currency != "" {
		return Money{amount, currency}, n
	}
	gap := blanks(s[n:])
	if after, k := currencyAt(s[n+gap:]); k > 0 {
		return Money{amount, after}, n + gap + k
	}
	return Money{Amount: amount}, n
}

// magnitude reads "k" right behind a number: "20k".
func magnitude(s string) (factor float64, n int) {
	if len(s) > 0 && (s[0] == 'k' || s[0] == 'K') &&
		(len(s) == 1 || !unicode.IsLetter(rune(s[1])) && s[1] < utf8.RuneSelf) {
		return 1000, 1
	}
	return 0, 0
}

// signs of currencies, longest first.
var signs = []struct{ sign, currency string }{
	{"US$", "USD"}, {"U$S", "USD"}, {"USD", "USD"}, {"CA$", "CAD"}, {"C$", "CAD"}, {"AU$", "AUD"}, {"A$", "AUD"},
	{"NZ$", "NZD"}, {"HK$", "HKD"}, {"S$", "SGD"}, {"R$", "BRL"}, {"$", "USD"}, {"＄", "USD"}, {"€", "EUR"},
	{"£", "GBP"}, {"￥", "JPY"}, {"¥", "JPY"}, {"₹", "INR"}, {"₩", "KRW"}, {"₽", "RUB"}, {"₺", "TRY"}, {"₴", "UAH"},
	{"zł", "PLN"}, {"Kč", "CZK"}, {"Fr.", "CHF"},
}

// currencyWords are the words for currencies, folded, and their ISO 4217 codes and abbreviations.
var currencyWords = sync.OnceValue(func() map[string]string {
	words := wordsOf("currency")()
	for code := range strings.FieldsSeq("USD EUR GBP CHF JPY CAD AUD NZD SEK NOK DKK PLN CZK HUF INR BRL MXN CNY KRW " +
		"SGD HKD ZAR TRY ILS AED THB RUB UAH RON") {
		words[strings.ToLower(code)] = code
	}
	words["sfr"], words["kr"], words["rmb"] = "CHF", "SEK", "CNY"
	return words
})

// currencyAt reads the sign or the word of a currency at the beginning of a text.
func currencyAt(s string) (currency string, n int) {
	for _, c := range signs {
		if len(s) >= len(c.sign) && strings.EqualFold(s[:len(c.sign)], c.sign) {
			if last := c.sign[len(c.sign)-1]; last < utf8.RuneSelf && unicode.IsLetter(rune(last)) {
				break // a word, which must end there
			}
			return c.currency, len(c.sign)
		}
	}
	word, n := beginning(s, currencyWords())
	if currency = currencyWords()[word]; currency == "" {
		return "", 0
	}
	return currency, n
}

// CurrencyOf gives the ISO 4217 code of a currency's sign, word or code: "$", "euros", "chf"; empty
// when it is none.
func CurrencyOf(s string) string {
	s = strings.TrimSpace(s)
	currency, n := currencyAt(s)
	if n == len(s) {
		return currency
	}
	if len(s) == 3 &&
		strings.IndexFunc(s, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') }) < 0 {
		return strings.ToUpper(s)
	}
	return ""
}
