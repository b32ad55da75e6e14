package query

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/content/facets"
)

// period is a stretch of time: from from on, before to. Either may be open.
type period struct{ from, to time.Time }

// timeLeads are the ways to bound a time that stand before it.
var timeLeads = []role{roleSince, roleAfter, roleBefore, roleUntil, roleBetween, roleIn, rolePast, roleNext, roleThis}

// readTime reads a time at i: "this weekend", "in May", "after 2020", "in the last three months",
// "tomorrow".
func (r *reader) readTime(i int) bool {
	if r.has(i, roleUpcoming) && !r.hasDay(i) {
		_, n := r.match(i, roleUpcoming)
		return r.dated(period{from: r.today()}, i, i+n)
	}
	if r.readWeekday(i) {
		return true
	}
	var best period
	end := 0
	for _, lead := range timeLeads {
		_, n := r.match(i, lead)
		if n == 0 {
			continue
		}
		if p, next, ok := r.led(lead, i+n); ok && next > end {
			best, end = p, next
		}
	}
	if p, next, ok := r.point(i, false); ok && next > end {
		best, end = p, next
	}
	if p, next, ok := r.trailed(i); ok && next > end {
		best, end = p, next
	}
	if end == 0 {
		return r.readDayPart(i)
	}
	if r.negationBefore(i) >= 0 {
		return false // a time that is not wanted is none that is
	}
	if p, next, ok := r.weekdayDate(best, i, end); ok {
		best, end = p, next
	}
	if dayParts()[r.word(end)] != "" && !r.together2(end) && !r.known(facets.StartTime) {
		end++
	}
	return r.dated(best, i, end)
}

// Words before a day of the week that mean any of them, and words for one that mean each.
var anyDay, everyDay = everywhere("day.any"), everywhere("day.every")

// readWeekday reads on which days of the week something is to be at i: "on a Saturday", "samstags",
// "le lundi et le jeudi". A day of its own ("on Saturday") is one of what has dates only; jobs and
// courses are on each. At the weekend is any weekend where nothing is on at the coming one.
func (r *reader) readWeekday(i int) bool {
	if !r.known(facets.Days) || r.force != "" {
		return false
	}
	at := i
	if r.has(i, roleIn) && !r.has(i, roleDay) && !anyDay()[r.word(i)] {
		at++
	}
	any, n := longestAt(r.line, at, anyDay())
	s, m := r.match(at+n, roleDay)
	days, end := facets.Weekdays(s.arg), at+n+m
	if m == 0 || len(days) == 0 {
		return false
	}
	if _, _, dated := r.weekdayDate(period{}, at+n, end); dated {
		return false
	}
	not := r.negationBefore(i)
	any = any || not >= 0 || everyDay()[r.phrase(at+n, end)] || s.arg == "workday" ||
		r.wanted("JobPosting", "Course", "Service")
	if !any && (at == i || s.arg != "weekend" || r.onWeekend()) {
		return false
	}
	for k := r.dayJoint(end); k > end; k = r.dayJoint(end) {
		s, m := r.match(k, roleDay)
		days, end = append(days, facets.Weekdays(s.arg)...), k+m
	}
	if not >= 0 {
		refused := days
		days = slices.DeleteFunc(append(facets.Weekdays("workday"), facets.Weekdays("weekend")...),
			func(day string) bool { return slices.Contains(refused, day) })
		i = not
	}
	r.add(facets.Constraint{Slot: facets.Days, Values: days, Stated: true}, i, end)
	return true
}

// onWeekend says whether something is on the coming weekend.
func (r *reader) onWeekend() bool {
	p, _ := r.stretch("weekend", roleThis)
	return r.at.Met == nil || r.at.Met(&facets.Constraint{Slot: facets.Start, From: p.from, To: p.to})
}

// dayJoint is where the next of several days of the week begins behind "or", "and" or a comma; i
// itself where none does.
func (r *reader) dayJoint(i int) int {
	k := i
	if r.has(k, roleOr) || r.has(k, roleAnd) {
		k++
	}
	_, n := longestAt(r.line, k, anyDay())
	if s, m := r.match(k+n, roleDay); (k > i || k < len(r.tokens) && r.tokens[k].comma) && m > 0 &&
		len(facets.Weekdays(s.arg)) > 0 {
		return k + n
	}
	return i
}

