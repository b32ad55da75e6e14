package index

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"

	"frontdesk/internal/content"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/index/heads"
	"frontdesk/internal/content/search"
	"frontdesk/internal/content/search/analysis"
	"frontdesk/internal/content/search/concepts"
	"frontdesk/internal/infra/language"
)

// commonWord is how many items make a word a common one.
const commonWord = 2

// unnamed are types of items whose names do not say what they are: a guide to kettles is no kettle.
var unnamed = []string{
	"Article", "WebPage", "WebSite", "Question", "Answer", "Review", "Person", "Book", "Movie", "MusicRecording",
	"MusicAlbum", "TVSeries", "PodcastEpisode", "VideoObject", "ImageObject", "Comment", "Quotation", "HowTo",
}

// saysKind says whether the name of an item of some types says what it is.
func saysKind(types []string) bool {
	return !slices.ContainsFunc(types, func(t string) bool {
		return slices.ContainsFunc(unnamed, func(u string) bool { return content.IsA(t, u) })
	})
}

// naming is what of an item's name may say what it is.
type naming struct {
	words []uint32 // of its phrase, the likeliest head first, by number in the dictionary
	// Behind a bare figure, which the word bareFigure stands for, those of the rest.
}

// bareFigure stands for a figure among the words of a name.
const bareFigure = "0"

// naming reads the name of an item in a language.
func (l *Index) naming(e *content.Entry, speaks string) (n naming) {
	if !saysKind(e.Types) {
		return n
	}
	g := heads.Of(speaks)
	words, rest := g.Cut(e.Name)
	if last := len(words) - 1; g.Small && last > 0 && !g.Portion[words[last]] &&
		strings.Contains(e.Name, " "+words[last]) {
		words = words[last:]
	}
	if behind := g.Phrase(rest); len(behind) > 0 {
		words = append(append(words, bareFigure), behind...)
	}
	n.words = l.words.heads.numbers(words)
	return n
}

// headWords are the words of names, each once.
type headWords struct {
	mu     sync.Mutex
	words  []string
	number map[string]uint32
}

func (h *headWords) numbers(words []string) []uint32 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.number == nil {
		h.number = make(map[string]uint32, len(h.words))
		for n, word := range h.words {
			h.number[word] = uint32(n)
		}
	}
	numbers := make([]uint32, len(words))
	for i, word := range words {
		n, known := h.number[word]
		if !known {
			n = uint32(len(h.words))
			word = strings.Clone(word)
			h.words = append(h.words, word)
			h.number[word] = n
		}
		numbers[i] = n
	}
	return numbers
}

// all gives the words so far. They only grow.
func (h *headWords) all() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.words
}

// kinds tells what the items of a view are.
type kinds struct {
	grammar    *heads.Grammar // of most items
	words      []string       // of names
	byWord     map[uint32][]named
	categories []category
	common     map[uint32]int  // how many names have a word
	describing map[string]bool // words of colours, materials and the like that items state

	mu   sync.Mutex
	made map[string]kindFound
}

// spot is where an item is: its part of the view and its number there.
type spot struct{ part, item int32 }

// named is an item whose name may have a word at its head.
type named struct {
	spot
	how certainty
}

// certainty is how sure it is that a word of a name is its head.
type certainty uint8

// A word may be one that no name has twice, stand beside such words at the end of the phrase, or at
// its very end.
const (
	possible certainty = iota
	likely
	certain
)

// category is one value that items have as their category: its path, each part of it with what it
// enumerates.
type category struct {
	phrases []string // "green tea", "cups", "mugs"
	heads   []string // "tea", "cups", "mugs"
	joined  bool     // its last part enumerates several
	items   []spot
}

// maxKinds is how many kinds a view remembers.
const maxKinds = 256

// kindsOf gives the kinds of the view, made when they are first asked for: it looks at each item
// once.
func (v *View) kindsOf() *kinds {
	v.kindsOnce.Do(func() { v.kinds = v.classify() })
	return v.kinds
}

