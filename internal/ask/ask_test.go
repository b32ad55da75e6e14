package ask

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
	"frontdesk/internal/content/vector"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/contenttest"
	"frontdesk/internal/testkit/storetest"
)

// bench is a service that answers from content of its own, under terms that a test may change.
type bench struct {
	*Service
	content *contenttest.Corpus
	db      *store.DB
}

type tester = contenttest.T

func newBench(t testing.TB, sites ...string) *bench {
	t.Helper()
	return benchWith(t, released.Deps{Sites: contenttest.Sites(sites...)})
}

func benchWith(t testing.TB, options released.Deps) *bench {
	t.Helper()
	db := storetest.Chosen(t, content.Schema, vector.Schema)
	b := &bench{content: contenttest.New(t, db, options), db: db}
	var err error
	if b.Service, err = New(Deps{Corpus: b.content.Corpus, Reading: Reading{MinScore: 1}}); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bench) obey(t tester, rules ...policy.Rule) {
	t.Helper()
	b.content.SetRules(t, rules...)
}

func (b *bench) fill(t tester, site, source string, items ...content.Item) {
	t.Helper()
	b.content.Fill(t, site, source, items...)
}

// item makes an item of a site from a path, a type and its texts.
var item = contenttest.Item

// asked asks and returns the released items.
func (b *bench) asked(t tester, q Question) []map[string]any {
	t.Helper()
	a, err := answerTo(b.Ask(context.Background(), q))
	if coded := fail.From(err); err != nil && coded.Code == fail.NoResults {
		return nil
	} else if err != nil {
		t.Fatal(err)
	}
	var items []map[string]any
	for result, err := range a.Results(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		var object map[string]any
		if err := json.Unmarshal(result.AppendJSON(nil), &object); err != nil {
			t.Fatal(err)
		}
		items = append(items, object)
	}
	return items
}

func urls(items []map[string]any) []string {
	var all []string
	for _, item := range items {
		all = append(all, item["url"].(string))
	}
	slices.Sort(all)
	return all
}

func TestOpenItemIsShownWholeWithSiteScoreAndGrounding(t *testing.T) {
	t.Parallel()
	b := newBench(t, "shop")
	b.fill(t, "shop", "catalog", item("shop", "kettle", "Product", "Copper kettle", "A kettle for slow mornings."))
	got := b.asked(t, Question{Text: "kettle"})
	if len(got) != 1 || got[0]["score"].(float64) <= 0 || got[0]["score"].(float64) > 100 {
		t.Fatalf("got %v", got)
	}
	delete(got[0], "score")
	want := map[string]any{
		"@type": "Product", "url": "https://shop.example/kettle", "name": "Copper kettle", "sku": "SKU-kettle",
		"description": "A kettle for slow mornings.", "site": "shop",
		"grounding": map[string]any{"source_urls": []any{"https://shop.example/kettle"}, "source": "catalog"},
	}
	if diff := cmp.Diff(want, got[0]); diff != "" {
		t.Error(diff)
	}
}

func TestLongItemCarriesThePassageThatFits(t *testing.T) {
	t.Parallel()
	b := newBench(t, "mag")
	long := item("mag", "bees", "Article", "Bees", "On bees.")
	long.Passages = nil
	for _, text := range []string{
		"Hives stand in the orchard.", "Smoke calms a swarm before inspection.", "Honey is drawn in autumn.",
	} {
		long.Passages = append(long.Passages, content.Passage{ID: content.PassageID(text, 0), Text: text})
	}
	b.fill(t, "mag", "articles", long)
	got := b.asked(t, Question{Text: "smoke swarm inspection"})
	passage := got[0]["grounding"].(map[string]any)["passage"].(map[string]any)
	if passage["text"] != long.Passages[1].Text || passage["id"] != long.Passages[1].ID {
		t.Errorf("got passage %v", passage)
	}
}

