package saletest

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"frontdesk/internal/content"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/contenttest"
	"frontdesk/wire/sign"
)

// AddressKey is a key that signs addresses.
func AddressKey(name string) sign.URLKey {
	return sign.URLKey{Form: sign.URLHMAC, Secret: []byte("the secret of " + name)}
}

// Address is that of an item of the site.
func Address(path string) string { return "https://site.example/" + path }

// Licensed is a rule that sells what is below a path.
func Licensed(path string, price policy.Price) policy.Rule {
	return policy.Rule{Match: policy.Match{Path: []string{path}}, Access: policy.Licensed, Price: price}
}

// Open opens a shop with stories for a cent below /a, by the token below /t, and the bot's account
// with its funds on it.
func Open(t testing.TB) *Shop {
	t.Helper()
	s := New(t)
	s.AddStock(t)
	return s
}

// AddStock makes a shop that has nothing yet sell what Open describes.
func (s *Shop) AddStock(t testing.TB) {
	t.Helper()
	s.Price(t, Licensed("/a/**", Cent))
	s.Stock(t, contenttest.NewArticle("a/1", "One two three four."), contenttest.NewArticle("a/2", "Five six."),
		contenttest.NewArticle("a/3", "Seven."), contenttest.NewArticle("t/1", strings.Repeat("word ", 1000)),
		contenttest.NewArticle("r/1", "Rent."), contenttest.NewArticle("n/1", "Named."))
	s.Credit(t, Bot.Account(), Funds)
}

// Price puts rules before those that sell by the token and by a share of the revenue.
func (s *Shop) Price(t contenttest.T, rules ...policy.Rule) {
	t.Helper()
	s.SetRules(t, append(rules, Licensed("/t/**", policy.Price{Model: "per_token", Rate: "0.001", Currency: "USD"}),
		Licensed("/r/**", policy.Price{Model: "revenue_share", Rate: "0.1"}),
		Licensed("/n/**", policy.Price{Model: "attribution"}))...)
}

// Stock puts items of the site up for sale.
func (s *Shop) Stock(t contenttest.T, items ...content.Item) {
	t.Helper()
	s.Fill(t, "site", "pages", items...)
}

// Credit puts money on a buyer's account.
func (s *Shop) Credit(t testing.TB, buyer string, amount int64) {
	t.Helper()
	s.Write(t, func(ctx context.Context, tx *store.Tx) error {
		if err := s.Book.Open(ctx, tx, buyer, "USD", 0, s.Clock.Now()); err != nil {
			return err
		}
		_, err := s.Book.Pay(ctx, tx, "credit", buyer, "USD", amount, "", s.Clock.Now())
		return err
	})
}

// Write does something to the database.
func (s *Shop) Write(t testing.TB, fn func(ctx context.Context, tx *store.Tx) error) {
	t.Helper()
	ctx := context.Background()
	if err := s.DB.Update(ctx, func(tx *store.Tx) error { return fn(ctx, tx) }); err != nil {
		t.Fatal(err)
	}
}

// UnknownQuery is the query of a requester that the operator does not know.
func UnknownQuery(uris ...string) exchange.Query {
	return exchange.Query{
		By: requesters.Requester{Domain: "buyer.example", ID: "bot"}, URIs: uris, Functions: []string{"ai-input"},
	}
}

// SealWithID seals an offer with its id.
func SealWithID(p *exchange.OfferDraft) (document, signature []byte, err error) {
	return []byte(p.ID), []byte("signed " + p.ID), nil
}

// DiscoverOffers returns the offers for a query.
func (s *Shop) DiscoverOffers(t contenttest.T, q exchange.Query) []exchange.OfferGroup {
	t.Helper()
	groups, err := s.Discover(context.Background(), q, SealWithID)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range groups {
		if (len(g.Offers) == 0) != (g.Absence != "") {
			t.Fatal(fmt.Sprintf("%s has %d offers, and the reason %q why there is none", g.URI, len(g.Offers),
				g.Absence))
		}
	}
	return groups
}

// Absent is why there is no offer for one address; empty when there is one.
func (s *Shop) Absent(t contenttest.T, q exchange.Query) exchange.Absence {
	t.Helper()
	return s.DiscoverOffers(t, q)[0].Absence
}

// FirstOffer returns the first offer for a path of the site.
func (s *Shop) FirstOffer(t testing.TB, by requesters.Requester, path string) *transactions.Offer {
	t.Helper()
	q := UnknownQuery(Address(path))
	q.By = by
	got := s.DiscoverOffers(t, q)[0]
	if len(got.Offers) == 0 {
		t.Fatalf("%s is not offered: %s", path, got.Absence)
	}
	return got.Offers[0]
}

