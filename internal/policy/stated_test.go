package policy

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"frontdesk/wire/licence"
)

func document(t testing.TB, contents string) *licence.Document {
	t.Helper()
	d, err := licence.Parse([]byte("<rsl>" + contents + "</rsl>"))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// licensesAt are what is for sale at an address, in words.
func licensesAt(t testing.TB, stated ImportedTerms, url string, sale Sale) (all []string) {
	t.Helper()
	r, err := stated.RSL()
	if err != nil {
		t.Fatal(err)
	}
	rules, err := Options{RSL: []*RSL{r}}.New([]Rule{{Access: Licensed}})
	if err != nil {
		t.Fatal(err)
	}
	facts := page(url)
	facts.Site = "a"
	for _, l := range rules.Decide(facts).Licenses(sale) {
		all = append(all, l.Price.String()+"/"+strings.Join(l.Functions.Permit, " ")+"/"+
			strings.Join(l.Countries.Permit, " ")+"/"+strings.Join(l.From, "+"))
	}
	return all
}

func TestWhatCountsIsTheFirstThatSaysIt(t *testing.T) {
	t.Parallel()
	stated := ImportedTerms{
		Site: "a", Hosts: []string{"a.example", "www.a.example"},
		Documents: []ImportedDocument{
			{Name: "one", Base: "https://a.example/l/rsl.xml", Document: document(t, `
				<content url="/"><license><permits>ai-input</permits><permits type="geo">DE</permits><payment type="purchase"><amount currency="EUR">0.2</amount></payment></license>
					<license><permits>search</permits><payment type="free"/></license></content>
				<content url="beside"><license><payment type="crawl"><amount>0.01</amount></payment></license></content>
				<content url="https://b.example/"><license><payment type="free"/></license></content>
				<content url="https://www.a.example/only"><license><payment type="training"><amount currency="gold">5</amount></payment></license></content>
				<content url="/none"><license><payment type="none"/></license></content>
				<content url="/many"><license><payment type="attribution,contribution"/></license></content>`)},
			{Name: "two", Document: document(t, `<content url="/"><license><permits>ai-train</permits></license></content>
				<content url="/two"><license><permits>ai-train</permits></license></content>`)},
		},
		Addresses: []ImportedAddress{
			{URL: "https://a.example/price", Name: "map",
				Stated: licence.Stated{Priced: true, Model: "per_token", Rate: "0.001", Currency: "USD"}},
			{URL: "https://a.example/uses", Name: "map", Stated: licence.Stated{Permits: []string{"ai-index"}}},
			{URL: "https://a.example/both?x=1", Name: "map",
				Stated: licence.Stated{Priced: true, Permits: []string{"ai-index"}}},
			{URL: "https://a.example/none", Name: "map", Stated: licence.Stated{Tokens: 7}},
			{URL: "https://b.example/x", Name: "map", Stated: licence.Stated{Priced: true, Model: "free"}},
			{URL: "https://a.example/price", Name: "later", Stated: licence.Stated{Priced: true, Model: "free"}},
		},
	}
	for url, want := range map[string][]string{
		"https://a.example/x":          {"free/search//one, /", "per_access 0.2 EUR/ai-input/DE/one, /"},
		"https://a.example/l/beside/x": {"per_fetch 0.01///one, /l/beside"},
		"https://www.a.example/only":   {"training///one, www.a.example/only"}, // in no currency that there is
		"https://a.example/only":       {"free/search//one, /", "per_access 0.2 EUR/ai-input/DE/one, /"},
		// not what is stated of others' hosts
		"https://b.example/":     {"free/search//one, /", "per_access 0.2 EUR/ai-input/DE/one, /"},
		"https://a.example/none": {"///one, /none"},
		"https://a.example/many": {"attribution///one, /many"},
		"https://a.example/two":  {"/ai-train//two, /two"},
		"https://a.example/price": {"per_token 0.001 USD/search//map+one, /",
			"per_token 0.001 USD/ai-input/DE/map+one, /"},
		"https://a.example/uses":        {"free/ai-index//map+one, /", "per_access 0.2 EUR/ai-index/DE/map+one, /"},
		"https://a.example/both?x=1#no": {"/ai-index//map+one, /", "/ai-index/DE/map+one, /"},
		"https://a.example/both":        {"free/search//one, /", "per_access 0.2 EUR/ai-input/DE/one, /"},
	} {
		if got := licensesAt(t, stated, url, Sale{}); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
	if got := licensesAt(t, stated, "https://a.example/x",
		Sale{Functions: []string{"ai-input"}, Country: "FR"}); got != nil {
		t.Errorf("for France: %q", got)
	}
	stated.Site = "b"
	if got := licensesAt(t, stated, "https://a.example/x", Sale{}); !slices.Equal(got, []string{"///"}) {
		t.Errorf("what one site states counts for another: %q", got)
	}
	stated.Documents[0].Document.Contents[0].URL = "https://a b/"
	if _, err := stated.RSL(); err == nil || !strings.Contains(err.Error(), "one") {
		t.Errorf("a pattern that cannot be read: %v", err)
	}
}

func TestAStatedPriceIsACeiling(t *testing.T) {
	t.Parallel()
	usd := func(model string, rate int64) Money { return Money{Model: model, Rate: rate, Currency: "USD"} }
	for _, one := range []struct {
		asked, stated, want Money
	}{
		{usd("per_access", 5), usd("per_access", 3), usd("per_access", 3)},
		{usd("per_access", 3), usd("per_access", 5), usd("per_access", 3)},
		{usd("per_access", 5), usd("per_token", 3), usd("per_access", 5)},
		{usd("per_access", 5), Money{Model: "per_access", Rate: 3, Currency: "EUR"}, usd("per_access", 5)},
		{usd("per_access", 5), Money{Model: "per_access", Rate: 3}, usd("per_access", 3)},
		{usd("per_access", 5), Money{Model: "per_access"}, usd("per_access", 5)},
		{usd("per_access", 5), Money{Model: "free"}, Money{Model: "free"}},
		{Money{Model: "attribution"}, Money{Model: "free"}, Money{Model: "attribution"}},
		{Money{}, Money{Model: "free"}, Money{}},
		{usd("per_access", 5), Money{}, usd("per_access", 5)},
	} {
		if got := one.asked.At(one.stated); got != one.want {
			t.Errorf("%v at %v: %v, want %v", one.asked, one.stated, got, one.want)
		}
	}
	if got := (Money{Model: "per_access", Rate: 3}).In(""); got.Currency != "USD" {
		t.Errorf("without a currency: %v", got)
	}
	if got := (Money{Model: "per_access", Rate: 3}).In("EUR"); got.Currency != "EUR" {
		t.Errorf("without a currency, beside another: %v", got)
	}
}

// TestTheIndexFindsWhatALookAtAllFinds holds the index against a look at every pattern.
func TestTheIndexFindsWhatALookAtAllFinds(t *testing.T) {
	t.Parallel()
	letters := rapid.StringMatching(`/[ab/]{0,3}(\*[abc/]{0,4}){0,2}\$?`)
	rapid.Check(t, func(t *rapid.T) {
		var contents strings.Builder
		for _, pattern := range rapid.SliceOfN(letters, 1, 60).Draw(t, "patterns") {
			host := rapid.SampledFrom([]string{"", "https://a.example", "https://b.example"}).Draw(t, "host")
			contents.WriteString(`<content url="` + host + pattern + `"><license/></content>`)
		}
		r, err := ParseRSL("x", []byte("<rsl>"+contents.String()+"</rsl>"))
		if err != nil {
			t.Fatal(err)
		}
		url := "https://a.example" + rapid.StringMatching(`/[abc/]{0,8}(\?[abc]{0,3})?`).Draw(t, "path")
		s := subject{Facts: page(url)}
		s.address()
		query, asked := s.query()
		var want *Own
		for i := range r.parts {
			p := &r.parts[i]
			folder := strings.TrimSuffix(s.path, "/") + "/"
			first, second := s.path, folder
			if asked {
				first, second = first+"?"+query, second+"?"+query
			}
			if (p.host == "" || p.host == s.host) &&
				(MatchStars(p.glob, first, p.end) || MatchStars(p.glob, second, p.end)) {
				want = p.own
				break
			}
		}
		if got := r.own(&s); got != want {
			t.Fatalf("%s: %v, want %v", url, got, want)
		}
	})
}

// BenchmarkRSL resolves addresses by 10,000 patterns: such as sites have, and such as make an index
// useless that goes by beginnings alone. The floor looks at all patterns.
func BenchmarkRSL(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	word := func() string { return fmt.Sprintf("%x", random.Uint32()) }
	shapes := map[string]func(i int) string{
		"folders": func(int) string { return "/" + word() + "/" + word() + "/" },
		"mixed": func(i int) string {
			return []string{"/" + word() + "/", "/" + word() + "/*.pdf$", "/*/" + word() + "/",
				"/" + word() + "?id="}[i%4]
		},
		"stars": func(int) string { return "/*" + word() + "*" + word() + "$" },
	}
	for _, name := range []string{"folders", "mixed", "stars"} {
		var contents strings.Builder
		var addresses []string
		for i := range 10_000 {
			pattern := shapes[name](i)
			contents.WriteString(`<content url="` + pattern + `"><license/></content>`)
			if i%10 == 0 {
				addresses = append(addresses, "https://a.example"+strings.NewReplacer("*", "some/thing", "$",
					"").Replace(pattern))
			}
		}
		contents.WriteString(`<content url="/"><license/></content>`)
		r, err := ParseRSL("x", []byte("<rsl>"+contents.String()+"</rsl>"))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := range b.N {
				s := subject{Facts: Facts{URL: addresses[i%len(addresses)]}}
				if r.own(&s) == nil {
					b.Fatal("nothing is found")
				}
			}
		})
		b.Run(name+"/floor", func(b *testing.B) {
			for i := range b.N {
				s := subject{Facts: Facts{URL: addresses[i%len(addresses)]}}
				s.address()
				if !slices.ContainsFunc(r.parts, func(p rslPart) bool { return MatchStars(p.glob, s.path, p.end) }) {
					b.Fatal("nothing is found")
				}
			}
		})
	}
}

