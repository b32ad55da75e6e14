package taxonomy

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"frontdesk/internal/infra/language"

	"golang.org/x/text/unicode/norm"
)

//go:embed classes.txt words/*.txt statements/*.txt
var files embed.FS

// entry is a word or phrase of a class, or of how texts state things.
type entry struct {
	words []string // folded but for accents
	class string   // empty for a cue
	how   How      // of a class's words: Has, or Free for what states its absence
	weak  bool     // it states the class, but does not call it by its name
	cue   cue
	stem  string // before or after which anything may stand; words is empty then
	front bool   // the stem begins the word
}

// cue is how a text goes on to state things.
type cue uint8

const (
	noCue cue = iota
	cueHas
	cueTraces
	cueFree
	cueAfter // behind what is not there
	cueWith  // what stands right behind it is in it
	cueAside // what stands right behind it is something else
)

// tables is all that the files say.
var tables = sync.OnceValue(load)

type all struct {
	classes    map[string]*class
	order      []string            // of classes, as the file has them
	within     map[string][]string // by class, those below it and those that it is left out with
	called     map[string]string   // what calls a class, as it is spelled
	calledBare map[string]string   // the same, without accents
	entries    map[string][]*entry // by their first word, the longest first
	front      map[string][]*entry // stems by their first four bytes
	back       map[string][]*entry // stems by their last four bytes
	joining    map[string]bool
	behind     []string // states that it is there, right behind a word of a script without blanks
	tails      []string // of a word, behind that of a class, which say that it is not there
	joins      []string // those of joining that are of such a script
	yes, no    map[string]bool
	properties map[string]property // by the names of properties whose values state classes
	bare       map[string]Kind     // by the words of classes that are one word, without accents
	japanese   []*entry            // words that are looked for within a text, the longest first
	cues       []*entry            // of Japanese
}

// property is what a named property lists.
type property struct {
	how  How
	kind Kind // of what the list is whole; empty for none
}

// shortest is how many letters a word that is spelled with accents has at most that is not known
// without them: "lã".
const shortest = 2

// stemKey is how many bytes of a stem it is looked up by.
const stemKey = 3

func load() *all {
	t := &all{
		classes: map[string]*class{}, within: map[string][]string{}, called: map[string]string{},
		calledBare: map[string]string{}, entries: map[string][]*entry{}, front: map[string][]*entry{},
		back: map[string][]*entry{}, joining: map[string]bool{}, yes: map[string]bool{}, no: map[string]bool{},
		properties: map[string]property{}, bare: map[string]Kind{},
	}
	t.readClasses()
	for _, tag := range Languages {
		language.MustRead(files, "words/"+tag+".txt", ":", func(line language.Line) error { return t.word(tag, line) })
		language.MustRead(files, "statements/"+tag+".txt", ":", func(line language.Line) error {
			return t.statement(tag, line)
		})
	}
	longest := func(a, b *entry) int { return len(b.words) - len(a.words) }
	for _, list := range t.entries {
		slices.SortStableFunc(list, longest)
	}
	bytes := func(a, b *entry) int { return len(b.words[0]) - len(a.words[0]) }
	slices.SortStableFunc(t.japanese, bytes)
	slices.SortStableFunc(t.cues, bytes)
	return t
}

func (t *all) readClasses() {
	for _, words := range language.Records(files, "classes.txt") {
		c := &class{name: words[0], kind: Kind(words[1]), names: map[string]string{}}
		for i := 2; i < len(words); i++ {
			switch words[i] {
			case "of":
				i++
				c.above = words[i]
				t.within[c.above] = append(t.within[c.above], c.name)
			case "in":
				i++
				c.inside = words[i]
				t.within[c.name] = append(t.within[c.name], c.inside)
			case "with":
				c.with = words[i+1:]
				t.within[c.name] = append(t.within[c.name], c.with...)
				i = len(words)
			case "unproven":
				c.unproven = true
			}
		}
		t.classes[c.name] = c
		t.order = append(t.order, c.name)
	}
}

