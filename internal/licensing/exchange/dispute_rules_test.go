package exchange_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/disputes"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
	"frontdesk/wire/contenthash"
	"frontdesk/wire/sign"
)

// told has offers written as their documents are, with some attestations.
func told(hash string, attestations ...map[string]any) func(*exchange.OfferDraft) (document, signature []byte,
	err error) {
	return func(p *exchange.OfferDraft) (document, signature []byte, err error) {
		document, err = json.Marshal(map[string]any{
			"offer_id": p.ID, "package": map[string]any{"seller": "site.example"},
			"pricing":      map[string]any{"estimated_quantity": 10_000, "unit": "tokens"},
			"identity":     map[string]any{"content_hash": hash, "resource_mutability": "RESOURCE_MUTABILITY_STATIC"},
			"attestations": attestations,
		})
		return document, []byte("signed " + string(document)), err
	}
}

func attested(verifier string, claims map[string]any) map[string]any {
	return map[string]any{"verifier": verifier, "kid": "k1", "attested_at": "2027-01-01T00:00:00Z", "claims": claims,
		"signature": "of a key that is over by now"}
}

// TestTheLevelIsThatOfTheSignedOffer decides by what held when the offer was signed, whatever has
// become of the verifiers' keys; what an attestation claims beside the protocol neither raises a
// level nor lowers one.
func TestTheLevelIsThatOfTheSignedOffer(t *testing.T) {
	t.Parallel()
	hash := strings.Repeat("ab", 32)
	own := attested("site.example", map[string]any{"content_hash": "sha256:" + hash})
	for _, c := range []struct {
		name         string
		attestations []map[string]any
		level        int
		want         string
	}{
		{"nobody", nil, 0, "evidence_needed  by review"},
		{"the provider", []map[string]any{own}, 1, "auto_resolved credit by hash"},
		{"the provider, in capitals",
			[]map[string]any{attested("Site.Example", map[string]any{"content_hash": "sha256:" + hash})}, 1,
			"auto_resolved credit by hash"},
		{"a third party",
			[]map[string]any{attested("verifier.example", map[string]any{"content_hash": "sha256:" + hash})}, 2,
			"evidence_needed  by review"},
		{"both", []map[string]any{own, attested("verifier.example", nil)}, 2, "auto_resolved credit by hash"},
		{"the provider, of its name alone",
			[]map[string]any{attested("site.example.evil.example", map[string]any{"content_hash": "sha256:" + hash})},
			2, "evidence_needed  by review"},
		{"the provider, in another method too",
			[]map[string]any{own,
				attested("site.example", map[string]any{"content_hash": "simhash-v1:0011223344556677"})}, 1,
			"auto_resolved credit by hash"},
		{"the provider, with odd claims",
			[]map[string]any{own,
				attested("site.example", map[string]any{"content_hash": 7, "estimated_quantity": "many"})}, 1,
			"auto_resolved credit by hash"},
		{"the provider, with a number that is none",
			[]map[string]any{attested("site.example", map[string]any{"content_hash": "sha256:" + hash,
				"estimated_quantity": 1.5e300})}, 1, "auto_resolved credit by hash"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := shop(t)
			groups, err := d.Discover(t.Context(), asking(address("a/1")), told("sha256:"+hash, c.attestations...))
			if err != nil {
				t.Fatal(err)
			}
			item := d.Buy(t, d.OrderRequest(bot, groups[0].Offers[0])).Items[0]
			filed := d.filed(t, report(item, 10_000))
			d.log(t, item, cdn200)
			r := d.against(item, filed.ID, disputes.ContentMismatch)
			r.Hash = contenthash.Hash{Method: contenthash.SHA256, Digits: strings.Repeat("cd", 32)}
			if h := d.heard(t, sealed(r)); h.Case.Level != c.level || stands(h.Case) != c.want {
				t.Errorf("level %d: %s, want %d: %s", h.Case.Level, stands(h.Case), c.level, c.want)
			}
			d.CheckInvariants(t)
		})
	}
}