// weekdayDate reads the date behind the name of its day or of the weekend: "Saturday, 5 December",
// "le samedi 23 janvier".
func (r *reader) weekdayDate(named period, i, end int) (p period, next int, ok bool) {
	for k := i; k < end && !ok; k++ {
		s, n := r.match(k, roleDay)
		ok = n > 0 && k+n == end && len(facets.Weekdays(s.arg)) > 0
	}
	if !ok {
		return p, 0, false
	}
	at := r.unarticled(end)
	for at < len(r.tokens) && (r.has(at, roleIn) || fromWords()[r.word(at)]) {
		at++
	}
	p, next, ok = r.point(at, false)
	// "the weekend of 5 December"
	if ok = ok && p.from.AddDate(0, 0, 1).Equal(p.to); ok && named.to.Sub(named.from) > 25*time.Hour {
		p.from = p.from.AddDate(0, 0, -int(p.from.Weekday()+6)%7+5)
		p.to = p.from.AddDate(0, 0, 2)
	}
	return p, next, ok
}

// dayParts are the parts of a day, each with the minutes of the day at which it begins and ends.
var dayParts = argumentsOf("time.daypart")

// readDayPart reads in which part of the day something is to begin: "in the evening". It is said of
// what has a date.
func (r *reader) readDayPart(i int) bool {
	c, ok := r.dayPart(i)
	if !ok || r.named(i, 1) || !r.wanted("Event", "Course") && !r.hasDate() && !r.attended() {
		return false
	}
	r.add(c, i, i+1)
	return true
}

// dayPart gives the condition that something begins in the part of the day that the word at i
// names.
func (r *reader) dayPart(i int) (c facets.Constraint, ok bool) {
	part := dayParts()[r.word(i)]
	if part == "" || r.tokens[i].used || !r.known(facets.StartTime) {
		return c, false
	}
	least, most, _ := strings.Cut(part, " ")
	from, err := strconv.ParseFloat(least, 64)
	to, errToo := strconv.ParseFloat(most, 64)
	return facets.Constraint{Slot: facets.StartTime, Min: &from, Max: &to}, err == nil && errToo == nil
}

// unwantedDayPart reads a part of the day behind a negation at i, over what leads to it: "not in
// the evening". It gives the token behind it; 0 where there is none.
func (r *reader) unwantedDayPart(i int) (c facets.Constraint, end int) {
	for k := i; k < min(i+4, len(r.tokens)) && !r.tokens[k].comma && !r.tokens[k].stop; k++ {
		if c, ok := r.dayPart(k); ok {
			c.Not = true
			return c, k + 1
		}
		if !r.has(k, roleIn) && !r.linked(k) && !r.functional(k) {
			break
		}
	}
	return c, 0
}

// attended says whether a word of the question is one for whatever one goes to, and there is such.
func (r *reader) attended() (is bool) {
	for i := range r.tokens {
		r.phrases(i, func(s sense, _ int) bool {
			is = is || (s.role == roleBroad || s.role == roleType) && r.have(s.arg) > 0 &&
				(r.at.IsA(s.arg, "Event") || r.at.IsA(s.arg, "Course"))
			return !is
		})
	}
	return is
}

// hasDate says whether the question has a time at which something begins.
func (r *reader) hasDate() bool {
	return slices.ContainsFunc(r.out.Constraints, func(c facets.Constraint) bool {
		return c.Slot == facets.Start || c.Slot == facets.StartTime || c.Slot == facets.Days
	})
}

// clockUnits are words behind a time of day, clockArticles those before one.
var clockUnits, clockArticles = everywhere("clock.unit"), everywhere("clock.article")

// readClock reads at what time of the day something is to begin: "after 6 pm", "nach 19 Uhr", "dopo
// le 20".
func (r *reader) readClock(i int) bool {
	if !r.known(facets.StartTime) || r.force != "" {
		return false
	}
	for _, lead := range []role{roleAfter, roleSince, roleBefore, roleUntil, roleOver} {
		_, n := r.match(i, lead)
		at, article := i+n, false
		for n > 0 && at < len(r.tokens) &&
			(clockArticles()[r.word(at)] || articles()[r.word(at)] || dayArticles()[r.word(at)]) {
			article = article || clockArticles()[r.word(at)]
			at++
		}
		if n == 0 || at >= len(r.tokens) || !r.tokens[at].number || r.tokens[at].used {
			continue
		}
		minute, marked, size := facets.ReadClock(strings.ToLower(r.text[r.tokens[at].start:]))
		end := r.behind(at, r.tokens[at].start+size)
		if clockUnits()[r.word(end)] {
			marked, end = true, end+1
		}
		if size == 0 || !marked && !(article && !r.has(end, rolePeople)) {
			continue
		}
		bound := float64(minute)
		c := facets.Constraint{Slot: facets.StartTime, Min: &bound}
		if lead == roleBefore || lead == roleUntil {
			c.Min, c.Max, c.Below = nil, &bound, lead == roleBefore
		}
		r.add(c, i, end)
		return true
	}
	return false
}