func TestBlockedItemIsInNoAnswer(t *testing.T) {
	t.Parallel()
	b := newBench(t, "shop")
	b.fill(t, "shop", "catalog",
		item("shop", "kettle", "Product", "Copper kettle", "A kettle for slow mornings."),
		item("shop", "drafts/kettle", "Product", "Secret kettle", "Unreleased kettle prototype."))
	draft := policy.Rule{Match: policy.Match{Path: []string{"/drafts/**"}}, Access: policy.Blocked}
	all := policy.Rule{Access: policy.Open}
	if got := b.asked(t, Question{Text: "secret kettle prototype"}); len(got) != 2 {
		t.Fatalf("without terms: %v", urls(got))
	}
	b.obey(t, draft, all)
	if got := urls(b.asked(t, Question{Text: "kettle"})); !slices.Equal(got, []string{"https://shop.example/kettle"}) {
		t.Errorf("under terms: %v", got)
	}
	for _, r := range b.asked(t, Question{Text: "secret prototype unreleased"}) {
		t.Errorf("the blocked item's words found %v", r["url"])
	}
	b.obey(t, all)
	if got := b.asked(t, Question{Text: "kettle"}); len(got) != 2 {
		t.Errorf("after the rule has gone: %v", urls(got))
	}
}

func TestTermsHoldFromTheMomentTheyChange(t *testing.T) {
	t.Parallel()
	b := newBench(t, "shop")
	b.fill(t, "shop", "catalog", item("shop", "kettle", "Product", "Copper kettle", "A kettle."))
	closed, err := policy.New([]policy.Rule{{Access: policy.Blocked}})
	if err != nil {
		t.Fatal(err)
	}
	b.content.SetTermsOnly(closed) // and no refresh: the index still has the item
	if got := b.asked(t, Question{Text: "kettle"}); len(got) > 0 {
		t.Errorf("blocked, and shown: %v", urls(got))
	}
}

func TestBlockedItemsChangeNoByteOfAnyAnswer(t *testing.T) {
	t.Parallel()
	// None says an attribute: a stricter rule hides what items state, so that a condition on it
	// leaves out fewer of them.
	words := []string{"abbot", "brook", "cedar", "delta", "ember", "fjord", "grove", "heath"}
	with, without := newBench(t, "site"), newBench(t, "site")
	hide := []policy.Rule{{Match: policy.Match{Path: []string{"/hidden/**"}}, Access: policy.Blocked},
		{Access: policy.Open}}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.Map(rapid.SliceOfN(rapid.SampledFrom(words), 1, 8), func(w []string) string {
			return strings.Join(w, " ")
		})
		var open, all []content.Item
		for i := range rapid.IntRange(1, 6).Draw(t, "items") {
			if rapid.Bool().Draw(t, "hidden") {
				all = append(all, item("site", fmt.Sprintf("hidden/%d", i), "Article", text.Draw(t, "name")+" secret",
					text.Draw(t, "text")))
				continue
			}
			it := item("site", fmt.Sprint(i), "Article", text.Draw(t, "name"), text.Draw(t, "text"))
			open, all = append(open, it), append(all, it)
		}
		with.fill(t, "site", "s", all...)
		without.fill(t, "site", "s", open...)
		with.obey(t, hide...)
		without.obey(t, hide...)
		zero := 0.0
		q := Question{Text: text.Draw(t, "question") + " secret", MinScore: &zero}
		if diff := cmp.Diff(without.asked(t, q), with.asked(t, q)); diff != "" {
			t.Fatalf("the blocked items can be felt (-without +with):\n%s", diff)
		}
	})
}

