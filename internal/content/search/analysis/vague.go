package analysis

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/infra/language"
)

// vagueWords are, by language, words that say which kind of answer is wanted, or tell of who asks,
// and little of what is asked for: praise, cheapness, wishes, courtesy, the family. They are looked
// up and weigh less than others, and that no item has one says nothing. In scripts without blanks
// between words they are grammar as well.
var vagueWords = sync.OnceValue(func() map[string]map[string]bool {
	words := map[string]map[string]bool{}
	for _, table := range language.Tables() {
		words[table.Tag] = map[string]bool{}
		for list := range table.Each("vague") {
			for _, phrase := range list.Phrases {
				words[table.Tag][Fold(phrase)] = true
			}
		}
	}
	return words
})

// vagueAt gives how many bytes at the beginning of a text are vague, where words have no blanks
// between.
func (l *Language) vagueAt(text string) (length int) {
	runes := 0
	for at, r := range text {
		if l.vague[text[:at]] {
			length = at
		}
		if runes++; runes > longestVague || !unspaced(r) {
			return length
		}
	}
	if runes <= longestVague && l.vague[text] {
		return len(text)
	}
	return length
}

// longestVague is how many characters what vagueAt finds has at most.
const longestVague = 12

// Vague says by byte what of a text of a script without blanks is grammar or says little of what is
// asked for; it is empty where the text has no Hiragana, which tell that. Of what meant gives the
// length, at the beginning of a text, nothing is vague.
func (l *Language) Vague(text string, meant func(text string) int) (vague []bool) {
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if !unspaced(r) {
			at += size
			continue
		}
		end := at + unspacedLen(text[at:])
		if vague == nil && hasHiragana(text[at:end]) {
			vague = make([]bool, len(text))
		}
		if vague != nil {
			l.markVague(text[at:end], meant, vague[at:end])
		}
		at = end
	}
	return vague
}

// markVague marks what is vague of a stretch without blanks. A single character is where a word can
// end before and behind it.
func (l *Language) markVague(text string, meant func(text string) int, vague []bool) {
	inWord := false
	for at := 0; at < len(text); {
		rest := text[at:]
		_, size := utf8.DecodeRuneInString(rest)
		n, word := meant(rest), true
		if n == 0 {
			n, word = l.vagueAt(rest), false
		}
		if n == 0 || !word && n == size && (inWord || n < len(rest) && Hiragana(rest[n:]) && l.vagueAt(rest[n:]) == 0) {
			inWord = Hiragana(rest)
			at += size
			continue
		}
		for i := at; i < at+n; i++ {
			vague[i] = !word
		}
		at, inWord = at+n, false
	}
}

// Hiragana says whether a text begins with a sign of Hiragana.
func Hiragana(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.Is(unicode.Hiragana, r)
}

func hasHiragana(text string) bool {
	for i := range text {
		if Hiragana(text[i:]) {
			return true
		}
	}
	return false
}