func (v *View) classify() *kinds {
	k := &kinds{byWord: map[uint32][]named{}, common: map[uint32]int{}, made: map[string]kindFound{}}
	spoken := map[string]int{}
	for _, ref := range v.everything.All() {
		l := ref.(*Doc)
		if heads.Knows(l.speaks) {
			spoken[l.speaks]++
		}
		for _, word := range l.naming.words {
			k.common[word]++
		}
	}
	k.grammar = heads.Of(mostSpoken(spoken))
	k.words, k.describing = v.dictionary.heads.all(), v.dictionary.describing()
	slot, categorised := v.dictionary.number(facets.Category)
	numbered := map[uint32]int{}
	for place, ref := range v.everything.All() {
		l := ref.(*Doc)
		part, item := v.snapshot.Item(place)
		at := spot{int32(part), int32(item)}
		var own []string // the heads of its categories
		for _, value := range l.facts.values {
			if !categorised || value.slot != slot || !saysKind(l.Types) {
				continue
			}
			c, known := numbered[value.number]
			if !known {
				c = len(k.categories)
				numbered[value.number] = c
				k.categories = append(k.categories,
					categoryOf(k.grammar, v.dictionary.text(facets.Category, value.number)))
			}
			k.categories[c].items = append(k.categories[c].items, at)
			own = append(own, k.categories[c].heads...)
		}
		names, how := k.headsOf(l, own)
		for i, word := range names {
			if i == len(names)-1 {
				how = certain
			}
			k.byWord[word] = append(k.byWord[word], named{at, how})
		}
	}
	return k
}

// mostSpoken gives the language of most items.
func mostSpoken(spoken map[string]int) string {
	most := ""
	for _, language := range slices.Sorted(maps.Keys(spoken)) {
		if most == "" || spoken[language] > spoken[most] {
			most = language
		}
	}
	return most
}

// headsOf gives the words of a name that may say what the item is, the one at the head of its
// phrase last, and how likely the others do. A word that no other name has may be a model or a
// place ("Espresso Machine Pavia"): then the word before it says it, too, in languages in which
// such names come behind the head. A word that is the head of its own category is its head.
func (k *kinds) headsOf(l *Doc, own []string) (words []uint32, how certainty) {
	n := &l.naming
	last := len(n.words) - 1
	if last < 0 {
		return nil, possible
	}
	g := k.grammar
	if heads.Knows(l.speaks) {
		g = heads.Of(l.speaks)
	}
	if g.First {
		return n.words[:1], certain
	}
	for i := last; i >= 0 && len(own) > 0; i-- {
		if g.Among(own, k.words[n.words[i]]) {
			return n.words[i : i+1], certain
		}
	}
	before, behind := k.atFigure(n.words)
	if i := k.lastCommon(g, behind); i >= 0 {
		return behind[i:], likely
	}
	if i := k.lastCommon(g, before); i >= 0 {
		return before[i:], likely
	}
	return before, possible
}

// atFigure cuts the words of a name at a figure.
func (k *kinds) atFigure(words []uint32) (before, behind []uint32) {
	if i := slices.IndexFunc(words, func(n uint32) bool { return k.words[n] == bareFigure }); i >= 0 {
		return words[:i], words[i+1:]
	}
	return words, nil
}

// lastCommon is the last of some words that several names have and that says what something is; -1
// where none does.
func (k *kinds) lastCommon(g *heads.Grammar, words []uint32) int {
	for i := len(words) - 1; i >= 0; i-- {
		if word := k.words[words[i]]; k.common[words[i]] >= commonWord && !g.Portion[word] && !k.describing[word] {
			return i
		}
	}
	return -1
}

// categoryOf reads the path of a category: "Teaware > Cups and mugs".
func categoryOf(g *heads.Grammar, path string) (c category) {
	parts := strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune(">/›»|", r) })
	for _, part := range parts {
		enumerated := g.Enumerated(part)
		c.joined = len(enumerated) > 1
		for _, words := range enumerated {
			c.phrases = append(c.phrases, strings.Join(words, " "))
			if words = g.Phrase(strings.Join(words, " ")); len(words) > 0 {
				c.heads = append(c.heads, words[g.HeadAt(len(words))])
			}
		}
	}
	return c
}

// Kind returns the items that are what words name: those whose name has them at its head, whose
// category is called so or that are of the type of schema.org of that name, whatever form the words
// are in; and those of the given types. Words that qualify the head narrow them where anything is
// left: "green tea" is tea that says that it is green. It is nil where the words name nothing that
// any item is.
func (v *View) Kind(words string, types ...string) *search.Selection {
	return v.kindNamed(words, types).items
}

// KindExactly is Kind, with the items of categories that are called by another word for the same
// thing: "mobile phones" of "smartphones". It is nil where no item is all that the words say.
func (v *View) KindExactly(words string, types ...string) *search.Selection {
	found, same := v.kindNamed(words, types), v.sameKind(words)
	switch {
	case !found.exact && same.Empty():
		return nil
	case !found.exact:
		return same
	}
	return found.items.Or(same)
}

