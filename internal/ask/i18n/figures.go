package i18n

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Number writes a figure with at most so many decimals, -1 for as many as it has, as the language writes figures: "1,299.5"
// in English, "1.299,5" in German.
func (s Speaker) Number(v float64, decimals int) string {
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	whole, part, parted := strings.Cut(text, ".")
	group, point := s.marks()
	text = grouped(whole, group, s.Language() == "es")
	if parted {
		text += point + part
	}
	return text
}

// marks are what stands between thousands and before decimals.
func (s Speaker) marks() (group, point string) {
	switch s.Language() {
	case "de", "es", "pt":
		return ".", ","
	case "fr":
		return "\u202f", ","
	}
	return ",", "."
}

// grouped puts a mark between thousands; late leaves figures of four digits whole.
func grouped(whole, mark string, late bool) string {
	sign, digits := "", whole
	if rest, ok := strings.CutPrefix(whole, "-"); ok {
		sign, digits = "-", rest
	}
	if len(digits) < 4 || late && len(digits) == 4 || strings.ContainsFunc(digits, func(r rune) bool { return r < '0' || r > '9' }) {
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
	ofMinutes = in("short_minutes", "%s min", "%s min", "%s min", "%s min", "%s min", "%s分")
	ofHours   = in("short_hours", "%s h", "%s h", "%s h", "%s h", "%s h", "%s時間")
	both      = in("short_both", "%s %s", "%s %s", "%s %s", "%s %s", "%s %s", "%s%s")
	months    = in("months",
		"January February March April May June July August September October November December",
		"Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
		"janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
		"enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
		"janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
		"1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月")
	ofDay  = in("day", "%[1]d %[2]s %[3]d", "%[1]d. %[2]s %[3]d", "%[1]d %[2]s %[3]d", "%[1]d de %[2]s de %[3]d", "%[1]d de %[2]s de %[3]d", "%[3]d年%[2]s%[1]d日")
	atHour = in("at_hour", "%s, %s UTC", "%s, %s Uhr UTC", "%s, %s UTC", "%s, %s UTC", "%s, %s UTC", "%s %s（UTC）")
)

// Day writes a date: "9 March 2026".
func (s Speaker) Day(t time.Time) string {
	return s.Say(ofDay, t.Day(), strings.Fields(s.Say(months))[t.Month()-1], t.Year())
}

// Moment writes a date and a time of day, which it takes in UTC: "9 March 2026, 19:30 UTC".
func (s Speaker) Moment(t time.Time) string {
	t = t.UTC()
	return s.Say(atHour, s.Day(t), fmt.Sprintf("%02d:%02d", t.Hour(), t.Minute()))
}
