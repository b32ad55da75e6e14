package query

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/ask/properties"
	"frontdesk/internal/ask/wording"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/infra/language"
)

// Languages that are written without blanks have no words to walk along: what they say is looked
// for within the text, by the phrases and patterns under the keys that begin with "within".

// piece is a phrase or pattern that is looked for within a text, with the argument of its list.
type piece struct{ word, argument string }

// withinOf are the phrases of the lists of a key in all languages, the longest first.
func withinOf(key string) func() []piece {
	return sync.OnceValue(func() (all []piece) {
		for list := range language.Each(key) {
			for _, phrase := range list.Phrases {
				all = append(all, piece{phrase, list.Argument})
			}
		}
		slices.SortStableFunc(all, func(a, b piece) int { return len(b.word) - len(a.word) })
		return all
	})
}

// patternOf is the pattern of any of some phrases.
func patternOf(pieces []piece) string {
	words := make([]string, len(pieces))
	for i, p := range pieces {
		words[i] = regexp.QuoteMeta(p.word)
	}
	return strings.Join(words, "|")
}

// form is a pattern of a list, with its argument.
type form struct {
	*regexp.Regexp
	argument string
}

// formsOf are the patterns of the lists of a key, in which {bound} and {time} stand for the phrases
// of those lists.
func formsOf(key string) func() []form {
	return sync.OnceValue(func() (all []form) {
		fill := strings.NewReplacer("{bound}", patternOf(boundsWithin()), "{time}", patternOf(timesWithin()))
		for _, p := range withinOf(key)() {
			all = append(all, form{regexp.MustCompile(fill.Replace(p.word)), p.argument})
		}
		return all
	})
}

// Phrases and patterns of questions without blanks.
var (
	boundsWithin, timesWithin = withinOf("within.bound"), withinOf("within.time")

	dietsWithin, typesWithin, sortsWithin = withinOf("within.diet"), withinOf("within.type"), withinOf("within.sort")
	daysWithin, weekdaysWithin            = withinOf("within.day"), withinOf("day")
	workWithin, notsWithin                = withinOf("within.work"), withinOf("within.not")
	goneWithin, nowWithin, bygonesWithin  = withinOf("within.gone"), withinOf("within.now"), withinOf("within.bygone")
	gratisWithin, deliveredWithin         = withinOf("within.gratis"), withinOf("within.delivered")
	cheapWithin, cheaperWithin            = withinOf("within.cheap"), withinOf("within.cheaper")
	particlesWithin, thingsWithin         = withinOf("within.particle"), everywhere("within.thing")
	emptyWithin                           = replacerOf("within.empty")
	figuresWithin, countsWithin           = formsOf("within.figure"), formsOf("within.count")
	namesWithin, datesWithin              = formsOf("within.name"), formsOf("within.date")
	untilWithin, behindWithin             = formsOf("within.until"), formsOf("within.behind")
	reasonsWithin                         = withinOf("within.reason")
)

// replacerOf puts the arguments of the lists of a key in the place of their phrases, with blanks
// for those that have none.
func replacerOf(key string) func() *strings.Replacer {
	return sync.OnceValue(func() *strings.Replacer {
		var pairs []string
		for _, p := range withinOf(key)() {
			pairs = append(pairs, p.word, p.argument+" ")
		}
		return strings.NewReplacer(pairs...)
	})
}

// joined is a question of which conditions are cut.
type joined struct {
	*reader
	rest    string
	changed bool
}

