// Package corpus gives tests a corpus of released content over a catalog of their own, with terms and items that they
// change as they go.
//
// Enter at New; Fill puts items in, and Obey brings other terms into force.
package corpus

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/policy"
)

// Tester is what testing.T, testing.B and rapid.T have in common.
type Tester interface {
	Helper()
	Fatal(...any)
}

// Stage is a corpus, the catalog below it, and the terms that hold.
type Stage struct {
	Corpus  *released.Corpus
	Catalog *content.Catalog
	DB      *store.DB
	// Followers are brought up to date by Fill, Obey and Refresh. A test appends those of its service.
	Followers []released.Follower

	terms atomic.Pointer[policy.Terms]
}

// New returns a stage without items over a database that has the tables of content, where everything is open. It fills
// in what options leave out: a catalog, terms that Obey changes, and a site called "site". The corpus is not ready
// before something is loaded into it.
func New(t Tester, db *store.DB, options released.Options) *Stage {
	t.Helper()
	s := &Stage{DB: db, Catalog: options.Catalog}
	if s.Catalog == nil {
		s.Catalog = content.New(db, content.Options{})
		options.Catalog = s.Catalog
	}
	if options.Terms == nil {
		s.Decree(t)
		options.Terms = s.terms.Load
	}
	if options.Sites == nil {
		options.Sites = Sites("site")
	}
	var err error
	if s.Corpus, err = released.New(options); err != nil {
		t.Fatal(err)
	}
	return s
}

// Sites are sites by their ids: "shop" is called "Shop" and found at shop.example.
func Sites(ids ...string) *released.Sites {
	var all []released.Site
	for _, id := range ids {
		all = append(all, released.Site{ID: id, Name: strings.ToUpper(id[:1]) + id[1:], Hosts: []string{id + ".example"}})
	}
	return released.NewSites(all...)
}

// Decree brings rules into force, and leaves it to Refresh to apply them to the index. Without rules everything is open.
func (s *Stage) Decree(t Tester, rules ...policy.Rule) {
	t.Helper()
	compiled, err := policy.Options{IsA: content.IsA}.New(rules)
	if err != nil {
		t.Fatal(err)
	}
	s.terms.Store(compiled)
}

// Obey brings rules into force, and the corpus and its followers up to date with them.
func (s *Stage) Obey(t Tester, rules ...policy.Rule) {
	t.Helper()
	s.Decree(t, rules...)
	s.Refresh(t)
}

// Fill replaces the items of a site's source, and brings the corpus and its followers up to date.
func (s *Stage) Fill(t Tester, site, source string, items ...content.Item) {
	t.Helper()
	Put(t, s.Catalog, site, source, items...)
	s.Refresh(t)
}

// Refresh brings the corpus and its followers up to date with the catalog and the terms.
func (s *Stage) Refresh(t Tester) {
	t.Helper()
	if err := s.Corpus.Load(context.Background(), s.Followers...); err != nil {
		t.Fatal(err)
	}
}

// Put replaces the items of a site's source in a catalog.
func Put(t Tester, catalog *content.Catalog, site, source string, items ...content.Item) {
	t.Helper()
	ctx := context.Background()
	run, err := catalog.Begin(ctx, site, source)
	if err == nil {
		err = run.Put(ctx, items...)
	}
	if err == nil {
		_, err = run.Commit(ctx, content.CommitOptions{AllowShrink: true})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Item makes an item of a site that Sites names, from a path, a type and its texts.
func Item(site, path, typ, name, text string) content.Item {
	url := "https://" + site + ".example/" + path
	object, err := json.Marshal(map[string]any{"@type": typ, "url": url, "name": name, "sku": "SKU-" + path})
	if err != nil {
		panic(err)
	}
	return content.Item{
		URL: url, Types: []string{typ}, Name: name, Description: text, Language: "en", Object: object,
		Image: url + ".jpg", Publisher: "House of " + site, Published: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC),
		Passages: []content.Passage{{ID: content.PassageID(text, 0), Text: text}},
	}
}
