package answer

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/facet"
	"frontdesk/internal/phrase"
	"frontdesk/internal/search"
)

// Told is one item of an answer as a summary may speak of it: what was released of it and nothing else.
type Told struct {
	Type     string
	Name     string
	Language string
	Text     string // released text, from which sentences are taken
	Facts    facet.Facts
}

// The bounds of a summary.
const (
	toldItems     = 3   // items that a summary quotes
	sentenceRunes = 240 // of a sentence quoted
)

// Summarize writes a short text about the items of an answer, in their order: how many of which kind, the range of
// their figures, and of the first few the sentence that has most of the question's words. Every sentence about an
// item is the item's own; the same input gives the same text. Our own words are in the speaker's language.
func Summarize(say phrase.Speaker, terms []search.Term, items []Told) string {
	if len(items) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(overview(say, items))
	weights := map[string]float64{}
	for _, term := range terms {
		for _, stem := range term.Stems {
			weights[stem] = max(weights[stem], term.Weight)
		}
	}
	analyzer := search.NewAnalyzer()
	for _, item := range items[:min(len(items), toldItems)] {
		if item.Name == "" {
			continue
		}
		b.WriteString(" " + item.Name)
		if sentence := bestSentence(analyzer, weights, item); sentence != "" {
			b.WriteString(": " + sentence)
		}
		if !strings.ContainsAny(b.String()[b.Len()-1:], ".!?") && !strings.HasSuffix(b.String(), "…") {
			b.WriteString(".")
		}
	}
	return b.String()
}

// bestSentence is the sentence of an item's text that carries most weight of the question for its length; the
// first sentence when none has any.
func bestSentence(analyzer *search.Analyzer, weights map[string]float64, item Told) string {
	best, bestScore := "", -1.0
	for i, s := range sentences(item.Text) {
		if i >= 40 {
			break
		}
		words, covered := 0, 0.0
		seen := map[string]bool{}
		for word := range analyzer.Words(s, item.Language) {
			words++
			if !seen[word.Term] {
				seen[word.Term] = true
				covered += weights[word.Term]
			}
		}
		score := covered / math.Sqrt(float64(max(words, 8)))
		if words >= 3 && score > bestScore || best == "" {
			best, bestScore = s, score
		}
	}
	if strings.EqualFold(strings.Trim(best, " .!?"), strings.Trim(item.Name, " .!?")) {
		return ""
	}
	return shorten(strings.Join(strings.Fields(best), " "), sentenceRunes)
}

// overview is the first sentence: how many items of which kind, and the range of what they cost, take and score.
func overview(say phrase.Speaker, items []Told) string {
	var parts []string
	if s := span(say, items, phrase.SummaryTime, facet.TotalTime, minutes); s != "" {
		parts = append(parts, s)
	}
	if currency, ok := oneCurrency(items); ok {
		money := func(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) + " " + currency }
		if s := span(say, items, phrase.SummaryPrice, facet.Price, money); s != "" {
			parts = append(parts, s)
		}
	}
	rating := func(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }
	if s := span(say, items, phrase.SummaryRated, facet.Rating, rating); s != "" {
		parts = append(parts, s)
	}
	if s := period(say, items); s != "" {
		parts = append(parts, s)
	}
	text := kinds(say, items)
	if len(parts) > 0 {
		text += ", " + strings.Join(parts, ", ")
	}
	return text + "."
}

// kinds counts the items by type: "4 recipes and 1 article". Of other languages' words for types there is no list; there
// they have their schema.org names.
func kinds(say phrase.Speaker, items []Told) string {
	counts := map[string]int{}
	for _, item := range items {
		counts[item.Type]++
	}
	types := make([]string, 0, len(counts))
	for t := range counts {
		types = append(types, t)
	}
	slices.SortFunc(types, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
	parts := make([]string, len(types))
	if say != (phrase.Speaker{}) {
		for i, t := range types {
			parts[i] = fmt.Sprintf("%s (%d)", cmp.Or(t, "Thing"), counts[t])
		}
		if len(items) == 1 {
			return say.Say(phrase.SummaryKind, cmp.Or(types[0], "Thing"))
		}
		return say.Say(phrase.SummaryKinds, len(items), say.List(parts))
	}
	for i, t := range types {
		parts[i] = fmt.Sprintf("%d %s", counts[t], noun(t, counts[t]))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}

// noun turns a type's name into words: "NewsArticle", 2 becomes "news articles".
func noun(typ string, n int) string {
	if typ == "" || typ == "Thing" {
		typ = "Item"
	}
	var b strings.Builder
	for i, r := range typ {
		if i > 0 && r >= 'A' && r <= 'Z' && typ[i-1] >= 'a' && typ[i-1] <= 'z' {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	word := strings.ToLower(b.String())
	switch {
	case n == 1:
		return word
	case strings.HasSuffix(word, "series"):
		return word
	case len(word) > 1 && strings.HasSuffix(word, "y") && !strings.ContainsAny(word[len(word)-2:len(word)-1], "aeiou"):
		return word[:len(word)-1] + "ies"
	case strings.HasSuffix(word, "s"), strings.HasSuffix(word, "x"), strings.HasSuffix(word, "ch"), strings.HasSuffix(word, "sh"):
		return word + "es"
	}
	return word + "s"
}

// span tells the range of a figure over the items that have it; empty when fewer than two have.
func span(say phrase.Speaker, items []Told, label phrase.Text, slot facet.Slot, form func(float64) string) string {
	low, high, n := math.Inf(1), math.Inf(-1), 0
	for _, item := range items {
		if f, ok := item.Facts.Figure(slot); ok && f.Low > 0 {
			low, high, n = min(low, f.Low), max(high, f.Low), n+1
		}
	}
	switch {
	case n < 2:
		return ""
	case form(low) == form(high):
		return say.Say(label, form(low))
	}
	return say.Say(label, say.Say(phrase.To, form(low), form(high)))
}

func minutes(v float64) string {
	h, m := int(v)/60, int(v)%60
	switch {
	case h == 0:
		return fmt.Sprintf("%d min", m)
	case m == 0:
		return fmt.Sprintf("%d h", h)
	}
	return fmt.Sprintf("%d h %d min", h, m)
}

// oneCurrency returns the currency of the prices if they all have the same.
func oneCurrency(items []Told) (string, bool) {
	currency := ""
	for _, item := range items {
		if price, ok := item.Facts.Figure(facet.Price); ok && price.Low > 0 {
			if price.Unit == "" || currency != "" && currency != price.Unit {
				return "", false
			}
			currency = price.Unit
		}
	}
	return currency, currency != ""
}

// period tells the span of days of the items that have a start.
func period(say phrase.Speaker, items []Told) string {
	var first, last time.Time
	n := 0
	for _, item := range items {
		if at := item.Facts.Time(facet.Start); !at.IsZero() {
			n++
			if first.IsZero() || at.Before(first) {
				first = at
			}
			if at.After(last) {
				last = at
			}
		}
	}
	day := "2 January 2006"
	if say != (phrase.Speaker{}) {
		day = time.DateOnly
	}
	switch {
	case n < 2:
		return ""
	case first.Format(day) == last.Format(day):
		return say.Say(phrase.SummaryOn, first.Format(day))
	}
	return say.Say(phrase.SummaryFrom, first.Format(day), last.Format(day))
}
