// Package practical recognises practical questions: what visitors ask of a site's owner rather than
// of its content, such as when it is open, what delivery costs or whether dogs are let in.
//
// Enter at Read, which says what is asked for, how sure that is, and which day, country or people
// it names; Onward reads a question that comes after another. What the package knows is data: one
// table a language in tables, with the intents in brackets, and under each "title:" with what pages
// on it are called, and "ask:" with how people ask, separated by semicolons. {thing}, {place} and
// {person} in a question stand for the words of that name, {country} for any country.
//
// Two sections are no intents. [none] has questions that look for items, so that these are told
// apart. [words] has lines "name: words", the same names in all tables: days, groups of people,
// words for yes and no; "place" has the schema.org type that each word names, and names with "say-"
// are texts with {places} to fill in.
//
// All tables have the same sections, in the same order; a test holds that, and that no question
// stands under two intents. Who adds a language adds a table, and trains the model anew.
//
// Names with "holiday-" are days of a year, which differ between languages; holidayPrefix says how
// they are written.
//
// The model is weights.bin: a logistic regression over words, parts of words and what they mean
// together, which the command train makes from the tables.
//
// The package is pure, and knows nothing of items or of answers.
package practical

//go:generate go run frontdesk/internal/ask/practical/train

import (
	"embed"
	"errors"
	"fmt"
	"strings"
	"sync"

	"frontdesk/internal/infra/language"
)

// Languages are those that have a table.
var Languages = language.TagsIn(tables, "tables")

//go:embed tables/*.txt intents.txt
var tables embed.FS

// The sections that are no intents.
const (
	None     = "none"  // questions that look for items
	wordList = "words" // what questions are read with
)

// Phrase is a way to say an intent.
type Phrase struct {
	Intent, Language, Text string
	Title                  bool // it is what pages are called, and not how people ask
}

// Phrases gives all phrases of a language, in the order of its table. An error says what is wrong
// with the table.
func Phrases(language string) ([]Phrase, error) {
	t, err := readTable(language)
	return t.phrases, err
}

// table is what a language's table holds.
type table struct {
	phrases []Phrase
	words   map[string][]string
	names   []string // of words, in their order
}

func readTable(tag string) (t table, err error) {
	name := "tables/" + tag + ".txt"
	source, err := tables.ReadFile(name)
	if err != nil {
		return t, fmt.Errorf("there is no table for %q: %w", tag, err)
	}
	t.words = map[string][]string{}
	return t, language.Read(name, string(source), ":", func(line language.Line) error { return t.take(tag, line) })
}

// take takes a line.
func (t *table) take(tag string, line language.Line) error {
	phrases := line.Phrases(";")
	switch kind := line.Key; {
	case line.Section == wordList:
		if strings.HasPrefix(kind, sayPrefix) {
			phrases = []string{line.Said}
		}
		t.words[kind], t.names = phrases, append(t.names, kind)
	case line.Section == "" || kind != "title" && kind != "ask":
		return errors.New("a line is title: or ask: with phrases, below [a section]")
	default:
		for _, phrase := range phrases {
			t.phrases = append(t.phrases,
				Phrase{Intent: line.Section, Language: tag, Text: phrase, Title: kind == "title"})
		}
	}
	return nil
}

// all are the tables by their languages; one that cannot be read is empty, which a test would tell.
var all = sync.OnceValue(func() map[string]table {
	read := map[string]table{}
	for _, language := range Languages {
		read[language], _ = readTable(language)
	}
	return read
})

// Example is a question of an intent in a language, its first; empty where there is none.
func Example(language, intent string) string {
	for _, p := range all()[language].phrases {
		if p.Intent == intent && !p.Title && !strings.Contains(p.Text, "{") {
			return p.Text
		}
	}
	return ""
}
