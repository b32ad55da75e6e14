package facets

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/infra/language"
)

// mostDigits bounds a number in a text, so that it is read in bounded time.
const mostDigits = 24

// fractions that are one character.
var fractions = map[rune]float64{'½': 0.5, '¼': 0.25, '¾': 0.75, '⅓': 1.0 / 3, '⅔': 2.0 / 3, '⅛': 0.125}

// ReadNumber reads the number at the beginning of a text and says how many bytes it took; none when
// there is no number. It reads "12", "1.5", "1,5", "1,299.00", "1.299,00", "1 299,50", "1’299",
// "½", "1½", "1 1/2", "１２" and no sign. A comma before exactly three digits groups thousands, a dot
// does so only where another sign follows or comes twice: "1.299" is a little more than one, except
// as money.
func ReadNumber(s string) (value float64, n int) { return readNumber(s, false) }

// readNumber reads a number; as money, one dot before three digits groups thousands too.
func readNumber(s string, money bool) (value float64, n int) {
	digits, n := numeral(s)
	if digits != "" {
		var ok bool
		if value, ok = parseNumeral(digits, money); !ok {
			return 0, 0
		}
	}
	rest := s[n:]
	if digits != "" && !strings.ContainsAny(digits, ".,") {
		if f, m := ratio(rest, value); m > 0 {
			return f, n + m
		}
		rest = strings.TrimPrefix(rest, " ")
	}
	if r, size := utf8.DecodeRuneInString(rest); fractions[r] > 0 &&
		(digits == "" || !strings.ContainsAny(digits, ".,")) {
		return value + fractions[r], len(s) - len(rest) + size
	}
	return value, n
}

// ratio reads what follows a whole number when both are a fraction: "/2" after 1, " 1/2" after 1.
func ratio(rest string, whole float64) (value float64, n int) {
	digit := func(i int) (float64, bool) {
		if i < len(rest) && rest[i] >= '1' && rest[i] <= '9' &&
			(i+1 >= len(rest) || rest[i+1] < '0' || rest[i+1] > '9') {
			return float64(rest[i] - '0'), true
		}
		return 0, false
	}
	if strings.HasPrefix(rest, "/") {
		if d, ok := digit(1); ok && whole < 10 && whole < d {
			return whole / d, 2
		}
	}
	if len(rest) >= 4 && rest[0] == ' ' && rest[2] == '/' {
		if d, ok := digit(3); ok {
			if u := float64(rest[1] - '0'); rest[1] >= '1' && rest[1] <= '9' && u < d {
				return whole + u/d, 4
			}
		}
	}
	return 0, 0
}

// numeral gives the digits and separators at the beginning of a text, in ASCII, and how many bytes
// of the text they are.
func numeral(s string) (digits string, n int) {
	var b []byte
	for n < len(s) && len(b) < mostDigits {
		r, size := utf8.DecodeRuneInString(s[n:])
		switch {
		case r >= '0' && r <= '9':
			b = append(b, byte(r))
		case r >= '０' && r <= '９':
			b = append(b, byte(r-'０')+'0')
		case len(b) > 0 && (r == '.' || r == ',') && digitAt(s, n+size):
			b = append(b, byte(r))
		case len(b) > 0 && strings.ContainsRune("\u00a0\u202f'’ ", r) && thousand(s, n, size):
			// a blank or apostrophe that groups thousands
		default:
			return string(b), n
		}
		n += size
	}
	return string(b), n
}

func digitAt(s string, i int) bool {
	if i >= len(s) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	return r >= '0' && r <= '9' || r >= '０' && r <= '９'
}

// thousand says whether a separator at i has one to three digits before and exactly three after it.
func thousand(s string, i, size int) bool {
	before := 0
	for before < i && s[i-1-before] >= '0' && s[i-1-before] <= '9' {
		before++
	}
	if before == 0 || before > 3 || before < i && strings.IndexByte(".,", s[i-1-before]) >= 0 {
		return false
	}
	after := s[i+size:]
	for j := range 3 {
		if j >= len(after) || after[j] < '0' || after[j] > '9' {
			return false
		}
	}
	return len(after) == 3 || after[3] < '0' || after[3] > '9'
}

// parseNumeral settles which of the separators is the decimal sign.
func parseNumeral(digits string, money bool) (float64, bool) {
	dot, comma := strings.LastIndexByte(digits, '.'), strings.LastIndexByte(digits, ',')
	decimal := -1
	switch {
	case dot >= 0 && comma >= 0:
		decimal = max(dot, comma)
	case dot >= 0 && strings.Count(digits, ".") == 1 &&
		!(money && len(digits)-dot == 4 && dot <= 3 && digits[0] != '0'):
		decimal = dot
	case comma >= 0 && strings.Count(digits, ",") == 1 && (len(digits)-comma != 4 || comma > 3 || digits[0] == '0'):
		decimal = comma
	}
	plain := make([]byte, 0, len(digits))
	for i := range len(digits) {
		switch c := digits[i]; {
		case i == decimal:
			plain = append(plain, '.')
		case c != '.' && c != ',':
			plain = append(plain, c)
		}
	}
	f, err := strconv.ParseFloat(string(plain), 64)
	return f, err == nil && !math.IsInf(f, 0)
}

// NumberWord gives the number that a folded word says: "three", "zwei", "quinze", "半". It reads the
// words of everyday counts, 1 to 12 and the round ones, in our languages; articles ("a", "une") are
// no numbers here.
func NumberWord(word string) (float64, bool) {
	f, ok := numberWords()[word]
	return f, ok
}

var numberWords = figuresOf("number")

// wordAt gives the letters at the beginning of a text, folded, and how many bytes they are. Dots
// within an abbreviation are passed over: "Std." is "std", "c.a." is "ca".
func wordAt(s string) (word string, n int) {
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		if !unicode.IsLetter(r) && !unicode.Is(unicode.Mn, r) && r != '°' && r != 'µ' {
			break
		}
		n += size
		if n > 40 {
			break
		}
	}
	return Fold(s[:n]), n
}

// beginning is wordAt, or, in scripts without blanks between words, the longest of some known words
// that a text begins with.
func beginning[V any](s string, known map[string]V) (word string, n int) {
	word, n = wordAt(s)
	if _, ok := known[word]; ok || !language.IsJoined(word) {
		return word, n
	}
	for end := range s[:n] {
		if _, ok := known[s[:end]]; ok {
			word, n = s[:end], end
		}
	}
	return word, n
}

// blanks counts the bytes of white space and hyphens that a unit may stand behind: "20 min",
// "20-minute".
func blanks(s string) (n int) {
	for n < len(s) && n < 4 {
		r, size := utf8.DecodeRuneInString(s[n:])
		if r != ' ' && r != '\u00a0' && r != '\u202f' && r != '-' && r != '\t' {
			break
		}
		n += size
	}
	return n
}
