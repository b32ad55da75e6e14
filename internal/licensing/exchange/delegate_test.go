package exchange_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/biscuit"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/saletest"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// principal lets the bot of a shop act for it.
type principal struct {
	*dealer
	t          testing.TB
	key        ed25519.PrivateKey
	requesters *requesters.Registry
}

const principalDomain = "principal.example"

func newPrincipal(t testing.TB, d *dealer, scopes ...string) *principal {
	t.Helper()
	public, private, _ := ed25519.GenerateKey(nil)
	rs, err := requesters.Open(t.Context(), requesters.Config{
		DB: storetest.Chosen(t, requesters.Schema), Fetcher: fetch.New(fetch.Options{}),
		Signatures: requesters.SignaturesNone, Now: d.Clock.Now,
	})
	if err == nil {
		_, err = rs.Add(t.Context(), requesters.Registration{Domain: principalDomain, ID: "ceo", Scopes: scopes,
			Keys: []ramp.Key{{Public: public}}})
	}
	if err != nil {
		t.Fatal(err)
	}
	return &principal{dealer: d, t: t, key: private, requesters: rs}
}

// token is one of the principal's, with a block for each text.
func (p *principal) token(blocks ...string) *biscuit.Token {
	p.t.Helper()
	var made *biscuit.Token
	for i, code := range blocks {
		source, err := biscuit.ParseSource(code)
		if err == nil && i == 0 {
			made, err = biscuit.Mint(p.key, rand.Reader, source)
		} else if err == nil {
			made, err = made.Attenuate(rand.Reader, source)
		}
		if err != nil {
			p.t.Fatal(err)
		}
	}
	return made
}