// together2 says whether the token at i is apart from the one before it.
func (r *reader) together2(i int) bool {
	return r.tokens[i].used || r.tokens[i].comma || r.tokens[i].stop
}

// trailed reads a time whose "next" or "last" stands behind it, as in French and Spanish: "la
// semaine prochaine".
func (r *reader) trailed(i int) (p period, next int, ok bool) {
	k := i
	if articles()[r.word(k)] {
		k++
	}
	s, n := r.match(k, roleDay)
	if n == 0 || !r.nounFirst() {
		return p, 0, false
	}
	for _, lead := range []role{roleNext, rolePast} {
		if _, m := r.match(k+n, lead); m > 0 {
			p, ok = r.stretch(s.arg, lead)
			return p, k + n + m, ok
		}
	}
	return p, 0, false
}

// Words of times: marks of ordinals, articles, what a time begins with that is past, what leaves
// one open behind and what leads to it, what counts back from today, and a few.
var (
	ordinalMarks = everywhere("time.ordinal")
	dayArticles  = everywhere("time.article")
	pastSince    = everywhere("time.since")
	onwards      = everywhere("time.onwards")
	fromWords    = everywhere("time.from")
	rollings     = everywhere("time.rolling")
	fewWords     = everywhere("time.few")
	closings     = everywhere("time.closing")
)

// dayNumber reads the number of a day whose month is said later: "1er", "1.", "3".
func (r *reader) dayNumber(i int) (day, next int) {
	if i >= len(r.tokens) || !r.tokens[i].number {
		return 0, i
	}
	day, err := strconv.Atoi(r.word(i))
	if err != nil || day < 1 || day > 31 {
		return 0, i
	}
	next = i + 1
	if ordinalMarks()[r.word(next)] && r.tokens[next].glued {
		next++
	}
	return day, next
}

// unarticled is the first token at i or behind it that is no article.
func (r *reader) unarticled(i int) int {
	for i < len(r.tokens) && (articles()[r.word(i)] || dayArticles()[r.word(i)]) {
		i++
	}
	return i
}

// betweenDays reads two days of which only the second has its month: "entre le 1er et le 10
// décembre".
func (r *reader) betweenDays(i int) (p period, next int, ok bool) {
	day, mid := r.dayNumber(r.unarticled(i))
	if day == 0 {
		return p, 0, false
	}
	k := r.jointAt(mid)
	if k < 0 {
		return p, 0, false
	}
	second, end, ok := r.point(r.unarticled(k), true)
	if !ok || second.from.AddDate(0, 0, 1) != second.to || second.from.Day() < day {
		return p, 0, false
	}
	return period{second.from.AddDate(0, 0, day-second.from.Day()), second.to}, end, true
}

// hasDay says whether "coming" and its like lead to a day or a span of time.
func (r *reader) hasDay(i int) bool {
	_, n := r.match(i, roleNext)
	if n == 0 {
		return false
	}
	if _, m := r.match(i+n, roleDay); m > 0 {
		return true
	}
	_, _, ok := r.span(i + n)
	return ok
}

