package elicitation

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/content/facets"
)

// dinner is the slots of a kitchen: one of each kind.
var dinner = []Slot{
	{
		ID: "dietary_restrictions", Text: "Any dietary restrictions?", Kind: "multi_select", Filter: "suitableForDiet",
		Options: []string{"vegetarian", "vegan", "gluten-free"}, Values: []string{"vegetarian", "vegan", "glutenfree"},
		When: When{Types: []string{"Recipe"}},
		Languages: []Translation{{Language: "de", Text: "Ernährungsweise?",
			Options: []string{"vegetarisch", "vegan", "glutenfrei"}}},
	},
	{
		ID: "cooking_time", Text: "How much time?", Kind: "single_select", Filter: "totalTime",
		Default: []string{"20-40 minutes"}, Types: []string{"Recipe"},
		Options: []string{"under 20 minutes", "20-40 minutes", "over 40 minutes"},
		When:    When{Types: []string{"Recipe"}},
	},
	{ID: "budget", Text: "What may it cost?", Kind: "number", Filter: "price", Default: []string{"20"},
		When: When{Types: []string{"Product"}}},
	{ID: "in_stock", Text: "In stock only?", Kind: "boolean", Filter: "availability", Value: "InStock",
		Default: []string{"true"}, When: When{Types: []string{"Product"}}},
	{ID: "occasion", Text: "What is it for?", Kind: "free_text", When: When{Words: []string{"gift", "贈り物"}}},
}

func asker(mode Mode) *Asker {
	return New(Config{Mode: mode, Rounds: 2, Questions: 3, MoreThan: 8, Words: 3, Slots: dinner})
}

// vague is a question that the kitchen asks back for.
func vague(change func(*Need)) Need {
	n := Need{Text: "I need something for dinner", Are: are("Recipe"), Telling: 1, Matches: 20,
		Known: func(string) bool { return false }}
	if change != nil {
		change(&n)
	}
	return n
}

func are(types ...string) func(string) bool {
	return func(t string) bool { return slices.Contains(types, t) }
}

func ids(e *Elicitation) []string {
	if e == nil {
		return nil
	}
	var all []string
	for _, p := range e.Prompts {
		all = append(all, p.ID)
	}
	return all
}

func knows(names ...string) func(string) bool {
	return func(name string) bool { return slices.Contains(names, name) }
}

func TestAVagueQuestionIsAskedBackAndOneThatSaysItIsNot(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		why    string
		mode   Mode
		change func(*Need)
		want   []string
	}{
		{"as it is", Slots, nil, []string{"dietary_restrictions", "cooking_time"}},
		{"nothing is asked back at all", Off, nil, nil},
		{"the diet is known", Slots, func(n *Need) { n.Known = knows("suitableForDiet") }, []string{"cooking_time"}},
		{"a time of another name is known", Slots,
			func(n *Need) { n.Known = knows("suitableForDiet", "cookTime") }, nil},
		{"an attribute has the question's name", Slots, func(n *Need) { n.Known = knows("cooking_time") },
			[]string{"dietary_restrictions"}},
		{"one was asked before", Slots, func(n *Need) { n.State = State{Rounds: 1, Asked: []string{"cooking_time"}} },
			[]string{"dietary_restrictions"}},
		{"one is answered now", Slots, func(n *Need) { n.Answered = []string{"dietary_restrictions"} },
			[]string{"cooking_time"}},
		{"anything will do", Slots, func(n *Need) { n.Answered, n.Settled = []string{"cooking_time"}, true }, nil},
		{"there were two rounds", Slots, func(n *Need) { n.State.Rounds = 2 }, nil},
		{"few items fit", Slots, func(n *Need) { n.Matches = 8 }, nil},
		{"the question says much", Slots, func(n *Need) { n.Telling = 4 }, nil},
		{"other things fit", Slots, func(n *Need) { n.Are = are("Product") }, []string{"budget", "in_stock"}},
		{"a word is in the question", Slots, func(n *Need) { n.Are, n.Text = are("Product"), "A GIFT!" },
			[]string{"budget", "in_stock", "occasion"}},
		{"a word is part of another", Slots, func(n *Need) { n.Are, n.Text = are("Event"), "a gifted child" }, nil},
		{"a word of a script without blanks", Slots, func(n *Need) { n.Are, n.Text = are("Event"), "母への贈り物を探す" },
			[]string{"occasion"}},
	} {
		if got := ids(asker(row.mode).Ask(vague(row.change))); !slices.Equal(got, row.want) {
			t.Errorf("%s: asked %q, want %q", row.why, got, row.want)
		}
	}
}

