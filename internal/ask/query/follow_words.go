package query

import (
	"slices"
	"strings"
	"sync"

	"frontdesk/internal/content/facets"
	"frontdesk/internal/infra/language"
)

// Words by which questions go on with others, folded.
var (
	// swapLeads begin questions that put something in the place of something else, and swapWords
	// say so anywhere.
	swapLeads, swapWords = texts("turn.swaplead"), texts("turn.swap")
	// followLeads begin questions that go on with what was said.
	followLeads = sync.OnceValue(func() []string { return append(texts("turn.lead")(), swapLeads()...) })
	// prepositions begin words that can stand behind any question.
	prepositions = texts("turn.preposition")
	// replacing are those behind which one thing stands at a time: "on", "in".
	replacing = textSet("turn.replacing")
	// accented are prepositions that are another word without their accent, as they are written.
	accented = written("turn.accented")
	// standIns stand for what was spoken of before, lastStandIns where they end a question,
	// particles within a word.
	standIns, lastStandIns, particles = textSet("turn.these"), textSet("turn.this"), texts("turn.particle")
	// ties are words that tie a question to others and say nothing themselves.
	ties = textSet("turn.tie")
	// endings end such a question where words have no blanks between, the longest first.
	endings = sync.OnceValue(func() []string {
		return slices.SortedFunc(slices.Values(texts("turn.ending")()), func(a, b string) int {
			return len(b) - len(a)
		})
	})
	// details are words that ask to hear more of items that are pointed at.
	details = textSet("turn.details")
	// asides are words within a follow-up that say nothing themselves, wherever they stand.
	asides = textSet("turn.aside")
	// fillers are the words with which people are polite around a short wish.
	fillers = textSet("turn.filler")
	// furthers are whole questions that want further items; fillers are taken out of them before.
	furthers = textSet("turn.further")
	// resets begin questions that leave everything behind.
	resets = texts("turn.reset")
	// than makes a limit of a comparing word: "cheaper than $50". behindThan are those of them that
	// figures stand behind.
	than, behindThan = texts("turn.than"), texts("turn.behind")
)

// small are the single words among the prepositions: no question is about them.
var small = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for _, phrase := range prepositions() {
		if !strings.Contains(phrase, " ") {
			m[phrase] = true
		}
	}
	return m
})

// Reset takes the words off the beginning of a question that say it begins anew: "start over, show
// me lamps". A question that is nothing else stays as it is.
func Reset(text string) string {
	words := strings.Fields(text)
	for n := min(4, len(words)-1); n > 0; n-- {
		if slices.Contains(resets(), facets.Fold(strings.Join(words[:n], " "))) {
			if len(letGo(" "+facets.Fold(text)+" ")) > 0 {
				return text // "forget the price" begins nothing anew
			}
			return strings.Join(words[n:], " ")
		}
	}
	return text
}

// comparisons are words that compare with what was shown, and the order that they wish for.
var comparisons = sync.OnceValue(func() (all []compare) {
	for list := range language.Each("turn.compare") {
		for _, phrase := range list.Phrases {
			all = append(all, compare{" " + facets.Fold(phrase) + " ", sortOf(list.Argument)})
		}
	}
	return all
})

type compare struct {
	words string // folded, with a blank at both ends
	order facets.Sort
}

// releases are ways to say that something may no longer matter, for each slot.
var releases = sync.OnceValue(func() map[facets.Slot][]string {
	var frames []string
	for list := range language.Each("turn.release") {
		frames = append(frames, list.Phrases...)
	}
	all := map[facets.Slot][]string{}
	for list := range language.Each("turn.about") {
		for _, name := range list.Phrases {
			for _, frame := range frames {
				before, after, _ := strings.Cut(frame, "%")
				text := strings.Join(strings.Fields(facets.Fold(before)+" "+facets.Fold(name)+" "+facets.Fold(after)),
					" ")
				all[facets.Slot(list.Argument)] = append(all[facets.Slot(list.Argument)], " "+text+" ")
			}
		}
	}
	return all
})
