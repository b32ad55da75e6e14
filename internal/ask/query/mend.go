package query

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"frontdesk/internal/content/facets"
)

// place is where a word stands when it means what a condition hangs on.
type place uint8

const (
	anywhere     place = iota
	beforeNumber       // "under 20"
	behindNumber       // "20 dollars"
)

// hinge is a word on which conditions hang.
type hinge struct {
	word    string
	at      place
	meaning string // equal for words that mean the same
}

// hinges are the words on which conditions hang, by their first letter. Those of four letters and
// fewer are too near to too many others.
var hinges = sync.OnceValue(func() map[byte][]hinge {
	words := map[byte][]hinge{}
	add := func(word string, at place, meaning string) {
		if len(word) >= 5 && !strings.ContainsAny(word, signs) {
			words[word[0]] = append(words[word[0]], hinge{word, at, meaning})
		}
	}
	for word, meaning := range facets.UnitWords() {
		add(word, behindNumber, meaning)
	}
	for _, phrase := range slices.Sorted(maps.Keys(compiled().vocabulary)) {
		first, rest, _ := strings.Cut(phrase, " ")
		for _, s := range compiled().vocabulary[phrase] {
			switch meaning := fmt.Sprintf("%d %s", s.role, s.arg); s.role {
			case roleWithout, roleDiet, roleSort:
				if rest == "" {
					add(phrase, anywhere, meaning)
				}
			case roleUnder, roleAtMost, roleOver, roleAtLeast, roleBetween:
				add(first, beforeNumber, meaning)
			case roleStars, roleReviews, rolePeople:
				add(phrase, behindNumber, meaning)
			}
		}
	}
	return words
})

// manyLetters is how long a word must be for one letter to stand for another in it: in short ones
// that makes another word.
const manyLetters = 8

// mend reads words that no item has as the words that conditions hang on, where one letter is too
// many, missing or, in longer ones, another, or two stand the wrong way round: "without nuts" is
// too much to miss for a slip of the hand. It gives the question with them, and what it read so.
func mend(text string, at *Asking) (string, []Correction) {
	l := split(text)
	var b strings.Builder
	var mended []Correction
	from := 0
	for i, t := range l.tokens {
		if t.number || len(mended) == maxMended {
			continue
		}
		word := l.word(i)
		if meant := l.meant(i, word); meant != "" && !at.Has(word) {
			b.WriteString(text[from:t.start])
			b.WriteString(meant)
			from = t.end
			mended = append(mended, Correction{From: text[t.start:t.end], To: meant})
		}
	}
	if len(mended) == 0 {
		return text, nil
	}
	b.WriteString(text[from:])
	return b.String(), mended
}

// maxMended bounds the words of a question that are read as others.
const maxMended = 8

// meant is the word that the one at i may be a slip of; empty when there is none, or more than one.
// What needs a number beside it and has one goes before what may stand anywhere.
func (l *line) meant(i int, word string) string {
	if len(word) < 4 || compiled().beginnings[word] > 0 || facets.CurrencyOf(word) != "" {
		return ""
	}
	var found hinge
	twice := false
	for _, h := range hinges()[word[0]] {
		switch {
		case h.word == word:
			return ""
		case !slip(word, h.word):
		case h.at == behindNumber && !l.figure(i-1), h.at == beforeNumber && !l.figure(i+1) && !l.figure(i+2):
		case found.word == "", h.at != anywhere && found.at == anywhere:
			found, twice = h, false
		case h.at == anywhere && found.at != anywhere:
		case found.meaning != h.meaning:
			twice = true
		}
	}
	if twice {
		return ""
	}
	return found.word
}

// figure says whether the token at i is a number.
func (l *line) figure(i int) bool {
	if i < 0 || i >= len(l.tokens) {
		return false
	}
	_, ok := facets.NumberWord(l.word(i))
	return ok || l.tokens[i].number
}

// slip says whether a word is another but for one slip of the hand.
func slip(word, meant string) bool {
	w, m := len(word), len(meant)
	if w-m > 1 || m-w > 1 || !utf8.ValidString(word) {
		return false
	}
	i := 0
	for i < w && i < m && word[i] == meant[i] {
		i++
	}
	switch {
	case w == m+1:
		return word[i+1:] == meant[i:]
	case m == w+1:
		return word[i:] == meant[i+1:]
	case i+1 < w && word[i] == meant[i+1] && word[i+1] == meant[i] && word[i+2:] == meant[i+2:]:
		return true
	}
	return w >= manyLetters && i < w && word[i+1:] == meant[i+1:]
}
