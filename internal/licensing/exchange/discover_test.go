package exchange_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"frontdesk/internal/content"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/contenttest"
)

func TestAnOfferIsKeptAsItWasMade(t *testing.T) {
	t.Parallel()
	s := newDealer(t)
	rule := licensed("/a/**", policy.Price{Model: "per_token", Rate: "0.00001515", Currency: "USD"})
	rule.Labels = []string{"finance"}
	s.SetRules(t, rule)
	s.Stock(t, story("a/1", "One two three four."))
	groups := s.DiscoverOffers(t, asking(address("a/1")))
	if len(groups) != 1 || len(groups[0].Offers) != 1 {
		t.Fatalf("%+v", groups)
	}
	made := groups[0].Offers[0]
	entry := s.Goods.Find(address("a/1"))[0]
	want := &transactions.Offer{
		ID: made.ID, Site: "site", URI: address("a/1"), URL: address("a/1"), Item: entry.Ref,
		Buyer: "buyer.example/bot", Functions: []string{"ai-input"},
		Package: transactions.Package{ID: exchange.PackageID("site", address("a/1")), Title: "Story of a/1",
			Seller: "site.example"},
		Terms: s.Terms().Version(), Labels: []string{"finance"},
		Price:    policy.Money{Model: "per_token", Rate: 1515, Currency: "USD"},
		Quantity: int64(entry.Tokens()), Unit: "tokens", Tokens: int64(entry.Tokens()), Delivery: "direct",
		Report:     transactions.Duty{Seconds: 86400, Fields: []string{"consumed_quantity", "transaction_id"}},
		Hash:       fmt.Sprintf("%x", entry.Hash),
		Mutability: "static", Issued: s.Clock.Now(), Expires: s.Clock.Now().Add(5 * time.Minute),
		Document: []byte(made.ID), Signature: []byte("signed " + made.ID),
	}
	if diff := cmp.Diff(want, made); diff != "" {
		t.Errorf("made (-want +got):\n%s", diff)
	}
	var kept *transactions.Offer
	if err := s.DB.View(t.Context(), func(tx *store.Tx) (err error) {
		kept, _, err = transactions.FindOffer(t.Context(), tx, made.ID)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, kept); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
	if again := s.DiscoverOffers(t, asking(address("a/1")))[0].Offers[0]; again.ID == made.ID {
		t.Error("two offers have one id")
	}
}

func TestGroupsComeInTheOrderOfTheQuery(t *testing.T) {
	t.Parallel()
	s := newDealer(t)
	s.SetRules(t, licensed("/a/**", cent), policy.Rule{Access: policy.Blocked})
	s.Stock(t, story("a/1", "One."), story("a/2", "Two."), story("b/1", "Three."))
	q := asking(address("a/2"), address("b/1"), "no address", address("a/1"), address("a"), address("a/1?x=1"),
		address("a/11"))
	var got []string
	for _, g := range s.DiscoverOffers(t, q) {
		got = append(got, fmt.Sprint(g.URI, " ", len(g.Offers), " ", g.Absence))
	}
	want := []string{
		address("a/2") + " 1 ", address("b/1") + " 0 blocked", "no address 0 not in catalog", address("a/1") + " 1 ",
		address("a") + " 0 not in catalog", address("a/1?x=1") + " 0 not in catalog",
		address("a/11") + " 0 not in catalog",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestReasonsComeInTheirOrder takes away one reason after the other: what is left is the next one
// (RAMP v1, OfferAbsenceReason; readings of its precedence).
func TestReasonsComeInTheirOrder(t *testing.T) {
	t.Parallel()
	s := newDealer(t)
	s.Stock(t, story("a/1", "One."))
	authorised := false
	s.Authorised = func(at string) bool { return authorised && at == address("a/1") }
	s.Selling.RevealScopes = true
	rule := licensed("/a/**", cent)
	rule.Scopes = []string{"site.example:premium"}
	rule.Functions.Prohibit = []string{"ai-train"}
	rule.Users.Permit = []string{"education"}
	rule.Countries.Prohibit = []string{"FR"}
	rule.Delivery = []string{"streaming"}
	blocked := rule
	blocked.Access, blocked.Scopes, blocked.Price = policy.Blocked, nil, policy.Price{}
	q := asking(address("a/2"))
	q.Functions, q.User, q.Country = []string{"ai-train"}, "commercial", "FR"
	s.SetRules(t, rule)
	expect := func(want exchange.Absence) {
		t.Helper()
		if got := s.Absent(t, q); got != want {
			t.Errorf("absent for %q, want %q", got, want)
		}
	}
	expect(exchange.NotInCatalog)
	q.URIs = []string{address("a/1")}
	expect(exchange.ScopeMissing)
	s.Selling.RevealScopes = false
	expect(exchange.NotInCatalog)
	q.By.Granted = []string{"site.example:*"}
	expect(exchange.NotAuthorised)
	authorised = true
	s.SetRules(t, blocked)
	expect(exchange.NotLicensed)
	s.SetRules(t, rule)
	expect(exchange.FunctionExcluded)
	q.Functions = []string{"ai-input"}
	expect(exchange.UserExcluded)
	q.User = "education"
	expect(exchange.CountryExcluded)
	q.Country = "DE"
	expect("")
	s.Reopen(t, "elsewhere")
	expect(exchange.NotInCatalog)
}

// TestClaimsUnlockNothing holds that what somebody says of itself opens nothing that takes a scope,
// and narrows what it was granted.
func TestClaimsUnlockNothing(t *testing.T) {
	t.Parallel()
	s := newDealer(t)
	s.Stock(t, story("a/1", "One."))
	rule := licensed("/a/**", cent)
	rule.Scopes = []string{"site.example:premium"}
	s.SetRules(t, rule)
	for _, c := range []struct {
		claimed, granted []string
		offered          bool
	}{
		{nil, nil, false},
		{[]string{"*"}, nil, false},
		{[]string{"site.example:premium"}, nil, false},
		{nil, []string{"site.example:premium"}, true},
		{[]string{"*"}, []string{"site.example:premium"}, true},
		{[]string{"other:x"}, []string{"*"}, false},
		{nil, []string{"site.example:premium:more"}, false},
	} {
		q := asking(address("a/1"))
		q.By.Claimed, q.By.Granted = c.claimed, c.granted
		if got := s.Absent(t, q) == ""; got != c.offered {
			t.Errorf("claimed %q, granted %q: offered %v", c.claimed, c.granted, got)
		}
	}
}

func TestFunctionsAreHeldAgainstTheTerms(t *testing.T) {
	t.Parallel()
	s := newDealer(t)
	s.Stock(t, story("a/1", "One."))
	for _, c := range []struct {
		permit, prohibit, asked []string
		offered                 bool
	}{
		{nil, nil, nil, true},
		{nil, []string{"all"}, nil, false},
		{nil, []string{"ai-train"}, nil, true},
		{nil, []string{"ai-train"}, []string{"ai-input", "ai-train"}, false},
		{nil, []string{"ai-train"}, []string{"ai-all"}, false},
		{nil, []string{"ai-all"}, []string{"ai-index"}, false},
		{nil, []string{"ai-all"}, []string{"search"}, true},
		{[]string{"ai-all"}, nil, []string{"ai-train", "ai-input", "ai-index"}, true},
		{[]string{"ai-all"}, nil, []string{"search"}, false},
		{[]string{"search"}, nil, []string{"all"}, false},
		{[]string{"all"}, nil, []string{"all"}, true},
		{[]string{"ai-all"}, []string{"ai-train"}, []string{"ai-input"}, true},
	} {
		rule := licensed("/a/**", cent)
		rule.Functions.Permit, rule.Functions.Prohibit = c.permit, c.prohibit
		s.SetRules(t, rule)
		q := asking(address("a/1"))
		q.Functions = c.asked
		if got := s.Absent(t, q); (got == "") != c.offered || got != "" && got != exchange.FunctionExcluded {
			t.Errorf("permit %q, prohibit %q, asked %q: absent for %q", c.permit, c.prohibit, c.asked, got)
		}
	}
}

// TestWhatIsNotKnownIsLeftToTheBuyer holds that an offer is advisory where nothing is known of its
// user, unless the owner is strict, and that the operator's word counts beside the requester's.
func TestWhatIsNotKnownIsLeftToTheBuyer(t *testing.T) {
	t.Parallel()
	s := newDealer(t)
	s.Stock(t, story("a/1", "One."))
	rule := licensed("/a/**", cent)
	rule.Users.Permit, rule.Countries.Permit = []string{"education"}, []string{"DE"}
	s.SetRules(t, rule)
	for _, c := range []struct {
		said, known, country string
		strict               bool
		want                 exchange.Absence
	}{
		{"", "", "", false, ""},
		{"", "", "", true, exchange.UserExcluded},
		{"education", "", "", true, exchange.CountryExcluded},
		{"education", "", "DE", true, ""},
		{"commercial", "", "DE", false, exchange.UserExcluded},
		{"", "commercial", "DE", false, exchange.UserExcluded},
		{"education", "commercial", "DE", false, exchange.UserExcluded},
		{"education", "education", "FR", false, exchange.CountryExcluded},
	} {
		s.Selling.Strict = c.strict
		q := asking(address("a/1"))
		q.User, q.By.UserCategory, q.Country = c.said, c.known, c.country
		if got := s.Absent(t, q); got != c.want {
			t.Errorf("%+v: absent for %q", c, got)
		}
	}
}

// TestPricesBecomeOffers holds what each way of pricing comes to.
func TestPricesBecomeOffers(t *testing.T) {
	t.Parallel()
	s := newDealer(t)
	s.Stock(t, story("a/1", strings.Repeat("word ", 100)))
	tokens := s.Goods.Find(address("a/1"))[0].Tokens()
	all := policy.Money{Model: "per_access", Rate: 500, Currency: "EUR"}
	for name, c := range map[string]struct {
		rule     policy.Rule
		fallback policy.Money
		site     policy.Money
		want     policy.Money
		unit     int64 // cost of one, in 1e-12
		report   transactions.Duty
		absent   exchange.Absence
	}{
		"an open item is free": {rule: policy.Rule{Access: policy.Open},
			want: policy.Money{Model: "free"}},
		"what is open may have a price": {rule: policy.Rule{Access: policy.Open, Price: cent},
			want: policy.Money{Model: "per_access", Rate: 1_000_000, Currency: "USD"},
			unit: roundHalfEven(1_000_000*10_000, int64(tokens))},
		"without a price nothing is sold": {rule: policy.Rule{Access: policy.Licensed},
			absent: exchange.NotInCatalog},
		"the site's price comes before that for all": {rule: policy.Rule{Access: policy.Licensed}, fallback: all,
			site: policy.Money{Model: "per_access", Rate: 700, Currency: "EUR"},
			want: policy.Money{Model: "per_access", Rate: 700, Currency: "EUR"}},
		"the owner's price is for all": {rule: policy.Rule{Access: policy.Licensed}, fallback: all,
			want: all},
		"the rule's comes before": {rule: policy.Rule{Access: policy.Licensed, Price: cent},
			fallback: all, want: policy.Money{Model: "per_access", Rate: 1_000_000, Currency: "USD"},
			unit: roundHalfEven(1_000_000*10_000, int64(tokens))},
		"a rate for each token is its " +
			"own cost": {rule: policy.Rule{Access: policy.Licensed,
			Price: policy.Price{Model: "per_token", Rate: "0.00001515", Currency: "USD"}},
			want: policy.Money{Model: "per_token", Rate: 1515, Currency: "USD"}, unit: 15_150_000,
			report: transactions.Duty{Seconds: 86400, Fields: []string{"consumed_quantity", "transaction_id"}}},
		"costs in another currency are not " +
			"compared": {rule: policy.Rule{Access: policy.Licensed,
			Price: policy.Price{Model: "per_token", Rate: "0.1", Currency: "JPY"}},
			want:   policy.Money{Model: "per_token", Rate: 10_000_000, Currency: "JPY"},
			report: transactions.Duty{Seconds: 86400, Fields: []string{"consumed_quantity", "transaction_id"}}},
		"attribution is to be " +
			"reported": {rule: policy.Rule{Access: policy.Licensed, Price: policy.Price{Model: "attribution"}},
			want:   policy.Money{Model: "attribution"},
			report: transactions.Duty{Seconds: 86400, Fields: []string{"attribution", "transaction_id"}}},
		"a contribution is asked, and not " +
			"demanded": {rule: policy.Rule{Access: policy.Licensed, Price: policy.Price{Model: "contribution"}},
			want: policy.Money{Model: "contribution"}},
		"the rule's window is " +
			"the duty's": {rule: policy.Rule{Access: policy.Licensed, Price: cent,
			Reporting: policy.Reporting{Window: time.Hour}},
			want:   policy.Money{Model: "per_access", Rate: 1_000_000, Currency: "USD"},
			unit:   roundHalfEven(1_000_000*10_000, int64(tokens)),
			report: transactions.Duty{Seconds: 3600, Fields: []string{"transaction_id"}}},
	} {
		s.SetRules(t, c.rule)
		s.Selling.Price, s.Selling.Prices = c.fallback, nil
		if c.site.Model != "" {
			s.Selling.Prices = map[string]policy.Money{s.Goods.Find(address("a/1"))[0].Site: c.site}
		}
		var got *exchange.OfferDraft
		groups, err := s.Discover(t.Context(), asking(address("a/1")),
			func(p *exchange.OfferDraft) (_, _ []byte, err error) {
				got = p
				return plainly(p)
			})
		if err != nil {
			t.Fatal(err)
		}
		if groups[0].Absence != c.absent {
			t.Errorf("%s: absent for %q", name, groups[0].Absence)
		}
		if got == nil {
			continue
		}
		if got.Price != c.want || got.UnitCost != c.unit || !cmp.Equal(got.Report, c.report) {
			t.Errorf("%s: price %+v, cost of one %d, duty %+v", name, got.Price, got.UnitCost, got.Report)
		}
	}
}

func TestCostOfOneIsRoundedHalfToEven(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		price := policy.Money{Model: "per_access", Rate: rapid.Int64Range(1, 1e14).Draw(t, "rate"), Currency: "USD"}
		quantity := rapid.Int64Range(1, 1<<31).Draw(t, "quantity")
		if got, want := exchange.UnitCost(price, quantity), roundHalfEven(price.Rate*10_000, quantity); got != want {
			t.Errorf("%d, want %d", got, want)
		}
	})
	least := policy.Money{Model: "per_access", Rate: 1, Currency: "USD"}
	// 0.5, 1.4999, 2.5, 1.25
	for quantity, want := range map[int64]int64{20_000: 0, 6_667: 1, 4_000: 2, 8_000: 1, 0: 0} {
		if got := exchange.UnitCost(least, quantity); got != want {
			t.Errorf("1e-8 for %d is %d for one, want %d", quantity, got, want)
		}
	}
}

// roundHalfEven is a naive quotient to hold unitCost against.
func roundHalfEven(n, by int64) int64 {
	for q := n / by; ; q++ {
		switch low, high := n-q*by, (q+1)*by-n; {
		case low < high, low == high && q%2 == 0:
			return q
		case high < low || q%2 == 1:
			return q + 1
		}
	}
}

// TestWhatIsFreeMustBeFreeByItsOwnTerms holds the terms that an item comes with against offers that
// cost nothing, and their licences that cost something against those that do.
func TestWhatIsFreeMustBeFreeByItsOwnTerms(t *testing.T) {
	t.Parallel()
	document, err := policy.ParseRSL("https://site.example/rsl.xml", []byte(`<rsl xmlns="https://rslstandard.org/rsl"><content url="/a/*"><license><permits type="usage">ai-input</permits>
		<payment type="crawl"><amount currency="USD">1</amount></payment></license><license><permits type="usage">search</permits></license></content></rsl>`))
	if err != nil {
		t.Fatal(err)
	}
	s := newDealer(t)
	s.Stock(t, story("a/1", "One."))
	for _, c := range []struct {
		price   policy.Price
		asked   []string
		offered bool
	}{
		{policy.Price{Model: "free"}, []string{"search"}, true},
		{policy.Price{Model: "free"}, []string{"ai-input"}, false},
		{policy.Price{Model: "free"}, nil, true},
		{cent, []string{"ai-input"}, true},
		{cent, []string{"ai-train"}, false},
	} {
		rules, err := policy.Options{IsA: content.IsA,
			RSL: []*policy.RSL{document}}.New([]policy.Rule{licensed("/a/**", c.price)})
		if err != nil {
			t.Fatal(err)
		}
		s.SetTerms(t, rules)
		q := asking(address("a/1"))
		q.Functions = c.asked
		if got := s.Absent(t, q); (got == "") != c.offered {
			t.Errorf("%+v: absent for %q", c, got)
		}
	}
}

func (s *dealer) operate(t contenttest.T, do func(context.Context, *store.Tx) error) {
	t.Helper()
	if err := s.DB.Update(context.Background(),
		func(tx *store.Tx) error { return do(context.Background(), tx) }); err != nil {
		t.Fatal(err)
	}
}

// TestSubscribersAreOfferedWhatTheyHave holds the variants of an offer under subscriptions: for
// whom, with which quotas, and that an empty one is not offered (RAMP v1,
// Offer.subscription_quota).
func TestSubscribersAreOfferedWhatTheyHave(t *testing.T) {
	t.Parallel()
	s := newDealer(t)
	rule := licensed("/a/**", cent)
	rule.Labels = []string{"finance"}
	s.SetRules(t, rule, licensed("/b/**", policy.Price{}))
	s.Stock(t, story("a/1", "One."), story("b/1", "Two."))
	s.operate(t, func(ctx context.Context, tx *store.Tx) error {
		return errors.Join(
			s.Book.AddSubscription(ctx, tx,
				accounts.Licence{ID: "gold", Buyer: "buyer.example/bot", Begins: s.Clock.Now()}, "USD", s.Clock.Now()),
			s.Book.SetQuota(ctx, tx, "gold", accounts.QuotaSetting{Unit: accounts.Accesses, Limit: 2, Months: 1},
				s.Clock.Now()),
			s.Book.SetQuota(ctx, tx, "gold", accounts.QuotaSetting{Unit: accounts.SpendCents, Limit: 50},
				s.Clock.Now()),
			s.Book.AddSubscription(ctx, tx,
				accounts.Licence{ID: "other", Buyer: "other.example/bot", Begins: s.Clock.Now()}, "", s.Clock.Now()),
			s.Book.AddSubscription(ctx, tx, accounts.Licence{ID: "sport", Buyer: "buyer.example/*",
				Scope: accounts.Scope{Labels: []string{"sport"}}, Begins: s.Clock.Now()}, "", s.Clock.Now()),
			s.Book.AddSubscription(ctx, tx,
				accounts.Licence{ID: "spent", Buyer: "buyer.example/*", Begins: s.Clock.Now()}, "", s.Clock.Now()),
			s.Book.SetQuota(ctx, tx, "spent", accounts.QuotaSetting{Unit: accounts.Tokens, Limit: 0}, s.Clock.Now()),
		)
	})
	var made []*exchange.OfferDraft
	quote := func(q exchange.Query) []exchange.OfferGroup {
		t.Helper()
		made = nil
		groups, err := s.Discover(t.Context(), q, func(p *exchange.OfferDraft) (_, _ []byte, err error) {
			made = append(made, p)
			return plainly(p)
		})
		if err != nil {
			t.Fatal(err)
		}
		return groups
	}
	quote(asking(address("a/1"), address("b/1")))
	if len(made) != 3 || made[0].Subscription != "" || made[1].Subscription != "gold" ||
		made[2].Subscription != "gold" {
		t.Fatalf("%d offers were made", len(made))
	}
	for _, p := range made[1:] {
		if !strings.HasPrefix(p.ID, "sub-") || p.UnitCost != 0 || len(p.Quotas) != 2 {
			t.Errorf("under the subscription: %+v", p)
		}
	}
	want := []exchange.Quota{{Unit: "accesses", Limit: 2, Left: 2, Resets: s.Clock.Now().AddDate(0, 1, 0)},
		{Unit: "spend_cents", Limit: 50, Left: 50}}
	if diff := cmp.Diff(want, made[1].Quotas); diff != "" {
		t.Error(diff)
	}
	if made[1].Price != made[0].Price || made[2].Price != (policy.Money{}) {
		t.Errorf("the prices are %+v, %+v and %+v", made[0].Price, made[1].Price, made[2].Price)
	}
	other := asking(address("a/1"), address("b/1"))
	other.By.Domain = "stranger.example"
	if groups := quote(other); len(groups[0].Offers) != 1 || groups[1].Absence != exchange.NotInCatalog {
		t.Errorf("a stranger gets %+v", groups)
	}
	s.Clock.Advance(exchange.SubscribeFor / 2)
	s.operate(t, func(ctx context.Context, tx *store.Tx) error {
		return s.Book.AddSubscription(ctx, tx,
			accounts.Licence{ID: "late", Buyer: "stranger.example/bot", Begins: s.Clock.Now()}, "", s.Clock.Now())
	})
	quote(other)
	if s.Clock.Advance(exchange.SubscribeFor / 2); len(quote(other)[0].Offers) != 2 {
		t.Error("a subscription that is new is not seen after a second")
	}
	for range 2 {
		c := under(quote(asking(address("a/1")))[0].Offers, "gold")
		s.operate(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := s.Book.Authorize(ctx, tx, accounts.Charge{
				ID: c.ID, Buyer: c.Buyer, Site: c.Site, Item: accounts.Item{URL: c.URL, Labels: c.Labels},
				Price: c.Price, Tokens: c.Tokens, Subscription: "gold", Now: s.Clock.Now(),
			})
			return err
		})
	}
	if groups := quote(asking(address("a/1"))); len(groups[0].Offers) != 1 || groups[0].Offers[0].Subscription != "" {
		t.Error("what is used up is still offered")
	}
	s.Clock.Advance(31 * 24 * time.Hour)
	if groups := quote(asking(address("a/1"))); len(groups[0].Offers) != 2 {
		t.Error("the next period's quota is not offered")
	}
}

