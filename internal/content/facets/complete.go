package facets

import (
	"slices"
)

// complete adds what follows from what was said.
func (r *reader) complete() {
	first := func(slot Slot) (float64, bool) { f, ok := r.Figure(slot); return f.Low, ok }
	if _, ok := first(TotalTime); !ok {
		prep, prepared := first(PrepTime)
		cook, cooked := first(CookTime)
		if prepared || cooked {
			r.figure(Figure{Slot: TotalTime, Kind: Figures, Low: prep + cook, High: prep + cook})
		}
	}
	// What takes time is asked for alike, whatever it is called: a course of five hours, a film of
	// ninety minutes.
	for _, pair := range [][2]Slot{{Duration, "timeRequired"}, {TotalTime, Duration}} {
		if f, ok := r.Figure(pair[1]); ok {
			if _, said := first(pair[0]); !said {
				f.Slot = pair[0]
				r.figure(f)
			}
		}
	}
	r.lasting()
	_, begins := first(Start)
	if _, ok := first(Price); !ok && (begins || len(r.Values(Location)) > 0) &&
		slices.Contains(r.Words, Word{"isAccessibleForFree", "true"}) {
		r.figure(Figure{Slot: Price, Kind: Figures})
	}
	if _, ok := first(Published); !ok {
		for _, slot := range []Slot{"datePosted", "uploadDate", "dateCreated"} {
			if f, ok := r.Figure(slot); ok && f.Kind == Times {
				f.Slot = Published
				r.figure(f)
				break
			}
		}
	}
	r.stand(Brand, "manufacturer")
	r.stand(Author, "creator")
	r.stand(Cuisine, "servesCuisine")
}

// lasting lets what is on for days be found on each of them: an exhibition of two months is on in
// the second, too.
func (r *reader) lasting() {
	end, ok := r.Figure("endDate")
	if !ok || end.Kind != Times {
		return
	}
	for i, f := range r.Figures {
		if f.Slot == Start && f.Kind == Times && end.High > f.High && end.High-f.Low < longestRun {
			r.Figures[i].High = end.High
			return
		}
	}
}

// longestRun is the longest time, in seconds, that something is taken to be on all the while.
const longestRun = 400 * 24 * 60 * 60

// stand lets the words of one slot stand for another that has none.
func (r *reader) stand(slot, other Slot) {
	if len(r.Values(slot)) == 0 {
		for _, text := range r.Values(other) {
			r.word(slot, text)
		}
	}
}
