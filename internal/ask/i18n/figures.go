package i18n

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Number writes a figure with at most so many decimals, -1 for as many as it has, as the language
// writes figures: "1,299.5" in English, "1.299,5" in German.
func (s Speaker) Number(v float64, decimals int) string {
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	whole, part, parted := strings.Cut(text, ".")
	text = grouped(whole, s.Say(groupMark), s.Say(groupFrom) == "5")
	if parted {
		text += s.Say(pointMark) + part
	}
	return text
}

// grouped puts a mark between thousands; late leaves figures of four digits whole.
func grouped(whole, mark string, late bool) string {
	sign, digits := "", whole
	if rest, ok := strings.CutPrefix(whole, "-"); ok {
		sign, digits = "-", rest
	}
	if len(digits) < 4 || late && len(digits) == 4 ||
		strings.ContainsFunc(digits, func(r rune) bool { return r < '0' || r > '9' }) {
		return whole
	}
	var b strings.Builder
	b.WriteString(sign)
	for i, digit := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteString(mark)
		}
		b.WriteRune(digit)
	}
	return b.String()
}

// Amount writes what something costs, with two decimals unless it is a round figure: "49.50", "20".
func (s Speaker) Amount(v float64) string {
	if v == math.Trunc(v) {
		return s.Number(v, 0)
	}
	return s.Number(v, 2)
}

// greater are the greater units of a unit, the greatest first, with how many of it each is.
var greater = map[string][]struct {
	unit  string
	times float64
}{
	"cm": {{"km", 1e5}, {"m", 100}}, "g": {{"kg", 1000}}, "ml": {{"l", 1000}},
}

// Measure writes a figure in the greatest unit of which it is at least one: 250 cm are "2.5 m".
func (s Speaker) Measure(v float64, unit string) string {
	for _, g := range greater[unit] {
		if v >= g.times {
			v, unit = math.Round(v/g.times*100)/100, g.unit
			break
		}
	}
	return s.Number(v, -1) + " " + unit
}

// Span writes a number of minutes: "1 h 10 min".
func (s Speaker) Span(minutes float64) string {
	if minutes != math.Trunc(minutes) || minutes < 60 || minutes > 1e9 {
		return s.Say(ofMinutes, s.Number(minutes, -1))
	}
	text := s.Say(ofHours, s.Number(math.Trunc(minutes/60), 0))
	if rest := int(minutes) % 60; rest > 0 {
		text = s.Say(both, text, s.Say(ofMinutes, strconv.Itoa(rest)))
	}
	return text
}

var (
	ofMinutes = in("short_minutes")
	ofHours   = in("short_hours")
	both      = in("short_both")
	groupMark = in("number_group")      // what stands between thousands
	groupFrom = in("number_group_from") // of how many digits a figure has such marks
	pointMark = in("number_point")
	months    = in("months")
	ofDay     = in("day")
	atHour    = in("at_hour")
)

// Day writes a date: "9 March 2026".
func (s Speaker) Day(t time.Time) string {
	return s.Say(ofDay, t.Day(), strings.Fields(s.Say(months))[t.Month()-1], t.Year())
}

// Moment writes a date and a time of day, as the clock of its zone shows it: "9 March 2026, 19:30".
func (s Speaker) Moment(t time.Time) string {
	return s.Say(atHour, s.Day(t), fmt.Sprintf("%02d:%02d", t.Hour(), t.Minute()))
}
