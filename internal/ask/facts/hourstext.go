package facts

import (
	"strings"
	"unicode"

	"frontdesk/internal/content/facets"
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

// clock takes a time of day.
func (s *scanner) clock() (minute int, ok bool) {
	minute, _, n := facets.ReadClock(s.rest)
	s.rest = s.rest[n:]
	return minute, n > 0
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
