package ask

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"frontdesk/internal/ask/tuning"
	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/tightening"
)

// tune has an owner say something.
func (b *bench) tuned(t tester, entries ...tuning.Entry) {
	t.Helper()
	for i := range entries {
		entries[i].ID = fmt.Sprint("entry-", i)
		if err := entries[i].Check(); err != nil {
			t.Fatal(err)
		}
	}
	rules := tuning.Compile(entries)
	b.deps.Tuning = func() *tuning.Rules { return rules }
}

func pinned(question string, paths ...string) tuning.Entry {
	e := tuning.Entry{Kind: tuning.Pin, Question: question}
	for _, path := range paths {
		e.Items = append(e.Items, "https://shop.example/"+path)
	}
	return e
}

// ordered are the addresses of an answer in its order, without the site.
func (b *bench) ordered(t tester, q Question) (paths []string) {
	t.Helper()
	q.AnswersOnly = true
	for _, item := range b.asked(t, q) {
		paths = append(paths, item["url"].(string)[len("https://shop.example/"):])
	}
	return paths
}

func furniture(t testing.TB) *bench {
	b := newBench(t, "shop")
	b.fill(t, "shop", "s",
		item("shop", "sofa", "Product", "Rotes Sofa", "Ein Sofa aus Leder."),
		item("shop", "couch", "Product", "Blaue Couch", "Eine Couch aus Stoff."),
		item("shop", "tisch", "Product", "Esstisch", "Ein Tisch aus Eiche."),
		item("shop", "retoure", "WebPage", "Retoure", "Eine Retoure ist binnen 30 Tagen nach der Lieferung frei."))
	return b
}

func TestWordsAreReadAsTheOwnerSaid(t *testing.T) {
	t.Parallel()
	b := furniture(t)
	if got := b.ordered(t, Question{Text: "kanapee"}); got != nil {
		t.Fatalf("before: %q", got)
	}
	b.tuned(t, tuning.Entry{Kind: tuning.Synonym, Words: []string{"Kanapee"}, Means: "Sofa"},
		tuning.Entry{Kind: tuning.Synonym, Words: []string{"Zurückschicken"}, Means: "Retoure"})
	if got := b.ordered(t, Question{Text: "kanapee"}); !slices.Contains(got, "sofa") {
		t.Errorf("got %q", got)
	}
	reply, err := b.Ask(t.Context(), Question{Text: "rotes Kanapee", AnswersOnly: true})
	if err != nil || !slices.Contains(reply.Understood.Corrected, Correction{"Kanapee", "Sofa"}) {
		t.Errorf("it is not told: %+v, %v", reply, err)
	}
	if got := b.ordered(t, Question{Text: "kanapee", Attributes: exactly()}); got != nil {
		t.Errorf("words that are to be taken as they are: %q", got)
	}
	// Questions before are read so, too.
	if got := b.ordered(t,
		Question{Text: "in rot", Context: Context{Previous: []string{"Kanapee"}}}); !slices.Contains(got, "sofa") {
		t.Errorf("a question that goes on: %q", got)
	}
	items, err := b.LookUp(t.Context(), Question{Text: "Kanapee", Limit: 3})
	if err != nil || len(items) == 0 {
		t.Errorf("a look-up: %v, %v", items, err)
	}
}

func exactly() map[string]jsontext.Value {
	return map[string]jsontext.Value{spellingName: jsontext.Value(`"exact"`)}
}

func TestWordsThatStandForOneAnotherFindBoth(t *testing.T) {
	t.Parallel()
	b := furniture(t)
	b.deps.Reading.OwnWords = true
	both := func(q Question) []string {
		got := b.ordered(t, q)
		slices.Sort(got)
		return got
	}
	b.tuned(t, tuning.Entry{Kind: tuning.Synonym, Words: []string{"Liege"}, Means: "Couch", Both: true},
		tuning.Entry{Kind: tuning.Synonym, Words: []string{"Diwan", "Sofa"}, Means: "Esstisch", Both: true})
	if got := both(Question{Text: "diwan"}); !slices.Equal(got, []string{"sofa", "tisch"}) &&
		!slices.Equal(got, []string{"couch", "sofa", "tisch"}) {
		t.Errorf("a word that nothing has: %q", got)
	}
	first := b.ordered(t, Question{Text: "sofa", Limit: 1})
	more := b.ordered(t, Question{Text: "mehr", Limit: 1, Context: Context{Previous: []string{"sofa"}}})
	if len(first) != 1 || len(more) != 1 || first[0] == more[0] {
		t.Errorf("one after the other: %q, %q", first, more)
	}
}

