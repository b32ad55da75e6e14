package ask

import (
	"testing"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/ask/quote"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/search"
)

func TestSummaryTellsRangesAndQuotesTheBestSentences(t *testing.T) {
	t.Parallel()
	terms := []search.Term{{Stems: []string{"basil"}, Weight: 0.8}, {Stems: []string{"soup"}, Weight: 0.2}}
	items := []source{
		{Type: "Recipe", Name: "Tomato soup", Language: "en", Text: "A soup for cold days. Fresh basil makes it sing.",
			Facts: said(facets.TotalTime, 25, facets.Rating, 4.5)},
		{Type: "Recipe", Name: "Pesto", Language: "en", Text: "Basil and nuts, pounded.",
			Facts: said(facets.TotalTime, 70, facets.Rating, 4.1)},
		{Type: "NewsArticle", Name: "Herbs!", Language: "en", Text: "Herbs!"},
		{Type: "Recipe", Name: "Never quoted", Language: "en", Text: "The fourth item is counted and not quoted."},
	}
	got := summarize(t.Context(), i18n.Speaker{}, quote.New("", terms), items)
	want := "Tomato soup: Fresh basil makes it sing. Pesto: Basil and nuts, pounded. Herbs!" +
		" In all: 3 recipes and 1 news article, ready in 25 min to 1 h 10 min, rated 4.1 to 4.5."
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if summarize(t.Context(), i18n.Speaker{}, quote.New("", terms), nil) != "" {
		t.Error("a summary of nothing says something")
	}
}

func TestSummarySpeaksTheLanguageOfTheAnswer(t *testing.T) {
	t.Parallel()
	items := []source{
		{Type: "Recipe", Name: "Tomato soup", Language: "en", Text: "Fresh basil makes it sing.",
			Facts: said(facets.TotalTime, 25, facets.Rating, 4.5)},
		{Type: "NewsArticle", Name: "Herbs!", Language: "en", Text: "Herbs!",
			Facts: said(facets.TotalTime, 70, facets.Rating, 4.1)},
		{Type: "Recipe"}, {Type: "Recipe"},
	}
	for language, want := range map[string]string{
		"de": "Tomato soup: Fresh basil makes it sing. Herbs! Insgesamt: 3 Rezepte und 1 Nachrichtenartikel, " +
			"fertig in 25 min bis 1 h 10 min, bewertet mit 4,1 bis 4,5.",
		"fr": "Tomato soup: Fresh basil makes it sing. Herbs! En tout : 3 recettes et 1 article d’actualité, " +
			"prêts en 25 min à 1 h 10 min, notés 4,1 à 4,5.",
		"ja": "Tomato soup: Fresh basil makes it sing. Herbs! 全部でレシピ3件とニュース記事1件、所要時間25分〜1時間10分、評価4.1〜4.5。",
	} {
		if got := summarize(t.Context(), i18n.For(language), quote.New("", nil), items); got != want {
			t.Errorf("%s: got %s, want %s", language, got, want)
		}
	}
	if got, want := summarize(t.Context(), i18n.For("es"), quote.New("", nil), items[:1]),
		"Tomato soup: Fresh basil makes it sing."; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSummaryDoesNotMixCurrencies(t *testing.T) {
	t.Parallel()
	priced := func(price float64, currency string) source {
		return source{Type: "Product", Name: "x",
			Facts: facets.Facts{
				Figures: []facets.Figure{{Slot: facets.Price, Low: price, High: price, Unit: currency}},
			}}
	}
	if got := overview(i18n.Speaker{}, []source{priced(5, "EUR"), priced(7.5, "EUR"),
		priced(0, "")}); got != "In all: 3 products, priced €5.00 to €7.50." {
		t.Error(got)
	}
	if got := overview(i18n.Speaker{}, []source{priced(5, "EUR"), priced(7, "USD")}); got != "In all: 2 products." {
		t.Error(got)
	}
}

// said makes facts of slots and their figures.
func said(pairs ...any) (f facets.Facts) {
	for i := 0; i < len(pairs); i += 2 {
		var figure float64
		switch v := pairs[i+1].(type) {
		case int:
			figure = float64(v)
		case float64:
			figure = v
		}
		f.Figures = append(f.Figures, facets.Figure{Slot: pairs[i].(facets.Slot), Low: figure, High: figure})
	}
	return f
}
