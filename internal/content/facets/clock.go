package facets

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// StartTime is the slot of the minute of the day, on the item's own clock, at which it begins.
const StartTime Slot = "startTime"

// ReadClock reads a time of day at the beginning of a text: "9", "09:00", "9.30", "18h30",
// "17:00:00", "5 pm". It gives its minute, whether it is written as one ("7pm", "18:30"), and its
// length; 0 for none. 24:00 is the end of the day.
func ReadClock(text string) (minute int, marked bool, n int) {
	hour, n, ok := clockFigure(text, 0, 24)
	if !ok {
		return 0, false, 0
	}
	for parts := 0; parts < 2 && n+1 < len(text) && strings.IndexByte(":.h", text[n]) >= 0 &&
		digitAt(text, n+1); parts++ {
		part, end, ok := clockFigure(text, n+1, 59)
		if !ok {
			return 0, false, 0
		}
		if n = end; parts == 0 {
			minute = part
		}
	}
	later, half := halfOfDay(text[n:])
	if n += half; half > 0 {
		if hour < 1 || hour > 12 {
			return 0, false, 0
		}
		hour = hour%12 + later
	}
	if hour == 24 && minute > 0 {
		return 0, false, 0
	}
	return hour*60 + minute, strings.ContainsAny(text[:n], ":hm"), n
}

// clockFigure reads one or two digits at i that no third follows, up to a bound, and where they
// end.
func clockFigure(text string, i, most int) (value, end int, ok bool) {
	value, n := smallNumber(text[i:])
	return value, i + n, n > 0 && value <= most
}

// halfOfDay reads "am" or "pm" behind an hour, and how long it is with the blanks before it.
func halfOfDay(text string) (later, n int) {
	rest := strings.TrimLeft(text, " ")
	for _, sign := range []string{"am", "a.m.", "pm", "p.m."} {
		if len(rest) < len(sign) || !strings.EqualFold(rest[:len(sign)], sign) {
			continue
		}
		if next, _ := utf8.DecodeRuneInString(rest[len(sign):]); unicode.IsLetter(next) {
			break
		}
		if sign[0] == 'p' {
			later = 12
		}
		return later, len(text) - len(rest) + len(sign)
	}
	return 0, 0
}
