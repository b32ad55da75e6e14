package details

import (
	"slices"
	"strings"
	"testing"
)

func TestReadsWhatIsAsked(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]Asked{
		"Where does the Alpine honey come from?": {
			Intent: "origin", Kind: "place", Words: []string{"Alpine", "honey"},
		},
		"how long is the voucher valid": {Intent: "valid", Kind: "span", Words: []string{"voucher"}},
		"what temperature for sourdough": {
			Intent: "temperature", Kind: "temperature", Words: []string{"sourdough"},
		},
		"how many guests fit in the barn": {Intent: "capacity", Kind: "people", Words: []string{"barn"}},
		"can the lunch box go in the microwave": {
			Intent: "yes", Kind: "yes", Words: []string{"lunch", "box", "microwave"},
		},
		"by when do I have to enter the rowing regatta": {
			Intent: "deadline", Kind: "date", Words: []string{"enter", "rowing", "regatta"},
		},
		"Woher kommt der Bergkäse?": {Intent: "origin", Kind: "place", Words: []string{"Bergkäse"}},
		"Wie viele Seiten hat der Moorwanderer": {
			Intent: "pages", Kind: "count", Words: []string{"Moorwanderer"},
		},
		"Combien pèse la tente Cime ?": {
			Intent: "weight", Kind: "quantity", Words: []string{"tente", "Cime"},
		},
		"¿Quién escribió La casa gris?": {
			Intent: "author", Kind: "person", Words: []string{"casa", "gris"},
		},
		"quanto custa o queijo da serra": {
			Intent: "price", Kind: "money", Words: []string{"queijo", "serra"},
		},
		"quanti watt ha la stufa Etna": {
			Intent: "count", Kind: "count", Words: []string{"watt", "stufa", "Etna"},
		},
		"Wie viele Leute passen in die Scheune?": {
			Intent: "capacity", Kind: "people", Words: []string{"Scheune"},
		},
		"¿Cuánto paga el puesto de cocinero?": {
			Intent: "jobs-pay", Kind: "money", Words: []string{"puesto", "cocinero"},
		},
		"モンステラの水やりは何日おきですか": {Intent: "often", Kind: "span", Words: []string{"モンステラの水やり"}},
		"陶芸教室の講師は誰ですか":      {Intent: "performer", Kind: "person", Words: []string{"陶芸教室"}},
		"赤いマグ、在庫ありますか？":     {Intent: "availability", Kind: "yes", Words: []string{"赤いマグ"}},
		"which grapes go into the Alba": {
			Intent: "property", Kind: "open", Words: []string{"grapes", "Alba"},
		},
		"di che diametro sono le ruote della Falena": {
			Intent: "property", Kind: "open", Words: []string{"diametro", "ruote", "Falena"},
		},
		"La chambre Bruyère est-elle climatisée ?": {
			Intent: "yes", Kind: "yes", Words: []string{"chambre", "Bruyère", "climatisée"},
		},
		"la tenda Cima esiste in verde?": {
			Intent: "size", Kind: "yes", Words: []string{"tenda", "Cima", "verde"},
		},
	} {
		got, ok := Read(question)
		if !ok || got.Intent != want.Intent || got.Kind != want.Kind || !slices.Equal(got.Words, want.Words) {
			t.Errorf("%q reads %+v, %v; want %+v", question, got, ok, want)
		}
	}
	for _, question := range []string{"red shoes", "Zelt für zwei", "tarte aux pommes", "honey"} {
		if got, ok := Read(question); ok {
			t.Errorf("%q reads %+v, want nothing", question, got)
		}
	}
}