// TestTheNumberOfTokensIsThatOfWhomIsTrustedMost takes the estimate of the highest level, wherever
// it stands.
func TestTheNumberOfTokensIsThatOfWhomIsTrustedMost(t *testing.T) {
	t.Parallel()
	third, own := attested("verifier.example", map[string]any{"estimated_quantity": 9_000}),
		attested("site.example", map[string]any{"estimated_quantity": 10})
	for _, all := range [][]map[string]any{{third, own}, {own, third}} {
		d := shop(t)
		groups, err := d.Discover(t.Context(), asking(address("a/1")), told("", all...))
		if err != nil {
			t.Fatal(err)
		}
		item := d.Buy(t, d.OrderRequest(bot, groups[0].Offers[0])).Items[0]
		filed := d.filed(t, report(item, 100))
		d.log(t, item, disputes.Record{Status: 200, Bytes: 2_000})
		if h := d.heard(t, d.against(item, filed.ID, disputes.IncompleteContent)); stands(h.Case) != "auto_resolved "+
			"credit by tokens" {
			t.Errorf("%s", stands(h.Case))
		}
	}
}

// TestACreditOfEachModel pays back what each way of paying has charged, once: money, quotas, and
// what a purchase granted.
func TestACreditOfEachModel(t *testing.T) {
	t.Parallel()
	subscribe := func(t *testing.T, d *dealer) {
		d.Write(t, func(ctx context.Context, tx *store.Tx) error {
			if err := d.Book.AddSubscription(ctx, tx, accounts.Licence{ID: "gold", Buyer: bot.Account(),
				Scope: accounts.Scope{Site: "site"}}, "USD", d.Clock.Now()); err != nil {
				return err
			}
			return d.Book.SetQuota(ctx, tx, "gold", accounts.QuotaSetting{Unit: "accesses", Limit: 1}, d.Clock.Now())
		})
	}
	rent := func(t *testing.T, d *dealer) {
		d.Write(t, func(ctx context.Context, tx *store.Tx) error {
			return d.Book.AddLicence(ctx, tx, accounts.Licence{ID: "flat", Buyer: bot.Account(),
				Scope: accounts.Scope{Site: "site"}, Paid: "per_access"}, d.Clock.Now())
		})
	}
	price := func(p policy.Price) func(*testing.T, *dealer) {
		return func(t *testing.T, d *dealer) { d.Price(t, licensed("/a/**", p)) }
	}
	for _, c := range []struct {
		name     string
		path     string
		set      func(*testing.T, *dealer)
		consumed int64
		charged  int64 // in the end
	}{
		{"per access", "a/1", nil, 0, dollar / 100},
		{"metered, and settled by the report", "t/1", nil, 1100, 0}, // what it was is told by the report
		{"a share of the revenue", "r/1", nil, 0, dollar / 10},
		{"under a subscription", "a/1", subscribe, 0, 0},
		{"under a licence", "a/1", rent, 0, 0},
		{"a subscription that was bought", "a/1",
			price(policy.Price{Model: "subscription", Rate: "5", Currency: "USD"}), 0, 5 * dollar},
		{"a licence that was bought", "a/1",
			price(policy.Price{Model: "training", Rate: "7", Currency: "USD", Months: 12}), 0, 7 * dollar},
		{"free", "a/1", price(policy.Price{Model: "free"}), 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := shop(t)
			if c.set != nil {
				c.set(t, d)
			}
			before := d.Balance(t)
			offers := d.DiscoverOffers(t, asking(address(c.path)))[0].Offers
			p := d.OrderRequest(bot, offers[len(offers)-1])
			if c.name == "under a licence" {
				p.Licence = "flat"
			}
			item := d.Buy(t, digested(p)).Items[0]
			if item.Denial != "" {
				t.Fatal(item.Denial)
			}
			u := report(item, c.consumed)
			u.Fields = append(u.Fields, item.Transaction.Fields...)
			if item.Transaction.Price.Model == "revenue_share" {
				u.Revenue, u.Currency = dollar, "USD"
			}
			filed := d.filed(t, u)
			charged := c.charged
			if item.Transaction.Price.Metered() {
				charged = filed.Settled
			}
			if b := d.Balance(t); b.Available != before.Available-charged || b.Earned != before.Earned+charged ||
				b.Held != 0 {
				t.Fatalf("charged is %+v, want %d", b, charged)
			}
			if c.name == "under a subscription" {
				if out := d.Buy(t,
					d.OrderRequest(bot, d.last(t, c.path))); out.Items[0].Transaction.Subscription != "" {
					t.Error("the quota is not used up")
				} else {
					before = d.Balance(t)
				}
			}
			d.log(t, item, cdn404)
			r := d.against(item, filed.ID, disputes.DeliveryFailed)
			h := d.heard(t, r)
			if stands(h.Case) != "auto_resolved credit by status" || h.Case.Credit != charged {
				t.Errorf("%+v, charged %d", h.Case, charged)
			}
			if b := d.Balance(t); !evenly(b, before) {
				t.Errorf("%+v, before %+v", b, before)
			}
			if again := d.heard(t, r); !again.Replayed || again.Case.Credit != charged {
				t.Errorf("%+v", again)
			}
			if b := d.Balance(t); !evenly(b, before) {
				t.Errorf("asked again: %+v, before %+v", b, before)
			}
			if c.name == "under a subscription" {
				if o := d.last(t, c.path); o.Subscription != "gold" {
					t.Error("the quota was not given back")
				}
			}
			if n := d.active(t, item.Transaction.ID); n != 0 {
				t.Errorf("%d things that it granted are good for more", n)
			}
			d.CheckInvariants(t)
		})
	}
}

