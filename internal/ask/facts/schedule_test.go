package facts

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestReadsOpeningHoursText(t *testing.T) {
	t.Parallel()
	day := func(spans ...int) (s []span) {
		for i := 0; i+1 < len(spans); i += 2 {
			s = append(s, span{spans[i] * 60, spans[i+1] * 60})
		}
		return s
	}
	for _, c := range []struct {
		written string
		want    []rule
		whole   bool
	}{
		{"Mo-Fr 09:00-18:00", []rule{{days: 0b0011111, spans: day(9, 18)}}, true},
		{"Mo,We 10:00-12:00,14:00-16:00", []rule{{days: 0b0000101, spans: day(10, 12, 14, 16)}}, true},
		{"Mo-Th 9-17, Fr 9-12; Sa,Su closed", []rule{
			{days: 0b0001111, spans: day(9, 17)}, {days: 0b0010000, spans: day(9, 12)}, {days: 0b1100000},
		}, true},
		{"Sa-Mo 18:00-02:00", []rule{{days: 0b1100001, spans: day(18, 26)}}, true},
		{"Monday – Friday: 9am – 5 p.m.", []rule{{days: 0b0011111, spans: day(9, 17)}}, true},
		{"Montag-Mittwoch 8.00-12.00", []rule{{days: 0b0000111, spans: day(8, 12)}}, true},
		{"PH 10:00-12:00", []rule{{days: 1 << holidays, spans: day(10, 12)}}, true},
		{"24/7", []rule{{days: everyDay, spans: day(0, 24)}}, true},
		{"Mo-Su 00:00-24:00", []rule{{days: everyDay, spans: day(0, 24)}}, true},
		{"Tu 18:00-23:59", []rule{{days: 0b0000010, spans: day(18, 24)}}, true},
		{"08:00-12:00", []rule{{days: everyDay, spans: day(8, 12)}}, true},
		{"Mo 00:00-00:00", []rule{{days: 1}}, true},
		{"", nil, true},
		{"Mo-Fr 9:00-17:00; Sa by appointment", []rule{{days: 0b0011111, spans: day(9, 17)}}, false},
		{"Mo", nil, false},
		{"Mo 9:00", nil, false},
		{"Mo 9:00-25:00", nil, false},
		{"Mo 9:75-10:00", nil, false},
		{"Mo 9:00-9:00", nil, false},
		{"PH-Mo 9:00-10:00", nil, false},
		{"weekdays 9-5", nil, false},
		{strings.Repeat("Mo 9-10;", 1000), nil, false},
	} {
		got, whole := readOpeningHours(c.written)
		if whole != c.whole || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%.40q: %+v, %v; want %+v, %v", c.written, got, whole, c.want, c.whole)
		}
	}
}

// A special day wins over a season, a season over the rest, each for the days that it names.
func TestTheClosestRuleWins(t *testing.T) {
	t.Parallel()
	object := Read([]byte(`{"openingHoursSpecification":[
		{"dayOfWeek":["Monday","Tuesday","Saturday"],"opens":"09:00","closes":"17:00"},
		{"dayOfWeek":["Monday","Tuesday"],"opens":"08:00","closes":"12:00",
			"validFrom":"2026-07-01","validThrough":"2026-08-31"},
		{"opens":"10:00","closes":"11:00","validFrom":"2026-07-06T00:00:00","validThrough":"2026-07-07T00:00:00"},
		{"dayOfWeek":"PublicHolidays","opens":"13:00","closes":"14:00"}],
		"specialOpeningHoursSpecification":[{"validFrom":"2026-07-14","validThrough":"2026-07-14"}]}`))
	for _, c := range []struct {
		day     string
		holiday bool
		want    string
	}{
		{"2026-06-29", false, "[{540 1020}] true"}, // a Monday
		{"2026-06-28", false, "[] true"},
		{"2026-06-28", true, "[{780 840}] true"},
		{"2026-07-04", false, "[{540 1020}] true"}, // a Saturday in the season
		{"2026-07-06", false, "[{600 660}] true"},
		{"2026-07-07", false, "[{480 720}] true"},
		{"2026-07-14", false, "[] true"},
		{"2026-07-14", true, "[] true"},
	} {
		q := teller{language: languageFor("en"), intent: intents()["hours"], thing: object.things[0]}
		s, ok := q.schedule()
		date, _ := readDate(c.day)
		spans, stated := s.on(date)
		if c.holiday {
			spans, stated = s.onHoliday(date)
		}
		if got := fmt.Sprint(spans, " ", stated); !ok || got != c.want {
			t.Errorf("%s, holiday %v: %s, want %s", c.day, c.holiday, got, c.want)
		}
	}
}

