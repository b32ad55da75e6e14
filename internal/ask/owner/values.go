package owner

import (
	"slices"
	"strings"
	"unicode"

	"frontdesk/internal/ask/practical"
	"frontdesk/internal/content/facets"
)

// valuesIn are the kinds of values that a sentence has, as practical/intents.txt names them.
func valuesIn(text string) (kinds []string) {
	names := practical.NamesOf(facets.Fold(text))
	digits := strings.IndexFunc(text, unicode.IsDigit) >= 0
	add := func(kind string, has bool) {
		if has {
			kinds = append(kinds, kind)
		}
	}
	add("money", digits && hasMoney(text))
	add("span", slices.Contains(names, "unit-time"))
	add("percent", digits && (strings.Contains(text, "%") || slices.Contains(names, "percent")))
	add("phone", digits && longestNumber(text) >= 6)
	add("email", strings.Contains(text, "@"))
	add("clock", digits)
	return kinds
}

// hasMoney says whether a text has a sum of money with its currency.
func hasMoney(text string) bool {
	return facets.Somewhere(text, func(rest string) bool {
		m, n := facets.ReadMoney(rest)
		return n > 0 && m.Currency != ""
	})
}

// longestNumber is how many digits stand together at most, blanks and the like between them.
func longestNumber(text string) (most int) {
	n := 0
	for _, r := range text {
		switch {
		case unicode.IsDigit(r):
			n++
			most = max(most, n)
		case !strings.ContainsRune(" -/()+.", r):
			n = 0
		}
	}
	return most
}
