package query

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/taxonomy"
	"frontdesk/internal/infra/language"
)

// shopping is a catalog that says nothing of diets and ingredients.
func shopping() Asking {
	at := asking()
	at.Lexicon = facets.NewLexicon(facets.Taught{Items: 10, Types: map[string]int{"Product": 10}})
	return at
}

// conditions are the conditions of a question, in one line.
func conditions(u *Understood) string {
	var all []string
	for _, c := range u.Constraints {
		all = append(all, fmt.Sprintf("%s not %t allergy %t %s", c.Slot, c.Not, c.Allergy, strings.Join(c.Values, "+")))
	}
	return strings.Join(all, "; ")
}

// TestEachWayToLeaveOutAClassMeansTheSame holds that every form of every language gives one
// condition for each class, whatever the class is called there, and that nothing of what says so is
// searched for.
func TestEachWayToLeaveOutAClassMeansTheSame(t *testing.T) {
	t.Parallel()
	harms := map[string]bool{}
	for list := range language.Each("refuse") {
		for _, form := range list.Phrases {
			if list.Argument == "allergy" {
				harms[foldPhrase(form)] = true
			}
		}
	}
	for _, table := range language.Tables() {
		for _, list := range table.Lists {
			switch {
			case list.Key == "without", list.Key == "refuse" &&
				(list.Argument == "allergy" || list.Argument == "wish" || list.Argument == "named"):
			default:
				continue
			}
			for _, form := range list.Phrases {
				if list.Key == "without" {
					form += " *"
				} else if list.Argument == "named" && !strings.Contains(form, "*") {
					continue // a name follows, which may be of a class or not
				}
				if before, _, glued := strings.Cut(form, "*"); before == "" && glued && form[1] != ' ' &&
					table.Tag != "ja" {
					continue // compounds have forms of their own
				}
				for _, class := range []string{"hazelnuts", "eggs", "soy", "wool", "latex", "electricity"} {
					question := strings.ReplaceAll(form, "*", taxonomy.Name(class, table.Tag))
					u := Read(question, shopping())
					slot := facets.Ingredient
					switch taxonomy.KindOf(class) {
					case taxonomy.Material:
						slot = facets.Material
					case taxonomy.Power:
						slot = facets.Mention
					}
					want := fmt.Sprintf("%s not true allergy %t %s", slot, harms[foldPhrase(form)], class)
					if got := conditions(&u); got != want {
						t.Errorf("%s: %q\n got %s\nwant %s", table.Tag, question, got, want)
					}
					if name := facets.Fold(taxonomy.Name(class, table.Tag)); strings.Contains(facets.Fold(u.Text),
						name) {
						t.Errorf("%s: %q searches for %q", table.Tag, question, u.Text)
					}
				}
			}
		}
	}
}

