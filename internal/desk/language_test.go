package desk

import (
	"testing"

	"frontdesk/internal/content"
)

func TestItemsInTheLanguageOfTheAnswerStandFirst(t *testing.T) {
	b := newBench(t, "shop")
	var items []content.Item
	for _, language := range []string{"de", "en", "fr", "ja"} {
		one := item("shop", language, "Product", "Zonk 500", "Zonk 500.")
		one.Language = language
		items = append(items, one)
	}
	b.fill(t, "shop", "all", items...)
	for _, wanted := range []string{"fr", "ja-JP,en;q=0.5", "en", "sv,de;q=0.8", "de"} {
		got := b.asked(t, Question{Text: "zonk 500", Languages: []string{wanted}})
		tag := wanted[:2]
		if tag == "sv" {
			tag = "de"
		}
		if want := "https://shop.example/" + tag; len(got) != 4 || got[0]["url"] != want {
			t.Errorf("in %s: %v, want %s first of four", wanted, got, want)
		}
	}
}
