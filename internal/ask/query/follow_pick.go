package query

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"frontdesk/internal/content/facets"
)

// span is a group of words within a text, by bytes.
type span struct{ from, to int }

// picked finds that a question is about items of the answer before: "the second one", "is the first vegan?", "how long
// does it take?".
func picked(text, folded string, said *Understood) (Turn, bool) {
	if len(strings.Fields(folded)) > 14 {
		return Turn{}, false
	}
	for _, p := range pickPatterns {
		found := p.pattern.FindStringSubmatchIndex(text)
		if found == nil {
			continue
		}
		places := p.places(groups(text, found))
		at := span{found[0], found[1]}
		before, after := strings.TrimSpace(text[:at.from]), strings.TrimSpace(text[at.to:])
		around := trimFillers(facets.Fold(before) + " " + facets.Fold(after))
		bare := around == "" || details[around]
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

// pickPattern is one way to point at items.
type pickPattern struct {
	pattern  *regexp.Regexp
	anywhere bool // other words may stand around it
	places   func(groups []string) []int
}

// one is a single place, and several the first so many.
func one(groups []string) []int {
	if at, ok := ordinal(groups); ok {
		return []int{at}
	}
	return nil
}

func several(groups []string) (places []int) {
	if len(groups) < 1 {
		return nil
	}
	n := slices.Index(numerals, groups[len(groups)-1])
	if n < 0 {
		n, _ = strconv.Atoi(groups[len(groups)-1])
	} else {
		n = n/numeralForms + 2
	}
	for i := range min(max(n, 0), 10) {
		places = append(places, i)
	}
	return places
}

// ordinal reads a place: "second", "2nd", "3", "last".
func ordinal(groups []string) (int, bool) {
	if len(groups) == 0 {
		return 0, false
	}
	word := strings.TrimRight(groups[0], " ")
	if at, ok := ordinals[word]; ok {
		return at, true
	}
	n, err := strconv.Atoi(strings.TrimRight(word, "abcdefghijklmnopqrstuvwxyz番目つめ"))
	return n - 1, err == nil && n >= 1 && n <= 100
}

const (
	enOrdinal = `(first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|\d{1,2}(?:st|nd|rd|th))`
	deOrdinal = `(erste[nrs]?|zweite[nrs]?|dritte[nrs]?|vierte[nrs]?|f[üu]nfte[nrs]?|letzte[nrs]?)`
	frOrdinal = `(premi[eè]re?|deuxi[eè]me|seconde?|troisi[eè]me|quatri[eè]me|cinqui[eè]me|derni[eè]re?)`
	esOrdinal = `(primer[oa]?|segund[oa]|tercer[oa]?|cuart[oa]|quint[oa]|[uú]ltim[oa])`
	ptOrdinal = `(primeir[oa]|segund[oa]|terceir[oa]|quart[oa]|quint[oa]|[uú]ltim[oa])`
	counted   = `(two|three|four|five|\d{1,2}|zwei|drei|vier|f[üu]nf|deux|trois|quatre|cinq|dos|tres|cuatro|cinco|dois|duas|tr[eê]s|quatro)`
)

var pickPatterns = []pickPattern{
	{regexp.MustCompile(`(?i)\b(?:the )?first ` + counted + `(?: (?:ones|results|items|options))?\b`), false, several},
	{regexp.MustCompile(`(?i)\bthe first ` + counted + `[ ?.!]*$`), true, several},
	{regexp.MustCompile(`(?i)\bthe first ` + counted + ` (?:ones|results|items|options)\b`), true, several},
	{regexp.MustCompile(`(?i)\b(?:die )?ersten ` + counted + `\b`), false, several},
	{regexp.MustCompile(`(?i)\bles ` + counted + ` premi(?:ers|[eè]res)\b`), false, several},
	{regexp.MustCompile(`(?i)\bl[oa]s primer[oa]s ` + counted + `\b`), false, several},
	{regexp.MustCompile(`(?i)\b[oa]s primeir[oa]s ` + counted + `\b`), false, several},
	{regexp.MustCompile(`(?i)\b(?:the )?` + enOrdinal + ` (?:one|result|item|option|of (?:them|those|these))\b`), true, one},
	{regexp.MustCompile(`(?i)\b(?:the )?` + enOrdinal + `\b`), false, one},
	{regexp.MustCompile(`(?i)(?:\b(?:number|no\.?|result|item|option|nummer|num[eé]ro|n[uú]mero) ?|#)(\d{1,2})\b`), false, one},
	{regexp.MustCompile(`(?i)#(\d{1,2})\b`), true, one},
	{regexp.MustCompile(`(?i)\b(?:das|der|die|dem|den) ` + deOrdinal + `(?: (?:davon|ergebnis|treffer))?(?:$|[ ?.!,])`), false, one},
	{regexp.MustCompile(`(?i)\bl[ea] ` + frOrdinal + `(?: r[eé]sultat)?(?:$|[ ?.!,])`), false, one},
	{regexp.MustCompile(`(?i)\b(?:el|la) ` + esOrdinal + `(?: resultado)?(?:$|[ ?.!,])`), false, one},
	{regexp.MustCompile(`(?i)\b[oa] ` + ptOrdinal + `(?: resultado)?(?:$|[ ?.!,])`), false, one},
	{regexp.MustCompile(`([0-9]{1,2}|[一二三四五])(?:番目|つ目|つめ)(?:の(?:もの|やつ)?)?`), true, one},
	{regexp.MustCompile(`(最初|最後)の(?:もの|やつ)?`), false, one},
}

var ordinals = map[string]int{
	"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "sixth": 5, "seventh": 6, "eighth": 7, "ninth": 8, "tenth": 9, "last": -1,
	"erste": 0, "ersten": 0, "erster": 0, "erstes": 0, "zweite": 1, "zweiten": 1, "zweiter": 1, "zweites": 1, "dritte": 2, "dritten": 2, "dritter": 2, "drittes": 2,
	"vierte": 3, "vierten": 3, "funfte": 4, "funften": 4, "letzte": -1, "letzten": -1, "letzter": -1, "letztes": -1,
	"premier": 0, "premiere": 0, "deuxieme": 1, "seconde": 1, "troisieme": 2, "quatrieme": 3, "cinquieme": 4, "dernier": -1, "derniere": -1,
	"primero": 0, "primera": 0, "primer": 0, "segundo": 1, "segunda": 1, "tercero": 2, "tercera": 2, "tercer": 2, "cuarto": 3, "cuarta": 3, "quinto": 4, "quinta": 4, "ultimo": -1, "ultima": -1,
	"primeiro": 0, "primeira": 0, "terceiro": 2, "terceira": 2, "quarto": 3, "quarta": 3,
	"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "最初": 0, "最後": -1,
}

// numerals are the words for 2, 3, 4 and 5, in numeralForms forms each.
var numerals = []string{
	"two", "zwei", "deux", "dos", "dois", "duas",
	"three", "drei", "trois", "tres", "", "",
	"four", "vier", "quatre", "cuatro", "quatro", "",
	"five", "funf", "cinq", "cinco", "", "",
}

const numeralForms = 6

// pronouns are questions in which a pronoun stands for the item that was told of first. The pronoun is their group.
var pronouns = []*regexp.Regexp{
	regexp.MustCompile(`(?i)^(?:and |so |but )?(?:is|was|does|has|can) (it|this one|that one|this|that)\b`),
	regexp.MustCompile(`(?i)^(?:and |so |but )?how (?:long|much|many|big|heavy|old|far)\b[^?]*? (?:is|does|will|would|are) (it|this one|that one|this|that)\b`),
	regexp.MustCompile(`(?i)^(?:and |so |but )?(?:what|when|where|who|which)\b[^?]*? (?:is|does|has) (it|this one|that one)\b`),
	regexp.MustCompile(`(?i)^(?:et )?(?:combien|quand) (ça|cela) `),
	regexp.MustCompile(`(?i)^(?:und )?was kostet (das|es|er|sie)\b[ ?!.]*$`),
	// Spanish and Portuguese leave the pronoun out.
	regexp.MustCompile(`(?i)^[¿ ]*(?:[ye] )?(?:cu[aá]nto (?:cuesta|tarda|dura|vale|tiempo lleva)|cu[aá]ndo (?:es|empieza|comienza)|d[oó]nde (?:es|est[aá])|cu[aá]ntas calor[ií]as tiene|quanto (?:custa|dura|tempo leva|tempo demora)|quando (?:é|começa)|onde (?:é|fica)|quantas calorias tem)()[ ?!.]*$`),
	regexp.MustCompile(`(?i)^(?:und )?(?:ist|hat|kostet|dauert|enthält) (es|das|er|sie)\b`),
	regexp.MustCompile(`(?i)^(?:und )?wie (?:lange|viel|teuer|groß|schwer)\b[^?]*? (?:ist|dauert|kostet) (es|das|er|sie)\b`),
}

func pronoun(text string) (span, bool) {
	for _, p := range pronouns {
		if found := p.FindStringSubmatchIndex(text); found != nil {
			return span{found[2], found[3]}, true
		}
	}
	return span{}, false
}
