package facets

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold brings words to the form in which they are compared: lower case, without accents, everything
// but letters and digits a blank, one blank between words and none around them. "Crème Brûlée (2
// Stk.)" becomes "creme brulee 2 stk".
func Fold(s string) string {
	if folded(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	gap := false
	write := func(r rune) {
		if gap && b.Len() > 0 {
			b.WriteByte(' ')
		}
		gap = false
		b.WriteRune(r)
	}
	for _, r := range norm.NFKD.String(strings.ToValidUTF8(s, " ")) { // beside broken bytes norm leaves letters whole
		switch {
		case unicode.Is(unicode.Mn, r):
			if r == '\u3099' || r == '\u309a' { // marks of voice are part of a Japanese letter
				b.WriteRune(r)
			}
		case r == 'ß':
			write('s')
			write('s')
		case r == 'æ', r == 'Æ':
			write('a')
			write('e')
		case r == 'œ', r == 'Œ':
			write('o')
			write('e')
		case r == 'ø', r == 'Ø':
			write('o')
		case r == 'ı':
			write('i')
		case r == '\'', r == '’', r == '\u00ad': // "kid's" is "kids"
		case unicode.IsLetter(r), unicode.IsNumber(r):
			write(unicode.ToLower(r))
		default:
			gap = true
		}
	}
	return norm.NFC.String(b.String())
}

// folded says whether a text is in its folded form already.
func folded(s string) bool {
	last := byte(' ')
	for i := range len(s) {
		c := s[i]
		switch {
		case c == ' ' && last == ' ', c >= utf8.RuneSelf:
			return false
		case c != ' ' && (c < '0' || c > '9') && (c < 'a' || c > 'z'):
			return false
		}
		last = c
	}
	return last != ' ' || s == ""
}
