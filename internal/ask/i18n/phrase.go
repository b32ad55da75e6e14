// Package i18n holds what the front desk says itself, in each of its languages: questions that it
// asks back, notices, the words around figures. Texts of items are never here; they stay in the
// language in which their owner wrote them.
//
// The texts stand in the tables of package language. Every text exists in every language; a test
// holds that, and that the same places are filled in each.
package i18n

import (
	"fmt"
	"strings"
	"sync"

	"golang.org/x/text/language"

	tables "frontdesk/internal/infra/language"
)

// Languages are the languages that the front desk speaks, the first being the one for everybody
// else.
var Languages = tables.Tags

var matcher = sync.OnceValue(func() language.Matcher {
	tags := make([]language.Tag, len(Languages))
	for i, tag := range Languages {
		tags[i] = language.MustParse(tag)
	}
	return language.NewMatcher(tags)
})

// Speaker says things in one language. The zero Speaker speaks the first of Languages.
type Speaker struct{ tongue int }

// For returns the speaker whose language fits best what is preferred: BCP 47 tags or values of
// Accept-Language, the best first. What cannot be read is passed over.
func For(preferred ...string) Speaker {
	for _, text := range preferred {
		tags, _, err := language.ParseAcceptLanguage(text)
		if err != nil || len(tags) == 0 {
			continue
		}
		if _, at, confidence := matcher().Match(tags...); confidence > language.No {
			return Speaker{at}
		}
	}
	return Speaker{}
}

// Tags gives the language tags of what is preferred, the best first.
func Tags(preferred ...string) []string {
	var tags []string
	for _, text := range preferred {
		read, _, err := language.ParseAcceptLanguage(text)
		for _, tag := range read {
			if base, _ := tag.Base(); err == nil && tag != language.Und && base.String() != "mul" {
				tags = append(tags, tag.String())
			}
		}
	}
	return tags
}

func (s Speaker) table() *tables.Table { return tables.Tables()[s.tongue] }

// Language is the speaker's language, one of Languages.
func (s Speaker) Language() string { return Languages[s.tongue] }

// Text is what can be said: the same text in each of Languages, with verbs of package fmt for what
// is filled in. Where the order of words differs, a language names its argument: "%[2]s".
type Text struct{ key string }

// Say says a text, with its places filled in.
func (s Speaker) Say(t Text, args ...any) string {
	said := s.table().Texts[t.key]
	if len(args) == 0 {
		return said
	}
	return fmt.Sprintf(said, args...)
}

// List joins parts as an enumeration: "a, b and c".
func (s Speaker) List(parts []string) string { return s.join(parts, s.Say(And)) }

// Any joins parts of which one is enough: "a, b or c".
func (s Speaker) Any(parts []string) string { return s.join(parts, s.Say(Or)) }

func (s Speaker) join(parts []string, last string) string {
	switch len(parts) {
	case 0:
		return ""
	case 1:
		return parts[0]
	}
	end := len(parts) - 1
	return strings.Join(parts[:end], s.Say(Then)) + last + parts[end]
}

// All gives every text by its key, in all languages, for tests.
func All() map[string][]string {
	all := map[string][]string{}
	for key := range tables.Tables()[0].Texts {
		for _, table := range tables.Tables() {
			all[key] = append(all[key], table.Texts[key])
		}
	}
	return all
}

// declared are the texts that are said, by their keys.
var declared []string

// in declares a text, which every table has under its key.
func in(key string) Text {
	declared = append(declared, key)
	return Text{key}
}

// Understands finds which of candidates a text says, in whatever language; -1 for none. Case and
// blanks around do not count.
func Understands(said string, candidates ...func(Speaker) string) int {
	said = fold(said)
	for i, candidate := range candidates {
		for tongue := range Languages {
			if fold(candidate(Speaker{tongue})) == said {
				return i
			}
		}
	}
	return -1
}

// fold brings ways to write a text to one.
func fold(s string) string {
	return strings.ToLower(strings.Join(strings.Fields(strings.ReplaceAll(s, "’", "'")), " "))
}
