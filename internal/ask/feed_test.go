package ask

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"frontdesk/internal/ask/feed"
	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/policy"
)

// feed returns a site's feed.
func (b *bench) feed(t tester, site string) *feed.Feed {
	t.Helper()
	f, err := b.Feed(context.Background(), site)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// objects reads results, by address.
func objects(t tester, results iter.Seq2[released.Result, error]) (urls []string, byURL map[string]string) {
	t.Helper()
	byURL = map[string]string{}
	for r, err := range results {
		if err != nil {
			t.Fatal(err)
		}
		urls = append(urls, r.URL())
		byURL[r.URL()] = string(r.AppendObject(nil))
	}
	return urls, byURL
}

func partSize(t tester, f *feed.Feed, part int) int {
	t.Helper()
	urls, _ := objects(t, f.Part(context.Background(), part))
	return len(urls)
}

// all reads every part of a feed, by address, with the part that each item was in.
func all(t tester, f *feed.Feed) (items map[string]string, part map[string]int) {
	t.Helper()
	items, part = map[string]string{}, map[string]int{}
	for i := range f.Parts() {
		_, found := objects(t, f.Part(context.Background(), i))
		for url, object := range found {
			if _, twice := items[url]; twice {
				t.Fatal(url + " is in two parts")
			}
			items[url], part[url] = object, i
		}
	}
	return items, part
}

func tag(t tester, f *feed.Feed, part int) string {
	t.Helper()
	tag, err := f.Tag(context.Background(), part)
	if err != nil {
		t.Fatal(err)
	}
	return tag
}

func many(site string, n int) []content.Item {
	items := make([]content.Item, n)
	for i := range items {
		items[i] = item(site, fmt.Sprintf("thing/%d", i), "Thing", fmt.Sprintf("Thing %d", i),
			fmt.Sprintf("The text of thing %d.", i))
	}
	return items
}

func TestFeedHoldsWhatTheTermsAllowForSearchAndAsInput(t *testing.T) {
	t.Parallel()
	b := newBench(t, "shop", "press")
	b.fill(t, "shop", "files", item("shop", "open", "Product", "Open", "All of the open text."),
		item("shop", "plus/one", "Article", "Licensed", "Four words and more of zirconium."),
		item("shop", "draft", "Product", "Draft", "The draft."), item("shop", "list-only", "Product", "Listed",
			"For lists alone."), item("shop", "input-only", "Product", "Input", "For texts alone."))
	b.fill(t, "press", "files", item("press", "news", "Article", "News", "Of the other site."))
	b.obey(t,
		policy.Rule{Match: policy.Match{Path: []string{"/plus/**"}}, Access: policy.Licensed,
			Excerpt: policy.Excerpt{Words: 2}},
		policy.Rule{Match: policy.Match{Path: []string{"/draft"}}, Access: policy.Blocked},
		policy.Rule{Match: policy.Match{Path: []string{"/list-only"}}, Access: policy.Open,
			Functions: policy.Functions{Prohibit: []string{"ai-input"}}},
		policy.Rule{Match: policy.Match{Path: []string{"/input-only"}}, Access: policy.Open,
			Functions: policy.Functions{Permit: []string{"ai-input"}}},
		policy.Rule{Access: policy.Open})
	f := b.feed(t, "shop")
	items, _ := all(t, f)
	if len(items) != 2 || f.Items() != 2 ||
		!strings.Contains(items["https://shop.example/open"], "All of the open text.") ||
		!strings.Contains(items["https://shop.example/plus/one"], `"description":"Four words …"`) ||
		strings.Contains(fmt.Sprint(items), "zirconium") {
		t.Errorf("the feed holds %d: %v", f.Items(), items)
	}
	for _, name := range []string{"SHOP.example", "https://www.shop.example/", "Shop"} {
		if again, _ := all(t, b.feed(t, name)); len(again) != 2 {
			t.Errorf("%s has %d items", name, len(again))
		}
	}
	for _, name := range []string{"", "all", "elsewhere.example"} {
		if _, err := b.Feed(t.Context(), name); err == nil || fail.From(err).Code != fail.NotFound {
			t.Errorf("the site %q has a feed: %v", name, err)
		}
	}
	b.obey(t, policy.Rule{Match: policy.Match{Site: []string{"press"}}, Access: policy.Open})
	if items, _ := all(t, b.feed(t, "shop")); len(items) != 0 {
		t.Errorf("blocked, and in the feed: %v", items)
	}
}

func TestPartsHoldEveryItemOnceAndKeepTheirTagsWhereNothingChanged(t *testing.T) {
	t.Parallel()
	b := newBench(t, "shop")
	things := many("shop", 3*feed.MaxPart)
	b.fill(t, "shop", "files", things...)
	b.fill(t, "shop", "second", things[7]) // under an address that the other source has
	before := b.feed(t, "shop")
	items, part := all(t, before)
	if len(items) != len(things) || before.Items() != len(things) || before.Parts() != 4 {
		t.Fatalf("%d items, counted %d, in %d parts", len(items), before.Items(), before.Parts())
	}
	tags := make([]string, before.Parts())
	for i := range tags {
		tags[i] = tag(t, before, i)
		if size := partSize(t, before, i); size < feed.MaxPart/2 || size > feed.MaxPart {
			t.Errorf("part %d has %d items", i, size)
		}
	}
	changed := "https://shop.example/thing/42"
	things[42] = item("shop", "thing/42", "Thing", "Thing 42", "Another text.")
	gone := things[99].URL
	b.fill(t, "shop", "files", slices.Concat(things[:99], things[100:])...)
	after := b.feed(t, "shop")
	items, again := all(t, after)
	if !strings.Contains(items[changed], "Another text.") || items[gone] != "" || len(items) != len(things)-1 {
		t.Errorf("the feed does not follow: %d items, %s", len(items), items[changed])
	}
	for i := range tags {
		touched := i == part[changed] || i == part[gone]
		if equal := tag(t, after, i) == tags[i]; equal == touched {
			t.Errorf("part %d: touched %t, and its tag is equal: %t", i, touched, equal)
		}
	}
	for url, i := range again {
		if part[url] != i {
			t.Errorf("%s moved from part %d to %d", url, part[url], i)
		}
	}
	if tag(t, before, 0) != tags[0] {
		t.Error("the tag of a feed at one moment changed")
	}
}

func TestEmptySiteHasOneEmptyPart(t *testing.T) {
	t.Parallel()
	b := newBench(t, "shop")
	b.content.Update(t)
	f := b.feed(t, "shop")
	items, _ := all(t, f)
	newest, _ := objects(t, f.Newest(context.Background()))
	if f.Parts() != 1 || len(items) != 0 || len(newest) != 0 || tag(t, f, 0) == "" {
		t.Errorf("%d parts, %v, %v", f.Parts(), items, newest)
	}
}

func TestFeedBeforeTheContentIsLoadedIsUnavailable(t *testing.T) {
	t.Parallel()
	b := newBench(t, "shop")
	if _, err := b.Feed(t.Context(), "shop"); err == nil || fail.From(err).Code != fail.Unavailable {
		t.Errorf("got %v", err)
	}
}

func TestNewestComesFirstByWhatItemsSayOfThemselves(t *testing.T) {
	t.Parallel()
	b := newBench(t, "shop")
	things := many("shop", feed.MaxNewest+20)
	day := func(n int) time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, n) }
	for i := range things {
		things[i].Published, things[i].Modified = day(i%7), time.Time{}
	}
	things[3].Modified = day(500)
	things[5].Published, things[5].Modified = day(400), day(1)
	things[6].Published = time.Time{}
	b.fill(t, "shop", "files", things...)
	urls, _ := objects(t, b.feed(t, "shop").Newest(context.Background()))
	if len(urls) != feed.MaxNewest || urls[0] != things[3].URL || urls[1] != things[5].URL ||
		slices.Contains(urls, things[6].URL) {
		t.Errorf("%d: %q", len(urls), urls)
	}
	var last time.Time
	for r, err := range b.feed(t, "shop").Newest(context.Background()) {
		if err != nil || !last.IsZero() && r.Date().After(last) {
			t.Fatalf("%s of %s after %s, %v", r.URL(), r.Date(), last, err)
		}
		last = r.Date()
	}
}