// TestManySubscriptionsMakeNoMoreOffersThanAreOfUse has a buyer that subscribed to one thing again
// and again.
func TestManySubscriptionsMakeNoMoreOffersThanAreOfUse(t *testing.T) {
	t.Parallel()
	s := newDealer(t)
	s.SetRules(t, licensed("/a/**", cent))
	s.Stock(t, story("a/1", "One."))
	s.operate(t, func(ctx context.Context, tx *store.Tx) error {
		var all error
		for i := range 30 {
			now := s.Clock.Now()
			free, bounded := fmt.Sprintf("free-%02d", i), fmt.Sprintf("bounded-%02d", i)
			all = errors.Join(all,
				s.Book.AddSubscription(ctx, tx, accounts.Licence{ID: free, Buyer: "buyer.example/bot", Begins: now},
					"", now),
				s.Book.AddSubscription(ctx, tx, accounts.Licence{ID: bounded, Buyer: "other.example/bot", Begins: now},
					"", now),
				s.Book.SetQuota(ctx, tx, bounded,
					accounts.QuotaSetting{Unit: accounts.Accesses, Limit: int64(i % 3)}, now))
		}
		return all
	})
	offered := func(domain string) (ids []string) {
		t.Helper()
		q := asking(address("a/1"))
		q.By.Domain = domain
		for _, o := range s.DiscoverOffers(t, q)[0].Offers[1:] {
			ids = append(ids, o.Subscription)
		}
		return ids
	}
	if got := offered("buyer.example"); !slices.Equal(got, []string{"free-00"}) {
		t.Errorf("of 30 without quotas: %q", got)
	}
	want := []string{"bounded-01", "bounded-02", "bounded-04", "bounded-05", "bounded-07", "bounded-08", "bounded-10",
		"bounded-11", "bounded-13", "bounded-14"}
	if got := offered("other.example"); !slices.Equal(got, want) {
		t.Errorf("of 30 with quotas: %q", got)
	}
}

