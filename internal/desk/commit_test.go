package desk

import (
	"context"
	"crypto/sha256"
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
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/wire/ramp"
	"frontdesk/wire/sign"
)

// dealer is a desk that sells what it offers.
type dealer struct {
	*seller
	rules  ReportRules
	ledger *ledger.Ledger
	made   atomic.Int64
	keys   error // why there are none that sign addresses

	published []byte // the site's public keys
}

const (
	dollar = 100_000_000
	funds  = 100 * dollar // of the bot
)

var bot = identity.Requester{Domain: "buyer.example", ID: "bot"}

func newDealer(t testing.TB) *dealer {
	t.Helper()
	return dealerOn(t, storetest.Chosen(t, schemas...), t.TempDir())
}

// dealerOn is a dealer over a database that may hold something already, with the site's keys in a folder.
func dealerOn(t testing.TB, db *store.DB, folder string) *dealer {
	t.Helper()
	d := &dealer{seller: sellerOn(t, db), rules: ReportRules{Overdue: 10, Percent: 20, Least: 5}}
	keys, err := identity.OpenSiteKeys(folder, d.clock.Now)
	if err == nil && keys.Empty() {
		err = keys.Make()
	}
	if err != nil {
		t.Fatal(err)
	}
	d.published = keys.JWKS()
	d.ledger = ledger.New(d.db, ledger.Options{Origin: "site.example/ledger", Signers: keys.Signers, Now: d.clock.Now})
	d.OpenDeals(&Dealing{
		Sending: time.Minute, DB: d.db, Ledger: d.ledger, Book: d.book, Reports: func() ReportRules { return d.rules },
		Signed: func(site string, document, signature []byte) bool {
			return site == "site" && string(signature) == "signed "+string(document)
		},
		OfferKeep: time.Hour, SightingsKeep: 90 * 24 * time.Hour, AddressLife: 5 * time.Minute,
		AddressKeys: func() ([]sign.URLKey, error) { return []sign.URLKey{addressKey("new"), addressKey("old")}, d.keys },
	})
	return d
}

// addressKey is a key that signs addresses.
func addressKey(name string) sign.URLKey {
	return sign.URLKey{Form: sign.URLHMAC, Secret: []byte("the secret of " + name)}
}

// shop is a dealer with stories for a cent below /a, by the token below /t, and the bot's account with a hundred dollars on it.
func shop(t testing.TB) *dealer {
	t.Helper()
	return newDealer(t).opened(t)
}

// opened has a dealer that has nothing yet sell what a shop does.
func (d *dealer) opened(t testing.TB) *dealer {
	t.Helper()
	d.price(t, licensed("/a/**", cent))
	d.stock(t, story("a/1", "One two three four."), story("a/2", "Five six."), story("a/3", "Seven."), story("t/1", strings.Repeat("word ", 1000)), story("r/1", "Rent."), story("n/1", "Named."))
	d.credit(t, bot.Account(), funds)
	return d
}

// price puts rules before those that sell by the token and by a share of the revenue.
func (d *dealer) price(t testing.TB, rules ...policy.Rule) {
	t.Helper()
	d.obey(t, append(rules, licensed("/t/**", policy.Price{Model: "per_token", Rate: "0.001", Currency: "USD"}),
		licensed("/r/**", policy.Price{Model: "revenue_share", Rate: "0.1"}), licensed("/n/**", policy.Price{Model: "attribution"}))...)
}

func (d *dealer) update(t testing.TB, fn func(ctx context.Context, tx *store.Tx) error) {
	t.Helper()
	ctx := context.Background()
	if err := d.db.Update(ctx, func(tx *store.Tx) error { return fn(ctx, tx) }); err != nil {
		t.Fatal(err)
	}
}

func (d *dealer) credit(t testing.TB, buyer string, amount int64) {
	t.Helper()
	d.update(t, func(ctx context.Context, tx *store.Tx) error {
		if err := d.book.Open(ctx, tx, buyer, "USD", 0, d.clock.Now()); err != nil {
			return err
		}
		_, err := d.book.Pay(ctx, tx, "credit", buyer, "USD", amount, "", d.clock.Now())
		return err
	})
}

// take is a request of a requester to buy by offers, under an id that is new.
func (d *dealer) take(by identity.Requester, offers ...*transactions.Offer) Purchase {
	p := Purchase{Requester: by, ID: fmt.Sprint("request-", d.made.Add(1)), FetchAt: "https://site.example/deliver/"}
	for _, o := range offers {
		p.Items = append(p.Items, PurchaseItem{Offer: o.ID, Signature: o.Signature})
	}
	return digested(p)
}

