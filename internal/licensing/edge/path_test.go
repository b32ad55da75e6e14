package edge

import (
	"strings"
	"testing"

	"frontdesk/internal/identity/agents"
	"frontdesk/internal/policy"
)

func policyOf(t testing.TB) *Policy {
	t.Helper()
	p, err := ReadPolicy([]byte(`{"default_policy": "RESOURCE_ACCESS_POLICY_OPEN", "rules": [
		{"pattern": "/shop/free%2Bodd", "policy": "RESOURCE_ACCESS_POLICY_OPEN"}, {"pattern": "/shop/*", "policy": "RESOURCE_ACCESS_POLICY_LICENSED"},
		{"pattern": "/Shop2/*.pdf", "policy": "RESOURCE_ACCESS_POLICY_BLOCKED"}, {"pattern": "/unsaid", "policy": "RESOURCE_ACCESS_POLICY_UNSPECIFIED"},
		{"pattern": "/Übung/*", "policy": "RESOURCE_ACCESS_POLICY_LICENSED"}, {"pattern": "/kern/*", "policy": "RESOURCE_ACCESS_POLICY_LICENSED"},
		{"pattern": "/one", "policy": "RESOURCE_ACCESS_POLICY_LICENSED"}]}`), Blocked)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestAPathIsAsOpenAsItsStrictestReading(t *testing.T) {
	t.Parallel()
	p := policyOf(t)
	for path, want := range map[string]Access{
		"/": Open, "/a": Open, "/shop": Open, "/shop/a": Licensed, "/shop/free+odd": Open, "/shop/free%2bodd": Open,
		"/shop/free%2Bodd/x": Licensed,
		"/SHOP/a":            Licensed, "/%73hop/a": Licensed, "/%2573hop/a": Licensed, "//shop//a": Licensed,
		"/shop;x/a": Licensed, "/shop./a": Licensed, "/shop%20/a": Licensed,
		"/;x/shop/a": Licensed, "/%3Bx/shop/a": Licensed, "/%20/shop/a": Licensed, "/.../shop/a": Licensed,
		"/;x/one": Licensed, "/one/;x": Licensed, "/a;x//;y/one": Open,
		"/Shop2/a.pdf": Blocked, "/shop2/a.PDF": Blocked, "/shop2/a.pdf.html": Open, "/Shop2/a.pdf%20": Blocked,
		"/unsaid": Blocked, "/one": Licensed, "/one/": Licensed, "/one/x": Open,
		"/a%ff": Open, "/caf%C3%A9": Open, "/one%3Fx": Licensed, "/one%23x": Licensed, "/one%253Fx": Licensed,
		"/one%3fx/y": Licensed, "/%3Fone": Open, "/a%3F/one": Open,
		"/%C3%9Cbung/a": Licensed, "/%C3%BCbung/a": Licensed, "/%C3%BCBUNG/a": Licensed, "/%E2%84%AAern/a": Licensed,
		"/kern/a":         Licensed,
		"/sh%EF%BD%8Fp/a": Licensed, "/sh%25EF%25BD%258Fp/a": Licensed, "/%EF%BC%B3hop/a": Licensed,
		"/shop%EF%BC%8Fa": Licensed, "/%EF%BC%8Fshop/a": Licensed, "/%EF%BC%8F/one": Licensed,
		"/U%CC%88bung/a": Licensed, "/one%EF%BC%9Fx": Licensed, "/%EF%BC%85%37%33hop/a": Licensed, "/%E2%91%A0": Open,
		"/50%EF%BC%85-off":           Open,
		"/shop::$INDEX_ALLOCATION/a": Licensed, "/shop:$I30:$INDEX_ALLOCATION/a": Licensed, "/one::$DATA": Licensed,
		"/one:x": Open,
	} {
		if got, ok := p.At(path, nil); !ok || got != want {
			t.Errorf("%s is %s (%t), want %s", path, got, ok, want)
		}
	}
	for _, path := range []string{
		"", "shop", "/a/../shop/a", "/a/%2e%2E/shop/a", "/a/..;/shop", "/a%2Fb", "/a%252fb", "/a%5cb", "/a\\b", "/a%00",
		"/a%0d", "/a/.", "/%c0%ae", "/a/%e0%80%af", "/a%", "/a%zz", "/a/..%20/shop", "/a/.%20/b", "/a/..%20;x/b",
		"/a/..%3Fx", "/a/.%23/b", "/a/..%253F", "/a/..::$INDEX_ALLOCATION/shop", "/a/..:$I30/b", "/a/%E2%80%A5/shop",
		"/a/%EF%BC%8E%EF%BC%8E/shop", "/a%EF%BC%8F..%EF%BC%8Fshop", "/a%EF%BC%BCb", "/a/%25EF%25BC%258E./shop", "/ü",
		"/a b", "/a#b",
	} {
		if got, ok := p.At(path, nil); ok {
			t.Errorf("%q was judged as %s", path, got)
		}
	}
}

func TestAPatternInAnyFormOfUnicodeCounts(t *testing.T) {
	t.Parallel()
	p := NewPolicy(Open, []Rule{{"/U%CC%88bung/*", Licensed, nil}, {"/%EF%BD%8Fne", Blocked, nil}})
	for path, want := range map[string]Access{
		"/%C3%9Cbung/a": Licensed, "/U%CC%88bung/a": Licensed, "/u%CC%88bung/a": Licensed, "/one": Blocked,
		"/%EF%BD%8Fne": Blocked, "/two": Open,
	} {
		if got, ok := p.At(path, nil); !ok || got != want {
			t.Errorf("%s is %s (%t), want %s", path, got, ok, want)
		}
	}
}

// TestWhoIsAnAgent: by the owner's words, by the list, or by a signature that claims so.
func TestWhoIsAnAgent(t *testing.T) {
	t.Parallel()
	listed, own := New(Config{}), New(Config{Agents: []string{"botß", "Shop"}})
	says := func(name string, engine bool) agents.Agent {
		return agents.Agent{Name: name, Engine: engine, Known: agents.ByWord}
	}
	signing := says("Googlebot", true)
	signing.Signature = agents.Unverified
	wrong := signing
	wrong.Signature = agents.Invalid
	foreign := agents.Agent{Signature: agents.Verified, Said: &agents.Known{UserAgent: "Googlebot", Engine: true}}
	for name, c := range map[string]struct {
		gate      *Gate
		who       agents.Agent
		userAgent string
		want      string
	}{
		"a person":                       {listed, agents.Agent{}, "Mozilla/5.0", ""},
		"of the list":                    {listed, says("GPTBot", false), "GPTBot", "GPTBot"},
		"a search engine":                {listed, says("Googlebot", true), "Googlebot", ""},
		"one that says it signs":         {listed, signing, "Googlebot", ""},
		"one whose signature is wrong":   {listed, wrong, "Googlebot", "Googlebot"},
		"signed":                         {listed, agents.Agent{Signature: agents.Verified}, "", "other"},
		"signed wrongly":                 {listed, agents.Agent{Signature: agents.Invalid}, "Mozilla/5.0", "other"},
		"signed by another than it says": {listed, foreign, "Googlebot", "Googlebot"},
		"by the owner's word":            {own, agents.Agent{}, "BOTSS BOTß", "botß"},
		"within a word":                  {own, agents.Agent{}, "myshopper/1", "Shop"},
		"none of the owner's":            {own, says("GPTBot", false), "GPTBot", ""},
		"none of these, signed":          {own, agents.Agent{Signature: agents.Invalid}, "", "other"},
	} {
		if got := c.gate.agentOf(c.who, c.userAgent); got != c.want {
			t.Errorf("%s is %q, want %q", name, got, c.want)
		}
	}
}

func TestAPolicyThatSaysNothingIsAsUnknown(t *testing.T) {
	t.Parallel()
	p, err := ReadPolicy([]byte(`{}`), Licensed)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := p.At("/a", nil); got != Licensed {
		t.Errorf("got %s", got)
	}
	for _, text := range []string{``, `[]`, `{"rules": [{"policy": "RESOURCE_ACCESS_POLICY_OPEN"}]}`, `{"default_policy": "EVERYBODY"}`} {
		if _, err := ReadPolicy([]byte(text), Open); err == nil {
			t.Errorf("%s was read", text)
		}
	}
}

// FuzzReadings holds that what is judged is judged in one spelling, and that another spelling of it
// is never more open.
func FuzzReadings(f *testing.F) {
	for _, path := range []string{"/shop/a", "/%73hop//a;b/.", "/a%252e%252e/b", "/%c3%a9", "/a%25zz", "/;x/shop/a",
		"/%20/shop/a", "/a%EF%BC%8Fshop", "/%EF%BC%852e"} {
		f.Add(path)
	}
	p := policyOf(f)
	f.Fuzz(func(t *testing.T, path string) {
		ways, err := readings(path)
		if err != nil {
			return
		}
		for _, way := range ways {
			for _, wrong := range []string{"/../", "/./", "\\", "%2F", "%5C", "%00"} {
				if strings.Contains(escaped(way)+"/", wrong) {
					t.Fatalf("%q is read as %q", path, way)
				}
			}
		}
		access, _ := p.At(path, nil)
		if plain, ok := p.At(escaped(ways[0]), nil); ok && stricter(plain, access) != access {
			t.Fatalf("%q is %s, and as %q %s", path, access, ways[0], plain)
		}
		for _, way := range []string{merged(path), bare(path), merged(bare(path)), bare(merged(path))} {
			if plain, ok := p.At(way, nil); ok && stricter(plain, access) != access {
				t.Fatalf("%q is %s, and as %q %s", path, access, way, plain)
			}
		}
	})
}

func FuzzPattern(f *testing.F) {
	f.Add("/a*b", "/axxb")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		if policy.MatchStars(pattern, path, true) != slow(pattern, path, 0) {
			t.Fatalf("%q %q", pattern, path)
		}
	})
}

// slow is fits as it is meant.
func slow(pattern, path string, depth int) bool {
	if pattern == "" {
		return path == ""
	}
	if len(pattern)+len(path) > 40 || depth > 60 {
		return policy.MatchStars(pattern, path, true) // beyond what can be tried out
	}
	if pattern[0] == '*' {
		return slow(pattern[1:], path, depth+1) || path != "" && slow(pattern, path[1:], depth+1)
	}
	return path != "" && path[0] == pattern[0] && slow(pattern[1:], path[1:], depth+1)
}