func TestClassesAreLeftOutHoweverItIsSaid(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ question, text, class string }{
		{"my daughter goes into shock from hazelnuts, which chocolates can she have", "chocolates", "hazelnuts"},
		{"coffee grinder, no electricity needed", "coffee grinder", "electricity"},
		{"berretto, la lana mi dà allergia", "berretto", "wool"},
		{"un maglione che non sia di lana", "maglione", "wool"},
		{"Kekse bei Nussallergie", "Kekse", "nuts"},
		{"milchfreie Schokolade", "Schokolade", "dairy"},
		{"chai without honey and without milk", "chai", "honey dairy"},
		{"gâteau, ma fille est allergique aux noisettes et aux amandes", "gâteau", "hazelnuts almonds"},
		{"jersey que no lleve lana ni cachemira", "jersey", "wool cashmere"},
		{"bolo sem ovos nem leite", "bolo", "eggs dairy"},
		{"a nut and dairy free cake", "cake", "nuts dairy"},
		{"something fizzy for a teetotal aunt", "fizzy", "alcohol"},
		{"a present, I don't drink", "", "alcohol"},
		{"Mütze, bitte keine Tierfasern", "Mütze", "wool silk down fur leather"},
		{"un regalo, non bevo", "", "alcohol"},
		{"des biscuits, je mange casher", "biscuits", "pork shellfish"},
		// What leaves nothing out.
		{"a mug for those who don't drink tea", "", ""},
		{"no problem with nuts", "", ""},
		{"cakes with or without nuts", "", ""},
		{"not only wool", "", ""},
		{"ein Riegel, ich bin gegen Mandeln allergisch", "Riegel", "almonds"},
		{"ein Riegel gegen Mandeln getauscht", "", ""},
		{"I am not allergic to nuts", "", ""},
		{"Jacke für Damen, nicht für Herren", "", ""},
		{"a bar for her, but no milk chocolate", "", ""},
		{"decaf coffee", "", ""},
		{"non iron shirts", "", ""},
	} {
		u := Read(row.question, shopping())
		var got []string
		for _, c := range u.Constraints {
			for _, value := range c.Values {
				if c.Not && taxonomy.KindOf(value) != "" {
					got = append(got, value)
				}
			}
		}
		if !slices.Equal(got, strings.Fields(row.class)) {
			t.Errorf("%q leaves out %q, want %q", row.question, got, row.class)
		}
		if text := strings.TrimPrefix(strings.TrimPrefix(u.Text, "un "), "a "); row.text != "" &&
			!strings.Contains(text, row.text) {
			t.Errorf("%q searches for %q, want %q", row.question, u.Text, row.text)
		}
	}
}

func TestJapaneseThingsAreLeftOutHoweverItIsSaid(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ question, text, class string }{
		{"ガラスじゃない花瓶", "花瓶", "glass"},
		{"革ではない財布", "財布", "leather"},
		{"卵と乳アレルギーでも食べられるケーキ", "ケーキ", "dairy eggs"},
		{"娘はナッツアレルギーなので、チョコレートがほしい", "チョコレート", "nuts"},
		{"ウールがかゆいので、セーターがほしい", "セーター", "wool"},
		{"プラスチックを使っていないおもちゃ", "おもちゃ", "plastic"},
		{"ドーナッツなしの箱", "箱", ""}, // a doughnut is no nut
		{"肉が苦手な人の弁当", "弁当", "meat"},
	} {
		u := Read(row.question, shopping())
		var got []string
		for _, c := range u.Constraints {
			if c.Not && !c.Soft && taxonomy.KindOf(c.Values[0]) != "" {
				got = append(got, c.Values[0])
			}
		}
		if slices.Sort(got); !slices.Equal(got, strings.Fields(row.class)) {
			t.Errorf("%q leaves out %q, want %q", row.question, got, row.class)
		}
		if !strings.Contains(u.Text, row.text) || row.class != "" && len(u.Text) > len(row.text)+9 {
			t.Errorf("%q searches for %q, want %q", row.question, u.Text, row.text)
		}
	}
}

func TestNamesThatAreNotWantedAreNeverAWish(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ question, value string }{
		{"a thriller not by Okafor", "Okafor"},
		{"workshops not at the castle", "castle"},
		{"cinema, not the one for grandparents", "grandparents"},
		{"un giallo che non sia di Rossi", "Rossi"},
		{"una novela que no sea de Ruiz", "Ruiz"},
		{"ein Krimi, nur nicht von Brandt", "Brandt"},
		{"um romance que não seja de Pires", "Pires"},
		{"integrations not for storage", "storage"},
		{"ein Kurs, nicht für Anfänger", "Anfänger"},
		{"des livres, pas sur Napoléon", "Napoléon"},
	} {
		u := Read(row.question, shopping())
		if len(u.Constraints) != 1 || !u.Constraints[0].Not || u.Constraints[0].Soft ||
			!slices.Equal(u.Constraints[0].Values, []string{row.value}) {
			t.Errorf("%q has the conditions %+v, want one without %q", row.question, u.Constraints, row.value)
		}
	}
}
