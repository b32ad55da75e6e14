package ask

import (
	"strings"
	"testing"

	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/policy"
)

func TestPracticalQuestionsAreAnsweredByTheOwner(t *testing.T) {
	t.Parallel()
	b := newBench(t, "shop")
	store := item("shop", "", "Store", "Zonk & Sons", "Lamps since 1950.")
	store.Object = []byte(`{"@type":"Store","url":"https://shop.example/","name":"Zonk & Sons","telephone":"+44 20 5550 100",` +
		`"openingHours":["Mo-Fr 09:00-17:00"]}`)
	dogs := item("shop", "faq", "Question", "Can I bring my dog?", "Dogs on a lead are welcome.")
	delivery := item("shop", "delivery", "WebPage", "Delivery",
		"In Britain 4 pounds. To Germany and France 11 pounds. We do not send to Japan.")
	lamp := item("shop", "lamp", "Product", "Brass lamp", "A lamp of brass.")
	for _, one := range []*content.Item{&store, &dogs, &delivery, &lamp} {
		one.Language = "en"
	}
	b.fill(t, "shop", "all", store, dogs, delivery, lamp)
	for _, row := range []struct {
		text, language, previous string
		first, says              string
	}{
		{text: "what is your phone number", first: "https://shop.example/", says: "+44 20 5550 100"},
		{text: "habt ihr sonntags geöffnet", language: "de", first: "https://shop.example/", says: "geschlossen"},
		{text: "was kostet der Versand nach Deutschland", language: "de", first: "https://shop.example/delivery",
			says: "11 pounds"},
		{text: "do you deliver to japan", first: "https://shop.example/delivery", says: "do not send to Japan"},
		{text: "and to france?", previous: "how much is delivery in britain", first: "https://shop.example/delivery",
			says: "11 pounds"},
		{text: "posso portare il cane", language: "it", first: "https://shop.example/faq", says: "welcome"},
		{text: "hello", says: "You can ask"},
		{text: "was habt ihr", language: "de", says: "Produkt"},
		{text: "brass lamp", first: "https://shop.example/lamp", says: "Brass lamp"},
	} {
		q := Question{Text: row.text}
		if row.language != "" {
			q.Languages = []string{row.language}
		}
		if row.previous != "" {
			q.Context.Previous = []string{row.previous}
		}
		reply, err := b.Ask(t.Context(), q)
		if err != nil {
			t.Errorf("%q: %v", row.text, err)
			continue
		}
		draft, err := reply.Answer.Draft(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		first := ""
		for r, err := range reply.Answer.Results(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			first = r.URL()
			break
		}
		said := draft.BuiltIn().Text
		if row.first != "" && first != row.first || !strings.Contains(said, row.says) {
			t.Errorf("%q: %s first, said %q", row.text, first, said)
		}
	}
}

// TestExamplesAreAnswered holds the questions that the page suggests to being answered.
func TestExamplesAreAnswered(t *testing.T) {
	t.Parallel()
	b := newBench(t, "shop")
	delivery := item("shop", "delivery", "WebPage", "Delivery", "In Britain 4 pounds. To Germany and France 11 pounds.")
	lamp := item("shop", "lamp", "Product", "Brass lamp", "A lamp of brass.")
	story := item("shop", "story", "Article", "Making wicks", "How wicks are made.")
	secret := item("shop", "secret", "Recipe", "Secret soup", "Soup.")
	for _, one := range []*content.Item{&delivery, &lamp, &story, &secret} {
		one.Language = "en"
	}
	b.fill(t, "shop", "all", delivery, lamp, story, secret)
	hidden := policy.Match{Path: []string{"/secret"}}
	b.obey(t, policy.Rule{Match: hidden, Access: policy.Blocked}, policy.Rule{Access: policy.Open})
	for _, language := range []string{"en", "de"} {
		b.Examples(language) // which begins to make them
		<-released.Memo(b.deps.Corpus.Current(), examplesKey(language), func() *examples { return nil }).made
		examples := b.Examples(language)
		if len(examples) != 3 {
			t.Fatalf("%s: %q", language, examples)
		}
		for _, text := range examples {
			reply, err := b.Ask(t.Context(), Question{Text: text, Languages: []string{language}})
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			n := 0
			for _, err := range reply.Answer.Results(t.Context()) {
				if n++; err != nil {
					t.Fatal(err)
				}
			}
			if n == 0 || strings.Contains(text, "Secret") {
				t.Errorf("%q has %d answers", text, n)
			}
		}
	}
}

func TestPracticalQuestionsOfNobodyAreAnsweredAsBefore(t *testing.T) {
	t.Parallel()
	b := newBench(t, "shop")
	b.fill(t, "shop", "all", item("shop", "lamp", "Product", "Brass lamp", "A lamp of brass."))
	for _, text := range []string{"when are you open", "do you deliver to france"} {
		if _, err := b.Ask(t.Context(), Question{Text: text}); fail.From(err).Code != fail.NoResults {
			t.Errorf("%q: %v, want nothing", text, err)
		}
	}
	reply, err := b.Ask(t.Context(), Question{Text: "hola"}) // who greets is greeted, in the question's language
	if err != nil {
		t.Fatal(err)
	}
	draft, err := reply.Answer.Draft(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if said := draft.BuiltIn().Text; !strings.Contains(said, "Brass lamp") || strings.Contains(said, "Hello") {
		t.Errorf("said %q to hola", said)
	}
}
