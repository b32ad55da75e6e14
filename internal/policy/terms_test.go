package policy

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// classTree is a corner of schema.org's, enough to see that types are matched with what is below
// them.
var classTree = map[string]string{"Recipe": "HowTo", "HowTo": "CreativeWork", "NewsArticle": "Article",
	"Article": "CreativeWork"}

func isA(t, ancestor string) bool {
	for ; t != ""; t = classTree[t] {
		if t == ancestor {
			return true
		}
	}
	return false
}

func mustNew(t testing.TB, rules ...Rule) *Terms {
	t.Helper()
	compiled, err := Options{IsA: isA}.New(rules)
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

func page(url string, types ...string) Facts {
	return Facts{Site: "main", Source: "articles", URL: url, Types: types}
}

func TestFirstRuleThatMatchesWins(t *testing.T) {
	t.Parallel()
	rules := mustNew(t,
		Rule{Match: Match{Path: []string{"/premium/free/**"}}, Access: Open, Line: 2},
		Rule{Match: Match{Path: []string{"/premium/**"}}, Access: Licensed, Excerpt: Excerpt{60},
			Labels:    []string{"finance.markets"},
			Functions: Functions{Permit: []string{"ai-input"}, Prohibit: []string{"ai-train"}}, Line: 4},
		Rule{Match: Match{Path: []string{"/premium/secret"}}, Access: Blocked, Line: 6},
		Rule{Access: Open, Line: 8},
	)
	for url, want := range map[string]int{
		"https://example.com/premium/free/a": 0,
		"https://example.com/premium/a":      1,
		"https://example.com/premium/secret": 1, // the licensed rule stands before
		"https://example.com/other":          3,
	} {
		if got := rules.Decide(page(url)); got.Rule != want {
			t.Errorf("%s: decided by rule %d (%s), want %d", url, got.Rule, got.Reason, want)
		}
	}
	want := Decision{
		Access: Licensed, Labels: []string{"finance.markets"}, ExcerptWords: 60, Permit: []string{"ai-input"},
		Prohibit: []string{"ai-train"},
		Rule:     1, Line: 4, Reason: "rule 2 (line 4) matches: path /premium/**",
	}
	if diff := cmp.Diff(want, rules.Decide(page("https://example.com/premium/a"))); diff != "" {
		t.Error(diff)
	}
}

func TestWithoutRulesEverythingIsOpen(t *testing.T) {
	t.Parallel()
	got := mustNew(t).Decide(page("not even a URL"))
	if got.Access != Open || got.Rule != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestItemThatNoRuleMatchesIsBlocked(t *testing.T) {
	t.Parallel()
	rules := mustNew(t, Rule{Match: Match{Type: []string{"Recipe"}}, Access: Open})
	if got := rules.Decide(page("https://example.com/", "Recipe")); got.Access != Open {
		t.Errorf("a recipe is not open: %+v", got)
	}
	if got := rules.Decide(page("https://example.com/", "Product")); got.Access != Blocked || got.Rule != -1 {
		t.Errorf("an item without a rule is not blocked: %+v", got)
	}
}

func TestUnreadableAddressIsBlockedWhenARuleAsksForIt(t *testing.T) {
	t.Parallel()
	rules := mustNew(t,
		Rule{Match: Match{Type: []string{"Recipe"}}, Access: Open},
		Rule{Match: Match{Path: []string{"/premium/**"}}, Access: Licensed},
		Rule{Access: Open},
	)
	for _, url := range []string{"", "premium/a", "/premium/a", "https:premium/a", "https:///premium/a",
		" https://example.com/premium/a",
		"https://example.com/prem\tium/a", "https://exa mple.com/premium/a", "https://[::1/premium/a",
		"https://[::1]x/premium", "1http://example.com/",
		"https://example.com/" + strings.Repeat("a", maxAddress)} {
		if got := rules.Decide(page(url, "Article")); got.Access != Blocked || got.Rule != 1 {
			t.Errorf("%q: got %+v", url, got)
		}
		if got := rules.Decide(page(url, "Recipe")); got.Access != Open {
			t.Errorf("%q: the first rule does not ask for the address, yet got %+v", url, got)
		}
	}
}

func TestAllConditionsMustHold(t *testing.T) {
	t.Parallel()
	rules := mustNew(t, Rule{Match: Match{
		Site: []string{"main"}, Source: []string{"articles", "news"}, Type: []string{"Article"},
		Host: []string{"example.com"}, Path: []string{"/a/*"},
	}, Access: Open})
	good := Facts{Site: "main", Source: "news", URL: "https://example.com/a/b", Types: []string{"Thing", "NewsArticle"}}
	if got := rules.Decide(good); got.Access != Open {
		t.Fatalf("all conditions hold, yet got %+v", got)
	}
	for name, change := range map[string]func(*Facts){
		"site":   func(f *Facts) { f.Site = "other" },
		"source": func(f *Facts) { f.Source = "shop" },
		"type":   func(f *Facts) { f.Types = []string{"Recipe"} },
		"host":   func(f *Facts) { f.URL = "https://example.org/a/b" },
		"path":   func(f *Facts) { f.URL = "https://example.com/a/b/c" },
	} {
		bad := good
		change(&bad)
		if got := rules.Decide(bad); got.Access != Blocked {
			t.Errorf("%s differs, yet got %+v", name, got)
		}
		steps := rules.Explain(bad).Steps
		if why := steps[0].Why; !strings.HasPrefix(why, "its "+name+" is ") {
			t.Errorf("%s differs, and the explanation says %q", name, why)
		}
	}
}

func TestTypeMatchesWhatIsBelowIt(t *testing.T) {
	t.Parallel()
	for _, spelled := range []string{"CreativeWork", "https://schema.org/CreativeWork", "schema:CreativeWork"} {
		rules := mustNew(t, Rule{Match: Match{Type: []string{spelled}}, Access: Open})
		if got := rules.Decide(page("", "Recipe")); got.Access != Open {
			t.Errorf("%s: a recipe is not matched: %+v", spelled, got)
		}
		if got := rules.Decide(page("", "Product")); got.Access != Blocked {
			t.Errorf("%s: a product is matched: %+v", spelled, got)
		}
	}
}

func TestBadRulesAreAllReported(t *testing.T) {
	t.Parallel()
	_, err := New([]Rule{
		{Access: "public", Labels: []string{"a b"}, Line: 3},
		{Access: Open, Excerpt: Excerpt{10},
			Match: Match{Path: []string{"premium/**", "", "/a**", "/a/../b", "/a?b", "https://example.com/a"},
				Host: []string{}}, Line: 7},
		{Access: Licensed, Excerpt: Excerpt{-1}, Match: Match{Host: []string{"*", "a/b", "example.com:80", "*.*.com"}},
			Functions: Functions{
				Permit: []string{"search", "reading"}, Prohibit: []string{"search"}}},
	})
	want := []string{
		`rule 1 (line 3), access: "public" is none of open, licensed, blocked`,
		`rule 1 (line 3), labels[0]: "a b" is no label: use letters, digits, dots, dashes, like finance.markets`,
		`rule 2 (line 7), excerpt: an excerpt is shown of licensed items only; remove it or write access: licensed`,
		`rule 2 (line 7), match.path[1]: it is empty; name a value or remove the key`,
		`rule 2 (line 7), match.host: an empty list matches nothing; name a value or remove the key`,
		`rule 2 (line 7), match.path[0]: "premium/**": a path pattern begins with a slash, like /premium/**`,
		`rule 2 (line 7), match.path[2]: "/a**": ** stands for whole segments; write /premium/** for all below /premium, or /premium* for segments that begin so`,
		`rule 2 (line 7), match.path[3]: "/a/../b": a path pattern has no . or .. segments; write the path that is meant`,
		`rule 2 (line 7), match.path[4]: "/a?b": a path ends before ? and #; rules do not see what comes after them`,
		`rule 2 (line 7), match.path[5]: "https://example.com/a": a path begins with a slash; name the host by the key host`,
		`rule 3, excerpt.words: -1 is not between 0 and 500`,
		`rule 3, functions.permit[0]: "search" is prohibited by the same rule; keep one of the two`,
		`rule 3, functions.permit[1]: "reading" is no function; there are search, ai-input, ai-index, ai-train, ai-all, all`,
		`rule 3, match.host[0]: "*": write a host name like example.com, or *.example.com for all hosts below it`,
		`rule 3, match.host[1]: "a/b": write a host name like example.com, or *.example.com for all hosts below it`,
		`rule 3, match.host[2]: "example.com:80": write a host name like example.com, or *.example.com for all hosts below it`,
		`rule 3, match.host[3]: "*.*.com": write a host name like example.com, or *.example.com for all hosts below it`,
	}
	if diff := cmp.Diff(want, strings.Split(err.Error(), "\n")); diff != "" {
		t.Error(diff)
	}
	var first *RuleError
	if !errors.As(err, &first) || first.Rule != 0 || first.Field != "access" {
		t.Errorf("the error does not say where: %+v", first)
	}
}

func TestWarningsNameUnreachableRulesAndAMissingLastRule(t *testing.T) {
	t.Parallel()
	everything := Rule{Access: Open, Line: 1}
	some := Rule{Match: Match{Path: []string{"/a"}}, Access: Blocked, Line: 2}
	for _, c := range []struct {
		rules []Rule
		want  []int
	}{
		{nil, nil},
		{[]Rule{some, everything}, nil},
		{[]Rule{everything, some}, []int{1}},
		{[]Rule{some}, []int{0}},
	} {
		var got []int
		for _, w := range mustNew(t, c.rules...).Warnings() {
			got = append(got, w.Rule)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%v: %s", c.rules, diff)
		}
	}
}

func TestVersionTellsRulesApart(t *testing.T) {
	t.Parallel()
	a := Rule{Match: Match{Path: []string{"/a"}}, Access: Open, Line: 3}
	moved := a
	moved.Line = 9
	other := a
	other.Access = Blocked
	if mustNew(t, a).Version() != mustNew(t, moved).Version() {
		t.Error("a rule that moved in its file has another version")
	}
	if mustNew(t, a).Version() == mustNew(t, other).Version() {
		t.Error("another rule has the same version")
	}
}

func TestAllowsFollowsPermissionsAndProhibitions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		decision Decision
		function string
		want     bool
	}{
		{Decision{Access: Open}, "ai-train", true},
		{Decision{Access: Blocked}, "search", false},
		{Decision{Access: Open, Permit: []string{"search"}}, "search", true},
		{Decision{Access: Open, Permit: []string{"search"}}, "ai-input", false},
		{Decision{Access: Open, Permit: []string{"ai-all"}}, "ai-input", true},
		{Decision{Access: Open, Permit: []string{"ai-all"}}, "search", false},
		{Decision{Access: Open, Permit: []string{"all"}}, "search", true},
		{Decision{Access: Open, Prohibit: []string{"ai-train"}}, "ai-input", true},
		{Decision{Access: Open, Prohibit: []string{"ai-train"}}, "ai-all", false},
		{Decision{Access: Open, Prohibit: []string{"ai-all"}, Permit: []string{"all"}}, "ai-index", false},
		{Decision{Access: Open, Prohibit: []string{"all"}}, "search", false},
	} {
		if got := c.decision.Allows(c.function); got != c.want {
			t.Errorf("%+v allows %s: %v, want %v", c.decision, c.function, got, c.want)
		}
	}
}