func TestPinnedItemsComeFirst(t *testing.T) {
	t.Parallel()
	b := furniture(t)
	b.tuned(t, pinned("Sofa?", "tisch", "gone", "sofa"), pinned("Wo bleibt mein Geld", "retoure"))
	if got := b.ordered(t, Question{Text: "  SOFA "}); !slices.Equal(got[:2], []string{"tisch", "sofa"}) ||
		slices.Contains(got[2:], "sofa") {
		t.Errorf("got %q", got)
	}
	if got := b.ordered(t, Question{Text: "sofa", Limit: 1}); !slices.Equal(got, []string{"tisch"}) {
		t.Errorf("one: %q", got)
	}
	if got := b.ordered(t, Question{Text: "wo bleibt mein Geld?"}); !slices.Equal(got, []string{"retoure"}) {
		t.Errorf("what found nothing: %q", got)
	}
	if got := b.ordered(t, Question{Text: "sofa", Types: []string{"WebPage"}}); slices.Contains(got, "tisch") {
		t.Errorf("of another type: %q", got)
	}
	if got := b.ordered(t, Question{Text: "rotes sofa"}); slices.Contains(got, "tisch") {
		t.Errorf("another question: %q", got)
	}
	all := b.ordered(t, Question{Text: "sofa"})
	var parts []string
	before := []string{"sofa"}
	parts = b.ordered(t, Question{Text: "sofa", Limit: 1})
	for range len(all) - 1 {
		parts = append(parts, b.ordered(t, Question{Text: "mehr", Limit: 1, Context: Context{Previous: before}})...)
		before = append(before, "mehr")
	}
	if !slices.Equal(parts, all) {
		t.Errorf("one by one %q, and whole %q", parts, all)
	}
}

func TestWrittenAnswersAreFirstInEveryForm(t *testing.T) {
	t.Parallel()
	b := furniture(t)
	b.tuned(t, tuning.Entry{
		Kind: tuning.Answer, Question: "Liefert ihr in die Schweiz?", Text: "Ja, für 12 Euro.",
		Link: "https://shop.example/versand", Until: time.Now().Add(time.Hour),
	}, pinned("liefert ihr in die Schweiz", "retoure"))
	q := Question{Text: "liefert ihr in die schweiz", AnswersOnly: true}
	got := b.asked(t, q)
	if len(got) < 2 || got[0]["@type"] != "Answer" || got[0]["text"] != "Ja, für 12 Euro." ||
		got[0]["url"] != "https://shop.example/versand" ||
		got[0]["site"] != "shop" || got[1]["url"] != "https://shop.example/retoure" {
		t.Fatalf("%v", got)
	}
	a, err := answerTo(b.Ask(t.Context(), q))
	if err != nil {
		t.Fatal(err)
	}
	draft, err := a.Draft(t.Context())
	if err != nil || draft.Write(t.Context(), nil).Text != "Ja, für 12 Euro." {
		t.Errorf("a summary: %+v, %v", draft, err)
	}
	drain := a.Drain()
	first, more, err := drain.Next(t.Context())
	if err != nil || !more || first.Type() != "Answer" || first.Description() != "Ja, für 12 Euro." {
		t.Errorf("a stream: %v, %v", more, err)
	}
	if got := b.ordered(t, Question{Text: "das erste", Context: Context{Previous: []string{q.Text}}}); len(got) != 1 ||
		got[0] != "versand" {
		t.Errorf("pointed at: %q", got)
	}
	if got := b.asked(t, Question{Text: q.Text, Types: []string{"Product"}, AnswersOnly: true}); len(got) > 0 &&
		got[0]["@type"] == "Answer" {
		t.Errorf("where products are wanted: %v", got)
	}
	b.deps.Now = func() time.Time { return time.Now().Add(2 * time.Hour) }
	if got := b.asked(t, q); len(got) == 0 || got[0]["@type"] == "Answer" {
		t.Errorf("after its end: %v", got)
	}
}