// active counts what a purchase granted that is in force.
func (d *dealer) active(t *testing.T, transaction string) (n int) {
	d.Write(t, func(ctx context.Context, tx *store.Tx) error {
		return tx.QueryRow(ctx, `SELECT COUNT(*) FROM account_licence WHERE id IN ($1, $2) AND status = $3`, "lic-"+transaction, "sub-"+transaction, string(accounts.Active)).Scan(&n)
	})
	return n
}

// TestAllThatWasChargedIsAllOfIt has the operator name the whole amount: that closes the purchase
// as naming none does.
func TestAllThatWasChargedIsAllOfIt(t *testing.T) {
	t.Parallel()
	d := shop(t)
	item, r := d.reported(t, "a/1", 3, disputes.WrongContent)
	id := d.heard(t, r).Case.ID
	c, err := d.Cases.DecideDispute(t.Context(),
		exchange.Decision{Dispute: id, Resolution: disputes.Credit, Amount: item.Transaction.Amount, By: "ann"})
	if err != nil || c.Credit != item.Transaction.Amount {
		t.Fatalf("%+v, %v", c, err)
	}
	if kept := d.transaction(t, item.Transaction.ID); kept.Disputed != id {
		t.Error("all was paid back, and it can be fetched")
	}
	if b := d.Balance(t); b.Available != funds {
		t.Errorf("%+v", b)
	}
	d.CheckInvariants(t)
}