func digested(p Purchase) Purchase {
	p.Digest = sha256.Sum256(fmt.Append(nil, p.ID, p.Items))
	return p
}

// offered is the first offer for an address.
func (d *dealer) offered(t testing.TB, by identity.Requester, path string) *transactions.Offer {
	t.Helper()
	q := asking(address(path))
	q.By = by
	got := d.quoted(t, q)[0]
	if len(got.Offers) == 0 {
		t.Fatalf("%s is not offered: %s", path, got.Absent)
	}
	return got.Offers[0]
}

func (d *dealer) commit(t testing.TB, p Purchase) *Purchased {
	t.Helper()
	out, err := d.Commit(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// bought buys one thing.
func (d *dealer) bought(t testing.TB, path string) PurchasedItem {
	t.Helper()
	got := d.commit(t, d.take(bot, d.offered(t, bot, path))).Items[0]
	if got.Denial != "" {
		t.Fatalf("%s was denied: %s", path, got.Denial)
	}
	return got
}

// available is what stands on the bot's account.
func (d *dealer) balance(t testing.TB) (b accounts.Balance) {
	t.Helper()
	all, err := accounts.NewReader(d.db).Balances(context.Background(), bot.Account())
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	return all[0]
}

// sound holds the books and the ledger against their own rules, and each transaction against both.
func (d *dealer) sound(t testing.TB) {
	t.Helper()
	ctx := context.Background()
	if problems, err := accounts.Check(ctx, d.db); err != nil || len(problems) > 0 {
		t.Errorf("the book: %v %v", problems, err)
	}
	if report, err := d.ledger.Check(ctx); err != nil || len(report.Findings) > 0 {
		t.Errorf("the ledger: %v %v", report.Findings, err)
	}
	recorded := map[string]int{}
	for _, e := range d.entries(t, "") {
		if e["kind"] == kindTransaction && e["body"].(map[string]any)["outcome"] == nil {
			recorded[e["subject"].(string)]++
		}
	}
	over := 0
	for one, err := range transactions.NewReader(d.db).EachDelivery(ctx, transactions.Sent{}) {
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
	if n := len(d.entries(t, kindDelivery)); n != over {
		t.Errorf("%d deliveries are over, and %d entries tell of one", over, n)
	}
	var ids []string
	d.update(t, func(ctx context.Context, tx *store.Tx) error {
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
	for _, id := range ids {
		if recorded[id] != 1 {
			t.Errorf("transaction %s has %d entries", id, recorded[id])
		}
	}
	if n, m := d.rows(t, "deal_transaction"), d.rows(t, "account_hold"); n != len(ids) || m != len(ids) || len(recorded) != len(ids) {
		t.Errorf("%d transactions, %d purchases in the book, %d of them together, %d entries", n, m, len(ids), len(recorded))
	}
}

func (d *dealer) rows(t testing.TB, table string) (n int) {
	t.Helper()
	d.update(t, func(ctx context.Context, tx *store.Tx) error {
		return tx.QueryRow(ctx, `SELECT COUNT(*) FROM `+table).Scan(&n)
	})
	return n
}

// entries are those of the ledger of a kind, all for an empty one.
func (d *dealer) entries(t testing.TB, kind string) (all []map[string]any) {
	t.Helper()
	d.update(t, func(ctx context.Context, tx *store.Tx) error {
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

func TestAnOfferIsBoughtAndRecorded(t *testing.T) {
	t.Parallel()
	d := shop(t)
	offer := d.offered(t, bot, "a/1")
	p := d.take(bot, offer)
	out := d.commit(t, p)
	if len(out.Items) != 1 || out.Again || out.Agent != "4905fbc220a2fbd769444e0bd4eef3f2afa9e290270b5c93bd4654a02491ab66" && out.Agent != ramp.AgentIdentityHash("bot", "buyer.example") {
		t.Fatalf("%+v", out)
	}
	got := out.Items[0].Transaction
	now := d.clock.Now()
	want := transactions.Transaction{
		ID: got.ID, Billing: got.Billing, Request: p.ID, Offer: offer.ID, Buyer: "buyer.example/bot", Agent: out.Agent, Site: "site", URI: address("a/1"), Item: offer.Item,
		Made: now, Expires: now.Add(5 * time.Minute), Price: policy.Money{Model: "per_access", Rate: dollar / 100, Currency: "USD"}, Unit: offer.Unit, Estimate: offer.Quantity,
		Amount: dollar / 100, Value: dollar / 100, Method: "direct", Entry: got.Entry, Document: offer.Document,
		Declared: []string{"ai-input"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !strings.HasPrefix(got.ID, "txn-") || !strings.HasPrefix(got.Billing, "bill-") {
		t.Errorf("%s, %s", got.ID, got.Billing)
	}
	keys := sign.URLKeys{Origin: "https://site.example/deliver", Keys: []sign.URLKey{addressKey("new")}}
	if content, grant, err := keys.Verify(out.Items[0].URL, now); err != nil || content != "https://site.example/deliver/"+got.ID || grant != (sign.URLGrant{Expires: got.Expires, Agent: out.Agent, Transaction: got.ID}) {
		t.Errorf("%s: %+v, %v", out.Items[0].URL, grant, err)
	}
	if b := d.balance(t); b.Available != funds-dollar/100 || b.Earned != dollar/100 {
		t.Errorf("%+v", b)
	}
	entries := d.entries(t, kindTransaction)
	if len(entries) != 1 {
		t.Fatalf("%d entries", len(entries))
	}
	e, body := entries[0], entries[0]["body"].(map[string]any)
	if e["subject"] != got.ID || e["party"] != "requester:buyer.example/bot" || e["request"] != p.ID || body["amount"] != "0.01" || body["offer_id"] != offer.ID || body["agent_identity_hash"] != out.Agent {
		t.Errorf("%v", e)
	}
	if text, _ := json.Marshal(e); strings.Contains(string(text), "sig=") || strings.Contains(string(text), "/deliver/") {
		t.Error("the entry tells the address from which it is fetched")
	}
	d.sound(t)
}

func TestARequestBuysOnce(t *testing.T) {
	t.Parallel()
	d := shop(t)
	p := d.take(bot, d.offered(t, bot, "a/1"), d.offered(t, bot, "a/2"))
	p.Items[1].Signature = []byte("wrong")
	p = digested(p)
	first := d.commit(t, p)
	d.clock.Pass(23 * time.Hour) // the offer has ended, and the keys and the price are others
	d.price(t, policy.Rule{Access: policy.Blocked})
	again := d.commit(t, p)
	if !again.Again {
		t.Error("it was bought again")
	}
	again.Again = false
	if diff := cmp.Diff(first, again); diff != "" {
		t.Error(diff)
	}
	other, turned := p, p
	other.Items, turned.Items = slices.Clone(p.Items[:1]), []PurchaseItem{p.Items[1], p.Items[0]}
	for name, one := range map[string]Purchase{"fewer offers": other, "another order": turned} {
		var refusal *Refusal
		if _, err := d.Commit(t.Context(), digested(one)); !errors.As(err, &refusal) || refusal.Reason != RequestConflict {
			t.Errorf("another request under its id, %s: %v", name, err)
		}
	}
	if n := d.rows(t, "deal_transaction"); n != 1 {
		t.Errorf("%d transactions", n)
	}
	theirs := p
	theirs.Requester = identity.Requester{Domain: "other.example", ID: "bot"}
	if got := d.commit(t, theirs); got.Again || got.Items[0].Denial != SignatureInvalid {
		t.Errorf("another's request under the same id: %+v", got)
	}
	d.clock.Pass(time.Hour)
	if got := d.commit(t, digested(other)); got.Again || got.Items[0].Denial != TakenTooLate {
		t.Errorf("after a day: %+v", got)
	}
	d.sound(t)
}

// TestEveryDenial brings about every reason that there is, and takes away what has brought it about: then it is bought.
func TestEveryDenial(t *testing.T) {
	t.Parallel()
	open := licensed("/a/**", cent)
	rent := func(l *accounts.Licence) { l.ID, l.Buyer, l.Scope.Site = "gold", bot.Account(), "site" }
	for _, c := range []struct {
		name   string
		want   Denial
		spoil  func(t *testing.T, d *dealer, p *Purchase)
		repair func(t *testing.T, d *dealer, p *Purchase)
	}{
		{"unknown offer", SignatureInvalid, func(_ *testing.T, _ *dealer, p *Purchase) {
			p.Items[0].Offer = transactions.NewOfferID(time.Now(), false)
		}, nil},
		{"text that is no offer", SignatureInvalid, func(_ *testing.T, _ *dealer, p *Purchase) { p.Items[0].Offer = "a b\nc" }, nil},
		{"another's offer", SignatureInvalid, func(_ *testing.T, _ *dealer, p *Purchase) { p.Requester.ID = "other" }, nil},
		{"no signature", SignatureInvalid, func(_ *testing.T, _ *dealer, p *Purchase) { p.Items[0].Signature = nil }, nil},
		{"another signature", SignatureInvalid, func(_ *testing.T, _ *dealer, p *Purchase) { p.Items[0].Signature = []byte("signed x") }, nil},
		{"a document that was changed in the database", SignatureInvalid, func(t *testing.T, d *dealer, p *Purchase) {
			d.update(t, func(ctx context.Context, tx *store.Tx) error {
				clear(d.lately.offers) // as another process that sells
				_, err := tx.Exec(ctx, `UPDATE deal_offer SET document = $1`, []byte("cheaper"))
				return err
			})
		}, nil},
		{"ended", TakenTooLate, func(_ *testing.T, d *dealer, _ *Purchase) { d.clock.Pass(5 * time.Minute) }, nil},
		{"too many requests", TooManyPurchases, func(_ *testing.T, _ *dealer, p *Purchase) { p.Limited = true }, func(_ *testing.T, _ *dealer, p *Purchase) { p.Limited = false }},
		{"the site is held", TooManyPurchases, func(_ *testing.T, d *dealer, _ *Purchase) {
			d.dealing.Held = func(context.Context, string) Denial { return TooManyPurchases }
		}, func(_ *testing.T, d *dealer, _ *Purchase) { d.dealing.Held = nil }},
		{"delegation over", DelegationExpired, func(_ *testing.T, d *dealer, p *Purchase) { p.Delegated = d.clock.Now() }, func(_ *testing.T, d *dealer, p *Purchase) { p.Delegated = d.clock.Now().Add(1) }},
		{"blocked since", ContentUnavailable, func(t *testing.T, d *dealer, _ *Purchase) { d.price(t, policy.Rule{Access: policy.Blocked}) }, func(t *testing.T, d *dealer, _ *Purchase) { d.price(t, open) }},
		{"gone since", ContentUnavailable, func(t *testing.T, d *dealer, _ *Purchase) {
			if err := d.catalog.Remove(t.Context(), "site", "pages"); err != nil {
				t.Fatal(err)
			}
			if _, err := d.wares.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
		}, nil},
		{"the source that it came from, of two at the address", ContentUnavailable, func(t *testing.T, d *dealer, _ *Purchase) {
			d.fill(t, "site", "zine", story("a/1", "One two three four."))
			if _, err := d.wares.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			d.price(t, policy.Rule{Match: policy.Match{Source: []string{"pages"}}, Access: policy.Blocked}, open)
		}, func(t *testing.T, d *dealer, _ *Purchase) {
			d.price(t, policy.Rule{Match: policy.Match{Source: []string{"zine"}}, Access: policy.Blocked}, open)
		}},
		{"a site that is not served any more", ContentUnavailable, func(_ *testing.T, d *dealer, _ *Purchase) { delete(d.served, "site") }, func(_ *testing.T, d *dealer, _ *Purchase) { d.served["site"] = true }},
		{"function", FunctionProhibited, func(t *testing.T, d *dealer, _ *Purchase) {
			rule := open
			rule.Functions.Prohibit = []string{"ai-input"}
			d.price(t, rule)
		}, func(t *testing.T, d *dealer, _ *Purchase) { d.price(t, open) }},
		{"country", GeoRestricted, func(t *testing.T, d *dealer, p *Purchase) {
			rule := open
			rule.Countries.Prohibit = []string{"FR"}
			d.price(t, rule)
			p.Country = "FR"
		}, func(_ *testing.T, _ *dealer, p *Purchase) { p.Country = "DE" }},
		{"users", ContentUnavailable, func(t *testing.T, d *dealer, p *Purchase) {
			rule := open
			rule.Users.Permit = []string{"education"}
			d.price(t, rule)
			p.User = "commercial"
		}, func(_ *testing.T, _ *dealer, p *Purchase) { p.User = "education" }},
		{"scope", ScopeInsufficient, func(t *testing.T, d *dealer, p *Purchase) {
			rule := open
			rule.Scopes = []string{"site.example:premium"}
			d.price(t, rule)
			p.Requester.Claimed = []string{"*"}
		}, func(_ *testing.T, _ *dealer, p *Purchase) { p.Requester.Granted = []string{"site.example:*"} }},
		{"balance", InsufficientBalance, func(t *testing.T, d *dealer, _ *Purchase) {
			d.update(t, func(ctx context.Context, tx *store.Tx) error {
				_, err := d.book.Pay(ctx, tx, "debit", bot.Account(), "USD", funds-dollar/100+1, "", d.clock.Now())
				return err
			})
		}, func(t *testing.T, d *dealer, _ *Purchase) {
			d.update(t, func(ctx context.Context, tx *store.Tx) error {
				_, err := d.book.Pay(ctx, tx, "credit", bot.Account(), "USD", 1, "", d.clock.Now())
				return err
			})
		}},
		{"unknown licence", InvalidLicence, func(_ *testing.T, _ *dealer, p *Purchase) { p.Licence = "gold" }, func(t *testing.T, d *dealer, _ *Purchase) {
			d.update(t, func(ctx context.Context, tx *store.Tx) error {
				l := accounts.Licence{Paid: "per_access"}
				rent(&l)
				return d.book.AddLicence(ctx, tx, l, d.clock.Now())
			})
		}},
		{"licence that is over", ExpiredLicence, func(t *testing.T, d *dealer, p *Purchase) {
			p.Licence = "gold"
			d.update(t, func(ctx context.Context, tx *store.Tx) error {
				l := accounts.Licence{Begins: d.clock.Now().Add(-time.Hour), Ends: d.clock.Now()}
				rent(&l)
				return d.book.AddLicence(ctx, tx, l, d.clock.Now().Add(-time.Hour))
			})
		}, func(_ *testing.T, _ *dealer, p *Purchase) { p.Licence = "" }},
		{"reports", ReportingOverdue, func(t *testing.T, d *dealer, p *Purchase) {
			d.rules = ReportRules{}
			d.bought(t, "t/1")
			d.clock.Pass(24 * time.Hour)
			p.Items = d.take(bot, d.offered(t, bot, "a/1")).Items
		}, func(_ *testing.T, d *dealer, _ *Purchase) { d.rules = ReportRules{Overdue: 1} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := shop(t)
			p := d.take(bot, d.offered(t, bot, "a/1"))
			c.spoil(t, d, &p)
			before := d.balance(t)
			out := d.commit(t, digested(p))
			if got := out.Items[0]; got.Denial != c.want || got.URL != "" || got.Transaction.ID != "" {
				t.Fatalf("%+v, want %s", got, c.want)
			}
			if len(out.Agent) != 64 {
				t.Errorf("the agent's hash is %q", out.Agent)
			}
			if b := d.balance(t); b != before {
				t.Errorf("it moved money: %+v, %+v", before, b)
			}
			d.sound(t)
			if c.repair == nil {
				return
			}
			p.ID += " anew"
			c.repair(t, d, &p)
			if got := d.commit(t, digested(p)).Items[0]; got.Denial != "" {
				t.Errorf("repaired, it is denied: %s", got.Denial)
			}
			d.sound(t)
		})
	}
}

// TestAnOfferIsNotTakenForAnotherUse takes an offer for what a dearer licence of the same item permits, for what its own does not; and for another country.
func TestAnOfferIsNotTakenForAnotherUse(t *testing.T) {
	t.Parallel()
	document, err := policy.ParseRSL("https://site.example/rsl.xml", []byte(`<rsl xmlns="https://rslstandard.org/rsl"><content url="/a/*">
		<license><permits type="usage">search</permits><permits type="geo">DE</permits><payment type="purchase"><amount currency="USD">0.01</amount></payment></license>
		<license><permits type="usage">search,ai-train</permits><payment type="purchase"><amount currency="USD">5</amount></payment></license></content></rsl>`))
	if err != nil {
		t.Fatal(err)
	}
	d := shop(t)
	rules, err := policy.Options{IsA: content.IsA, RSL: []*policy.RSL{document}}.New([]policy.Rule{{Access: policy.Licensed}})
	if err != nil {
		t.Fatal(err)
	}
	d.bench.rules.Store(rules)
	q := asking(address("a/1"))
	q.Functions, q.Country = []string{"search"}, "DE"
	offers := d.quoted(t, q)[0].Offers
	if len(offers) != 2 || offers[0].Price.Rate != dollar/100 || offers[1].Price.Rate != 5*dollar {
		t.Fatalf("%+v", offers)
	}
	for _, c := range []struct {
		offer     int
		functions []string
		country   string
		want      Denial
	}{
		{0, []string{"ai-train"}, "DE", FunctionProhibited},
		{0, []string{"search"}, "FR", GeoRestricted},
		{0, nil, "DE", ""},
		{0, []string{"search"}, "", ""},
		{1, []string{"search", "ai-train"}, "FR", ""},
		{1, []string{"ai-input"}, "FR", FunctionProhibited},
	} {
		p := d.take(bot, offers[c.offer])
		p.Functions, p.Country = c.functions, c.country
		got := d.commit(t, digested(p)).Items[0]
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
	for _, e := range d.entries(t, kindTransaction) {
		if functions, _ := e["body"].(map[string]any)["functions"].([]any); len(functions) == 0 {
			t.Errorf("the ledger does not tell what it was declared for: %v", e)
		}
	}
	d.sound(t)
}

// TestANodeThatIsBehindSellsWhatAnotherOffered takes an offer to a node that has not heard of its item yet, and to one that has heard of nothing: neither
// denies it, which would be remembered.
func TestANodeThatIsBehindSellsWhatAnotherOffered(t *testing.T) {
	t.Parallel()
	d := shop(t)
	p := digested(d.take(bot, d.offered(t, bot, "a/1")))
	behind, err := catalog.New(catalog.Config{Content: d.catalog})
	if err != nil {
		t.Fatal(err)
	}
	d.quoting.Catalog = behind
	loaded := d.corpus
	if err := d.openCorpus(); err != nil {
		t.Fatal(err)
	}
	if out, err := d.Commit(t.Context(), p); fail.From(err).Code != fail.Unavailable {
		t.Errorf("before it knows anything: %+v, %v", out, err)
	}
	d.corpus = loaded
	if got := d.commit(t, p).Items[0]; got.Denial != "" {
		t.Errorf("it is denied: %s", got.Denial)
	}
	d.sound(t)
}

func TestASubscriptionIsUsedUpAndNotPaid(t *testing.T) {
	t.Parallel()
	d := shop(t)
	d.update(t, func(ctx context.Context, tx *store.Tx) error {
		l := accounts.Licence{ID: "gold", Buyer: bot.Account(), Scope: accounts.Scope{Site: "site"}}
		if err := d.book.AddSubscription(ctx, tx, l, "USD", d.clock.Now()); err != nil {
			return err
		}
		return d.book.SetQuota(ctx, tx, "gold", accounts.QuotaRow{Unit: "accesses", Limit: 1}, d.clock.Now())
	})
	under := func() *transactions.Offer {
		offers := d.quoted(t, asking(address("a/1")))[0].Offers
		return offers[len(offers)-1]
	}
	one, two := under(), under()
	if one.Subscription != "gold" {
		t.Fatalf("%+v", one)
	}
	out := d.commit(t, d.take(bot, one, two))
	got := out.Items[0]
	if got.Denial != "" || got.Transaction.Amount != 0 || got.Transaction.Value != dollar/100 || got.Transaction.Subscription != "gold" || !strings.HasPrefix(got.Transaction.Billing, "sub-") ||
		len(got.Quotas) != 1 || got.Quotas[0].Left != 0 || got.Quotas[0].Used != 1 {
		t.Errorf("%+v", got)
	}
	if out.Items[1].Denial != QuotaExceeded {
		t.Errorf("the second was not denied: %+v", out.Items[1])
	}
	if b := d.balance(t); b.Available != funds {
		t.Errorf("%+v", b)
	}
	d.sound(t)
}

// TestAForgedOfferOfABatchIsDeniedAlone changes the document of one offer of three in the database, which is found out while all of
// them are bought.
func TestAForgedOfferOfABatchIsDeniedAlone(t *testing.T) {
	t.Parallel()
	d := shop(t)
	b := d.offered(t, bot, "a/2")
	p := d.take(bot, d.offered(t, bot, "a/1"), b, d.offered(t, bot, "a/3"))
	d.update(t, func(ctx context.Context, tx *store.Tx) error {
		clear(d.lately.offers) // as another process that sells
		_, err := tx.Exec(ctx, `UPDATE deal_offer SET document = $1 WHERE document = $2`, []byte("cheaper"), b.Document)
		return err
	})
	out := d.commit(t, digested(p))
	if got := []Denial{out.Items[0].Denial, out.Items[1].Denial, out.Items[2].Denial}; !slices.Equal(got, []Denial{"", SignatureInvalid, ""}) {
		t.Errorf("%v", got)
	}
	if balance := d.balance(t); balance.Available != funds-2*dollar/100 {
		t.Errorf("%+v", balance)
	}
	if again := d.commit(t, digested(p)); !again.Again || again.Items[1].Denial != SignatureInvalid {
		t.Errorf("asked again: %+v", again)
	}
	d.sound(t)
}

// TestABatchIsNotAtomic buys what it can of a batch, in order (RAMP v1, TransactionRequest.items).
func TestABatchIsNotAtomic(t *testing.T) {
	t.Parallel()
	d := shop(t)
	a, b := d.offered(t, bot, "a/1"), d.offered(t, bot, "a/2")
	p := d.take(bot, a, b, a, b)
	p.Items[1].Signature = []byte("bad")
	out := d.commit(t, digested(p))
	var got []Denial
	for i, item := range out.Items {
		got = append(got, item.Denial)
		if item.Offer != p.Items[i].Offer {
			t.Errorf("item %d is of another offer", i)
		}
	}
	if want := []Denial{"", SignatureInvalid, SignatureInvalid, SignatureInvalid}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if balance := d.balance(t); balance.Available != funds-dollar/100 {
		t.Errorf("%+v", balance)
	}
	d.sound(t)
}

// TestOverdueReportsEndAllBuying holds the rule (RAMP v1, REPORTING_OVERDUE): more than so many, or more than a part of all
// once there are enough of them.
func TestOverdueReportsEndAllBuying(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		overdue, fine int
		rules         ReportRules
		closed        bool
	}{
		{0, 0, ReportRules{}, false},
		{1, 0, ReportRules{}, true},
		{1, 3, ReportRules{Overdue: 10, Percent: 20, Least: 5}, false}, // fewer than five
		{1, 4, ReportRules{Overdue: 10, Percent: 20, Least: 5}, false}, // 20 percent are not more than 20
		{2, 4, ReportRules{Overdue: 10, Percent: 20, Least: 5}, true},
		{2, 8, ReportRules{Overdue: 10, Percent: 20, Least: 5}, false},
		{2, 8, ReportRules{Overdue: 1, Percent: 20, Least: 5}, true},
		{4, 0, ReportRules{Overdue: 10, Percent: 20, Least: 5}, false},
		{5, 0, ReportRules{Overdue: 10, Percent: 20, Least: 5}, true},
		{5, 0, ReportRules{Overdue: 5}, false},
	} {
		d := shop(t)
		d.rules = ReportRules{Overdue: 1000}
		for range c.overdue {
			d.bought(t, "t/1")
		}
		d.clock.Pass(time.Hour)
		for range c.fine {
			d.bought(t, "t/1")
		}
		d.clock.Pass(23 * time.Hour)
		d.rules = c.rules
		for _, swept := range []bool{false, true} {
			got := d.commit(t, d.take(bot, d.offered(t, bot, "a/1"))).Items[0].Denial
			if (got == ReportingOverdue) != c.closed || got != "" && got != ReportingOverdue {
				t.Errorf("%+v, swept %v: %q", c, swept, got)
			}
			if err := d.KeepDealsOnce(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		d.sound(t)
	}
}

func TestAtOnceARequestBuysOnce(t *testing.T) {
	t.Parallel()
	d := shop(t)
	p := d.take(bot, d.offered(t, bot, "a/1"))
	var all sync.WaitGroup
	ids := make([]string, 64)
	for i := range ids {
		all.Go(func() {
			out, err := d.Commit(t.Context(), p)
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
	if b := d.balance(t); b.Available != funds-dollar/100 {
		t.Errorf("%+v", b)
	}
	d.sound(t)
}

// TestTheLastCentAndTheLastAccessGoToOne has 64 buyers of one purse race for what is left in it, on every engine, at two front
// desks of one database.
func TestTheLastCentAndTheLastAccessGoToOne(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		for _, what := range []string{"cent", "access"} {
			t.Run(what, func(t *testing.T) {
				dsn, keys := fresh(t), t.TempDir()
				d := dealerOn(t, storetest.Open(t, dsn, schemas...), keys).opened(t)
				other := dealerOn(t, storetest.Open(t, dsn, schemas...), keys)
				other.price(t, licensed("/a/**", cent))
				if _, err := other.wares.Refresh(t.Context()); err != nil {
					t.Fatal(err)
				}
				d.raceForTheLast(t, what, other)
			})
		}
	})
}

// raceForTheLast has 64 buyers race for the last cent of their purse, or the last access of their subscription, at this dealer
// and another.
func (d *dealer) raceForTheLast(t *testing.T, what string, other *dealer) {
	buyers := make([]identity.Requester, 64)
	purchases := make([]Purchase, 64)
	d.credit(t, "crowd.example/*", dollar/100)
	if what == "access" {
		d.update(t, func(ctx context.Context, tx *store.Tx) error {
			if err := d.book.AddSubscription(ctx, tx, accounts.Licence{ID: "gold", Buyer: "crowd.example/*", Scope: accounts.Scope{Site: "site"}}, "USD", d.clock.Now()); err != nil {
				return err
			}
			return d.book.SetQuota(ctx, tx, "gold", accounts.QuotaRow{Unit: "accesses", Limit: 1}, d.clock.Now())
		})
	}
	for i := range buyers {
		buyers[i] = identity.Requester{Domain: "crowd.example", ID: fmt.Sprint("bot", i)}
		q := asking(address("a/1"))
		q.By = buyers[i]
		offers := d.quoted(t, q)[0].Offers
		purchases[i] = d.take(buyers[i], offers[len(offers)-1])
	}
	var won, lost atomic.Int64
	var all sync.WaitGroup
	for i, p := range purchases {
		all.Go(func() {
			out, err := []*dealer{d, other}[i%2].Commit(t.Context(), p)
			switch {
			case err != nil:
				t.Error(err)
			case out.Items[0].Denial == "":
				won.Add(1)
			case out.Items[0].Denial == InsufficientBalance && what == "cent", out.Items[0].Denial == QuotaExceeded && what == "access":
				lost.Add(1)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 || lost.Load() != 63 {
		t.Errorf("%d have it, %d were told why not", won.Load(), lost.Load())
	}
	d.sound(t)
}

// TestWhateverFailsNothingIsHalfBought has every step of a purchase fail: without a trace, or after all was durable.
func TestWhateverFailsNothingIsHalfBought(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"charged", "purchase recorded", "request", "bought"} {
		t.Run(step, func(t *testing.T) {
			d := shop(t)
			p := d.take(bot, d.offered(t, bot, "a/1"), d.offered(t, bot, "t/1"))
			passed := 0
			d.fault = func(at string) error {
				if at == step {
					if passed++; passed == 1 {
						return errors.New("the disk is full")
					}
				}
				return nil
			}
			if out, err := d.Commit(t.Context(), p); err == nil {
				t.Fatalf("nothing failed: %+v", out)
			}
			durable := step == "bought"
			if n := d.rows(t, "deal_transaction"); (n == 2) != durable || n == 1 {
				t.Errorf("%d transactions", n)
			}
			d.sound(t)
			out := d.commit(t, p)
			if out.Again != durable || out.Items[0].URL == "" || out.Items[1].URL == "" {
				t.Errorf("sent again: %+v", out)
			}
			if b := d.balance(t); b.Available+b.Held != funds-dollar/100 || b.Held == 0 {
				t.Errorf("%+v", b)
			}
			d.sound(t)
		})
	}
}

// TestWhatCannotBeFetchedIsTakenBack has no key for addresses: nothing is charged, and the request can be sent again.
func TestWhatCannotBeFetchedIsTakenBack(t *testing.T) {
	t.Parallel()
	d := shop(t)
	p := d.take(bot, d.offered(t, bot, "a/1"), d.offered(t, bot, "t/1"))
	d.keys = errors.New("the folder of secrets is away")
	_, err := d.Commit(t.Context(), p)
	if got := fail.From(err); got.Code != fail.Internal || strings.Contains(got.Detail, "folder") {
		t.Fatalf("%v", err)
	}
	if b := d.balance(t); b.Available != funds || b.Held != 0 {
		t.Errorf("%+v", b)
	}
	d.sound(t)
	failed := 0
	for _, e := range d.entries(t, kindTransaction) {
		if e["body"].(map[string]any)["outcome"] == "failed" {
			failed++
		}
	}
	if failed != 2 {
		t.Errorf("%d entries tell that it failed", failed)
	}
	for _, e := range d.entries(t, kindTransaction) {
		if kept := d.transaction(t, e["subject"].(string)); !kept.Failed || kept.Amount != 0 || kept.Obligation == transactions.Pending {
			t.Errorf("it is kept as one that stands: %+v", kept)
		}
	}
	d.keys = nil
	if out := d.commit(t, p); out.Again || out.Items[0].URL == "" || out.Items[1].URL == "" {
		t.Errorf("sent again: %+v", out)
	}
	d.sound(t)
}
