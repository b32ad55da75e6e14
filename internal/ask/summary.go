package ask

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"frontdesk/internal/ask/facts"
	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/ask/quote"
	"frontdesk/internal/ask/telling"
	"frontdesk/internal/content"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/released"
)

// source is one item of an answer as a summary may speak of it.
type source = telling.Item

// toldItems is how many items a summary quotes.
const toldItems = 3

// summarize writes a short text about the items of an answer. Of the first few items it gives the
// sentence that answers best, in the item's own language. Where there are more, it tells behind
// them how many there are of each kind and the range of their figures, in the language of say. The
// same input gives the same text.
func summarize(ctx context.Context, say i18n.Speaker, asked *quote.Question, items []source) string {
	var b strings.Builder
	for i, item := range items[:min(len(items), toldItems)] {
		if item.Name == "" {
			continue
		}
		b.WriteString(" " + item.Name)
		if sentence := asked.Best(ctx, quote.Item{Name: item.Name, Language: item.Language, Text: item.Text},
			i == 0); sentence != "" {
			b.WriteString(": " + sentence)
		}
		if last, _ := utf8.DecodeLastRuneInString(b.String()); !strings.ContainsRune(".!?…。！？", last) {
			b.WriteString(say.Say(i18n.Stop))
		}
	}
	if len(items) > toldItems {
		b.WriteString(" " + overview(say, items))
	}
	return strings.TrimSpace(b.String())
}

// overview is the last sentence: how many items of which kind, and the range of what they cost,
// take and score.
func overview(say i18n.Speaker, items []source) string {
	parts := []string{kinds(say, items)}
	if s := span(say, items, facets.TotalTime, say.Span); s != "" {
		parts = append(parts, say.Say(i18n.ReadyIn, s))
	}
	if currency, ok := oneCurrency(items); ok {
		money := func(v float64) string { return say.With(currency, say.Number(v, 2)) }
		if s := span(say, items, facets.Price, money); s != "" {
			parts = append(parts, say.Say(i18n.Priced, s))
		}
	}
	rating := func(v float64) string { return say.Number(v, 1) }
	if s := span(say, items, facets.Rating, rating); s != "" {
		parts = append(parts, say.Say(i18n.Rated, s))
	}
	if s := period(say, items); s != "" {
		parts = append(parts, s)
	}
	return say.Say(i18n.InAll, strings.Join(parts, say.Say(i18n.Then))) + say.Say(i18n.Stop)
}

// kinds counts the items by type: "4 recipes and 1 article".
func kinds(say i18n.Speaker, items []source) string {
	counts := map[string]int{}
	for _, item := range items {
		counts[item.Type]++
	}
	types := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
	parts := make([]string, len(types))
	for i, t := range types {
		parts[i] = say.Several(counts[t], t)
	}
	return say.List(parts)
}

// span tells the range of a figure over the items that have it; empty when fewer than two have.
func span(say i18n.Speaker, items []source, slot facets.Slot, form func(float64) string) string {
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
		return form(low)
	}
	return say.Say(i18n.Ranging, form(low), form(high))
}

// oneCurrency returns the currency of the prices if they all have the same.
func oneCurrency(items []source) (string, bool) {
	currency := ""
	for _, item := range items {
		if price, ok := item.Facts.Figure(facets.Price); ok && price.Low > 0 {
			if price.Unit == "" || currency != "" && currency != price.Unit {
				return "", false
			}
			currency = price.Unit
		}
	}
	return currency, currency != ""
}

// period tells the span of days of the items that have a start.
func period(say i18n.Speaker, items []source) string {
	var first, last time.Time
	n := 0
	for _, item := range items {
		if at := item.Facts.Time(facets.Start); !at.IsZero() {
			n++
			if first.IsZero() || at.Before(first) {
				first = at
			}
			if at.After(last) {
				last = at
			}
		}
	}
	switch {
	case n < 2:
		return ""
	case say.Day(first) == say.Day(last):
		return say.Say(i18n.On, say.Day(first))
	}
	return say.Say(i18n.During, say.Day(first), say.Day(last))
}

// sourceOf is an item as a summary may speak of it.
func sourceOf(r released.Result) source {
	t := source{Type: r.Type(), Name: r.Name(), Language: r.Language(), Text: r.Description()}
	if r.Licensed() {
		return t
	}
	t.Facts = r.Facts()
	texts := []string{t.Text, r.Passage()}
	if texts[1] == "" { // its members have it
		texts = append(texts, facts.Read(r.AppendObject(nil)).Texts(content.BodyProperties)...)
	}
	t.Text = strings.Join(texts, "\n")
	return t
}
