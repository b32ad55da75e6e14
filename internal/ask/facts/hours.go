package facts

import (
	"slices"
	"time"
)

// tellHours says when a place is open: always, or on the day asked about.
func tellHours(t *teller) string {
	if t.When.kind == atMoment {
		return tellOpen(t)
	}
	s, ok := t.schedule()
	if !ok {
		return ""
	}
	if t.When.kind == anytime {
		return t.week(s)
	}
	spans, stated := s.asked(t.When, t.Now)
	if !stated {
		return t.coming(s)
	}
	t.noteHours(s)
	return t.day(spans, t.when())
}

// tellOpen says whether a place is open at a moment or on a day.
func tellOpen(t *teller) string {
	if t.When.kind == anytime && !t.Now.IsZero() {
		t.When = At(t.Now)
	}
	s, ok := t.schedule()
	switch {
	case !ok:
		return ""
	case t.When.kind == anytime:
		return t.week(s)
	case t.When.kind == atMoment:
		return t.moment(s, t.When.at)
	}
	spans, stated := s.asked(t.When, t.Now)
	if !stated {
		return t.coming(s)
	}
	t.noteHours(s)
	t.verdict(t.When.holds(spans))
	return t.day(spans, t.when())
}

// coming says the hours of a season to come, where they are all that is known of a weekday.
func (t *teller) coming(s *schedule) string {
	if next, ok := s.season(dateOf(t.Now)); t.When.kind == weekly && ok && next.coming {
		return t.week(s)
	}
	return ""
}

// tellOpens says when a place opens on a day.
func tellOpens(t *teller) string {
	return t.edge("opens", func(hours span) int { return hours.from })
}

// tellCloses says when a place closes on a day.
func tellCloses(t *teller) string {
	return t.edge("closes", func(hours span) int { return hours.to })
}

// edge tells one end of the hours of a day; today's where no day was named, and all hours where it
// is not known what day it is.
func (t *teller) edge(key string, end func(span) int) string {
	if t.When.kind == atMoment || t.When.kind == anytime && !t.Now.IsZero() {
		t.When = On(latest(t.When.at, t.Now))
	}
	s, ok := t.schedule()
	switch {
	case !ok:
		return ""
	case t.When.kind == anytime:
		return t.week(s)
	}
	spans, stated := s.asked(t.When, t.Now)
	if !stated {
		return t.coming(s)
	}
	t.noteHours(s)
	if len(spans) != 1 || spans[0].to-spans[0].from >= dayMinutes {
		return t.day(spans, t.when())
	}
	at := t.clock(end(spans[0]))
	t.answer.Values = append(t.answer.Values, at)
	return t.say(key, "name", t.name, "when", t.when(), "time", at)
}

// latest is the moment asked about, or else now.
func latest(asked, now time.Time) time.Time {
	if asked.IsZero() {
		return now
	}
	return asked
}

// asked gives the hours of the day asked about. Those of a weekday are the usual ones of the
// season.
func (s *schedule) asked(w When, now time.Time) (spans []span, stated bool) {
	switch w.kind {
	case onDate:
		return s.on(w.at)
	case onHoliday:
		return s.onHoliday(w.at)
	}
	current, ok := s.season(dateOf(now))
	if !ok || current.coming {
		return nil, false
	}
	if w.weekday == holidays {
		return s.named(current.date, holidays, 1)
	}
	return s.resolve(current.date, w.weekday, 1)
}

// when words the day asked about.
func (t *teller) when() string {
	if t.When.kind == weekly {
		return t.say("when.weekly", "day", t.lists["days.weekly"][t.When.weekday])
	}
	return t.near(t.When.at)
}

// near words a date: today and tomorrow by these words.
func (t *teller) near(date time.Time) string {
	if !t.Now.IsZero() {
		switch today := dateOf(t.Now); {
		case date.Equal(today):
			return t.say("when.today")
		case date.Equal(today.AddDate(0, 0, 1)):
			return t.say("when.tomorrow")
		}
	}
	return t.onDate(date)
}

// day says that a place is open on a day at these times, or that it is closed.
func (t *teller) day(spans []span, when string) string {
	switch {
	case len(spans) == 0:
		return t.say("hours.shut", "name", t.name, "when", when)
	case spans[0].to-spans[0].from >= dayMinutes:
		return t.say("hours.whole", "name", t.name, "when", when)
	}
	said := t.spans(spans)
	t.answer.Values = append(t.answer.Values, said)
	return t.say("hours.day", "name", t.name, "when", when, "spans", said)
}

// spans words times of a day.
func (t *teller) spans(spans []span) string {
	said := make([]string, len(spans))
	for i, hours := range spans {
		if hours.to-hours.from >= dayMinutes {
			return t.say("hours.always")
		}
		said[i] = t.say("hours.span", "from", t.clock(hours.from), "to", t.clock(hours.to))
	}
	return t.list(said)
}

// moment says whether a place is open at a moment: until when, or when it opens next.
func (t *teller) moment(s *schedule, at time.Time) string {
	date, minute := dateOf(at), minuteOf(at)
	now, open, stated := s.during(date, minute)
	if !open && !stated {
		return ""
	}
	t.noteHours(s)
	t.verdict(open)
	if !at.Equal(t.Now) {
		day := date
		if open {
			day = now.date
		}
		spans, _ := s.on(day)
		return t.day(spans, t.near(day))
	}
	if open {
		return t.openNow(s, now, date)
	}
	next, ok := s.next(date, minute)
	if !ok {
		return t.say("hours.shut", "name", t.name, "when", t.say("when.now"))
	}
	opens := t.clock(next.from)
	t.answer.Values = append(t.answer.Values, opens)
	return t.say("hours.later", "name", t.name, "when", t.soon(next.date), "time", opens)
}

