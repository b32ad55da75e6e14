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
		{facets.Constraint{Slot: facets.Color, Not: true, Values: []string{"blue"}}, "Blue-Moon", "Ocean Plain"},
	} {
		got := v.verdictOn(&test.condition)
		if meet, unknown := pathsIn(got.meet), pathsIn(got.unknown); meet != test.meet || unknown != test.unknown {
			t.Errorf("%v: met by %q, unknown of %q; want %q and %q", test.condition.Values, meet, unknown, test.meet,
				test.unknown)
		}
	}
}

// pathsIn gives the paths of some items, in order.
func pathsIn(within *search.Selection) string {
	var paths []string
	for _, ref := range within.All() {
		paths = append(paths, strings.TrimPrefix(ref.(*Doc).URL, "https://site.example/"))
	}
	slices.Sort(paths)
	return strings.Join(paths, " ")
}
