package analysis

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// letters that stand for one or two of the basic alphabet without being decomposable.
var lookalikes = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'þ': "th", 'ł': "l", 'ı': "i", 'ħ': "h",
	'ς': "σ", '\u2044': "/", softHyphen: "", '\u0640': "",
}

// Fold brings a word to the form in which words are compared: lower case, compatibility forms
// resolved (full-width letters, ligatures, "½"), and without the accents of Latin, Greek, Hebrew
// and Arabic, where people leave them out. Marks of other scripts are letters of their own right
// and stay.
func Fold(word string) string {
	if IsPlain(word) {
		return word
	}
	var b strings.Builder
	bare := false // whether the letter before loses its marks
	for _, r := range norm.NFKC.String(Lower(word)) {
		if unicode.Is(unicode.Mn, r) && bare {
			continue
		}
		bare = unicode.In(r, unicode.Latin, unicode.Greek, unicode.Hebrew, unicode.Arabic)
		if same, ok := lookalikes[r]; ok {
			b.WriteString(same)
		} else if bare {
			r, _ = utf8.DecodeRuneInString(norm.NFD.String(string(r)))
			b.WriteRune(r)
		} else {
			b.WriteRune(r)
		}
	}
	return strings.ToLower(b.String())
}

// Lower is the word in lower case, composed, with its accents: the form that stemmers expect. The
// Russian "ё" is written "е" by most.
func Lower(word string) string {
	if IsPlain(word) {
		return word
	}
	return strings.ReplaceAll(norm.NFC.String(strings.ToLower(word)), "ё", "е")
}

// IsPlain says whether the word is all ASCII without capitals, so that there is nothing to fold.
func IsPlain(word string) bool {
	for i := range len(word) {
		if c := word[i]; c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}

// Cut shortens a word to at most size bytes without cutting a character.
func Cut(word string, size int) string {
	if len(word) <= size {
		return word
	}
	for size > 0 && !utf8.RuneStart(word[size]) {
		size--
	}
	return word[:size]
}
