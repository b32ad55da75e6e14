package query

import (
	"os"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/content/facets"
	"frontdesk/internal/infra/language"
)

// TestAWishIsTheSameInTheWordsOfEachLanguage holds the ways in which people say that something is
// not wanted, of things of that nothing is known: nobody's catalog makes up for words that are
// missing.
func TestAWishIsTheSameInTheWordsOfEachLanguage(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/wishes.txt")
	if err != nil {
		t.Fatal(err)
	}
	in, asked := "", map[string]int{}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "["); ok {
			in = strings.TrimSuffix(name, "]")
			continue
		}
		if line == "" || line[0] == '#' {
			continue
		}
		asked[in]++
		at := shopping()
		at.Languages = []string{in}
		u := Read(line, at)
		what := ""
		for _, c := range u.Constraints {
			if !c.Not || c.Soft || c.Slot != facets.Mention {
				what += "wrong "
			}
			what += strings.Join(c.Values, "+") + " "
		}
		if what = facets.Fold(what); what != "zorble" && what != facets.Fold("ゾルブル") {
			t.Errorf("%s: %q leaves out %q, searches for %q", in, line, what, u.Text)
			continue
		}
		if rest := said(u.Text); rest != "fimbo" && rest != facets.Fold("フィンボ") {
			t.Errorf("%s: %q searches for %q", in, line, rest)
		}
	}
	for _, tag := range language.Tags {
		if asked[tag] == 0 {
			t.Errorf("nothing is asked in %s", tag)
		}
	}
}

// said are the words of a text that say something.
func said(text string) string {
	var words []string
	for _, word := range strings.Fields(facets.Fold(text)) {
		if !IsFunction(word) {
			words = append(words, strings.TrimSuffix(word, "s"))
		}
	}
	return strings.Join(words, " ")
}

func TestADayThatIsNotWantedIsEveryOther(t *testing.T) {
	t.Parallel()
	at := shopping()
	at.Lexicon = facets.NewLexicon(facets.Taught{Items: 9, Types: map[string]int{"Event": 9}, Slots: []facets.Known{
		{Slot: facets.Days, Count: 5}, {Slot: facets.Start, Kind: facets.Times, Count: 9},
	}})
	for _, question := range []string{
		"fimbo not on a saturday", "fimbo that isn't on saturdays", "fimbo, but not on Saturday",
		"any fimbo except on saturdays", "Fimbo, aber nicht am Samstag", "Fimbo, nicht samstags",
		"fimbo que no sea los sábados", "fimbo que não seja ao sábado", "fimbo exceto ao sábado", "fimbo pas le samedi",
		"fimbo sauf le samedi", "fimbo, ma non di sabato",
	} {
		u := Read(question, at)
		if len(u.Constraints) != 1 || u.Constraints[0].Slot != facets.Days || u.Constraints[0].Not ||
			len(u.Constraints[0].Values) != 6 ||
			slices.Contains(u.Constraints[0].Values, facets.Weekdays("saturday")[0]) {
			t.Errorf("%q is read as %+v", question, u.Constraints)
		}
	}
}

func TestWhatMightBeIsNoWish(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ in, question string }{
		{"en", "zorble if I am not at home"}, {"en", "what does zorble cost if I don't have a fimbo"}, {
			"de", "was kostet zorble, wenn ich nicht in Wien wohne",
		}, {"it", "quanto costa lo zorble se non abito a fimbo"},
		{"fr", "combien coûte zorble si je n'ai pas de fimbo"}, {"es", "cuánto cuesta zorble si no vivo en fimbo"},
		{"pt", "quanto custa zorble caso não more em fimbo"},
	} {
		at := shopping()
		at.Languages = []string{row.in}
		if u := Read(row.question, at); len(u.Constraints) > 0 {
			t.Errorf("%q has the conditions %s", row.question, conditions(&u))
		}
	}
}
