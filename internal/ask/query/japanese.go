package query

import (
	"regexp"
	"slices"
	"strings"

	"frontdesk/internal/content/facets"
	"frontdesk/internal/infra/language"
)

// Japanese is written without blanks: its conditions are found by their signs within the text.
var (
	jaMoney   = regexp.MustCompile(`([0-9０-９][0-9０-９,，]*)(円|ドル|ユーロ)(以下|以内|未満|以上|より高い|より安い|まで)`)
	jaMinutes = regexp.MustCompile(`([0-9０-９]+)(分|時間)(以下|以内|未満|以上|で作れる|でできる|でできる)`)
	jaKcal    = regexp.MustCompile(`([0-9０-９]+)(?:kcal|キロカロリー|カロリー)(以下|未満|以上)`)
	jaRating  = regexp.MustCompile(`(?:評価|星)([0-9０-９](?:\.[0-9])?)(?:つ)?(以上)`)
	jaPeople  = regexp.MustCompile(`([0-9０-９]+)(?:人分|人前)`)
	// jaKanji is a number of people in words.
	jaKanji = regexp.MustCompile(`([一二三四五六七八])人(?:分|前)`)
	jaCount = regexp.MustCompile(`([0-9０-９]+)(?:件|個|つ)(?:の)?`)
)

// piece is a phrase that is looked for within a text, with the argument of its list.
type piece struct{ word, argument string }

// withinOf are the phrases of the lists of a key in all languages, the longest first.
func withinOf(key string) (all []piece) {
	for list := range language.Each(key) {
		for _, phrase := range list.Phrases {
			all = append(all, piece{phrase, list.Argument})
		}
	}
	slices.SortStableFunc(all, func(a, b piece) int { return len(b.word) - len(a.word) })
	return all
}

// Phrases of Japanese questions.
var (
	jaDiets, jaTypes, jaSorts = withinOf("within.diet"), withinOf("within.type"), withinOf("within.sort")
	jaDays                    = withinOf("within.day")
	jaDetails, jaWork         = withinOf("within.detail"), withinOf("within.work")
	jaGone, jaNow, jaBygones  = withinOf("within.gone"), withinOf("within.now"), withinOf("within.bygone")
	jaFree, jaCheap           = withinOf("within.gratis"), withinOf("within.cheap")
	jaThings                  = everywhere("within.thing")
)

// readJapanese reads the common conditions of a Japanese question.
// It says whether there are any: nothing else reads the question then.
func (r *reader) readJapanese() bool {
	if strings.IndexFunc(r.text, func(r rune) bool { return r >= 0x3040 && r <= 0x30ff || r >= 0x4e00 && r <= 0x9fff }) < 0 {
		return false
	}
	j := &japanese{reader: r, rest: r.text}
	j.figure(jaMoney, facets.Price)
	j.figure(jaMinutes, facets.TotalTime)
	j.figure(jaKcal, facets.Calories)
	j.figure(jaRating, facets.Rating)
	if m := jaPeople.FindStringSubmatch(j.rest); m != nil && r.known(facets.Yield) {
		people, _ := facets.ReadNumber(m[1])
		most := people + 2
		j.take(m[0], facets.Constraint{Slot: facets.Yield, Min: &people, Max: &most})
	}
	if m := jaKanji.FindStringSubmatch(j.rest); m != nil && r.known(facets.Yield) {
		people := float64(strings.Index("一二三四五六七八", m[1])/len("一") + 1)
		most := people + 2
		j.take(m[0], facets.Constraint{Slot: facets.Yield, Min: &people, Max: &most})
	}
	for _, d := range jaDiets {
		if strings.Contains(j.rest, d.word) && r.known(facets.Diet) {
			j.take(d.word, facets.Constraint{Slot: facets.Diet, Values: []string{d.argument}})
		}
	}
	j.without()
	j.traits()
	for _, s := range jaSorts {
		if r.out.Sort.By == "" && strings.Contains(j.rest, s.word) && r.known(sortOf(s.argument).By) {
			r.out.Sort = sortOf(s.argument)
			r.out.Sort.Said = s.word
			j.cut(s.word)
		}
	}
	for _, t := range jaTypes {
		switch said := strings.Contains(j.rest, t.word) && r.have(t.argument) > 0; {
		case said && len(r.out.Types) == 0:
			r.out.Types = append(r.out.Types, t.argument)
			j.cut(t.word)
		case said && r.wanted(t.argument): // "子供向けのイベント": it says once more what was said
			j.cut(t.word)
		}
	}
	j.work()
	j.times()
	j.prices()
	j.when()
	j.names()
	for _, d := range jaDays {
		lead, name, _ := strings.Cut(d.argument, " ")
		if p, ok := r.stretch(name, roleNames[lead]); ok && strings.Contains(j.rest, d.word) {
			if slot, ok := r.dateSlot(p, 0); ok {
				j.take(d.word, facets.Constraint{Slot: slot, From: p.from, To: p.to})
				break
			}
		}
	}
	if m := jaCount.FindStringSubmatch(j.rest); m != nil && j.changed {
		if n, _ := facets.ReadNumber(m[1]); n >= 1 && n <= mostCount {
			r.out.Count = int(n)
			j.cut(m[0])
		}
	}
	j.settle()
	return j.changed
}

