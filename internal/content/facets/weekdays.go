package facets

import (
	"slices"
	"strings"

	"frontdesk/internal/infra/language"
)

// weekdays are the names of the days from Monday on, in all languages, folded.
var weekdays = func() map[string]int {
	order := []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}
	days := map[string]int{}
	for list := range language.Each("day") {
		for _, phrase := range list.Phrases {
			if at := slices.Index(order, list.Argument); at >= 0 {
				days[Fold(phrase)] = at
			}
		}
	}
	return days
}()

// Weekday gives the sign under which items have a day of the week that a folded word names.
func Weekday(word string) (sign string, ok bool) {
	at, ok := weekdays[word]
	return "weekday" + string(rune('1'+at)), ok
}

// weekdayName is what a language calls the day of a sign; empty for what is none.
func weekdayName(sign, in string) string {
	for _, table := range language.Tables() {
		for list := range table.Each("day") {
			if at, ok := weekdays[Fold(list.Phrases[0])]; table.Tag == in && ok && sign == "weekday"+string(rune('1'+at)) {
				return list.Phrases[0]
			}
		}
	}
	return ""
}

// shortLink is how many bytes a word has at most that may link the days of a range or the languages of a list.
const shortLink = 3

// daysOf gives the signs of the days of the week that a value names, those of a range one by one: "lundi au jeudi".
func daysOf(value string) (signs []string) {
	last, between := -1, 0
	for _, word := range strings.Fields(Fold(strings.NewReplacer(",", " , ", "–", " - ", "-", " - ", "/", " , ").Replace(value))) {
		at, day := weekdays[word]
		if !day {
			if between++; between > 1 || len(word) > shortLink {
				last = -1
			}
			continue
		}
		first := at
		if last >= 0 && between > 0 && last < at && !strings.Contains(value, ",") {
			first = last + 1
		}
		for ; first <= at; first++ {
			signs = append(signs, "weekday"+string(rune('1'+first)))
		}
		last, between = at, 0
	}
	return signs
}
