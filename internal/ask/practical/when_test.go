package practical

import (
	"strings"
	"testing"
	"time"

	"frontdesk/internal/ask/facts"
)

func TestDaysAndTimesThatAreAskedFor(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC) // a Tuesday
	on := func(month time.Month, day int) facts.When {
		return facts.On(time.Date(2027, month, day, 0, 0, 0, 0, time.UTC))
	}
	holiday := func(month time.Month, day int) facts.When {
		return facts.OnHoliday(time.Date(2027, month, day, 0, 0, 0, 0, time.UTC))
	}
	thursday := facts.Every(time.Thursday)
	for _, row := range []struct {
		language, text, intent string
		day                    facts.When // the first
	}{
		{"en", "When are you open?", "hours", facts.When{}},
		{"en", "are you open on thursday", "open", thursday},
		{"en", "are you open on Thursday afternoon?", "open", thursday.During(12*60, 18*60)},
		{"en", "are you open at 7pm on thursday", "open", thursday.During(19*60, 19*60+1)},
		{"en", "are you open at 7 tonight", "open", on(5, 4).During(19*60, 19*60+1)},
		{"en", "are you closed on thursday", "hours", thursday},
		{"en", "open on christmas eve", "open", holiday(12, 24)},
		{"en", "are you open on 25 december", "open", holiday(12, 25)},
		{"en", "are you open on public holidays", "hours", facts.Holidays()},
		{"de", "habt ihr donnerstags um 18 Uhr offen", "open", thursday.During(18*60, 18*60+1)},
		{"de", "wann habt ihr am Tag der Deutschen Einheit offen", "hours", holiday(10, 3)},
		{"fr", "vous êtes ouverts le 14 juillet ?", "open", holiday(7, 14)},
		{"fr", "jusqu'à quelle heure jeudi soir", "hours", thursday.During(18*60, 22*60)},
		{"es", "abrís el jueves por la mañana", "open", thursday.During(6*60, 12*60)},
		{"es", "está abierto mañana", "open", on(5, 5)},
		{"pt", "estão abertos na quinta às 15h", "open", thursday.During(15*60, 15*60+1)},
		{"it", "siete aperti a ferragosto", "open", holiday(8, 15)},
		{"ja", "お盆は営業していますか", "open", holiday(8, 13)},
		{"ja", "木曜日は19時に開いていますか", "open", thursday.During(19*60, 19*60+1)},
	} {
		a := Read(row.text, row.language, now)
		day := facts.When{}
		if len(a.Days) > 0 {
			day = a.Days[0]
		}
		if a.Hours() != row.intent || day != row.day {
			t.Errorf("%q asks for %s of %+v, want %s of %+v", row.text, a.Hours(), day, row.intent, row.day)
		}
	}
}

func TestADayAndAPartOfItMayBeOneWord(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"samstagnachmittag": "afternoon saturday", "freitagabends": "evening friday", "nachmittagssamstag": "",
		"samstagmarkt": "",
	} {
		if got := strings.Join(NamesOf(text), " "); got != want {
			t.Errorf("%q has the names %q, want %q", text, got, want)
		}
	}
}

func TestWordsWithinLongerOnesDoNotCount(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct{ has, hasNot string }{
		"christmas eve":        {"holiday-12-24", "holiday-12-25"},
		"por la manana":        {"morning", "tomorrow"},
		"クリスマスイブ":              {"holiday-12-24", "holiday-12-25"},
		"for my two year olds": {"unit-time", "child"},
	} {
		a := Asked{Names: NamesOf(text)}
		if !a.Has(want.has) || a.Has(want.hasNot) {
			t.Errorf("%q has words of %q", text, a.Names)
		}
	}
}
