package search

import (
	"slices"
	"testing"
)

// asksOf gives the words of a question that count.
func asksOf(t *testing.T, documents []string, question string) (words []string) {
	t.Helper()
	index := New(Options{})
	var changes []Document
	for _, title := range documents {
		changes = append(changes, Document{Ref: title, Key: title, Title: title})
	}
	for _, term := range index.Apply(changes, nil).Search(Query{Text: question}).Terms {
		if term.Use != Stop && term.Weight > 0 {
			words = append(words, term.Word)
		}
	}
	return words
}

func TestJapaneseQuestionsAskTheirWords(t *testing.T) {
	t.Parallel()
	items := []string{"サンスベリア 乾燥に強く、世話いらず", "花ばさみ", "水やりのコツ", "りんごジャム"}
	for question, want := range map[string][]string{
		"雨の日に遊べるところはありますか":    {"雨", "日", "遊"},
		"水やりは何日に一度ですか":        {"水や", "やり", "日", "一度"},
		"花ばさみがほしいんですが":        {"花ば", "ばさ", "さみ"},
		"りんごはありますか":           {"りん", "んご"},
		"母の誕生日に贈りたいのですが":      {"母", "誕生", "生日", "贈"},
		"猫を飼っているので、安全なもの":     {"猫", "飼", "安全"},
		"サンスベリアの置き場所を教えてください": {"サン", "ンス", "スベ", "ベリ", "リア", "置", "場所"},
	} {
		got := asksOf(t, items, question)
		for _, word := range want {
			if !slices.Contains(got, word) {
				t.Errorf("%q asks %q, without %q", question, got, word)
			}
		}
		for _, word := range got {
			if !slices.Contains(want, word) {
				t.Errorf("%q asks %q, with %q", question, got, word)
			}
		}
	}
}

func TestWordsThatTellOfTheAskerCountNothing(t *testing.T) {
	t.Parallel()
	items := []string{"Regenjacke", "Giacca impermeabile", "Waterproof jacket", "Veste imperméable",
		"Chaqueta impermeable", "Casaco impermeável"}
	for question, want := range map[string]string{
		"irgendwas gegen Regen, habt ihr da eine schöne Idee?":   "regen",
		"vorrei qualcosa di impermeabile per mio marito":         "impermeabile",
		"I was wondering whether you sell something waterproof":  "waterproof",
		"bonjour, je cherche quelque chose d'imperméable svp":    "imperméable",
		"hola, busco algo impermeable para mi hijo, por favor":   "impermeable",
		"olá, procuro alguma coisa impermeável para o meu filho": "impermeável",
	} {
		if got := asksOf(t, items, question); !slices.Equal(got, []string{want}) {
			t.Errorf("%q asks %q, not %q alone", question, got, want)
		}
	}
}
