package exchange_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/policy"
	"frontdesk/wire/ramp"
	"frontdesk/wire/sign"
)

// cdn is who delivers what lies below /a.
type cdn struct {
	keys []sign.URLKey
	err  error
}

const cdnAt = "https://cdn.example.net"

// outsourced is a shop whose stories below /a a CDN delivers.
func outsourced(t testing.TB) (*dealer, *cdn) {
	t.Helper()
	d, c := shop(t), &cdn{keys: []sign.URLKey{{Form: sign.URLFastly, Secret: []byte("the secret of the CDN")}}}
	d.Outlet = func(f policy.Facts) *exchange.Outlet {
		if !strings.Contains(f.URL, "/a/") {
			return nil
		}
		return &exchange.Outlet{Name: "cdn", At: cdnAt, Keys: func(context.Context) ([]sign.URLKey, error) {
			return c.keys, c.err
		}}
	}
	return d, c
}

func TestWhatAnOutletDeliversIsFetchedThere(t *testing.T) {
	t.Parallel()
	d, c := outsourced(t)
	offer := d.FirstOffer(t, bot, "a/1")
	if offer.Delivery != "instructions" || offer.Hash != "" {
		t.Errorf("%s, %q", offer.Delivery, offer.Hash)
	}
	p := d.OrderRequest(bot, offer)
	out := d.Buy(t, p)
	item := out.Items[0]
	content, grant, err := (sign.URLKeys{Origin: cdnAt, Keys: c.keys}).Verify(item.URL, d.Clock.Now())
	if want := (sign.URLGrant{Expires: item.Transaction.Expires, Agent: out.Agent,
		Transaction: item.Transaction.ID}); err != nil || content != cdnAt+"/a/1" || grant != want {
		t.Errorf("%s: %s, %v, %v", item.URL, content, grant, err)
	}
	if again := d.Buy(t, p); !again.Replayed || again.Items[0].URL != item.URL {
		t.Errorf("%+v", again)
	}
	if item := d.BuyAt(t, "t/1"); !strings.HasPrefix(item.URL, "https://site.example/deliver/") ||
		item.Transaction.Method != "direct" {
		t.Errorf("what nobody else delivers: %s, %s", item.URL, item.Transaction.Method)
	}
	_, query, _ := strings.Cut(item.URL, "?")
	if _, err := d.Delivery.Fetch(t.Context(), "https://site.example/deliver/", item.Transaction.ID,
		query); fail.From(err).Code != fail.Forbidden {
		t.Errorf("the CDN's address opens something here: %v", err)
	}
	d.CheckInvariants(t)
}