// loosely decides on an address by what is stated alone.
func loosely(t *rapid.T, stated ImportedTerms, url string) Decision {
	r, err := stated.RSL()
	if err != nil {
		t.Fatal(err)
	}
	rules, err := Options{RSL: []*RSL{r}}.New([]Rule{{Access: Licensed}})
	if err != nil {
		t.Fatal(err)
	}
	facts := page(url)
	facts.Site = "a"
	return rules.Decide(facts)
}

// decisions are what rules may decide.
func decisions(t *rapid.T, name string) Decision {
	lists := func(of []string, what string) []string {
		return rapid.SliceOfNDistinct(rapid.SampledFrom(of), 0, 2, rapid.ID).Draw(t, name+what)
	}
	d := Decision{Access: rapid.SampledFrom([]Access{Open, Licensed, Blocked}).Draw(t, name),
		Permit: lists(functions, "permit"), Prohibit: lists(functions, "prohibit")}
	if model := rapid.SampledFrom(append([]string{""}, priceModels...)).Draw(t, name+"model"); model != "" {
		d.Price = Money{Model: model}
		if !d.Price.Free() {
			d.Price.Rate, d.Price.Currency = rapid.Int64Range(1, 1e9).Draw(t, name+"rate"),
				rapid.SampledFrom([]string{"USD", "EUR"}).Draw(t, name+"currency")
		}
	}
	if rapid.Bool().Draw(t, name+"users") {
		d.Users.Permit, d.Countries.Prohibit = lists(users, "user"), lists([]string{"DE", "FR"}, "country")
	}
	return d
}

