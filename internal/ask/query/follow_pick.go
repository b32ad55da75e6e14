package query

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"frontdesk/internal/content/facets"
	"frontdesk/internal/infra/language"
)

// span is a group of words within a text, by bytes.
type span struct{ from, to int }

// picked finds that a question is about items of the answer before: "the second one", "is the first
// vegan?", "how long does it take?".
func picked(text, folded string, said *Understood) (Turn, bool) {
	if len(strings.Fields(folded)) > 14 {
		return Turn{}, false
	}
	for _, p := range pickPatterns() {
		found := p.pattern.FindStringSubmatchIndex(text)
		if found == nil {
			continue
		}
		places := p.places(groups(text, found))
		at := span{found[0], found[1]}
		before, after := strings.TrimSpace(text[:at.from]), strings.TrimSpace(text[at.to:])
		around := trimFillers(facets.Fold(before) + " " + facets.Fold(after))
		bare := around == "" || details()[around]
		if len(places) == 0 || !bare && !p.anywhere {
			continue
		}
		if bare {
			before, after = "", ""
		}
		return Turn{Relation: Pick, Places: places, Before: before, After: after}, true
	}
	if at, ok := pronoun(text); ok && len(said.Subjects) == 0 {
		before, after := strings.TrimSpace(text[:at.from]), strings.TrimSpace(text[at.to:])
		return Turn{Relation: Pick, Places: []int{0}, Same: true, Before: before, After: after}, true
	}
	return Turn{}, false
}

func groups(text string, found []int) (all []string) {
	for i := 2; i+1 < len(found); i += 2 {
		if found[i] >= 0 {
			all = append(all, facets.Fold(text[found[i]:found[i+1]]))
		}
	}
	return all
}

// pickPattern is one way to point at items: at a single place, or at the first so many.
type pickPattern struct {
	pattern  *regexp.Regexp
	anywhere bool // other words may stand around it
	several  bool
}

// places are the items that the groups of a pattern point at.
func (p *pickPattern) places(groups []string) (places []int) {
	if len(groups) == 0 {
		return nil
	}
	word := strings.TrimSpace(groups[0])
	if !p.several {
		if at, ok := ordinals()[word]; ok {
			return []int{at - min(1, max(0, at))}
		}
		if n, err := strconv.Atoi(word); err == nil && n >= 1 && n <= 100 {
			return []int{n - 1}
		}
		return nil
	}
	n, ok := numerals()[word]
	if !ok {
		n, _ = strconv.Atoi(word)
	}
	for i := range min(max(n, 0), 10) {
		places = append(places, i)
	}
	return places
}

// ordinals are places in words, from 1, or -1 for the last; numerals are the words for small
// numbers.
var ordinals, numerals = numbersOf("place"), numbersOf("number")

// numbersOf are the phrases of the lists of a key whose arguments are numbers.
func numbersOf(key string) func() map[string]int {
	return sync.OnceValue(func() map[string]int {
		of := map[string]int{}
		for phrase, argument := range argumentsOf(key)() {
			of[phrase], _ = strconv.Atoi(argument)
		}
		return of
	})
}

// anyOf is the pattern of all phrases of the lists of a key in a language, with and without their
// accents.
func anyOf(table *language.Table, key string) string {
	var all []string
	for list := range table.Each(key) {
		for _, phrase := range list.Phrases {
			all = append(all, phrase)
			if bare := facets.Fold(phrase); bare != phrase {
				all = append(all, bare)
			}
		}
	}
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	return strings.Join(all, "|")
}

// pickPatterns point at items, those for several first. {place} and {number} stand for the words of
// the language.
var pickPatterns = sync.OnceValue(func() (all []pickPattern) {
	for _, several := range []bool{true, false} {
		key := map[bool]string{true: "pick.several", false: "pick.one"}[several]
		for _, table := range language.Tables() {
			fill := strings.NewReplacer("{place}", "("+anyOf(table, "place")+")", "{number}",
				"("+anyOf(table, "number")+`|\d{1,2})`)
			for list := range table.Each(key) {
				for _, pattern := range list.Phrases {
					all = append(all, pickPattern{regexp.MustCompile("(?i)" + fill.Replace(pattern)),
						list.Argument == "anywhere", several})
				}
			}
		}
	}
	return all
})

// pronouns are questions in which a pronoun stands for the item that was told of first. The pronoun
// is their group, which is empty in languages that leave it out.
var pronouns = sync.OnceValue(func() (all []*regexp.Regexp) {
	for list := range language.Each("pick.it") {
		for _, pattern := range list.Phrases {
			all = append(all, regexp.MustCompile("(?i)"+pattern))
		}
	}
	return all
})

func pronoun(text string) (span, bool) {
	for _, p := range pronouns() {
		if found := p.FindStringSubmatchIndex(text); found != nil {
			return span{found[2], found[3]}, true
		}
	}
	return span{}, false
}