// under is the offer under a subscription.
func under(offers []*transactions.Offer, subscription string) *transactions.Offer {
	return offers[slices.IndexFunc(offers, func(o *transactions.Offer) bool { return o.Subscription == subscription })]
}

// TestProfilesTellWhatIsAskedFor holds RAMP v1's supported_profiles: who names some gets those, who
// names none gets all.
func TestProfilesTellWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	s := newDealer(t)
	s.SetRules(t, policy.Rule{Access: policy.Licensed, Price: cent})
	news := story("a/1", "One.")
	news.Types = []string{"NewsArticle"}
	news.Object = []byte(`{"@type":"NewsArticle","url":"` + news.URL + `","articleSection":["Markets","Bonds"],"author":[{"name":"Ada"},{"name":"Bo"}],"wordCount":12,"articleBody":"` + strings.Repeat("long ", 200) + `"}`)
	s.Stock(t, news, item("site", "b/1", "Product", "Lamp", "A lamp."))
	s.Selling.Profiles = []exchange.Profile{
		{Name: "ramp-news-v1", Types: []string{"NewsArticle"},
			Keys: map[string]string{"news.category": "articleSection", "news.byline": "author.name",
				"news.words": "wordCount", "news.body": "articleBody", "news.none": "author.name.first"}},
		{Name: "all-v1", Keys: map[string]string{"all.type": "@type"}},
	}
	for _, c := range []struct {
		path     string
		profiles []string
		want     map[string]any
	}{
		{"a/1", nil, map[string]any{"news.category": []any{"Markets", "Bonds"}, "news.byline": []any{"Ada", "Bo"},
			"news.words": 12.0, "all.type": "NewsArticle"}},
		{"a/1", []string{"all-v1"}, map[string]any{"all.type": "NewsArticle"}},
		{"a/1", []string{"other"}, nil},
		{"b/1", []string{"ramp-news-v1"}, nil},
	} {
		q := asking(address(c.path))
		q.Profiles = c.profiles
		var told map[string]any
		if _, err := s.Discover(t.Context(), q, func(p *exchange.OfferDraft) (_, _ []byte, err error) {
			told = p.Extensions
			return plainly(p)
		}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, told); diff != "" {
			t.Errorf("%+v:\n%s", c, diff)
		}
	}
}

