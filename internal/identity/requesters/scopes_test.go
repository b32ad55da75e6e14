package requesters

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestScopeCovers(t *testing.T) {
	t.Parallel()
	for _, v := range []struct {
		granted, required string
		want              bool
	}{
		{"*", "news:read", true}, {"*", "x", true}, {"news:*", "news:read", true}, {"news:*", "news:read:all", true},
		{"news:*", "news", false},
		{"news:read", "news:read", true}, {"news:read", "news:readers", false}, {"news:re", "news:read", false},
		{"news", "news:read", false},
		{"news:read", "news", false}, {"News:read", "news:read", false}, {"*:read", "news:read", true},
		{"*:read", "news:write", false},
		{"*:read", "news:read:all", false}, {"news:*:all", "news:read:all", true}, {"news:*:all", "news:all", false},
		{"", "", false}, {"*", "", false},
		{"", "news", false}, {"news:", "news:", true}, {"news:", "news:read", false}, {"news:rea*", "news:read", false},
		{"subscription:7", "subscription:7", true},
		{"subscription:7", "subscription:70", false}, {"*:*", "news", false}, {"*:*", "news:read:all", true},
	} {
		if got := ScopeCovers(v.granted, v.required); got != v.want {
			t.Errorf("%q covers %q: %v", v.granted, v.required, got)
		}
	}
}

func drawScope(t *rapid.T, label string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"*", "a", "b", "ab", ""}), 1, 4).Draw(t, label), ":")
}

// TestScopeCoversIsAnOrder holds that covering is transitive and that every scope that is something
// covers itself.
func TestScopeCoversIsAnOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := drawScope(t, "a"), drawScope(t, "b"), drawScope(t, "c")
		if a != "" && !ScopeCovers(a, a) {
			t.Fatalf("%q does not cover itself", a)
		}
		if ScopeCovers(a, b) && ScopeCovers(b, c) && !ScopeCovers(a, c) {
			t.Fatalf("%q covers %q, that %q, and the first not the last", a, b, c)
		}
	})
}

// TestClaimsUnlockNothing holds that what a requester claims never adds to what it holds, that a
// grant never takes away, and that without a grant nothing is held.
func TestClaimsUnlockNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := func(label string) (scopes []string) {
			for range rapid.IntRange(0, 3).Draw(t, label) {
				scopes = append(scopes, drawScope(t, label))
			}
			return scopes
		}
		granted, claimed, more, required := list("granted"), list("claimed"), list("more"), drawScope(t, "required")
		silent := Requester{Granted: granted}
		asking := Requester{Granted: granted, Claimed: claimed}
		if asking.Holds(required) && !silent.Holds(required) {
			t.Fatalf("claiming %q unlocks %q", claimed, required)
		}
		if asking.Holds(required) &&
			!(Requester{Granted: append(slices.Clone(granted), more...), Claimed: claimed}).Holds(required) {
			t.Fatalf("granting %q takes %q away", more, required)
		}
		if (Requester{Claimed: append(claimed, "*")}).Holds(required) {
			t.Fatalf("a claim alone unlocks %q", required)
		}
		if normal := NormalScopes(granted); (Requester{Granted: normal, Claimed: NormalScopes(claimed)}).
			Holds(required) != asking.Holds(required) || !slices.IsSorted(normal) {
			t.Fatalf("%q is not %q", normal, granted)
		}
	})
}

func TestAccountsThatARequesterSpeaksFor(t *testing.T) {
	t.Parallel()
	bot, domain := Requester{Domain: "buyer.example", ID: "bot"}, Requester{Domain: "buyer.example"}
	for account, want := range map[string][2]bool{
		"buyer.example/bot": {true, true}, "buyer.example/other": {false, true}, "buyer.example/": {false, false},
		"buyer.example":         {false, false},
		"buyer.example.org/bot": {false, false}, "": {false, false}, "x/bot": {false, false},
	} {
		if bot.ActsFor(account) != want[0] || domain.ActsFor(account) != want[1] {
			t.Errorf("%q: %v and %v", account, bot.ActsFor(account), domain.ActsFor(account))
		}
	}
	if (Requester{}).ActsFor("/bot") {
		t.Error("nobody speaks for an account")
	}
}