// drawHours draws an object with hours of all sorts.
func drawHours(t *rapid.T) []byte {
	names := []string{
		"Monday", "Tue", "https://schema.org/Wednesday", "Th", "Freitag", "samedi", "Sunday", "PublicHolidays",
	}
	clock := func(label string) string {
		minute := rapid.SampledFrom([]int{0, 15, 30, 59}).Draw(t, label)
		return fmt.Sprintf("%02d:%02d", rapid.IntRange(0, 23).Draw(t, label), minute)
	}
	specification := func(special bool) map[string]any {
		s := map[string]any{"opens": clock("opens"), "closes": clock("closes")}
		if days := rapid.SliceOfN(rapid.SampledFrom(names), 0, 4).Draw(t, "days"); len(days) > 0 {
			s["dayOfWeek"] = days
		}
		if special || rapid.IntRange(0, 3).Draw(t, "season") == 0 {
			from := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(0, 14).Draw(t, "from"))
			s["validFrom"] = from.Format(time.DateOnly)
			s["validThrough"] = from.AddDate(0, 0,
				rapid.SampledFrom([]int{0, 0, 1, 7}).Draw(t, "through")).Format(time.DateOnly)
		}
		return s
	}
	object := map[string]any{"name": "Here"}
	var usual, special []any
	for range rapid.IntRange(0, 4).Draw(t, "usual") {
		usual = append(usual, specification(false))
	}
	for range rapid.IntRange(0, 2).Draw(t, "special") {
		special = append(special, specification(true))
	}
	object["openingHoursSpecification"], object[specials] = usual, special
	if len(usual) == 0 {
		text := rapid.StringMatching(`(Mo|Tu|We)(-(Fr|Su))? [01][0-9]:[03]0-[012][0-3]:[03]0`)
		object["openingHours"] = rapid.SliceOfN(text, 1, 3).Draw(t, "text")
	}
	written, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return written
}

// Hours never say that a place is open and closed at one moment: what is said of a moment, of the
// days around it, of until when and of when next all agree.
func TestHoursNeverContradictThemselves(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		object := Read(drawHours(t))
		q := teller{language: languageFor("en"), intent: intents()["open"], thing: object.things[0]}
		s, ok := q.schedule()
		if !ok {
			return
		}
		after := time.Duration(rapid.IntRange(0, 20*dayMinutes).Draw(t, "after"))
		at := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC).Add(after * time.Minute)
		date, minute := dateOf(at), minuteOf(at)
		today, known := s.on(date)
		yesterday, _ := s.on(date.AddDate(0, 0, -1))
		inside := within(today, minute) || within(yesterday, minute+dayMinutes)
		now, open, stated := s.during(date, minute)
		if open != inside || open && !stated || !open && stated != known {
			t.Fatalf("at %s: open %v, stated %v; today %v, yesterday %v", at, open, stated, today, yesterday)
		}
		for i := 1; i < len(today); i++ {
			if today[i].from <= today[i-1].to {
				t.Fatalf("%v are not apart", today)
			}
		}
		answer, answered := Question{Intent: "open", Now: at}.Answer(object)
		if answered != stated || answered && (answer.Verdict == Yes) != open {
			t.Fatalf("at %s: %q of a place that is open: %v, stated: %v", at, answer.Text, open, stated)
		}
		holdsUntil(t, s, at, now, open)
	})
}

// holdsUntil holds that a place stays open to the moment that is told, and closed to the one at
// which it opens next.
func holdsUntil(t *rapid.T, s *schedule, at time.Time, now opening, open bool) {
	ends := at.Add(7 * 24 * time.Hour)
	if open {
		if date, minute, closes := s.until(now); closes {
			ends = date.Add(time.Duration(minute) * time.Minute)
			if _, after, _ := s.during(date, minute); after {
				t.Fatalf("open at %s, when it is said to close", ends)
			}
		}
	} else {
		next, ok := s.next(dateOf(at), minuteOf(at))
		if !ok {
			return
		}
		ends = next.date.Add(time.Duration(next.from) * time.Minute)
	}
	for moment := at; moment.Before(ends); moment = moment.Add(7 * time.Minute) {
		if _, still, _ := s.during(dateOf(moment), minuteOf(moment)); still != open {
			t.Fatalf("from %s to %s said to be open: %v, but at %s it is not so", at, ends, open, moment)
		}
	}
}

func within(spans []span, minute int) bool {
	for _, hours := range spans {
		if hours.from <= minute && minute < hours.to {
			return true
		}
	}
	return false
}
