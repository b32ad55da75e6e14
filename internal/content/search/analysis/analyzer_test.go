package analysis

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// shared is an analyzer for all tests; making one takes a millisecond.
var shared = NewAnalyzer()

func terms(text, language string) []string {
	var out []string
	for w := range shared.Words(text, language) {
		out = append(out, w.Term)
	}
	return out
}

func TestWordsAreFoldedSplitAndStemmed(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, language, text, want string }{
		{"stems", "en", "Running runners run!", "run runner run"},
		{"no language, no stems", "", "Running shoes", "running shoes"},
		{"unknown language", "tlh", "Running shoes", "running shoes"},
		{"region is passed over", "en-GB", "shoes", "shoe"},
		{"numbers", "en", "1/2 inch, 2.4 GHz, 1,000 pieces, 12.", "1/2 inch 2.4 ghz 1000 piec 12"},
		{"mixed words", "en", "B07C 5GHz usb3", "b07c 5ghz usb3"},
		{"compounds give parts and whole", "en", "USB-C wi-fi T-shirts", "usb c usbc wi fi wifi t shirt tshirt"},
		{"long compounds give parts", "en", "state-of-the-art", "state of the art"},
		{"possessives", "en", "men's women’s James's", "man woman jame"},
		{"contractions", "en", "don't you’re", "dont your"},
		{"elision", "fr", "l'avion", "l avion lavion"},
		{"accents", "en", "Café naïve Ærø", "cafe naiv aero"},
		{"compatibility", "en", "ﬁne ＡＢＣ ½", "fine abc 1/2"},
		{"German", "de", "Straße Straßen", "strass strass"},
		{"Spanish with and without accents", "es", "canciones", "cancion"},
		{"Russian", "ru", "ёлки", "елк"},
		{"Arabic marks", "ar", "كِتَاب", "كتاب"},
		{"Chinese by pairs", "zh", "北京大学", "北 北京 京 京大 大 大学 学"},
		{"mixed scripts", "ja", "Go言語", "go 言 言語 語"},
		{"Korean by pairs", "ko", "한국어", "한 한국 국 국어 어"},
		{"Hindi keeps its vowel signs", "hi", "हिन्दी", "हिन्दी"},
		{"signs are no words", "en", "*** -- ' / . , %", ""},
		{"soft hyphens", "en", "wa\u00adter", "water"},
		{"broken UTF-8", "en", "red\xff\xfeblue \xc3", "red blue"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := strings.Join(terms(test.text, test.language), " ")
			if got != test.want {
				t.Errorf("%q in %q gives %q, want %q", test.text, test.language, got, test.want)
			}
		})
	}
}

func TestWordsSayWhereTheyStand(t *testing.T) {
	t.Parallel()
	text := "Der Wi-Fi Käse, 日本"
	var got []string
	for w := range NewAnalyzer().Words(text, "de") {
		got = append(got, w.Term+"="+text[w.Start:w.End])
	}
	want := []string{"der=Der", "wi=Wi", "fi=Fi", "wifi=Wi-Fi", "kas=Käse", "日=日", "日本=日本", "本=本"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWordsCanBeLeftEarly(t *testing.T) {
	t.Parallel()
	n := 0
	for range NewAnalyzer().Words("usb-c one two 日本 three", "en") {
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d words", n)
	}
}

func TestVeryLongWordsAreCut(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		strings.Repeat("a", 1<<16), strings.Repeat("é", 1<<12), strings.Repeat("a-", 1<<12) + "a",
	} {
		for w := range NewAnalyzer().Words(text, "en") {
			if len(w.Term) > MaxTerm {
				t.Fatalf("a term of %d bytes", len(w.Term))
			}
		}
	}
}

func TestLanguageIsGuessedFromFunctionWords(t *testing.T) {
	t.Parallel()
	a := NewAnalyzer()
	for text, want := range map[string]string{
		"The ship that was in the harbour is the one we have seen":             "en",
		"Das Schiff, das im Hafen liegt, ist nicht das, was wir gesehen haben": "de",
		"Le bateau qui est dans le port n'est pas celui que nous avons vu":     "fr",
		"El barco que está en el puerto no es el que hemos visto":              "es",
		"Корабль, который стоит в порту, не тот, что мы видели, и это не наш":  "ru",
		"Kindle Paperwhite 8GB":              "",
		"Red shoes, blue shoes, green shoes": "",
		"":                                   "",
	} {
		if got := a.Guess(text); got != want {
			t.Errorf("%q seems to be %q, want %q", text, got, want)
		}
	}
}

// Nothing of a negation may be lost: "belt without buckle" is not "belt buckle".
func TestNegationsAreNoFunctionWords(t *testing.T) {
	t.Parallel()
	for tag, language := range NewAnalyzer().byTag {
		for word := range language.negates {
			if language.stops[word] {
				t.Errorf("%q is a function word of %q", word, tag)
			}
		}
		if functionWords[tag] != "" && len(language.negates) == 0 {
			t.Errorf("%q has no negations", tag)
		}
	}
}

func FuzzWords(f *testing.F) {
	for _, seed := range []string{
		"men's 1/2 usb-c", "l’avion ½ ﬁ", "北京 한국어 ภาษาไทย", "a-'-b ''s -s's", "\xff\u00ad", "ΌΣ İstanbul",
	} {
		f.Add(seed, "en")
		f.Add(seed, "fr")
	}
	a := NewAnalyzer()
	f.Fuzz(func(t *testing.T, text, language string) {
		last := 0
		for w := range a.Words(text, language) {
			if w.Start < 0 || w.Start >= w.End || w.End > len(text) || w.Start < last-maxRun*maxRun {
				t.Fatalf("%+v in a text of %d bytes", w, len(text))
			}
			last = w.Start
			if w.Term == "" || !utf8.ValidString(w.Term) {
				t.Fatalf("term %q", w.Term)
			}
		}
		first, second := terms(text, language), terms(text, language)
		if diff := cmp.Diff(first, second); diff != "" {
			t.Fatal(diff)
		}
	})
}
