package query

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/content/facets"
)

// Dates and holidays of Japanese questions, what bounds them, and words for what has been.
var (
	jaDate   = regexp.MustCompile(`(?:([12][0-9]{3})年)?(?:の)?([0-9]{1,2})月(?:([0-9]{1,2})日)?|([12][0-9]{3})年`)
	jaSecond = regexp.MustCompile(`^(?:([0-9]{1,2})月)?(?:([0-9]{1,2})日)?(?:まで|の間)(?:の|に)?`)
	jaBounds = regexp.MustCompile(`^(?:中旬|上旬|下旬|中)?(以降|以後|以前|より前|より後|の前|の後|前|後|から|まで)?(?:に開催される|に行われる|に公開された|に)?(?:の|は|で)?`)
)

// when reads a date, a month, a year or a holiday: "7月", "12月1日から10日まで", "2025年以降", "クリスマスの後".
func (j *japanese) when() {
	bygone := j.first(jaBygones)
	j.bygone = bygone != ""
	p, words, ok := j.date()
	if !ok {
		p, words, ok = j.holidays()
	}
	if !ok {
		return
	}
	slot, ok := j.dateSlot(p, 0)
	if !ok {
		return
	}
	j.take(words, facets.Constraint{Slot: slot, From: p.from, To: p.to})
	if bygone != "" {
		for _, left := range []string{bygone, strings.TrimPrefix(bygone, "に")} {
			if strings.Contains(j.rest, left) {
				j.cut(left)
				break
			}
		}
	}
}

// date reads the first date of the question, and with what words it is said.
func (j *japanese) date() (p period, words string, ok bool) {
	m := jaDate.FindStringSubmatchIndex(j.rest)
	if m == nil {
		return p, "", false
	}
	part := func(i int) int {
		if m[2*i] < 0 {
			return 0
		}
		n, _ := strconv.Atoi(j.rest[m[2*i]:m[2*i+1]])
		return n
	}
	year, month, day := part(1), part(2), part(3)
	if month == 0 {
		from := time.Date(part(4), time.January, 1, 0, 0, 0, 0, j.at.Now.Location())
		p = period{from, from.AddDate(1, 0, 0)}
	} else if p, ok = j.dayOf(year, month, day); !ok {
		return p, "", false
	}
	said, behind := j.rest[m[0]:m[1]], j.rest[m[1]:]
	if to, found := strings.CutPrefix(behind, "から"); found {
		if s := jaSecond.FindStringSubmatch(to); s != nil && s[1]+s[2] != "" {
			last, from := month, p.from
			if s[1] != "" {
				last, _ = strconv.Atoi(s[1])
			}
			until, _ := strconv.Atoi(s[2])
			if second, ok := j.dayOf(from.Year(), last, until); ok {
				if second.to.Before(from) {
					second.to = second.to.AddDate(1, 0, 0)
				}
				return period{from, second.to}, said + "から" + s[0], true
			}
		}
	}
	p, bound := j.bounded(p, behind)
	return p, said + bound, true
}

// dayOf is a month, or a day of it; without a year it is the one that is meant.
func (j *japanese) dayOf(year, month, day int) (p period, ok bool) {
	if month < 1 || month > 12 || day > 31 {
		return p, false
	}
	in := year
	if in == 0 {
		in = j.at.Now.Year()
	}
	p.from = time.Date(in, time.Month(month), max(1, day), 0, 0, 0, 0, j.at.Now.Location())
	p.to = p.from.AddDate(0, 0, 1)
	if day == 0 {
		p.to = p.from.AddDate(0, 1, 0)
	}
	p.from, p.to = j.nearest(p.from, p.to, year != 0)
	return p, true
}

// bounded takes a time as the words behind it bound it, and says which these are.
func (j *japanese) bounded(p period, behind string) (period, string) {
	m := jaBounds.FindStringSubmatch(behind)
	switch m[1] {
	case "以降", "以後", "から":
		p.to = time.Time{}
	case "より後", "の後", "後":
		p = period{from: p.to}
	case "以前", "まで":
		p = j.since(period{to: p.to})
	case "より前", "の前", "前":
		p = j.since(period{to: p.from})
	}
	return p, m[0]
}

// holidays reads the name of a holiday that something bounds: "クリスマス前".
func (j *japanese) holidays() (p period, words string, ok bool) {
	name := ""
	for known := range holidays {
		if known[0] >= 0xe3 && len(known) > len(name) && strings.Contains(j.rest, known) {
			name = known
		}
	}
	if name == "" {
		return p, "", false
	}
	_, behind, _ := strings.Cut(j.rest, name)
	if m := jaBounds.FindStringSubmatch(behind); m[1] == "" {
		return p, "", false
	}
	p, bound := j.bounded(j.onHoliday(holidays[name]), behind)
	return p, name + bound, true
}

// jaName is a word as names are written.
const jaName = `[\p{Katakana}ー・]+|\p{Han}+`

// jaPlace is what may be a place, another beside it, and what leads from it to the rest.
var jaPlace = regexp.MustCompile(`(` + jaName + `)(?:(?:か|または|や)(` + jaName + `))?(の近くの|の近くで|の近く|近くの|付近の|周辺の|付近|周辺|による|が書いた|での|にある|で|の|$)`)

// names reads places, authors and brands by what the catalog taught: "ボンの近く", "東京か大阪の", "アンナの".
func (j *japanese) names() {
	for _, at := range jaPlace.FindAllStringSubmatchIndex(j.rest, 8) {
		group := func(i int) string {
			if at[2*i] < 0 {
				return ""
			}
			return j.rest[at[2*i]:at[2*i+1]]
		}
		c, ok := j.named(group(1))
		if !ok {
			continue
		}
		if other := group(2); other != "" {
			second, ok := j.named(other)
			if !ok || second.Slot != c.Slot {
				continue
			}
			c.Values = append(c.Values, second.Values...)
		}
		link := group(3)
		if c.Slot == facets.Location && (strings.Contains(link, "近く") || strings.Contains(link, "付近") || strings.Contains(link, "周辺")) {
			c.Around = nearbyKilometres
		}
		if c.Slot == facets.Category && link != "" && len(j.out.Types) == 0 {
			continue
		}
		j.take(group(0), c)
		return
	}
}

// named is the condition on what the catalog taught a name to be.
func (j *japanese) named(name string) (c facets.Constraint, ok bool) {
	for _, m := range j.at.Lexicon.Meanings(facets.Fold(name)) {
		switch m.Slot {
		case facets.Location, facets.Author, facets.Brand, facets.Category:
			return facets.Constraint{Slot: m.Slot, Values: []string{m.Value}}, true
		}
	}
	return c, false
}
