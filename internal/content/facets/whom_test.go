package facets_test

import (
	"fmt"
	"strings"
	"testing"

	"frontdesk/internal/content/facets"
)

// TestItemsTellForWhomTheyAre holds that ages and numbers of people are read from properties and
// from texts alike.
func TestItemsTellForWhomTheyAre(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		object string
		slot   facets.Slot
		want   string
	}{
		{`{"typicalAgeRange":"7-11"}`, facets.Age, "7-11"},
		{`{"typicalAgeRange":"16-"}`, facets.Age, "16-120"},
		{`{"typicalAgeRange":"ab 6"}`, facets.Age, "6-120"},
		{`{"audience":{"@type":"PeopleAudience","suggestedMinAge":3,"suggestedMaxAge":6}}`, facets.Age, "3-6"},
		{`{"description":"For ages 16 and over."}`, facets.Age, "16-120"},
		{`{"description":"Guaranteed for 16 years and over."}`, facets.Age, ""},
		{`{"additionalProperty":{"@type":"PropertyValue","name":"Children","value":"up to 20"}}`, facets.Yield, "1-20"},
		{`{"additionalProperty":{"@type":"PropertyValue","name":"Kinder","value":"höchstens acht"}}`, facets.Yield, "1-8"},
		{`{"description":"Mittens for ages 3 to 6."}`, facets.Age, "3-6"},
		{`{"description":"Plätzchen backen, für Kinder ab 6 Jahren."}`, facets.Age, "6-120"},
		{`{"description":"Pour les enfants de 8 à 12 ans."}`, facets.Age, "8-12"},
		{`{"description":"Para niños de tres a seis años."}`, facets.Age, "3-6"},
		{`{"description":"Optimist, dai 7 agli 11 anni."}`, facets.Age, ""},
		{`{"description":"Per bambini dai 7 agli 11 anni."}`, facets.Age, "7-11"},
		{`{"description":"Para crianças até 5 anos."}`, facets.Age, "0-5"},
		{`{"description":"5歳以上の子どもが作れます。"}`, facets.Age, "5-120"},
		{`{"description":"Ten years of guarantee, 3 to 5 years of use."}`, facets.Age, ""},
		{`{"description":"Adultes 14 euros, enfants de moins de 12 ans 8 euros."}`, facets.Age, ""},
		{`{"@type":"JobPosting","description":"For children aged 3 to 6."}`, facets.Age, ""},
		{`{"occupancy":{"@type":"QuantitativeValue","maxValue":4}}`, facets.Yield, "1-4"},
		{`{"occupancy":{"@type":"QuantitativeValue","minValue":2,"maxValue":4}}`, facets.Yield, "2-4"},
		{`{"maximumAttendeeCapacity":80}`, facets.Yield, "1-80"},
		{`{"additionalProperty":{"@type":"PropertyValue","name":"Schlafplätze","value":6}}`, facets.Yield, "1-6"},
		{`{"additionalProperty":{"@type":"PropertyValue","name":"players","value":"2 to 5"}}`, facets.Yield, "2-5"},
		{`{"additionalProperty":{"@type":"PropertyValue","name":"Spieler","value":"3-6"}}`, facets.Yield, "3-6"},
		{`{"additionalProperty":{"@type":"PropertyValue","name":"minimum age","value":"8"}}`, facets.Age, "8-120"},
		{`{"additionalProperty":{"@type":"PropertyValue","name":"edad","value":"3 a 6 años"}}`, facets.Age, "3-6"},
		{`{"additionalProperty":{"@type":"PropertyValue","name":"Höchstalter","value":12}}`, facets.Age, "0-12"},
		{`{"additionalProperty":{"@type":"PropertyValue","name":"weight","value":"3-6 kg"}}`, "weight", "3000-6000"},
		{`{"additionalProperty":{"@type":"PropertyValue","name":"part","value":"3-6-9"}}`, "part", ""},
		{`{"description":"Junto ao ribeiro, para quatro pessoas."}`, facets.Yield, "1-4"},
		{`{"description":"Box für 2 bis 4 Personen."}`, facets.Yield, "2-4"},
		{`{"recipeYield":"6 servings","description":"For 4 people as a main."}`, facets.Yield, "6-6"},
	} {
		var got []string
		for _, f := range facets.Describe([]byte(row.object), "").Figures {
			if f.Slot == row.slot {
				got = append(got, fmt.Sprintf("%g-%g", f.Low, f.High))
			}
		}
		if strings.Join(got, " ") != row.want {
			t.Errorf("%s of %s is %q, want %q", row.slot, row.object, got, row.want)
		}
	}
}

// TestTimesOfDayAreRead holds what stands at the beginning of a text.
func TestTimesOfDayAreRead(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		text      string
		minute, n int
		marked    bool
	}{
		{"9", 540, 1, false}, {"09:30 Uhr", 570, 5, true}, {"18h30", 1110, 5, true}, {"5 pm.", 1020, 4, true},
		{"12 a.m.", 0, 7, true}, {"24:00", 1440, 5, true}, {"25", 0, 0, false}, {"13 pm", 0, 0, false},
		{"100", 0, 0, false}, {"24:30", 0, 0, false}, {"7 amber", 420, 1, false},
	} {
		if minute, marked, n := facets.ReadClock(row.text); minute != row.minute || marked != row.marked || n != row.n {
			t.Errorf("%q is %d, %v, %d; want %d, %v, %d", row.text, minute, marked, n, row.minute, row.marked, row.n)
		}
	}
}

// TestItemsTellOnWhichDaysTheyAre holds that days of the week are read from times, schedules and
// texts.
func TestItemsTellOnWhichDaysTheyAre(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ object, want string }{
		{`{"@type":"Event","startDate":"2027-06-05T11:00:00+02:00","description":"Book until the Friday before."}`, "[weekday6]"},
		{`{"@type":"Event","startDate":"2027-06-05","endDate":"2027-06-06"}`, "[weekday6 weekday7]"},
		{`{"@type":"ExhibitionEvent","startDate":"2027-06-05","endDate":"2027-09-06"}`, "[]"},
		{`{"@type":"Event","eventSchedule":{"@type":"Schedule","byDay":"https://schema.org/Thursday"}}`, "[weekday4]"},
		{`{"@type":"Course","description":"Martes y jueves de 18:00 a 20:00."}`, "[weekday2 weekday4]"},
		{`{"@type":"Course","description":"Tous les samedis à 10 h."}`, "[weekday6]"},
		{`{"@type":"JobPosting","description":"Am Wochenende, auch für Schüler."}`, "[weekday6 weekday7]"},
		{`{"@type":"Service","description":"Every day except Sunday."}`, "[weekday1 weekday2 weekday3 weekday4 weekday5 weekday6]"},
		{`{"@type":"Event","description":"毎週土曜日に開きます。"}`, "[weekday6]"},
		{`{"@type":"Article","description":"We met on a Monday."}`, "[]"},
		{`{"@type":"Restaurant","address":"Quay 1","description":"Closed on Mondays."}`, "[]"},
	} {
		f := facets.Describe([]byte(row.object), "")
		if got := fmt.Sprint(f.Values(facets.Days)); got != row.want {
			t.Errorf("%s: got %s, want %s", row.object, got, row.want)
		}
	}
}
