// Package language holds what the front desk knows of each language, as data: one table a language,
// embedded. Whoever says things or reads questions takes the words from here, so that code names
// none of them.
//
// A table is plain text. Blank lines and lines that begin with "#" say nothing. Each other line is
// one of
//
//	key = text
//	key: phrase, phrase, ...
//	key argument: phrase, phrase, ...
//	key ~ pattern
//
// A text is what is said under its key, with verbs of package fmt for what is filled in ("%[2]s"
// names its argument); it stands in double quotes, as in Go, where blanks at its ends count. Lists
// are what people say: all lines of one key and argument make one list. A pattern is one too, of a
// single regular expression (package regexp), and may have an argument as well.
//
// A language is added by its table alone: its name in [Tags] is that of the file. The file keys.txt
// says what each list is for. Tests hold that every table has the texts of the first and the lists
// that keys.txt names, and that no phrase has by mistake two senses that shut each other out.
//
// Other packages have tables of their own, in the same form: [Read] reads them all, and
// docs/languages.md says what each of them holds.
package language

import (
	"embed"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed tables/*.txt
var files embed.FS

// Fallback is the language for everybody whose own has no table.
const Fallback = "en"

// Tags are the languages that have a table: see TagsIn.
var Tags = TagsIn(files, "tables")

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

var tables = sync.OnceValue(func() (all []*Table) {
	for _, tag := range Tags {
		t := newTable(tag)
		MustRead(files, "tables/"+tag+".txt", marks, t.read)
		all = append(all, t)
	}
	return all
})

// marks end the keys of a table.
const marks = "=:~"

func newTable(tag string) *Table { return &Table{Tag: tag, Texts: map[string]string{}} }

// Tables are the languages in the order of Tags. They must not be changed.
func Tables() []*Table { return tables() }

// read takes one line.
func (t *Table) read(line Line) error {
	if line.Mark == '=' {
		said := line.Said
		if strings.HasPrefix(said, `"`) {
			text, err := strconv.Unquote(said)
			if err != nil {
				return fmt.Errorf("%s is not a quoted text: %w", said, err)
			}
			said = text
		}
		if _, twice := t.Texts[line.Key]; twice {
			return fmt.Errorf("%s is there already", line.Key)
		}
		t.Texts[line.Key] = said
		return nil
	}
	key, argument, _ := strings.Cut(line.Key, " ")
	i := slices.IndexFunc(t.Lists, func(l List) bool { return l.Key == key && l.Argument == argument })
	if i < 0 {
		i = len(t.Lists)
		t.Lists = append(t.Lists, List{Key: key, Argument: argument})
	}
	if line.Mark == '~' {
		t.Lists[i].Phrases = append(t.Lists[i].Phrases, line.Said)
	} else {
		t.Lists[i].Phrases = append(t.Lists[i].Phrases, line.Phrases(",")...)
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
		for _, t := range tables() {
			for list := range t.Each(key) {
				if !yield(list) {
					return
				}
			}
		}
	}
}