// TestWhatIsBoundToALicenceIsSoldToWhoNamesOne has a CDN deliver to who shows the licence, beside
// what is delivered here.
func TestWhatIsBoundToALicenceIsSoldToWhoNamesOne(t *testing.T) {
	t.Parallel()
	d, c := outsourced(t)
	outlet := d.Outlet
	d.Outlet = func(f policy.Facts) *exchange.Outlet {
		out := outlet(f)
		if out != nil {
			out.Licence = true
		}
		return out
	}
	d.Write(t, func(ctx context.Context, tx *store.Tx) error {
		return d.Book.AddLicence(ctx, tx, accounts.Licence{ID: "gold", Buyer: bot.Account(),
			Scope: accounts.Scope{Site: "site"}, Paid: "per_access"}, d.Clock.Now())
	})
	before, self := d.Balance(t), ramp.AgentIdentityHash(bot.ID, bot.Domain)
	p := d.OrderRequest(bot, d.FirstOffer(t, bot, "a/1"))
	if out := d.Buy(t, p); out.Items[0].Denial != exchange.InvalidLicence || out.Agent != self ||
		d.Balance(t) != before {
		t.Errorf("without a licence: %+v", out)
	}
	p = d.OrderRequest(bot, d.FirstOffer(t, bot, "a/1"))
	p.Licence = "gold"
	out := d.Buy(t, p)
	_, grant, err := (sign.URLKeys{Origin: cdnAt, Keys: c.keys}).Verify(out.Items[0].URL, d.Clock.Now())
	if err != nil || grant.Agent != ramp.LicenceHash("gold") || out.Agent != grant.Agent ||
		out.Items[0].Transaction.Agent != grant.Agent {
		t.Errorf("%+v, %+v, %v", out, grant, err)
	}
	if again := d.Buy(t, p); !again.Replayed || again.Agent != out.Agent || again.Items[0].URL != out.Items[0].URL {
		t.Errorf("again: %+v", again)
	}
	here := d.OrderRequest(bot, d.FirstOffer(t, bot, "t/1"))
	here.Licence = "gold"
	if out := d.Buy(t, here); out.Agent != self || out.Items[0].Transaction.Agent != self {
		t.Errorf("what is delivered here: %+v", out)
	}
	both := d.OrderRequest(bot, d.FirstOffer(t, bot, "a/2"), d.FirstOffer(t, bot, "t/1"))
	both.Licence = "gold"
	out = d.Buy(t, both)
	if out.Agent != self || out.Items[0].Transaction.Agent != ramp.LicenceHash("gold") ||
		out.Items[1].Transaction.Agent != self {
		t.Errorf("both: %+v", out)
	}
	d.CheckInvariants(t)
}

// TestWhatIsOfferedIsDeliveredAsItWasOffered changes who delivers between the offer and the
// purchase.
func TestWhatIsOfferedIsDeliveredAsItWasOffered(t *testing.T) {
	t.Parallel()
	d, _ := outsourced(t)
	away := d.FirstOffer(t, bot, "a/1")
	outlet := d.Outlet
	d.Outlet = nil
	here := d.FirstOffer(t, bot, "a/2")
	if item := d.Buy(t, d.OrderRequest(bot, away)).Items[0]; !strings.HasPrefix(item.URL,
		"https://site.example/deliver/") {
		t.Errorf("the outlet is gone: %s", item.URL)
	}
	d.Outlet = outlet
	if item := d.Buy(t, d.OrderRequest(bot, here)).Items[0]; !strings.HasPrefix(item.URL,
		"https://site.example/deliver/") || here.Hash == "" {
		t.Errorf("the outlet is new: %s", item.URL)
	}
	rule := licensed("/a/**", cent)
	rule.Delivery = []string{"direct"}
	d.Price(t, rule)
	if offer := d.FirstOffer(t, bot, "a/3"); offer.Delivery != "direct" || offer.Hash == "" {
		t.Errorf("the rule keeps it here: %s", offer.Delivery)
	}
	d.CheckInvariants(t)
}

// TestNothingIsSoldThatAnOutletCannotDeliver takes its keys away before the offer, after it, and
// after the purchase.
func TestNothingIsSoldThatAnOutletCannotDeliver(t *testing.T) {
	t.Parallel()
	d, c := outsourced(t)
	keys := c.keys
	offer := d.FirstOffer(t, bot, "a/1")
	ended := keys[0]
	ended.Ends = d.Clock.Now()
	for name, broken := range map[string]cdn{
		"no key": {}, "a key that has ended": {keys: []sign.URLKey{ended}},
		"keys that cannot be read": {keys: keys, err: errors.New("broken")},
		"a key that is none":       {keys: []sign.URLKey{{Form: sign.URLFastly}}},
	} {
		*c = broken
		if got := d.DiscoverOffers(t, asking(address("a/1")))[0]; len(got.Offers) != 0 ||
			got.Absence != exchange.NotNow {
			t.Errorf("%s: offered: %+v", name, got)
		}
		if item := d.Buy(t, d.OrderRequest(bot, offer)).Items[0]; item.Denial != exchange.ContentUnavailable {
			t.Errorf("%s: %q", name, item.Denial)
		}
	}
	*c = cdn{keys: keys}
	d.Outlet = func(policy.Facts) *exchange.Outlet {
		return &exchange.Outlet{At: cdnAt, Keys: func(context.Context) ([]sign.URLKey, error) {
			if len(d.Entries(t, "transaction")) > 0 {
				return nil, errors.New("lost since it was bought")
			}
			return keys, nil
		}}
	}
	if _, err := d.Execute(t.Context(), d.OrderRequest(bot, offer)); err == nil ||
		fail.From(err).Code != fail.Internal {
		t.Errorf("lost after the purchase: %v", err)
	}
	if b := d.Balance(t); b.Available != funds {
		t.Errorf("it was paid for: %+v", b)
	}
	d.CheckInvariants(t)
}

