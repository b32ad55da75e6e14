package frame

import (
	_ "embed"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/infra/language"
)

//go:embed words.txt
var ownWords string

//go:embed stored.txt
var storedWords string

// words are the texts of pages, by key and language. A file of them has a section for each key, and
// in it a line for each language:
//
//	[home.title]
//	en = Home
//	de = Start
//
// A text has verbs of package fmt for what is filled in. A text that counts something has two keys,
// KEY_one and KEY_other.
type words map[string]map[string]string

// read adds the texts of a file.
func (w words) read(source string) error {
	err := language.Read("words", source, "=", func(line language.Line) error {
		switch {
		case line.Section == "":
			return fmt.Errorf("%q stands in no section", line.Said)
		case !slices.Contains(i18n.Languages, line.Key):
			return fmt.Errorf("%q is no language", line.Key)
		case w[line.Section][line.Key] != "":
			return fmt.Errorf("%s has two texts in %s", line.Section, line.Key)
		}
		if w[line.Section] == nil {
			w[line.Section] = map[string]string{}
		}
		w[line.Section][line.Key] = line.Said
		return nil
	})
	if err != nil {
		return err
	}
	for key, texts := range w {
		for _, tag := range i18n.Languages {
			if texts[tag] == "" {
				return fmt.Errorf("%s has no text in %s", key, tag)
			}
			if given, want := strings.Count(texts[tag], "%"), strings.Count(texts["en"], "%"); given != want {
				return fmt.Errorf("%s has %d places in %s, and %d in English", key, given, tag, want)
			}
		}
	}
	return nil
}

// speech is the words in one language.
type speech struct {
	words
	i18n.Speaker
	stored []storedText
}

// say is a text of a page, with its places filled in.
func (s speech) say(key string, args ...any) (string, error) {
	texts, ok := s.words[key]
	if !ok {
		return "", fmt.Errorf("there is no text %q", key)
	}
	if len(args) == 0 {
		return texts[s.Language()], nil
	}
	return fmt.Sprintf(texts[s.Language()], args...), nil
}

// quoted is what a text has between backquotes: what somebody writes or reads as it is.
var quoted = regexp.MustCompile("`([^`]+)`")

// figures are places for figures.
var figures = regexp.MustCompile(`(%(?:\[\d\])?)d`)

// rich is a text whose places stand out, but for what is HTML already, and with what is quoted as
// code.
func (s speech) rich(key string, args ...any) (template.HTML, error) {
	text, err := s.say(key)
	text = quoted.ReplaceAllString(template.HTMLEscapeString(text), "<code>$1</code>")
	text = figures.ReplaceAllString(text, "${1}s") // which are bold, and so texts
	for i, arg := range args {
		if _, done := arg.(template.HTML); done {
			continue
		}
		args[i] = "<b>" + template.HTMLEscapeString(fmt.Sprint(arg)) + "</b>"
	}
	if len(args) > 0 {
		text = fmt.Sprintf(text, args...)
	}
	return template.HTML(text), err
}

// term is a word of a protocol as people say it: the text of a key that ends with the word, or else
// the word. An empty word is called none.
func (s speech) term(key string, word any) (string, error) {
	text := fmt.Sprint(word)
	end := ending(text)
	if s.words[key+"_"+end] == nil {
		if text == strings.ToUpper(text) {
			text = end
		}
		return strings.ReplaceAll(text, "_", " "), nil
	}
	return s.say(key + "_" + end)
}

// ending is that of the key of a word.
func ending(word string) string {
	if word == "" {
		return "none"
	}
	return strings.ToLower(strings.ReplaceAll(word, " ", "_"))
}

// count is a text that counts something, whose first place is the figure.
func (s speech) count(key string, n int, args ...any) (string, error) {
	form := "_other"
	switch s.Language() {
	case "ja":
	case "fr":
		if n == 0 || n == 1 {
			form = "_one"
		}
	default:
		if n == 1 {
			form = "_one"
		}
	}
	return s.say(key+form, append([]any{s.Number(float64(n), 0)}, args...)...)
}