func TestThingsWithinAnOpenItemObeyTheTerms(t *testing.T) {
	t.Parallel()
	b := newBench(t, "shop")
	lamp := item("shop", "lamp", "Product", "Lamp", "A lamp.")
	lamp.Object = []byte(`{"@type":"Product","name":"Lamp","offers":{"@type":"Offer","price":5},` +
		`"isRelatedTo":[{"@id":"/drafts/robot","name":"UNANNOUNCED robot"},{"@type":"Product","url":"/shade","name":"Shade"}],` +
		`"review":{"@type":"Review","url":"https://shop.example/premium/r1","name":"On lamps","reviewBody":"HIDDEN BODY"},` +
		`"subjectOf":{"@type":"Recipe","name":"FORBIDDEN recipe"},"sku":"1",` +
		`"hasPart":[{"@type":"Article","mainEntityOfPage":{"@type":"WebPage","@id":"/drafts/plan"},"articleBody":"HIDDEN PLAN"},` +
		`{"@type":"Article","mainEntityOfPage":"https://shop.example/premium/p2","name":"On plans","articleBody":"HIDDEN PLAN"}]}`)
	b.fill(t, "shop", "s", lamp)
	b.obey(t,
		policy.Rule{Match: policy.Match{Path: []string{"/drafts/**"}}, Access: policy.Blocked},
		policy.Rule{Match: policy.Match{Path: []string{"/premium/**"}}, Access: policy.Licensed},
		policy.Rule{Match: policy.Match{Type: []string{"Recipe"}}, Access: policy.Blocked},
		policy.Rule{Access: policy.Open})
	got := b.asked(t, Question{Text: "lamp"})[0]
	for _, member := range []string{"score", "grounding", "site", "url", "@type", "description"} {
		delete(got, member)
	}
	want := map[string]any{
		"name": "Lamp", "sku": "1", "offers": map[string]any{"@type": "Offer", "price": 5.0},
		"isRelatedTo": []any{map[string]any{"@type": "Product", "url": "/shade", "name": "Shade"}},
		"review":      map[string]any{"@type": "Review", "url": "https://shop.example/premium/r1", "name": "On lamps"},
		"hasPart":     []any{map[string]any{"@type": "Article", "name": "On plans"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	b.obey(t, policy.Rule{Access: policy.Open})
	if got := b.asked(t, Question{Text: "lamp"})[0]; got["subjectOf"] == nil || len(got["isRelatedTo"].([]any)) != 2 {
		t.Errorf("without those rules: %v", got)
	}
}

// A text was made of what stands within the item, so it is held back where something there is: as a
// passage, as the description, in a summary, in a feed, and as a licensed item's excerpt.
func TestTextOfThingsThatAreHeldBackLeavesInNoOtherWay(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	ticker := func(path, member string) content.Item {
		i := item("news", path, "LiveBlogPosting", "Election ticker", "HIDDEN result of the election.")
		i.Object = []byte(`{"@type":"LiveBlogPosting","name":"Election ticker",` + member + `}`)
		i.Passages = append(i.Passages, content.Passage{ID: "p2", Text: "More of the HIDDEN result."})
		return i
	}
	updates := `"liveBlogUpdate":[{"@type":"BlogPosting","url":"https://news.example/drafts/1"}]`
	b := newBench(t, "news")
	free := ticker("free", `"author":{"@type":"Person","url":"/drafts/me"}`) // who is no part of the text
	free.Description = "A FREE text of the election."
	free.Passages = []content.Passage{{ID: "p", Text: free.Description}, {ID: "p2", Text: "All that is FREE to read."}}
	b.fill(t, "news", "s", free, ticker("live", updates), ticker("paid/live", updates),
		ticker("question", `"acceptedAnswer":{"@type":"Answer","url":"/paid/answer","text":"HIDDEN"}`),
		ticker("own", `"description":"An OWN description.",`+updates))
	shown := func() string {
		var all []byte
		answer, err := answerTo(b.Ask(ctx, Question{Text: "election ticker result"}))
		if err != nil {
			t.Fatal(err)
		}
		summary := builtIn(t, answer)
		for result, err := range answer.Results(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			all = result.AppendItem(result.AppendJSON(append(all, result.Description()...)))
		}
		_, feed := objects(t, b.feed(t, "news").Part(ctx, 0))
		return fmt.Sprint(string(all), feed, summary)
	}
	b.obey(t, policy.Rule{Access: policy.Open})
	if got := shown(); strings.Count(got, "HIDDEN") < 8 {
		t.Fatalf("without rules the texts are shown: %s", got)
	}
	b.obey(t,
		policy.Rule{Match: policy.Match{Path: []string{"/drafts/**"}}, Access: policy.Blocked},
		policy.Rule{Match: policy.Match{Path: []string{"/paid/**"}}, Access: policy.Licensed,
			Excerpt: policy.Excerpt{Words: 3}},
		policy.Rule{Access: policy.Open})
	got := shown()
	if strings.Contains(got, "HIDDEN") {
		t.Errorf("a text that is held back is shown: %s", got)
	}
	for _, word := range []string{
		"OWN description", "FREE text", "FREE to read", "https://news.example/live", "https://news.example/question",
	} {
		if !strings.Contains(got, word) {
			t.Errorf("%s is missing: %s", word, got)
		}
	}
}

func TestSitesThatAreNotServedAreNotAnswered(t *testing.T) {
	t.Parallel()
	b := newBench(t, "shop")
	b.fill(t, "shop", "s", item("shop", "lamp", "Product", "Lamp", "A lamp."))
	b.fill(t, "former", "s", item("former", "lamp", "Product", "Lamp", "A lamp."))
	if got := urls(b.asked(t, Question{Text: "lamp"})); !slices.Equal(got, []string{"https://shop.example/lamp"}) {
		t.Errorf("got %v", got)
	}
}

func TestFunctionsDecideWhereAnItemMayAppear(t *testing.T) {
	t.Parallel()
	b := newBench(t, "shop")
	b.fill(t, "shop", "catalog",
		item("shop", "a", "Product", "Copper kettle", "A kettle for mornings."),
		item("shop", "b", "Product", "Iron kettle", "A kettle for evenings."))
	forbid := func(function string) policy.Rule {
		return policy.Rule{Match: policy.Match{Path: []string{"/b"}}, Access: policy.Open,
			Functions: policy.Functions{Prohibit: []string{function}}}
	}
	b.obey(t, forbid("search"), policy.Rule{Access: policy.Open})
	if got := urls(b.asked(t, Question{Text: "kettle"})); !slices.Equal(got, []string{"https://shop.example/a"}) {
		t.Errorf("with search prohibited: %v", got)
	}
	b.obey(t, forbid("ai-input"), policy.Rule{Access: policy.Open})
	a, err := answerTo(b.Ask(context.Background(), Question{Text: "kettle"}))
	if err != nil {
		t.Fatal(err)
	}
	if summary := builtIn(t, a); !strings.Contains(summary, "Copper") || strings.Contains(summary, "Iron") {
		t.Errorf("with ai-input prohibited the summary is %q", summary)
	}
}

func TestLicensedItemShowsANoticeAndOneFixedExcerpt(t *testing.T) {
	t.Parallel()
	b := newBench(t, "mag")
	premium := item("mag", "premium/tide", "Article", "The tide report", "One two three four five six seven eight.")
	premium.Passages = append(premium.Passages, content.Passage{ID: "p2", Text: "Hidden treasure lies below the pier."})
	b.fill(t, "mag", "articles", premium)
	b.obey(t, policy.Rule{Match: policy.Match{Path: []string{"/premium/**"}}, Access: policy.Licensed,
		Excerpt: policy.Excerpt{Words: 4}}, policy.Rule{Access: policy.Open})
	var first map[string]any
	for _, text := range []string{"tide report", "hidden treasure below the pier", "seven eight"} {
		got := b.asked(t, Question{Text: text})
		if len(got) != 1 {
			t.Fatalf("%q found %d items", text, len(got))
		}
		delete(got[0], "score")
		if first == nil {
			first = got[0]
		} else if diff := cmp.Diff(first, got[0]); diff != "" {
			t.Errorf("%q is shown otherwise:\n%s", text, diff)
		}
	}
	want := map[string]any{
		"@type": "Article", "url": "https://mag.example/premium/tide", "name": "The tide report",
		"description": "One two three four …", "image": "https://mag.example/premium/tide.jpg",
		"datePublished": "2026-03-01", "publisher": map[string]any{"@type": "Organization", "name": "House of mag"},
		"isAccessibleForFree": false, "site": "mag",
		"grounding": map[string]any{"source_urls": []any{"https://mag.example/premium/tide"}, "source": "articles"},
	}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Error(diff)
	}
}

// An item without a name is called by its text, of which a licensed one shows no more than its
// excerpt.
func TestNameThatIsTheTextOfALicensedItemIsCut(t *testing.T) {
	t.Parallel()
	b := newBench(t, "news")
	question := item("news", "paid/q", "Question", "How is the HIDDEN thing done in the end?", "")
	question.Object = []byte(`{"@type":"Question","text":"How is the HIDDEN thing done in the end?"}`)
	picture := item("news", "paid/i", "ImageObject", "This is the HIDDEN thing in the end", "")
	picture.Object = []byte(`{"@type":"ImageObject","caption":"This is the HIDDEN thing in the end"}`)
	named := item("news", "paid/n", "Question", "The end of all things that is known", "")
	named.Object = []byte(`{"@type":"Question","name":"The end of all things that is known","text":"HIDDEN"}`)
	b.fill(t, "news", "s", question, picture, named)
	names := func() []string {
		var names []string
		for _, i := range b.asked(t, Question{Text: "end thing"}) {
			names = append(names, i["name"].(string))
		}
		slices.Sort(names)
		return names
	}
	b.obey(t, policy.Rule{Access: policy.Licensed, Excerpt: policy.Excerpt{Words: 3}})
	if diff := cmp.Diff([]string{"How is the …", "The end of all things that is known", "This is the …"},
		names()); diff != "" {
		t.Error(diff)
	}
	b.obey(t, policy.Rule{Access: policy.Open})
	if diff := cmp.Diff([]string{"How is the HIDDEN thing done in the end?", "The end of all things that is known",
		"This is the HIDDEN thing in the end"}, names()); diff != "" {
		t.Error(diff)
	}
}

func TestExcerptCountsWordsInEveryScript(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		words int
		want  string
	}{
		{"one two three", 2, "one two …"},
		{"one two", 2, "one two"},
		{"one two", 0, ""},
		{"  one\n two\tthree", 1, "  one …"},
		{"これは長い文です", 3, "これは …"},
		{strings.Repeat("x", 95), 2, strings.Repeat("x", 60) + " …"},
		{"", 5, ""},
	} {
		if got := released.Excerpt(c.text, c.words); got != c.want {
			t.Errorf("released.Excerpt(%q, %d) = %q, want %q", c.text, c.words, got, c.want)
		}
	}
}

func TestTighteningARuleNeverShowsMore(t *testing.T) {
	t.Parallel()
	b := newBench(t, "site")
	// None says an attribute: a stricter rule hides what items state, so that a condition on it
	// leaves out fewer of them.
	words := []string{"abbot", "brook", "cedar", "delta", "ember", "fjord", "grove", "heath"}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.Map(rapid.SliceOfN(rapid.SampledFrom(words), 1, 12), func(w []string) string {
			return strings.Join(w, " ")
		})
		var items []content.Item
		for i := range rapid.IntRange(1, 5).Draw(t, "items") {
			it := item("site", fmt.Sprintf("p%d", i), "Article", text.Draw(t, "name"), text.Draw(t, "description"))
			// As ingesting has it, what an item is described by is the first of its passages.
			it.Passages = []content.Passage{{ID: "described", Text: it.Description}}
			for j := range rapid.IntRange(0, 3).Draw(t, "passages") {
				it.Passages = append(it.Passages, content.Passage{ID: fmt.Sprint(j), Text: text.Draw(t, "passage")})
			}
			items = append(items, it)
		}
		b.fill(t, "site", "s", items...)
		question := Question{Text: text.Draw(t, "question")}
		wide := rapid.IntRange(0, 12).Draw(t, "wide")
		narrow := rapid.IntRange(0, wide).Draw(t, "narrow")
		shown := func(rule policy.Rule) map[string]string {
			b.obey(t, rule)
			texts := map[string]string{}
			for _, r := range b.asked(t, question) {
				description, _ := r["description"].(string)
				texts[r["url"].(string)] = strings.TrimSuffix(description, " …")
			}
			return texts
		}
		steps := []map[string]string{
			shown(policy.Rule{Access: policy.Open}),
			shown(policy.Rule{Access: policy.Licensed, Excerpt: policy.Excerpt{Words: wide}}),
			shown(policy.Rule{Access: policy.Licensed, Excerpt: policy.Excerpt{Words: narrow}}),
			shown(policy.Rule{Access: policy.Blocked}),
		}
		for i := 1; i < len(steps); i++ {
			for url, text := range steps[i] {
				if before, ok := steps[i-1][url]; !ok || !strings.HasPrefix(before, text) {
					t.Fatalf("step %d shows %q of %s, the step before %q", i, text, url, before)
				}
			}
		}
		if len(steps[3]) > 0 {
			t.Fatalf("blocked, and shown: %v", steps[3])
		}
	})
}