// TestTighterTermsNeverGrowAFeed holds what a feed releases of each item against what it does under
// rules that are tighter in one place.
func TestTighterTermsNeverGrowAFeed(t *testing.T) {
	t.Parallel()
	b := newBench(t, "shop")
	b.fill(t, "shop", "files", item("shop", "a/1", "Product", "One", "The first text, which is long enough."),
		item("shop", "b/2", "Article", "Two", "The second text."))
	access := []policy.Access{policy.Open, policy.Licensed, policy.Blocked}
	rapid.Check(t, func(t *rapid.T) {
		level := rapid.IntRange(0, 1).Draw(t, "access")
		rule := policy.Rule{Match: policy.Match{Path: []string{"/a/**"}}, Access: access[level]}
		if rule.Access == policy.Licensed {
			rule.Excerpt.Words = rapid.IntRange(1, 9).Draw(t, "words")
		}
		tighter := rule
		switch rapid.IntRange(0, 2).Draw(t, "how") {
		case 0:
			tighter.Access = access[level+1]
			tighter.Excerpt.Words = 0
		case 1:
			tighter.Functions.Prohibit =
				[]string{rapid.SampledFrom([]string{"search", "ai-input", "ai-all", "all"}).Draw(t, "function")}
		case 2:
			tighter.Functions.Permit = []string{rapid.SampledFrom([]string{"search", "ai-input", "ai-train"}).Draw(t,
				"function")}
		}
		b.obey(t, rule, policy.Rule{Access: policy.Open})
		loose, _ := all(t, b.feed(t, "shop"))
		b.obey(t, tighter, policy.Rule{Access: policy.Open})
		tight, _ := all(t, b.feed(t, "shop"))
		for url, object := range tight {
			if !within(object, loose[url]) {
				t.Fatalf("under %+v\n%s\nunder %+v\n%s", rule, loose[url], tighter, object)
			}
		}
	})
}

// within says whether each text of an object begins a text of another, the mark of an excerpt
// aside.
func within(tight, loose string) bool {
	var small, large map[string]any
	if json.Unmarshal([]byte(tight), &small) != nil || json.Unmarshal([]byte(loose), &large) != nil {
		return false
	}
	for _, name := range []string{"name", "description", "sku"} {
		text, _ := small[name].(string)
		whole, _ := large[name].(string)
		if !strings.HasPrefix(whole, strings.TrimSuffix(text, " …")) {
			return false
		}
	}
	return true
}
