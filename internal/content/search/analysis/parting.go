package analysis

import (
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	shortestPart = 3 // letters of either part
	longPart     = 4 // letters of a word before whose like a part may stand that is not known
)

// neverEnds are words that another hardly ends with: there they are a suffix.
var neverEnds = folded("frei los arm voll reich bar haft lich weise mal mals fach fest sam wert leer heit keit ung " +
	"schaft lig isch ling rei tion")

// alsoSuffix are words with which others end by chance (romantisch, Direktor): what stands before
// must be a word that is known, or end as hardly any such stem does.
var alsoSuffix = folded("tisch fisch art rat ring stand lage zug satz rest ende tor tier chen")

// particles make another word of the one behind them, and no kind of it.
var particles = folded(
	"ver ent zer miss auf aus bei ein mit nach vor über unter durch fort heim hin her los nieder um zurück wider roman")

// linked may stand between the parts of a word.
var linked = []string{"", "n", "en", "s", "es", "er", "e"}

// Parting takes apart words of a language that may be made of one word and others.
type Parting struct {
	language *Language
	word     string
	Stem     string                 // what such words end or begin with
	known    func(term string) bool // whether a term is a word of its own
}

// Parting returns what tells words that are made of a word, in lower case, from those that only
// look like it. ok is false for words of which nothing is made: short ones and function words.
func (l *Language) Parting(word string, known func(term string) bool) (p *Parting, ok bool) {
	p = &Parting{language: l, word: word, Stem: l.Stem(word), known: known}
	return p, utf8.RuneCountInString(p.Stem) >= shortestPart && !l.IsStop(Fold(word))
}

// EndsWith says whether a term that ends with the stem is a kind of what the word means.
func (p *Parting) EndsWith(term string) bool {
	before := strings.TrimSuffix(term, p.Stem)
	letters := utf8.RuneCountInString(before)
	if letters < shortestPart || particles[before] || neverEnds[p.Stem] || neverEnds[Fold(p.word)] {
		return false
	}
	if p.inflected(before) {
		return true
	}
	if alsoSuffix[p.Stem] && strings.IndexByte("bdfghlmrtwz", before[len(before)-1]) < 0 &&
		!strings.HasSuffix(before, "ss") {
		return false
	}
	return utf8.RuneCountInString(p.word) >= longPart && strings.ContainsAny(before, "aeiouyåøæäöü")
}

// inflected says whether a word is known in any form.
func (p *Parting) inflected(word string) bool {
	return p.known(p.language.Stem(word)) ||
		strings.HasSuffix(word, "s") && len(word) > shortestPart && p.known(p.language.Stem(word[:len(word)-1]))
}

// BeginsWith says whether a term that begins with the stem goes on with a word that is known.
func (p *Parting) BeginsWith(term string) bool {
	if utf8.RuneCountInString(p.word) < longPart || particles[Fold(p.word)] {
		return false
	}
	rest := strings.TrimPrefix(term, p.Stem)
	return slices.ContainsFunc(linked, func(link string) bool {
		after, ok := strings.CutPrefix(rest, link)
		return ok && utf8.RuneCountInString(after) >= longPart && !p.language.IsStop(after) && p.known(after)
	})
}
