package index

import (
	"fmt"
	"math"
	"testing"

	"frontdesk/internal/content/facets"
)

func venue(name, town string, lat, long float64) string {
	geo := ""
	if lat != 0 {
		geo = fmt.Sprintf(`,"geo":{"latitude":%g,"longitude":%g}`, lat, long)
	}
	return fmt.Sprintf(`{"@type":"Event","name":%q,"location":{"name":"Hall","address":{"addressLocality":%q}%s}}`, name, town, geo)
}

func TestWhatIsNearComesByDistance(t *testing.T) {
	t.Parallel()
	v := stocked(t, venue("concert c", "Troisdorf", 50.816, 7.155), venue("concert a", "Bonn", 50.735, 7.099),
		venue("concert b", "Bonn", 50.737, 7.10), venue("concert d", "Köln", 50.938, 6.96),
		venue("concert e", "Bonn", 0, 0), venue("concert f", "Hamburg", 53.55, 10.0),
		venue("concert g", "Bonn", 40.0, -83.0))
	near := func(kilometres float64) []facets.Constraint {
		return []facets.Constraint{{Slot: facets.Location, Values: []string{"Bonn"}, Around: kilometres}}
	}
	wantFound(t, v, Question{Constraints: near(25)}, "concert a", "concert b", "concert c", "concert d", "concert e")
	wantFound(t, v, Question{Text: "concert", Constraints: near(15)}, "concert a", "concert b", "concert c",
		"concert e")
	wantFound(t, v, Question{Constraints: near(0)}, "concert a", "concert b", "concert e", "concert g")
	// Nobody says where Hamburg is but one, and of a place that is everywhere it cannot be told
	// where it is.
	wantFound(t, v,
		Question{Constraints: []facets.Constraint{{Slot: facets.Location, Values: []string{"Hamburg"}, Around: 5}}},
		"concert f")
	scattered := stocked(t, venue("a", "Springfield", 39.8, -89.6), venue("b", "Springfield", 42.1, -72.6),
		venue("c", "Springfield", 44.0, -123.0), venue("d", "Chicago", 41.9, -87.6))
	got, _ := found(scattered,
		Question{
			Constraints: []facets.Constraint{{Slot: facets.Location, Values: []string{"Springfield"}, Around: 400}},
		})
	if sorted(got) != "a,b,c" {
		t.Errorf("near a place that is everywhere: %q", got)
	}
}

func TestDistancesAreThoseOnEarth(t *testing.T) {
	t.Parallel()
	bonn := point{50.735, 7.099}
	for _, c := range []struct {
		to   point
		want float64
	}{{point{50.938, 6.96}, 24.6}, {point{53.55, 10.0}, 370}, {bonn, 0},
		{point{-50.735, -172.901}, math.Pi * earthRadius}} {
		if got := bonn.to(c.to); math.Abs(got-c.want) > 0.01*c.want+0.1 {
			t.Errorf("to %v: %g km, want %g", c.to, got, c.want)
		}
	}
}