// TestWhatIsWrittenIsReadBackEqual writes licences as RSL and as RAMP sitemaps, reads them, and
// holds what they permit, and at what price, against what was decided: it is the same where the
// form has words for it, and else nothing is permitted.
func TestWhatIsWrittenIsReadBackEqual(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		single, rest := decisions(t, "single"), decisions(t, "rest")
		fallback := Money{Model: "per_access", Rate: 7, Currency: "USD"}
		l := Licensing{Single: map[string]string{"/one": single.RSL(fallback, "https://x.example/how")},
			Rest: rest.RSL(fallback, "")}
		parsed, err := licence.Parse(l.RSL("https://a.example"))
		if err != nil {
			t.Fatal(err)
		}
		stated := single.SitemapTerms(fallback)
		again := licence.Stated{}
		document := `<urlset xmlns:ramp="` + licence.SitemapNamespace + `">` + stated.XML() + "</urlset>"
		if !strings.Contains(document, "<ramp:permits>") {
			t.Fatal(document)
		}
		again.Permits, again.Prohibits, again.Model, again.Rate, again.Currency, again.Priced = stated.Permits,
			stated.Prohibits, stated.Model, stated.Rate, stated.Currency, stated.Priced
		for url, one := range map[string]struct {
			decided Decision
			stated  ImportedTerms
			sitemap bool
		}{
			"https://a.example/one": {single, ImportedTerms{Documents: []ImportedDocument{{Document: parsed}}},
				false},
			"https://a.example/other": {rest, ImportedTerms{Documents: []ImportedDocument{{Document: parsed}}}, false},
			"https://a.example/one#": {single,
				ImportedTerms{Addresses: []ImportedAddress{{URL: "https://a.example/one", Stated: again}}}, true},
		} {
			one.stated.Site, one.stated.Hosts = "a", []string{"a.example"}
			back := loosely(t, one.stated, url)
			to, price, some := one.decided.told(fallback)
			_, says := licence.PaymentOf(price.Model)
			if one.sitemap && (!to.Users.none() || !to.Countries.none()) {
				some = false
			}
			for _, function := range plainFunctions {
				sale := Sale{Functions: []string{function}}
				allowed := some && says && to.Functions.Allow(function)
				licenses := back.Licenses(sale)
				if (len(licenses) > 0) != allowed {
					t.Fatalf("%s for %s: %v, want %t", url, function, licenses, allowed)
				}
				if !allowed {
					continue
				}
				want := price
				if want.Model == "flat" {
					want.Model = "per_access"
				}
				if want.Metered() && !one.sitemap {
					want.Rate, want.Currency = 0, "" // which RSL has no word for
				}
				if licenses[0].Price != want ||
					licenses[0].Paid != (want.Model != "free" && want.Model != "attribution") {
					t.Fatalf("%s for %s: %+v, want %v", url, function, licenses[0], want)
				}
				if !one.sitemap && (!slices.Equal(licenses[0].Users.Permit, to.Users.Permit) ||
					!slices.Equal(licenses[0].Countries.Prohibit, to.Countries.Prohibit)) {
					t.Fatalf("%s binds to %+v, want %+v", url, licenses[0], to)
				}
			}
		}
	})
}
