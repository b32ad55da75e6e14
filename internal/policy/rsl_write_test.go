package policy

import (
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// rslSays is what a reader of RSL takes out of a document for an address: the licence of the
// longest pattern that fits (RFC 9309, section 2.2.2), of several of one length the first that
// permits something; empty for nothing.
func rslSays(t *testing.T, document []byte, address string) string {
	t.Helper()
	var all struct {
		Contents []struct {
			URL  string `xml:"url,attr"`
			Text string `xml:",innerxml"`
		} `xml:"content"`
	}
	if err := xml.Unmarshal(document, &all); err != nil {
		t.Fatal(err)
	}
	longest, says := -1, ""
	for _, c := range all.Contents {
		glob, end := strings.CutSuffix(c.URL, "$")
		if MatchStars(glob, address, end) &&
			(len(c.URL) > longest || len(c.URL) == longest && says == RSLNothing) {
			longest, says = len(c.URL), c.Text
		}
	}
	return says
}

// TestRSLNeverSaysMoreThanTheRules makes rules and asks for paths: what a document says of each is
// what the rules decide, or that nothing is permitted.
func TestRSLNeverSaysMoreThanTheRules(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	const rounds = 500
	exact := 0
	for range rounds {
		var rules []Rule
		for range 1 + random.IntN(5) {
			var glob strings.Builder
			for range 1 + random.IntN(3) {
				glob.WriteString("/" + pick("a", "b", "c", "a*", "*", "*b", "**", "ab", "a.b"))
			}
			rule := Rule{Match: Match{Path: []string{glob.String()}}}
			switch random.IntN(4) {
			case 0:
				rule.Access = Open
			case 1:
				rule.Access = Blocked
			case 2:
				rule.Access, rule.Price = Licensed, Price{Model: "per_fetch", Rate: "1", Currency: "USD"}
			default:
				rule.Access, rule.Functions = Open, Functions{Permit: []string{"search"}}
			}
			rules = append(rules, rule)
		}
		if random.IntN(2) == 0 {
			rules = append(rules, Rule{Access: []Access{Open, Blocked}[random.IntN(2)]})
		}
		made, err := New(rules)
		if err != nil {
			continue // such as /a**
		}
		l := made.Paths("main", "x.example", Money{}, "")
		document := l.RSL("https://x.example")
		for range 30 {
			path := ""
			for range random.IntN(5) {
				path += "/" + pick("a", "b", "c", "ab", "aab", "a.b", "d")
			}
			if path == "" {
				path = "/"
			}
			path += pick("", "", "?q=/a/b", "?")
			is := made.Decide(Facts{Site: "main", URL: "https://x.example" + path}).RSL(Money{}, "")
			switch says := rslSays(t, document, "https://x.example"+path); says {
			case is:
				exact++
			case "", RSLNothing:
			default:
				t.Fatalf("of %s the document says %s, and the rules %s\n%s\n%+v", path, says, is, document, rules)
			}
		}
	}
	if exact < rounds*30/3 {
		t.Errorf("only %d of the addresses are said as they are", exact)
	}
}

// TestRSLSaysWhatItHasWordsFor holds the licence of each decision to the letter.
func TestRSLSaysWhatItHasWordsFor(t *testing.T) {
	t.Parallel()
	const how = "https://desk.example/m?a&b"
	usd := func(model string) Money { return Money{Model: model, Rate: 2_000_000, Currency: "USD"} }
	paid := func(kind, amount string) string {
		return `<license><permits type="usage">all</permits><payment type="` + kind + `"><custom>https://desk.example/m?a&amp;b</custom>` + amount + `</payment></license>`
	}
	const amount = `<amount currency="USD">0.02</amount>`
	free := `<license><permits type="usage">all</permits><payment type="free"/></license>`
	for name, v := range map[string]struct {
		d    Decision
		want string
	}{
		"open": {Decision{Access: Open}, free},
		"open for some": {Decision{Access: Open, Permit: []string{"search", "ai-input"},
			Prohibit: []string{"ai-train"}, Users: Restriction{Prohibit: []string{"commercial"}},
			Countries: Restriction{Permit: []string{"DE", "FR"}}}, `<license><permits type="usage">search ai-input</permits><prohibits type="usage">ai-train</prohibits><prohibits type="user">commercial</prohibits><permits type="geo">DE FR</permits><payment type="free"/></license>`},
		"blocked": {Decision{Access: Blocked}, RSLNothing},
		"with scopes": {Decision{Access: Licensed, Scopes: []string{"a:b"}, Price: usd("per_access")},
			RSLNothing},
		"without a price": {Decision{Access: Licensed}, RSLNothing},
		"a purchase":      {Decision{Access: Licensed, Price: usd("per_access")}, paid("purchase", amount)},
		"a purchase with a report": {Decision{Access: Licensed, Price: usd("per_access"), Reporting: 1,
			DisplayWords: 5}, paid("purchase", amount)},
		"once":    {Decision{Access: Licensed, Price: usd("flat")}, paid("purchase", amount)},
		"a fetch": {Decision{Access: Licensed, Price: usd("per_fetch")}, paid("crawl", amount)},
		"tokens":  {Decision{Access: Licensed, Price: usd("per_token")}, paid("use", "")},
		"a subscription": {Decision{Access: Licensed, Price: usd("subscription")},
			paid("subscription", amount)},
		"a subscription of a month": {Decision{Access: Licensed,
			Price: Money{Model: "subscription", Rate: 1, Currency: "USD", Months: 1}}, paid("subscription", "")},
		"training": {Decision{Access: Licensed, Price: usd("training")}, paid("training", amount)},
		"pages":    {Decision{Access: Licensed, Price: usd("per_page")}, RSLNothing},
		"a share": {Decision{Access: Licensed, Price: Money{Model: "revenue_share", Rate: 1}},
			RSLNothing},
		"attribution": {Decision{Access: Licensed, Price: Money{Model: "attribution"}},
			strings.Replace(free, "free", "attribution", 1)},
		"contribution": {Decision{Access: Licensed, Price: Money{Model: "contribution"}},
			strings.Replace(free, "free", "contribution", 1)},
		"free with a report": {Decision{Access: Licensed, Price: Money{Model: "free"}, Reporting: 1},
			RSLNothing},
		"open with a bound of words": {Decision{Access: Open, DisplayWords: 50}, RSLNothing},
		"own terms that cost": {Decision{Access: Open, Own: []*Own{{Stated: true, Paid: []Option{{}}}}},
			RSLNothing},
		"own terms that narrow": {Decision{Access: Open,
			Own: []*Own{{Stated: true, Options: []Option{{Users: Restriction{Prohibit: []string{"commercial"}}}}}}}, `<license><permits type="usage">all</permits><prohibits type="user">commercial</prohibits><payment type="free"/></license>`},
		"own terms without words": {Decision{Access: Open,
			Own: []*Own{{Stated: true, Options: []Option{{Functions: Functions{Permit: []string{"nothing"}}}}}}},
			RSLNothing},
	} {
		if got := v.d.RSL(Money{}, how); got != v.want {
			t.Errorf("%s: %s", name, got)
		}
		if _, err := ParseRSL("x", []byte(`<rsl xmlns="https://rslstandard.org/rsl"><content url="/">`+v.want+`</content></rsl>`)); err != nil {
			t.Errorf("%s cannot be read: %v", name, err)
		}
	}
	if got := (Decision{Access: Licensed}).RSL(usd("per_access"), how); got != paid("purchase", amount) {
		t.Errorf("at the site's price: %s", got)
	}
}

// TestAnRSLDocumentNamesEachPath holds a document to the letter.
func TestAnRSLDocumentNamesEachPath(t *testing.T) {
	t.Parallel()
	rules, err := New([]Rule{
		{Match: Match{Path: []string{"/premium/**"}}, Access: Licensed,
			Price: Price{Model: "per_access", Rate: "0.02", Currency: "USD"}},
		{Match: Match{Path: []string{"/a&b"}}, Access: Blocked},
		{Match: Match{Type: []string{"Recipe"}}, Access: Blocked},
		{Access: Open},
	})
	if err != nil {
		t.Fatal(err)
	}
	l := rules.Paths("main", "www.example.com", Money{}, "")
	l.Single = map[string]string{"/premium/x": RSLNothing}
	const licensed = `<license><permits type="usage">all</permits><payment type="purchase"><amount currency="USD">0.02</amount></payment></license>`
	want := `<?xml version="1.0" encoding="UTF-8"?>
<!-- made by Frontdesk of the terms of its owner -->
<rsl xmlns="https://rslstandard.org/rsl">
`
	for _, c := range [][2]string{
		{"/premium/x$", RSLNothing}, {"/premium/x?", RSLNothing}, {"/premium$", licensed}, {"/premium?", licensed},
		{"/premium/", licensed},
		{"/a&amp;b$", RSLNothing}, {"/a&amp;b?", RSLNothing}, {"/a&amp;b/$", RSLNothing}, {"/a&amp;b/?", RSLNothing},
		{"/", `<license><permits type="usage">all</permits><payment type="free"/></license>`},
	} {
		want += fmt.Sprintf("  <content url=\"https://www.example.com%s\">%s</content>\n", c[0], c[1])
	}
	want += "</rsl>\n"
	if got := string(l.RSL("https://www.example.com")); got != want {
		t.Errorf("%s", got)
	}
}