// KindBroadly is Kind by the head of the words alone, whatever qualifies it: any tea for "green
// tea".
func (v *View) KindBroadly(words string, types ...string) *search.Selection {
	return v.Kind(v.kindNamed(words, types).head, types...)
}

// sameKind gives the items of the categories whose name stands for the same thing as words.
func (v *View) sameKind(words string) *search.Selection {
	k := v.kindsOf()
	phrase := k.grammar.Phrase(words)
	if len(phrase) == 0 {
		return v.none()
	}
	head := phrase[k.grammar.HeadAt(len(phrase))]
	same, is, titled := k.sameThing(words), v.likeness(k.grammar, head), v.mentioning(head, search.Titled)
	var at []spot
	for i := range k.categories {
		if c := &k.categories[i]; !c.joined && slices.ContainsFunc(c.phrases, same) {
			at = append(at, k.members(v, c, is, titled)...)
		}
	}
	return v.at(at)
}

// aboutKind returns the items that are what words name, and those that are called by its name
// besides: "Descaler for kettles" beside kettles, and a Course called "Learn to swim" beside a
// swimming lesson. It is nil where no item is all that the words say.
func (v *View) aboutKind(words string) *search.Selection {
	found := v.kindNamed(words, nil)
	if !found.exact {
		return nil
	}
	items := found.items.Or(v.narrowed(v.mentioning(found.head, search.Called), found.beside, search.Called))
	if len(found.beside) > 0 {
		items = items.Or(v.narrowed(v.anyBelow(wordsForTypes()[found.head]...), found.beside, search.Called))
	}
	return items
}

// courtesies are the phrases with which a question begins and ends that say nothing of what it is
// about: "do you have".
var courtesies = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for list := range language.Each("courtesy") {
		for _, phrase := range list.Phrases {
			all[facets.Fold(phrase)] = true
		}
	}
	return all
})

// longestCourtesy is how many words a courtesy has at most.
const longestCourtesy = 5

// kindAsked is what is left of a question without courtesies around it: the name of a kind, where
// it asks for one.
func kindAsked(text string) string {
	words := strings.Fields(text)
	says := func(words []string) bool { return courtesies()[facets.Fold(strings.Join(words, " "))] }
	for n := longestCourtesy; n > 0; n-- {
		switch {
		case n >= len(words):
		case says(words[:n]):
			words, n = words[n:], longestCourtesy+1
		case says(words[len(words)-n:]):
			words, n = words[:len(words)-n], longestCourtesy+1
		}
	}
	return strings.Join(words, " ")
}

// kindFound is what words name, and whether it is all that they say.
type kindFound struct {
	items  *search.Selection
	exact  bool
	head   string   // of the words
	beside []string // those that qualify it
}

func (v *View) kindNamed(words string, types []string) kindFound {
	k := v.kindsOf()
	key := words + "\x00" + strings.Join(types, " ")
	k.mu.Lock()
	made, known := k.made[key]
	k.mu.Unlock()
	if known {
		return made
	}
	made = v.kind(k, words, types)
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.made) >= maxKinds {
		clear(k.made)
	}
	k.made[key] = made
	return made
}

func (v *View) kind(k *kinds, words string, types []string) kindFound {
	phrase := k.grammar.Phrase(words)
	if len(phrase) == 0 {
		return kindFound{}
	}
	phrased := strings.Join(phrase, " ")
	head := phrase[k.grammar.HeadAt(len(phrase))]
	found := v.called(k, head)
	if len(phrase) > 1 && found.Empty() { // in a language that puts the head elsewhere
		head = phrase[len(phrase)-1-k.grammar.HeadAt(len(phrase))]
		found = v.called(k, head)
	}
	called := k.categoriesCalled(v, phrased, head)
	if typed := v.below(append(typeNamed(phrased), types...)); len(typed) > 0 {
		called = called.Or(v.anyOf(len(typed), func(i int) choice { return choice{typ: typed[i]} }))
	}
	if found = found.Or(called); found.Empty() {
		return kindFound{}
	}
	beside := k.beside(words, head)
	if len(beside) == 0 {
		return kindFound{found, true, head, beside}
	}
	if !called.Empty() {
		return kindFound{called.Or(v.narrowed(found, beside, search.Titled)), true, head, beside}
	}
	for _, where := range []search.Where{search.Called, search.Anywhere} {
		if narrowed := v.narrowed(found, beside, where); !narrowed.Empty() {
			return kindFound{narrowed, true, head, beside}
		}
	}
	return kindFound{found, false, head, beside}
}

