package properties_test

import (
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/ask/properties"
	"frontdesk/internal/content/facets"
)

func TestWhatItemsStateUnderTheirOwnNamesIsACondition(t *testing.T) {
	t.Parallel()
	all := []facets.Property{
		{Slot: "nouveauxPatients", Name: "nouveaux patients", Value: "oui"},
		{Slot: "nouveauxPatients", Name: "nouveaux patients", Value: "non"},
		{Slot: "joursDeConsultation", Name: "jours de consultation", Value: "lundi au jeudi"},
		{Slot: "parkplatz", Name: "parkplatz", Value: "ja"}, {Slot: "parkplatz", Name: "parkplatz", Value: "nein"},
		{Slot: "skillLevel", Name: "skill level", Value: "beginner"},
		{Slot: "skillLevel", Name: "skill level", Value: "expert"},
		{Slot: "depositRequired", Name: "deposit required", Value: "yes"},
		{Slot: "depositRequired", Name: "deposit required", Value: "no"},
	}
	for _, row := range []struct{ question, want string }{
		{"médecins qui prennent de nouveaux patients", "nouveauxPatients oui"},
		{"qui consulte le mardi", "joursDeConsultation weekday2"},
		{"hotel mit parkplatz", "parkplatz ja"},
		{"wohnung ohne parkplatz", "not parkplatz ja"},
		{"courses for skill level beginner", "skillLevel beginner"},
		{"rooms without deposit", "not depositRequired yes"},
		// What only has a word of it.
		{"wo ist der parkplatz", ""},
		{"patients tell their stories", ""},
		{"le marché du mardi", ""},
		{"a beginner course", ""},
		{"how do i get my deposit back", ""},
	} {
		q := properties.Question{
			Words: strings.Fields(facets.Fold(row.question)), Free: func(int) bool { return true },
			Plain: func(int) bool { return true },
		}
		var got []string
		for _, f := range properties.Read(q, all) {
			not := ""
			if f.Condition.Not {
				not = "not "
			}
			got = append(got, not+string(f.Condition.Slot)+" "+strings.Join(f.Condition.Values, "+"))
		}
		if !slices.Equal(got, strings.FieldsFunc(row.want, func(r rune) bool { return r == ';' })) {
			t.Errorf("%q: %q, want %q", row.question, got, row.want)
		}
	}
}

func TestWhatItemsStateIsReadWithoutBlanks(t *testing.T) {
	t.Parallel()
	all := []facets.Property{
		{Slot: "香り", Name: "香り", Value: "強い"}, {Slot: "香り", Name: "香り", Value: "なし"},
		{Slot: "置き場所", Name: "置き場所", Value: "日かげでもよい"},
	}
	for _, row := range []struct {
		question, said, value string
		not                   bool
	}{
		{"香りの強くない花束", "香りの強くない", "強い", true},
		{"香りが強い花", "香りが強い", "強い", false},
		{"日かげでも育つ植物", "日かげでも", "日かげでもよい", false},
		{"強い花", "", "", false},
	} {
		found, said := properties.Within(row.question, all)
		if row.said == "" {
			if len(found) > 0 {
				t.Errorf("%q: %+v", row.question, found)
			}
			continue
		}
		if len(found) != 1 || said[0] != row.said || found[0].Condition.Values[0] != row.value ||
			found[0].Condition.Not != row.not {
			t.Errorf("%q: %+v, %q", row.question, found, said)
		}
	}
}
