package query

import (
	"slices"
	"strconv"
	"strings"

	"frontdesk/internal/content/facets"
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
	roleColor         // a colour; arg is its English name
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
	roleKind          // what items of a type, arg, are about: says the type where it is not wanted
)

// The languages, as bits.
const (
	en = 1 << iota
	de
	fr
	es
	pt
	every = en | de | fr | es | pt
)

// tongues are the languages by their tags. Japanese is not written in words and has rules of its own.
var tongues = []string{"en", "de", "fr", "es", "pt"}

// sense is what a phrase means in some languages.
type sense struct {
	role    role
	tongues uint8
	arg     string
}

// vocabulary holds phrases by their folded form, and the words with which any phrase begins.
var vocabulary, beginnings, functionWords = compile()

// roleNames are the roles as the lists below call them.
var roleNames = map[string]role{
	"under": roleUnder, "atmost": roleAtMost, "over": roleOver, "atleast": roleAtLeast, "about": roleAbout, "between": roleBetween,
	"orless": roleOrLess, "ormore": roleOrMore, "without": roleWithout, "not": roleNot, "diet": roleDiet, "free": roleFree, "slot": roleSlot,
	"sort": roleSort, "high": roleHigh, "low": roleLow, "quick": roleQuick, "cheap": roleCheap, "praised": rolePraised, "gratis": roleGratis,
	"day": roleDay, "since": roleSince, "after": roleAfter, "before": roleBefore, "until": roleUntil, "past": rolePast, "next": roleNext,
	"this": roleThis, "in": roleIn, "near": roleNear, "by": roleBy, "made": roleMade, "for": roleFor, "serves": roleServes, "type": roleType,
	"thing": roleThing, "color": roleColor, "top": roleTop, "stock": roleStock, "out": roleOut, "unmade": roleUnmade, "upcoming": roleUpcoming, "tongue": roleTongue,
	"stars": roleStars, "reviews": roleReviews, "people": rolePeople, "and": roleAnd, "or": roleOr, "courtesy": roleCourtesy,
	"glue": roleGlue, "allergic": roleAllergic, "gone": roleGone, "now": roleNow, "kind": roleKind, "rather": roleRather,
}

// compile reads the lists: a line for each meaning, "role argument: phrase, phrase".
func compile() (phrases map[string][]sense, starts map[string]int, function [5]map[string]bool) {
	phrases, starts = map[string][]sense{}, map[string]int{}
	for i, list := range []string{english, german, french, spanish, portuguese} {
		for line := range strings.Lines(list) {
			head, words, ok := strings.Cut(strings.TrimSpace(line), ":")
			if !ok {
				continue
			}
			if head == "function" {
				function[i] = map[string]bool{}
				for word := range strings.FieldsSeq(words) {
					function[i][facets.Fold(word)] = true
				}
				continue
			}
			name, arg, _ := strings.Cut(head, " ")
			role, known := roleNames[name]
			if !known {
				panic("understand: no role " + name)
			}
			for phrase := range strings.SplitSeq(words, ",") {
				if phrase = foldPhrase(phrase); phrase != "" {
					learn(phrases, starts, phrase, sense{role, 1 << i, arg})
				}
			}
		}
	}
	return phrases, starts, function
}

// foldPhrase folds a phrase of the lists, which may be a sign.
func foldPhrase(phrase string) string {
	phrase = strings.TrimSpace(phrase)
	if strings.ContainsAny(phrase, signs) {
		return phrase
	}
	return facets.Fold(phrase)
}

func learn(phrases map[string][]sense, starts map[string]int, phrase string, s sense) {
	same := slices.IndexFunc(phrases[phrase], func(other sense) bool { return other.role == s.role && other.arg == s.arg })
	if same >= 0 {
		phrases[phrase][same].tongues |= s.tongues
	} else {
		phrases[phrase] = append(phrases[phrase], s)
	}
	first, _, _ := strings.Cut(phrase, " ")
	starts[first] = max(starts[first], strings.Count(phrase, " ")+1)
}

// sortOf reads the argument of roleSort.
func sortOf(arg string) facets.Sort {
	slot, falling := strings.CutPrefix(arg, "-")
	return facets.Sort{By: facets.Slot(slot), Descending: falling}
}

// numberOf reads the number that a token is, in digits or as a word.
func numberOf(word string) (float64, bool) {
	if f, ok := facets.NumberWord(word); ok {
		return f, true
	}
	f, err := strconv.ParseFloat(word, 64)
	return f, err == nil
}
