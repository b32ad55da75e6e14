package facts

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/content/facets"
	lang "frontdesk/internal/infra/language"
)

//go:embed languages keys.txt intents.txt codes.txt
var tables embed.FS

// fallback is the language for those that have no table.
const fallback = lang.Fallback

// tags are the languages that have a table.
var tags = lang.TagsIn(tables, "languages")

// language is one table: what is said, and the words that are known.
type language struct {
	tag     string
	texts   map[string]template
	lists   map[string][]string
	coded   map[string]map[string]string
	figures i18n.Speaker
}

// template is a text cut at its places: texts at even indexes, names of what is filled in at odd
// ones.
type template []string

var languages = sync.OnceValue(func() map[string]*language {
	all := map[string]*language{}
	for _, tag := range tags {
		all[tag] = newLanguage(tag)
		lang.MustRead(tables, "languages/"+tag+".txt", "=", all[tag].read)
		all[tag].figures = i18n.For(all[tag].say("figures"))
	}
	return all
})

// languageFor gives the table for a BCP 47 tag.
func languageFor(tag string) *language {
	base, _, _ := strings.Cut(strings.ToLower(tag), "-")
	if l, ok := languages()[base]; ok {
		return l
	}
	return languages()[fallback]
}

// Names gives the names, by intent, that properties have in the table of a language.
func Names(tag string) map[string][]string {
	all := map[string][]string{}
	for list, names := range languages()[tag].lists {
		if intent, ok := strings.CutPrefix(list, namesPrefix); ok {
			all[intent] = names
		}
	}
	return all
}

// States says whether an intent asks whether something is so.
func States(intent string) bool {
	switch intents()[intent].form {
	case "flag", "diet", "kind", "free":
		return true
	}
	return false
}

func newLanguage(tag string) *language {
	return &language{
		tag: tag, texts: map[string]template{}, lists: map[string][]string{}, coded: map[string]map[string]string{},
	}
}

// read reads a line of a table; keys.txt describes them.
func (l *language) read(line lang.Line) error {
	switch keys()[line.Key].kind {
	case textKey:
		l.texts[line.Key] = parseTemplate(line.Said)
	case listKey:
		l.lists[line.Key] = line.Phrases("|")
	case codedKey:
		l.coded[line.Key] = map[string]string{}
		for _, entry := range line.Phrases("|") {
			code, name, _ := strings.Cut(entry, " ")
			l.coded[line.Key][code] = name
		}
	default:
		return fmt.Errorf("keys.txt does not name %s", line.Key)
	}
	return nil
}

// parseTemplate cuts a text at its places. A blank at an end of the text is written "_".
func parseTemplate(text string) template {
	text = strings.ReplaceAll(text, "_", " ")
	var parts template
	for {
		before, rest, found := strings.Cut(text, "{")
		parts = append(parts, before)
		if !found {
			return parts
		}
		slot, after, _ := strings.Cut(rest, "}")
		parts, text = append(parts, slot), after
	}
}

// say says a text; filled are names of places, each followed by what is filled in.
func (l *language) say(key string, filled ...string) string {
	parts := l.texts[key]
	if len(parts) == 1 {
		return parts[0]
	}
	var b strings.Builder
	for i, part := range parts {
		if i%2 == 0 {
			b.WriteString(part)
			continue
		}
		for at := 0; at+1 < len(filled); at += 2 {
			if filled[at] == part {
				b.WriteString(filled[at+1])
				break
			}
		}
	}
	return b.String()
}

// has says whether a text is in the table.
func (l *language) has(key string) bool { return l.texts[key] != nil }

// list joins values as an enumeration. A sentence tells only the first of many.
func (l *language) list(values []string) string {
	if len(values) > maxTold {
		values = append(values[:maxTold:maxTold], l.say("list.more"))
	}
	switch last := len(values) - 1; last {
	case -1:
		return ""
	case 0:
		return values[0]
	default:
		return strings.Join(values[:last], l.say("list.comma")) + l.say("list.and") + values[last]
	}
}

// joined joins statements in one sentence.
func (l *language) clauses(parts ...string) string { return strings.Join(parts, l.say("list.clause")) }

// words says whether a value is one of a list of words, in any of the languages.
func words(list, value string) bool {
	folded := facets.Fold(value)
	for _, l := range languages() {
		for _, word := range l.lists[list] {
			if facets.Fold(word) == folded {
				return true
			}
		}
	}
	return false
}

// clock writes a time of day, in minutes from a midnight, as the language does. English has twelve
// hours, without minutes on the hour: "5 pm" is what people say on both sides of the Atlantic, and
// noon and midnight are never mistaken. One form stands in a sentence; two are harder to read.
func (l *language) clock(minute int) string {
	if minute != dayMinutes {
		minute %= dayMinutes
	}
	hour, rest := minute/60, minute%60
	if l.say("clock.hours") != "12" {
		return pad(hour) + ":" + pad(rest)
	}
	switch minute {
	case 0, dayMinutes:
		return l.say("clock.midnight")
	case dayMinutes / 2:
		return l.say("clock.noon")
	}
	key := "clock.am"
	if hour >= 12 {
		key = "clock.pm"
	}
	time := strconv.Itoa((hour+11)%12 + 1)
	if rest > 0 {
		time += ":" + pad(rest)
	}
	return l.say(key, "time", time)
}

func pad(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

// date writes a date without its weekday.
func (l *language) date(t time.Time) string { return l.dated("date", t) }

// onDate writes a date with its weekday, as it stands in "open on ...".
func (l *language) onDate(t time.Time) string { return l.dated("date.on", t) }

func (l *language) dated(key string, t time.Time) string {
	day := strconv.Itoa(t.Day())
	if t.Day() == 1 {
		day = l.say("date.first")
	}
	weekday := mondayFirst(t.Weekday())
	return l.say(key, "day", day, "month", l.lists["months"][t.Month()-1], "year", strconv.Itoa(t.Year()),
		"on", l.lists["days.on"][weekday], "weekday", l.lists["days"][weekday])
}

// money writes an amount in a currency.
func (l *language) money(amount float64, currency string) string {
	return l.figures.With(currency, l.figures.Amount(amount))
}