// TestWhatAnOutletDeliversIsDeliveredAgainThere gives an address of the outlet's own form.
func TestWhatAnOutletDeliversIsDeliveredAgainThere(t *testing.T) {
	t.Parallel()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	secret := []byte("the secret of the CDN, which is long enough")
	for name, key := range map[string]sign.URLKey{
		"cloudfront": {Form: sign.URLCloudFront, ID: "K1", Signer: private},
		"fastly":     {Form: sign.URLFastly, Secret: secret}, "hmac": {Form: sign.URLHMAC, Secret: secret},
		"akamai": {Form: sign.URLAkamai, Secret: []byte(hex.EncodeToString(secret))},
	} {
		t.Run(name, func(t *testing.T) {
			d, c := outsourced(t)
			c.keys = []sign.URLKey{key}
			item, r := d.reported(t, "a/1", 0, disputes.DeliveryFailed)
			d.log(t, item, cdn503)
			r.Redelivery = true
			d.Clock.Advance(time.Hour) // the first address has ended
			h := d.heard(t, r)
			if stands(h.Case) != "auto_resolved redelivery by status" {
				t.Fatalf("%+v", h)
			}
			content, grant, err := (sign.URLKeys{Origin: cdnAt, Keys: c.keys}).Verify(h.URL, d.Clock.Now())
			if err != nil || content != cdnAt+"/a/1" || grant.Transaction != item.Transaction.ID ||
				!grant.Expires.Equal(h.URLExpires) || !h.URLExpires.After(d.Clock.Now()) || h.URL == item.URL {
				t.Errorf("%s: %s, %+v, %v", h.URL, content, grant, err)
			}
			c.keys = nil // and where nobody can sign one now, the dispute stands all the same
			if h = d.heard(t, r); h.URL != "" || h.Case.Resolution != disputes.Redelivery {
				t.Errorf("%+v", h)
			}
			c.keys = []sign.URLKey{key}
			if h = d.heard(t, r); h.URL == "" {
				t.Errorf("%+v", h)
			}
			d.Clock.Advance(24 * time.Hour)
			if h = d.heard(t, r); h.URL != "" {
				t.Errorf("after a day: %s", h.URL)
			}
			d.CheckInvariants(t)
		})
	}
}

// TestNothingIsSoldOfASiteThatIsHeld denies what a measure against the site holds, and not what it
// does not, nor what was bought before.
func TestNothingIsSoldOfASiteThatIsHeld(t *testing.T) {
	t.Parallel()
	d := shop(t)
	item, r := d.reported(t, "a/1", 0, disputes.DeliveryFailed)
	var asked []string
	denial := exchange.ContentUnavailable
	d.Held = func(_ context.Context, site string) exchange.Denial { asked = append(asked, site); return denial }
	offers := []string{"a/1", "a/2"}
	p := d.OrderRequest(bot, d.FirstOffer(t, bot, offers[0]), d.FirstOffer(t, bot, offers[1]))
	for _, want := range []exchange.Denial{exchange.ContentUnavailable, exchange.TooManyPurchases, ""} {
		denial = want
		p.ID = "held " + string(want)
		for _, got := range d.Buy(t, digested(p)).Items {
			if got.Denial != want {
				t.Errorf("%q, want %q", got.Denial, want)
			}
		}
	}
	if len(asked) != 6 || asked[0] != "site" {
		t.Errorf("asked for %v", asked)
	}
	denial = exchange.ContentUnavailable
	d.log(t, item, cdn404)
	if h := d.heard(t, r); h.Case.Resolution != disputes.Credit {
		t.Errorf("a dispute of what was bought before: %+v", h)
	}
	d.CheckInvariants(t)
}

// TestOneDisputeOfManyAtOnce has 64 clients send one and the same request, and 64 others requests
// of their own about one purchase: each hears the same dispute or that there is one, and one credit
// is made.
func TestOneDisputeOfManyAtOnce(t *testing.T) {
	t.Parallel()
	d := shop(t)
	for _, same := range []bool{true, false} {
		item, r := d.reported(t, "t/1", 900, disputes.DeliveryFailed)
		d.log(t, item, cdn404)
		var mu sync.Mutex
		fresh, taken := 0, map[string]int{}
		var wg sync.WaitGroup
		for i := range 64 {
			one := r
			if !same {
				one.ID = fmt.Sprint(r.ID, " ", i)
				one = sealed(one)
			}
			wg.Go(func() {
				h, err := d.Dispute(context.Background(), one)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				if h.Problem == "" {
					if taken[h.Case.ID]++; !h.Replayed {
						fresh++
					}
				}
				if h.Case.Resolution != disputes.Credit || h.Case.Credit == 0 {
					t.Errorf("%+v", h)
				}
			})
		}
		wg.Wait()
		want := 1
		if same {
			want = 64
		}
		if len(taken) != 1 || fresh != 1 || taken[d.heardOf(t, item).ID] != want {
			t.Errorf("same %t: %d were new: %v", same, fresh, taken)
		}
		if n := len(d.entriesOf(t, "dispute", item.Transaction.ID)); n != 2 {
			t.Errorf("%d entries of one dispute", n)
		}
	}
	if b := d.Balance(t); b.Available != funds || b.Earned != 0 {
		t.Errorf("%+v", b)
	}
	d.CheckInvariants(t)
}