// TestWhatIsNotReadyInTimeIsUnavailable gives a query a deadline, and one of three items takes
// longer (RAMP v1, ResourceQuery.deadline).
func TestWhatIsNotReadyInTimeIsUnavailable(t *testing.T) {
	s := newDealer(t)
	s.SetRules(t, policy.Rule{Access: policy.Licensed, Price: cent})
	s.Stock(t, story("a/1", "One."), story("a/2", "Two."), story("a/3", "Three."))
	s.Selling.Profiles = []exchange.Profile{{Keys: map[string]string{"x": "y"}}}
	slow := s.Goods.Find(address("a/2"))[0].Ref
	var kept, asked time.Duration
	synctest.Test(t, func(t *testing.T) {
		s.Assortment.ReadObjects(func(ctx context.Context, ref content.Ref) (map[string]any, error) {
			if ref != slow {
				return nil, nil
			}
			<-ctx.Done()
			return nil, ctx.Err()
		})
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 400*time.Millisecond)
		defer cancel()
		q := asking(address("a/1"), address("a/2"), address("a/3"))
		groups, proposals, err := s.DraftOffers(ctx, q)
		asked = time.Since(began)
		if err != nil || groups[1].Absence != exchange.NotNow || len(proposals[0]) != 1 || len(proposals[2]) != 1 {
			t.Errorf("%+v, %v", groups, err)
		}
		end, _ := ctx.Deadline()
		kept = time.Until(end)
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if _, _, err := s.DraftOffers(ctx, q); !errors.Is(err, context.Canceled) {
			t.Errorf("a query that was taken back ends with %v", err)
		}
	})
	if asked != 300*time.Millisecond || kept != 100*time.Millisecond {
		t.Errorf("the answer took %v and left %v for keeping it", asked, kept)
	}
}

