package published

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"frontdesk/internal/content"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/contenttest"
	"frontdesk/internal/testkit/saletest"
)

// shop is what is told of the terms of a shop.
type shop struct {
	*saletest.Shop
	*Service
}

func newShop(t testing.TB, sites ...string) *shop {
	t.Helper()
	s := saletest.New(t, sites...)
	told, err := New(Deps{
		Corpus: s.Corpus.Corpus, Catalog: s.Goods, OfferPolicy: func() *exchange.OfferPolicy { return s.Selling },
		Tenant: s.Assortment.Tenant, Now: s.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	return &shop{s, told}
}

func (s *shop) policy(t contenttest.T, host string) policy.Policy {
	t.Helper()
	public, _ := s.both(t, host)
	return public
}

// both are the policies for everybody and for gates.
func (s *shop) both(t contenttest.T, host string) (public, gate policy.Policy) {
	t.Helper()
	s.Clock.Advance(policiesFor)
	of, err := s.policiesOf(context.Background(), host)
	if err != nil {
		t.Fatal(err)
	}
	return of.public.made, of.gate.made
}

// gateSays is the gate's access for a path.
func (s *shop) gateSays(t *testing.T, host, path string) string {
	t.Helper()
	s.Clock.Advance(policiesFor)
	rules, err := s.GateRules(t.Context(), host, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rules {
		if policy.MatchStars(r.Pattern, path, true) {
			return r.Access
		}
	}
	return ""
}

// TestGatesRefuseItemsThatNobodyMayFind, whatever blocks them: to the public nothing is told of
// such items, and that gates are told more is.
func TestGatesRefuseItemsThatNobodyMayFind(t *testing.T) {
	t.Parallel()
	b := newShop(t, "mag")
	b.Fill(t, "mag", "articles", contenttest.Item("mag", "a/1", "Person", "One", "One."),
		contenttest.Item("mag", "a/2", "Quiz", "Two", "Two."),
		contenttest.Item("mag", "a/3", "Recipe", "Three", "Three."),
		contenttest.Item("mag", "a/3?x=1", "Person", "Three", "Three."))
	b.Fill(t, "mag", "drafts", contenttest.Item("mag", "a/4", "Recipe", "Four", "Four."))
	open := policy.Rule{Access: policy.Open}
	b.SetRules(t, open)
	if _, partial, err := b.AccessPolicy(t.Context(), "mag.example"); partial || err != nil {
		t.Errorf("a policy of paths alone is partial: %v, %v", partial, err)
	}
	b.SetRules(t, policy.Rule{Match: policy.Match{Type: []string{"Person"}}, Access: policy.Blocked},
		policy.Rule{Match: policy.Match{Source: []string{"drafts"}}, Access: policy.Blocked},
		policy.Rule{Match: policy.Match{Type: []string{"Quiz"}}, Access: policy.Licensed,
			Functions: policy.Functions{Prohibit: []string{"search"}}}, open)
	for path, want := range map[string]policy.Access{"/a/1": policy.Blocked, "/a/2": policy.Licensed,
		"/a/3": policy.Blocked, "/a/4": policy.Blocked, "/a/5": policy.Open} {
		if got := b.gateSays(t, "mag.example", path); got != string(want) {
			t.Errorf("at the gate %s is %s, want %s", path, got, want)
		}
	}
	public, partial, err := b.AccessPolicy(t.Context(), "mag.example")
	if err != nil || !partial || len(public.Rules) != 0 || public.Default != policy.Open {
		t.Errorf("the public is told %+v (partial: %v), %v", public, partial, err)
	}
	b.SetRules(t, policy.Rule{Access: policy.Open, Parties: policy.Restriction{Prohibit: []string{"training"}}})
	b.Clock.Advance(policiesFor)
	if _, partial, err := b.AccessPolicy(t.Context(), "mag.example"); !partial || err != nil {
		t.Errorf("a policy of parties is whole: %v", err)
	}
}

func TestAccessPolicyIsMadeOfTermsAndItems(t *testing.T) {
	t.Parallel()
	b := newShop(t, "mag")
	b.Fill(t, "mag", "articles",
		contenttest.Item("mag", "news/1", "NewsArticle", "One", "One."),
		contenttest.Item("mag", "news/2", "Recipe", "Two", "Two."),
		contenttest.Item("mag", "drafts/3", "NewsArticle", "Three", "Three."),
		contenttest.Item("mag", "free/4", "Recipe", "Four", "Four."),
		contenttest.Item("mag", "list/5", "Person", "Five", "Five."),
		contenttest.Item("mag", "list/6", "Quiz", "Six", "Six."))
	b.SetRules(t,
		policy.Rule{Match: policy.Match{Path: []string{"/drafts/**"}}, Access: policy.Blocked},
		policy.Rule{Match: policy.Match{Type: []string{"Person"}}, Access: policy.Blocked},
		policy.Rule{Match: policy.Match{Type: []string{"Quiz"}}, Access: policy.Open,
			Functions: policy.Functions{Prohibit: []string{"search"}}},
		policy.Rule{Match: policy.Match{Path: []string{"/free/**"}}, Access: policy.Open},
		policy.Rule{Match: policy.Match{Type: []string{"Recipe"}}, Access: policy.Open},
		policy.Rule{Access: policy.Licensed},
	)
	p := b.policy(t, "MAG.example")
	want := []policy.PathRule{
		{Pattern: "/news/2", Access: policy.Open}, // by its type
		{Pattern: "/drafts", Access: policy.Blocked}, {Pattern: "/drafts/*", Access: policy.Blocked},
		{Pattern: "/free", Access: policy.Open}, {Pattern: "/free/*", Access: policy.Open},
	}
	// nothing of what is blocked by its type, or may not be found
	if p.Default != policy.Licensed || !reflect.DeepEqual(p.Rules, want) {
		t.Errorf("%+v", p)
	}
	if _, _, err := b.AccessPolicy(t.Context(), "other.example"); fail.From(err).Code != fail.NotFound {
		t.Error("a host of somebody else has a policy:", err)
	}
	if _, _, err := b.AccessPolicy(t.Context(), "mag.example/x"); fail.From(err).Code != fail.NotFound {
		t.Error("what is no host has a policy:", err)
	}
}

func TestAccessPolicyWithTooManyExceptionsIsAsStrictAsAny(t *testing.T) {
	t.Parallel()
	b := newShop(t, "mag")
	var items []content.Item
	for i := range maxExceptions + 2 {
		items = append(items, contenttest.Item("mag", fmt.Sprint("a/", i), "Recipe", "One", "One."))
	}
	b.Fill(t, "mag", "articles", append(items, contenttest.Item("mag", "b/1", "NewsArticle", "One", "One."))...)
	b.SetRules(t, policy.Rule{Match: policy.Match{Type: []string{"Recipe"}}, Access: policy.Licensed},
		policy.Rule{Match: policy.Match{Path: []string{"/b/**"}}, Access: policy.Open},
		policy.Rule{Access: policy.Open})
	p := b.policy(t, "mag.example")
	if p.At("/a/7") != policy.Licensed || p.At("/b/1") != policy.Open || len(p.Rules) != 2 {
		t.Errorf("%+v", p)
	}
	if got := b.gateSays(t, "mag.example", "/a/none"); got != "open" { // a gate is told of all of them
		t.Errorf("at the gate another path is %s", got)
	}
}

// Whoever goes by the policy goes no further than the terms.
func TestAccessPolicyIsNeverMoreOpenThanTheTerms(t *testing.T) {
	t.Parallel()
	b := newShop(t, "mag")
	path := rapid.SampledFrom([]string{"a", "a/", "a/b", "b", "b?x=1", "b?x=2", "c*d", "c%20d", "a/b/c", ""})
	typ := rapid.SampledFrom([]string{"Recipe", "NewsArticle", "Person"})
	rapid.Check(t, func(rt *rapid.T) {
		var all []content.Item
		for _, p := range rapid.SliceOfNDistinct(path, 1, 6, rapid.ID).Draw(rt, "paths") {
			all = append(all, contenttest.Item("mag", p, typ.Draw(rt, "type"), "One", "One."))
		}
		b.Fill(rt, "mag", "articles", all...)
		var rules []policy.Rule
		for range rapid.IntRange(1, 4).Draw(rt, "rules") {
			r := policy.Rule{Access: rapid.SampledFrom([]policy.Access{policy.Open, policy.Licensed, policy.Blocked}).
				Draw(rt, "access")}
			if rapid.Bool().Draw(rt, "by type") {
				r.Match.Type = []string{typ.Draw(rt, "of type")}
			}
			if rapid.Bool().Draw(rt, "by path") {
				r.Match.Path = []string{rapid.SampledFrom([]string{"/a/**", "/b", "/c*", "/**", "/a"}).Draw(rt,
					"pattern")}
			}
			switch rapid.IntRange(0, 2).Draw(rt, "for whom") {
			case 1:
				r.Parties.Permit = []string{policy.PartyVerified}
			case 2:
				r.Parties.Prohibit = []string{"training"}
			}
			rules = append(rules, r)
		}
		b.SetRules(rt, rules...)
		public, gate := b.both(rt, "mag.example")
		for _, i := range all {
			facts := policy.Facts{Site: "mag", Source: "articles", URL: i.URL, Types: i.Types}
			said := gate
			if b.Terms().ForAny().Decide(facts).Access != policy.Blocked { // of which nothing is told to others
				said = public
			}
			for _, party := range []policy.Party{{}, {Proven: policy.Traits{Classes: []string{policy.PartyVerified}}},
				{Said: policy.Traits{Classes: []string{"training"}}},
				{Proven: policy.Traits{Classes: []string{policy.PartyVerified, "training"}}}} {
				decision, own := b.Terms().For(party).Decide(facts), said.For(party)
				if got := own.At(pathOf(i.URL)); decision.Access.Stricter(got) {
					rt.Fatalf("%s is %s by the policy %+v, and %s by the terms for %+v", i.URL, got, said,
						decision.Access, party)
				}
			}
		}
	})
}
