// Package language holds what the front desk knows of each language, as data: one table a language, embedded. Whoever says
// things or reads questions takes the words from here, so that code names none of them.
//
// A table is plain text. Blank lines and lines that begin with "#" say nothing. Each other line is one of
//
//	key = text
//	key: phrase, phrase, ...
//	key argument: phrase, phrase, ...
//	key ~ pattern
//
// A text is what is said under its key, with verbs of package fmt for what is filled in ("%[2]s" names its argument); it stands
// in double quotes, as in Go, where blanks at its ends count. Lists are what people say: all lines of one key and argument
// make one list. A pattern is one too, of a single regular expression (package regexp), and may have an argument as well.
//
// A language is added by its table alone: its name in [Tags] is that of the file. The file keys.txt says what each list is for.
// Tests hold that every table has the texts of the first and the lists that keys.txt names, and that no phrase has by mistake two
// senses that shut each other out.
package language

import (
	"embed"
	"fmt"
	"iter"
	"path"
	"slices"
	"strconv"
	"strings"
)

//go:embed tables/*.txt
var files embed.FS

// Fallback is the language for everybody whose own has no table.
const Fallback = "en"

// Tags are the languages that have a table, as BCP 47 tags: Fallback first, the others in the order of the alphabet.
var Tags = func() []string {
	entries, err := files.ReadDir("tables")
	if err != nil {
		panic("language: " + err.Error()) // embedded, so it is a mistake of the build
	}
	tags := []string{Fallback}
	for _, entry := range entries {
		if tag := strings.TrimSuffix(entry.Name(), path.Ext(entry.Name())); tag != Fallback {
			tags = append(tags, tag)
		}
	}
	return tags
}()

// Table is what is known of one language.
type Table struct {
	Tag   string
	Texts map[string]string
	Lists []List
}

// List are phrases that have something in common, which its key and argument name.
type List struct {
	Key, Argument string
	Phrases       []string
}

var tables = func() (all []*Table) {
	for _, tag := range Tags {
		source, err := files.ReadFile("tables/" + tag + ".txt")
		if err != nil {
			panic("language: " + err.Error())
		}
		table, err := parse(tag, string(source))
		if err != nil {
			panic("language: " + err.Error())
		}
		all = append(all, table)
	}
	return all
}()

// Tables are the languages in the order of Tags. They must not be changed.
func Tables() []*Table { return tables }

// parse reads a table.
func parse(tag, source string) (*Table, error) {
	t := &Table{Tag: tag, Texts: map[string]string{}}
	number := 0
	for line := range strings.Lines(source) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := t.read(line); err != nil {
			return nil, fmt.Errorf("%s.txt:%d: %w", tag, number, err)
		}
	}
	return t, nil
}

// read takes one line.
func (t *Table) read(line string) error {
	head, said := line, ""
	at := strings.IndexAny(line, "=:~")
	switch {
	case at < 0:
		return fmt.Errorf("%q has no key", line)
	case line[at] == '=':
		head, said = strings.TrimSpace(line[:at]), strings.TrimSpace(line[at+1:])
		if strings.HasPrefix(said, `"`) {
			text, err := strconv.Unquote(said)
			if err != nil {
				return fmt.Errorf("%s is not a quoted text: %w", said, err)
			}
			said = text
		}
		if _, twice := t.Texts[head]; twice {
			return fmt.Errorf("%s is there already", head)
		}
		t.Texts[head] = said
	default:
		head, said = strings.TrimSpace(line[:at]), line[at+1:]
		key, argument, _ := strings.Cut(head, " ")
		i := slices.IndexFunc(t.Lists, func(l List) bool { return l.Key == key && l.Argument == argument })
		if i < 0 {
			i = len(t.Lists)
			t.Lists = append(t.Lists, List{Key: key, Argument: argument})
		}
		phrases := strings.Split(said, ",")
		if line[at] == '~' {
			phrases = []string{said}
		}
		for _, phrase := range phrases {
			if phrase = strings.TrimSpace(phrase); phrase != "" {
				t.Lists[i].Phrases = append(t.Lists[i].Phrases, phrase)
			}
		}
	}
	return nil
}

// Each gives the lists of a key.
func (t *Table) Each(key string) iter.Seq[List] {
	return func(yield func(List) bool) {
		for _, list := range t.Lists {
			if list.Key == key && !yield(list) {
				return
			}
		}
	}
}

// Each gives the lists of a key in all languages.
func Each(key string) iter.Seq[List] {
	return func(yield func(List) bool) {
		for _, t := range tables {
			for list := range t.Each(key) {
				if !yield(list) {
					return
				}
			}
		}
	}
}
