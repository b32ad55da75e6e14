package index

import (
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/content/facets"
)

// namesFound gives the names of what a question finds, as their addresses have them.
func namesFound(v *View, q Question) (names []string) {
	q.Limit, q.MinScore, q.Within = 10, 1, v.everything
	for _, hit := range v.Find(q).Hits {
		names = append(names, strings.TrimPrefix(hit.URL, "https://site.example/"))
	}
	return names
}

// TestWhatStatesAnAgeIsMeantWithoutTheWord holds that beside what has the question's words come the
// things of its type that state what is asked for, but where the words name a kind.
func TestWhatStatesAnAgeIsMeantWithoutTheWord(t *testing.T) {
	t.Parallel()
	v := stocked(t,
		`{"@type":"Product","name":"Snails","description":"A first game.","typicalAgeRange":"3-6"}`,
		`{"@type":"Product","name":"Farmyard","description":"Huge pieces.","typicalAgeRange":"2-5"}`,
		`{"@type":"Product","name":"Galleons","description":"Piracy.","typicalAgeRange":"14-"}`,
		`{"@type":"Event","name":"Toddlers","description":"Songs.","typicalAgeRange":"2-5"}`,
		`{"@type":"Product","name":"Stacking puzzle","description":"Rings.","typicalAgeRange":"2-5"}`,
	)
	four := 4.0
	age := []facets.Constraint{{Slot: facets.Age, Min: &four, Max: &four, Source: facets.FromText}}
	if got := namesFound(v, Question{Text: "game", Constraints: age}); len(got) != 3 ||
		!slices.Contains(got, "Snails") || !slices.Contains(got, "Farmyard") ||
		slices.Contains(got, "Galleons") {
		t.Errorf("%q are games for four years", got)
	}
	if got := namesFound(v, Question{Text: "puzzle", Constraints: age}); !slices.Equal(got,
		[]string{"Stacking-puzzle"}) {
		t.Errorf("%q are puzzles for four years", got)
	}
}

// TestAPageIsNothingToEat holds that what is not to be in food is asked of things.
func TestAPageIsNothingToEat(t *testing.T) {
	t.Parallel()
	page := `{"@type":"WebPage","name":"Lunch hours","description":"Lunch is from twelve on."}`
	without := []facets.Constraint{{Slot: facets.Ingredient, Not: true, Values: []string{"nuts"},
		Source: facets.FromText}}
	v := stocked(t, page, `{"@type":"Product","name":"Soup","description":"Our lunch. Without nuts."}`)
	if got := namesFound(v, Question{Text: "lunch", Constraints: without}); !slices.Equal(got, []string{"Soup"}) {
		t.Errorf("%q are a lunch without nuts", got)
	}
	if got := namesFound(v, Question{Text: "lunch"}); len(got) != 2 {
		t.Errorf("%q are on lunch", got)
	}
}

// TestWhoOwnsTheSiteIsNoneOfWhatItHas holds that the organisation at a site's root, which tells of
// all that it has, comes behind what is asked for.
func TestWhoOwnsTheSiteIsNoneOfWhatItHas(t *testing.T) {
	t.Parallel()
	shop := "The Boathouse, with kayak tours, kayak hire and kayak lessons for beginners."
	v := stocked(t,
		`{"@type":"LocalBusiness","url":"https://site.example/","name":"Kayak tours Boathouse",
			"description":"`+shop+`"}`,
		`{"@type":"Product","name":"Weekend kayak tour","description":"Calm water, for beginners."}`,
		`{"@type":"Product","name":"Tent","description":"For two."}`,
	)
	got := namesFound(v, Question{Text: "kayak tours for beginners"})
	if len(got) == 0 || got[0] != "Weekend-kayak-tour" {
		t.Errorf("%q", got)
	}
	for _, test := range []struct {
		typ, url string
		owns     bool
	}{
		{"LocalBusiness", "https://site.example/", true}, {"Organization", "https://site.example", true},
		{"LocalBusiness", "https://site.example/shop", false}, {"LocalBusiness", "https://site.example/?id=1", false},
		{"Product", "https://site.example/", false}, {"Organization", ":", false},
	} {
		if got := ownerOf(&Doc{URL: test.url, Types: []string{test.typ}}); got != test.owns {
			t.Errorf("%+v: %v", test, got)
		}
	}
}