func TestASlotThatIsAlwaysAskedNeedsNoVagueness(t *testing.T) {
	t.Parallel()
	always := New(Config{Mode: Slots, Rounds: 1, Questions: 3, MoreThan: 8, Words: 3, Slots: []Slot{
		{ID: "size", Text: "Your size?", Kind: "free_text", Filter: "size", When: When{Always: true}},
		{ID: "colour", Text: "Which colour?", Kind: "free_text", Filter: "color", When: When{AtMost: 5, MoreThan: 2}},
	}})
	for want, n := range map[string]Need{
		"size,colour": vague(func(n *Need) { n.Telling, n.Matches = 5, 3 }),
		"size":        vague(func(n *Need) { n.Telling, n.Matches = 6, 1 }),
		"":            vague(func(n *Need) { n.Telling, n.Matches, n.Known = 6, 1, knows("size") }),
	} {
		if got := strings.Join(ids(always.Ask(n)), ","); got != want {
			t.Errorf("asked %q, want %q", got, want)
		}
		if !always.Asks(n.Telling) {
			t.Errorf("%d words: said beforehand that nothing would be asked", n.Telling)
		}
	}
	if asker(Slots).Asks(4) || !asker(Slots).Asks(3) {
		t.Error("what is vague by its words is not told beforehand")
	}
}

func TestQuestionsAreInTheLanguageOfTheAnswerWhereTheyExistInIt(t *testing.T) {
	t.Parallel()
	e := asker(Slots).Ask(vague(func(n *Need) { n.Speaker = i18n.For("de") }))
	want := &Elicitation{Text: "20 Einträge passen. Mit ein paar Angaben mehr findet sich der richtige:",
		Prompts: []Prompt{
			{ID: "dietary_restrictions", Text: "Ernährungsweise?", Kind: MultiSelect,
				Options: []string{"vegetarisch", "vegan", "glutenfrei", "egal"}},
			{
				ID: "cooking_time", Text: "How much time?", Kind: SingleSelect,
				Options: []string{"under 20 minutes", "20-40 minutes", "over 40 minutes", "egal"},
				Default: jsontext.Value(`"20-40 minutes"`),
			},
		}}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Error(diff)
	}
	e = asker(Slots).Ask(vague(func(n *Need) { n.Are = are("Product") }))
	if got := string(e.Prompts[0].Default) + " " + string(e.Prompts[1].Default); got != "20 true" {
		t.Errorf("the defaults are %s", got)
	}
}

func TestTheDefaultOfAMultiSelectIsAList(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		defaults          []string
		english, inGerman string
	}{
		{nil, "", ""},
		{[]string{""}, "", ""},
		{[]string{"vegan"}, `["vegan"]`, `["vegan"]`},
		{[]string{"gluten-free", "vegetarian"}, `["gluten-free","vegetarian"]`, `["glutenfrei","vegetarisch"]`},
	} {
		slot := dinner[0]
		slot.Default = row.defaults
		if faults := slot.Check(); len(faults) > 0 {
			t.Errorf("%q: %v", row.defaults, faults)
		}
		if got := string(slot.prompt(i18n.For("en")).Default); got != row.english {
			t.Errorf("%q begins with %s, want %s", row.defaults, got, row.english)
		}
		if got := string(slot.prompt(i18n.For("de")).Default); got != row.inGerman {
			t.Errorf("%q begins in German with %s, want %s", row.defaults, got, row.inGerman)
		}
	}
}

