package command

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Clean takes what could command the terminal out of a text that somebody else wrote, and brings it
// to one line.
func Clean(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return r <= ' ' || r >= 0x7f && r <= 0x9f || r == utf8.RuneError || r >= 0x202a && r <= 0x202e ||
			r >= 0x2066 && r <= 0x2069
	}), " ")
}

// Shorten cuts a text at a blank.
func Shorten(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	cut := string(runes[:most])
	if blank := strings.LastIndexByte(cut, ' '); blank > 0 {
		cut = cut[:blank]
	}
	return strings.TrimRight(cut, " ,.;:") + " …"
}

// lineWidth is where wrap breaks lines.
const lineWidth = 96

// Wrap breaks a text into lines that begin with an indent; a mark in it, such as "- ", stands
// before the first alone.
func Wrap(text, indent string) string {
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(text) {
		width := utf8.RuneCountInString(word)
		switch {
		case column == 0:
			b.WriteString(indent)
			column = len(indent)
		case column+1+width > lineWidth:
			b.WriteString("\n" + strings.Repeat(" ", len(indent)))
			column = len(indent)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += width
	}
	return b.String()
}

// Plural counts things: "1 rule", "3 rules".
func Plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Instant is a time that may not be.
func Instant(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// OrElse is a text, or another where it is empty.
func OrElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// Figure is a limit for people; "-" for none.
func Figure(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

// Day is a time for people; "-" for never.
func Day(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.Format("2006-01-02 15:04")
}

// PrintJSON prints a value as indented JSON.
func PrintJSON(env *Environment, value any) error {
	encoder := json.NewEncoder(env.Stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// Column is a text as it can stand in a table.
func Column(s string) string { return strings.ReplaceAll(Clean(s), "\t", " ") }

// Moment is the first time that is known, or a dash.
func Moment(times ...time.Time) string {
	for _, t := range times {
		if !t.IsZero() {
			return t.UTC().Format("2006-01-02 15:04 UTC")
		}
	}
	return "-"
}

// Ago is a span of time in its largest unit.
func Ago(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%dd", int(d.Hours())/24)
	case d >= 2*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	case d >= 2*time.Minute:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	}
	return fmt.Sprintf("%ds", int(max(d, 0).Seconds()))
}
