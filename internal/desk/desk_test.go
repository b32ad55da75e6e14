package desk

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/content/vector"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/outbox"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/accounts/counts"
	"frontdesk/internal/licensing/delivery/botstats"
	"frontdesk/internal/licensing/disputes"
	"frontdesk/internal/licensing/disputes/accesslog"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/contenttest"
	"frontdesk/internal/testkit/storetest"
)

// bench is a desk over a catalog of its own, with terms that a test may change.
type bench struct {
	*Desk
	catalog *content.Catalog
	db      *store.DB
	rules   atomic.Pointer[policy.Terms]
}

// tester is what testing.T and rapid.T have in common.
type tester interface {
	Helper()
	Fatal(...any)
}

// schemas are those of the rooms that a bench has.
var schemas = []store.Schema{content.Schema, vector.Schema, identity.PlatformSchema, ledger.Schema, outbox.Schema, transactions.Schema, counts.Schema, disputes.Schema, accesslog.Schema, botstats.Schema, accounts.Schema}

func newBench(t testing.TB, sites ...string) *bench {
	t.Helper()
	return benchOn(t, storetest.Chosen(t, schemas...), sites...)
}

// benchOn is a bench over a database that may hold something already.
func benchOn(t testing.TB, db *store.DB, sites ...string) *bench {
	t.Helper()
	b := &bench{catalog: content.New(db, content.Options{}), db: db}
	b.obey(t)
	config := Config{Catalog: b.catalog, Terms: b.rules.Load}
	for _, id := range sites {
		config.Sites = append(config.Sites, Site{ID: id, Name: strings.ToUpper(id[:1]) + id[1:], Hosts: []string{id + ".example"}})
	}
	desk, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	b.Desk = desk
	return b
}

func (b *bench) obey(t tester, rules ...policy.Rule) {
	t.Helper()
	compiled, err := policy.Options{IsA: content.IsA}.New(rules)
	if err != nil {
		t.Fatal(err)
	}
	b.rules.Store(compiled)
	if b.Desk != nil {
		if err := b.Refresh(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}

func (b *bench) fill(t tester, site, source string, items ...content.Item) {
	t.Helper()
	ctx := context.Background()
	run, err := b.catalog.Begin(ctx, site, source)
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Put(ctx, items...); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Commit(ctx, content.CommitOptions{AllowShrink: true}); err != nil {
		t.Fatal(err)
	}
	if err := b.Refresh(ctx); err != nil {
		t.Fatal(err)
	}
}

// item makes an item of a site from a path, a type and its texts.
func item(site, path, typ, name, text string) content.Item {
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

// story is an article of paragraphs, each a passage.
var story = contenttest.Story