func TestAPinBreaksNothingThatTheAskerMustNotHave(t *testing.T) {
	t.Parallel()
	b := newBench(t, "shop")
	cake := func(path, name, contents string, price int) content.Item {
		one := item("shop", path, "Recipe", name, name+" zum Kaffee.")
		one.Object = fmt.Appendf(nil, `{"@type":"Recipe","url":"https://shop.example/%s","name":%q,"recipeIngredient":[%s],`+
			`"offers":{"@type":"Offer","price":%d,"priceCurrency":"EUR"}}`, path, name, contents, price)
		return one
	}
	b.fill(t, "shop", "s", cake("nuss", "Nusskuchen", `"200 g Haselnüsse","Mehl"`, 9), cake("apfel", "Apfelkuchen", `"3 Äpfel","Mehl"`, 4))
	for _, q := range []Question{
		{Text: "Kuchen ohne Nüsse"},
		{Text: "Kuchen, ich habe eine Nussallergie"},
		{Text: "Kuchen", Context: Context{Memory: []string{"Ich bin allergisch gegen Nüsse"}}},
		{Text: "Kuchen", Context: Context{Previous: []string{"Brot ohne Nüsse"}}},
		{Text: "Kuchen", Attributes: map[string]jsontext.Value{"maxPrice": jsontext.Value(`5`)}},
	} {
		b.tuned(t, pinned(q.Text, "nuss", "apfel"))
		if got := b.ordered(t, q); slices.Contains(got, "nuss") || len(got) == 0 || got[0] != "apfel" {
			t.Errorf("%+v: %q", q, got)
		}
	}
	b.tuned(t, pinned("Kuchen", "nuss", "apfel"))
	if got := b.ordered(t, Question{Text: "Kuchen"}); !slices.Equal(got, []string{"nuss", "apfel"}) {
		t.Errorf("nothing is ruled out: %q", got)
	}
}

