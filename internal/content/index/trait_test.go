package index

import (
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/search"
)

func TestConditionsAreMetByConcepts(t *testing.T) {
	t.Parallel()
	v := stocked(t,
		`{"@type":"Product","name":"Sailor","color":"navy"}`, `{"@type":"Product","name":"Summer","color":"Hellblau"}`,
		`{"@type":"Product","name":"Lyon","color":"bleu"}`, `{"@type":"Product","name":"Blue Moon","color":"rosso"}`,
		`{"@type":"Product","name":"Ocean","description":"In a deep blue."}`, `{"@type":"Product","name":"Plain"}`,
		`{"@type":"Product","name":"Stripes","color":"white, blue"}`,
	)
	for _, test := range []struct {
		condition     facets.Constraint
		meet, unknown string
	}{
		{facets.Constraint{Slot: facets.Color, Values: []string{"blue"}}, "Lyon Ocean Sailor Stripes Summer", "Plain"},
		{facets.Constraint{Slot: facets.Color, Values: []string{"azul"}}, "Lyon Ocean Sailor Stripes Summer", "Plain"},
		{facets.Constraint{Slot: facets.Color, Values: []string{"navy"}}, "Sailor", "Lyon Ocean Plain Stripes"},
		{facets.Constraint{Slot: facets.Color, Values: []string{"orange"}}, "", "Ocean Plain"},
		{facets.Constraint{Slot: facets.Color, Not: true, Values: []string{"blue"}}, "Blue Moon", "Ocean Plain"},
	} {
		got := v.verdictOn(&test.condition)
		namesIn := func(within *search.Selection) string {
			var names []string
			for _, ref := range within.All() {
				names = append(names, strings.ReplaceAll(strings.TrimPrefix(ref.(*Doc).URL, "https://site.example/"), "-", " "))
			}
			slices.Sort(names)
			return strings.Join(names, " ")
		}
		if meet, unknown := namesIn(got.meet), namesIn(got.unknown); meet != test.meet || unknown != test.unknown {
			t.Errorf("%v: met by %q, unknown of %q; want %q and %q", test.condition.Values, meet, unknown, test.meet, test.unknown)
		}
	}
}
