package practical

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/ask/facts"
	"frontdesk/internal/content/facets"
	lang "frontdesk/internal/infra/language"
)

// holidayPrefix begins the names of holidays in [words]. Behind it stands a month and a day, or the
// days from Easter Sunday, and behind a "+" how many days more there are: "holiday-12-24",
// "holiday-easter-2", "holiday-08-13+3". The name "holiday" itself is that of all public holidays.
const holidayPrefix = "holiday-"

func isHoliday(name string) bool { return name == "holiday" || strings.HasPrefix(name, holidayPrefix) }

// weekdays are the names of the days of the week, from Sunday as in package time.
var weekdays = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

// partOfDay is the name of a part of a day, with the hours that it is from and to.
type partOfDay struct {
	name     string
	from, to int
}

// parts are those that are told apart.
var parts = []partOfDay{{"morning", 6, 12}, {"noon", 12, 14}, {"afternoon", 12, 18}, {"evening", 18, 22},
	{"night", 22, 24}}

// readWhen reads the day that is asked for, and the time of day. A day of the week is one of each
// week.
func (a *Asked) readWhen(text string, now time.Time) {
	a.Rest = text
	from, timed := a.readClock()
	to := from + 1
	a.readDay(now)
	for _, part := range parts {
		if !timed && a.Has(part.name) {
			from, to, timed = part.from*60, part.to*60, true
		}
	}
	if !timed {
		return
	}
	a.Timed = true
	if to == from+1 && len(a.Days) == 0 && !now.IsZero() {
		a.Days = []facts.When{facts.On(now)}
	}
	for i := range a.Days {
		a.Days[i] = a.Days[i].During(from, to)
	}
}

// readDay reads the day alone.
func (a *Asked) readDay(now time.Time) {
	for _, name := range a.Names {
		if days, ok := daysOf(name, now); ok {
			a.Holiday, a.Days = name, days
			return
		}
	}
	if a.Has("holiday") {
		a.Holiday, a.Days = "holiday", []facts.When{facts.Holidays()}
		return
	}
	for _, name := range weekdays {
		if day, _ := facets.WeekdayOf(name); a.Has(name) {
			a.Days = []facts.When{facts.Every(day)}
			return
		}
	}
	if date, from, to, ok := dateIn(a.Rest, now); ok {
		a.Rest = a.Rest[:from] + " " + a.Rest[to:]
		a.Days = []facts.When{facts.On(date)}
		if name := holidayPrefix + date.Format("01-02"); len(WordsOf(a.Language, name)) > 0 {
			a.Holiday, a.Days = name, []facts.When{facts.OnHoliday(date)}
		}
		return
	}
	switch {
	case now.IsZero():
	case a.Has("tomorrow"):
		a.Days = []facts.When{facts.On(now.AddDate(0, 0, 1))}
	case a.Has("now"):
		a.Days = []facts.When{facts.At(now)}
	case a.Has("today"):
		a.Days = []facts.When{facts.On(now)}
	}
}

// Hours is which of the intents of package facts on hours the question means.
func (a *Asked) Hours() string {
	switch {
	case a.Has("opens") && !a.Has("closes") && !a.Timed:
		return "opens"
	case a.Has("closes") && !a.Timed:
		return "closes"
	case a.Has("when"), a.Has("closes"), a.Has("shut"), a.Holiday == "holiday":
		return "hours"
	case a.Has("whether") && (len(a.Days) > 0 || !a.Timed), a.Timed && len(a.Days) > 0:
		return "open"
	}
	return "hours"
}

// readClock takes the time of day out of what is left of the question, and gives it in minutes from
// midnight. A number is one where it is written so ("7pm", "18:30"), or where the words before or
// behind it say it ("at 7", "18 Uhr").
func (a *Asked) readClock() (minute int, ok bool) {
	lower := strings.ToLower(a.Rest)
	for i := 0; i < len(lower) && len(lower) == len(a.Rest); i++ {
		if !isDigit(lower[i]) || i > 0 && (isDigit(lower[i-1]) || strings.IndexByte(".,:-/", lower[i-1]) >= 0) {
			continue
		}
		minute, marked, n := facets.ReadClock(lower[i:])
		if n == 0 {
			continue
		}
		behind := strings.TrimLeft(lower[i+n:], " ?？")
		unit := a.beginsWith(behind, "clock-unit")
		led := a.endsWith(strings.TrimSpace(lower[:i]), "clock-lead") &&
			(behind == "" || Begins(facets.Fold(behind), timely...))
		if !marked && !unit && !led {
			continue
		}
		if hour := minute / 60; !marked && hour < 12 &&
			(a.Has("afternoon") || a.Has("evening") || a.Has("night") || hour > 0 && hour < 7 && !a.Has("morning")) {
			minute += 12 * 60
		}
		a.Rest = a.Rest[:i] + " " + a.Rest[i+n:]
		return minute, true
	}
	return 0, false
}

// timely are the names of what stands behind a time of day.
var timely = append([]string{"morning", "afternoon", "evening", "night", "today", "tomorrow"}, weekdays...)

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// beginsWith says whether a text is or begins with a word of a name in the question's language, no
// letter behind it.
func (a *Asked) beginsWith(text, name string) bool {
	return slices.ContainsFunc(WordsOf(a.Language, name), func(word string) bool {
		rest, is := strings.CutPrefix(text, word)
		next, _ := utf8.DecodeRuneInString(rest)
		return is && (rest == "" || !unicode.IsLetter(next) || lang.IsJoined(word))
	})
}

// endsWith says whether a text is or ends with a word of a name in the question's language, no
// letter before it.
func (a *Asked) endsWith(text, name string) bool {
	return slices.ContainsFunc(WordsOf(a.Language, name), func(word string) bool {
		rest, is := strings.CutSuffix(text, word)
		last, _ := utf8.DecodeLastRuneInString(rest)
		return is && (rest == "" || !unicode.IsLetter(last) || lang.IsJoined(word))
	})
}

// dateIn is the day of a year that a text names, the next one where it names no year, and where it
// stands.
func dateIn(text string, now time.Time) (date time.Time, start, end int, ok bool) {
	if now.IsZero() {
		return now, 0, 0, false
	}
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	for i := range facets.Starts(text) {
		from, to, n := facets.ReadDayOf(text[i:], now.Year(), now.Location())
		if n == 0 || to.Sub(from) > 25*time.Hour || !strings.ContainsAny(text[i:i+n], "0123456789") {
			continue
		}
		if from.Before(today) && !strings.Contains(text[i:i+n], from.Format("2006")) {
			from = from.AddDate(1, 0, 0)
		}
		return from, i, i + n, true
	}
	return now, 0, 0, false
}

// daysOf are the next days of a holiday; false for one of no date.
func daysOf(name string, now time.Time) (days []facts.When, ok bool) {
	written, ok := strings.CutPrefix(name, holidayPrefix)
	if !ok {
		return nil, false
	}
	if now.IsZero() {
		return nil, true
	}
	length := 1
	if day, more, longer := strings.Cut(written, "+"); longer && !strings.HasPrefix(day, "easter") {
		written = day
		length, _ = strconv.Atoi(more)
		length++
	}
	h, ok := facets.ReadHoliday(written + " " + strconv.Itoa(length))
	if !ok {
		return nil, false
	}
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	from, to := h.In(now.Year(), time.UTC)
	if !to.After(today) {
		from, to = h.In(now.Year()+1, time.UTC)
	}
	for ; from.Before(to); from = from.AddDate(0, 0, 1) {
		days = append(days, facts.OnHoliday(from))
	}
	return days, true
}
