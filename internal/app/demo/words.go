package demo

import (
	"fmt"
	"html"
	"html/template"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// money renders an offer's price.
func money(o offer) string {
	if o.Price == "0" {
		return "Free"
	}
	return "$" + strings.TrimSuffix(o.Price, ".00")
}

var isoDuration = regexp.MustCompile(`^PT(?:(\d+)H)?(?:(\d+)M)?$`)

// duration renders an ISO 8601 duration of hours and minutes as a cook would say it.
func duration(iso string) string {
	parts := isoDuration.FindStringSubmatch(iso)
	if parts == nil {
		return iso
	}
	var words []string
	if parts[1] != "" {
		words = append(words, parts[1]+" h")
	}
	if parts[2] != "" {
		words = append(words, parts[2]+" min")
	}
	return strings.Join(words, " ")
}

// day renders a date such as 2026-03-09 as "9 March 2026".
func day(date string) string {
	t, err := time.Parse(time.DateOnly, date[:min(len(date), 10)])
	if err != nil {
		return date
	}
	return t.Format("2 January 2006")
}

// when renders the beginning of an event.
func when(start string) string {
	t, err := time.Parse(time.RFC3339, start)
	if err != nil {
		return start
	}
	return t.Format("Monday 2 January 2006, 15:04")
}

// span renders the beginning and the end of an event.
func span(start, end string) string {
	from, err := time.Parse(time.RFC3339, start)
	if err != nil {
		return start
	}
	to, err := time.Parse(time.RFC3339, end)
	if err != nil || to.YearDay() != from.YearDay() {
		return when(start) + " to " + when(end)
	}
	return when(start) + " to " + to.Format("15:04")
}

// stars renders a rating of five.
func stars(r rating) string { return fmt.Sprintf("★ %.1f (%d)", r.Value, max(r.Count, r.Reviews)) }

// diet makes a word of a schema.org diet: "https://schema.org/GlutenFreeDiet" is "gluten free".
func diet(address string) string {
	name := strings.TrimSuffix(path.Base(address), "Diet")
	return strings.ToLower(regexp.MustCompile(`\B[A-Z]`).ReplaceAllString(name, " $0"))
}

var (
	inlineMarkup = regexp.MustCompile(`</?(em|strong|a|code)\b[^>]*>`)
	markup       = regexp.MustCompile(`<[^>]*>`)
)

// excerpt returns the first words of a text in HTML.
func excerpt(body template.HTML, words int) string {
	text := markup.ReplaceAllString(inlineMarkup.ReplaceAllString(string(body), ""), " ")
	all := strings.Fields(html.UnescapeString(text))
	return strings.Join(all[:min(len(all), words)], " ") + " …"
}

// sortByDate puts articles in order of their date, the newest first, and events in order of their
// beginning. Things without a date keep their places.
func sortByDate(all []*thing) {
	slices.SortStableFunc(all, func(a, b *thing) int {
		if a.Start != "" || b.Start != "" {
			return strings.Compare(a.Start, b.Start)
		}
		return strings.Compare(b.Published, a.Published)
	})
}