// TestOffersThatAreNotKeptAreNotTold lets keeping fail, and come too late.
func TestOffersThatAreNotKeptAreNotTold(t *testing.T) {
	t.Parallel()
	s := newDealer(t)
	s.SetRules(t, policy.Rule{Access: policy.Licensed, Price: cent})
	s.Stock(t, story("a/1", "One."))
	broken := errors.New("broken")
	s.Fault = func(step string) error {
		if step == "keep offers" {
			return broken
		}
		return nil
	}
	if _, err := s.Discover(t.Context(), asking(address("a/1")), plainly); !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(time.Hour))
	defer cancel()
	s.Fault = func(string) error { return nil }
	over := overContext{ctx}
	groups, err := s.Discover(over, asking(address("a/1"), address("a/none")), plainly)
	if err != nil || groups[0].Absence != exchange.NotNow || len(groups[0].Offers) != 0 ||
		groups[1].Absence != exchange.NotInCatalog {
		t.Errorf("%+v, %v", groups, err)
	}
	late := &lateContext{Context: ctx}
	s.Fault = func(step string) error {
		if step == "keep offers" {
			late.over = true
			return context.DeadlineExceeded
		}
		return nil
	}
	groups, err = s.Discover(late, asking(address("a/1"), address("a/none")), plainly)
	if err != nil || groups[0].Absence != exchange.NotNow || len(groups[0].Offers) != 0 ||
		groups[1].Absence != exchange.NotInCatalog {
		t.Errorf("too late for keeping them: %+v, %v", groups, err)
	}
}

