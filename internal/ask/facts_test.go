package ask

import (
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/internal/content"
	"frontdesk/internal/policy"
)

// stating is an item with further members in its object.
func stating(path, name string, members map[string]any) content.Item {
	i := item("mag", path, "Product", name, "A lamp for reading.")
	object := map[string]any{}
	if err := json.Unmarshal(i.Object, &object); err != nil {
		panic(err)
	}
	for member, value := range members {
		object[member] = value
	}
	var err error
	if i.Object, err = json.Marshal(object); err != nil {
		panic(err)
	}
	return i
}

// TestOnlyReleasedFactsFilterAndTeach holds that a question cannot feel its way to what is not
// shown: neither what a licensed item costs and who made it, nor what stands in a part of an open
// item that is not open.
func TestOnlyReleasedFactsFilterAndTeach(t *testing.T) {
	t.Parallel()
	b := newBench(t, "mag")
	b.fill(t, "mag", "shop",
		stating("lamp", "Plain lamp",
			map[string]any{"brand": "Nordlicht", "offers": map[string]any{"price": 15, "priceCurrency": "EUR"}}),
		stating("premium/lamp", "Premium lamp",
			map[string]any{"brand": "Geheim", "offers": map[string]any{"price": 5, "priceCurrency": "EUR"}}),
		stating("odd", "Odd lamp",
			map[string]any{"offers": map[string]any{"@type": "Offer", "url": "https://mag.example/blocked/offer",
				"price": 7, "priceCurrency": "EUR"}}),
	)
	under20 := Question{Text: "lamp", Attributes: attributes(`{"price": "less than 20 euros"}`)}
	want := []string{"https://mag.example/lamp", "https://mag.example/odd", "https://mag.example/premium/lamp"}
	if got := urls(b.asked(t, under20)); !slices.Equal(got, want) {
		t.Fatalf("below 20 there are %q while everything is open, want %q", got, want)
	}
	if b.content.Index().Lexicon().Meanings("geheim") == nil {
		t.Fatal("a brand of an open item is not learned")
	}
	b.obey(t,
		policy.Rule{Match: policy.Match{Path: []string{"/premium/**"}}, Access: policy.Licensed},
		policy.Rule{Match: policy.Match{Path: []string{"/blocked/**"}}, Access: policy.Blocked},
		policy.Rule{Access: policy.Open},
	)
	if got := urls(b.asked(t, under20)); !slices.Equal(got, want[:1]) {
		t.Errorf("below 20 there are %q; want only the lamp whose price is shown", got)
	}
	if got := urls(b.asked(t, Question{Text: "lamp"})); len(got) != 3 {
		t.Errorf("without a condition there are %q, want all", got)
	}
	lexicon := b.content.Index().Lexicon()
	if got := lexicon.Meanings("geheim"); got != nil {
		t.Errorf("the brand of a licensed item is learned: %v", got)
	}
	if lexicon.Meanings("nordlicht") == nil {
		t.Error("the brand of an open item is not learned any more")
	}
}

// attributes reads the attributes of a question.
func attributes(object string) (all map[string]jsontext.Value) {
	if err := json.Unmarshal([]byte(object), &all); err != nil {
		panic(err)
	}
	return all
}