func TestPropertiesAreAskedForByTheirNames(t *testing.T) {
	t.Parallel()
	for question, intent := range map[string]string{
		"how many calories does Lemon Tart have":   "calories",
		"calories of Lemon Tart":                   "calories",
		"tell me the calories in the Lemon Tart":   "calories",
		"wie viele Kalorien hat Lemon Tart?":       "calories",
		"quante calorie ha Lemon Tart?":            "calories",
		"what does Lemon Tart contain?":            "ingredients",
		"ingredients of Lemon Tart":                "ingredients",
		"Zutaten von Lemon Tart":                   "ingredients",
		"was ist in Lemon Tart":                    "ingredients",
		"que contient Lemon Tart":                  "ingredients",
		"quels sont les ingrédients de Lemon Tart": "ingredients",
		"qué ingredientes tiene Lemon Tart":        "ingredients",
		"o que contém Lemon Tart":                  "ingredients",
		"Lemon Tartの材料は？":                          "ingredients",
		"ingredienti della Lemon Tart":             "ingredients",
		"what rating has Lemon Tart":               "rating",
		"welche Bewertung hat Lemon Tart":          "rating",
		"quelle est la note de Lemon Tart":         "rating",
		"Lemon Tartの評価を教えてください":                    "rating",
		"how many servings does Lemon Tart have":   "servings",
		"quantas porções tem Lemon Tart":           "servings",
		"when does Lemon Tart end":                 "end",
		"quando finisce Lemon Tart":                "end",
		"who organizes Lemon Tart":                 "organizer",
		"is Lemon Tart free":                       "free",
		"ist Lemon Tart kostenlos":                 "free",
		"est-ce que Lemon Tart est gratuit":        "free",
		"is the Lemon Tart gluten free":            "gluten-free",
		"Lemon Tart est-il végan ?":                "vegan",
		"¿Lemon Tart es vegano?":                   "vegan",
		"Lemon Tartはヴィーガンですか":                      "vegan",
		"Lemon Tart è vegano?":                     "vegan",
		"what color is Lemon Tart":                 "colour",
		"di che colore è Lemon Tart":               "colour",
		"was kostet Lemon Tart":                    "price",
		"what is the price of Lemon Tart":          "price",
		"dov'è Lemon Tart":                         "place",
		"how long does Lemon Tart take":            "duration",
		"is the Lemon Tart full time":              "full-time",
	} {
		got, ok := Read(question)
		if !ok || got.Intent != intent || strings.Join(got.Words, " ") != "Lemon Tart" {
			t.Errorf("%q reads %+v, %v; want %s of Lemon Tart", question, got, ok, intent)
		}
	}
	for _, question := range []string{
		"recipes with calories under 300", "price under $20", "rezepte mit kalorien unter 300", "ヴィーガンのレシピは？",
		"vegan leather bags",
	} {
		if got, ok := Read(question); ok {
			t.Errorf("%q reads %+v, want nothing", question, got)
		}
	}
}

func TestQuestionsGoOnWithTheOneBefore(t *testing.T) {
	t.Parallel()
	for question, want := range map[string][]string{
		"and the blue one?": {"blue"}, "what about Norway": {"Norway"}, "und nach Norwegen?": {"nach", "Norwegen"},
		"et à domicile ?": {"domicile"}, "¿y el azul?": {"azul"}, "e in Norvegia?": {"Norvegia"}, "大阪は？": {"大阪"},
	} {
		if got, ok := Onward(question); !ok || !slices.Equal(got, want) {
			t.Errorf("%q goes on with %q, %v; want %q", question, got, ok, want)
		}
	}
	for _, question := range []string{
		"blue shoes", "and", "and I would also like to know how you wash the wool of the sheep", "ノルウェーの靴",
	} {
		if got, ok := Onward(question); ok {
			t.Errorf("%q goes on with %q, want nothing", question, got)
		}
	}
}

func TestSentencesHaveValuesOfKinds(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		sentence, kind string
		want           bool
	}{
		{"A second key costs £30 more.", "money", true},
		{"Der Eintritt ist kostenlos.", "money", true},
		{"Open on 30 days.", "money", false},
		{"Brew it at 60 degrees.", "temperature", true},
		{"Bei 85 Grad zwei Minuten.", "temperature", true},
		{"Room for 60 people.", "temperature", false},
		{"Valido due anni.", "span", true},
		{"Se garde quatre à cinq jours.", "span", true},
		{"Costs 20 pounds.", "span", false},
		{"Enter by 9 May.", "date", true},
		{"It may rain.", "date", false},
		{"Quattrocento lumen.", "count", true},
		{"Bright and light.", "count", false},
		{"Else you get error PB-429.", "count", false},
		{"Up to five people, 200 GB a month.", "people", true},
		{"Der Saal fasst 85 Personen.", "people", true},
		{"20人まで入れます。", "people", true},
		{"Schools get 60 percent off.", "people", false},
		{"Version 5.3.", "none", false},
		{"Danach berechnen wir die Hälfte.", "after", true},
		{"Free until seven days before.", "after", false},
		{"An evening with the historian Anna Berg.", "person", true},
		{"An evening with a historian.", "person", false},
		{"Grown on terraces near Porto.", "place", true},
	} {
		if got := Has(row.sentence, row.kind); got != row.want {
			t.Errorf("%q has a value of %s: %v", row.sentence, row.kind, got)
		}
	}
}

func TestWhoAsksWhatThereIsAsksForNoDetail(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"What is there for supper?", "Was gibt es zum Frühstück?", "Qu'y a-t-il pour le dîner ?",
		"¿Qué hay para cenar?", "Cosa c'è per cena?", "O que há para jantar?",
	} {
		if asked, ok := Read(text); ok {
			t.Errorf("%q asks for %+v", text, asked)
		}
	}
}
