package practical

import (
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/content/facets"
)

// sections are the intents of a language, in the order of its table.
func sections(t *testing.T, language string) (all []string) {
	t.Helper()
	phrases, err := Phrases(language)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range phrases {
		if !slices.Contains(all, p.Intent) {
			all = append(all, p.Intent)
		}
	}
	return all
}

func TestEachLanguageHasTheSameIntents(t *testing.T) {
	t.Parallel()
	first := sections(t, Languages[0])
	for _, language := range Languages[1:] {
		if got := sections(t, language); !slices.Equal(got, first) {
			t.Errorf("%s has %q\nand %s has %q", language, got, Languages[0], first)
		}
	}
}

// TestNoQuestionHasTwoIntents holds that the tables do not contradict themselves. Titles may: a
// page on delivery tells of its cost and of its time.
func TestNoQuestionHasTwoIntents(t *testing.T) {
	t.Parallel()
	for _, language := range Languages {
		phrases, err := Phrases(language)
		if err != nil {
			t.Fatal(err)
		}
		of := map[string]string{}
		for _, p := range phrases {
			if p.Title {
				continue
			}
			folded := facets.Fold(p.Text)
			if other, ok := of[folded]; ok {
				t.Errorf("%s: %q is asked under %s and under %s", language, p.Text, other, p.Intent)
			}
			of[folded] = p.Intent
		}
	}
}

// TestEachLanguageHasTheSameWords holds that what the code asks for by name is in all tables.
// Holidays differ.
func TestEachLanguageHasTheSameWords(t *testing.T) {
	t.Parallel()
	names := func(language string) (kept []string) {
		read, _ := readTable(language)
		for _, name := range read.names {
			if !strings.HasPrefix(name, holidayPrefix) {
				kept = append(kept, name)
				continue
			}
			if _, ok := daysOf(name, time.Date(2027, time.January, 1, 0, 0, 0, 0, time.UTC)); !ok {
				t.Errorf("%s: %q is no holiday", language, name)
			}
		}
		return kept
	}
	for _, language := range Languages[1:] {
		if got, first := names(language), names(Languages[0]); !slices.Equal(got, first) {
			t.Errorf("%s has %q\nand %s has %q", language, got, Languages[0], first)
		}
	}
}