// openNow says until when a place that is open stays so.
func (t *teller) openNow(s *schedule, now opening, today time.Time) string {
	date, minute, closes := s.until(now)
	if !closes {
		return t.say("hours.whole", "name", t.name, "when", t.say("when.now"))
	}
	if minute == 0 && date.Equal(today.AddDate(0, 0, 1)) {
		minute = dayMinutes
	}
	until := t.clock(minute)
	t.answer.Values = append(t.answer.Values, until)
	if date.Sub(today) > 24*time.Hour {
		return t.say("hours.now.day", "name", t.name, "when", t.soon(date), "time", until)
	}
	return t.say("hours.now", "name", t.name, "time", until)
}

// soon words a day of the coming ones: by its weekday within a week.
func (t *teller) soon(date time.Time) string {
	if days := date.Sub(dateOf(t.Now)).Hours() / 24; days > 1 && days < 7 {
		return t.lists["days.on"][mondayFirst(date.Weekday())]
	}
	return t.near(date)
}

// verdict answers a question for yes or no.
func (t *teller) verdict(yes bool) {
	t.answer.Verdict = No
	if yes {
		t.answer.Verdict = Yes
	}
}

// noteHours notes which properties the hours are from.
func (t *teller) noteHours(s *schedule) {
	if s.property != "" {
		t.state(s.property)
	}
	if slices.ContainsFunc(s.rules, func(r rule) bool { return r.special }) {
		t.state(specials)
	}
}

// week says all hours: those of the season by groups of days, the days on which it is closed, and
// the special days ahead.
func (t *teller) week(s *schedule) string {
	current, ok := s.season(dateOf(t.Now))
	if !ok {
		return ""
	}
	groups, closed := t.groups(s, current.date)
	if len(groups) == 0 {
		return ""
	}
	t.noteHours(s)
	said := make([]string, len(groups))
	for i, group := range groups {
		said[i] = t.say("hours.group", "days", t.days(group.days), "spans", t.spans(group.spans))
	}
	t.answer.Values = append(t.answer.Values, said...)
	parts := []string{t.say("hours.week", "name", t.name, "week", t.season(current, said))}
	if len(closed) > 0 {
		parts = append(parts, t.say("hours.closed", "days", t.list(closed)))
	}
	return t.clauses(append(parts, t.specialDays(s)...)...)
}

// season joins the groups of a week, behind the bounds of the season where it has some.
func (t *teller) season(current season, groups []string) string {
	week := groups[0]
	for _, group := range groups[1:] {
		week += t.say("list.comma") + group
	}
	switch {
	case current.first.IsZero():
		return week
	case current.last.IsZero():
		return t.say("hours.season.on", "first", t.date(current.first), "week", week)
	}
	return t.say("hours.season", "first", t.date(current.first), "last", t.date(current.last), "week", week)
}

// group is the days that have the same hours.
type group struct {
	days  []int
	spans []span
}

// groups gives the days of the week by their hours, holidays behind them, and the names of those
// that are closed.
func (t *teller) groups(s *schedule, date time.Time) (groups []group, closed []string) {
	for day := range holidays + 1 {
		spans, stated := s.resolve(date, day, 1)
		if day == holidays {
			spans, stated = s.named(date, day, 2)
		}
		at := slices.IndexFunc(groups, func(g group) bool { return slices.Equal(g.spans, spans) })
		switch {
		case !stated:
		case len(spans) == 0:
			closed = append(closed, t.lists["days.weekly"][day])
		case at >= 0:
			groups[at].days = append(groups[at].days, day)
		default:
			groups = append(groups, group{[]int{day}, spans})
		}
	}
	return groups, closed
}

// days words some days of the week: three in a row or more as a range.
func (t *teller) days(days []int) string {
	if len(days) >= holidays && days[holidays-1] == holidays-1 {
		said := []string{t.say("days.all")}
		for _, more := range days[holidays:] {
			said = append(said, t.lists["days"][more])
		}
		return t.list(said)
	}
	var said []string
	for i := 0; i < len(days); {
		end := i
		for end+1 < len(days) && days[end+1] == days[end]+1 && days[end+1] < holidays {
			end++
		}
		if end-i >= 2 {
			from, to := t.lists["days.from"][days[i]], t.lists["days.to"][days[end]]
			said = append(said, t.say("days.range", "from", from, "to", to))
			i = end + 1
			continue
		}
		said = append(said, t.lists["days"][days[i]])
		i++
	}
	return t.list(said)
}

// maxSpecial bounds the special days in a sentence.
const maxSpecial = 4

// specialDays says the hours of the days ahead that are unlike the usual ones.
func (t *teller) specialDays(s *schedule) (said []string) {
	if t.Now.IsZero() {
		return nil
	}
	for day := range ahead {
		date := dateOf(t.Now).AddDate(0, 0, day)
		spans, stated := s.special(date)
		switch {
		case !stated || len(said) == maxSpecial:
		case len(spans) == 0:
			said = append(said, t.say("hours.special.shut", "when", t.near(date)))
		default:
			said = append(said, t.say("hours.special", "when", t.near(date), "spans", t.spans(spans)))
		}
	}
	return said
}
