package index

import (
	"testing"
	"time"

	"frontdesk/internal/content/facets"
)

// TestWhatIsOnEveryWeekIsOnOnADay holds that classes of every week are found by the date of a day,
// by what their schedules or their texts tell, and that what runs for long is on on its days alone.
func TestWhatIsOnEveryWeekIsOnOnADay(t *testing.T) {
	t.Parallel()
	v := stocked(t,
		`{"@type":"Event","name":"Spin","eventSchedule":{"@type":"Schedule","byDay":"Thursday","startTime":"18:15"}}`,
		`{"@type":"Course","name":"Encuadernar","hasCourseInstance":{"courseSchedule":"jueves 10:00 a 12:00"}}`,
		`{"@type":"Event","name":"Chor","description":"Immer donnerstags 19.30 Uhr."}`,
		`{"@type":"Course","name":"Ballett","description":"Dienstags um 19 Uhr, 12 Termine."}`,
		`{"@type":"Course","name":"Poterie","description":"Le mardi, 3 heures de tour."}`,
		`{"@type":"Event","name":"Yoga","description":"Wednesdays at 19:30."}`,
		`{"@type":"Event","name":"Fair","startDate":"2026-12-03T10:00","description":"Not the usual Friday."}`,
		`{"@type":"ExhibitionEvent","name":"Boats","startDate":"2026-11-01","endDate":"2027-02-01","description":"Thursday to Sunday."}`,
		`{"@type":"ExhibitionEvent","name":"Kites","startDate":"2026-11-01","endDate":"2027-02-01","description":"Saturday and Sunday."}`,
		`{"@type":"ExhibitionEvent","name":"Maps","startDate":"2026-11-01","endDate":"2027-02-01"}`,
		`{"@type":"Product","name":"Thursday mug","description":"For every Thursday."}`,
		`{"@type":"Event","name":"Talk"}`,
	)
	thursday := time.Date(2026, 12, 3, 0, 0, 0, 0, time.UTC)
	early, late, noon := 0.0, 24*60.0, 12*60.0
	for _, row := range []struct {
		condition     facets.Constraint
		meet, unknown string
	}{
		{facets.Constraint{Slot: facets.Start, From: thursday, To: thursday.AddDate(0, 0, 1)},
			"Boats Chor Encuadernar Fair Maps Spin", "Talk Thursday-mug"},
		{facets.Constraint{Slot: facets.Start, From: thursday.AddDate(0, 0, 2), To: thursday.AddDate(0, 0, 4)},
			"Boats Kites Maps", "Talk Thursday-mug"},
		{facets.Constraint{Slot: facets.Start, From: thursday.AddDate(0, 0, 1), To: thursday.AddDate(0, 0, 15)},
			"Boats Kites Maps", "Ballett Chor Encuadernar Poterie Spin Talk Thursday-mug Yoga"},
		{facets.Constraint{Slot: facets.Start, Not: true, From: thursday, To: thursday.AddDate(0, 0, 1)},
			"Ballett Kites Poterie Yoga", "Talk Thursday-mug"},
		{facets.Constraint{Slot: facets.StartTime, Min: &early, Max: &noon}, "Encuadernar Fair",
			"Boats Kites Maps Poterie Talk Thursday-mug"},
		{facets.Constraint{Slot: facets.StartTime, Min: &noon, Max: &late}, "Ballett Chor Spin Yoga",
			"Boats Kites Maps Poterie Talk Thursday-mug"},
	} {
		got := v.verdictOn(&row.condition)
		if meet, unknown := pathsIn(got.meet), pathsIn(got.unknown); meet != row.meet || unknown != row.unknown {
			t.Errorf("%+v: met by %q, unknown of %q; want %q and %q", row.condition, meet, unknown, row.meet,
				row.unknown)
		}
	}
}

// TestACourseIsALesson holds that a word for a type makes what is of the type a thing of that name.
func TestACourseIsALesson(t *testing.T) {
	t.Parallel()
	v := stocked(t,
		`{"@type":"Event","name":"Half-term swimming class"}`, `{"@type":"Course","name":"Learn to swim"}`,
		`{"@type":"Course","name":"Pottery"}`, `{"@type":"WebPage","name":"Swimming pool"}`,
	)
	if got, want := pathsIn(v.aboutKind("swimming lessons")), "Half-term-swimming-class Learn-to-swim"; got != want {
		t.Errorf("swimming lessons are %q, want %q", got, want)
	}
}
