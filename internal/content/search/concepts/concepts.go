// Package concepts knows which everyday words belong together: what stands for one thing in seven
// languages, and of which kind a thing is (penne is pasta, Teekanne is teapot, a voucher is a gift
// card).
//
// The tables are text files in tables/, one concept a line: its words in English, German, French,
// Spanish, Portuguese, Italian and Japanese between bars, the usual one first, several with commas
// between. The first English word names the concept. "< pan, pot" behind the English words names
// its kinds; without, it is of the kind that the line "[cookware]" before it names, and "[]" is
// none. A word behind "~" is understood in a question and looked for in no item, since it means
// something else as often. Lines that begin with "#" are remarks.
//
// WordNet is not among them: neither its synonyms of our English words nor what it has two levels
// below our kinds, six thousand lines, answered a question more of the exams or ranked the judged
// collections better.
//
// It is pure and knows no index. Enter by [In], which gives what a language has words for.
package concepts

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"frontdesk/internal/content/search/analysis"
	"frontdesk/internal/infra/language"
)

// Tags are the languages of the tables, in the order of their columns.
var Tags = [...]string{"en", "de", "fr", "es", "pt", "it", "ja"}

//go:embed tables
var tables embed.FS

// ID names a concept.
type ID uint16

// concept is one line of a table.
type concept struct {
	words   [len(Tags)][]string // the usual one first
	kinds   []ID
	members []ID // those of which it is a kind
}

// all are the concepts of the tables. A table that breaks its format ends the process: the tests
// read the same ones.
var all = sync.OnceValue(func() []concept {
	read, err := readTables()
	if err != nil {
		panic(err)
	}
	return read
})

// readTables reads all tables, in the order of their names.
func readTables() ([]concept, error) {
	files, err := tables.ReadDir("tables")
	if err != nil {
		return nil, err
	}
	r := reader{byName: map[string]ID{}}
	for _, file := range files {
		text, err := tables.ReadFile("tables/" + file.Name())
		if err != nil {
			return nil, err
		}
		if err := language.Read(file.Name(), string(text), "", r.line); err != nil {
			return nil, err
		}
	}
	return r.concepts, r.link()
}

// reader reads tables.
type reader struct {
	concepts []concept
	kinds    [][]string // by concept, by name
	byName   map[string]ID
}

// line reads one concept. A name that was there before adds to that concept.
func (r *reader) line(line language.Line) error {
	columns := strings.Split(line.Said, "|")
	if len(columns) != len(Tags) && len(columns) != 1 {
		return fmt.Errorf("%d columns, not %d: %s", len(columns), len(Tags), line.Said)
	}
	section := list(line.Section)
	english, kinds, own := strings.Cut(columns[0], "<")
	columns[0] = english
	if own {
		section = list(kinds)
	}
	var read concept
	for i, column := range columns {
		read.words[i] = list(column)
	}
	if len(read.words[0]) == 0 {
		return fmt.Errorf("no English word: %s", line.Said)
	}
	name := read.words[0][0]
	id, known := r.byName[name]
	if known && len(columns) == len(Tags) {
		return fmt.Errorf("%s is there twice", name)
	}
	if !known {
		id = ID(len(r.concepts))
		r.byName[name] = id
		r.concepts, r.kinds = append(r.concepts, read), append(r.kinds, nil)
	} else {
		for _, word := range read.words[0] {
			if words := &r.concepts[id].words[0]; !slices.Contains(*words, word) {
				*words = append(*words, word)
			}
		}
	}
	for _, kind := range section {
		if !slices.Contains(r.kinds[id], kind) {
			r.kinds[id] = append(r.kinds[id], kind)
		}
	}
	return nil
}

// link replaces the names of kinds by what they name, and holds that no concept is a kind of
// itself.
func (r *reader) link() error {
	for i, kinds := range r.kinds {
		for _, name := range kinds {
			kind, ok := r.byName[name]
			if !ok {
				return fmt.Errorf("%s: no concept %q", r.concepts[i].words[0][0], name)
			}
			r.concepts[i].kinds = append(r.concepts[i].kinds, kind)
			r.concepts[kind].members = append(r.concepts[kind].members, ID(i))
		}
	}
	for i := range r.concepts {
		if slices.Contains(below(r.concepts, []ID{ID(i)}), ID(i)) {
			return fmt.Errorf("%s is a kind of itself", r.concepts[i].words[0][0])
		}
	}
	return nil
}

// below gives what is of the kinds of some concepts, without themselves unless they are: nearer
// ones first.
func below(concepts []concept, ids []ID) []ID {
	var found []ID
	seen := map[ID]bool{}
	for queue := slices.Clone(ids); len(queue) > 0; queue = queue[1:] {
		for _, member := range concepts[queue[0]].members {
			if !seen[member] {
				seen[member] = true
				found, queue = append(found, member), append(queue, member)
			}
		}
	}
	return found
}