// readWithin reads the conditions of a question in a script without blanks. It says whether there
// are any: nothing else reads the question then.
func (r *reader) readWithin() bool {
	if !language.IsJoined(r.text) {
		return false
	}
	w := &joined{reader: r, rest: r.text}
	w.figures()
	for _, d := range dietsWithin() {
		if r.knowsDiet(d.argument) {
			w.take(d.word, facets.Constraint{Slot: facets.Diet, Values: []string{d.argument}})
		}
	}
	w.properties()
	w.without()
	w.traits()
	w.tongues()
	w.kinds()
	w.work()
	w.current()
	w.prices()
	w.when()
	w.names()
	w.weekdays()
	for _, d := range daysWithin() {
		lead, name, _ := strings.Cut(d.argument, " ")
		if p, ok := r.stretch(name, roleNames[lead]); ok && strings.Contains(w.rest, d.word) {
			if slot, ok := r.dateSlot(p, 0); ok {
				w.take(d.word, facets.Constraint{Slot: slot, From: p.from, To: p.to})
				break
			}
		}
	}
	for _, f := range countsWithin() {
		if m := f.FindStringSubmatch(w.rest); m != nil && w.changed {
			if n, _ := facets.ReadNumber(m[1]); n >= 1 && n <= mostCount {
				r.out.Count = int(n)
				w.cut(m[0])
			}
		}
	}
	w.settle()
	return w.changed
}

// weekdays reads on which days of the week something is to be, where nothing says which week's.
func (w *joined) weekdays() {
	for _, d := range weekdaysWithin() {
		at := strings.Index(w.rest, d.word)
		if days := facets.Weekdays(d.argument); at >= 0 && len(days) > 0 && w.known(facets.Days) &&
			language.Joined([]rune(d.word)[0]) &&
			!slices.ContainsFunc(daysWithin(),
				func(p piece) bool { return strings.Contains(w.rest[:at+len(d.word)], p.word) }) {
			w.take(d.word, facets.Constraint{Slot: facets.Days, Values: days, Stated: true})
		}
	}
}

// cut takes words out of the question.
func (w *joined) cut(words string) {
	w.rest = strings.Replace(w.rest, words, " ", 1)
	w.changed = true
}

// take is cut for words that say a condition; it does nothing where they are not left.
func (w *joined) take(words string, c facets.Constraint) {
	if !strings.Contains(w.rest, words) {
		return
	}
	c.Source, c.Said = facets.FromText, words
	w.out.Constraints = append(w.out.Constraints, c)
	w.cut(words)
}

// first is the first of some phrases that is left.
func (w *joined) first(pieces []piece) (first piece) {
	if i := slices.IndexFunc(pieces, func(p piece) bool { return strings.Contains(w.rest, p.word) }); i >= 0 {
		first = pieces[i]
	}
	return first
}

// figures takes bounded figures. The groups of their patterns are the number, its unit and its
// bound; people without one are so many or a few more.
func (w *joined) figures() {
	for _, f := range figuresWithin() {
		m, slot := f.FindStringSubmatch(w.rest), facets.Slot(f.argument)
		if m == nil || !w.known(slot) {
			continue
		}
		value, n := facets.ReadNumber(strings.ReplaceAll(m[1], "，", ","))
		if word, ok := facets.NumberWord(m[1]); ok {
			value, n = word, len(m[1])
		}
		if minutes, k := facets.ReadMinutes(m[1] + m[2]); k > 0 {
			value = minutes
		}
		if n == 0 {
			continue
		}
		c := facets.Constraint{Slot: slot, Unit: facets.CurrencyOf(m[2])}
		bound := ""
		if i := slices.IndexFunc(boundsWithin(), func(p piece) bool { return p.word == m[3] }); i >= 0 {
			bound = boundsWithin()[i].argument
		}
		few := value + 2
		switch {
		case bound == "" && slot == facets.Yield:
			c.Min, c.Max = &value, &few
		case bound == "least" || bound == "above":
			c.Min, c.Above = &value, bound == "above"
		default:
			c.Max, c.Below = &value, bound == "below"
		}
		w.take(m[0], c)
	}
}

// properties reads what items state under names of their own.
func (w *joined) properties() {
	found, said := properties.Within(w.rest, w.at.Lexicon.Properties())
	for i, f := range found {
		w.take(said[i], f.Condition)
	}
}