// An item whose address the form cannot tell without doubt is not offered.
func TestAnAddressThatAFormCannotBindIsNotOffered(t *testing.T) {
	t.Parallel()
	d, c := outsourced(t)
	d.Stock(t, story("a/q?token=1_2", "One."), story("a/q?x=1", "Two."))
	if got := d.DiscoverOffers(t, asking(address("a/q?token=1_2")))[0]; got.Absence != exchange.NotNow {
		t.Errorf("%+v", got)
	}
	item := d.BuyAt(t, "a/q?x=1")
	if content, _, err := (sign.URLKeys{Origin: cdnAt, Keys: c.keys}).Verify(item.URL,
		d.Clock.Now().Add(time.Minute)); err != nil || content != cdnAt+"/a/q?x=1" {
		t.Errorf("%s: %s, %v", item.URL, content, err)
	}
}

// countedSigner counts how often a key signs.
type countedSigner struct {
	crypto.Signer
	times atomic.Int64
}

func (c *countedSigner) Sign(random io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	c.times.Add(1)
	return c.Signer.Sign(random, digest, opts)
}

// TestAPolicyIsSignedOnce asks again for what was bought, which gives the same address without a
// signature; another purchase, another key, another policy and another span of time have their own.
func TestAPolicyIsSignedOnce(t *testing.T) {
	t.Parallel()
	d, c := outsourced(t)
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer := &countedSigner{Signer: private}
	first := sign.URLKey{Form: sign.URLCloudFront, ID: "K1", Signer: signer}
	c.keys = []sign.URLKey{first}
	p := d.OrderRequest(bot, d.FirstOffer(t, bot, "a/1"))
	address := d.Buy(t, p).Items[0].URL
	for range 3 {
		if again := d.Buy(t, p); !again.Replayed || again.Items[0].URL != address {
			t.Errorf("%+v", again)
		}
	}
	if n := signer.times.Load(); n != 1 {
		t.Errorf("one address was signed %d times", n)
	}
	other := d.BuyAt(t, "a/1")
	if n := signer.times.Load(); n != 2 || other.URL == address {
		t.Errorf("two purchases were signed %d times: %s", n, other.URL)
	}
	custom := first
	custom.Options.Custom = true
	for _, keys := range [][]sign.URLKey{{custom}, {{Form: sign.URLCloudFront, ID: "K2", Signer: signer}, first}} {
		c.keys = keys
		again := d.Buy(t, p).Items[0].URL
		if _, grant, err := (sign.URLKeys{Origin: cdnAt, Keys: keys[:1]}).Verify(again, d.Clock.Now()); err != nil ||
			again == address || grant.Agent == "" {
			t.Errorf("with %s: %s, %v", keys[0].ID, again, err)
		}
	}
	if n := signer.times.Load(); n != 4 {
		t.Errorf("signed %d times", n)
	}
	d.Clock.Advance(10 * time.Minute)
	d.BuyAt(t, "a/1")
	if n := d.SignaturesKept(); n != 1 {
		t.Errorf("%d are kept of which one is alive", n)
	}
	d.CheckInvariants(t)
}
