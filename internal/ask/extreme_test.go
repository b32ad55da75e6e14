package ask

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/content"
)

// TestExtremesAndCountsAreOfTheKindThatIsNamed holds that all items of a kind are compared and no
// others.
func TestExtremesAndCountsAreOfTheKindThatIsNamed(t *testing.T) {
	t.Parallel()
	b := newBench(t, "mag")
	costing := func(price int) map[string]any {
		return map[string]any{"offers": map[string]any{"price": price, "priceCurrency": "EUR"}}
	}
	retention := func(span string) map[string]any {
		return map[string]any{
			"additionalProperty": []map[string]any{{"@type": "PropertyValue", "name": "Log retention", "value": span}},
		}
	}
	pieces := func(n int) map[string]any {
		return map[string]any{
			"additionalProperty": []map[string]any{{"@type": "PropertyValue", "name": "pieces", "value": n}},
		}
	}
	roomFor := func(children string) map[string]any {
		return map[string]any{
			"additionalProperty": []map[string]any{{"@type": "PropertyValue", "name": "Children", "value": children}},
		}
	}
	paying := func(path, name string, pay int, unit string) content.Item {
		i := stating(path, name, map[string]any{"baseSalary": map[string]any{
			"currency": "EUR", "value": map[string]any{"value": pay, "unitText": unit},
		}})
		i.Types, i.Object = []string{"JobPosting"}, bytes.Replace(i.Object, []byte(`"Product"`), []byte(`"JobPosting"`), 1)
		return i
	}
	dish := func(path, name string, price int) content.Item {
		i := stating(path, name, costing(price))
		i.Types, i.Object = []string{"MenuItem"}, bytes.Replace(i.Object, []byte(`"Product"`), []byte(`"MenuItem"`), 1)
		return i
	}
	free := func(path, name string) content.Item {
		i := stating(path, name, map[string]any{"isAccessibleForFree": true})
		i.Types, i.Object = []string{"Event"}, bytes.Replace(i.Object, []byte(`"Product"`), []byte(`"Event"`), 1)
		return i
	}
	paid := stating("i", "Dye workshop", costing(60))
	paid.Types, paid.Object = []string{"Event"}, bytes.Replace(paid.Object, []byte(`"Product"`), []byte(`"Event"`), 1)
	b.fill(t, "mag", "shop",
		free("g", "Story hour"), free("h", "Open day"), paid,
		stating("a", "Tent Alm 3 kg", costing(210)), stating("b", "Tent Moor 2 kg", costing(180)),
		stating("c", "Pegs for tents", costing(9)), stating("d", "Lamp", costing(30)),
		dish("e", "Trout", 24), dish("f", "Soup", 0),
		stating("q", "Clown party", roomFor("up to 12")), stating("r", "Pirate party", roomFor("10 to 30")),
		stating("s", "Quiet party", roomFor("8")), stating("o", "Jigsaw Harbour", pieces(500)),
		stating("p", "Jigsaw Owls", pieces(1000)), stating("j", "Hobby plan", retention("3 days")),
		stating("k", "Team plan", retention("up to 60 days")), paying("l", "Caretaker", 24000, "YEAR"),
		paying("m", "Clerk", 2600, "MONTH"), paying("n", "Waiter", 15, "HOUR"),
	)
	of := func(category string, price int) map[string]any {
		fields := costing(price)
		fields["category"] = category
		return fields
	}
	walking := func(path, name, level string) content.Item {
		return stating(path, name, map[string]any{"additionalProperty": []map[string]any{
			{"@type": "PropertyValue", "name": "Difficulty", "value": level},
		}})
	}
	b.fill(t, "mag", "more",
		stating("t", "Cord 5", of("Mobile phones", 90)), stating("u", "Flip 2", of("Mobile phones", 40)),
		stating("v", "Old Oak", of("Wine", 12)), stating("w", "Young Oak", of("Wine", 8)),
		walking("x", "Ridge walk", "hard"), walking("y", "Lake walk", "easy"), walking("z", "Mill walk", "moderate"),
	)
	for question, want := range map[string]struct {
		said  string
		names []string
	}{
		"the cheapest smartphone":           {"The cheapest is Flip 2 (€40).", []string{"u", "t"}},
		"your cheapest bottle of wine":      {"The cheapest is Young Oak (€8).", []string{"w", "v"}},
		"die teuerste Flasche Wein":         {"Am teuersten ist Old Oak (12 €).", []string{"v", "w"}},
		"which walk is the easiest":         {"The easiest is Lake walk.", []string{"y", "z", "x"}},
		"what is the most challenging walk": {"The hardest is Ridge walk.", []string{"x", "z", "y"}},
		"what is your cheapest tent":        {"The cheapest is Tent Moor 2 kg (€180).", []string{"b", "a"}},
		"which tent is the most expensive": {
			"The most expensive is Tent Alm 3 kg (€210).", []string{"a", "b"},
		},
		"which party can take the most kids": {
			"The largest is Pirate party (30 people).", []string{"r", "q", "s"},
		},
		"auf welche party passen die meisten Gäste": {
			"Am größten ist Pirate party (30 Personen).", []string{"r", "q", "s"},
		},
		"how many job vacancies have you got?": {
			"There are 3: Caretaker, Clerk and Waiter.", []string{"l", "m", "n"},
		},
		"which is the lightest tent":         {"The lightest is Tent Moor 2 kg (2 kg).", []string{"b", "a"}},
		"das teuerste Gericht auf der Karte": {"Am teuersten ist Trout (24 €).", []string{"e", "f"}},
		"the cheapest paid dish":             {"The cheapest is Trout (€24).", []string{"e"}},
		"which jigsaw has the most pieces":   {"The largest is Jigsaw Owls (1,000).", []string{"p", "o"}},
		"which plan keeps logs the longest":  {"The longest is Team plan (up to 60 days).", []string{"k", "j"}},
		"which job pays the most": {
			"The best paid is Clerk (€2,600 per month).", []string{"m", "l", "n"},
		},
		"the cheapest dish": {"The cheapest is Soup (free of charge).", []string{"f", "e"}},
		"how many tents do you have": {
			"There are 2: Tent Alm 3 kg and Tent Moor 2 kg.", []string{"a", "b"},
		},
	} {
		reply, err := b.Ask(t.Context(), Question{Text: question})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, result := range b.asked(t, Question{Text: question}) {
			names = append(names, strings.TrimPrefix(result["url"].(string), "https://mag.example/"))
		}
		if reply.Understood.Answer != want.said || !slices.Equal(names, want.names) {
			t.Errorf("%q: %q, %q; want %q, %q", question, reply.Understood.Answer, names, want.said, want.names)
		}
	}
}