// under is the bot under a token, as it is known now.
func (p *principal) under(token *biscuit.Token, claims ...string) requesters.Requester {
	p.t.Helper()
	r, err := p.requesters.Identify(context.Background(),
		&rampv1.Requester{Domain: bot.Domain, Id: bot.ID, Scopes: claims, Delegation: &rampv1.Delegation{
			PrincipalDomain: principalDomain, PrincipalId: "ceo", Token: token.Text(),
		}}, requesters.Call{})
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

// buys takes the first offer for a path under a token, and gives why it was denied.
func (p *principal) buys(path string, token *biscuit.Token) exchange.Denial {
	p.t.Helper()
	by := p.under(token)
	return p.Buy(p.t, p.OrderRequest(by, p.FirstOffer(p.t, by, path))).Items[0].Denial
}

func (p *principal) expect(step string, want, got exchange.Denial) {
	p.t.Helper()
	if want != got {
		p.t.Errorf("%s: %q, want %q", step, got, want)
	}
}

func TestPurchasesUnderADelegationAreCounted(t *testing.T) {
	t.Parallel()
	d := shop(t)
	p := newPrincipal(t, d)
	spend := p.token(`user("ceo"); max_spend_cents(2); expires("2030-01-01T00:00:00Z")`)
	p.expect("the first cent", "", p.buys("a/1", spend))
	p.expect("the second", "", p.buys("a/2", spend))
	p.expect("the third", exchange.QuotaExceeded, p.buys("a/3", spend))
	p.expect("what it costs is not known", exchange.QuotaExceeded, p.buys("r/1", p.token(`user("ceo"); max_spend_cents(100)`)))
	p.expect("and without such a cap", "", p.buys("r/1", p.token(`user("ceo"); max_accesses(1)`)))
	p.expect("a thousand words by the token", exchange.QuotaExceeded, p.buys("t/1", p.token(`user("ceo"); max_spend_cents(99)`)))
	p.expect("and with enough", "", p.buys("t/1", p.token(`user("ceo"); max_spend_cents(1000)`)))

	often := p.token(`user("ceo"); max_accesses(1); quota_period_hours(1)`)
	p.expect("an access", "", p.buys("a/1", often))
	p.expect("another", exchange.QuotaExceeded, p.buys("a/1", often))
	d.Clock.Advance(time.Hour)
	p.expect("in the next hour", "", p.buys("a/1", often))

	root := p.token(`user("ceo"); max_spend_cents(3)`)
	narrowed := func(code string) *biscuit.Token {
		source, err := biscuit.ParseSource(code)
		if err != nil {
			t.Fatal(err)
		}
		more, err := root.Attenuate(rand.Reader, source)
		if err != nil {
			t.Fatal(err)
		}
		return more
	}
	left, right := narrowed(`check if max_spend_cents($v), $v <= 2`), narrowed(`check if max_spend_cents($v), $v <= 2; check if operation($o)`)
	p.expect("left", "", p.buys("a/1", left))
	p.expect("left again", "", p.buys("a/1", left))
	p.expect("left, at its end", exchange.QuotaExceeded, p.buys("a/1", left))
	p.expect("right", "", p.buys("a/1", right))
	p.expect("right, at the root's end", exchange.QuotaExceeded, p.buys("a/1", right))
	sealed, err := root.Seal()
	if err != nil {
		t.Fatal(err)
	}
	p.expect("the root sealed", exchange.QuotaExceeded, p.buys("a/1", sealed))
	if n := d.Rows(t, "delegation_count"); n != 7 {
		t.Errorf("%d counters", n)
	}
	d.Clock.Advance(10 * 365 * 24 * time.Hour)
	if err := d.MaintainOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := d.Rows(t, "delegation_count"); n != 6 {
		t.Errorf("%d counters of tokens without an end are left", n)
	}
	d.CheckInvariants(t)
}

// TestABatchIsCountedInItsOrder holds that items of one request count one after the other, and what
// is denied counts nothing.
func TestABatchIsCountedInItsOrder(t *testing.T) {
	t.Parallel()
	d := shop(t)
	p := newPrincipal(t, d)
	by := p.under(p.token(`user("ceo"); max_spend_cents(2); max_accesses(3)`))
	dear := d.FirstOffer(t, by, "t/1")
	out := d.Buy(t, d.OrderRequest(by, d.FirstOffer(t, by, "a/1"), dear, d.FirstOffer(t, by, "a/2"),
		d.FirstOffer(t, by, "a/3")))
	for i, want := range []exchange.Denial{"", exchange.QuotaExceeded, "", exchange.QuotaExceeded} {
		p.expect(fmt.Sprint("item ", i), want, out.Items[i].Denial)
	}
	if b := d.Balance(t); b.Available != funds-2*dollar/100 {
		t.Errorf("%+v", b)
	}
}

// TestWhatFailsIsGivenBack holds that purchases that fail, at whatever step, count nothing, and one
// that is refused by the book neither.
func TestWhatFailsIsGivenBack(t *testing.T) {
	t.Parallel()
	d := shop(t)
	p := newPrincipal(t, d)
	once := p.token(`user("ceo"); max_accesses(1)`)
	by := p.under(once)
	for _, step := range []string{"charged", "purchase recorded", "request"} {
		failed := false
		d.Fault = func(at string) error {
			if at == step && !failed {
				failed = true
				return errors.New("the disk is full")
			}
			return nil
		}
		if out, err := d.Execute(t.Context(), d.OrderRequest(by, d.FirstOffer(t, by, "a/1"))); err == nil {
			t.Fatalf("%s: nothing failed: %+v", step, out)
		}
	}
	d.Fault = nil
	d.NoKeys = errors.New("the folder of secrets is away")
	if _, err := d.Execute(t.Context(), d.OrderRequest(by, d.FirstOffer(t, by, "a/1"))); fail.From(err).Code !=
		fail.Internal {
		t.Errorf("without an address: %v", err)
	}
	d.NoKeys = nil
	poor := by
	poor.Domain = "poor.example"
	p.expect("who has no money", exchange.InsufficientBalance,
		d.Buy(t, d.OrderRequest(poor, d.FirstOffer(t, poor, "a/1"))).Items[0].Denial)
	request := d.OrderRequest(by, d.FirstOffer(t, by, "a/1"))
	p.expect("the one access", "", d.Buy(t, request).Items[0].Denial)
	if again := d.Buy(t, request); !again.Replayed || again.Items[0].Denial != "" {
		t.Errorf("sent again: %+v", again)
	}
	p.expect("another", exchange.QuotaExceeded, p.buys("a/1", once))
	d.CheckInvariants(t)
}

// TestWhatADelegationIsDenied holds the denials of purchases, and that what was bought before is
// answered again.
func TestWhatADelegationIsDenied(t *testing.T) {
	t.Parallel()
	d := shop(t)
	rule := licensed("/a/**", cent)
	rule.Scopes = []string{"news:markets"}
	d.Price(t, rule)
	p := newPrincipal(t, d, "news:*")
	good := p.token(`user("ceo"); scope("news:*")`)
	offer := d.FirstOffer(t, p.under(good), "a/1")
	ends := d.Clock.Now().Add(time.Second).UTC().Format(time.RFC3339)
	short := p.under(p.token(`user("ceo"); scope("news:*"); check if time($t), $t < ` + ends))
	request := d.OrderRequest(short, offer)
	p.expect("in time", "", d.Buy(t, request).Items[0].Denial)
	for name, v := range map[string]struct {
		want  exchange.Denial
		token *biscuit.Token
	}{
		"the scope is another":    {exchange.ScopeInsufficient, p.token(`user("ceo"); scope("news:sport")`)},
		"there is no scope":       {exchange.ScopeInsufficient, p.token(`user("ceo")`)},
		"more than the principal": {"", p.token(`user("ceo"); scope("*")`)},
		"not for buying":          {exchange.ScopeInsufficient, p.token(`user("ceo"); scope("*")`, `check if operation("discover")`)},
		"for less":                {exchange.ScopeInsufficient, p.token(`user("ceo"); scope("*")`, `check if spend_cents($n), $n < 1`)},
		"for as much":             {"", p.token(`user("ceo"); scope("*")`, `check if spend_cents($n), $n <= 1`)},
		"somewhere else":          {exchange.ScopeInsufficient, p.token(`user("ceo"); scope("*")`, `check if resource($r), $r.starts_with("https://site.example/b/")`)},
	} {
		p.expect(name, v.want, d.Buy(t, d.OrderRequest(p.under(v.token), offer)).Items[0].Denial)
	}
	p.expect("in its own name", exchange.ScopeInsufficient, d.Buy(t, d.OrderRequest(bot, offer)).Items[0].Denial)
	d.Clock.Advance(2 * time.Second)
	over := p.under(p.token(`user("ceo"); scope("*"); expires("` + ends + `")`))
	p.expect("over", exchange.DelegationExpired, d.Buy(t, d.OrderRequest(over, offer)).Items[0].Denial)
	later := d.OrderRequest(short, offer)
	p.expect("over since it was identified", exchange.DelegationExpired, d.Buy(t, later).Items[0].Denial)
	if again := d.Buy(t, request); !again.Replayed || again.Items[0].Denial != "" {
		t.Errorf("what was bought in time is answered with %+v", again)
	}
	if _, err := d.Discover(t.Context(), exchange.Query{By: short, URIs: []string{address("a/1")}},
		plainly); fail.From(err).Code != fail.Forbidden {
		t.Errorf("asks when it is over: %v", err)
	}
	if got := d.Absent(t, exchange.Query{By: p.under(p.token(`user("ceo"); scope("sport:*")`)),
		URIs: []string{address("a/1")}}); got != exchange.NotInCatalog {
		t.Errorf("without the scope: %q", got)
	}
	entries := d.Entries(t, "transaction")
	body := entries[0]["body"].(map[string]any)
	id := hex.EncodeToString(p.token(`user("ceo")`).RevocationIDs()[0])
	if told, _ := body["delegation"].(string); body["principal_domain"] != principalDomain || len(told) != len(id) ||
		told == id {
		t.Errorf("the ledger has %v", body)
	}
}

// TestSubscriptionsAreLent holds that a principal's subscription is offered and used under a scope
// that names it, and under no other.
func TestSubscriptionsAreLent(t *testing.T) {
	t.Parallel()
	d := shop(t)
	p := newPrincipal(t, d)
	d.Write(t, func(ctx context.Context, tx *store.Tx) error {
		for id, holder := range map[string]string{"gold": principalDomain + "/ceo", "silver": principalDomain + "/*",
			"theirs": "other.example/*"} {
			if err := d.Book.AddSubscription(ctx, tx,
				accounts.Licence{ID: id, Buyer: holder, Scope: accounts.Scope{Site: "site"}}, "USD",
				d.Clock.Now()); err != nil {
				return err
			}
		}
		return d.Book.SetQuota(ctx, tx, "gold", accounts.QuotaSetting{Unit: "accesses", Limit: 1}, d.Clock.Now())
	})
	offers := func(by requesters.Requester) (under []string, all []*transactions.Offer) {
		q := asking(address("a/1"))
		q.By = by
		all = d.DiscoverOffers(t, q)[0].Offers
		for _, o := range all {
			if o.Subscription != "" {
				under = append(under, o.Subscription)
			}
		}
		return under, all
	}
	for name, v := range map[string]struct {
		by   requesters.Requester
		want string
	}{
		"in its own name":        {bot, "[]"},
		"without a scope":        {p.under(p.token(`user("ceo")`)), "[]"},
		"one of them":            {p.under(p.token(`user("ceo"); scope("subscription:gold")`)), "[gold]"},
		"all of them":            {p.under(p.token(`user("ceo"); scope("subscription:*")`)), "[gold silver]"},
		"one that it asks for":   {p.under(p.token(`user("ceo"); scope("subscription:*")`), "subscription:silver"), "[silver]"},
		"one that is not theirs": {p.under(p.token(`user("ceo"); scope("subscription:theirs")`)), "[]"},
	} {
		if under, _ := offers(v.by); fmt.Sprint(under) != v.want {
			t.Errorf("%s: %v, want %s", name, under, v.want)
		}
	}
	gold := p.under(p.token(`user("ceo"); scope("subscription:gold"); max_spend_cents(0); max_accesses(5)`))
	_, all := offers(gold)
	offer := all[len(all)-1]
	p.expect("under another delegation", exchange.InvalidLicence,
		d.Buy(t, d.OrderRequest(p.under(p.token(`user("ceo")`)), offer)).Items[0].Denial)
	p.expect("under none", exchange.InvalidLicence, d.Buy(t, d.OrderRequest(bot, offer)).Items[0].Denial)
	got := d.Buy(t, d.OrderRequest(gold, offer)).Items[0]
	if p.expect("under it", "", got.Denial); len(got.Quotas) != 1 || got.Quotas[0].Left != 0 ||
		got.Transaction.Subscription != "gold" {
		t.Errorf("%+v", got)
	}
	p.expect("when it is used up", exchange.QuotaExceeded, d.Buy(t, d.OrderRequest(gold, offer)).Items[0].Denial)
	if b := d.Balance(t); b.Available != funds {
		t.Errorf("the bot paid: %+v", b)
	}
	d.CheckInvariants(t)
}

// TestManyRaceForTheLastOfADelegation has 64 purchases at two front desks of one database race for
// the last cents of a token, of which half go by one that was attenuated, on every engine.
func TestManyRaceForTheLastOfADelegation(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		dsn, keys := fresh(t), t.TempDir()
		d := dealerOn(t, storetest.Open(t, dsn, saletest.Schemas...), keys)
		d.AddStock(t)
		other := dealerOn(t, storetest.Open(t, dsn, saletest.Schemas...), keys)
		other.Price(t, licensed("/a/**", cent))
		if _, err := other.Goods.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		p := newPrincipal(t, d)
		root := p.token(`user("ceo"); max_spend_cents(10)`)
		source, err := biscuit.ParseSource(`check if max_spend_cents($v), $v <= 4`)
		if err != nil {
			t.Fatal(err)
		}
		below, err := root.Attenuate(rand.Reader, source)
		if err != nil {
			t.Fatal(err)
		}
		var purchases []exchange.Order
		for i := range 64 {
			by := p.under([]*biscuit.Token{root, below}[i%2])
			purchases = append(purchases, d.OrderRequest(by, d.FirstOffer(t, by, "a/1")))
		}
		var won [2]atomic.Int64
		var all sync.WaitGroup
		for i, p := range purchases {
			all.Go(func() {
				out, err := []*dealer{d, other}[i/2%2].Execute(t.Context(), p)
				switch {
				case err != nil:
					t.Error(err)
				case out.Items[0].Denial == "":
					won[i%2].Add(1)
				case out.Items[0].Denial != exchange.QuotaExceeded:
					t.Error(out.Items[0].Denial)
				}
			})
		}
		all.Wait()
		if won[0].Load()+won[1].Load() != 10 || won[1].Load() > 4 {
			t.Errorf("%d by the root, %d by the attenuated token", won[0].Load(), won[1].Load())
		}
		d.CheckInvariants(t)
		p.expect("afterwards, at the other", exchange.QuotaExceeded,
			other.Buy(t, d.OrderRequest(p.under(root), d.FirstOffer(t, p.under(root), "a/1"))).Items[0].Denial)
	})
}

