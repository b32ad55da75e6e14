// Package contenttest makes content for tests: items, and a corpus of them under terms that a test
// may change.
package contenttest

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/policy"
)

// T is what testing.TB and rapid.T have in common.
type T interface {
	Helper()
	Fatal(...any)
}

// Corpus is a corpus over a catalog of its own.
type Corpus struct {
	*released.Corpus
	Catalog *content.Catalog
	// Followers are told of every change.
	Followers []released.Follower

	terms atomic.Pointer[policy.Terms]
}

// New returns an empty corpus in a database, which has the tables of content; everything in it is
// open. Of the options, Terms are made here, and Catalog where there is none.
func New(t testing.TB, db *store.DB, options released.Deps) *Corpus {
	t.Helper()
	if options.Catalog == nil {
		options.Catalog = content.New(db, content.Options{})
	}
	c := &Corpus{Catalog: options.Catalog}
	c.terms.Store(Terms(t, ""))
	options.Terms = c.terms.Load
	var err error
	if c.Corpus, err = released.New(options); err != nil {
		t.Fatal(err)
	}
	return c
}

// Sites are sites with the ids, each with a name and a host like its id.
func Sites(ids ...string) *released.Sites {
	var all []released.Site
	for _, id := range ids {
		name := strings.ToUpper(id[:1]) + id[1:]
		all = append(all, released.Site{ID: id, Name: name, Hosts: []string{id + ".example"}})
	}
	return released.NewSites(all...)
}

// Terms compiles rules, with an RSL document unless that is empty.
func Terms(t T, rsl string, rules ...policy.Rule) *policy.Terms {
	t.Helper()
	options := policy.Options{IsA: content.IsA}
	if rsl != "" {
		document, err := policy.ParseRSL("rsl.xml", []byte(rsl))
		if err != nil {
			t.Fatal(err)
		}
		options.RSL = []*policy.RSL{document}
	}
	compiled, err := options.New(rules)
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// SetRules compiles rules and makes them the terms in force.
func (c *Corpus) SetRules(t T, rules ...policy.Rule) {
	t.Helper()
	c.SetTerms(t, Terms(t, "", rules...))
}

// SetTerms makes terms the terms in force, and updates the corpus.
func (c *Corpus) SetTerms(t T, terms *policy.Terms) {
	t.Helper()
	c.SetTermsOnly(terms)
	c.Update(t)
}

// SetTermsOnly changes the terms in force without updating the index.
func (c *Corpus) SetTermsOnly(terms *policy.Terms) { c.terms.Store(terms) }

// Fill replaces the items of a source of a site.
func (c *Corpus) Fill(t T, site, source string, items ...content.Item) {
	t.Helper()
	ctx := context.Background()
	run, err := c.Catalog.Begin(ctx, site, source)
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Put(ctx, items...); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Commit(ctx, content.CommitOptions{AllowShrink: true}); err != nil {
		t.Fatal(err)
	}
	c.Update(t)
}

// Update brings the corpus and its followers to the present content and terms.
func (c *Corpus) Update(t T) {
	t.Helper()
	if err := c.Load(context.Background(), c.Followers...); err != nil {
		t.Fatal(err)
	}
}

// Item is an item of a site, by its path, type and texts.
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

// NewArticle returns an article of the site "site" with paragraphs, each a passage.
func NewArticle(path string, paragraphs ...string) content.Item {
	one := Item("site", path, "Article", "Story of "+path, "")
	one.Passages = nil
	seen := map[string]int{}
	for _, text := range paragraphs {
		one.Passages = append(one.Passages, content.Passage{ID: content.PassageID(text, seen[text]), Text: text})
		seen[text]++
	}
	return one
}

// Gzip compresses a text.
func Gzip(t T, text string) string {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