// wordsForTypes are the types of schema.org that single words of our languages stand for: a lesson
// is a Course.
var wordsForTypes = sync.OnceValue(func() map[string][]string {
	types := map[string][]string{}
	for _, name := range []string{"type", "broad"} {
		for list := range language.Each(name) {
			if _, known := content.KnownType(list.Argument); !known {
				continue
			}
			for _, phrase := range list.Phrases {
				if word := heads.Bare(phrase); !slices.Contains(types[word], list.Argument) {
					types[word] = append(types[word], list.Argument)
				}
			}
		}
	}
	return types
})

// typeNamed gives the type of schema.org that a phrase names: "music events".
func typeNamed(phrase string) (types []string) {
	name := strings.ReplaceAll(phrase, " ", "")
	for _, name := range []string{name, facets.Singular(name)} {
		if typ, ok := content.KnownType(name); ok {
			return []string{typ}
		}
	}
	return nil
}

// beside gives the words that qualify a head.
func (k *kinds) beside(words, head string) (beside []string) {
	for word := range strings.FieldsSeq(heads.Elided.Replace(words)) {
		bare := heads.Bare(word)
		if bare != "" && bare != head && !k.grammar.Leading[bare] && !k.grammar.After[bare] {
			beside = append(beside, strings.Trim(word, ",;:!?"))
		}
	}
	return beside
}

// narrowed gives the items of a selection that mention each of some words.
func (v *View) narrowed(found *search.Selection, words []string, where search.Where) *search.Selection {
	for _, word := range words {
		found = found.And(v.mentioning(word, where))
	}
	return found
}

// categoriesCalled gives the items of the categories whose whole name a phrase is.
func (k *kinds) categoriesCalled(v *View, phrase, head string) *search.Selection {
	var at []spot
	is, titled := v.likeness(k.grammar, head), v.mentioning(head, search.Titled)
	for i := range k.categories {
		c := &k.categories[i]
		if !c.joined && slices.ContainsFunc(c.phrases, func(p string) bool { return k.grammar.SameWords(p, phrase) }) {
			at = append(at, k.members(v, c, is, titled)...)
		}
	}
	return v.at(at)
}

// sameThing says of the phrases of categories whether they stand for the same as another phrase,
// which may be of another language where it says nothing in theirs.
func (k *kinds) sameThing(phrase string) func(other string) bool {
	meant := meaningsOf(phrase, k.grammar.Tag)
	for i := 0; i < len(concepts.Tags) && len(meant) == 0; i++ {
		meant = meaningsOf(phrase, concepts.Tags[i])
	}
	return func(other string) bool {
		return len(meant) > 0 && slices.ContainsFunc(meaningsOf(other, k.grammar.Tag),
			func(id concepts.ID) bool { return slices.Contains(meant, id) })
	}
}

// meaningsOf gives the concepts that a phrase stands for in a language.
func meaningsOf(phrase, tag string) []concepts.ID {
	language := concepts.In(tag)
	if language == nil {
		return nil
	}
	return language.Meanings(strings.Join(concepts.Terms(analyzer().Language(tag), phrase), " "))
}

// called gives the items that a head names.
func (v *View) called(k *kinds, head string) *search.Selection {
	is, titled := v.likeness(k.grammar, head), v.mentioning(head, search.Titled)
	categorised := is
	// categories that are called by another word are of other things
	if own := v.formsOf(k.grammar, head); k.heads(own) {
		categorised = own
	}
	var at []spot
	in, elsewhere := map[spot]bool{}, false
	for i := range k.categories {
		c := &k.categories[i]
		if !slices.ContainsFunc(c.heads, categorised) {
			continue
		}
		elsewhere = true // what is of another category has the word in its name by chance
		at = append(at, k.members(v, c, is, titled)...)
		for _, item := range c.items {
			in[item] = true
		}
	}
	least := likely
	if k.grammar.Composes {
		least = possible
	}
	if elsewhere {
		least = certain
	}
	var faint []spot
	for number, word := range k.words {
		items := k.byWord[uint32(number)]
		if len(items) == 0 || !is(word) {
			continue
		}
		for _, item := range items {
			switch {
			case in[item.spot]:
			case item.how >= least:
				at = append(at, item.spot)
			default:
				faint = append(faint, item.spot)
			}
		}
	}
	if len(at) == 0 {
		at = faint
	}
	return v.at(at)
}