// led reads the time behind words that bound it.
func (r *reader) led(lead role, i int) (p period, next int, ok bool) {
	switch lead {
	case rolePast, roleNext, roleThis:
		return r.relative(lead, i)
	case roleBetween:
		first, mid, ok := r.point(r.unarticled(i), true)
		if !ok {
			return r.betweenDays(i)
		}
		k := r.jointAt(mid)
		if k < 0 {
			return p, 0, false
		}
		second, end, ok := r.point(r.unarticled(k), true)
		if !ok || second.to.Before(first.from) {
			return p, 0, false
		}
		return period{first.from, second.to}, end, true
	}
	point, next, ok := r.point(i, true)
	if !ok { // "since last year", "before next Friday"
		for _, inner := range []role{rolePast, roleNext, roleThis} {
			if _, n := r.match(i, inner); n > 0 {
				if point, next, ok = r.relative(inner, i+n); ok {
					break
				}
			}
		}
	}
	if !ok {
		return p, 0, false
	}
	switch lead {
	case roleSince:
		if pastSince()[r.word(i-1)] && point.from.After(r.today()) && !r.saysYear(i, next) {
			point.from = point.from.AddDate(-1, 0, 0) // what it began with is past
		}
		return period{from: point.from}, next, true
	case roleAfter:
		return period{from: point.to}, next, true
	case roleBefore:
		return r.since(period{to: point.from}), next, true
	case roleUntil:
		return r.since(period{to: point.to}), next, true
	}
	if _, n := longestAt(r.line, next, onwards()); n > 0 && fromWords()[r.word(i-1)] {
		return period{from: point.from}, next + n, true
	}
	return point, next, true
}

// since begins a time that ends in the future today where it is about what is to come: nobody who
// asks what is on before Christmas means last summer.
func (r *reader) since(p period) period {
	if r.force == "" && !r.closes() && r.ahead() && p.to.After(r.today()) {
		p.from = r.today()
	}
	return p
}

// relative reads what follows "last", "next" and "this": a span of time with a number, or the name
// of a stretch.
func (r *reader) relative(lead role, i int) (p period, next int, ok bool) {
	today := r.today()
	if from, n, ok := r.span(i); ok && lead != roleThis {
		if lead == rolePast {
			return period{from(today, -1), today.AddDate(0, 0, 1)}, n, true
		}
		return period{today, from(today, 1).AddDate(0, 0, 1)}, n, true
	}
	if month, ok := facets.Month(r.word(i)); ok && !r.numberFollows(i) {
		from := time.Date(today.Year(), month, 1, 0, 0, 0, 0, today.Location())
		switch {
		case lead == rolePast && !from.AddDate(0, 1, 0).Before(today):
			from = from.AddDate(-1, 0, 0)
		case lead == roleNext && !from.After(today):
			from = from.AddDate(1, 0, 0)
		}
		return period{from, from.AddDate(0, 1, 0)}, i + 1, true
	}
	s, n := r.match(i, roleDay)
	if n == 0 {
		return p, 0, false
	}
	if lead == rolePast && r.rolling(i) {
		switch s.arg {
		case "week":
			return period{today.AddDate(0, 0, -7), today.AddDate(0, 0, 1)}, i + n, true
		case "month":
			return period{today.AddDate(0, -1, 0), today.AddDate(0, 0, 1)}, i + n, true
		case "year":
			return period{today.AddDate(-1, 0, 0), today.AddDate(0, 0, 1)}, i + n, true
		}
	}
	p, ok = r.stretch(s.arg, lead)
	return p, i + n, ok
}

// rolling says whether the words before i lead to the time up to now: "in the last month", but not
// "last month".
func (r *reader) rolling(i int) bool {
	for k := max(0, i-longest(rollings())); k < i; k++ {
		if rollings()[r.phrase(k, i)] {
			return true
		}
	}
	return false
}

func (r *reader) numberFollows(i int) bool { return i+1 < len(r.tokens) && r.tokens[i+1].number }

// span reads so many days, weeks, months or years, as a step from a day.
func (r *reader) span(i int) (step func(day time.Time, times int) time.Time, next int, ok bool) {
	count, numbered := numberOf(r.word(i))
	if _, n := longestAt(r.line, i, fewWords()); n > 0 {
		count, numbered = 3, true
		i += n - 1
	}
	if !numbered || count < 1 || count > 1000 {
		return nil, 0, false
	}
	years, months, days := 0, 0, 0
	switch minutes, n := facets.ReadMinutes("1 " + r.word(i+1)); {
	case n == 0:
		return nil, 0, false
	case minutes >= 365*24*60:
		years = int(count)
	case minutes >= 30*24*60:
		months = int(count)
	case minutes >= 24*60:
		days = int(count * minutes / (24 * 60))
	default:
		return nil, 0, false
	}
	return func(day time.Time, times int) time.Time { return day.AddDate(times*years, times*months, times*days) },
		i + 2, true
}

