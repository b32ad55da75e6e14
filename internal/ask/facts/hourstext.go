package facts

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxHoursText bounds the text of one value of openingHours, in bytes.
const maxHoursText = 4000

// readOpeningHours reads the text form of schema.org's openingHours: "Mo-Fr 09:00-18:00", "Mo,We
// 10:00-12:00,14:00-16:00", "Sa 10:00-14:00; Su closed", "24/7". whole is false when a part of it
// could not be read; what stands before counts.
func readOpeningHours(written string) (rules []rule, whole bool) {
	if len(written) > maxHoursText {
		return nil, false
	}
	s := scanner{rest: written}
	for {
		s.skip(" ;,\t\n\r")
		if s.rest == "" || len(rules) >= maxRules {
			return rules, s.rest == ""
		}
		if s.take("24/7") {
			rules = append(rules, rule{days: everyDay, spans: []span{{0, dayMinutes}}})
			continue
		}
		r := rule{days: s.days()}
		if r.days == 0 {
			r.days = everyDay
		}
		var ok bool
		if r.spans, ok = s.hours(); !ok {
			return rules, false
		}
		rules = append(rules, r)
	}
}

// scanner reads opening hours from the beginning of a text.
type scanner struct{ rest string }

func (s *scanner) skip(cutset string) { s.rest = strings.TrimLeft(s.rest, cutset) }

func (s *scanner) take(prefix string) bool {
	rest, ok := strings.CutPrefix(s.rest, prefix)
	s.rest = rest
	return ok
}

// dash takes what stands between two days or times.
func (s *scanner) dash() bool {
	before := s.rest
	s.skip(" \t")
	for _, sign := range []string{"-", "–", "—", "‑", "to "} {
		if s.take(sign) {
			s.skip(" \t")
			return true
		}
	}
	s.rest = before
	return false
}

// days takes a list of days and of ranges of them; 0 when there is none.
func (s *scanner) days() (days uint8) {
	for {
		before := s.rest
		if days != 0 {
			s.skip(" ,\t&")
		}
		first, ok := s.day()
		if !ok {
			s.rest = before
			s.skip(" :\t")
			return days
		}
		last := first
		if s.dash() {
			if last, ok = s.day(); !ok || first == holidays || last == holidays {
				s.rest = before
				return 0
			}
		}
		for day := first; ; day = (day + 1) % 7 {
			days |= 1 << day
			if first == holidays || day == last {
				break
			}
		}
	}
}

// day takes a word when it names a day.
func (s *scanner) day() (day int, ok bool) {
	word := s.word()
	if day, ok = dayNamed(word); ok && word != "" {
		s.rest = strings.TrimPrefix(s.rest[len(word):], ".")
		return day, true
	}
	return 0, false
}

// word is the letters that come next.
func (s *scanner) word() string {
	end := strings.IndexFunc(s.rest, func(r rune) bool { return !unicode.IsLetter(r) })
	if end < 0 {
		return s.rest
	}
	return s.rest[:end]
}

// hours takes spans of time, or a word for closed.
func (s *scanner) hours() (spans []span, ok bool) {
	if word := s.word(); strings.EqualFold(word, "closed") || strings.EqualFold(word, "off") {
		s.rest = s.rest[len(word):]
		return nil, true
	}
	for {
		from, ok := s.clock()
		if !ok || !s.dash() {
			return nil, false
		}
		to, ok := s.clock()
		switch {
		case !ok || from >= dayMinutes || from == to && from != 0:
			return nil, false
		case from != to:
			spans = append(spans, until(from, to))
		}
		before := s.rest
		s.skip(" ,\t")
		if !s.atDigit() || !strings.Contains(before[:len(before)-len(s.rest)], ",") {
			s.rest = before
			return spans, true
		}
	}
}

func (s *scanner) atDigit() bool { return s.rest != "" && s.rest[0] >= '0' && s.rest[0] <= '9' }

// clock takes a time of day: "9", "09:00", "9.30", "17:00:00", "5 pm". 24:00 is the end of the day.
func (s *scanner) clock() (minute int, ok bool) {
	hour, ok := s.figure(24)
	if !ok {
		return 0, false
	}
	parts := 0
	for parts < 2 && len(s.rest) > 1 && strings.IndexByte(":.h", s.rest[0]) >= 0 && s.rest[1] >= '0' && s.rest[1] <= '9' {
		s.rest = s.rest[1:]
		part, ok := s.figure(59)
		if !ok {
			return 0, false
		}
		if parts++; parts == 1 {
			minute = part
		}
	}
	if hour, ok = s.half(hour); !ok || hour == 24 && minute > 0 {
		return 0, false
	}
	return hour*60 + minute, true
}

// ReadClock reads a time of day at the beginning of a text: its minute, whether it is written as one ("7pm", "18:30"), and
// its length; 0 for none.
func ReadClock(text string) (minute int, marked bool, n int) {
	s := scanner{rest: text}
	minute, ok := s.clock()
	if !ok {
		return 0, false, 0
	}
	n = len(text) - len(s.rest)
	return minute, strings.ContainsAny(text[:n], ":hm"), n
}

// figure takes one or two digits that no third follows, up to a bound.
func (s *scanner) figure(most int) (value int, ok bool) {
	n := 0
	for n < len(s.rest) && s.rest[n] >= '0' && s.rest[n] <= '9' {
		if n++; n > 2 {
			return 0, false
		}
		value = value*10 + int(s.rest[n-1]-'0')
	}
	s.rest = s.rest[n:]
	return value, n > 0 && value <= most
}

// half takes "am" or "pm" behind an hour.
func (s *scanner) half(hour int) (int, bool) {
	rest := strings.TrimLeft(s.rest, " ")
	for _, sign := range []struct {
		written string
		later   int
	}{{"am", 0}, {"a.m.", 0}, {"pm", 12}, {"p.m.", 12}} {
		if len(rest) < len(sign.written) || !strings.EqualFold(rest[:len(sign.written)], sign.written) {
			continue
		}
		after := rest[len(sign.written):]
		if next, _ := utf8.DecodeRuneInString(after); unicode.IsLetter(next) {
			break
		}
		s.rest = after
		return hour%12 + sign.later, hour >= 1 && hour <= 12
	}
	return hour, true
}

// wholeClock reads a text that is a time of day, its zone aside: it is the place's own.
func wholeClock(written string) (minute int, ok bool) {
	if i := strings.LastIndexByte(written, 'T'); i >= 0 {
		written = written[i+1:]
	}
	s := scanner{rest: written}
	if minute, ok = s.clock(); !ok {
		return 0, false
	}
	rest := strings.TrimSpace(s.rest)
	return minute, rest == "" || strings.IndexByte("Zz+-", rest[0]) >= 0 && len(rest) <= len("+01:00")
}
