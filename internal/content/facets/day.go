package facets

import (
	"strconv"
	"strings"
	"sync"
	"time"
)

// months by their folded names and usual abbreviations in our languages.
var months = sync.OnceValue(func() map[string]time.Month {
	names := map[string]time.Month{}
	for name, month := range wordsOf("month")() {
		number, _ := strconv.Atoi(month)
		names[name] = time.Month(number)
	}
	return names
})

// dateLinks stand between a day, its month and the year.
var dateLinks = wordsOf("date.of")

// Month gives the month of a folded name or abbreviation, in any of our languages.
func Month(word string) (time.Month, bool) {
	m, ok := months()[word]
	return m, ok
}

// ReadDay reads the date at the beginning of a text, and how many bytes it took; 0 when there is
// none. What it names runs from from to just before to: a day, a month ("June 2026", "2026-06"), a
// year ("2026"), or a moment, for which to is from. It reads ISO 8601 with and without time, "3
// June 2026", "June 3, 2026", "3. Juni 2026", "03.06.2026", "2026年6月3日" and "6/3/2026" as Americans
// write it. A day without a year is no date: see [ReadDayOf]. Without a zone it is in the place of
// where.
func ReadDay(s string, where *time.Location) (from, to time.Time, n int) {
	if from, to, n = readISODay(s, where); n > 0 {
		return from, to, n
	}
	return readWrittenDay(s, 0, where)
}

// ReadDayOf is ReadDay where a day or a month without a year is one of the given year: "3 June",
// "in May".
func ReadDayOf(s string, year int, where *time.Location) (from, to time.Time, n int) {
	if from, to, n = readISODay(s, where); n > 0 {
		return from, to, n
	}
	return readWrittenDay(s, year, where)
}

// readISODay reads "2026", "2026-06", "2026-06-03" and a date with time.
func readISODay(s string, where *time.Location) (from, to time.Time, n int) {
	year, ok := digitsAt(s, 0, 4)
	if !ok || year < 1000 {
		return from, to, 0
	}
	if from, to, n = readKanjiDay(s, year, where); n > 0 {
		return from, to, n
	}
	month, ok := 0, false
	if len(s) > 4 && (s[4] == '-' || s[4] == '/') {
		month, ok = digitsAt(s, 5, 2)
	}
	if !ok || month < 1 || month > 12 {
		if digitAt(s, 4) || year < 1800 || year > 2200 {
			return from, to, 0
		}
		return date(year, 1, 1, where), date(year+1, 1, 1, where), 4
	}
	day, ok := 0, false
	if len(s) > 7 && s[7] == s[4] {
		day, ok = digitsAt(s, 8, 2)
	}
	if !ok {
		return date(year, month, 1, where), date(year, month+1, 1, where), 7
	}
	from = date(year, month, day, where)
	if day < 1 || from.Month() != time.Month(month) {
		return time.Time{}, to, 0
	}
	if m := readClock(s[10:]); m > 0 {
		for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05Z0700",
			"2006-01-02T15:04:05", "2006-01-02T15:04"} {
			text := strings.Replace(s[:10+m], " ", "T", 1)
			if moment, err := time.ParseInLocation(layout, text, where); err == nil {
				return moment, moment, 10 + m
			}
		}
	}
	return from, from.AddDate(0, 0, 1), 10
}

// readClock gives the length of a time of day with its zone behind a date.
func readClock(s string) (n int) {
	if len(s) < 6 || s[0] != 'T' && s[0] != 't' && s[0] != ' ' || !digitAt(s, 1) || s[3] != ':' {
		return 0
	}
	n = 1
	for n < len(s) && n < 35 && strings.IndexByte("0123456789:.+-Zz", s[n]) >= 0 {
		n++
	}
	return n
}

// readKanjiDay reads "2026年6月3日", "2026年6月" and "2026年".
func readKanjiDay(s string, year int, where *time.Location) (from, to time.Time, n int) {
	y := signAt(s[4:], "year")
	if y == 0 {
		return from, to, 0
	}
	n = 4 + y
	month, m := smallNumber(s[n:])
	sign := signAt(s[n+m:], "month")
	if sign == 0 || month < 1 || month > 12 {
		return date(year, 1, 1, where), date(year+1, 1, 1, where), n
	}
	n += m + sign
	day, d := smallNumber(s[n:])
	sign = signAt(s[n+d:], "day")
	if sign == 0 || day < 1 || day > 31 {
		return date(year, month, 1, where), date(year, month+1, 1, where), n
	}
	from = date(year, month, day, where)
	return from, from.AddDate(0, 0, 1), n + d + sign
}

// dateSigns stand behind the numbers of a date.
var dateSigns = wordsOf("date.sign")

// signAt is the length of the sign of a year, a month or a day at the beginning of a text.
func signAt(s, of string) int {
	if word, n := beginning(s, dateSigns()); dateSigns()[word] == of {
		return n
	}
	return 0
}

