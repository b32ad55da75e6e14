package document

import "strings"

// Problem is something in a source that cannot be used.
type Problem struct {
	// Origin is the place: a file with line or number within it, and a JSON pointer where one helps
	// ("shop.jsonl:12", "page.html#2 /@graph/3").
	Origin string `json:"origin"`
	// Reason is a sentence that says what is wrong and, where it is not plain, what would be right.
	Reason string `json:"reason"`
	// Excerpt is a piece of the text at the place; empty where none is at hand.
	Excerpt string `json:"excerpt,omitempty"`
}

// noJSON begins the reason of what should be JSON.
const noJSON = "this is no JSON that can be read: "

// excerptBytes is how much of a text stands in an excerpt before its place, and behind it.
const excerptBytes = 80

// excerpt is the line of a text at a place, as far as it is near.
func excerpt(text string, at int) string {
	at = max(0, min(at, len(text)))
	from, to := max(0, at-excerptBytes), min(len(text), at+excerptBytes)
	if line := strings.LastIndexByte(text[from:at], '\n'); line >= 0 {
		from += line + 1
	}
	if line := strings.IndexByte(text[at:to], '\n'); line >= 0 {
		to = at + line
	}
	if strings.TrimSpace(text[from:to]) == "" && from > 0 { // the text ends behind what is wrong
		return excerpt(text, len(strings.TrimRight(text[:from], " \t\r\n")))
	}
	return strings.TrimSpace(strings.ToValidUTF8(text[from:to], ""))
}

// excerptOfLine is a line of a text, from 1, as far as it is not long.
func excerptOfLine(text string, line int) string {
	at := 0
	for ; line > 1; line-- {
		next := strings.IndexByte(text[at:], '\n')
		if next < 0 {
			break
		}
		at += next + 1
	}
	return excerpt(text, at)
}