func TestSitesAreNamedInManyWays(t *testing.T) {
	t.Parallel()
	b := newBench(t, "shop", "mag")
	b.fill(t, "shop", "s", item("shop", "1", "Product", "Red lamp", "A lamp."))
	b.fill(t, "mag", "s", item("mag", "1", "Article", "Lamps of old", "On the lamp."))
	for _, c := range []struct {
		sites []string
		want  []string
	}{
		{nil, []string{"https://mag.example/1", "https://shop.example/1"}},
		{[]string{"all"}, []string{"https://mag.example/1", "https://shop.example/1"}},
		{[]string{"shop"}, []string{"https://shop.example/1"}},
		{[]string{"SHOP.example"}, []string{"https://shop.example/1"}},
		{[]string{"https://www.shop.example/"}, []string{"https://shop.example/1"}},
		{[]string{"Mag"}, []string{"https://mag.example/1"}},
		{[]string{"mag", "shop"}, []string{"https://mag.example/1", "https://shop.example/1"}},
	} {
		if got := urls(b.asked(t, Question{Text: "lamp", Sites: c.sites})); !slices.Equal(got, c.want) {
			t.Errorf("sites %v gave %v", c.sites, got)
		}
	}
	_, err := b.Ask(context.Background(), Question{Text: "lamp", Sites: []string{"nowhere.example"}})
	var coded *fail.Error
	if !errors.As(err, &coded) || coded.Code != fail.Invalid || !strings.Contains(coded.Detail, `"shop", "mag"`) {
		t.Errorf("unknown site: %v", err)
	}
}