func BenchmarkDecide(b *testing.B) {
	rules := mustNew(b,
		Rule{Match: Match{Path: []string{"/premium/**", "/members/**"}}, Access: Licensed, Excerpt: Excerpt{60}},
		Rule{Match: Match{Host: []string{"*.internal.example.com"}}, Access: Blocked},
		Rule{Match: Match{Type: []string{"NewsArticle"}}, Access: Licensed},
		Rule{Match: Match{Source: []string{"drafts"}}, Access: Blocked},
		Rule{Access: Open},
	)
	item := page("https://www.example.com/recipes/vegetarian/lentil-soup-with-lemon", "Recipe")
	b.ReportAllocs()
	for b.Loop() {
		rules.Decide(item)
	}
}

func TestStatedIsKnownOnlyWhereAllRulesSayIt(t *testing.T) {
	t.Parallel()
	permit := func(f ...string) Functions { return Functions{Permit: f} }
	prohibit := func(f ...string) Functions { return Functions{Prohibit: f} }
	shop := Match{Site: []string{"shop"}}
	for _, c := range []struct {
		name     string
		rules    []Rule
		site     string
		function string
		want     string
	}{
		{"no rules", nil, "shop", "ai-train", "unknown"},
		{"an open rule that names no function", []Rule{{Access: Open}}, "shop", "search", "unknown"},
		{"prohibited by name", []Rule{{Access: Open, Functions: prohibit("ai-train")}}, "shop", "ai-train", "no"},
		{"prohibited by group", []Rule{{Access: Open, Functions: prohibit("ai-all")}}, "shop", "ai-train", "no"},
		{"another is prohibited", []Rule{{Access: Open, Functions: prohibit("ai-train")}}, "shop", "search", "unknown"},
		{"permitted by name", []Rule{{Access: Open, Functions: permit("search")}}, "shop", "search", "yes"},
		{"not among the permitted", []Rule{{Access: Open, Functions: permit("search")}}, "shop", "ai-train", "no"},
		{"one rule says it, one does not",
			[]Rule{{Match: Match{Path: []string{"/a"}}, Access: Open, Functions: prohibit("ai-train")}, {Access: Open}},
			"shop", "ai-train", "unknown"},
		{"rules disagree", []Rule{{Match: Match{Path: []string{"/a"}}, Access: Open, Functions: permit("search")},
			{Access: Open, Functions: prohibit("search")}}, "shop", "search", "unknown"},
		{"what is blocked says nothing", []Rule{{Match: Match{Path: []string{"/a"}}, Access: Blocked},
			{Access: Licensed, Functions: prohibit("ai-train")}}, "shop", "ai-train", "no"},
		{"all is blocked", []Rule{{Access: Blocked}}, "shop", "ai-train", "unknown"},
		{"of this site", []Rule{{Match: shop, Access: Open, Functions: prohibit("ai-train")}}, "shop", "ai-train",
			"no"},
		{"of another site", []Rule{{Match: shop, Access: Open, Functions: prohibit("ai-train")}}, "press", "ai-train",
			"unknown"},
	} {
		compiled, err := New(c.rules)
		if err != nil {
			t.Fatal(c.name, err)
		}
		allowed, known := compiled.ImportedTerms(c.site, c.function)
		got := "unknown"
		if known {
			got = map[bool]string{true: "yes", false: "no"}[allowed]
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