// lateContext is a context whose deadline passes in between.
type lateContext struct {
	context.Context
	over bool
}

func (c *lateContext) Err() error {
	if c.over {
		return context.DeadlineExceeded
	}
	return c.Context.Err()
}

// overContext is a context whose deadline has passed.
type overContext struct{ context.Context }

func (overContext) Err() error { return context.DeadlineExceeded }
func (overContext) Done() <-chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}

// TestTighteningARuleAddsNoOffer draws rules, tightens one of them, and looks for an offer that was
// not there before, or one that costs less or permits more.
func TestTighteningARuleAddsNoOffer(t *testing.T) {
	t.Parallel()
	s := newDealer(t)
	s.Stock(t, story("a/1", "One."), story("a/b/1", "Two."), story("c/1", "Three."))
	uris := []string{address("a/1"), address("a/b/1"), address("c/1")}
	rapid.Check(t, func(t *rapid.T) {
		rules := rapid.SliceOfN(rapid.Custom(drawSale), 1, 4).Draw(t, "rules")
		tightened := slices.Clone(rules)
		at := rapid.IntRange(0, len(rules)-1).Draw(t, "rule")
		tightened[at] = drawTighterSale(t, rules[at])
		q := exchange.Query{
			By: requesters.Requester{Domain: "buyer.example", ID: "bot",
				Granted: rapid.SampledFrom([][]string{nil, {"site.example:*"}}).Draw(t, "granted")}, URIs: uris,
			Functions: rapid.SliceOfDistinct(rapid.SampledFrom(exchange.Uses), rapid.ID[string]).Draw(t, "functions"),
			User:      rapid.SampledFrom([]string{"", "commercial", "education"}).Draw(t, "user"),
			Country:   rapid.SampledFrom([]string{"", "DE", "FR"}).Draw(t, "country"),
		}
		s.Selling.Strict = rapid.Bool().Draw(t, "strict")
		s.Selling.Price = rapid.SampledFrom([]policy.Money{{}, {Model: "per_access", Rate: 7, Currency: "USD"}}).Draw(t,
			"price")
		offers := func(rules []policy.Rule) []*exchange.OfferDraft {
			compiled, err := policy.Options{IsA: content.IsA}.New(rules)
			if err != nil {
				t.Fatal(err)
			}
			s.SetTerms(t, compiled)
			all := make([]*exchange.OfferDraft, len(uris))
			_, proposals, err := s.DraftOffers(context.Background(), q)
			if err != nil {
				t.Fatal(err)
			}
			for i := range proposals {
				if len(proposals[i]) > 0 {
					all[i] = proposals[i][0]
				}
			}
			return all
		}
		before, after := offers(rules), offers(tightened)
		for i := range uris {
			if after[i] == nil {
				continue
			}
			if before[i] == nil {
				t.Fatalf("%s is offered since rule %d was tightened", uris[i], at)
			}
			if after[i].Price.Rate < before[i].Price.Rate {
				t.Fatalf("%s costs %d instead of %d", uris[i], after[i].Price.Rate, before[i].Price.Rate)
			}
			for _, f := range exchange.Uses {
				if allows(after[i], f) && !allows(before[i], f) {
					t.Fatalf("%s may be used for %s since rule %d was tightened", uris[i], f, at)
				}
			}
		}
	})
}

