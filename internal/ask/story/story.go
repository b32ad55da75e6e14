// Package story tells what somebody wants from what he tells before it: in "my husband fell in
// March and sits in a wheelchair, does he get into the pool?" the month and the man are no
// conditions. It is pure. Enter at Wish.
package story

import (
	"slices"
	"strings"
	"sync"

	"frontdesk/internal/content/facets"
	"frontdesk/internal/infra/language"
)

// The least number of words of a story, and of one of its parts.
const (
	leastWords  = 16
	leastClause = 4
)

// Wish gives the parts of a text that ask for something, and false where the text tells nothing
// beside them.
func Wish(text string) (wish string, told bool) {
	if len(strings.Fields(text)) < leastWords {
		return "", false
	}
	parts := clauses(text)
	var wished []string
	for _, part := range parts {
		if asking(part) {
			wished = append(wished, part)
		}
	}
	if len(wished) == 0 {
		wished = parts[len(parts)-1:]
	}
	return strings.Join(wished, " "), len(wished) < len(parts)
}

// clauses cuts a text at its stops and commas into parts of several words.
func clauses(text string) (parts []string) {
	start, words := 0, 0
	for i, r := range text {
		if r == ' ' {
			words++
		}
		if !strings.ContainsRune(".,;:!?…–\n", r) || words < leastClause-1 || !ends(text[i:], r) {
			continue
		}
		end := i + len(string(r))
		parts = append(parts, strings.TrimSpace(text[start:end]))
		start, words = end, 0
	}
	last := strings.TrimSpace(text[start:])
	switch {
	case last == "":
	case len(parts) > 0 && len(strings.Fields(last)) < leastClause:
		parts[len(parts)-1] += " " + last
	default:
		parts = append(parts, last)
	}
	return parts
}

// ends says whether a sign that a text begins with ends a part, and stands in no number or address.
func ends(text string, sign rune) bool {
	rest := text[len(string(sign)):]
	return rest == "" || strings.ContainsAny(rest[:1], " \n?!.")
}

// asking says whether a part asks for something.
func asking(part string) bool {
	if strings.HasSuffix(part, "?") {
		return true
	}
	said := " " + facets.Fold(strings.Trim(part, " .,;:!…–")) + " "
	return slices.ContainsFunc(forms(), func(form string) bool { return strings.Contains(said, form) })
}

// forms are what people say where they ask for something, in all languages.
var forms = sync.OnceValue(func() (all []string) {
	for list := range language.Each("wishes") {
		for _, phrase := range list.Phrases {
			all = append(all, " "+facets.Fold(phrase)+" ")
		}
	}
	return all
})
