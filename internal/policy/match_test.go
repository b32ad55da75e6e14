package policy

import (
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestPathPatterns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern string
		yes, no []string
	}{
		{"/premium/**", []string{"/premium", "/premium/", "/premium/a", "/premium/a/b.html"},
			[]string{"/", "/premiums/a", "/x/premium/a", "/Premium/a"}},
		{"/premium/*", []string{"/premium/a", "/premium/a/"}, []string{"/premium", "/premium/", "/premium/a/b"}},
		{"/**", []string{"/", "/a", "/a/b"}, nil},
		{"/", []string{"/", "", "//", "/./"}, []string{"/a"}},
		{"/**/draft", []string{"/draft", "/a/draft", "/a/b/draft", "/draft/draft"}, []string{"/draft/a", "/drafts"}},
		{"/a/**/b/**/c", []string{"/a/b/c", "/a/x/b/y/z/c", "/a/b/b/c", "/a/b/c/b/c"},
			[]string{"/a/c", "/a/b", "/a/c/b", "/a/b/c/d"}},
		{"/*.html", []string{"/a.html", "/.html"}, []string{"/a.htm", "/a/b.html", "/html"}},
		{"/2026-*-*/*", []string{"/2026-11-20/a", "/2026--/a"}, []string{"/2026-11/a", "/2026-11-20"}},
		{"/*a*b*", []string{"/ab", "/xaybz", "/aab"}, []string{"/ba", "/a", "/b"}},
		{"/a*a", []string{"/aa", "/aba"}, []string{"/a"}},
		{"/caf%C3%A9", []string{"/café", "/caf%c3%a9", "/cafe\u0301"}, []string{"/cafe"}},
		{"/a%2A", []string{"/a*", "/a%2a"}, []string{"/ab"}},
		{"/100%", []string{"/100%", "/100%25"}, []string{"/100"}},
		{"/a//b/", []string{"/a/b"}, []string{"/a"}},
	} {
		rules := mustNew(t, Rule{Match: Match{Path: []string{c.pattern}}, Access: Open})
		for _, p := range c.yes {
			if d := rules.Decide(page("https://example.com" + p)); d.Access != Open {
				t.Errorf("%s does not match %s", c.pattern, p)
			}
		}
		for _, p := range c.no {
			if d := rules.Decide(page("https://example.com" + p)); d.Access == Open {
				t.Errorf("%s matches %s", c.pattern, p)
			}
		}
	}
}

func TestHostPatterns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern string
		yes, no []string
	}{
		{"example.com", []string{"example.com", "EXAMPLE.com", "example.com.", "example.com:8080",
			"user:pass@example.com", "ex%61mple.com", "b@d@example.com"},
			[]string{"www.example.com", "example.com.evil.net", "example.com@evil.net", "example.org"}},
		{"*.Example.com", []string{"www.example.com", "a.b.example.com"},
			[]string{"example.com", "notexample.com", "wwwexample.com"}},
		{"bücher.example", []string{"xn--bcher-kva.example", "BÜCHER.example", "bu\u0308cher.example"},
			[]string{"bucher.example"}},
		{"[::1]", []string{"[::1]", "[::1]:8080"}, []string{"127.0.0.1"}},
		{"127.0.0.1", []string{"127.0.0.1:80"}, []string{"127.0.0.2"}},
	} {
		rules := mustNew(t, Rule{Match: Match{Host: []string{c.pattern}}, Access: Open})
		for _, h := range c.yes {
			if d := rules.Decide(page("https://" + h + "/a")); d.Access != Open {
				t.Errorf("%s does not match %s: %s", c.pattern, h,
					rules.Explain(page("https://" + h + "/a")).Steps[0].Why)
			}
		}
		for _, h := range c.no {
			if d := rules.Decide(page("https://" + h + "/a")); d.Access == Open {
				t.Errorf("%s matches %s", c.pattern, h)
			}
		}
	}
}

