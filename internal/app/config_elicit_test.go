package app

import (
	"slices"
	"strings"
	"testing"
)

func TestSlotsOfTheConfigurationAreReadAndChecked(t *testing.T) {
	t.Parallel()
	const good = `
ask:
  elicit:
    mode: auto
    rounds: 1
    slots:
      - id: diet
        text: Any diet?
        kind: multi_select
        options: [vegan, vegetarian]
        filter: suitableForDiet
        default: [vegetarian, vegan]
        when: {types: recipe, words: [dinner, "something to eat"], more_than: 3}
        languages:
          - {language: de, text: Ernährung?, options: [vegan, vegetarisch]}
      - {id: budget, text: How much?, kind: number, filter: price, default: "20", when: {types: [Product], always: true}}
`
	loaded, err := Load(Layers{File: write(t, t.TempDir(), "frontdesk.yaml", good)})
	if err != nil {
		t.Fatal(err)
	}
	slots := loaded.Config.Ask.Elicit.Slots
	if len(slots) != 2 || slots[0].When.Words[1] != "something to eat" || !slices.Equal(slots[0].Default,
		[]string{"vegetarian", "vegan"}) || !slices.Equal(slots[1].Default, []string{"20"}) || !slots[1].When.Always {
		t.Errorf("the slots are %+v", slots)
	}
	if loaded.Config.Ask.Asker() == nil || Default().Ask.Asker() != nil {
		t.Error("asking back is on when it is off, or off when it is on")
	}
	for from, want := range map[string]string{
		"mode: auto":                "ask.elicit.mode",
		"rounds: 1":                 "ask.elicit.rounds",
		"id: budget":                "ask.elicit.slots[1].id",
		"[vegan, vegetarisch]":      "ask.elicit.slots[0].languages[0].options",
		`default: "20"`:             "ask.elicit.slots[1].default",
		"[vegetarian, vegan]":       "ask.elicit.slots[0].default",
		"filter: suitableForDiet":   "ask.elicit.slots[0].filter",
		"text: Any diet?":           "ask.elicit.slots[0].text",
		"text: Ernährung?":          "ask.elicit.slots[0].languages[0].text",
		"id: diet":                  "ask.elicit.slots[0].id",
		"filter: suitableForDiet\n": "ask.elicit.slots[0].options[0]",
		"kind: number, filter: price, default: \"20\"": "ask.elicit.slots[1].values[1]",
		"kind: number, filter: price":                  "ask.elicit.slots[1].value",
	} {
		to := map[string]string{
			"mode: auto": "mode: sometimes", "rounds: 1": "rounds: 0", "id: budget": "id: diet",
			"[vegan, vegetarisch]": "[vegan]",
			`default: "20"`:        "default: much", "[vegetarian, vegan]": "[vegetarian, meat]",
			"filter: suitableForDiet": "filter: text",
			"text: Any diet?":         `text: ""`, "text: Ernährung?": `text: " "`, "id: diet": "id: sort",
			"filter: suitableForDiet\n":                    "filter: price\n",
			"kind: number, filter: price, default: \"20\"": `kind: single_select, filter: price, options: [little, much], values: ["under 20", much]`,
			"kind: number, filter: price":                  `kind: boolean, value: cheap-ish, filter: totalTime`,
		}[from]
		_, err := Load(Layers{File: write(t, t.TempDir(), "frontdesk.yaml", strings.Replace(good, from, to, 1))})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("with %q the error is %v, which does not name %s", to, err, want)
		}
	}
}