// heads says whether a word is likely at the head of some name.
func (k *kinds) heads(is func(word string) bool) bool {
	for number, word := range k.words {
		if is(word) && slices.ContainsFunc(k.byWord[uint32(number)], func(n named) bool { return n.how >= likely }) {
			return true
		}
	}
	return false
}

// members gives the items of a category that are what was asked for. One whose name has the word
// elsewhere than at its head is something for it or of it: a matcha bowl, a descaler for kettles.
// Of a category that enumerates several they are those whose name says so or, where none does,
// those whose name does not say that they are another of them.
func (k *kinds) members(v *View, c *category, is func(string) bool, titled *search.Selection) (members []spot) {
	var others []spot
	for _, item := range c.items {
		switch words := v.listing(item).naming.words; {
		case k.isBeside(item, words, titled.Holds(v.snapshot.Place(int(item.part), int(item.item))), is):
		case !c.joined:
			members = append(members, item)
		case slices.ContainsFunc(words, func(n uint32) bool { return is(k.words[n]) }):
			members = append(members, item)
		case !slices.ContainsFunc(words, func(n uint32) bool { return k.grammar.Among(c.heads, k.words[n]) }):
			others = append(others, item)
		}
	}
	if len(members) == 0 {
		return others
	}
	return members
}

// isBeside says whether an item whose name mentions a word is something beside it: the word
// qualifies the head of its name, or the head of other names stands right behind it.
func (k *kinds) isBeside(own spot, words []uint32, titled bool, is func(string) bool) bool {
	at := slices.IndexFunc(words, func(n uint32) bool { return is(k.words[n]) })
	if at < 0 {
		return titled && len(words) > 0
	}
	g := k.grammar
	if before, _ := k.atFigure(words); at < len(before) {
		words = before
	}
	if g.First || at == len(words)-1 {
		return false
	}
	next := k.words[words[at+1]]
	return !g.Portion[next] && !k.describing[next] && !is(next) &&
		slices.ContainsFunc(k.byWord[words[at+1]], func(other named) bool {
			return other.spot != own && other.how >= likely
		})
}

// likeness says of words whether they are a head or another word for it in any form, or a compound
// that ends with one.
func (v *View) likeness(g *heads.Grammar, head string) func(word string) bool {
	var any []func(string) bool
	for _, word := range append([]string{head}, synonyms(g, head)...) {
		any = append(any, v.formsOf(g, word))
	}
	return func(word string) bool {
		return slices.ContainsFunc(any, func(is func(string) bool) bool { return is(word) })
	}
}

// synonyms gives the single words of a language that stand for the same as a head, which may be of
// another language.
func synonyms(g *heads.Grammar, head string) (words []string) {
	for _, tag := range concepts.Tags {
		language := concepts.In(tag)
		meanings := language.Meanings(head)
		if tag != "ja" {
			meanings = language.Meanings(analyzer().Language(tag).Stem(head))
		}
		for _, p := range concepts.Phrases(meanings, g.Tag) {
			if word := heads.Bare(p.Text); !p.Kind && word != head && !strings.Contains(p.Text, " ") &&
				!slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
	return words
}

// formsOf says of words whether they are a head in another form, or a compound that ends with it.
func (v *View) formsOf(g *heads.Grammar, head string) func(word string) bool {
	stem := g.Stem(head)
	parting, composed := (*analysis.Parting)(nil), false
	if g.Composes {
		parting, composed = g.Parting(head, v.snapshot.Has)
	}
	unspaced := strings.ContainsFunc(head, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
	})
	return func(word string) bool {
		switch {
		case word == head || unspaced && strings.HasSuffix(word, head):
			return true
		case word == "" || stem == "" || word[0] != stem[0] && !composed:
			return false
		}
		other := g.Stem(word)
		return other == stem || composed && strings.HasSuffix(other, stem) && parting.EndsWith(other)
	}
}

func (v *View) listing(at spot) *Doc { return v.parts[at.part].Refs()[at.item].(*Doc) }

// at gives the selection of items.
func (v *View) at(items []spot) *search.Selection {
	byPart := map[search.Part][]int32{}
	for _, item := range items {
		part := v.parts[item.part]
		byPart[part] = append(byPart[part], item.item)
	}
	return v.snapshot.Pick(func(p search.Part, set search.Set) {
		for _, item := range byPart[p] {
			set.Add(int(item))
		}
	})
}
