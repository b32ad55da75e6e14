package biscuit

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const delegated = `user("principal-7"); scope("earnings:*"); scope("news:read"); max_spend_cents(50000); max_accesses(1000); quota_period_hours(24); expires("2030-01-01T00:00:00Z");`

func grants(t testing.TB, blocks ...string) *Grants {
	t.Helper()
	g, err := minted(t, blocks...).Grants()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestFactsOfTheAuthorityBlockAreRead(t *testing.T) {
	t.Parallel()
	g := grants(t, delegated, `scope("*"); max_spend_cents(1); user("somebody else")`)
	if !slices.Equal(g.Users, []string{"principal-7"}) || !g.Scoped ||
		!slices.Equal(g.Scopes, []string{"earnings:*", "news:read"}) {
		t.Errorf("users %v, scopes %v", g.Users, g.Scopes)
	}
	if *g.MaxSpendCents != 50000 || *g.MaxAccesses != 1000 || g.Period != 24*time.Hour ||
		!g.Expires.Equal(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("%+v", g)
	}
	if g := grants(t, `user("a")`); g.Scoped || g.MaxSpendCents != nil || g.MaxAccesses != nil || g.Period != 0 ||
		!g.Expires.IsZero() || g.Holder != nil {
		t.Errorf("out of nothing: %+v", g)
	}
	if g := grants(t,
		`max_spend_cents(5); max_spend_cents(3); max_accesses(0); quota_period_hours(1); quota_period_hours(2); expires(2031-01-01T00:00:00Z); expires("2030-01-01T00:00:00+01:00")`); *g.MaxSpendCents != 3 || *g.MaxAccesses != 0 || g.Period != 2*time.Hour ||
		!g.Expires.Equal(time.Date(2029, 12, 31, 23, 0, 0, 0, time.UTC)) {
		t.Errorf("of two facts the narrower: %+v", g)
	}
}

func TestFactsInUnknownFormsRefuseTheToken(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		`user(1)`, `user("a", "b")`, `scope(1)`, `scope("a", "b")`, `scope({"a"})`, `max_spend_cents("5")`, `max_spend_cents(-1)`, `max_accesses(true)`, `max_accesses(-1)`, `quota_period_hours(0)`,
		`quota_period_hours(9223372036854775807)`, `quota_period_hours("1")`, `expires("tomorrow")`, `expires(1893456000)`, `expires("2030-01-01")`, `holder(1)`, `holder("!")`, `holder("")`, `holder(hex:01); holder(hex:02)`,
	} {
		if g, err := minted(t, code).Grants(); err == nil {
			t.Errorf("%s: %+v", code, g)
		}
	}
}