// without reads what is not wanted.
func (w *joined) without() {
	found, beside := refusalForms().Within(w.rest)
	for _, refused := range found {
		thing := refused.Thing
		switch typ := w.typeOf(thing); {
		case slices.ContainsFunc(workWithin(), func(p piece) bool { return p.word == thing }) &&
			w.have("JobPosting") > 0:
			// see work
		case refused.Class != "":
			w.take(refused.Said, w.lacking(refused.Class, refused.Allergy))
		case typ != "":
			w.take(refused.Said, facets.Constraint{Slot: facets.OfType, Not: true, Values: []string{typ}})
		default:
			c, ok := w.named(thing)
			if said := facets.TraitsAt(thing, facets.LanguageNamed("ja")); !ok && len(said) > 0 &&
				w.stated(said[0].Slot) {
				c = facets.Constraint{Slot: said[0].Slot, Values: []string{said[0].Value}}
			} else if !ok {
				c = facets.Constraint{Slot: facets.Mention, Values: []string{thing}}
				if w.known(facets.Ingredient) {
					c.Slot = facets.Ingredient
				}
			}
			c.Not, c.Allergy = true, refused.Allergy
			w.take(refused.Said, c)
		}
	}
	for _, words := range beside {
		w.cut(words)
	}
}

// traits reads the values of attributes.
func (w *joined) traits() {
	for _, said := range facets.TraitsWithin(w.rest) {
		if w.stated(said.Slot) {
			w.take(said.Said, facets.Constraint{Slot: said.Slot, Values: []string{said.Value}})
		}
	}
}

// tongues reads the languages that somebody is to speak.
func (w *joined) tongues() {
	if !w.known(facets.Spoken) {
		return
	}
	codes, said := facets.SpokenWithin(w.rest)
	for i, code := range codes {
		w.take(said[i], facets.Constraint{Slot: facets.Spoken, Values: []string{code}, Stated: true})
	}
}

// typeOf is the type of items that a word names, if the catalog has any.
func (r *reader) typeOf(word string) string {
	for _, t := range typesWithin() {
		if t.word == word && r.have(t.argument) > 0 {
			return t.argument
		}
	}
	return ""
}

// kinds takes an order, and types of items.
func (w *joined) kinds() {
	for _, s := range sortsWithin() {
		if w.out.Sort.By == "" && strings.Contains(w.rest, s.word) && w.known(sortOf(s.argument).By) {
			w.out.Sort = sortOf(s.argument)
			w.out.Sort.Said = s.word
			w.cut(s.word)
		}
	}
	for _, t := range typesWithin() {
		if !strings.Contains(w.rest, t.word) || w.have(t.argument) == 0 {
			continue
		}
		if len(w.out.Types) == 0 {
			w.out.Types = append(w.out.Types, t.argument)
		}
		if w.wanted(t.argument) { // or it says once more what was said
			w.cut(t.word)
		}
	}
}

// work takes how and where one works, where jobs are wanted.
func (w *joined) work() {
	for _, p := range workWithin() {
		slot := facets.Employment
		if p.argument == facets.Remote {
			slot = facets.Workplace
		}
		if !w.wanted("JobPosting") || !strings.Contains(w.rest, p.word) || !w.known(slot) {
			continue
		}
		c := facets.Constraint{Slot: slot, Values: []string{p.argument}}
		for _, not := range notsWithin() {
			if strings.Contains(w.rest, p.word+not.word) {
				p.word, c.Not = p.word+not.word, true
				break
			}
		}
		w.take(p.word, c)
	}
}

// current takes what is over and what is on.
func (w *joined) current() {
	if !w.wanted("Event", "Course") || !w.known(facets.Start) {
		return
	}
	today := w.today()
	if gone := w.first(goneWithin()).word; gone != "" {
		w.take(gone, facets.Constraint{Slot: facets.End, To: today})
		if w.out.Sort.By == "" {
			w.out.Sort = facets.Sort{By: facets.Start, Descending: true, Said: gone}
		}
	} else if now := w.first(nowWithin()).word; now != "" {
		w.take(now, facets.Constraint{Slot: facets.Start, From: today, To: today.AddDate(0, 0, 1)})
	}
}

