package choice

import "testing"

// The literal search is answered where nothing else explains the question, and gives way where
// something does.
func TestTheReadingThatExplainsMostIsChosen(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		search, other Reading
		wants         Route
	}{
		"a property of the owner": {
			Reading{Route: Search, Fits: 0.4, Explained: 0.3},
			Reading{Route: Owner, Sure: 0.95, Kin: 0.9, Fits: 0.9, Explained: 1, Property: 1}, Owner,
		},
		"a page of the owner that says nothing of what is named": {
			Reading{Route: Search, Fits: 0.8, Explained: 1, Called: 1},
			Reading{Route: Owner, Sure: 0.5, Kin: 0.4, Fits: 0.4, Explained: 0.2}, Search,
		},
		"an item that the question names": {
			Reading{Route: Search, Fits: 0.9, Explained: 1, Called: 1},
			Reading{Route: Owner, Sure: 0.4, Kin: 0.4, Fits: 0.4, Explained: 0.6}, Search,
		},
		"a property of an item": {
			Reading{Route: Search, Fits: 0.8, Explained: 0.9, Called: 0.3},
			Reading{Route: Detail, Fits: 0.9, Explained: 0.9, Called: 0.3, Property: 1}, Detail,
		},
		"a sentence with none of the words": {
			Reading{Route: Search, Fits: 0.9, Explained: 1, Called: 1},
			Reading{Route: Detail, Fits: 0.4, Explained: 0}, Search,
		},
	} {
		readings := []Reading{row.search, row.other}
		if got := readings[Best(t.Context(), readings)].Route; got != row.wants {
			t.Errorf("%s: %s is chosen, not %s", name, got, row.wants)
		}
		trial := Trial{Route: row.other.Route}
		if best := Best(Try(t.Context(), &trial), readings); best != 1 || len(trial.Readings) != 2 {
			t.Errorf("%s: %d is chosen in a trial of the other, of %d", name, best, len(trial.Readings))
		}
	}
	if trial := (Trial{Route: Detail}); Best(Try(t.Context(), &trial),
		[]Reading{{Route: Search}, {Route: Owner, Sure: 1}}) != 0 {
		t.Error("a route that answers nothing is not replaced by the search")
	}
}

func TestEveryWeightIsOfEvidenceThatThereIs(t *testing.T) {
	t.Parallel()
	var read Weights
	for r := range read {
		read[r] = make([]float64, len(Evidence))
	}
	if w := weights(); w.String() == read.String() || len((&Reading{}).Values()) != len(Evidence) {
		t.Errorf("no weights are read:\n%s", w)
	}
}