// point reads a day, month or year at i. A month or a year alone is one only where something led to
// it.
func (r *reader) point(i int, led bool) (p period, next int, ok bool) {
	if i >= len(r.tokens) || r.tokens[i].used {
		return p, 0, false
	}
	if s, n := r.match(i, roleDay); n > 0 {
		switch s.arg {
		case "today", "tonight", "tomorrow", "yesterday":
			p, ok = r.stretch(s.arg, roleThis)
			return p, i + n, ok
		case "weekend", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday":
			if !led && len(r.tokens) > n && s.arg == "weekend" {
				return p, 0, false
			}
			p, ok = r.stretch(s.arg, roleThis)
			return p, i + n, ok
		case "spring", "summer", "autumn", "winter":
			if !led || !r.wanted("Event") && !r.only("Event") {
				return p, 0, false
			}
			p, ok = r.stretch(s.arg, roleThis)
			if year, err := strconv.Atoi(r.word(i + n)); err == nil && year > 1900 && year < 2100 {
				p.from = time.Date(year, p.from.Month(), 1, 0, 0, 0, 0, p.from.Location())
				return period{p.from, p.from.AddDate(0, 3, 0)}, i + n + 1, ok
			}
			return p, i + n, ok
		}
	}
	if led {
		if p, next, ok := r.holiday(i); ok {
			return p, next, true
		}
	}
	word := r.word(i)
	_, month := facets.Month(word)
	if !month && !r.tokens[i].number {
		return p, 0, false
	}
	from, to, n := facets.ReadDayOf(r.text[r.tokens[i].start:], r.at.Now.Year(), r.at.Now.Location())
	if n == 0 {
		return p, 0, false
	}
	next = r.at0(i, n)
	switch alone := next == i+1; {
	case alone && !led: // "may", "2020"
		return p, 0, false
	case alone && r.tokens[i].number &&
		(from.Year() < 1900 || from.Year() > 2100 || r.tokens[i].end-r.tokens[i].start < 4):
		return p, 0, false
	}
	if !from.Before(to) { // a moment stands for its day
		from = time.Date(from.Year(), from.Month(), from.Day(), 0, 0, 0, 0, from.Location())
		to = from.AddDate(0, 0, 1)
	}
	if month || !r.saysYear(i, next) {
		from, to = r.nearest(from, to, r.saysYear(i, next))
	}
	return period{from, to}, next, true
}

// saysYear says whether a number of four digits stands among the tokens from i to before j.
func (r *reader) saysYear(i, j int) bool {
	for ; i < j; i++ {
		if t := r.tokens[i]; t.number && t.end-t.start >= 4 {
			return true
		}
	}
	return false
}

// nearest moves a date without a year into the year that is meant: the next such day where events
// are, the last one where things are published.
func (r *reader) nearest(from, to time.Time, year bool) (time.Time, time.Time) {
	if year {
		return from, to
	}
	today := r.today()
	switch ahead := r.ahead(); {
	case ahead && !to.After(today):
		return from.AddDate(1, 0, 0), to.AddDate(1, 0, 0)
	case !ahead && from.After(today):
		return from.AddDate(-1, 0, 0), to.AddDate(-1, 0, 0)
	}
	return from, to
}

// ahead says whether times are about what is to come rather than what was published.
func (r *reader) ahead() bool {
	if r.force != "" {
		return r.force == facets.Start
	}
	if r.closes() {
		return true
	}
	if r.bygone {
		return false
	}
	return r.known(facets.Start) && (r.wanted("Event", "Course") || len(r.out.Types) == 0)
}

func (r *reader) today() time.Time {
	now := r.at.Now
	return time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
}

var seasons = map[string]time.Month{"spring": time.March, "summer": time.June, "autumn": time.September,
	"winter": time.December}