func TestTheTwoIdiomsNarrow(t *testing.T) {
	t.Parallel()
	spend := func(n int64) *int64 { return &n }
	for _, v := range []struct {
		name   string
		blocks []string
		scopes []string
		spend  *int64
		holds  bool // for a request that every ordinary check would let through
	}{
		{"a narrower scope", []string{`check if scope("earnings:NVDA")`}, []string{"earnings:NVDA"}, spend(50000), true},
		{"the same scope", []string{`check if scope("earnings:*")`}, []string{"earnings:*"}, spend(50000), true},
		{"a wider scope", []string{`check if scope("*")`}, []string{"earnings:*", "news:read"}, spend(50000), true},
		{"another scope", []string{`check if scope("weather:read")`}, nil, spend(50000), true},
		{"two scopes that exclude each other", []string{`check if scope("earnings:NVDA")`, `check if scope("news:read")`}, nil, spend(50000), true},
		{"one of two scopes", []string{`check if scope("earnings:NVDA") or scope("news:*")`}, []string{"earnings:NVDA", "news:read"}, spend(50000), true},
		{"a lower cap", []string{`check if max_spend_cents($v), $v <= 10000`}, []string{"earnings:*", "news:read"}, spend(10000), true},
		{"below a cap", []string{`check if max_spend_cents($v), $v < 10000`}, []string{"earnings:*", "news:read"}, spend(9999), true},
		{"a higher cap", []string{`check if max_spend_cents($v), $v <= 90000`}, []string{"earnings:*", "news:read"}, spend(50000), true},
		{"caps of two blocks", []string{`check if max_spend_cents($v), $v <= 300`, `check if max_spend_cents($cap), $cap <= 200`}, []string{"earnings:*", "news:read"}, spend(200), true},
		{"the other side of the cap is an ordinary check", []string{`check if max_spend_cents($v), $v >= 10`},
			[]string{"earnings:*", "news:read"}, spend(50000), true},
		{"a cap below nothing", []string{`check if max_spend_cents($v), $v < 0`}, []string{"earnings:*", "news:read"}, spend(50000), false},
		{"a cap with something besides", []string{`check if max_spend_cents($v), $v <= 10000, user($u)`}, []string{"earnings:*", "news:read"}, spend(50000), false},
		{"a scope with something besides", []string{`check if scope("earnings:NVDA"), user($u)`}, []string{"earnings:*", "news:read"}, spend(50000), false},
		{"a scope as check all", []string{`check all scope("earnings:NVDA")`}, []string{"earnings:*", "news:read"}, spend(50000), false},
		{"a scope that trusts", []string{`check if scope("earnings:NVDA") trusting authority`}, []string{"earnings:*", "news:read"}, spend(50000), false},
		{"a scope as variable", []string{`check if scope($s), $s === "earnings:*"`}, []string{"earnings:*", "news:read"}, spend(50000), true},
		{"a block's own scope fact", []string{`scope("weather:read"); check if scope("weather:read")`}, nil, spend(50000), true},
	} {
		t.Run(v.name, func(t *testing.T) {
			g := grants(t, append([]string{delegated}, v.blocks...)...)
			if !slices.Equal(g.Scopes, v.scopes) || !g.Scoped || *g.MaxSpendCents != *v.spend {
				t.Errorf("scopes %v, cap %d", g.Scopes, *g.MaxSpendCents)
			}
			err := g.Authorize(NewAuthorizer(nil, Limits{}), Request{Time: time.Unix(1.8e9, 0)})
			if (err == nil) != v.holds {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestTwoHoldersAreNobody(t *testing.T) {
	t.Parallel()
	if _, err := minted(t, delegated+`holder(hex:01)`, `holder(hex:01)`).Grants(); err != nil {
		t.Errorf("the same twice: %v", err)
	}
	if _, err := minted(t, delegated+`holder(hex:01)`, `holder(hex:02)`).Grants(); err == nil {
		t.Error("two holders are somebody")
	}
}

// TestIdiomsOfTheAuthorityBlockAreOrdinaryChecks: only who attenuates speaks in idioms.
func TestIdiomsOfTheAuthorityBlockAreOrdinaryChecks(t *testing.T) {
	t.Parallel()
	g := grants(t, delegated+`check if max_spend_cents($v), $v <= 10000`)
	var denied *Denied
	if err := g.Authorize(NewAuthorizer(nil, Limits{}), Request{Time: time.Unix(1.8e9, 0)}); *g.MaxSpendCents !=
		50000 || !errors.As(err, &denied) {
		t.Errorf("cap %d, %v", *g.MaxSpendCents, err)
	}
}

func TestDelegationsAreHeldAgainstRequests(t *testing.T) {
	t.Parallel()
	key := "0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20"
	raw := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28,
		29, 30, 31, 32}
	before, after := time.Date(2029, 12, 31, 23, 59, 59, 0, time.UTC), time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, v := range []struct {
		name    string
		code    string
		request Request
		want    error
	}{
		{"in time", delegated, Request{Time: before, RequestedScope: "earnings:NVDA"}, nil},
		{"expired", delegated, Request{Time: after}, ErrExpired},
		{"scope", delegated, Request{Time: before, RequestedScope: "weather:read"}, ErrScope},
		{"no scopes spoken of", `user("a")`, Request{Time: before, RequestedScope: "weather:read"}, nil},
		{"holder", delegated + `holder(hex:` + key + `)`, Request{Time: before, RequestKey: raw}, nil},
		{"holder in hexadecimal text", delegated + `holder("` + key + `")`, Request{Time: before, RequestKey: raw}, nil},
		{"holder in base64", delegated + `holder("AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA")`, Request{Time: before, RequestKey: raw}, nil},
		{"another holder", delegated + `holder(hex:` + key + `)`, Request{Time: before, RequestKey: raw[1:]}, ErrHolder},
		{"a holder that a block names", delegated + "; ; " + `holder(hex:` + key + `)`,
			Request{Time: before, RequestKey: raw[1:]}, ErrHolder},
		{"nobody holds it", delegated + `holder(hex:` + key + `)`, Request{Time: before}, ErrHolder},
	} {
		if err := grants(t, strings.Split(v.code, "; ; ")...).Authorize(NewAuthorizer(nil, Limits{}),
			v.request); !errors.Is(err, v.want) {
			t.Errorf("%s: %v", v.name, err)
		}
	}
}

func TestScopesMeet(t *testing.T) {
	t.Parallel()
	for _, v := range [][3]string{
		{"a:b", "a:b", "a:b"}, {"a:*", "a:b", "a:b"}, {"*", "a:b:c", "a:b:c"}, {"*", "*", "*"}, {"a:*", "*:b", "a:b"},
		{"a:*", "a:b:*", "a:b:*"}, {"*:x", "*", "*:x"},
		{"a:*:c", "a:b:*", "a:b:c"}, {"a:*:c", "a:b:d", ""}, {"a", "a:b", ""}, {"a:*", "a", ""}, {"a", "b", ""},
		{"", "a", ""}, {"A:b", "a:b", ""}, {"a:b*", "a:bc", ""}, {"a:*:*", "a:b", ""},
	} {
		if got, turned := meet(v[0], v[1]), meet(v[1], v[0]); got != v[2] || turned != v[2] {
			t.Errorf("%s and %s: %q, %q, want %q", v[0], v[1], got, turned, v[2])
		}
	}
}

// TestScopesMeetInWhatBothCover holds that a concrete scope is covered by what two patterns have in
// common exactly when both cover it.
func TestScopesMeetInWhatBothCover(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		segments := func(of []string) *rapid.Generator[string] {
			return rapid.Map(rapid.SliceOfN(rapid.SampledFrom(of), 1, 4),
				func(s []string) string { return strings.Join(s, ":") })
		}
		a, b := segments([]string{"a", "b", "*"}).Draw(t, "a"), segments([]string{"a", "b", "*"}).Draw(t, "b")
		scope := segments([]string{"a", "b"}).Draw(t, "scope")
		covers := func(pattern string) bool { return (&Grants{Scopes: []string{pattern}}).Covers(scope) }
		if both := meet(a, b); covers(both) != (covers(a) && covers(b)) {
			t.Fatalf("%s and %s have %q in common; %s", a, b, both, scope)
		}
	})
}

// TestCapsAndEndsAreToldByTheirBlocks holds which block sets which cap, and until when everything
// under it is good.
func TestCapsAndEndsAreToldByTheirBlocks(t *testing.T) {
	t.Parallel()
	day := func(d int) time.Time { return time.Date(2030, 1, d, 0, 0, 0, 0, time.UTC) }
	g := grants(t, `max_spend_cents(500); expires("2030-01-09T00:00:00Z"); check if time($t), $t < 2030-01-08T00:00:00Z`, `check if time($t), $t <= 2030-01-06T23:59:59Z`,
		`check if max_spend_cents($v), $v <= 300; check if max_spend_cents($v), $v < 201; check if time($t), $t < 2030-01-05T00:00:00Z`, `check if time($t), $t < 2030-01-04T00:00:00Z or operation("x")`)
	if len(g.Caps) != 2 || g.Caps[0].Block != 0 || *g.Caps[0].Spend != 500 || g.Caps[0].Accesses != nil ||
		!g.Caps[0].Expires.Equal(day(8)) ||
		g.Caps[1].Block != 2 || *g.Caps[1].Spend != 200 || !g.Caps[1].Expires.Equal(day(5)) ||
		!g.Expires.Equal(day(5)) {
		t.Errorf("%+v", g)
	}
	if g := grants(t, `user("a"); revocation_uri("https://a.example/")`, `revocation_uri("https://b.example/")`); len(g.Caps) != 0 || g.Revocation != "https://a.example/" {
		t.Errorf("%+v", g)
	}
	for _, code := range []string{`revocation_uri(1)`, `revocation_uri("a"); revocation_uri("b")`} {
		if g, err := minted(t, code).Grants(); err == nil {
			t.Errorf("%s: %+v", code, g)
		}
	}
}

// TestWhatATokenSaysAuthorizesNothing holds that what nobody verified is for the eye alone.
func TestWhatATokenSaysAuthorizesNothing(t *testing.T) {
	t.Parallel()
	says, err := minted(t, `user("a"); scope("*")`).Token.Says()
	if err != nil || len(says.Users) != 1 {
		t.Fatal(says, err)
	}
	if err := says.Authorize(NewAuthorizer(nil, Limits{}), Request{}); !errors.Is(err, ErrSignature) {
		t.Errorf("%v", err)
	}
}
