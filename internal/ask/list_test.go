package ask

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/policy"
)

// listed goes through the whole list in pages and gives each item as it would be read.
func (b *bench) listed(t tester, sites []string, page int) (urls []string, whole map[string]string) {
	t.Helper()
	whole = map[string]string{}
	after := Place{}
	for {
		items, rest, err := b.Items(context.Background(), sites, after, page)
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range items {
			text := item.AppendItem(nil)
			if !json.Valid(text) {
				t.Fatal(fmt.Sprintf("no JSON: %s", text))
			}
			urls = append(urls, item.URL())
			whole[item.URL()] = string(text)
		}
		if rest == (Place{}) {
			return urls, whole
		}
		after = rest
	}
}

func TestListGoesThroughEveryItemOnceInPagesOfAnySize(t *testing.T) {
	t.Parallel()
	b := newBench(t, "mag", "shop")
	var want []string
	for i := range 7 {
		b.fill(t, "mag", fmt.Sprint("s", i), item("mag", fmt.Sprint(i), "Article", "On lamps", "Text."),
			item("mag", "twice", "Article", "Of every source", "Text."))
		want = append(want, fmt.Sprintf("https://mag.example/%d", i))
	}
	b.fill(t, "shop", "s", item("shop", "1", "Product", "Lamp", "Text."))
	want = append(want, "https://mag.example/twice", "https://shop.example/1")
	for page := 1; page <= 10; page++ {
		got, _ := b.listed(t, nil, page)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("in pages of %d (-want +got):\n%s", page, diff)
		}
	}
	if got, _ := b.listed(t, []string{"shop.example"}, 1); len(got) != 1 || got[0] != "https://shop.example/1" {
		t.Errorf("the site's list is %v", got)
	}
	if got := b.Types(); len(got) != 2 || got[0] != (released.Type{Name: "Article", Items: 8}) ||
		got[1] != (released.Type{Name: "Product", Items: 1}) {
		t.Errorf("the types are %v", got)
	}
	for _, limit := range []int{0, -1, MaxLimit + 1} {
		if _, _, err := b.Items(t.Context(), nil, Place{}, limit); fail.From(err).Code != fail.Malformed {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
	if _, _, err := b.Items(t.Context(), []string{"nowhere"}, Place{}, 1); fail.From(err).Code != fail.Invalid {
		t.Errorf("an unknown site: %v", err)
	}
}

func TestListGoesOnWhereItWasWhenItemsComeAndGo(t *testing.T) {
	t.Parallel()
	b := newBench(t, "shop")
	b.fill(t, "shop", "s", item("shop", "a", "Product", "A", "."), item("shop", "c", "Product", "C", "."),
		item("shop", "e", "Product", "E", "."))
	_, place, err := b.Items(t.Context(), nil, Place{}, 2)
	if err != nil || place.URL != "https://shop.example/c" {
		t.Fatal(place, err)
	}
	b.fill(t, "shop", "s", item("shop", "b", "Product", "B", "."), item("shop", "d", "Product", "D", "."),
		item("shop", "e", "Product", "E", "."))
	items, rest, err := b.Items(t.Context(), nil, place, 2)
	if err != nil || len(items) != 2 || items[0].URL() != "https://shop.example/d" ||
		items[1].URL() != "https://shop.example/e" || rest != (Place{}) {
		t.Errorf("goes on with %v to %v: %v", items, rest, err)
	}
}

func TestItemIsFoundByItsAddressInEverySiteThatHasIt(t *testing.T) {
	t.Parallel()
	b := newBench(t, "mag", "shop")
	same := item("shop", "1", "Product", "Lamp", "Text.")
	b.fill(t, "shop", "s", same, item("shop", "secret", "Product", "Lamp", "Text."))
	b.fill(t, "mag", "s", same)
	b.obey(t, policy.Rule{Match: policy.Match{Path: []string{"/secret"}}, Access: policy.Blocked},
		policy.Rule{Access: policy.Open})
	for url, want := range map[string]int{
		"https://shop.example/1": 2, "https://shop.example/": 0, "https://shop.example/secret": 0, "": 0,
	} {
		if items, err := b.Item(t.Context(), url); err != nil || len(items) != want {
			t.Errorf("%q: %d items, want %d: %v", url, len(items), want, err)
		}
	}
}

func TestTighteningARuleNeverListsOrReadsMore(t *testing.T) {
	t.Parallel()
	b := newBench(t, "site")
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"amber", "birch", "cedar", "delta", "ember", "fjord"}), 1, 8)
		var items []content.Item
		for i := range rapid.IntRange(1, 4).Draw(t, "items") {
			text := strings.Join(words.Draw(t, "text"), " ")
			it := item("site", fmt.Sprintf("p%d", i), "Article", "Name", text)
			further := strings.Join(words.Draw(t, "further"), "-")
			it.Passages = append(it.Passages, content.Passage{ID: content.PassageID(further, 0), Text: further})
			items = append(items, it)
		}
		b.fill(t, "site", "s", items...)
		wide := rapid.IntRange(0, 8).Draw(t, "wide")
		var before map[string]string
		for step, rule := range []policy.Rule{
			{Access: policy.Open},
			{Access: policy.Open, Functions: policy.Functions{Prohibit: []string{"ai-input"}}},
			{Access: policy.Licensed, Excerpt: policy.Excerpt{Words: wide}},
			{Access: policy.Licensed, Excerpt: policy.Excerpt{Words: rapid.IntRange(0, wide).Draw(t, "narrow")}},
			{Access: policy.Licensed, Functions: policy.Functions{Prohibit: []string{"search"}}},
		} {
			b.obey(t, rule)
			_, now := b.listed(t, nil, 2)
			for url, text := range now {
				for _, word := range wordsOf(text) {
					if step > 0 && !slices.Contains(wordsOf(before[url]), word) {
						t.Fatalf("step %d shows %q of %s, which the step before does not:\n%s\n%s", step, word, url,
							text, before[url])
					}
				}
				if step >= 2 && strings.Contains(text, "passages") {
					t.Fatalf("a licensed item is read with passages: %s", text)
				}
			}
			if step == 4 && len(now) > 0 {
				t.Fatalf("not to be found, and listed: %v", now)
			}
			before = now
		}
	})
}

// wordsOf are the words of content in a text, apart from the words that a notice has.
func wordsOf(text string) []string {
	var all []string
	for _, word := range []string{"amber", "birch", "cedar", "delta", "ember", "fjord"} {
		for n := range strings.Count(text, word) {
			all = append(all, fmt.Sprint(word, n))
		}
	}
	return all
}
