package analysis

import "strings"

// Denial is how a language says that something is without something, in terms.
type Denial struct {
	Before   [][]string // phrases that stand before what is not there
	Without  [][]string // those of them that hold for all that "and" joins ("without onion and garlic")
	Between  []string   // what may come in between
	Or, And  []string   // what goes on with the next such thing
	After    []string   // what stands after what is not there
	NotAfter []string   // what makes something else of the word before it ("free shipping")
	// The same in scripts that are indexed by characters and their pairs.
	GramsBefore, GramsAfter []string
}

// Denial gives how the language denies; for languages that nobody has told of, the English words
// hold.
func (l *Language) Denial() Denial {
	by, ok := deniedBy[l.Tag]
	if !ok {
		by = deniedBy["en"]
	}
	d := Denial{
		Between: l.termsOf(by.between), Or: l.termsOf(by.or), And: l.termsOf(by.and), After: l.termsOf(by.after),
		NotAfter: l.termsOf(by.notAfter), GramsBefore: l.termsOf(gramsBefore), GramsAfter: l.termsOf(gramsAfter),
	}
	for phrase := range strings.FieldsSeq(by.without) {
		d.Without = append(d.Without, l.termsOf(strings.ReplaceAll(phrase, "_", " ")))
	}
	d.Before = d.Without
	for phrase := range strings.FieldsSeq(by.before) {
		d.Before = append(d.Before, l.termsOf(strings.ReplaceAll(phrase, "_", " ")))
	}
	return d
}

// termsOf gives the terms of words of our tables.
func (l *Language) termsOf(words string) (terms []string) {
	for word := range strings.FieldsSeq(words) {
		terms = append(terms, Fold(l.reduce(word)))
	}
	return terms
}

// deniedBy are the words of denials by language. The words of a phrase are joined by a low line.
var deniedBy = map[string]struct{ without, before, between, or, and, after, notAfter string }{
	"en": {"without free_of free_from", "no non not never zero minus excluding except", "any a an the added", "or nor",
		"and", "free", "of from shipping delivery returns gift trial sample samples"},
	"de": {"ohne frei_von", "kein keine keinen keiner nicht", "jede jeden jegliche den die das zugesetzten zugesetzte",
		"oder noch", "und", "frei freie freier freies free", "von"},
	"es": {"sin libre_de libres_de exento_de exenta_de", "no ni", "el la los las ningún ninguna", "o ni", "y e", "free",
		"of"},
	"fr": {"sans exempt_de exempte_de", "pas_de pas_d ni", "le la les l aucun aucune", "ou ni", "et", "free", "of"},
	"it": {"senza privo_di priva_di", "non", "il la lo i gli le l alcun alcuna", "o né", "e ed", "free", "of"},
	"pt": {"sem livre_de livres_de isento_de isenta_de", "não nem", "o a os as nenhum nenhuma", "ou nem", "e", "free",
		"of"},
	"nl": {"zonder vrij_van", "geen niet", "de het een enige toegevoegde", "of", "en", "vrij vrije free", "van"},
}

// How scripts that are indexed by characters and their pairs deny.
const (
	gramsBefore = "不含 无"
	gramsAfter  = "なし 無し 抜き 不使 フリ"
)