func TestTypeStandsForItsSubtypes(t *testing.T) {
	t.Parallel()
	b := newBench(t, "mag")
	b.fill(t, "mag", "s", item("mag", "1", "NewsArticle", "Lamp news", "x"),
		item("mag", "2", "Recipe", "Lamp soup", "y"), item("mag", "3", "LampType", "Lamp own", "z"))
	for typ, want := range map[string][]string{
		"Article": {"https://mag.example/1"}, "recipe": {"https://mag.example/2"},
		"LampType": {"https://mag.example/3"}, "schema:Article": {"https://mag.example/1"},
		"https://schema.org/NewsArticle": {"https://mag.example/1"},
		"Thing":                          {"https://mag.example/1", "https://mag.example/2", "https://mag.example/3"},
		"Event":                          nil,
	} {
		if got := urls(b.asked(t, Question{Text: "lamp", Types: []string{typ}})); !slices.Equal(got, want) {
			t.Errorf("type %s gave %v, want %v", typ, got, want)
		}
	}
}

func TestLimitsAreHeldAndChecked(t *testing.T) {
	t.Parallel()
	b := newBench(t, "shop")
	var items []content.Item
	for i := range 80 {
		items = append(items, item("shop", fmt.Sprintf("lamp-%d", i), "Product", fmt.Sprintf("Lamp %d", i), "A lamp."))
	}
	b.fill(t, "shop", "s", items...)
	for limit, want := range map[int]int{0: 10, 3: 3, 70: 70, 1000: 80} {
		if got := b.asked(t, Question{Text: "lamp", Limit: limit}); len(got) != want {
			t.Errorf("limit %d gave %d", limit, len(got))
		}
	}
	low, high := -1.0, 101.0
	for _, q := range []Question{{Text: "lamp", Limit: -1}, {Text: "lamp", Limit: 1001}, {Text: "lamp", MinScore: &low},
		{Text: "lamp", MinScore: &high}} {
		if _, err := b.Ask(context.Background(), q); fail.From(err).Code != fail.Malformed {
			t.Errorf("%+v: %v", q, err)
		}
	}
	many := Question{Text: "lamp", Types: make([]string, maxNames+1)}
	if _, err := b.Ask(context.Background(), many); fail.From(err).Code != fail.Malformed {
		t.Errorf("too many types: %v", err)
	}
	long := Question{Text: "lamp", Types: []string{strings.Repeat("x", 1<<20)}}
	if _, err := b.Ask(context.Background(), long); fail.From(err).Code != fail.NoResults || len(err.Error()) > 500 {
		t.Errorf("a type of a megabyte: %.600v", err)
	}
	if _, err := b.Ask(context.Background(),
		Question{Text: strings.Repeat("ü", MaxText+1)}); fail.From(err).Code != fail.TooLong {
		t.Errorf("long text: %v", err)
	}
	if _, err := b.Ask(context.Background(),
		Question{Text: strings.Repeat("ü", MaxText)}); fail.From(err).Code != fail.NoResults {
		t.Errorf("text at the limit: %v", err)
	}
}

