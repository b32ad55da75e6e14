package catalog_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"frontdesk/internal/content"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/licensing/catalog/push"
	"frontdesk/internal/testkit/storetest"
)

// market is content and what is pushed, and a catalog of both.
type market struct {
	house
	shelves *push.Store
	file    string
}

func eachMarket(t *testing.T, test func(t *testing.T, m *market)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := open(t, content.Schema, push.Schema)
		m := &market{house: house{t: t, content: content.New(db, content.Options{})},
			file: filepath.Join(t.TempDir(), "goods")}
		m.shelves = push.NewStore(db, time.Now)
		m.catalog = m.another()
		test(t, m)
	})
}

// another is a catalog of another process.
func (m *market) another() *catalog.Catalog {
	m.t.Helper()
	c, err := catalog.New(catalog.Config{Content: m.content, Pushes: m.shelves, Snapshot: m.file})
	if err != nil {
		m.t.Fatal(err)
	}
	if _, err := c.Refresh(m.t.Context()); err != nil {
		m.t.Fatal(err)
	}
	return c
}

func pushed(address string) *push.Entry {
	return &push.Entry{Address: address, Title: "Pushed " + address, Words: 100, Quantity: 132, Caller: "c",
		Pushed: time.Unix(1_800_000_000, 0).UTC()}
}

func (m *market) push(tenant string, entries ...*push.Entry) {
	m.t.Helper()
	if _, err := m.shelves.Put(context.Background(), push.Batch{Tenant: tenant, Entries: entries}); err != nil {
		m.t.Fatal(err)
	}
	if changed, err := m.catalog.FollowPushes(m.t.Context()); !changed || err != nil {
		m.t.Fatalf("the catalog does not follow: %t, %v", changed, err)
	}
}

// sells says who sells what at an address, by an exact entry, a beginning or stars.
func sells(c *catalog.Catalog, address string) string {
	var all []string
	for _, e := range c.Find(address) {
		all = append(all, e.Site+" "+e.Pushed.At+" "+e.URL)
	}
	return strings.Join(all, ", ")
}

func TestPushedEntriesAreFoundByAddressThenBeginningThenPattern(t *testing.T) {
	t.Parallel()
	eachMarket(t, func(t *testing.T, m *market) {
		m.push("a", pushed("a.example/a"), pushed("a.example/b/"), pushed("a.example/b/c*"),
			pushed("a.example/b/*/print"), pushed("a.example/*/long/print"), pushed("a.example/*t"))
		for address, want := range map[string]string{
			"https://a.example/a":            "a a.example/a https://a.example/a",
			"https://a.example/abc":          "",
			"https://a.example/a/":           "",
			"https://a.example/b/":           "a a.example/b/ https://a.example/b/",
			"https://a.example/b":            "",
			"https://a.example/b/x":          "a a.example/b/ https://a.example/b/x",
			"http://A.example/b/x?y=1#z":     "a a.example/b/ https://a.example/b/x?y=1",
			"https://a.example/b/cde":        "a a.example/b/c* https://a.example/b/cde",
			"https://a.example/b/c":          "a a.example/b/c* https://a.example/b/c",
			"https://a.example/b/x/print":    "a a.example/b/ https://a.example/b/x/print",
			"https://a.example/x/long/print": "a a.example/*/long/print https://a.example/x/long/print",
			"https://a.example/x/print":      "a a.example/*t https://a.example/x/print",
			"https://b.example/b/x":          "",
		} {
			if got := sells(m.catalog, address); got != want {
				t.Errorf("%s is sold by %q, not %q", address, got, want)
			}
		}
	})
}

