package policy

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestADecisionHasWhatItsRuleSays(t *testing.T) {
	t.Parallel()
	rule := Rule{
		Access: Licensed, Labels: []string{"finance.markets"}, Excerpt: Excerpt{60},
		Functions: Functions{Permit: []string{"ai-input"}},
		Users:     Restriction{Prohibit: []string{"government"}}, Countries: Restriction{Permit: []string{"DE", "AT"}},
		Display: Display{50},
		Price:   Price{Model: "per_access", Rate: "0.02", Currency: "USD"}, Reporting: Reporting{24 * time.Hour},
		Delivery: []string{"direct"},
	}
	got := mustNew(t, rule).Decide(page("https://example.com/"))
	got.Reason = ""
	want := Decision{
		Access: Licensed, Labels: []string{"finance.markets"}, ExcerptWords: 60, Permit: []string{"ai-input"},
		Users: Restriction{Prohibit: []string{"government"}}, Countries: Restriction{Permit: []string{"DE", "AT"}},
		DisplayWords: 50,
		Price:        Money{Model: "per_access", Rate: 2_000_000, Currency: "USD"}, Reporting: 24 * time.Hour,
		Delivery: []string{"direct"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAUseIsPermittedOrRefusedForItsReason(t *testing.T) {
	t.Parallel()
	education := Restriction{Permit: []string{"education"}}
	for _, one := range []struct {
		name string
		rule Rule
		use  Use
		want Refusal
	}{
		{"what is blocked", Rule{Access: Blocked}, Use{Function: "search"}, ItemBlocked},
		{"what is open", Rule{Access: Open}, Use{Function: "ai-input"}, Permitted},
		{"what is licensed", Rule{Access: Licensed}, Use{Function: "ai-input", User: "commercial", Country: "US"},
			Permitted},
		{"a prohibited function", Rule{Access: Open, Functions: Functions{Prohibit: []string{"ai-all"}}},
			Use{Function: "ai-input"}, FunctionRefused},
		{"a function that is not listed", Rule{Access: Open, Functions: Functions{Permit: []string{"search"}}},
			Use{Function: "ai-input"}, FunctionRefused},
		{"a user who is listed", Rule{Access: Open, Users: education}, Use{Function: "search", User: "education"},
			Permitted},
		{"a user who is not listed", Rule{Access: Open, Users: education}, Use{Function: "search", User: "commercial"},
			UserRefused},
		{"a user of whom nothing is known, where some are listed", Rule{Access: Open, Users: education},
			Use{Function: "search"}, UserRefused},
		{"a prohibited user", Rule{Access: Open, Users: Restriction{Prohibit: []string{"government"}}},
			Use{Function: "search", User: "government"}, UserRefused},
		{"a user of whom nothing is known, where some are prohibited",
			Rule{Access: Open, Users: Restriction{Prohibit: []string{"government"}}}, Use{Function: "search"},
			Permitted},
		{"a listed country", Rule{Access: Open, Countries: Restriction{Permit: []string{"DE"}}},
			Use{Function: "search", Country: "DE"}, Permitted},
		{"another country", Rule{Access: Open, Countries: Restriction{Permit: []string{"DE"}}},
			Use{Function: "search", Country: "FR"}, CountryRefused},
		{"an unknown country, where some are listed",
			Rule{Access: Open, Countries: Restriction{Permit: []string{"DE"}}}, Use{Function: "search"},
			CountryRefused},
		{"a prohibited country", Rule{Access: Open, Countries: Restriction{Prohibit: []string{"US"}}},
			Use{Function: "search", Country: "US"}, CountryRefused},
		{"the user before the country",
			Rule{Access: Open, Users: education, Countries: Restriction{Prohibit: []string{"US"}}},
			Use{Function: "search", User: "personal", Country: "US"}, UserRefused},
		{"the function before the user", Rule{Access: Open, Functions: Functions{Permit: []string{"search"}},
			Users: education}, Use{Function: "ai-train"}, FunctionRefused},
	} {
		d := mustNew(t, one.rule).Decide(page("https://example.com/"))
		if got := d.Permits(one.use); got != one.want {
			t.Errorf("%s: %q, want %q", one.name, got, one.want)
		}
		if unknown := (Use{Function: one.use.Function}); d.Allows(one.use.Function) !=
			(d.Permits(unknown) == Permitted) {
			t.Errorf("%s: Allows says something else", one.name)
		}
	}
}

func TestItemsNarrowWhatTheRulesAllowAndNeverWidenIt(t *testing.T) {
	t.Parallel()
	input, search := Functions{Permit: []string{"ai-input"}}, Functions{Permit: []string{"search"}}
	rsl := func(options ...Option) *Own { return &Own{Stated: true, Options: options, From: []string{"RSL"}} }
	for _, one := range []struct {
		name   string
		rule   Rule
		own    *Own
		use    Use
		want   Refusal
		access Access
		words  int
	}{
		{"nothing of its own", Rule{Access: Open}, nil, Use{Function: "ai-input"}, Permitted, Open, 0},
		{"nothing said", Rule{Access: Open}, &Own{}, Use{Function: "ai-input"}, Permitted, Open, 0},
		{"nothing free", Rule{Access: Open}, rsl(), Use{Function: "search"}, OwnTermsRefuse, Open, 0},
		{"a listed function", Rule{Access: Open}, rsl(Option{Functions: search}), Use{Function: "search"}, Permitted,
			Open, 0},
		{"another function", Rule{Access: Open}, rsl(Option{Functions: search}), Use{Function: "ai-input"},
			OwnTermsRefuse, Open, 0},
		{"one of two options", Rule{Access: Open}, rsl(Option{Functions: search}, Option{Functions: input}),
			Use{Function: "ai-input"}, Permitted, Open, 0},
		{"what the rule does not allow", Rule{Access: Open, Functions: search}, rsl(Option{Functions: input}),
			Use{Function: "ai-input"}, FunctionRefused, Open, 0},
		{"an option for others", Rule{Access: Open}, rsl(Option{Users: Restriction{Permit: []string{"education"}}}),
			Use{Function: "search", User: "commercial"}, OwnTermsRefuse, Open, 0},
		{"an option for elsewhere", Rule{Access: Open}, rsl(Option{Countries: Restriction{Prohibit: []string{"US"}}}),
			Use{Function: "search", Country: "US"}, OwnTermsRefuse, Open, 0},
		{"ignored", Rule{Access: Open, Imported: "ignore"}, rsl(), Use{Function: "ai-input"}, Permitted, Open, 0},
		{"obeyed", Rule{Access: Open, Imported: "obey"}, rsl(), Use{Function: "ai-input"}, OwnTermsRefuse, Open, 0},
		{"not free, and open", Rule{Access: Open}, &Own{Unfree: true}, Use{Function: "search"}, Permitted,
			Licensed, 60},
		{"not free, and licensed", Rule{Access: Licensed, Excerpt: Excerpt{100}}, &Own{Unfree: true},
			Use{Function: "search"}, Permitted, Licensed, 60},
		{"not free, and licensed in few words", Rule{Access: Licensed, Excerpt: Excerpt{10}}, &Own{Unfree: true},
			Use{Function: "search"}, Permitted, Licensed, 10},
		{"not free, and blocked", Rule{Access: Blocked}, &Own{Unfree: true}, Use{Function: "search"}, ItemBlocked,
			Blocked, 0},
		{"not free, and ignored", Rule{Access: Open, Imported: "ignore"}, &Own{Unfree: true}, Use{Function: "search"},
			Permitted, Open, 0},
	} {
		facts := page("https://example.com/")
		facts.Own = one.own // as Markup would read it
		d := mustNew(t, one.rule).Decide(facts)
		if got := d.Permits(one.use); got != one.want || d.Access != one.access || d.ExcerptWords != one.words {
			t.Errorf("%s: %q, %s with %d words; want %q, %s with %d", one.name, got, d.Access, d.ExcerptWords, one.want,
				one.access, one.words)
		}
	}
}

func TestPricesAreExact(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Money{
		"per_access 0.02 USD":                {"per_access", 2_000_000, "USD", 0, 0},
		"per_token 0.00000001 EUR":           {"per_token", 1, "EUR", 0, 0},
		"flat 1000000 JPY":                   {"flat", 1_000_000 * 100_000_000, "JPY", 0, 0},
		"subscription 12.5 GBP for 3 months": {"subscription", 1_250_000_000, "GBP", 3, 0},
		"revenue_share 0.15":                 {"revenue_share", 15_000_000, "", 0, 0},
		"free":                               {"free", 0, "", 0, 0},
	} {
		words := append(strings.Fields(text), "", "")
		p := Price{Model: words[0], Rate: words[1], Currency: words[2], Months: want.Months}
		got, wrong := p.money()
		if got != want || wrong != nil || got.String() != text {
			t.Errorf("%s: %+v, %v, %q", text, got, wrong, got)
		}
	}
}

func TestWhatCannotBeMeantIsRefusedWithItsPlace(t *testing.T) {
	t.Parallel()
	price := func(model, rate, currency string, months int) func(*Rule) {
		return func(r *Rule) { r.Price = Price{model, rate, currency, months, 0} }
	}
	for name, one := range map[string]struct {
		change func(*Rule)
		field  string
	}{
		"an estimate below nothing": {func(r *Rule) {
			r.Price = Price{Model: "per_token", Rate: "1", Currency: "USD", Estimate: -1}
		}, "price.estimate"},
		"scopes of an open item": {func(r *Rule) { r.Access, r.Scopes = Open, []string{"a:b"} }, "scopes"},
		"no scope at all":        {func(r *Rule) { r.Access, r.Scopes = Licensed, []string{} }, "scopes"},
		"a scope without permission": {func(r *Rule) { r.Access, r.Scopes = Licensed, []string{"credit"} },
			"scopes[0]"},
		"a scope of everything": {func(r *Rule) { r.Access, r.Scopes = Licensed, []string{"*"} }, "scopes[0]"},
		"an odd user":           {func(r *Rule) { r.Users.Permit = []string{"students"} }, "users.permit[0]"},
		"a user both ways": {func(r *Rule) {
			r.Users = Restriction{[]string{"education"}, []string{"education"}}
		}, "users.permit[0]"},
		"an empty list":             {func(r *Rule) { r.Users.Permit = []string{} }, "users.permit"},
		"an empty list of function": {func(r *Rule) { r.Functions.Permit = []string{} }, "functions.permit"},
		"a country in words": {func(r *Rule) { r.Countries.Permit = []string{"Germany"} },
			"countries.permit[0]"},
		"a country in small": {func(r *Rule) { r.Countries.Prohibit = []string{"de"} }, "countries.prohibit[0]"},
		"no country":         {func(r *Rule) { r.Countries.Prohibit = []string{"XX"} }, "countries.prohibit[0]"},
		"a continent":        {func(r *Rule) { r.Countries.Prohibit = []string{"150"} }, "countries.prohibit[0]"},
		"a country both ways": {func(r *Rule) { r.Countries = Restriction{[]string{"DE"}, []string{"DE"}} },
			"countries.permit[0]"},
		"an odd delivery":          {func(r *Rule) { r.Delivery = []string{"pigeon"} }, "delivery[0]"},
		"odd display":              {func(r *Rule) { r.Display.Words = -1 }, "display.words"},
		"a short window":           {func(r *Rule) { r.Reporting.Window = time.Second }, "reporting.window"},
		"a long window":            {func(r *Rule) { r.Reporting.Window = 9000 * time.Hour }, "reporting.window"},
		"odd import":               {func(r *Rule) { r.Imported = "perhaps" }, "imported"},
		"no model":                 {price("", "1", "USD", 0), "price.model"},
		"an odd model":             {price("per_word", "1", "USD", 0), "price.model"},
		"no rate":                  {price("per_access", "", "USD", 0), "price.rate"},
		"a rate of nothing":        {price("per_access", "0.00", "USD", 0), "price.rate"},
		"a rate below nothing":     {price("per_access", "-1", "USD", 0), "price.rate"},
		"a rate with a comma":      {price("per_access", "0,02", "USD", 0), "price.rate"},
		"a rate with an exponent":  {price("per_access", "1e3", "USD", 0), "price.rate"},
		"nine decimals":            {price("per_access", "0.000000001", "USD", 0), "price.rate"},
		"too high a rate":          {price("per_access", "1000000.00000001", "USD", 0), "price.rate"},
		"a rate without end":       {price("per_access", strings.Repeat("9", 30), "USD", 0), "price.rate"},
		"a share of more than all": {price("revenue_share", "1.01", "", 0), "price.rate"},
		"a share in money":         {price("revenue_share", "0.1", "USD", 0), "price.currency"},
		"no currency":              {price("per_access", "1", "", 0), "price.currency"},
		"a currency in small":      {price("per_access", "1", "usd", 0), "price.currency"},
		"an odd currency":          {price("per_access", "1", "QQQ", 0), "price.currency"},
		"a free one with a rate":   {price("free", "1", "", 0), "price.rate"},
		"months of access":         {price("per_access", "1", "USD", 3), "price.months"},
		"months below nothing":     {price("subscription", "1", "USD", -1), "price.months"},
	} {
		rule := Rule{Access: Open, Line: 7}
		one.change(&rule)
		_, err := New([]Rule{rule})
		var wrong *RuleError
		if !errors.As(err, &wrong) || wrong.Field != one.field || wrong.Line != 7 {
			t.Errorf("%s: %v, want it at %s", name, err, one.field)
		}
	}
}

// TestEveryVocabularyIsAccepted is the other side of the test before.
func TestEveryVocabularyIsAccepted(t *testing.T) {
	t.Parallel()
	for _, model := range priceModels {
		p := Price{Model: model}
		if !slices.Contains(unpaidModels, model) {
			p.Rate = "0.5"
		}
		if slices.Contains(pricedModels, model) {
			p.Currency = "EUR"
		}
		rule := Rule{Access: Open, Price: p, Users: Restriction{Permit: users}, Delivery: deliveries,
			Countries: Restriction{Permit: []string{"DE", "GB", "US", "JP"}}}
		if _, err := New([]Rule{rule}); err != nil {
			t.Errorf("%s: %v", model, err)
		}
	}
}

func FuzzAmount(f *testing.F) {
	for _, text := range []string{"0.02", "1", "1000000", "0.00000001", "", ".", "1.", ".5", "-1", "1e5", "00.10"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		units, err := ParseAmount(text)
		if err != nil {
			return
		}
		again, err := ParseAmount(Amount(units))
		if err != nil || again != units {
			t.Fatalf("%q is %d units, written %s and read as %d, %v", text, units, Amount(units), again, err)
		}
	})
}

// TestAmountsReadAsTheyAreWritten goes there and back, with and without a sign.
func TestAmountsReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	for units, want := range map[int64]string{
		0: "0", 1: "0.00000001", 2_000_000: "0.02", 100_000_000: "1", 123_456_789: "1.23456789", -50_000_000: "-0.5",
		-1: "-0.00000001", -300_000_000: "-3",
		math.MinInt64: "-92233720368.54775808",
	} {
		if have := Amount(units); have != want {
			t.Errorf("%d: %s, want %s", units, have, want)
		}
		if back, err := ParseAmount(want); units >= 0 && (err != nil || back != units) || units < 0 && err == nil {
			t.Errorf("%s: %d, %v", want, back, err)
		}
	}
}