// without reads what is not wanted.
func (j *japanese) without() {
	found, beside := refusalForms.Within(j.rest)
	for _, refused := range found {
		thing := refused.Thing
		switch typ := j.typeOf(thing); {
		case slices.ContainsFunc(jaWork, func(w piece) bool { return w.word == thing }) && j.have("JobPosting") > 0: // see work
		case refused.Class != "":
			j.take(refused.Said, j.lacking(refused.Class, refused.Allergy))
		case typ != "":
			j.take(refused.Said, facets.Constraint{Slot: facets.OfType, Not: true, Values: []string{typ}})
		default:
			c, ok := j.named(thing)
			if said := facets.TraitsAt(thing, facets.LanguageNamed("ja")); !ok && len(said) > 0 && j.stated(said[0].Slot) {
				c = facets.Constraint{Slot: said[0].Slot, Values: []string{said[0].Value}}
			} else if !ok {
				c = facets.Constraint{Slot: facets.Mention, Values: []string{thing}}
				if j.known(facets.Ingredient) {
					c.Slot = facets.Ingredient
				}
			}
			c.Not, c.Allergy = true, refused.Allergy
			j.take(refused.Said, c)
		}
	}
	for _, words := range beside {
		j.cut(words)
	}
}

// traits reads the values of attributes.
func (j *japanese) traits() {
	for _, said := range facets.TraitsWithin(j.rest) {
		if j.stated(said.Slot) && strings.Contains(j.rest, said.Said) {
			j.take(said.Said, facets.Constraint{Slot: said.Slot, Values: []string{said.Value}})
		}
	}
}

// typeOf is the type of items that a word names, if the catalog has any.
func (r *reader) typeOf(word string) string {
	for _, t := range jaTypes {
		if t.word == word && r.have(t.argument) > 0 {
			return t.argument
		}
	}
	return ""
}

// japanese is a question of which conditions are cut.
type japanese struct {
	*reader
	rest    string
	changed bool
}

func (j *japanese) cut(words string) {
	j.rest = strings.Replace(j.rest, words, " ", 1)
	j.changed = true
}

func (j *japanese) take(words string, c facets.Constraint) {
	c.Source, c.Said = facets.FromText, words
	j.out.Constraints = append(j.out.Constraints, c)
	j.cut(words)
}

// figure takes a bounded figure.
func (j *japanese) figure(form *regexp.Regexp, slot facets.Slot) {
	m := form.FindStringSubmatch(j.rest)
	if m == nil || !j.known(slot) {
		return
	}
	value, n := facets.ReadNumber(strings.ReplaceAll(m[1], "，", ","))
	if n == 0 {
		return
	}
	c := facets.Constraint{Slot: slot}
	switch {
	case slot == facets.Price:
		c.Unit = facets.CurrencyOf(m[2])
	case len(m) > 3 && m[2] == "時間":
		value *= 60
	}
	switch bound := m[len(m)-1]; bound {
	case "以上":
		c.Min = &value
	case "より高い":
		c.Min, c.Above = &value, true
	case "未満", "より安い":
		c.Max, c.Below = &value, true
	default:
		c.Max = &value
	}
	j.take(m[0], c)
}

// idle are what is left between conditions and says nothing.
var idle = strings.NewReplacer("の", " ", "で", " ", "が", " ", "を", " ", "は", " ", "な", " ", "ください", " ", "教えて", " ", "おすすめ", " ", "、", " ", "？", " ", "?", " ", "。", " ")

func (j *japanese) settle() {
	if !j.changed {
		return
	}
	j.out.Text = strings.Join(strings.Fields(j.rest), " ")
	if jaThings[j.out.Text] {
		j.out.Text = ""
	}
	for _, particle := range []string{"の", "で", "が", "を", "は", "な", "に", "、"} {
		j.out.Text = strings.TrimSuffix(strings.TrimPrefix(j.out.Text, particle), particle)
	}
	if left := strings.TrimSpace(idle.Replace(j.out.Text)); left == "" || jaThings[left] {
		j.out.Text = ""
	}
}