func TestPushedEntriesTellWhatWasPushed(t *testing.T) {
	t.Parallel()
	eachMarket(t, func(t *testing.T, m *market) {
		one, two, all := pushed("a.example/1"), pushed("a.example/2"), pushed("a.example/all/")
		one.Hash, one.Method = "sha256:"+strings.Repeat("ab", 32), "sha256"
		two.Hash, two.Method, two.Collected = "0011", "simhash-v1", two.Pushed.Add(-time.Hour)
		one.Attestations, all.Attestations = [][]byte{[]byte(`{}`)}, [][]byte{[]byte(`{}`)}
		all.Hash, all.Method = strings.Repeat("ab", 32), "SHA-256"
		other := pushed("a.example/1")
		other.Author, other.Title, other.Words = "v.example", "What another calls it", 7
		m.push("a", other, one, two, all)
		e := m.catalog.Find("https://a.example/1")[0]
		if e.Title != "Pushed a.example/1" || e.Words != 100 || !e.Pushed.Hashed || e.Hash[0] != 0xab ||
			e.Mutability != catalog.Static || !e.Pushed.Attested || e.Tokens() != 132 {
			t.Errorf("%+v", e)
		}
		if n, known := e.Quantity("pages"); n != 132 || !known {
			t.Errorf("quantity %d, %t", n, known)
		}
		if e := m.catalog.Find("https://a.example/2")[0]; e.Pushed.Digest != "0011" ||
			e.Pushed.Method != "simhash-v1" || e.Pushed.Hashed || !e.AsOf.Equal(two.Collected) {
			t.Errorf("%+v", e)
		}
		e = m.catalog.Find("https://a.example/all/x")[0]
		if e.Pushed.Attested || e.Pushed.Hashed || e.Hash[0] != 0 || e.Mutability != catalog.Dynamic ||
			!e.Pushed.Pattern {
			t.Errorf("what stands for many addresses tells of one: %+v", e)
		}
		// Only another speaks of it: what it says counts. Where content is published, that is what
		// is sold.
		if _, err := m.shelves.Remove(t.Context(), "a", []string{"a.example/2"}, ""); err != nil {
			t.Fatal(err)
		}
		other = pushed("a.example/2")
		other.Author, other.Title, other.Attestations = "v.example", "What another calls it", [][]byte{[]byte(`{}`)}
		m.push("a", other)
		if e := m.catalog.Find("https://a.example/2")[0]; e.Title != "What another calls it" ||
			e.Pushed.Author != "v.example" {
			t.Errorf("%+v", e)
		}
		m.publish("a", "pages", item("https://a.example/2", "Two."))
		found := m.catalog.Find("https://a.example/2")
		if len(found) != 1 || found[0].Source != "pages" || !found[0].Pushed.Attested ||
			found[0].Pushed.At != "a.example/2" || found[0].Title != "About Two." {
			t.Errorf("%+v", found)
		}
	})
}

func TestPushedEntriesComeFromTheFile(t *testing.T) {
	t.Parallel()
	eachMarket(t, func(t *testing.T, m *market) {
		m.publish("site", "pages", item("https://s.example/1", "One."))
		m.push("a", pushed("a.example/1"), pushed("a.example/b/"), pushed("a.example/*/c"))
		if err := m.catalog.Save(); err != nil {
			t.Fatal(err)
		}
		m.push("a", pushed("a.example/2"))
		if _, err := m.shelves.Remove(t.Context(), "a", []string{"a.example/1"}, ""); err != nil {
			t.Fatal(err)
		}
		next := m.another()
		for address, want := range map[string]bool{
			"https://a.example/1": false, "https://a.example/2": true, "https://a.example/b/x": true,
			"https://a.example/x/c": true, "https://s.example/1": true,
		} {
			if got := len(next.Find(address)) == 1; got != want {
				t.Errorf("%s is found: %t", address, got)
			}
		}
		if next.Len() != 4 {
			t.Errorf("there are %d entries", next.Len())
		}
		// A database that was put back from before: nothing of the file holds.
		if err := next.Save(); err != nil {
			t.Fatal(err)
		}
		m.shelves = push.NewStore(storetest.Chosen(t, push.Schema), time.Now)
		if got := m.another(); got.Len() != 1 {
			t.Errorf("%d entries stay of another database's file", got.Len())
		}
	})
}