// allows says whether an offer is for a function.
func allows(p *exchange.OfferDraft, function string) bool {
	d := policy.Decision{Access: policy.Open, Permit: p.For.Functions.Permit, Prohibit: p.For.Functions.Prohibit}
	return d.Allows(function)
}

func drawSale(t *rapid.T) policy.Rule {
	r := policy.Rule{
		Match: policy.Match{Path: rapid.SampledFrom([][]string{nil, {"/a/**"}, {"/a/b/**"}, {"/c/**"}}).Draw(t,
			"path")},
		Access: rapid.SampledFrom([]policy.Access{policy.Open, policy.Licensed, policy.Blocked}).Draw(t, "access"),
		Price: rapid.SampledFrom([]policy.Price{{}, {Model: "free"}, cent,
			{Model: "per_token", Rate: "0.001", Currency: "USD"}}).Draw(t, "price"),
	}
	r.Functions.Prohibit = rapid.SampledFrom([][]string{nil, {"ai-train"}, {"ai-all"}}).Draw(t, "prohibit")
	r.Users.Prohibit = rapid.SampledFrom([][]string{nil, {"commercial"}}).Draw(t, "users")
	r.Countries.Permit = rapid.SampledFrom([][]string{nil, {"DE"}, {"DE", "FR"}}).Draw(t, "countries")
	return r
}

// drawTighterSale is a rule that says less than another. A rule that is open and has no price is
// free; it may get one.
func drawTighterSale(t *rapid.T, r policy.Rule) policy.Rule {
	if r.Access == policy.Blocked {
		return r
	}
	switch rapid.IntRange(0, 5).Draw(t, "how") {
	case 0:
		r.Access, r.Price, r.Scopes = policy.Blocked, policy.Price{}, nil
	case 1:
		r.Functions.Prohibit = []string{"ai-all"}
	case 2:
		r.Users.Prohibit = []string{"commercial", "education"}
	case 3:
		r.Countries.Permit = []string{"DE"}
	case 4:
		if r.Access == policy.Licensed {
			r.Scopes = []string{"site.example:premium"}
		}
	case 5:
		if r.Price != (policy.Price{}) || r.Access == policy.Open {
			r.Price = policy.Price{Model: "per_access", Rate: "1", Currency: "USD"}
		}
	}
	return r
}
