package policy

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// priced is a licensed rule for everything, which a change makes another.
func priced(change func(*Rule)) Rule {
	r := Rule{Access: Licensed, Price: Price{Model: "per_access", Rate: "1", Currency: "EUR"}}
	change(&r)
	return r
}

func TestSaleIsRefusedForItsFirstReason(t *testing.T) {
	t.Parallel()
	rule := priced(func(r *Rule) {
		r.Functions = Functions{Permit: []string{"ai-input", "search"}}
		r.Users = Restriction{Prohibit: []string{"government"}}
		r.Countries = Restriction{Permit: []string{"DE", "AT"}}
	})
	for name, one := range map[string]struct {
		sale Sale
		want Refusal
	}{
		"what is permitted": {Sale{Functions: []string{"search", "ai-input"}, User: "education",
			Country: "DE"}, Permitted},
		"nothing declared":                {Sale{}, Permitted},
		"a function too many":             {Sale{Functions: []string{"search", "ai-train"}}, FunctionRefused},
		"a group of which one is missing": {Sale{Functions: []string{"ai-all"}}, FunctionRefused},
		"function before user and country": {Sale{Functions: []string{"ai-train"}, User: "government",
			Country: "FR"}, FunctionRefused},
		"user before country":                 {Sale{User: "government", Country: "FR"}, UserRefused},
		"another country":                     {Sale{Country: "FR"}, CountryRefused},
		"an unknown country":                  {Sale{User: "education"}, Permitted},
		"an unknown country, strictly":        {Sale{User: "education", Strict: true}, CountryRefused},
		"an unknown user, strictly":           {Sale{Country: "DE", Strict: true}, UserRefused},
		"all known, strictly":                 {Sale{Country: "DE", User: "personal", Strict: true}, Permitted},
		"a user of whom nothing is said here": {Sale{User: "commercial"}, Permitted},
	} {
		if got := mustNew(t, rule).Decide(page("https://example.com/")).Sells(one.sale); got != one.want {
			t.Errorf("%s: %q, want %q", name, got, one.want)
		}
	}
	blocked := mustNew(t, Rule{Access: Blocked}).Decide(page("https://example.com/"))
	if got := blocked.Sells(Sale{}); got != ItemBlocked {
		t.Errorf("a blocked item: %q", got)
	}
}

func TestLicencesForMoneyAreSold(t *testing.T) {
	t.Parallel()
	document, err := ParseRSL("rsl.xml", []byte(`<rsl xmlns="https://rslstandard.org/rsl"><content url="/">
		<license><permits type="usage">search</permits><payment type="free"/></license>
		<license><permits type="usage">ai-input</permits><permits type="geo">de</permits><payment type="purchase"/></license>
	</content></rsl>`))
	if err != nil {
		t.Fatal(err)
	}
	rules, err :=
		Options{RSL: []*RSL{document}}.New([]Rule{priced(func(r *Rule) {
			r.Countries = Restriction{Permit: []string{"DE", "FR"}}
		})})
	if err != nil {
		t.Fatal(err)
	}
	d := rules.Decide(page("https://example.com/x"))
	if d.Permits(Use{Function: "ai-input", Country: "DE"}) == Permitted {
		t.Error("a licence for money permits something to those who have not paid")
	}
	for _, one := range []struct {
		sale Sale
		want Refusal
	}{
		{Sale{Functions: []string{"ai-input"}, Country: "DE"}, Permitted},
		{Sale{Functions: []string{"ai-input"}, Country: "FR"}, OwnTermsRefuse},
		{Sale{Functions: []string{"search"}, Country: "FR"}, Permitted},
		{Sale{Functions: []string{"search", "ai-input"}, Country: "DE"}, OwnTermsRefuse}, // no licence has both
		{Sale{Functions: []string{"ai-train"}}, OwnTermsRefuse},
	} {
		if got := d.Sells(one.sale); got != one.want {
			t.Errorf("%+v: %q, want %q", one.sale, got, one.want)
		}
	}
	functions, users, countries := d.Restricts(Sale{Functions: []string{"ai-input"}})
	if !slices.Equal(functions.Permit, []string{"ai-input"}) || !users.none() ||
		!slices.Equal(countries.Permit, []string{"DE"}) {
		t.Error("the buyer is told of", functions, users, countries)
	}
}

func TestNobodyIsBoundToLessThanTheTermsSay(t *testing.T) {
	t.Parallel()
	name := rapid.SampledFrom(functions)
	lists := rapid.Custom(func(t *rapid.T) Functions {
		return Functions{Permit: rapid.SliceOfNDistinct(name, 0, 3, rapid.ID).Draw(t, "permit"),
			Prohibit: rapid.SliceOfNDistinct(name, 0, 2, rapid.ID).Draw(t, "prohibit")}
	})
	rapid.Check(t, func(t *rapid.T) {
		d := Decision{Access: Licensed}
		rule := lists.Draw(t, "rule")
		d.Permit, d.Prohibit = rule.Permit, rule.Prohibit
		licence := Option{Functions: lists.Draw(t, "licence")}
		d.Own = []*Own{{Stated: true, Paid: []Option{licence}}}
		wanted := rapid.SliceOfNDistinct(name, 0, 3, rapid.ID).Draw(t, "wanted")
		sale := Sale{Functions: wanted}
		if d.Sells(sale) != Permitted {
			return
		}
		bound, _, _ := d.Restricts(sale)
		for _, f := range wanted {
			if !bound.Allow(f) {
				t.Fatalf("%s was sold, and the buyer is told that it is not permitted: %+v", f, bound)
			}
		}
		for _, f := range plainFunctions {
			if bound.Allow(f) && !(rule.Allow(f) && licence.Functions.Allow(f)) {
				t.Fatalf("the buyer is told that %s is permitted, which it is not: %+v", f, bound)
			}
		}
	})
}
