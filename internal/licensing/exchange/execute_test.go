package exchange_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/content"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/saletest"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/wire/ramp"
	"frontdesk/wire/sign"
)

func TestAnOfferIsBoughtAndRecorded(t *testing.T) {
	t.Parallel()
	d := shop(t)
	offer := d.FirstOffer(t, bot, "a/1")
	p := d.OrderRequest(bot, offer)
	out := d.Buy(t, p)
	if len(out.Items) != 1 || out.Replayed ||
		out.Agent != "4905fbc220a2fbd769444e0bd4eef3f2afa9e290270b5c93bd4654a02491ab66" &&
			out.Agent != ramp.AgentIdentityHash("bot", "buyer.example") {
		t.Fatalf("%+v", out)
	}
	got := out.Items[0].Transaction
	now := d.Clock.Now()
	want := transactions.Transaction{
		ID: got.ID, Billing: got.Billing, Request: p.ID, Offer: offer.ID, Buyer: "buyer.example/bot", Agent: out.Agent,
		Site: "site", URI: address("a/1"), Item: offer.Item,
		Made: now, Expires: now.Add(5 * time.Minute), Price: policy.Money{Model: "per_access", Rate: dollar / 100,
			Currency: "USD"}, Unit: offer.Unit, Estimate: offer.Quantity,
		Amount: dollar / 100, Value: dollar / 100, Method: "direct", Entry: got.Entry, Document: offer.Document,
		Declared: []string{"ai-input"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !strings.HasPrefix(got.ID, "txn-") || !strings.HasPrefix(got.Billing, "bill-") {
		t.Errorf("%s, %s", got.ID, got.Billing)
	}
	keys := sign.URLKeys{Origin: "https://site.example/deliver", Keys: []sign.URLKey{saletest.AddressKey("new")}}
	if content, grant, err := keys.Verify(out.Items[0].URL, now); err != nil ||
		content != "https://site.example/deliver/"+got.ID ||
		grant != (sign.URLGrant{Expires: got.Expires, Agent: out.Agent, Transaction: got.ID}) {
		t.Errorf("%s: %+v, %v", out.Items[0].URL, grant, err)
	}
	if b := d.Balance(t); b.Available != funds-dollar/100 || b.Earned != dollar/100 {
		t.Errorf("%+v", b)
	}
	entries := d.Entries(t, "transaction")
	if len(entries) != 1 {
		t.Fatalf("%d entries", len(entries))
	}
	e, body := entries[0], entries[0]["body"].(map[string]any)
	if e["subject"] != got.ID || e["party"] != "requester:buyer.example/bot" || e["request"] != p.ID ||
		body["amount"] != "0.01" || body["offer_id"] != offer.ID || body["agent_identity_hash"] != out.Agent {
		t.Errorf("%v", e)
	}
	if text, _ := json.Marshal(e); strings.Contains(string(text), "sig=") ||
		strings.Contains(string(text), "/deliver/") {
		t.Error("the entry tells the address from which it is fetched")
	}
	d.CheckInvariants(t)
}

func TestARequestBuysOnce(t *testing.T) {
	t.Parallel()
	d := shop(t)
	p := d.OrderRequest(bot, d.FirstOffer(t, bot, "a/1"), d.FirstOffer(t, bot, "a/2"))
	p.Items[1].Signature = []byte("wrong")
	p = digested(p)
	first := d.Buy(t, p)
	d.Clock.Advance(23 * time.Hour) // the offer has ended, and the keys and the price are others
	d.Price(t, policy.Rule{Access: policy.Blocked})
	again := d.Buy(t, p)
	if !again.Replayed {
		t.Error("it was bought again")
	}
	again.Replayed = false
	if diff := cmp.Diff(first, again); diff != "" {
		t.Error(diff)
	}
	other, turned := p, p
	other.Items, turned.Items = slices.Clone(p.Items[:1]), []exchange.OrderItem{p.Items[1], p.Items[0]}
	for name, one := range map[string]exchange.Order{"fewer offers": other, "another order": turned} {
		if _, err := d.Execute(t.Context(), digested(one)); !errors.Is(err, exchange.ErrRequestConflict) {
			t.Errorf("another request under its id, %s: %v", name, err)
		}
	}
	if n := d.Rows(t, "deal_transaction"); n != 1 {
		t.Errorf("%d transactions", n)
	}
	theirs := p
	theirs.Requester = requesters.Requester{Domain: "other.example", ID: "bot"}
	if got := d.Buy(t, theirs); got.Replayed || got.Items[0].Denial != exchange.SignatureInvalid {
		t.Errorf("another's request under the same id: %+v", got)
	}
	d.Clock.Advance(time.Hour)
	if got := d.Buy(t, digested(other)); got.Replayed || got.Items[0].Denial != exchange.OfferExpired {
		t.Errorf("after a day: %+v", got)
	}
	d.CheckInvariants(t)
}

// TestEveryDenial brings about every reason that there is, and takes away what has brought it
// about: then it is bought.
func TestEveryDenial(t *testing.T) {
	t.Parallel()
	open := licensed("/a/**", cent)
	rent := func(l *accounts.Licence) { l.ID, l.Buyer, l.Scope.Site = "gold", bot.Account(), "site" }
	for _, c := range []struct {
		name   string
		want   exchange.Denial
		spoil  func(t *testing.T, d *dealer, p *exchange.Order)
		repair func(t *testing.T, d *dealer, p *exchange.Order)
	}{
		{"unknown offer", exchange.SignatureInvalid, func(_ *testing.T, _ *dealer, p *exchange.Order) {
			p.Items[0].Offer = transactions.NewOfferID(time.Now(), false)
		}, nil},
		{"text that is no offer", exchange.SignatureInvalid, func(_ *testing.T, _ *dealer, p *exchange.Order) {
			p.Items[0].Offer = "a b\nc"
		}, nil},
		{"another's offer", exchange.SignatureInvalid, func(_ *testing.T, _ *dealer, p *exchange.Order) {
			p.Requester.ID = "other"
		}, nil},
		{"no signature", exchange.SignatureInvalid, func(_ *testing.T, _ *dealer, p *exchange.Order) {
			p.Items[0].Signature = nil
		}, nil},
		{"another signature", exchange.SignatureInvalid, func(_ *testing.T, _ *dealer, p *exchange.Order) {
			p.Items[0].Signature = []byte("signed x")
		}, nil},
		{"a document that was changed in the database", exchange.SignatureInvalid,
			func(t *testing.T, d *dealer, p *exchange.Order) {
				d.Write(t, func(ctx context.Context, tx *store.Tx) error {
					d.ForgetOffers() // as another process that sells
					_, err := tx.Exec(ctx, `UPDATE deal_offer SET document = $1`, []byte("cheaper"))
					return err
				})
			}, nil},
		{"ended", exchange.OfferExpired, func(_ *testing.T, d *dealer, _ *exchange.Order) {
			d.Clock.Advance(5 * time.Minute)
		}, nil},
		{"too many requests", exchange.TooManyPurchases, func(_ *testing.T, _ *dealer, p *exchange.Order) {
			p.Limited = true
		}, func(_ *testing.T, _ *dealer, p *exchange.Order) { p.Limited = false }},
		{"the site is held", exchange.TooManyPurchases, func(_ *testing.T, d *dealer, _ *exchange.Order) {
			d.Held = func(context.Context, string) exchange.Denial { return exchange.TooManyPurchases }
		}, func(_ *testing.T, d *dealer, _ *exchange.Order) { d.Held = nil }},
		{"delegation over", exchange.DelegationExpired, func(_ *testing.T, d *dealer, p *exchange.Order) {
			p.Delegated = d.Clock.Now()
		}, func(_ *testing.T, d *dealer, p *exchange.Order) { p.Delegated = d.Clock.Now().Add(1) }},
		{"blocked since", exchange.ContentUnavailable, func(t *testing.T, d *dealer, _ *exchange.Order) {
			d.Price(t, policy.Rule{Access: policy.Blocked})
		}, func(t *testing.T, d *dealer, _ *exchange.Order) { d.Price(t, open) }},
		{"gone since", exchange.ContentUnavailable, func(t *testing.T, d *dealer, _ *exchange.Order) {
			if err := d.Catalog.Remove(t.Context(), "site", "pages"); err != nil {
				t.Fatal(err)
			}
			if _, err := d.Goods.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
		}, nil},
		{"the source that it came from, of two at the address", exchange.ContentUnavailable,
			func(t *testing.T, d *dealer, _ *exchange.Order) {
				d.Fill(t, "site", "zine", story("a/1", "One two three four."))
				if _, err := d.Goods.Refresh(t.Context()); err != nil {
					t.Fatal(err)
				}
				d.Price(t, policy.Rule{Match: policy.Match{Source: []string{"pages"}}, Access: policy.Blocked}, open)
			}, func(t *testing.T, d *dealer, _ *exchange.Order) {
				d.Price(t, policy.Rule{Match: policy.Match{Source: []string{"zine"}}, Access: policy.Blocked}, open)
			}},
		{"a site that is not served any more", exchange.ContentUnavailable,
			func(t *testing.T, d *dealer, _ *exchange.Order) { d.Reopen(t, "elsewhere") },
			func(t *testing.T, d *dealer, _ *exchange.Order) { d.Reopen(t, "site") }},
		{"function", exchange.FunctionProhibited, func(t *testing.T, d *dealer, _ *exchange.Order) {
			rule := open
			rule.Functions.Prohibit = []string{"ai-input"}
			d.Price(t, rule)
		}, func(t *testing.T, d *dealer, _ *exchange.Order) { d.Price(t, open) }},
		{"country", exchange.GeoRestricted, func(t *testing.T, d *dealer, p *exchange.Order) {
			rule := open
			rule.Countries.Prohibit = []string{"FR"}
			d.Price(t, rule)
			p.Country = "FR"
		}, func(_ *testing.T, _ *dealer, p *exchange.Order) { p.Country = "DE" }},
		{"users", exchange.ContentUnavailable, func(t *testing.T, d *dealer, p *exchange.Order) {
			rule := open
			rule.Users.Permit = []string{"education"}
			d.Price(t, rule)
			p.User = "commercial"
		}, func(_ *testing.T, _ *dealer, p *exchange.Order) { p.User = "education" }},
		{"scope", exchange.ScopeInsufficient, func(t *testing.T, d *dealer, p *exchange.Order) {
			rule := open
			rule.Scopes = []string{"site.example:premium"}
			d.Price(t, rule)
			p.Requester.Claimed = []string{"*"}
		}, func(_ *testing.T, _ *dealer, p *exchange.Order) { p.Requester.Granted = []string{"site.example:*"} }},
		{"balance", exchange.InsufficientBalance, func(t *testing.T, d *dealer, _ *exchange.Order) {
			d.Write(t, func(ctx context.Context, tx *store.Tx) error {
				_, err := d.Book.Pay(ctx, tx, "debit", bot.Account(), "USD", funds-dollar/100+1, "", d.Clock.Now())
				return err
			})
		}, func(t *testing.T, d *dealer, _ *exchange.Order) {
			d.Write(t, func(ctx context.Context, tx *store.Tx) error {
				_, err := d.Book.Pay(ctx, tx, "credit", bot.Account(), "USD", 1, "", d.Clock.Now())
				return err
			})
		}},
		{"unknown licence", exchange.InvalidLicence, func(_ *testing.T, _ *dealer, p *exchange.Order) {
			p.Licence = "gold"
		}, func(t *testing.T, d *dealer, _ *exchange.Order) {
			d.Write(t, func(ctx context.Context, tx *store.Tx) error {
				l := accounts.Licence{Paid: "per_access"}
				rent(&l)
				return d.Book.AddLicence(ctx, tx, l, d.Clock.Now())
			})
		}},
		{"licence that is over", exchange.ExpiredLicence, func(t *testing.T, d *dealer, p *exchange.Order) {
			p.Licence = "gold"
			d.Write(t, func(ctx context.Context, tx *store.Tx) error {
				l := accounts.Licence{Begins: d.Clock.Now().Add(-time.Hour), Ends: d.Clock.Now()}
				rent(&l)
				return d.Book.AddLicence(ctx, tx, l, d.Clock.Now().Add(-time.Hour))
			})
		}, func(_ *testing.T, _ *dealer, p *exchange.Order) { p.Licence = "" }},
		{"reports", exchange.ReportingOverdue, func(t *testing.T, d *dealer, p *exchange.Order) {
			d.Reports = exchange.ReportRules{}
			d.BuyAt(t, "t/1")
			d.Clock.Advance(24 * time.Hour)
			p.Items = d.OrderRequest(bot, d.FirstOffer(t, bot, "a/1")).Items
		}, func(_ *testing.T, d *dealer, _ *exchange.Order) { d.Reports = exchange.ReportRules{Overdue: 1} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := shop(t)
			p := d.OrderRequest(bot, d.FirstOffer(t, bot, "a/1"))
			c.spoil(t, d, &p)
			before := d.Balance(t)
			out := d.Buy(t, digested(p))
			if got := out.Items[0]; got.Denial != c.want || got.URL != "" || got.Transaction.ID != "" {
				t.Fatalf("%+v, want %s", got, c.want)
			}
			if len(out.Agent) != 64 {
				t.Errorf("the agent's hash is %q", out.Agent)
			}
			if b := d.Balance(t); b != before {
				t.Errorf("it moved money: %+v, %+v", before, b)
			}
			d.CheckInvariants(t)
			if c.repair == nil {
				return
			}
			p.ID += " anew"
			c.repair(t, d, &p)
			if got := d.Buy(t, digested(p)).Items[0]; got.Denial != "" {
				t.Errorf("repaired, it is denied: %s", got.Denial)
			}
			d.CheckInvariants(t)
		})
	}
}

// TestAnOfferIsNotTakenForAnotherUse takes an offer for what a dearer licence of the same item
// permits, for what its own does not; and for another country.
func TestAnOfferIsNotTakenForAnotherUse(t *testing.T) {
	t.Parallel()
	document, err := policy.ParseRSL("https://site.example/rsl.xml", []byte(`<rsl xmlns="https://rslstandard.org/rsl"><content url="/a/*">
		<license><permits type="usage">search</permits><permits type="geo">DE</permits><payment type="purchase"><amount currency="USD">0.01</amount></payment></license>
		<license><permits type="usage">search,ai-train</permits><payment type="purchase"><amount currency="USD">5</amount></payment></license></content></rsl>`))
	if err != nil {
		t.Fatal(err)
	}
	d := shop(t)
	rules, err := policy.Options{IsA: content.IsA,
		RSL: []*policy.RSL{document}}.New([]policy.Rule{{Access: policy.Licensed}})
	if err != nil {
		t.Fatal(err)
	}
	d.SetTerms(t, rules)
	q := asking(address("a/1"))
	q.Functions, q.Country = []string{"search"}, "DE"
	offers := d.DiscoverOffers(t, q)[0].Offers
	if len(offers) != 2 || offers[0].Price.Rate != dollar/100 || offers[1].Price.Rate != 5*dollar {
		t.Fatalf("%+v", offers)
	}
	for _, c := range []struct {
		offer     int
		functions []string
		country   string
		want      exchange.Denial
	}{
		{0, []string{"ai-train"}, "DE", exchange.FunctionProhibited},
		{0, []string{"search"}, "FR", exchange.GeoRestricted},
		{0, nil, "DE", ""},
		{0, []string{"search"}, "", ""},
		{1, []string{"search", "ai-train"}, "FR", ""},
		{1, []string{"ai-input"}, "FR", exchange.FunctionProhibited},
	} {
		p := d.OrderRequest(bot, offers[c.offer])
		p.Functions, p.Country = c.functions, c.country
		got := d.Buy(t, digested(p)).Items[0]
		if got.Denial != c.want {
			t.Errorf("%+v: %s", c, got.Denial)
		}
		if got.Denial != "" {
			continue
		}
		want := c.functions
		if want == nil {
			want = q.Functions
		}
		if kept := d.transaction(t, got.Transaction.ID).Declared; !slices.Equal(kept, want) {
			t.Errorf("%+v: %q is on record", c, kept)
		}
	}
	for _, e := range d.Entries(t, "transaction") {
		if functions, _ := e["body"].(map[string]any)["functions"].([]any); len(functions) == 0 {
			t.Errorf("the ledger does not tell what it was declared for: %v", e)
		}
	}
	d.CheckInvariants(t)
}

// TestANodeThatIsBehindSellsWhatAnotherOffered takes an offer to a node that has not heard of its
// item yet, and to one that has heard of nothing: neither denies it, which would be remembered.
func TestANodeThatIsBehindSellsWhatAnotherOffered(t *testing.T) {
	t.Parallel()
	db, folder := storetest.Chosen(t, saletest.Schemas...), t.TempDir()
	d, behind := dealerOn(t, db, folder), dealerOn(t, db, folder)
	d.AddStock(t)
	p := digested(d.OrderRequest(bot, d.FirstOffer(t, bot, "a/1")))
	if out, err := behind.Execute(t.Context(), p); fail.From(err).Code != fail.Unavailable {
		t.Errorf("before it knows anything: %+v, %v", out, err)
	}
	behind.Followers = nil // so that it knows the content, and not what can be sold
	behind.Price(t, licensed("/a/**", cent))
	if got := behind.Buy(t, p).Items[0]; got.Denial != "" {
		t.Errorf("it is denied: %s", got.Denial)
	}
	d.CheckInvariants(t)
}

func TestASubscriptionIsUsedUpAndNotPaid(t *testing.T) {
	t.Parallel()
	d := shop(t)
	d.Write(t, func(ctx context.Context, tx *store.Tx) error {
		l := accounts.Licence{ID: "gold", Buyer: bot.Account(), Scope: accounts.Scope{Site: "site"}}
		if err := d.Book.AddSubscription(ctx, tx, l, "USD", d.Clock.Now()); err != nil {
			return err
		}
		return d.Book.SetQuota(ctx, tx, "gold", accounts.QuotaSetting{Unit: "accesses", Limit: 1}, d.Clock.Now())
	})
	under := func() *transactions.Offer {
		offers := d.DiscoverOffers(t, asking(address("a/1")))[0].Offers
		return offers[len(offers)-1]
	}
	one, two := under(), under()
	if one.Subscription != "gold" {
		t.Fatalf("%+v", one)
	}
	out := d.Buy(t, d.OrderRequest(bot, one, two))
	got := out.Items[0]
	if got.Denial != "" || got.Transaction.Amount != 0 || got.Transaction.Value != dollar/100 ||
		got.Transaction.Subscription != "gold" || !strings.HasPrefix(got.Transaction.Billing, "sub-") ||
		len(got.Quotas) != 1 || got.Quotas[0].Left != 0 || got.Quotas[0].Used != 1 {
		t.Errorf("%+v", got)
	}
	if out.Items[1].Denial != exchange.QuotaExceeded {
		t.Errorf("the second was not denied: %+v", out.Items[1])
	}
	if b := d.Balance(t); b.Available != funds {
		t.Errorf("%+v", b)
	}
	d.CheckInvariants(t)
}

// TestAForgedOfferOfABatchIsDeniedAlone changes the document of one offer of three in the database,
// which is found out while all of them are bought.
func TestAForgedOfferOfABatchIsDeniedAlone(t *testing.T) {
	t.Parallel()
	d := shop(t)
	b := d.FirstOffer(t, bot, "a/2")
	p := d.OrderRequest(bot, d.FirstOffer(t, bot, "a/1"), b, d.FirstOffer(t, bot, "a/3"))
	d.Write(t, func(ctx context.Context, tx *store.Tx) error {
		d.ForgetOffers() // as another process that sells
		_, err := tx.Exec(ctx, `UPDATE deal_offer SET document = $1 WHERE document = $2`, []byte("cheaper"), b.Document)
		return err
	})
	out := d.Buy(t, digested(p))
	if got := []exchange.Denial{out.Items[0].Denial, out.Items[1].Denial, out.Items[2].Denial}; !slices.Equal(got,
		[]exchange.Denial{"", exchange.SignatureInvalid, ""}) {
		t.Errorf("%v", got)
	}
	if balance := d.Balance(t); balance.Available != funds-2*dollar/100 {
		t.Errorf("%+v", balance)
	}
	if again := d.Buy(t, digested(p)); !again.Replayed || again.Items[1].Denial != exchange.SignatureInvalid {
		t.Errorf("asked again: %+v", again)
	}
	d.CheckInvariants(t)
}

// TestABatchIsNotAtomic buys what it can of a batch, in order (RAMP v1, TransactionRequest.items).
func TestABatchIsNotAtomic(t *testing.T) {
	t.Parallel()
	d := shop(t)
	a, b := d.FirstOffer(t, bot, "a/1"), d.FirstOffer(t, bot, "a/2")
	p := d.OrderRequest(bot, a, b, a, b)
	p.Items[1].Signature = []byte("bad")
	out := d.Buy(t, digested(p))
	var got []exchange.Denial
	for i, item := range out.Items {
		got = append(got, item.Denial)
		if item.Offer != p.Items[i].Offer {
			t.Errorf("item %d is of another offer", i)
		}
	}
	if want := []exchange.Denial{"", exchange.SignatureInvalid, exchange.SignatureInvalid,
		exchange.SignatureInvalid}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if balance := d.Balance(t); balance.Available != funds-dollar/100 {
		t.Errorf("%+v", balance)
	}
	d.CheckInvariants(t)
}

// TestOverdueReportsEndAllBuying holds the rule (RAMP v1, REPORTING_OVERDUE): more than so many, or
// more than a part of all once there are enough of them.
func TestOverdueReportsEndAllBuying(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		overdue, fine int
		rules         exchange.ReportRules
		closed        bool
	}{
		{0, 0, exchange.ReportRules{}, false},
		{1, 0, exchange.ReportRules{}, true},
		{1, 3, exchange.ReportRules{Overdue: 10, Percent: 20, MinReports: 5}, false}, // fewer than five
		{1, 4, exchange.ReportRules{Overdue: 10, Percent: 20, MinReports: 5}, false}, // 20 percent are not more than 20
		{2, 4, exchange.ReportRules{Overdue: 10, Percent: 20, MinReports: 5}, true},
		{2, 8, exchange.ReportRules{Overdue: 10, Percent: 20, MinReports: 5}, false},
		{2, 8, exchange.ReportRules{Overdue: 1, Percent: 20, MinReports: 5}, true},
		{4, 0, exchange.ReportRules{Overdue: 10, Percent: 20, MinReports: 5}, false},
		{5, 0, exchange.ReportRules{Overdue: 10, Percent: 20, MinReports: 5}, true},
		{5, 0, exchange.ReportRules{Overdue: 5}, false},
	} {
		d := shop(t)
		d.Reports = exchange.ReportRules{Overdue: 1000}
		for range c.overdue {
			d.BuyAt(t, "t/1")
		}
		d.Clock.Advance(time.Hour)
		for range c.fine {
			d.BuyAt(t, "t/1")
		}
		d.Clock.Advance(23 * time.Hour)
		d.Reports = c.rules
		for _, swept := range []bool{false, true} {
			got := d.Buy(t, d.OrderRequest(bot, d.FirstOffer(t, bot, "a/1"))).Items[0].Denial
			if (got == exchange.ReportingOverdue) != c.closed || got != "" && got != exchange.ReportingOverdue {
				t.Errorf("%+v, swept %v: %q", c, swept, got)
			}
			if err := d.MaintainOnce(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		d.CheckInvariants(t)
	}
}

func TestAtOnceARequestBuysOnce(t *testing.T) {
	t.Parallel()
	d := shop(t)
	p := d.OrderRequest(bot, d.FirstOffer(t, bot, "a/1"))
	var all sync.WaitGroup
	ids := make([]string, 64)
	for i := range ids {
		all.Go(func() {
			out, err := d.Execute(t.Context(), p)
			if err != nil {
				t.Error(err)
				return
			}
			ids[i] = out.Items[0].Transaction.ID + out.Items[0].URL
		})
	}
	all.Wait()
	if slices.Sort(ids); ids[0] == "" || ids[0] != ids[63] {
		t.Errorf("%s, %s", ids[0], ids[63])
	}
	if b := d.Balance(t); b.Available != funds-dollar/100 {
		t.Errorf("%+v", b)
	}
	d.CheckInvariants(t)
}

// TestTheLastCentAndTheLastAccessGoToOne has 64 buyers of one purse race for what is left in it, on
// every engine, at two front desks of one database.
func TestTheLastCentAndTheLastAccessGoToOne(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		for _, what := range []string{"cent", "access"} {
			t.Run(what, func(t *testing.T) {
				dsn, keys := fresh(t), t.TempDir()
				d := dealerOn(t, storetest.Open(t, dsn, saletest.Schemas...), keys)
				d.AddStock(t)
				other := dealerOn(t, storetest.Open(t, dsn, saletest.Schemas...), keys)
				other.Price(t, licensed("/a/**", cent))
				if _, err := other.Goods.Refresh(t.Context()); err != nil {
					t.Fatal(err)
				}
				d.raceForTheLast(t, what, other)
			})
		}
	})
}

// raceForTheLast has 64 buyers race for the last cent of their purse, or the last access of their
// subscription, at this dealer and another.
func (d *dealer) raceForTheLast(t *testing.T, what string, other *dealer) {
	buyers := make([]requesters.Requester, 64)
	purchases := make([]exchange.Order, 64)
	d.Credit(t, "crowd.example/*", dollar/100)
	if what == "access" {
		d.Write(t, func(ctx context.Context, tx *store.Tx) error {
			if err := d.Book.AddSubscription(ctx, tx, accounts.Licence{ID: "gold", Buyer: "crowd.example/*",
				Scope: accounts.Scope{Site: "site"}}, "USD", d.Clock.Now()); err != nil {
				return err
			}
			return d.Book.SetQuota(ctx, tx, "gold", accounts.QuotaSetting{Unit: "accesses", Limit: 1}, d.Clock.Now())
		})
	}
	for i := range buyers {
		buyers[i] = requesters.Requester{Domain: "crowd.example", ID: fmt.Sprint("bot", i)}
		q := asking(address("a/1"))
		q.By = buyers[i]
		offers := d.DiscoverOffers(t, q)[0].Offers
		purchases[i] = d.OrderRequest(buyers[i], offers[len(offers)-1])
	}
	var won, lost atomic.Int64
	var all sync.WaitGroup
	for i, p := range purchases {
		all.Go(func() {
			out, err := []*dealer{d, other}[i%2].Execute(t.Context(), p)
			switch {
			case err != nil:
				t.Error(err)
			case out.Items[0].Denial == "":
				won.Add(1)
			case out.Items[0].Denial == exchange.InsufficientBalance && what == "cent",
				out.Items[0].Denial == exchange.QuotaExceeded && what == "access":
				lost.Add(1)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 || lost.Load() != 63 {
		t.Errorf("%d have it, %d were told why not", won.Load(), lost.Load())
	}
	d.CheckInvariants(t)
}

// TestWhateverFailsNothingIsHalfBought has every step of a purchase fail: without a trace, or after
// all was durable.
func TestWhateverFailsNothingIsHalfBought(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"charged", "purchase recorded", "request", "bought"} {
		t.Run(step, func(t *testing.T) {
			d := shop(t)
			p := d.OrderRequest(bot, d.FirstOffer(t, bot, "a/1"), d.FirstOffer(t, bot, "t/1"))
			passed := 0
			d.Fault = func(at string) error {
				if at == step {
					if passed++; passed == 1 {
						return errors.New("the disk is full")
					}
				}
				return nil
			}
			if out, err := d.Execute(t.Context(), p); err == nil {
				t.Fatalf("nothing failed: %+v", out)
			}
			durable := step == "bought"
			if n := d.Rows(t, "deal_transaction"); (n == 2) != durable || n == 1 {
				t.Errorf("%d transactions", n)
			}
			d.CheckInvariants(t)
			out := d.Buy(t, p)
			if out.Replayed != durable || out.Items[0].URL == "" || out.Items[1].URL == "" {
				t.Errorf("sent again: %+v", out)
			}
			if b := d.Balance(t); b.Available+b.Held != funds-dollar/100 || b.Held == 0 {
				t.Errorf("%+v", b)
			}
			d.CheckInvariants(t)
		})
	}
}

// TestWhatCannotBeFetchedIsTakenBack has no key for addresses: nothing is charged, and the request
// can be sent again.
func TestWhatCannotBeFetchedIsTakenBack(t *testing.T) {
	t.Parallel()
	d := shop(t)
	p := d.OrderRequest(bot, d.FirstOffer(t, bot, "a/1"), d.FirstOffer(t, bot, "t/1"))
	d.NoKeys = errors.New("the folder of secrets is away")
	_, err := d.Execute(t.Context(), p)
	if got := fail.From(err); got.Code != fail.Internal || strings.Contains(got.Detail, "folder") {
		t.Fatalf("%v", err)
	}
	if b := d.Balance(t); b.Available != funds || b.Held != 0 {
		t.Errorf("%+v", b)
	}
	d.CheckInvariants(t)
	failed := 0
	for _, e := range d.Entries(t, "transaction") {
		if e["body"].(map[string]any)["outcome"] == "failed" {
			failed++
		}
	}
	if failed != 2 {
		t.Errorf("%d entries tell that it failed", failed)
	}
	for _, e := range d.Entries(t, "transaction") {
		if kept := d.transaction(t, e["subject"].(string)); !kept.Failed || kept.Amount != 0 ||
			kept.Obligation == transactions.Pending {
			t.Errorf("it is kept as one that stands: %+v", kept)
		}
	}
	d.NoKeys = nil
	if out := d.Buy(t, p); out.Replayed || out.Items[0].URL == "" || out.Items[1].URL == "" {
		t.Errorf("sent again: %+v", out)
	}
	d.CheckInvariants(t)
}