// heardOf is the dispute of a purchase.
func (d *dealer) heardOf(t *testing.T, item exchange.ItemResult) disputes.Case {
	t.Helper()
	c, _, ok, err := disputes.NewReader(d.DB).Dispute(t.Context(), item.Transaction.ID)
	if err != nil || !ok {
		t.Fatalf("there is no dispute: %v", err)
	}
	return c
}

// entriesOf are the entries of a kind about a transaction, those that wait for their places, too.
func (d *dealer) entriesOf(t *testing.T, kind, transaction string) (all []map[string]any) {
	t.Helper()
	for _, e := range d.Entries(t, kind) {
		if e["subject"] == transaction {
			all = append(all, e)
		}
	}
	return all
}

// TestADisputeBesideWhatElseBefallsAPurchase files a dispute while the report that it needs, an
// operator's decisions, the sweep and what erases come at the same time: it is taken up with the
// report alone, decided once, and paid back at most once.
func TestADisputeBesideWhatElseBefallsAPurchase(t *testing.T) {
	t.Parallel()
	d := shop(t)
	d.Reports = exchange.ReportRules{Overdue: 1000}
	for round := range 8 {
		item := d.BuyAt(t, "t/1")
		d.log(t, item, cdn404)
		if round%2 == 0 {
			d.Clock.Advance(25 * time.Hour) // the report is late, and what was held is charged
		}
		reports := make(chan string, 1)
		var wg sync.WaitGroup
		wg.Go(func() {
			filed, err := d.ReportUsage(context.Background(), report(item, 900))
			if err != nil || filed.ID == "" {
				t.Errorf("the report: %+v, %v", filed, err)
				reports <- ""
				return
			}
			reports <- filed.ID
		})
		wg.Go(func() {
			h, err := d.Dispute(context.Background(), d.against(item, "rep-unknown", disputes.DeliveryFailed))
			if err != nil || h.Problem == "" {
				t.Errorf("without its report it was taken up: %+v, %v", h, err)
			}
		})
		wg.Go(func() {
			if err := d.MaintainOnce(context.Background()); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() {
			r := d.against(item, <-reports, disputes.DeliveryFailed)
			var of sync.WaitGroup
			for range 4 {
				of.Go(func() {
					if h, err := d.Dispute(context.Background(), r); err != nil ||
						h.Case.Resolution != disputes.Credit {
						t.Errorf("%+v, %v", h, err)
					}
				})
			}
			of.Wait()
			id := d.heardOf(t, item).ID
			for _, by := range []string{"ann", "bob"} {
				of.Go(func() {
					_, _ = d.Cases.DecideDispute(context.Background(),
						exchange.Decision{Dispute: id, Resolution: disputes.Credit, By: by})
				})
			}
			of.Go(func() { _ = d.Cases.EraseDispute(context.Background(), id) })
			of.Go(func() { _ = d.ReviewDisputes(context.Background()) })
			of.Wait()
		})
		wg.Wait()
		if c := d.heardOf(t, item); c.Tier != 1 || c.Credit == 0 ||
			len(d.entriesOf(t, "dispute", item.Transaction.ID)) != c.Steps {
			t.Errorf("%+v", c)
		}
		if b := d.Balance(t); b.Available != funds || b.Held != 0 || b.Earned != 0 {
			t.Errorf("%+v", b)
		}
	}
	d.CheckInvariants(t)
}

// TestTwoOperatorsDecideOnce has two operators, and the rules, decide what waits: one decision
// stands, whoever hears of the others.
func TestTwoOperatorsDecideOnce(t *testing.T) {
	t.Parallel()
	d := shop(t)
	for range 6 {
		item, r := d.reported(t, "a/1", 3, disputes.WrongContent)
		id := d.heard(t, r).Case.ID
		d.Clock.Advance(12 * time.Hour)
		var mu sync.Mutex
		decided := 0
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				if _, err := d.Cases.DecideDispute(context.Background(),
					exchange.Decision{Dispute: id, Resolution: disputes.Credit,
						By: fmt.Sprint("operator ", i)}); err == nil {
					mu.Lock()
					decided++
					mu.Unlock()
				}
			})
		}
		for range 2 {
			wg.Go(func() { _ = d.ReviewDisputes(context.Background()) })
		}
		wg.Wait()
		c, steps, _, err := disputes.NewReader(d.DB).Dispute(t.Context(), id)
		// The rules may come first, and hand it over since so many disputes are not usual, and
		// last, and make final what was settled. Whoever comes when: each step is from where the
		// one before it led, there is one decision that pays, and an operator was told of it who
		// made it.
		operators, credits, broken := 0, 0, false
		for i, step := range steps {
			if strings.HasPrefix(step.By, disputes.Operator) && step.Resolution != "" {
				operators++
			}
			if step.Resolution == disputes.Credit {
				credits++
			}
			broken = broken || i > 0 && step.From != steps[i-1].To
		}
		if err != nil || broken || operators != decided || decided > 1 || credits > 1 ||
			(c.Credit > 0) != (credits == 1) || (c.Credit > 0) != (c.Resolution == disputes.Credit) ||
			len(steps) < 4 || len(d.entriesOf(t, "dispute", item.Transaction.ID)) != len(steps) {
			t.Errorf("%d operators were told that they had decided: %+v, %v", decided, steps, err)
		}
	}
	d.CheckInvariants(t)
}

