package understand

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/facet"
	"frontdesk/internal/phrase"
)

func testAsking() Asking {
	known := func(slots ...facet.Slot) (all []Known) {
		for _, s := range slots {
			all = append(all, Known{Slot: s, Kind: facet.Figures, Count: 5})
		}
		return all
	}
	slots := known(facet.Price, facet.Rating, facet.Ratings, facet.TotalTime, facet.PrepTime, facet.CookTime, facet.Duration, facet.Yield, facet.Calories, facet.Protein, facet.Fat, facet.Carbohydrate, facet.Sugar, facet.Fiber, facet.Sodium, facet.Published, facet.Start, facet.Location, facet.Brand, facet.Color, facet.Author, facet.Material, facet.Diet, facet.Ingredient, facet.Availability, "weight", facet.Language)
	slots[0].Unit = "USD"
	return Asking{
		Now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC),
		IsA: func(t, a string) bool {
			return t == a || a == "Event" && strings.HasSuffix(t, "Event") || a == "Article" && t == "NewsArticle"
		},
		Lexicon: NewLexicon(Taught{Items: 100, Types: map[string]int{"Recipe": 40, "Product": 40, "Event": 4, "MusicEvent": 2, "Article": 10, "NewsArticle": 3},
			Slots: slots, Values: map[facet.Slot][]Value{
				facet.Brand: {{"Merrow Ironworks", 4}, {"Nike", 3}}, facet.Color: {{"black", 4}, {"sea blue", 2}}, facet.Author: {{"Priya Thackeray", 5}},
				facet.Location: {{"Berlin", 2}, {"Net Loft", 3}}, facet.Material: {{"oak", 2}, {"cast iron", 4}}, facet.Ingredient: {{"ginger", 4}, {"honey", 3}},
			}}),
	}
}

func TestTry(t *testing.T) {
	b, err := os.ReadFile("/tmp/rules-q.txt")
	if err != nil {
		t.Skip()
	}
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		u := Read(line, testAsking())
		fmt.Printf("%-60s => %q | %s | n=%d %s %v %s\n", line, u.Text, u.Say(phrase.For("en")), u.Count, u.Intent, u.Subjects, u.Detail)
	}
}