func TestNoSpellingDodgesARule(t *testing.T) {
	t.Parallel()
	rules := mustNew(t, Rule{Match: Match{Host: []string{"example.com"}, Path: []string{"/premium/**"}},
		Access: Blocked}, Rule{Access: Open})
	for _, url := range []string{
		"https://example.com/premium/a",
		"HTTPS://Example.COM/premium/a",
		"https://example.com:443/premium/a",
		"https://example.com./premium/a",
		"https://someone@example.com/premium/a",
		"https://example.com//premium//a",
		"https://example.com/./premium/a",
		"https://example.com/free/../premium/a",
		"https://example.com/../../premium/a",
		"https://example.com/free/%2e%2E/premium/a",
		"https://example.com/%70remium/a",
		"https://example.com/%2570remium/a",
		"https://example.com/%252570remium/a",
		"https://example.com/premium%2fa",
		"https://example.com/premium%5Ca",
		`https://example.com\premium\a`,
		`https:\\example.com/premium/a`,
		"https://example.com/premium/?page=2",
		"https://example.com/premium#top",
		"https://example.com/premium/",
		// What cannot be read for sure is blocked as well.
		"https:/example.com/premium/a",
		"https://example.com/pre\nmium/a",
		"https:example.com/premium",
		"\thttps://example.com/premium",
		"//example.com/premium/a",
	} {
		if d := rules.Decide(page(url)); d.Access != Blocked {
			t.Errorf("%q gets out: %s", url, d.Reason)
		}
	}
	if d := rules.Decide(page("https://example.com/free/premium")); d.Access != Open {
		t.Errorf("an open page is blocked: %s", d.Reason)
	}
}

func TestAddressesWithoutHostHaveAPath(t *testing.T) {
	t.Parallel()
	rules := mustNew(t, Rule{Match: Match{Path: []string{"/isbn:*"}}, Access: Blocked},
		Rule{Match: Match{Host: []string{"example.com"}}, Access: Blocked}, Rule{Access: Open})
	if d := rules.Decide(page("urn:isbn:123")); d.Rule != 0 {
		t.Errorf("got %+v", d)
	}
	if d := rules.Decide(page("urn:issn:123")); d.Rule != 2 {
		t.Errorf("got %+v", d)
	}
}

// aPath draws a plain path of a few short segments, over so few letters that patterns match often.
func aPath(t *rapid.T) string {
	return "/" + strings.Join(rapid.SliceOfN(rapid.StringMatching(`[abé]{1,3}`), 0, 5).Draw(t, "path"), "/")
}

func aPattern(t *rapid.T) string {
	return "/" + strings.Join(rapid.SliceOfN(rapid.StringMatching(`\*\*|\*|a\*|[abé]{1,2}`), 0, 5).Draw(t, "pattern"), "/")
}

func someRules(t *rapid.T) []Rule {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Rule {
		rule := Rule{Access: rapid.SampledFrom([]Access{Open, Licensed, Blocked}).Draw(t, "access")}
		if rapid.Bool().Draw(t, "by path") {
			rule.Match.Path = []string{aPattern(t)}
		}
		if rapid.Bool().Draw(t, "by type") {
			rule.Match.Type = []string{rapid.SampledFrom([]string{"Recipe", "CreativeWork", "Product"}).Draw(t, "type")}
		}
		if rapid.Bool().Draw(t, "by source") {
			rule.Match.Source = []string{rapid.SampledFrom([]string{"articles", "shop"}).Draw(t, "source")}
		}
		return rule
	}), 1, 6).Draw(t, "rules")
}

func someFacts(t *rapid.T) Facts {
	return Facts{
		Site:   "main",
		Source: rapid.SampledFrom([]string{"articles", "shop"}).Draw(t, "source"),
		URL:    "https://example.com" + aPath(t),
		Types:  rapid.SliceOfN(rapid.SampledFrom([]string{"Recipe", "Product", "Thing"}), 0, 2).Draw(t, "types"),
	}
}

func TestPropertyFirstMatchWins(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rules, facts := someRules(t), someFacts(t)
		want := -1
		for i := range rules {
			// A rule alone either decides by itself or leaves the item without a rule.
			if mustNewIn(t, rules[i:i+1]).Decide(facts).Rule == 0 {
				want = i
				break
			}
		}
		if got := mustNewIn(t, rules).Decide(facts); got.Rule != want {
			t.Fatalf("decided by rule %d, want %d", got.Rule, want)
		}
	})
}

func TestPropertyExplainSaysWhatDecideDecides(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rules, facts := mustNewIn(t, someRules(t)), someFacts(t)
		if rapid.Bool().Draw(t, "unreadable") {
			facts.URL = "nowhere"
		}
		decided, explained := rules.Decide(facts), rules.Explain(facts)
		if diff := cmp.Diff(decided, explained.Decision); diff != "" {
			t.Fatal(diff)
		}
		for i, step := range explained.Steps {
			if step.Matched != (i == decided.Rule && !strings.Contains(step.Why, "cannot be read")) {
				t.Fatalf("rule %d decided, and of rule %d it is said: matched %v, %s", decided.Rule, i, step.Matched,
					step.Why)
			}
			if step.Why == "" || step.Conditions == "" {
				t.Fatalf("nothing is said of rule %d", i)
			}
		}
	})
}

