package questions

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/content/facets"
)

// The bounds of a text and of the names that are cut out of it.
const (
	maxText   = 500  // runes of a text that is kept
	maxRead   = 8000 // bytes of a text that are looked at
	maxNames  = 16
	maxName   = 200 // bytes
	minDigits = 6   // of a number that is cut out
	minName   = 3   // runes of a word of a name that is cut out by itself
)

// What stands in the place of what was cut out.
const (
	cutMail   = "[mail]"
	cutLink   = "[link]"
	cutNumber = "[number]"
	cutName   = "[name]"
)

// Clean cuts out of a text what may tell of a person: mail addresses and all else with an @ in it,
// the user names and queries of web addresses, numbers of six digits and more whatever separates
// them, and names. What is left has at most 500 characters and single blanks.
func Clean(text string, names ...string) string {
	if len(text) > maxRead {
		text = text[:maxRead]
	}
	words := strings.FieldsFunc(strings.ToValidUTF8(text, " "), func(r rune) bool {
		return r <= ' ' || r > '~' && (unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Cf))
	})
	clean := cutNumbers(strings.Join(cutAddresses(words), " "))
	for i, name := range names {
		if i < maxNames {
			clean = cutNames(clean, name)
		}
	}
	return clip(clean, maxText)
}

// clip shortens a text to so many runes.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	n := 0
	for at := range text {
		if n == most {
			return text[:at]
		}
		n++
	}
	return text
}

// cutAddresses replaces the words that are mail addresses, and cuts web addresses to what names the
// page. It gives those that are left.
func cutAddresses(words []string) []string {
	for i, word := range words {
		at := strings.ContainsAny(word, "@＠") || strings.Contains(word, "%40")
		link := strings.Contains(word, "://")
		switch {
		case at && link:
			words[i] = cutLink
		case at && utf8.RuneCountInString(word) > 1:
			words[i] = cutMail
		case at: // which stands alone between the parts of an address
			for _, part := range []int{i - 1, i + 1} {
				if part >= 0 && part < len(words) {
					words[part] = ""
				}
			}
			words[i] = cutMail
		case link:
			if end := strings.IndexAny(word, "?#"); end >= 0 {
				words[i] = word[:end]
			}
		}
	}
	return slices.DeleteFunc(words, func(word string) bool { return word == "" })
}

// separates says whether a rune may stand between the digits of one number.
func separates(r rune) bool { return strings.ContainsRune(" -–—./(),_+:", r) }

// maxApart is how many runes may stand between two digits of one number.
const maxApart = 3

// cutNumbers replaces numbers of minDigits digits and more: those whose digits are together or
// apart by separators, and words that have so many digits among their letters.
func cutNumbers(text string) string {
	if countDigits(text) < minDigits {
		return text
	}
	runes := []rune(text)
	var b strings.Builder
	for i := 0; i < len(runes); {
		if !unicode.IsDigit(runes[i]) {
			b.WriteRune(runes[i])
			i++
			continue
		}
		end, digits := i, 0
		for at := i; at < len(runes) && at-end <= maxApart; at++ {
			if unicode.IsDigit(runes[at]) {
				digits, end = digits+1, at+1
			} else if !separates(runes[at]) {
				break
			}
		}
		if digits >= minDigits {
			b.WriteString(cutNumber)
		} else {
			b.WriteString(string(runes[i:end]))
		}
		i = end
	}
	words := strings.Split(b.String(), " ")
	for i, word := range words {
		if countDigits(word) >= minDigits {
			words[i] = cutNumber
		}
	}
	return strings.Join(words, " ")
}

func countDigits(text string) (n int) {
	for _, r := range text {
		if unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

// cutNames replaces a name and its words.
func cutNames(text, name string) string {
	name, _, _ = strings.Cut(strings.ToValidUTF8(name[:min(len(name), maxName)], ""), "@")
	whole := facets.Fold(name)
	if whole == "" {
		return text
	}
	if !spaced(whole) {
		return cutWithin(text, name)
	}
	parts := strings.Fields(whole)
	named := func(word string) bool {
		if strings.ContainsFunc(word, func(r rune) bool { return r >= utf8.RuneSelf }) {
			word = facets.Fold(word)
		}
		return slices.ContainsFunc(parts, func(part string) bool { // which are folded
			return strings.EqualFold(word, part) && (len(parts) == 1 || utf8.RuneCountInString(part) >= minName)
		})
	}
	var b strings.Builder
	for len(text) > 0 {
		end := strings.IndexFunc(text, isWord)
		if end < 0 {
			end = len(text)
		}
		b.WriteString(text[:end])
		text = text[end:]
		if end = strings.IndexFunc(text, func(r rune) bool { return !isWord(r) }); end < 0 {
			end = len(text)
		}
		if word := text[:end]; word != "" && named(word) {
			b.WriteString(cutName)
		} else {
			b.WriteString(word)
		}
		text = text[end:]
	}
	return b.String()
}

func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r)
}

// spaced says whether a name is written with blanks between words.
func spaced(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
	})
}

// cutWithin replaces a name wherever it stands, and its words.
func cutWithin(text, name string) string {
	for _, part := range append([]string{name}, strings.Fields(name)...) {
		if part = strings.TrimSpace(part); utf8.RuneCountInString(part) >= 2 {
			text = strings.ReplaceAll(text, part, cutName)
		}
	}
	return text
}