// OrderRequest returns a requester's request to buy by offers, under a new id.
func (s *Shop) OrderRequest(by requesters.Requester, offers ...*transactions.Offer) exchange.Order {
	p := exchange.Order{
		Requester: by, ID: fmt.Sprint("request-", s.made.Add(1)), FetchAt: "https://site.example/deliver/",
	}
	for _, o := range offers {
		p.Items = append(p.Items, exchange.OrderItem{Offer: o.ID, Signature: o.Signature})
	}
	return Digested(p)
}

// Digested is a request with the digest of what it asks for.
func Digested(p exchange.Order) exchange.Order {
	p.Digest = sha256.Sum256(fmt.Append(nil, p.ID, p.Items))
	return p
}

// Buy buys, which has to be answered.
func (s *Shop) Buy(t testing.TB, p exchange.Order) *exchange.OrderResult {
	t.Helper()
	out, err := s.Execute(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// BuyAt has the bot buy what is at a path.
func (s *Shop) BuyAt(t testing.TB, path string) exchange.ItemResult {
	t.Helper()
	got := s.Buy(t, s.OrderRequest(Bot, s.FirstOffer(t, Bot, path))).Items[0]
	if got.Denial != "" {
		t.Fatalf("%s was denied: %s", path, got.Denial)
	}
	return got
}

// Balance is what stands on the bot's account.
func (s *Shop) Balance(t testing.TB) (b accounts.Balance) {
	t.Helper()
	all, err := accounts.NewReader(s.DB).Balances(context.Background(), Bot.Account())
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	return all[0]
}

// CheckInvariants holds accounts and ledger against their own rules, and each transaction against
// both.
func (s *Shop) CheckInvariants(t testing.TB) {
	t.Helper()
	ctx := context.Background()
	if problems, err := accounts.Check(ctx, s.DB); err != nil || len(problems) > 0 {
		t.Errorf("the book: %v %v", problems, err)
	}
	if report, err := s.Ledger.Check(ctx); err != nil || len(report.Findings) > 0 {
		t.Errorf("the ledger: %v %v", report.Findings, err)
	}
	recorded := map[string]int{}
	for _, e := range s.Entries(t, "transaction") {
		if e["body"].(map[string]any)["outcome"] == nil {
			recorded[e["subject"].(string)]++
		}
	}
	over := 0
	for one, err := range transactions.NewReader(s.DB).EachDelivery(ctx, transactions.DeliveryFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if (one.State == transactions.DeliveryBegun) != (one.Entry == "") {
			t.Errorf("delivery %s has %s, with the entry %q", one.ID, one.State, one.Entry)
		}
		if one.Entry != "" {
			over++
		}
	}
	if n := len(s.Entries(t, "delivery")); n != over {
		t.Errorf("%d deliveries are over, and %d entries tell of one", over, n)
	}
	ids := s.inBook(t)
	for _, id := range ids {
		if recorded[id] != 1 {
			t.Errorf("transaction %s has %d entries", id, recorded[id])
		}
	}
	n, m := s.Rows(t, "deal_transaction"), s.Rows(t, "account_hold")
	if n != len(ids) || m != len(ids) || len(recorded) != len(ids) {
		t.Errorf("%d transactions, %d purchases in the book, %d of them together, %d entries",
			n, m, len(ids), len(recorded))
	}
}

// inBook are the transactions that are in the accounts, too.
func (s *Shop) inBook(t testing.TB) (ids []string) {
	t.Helper()
	s.Write(t, func(ctx context.Context, tx *store.Tx) error {
		ids = nil
		rows, err := tx.Query(ctx, `SELECT t.id FROM deal_transaction t JOIN account_hold h ON h.id = t.id`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id string
			if err := rows.Scan(&id); err != nil {
				return err
			}
			ids = append(ids, id)
		}
		return rows.Err()
	})
	return ids
}

// Rows counts those of a table.
func (s *Shop) Rows(t testing.TB, table string) (n int) {
	t.Helper()
	s.Write(t, func(ctx context.Context, tx *store.Tx) error {
		return tx.QueryRow(ctx, `SELECT COUNT(*) FROM `+table).Scan(&n)
	})
	return n
}

// Entries are those of the ledger of a kind, all for an empty one.
func (s *Shop) Entries(t testing.TB, kind string) (all []map[string]any) {
	t.Helper()
	s.Write(t, func(ctx context.Context, tx *store.Tx) error {
		all = nil
		rows, err := tx.Query(ctx, `SELECT leaf FROM ledger_entry UNION ALL SELECT leaf FROM ledger_pending`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var leaf []byte
			if err := rows.Scan(&leaf); err != nil {
				return err
			}
			var entry map[string]any
			if err := json.Unmarshal(leaf, &entry); err != nil {
				return err
			}
			if kind == "" || entry["kind"] == kind {
				all = append(all, entry)
			}
		}
		return rows.Err()
	})
	return all
}