// TestAPinNeverOverridesTheTerms holds, for any terms and any party, that a pinned item is in an
// answer only as it is released to that party by its address.
func TestAPinNeverOverridesTheTerms(t *testing.T) {
	t.Parallel()
	b := newBench(t, "shop")
	var paths []string
	var items []content.Item
	for i := range 4 {
		path := fmt.Sprintf("%c/%d", 'a'+i%2, i)
		paths = append(paths, path)
		items = append(items, item("shop", path, "Article", fmt.Sprint("Lampe ", i),
			fmt.Sprintf("Das Geheimnis der Lampe %d leuchtet lange in der Nacht.", i)))
	}
	b.fill(t, "shop", "s", items...)
	words := []string{policy.PartyVerified, policy.PartyKnown, policy.PartyAgent, policy.PartyAnonymous, "training",
		"https://crawler.example"}
	traits := rapid.Custom(func(t *rapid.T) policy.Traits {
		all := policy.Traits{Classes: rapid.SliceOfNDistinct(rapid.SampledFrom(words[:5]), 0, 2,
			rapid.ID).Draw(t, "classes")}
		if rapid.Bool().Draw(t, "named") {
			all.Operators = []string{"https://crawler.example"}
		}
		return all
	})
	rule := rapid.Custom(func(t *rapid.T) policy.Rule {
		r := policy.Rule{
			Access: rapid.SampledFrom([]policy.Access{policy.Open, policy.Licensed, policy.Blocked}).Draw(t, "access"),
		}
		if rapid.Bool().Draw(t, "some") {
			r.Match.Path = []string{rapid.SampledFrom([]string{"/a/**", "/b/**", "/a/0", "/b/3"}).Draw(t, "path")}
		}
		if rapid.Bool().Draw(t, "search") {
			r.Functions.Prohibit = []string{released.Search}
		}
		parties := rapid.SliceOfNDistinct(rapid.SampledFrom(words), 0, 2, rapid.ID).Draw(t, "parties")
		if r.Access != policy.Blocked && rapid.Bool().Draw(t, "permit") {
			r.Parties.Permit = parties
		} else if r.Access != policy.Blocked {
			r.Parties.Prohibit = parties
		}
		return r
	})
	shown, kept := 0, 0
	hold := func(t tester, rules []policy.Rule, pins []string, party policy.Party) {
		b.obey(t, rules...)
		b.tuned(t, pinned("was leuchtet", pins...))
		ctx := released.WithParty(context.Background(), party)
		a, err := answerTo(b.Ask(ctx, Question{Text: "Was leuchtet?", AnswersOnly: true}))
		if err != nil && fail.From(err).Code != fail.NoResults {
			t.Fatal(err)
		}
		got := map[string]string{}
		if a != nil {
			for r, err := range a.Results(ctx) {
				if err != nil {
					t.Fatal(err)
				}
				got[r.URL()] = string(r.AppendObject(nil))
			}
		}
		for _, path := range paths {
			may, err := b.Item(ctx, "https://shop.example/"+path)
			if err != nil {
				t.Fatal(err)
			}
			object, is := got["https://shop.example/"+path]
			switch {
			case is && (len(may) == 0 || object != string(may[0].AppendObject(nil))):
				t.Fatal(fmt.Sprintf("%s leaves as %s, and by its address as %v", path, object, may))
			case !is && len(may) > 0 && slices.Contains(pins, path):
				t.Fatal(fmt.Sprintf("%s is pinned and may be shown, and is not", path))
			case is:
				shown++
			default:
				kept++
			}
		}
	}
	blocked := policy.Rule{Match: policy.Match{Path: []string{"/a/**"}}, Access: policy.Blocked}
	hold(t, []policy.Rule{blocked, {Access: policy.Open}}, paths[:3], policy.Party{})
	if shown != 2 || kept != 2 { // else what follows may hold nothing
		t.Fatalf("of four items, two of them blocked, %d are shown and %d kept", shown, kept)
	}
	rapid.Check(t, func(t *rapid.T) {
		rules := rapid.SliceOfN(rule, 1, 4).Draw(t, "rules")
		if _, err := policy.New(rules); err != nil {
			t.Skip(err)
		}
		pins := rapid.SliceOfNDistinct(rapid.SampledFrom(paths), 1, 3, rapid.ID).Draw(t, "pins")
		hold(t, rules, pins, policy.Party{Proven: traits.Draw(t, "proven"), Said: traits.Draw(t, "said")})
	})
}

// TestTighteningHoldsForPinnedItems holds what every exit releases where all items are pinned to
// the question.
func TestTighteningHoldsForPinnedItems(t *testing.T) {
	t.Parallel()
	b, corpus := newExits(t)
	e := tuning.Entry{ID: "1", Kind: tuning.Pin, Question: "lamp"}
	for i := range 3 {
		e.Items = append(e.Items, fmt.Sprintf("https://site.example/a/%d", i))
	}
	rules := tuning.Compile([]tuning.Entry{e})
	b.deps.Tuning = func() *tuning.Rules { return rules }
	tightening.Check(t, corpus, b.exits)
}

func TestATrialCountsNothing(t *testing.T) {
	t.Parallel()
	b := furniture(t)
	b.deps.Admit = func(context.Context, []string) error { return fail.New(fail.Limited, "no more") }
	trial := b.Tuned(tuning.Compile([]tuning.Entry{pinned("sofa", "tisch")}))
	a, err := answerTo(trial.Ask(t.Context(), Question{Text: "sofa", AnswersOnly: true}))
	if err != nil || a.Len() == 0 || a.parts[0][0].listing.URL != "https://shop.example/tisch" {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := b.Ask(t.Context(), Question{Text: "sofa"}); fail.From(err).Code != fail.Limited {
		t.Errorf("the service itself: %v", err)
	}
}