// stretch gives the named stretch of time that is the last, this or the next one. Weeks begin on
// Monday.
func (r *reader) stretch(name string, lead role) (p period, ok bool) {
	today := r.today()
	step := 0
	switch lead {
	case rolePast:
		step = -1
	case roleNext:
		step = 1
	}
	monday := today.AddDate(0, 0, -int(today.Weekday()+6)%7)
	days := func(from time.Time, n int) (period, bool) { return period{from, from.AddDate(0, 0, n)}, true }
	switch name {
	case "today", "tonight":
		return days(today, 1)
	case "tomorrow":
		return days(today.AddDate(0, 0, 1), 1)
	case "yesterday":
		return days(today.AddDate(0, 0, -1), 1)
	case "weekend":
		if step == 0 && today.Weekday() == time.Sunday && r.ahead() {
			return days(today, 1) // what is left of it
		}
		return days(monday.AddDate(0, 0, 5+7*step), 2)
	case "week":
		return days(monday.AddDate(0, 0, 7*step), 7)
	case "month":
		from := time.Date(today.Year(), today.Month()+time.Month(step), 1, 0, 0, 0, 0, today.Location())
		return period{from, from.AddDate(0, 1, 0)}, true
	case "year":
		from := time.Date(today.Year()+step, 1, 1, 0, 0, 0, 0, today.Location())
		return period{from, from.AddDate(1, 0, 0)}, true
	}
	if weekday, ok := facets.WeekdayOf(name); ok {
		day := monday.AddDate(0, 0, int(weekday+6)%7)
		switch {
		case lead == rolePast && !day.Before(today):
			day = day.AddDate(0, 0, -7)
		case lead != rolePast && day.Before(today), lead == roleNext:
			day = day.AddDate(0, 0, 7)
		}
		return days(day, 1)
	}
	if month, ok := seasons[name]; ok {
		from := time.Date(today.Year(), month, 1, 0, 0, 0, 0, today.Location())
		if month == time.December && today.Month() < time.March {
			from = from.AddDate(-1, 0, 0)
		}
		switch {
		case lead == rolePast && from.AddDate(0, 3, 0).After(today), lead == rolePast && from.After(today):
			from = from.AddDate(-1, 0, 0)
		case lead == roleThis && !r.ahead() && from.After(today):
			from = from.AddDate(-1, 0, 0)
		case lead == roleNext && !from.After(today),
			lead == roleThis && r.ahead() && !from.AddDate(0, 3, 0).After(today):
			from = from.AddDate(1, 0, 0)
		}
		return period{from, from.AddDate(0, 3, 0)}, true
	}
	return p, false
}

// dated makes the constraint of a time: when something begins, or when it was published.
func (r *reader) dated(p period, i, next int) bool {
	slot, ok := r.force, true
	if slot == "" {
		slot, ok = r.dateSlot(p, i)
	}
	if !ok {
		return false
	}
	r.add(facets.Constraint{Slot: slot, From: p.from, To: p.to}, i, next)
	return true
}

// deadline is the slot of the day until which a job can be applied for.
const deadline facets.Slot = "validThrough"

// closes says whether the time of a question for jobs is that by which they close.
func (r *reader) closes() bool {
	if !r.wanted("JobPosting") || !r.known(deadline) {
		return false
	}
	for i := range r.tokens[:min(len(r.tokens), 40)] {
		if closings()[r.word(i)] {
			return true
		}
	}
	return false
}

// releaseDate is the slot of products by which they are new or old.
const releaseDate facets.Slot = "releaseDate"

// publishing are words by which a time is that of publishing.
var publishing = everywhere("time.publishing")

func (r *reader) dateSlot(p period, i int) (facets.Slot, bool) {
	starts, published := r.known(facets.Start), r.known(facets.Published)
	said := publishing()[r.word(i-1)] || publishing()[r.word(i-2)]
	switch {
	case r.closes():
		return deadline, true
	case r.wanted("Product") && r.known(releaseDate) && r.past(p):
		return releaseDate, true
	case said && published && !r.wanted("Event"):
		return facets.Published, true
	case r.wanted("Event", "Course", "Trip") || r.wanted("JobPosting") && !published:
		return facets.Start, starts
	case len(r.out.Types) > 0 && r.past(p):
		return facets.Published, published
	case len(r.out.Types) > 0:
		return "", false
	case starts && (!r.past(p) || r.bygone && !published):
		return facets.Start, true
	}
	return facets.Published, published && r.past(p)
}

// past says whether a time lies before now, or reaches from there up to now.
func (r *reader) past(p period) bool {
	if p.from.IsZero() {
		return !p.to.After(r.today().AddDate(0, 0, 1))
	}
	return p.from.Before(r.today()) ||
		!p.to.IsZero() && !p.to.After(r.today().AddDate(0, 0, 1)) && p.from.Before(r.today())
}

// readForcedTime reads the time of an attribute, in which a month or a year needs nothing to lead
// to it.
func (r *reader) readForcedTime(i int) {
	if !r.readTime(i) {
		if p, next, ok := r.point(i, true); ok {
			r.dated(p, i, next)
		}
	}
}
