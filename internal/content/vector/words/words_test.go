package words

import (
	"slices"
	"strings"
	"testing"
)

// cutting gives the pieces of a text, from the first to the last.
func cutting(t *Table, text string) (all []string) {
	t.cut(text, func(piece int) { all = append(all, t.pieces.(*cutter).name(piece)) })
	slices.Reverse(all)
	return all
}

func TestTextsAreCutIntoTheMostLikelyPieces(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                    "",
		" \t\n":               "",
		"Opening hours":       "▁opening ▁hours",
		"OPENING   HOURS?":    "▁opening ▁hours ?",
		"L’été":               "▁l ’ été",
		"ｱﾊﾟｰﾄ":               "▁ア パート",
		"Wasserkocher":        "▁wasser koch er",
		"日本語":                 "▁日本語",
		"12 eggs":             "▁1 2 ▁eggs",
		"x\u2603y":            "▁x y", // a sign that is no piece is left out
		"broken\xff\xfebytes": "▁broken ▁bytes",
	} {
		if got := strings.Join(cutting(Builtin(), text), " "); got != want {
			t.Errorf("%q is cut into %q; want %q", text, got, want)
		}
	}
}

func TestTextsThatMeanTheSamePointTheSameWay(t *testing.T) {
	t.Parallel()
	texts := []string{
		"Wasserkocher aus Glas", "Fahrradverleih am Hafen", "Sprechzeiten der Praxis", "Kochkurs für Kinder",
	}
	for question, want := range map[string]int{
		"electric kettle": 0, "bouilloire": 0, "hervidor de agua": 0, "bollitore": 0,
		"rent a bike": 1, "location de vélos": 1, "alquiler de bicicletas": 1, "noleggio biciclette": 1, "自転車レンタル": 1,
		"when is the doctor in": 2, "horário do médico": 2, "cooking lessons for kids": 3, "子供の料理教室": 3,
	} {
		asked, ok := Builtin().Embed(question)
		if !ok {
			t.Fatalf("%q has no direction", question)
		}
		best, most := -1, -2.0
		for i, text := range texts {
			v, _ := Builtin().Embed(text)
			if c := Cosine(asked, v); c > most {
				best, most = i, c
			}
		}
		if best != want {
			t.Errorf("%q is nearest to %q; want %q", question, texts[best], texts[want])
		}
	}
}

func TestATitleCountsAsMuchAsItsText(t *testing.T) {
	t.Parallel()
	table := Builtin()
	alone, _ := table.EmbedTitled("Returns", "")
	title, _ := table.Embed("Returns")
	if !slices.Equal(alone, title) {
		t.Error("a title without text points elsewhere than its words")
	}
	if _, ok := table.EmbedTitled("", ""); ok {
		t.Error("nothing has a direction")
	}
	if v, ok := table.EmbedTitled("", "send a parcel back"); !ok ||
		Cosine(v, mustEmbed(t, "send a parcel back")) < 0.99 {
		t.Error("a text without a title has no direction of its own")
	}
}

func mustEmbed(t *testing.T, text string) Vector {
	t.Helper()
	v, ok := Builtin().Embed(text)
	if !ok {
		t.Fatalf("%q has no direction", text)
	}
	return v
}

func TestBrokenTablesAreRefused(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 3, 15, 16, 100, len(builtin) - 1} {
		if _, err := read(builtin[:n]); err == nil {
			t.Errorf("the first %d bytes pass for a table", n)
		}
	}
	if _, err := read(append(slices.Clone(builtin), 'x')); err == nil {
		t.Error("a table with something behind it passes")
	}
	if len(builtin) > 8_000_000 {
		t.Errorf("the table has %d bytes; 8 MB are the most", len(builtin))
	}
}

func FuzzEmbed(f *testing.F) {
	for _, text := range []string{
		"", "hours", "日本語 ｱﾊﾟｰﾄ", "L’été à 12 €", "\xff\u2581\u2581 ", strings.Repeat("é", 3000), "ﷺ",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		table := Builtin()
		whole := normalized(text, false)
		rest := whole
		for _, piece := range cutting(table, text) { // pieces stand in the text, in their order
			at := strings.Index(rest, piece)
			if at < 0 {
				t.Fatalf("%q is no piece of what remains of %q", piece, whole)
			}
			rest = rest[at+len(piece):]
		}
		v, ok := table.Embed(text)
		if ok != (v != nil) || ok && !slices.ContainsFunc(v, func(x int8) bool { return x == 127 || x == -127 }) {
			t.Fatalf("%q has the direction %v", text, v)
		}
		if again, _ := table.Embed(text); !slices.Equal(v, again) {
			t.Fatalf("%q has two directions", text)
		}
	})
}

func BenchmarkEmbedQuestion(b *testing.B) {
	Builtin()
	for b.Loop() {
		Builtin().Embed("How long do I have to send something back?")
	}
}

func BenchmarkDot(b *testing.B) {
	v, _ := Builtin().Embed("How long do I have to send something back?")
	for b.Loop() {
		Dot(v, v)
	}
}

func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		if _, err := read(builtin); err != nil {
			b.Fatal(err)
		}
	}
}

func TestEverydayWordsSurpriseLess(t *testing.T) {
	t.Parallel()
	for _, order := range [][]string{
		{"the", "send", "kettle"}, {"der", "schicken"}, {"di", "rendere"}, {"may", "march", "descaler"},
	} {
		for i, word := range order[1:] {
			if before := Surprise(order[i]); !(before < Surprise(word)) {
				t.Errorf("%q surprises by %v, %q by %v", order[i], before, word, Surprise(word))
			}
		}
	}
}

func TestClausesAreEmbeddedByThemselves(t *testing.T) {
	t.Parallel()
	got := Builtin().EmbedClauses("my husband fell in March, he sits in a wheelchair; kommt er ins Becken?")
	if len(got) != 3 {
		t.Fatalf("%d clauses; want 3", len(got))
	}
	alone, _ := Builtin().Embed(" he sits in a wheelchair")
	if Cosine(got[1], alone) < 0.999 {
		t.Error("the second clause has another direction than by itself")
	}
	if got := Builtin().EmbedClauses("?!, ."); len(got) != 0 {
		t.Errorf("signs alone have %d clauses", len(got))
	}
}
