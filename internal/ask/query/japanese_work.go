package query

import (
	"strings"

	"frontdesk/internal/content/facets"
)

// first is the first of some words that is left.
func (j *japanese) first(words []piece) string {
	for _, w := range words {
		if strings.Contains(j.rest, w.word) {
			return w.word
		}
	}
	return ""
}

// times reads what is over and what is on.
func (j *japanese) times() {
	if !j.wanted("Event", "Course") || !j.known(facets.Start) {
		return
	}
	today := j.today()
	if word := j.first(jaGone); word != "" {
		j.take(word, facets.Constraint{Slot: facets.End, To: today})
		if j.out.Sort.By == "" {
			j.out.Sort = facets.Sort{By: facets.Start, Descending: true, Said: word}
		}
	} else if word := j.first(jaNow); word != "" {
		j.take(word, facets.Constraint{Slot: facets.Start, From: today, To: today.AddDate(0, 0, 1)})
	}
}

// prices reads what costs nothing, and what costs little.
func (j *japanese) prices() {
	if !j.known(facets.Price) {
		return
	}
	if word := j.first(jaFree); word != "" && !strings.Contains(j.rest, "送料"+word) {
		nothing := 0.0
		j.take(word, facets.Constraint{Slot: facets.Price, Max: &nothing})
		return
	}
	if word := j.first(jaCheap); word != "" && !j.wanted("JobPosting", "Article") && !strings.Contains(j.rest, "安くな") {
		j.take(word, facets.Constraint{Slot: facets.Price, Cheap: true, Soft: true})
	}
}

// work reads how and where one works, where jobs are wanted.
func (j *japanese) work() {
	if !j.wanted("JobPosting") {
		return
	}
	for _, w := range jaWork {
		slot := facets.Employment
		if w.argument == facets.Remote {
			slot = facets.Workplace
		}
		if strings.Contains(j.rest, w.word) && j.known(slot) {
			for _, behind := range []string{"以外の", "以外", "ではない", ""} {
				if strings.Contains(j.rest, w.word+behind) {
					j.take(w.word+behind, facets.Constraint{Slot: slot, Values: []string{w.argument}, Not: behind != ""})
					break
				}
			}
		}
	}
}
