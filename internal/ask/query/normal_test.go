package query

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestNormalFormsAreOneForTheSameWords(t *testing.T) {
	t.Parallel()
	for form, texts := range map[string][]string{
		"liefert ihr in die schweiz": {
			"Liefert ihr in die Schweiz?", "  liefert ihr, in die SCHWEIZ", "liefert ihr in die schweiz",
		},
		"creme brulee": {"Crème brûlée!", "creme-brulee"},
		"with milk":    {"with milk?"},
		"without milk": {"Without milk?"},
		"":             {"", "?!", " "},
	} {
		for _, text := range texts {
			if got := Normal(text); got != form {
				t.Errorf("Normal(%q) = %q, want %q", text, got, form)
			}
		}
	}
}

func FuzzNormal(f *testing.F) {
	f.Add("Où est l’hôtel ?")
	f.Add(strings.Repeat("ß", maxNormal))
	f.Add(strings.Repeat("か\u3099", maxNormal))
	f.Fuzz(func(t *testing.T, text string) {
		form := Normal(text)
		if len(form) > maxNormal || !utf8.ValidString(form) {
			t.Errorf("Normal(%q) has %d bytes, valid %v", text, len(form), utf8.ValidString(form))
		}
		if again := Normal(form); again != form {
			t.Errorf("Normal(%q) = %q, and of that %q", text, form, again)
		}
	})
}
