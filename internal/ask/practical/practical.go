// Package practical has the phrases of practical questions: what visitors ask of a site's owner rather than of its
// content, such as when it is open, what delivery costs or whether dogs are let in.
//
// Enter at Phrases. What the package knows is data: one table a language in tables, with the intents in brackets, and
// under each "title:" with what pages on it are called, and "ask:" with how people ask, separated by semicolons. All
// tables have the same intents, in the same order; a test holds that, and that no question stands under two intents.
// Who adds a language adds a table and its name to Languages.
//
// It is pure, and knows nothing of items or of answers.
package practical

import (
	"bufio"
	"embed"
	"fmt"
	"strings"
)

// Languages are those that have a table.
var Languages = []string{"en", "de", "fr", "es", "pt", "it", "ja"}

//go:embed tables/*.txt
var tables embed.FS

// Phrase is a way to say an intent.
type Phrase struct {
	Intent, Language, Text string
	Title                  bool // it is what pages are called, and not how people ask
}

// Phrases gives all phrases of a language, in the order of its table. An error says what is wrong with the table.
func Phrases(language string) ([]Phrase, error) {
	name := "tables/" + language + ".txt"
	text, err := tables.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("there is no table for %q: %w", language, err)
	}
	var all []Phrase
	intent := ""
	lines := bufio.NewScanner(strings.NewReader(string(text)))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		kind, list, colon := strings.Cut(line, ":")
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[' && strings.HasSuffix(line, "]"):
			intent = line[1 : len(line)-1]
		case intent == "" || !colon || kind != "title" && kind != "ask":
			return nil, fmt.Errorf("%s:%d: a line is [an intent], or title: or ask: with phrases below one", name, n)
		default:
			for phrase := range strings.SplitSeq(list, ";") {
				if phrase = strings.TrimSpace(phrase); phrase == "" {
					return nil, fmt.Errorf("%s:%d: a phrase is empty", name, n)
				}
				all = append(all, Phrase{Intent: intent, Language: language, Text: phrase, Title: kind == "title"})
			}
		}
	}
	return all, lines.Err()
}