// TestPushedEntriesAreFoundAsByALookAtAll holds Find against one that looks at every entry, over
// pushes and removals.
func TestPushedEntriesAreFoundAsByALookAtAll(t *testing.T) {
	t.Parallel()
	db := storetest.Chosen(t, content.Schema, push.Schema)
	shelves := push.NewStore(db, time.Now)
	c, err := catalog.New(catalog.Config{Content: content.New(db, content.Options{}), Pushes: shelves})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	runs := 0
	rapid.Check(t, func(t *rapid.T) {
		runs++ // each has a tenant and a host of its own
		tenant, host := fmt.Sprint("t", runs), fmt.Sprintf("h%d.example", runs)
		paths := rapid.SliceOfN(rapid.StringMatching(`/[ab/*]{0,5}`), 1, 12)
		has := map[string]bool{}
		for range rapid.IntRange(1, 4).Draw(t, "steps") {
			var batch push.Batch
			batch.Tenant = tenant
			seen := map[string]bool{}
			for _, path := range paths.Draw(t, "pushed") {
				at, err := catalog.Canonical("https://" + host + path)
				if err != nil || seen[at] {
					continue
				}
				seen[at], has[at] = true, true
				batch.Entries = append(batch.Entries, pushed(at))
			}
			if _, err := shelves.Put(context.Background(), batch); err != nil {
				t.Fatal(err)
			}
			var removed []string
			for _, path := range paths.Draw(t, "removed") {
				at, _ := catalog.Canonical("https://" + host + path)
				removed = append(removed, at)
				delete(has, at)
			}
			if _, err := shelves.Remove(context.Background(), tenant, removed, ""); err != nil {
				t.Fatal(err)
			}
			if _, err := c.FollowPushes(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		for _, path := range rapid.SliceOfN(rapid.StringMatching(`/[ab/]{0,6}`), 5, 20).Draw(t, "asked") {
			asked, _ := catalog.Canonical("https://" + host + path)
			got := ""
			if found := c.Find("https://" + asked); len(found) > 0 {
				got = found[0].Pushed.At
			}
			if want := looked(has, asked); !slices.Contains(want, got) {
				t.Fatalf("%s is sold as %q; it should be one of %q of %v", asked, got, want, has)
			}
		}
	})
}

// looked are the entries that may stand for an address: the longest of the first kind of which
// there are any.
func looked(has map[string]bool, asked string) []string {
	if has[asked] {
		return []string{asked}
	}
	for _, kind := range []func(at string) int{
		func(at string) int {
			if beginning, _ := push.Pattern(at); beginning && strings.HasPrefix(asked, strings.TrimSuffix(at, "*")) {
				return len(at)
			}
			return 0
		},
		func(at string) int {
			if _, stars := push.Pattern(at); stars && fits(at, asked) {
				return len(strings.ReplaceAll(at, "*", ""))
			}
			return 0
		},
	} {
		var best []string
		most := 1
		for at := range has {
			switch n := kind(at); {
			case n > most:
				best, most = []string{at}, n
			case n == most:
				best = append(best, at)
			}
		}
		if len(best) > 0 {
			return best
		}
	}
	return []string{""}
}

// fits is a match with stars, the slow way.
func fits(pattern, text string) bool {
	if pattern == "" {
		return text == ""
	}
	if pattern[0] == '*' {
		return fits(pattern[1:], text) || text != "" && fits(pattern, text[1:])
	}
	return text != "" && pattern[0] == text[0] && fits(pattern[1:], text[1:])
}

// TestWhatOnlyAttestsIsNothingByItself holds that an entry which brings attestations alone is told
// with what is there otherwise, and is not found without; and that one which stands for more
// addresses does not hide where the attestations are.
func TestWhatOnlyAttestsIsNothingByItself(t *testing.T) {
	t.Parallel()
	eachMarket(t, func(t *testing.T, m *market) {
		aside := pushed("a.example/1")
		aside.Author, aside.AttestsOnly, aside.Attestations = "v.example", true, [][]byte{[]byte(`{}`)}
		m.push("a", aside)
		if found := m.catalog.Find("https://a.example/1"); len(found) != 0 {
			t.Errorf("%+v", found)
		}
		own, all := pushed("a.example/1"), pushed("a.example/*")
		all.Author = "w.example"
		m.push("a", own, all)
		found := m.catalog.Find("https://a.example/1")
		if len(found) != 1 || found[0].Title != own.Title || !found[0].Pushed.Attested ||
			found[0].Pushed.At != "a.example/1" || found[0].Pushed.AttestsOnly {
			t.Errorf("%+v", found)
		}
	})
}

// TestWhatWasPushedIsFoundWhileMoreIs has readers look for what was pushed first while the catalog
// takes in more, the same again, and takes out others, so that its tables grow and are packed: what
// stays is never missing.
func TestWhatWasPushedIsFoundWhileMoreIs(t *testing.T) {
	t.Parallel()
	eachMarket(t, func(t *testing.T, m *market) {
		stays := map[string]string{
			"https://a.example/first":   "a a.example/first https://a.example/first",
			"https://a.example/book/x":  "a a.example/book/ https://a.example/book/x",
			"https://a.example/x/print": "a a.example/*/print https://a.example/x/print",
		}
		m.push("a", pushed("a.example/first"), pushed("a.example/book/"), pushed("a.example/*/print"))
		stop := make(chan struct{})
		var readers sync.WaitGroup
		for range 2 {
			readers.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					for address, want := range stays {
						if got := sells(m.catalog, address); got != want {
							t.Errorf("%s is sold by %q, not %q", address, got, want)
							return
						}
					}
				}
			})
		}
		for round := range 12 {
			var some []*push.Entry
			var gone []string
			for i := range 300 {
				some = append(some, pushed(fmt.Sprintf("a.example/%d/%d", round%7, i)))
				gone = append(gone, fmt.Sprintf("a.example/%d/%d", (round+3)%7, i))
			}
			m.push("a", append(some, pushed("a.example/first"), pushed("a.example/book/"),
				pushed("a.example/*/print"))...)
			if _, err := m.shelves.Remove(t.Context(), "a", gone, ""); err != nil {
				t.Fatal(err)
			}
			if _, err := m.catalog.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		close(stop)
		readers.Wait()
	})
}
