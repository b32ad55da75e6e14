package query

import (
	"testing"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/ask/wording"
)

func TestDistancesFromPlacesAreRead(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]struct {
		around     float64
		text, said string
	}{
		"concerts within 10 km of Berlin":             {10, "", "place: Berlin (≤ 10 km)"},
		"concerts up to 5 miles from Berlin":          {8.04672, "", "place: Berlin (≤ 8 km)"},
		"Konzerte im Umkreis von 7,5 km um Berlin":    {7.5, "", "place: Berlin (≤ 7.5 km)"},
		"concerts à moins de 3 km de Berlin":          {3, "", "place: Berlin (≤ 3 km)"},
		"conciertos a menos de 3 km de Berlin":        {3, "", "place: Berlin (≤ 3 km)"},
		"concerts near Berlin":                        {25, "", "place: Berlin"},
		"concerts in der Nähe von Berlin":             {25, "", "place: Berlin"},
		"concerts in Berlin":                          {0, "", "place: Berlin"},
		"a 10 km of fibre in Berlin":                  {0, "", ""},
		"concerts within 0 km of Berlin":              {0, "", ""},
		"concerts within 10 km of Atlantis":           {0, "", ""},
		"bike for 10 km of gravel, not within Berlin": {0, "", ""},
	} {
		u := Read(question, asking())
		around := 0.0
		for _, c := range u.Constraints {
			around = max(around, c.Around)
			c.Said = ""
			if want.said != "" && c.Slot == "location" {
				if got := wording.Constraint(i18n.For("en"), &c); got != want.said {
					t.Errorf("%q is said so: %q, want %q", question, got, want.said)
				}
			}
		}
		if around != want.around || want.said != "" && u.Text != want.text {
			t.Errorf("%q: around %g, text %q, want %+v", question, around, u.Text, want)
		}
	}
}