func TestAnswersBecomeTheAttributesThatTheyFill(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		attributes, contexts string
		want                 string
		words                string
		settled              bool
	}{
		{`{"dietary_restrictions":["vegan","Gluten-Free"]}`, `[]`, `{"suitableForDiet":["vegan","glutenfree"]}`, "", false},
		{`{"dietary_restrictions":["glutenfrei"]}`, `[]`, `{"suitableForDiet":"glutenfree"}`, "", false},
		{`{"dietary_restrictions":"vegan"}`, `[]`, `{"suitableForDiet":"vegan"}`, "", false},
		{`{"dietary_restrictions":["no preference"]}`, `[]`, `{"suitableForDiet":"any"}`, "", true},
		{`{"dietary_restrictions":["vegan","none"]}`, `[]`, `{"suitableForDiet":"vegan"}`, "", false},
		{`{"dietary_restrictions":null}`, `[]`, `{"suitableForDiet":"any"}`, "", true},
		{`{"dietary_restrictions":"こだわらない"}`, `[]`, `{"suitableForDiet":"any"}`, "", true},
		{`{"dietary_restrictions":"no peanuts please"}`, `[]`, `{"suitableForDiet":"no peanuts please"}`, "", false},
		{`{"cooking_time":"under 20 minutes","color":"red"}`, `[]`, `{"color":"red","totalTime":"under 20 minutes"}`, "", false},
		{`{"cooking_time":"under 20 minutes","totalTime":"PT1H"}`, `[]`, `{"totalTime":"PT1H"}`, "", false},
		{`{"budget":20}`, `[]`, `{"price":{"max":20}}`, "", false},
		{`{"budget":"12.50"}`, `[]`, `{"price":{"max":12.5}}`, "", false},
		{`{"budget":"about 20 euros"}`, `[]`, `{"price":"about 20 euros"}`, "", false},
		{`{"in_stock":true}`, `[]`, `{"availability":"InStock"}`, "", false},
		{`{"in_stock":"Ja"}`, `[]`, `{"availability":"InStock"}`, "", false},
		{`{"in_stock":false}`, `[]`, `{}`, "", false},
		{`{"in_stock":"no"}`, `[]`, `{}`, "", false},
		{`{"occasion":"her birthday, in blue"}`, `[]`, `{}`, "her birthday, in blue", false},
		{`{"occasion":""}`, `[]`, `{}`, "", true},
		{`{}`, `[{"answers":{"budget":20,"text":"x","material":"wool"}}]`, `{"material":"wool","price":{"max":20}}`, "", false},
		{`{"budget":10}`, `[{"answers":{"budget":20}},{"in_stock":true,"other":1}]`, `{"availability":"InStock","price":{"max":10}}`, "", false},
		{`{"color":"red"}`, `[{"color":"blue","answers":"none"}]`, `{"color":"red"}`, "", false},
	} {
		var attributes map[string]jsontext.Value
		var contexts []map[string]jsontext.Value
		decode(t, row.attributes, &attributes)
		decode(t, row.contexts, &contexts)
		h := asker(Slots).Heed(attributes, contexts)
		if got := encode(t, h.Attributes); got != row.want || strings.Join(h.Words, "|") != row.words ||
			h.Settled != row.settled {
			t.Errorf("%s %s\n got %s, words %q, settled %t\nwant %s, words %q, settled %t",
				row.attributes, row.contexts, got, h.Words, h.Settled, row.want, row.words, row.settled)
		}
	}
}

func TestWhoAnswersWantsTheTypesThatTheAnswerIsAbout(t *testing.T) {
	t.Parallel()
	for said, want := range map[string][]string{`"under 20 minutes"`: {"Recipe"}, `"no preference"`: nil} {
		if h := asker(Slots).Heed(map[string]jsontext.Value{"cooking_time": jsontext.Value(said)},
			nil); !slices.Equal(h.Types, want) {
			t.Errorf("%s is about %q, want %q", said, h.Types, want)
		}
	}
}

