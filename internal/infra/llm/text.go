package llm

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Source is one item as the model may see it. The owner's terms release its text, and allow it as
// input to other texts.
type Source struct {
	URL   string // by which a summary may point to it; the model is told a number instead
	Type  string
	Name  string
	Facts string // its figures in words: "price 12.50 USD, rated 4.5"
	Text  string
}

// The bounds of what is sent of one item, in characters.
const (
	maxName        = 160
	maxFacts       = 300
	rerankRunes    = 400
	summarizeRunes = 1200
)

// shown is an item in a prompt. Its id is a number of ours, so that nothing that an item says can
// be taken for one.
type shown struct {
	ID    int    `json:"id"`
	Type  string `json:"type,omitempty"`
	Name  string `json:"name,omitempty"`
	Facts string `json:"facts,omitempty"`
	Text  string `json:"text,omitempty"`
}

func show(sources []Source, runes int) []shown {
	items := make([]shown, len(sources))
	for i, s := range sources {
		items[i] = shown{i + 1, shorten(s.Type, maxName), shorten(s.Name, maxName), shorten(s.Facts, maxFacts),
			shorten(s.Text, runes)}
	}
	return items
}

// asData writes a value as JSON for a prompt. Within it every text is a string, quoted and escaped,
// so that none can end where it does not end.
func asData(value any) string {
	text, err := json.Marshal(value) // which escapes <, > and & too
	if err != nil {
		return "{}" // strings and numbers always can be written
	}
	return string(text)
}

// shorten brings a text to so many characters on one line, without those that cannot be seen.
func shorten(text string, runes int) string {
	if len(text) > 8*runes { // far more than is needed, with room for blanks
		text = strings.ToValidUTF8(text[:8*runes], "")
	}
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || r == utf8.RuneError { // directions, joiners, tags: nothing to read
			return -1
		}
		return r
	}, text)
	if utf8.RuneCountInString(text) <= runes {
		return text
	}
	return strings.TrimSpace(string([]rune(text)[:runes])) + "…"
}

// jsonOf is the JSON object that a reply is, or has within a block of code.
func jsonOf(reply string) string {
	reply = strings.TrimSpace(reply)
	if inner, ok := strings.CutPrefix(reply, "```"); ok {
		inner = strings.TrimPrefix(inner, "json")
		inner, _, _ = strings.Cut(inner, "```")
		reply = strings.TrimSpace(inner)
	}
	return reply
}
