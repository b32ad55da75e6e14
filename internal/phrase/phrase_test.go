package phrase

import (
	"regexp"
	"slices"
	"testing"
)

func TestTheLanguageThatFitsBestIsChosen(t *testing.T) {
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
	return verbs
}

func TestEveryTextIsThereInEveryLanguageWithTheSamePlaces(t *testing.T) {
	for key, said := range All() {
		if len(said) != len(Languages) {
			t.Errorf("%s is there in %d languages", key, len(said))
			continue
		}
		for i, text := range said {
			if text == "" {
				t.Errorf("%s is empty in %s", key, Languages[i])
			}
			if got, want := places(text), places(said[0]); !slices.Equal(got, want) {
				t.Errorf("%s fills in %v in %s and %v in %s", key, got, Languages[i], want, Languages[0])
			}
		}
	}
}

func TestAListReadsAsOneWouldSayIt(t *testing.T) {
	for _, row := range []struct{ language, want string }{{"en", "a, b and c"}, {"de", "a, b und c"}, {"ja", "a、bとc"}} {
		if got := For(row.language).List([]string{"a", "b", "c"}); got != row.want {
			t.Errorf("in %s: %q, want %q", row.language, got, row.want)
		}
	}
}