func TestPropertySpellingsOfAPathDecideAlike(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rules, facts := mustNewIn(t, someRules(t)), someFacts(t)
		respelled := facts
		respelled.URL = respell(facts.URL, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)))
		if diff := cmp.Diff(rules.Decide(facts), rules.Decide(respelled)); diff != "" {
			t.Fatalf("%s and %s: %s", facts.URL, respelled.URL, diff)
		}
	})
}

// respell writes an address of example.com in another of its many ways.
func respell(address string, random *rand.Rand) string {
	var b strings.Builder
	b.WriteString([]string{"https://example.com", "HTTPS://EXAMPLE.com:443", "https://me@example.com."}[random.IntN(3)])
	for i, c := range []byte(strings.TrimPrefix(address, "https://example.com")) {
		switch way := random.IntN(6); {
		case i == 0:
			b.WriteByte(c) // encoded, it would be a part of the host
		case c == '/':
			b.WriteString([]string{"/", "//", "/./", "/x/../", `\`, "%2F"}[way])
		case way == 0:
			fmt.Fprintf(&b, "%%%02x", c)
		case way == 1:
			fmt.Fprintf(&b, "%%25%02X", c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteString([]string{"", "/", "?a=/b", "#/../b"}[random.IntN(4)])
	return b.String()
}

func TestPropertyGlobsAgreeWithAnOracle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pattern, p := aPattern(t), aPath(t)
		glob, err := parsePath(pattern)
		if err != nil {
			t.Fatal(err)
		}
		want := oracle(segments(pattern), segments(p))
		if got := glob.match(p); got != want {
			t.Fatalf("%s on %s: %v, want %v", pattern, p, got, want)
		}
	})
}

func segments(p string) []string {
	return slices.DeleteFunc(strings.Split(p, "/"), func(s string) bool { return s == "" })
}

// oracle matches by trying everything.
func oracle(pattern, segments []string) bool {
	if len(pattern) == 0 {
		return len(segments) == 0
	}
	if pattern[0] == "**" {
		return oracle(pattern[1:], segments) || len(segments) > 0 && oracle(pattern, segments[1:])
	}
	if len(segments) == 0 {
		return false
	}
	ok, err := path.Match(pattern[0], segments[0])
	return err == nil && ok && oracle(pattern[1:], segments[1:])
}

func mustNewIn(t *rapid.T, rules []Rule) *Terms {
	terms, err := Options{IsA: isA}.New(rules)
	if err != nil {
		t.Fatal(err)
	}
	return terms
}

// Not parallel: it counts what is allocated.
func TestDecideAllocatesNothing(t *testing.T) {
	rules := mustNew(t, Rule{Match: Match{Path: []string{"/premium/**"}, Host: []string{"*.example.com"}},
		Access: Blocked}, Rule{Access: Open})
	item := page("https://www.example.com/recipes/lentil-soup/", "Recipe")
	if n := testing.AllocsPerRun(100, func() { rules.Decide(item) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzAddress(f *testing.F) {
	for _, seed := range []string{"https://example.com/premium/a", "https://example.com/%2570remium", `http:\\a\b`,
		"urn:isbn:1", "https://[::1]:80/%2e%2e/", "https://bücher.example/é", "%", "a:"} {
		f.Add(seed, "/premium/**", "*.example.com")
	}
	f.Fuzz(func(t *testing.T, address, pattern, host string) {
		gotHost, gotPath, err := splitAddress(address)
		if err == nil {
			again, err := canonicalHost(gotHost)
			if !strings.Contains(gotHost, ":") && (err != nil || again != gotHost) {
				t.Errorf("the host %q is not in its final form: %q, %v", gotHost, again, err)
			}
			if again := canonicalPath(gotPath); again != gotPath {
				t.Errorf("the path %q is not in its final form: %q", gotPath, again)
			}
		}
		rules, err := New([]Rule{{Match: Match{Path: []string{pattern}, Host: []string{host}}, Access: Open}})
		if err != nil {
			return
		}
		facts := Facts{URL: address}
		if decided, explained := rules.Decide(facts),
			rules.Explain(facts); decided.Reason != explained.Decision.Reason {
			t.Errorf("%q is said of the decision %q", explained.Decision.Reason, decided.Reason)
		}
	})
}