// readWrittenDay reads dates that people write: with the month's name, or in numbers with the year
// last.
func readWrittenDay(s string, year int, where *time.Location) (from, to time.Time, n int) {
	day, m := smallNumber(s)
	if m == 0 {
		return readMonthFirst(s, year, where)
	}
	if from, n = readNumericDay(s, day, m, where); n > 0 {
		return from, from.AddDate(0, 0, 1), n
	}
	n = m
	n += ordinalAt(s[n:])
	n += blanks(s[n:])
	word, w := wordAt(s[n:])
	if _, link := dateLinks()[word]; link {
		n += w + blanks(s[n+w:])
		word, w = wordAt(s[n:])
	}
	month, ok := months()[word]
	if !ok || day < 1 || day > 31 {
		return from, to, 0
	}
	n += w
	if y, k := yearBehind(s[n:]); k > 0 {
		year, n = y, n+k
	}
	if year == 0 {
		return from, to, 0
	}
	from = date(year, int(month), day, where)
	return from, from.AddDate(0, 0, 1), n
}

// ordinalMarks make ordinals of numbers.
var ordinalMarks = wordsOf("time.ordinal")

// ordinalAt is the length of the mark of an ordinal right behind a number: "st", "er", "º", ".".
func ordinalAt(s string) int {
	for _, sign := range []string{"º", "°", "."} {
		if strings.HasPrefix(s, sign) {
			return len(sign)
		}
	}
	word, n := wordAt(s)
	if _, mark := ordinalMarks()[word]; mark {
		return n
	}
	return 0
}

// readMonthFirst reads "June 3, 2026", "June 2026" and, with a year given, "June 3" and "June".
func readMonthFirst(s string, year int, where *time.Location) (from, to time.Time, n int) {
	word, n := wordAt(s)
	month, ok := months()[word]
	if !ok {
		return from, to, 0
	}
	if y, k := yearBehind(s[n:]); k > 0 {
		return date(y, int(month), 1, where), date(y, int(month)+1, 1, where), n + k
	}
	gap := 0
	if strings.HasPrefix(s[n:], ".") {
		gap++
	}
	gap += blanks(s[n+gap:])
	if day, m := smallNumber(s[n+gap:]); m > 0 && day >= 1 && day <= 31 {
		end := n + gap + m
		end += ordinalAt(s[end:])
		if y, k := yearBehind(s[end:]); k > 0 {
			year, end = y, end+k
		}
		if year > 0 {
			from = date(year, int(month), day, where)
			return from, from.AddDate(0, 0, 1), end
		}
		return from, to, 0
	}
	if year == 0 {
		return from, to, 0
	}
	return date(year, int(month), 1, where), date(year, int(month)+1, 1, where), n
}

// readNumericDay reads "3.6.2026", "03/06/2026", "6/30/2026": with a slash the month comes first if
// it can.
func readNumericDay(s string, first, m int, where *time.Location) (from time.Time, n int) {
	if m >= len(s) || s[m] != '.' && s[m] != '/' {
		return from, 0
	}
	second, k := smallNumber(s[m+1:])
	n = m + 1 + k
	if k == 0 || n >= len(s) || s[n] != s[m] {
		return from, 0
	}
	year, ok := digitsAt(s, n+1, 4)
	if !ok {
		return from, 0
	}
	day, month := first, second
	if s[m] == '/' && first <= 12 {
		day, month = second, first
	}
	from = date(year, month, day, where)
	if day < 1 || month < 1 || month > 12 || from.Day() != day {
		return time.Time{}, 0
	}
	return from, n + 5
}

// yearBehind reads a year that follows: " 2026", ", 2026", " de 2026".
func yearBehind(s string) (year, n int) {
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, ",") {
		n++
	}
	n += blanks(s[n:])
	word, w := wordAt(s[n:])
	if _, link := dateLinks()[word]; link {
		n += w + blanks(s[n+w:])
	}
	year, ok := digitsAt(s, n, 4)
	if !ok || n == 0 || year < 1000 || digitAt(s, n+4) {
		return 0, 0
	}
	return year, n + 4
}

// smallNumber reads one or two digits that no third follows.
func smallNumber(s string) (value, n int) {
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	if n == 0 || n > 2 {
		return 0, 0
	}
	value, _ = strconv.Atoi(s[:n])
	return value, n
}

// digitsAt reads exactly count digits at i.
func digitsAt(s string, i, count int) (value int, ok bool) {
	if i+count > len(s) {
		return 0, false
	}
	for _, c := range []byte(s[i : i+count]) {
		if c < '0' || c > '9' {
			return 0, false
		}
		value = value*10 + int(c-'0')
	}
	return value, true
}

func date(year, month, day int, where *time.Location) time.Time {
	if where == nil {
		where = time.UTC
	}
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, where)
}