// TestCapsAreInOneCurrency holds that what is spent is counted in the currency in which this front
// desk compares.
func TestCapsAreInOneCurrency(t *testing.T) {
	t.Parallel()
	d := shop(t)
	d.Price(t, licensed("/a/1", policy.Price{Model: "per_access", Rate: "0.01", Currency: "EUR"}),
		licensed("/a/**", cent))
	d.Write(t, func(ctx context.Context, tx *store.Tx) error {
		if err := d.Book.Open(ctx, tx, bot.Account(), "EUR", 0, d.Clock.Now()); err != nil {
			return err
		}
		_, err := d.Book.Pay(ctx, tx, "credit", bot.Account(), "EUR", dollar, "", d.Clock.Now())
		return err
	})
	p := newPrincipal(t, d)
	capped := p.token(`user("ceo"); max_spend_cents(10)`)
	p.expect("another currency than the house's", exchange.QuotaExceeded, p.buys("a/1", capped))
	p.expect("the house's", "", p.buys("a/2", capped))
	p.expect("without a cap of spending", "", p.buys("a/1", p.token(`user("ceo"); max_accesses(10)`)))
	d.Selling.Currency = ""
	p.expect("in the first's", "", p.buys("a/2", capped))
	p.expect("not in another", exchange.QuotaExceeded, p.buys("a/1", capped))
}