// prices takes what costs nothing, and what costs little.
func (w *joined) prices() {
	if !w.known(facets.Price) {
		return
	}
	free, cheap := w.first(gratisWithin()).word, w.first(cheapWithin()).word
	switch {
	case free != "" &&
		!slices.ContainsFunc(deliveredWithin(), func(p piece) bool { return strings.Contains(w.rest, p.word+free) }):
		nothing := 0.0
		w.take(free, facets.Constraint{Slot: facets.Price, Max: &nothing})
	case cheap != "" && !w.wanted("JobPosting", "Article") && w.first(cheaperWithin()).word == "":
		w.take(cheap, facets.Constraint{Slot: facets.Price, Cheap: true, Soft: true})
	}
}

// when takes a date, a month, a year or a holiday: "7月", "12月1日から10日まで", "2025年以降", "クリスマスの後".
func (w *joined) when() {
	bygone := w.first(bygonesWithin()).word
	w.bygone = bygone != ""
	p, words, ok := w.date()
	if !ok {
		p, words, ok = w.holidays()
	}
	if !ok {
		return
	}
	slot, ok := w.dateSlot(p, 0)
	if !ok {
		return
	}
	w.take(words, facets.Constraint{Slot: slot, From: p.from, To: p.to})
	if bygone == "" {
		return
	}
	if !strings.Contains(w.rest, bygone) { // what the time took of it
		for _, particle := range particlesWithin() {
			bygone = strings.TrimPrefix(bygone, particle.word)
		}
	}
	w.cut(bygone)
}

// date reads the first date of the question, and with what words it is said. The groups of its
// patterns are the year, the month, the day, and a year alone; those of an end are its month and
// its day.
func (w *joined) date() (p period, words string, ok bool) {
	for _, f := range datesWithin() {
		at := f.FindStringIndex(w.rest)
		if at == nil {
			continue
		}
		part := numbersIn(f.FindStringSubmatch(w.rest))
		year, month, day := part[1], part[2], part[3]
		if month == 0 {
			from := time.Date(part[4], time.January, 1, 0, 0, 0, 0, w.at.Now.Location())
			p = period{from, from.AddDate(1, 0, 0)}
		} else if p, ok = w.dayOf(year, month, day); !ok {
			return p, "", false
		}
		said, behind := w.rest[at[0]:at[1]], w.rest[at[1]:]
		for _, until := range untilWithin() {
			m := until.FindStringSubmatch(behind)
			if m == nil || m[1]+m[2] == "" {
				continue
			}
			last := numbersIn(m)
			if last[1] == 0 {
				last[1] = month
			}
			if end, ok := w.dayOf(p.from.Year(), last[1], last[2]); ok {
				if end.to.Before(p.from) {
					end.to = end.to.AddDate(1, 0, 0)
				}
				return period{p.from, end.to}, said + m[0], true
			}
		}
		p, bound, _ := w.bounded(p, behind)
		return p, said + bound, true
	}
	return p, "", false
}

// numbersIn are the groups of a match as numbers, 0 for those that have none.
func numbersIn(groups []string) []int {
	numbers := make([]int, len(groups))
	for i, group := range groups {
		numbers[i], _ = strconv.Atoi(group)
	}
	return numbers
}

// dayOf is a month, or a day of it; without a year it is the one that is meant.
func (w *joined) dayOf(year, month, day int) (p period, ok bool) {
	if month < 1 || month > 12 || day > 31 {
		return p, false
	}
	in := year
	if in == 0 {
		in = w.at.Now.Year()
	}
	p.from = time.Date(in, time.Month(month), max(1, day), 0, 0, 0, 0, w.at.Now.Location())
	p.to = p.from.AddDate(0, 0, 1)
	if day == 0 {
		p.to = p.from.AddDate(0, 1, 0)
	}
	p.from, p.to = w.nearest(p.from, p.to, year != 0)
	return p, true
}

