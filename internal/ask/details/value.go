package details

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"frontdesk/internal/content/facets"
)

// Has says whether a sentence has a value of a kind; it has one of a kind that is not known.
func Has(sentence, kind string) bool {
	switch kind {
	case "money":
		return facets.Somewhere(sentence, func(s string) bool {
			money, n := facets.ReadMoney(s)
			return n > 0 && money.Currency != "" || says(s, "free")
		})
	case "temperature":
		return facets.Somewhere(sentence, func(s string) bool {
			q, n := facets.ReadQuantity(s)
			if q.Unit == "°C" {
				return true
			}
			if _, m := facets.ReadNumber(s); n == 0 || m == 0 {
				return false
			} else {
				behind := strings.TrimLeft(s[m:], " \u00a0\u202f")
				return says(strings.TrimLeft(behind, "° "), "degrees") || strings.HasPrefix(behind, "°")
			}
		})
	case "span":
		return facets.Somewhere(sentence, func(s string) bool {
			if _, n := facets.ReadMinutes(s); n > 0 {
				return true
			}
			_, counted := facets.ReadCount(s)
			_, n := facets.ReadMinutes("1" + s[counted:])
			return counted > 0 && n > 1
		})
	case "date":
		return facets.Somewhere(sentence, func(s string) bool {
			if _, _, n := facets.ReadDay(s, time.UTC); n > 0 {
				return true
			}
			month, _ := facets.Month(facets.Fold(firstWord(s)))
			_, _, clock := facets.ReadClock(s)
			return month > 0 && unicode.IsUpper([]rune(s)[0]) || clock > 2 && strings.Contains(s[:clock], ":")
		})
	case "none":
		return false
	case "after":
		return facets.Somewhere(sentence, func(s string) bool { return says(s, "after") })
	case "people":
		return Has(sentence, "count") &&
			facets.Somewhere(sentence, func(s string) bool { return says(s, "people") || counts(s, "people") })
	case "count", "quantity":
		return facets.Somewhere(sentence, func(s string) bool {
			_, n := facets.ReadCount(s)
			return n > 0
		})
	case "phone":
		return strings.Count(strings.Map(digit, sentence), "#") >= 6
	case "person":
		return proper(sentence, 2)
	case "place":
		return proper(sentence, 1)
	}
	return true
}

// says says whether a text begins with a word of a name, in any language.
func says(text, name string) bool {
	first := facets.Fold(firstWord(text))
	return slices.ContainsFunc(tables(), func(t *table) bool { return slices.Contains(t.words[name], first) })
}

// counts says whether a text begins with a figure and, right behind it, a word of a name, where
// words have no blanks between.
func counts(text, name string) bool {
	behind := strings.TrimLeft(text, "0123456789")
	return len(behind) < len(text) && slices.ContainsFunc(tables(), func(t *table) bool {
		return t.tag == unspacedTag &&
			slices.ContainsFunc(t.words[name], func(w string) bool { return strings.HasPrefix(behind, w) })
	})
}

// firstWord is the letters at the beginning of a text.
func firstWord(text string) string {
	if end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '℃' }); end >= 0 {
		return text[:end]
	}
	return text
}

func digit(r rune) rune {
	if unicode.IsDigit(r) {
		return '#'
	}
	return r
}

// proper says whether so many words in a row begin with a capital behind the first word of a
// sentence.
func proper(sentence string, n int) bool {
	in := 0
	for i, word := range strings.Fields(sentence) {
		runes := []rune(strings.Trim(word, "«»\"'()"))
		switch {
		case i > 0 && len(runes) > 1 && unicode.IsUpper(runes[0]):
			if in++; in >= n {
				return true
			}
		default:
			in = 0
		}
	}
	return false
}
