package analysis

import "strings"

// Denial is how a language says that something is without something, in terms.
type Denial struct {
	Before   [][]string // phrases that stand before what is not there
	Between  []string   // what may come in between
	Or       []string   // what goes on with the next such thing
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
		Between: l.termsOf(by.between), Or: l.termsOf(by.or), After: l.termsOf(by.after),
		NotAfter: l.termsOf(by.notAfter), GramsBefore: l.termsOf(gramsBefore), GramsAfter: l.termsOf(gramsAfter),
	}
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
var deniedBy = map[string]struct{ before, between, or, after, notAfter string }{
	"en": {"without no non not never zero minus excluding except free_of free_from", "any a an the added", "or nor",
		"free", "of from shipping delivery returns gift trial sample samples"},
	"de": {"ohne kein keine keinen keiner nicht frei_von", "jede jeden jegliche den die das zugesetzten zugesetzte",
		"oder noch", "frei freie freier freies free", "von"},
	"es": {"sin no ni libre_de libres_de exento_de exenta_de", "el la los las ningún ninguna", "o ni", "free", "of"},
	"fr": {"sans pas_de pas_d ni exempt_de exempte_de", "le la les l aucun aucune", "ou ni", "free", "of"},
	"it": {"senza non privo_di priva_di", "il la lo i gli le l alcun alcuna", "o né", "free", "of"},
	"pt": {"sem não nem livre_de livres_de isento_de isenta_de", "o a os as nenhum nenhuma", "ou nem", "free", "of"},
	"nl": {"zonder geen niet vrij_van", "de het een enige toegevoegde", "of", "vrij vrije free", "van"},
}

// How scripts that are indexed by characters and their pairs deny.
const (
	gramsBefore = "不含 无"
	gramsAfter  = "なし 無し 抜き 不使 フリ"
)
