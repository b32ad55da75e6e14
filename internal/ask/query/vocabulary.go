package query

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"frontdesk/internal/content/facets"
	"frontdesk/internal/infra/language"
)

// role is what a phrase does in a question.
type role uint8

// The roles.
const (
	roleNone     role = iota
	roleUnder         // a figure below what follows
	roleAtMost        // the same, itself included
	roleOver          // a figure above what follows
	roleAtLeast       // the same, itself included
	roleAbout         // near what follows
	roleBetween       // two figures follow
	roleOrLess        // the figure before is the most
	roleOrMore        // the figure before is the least
	roleWithout       // what follows is not wanted; arg is "part" where it is something that items lack
	roleNot           // the same, where something follows that is known
	roleDiet          // a diet; arg names it
	roleFree          // "free" behind what is not wanted
	roleSlot          // names a slot, arg
	roleSort          // an order; arg is the slot, with a minus for the highest first
	roleHigh          // much of the nutrient beside
	roleLow           // little of it
	roleQuick         // in little time
	roleCheap         // for little money
	rolePraised       // with good ratings
	roleGratis        // for nothing
	roleDay           // a time; arg names it
	roleSince         // a time from which on
	roleAfter         // a time after which
	roleBefore        // a time before which
	roleUntil         // a time up to which
	rolePast          // "last", "past" before a span of time or the name of one
	roleNext          // "next"
	roleThis          // "this"
	roleIn            // a place, a colour or a time follows
	roleNear          // a place follows
	roleBy            // a maker follows
	roleMade          // a material follows
	roleFor           // somebody or a purpose follows
	roleServes        // a number of people follows
	roleType          // a type of item; arg names it
	roleThing         // a word for items of any type
	roleTop           // so many of the best
	roleStock         // available
	roleOut           // not available
	roleUnmade        // not of the material that follows
	roleUpcoming      // in the future
	roleTongue        // a language; arg is its tag
	roleStars         // stars behind a number
	roleReviews       // ratings behind a number
	rolePeople        // people behind a number
	roleAnd           // joins
	roleOr            // joins alternatives
	roleCourtesy      // means nothing: "show me", "please"
	roleGlue          // means nothing beside a constraint: "that are", "costing"
	roleAllergic      // what follows is not wanted, by somebody whom it harms
	roleGone          // over, of events
	roleNow           // on at this time, of events
	roleRather        // makes a preference of what follows
	roleBroad         // whatever there is of a type, arg, where conditions say the rest
	roleKind          // what items of a type, arg, are about: says the type where it is not wanted
)

// tongues are the languages by their tags, and english is the place of one among them. Japanese is
// not written in words and has rules of its own.
var tongues = language.Tags

const english = 0

// sense is what a phrase means in some languages, which are bits by their places among tongues.
type sense struct {
	role    role
	tongues uint32
	arg     string
}

// compiled is the vocabulary of all languages.
var compiled = sync.OnceValue(compile)

type lexicon struct {
	vocabulary    map[string][]sense // phrases by their folded form
	beginnings    map[string]int     // how many words a phrase has at most that begins with a word
	functionWords []map[string]bool  // of each language
}

// roleNames are the roles as the lists below call them.
var roleNames = map[string]role{
	"under": roleUnder, "atmost": roleAtMost, "over": roleOver, "atleast": roleAtLeast, "about": roleAbout,
	"between": roleBetween, "orless": roleOrLess, "ormore": roleOrMore, "without": roleWithout, "not": roleNot,
	"diet": roleDiet, "free": roleFree, "slot": roleSlot, "sort": roleSort, "high": roleHigh, "low": roleLow,
	"quick": roleQuick, "cheap": roleCheap, "praised": rolePraised, "gratis": roleGratis, "day": roleDay,
	"since": roleSince, "after": roleAfter, "before": roleBefore, "until": roleUntil, "past": rolePast,
	"next": roleNext, "this": roleThis, "in": roleIn, "near": roleNear, "by": roleBy, "made": roleMade, "for": roleFor,
	"serves": roleServes, "type": roleType, "thing": roleThing, "top": roleTop, "stock": roleStock, "out": roleOut,
	"unmade": roleUnmade, "upcoming": roleUpcoming, "tongue": roleTongue, "stars": roleStars, "reviews": roleReviews,
	"people": rolePeople, "and": roleAnd, "or": roleOr, "courtesy": roleCourtesy, "glue": roleGlue,
	"allergic": roleAllergic, "gone": roleGone, "now": roleNow, "kind": roleKind, "broad": roleBroad,
	"rather": roleRather,
}

// compile reads the lists of the tables whose keys are roles, and those of function words.
func compile() *lexicon {
	all := &lexicon{vocabulary: map[string][]sense{}, beginnings: map[string]int{}}
	for i, table := range language.Tables() {
		all.functionWords = append(all.functionWords, setOf(table.Each("function"), foldPhrase))
		for _, list := range table.Lists {
			role, known := roleNames[list.Key]
			if !known {
				continue
			}
			for _, phrase := range list.Phrases {
				all.learn(foldPhrase(phrase), sense{role, 1 << i, list.Argument})
			}
		}
	}
	return all
}

// IsFunction says whether a folded word is a function word of any language: "and", "mit".
func IsFunction(word string) bool {
	return slices.ContainsFunc(compiled().functionWords, func(words map[string]bool) bool { return words[word] })
}

// foldPhrase folds a phrase of the tables, which may be a sign. What is elided in it is a word of
// its own, as in a question.
func foldPhrase(phrase string) string {
	if strings.ContainsAny(phrase, "'’") {
		return split(phrase).folded
	}
	if strings.ContainsAny(phrase, signs) {
		return phrase
	}
	return facets.Fold(phrase)
}

func (x *lexicon) learn(phrase string, s sense) {
	same := slices.IndexFunc(x.vocabulary[phrase], func(other sense) bool {
		return other.role == s.role && other.arg == s.arg
	})
	if same >= 0 {
		x.vocabulary[phrase][same].tongues |= s.tongues
	} else {
		x.vocabulary[phrase] = append(x.vocabulary[phrase], s)
	}
	first, _, _ := strings.Cut(phrase, " ")
	x.beginnings[first] = max(x.beginnings[first], strings.Count(phrase, " ")+1)
}

// sortOf reads the argument of roleSort.
func sortOf(arg string) facets.Sort {
	slot, falling := strings.CutPrefix(arg, "-")
	return facets.Sort{By: facets.Slot(slot), Descending: falling}
}

// numberOf reads the number that a token is, in digits or as a word.
func numberOf(word string) (float64, bool) {
	value, n := facets.ReadCount(word)
	return value, n > 0 && n == len(word)
}

// Words are the words of what is said beside a question that may raise items: those with something
// to say, at most eight.
func Words(text string) (words []string) {
	for _, word := range strings.Fields(facets.Fold(text)) {
		if utf8.RuneCountInString(word) >= 3 && !ties()[word] && !small()[word] && !empty()[word] && len(words) < 8 {
			words = append(words, word)
		}
	}
	return words
}

// empty are words that say nothing of items.
var empty = everywhere("empty")