func list(text string) []string {
	var items []string
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}

// Phrase is a word, or several that belong together, for something.
type Phrase struct {
	Tag   string
	Words []string // terms as the index has them, in order; function words left out
	Text  string   // as the table has it
	Kind  bool     // it is of the kind that was asked for, and not the thing itself
}

// Phrases gives what stands for concepts in a language: their own words first, then those of their
// members.
func Phrases(ids []ID, tag string) []Phrase {
	l := In(tag)
	if l == nil {
		return nil
	}
	var phrases []Phrase
	seen := map[string]bool{}
	add := func(id ID, kind bool) {
		for _, word := range l.phrases[id] {
			if !seen[word.Text] {
				seen[word.Text], word.Kind = true, kind
				phrases = append(phrases, word)
			}
		}
	}
	for _, id := range ids {
		add(id, false)
	}
	for _, id := range below(all(), ids) {
		add(id, true)
	}
	return phrases
}

// Language is what a language has words for.
type Language struct {
	Longest int // how many terms, or in Japanese characters, a phrase has at most

	meanings map[string][]ID // by the terms of a phrase, blanks between; in Japanese by the phrase
	phrases  [][]Phrase      // by concept: what is looked for in items
}

var languages = func() map[string]func() *Language {
	made := map[string]func() *Language{}
	for column, tag := range Tags {
		made[tag] = sync.OnceValue(func() *Language { return newLanguage(column) })
	}
	return made
}()

// In gives what a language has words for; nil for languages that the tables do not have.
func In(tag string) *Language {
	if made, ok := languages[tag]; ok {
		return made()
	}
	return nil
}

var analyzer = sync.OnceValue(analysis.NewAnalyzer)

func newLanguage(column int) *Language {
	tag := Tags[column]
	l := &Language{meanings: map[string][]ID{}, phrases: make([][]Phrase, len(all()))}
	t := analyzer().Language(tag)
	for id, c := range all() {
		for _, word := range c.words[column] {
			text, understood := strings.CutPrefix(word, "~")
			terms := Terms(t, text)
			if len(terms) == 0 {
				continue
			}
			if tag == "ja" {
				l.learn(text, len([]rune(text)), ID(id))
			} else {
				l.learn(strings.Join(terms, " "), len(terms), ID(id))
			}
			if !understood {
				l.phrases[id] = append(l.phrases[id], Phrase{Tag: tag, Words: terms, Text: text})
			}
		}
	}
	return l
}

func (l *Language) learn(key string, length int, id ID) {
	if !slices.Contains(l.meanings[key], id) {
		l.meanings[key] = append(l.meanings[key], id)
	}
	l.Longest = max(l.Longest, length)
}

// Meanings gives what the terms of a phrase, with blanks between, can mean. The result must not be
// changed.
func (l *Language) Meanings(phrase string) []ID { return l.meanings[phrase] }

// MeaningsOf is Meanings of terms in a room.
func (l *Language) MeaningsOf(phrase []byte) []ID { return l.meanings[string(phrase)] }

// Begins gives how many bytes the longest word has that a text without blanks begins with, if it
// has several characters; 0 for none.
func (l *Language) Begins(text string) (length int) {
	runes := 0
	for at, r := range text {
		if runes++; runes > l.Longest {
			break
		}
		if to := at + utf8.RuneLen(r); runes > 1 && l.meanings[text[:to]] != nil {
			length = to
		}
	}
	return length
}

// Terms gives the terms of a phrase: the stems of its words, without function words unless it has
// no others, and pairs of characters where words have no blanks between.
func Terms(t *analysis.Language, text string) []string {
	var terms, functional []string
	analysis.Scan(text, func(start, end int, k analysis.Kind) bool {
		run := text[start:end]
		if k == analysis.Gram && len([]rune(run)) == 1 && len([]rune(text)) > 1 {
			return true
		}
		known := t.Lookup(run, k)
		if known.Stop {
			functional = append(functional, known.Forms[0].Term)
			return true
		}
		part := -1
		for _, f := range known.Forms {
			if f.Part == analysis.WholeRun || f.Part == part {
				continue
			}
			if part = f.Part; !t.IsStop(analysis.Fold(run[f.Start:f.End])) {
				terms = append(terms, f.Term)
			}
		}
		return true
	})
	if len(terms) == 0 {
		return functional
	}
	return terms
}

// Knows says whether a language has a word, in the form that its stemmer gives, alone or in a
// phrase of the tables.
func (l *Language) Knows(stem string) bool { return len(l.meanings[stem]) > 0 }
