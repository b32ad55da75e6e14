package i18n

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestTheLanguageThatFitsBestIsChosen(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		preferred []string
		want      string
	}{
		{nil, "en"},
		{[]string{""}, "en"},
		{[]string{"de"}, "de"},
		{[]string{"de-AT,en;q=0.5"}, "de"},
		{[]string{"sv, fr;q=0.8, en;q=0.1"}, "fr"},
		{[]string{"sv", "pt-BR"}, "pt"},
		{[]string{"ja-JP"}, "ja"},
		{[]string{"it-CH"}, "it"},
		{[]string{"es-419"}, "es"},
		{[]string{"%%%", "fr"}, "fr"},
		{[]string{"sv"}, "en"},
	} {
		if got := For(row.preferred...).Language(); got != row.want {
			t.Errorf("For(%q) speaks %s, want %s", row.preferred, got, row.want)
		}
	}
}

func TestTagsAreGivenByWhatIsPreferred(t *testing.T) {
	t.Parallel()
	got := Tags("sv;q=0.2, fr-CA;q=0.8, *;q=0.1", "%%%", "", "en")
	if want := []string{"fr-CA", "sv", "en"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

var place = regexp.MustCompile(`%(?:\[(\d)\])?[-+# 0]*[\d.]*([a-z])`)

// places gives the verbs of a text by the number of the argument that they say.
func places(text string) []string {
	var verbs []string
	for i, found := range place.FindAllStringSubmatch(text, -1) {
		number := found[1]
		if number == "" {
			number = string(rune('1' + i))
		}
		verbs = append(verbs, number+found[2])
	}
	slices.Sort(verbs)
	return slices.Compact(verbs)
}

func TestEveryTextIsThereInEveryLanguageWithTheSamePlaces(t *testing.T) {
	t.Parallel()
	for _, key := range declared {
		if len(All()[key]) == 0 {
			t.Errorf("%s is said and stands in no table", key)
		}
	}
	for key, said := range All() {
		for i, text := range said {
			if text == "" && !strings.HasPrefix(key, signOf) {
				t.Errorf("%s is empty in %s", key, Languages[i])
			}
			if got, want := places(text), places(said[0]); text != "" && !slices.Equal(got, want) {
				t.Errorf("%s fills in %v in %s and %v in %s", key, got, Languages[i], want, Languages[0])
			}
		}
	}
}

func TestAListReadsAsOneWouldSayIt(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ language, want string }{{"en", "a, b and c"}, {"de", "a, b und c"}, {"ja", "a、bとc"}} {
		if got := For(row.language).List([]string{"a", "b", "c"}); got != row.want {
			t.Errorf("in %s: %q, want %q", row.language, got, row.want)
		}
	}
}

func TestThingsAreCountedAndNamedAsPeopleDo(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		language, typ  string
		n              int
		several, thing string
	}{
		{"en", "Recipe", 1, "1 recipe", "recipes"},
		{"en", "NewsArticle", 2, "2 news articles", "news articles"},
		{"en", "Country", 3, "3 countries", "countries"},
		{"en", "", 2, "2 items", "s"},
		{"de", "Recipe", 1, "1 Rezept", "Rezepte"},
		{"fr", "JobPosting", 4, "4 offres d’emploi", "offres d’emploi"},
		{"es", "Book", 2, "2 libros", "libros"},
		{"pt", "Hotel", 2, "2 hotéis", "hotéis"},
		{"it", "JobPosting", 2, "2 offerte di lavoro", "offerte di lavoro"},
		{"ja", "Recipe", 4, "レシピ4件", "レシピ"},
		{"ja", "Widget", 1, "Widget1件", "Widget"},
		{"de", "Widget", 2, "2 Widget", "Widget"},
	} {
		s := For(row.language)
		if got := s.Several(row.n, row.typ); got != row.several {
			t.Errorf("%s: %q, want %q", row.language, got, row.several)
		}
		if got := s.Things(row.typ); row.typ != "" && got != row.thing {
			t.Errorf("%s: %q, want %q", row.language, got, row.thing)
		}
	}
}

func TestFiguresAndDaysAreWrittenAsTheLanguageDoes(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 3, 9, 19, 30, 0, 0, time.UTC)
	for _, row := range []struct{ language, number, small, span, day, moment string }{
		{"en", "1,299.5", "4.5", "1 h 10 min", "9 March 2026", "9 March 2026, 19:30"},
		{"de", "1.299,5", "4,5", "1 h 10 min", "9. März 2026", "9. März 2026, 19:30 Uhr"},
		{"fr", "1\u202f299,5", "4,5", "1 h 10 min", "9 mars 2026", "9 mars 2026, 19:30"},
		{"es", "1299,5", "4,5", "1 h 10 min", "9 de marzo de 2026", "9 de marzo de 2026, 19:30"},
		{"pt", "1.299,5", "4,5", "1 h 10 min", "9 de março de 2026", "9 de março de 2026, 19:30"},
		{"it", "1.299,5", "4,5", "1 h 10 min", "9 marzo 2026", "9 marzo 2026, ore 19:30"},
		{"ja", "1,299.5", "4.5", "1時間10分", "2026年3月9日", "2026年3月9日 19:30"},
	} {
		s := For(row.language)
		for got, want := range map[string]string{
			s.Number(1299.5, -1): row.number, s.Number(4.5, -1): row.small, s.Span(70): row.span, s.Day(day): row.day,
			s.Moment(day): row.moment,
		} {
			if got != want {
				t.Errorf("%s: %q, want %q", row.language, got, want)
			}
		}
	}
	if got := (Speaker{}).Number(-1234567, 0) + " " + (Speaker{}).Number(1e30, -1)[:4]; got != "-1,234,567 1,00" {
		t.Errorf("%q", got)
	}
}