// last is the last offer for an address: that of a subscription where there is one.
func (d *dealer) last(t testing.TB, path string) *transactions.Offer {
	t.Helper()
	offers := d.DiscoverOffers(t, asking(address(path)))[0].Offers
	return offers[len(offers)-1]
}

// evenly says whether two balances are of as much, however many lines lead there.
func evenly(a, b accounts.Balance) bool {
	return a.Available == b.Available && a.Held == b.Held && a.Earned == b.Earned
}

// TestARequestIsOfOneTransaction refuses a request whose id the buyer gave to another before, about
// whatever transaction, also where it would have been decided at once, and pays nothing back.
func TestARequestIsOfOneTransaction(t *testing.T) {
	t.Parallel()
	d := shop(t)
	first, r1 := d.reported(t, "a/1", 0, disputes.DeliveryFailed)
	second, r2 := d.reported(t, "a/2", 0, disputes.DeliveryFailed)
	d.log(t, first, cdn404)
	d.log(t, second, cdn404)
	if h := d.heard(t, r1); h.Case.Resolution != disputes.Credit {
		t.Fatalf("%+v", h)
	}
	before := d.Balance(t)
	r2.ID = r1.ID
	for _, r := range []exchange.DisputeRequest{sealed(r2),
		{By: r2.By, ID: r2.ID, Digest: r1.Digest, Transaction: r2.Transaction, Billing: r2.Billing, Report: r2.Report,
			Reason: r2.Reason}} {
		if h, err := d.Dispute(t.Context(), r); !errors.Is(err, exchange.ErrRequestConflict) {
			t.Errorf("%+v, %v", h, err)
		}
	}
	if b := d.Balance(t); b != before || len(d.entriesOf(t, "dispute", second.Transaction.ID)) != 0 ||
		d.transaction(t, second.Transaction.ID).Disputed != "" {
		t.Errorf("%+v, before %+v", b, before)
	}
	r2.ID += " of its own"
	if h := d.heard(t, sealed(r2)); h.Replayed || h.Case.Resolution != disputes.Credit {
		t.Errorf("%+v", h)
	}
	d.CheckInvariants(t)
}