func (t *all) word(language string, line language.Line) error {
	name, what, _ := strings.Cut(line.Key, " ")
	c := t.classes[name]
	if c == nil {
		return fmt.Errorf("%q is no class", name)
	}
	for _, said := range line.Phrases(",") {
		word := plain(said)
		if word == "" {
			return fmt.Errorf("a word is empty")
		}
		switch what {
		case "":
			if !strings.Contains(said, "*") {
				t.call(c, language, said, word)
			}
			t.add(language, said, entry{class: name})
		case "has":
			t.add(language, said, entry{class: name, weak: true})
		case "free":
			t.add(language, said, entry{class: name, how: Free})
		case "not":
			c.not = append(c.not, strings.Fields(word))
		case "before":
			c.before = append(c.before, word)
		case "after":
			c.after = append(c.after, word)
		default:
			return fmt.Errorf("%q is none of has, free, not, before and after", what)
		}
	}
	return nil
}

func (t *all) call(c *class, language, said, word string) {
	if c.names[language] == "" {
		c.names[language] = said
	}
	if _, taken := t.called[word]; !taken {
		t.called[word] = c.name
	}
	if _, taken := t.calledBare[strip(word)]; !taken && len(strip(word)) > shortest {
		t.calledBare[strip(word)] = c.name
	}
}

func (t *all) statement(language string, line language.Line) error {
	kinds := map[string]cue{
		"has": cueHas, "traces": cueTraces, "free": cueFree, "after": cueAfter, "with": cueWith, "aside": cueAside,
	}
	for _, said := range line.Phrases(",") {
		word := plain(said)
		switch line.Key {
		case "join":
			t.joining[word] = true
			if language == "ja" && word != "" {
				t.joins = append(t.joins, word)
			}
		case "tail":
			t.tails = append(t.tails, word)
		case "behind":
			t.behind = append(t.behind, word)
		case "yes":
			t.yes[word] = true
		case "no":
			t.no[word] = true
		case "food names", "material names", "power names":
			kind, _, _ := strings.Cut(line.Key, " ")
			t.properties[word] = property{Has, Kind(kind)}
		case "traces names":
			t.properties[word] = property{Traces, ""}
		case "free names":
			t.properties[word] = property{Free, ""}
		default:
			kind, ok := kinds[line.Key]
			if !ok {
				return fmt.Errorf("%q is no key of statements", line.Key)
			}
			t.add(language, said, entry{cue: kind})
		}
	}
	return nil
}

// add files an entry under what it begins with.
func (t *all) add(language, said string, e entry) {
	stem := plain(said)
	switch {
	case strings.HasSuffix(said, "*"):
		e.stem, e.front = stem, true
		t.front[stem[:stemKey]] = append(t.front[stem[:stemKey]], &e)
		return
	case strings.HasPrefix(said, "*"):
		e.stem = stem
		t.back[stem[len(stem)-stemKey:]] = append(t.back[stem[len(stem)-stemKey:]], &e)
		return
	}
	e.words = strings.Fields(stem)
	if e.class != "" && len(e.words) == 1 && e.how != Free {
		t.bare[singular(strip(stem))] = t.classes[e.class].kind
	}
	if language == "ja" {
		e.words = []string{stem}
		if e.class == "" {
			t.cues = append(t.cues, &e)
		} else {
			t.japanese = append(t.japanese, &e)
		}
		return
	}
	t.entries[e.words[0]] = append(t.entries[e.words[0]], &e)
}

// plain brings words to the form in which they are compared: lower case, one blank between words.
// Accents stay, unlike in strip.
func plain(s string) string {
	var b strings.Builder
	gap := false
	for _, c := range norm.NFC.String(strings.ToLower(strings.ToValidUTF8(s, " "))) {
		switch {
		case c == '’' || c == '\'' || c == '\u00ad':
			if c == '\u00ad' {
				continue
			}
			gap = true
		case isWord(c):
			if gap && b.Len() > 0 {
				b.WriteByte(' ')
			}
			gap = false
			if c == 'œ' {
				b.WriteString("oe")
				continue
			}
			b.WriteRune(c)
		default:
			gap = true
		}
	}
	return b.String()
}

// strip takes the accents off.
func strip(s string) string {
	if isASCII(s) {
		return s
	}
	var b strings.Builder
	for _, c := range norm.NFD.String(s) {
		switch {
		case c == 'ß':
			b.WriteString("ss")
		case c == '\u3099' || c == '\u309a' || c < 0x300 || c > 0x36f:
			b.WriteRune(c)
		}
	}
	return norm.NFC.String(b.String())
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
