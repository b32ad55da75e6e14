// Package heads finds the head of a noun phrase, which says what a thing is: "Corrie 2 Tent" is a
// tent, and "Descaler for kettles" a descaler. Where the head stands, and which words qualify it,
// is written down for each language in tables/*.txt.
//
// It is pure, and knows no items. Enter at Of.
package heads

import (
	"cmp"
	"embed"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/search/analysis"
	"frontdesk/internal/infra/language"
)

//go:embed tables
var files embed.FS

// Grammar says where the head of a noun phrase stands in a language, as tables/*.txt write it
// down.
type Grammar struct {
	*analysis.Language
	First    bool            // the head stands first, and last otherwise
	After    map[string]bool // words that end the phrase: what follows qualifies it
	and      map[string]bool // words that join two heads
	trailing map[string]bool // colours and sizes behind the head
	Portion  map[string]bool // words for a form or a portion of what stands before them: "tea bags" are tea
	Leading  map[string]bool // articles and adjectives before it
	Small    bool            // a last word without a capital is a noun, and so the head: "Boot resoling"
}

var grammars = sync.OnceValue(func() map[string]*Grammar {
	all := map[string]*Grammar{}
	for _, tag := range language.TagsIn(files, "tables") {
		lists := map[string]map[string]bool{}
		language.MustRead(files, "tables/"+tag+".txt", "=", func(line language.Line) error {
			list := map[string]bool{}
			for word := range strings.FieldsSeq(line.Said) {
				list[Bare(word)] = true
			}
			lists[line.Key] = list
			return nil
		})
		all[tag] = &Grammar{
			Language: analyzer().Language(tag), First: lists["head"]["first"], After: lists["after"], and: lists["and"],
			trailing: lists["trailing"], Portion: lists["portion"], Leading: lists["leading"],
			Small: lists["small"]["noun"],
		}
	}
	any := &Grammar{
		Language: analyzer().Language(""), After: map[string]bool{}, and: map[string]bool{},
		trailing: map[string]bool{},
	}
	for _, g := range all {
		maps.Copy(any.After, g.After)
		maps.Copy(any.and, g.and)
		maps.Copy(any.trailing, g.trailing)
	}
	all[""] = any
	return all
})

// Knows says whether a language has a table.
func Knows(language string) bool { return grammars()[language] != nil }

// Of gives the grammar of a BCP 47 tag, and one in which the words of all languages lead to what
// qualifies a head for tags that have none.
func Of(tag string) *Grammar {
	base, _, _ := strings.Cut(tag, "-")
	return cmp.Or(grammars()[base], grammars()[""])
}

// longestPhrase is how many words are looked at of a name.
const longestPhrase = 12

// Bare is a word in lower case and without accents, its hyphens gone: "T-Shirt" is "tshirt".
func Bare(word string) string {
	if word == "&" {
		return word
	}
	return strings.ReplaceAll(facets.Fold(word), " ", "")
}

// Phrase gives the words of a name that may be its head, in their order: those before a figure, a
// stop or a word that leads to what qualifies them, without articles before them and colours
// behind.
func (g *Grammar) Phrase(name string) (words []string) {
	words, _ = g.Cut(name)
	return words
}

// Cut cuts a name at the end of its phrase. Behind a bare figure the rest may have the head, too:
// "Corrie 2 Tent".
func (g *Grammar) Cut(name string) (words []string, rest string) {
	all := strings.Fields(Elided.Replace(name))
	for i, word := range all {
		bare, ends := Bare(word), strings.ContainsAny(word[len(word)-1:], ",;:!?")
		opens := strings.ContainsAny(word[:1], "([–—|") || word == "-" || bare == "" && word != "&"
		figure := bare != "" && bare[0] >= '0' && bare[0] <= '9'
		switch {
		case len(words) == 0 && (g.Leading[bare] || g.After[bare] || opens || figure):
			continue
		case figure && !ends && !g.First:
			q, _ := facets.ReadQuantity(strings.Join(all[i:], " "))
			if _, err := strconv.Atoi(word); err == nil && q.Unit == "" {
				rest = strings.Join(all[i+1:], " ")
			}
			return g.stripped(words), rest
		case opens, figure, g.After[bare], len(words) == longestPhrase:
			return g.stripped(words), ""
		}
		if words = append(words, bare); ends {
			return g.stripped(words), ""
		}
	}
	return g.stripped(words), ""
}

// Elided cuts short words apart from what they stand before: "d'hiver".
var Elided = strings.NewReplacer(
	"d'", "d' ", "d’", "d' ", "l'", "l' ", "l’", "l' ",
	"D'", "d' ", "D’", "d' ", "L'", "l' ", "L’", "l' ", "/", " ",
)

func (g *Grammar) stripped(words []string) []string {
	for len(words) > 1 && g.trailing[words[len(words)-1]] {
		words = words[:len(words)-1]
	}
	return words
}

// Enumerated gives the words of each thing that a text enumerates.
func (g *Grammar) Enumerated(text string) (all [][]string) {
	var words []string
	ends := func() {
		if len(words) > 0 {
			all, words = append(all, words), nil
		}
	}
	for word := range strings.FieldsSeq(strings.ReplaceAll(text, "・", " & ")) {
		bare := Bare(word)
		if g.and[bare] || bare == "&" {
			ends()
			continue
		}
		if bare != "" {
			words = append(words, bare)
		}
		if strings.HasSuffix(word, ",") {
			ends()
		}
	}
	ends()
	return all
}

// HeadAt is where the head stands in a phrase of n words.
func (g *Grammar) HeadAt(n int) int {
	if g.First {
		return 0
	}
	return n - 1
}

// SameWords says whether two phrases are the same words in any form.
func (g *Grammar) SameWords(a, b string) bool {
	as, bs := strings.Fields(a), strings.Fields(b)
	return slices.EqualFunc(as, bs, func(x, y string) bool { return x == y || g.Stem(x) == g.Stem(y) })
}

// Among says whether a word is one of several in any form.
func (g *Grammar) Among(words []string, word string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return g.SameWords(w, word) })
}

var analyzer = sync.OnceValue(analysis.NewAnalyzer)