func TestOneURLOfTwoSourcesIsOneResult(t *testing.T) {
	t.Parallel()
	b := newBench(t, "shop")
	b.fill(t, "shop", "feed", item("shop", "1", "Product", "Red lamp", "A lamp."),
		item("shop", "2", "Product", "Blue lamp", "A lamp."))
	for i := range 4 {
		b.fill(t, "shop", fmt.Sprintf("pages%d", i), item("shop", "1", "Product", "Red lamp", "A lamp on its page."))
	}
	if got := urls(b.asked(t, Question{Text: "lamp", Limit: 2})); !slices.Equal(got,
		[]string{"https://shop.example/1", "https://shop.example/2"}) {
		t.Errorf("got %v", got)
	}
}

func TestOversizedMembersAreLeftOutAndNamed(t *testing.T) {
	t.Parallel()
	b := newBench(t, "shop")
	big := item("shop", "1", "Product", "Lamp", "A lamp.")
	object := map[string]any{"@type": "Product", "name": "Lamp", "site": "forged", "score": 1000, "grounding": "forged",
		"huge": strings.Repeat("x", released.MaxMember)}
	big.Object, _ = json.Marshal(object)
	b.fill(t, "shop", "s", big)
	got := b.asked(t, Question{Text: "lamp"})[0]
	if got["huge"] != nil || got["site"] != "shop" || got["score"].(float64) > 100 {
		t.Errorf("got %v", got)
	}
	if omitted := got["grounding"].(map[string]any)["omitted"]; !cmp.Equal(omitted, []any{"huge"}) {
		t.Errorf("omitted = %v", omitted)
	}
}