func TestOptionsOfFacetsAreReadBackInEveryLanguage(t *testing.T) {
	t.Parallel()
	a := asker(Auto)
	low, high := 20.0, 1250.0
	for _, language := range i18n.Languages {
		speaker := i18n.For(language)
		for _, unit := range []string{"USD", "EUR", "GBP", "CHF", "JPY", "BRL", minutes, ""} {
			for _, s := range []span{
				{max: &low, unit: unit}, {min: &low, max: &high, unit: unit}, {min: &high, unit: unit},
			} {
				said := s.label(speaker)
				h := a.Heed(map[string]jsontext.Value{"price": quote(said)}, nil)
				if got, want := string(h.Attributes["price"]), string(s.attribute()); got != want {
					t.Errorf("%s: %q is read as %s, want %s", language, said, got, want)
				}
			}
		}
		for diet, text := range i18n.Diets {
			h := a.Heed(map[string]jsontext.Value{"suitableForDiet": quote(speaker.Say(text))}, nil)
			if got := string(h.Attributes["suitableForDiet"]); got != `"`+diet+`"` {
				t.Errorf("%s: %q is read as %s, want %s", language, speaker.Say(text), got, diet)
			}
		}
	}
	for _, said := range []string{
		"under 20 dollars", "20", "1 2 3", "up to 99999999999999999999 dollars", strings.Repeat("9", 1000), "",
	} {
		if s := readSpan(said); s != nil {
			t.Errorf("%q is read as %s", said, s.attribute())
		}
	}
	h := a.Heed(map[string]jsontext.Value{"brand": jsontext.Value(`["A","no preference"]`), "price": jsontext.Value(`{"max":5}`)}, nil)
	if got := encode(t, h.Attributes); got != `{"brand":["A","no preference"],"price":{"max":5}}` || h.Settled {
		t.Errorf("other values became %s", got)
	}
}

func TestWhatItemsDifferInIsAsked(t *testing.T) {
	t.Parallel()
	even := func(slot facets.Slot, values ...Count) Facet { return Facet{Slot: slot, Known: 20, Values: values} }
	times := Facet{Slot: facets.TotalTime, Known: 20}
	prices := Facet{Slot: facets.Price, Known: 19, Unit: "USD"}
	for i := range 20 {
		times.Figures = append(times.Figures, float64(5+5*i))
		prices.Figures = append(prices.Figures, 3+float64(i*i))
	}
	open := func(facets ...Facet) Need {
		return vague(func(n *Need) { n.Are, n.Facets = are("Thing"), facets })
	}
	for _, row := range []struct {
		why  string
		need Need
		want []string // questions with their options
	}{
		{"even words", open(even(facets.Brand, Count{"A", 9}, Count{"B", 8}, Count{"C", 3})),
			[]string{"brand: A, B, C, no preference"}},
		{"one word has nearly all", open(even(facets.Brand, Count{"A", 18}, Count{"B", 2})), nil},
		{"every item its own",
			open(even(facets.Brand, Count{"A", 1}, Count{"B", 1}, Count{"C", 1}, Count{"D", 1})), nil},
		{"half of them say nothing",
			open(Facet{Slot: facets.Brand, Known: 9, Values: []Count{{"A", 5}, {"B", 4}}}), nil},
		{"the question says it", vague(func(n *Need) {
			n.Are, n.Text, n.Facets = are(), "a blue one",
				[]Facet{even(facets.Color, Count{"Blue", 9}, Count{"Red", 8})}
		}), nil},
		{"it is known", vague(func(n *Need) {
			n.Are, n.Known, n.Facets = are(), knows("color"),
				[]Facet{even(facets.Color, Count{"Blue", 9}, Count{"Red", 8})}
		}), nil},
		{"times", open(times),
			[]string{"totalTime: up to 30 minutes, 30 to 60 minutes, 60 minutes and more, no preference"}},
		{"prices", open(prices), []string{"price: up to $40, $40 to $150, $150 and more, no preference"}},
		{"all the same", open(Facet{Slot: facets.Price, Known: 20, Figures: slices.Repeat([]float64{5}, 20)}), nil},
		{"nobody chooses by it", open(even("sku", Count{"A", 9}, Count{"B", 8})), nil},
		{
			"diets",
			open(even(facets.Diet, Count{"vegan", 6}, Count{"vegetarian", 9}, Count{"glutenfree", 7},
				Count{"fishfree", 15})), []string{"suitableForDiet: vegetarian, gluten-free, vegan, no preference"},
		},
		{"slots come first", vague(func(n *Need) { n.Facets = []Facet{times} }), []string{
			"dietary_restrictions: vegetarian, vegan, gluten-free, no preference",
			"cooking_time: under 20 minutes, 20-40 minutes, over 40 minutes, no preference",
		}},
	} {
		var got []string
		if e := asker(Auto).Ask(row.need); e != nil {
			for _, p := range e.Prompts {
				got = append(got, p.ID+": "+strings.Join(p.Options, ", "))
			}
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.why, diff)
		}
	}
	if e := asker(Slots).Ask(open(times)); e != nil {
		t.Errorf("asked %q of facets, where only slots are asked", ids(e))
	}
}

