package biscuit

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestRequestsAreFacts(t *testing.T) {
	t.Parallel()
	spend := int64(120)
	r := Request{
		Time: time.Date(2026, 11, 22, 16, 0, 0, 0, time.UTC), Operation: "transact",
		Resource: "https://www.example.com/a", RequestedScope: "earnings:NVDA",
		SpendCents: &spend, RequestKey: []byte{1, 2},
	}
	all := `check if time(2026-11-22T16:00:00Z), operation("transact"), resource("https://www.example.com/a"), requested_scope("earnings:NVDA"), spend_cents(120), request_key(hex:0102)`
	if err := NewAuthorizer(nil, Limits{}).Authorize(minted(t, all), r); err != nil {
		t.Error(err)
	}
	for _, absent := range []string{`time($x)`, `operation($x)`, `resource($x)`, `requested_scope($x)`, `spend_cents($x)`, `request_key($x)`} {
		if err := NewAuthorizer(nil, Limits{}).Authorize(minted(t, `reject if `+absent), Request{}); err != nil {
			t.Errorf("an empty request states %s: %v", absent, err)
		}
	}
}

func TestDeniedSaysWhichChecksFail(t *testing.T) {
	t.Parallel()
	v := minted(t, `check if true; check if resource("a")`, `check if time($t), $t < 2020-01-01T00:00:00Z`)
	err := NewAuthorizer(source(t, `check if user("b"); deny if true`), Limits{}).Authorize(v, Request{Time: time.Unix(1.7e9, 0)})
	var denied *Denied
	if !errors.As(err, &denied) {
		t.Fatal(err)
	}
	want := "the delegation token does not allow the request: check 0 of the authorizer does not hold, check 1 of " +
		"block 0 does not hold, check 0 of block 1 does not hold, no policy allows it"
	if err.Error() != want || denied.Expired() || !denied.Failed[2].Expired || denied.Failed[1].Code() != `check if resource("a")` {
		t.Errorf("%v, %+v", err, denied)
	}
	expired := NewAuthorizer(nil, Limits{}).Authorize(v, Request{Time: time.Unix(1.7e9, 0), Resource: "a"})
	if !errors.As(expired, &denied) || !denied.Expired() {
		t.Errorf("%v", expired)
	}
}

// TestLimitsEndWhatWouldNot holds that each limit refuses the token instead of going on.
func TestLimitsEndWhatWouldNot(t *testing.T) {
	t.Parallel()
	numbers := strings.Builder{}
	for i := range 40 {
		fmt.Fprintf(&numbers, "n(%d);", i)
	}
	chain := strings.Builder{}
	for i := range 150 {
		fmt.Fprintf(&chain, "c%d($x) <- c%d($x);", i+1, i)
	}
	long := strings.Repeat("a", 4000)
	for _, v := range []struct{ name, code, says string }{
		{"facts", numbers.String() + `p($x, $y) <- n($x), n($y)`, "more than 1000 facts"},
		{"rounds", `c0(1);` + chain.String(), "after 100 rounds"},
		{"steps of a join", numbers.String() + `check if n($a), n($b), n($c), n($d), n($e), $a + $b + $c + $d + $e < 0`, "steps"},
		{"steps of closures", numbers.String() + `check if n($a), !{1,2,3,4,5,6,7,8,9}.all($b -> {1,2,3,4,5,6,7,8,9}.all($c -> {1,2,3,4,5,6,7,8,9}.all($d -> {1,2,3,4,5,6,7,8,9}.all($e -> {1,2,3,4,5,6,7,8,9}.all($f -> true)))))`, "steps"},
		{"a regular expression over a long text", numbers.String() + `check if n($a), n($b), n($c), "` + long + `".matches("(a?){50}b")`, "steps"},
		{"a large regular expression", `check if "a".matches("(a{100}){10}.{900}")`, "instructions"},
		{"a long regular expression", `check if "a".matches("` + strings.Repeat("a", 513) + `")`, "512 bytes"},
		{"a text that grows", `s("` + strings.Repeat("b", 20000) + `"); check if s($s), $s + $s + $s + $s === ""`, "limits"},
	} {
		t.Run(v.name, func(t *testing.T) {
			token := minted(t, v.code)
			err := NewAuthorizer(nil, Limits{}).Authorize(token, Request{})
			if !errors.Is(err, ErrLimit) || !strings.Contains(err.Error(), v.says) {
				t.Errorf("%v; want %s", err, v.says)
			}
		})
	}
}

func TestTimeIsAskedFor(t *testing.T) {
	t.Parallel()
	numbers := strings.Builder{}
	for i := range 100 {
		fmt.Fprintf(&numbers, "n(%d);", i)
	}
	v := minted(t, numbers.String()+`check if n($a), n($b), $a + $b > 1000`)
	asked := 0
	err := NewAuthorizer(nil, Limits{}).Authorize(v, Request{Stop: func() bool { asked++; return asked == 3 }})
	if !errors.Is(err, ErrLimit) || asked != 3 {
		t.Errorf("%v after %d times", err, asked)
	}
}

