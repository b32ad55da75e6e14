package ask

import (
	"slices"
	"strings"
	"testing"
)

// TestExtremesAndCountsAreOfTheKindThatIsNamed holds that all items of a kind are compared and no others.
func TestExtremesAndCountsAreOfTheKindThatIsNamed(t *testing.T) {
	t.Parallel()
	b := newBench(t, "mag")
	costing := func(price int) map[string]any {
		return map[string]any{"offers": map[string]any{"price": price, "priceCurrency": "EUR"}}
	}
	b.fill(t, "mag", "shop",
		stating("a", "Tent Alm 3 kg", costing(210)), stating("b", "Tent Moor 2 kg", costing(180)),
		stating("c", "Pegs for tents", costing(9)), stating("d", "Lamp", costing(30)),
	)
	for question, want := range map[string]struct {
		said  string
		names []string
	}{
		"what is your cheapest tent":       {"The cheapest is Tent Moor 2 kg (€180).", []string{"b", "a"}},
		"which tent is the most expensive": {"The most expensive is Tent Alm 3 kg (€210).", []string{"a", "b"}},
		"which is the lightest tent":       {"The lightest is Tent Moor 2 kg (2 kg).", []string{"b", "a"}},
		"how many tents do you have":       {"There are 2: Tent Alm 3 kg and Tent Moor 2 kg.", []string{"a", "b"}},
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
