package query

import (
	"slices"
	"strings"

	"frontdesk/internal/content/facets"
	"frontdesk/internal/infra/language"
)

// concept is one thing with its words, folded, in the order in which they are tried, and the languages that each is of.
type concept struct {
	words []string
	of    map[string]uint32
}

// conceptOf are the concepts by their words in the tables; what is a word for several, or a part of conditions, is none's.
// They serve a question whose word no item has: it is read as the word for the same thing that items do have. longestConcept is
// how many words one has at most, and japaneseWords are those that are found within a text, the longest first.
var conceptOf, longestConcept, japaneseWords = func() (of map[string]*concept, longest int, japanese []string) {
	of = map[string]*concept{}
	var all []*concept
	named := map[string]*concept{}
	for t, table := range language.Tables() {
		for list := range table.Each("concept") {
			c := named[list.Argument]
			if c == nil {
				c = &concept{of: map[string]uint32{}}
				named[list.Argument], all = c, append(all, c)
			}
			for _, word := range list.Phrases {
				word = facets.Fold(word)
				if !slices.Contains(c.words, word) {
					c.words = append(c.words, word)
				}
				c.of[word] |= 1 << t
			}
		}
	}
	for _, c := range all {
		for _, word := range c.words {
			if len(vocabulary[word]) > 0 {
				continue
			}
			if _, twice := of[word]; twice {
				of[word] = nil
				continue
			}
			of[word] = c
			longest = max(longest, strings.Count(word, " ")+1)
			if word[0] >= 0xe3 {
				japanese = append(japanese, word)
			}
		}
	}
	slices.SortFunc(japanese, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return of, longest, japanese
}()

// elsewhere gives the word that items have for what a word or phrase means that none of them has; empty where they have it, or
// nothing for it. What is the name of a category or the like, and of the most items, goes first.
func (at *Asking) elsewhere(phrase string) string {
	c := conceptOf[phrase]
	if c == nil || at.hasAll(phrase) {
		return ""
	}
	best, most := "", -1
	for _, word := range c.words {
		if word == phrase || !at.hasAll(word) {
			continue
		}
		count := 0
		for _, m := range at.Lexicon.Meanings(word) {
			count = max(count, m.Count)
		}
		if count > most {
			best, most = word, count
		}
	}
	return best
}

// hasAll says whether items have each word of a phrase.
func (at *Asking) hasAll(phrase string) bool {
	for word := range strings.FieldsSeq(phrase) {
		if !at.Has(word) {
			return false
		}
	}
	return true
}

// between finds the longest phrase at token i whose thing items call otherwise: their word for it, and how many tokens it takes
// the place of.
func (l *line) between(i int, at *Asking) (word string, n int) {
	for n = min(longestConcept, len(l.tokens)-i); n > 0; n-- {
		if conceptOf[l.phrase(i, i+n)] == nil {
			continue
		}
		for k := i + 1; k < i+n; k++ {
			if l.tokens[k].comma || l.tokens[k].stop {
				return "", 0
			}
		}
		phrase := l.phrase(i, i+n)
		if word = at.elsewhere(phrase); word != "" && !l.speaks(conceptOf[phrase].of[phrase], n, at) {
			word = ""
		}
		return word, n
	}
	return "", 0
}

// speaks says whether a question may be in one of some languages, so that n words of it, which are of these, mean what they mean
// there: "pain" is no bread in English. Where its other words do not tell, the languages do that whoever asks prefers, and
// where there are none, it has to be all of the question.
func (l *line) speaks(in uint32, n int, at *Asking) bool {
	score, most := l.speech(), 0
	for _, s := range score {
		most = max(most, s)
	}
	if most > 0 {
		for t, s := range score {
			if s == most && in&(1<<t) != 0 {
				return true
			}
		}
		return false
	}
	for _, language := range at.Languages {
		if t := slices.Index(tongues, strings.ToLower(language[:min(2, len(language))])); t >= 0 {
			return in&(1<<t) != 0
		}
	}
	return n == len(l.tokens)
}

// betweenJapanese reads the words within a Japanese text as those that items have for the same things.
func betweenJapanese(text string, at *Asking) (string, []Correction) {
	if strings.IndexFunc(text, func(r rune) bool { return r >= 0x3040 && r <= 0x30ff || r >= 0x4e00 && r <= 0x9fff }) < 0 {
		return text, nil
	}
	var read []Correction
	for _, word := range japaneseWords {
		if len(read) == maxMended {
			break
		}
		if strings.Contains(text, word) {
			if known := at.elsewhere(word); known != "" {
				text = strings.Replace(text, word, " "+known+" ", 1)
				read = append(read, Correction{From: word, To: known})
			}
		}
	}
	return strings.TrimSpace(text), read
}
