package facets

import (
	"embed"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"frontdesk/internal/content/taxonomy"
	"frontdesk/internal/infra/language"
)

// diet is a line of diets.txt.
type diet struct{ forbids, implies []string }

//go:embed diets.txt
var dietFile embed.FS

var diets = sync.OnceValue(func() map[string]diet {
	all := map[string]diet{}
	for _, record := range language.Records(dietFile, "diets.txt") {
		var d diet
		forbids, implies := slices.Index(record, "forbids"), slices.Index(record, "implies")
		if implies > 0 {
			record, d.implies = record[:implies], record[implies+1:]
		}
		if forbids > 0 {
			d.forbids = record[forbids+1:]
		}
		all[record[0]] = d
	}
	return all
})

// dietSaid are the diets by what they are called, and by their own names.
var dietSaid = sync.OnceValue(func() map[string]string {
	said := wordsOf("diet.called")()
	for name := range diets() {
		said[name] = name
	}
	return said
})

// DietOf finds the diet that folded words or a schema.org name say: "gluten free",
// "GlutenFreeDiet", "vegane". The result is a value of the slot Diet.
func DietOf(said string) (name string, ok bool) {
	name, ok = dietSaid()[said]
	if !ok {
		name, ok = dietSaid()[strings.TrimSuffix(strings.ReplaceAll(Fold(said), " ", ""), "diet")]
	}
	return name, ok
}

// Forbids gives the classes of food that a diet forbids.
func Forbids(diet string) []string { return diets()[diet].forbids }

// WithoutOf gives the class that a diet is free of and nothing more: nuts for "nutsfree". Whether
// it holds can be told from a list of ingredients.
func WithoutOf(diet string) (class string, ok bool) {
	switch class, ok = strings.CutSuffix(diet, "free"); class {
	case "gluten", "sugar":
		return "", false // in too much that does not say so
	}
	return class, ok && taxonomy.KindOf(class) != ""
}

// dietName brings a declared diet to our name: schema.org's without "Diet", in lower case.
func dietName(declared string) string {
	if name, ok := DietOf(Fold(enumerated(declared))); ok {
		return name
	}
	name := strings.ToLower(enumerated(declared))
	return strings.TrimSuffix(strings.ReplaceAll(name, " ", ""), "diet")
}

// diets adds the diets that keywords, categories and the name say, what declared ones imply, and
// the classes of food that the name gives away.
func (r *reader) diets(name string) {
	var food bool
	for _, w := range slices.Clone(r.Words) {
		switch w.Slot {
		case Keywords, Category, "recipeCategory":
			if diet, ok := dietSaid()[Fold(w.Text)]; ok {
				r.word(Diet, diet)
			}
		case Ingredient, Diet, Cuisine:
			food = true
		}
	}
	words := strings.Fields(Fold(name))
	for i := range words {
		for n := 1; n <= 2 && i+n <= len(words); n++ {
			if diet, ok := dietSaid()[strings.Join(words[i:i+n], " ")]; ok && diet != "hindu" && len(words[i]) > 2 {
				r.word(Diet, diet)
			}
		}
	}
	for _, diet := range r.Values(Diet) {
		for _, implied := range diets()[diet].implies {
			r.word(Diet, implied)
			for _, further := range diets()[implied].implies {
				r.word(Diet, further)
			}
		}
	}
	r.classes(name, food)
	r.figures()
}

// classes adds the classes of what is in the item, what may be and what is not. What only its name
// gives away counts as called so where nothing else says that it is food.
func (r *reader) classes(name string, food bool) {
	for _, diet := range r.Values(Diet) {
		for _, class := range diets()[diet].forbids {
			r.contents.AddClass(class, taxonomy.Free)
		}
	}
	stated := r.contents.Has()
	r.contents.Add(name, taxonomy.Implied)
	food = food || slices.Contains(r.Values(declares), string(taxonomy.Food))
	for _, class := range r.contents.Has() {
		if !food && !slices.Contains(stated, class) {
			r.word(Called, class)
			continue
		}
		r.word(Contains, class)
	}
	for _, state := range []struct {
		slot    Slot
		classes []string
	}{{Traces, r.contents.Traces()}, {FreeOf, r.contents.Free()}, {Speaks, r.contents.Mentioned()}} {
		for _, class := range state.classes {
			r.word(state.slot, class)
		}
	}
}

// figures adds the diets that figures say: at most 300 kcal a serving is low in calories, 20 g of
// protein is high, 20 g of carbohydrates and 140 mg of sodium are low.
func (r *reader) figures() {
	for _, rule := range []struct {
		slot     Slot
		diet     string
		min, max float64
	}{{Calories, "lowcalorie", 1, 300}, {Protein, "highprotein", 20, math.MaxFloat64}, {Carbohydrate, "lowcarb", 0, 20},
		{Sodium, "lowsalt", 0, 140}} {
		if f, ok := r.Figure(rule.slot); ok && f.Low >= rule.min && f.High <= rule.max {
			r.word(Diet, rule.diet)
		}
	}
}

// ingredient keeps what a line of a recipe is about: "3 bulbs fennel, in wedges" is "bulbs fennel".
func (r *reader) ingredient(line string) {
	r.contents.AddList(line, taxonomy.Food)
	r.word(declares, string(taxonomy.Food))
	folded := Fold(line)
	if at := strings.IndexAny(line, ",(;"); at > 0 {
		folded = Fold(line[:at])
	}
	words := strings.Fields(folded)
	for len(words) > 1 {
		_, number := NumberWord(words[0])
		_, measure := units()[words[0]]
		_, digits := ReadNumber(words[0])
		_, spoon := spoons()[words[0]]
		if !number && !measure && digits == 0 && !spoon {
			break
		}
		words = words[1:]
	}
	text := strings.Join(words, " ")
	if len(text) > maxRunes {
		text = strings.ToValidUTF8(text[:maxRunes], "")
	}
	r.word(Ingredient, text)
}

// spoons are measures that are no units.
var spoons = wordsOf("ingredient.measure")

// Singular takes the ending of a plural off a folded word, where the rule is plain: "bags" becomes
// "bag".
func Singular(word string) string {
	n := len(word)
	switch {
	case n > 4 && strings.HasSuffix(word, "ies") && word != "cookies":
		return word[:n-3] + "y"
	case n > 4 && (strings.HasSuffix(word, "oes") || strings.HasSuffix(word, "shes") ||
		strings.HasSuffix(word, "ches") || strings.HasSuffix(word, "sses") || strings.HasSuffix(word, "xes")):
		return word[:n-2]
	case n > 3 && word[n-1] == 's' && word[n-2] != 's' && word[n-2] != 'u' && word[n-2] != 'i':
		return word[:n-1]
	}
	return word
}

// jsonNumber reads a number as JSON writes it.
func jsonNumber(s string) (float64, bool) {
	if s == "" || len(s) > 40 || s[0] != '-' && (s[0] < '0' || s[0] > '9') || s[len(s)-1] < '0' || s[len(s)-1] > '9' {
		return 0, false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return 0, false
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil && !math.IsInf(f, 0)
}
