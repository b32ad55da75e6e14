package query

import "testing"

func TestQuestionsForADetailAreReadInManyWords(t *testing.T) {
	t.Parallel()
	const ingredients, calories, rating = " [detail Lemon Tart recipeIngredient ]", " [detail Lemon Tart calories ]", " [detail Lemon Tart ratingValue ]"
	for _, row := range []struct{ question, want string }{
		{"how many calories does Lemon Tart have", calories},
		{"calories of Lemon Tart", calories},
		{"tell me the calories in the Lemon Tart please", calories},
		{"what does Lemon Tart contain?", ingredients},
		{"ingredients of Lemon Tart", ingredients},
		{"what rating has Lemon Tart", rating},
		{"how many servings does Lemon Tart make", " [detail Lemon Tart recipeYield ]"},
		{"when does Lemon Tart end", " [detail Lemon Tart endDate ]"},
		{"who organizes Lemon Tart", " [detail Lemon Tart organizer ]"},
		{"is Lemon Tart free", " [detail Lemon Tart price free]"},
		{"is the Lemon Tart gluten free", " [detail Lemon Tart suitableForDiet glutenfree]"},
		{"does Lemon Tart have nuts", " [detail Lemon Tart recipeIngredient nuts]"},
		{"what color is Lemon Tart", " [detail Lemon Tart color ]"},
		{"wie viele Kalorien hat Lemon Tart?", calories},
		{"Zutaten von Lemon Tart", ingredients},
		{"was ist in Lemon Tart", ingredients},
		{"enthält Lemon Tart Nüsse", " [detail Lemon Tart recipeIngredient Nüsse]"},
		{"welche Bewertung hat Lemon Tart", rating},
		{"ist Lemon Tart kostenlos", " [detail Lemon Tart price free]"},
		{"que contient Lemon Tart", ingredients},
		{"quels sont les ingrédients de Lemon Tart", ingredients},
		{"quelle est la note de Lemon Tart", rating},
		{"Lemon Tart est-il végan ?", " [detail Lemon Tart suitableForDiet vegan]"},
		{"est-ce que Lemon Tart est gratuit", " [detail Lemon Tart price free]"},
		{"qué ingredientes tiene Lemon Tart", ingredients},
		{"¿Lemon Tart es vegano?", " [detail Lemon Tart suitableForDiet vegan]"},
		{"quantas porções rende Lemon Tart", " [detail Lemon Tart recipeYield ]"},
		{"o que contém Lemon Tart", ingredients},
		{"Lemon Tartの材料は？", ingredients},
		{"Lemon Tartはヴィーガンですか", " [detail Lemon Tart suitableForDiet vegan]"},
		{"Lemon Tartの評価を教えてください", rating},
	} {
		if got := read(row.question, asking()); got != "Lemon Tart"+row.want {
			t.Errorf("%s\n got %s\nwant Lemon Tart%s", row.question, got, row.want)
		}
	}
}

func TestQuestionsForAListAreNoneForADetail(t *testing.T) {
	t.Parallel()
	for _, question := range []string{
		"how many recipes do you have", "which lamps have a dimmer", "recipes with calories under 300", "price under $20", "does the lamp have a switch", "what do you have for dinner",
		"is there a vegan soup?", "is the bottle BPA free", "is the soap fragrance-free", "a cake that is vegan?", "rezepte mit kalorien unter 300", "それはヴィーガンですか", "ヴィーガンのレシピは？",
	} {
		if u := Read(question, asking()); u.Intent != List {
			t.Errorf("%q is read as a question for the %s of %q", question, u.Detail, u.Subjects)
		}
	}
}
