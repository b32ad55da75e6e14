package ask

import (
	"strings"
	"testing"

	"frontdesk/internal/content"
	"frontdesk/internal/infra/fail"
)

func TestItemsInTheLanguageOfTheAnswerStandFirst(t *testing.T) {
	t.Parallel()
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

func TestWhatAnswersSayThemselvesIsInTheirLanguage(t *testing.T) {
	t.Parallel()
	b := newBench(t, "shop")
	b.fill(t, "shop", "all",
		item("shop", "lamp", "Product", "Brass lamp", "A lamp of brass."),
		item("shop", "tin", "Product", "Tin lamp", "A lamp of tin."),
		item("shop", "iron", "Product", "Iron lamp", "A lamp of iron."),
		item("shop", "zinc", "Product", "Zinc lamp", "A lamp of zinc."),
	)
	for _, row := range []struct {
		language string
		question Question
		want     string
	}{
		{"", Question{Text: "qqzz"}, "Nothing here matches that question. Try other words."},
		{"de-CH", Question{Text: "qqzz"}, "Dazu gibt es hier nichts. Versuchen Sie andere Worte."},
		{"fr", Question{Text: "qqzz", Types: []string{"Product"}},
			"Rien ici du type produit ne correspond à cette question. Essayez d’autres mots, ou retirez le type."},
		{"ja", Question{Text: "qqzz", Sites: []string{"shop"}}, "shopには該当するものがありません。別の言葉を使うか、すべてのサイトで検索してください。"},
		{"es", Question{Text: "qqzz", Report: ReportAlone},
			"Aquí nada responde a esa pregunta. Prueba con otras palabras."},
	} {
		if row.language != "" {
			row.question.Languages = []string{row.language}
		}
		_, err := b.Ask(t.Context(), row.question)
		if got := fail.From(err); got.Code != fail.NoResults || got.Detail != row.want {
			t.Errorf("%s %+v: %v, want %s", row.language, row.question, err, row.want)
		}
	}
	german := Context{Explained: []string{"de"}}
	_, err := b.Ask(t.Context(), Question{Text: "qqzz", Languages: []string{"fr"}, Context: german})
	if got := fail.From(err); got.Detail != "Dazu gibt es hier nichts. Versuchen Sie andere Worte." {
		t.Errorf("to a German who looks at a French question: %v", err)
	}
	told, err := b.Ask(t.Context(), Question{Text: "lamp", Types: []string{"Product"}, Context: german})
	if err != nil || told.Understood.Text != "lamp; Art: Produkt" {
		t.Errorf("to a German who looks at a question: %q, %v", told.Understood.Text, err)
	}
	reply, err := b.Ask(t.Context(), Question{Text: "lamp", Languages: []string{"pt-BR, en;q=0.5"}})
	if err != nil {
		t.Fatal(err)
	}
	draft, err := reply.Answer.Draft(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := draft.BuiltIn().Text; !strings.HasSuffix(got, " Ao todo: 4 produtos.") {
		t.Errorf("the summary in Portuguese is %q", got)
	}
}