func TestSlotsAreChecked(t *testing.T) {
	t.Parallel()
	for i := range dinner {
		if faults := dinner[i].Check(); len(faults) > 0 {
			t.Errorf("%s: %v", dinner[i].ID, faults)
		}
	}
	good := dinner[0]
	for want, spoil := range map[string]func(*Slot){
		"id":         func(s *Slot) { s.ID = "a b" },
		"id ":        func(s *Slot) { s.ID = "text" },
		"kind":       func(s *Slot) { s.Kind = "text" },
		"options":    func(s *Slot) { s.Options, s.Values, s.Languages = s.Options[:1], nil, nil },
		"options[1]": func(s *Slot) { s.Options = []string{"a", "a", "b"} },
		"values":     func(s *Slot) { s.Values = s.Values[:2] },
		"default":    func(s *Slot) { s.Default = []string{"vegan", "pescetarian"} },
		"default ":   func(s *Slot) { s.Default = []string{"vegan", "vegan"} },
		"default  ":  func(s *Slot) { s.Kind, s.Default = "single_select", []string{"vegan", "vegetarian"} },
		"filter":     func(s *Slot) { s.Filter = "site" },
		"bound":      func(s *Slot) { s.Bound = "most" },
		"value":      func(s *Slot) { s.Value = "x" },
		"when":       func(s *Slot) { s.When.MoreThan = -1 },
		"languages[0].language": func(s *Slot) {
			s.Languages = []Translation{{Language: "xx", Text: "?", Options: s.Options}}
		},
		"languages[0].options": func(s *Slot) { s.Languages = []Translation{{Language: "de", Text: "?"}} },
	} {
		s := good
		spoil(&s)
		if faults := s.Check(); !slices.ContainsFunc(faults,
			func(f Fault) bool { return f.Field == strings.TrimSpace(want) }) {
			t.Errorf("%s: found %v", want, faults)
		}
	}
}

func TestAfterARoundItsQuestionsAreNotAskedAgain(t *testing.T) {
	t.Parallel()
	a := asker(Slots)
	n := vague(nil)
	e := a.Ask(n)
	n.State = n.State.After(e.Prompts)
	if n.State.Rounds != 1 || !slices.Equal(n.State.Asked, ids(e)) {
		t.Fatalf("after one round the state is %+v", n.State)
	}
	if again := a.Ask(n); again != nil {
		t.Errorf("asked %q again", ids(again))
	}
	for range 40 {
		n.State = n.State.After([]Prompt{{ID: strings.Repeat("x", n.State.Rounds)}})
	}
	if len(n.State.Asked) > maxAsked {
		t.Errorf("%d questions are remembered", len(n.State.Asked))
	}
}

func FuzzHeed(f *testing.F) {
	f.Add(`{"dietary_restrictions":["vegan"],"price":"up to $20"}`, `[{"answers":{"budget":1e400}}]`)
	f.Add(`{"suitableForDiet":[null,1,"vegan"],"in_stock":"はい"}`, `[{"answers":[]}]`)
	a := asker(Auto)
	f.Fuzz(func(t *testing.T, attributes, contexts string) {
		var as map[string]jsontext.Value
		var cs []map[string]jsontext.Value
		if unmarshal(attributes, &as) != nil || unmarshal(contexts, &cs) != nil {
			return
		}
		h := a.Heed(as, cs)
		for name, value := range h.Attributes {
			if !value.IsValid() {
				t.Fatalf("%s became %q, which is no JSON", name, value)
			}
			if slot := a.slots[name]; slot != nil && slot.Filter != name {
				t.Fatalf("the answer to %s is left among the attributes", name)
			}
		}
	})
}
