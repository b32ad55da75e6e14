package owner

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/ask/practical"
)

// exemplary are the intents that most visitors ask for, the most asked first.
var exemplary = []string{
	"hours", "delivery-cost", "price", "returns", "address", "payment", "booking", "parking", "dogs", "accessibility",
	"warranty", "contact", "children", "wifi", "jobs", "about",
}

// Examples are so many practical questions, in the asker's language, that the directory answers,
// with the pages that answer them.
func (d *Directory) Examples(q Question, most int) (questions []string, items []int) {
	for _, intent := range exemplary {
		if len(questions) == most {
			break
		}
		text := practical.Example(q.Language, intent)
		if text == "" {
			continue
		}
		one := q
		one.Text, one.Before, one.Asked = text, "", practical.Read(text, q.Language, q.Now)
		one.Asked.Intent = intent
		answer, ok := d.Answer(one)
		if !ok || answer.Text == "" {
			continue
		}
		first, size := utf8.DecodeRuneInString(text)
		text = string(unicode.ToUpper(first)) + text[size:]
		if !strings.ContainsAny(text, "?？") && strings.Contains(text, " ") {
			text += "?"
		}
		questions = append(questions, text)
		if !slices.Contains(items, answer.Items[0]) {
			items = append(items, answer.Items[0])
		}
	}
	return questions, items
}