// TestTryOrHidesNoLimit holds that a token cannot catch what refuses it.
func TestTryOrHidesNoLimit(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		`check if ("a".matches("[a[b]]")).try_or(true)`,
		`check if ("é".matches("\\w")).try_or(true)`,
		`check if ("a".matches("(a{100}){10}.{900}")).try_or(true)`,
	} {
		if err := NewAuthorizer(nil, Limits{}).Authorize(minted(t, code), Request{}); err == nil {
			t.Errorf("%s holds", code)
		}
	}
}

// TestPatternsThatOthersReadInAnotherWay holds that they are refused, with those beside them that
// are read alike.
func TestPatternsThatOthersReadInAnotherWay(t *testing.T) {
	t.Parallel()
	for _, v := range []struct {
		pattern, subject string
		refused, matches bool
	}{
		{pattern: `^a.c$`, subject: "abc", matches: true},
		{pattern: `[]a]+`, subject: "]", matches: true},
		{pattern: `[^]a]`, subject: "]"},
		{pattern: `[[:digit:]]{2,3}`, subject: "12", matches: true},
		{pattern: `\d+`, subject: "12", matches: true},
		{pattern: `\d+`, subject: "١", refused: true},
		{pattern: `[\w-]`, subject: "é", refused: true},
		{pattern: `é`, subject: "é", matches: true},
		{pattern: `\x{e9}\p{L}`, subject: "éa", matches: true},
		{pattern: `[a[b]]`, subject: "a", refused: true},
		{pattern: `[a&&b]`, subject: "a", refused: true},
		{pattern: `[a--b]`, subject: "a", refused: true},
		{pattern: `\<a`, subject: "a", refused: true},
		{pattern: `(a)\1`, subject: "aa", refused: true},
		{pattern: `\Qa.\E`, subject: "a.", refused: true},
		{pattern: `a{,3}`, subject: "a", refused: true},
		{pattern: `a{`, subject: "a{", refused: true},
		{pattern: `a{x}`, subject: "a", refused: true},
		{pattern: `(`, subject: "(", refused: true},
		{pattern: `[a`, subject: "a", refused: true},
		{pattern: `\`, subject: "a", refused: true},
		{pattern: `a\{2}`, subject: "a{2}", matches: true},
	} {
		p := &pattern{text: v.pattern}
		matches, err := p.match(v.subject)
		if (err != nil) != v.refused || matches != v.matches {
			t.Errorf("%s on %s: %v, %v", v.pattern, v.subject, matches, err)
		}
	}
}

// TestRejectIfHoldsForEveryQuery holds what the specification says, where the official library lets
// it pass.
func TestRejectIfHoldsForEveryQuery(t *testing.T) {
	t.Parallel()
	if err := NewAuthorizer(nil, Limits{}).Authorize(minted(t, `a(1); reject if b(1) or a(1)`), Request{}); err == nil {
		t.Error("a query matches, and it is not rejected")
	}
}

func TestScopesOfABlock(t *testing.T) {
	t.Parallel()
	for _, v := range []struct {
		name    string
		blocks  []string
		allowed bool
	}{
		{"trusts previous", []string{``, `a(1)`, `trusting previous; check if a(1)`}, true},
		{"trusts the authority block", []string{``, `a(1)`, `trusting authority; check if a(1)`}, false},
		{"a rule says otherwise", []string{``, `a(1)`, `trusting previous; check if a(1) trusting authority`}, false},
		{"a key that nobody has", []string{`a(1)`, `trusting ` + public(seeded(9)).String() + `; check if a(1)`}, false},
		{"itself", []string{``, `trusting ` + public(seeded(9)).String() + `; a(1); check if a(1)`}, true},
	} {
		if err := NewAuthorizer(nil, Limits{}).Authorize(minted(t, v.blocks...), Request{}); (err == nil) != v.allowed {
			t.Errorf("%s: %v", v.name, err)
		}
	}
}

// TestAuthorizersAreShared holds that one authorizer serves many tokens at a time.
func TestAuthorizersAreShared(t *testing.T) {
	t.Parallel()
	a := NewAuthorizer(source(t, `right($r) <- resource($r), user("a"); allow if right($r)`), Limits{})
	v := minted(t, `user("a")`, `check if resource($r), $r.matches("^https?://")`)
	done := make(chan error)
	for range 8 {
		go func() {
			var err error
			for range 50 {
				err = errors.Join(err, a.Authorize(v, Request{Resource: "https://x"}))
			}
			done <- err
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