// bounded takes a time as the words behind it bound it, and says which these are, and whether any
// bounds it.
func (w *joined) bounded(p period, behind string) (_ period, words string, bounds bool) {
	for _, f := range behindWithin() {
		m := f.FindStringSubmatch(behind)
		if m == nil {
			continue
		}
		for _, t := range timesWithin() {
			if t.word != m[1] {
				continue
			}
			switch roleNames[t.argument] {
			case roleSince:
				p.to = time.Time{}
			case roleAfter:
				p = period{from: p.to}
			case roleUntil:
				p = w.since(period{to: p.to})
			case roleBefore:
				p = w.since(period{to: p.from})
			}
			return p, m[0], true
		}
		return p, m[0], false
	}
	return p, "", false
}

// holidays reads the name of a holiday that something bounds: "クリスマス前".
func (w *joined) holidays() (p period, words string, ok bool) {
	name := ""
	for known := range holidays() {
		if language.IsJoined(known) && len(known) > len(name) && strings.Contains(w.rest, known) {
			name = known
		}
	}
	if name == "" {
		return p, "", false
	}
	_, behind, _ := strings.Cut(w.rest, name)
	p, bound, ok := w.bounded(w.onHoliday(holidays()[name]), behind)
	return p, name + bound, ok
}

// names takes places, authors and brands by what the catalog taught: "ボンの近く", "東京か大阪の", "アンナの". The
// groups are the name, another beside it, what says near it, and what else leads to the rest.
func (w *joined) names() {
	for _, f := range namesWithin() {
		for _, m := range f.FindAllStringSubmatch(w.rest, 8) {
			c, ok := w.named(m[1])
			if !ok {
				continue
			}
			if other := m[2]; other != "" {
				second, ok := w.named(other)
				if !ok || second.Slot != c.Slot {
					continue
				}
				c.Values = append(c.Values, second.Values...)
			}
			if c.Slot == facets.Location && m[3] != "" {
				c.Around = wording.Nearby
			}
			if c.Slot == facets.Category && m[3]+m[4] != "" && len(w.out.Types) == 0 {
				continue
			}
			w.take(m[0], c)
			return
		}
	}
}

// named is the condition on what the catalog taught a name to be.
func (w *joined) named(name string) (c facets.Constraint, ok bool) {
	for _, m := range w.at.Lexicon.Meanings(facets.Fold(name)) {
		switch m.Slot {
		case facets.Location, facets.Author, facets.Brand, facets.Category:
			return facets.Constraint{Slot: m.Slot, Values: []string{m.Value}}, true
		}
	}
	return c, false
}

// settle makes the text that is searched for of what is left.
func (w *joined) settle() {
	if !w.changed {
		return
	}
	text := strings.Join(strings.Fields(w.unreasoned()), " ")
	if thingsWithin()[text] {
		text = ""
	}
	for _, p := range particlesWithin() {
		text = strings.TrimSuffix(strings.TrimPrefix(text, p.word), p.word)
	}
	if left := strings.TrimSpace(emptyWithin().Replace(text)); left == "" || thingsWithin()[left] {
		text = ""
	}
	w.out.Text = text
}

// unreasoned is what is left of the question without why it is asked: "猫がいるので", "、職場で渡すので".
func (w *joined) unreasoned() string {
	for _, p := range reasonsWithin() {
		why, wish, ok := strings.Cut(w.rest, p.word)
		if ok && strings.TrimSpace(emptyWithin().Replace(wish)) != "" {
			return wish
		}
		if at := strings.LastIndex(why, "、"); ok && at > 0 {
			return why[:at]
		}
	}
	return w.rest
}