func TestAskBeforeTheContentIsLoadedSaysWhenToComeBack(t *testing.T) {
	t.Parallel()
	b := newBench(t, "shop")
	_, err := b.Ask(context.Background(), Question{Text: "lamp"})
	if coded := fail.From(err); coded.Code != fail.Unavailable || coded.RetryAfter == 0 {
		t.Errorf("got %v", err)
	}
}

func TestAnswersStayWholeWhileContentAndTermsChange(t *testing.T) {
	t.Parallel()
	b := newBench(t, "shop")
	edition := func(n int) []content.Item {
		var items []content.Item
		for i := range 20 {
			items = append(items,
				item("shop", fmt.Sprintf("lamp-%d", i), "Product", fmt.Sprintf("Lamp edition%d", n), "A lamp."))
		}
		return items
	}
	b.fill(t, "shop", "s", edition(0)...)
	ctx, cancel := context.WithCancel(context.Background())
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for ctx.Err() == nil {
				a, err := answerTo(b.Ask(ctx, Question{Text: "lamp", Limit: 20}))
				if err != nil {
					if ctx.Err() == nil && fail.From(err).Code != fail.NoResults {
						t.Errorf("ask: %v", err)
					}
					continue
				}
				editions := map[string]int{}
				for result, err := range a.Results(ctx) {
					if err == nil {
						editions[result.Name()]++
					}
				}
				if len(editions) > 1 {
					t.Errorf("one answer mixes %v", editions)
				}
			}
		})
	}
	for n := 1; n <= 10; n++ {
		b.fill(t, "shop", "s", edition(n)...)
		b.obey(t, policy.Rule{Access: policy.Licensed})
		b.obey(t, policy.Rule{Access: policy.Open})
	}
	cancel()
	readers.Wait()
}

// answerTo takes the answer out of a reply.
func answerTo(reply *Reply, err error) (*Answer, error) {
	if err != nil {
		return nil, err
	}
	return reply.Answer, nil
}
