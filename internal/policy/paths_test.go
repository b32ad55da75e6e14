package policy

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPolicyTellsWhatRulesSayOfPaths(t *testing.T) {
	t.Parallel()
	rules := mustNew(t,
		Rule{Match: Match{Path: []string{"/private/**", "/a b/*.pdf"}}, Access: Blocked},
		Rule{Match: Match{Type: []string{"Recipe"}}, Access: Licensed},
		Rule{Match: Match{Path: []string{"/other/**"}, Site: []string{"elsewhere"}}, Access: Blocked},
		Rule{Match: Match{Path: []string{"/shop/**"}, Host: []string{"*.example.com"}}, Access: Open},
		Rule{Match: Match{Path: []string{"/x/**/y"}}, Access: Licensed},
		Rule{Match: Match{Host: []string{"www.example.com"}}, Access: Licensed},
		Rule{Access: Open},
	)
	p := rules.Policy("site", "www.example.com")
	if p.Default != Licensed {
		t.Error("the rule for the whole host is passed over:", p)
	}
	var written []string
	for _, r := range p.Rules {
		written = append(written, r.Pattern+" "+string(r.Access))
	}
	want := "/private blocked, /private/* blocked, /a%20b/*.pdf blocked, /a%20b/*.pdf/ blocked, /shop open, /shop/* " +
		"open, /x/y licensed, /x/*/y licensed, /x/y/ licensed, /x/*/y/ licensed"
	if got := strings.Join(written, ", "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if other := rules.Policy("site", "example.org"); other.Default != Open || other.At("/shop/1") != Open ||
		other.At("/private/") != Blocked {
		t.Error(other)
	}
	if none := mustNew(t, Rule{Match: Match{Path: []string{"/a"}}, Access: Open}).Policy("site",
		"example.org"); none.Default != Blocked || none.At("/a") != Open || none.At("/abc") != Blocked {
		t.Error("what no rule speaks of is blocked:", none)
	}
}

// What rules say of an address by its path alone, the policy says, too, but for a star within a
// segment, which stands for more there.
func TestPolicySaysWhatTheRulesDecide(t *testing.T) {
	t.Parallel()
	segment := rapid.SampledFrom([]string{"a", "b", "a b", "ä", "x.html"})
	access := rapid.SampledFrom([]Access{Open, Licensed, Blocked})
	rapid.Check(t, func(t *rapid.T) {
		var rules []Rule
		for range rapid.IntRange(0, 4).Draw(t, "rules") {
			parts := rapid.SliceOfN(rapid.OneOf(segment, rapid.Just("**")), 1, 4).Draw(t, "pattern")
			rules = append(rules, Rule{Match: Match{Path: []string{"/" + strings.Join(parts, "/")}},
				Access: access.Draw(t, "access")})
		}
		rules = append(rules, Rule{Access: access.Draw(t, "rest")})
		compiled, err := New(rules)
		if err != nil {
			t.Fatal(err)
		}
		segments := rapid.SliceOfN(segment, 0, 4).Draw(t, "path")
		path := "/"
		for i, s := range segments {
			if i > 0 {
				path += "/"
			}
			path += escaped([]string{s})
		}
		if len(segments) > 0 && rapid.Bool().Draw(t, "slash") {
			path += "/"
		}
		policy := compiled.Policy("site", "example.com")
		got := policy.At(path)
		if want := compiled.Decide(Facts{Site: "site", URL: "https://example.com" + path, Types: []string{"Thing"}}).
			Access; got != want {
			t.Fatalf("%s is %s by the policy %v and %s by the rules", path, got, policy, want)
		}
	})
}

func TestStarOfAPathIsNoPattern(t *testing.T) {
	t.Parallel()
	p := Policy{Default: Open, Rules: []PathRule{{Pattern: "/c%2Ad", Access: Licensed}}}
	if p.At("/c*d") != Licensed || p.At("/c%2Ad") != Licensed || p.At("/cxd") != Open {
		t.Error(p.At("/c*d"), p.At("/c%2Ad"), p.At("/cxd"))
	}
}

func TestStricterOrders(t *testing.T) {
	t.Parallel()
	all := []Access{Open, Licensed, Blocked}
	for i, a := range all {
		for k, b := range all {
			if a.Stricter(b) != (i > k) {
				t.Error(a, b, slices.Index(all, a))
			}
		}
	}
}
