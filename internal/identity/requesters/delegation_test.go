package requesters_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"frontdesk/biscuit"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/testkit/clock"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// biscuitOf mints a token of Datalog, with a block for each text.
func biscuitOf(t testing.TB, root ed25519.PrivateKey, blocks ...string) *biscuit.Token {
	t.Helper()
	var made *biscuit.Token
	for i, code := range blocks {
		source, err := biscuit.ParseSource(code)
		if err == nil && i == 0 {
			made, err = biscuit.Mint(root, rand.Reader, source)
		} else if err == nil {
			made, err = made.Attenuate(rand.Reader, source)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return made
}

// office is a requester and its principal, whose keys are published at hosts of their own.
type office struct {
	*requesters.Registry
	t               testing.TB
	clock           *clock.Clock
	host, principal *agentHost
}

func newOffice(t testing.TB, change func(*requesters.Config)) *office {
	t.Helper()
	o := &office{t: t, clock: newClock(), host: newAgentHost(t), principal: newAgentHost(t)}
	o.host.publishes(t, "bot", ramp.Key{Public: public(0)})
	o.principal.publishes(t, o.principal.domain(), ramp.Key{Public: public(1)})
	o.Registry = registry(t, storetest.Chosen(t, requesters.Schema), o.clock, change)
	return o
}

const granted = `user("ceo"); scope("news:*"); scope("credit:read"); max_spend_cents(500); max_accesses(10); quota_period_hours(24); expires("2026-12-21T12:00:00Z")`

// under is a delegation of the principal.
func (o *office) under(text string) *rampv1.Delegation {
	return &rampv1.Delegation{PrincipalDomain: o.principal.domain(), PrincipalId: "ceo",
		ExpiresAt: timestamppb.New(o.clock.Now().Add(time.Hour)), Token: text, TokenFormat: "biscuit-v2"}
}

// asks has the requester ask under a delegation, signed in its message or, with a key, over HTTP.
func (o *office) asks(d *rampv1.Delegation, over ed25519.PrivateKey, scopes ...string) (requesters.Requester, error) {
	o.t.Helper()
	r := &rampv1.Requester{Domain: o.host.domain(), Id: "bot", Scopes: scopes, Delegation: d}
	if over == nil {
		return o.Identify(o.t.Context(), bodySigned(o.t, r, key(0)), requesters.Call{})
	}
	return o.Identify(o.t.Context(), r, signedCall(o.t, o.clock.Now(), signer{"", o.host.domain(), over}))
}

func (o *office) grants(scopes ...string) {
	o.t.Helper()
	if _, err := o.Add(o.t.Context(), requesters.Registration{Domain: o.principal.domain(), ID: "ceo",
		Scopes: scopes}); err != nil {
		o.t.Fatal(err)
	}
}

// may says what a requester may have of something that takes a scope, if one is named.
func (o *office) may(r requesters.Requester, scopes ...string) error {
	return r.May(requesters.AccessRequest{Operation: requesters.OperationDiscover,
		Resource: "https://www.example.com/a", Scopes: scopes, Now: o.clock.Now()})
}

func TestDelegationsUnlockWhatThePrincipalHas(t *testing.T) {
	t.Parallel()
	o := newOffice(t, nil)
	o.grants("news:*", "sport:*")
	if _, err := o.Add(t.Context(),
		requesters.Registration{Domain: o.host.domain(), ID: "bot", Scopes: []string{"own:*"}}); err != nil {
		t.Fatal(err)
	}
	for _, v := range []struct {
		name, more string
		copies     []string // repeated beside the token
		claims     []string
		has, not   string
	}{
		{"as it is", "", nil, nil, "news:markets", "sport:read credit:read own:read"},
		{"narrowed by a block", `check if scope("news:markets")`, nil, nil, "news:markets", "news:local"},
		{"narrowed by the copy", "", []string{"news:markets"}, nil, "news:markets", "news:local"},
		{"narrowed by what is asked for", "", nil, []string{"news:markets", "sport:*", "own:*"}, "news:markets",
			"news:local sport:read own:read"},
		{"all that is asked for", "", nil, []string{"*"}, "news:markets news:local", "sport:read own:read"},
		{"narrowed by all", `check if scope("news:*:eu")`, []string{"news:markets:eu"}, []string{"*:*:eu"},
			"news:markets:eu", "news:local:eu news:markets:us"},
		{"with a check of the scope", `check if requested_scope($s), $s.ends_with(":eu")`, nil, nil, "news:eu", "news:us"},
		{"with nothing left", `check if scope("weather:*")`, nil, nil, "", "news:markets -"},
	} {
		d := o.under(biscuitOf(t, key(1), append([]string{granted}, notEmpty(v.more)...)...).Text())
		d.Scopes = v.copies
		r, err := o.asks(d, nil, v.claims...)
		if err != nil {
			t.Errorf("%s: %v", v.name, err)
			continue
		}
		for scope := range strings.FieldsSeq(v.has) {
			if err := o.may(r, "other:thing", scope); err != nil {
				t.Errorf("%s: %s is refused: %v", v.name, scope, err)
			}
		}
		for scope := range strings.FieldsSeq(v.not) {
			scopes := []string{scope}
			if scope == "-" {
				scopes = nil
			}
			if err := o.may(r, scopes...); !errors.Is(err, requesters.ErrOutOfScope) {
				t.Errorf("%s: %s is had: %v", v.name, scope, err)
			}
		}
		if v.has != "" && v.more == "" && o.may(r) != nil {
			t.Errorf("%s: what takes no scope is refused: %v", v.name, o.may(r))
		}
	}
	r, err := o.asks(nil, nil)
	if err != nil || o.may(r, "own:read") != nil || o.may(r, "news:markets") == nil {
		t.Errorf("in its own name: %+v, %v", r, err)
	}
}

func notEmpty(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// TestChecksOfATokenAreHeld holds each fact that a check can ask for, with a request that it lets
// through and one that it does not.
func TestChecksOfATokenAreHeld(t *testing.T) {
	t.Parallel()
	o := newOffice(t, nil)
	o.grants("*")
	for check, other := range map[string]func(*requesters.AccessRequest){
		`check if operation("transact")`: func(a *requesters.AccessRequest) {
			a.Operation = requesters.OperationDiscover
		},
		`check if resource($r), $r.starts_with("https://www.example.com/a/")`: func(a *requesters.AccessRequest) { a.Resource = "https://www.example.com/b" },
		`check if spend_cents($n), $n <= 200`:                                 func(a *requesters.AccessRequest) { a.SpendCents = 201 },
		`check if requested_scope("news:a")`:                                  func(a *requesters.AccessRequest) { a.Scopes = []string{"news:b"} },
		`check if time($t), $t < 2026-11-21T12:00:01Z`:                        func(a *requesters.AccessRequest) { a.Now = a.Now.Add(time.Second) },
		`check if request_key(hex:` + hex.EncodeToString(public(0)) + `)`:     nil,
	} {
		d := o.under(biscuitOf(t, key(1), granted, check).Text())
		d.ExpiresAt = nil
		r, err := o.asks(d, key(0))
		if err != nil {
			t.Errorf("%s: %v", check, err)
			continue
		}
		a := requesters.AccessRequest{Operation: requesters.OperationTransact, Resource: "https://www.example.com/a/1",
			Scopes: []string{"news:a"}, SpendCents: 200, Now: o.clock.Now()}
		if err := r.May(a); err != nil {
			t.Errorf("%s: %v", check, err)
		}
		if other == nil {
			if r, err = o.asks(d, nil); err != nil {
				t.Fatal(err)
			}
		} else {
			other(&a)
		}
		if err := r.May(a); err == nil ||
			errors.Is(err, requesters.ErrDelegationOver) != strings.Contains(check, "time(") {
			t.Errorf("%s lets another request through: %v", check, err)
		}
	}
	var many strings.Builder
	for i := range 40 {
		fmt.Fprintf(&many, "a(%d);", i)
	}
	d := o.under(biscuitOf(t, key(1), granted, many.String()+`b($x, $y) <- a($x), a($y); check if b(39, 39)`).Text())
	if r, err := o.asks(d, nil); err == nil {
		said(t, "over the limits", o.may(r, "news:a"), fail.Forbidden, "cannot be evaluated")
	}
	d = o.under(biscuitOf(t, key(1), granted, `check if 1 / 0 === 1`).Text())
	if r, err := o.asks(d, nil); err == nil {
		said(t, "what cannot be computed", o.may(r, "news:a"), fail.Forbidden, "cannot be evaluated")
	}
}

// broken are tokens that are refused, each with a word of why.
func (o *office) broken() map[string][2]string {
	good := biscuitOf(o.t, key(1), granted, `check if operation("discover")`)
	raw := good.Bytes()
	changed := func(change func([]byte) []byte) string {
		return base64.URLEncoding.EncodeToString(change(slices.Clone(raw)))
	}
	sealed, err := good.Seal()
	if err != nil {
		o.t.Fatal(err)
	}
	other := biscuitOf(o.t, key(2), granted)
	three := biscuitOf(o.t, key(1), granted, `check if operation("discover")`, `check if operation("discover"), true`).Bytes()
	return map[string][2]string{
		"nothing":                          {"", "read"},
		"no base64":                        {"!!!!", "base64"},
		"no token":                         {base64.StdEncoding.EncodeToString([]byte("a token")), "read"},
		"truncated":                        {changed(func(b []byte) []byte { return b[:len(b)-1] }), "read"},
		"truncated in the middle":          {changed(func(b []byte) []byte { return b[:len(b)/2] }), "read"},
		"with something behind it":         {changed(func(b []byte) []byte { return append(b, 0x28, 1) }), ""},
		"with a byte of another kind":      {changed(func(b []byte) []byte { b[20] ^= 1; return b }), ""},
		"with another last secret":         {changed(func(b []byte) []byte { b[len(b)-1] ^= 1; return b }), "secret"},
		"of another key":                   {other.Text(), "signatures"},
		"with its blocks in another order": {base64.URLEncoding.EncodeToString(reordered(o.t, three)), ""},
		"without its last block":           {base64.URLEncoding.EncodeToString(shortened(o.t, three)), "secret"},
		"sealed, and changed": {strings.Replace(sealed.Text(), sealed.Text()[len(sealed.Text())-8:],
			"AAAAAAA=", 1), ""},
		"of no principal":                {biscuitOf(o.t, key(1), `scope("*")`).Text(), "user("},
		"of two principals":              {biscuitOf(o.t, key(1), `user("ceo"); user("cfo")`).Text(), "user("},
		"of another principal":           {biscuitOf(o.t, key(1), `user("cfo")`).Text(), "another principal"},
		"with a fact in an unknown form": {biscuitOf(o.t, key(1), `user("ceo"); max_spend_cents("5")`).Text(), "max_spend_cents"},
		"with a function of a host":      {unknownFunction, ""},
		"bound to another key":           {biscuitOf(o.t, key(1), `user("ceo"); holder(hex:`+hex.EncodeToString(public(3))+`)`).Text(), "bound"},
		"bound to two keys": {biscuitOf(o.t, key(1),
			`user("ceo"); holder(hex:`+hex.EncodeToString(public(0))+`)`, `holder(hex:`+hex.EncodeToString(public(3))+`)`).Text(), "several holders"},
		"too large": {base64.StdEncoding.EncodeToString(make([]byte, biscuit.MaxSize+1)), "larger"},
	}
}

// unknownFunction is a block version that does not exist: 7.
var unknownFunction = base64.URLEncoding.EncodeToString([]byte{0x12, 0x04, 0x0a, 0x02, 0x18, 0x07})

// parts are the fields of a serialised token, each with its tag.
func parts(t testing.TB, raw []byte) (all [][]byte) {
	t.Helper()
	for len(raw) > 0 {
		n, shift, at := 0, 0, 1
		for {
			b := raw[at]
			n |= int(b&0x7f) << shift
			shift, at = shift+7, at+1
			if b < 0x80 {
				break
			}
		}
		all, raw = append(all, raw[:at+n]), raw[at+n:]
	}
	return all
}

func reordered(t testing.TB, raw []byte) []byte {
	p := parts(t, raw)
	p[1], p[2] = p[2], p[1]
	return slices.Concat(p...)
}

func shortened(t testing.TB, raw []byte) []byte {
	p := parts(t, raw)
	return slices.Concat(p[0], p[1], p[3])
}

func TestEveryBrokenTokenIsRefused(t *testing.T) {
	t.Parallel()
	o := newOffice(t, nil)
	o.grants("*")
	if _, err := o.asks(o.under(biscuitOf(t, key(1), granted, `check if operation("discover")`).Text()), nil); err != nil {
		t.Fatalf("a good one: %v", err)
	}
	for name, v := range o.broken() {
		_, err := o.asks(o.under(v[0]), key(0))
		said(t, name, err, fail.Forbidden, "requester.delegation", v[1])
	}
}

func TestCopiesAreNeverWiderThanTheToken(t *testing.T) {
	t.Parallel()
	o := newOffice(t, nil)
	o.grants("*")
	text, free := biscuitOf(t, key(1), granted).Text(), biscuitOf(t, key(1), `user("ceo")`).Text()
	usd := func(n float64) *rampv1.Cost { return &rampv1.Cost{Amount: n, Currency: "USD"} }
	for _, v := range []struct {
		name, token string
		change      func(*rampv1.Delegation)
		word        string // of the refusal; empty for none
	}{
		{"the same", text, func(d *rampv1.Delegation) {
			d.Scopes, d.MaxSpend, d.MaxAccesses, d.QuotaPeriod = []string{"news:*", "credit:read"}, usd(5),
				proto.Int32(10), durationpb.New(24*time.Hour)
			d.ExpiresAt = timestamppb.New(time.Date(2026, 12, 21, 12, 0, 0, 0, time.UTC))
		}, ""},
		{"narrower", text, func(d *rampv1.Delegation) {
			d.Scopes, d.MaxSpend, d.MaxAccesses, d.QuotaPeriod = []string{"news:a"}, usd(4.99), proto.Int32(0),
				durationpb.New(25*time.Hour)
		}, ""},
		{"another scope", text, func(d *rampv1.Delegation) { d.Scopes = []string{"news:a", "sport:a"} }, "scopes"},
		{"a wider scope", text, func(d *rampv1.Delegation) { d.Scopes = []string{"*"} }, "scopes"},
		{"a scope of a token without", free, func(d *rampv1.Delegation) { d.Scopes = []string{"news:a"} }, "scopes"},
		{"a later end", text, func(d *rampv1.Delegation) {
			d.ExpiresAt = timestamppb.New(time.Date(2026, 12, 21, 12, 0, 0, 1, time.UTC))
		}, "expires_at"},
		{"more to spend", text, func(d *rampv1.Delegation) { d.MaxSpend = usd(5.01) }, "max_spend"},
		{"more accesses", text, func(d *rampv1.Delegation) { d.MaxAccesses = proto.Int32(11) }, "max_accesses"},
		{"a shorter period", text, func(d *rampv1.Delegation) { d.QuotaPeriod = durationpb.New(23 * time.Hour) },
			"quota_period"},
		{"a period of one without", biscuitOf(t, key(1), `user("ceo"); max_accesses(3)`).Text(),
			func(d *rampv1.Delegation) { d.QuotaPeriod = durationpb.New(1000 * time.Hour) }, "quota_period"},
		{"caps of a token without", free, func(d *rampv1.Delegation) {
			d.MaxSpend, d.MaxAccesses, d.QuotaPeriod = usd(5), proto.Int32(1), durationpb.New(time.Hour)
		}, ""},
		{"more than a block leaves", biscuitOf(t, key(1), granted, `check if max_spend_cents($v), $v <= 100`).Text(),
			func(d *rampv1.Delegation) { d.MaxSpend = usd(5) }, "max_spend"},
		{"a scope that a block took", biscuitOf(t, key(1), granted, `check if scope("news:a")`).Text(),
			func(d *rampv1.Delegation) { d.Scopes = []string{"news:b"} }, "scopes"},
		{"an end after a check's", biscuitOf(t, key(1), granted, `check if time($t), $t <= 2026-11-21T12:30:00Z`).Text(), func(*rampv1.Delegation) {}, "expires_at"},
		{"another format", text, func(d *rampv1.Delegation) { d.TokenFormat = "jwt" }, `"jwt"`},
		{"the format's later name", text, func(d *rampv1.Delegation) { d.TokenFormat = "biscuit-v3" }, ""},
		{"the usual format", text, func(d *rampv1.Delegation) { d.TokenFormat = "" }, ""},
		{"another principal", text, func(d *rampv1.Delegation) { d.PrincipalId = "cfo" }, "another principal"},
		{"a principal of another domain", text, func(d *rampv1.Delegation) { d.PrincipalDomain = o.host.domain() }, `the agent "bot"`},
		{"a principal of no domain", text, func(d *rampv1.Delegation) { d.PrincipalDomain = "10.0.0.1" }, "principal"},
		{"a list elsewhere", text, func(d *rampv1.Delegation) {
			d.RevocationUri = proto.String("https://evil.example/none.json")
		}, "revocation_uri"},
		{"a list that is none", text, func(d *rampv1.Delegation) {
			d.RevocationUri = proto.String("ftp://" + o.principal.domain() + "/")
		}, "revocation_uri"},
	} {
		d := o.under(v.token)
		v.change(d)
		_, err := o.asks(d, nil)
		if v.word == "" && err != nil {
			t.Errorf("%s: %v", v.name, err)
		}
		if v.word != "" {
			said(t, v.name, err, fail.Forbidden, "requester.delegation", v.word)
		}
	}
}

func TestWhatHasExpiredIsOver(t *testing.T) {
	t.Parallel()
	o := newOffice(t, nil)
	o.grants("*")
	for name, v := range map[string]struct {
		blocks []string
		over   bool
	}{
		"in time":                        {[]string{`user("ceo"); expires("2026-11-21T12:00:01Z")`}, false},
		"expired":                        {[]string{`user("ceo"); expires("2026-11-21T12:00:00Z")`}, true},
		"expired by a date":              {[]string{`user("ceo"); expires(2026-11-21T12:00:00Z)`}, true},
		"expired by a check":             {[]string{`user("ceo"); check if time($t), $t < 2026-11-21T12:00:00Z`}, true},
		"expired by a check that covers": {[]string{`user("ceo"); check if time($t), $t <= 2026-11-21T12:00:00Z`}, false},
		"expired by a block's check":     {[]string{`user("ceo"); expires("2027-11-21T12:00:00Z")`, `check if time($now), $now < 2026-11-21T11:59:00Z`}, true},
	} {
		d := o.under(biscuitOf(t, key(1), v.blocks...).Text())
		d.ExpiresAt = nil // which the door does not let through; the token decides
		r, err := o.asks(d, nil)
		if err != nil || errors.Is(r.Delegation.Ended, requesters.ErrDelegationOver) != v.over ||
			errors.Is(o.may(r), requesters.ErrDelegationOver) != v.over {
			t.Errorf("%s: %v, %+v", name, err, r.Delegation)
		}
	}
	d := o.under(biscuitOf(t, key(1), granted).Text())
	d.ExpiresAt = timestamppb.New(o.clock.Now())
	if r, err := o.asks(d, nil); err != nil || !errors.Is(r.Delegation.Ended, requesters.ErrDelegationOver) {
		t.Errorf("over by its copy: %v", err)
	}
	d = o.under(biscuitOf(t, key(1), granted, `check if time($t), $t >= 2026-11-21T12:00:01Z`).Text())
	r, err := o.asks(d, nil)
	if err != nil || o.may(r) == nil {
		t.Errorf("of the future: %v", err)
	}
	if o.clock.Advance(time.Second); o.may(r) != nil {
		t.Errorf("not of the future any more: %v", o.may(r))
	}
}

// TestHoldersAreHeld holds that a bound token needs the request to be signed with its key over
// HTTP.
func TestHoldersAreHeld(t *testing.T) {
	t.Parallel()
	o := newOffice(t, nil)
	o.grants("*")
	for _, holder := range []string{`hex:` + hex.EncodeToString(public(0)), `"` + hex.EncodeToString(public(0)) + `"`,
		`"` + base64.StdEncoding.EncodeToString(public(0)) + `"`} {
		for _, blocks := range [][]string{{granted + `; holder(` + holder + `)`}, {granted, `holder(` + holder + `)`}} {
			d := o.under(biscuitOf(t, key(1), blocks...).Text())
			if r, err := o.asks(d, key(0)); err != nil || o.may(r, "news:a") != nil {
				t.Errorf("%s: %v", holder, err)
			}
			_, err := o.asks(d, nil)
			said(t, "signed in the message", err, fail.Forbidden, "over HTTP")
		}
	}
}

// TestKeysOfPrincipals holds which keys a token may be signed with: published ones and, for a
// while, those that were; those that the operator was given in their place; and none of an agent
// that the domain does not vouch for.
func TestKeysOfPrincipals(t *testing.T) {
	t.Parallel()
	o := newOffice(t, func(c *requesters.Config) { c.KeyGrace = 24 * time.Hour })
	o.grants("*")
	first, second := o.under(biscuitOf(t, key(1), `user("ceo")`).Text()), o.under(biscuitOf(t, key(2), `user("ceo")`).Text())
	good := func(step string, d *rampv1.Delegation, want bool) {
		t.Helper()
		d.ExpiresAt = timestamppb.New(o.clock.Now().Add(time.Hour))
		if _, err := o.asks(d, nil); (err == nil) != want {
			t.Errorf("%s: %v", step, err)
		} else if !want {
			said(t, step, err, fail.Forbidden)
		}
	}
	good("the published key", first, true)
	good("a key that is not published yet", second, false)
	o.clock.Advance(time.Minute)
	o.principal.publishes(t, o.principal.domain(), ramp.Key{Public: public(2)})
	good("a new key", second, true)
	good("the key before it", first, true)
	before := o.principal.called()
	for range 5 {
		good("again", first, true)
	}
	if n := o.principal.called() - before; n > 1 {
		t.Errorf("the principal was asked %d times", n)
	}
	o.clock.Advance(23 * time.Hour)
	good("the key before it, a day later", first, true)
	o.clock.Advance(2 * time.Hour)
	good("the key before it, after its grace", first, false)
	good("the new key, still", second, true)

	o.clock.Advance(2 * time.Hour)
	o.principal.publishes(t, o.principal.domain(), ramp.Key{ID: "n", Public: public(2)},
		ramp.Key{ID: "o", Public: public(1), Until: o.clock.Now().Add(-23 * time.Hour)},
		ramp.Key{ID: "f", Public: public(3), From: o.clock.Now().Add(time.Hour)})
	good("a key that ended a moment ago", first, true)
	good("a key of the future", o.under(biscuitOf(t, key(3), `user("ceo")`).Text()), false)
	o.clock.Advance(2 * time.Hour)
	good("a key that ended long ago", first, false)

	o.principal.publishes(t, "cfo", ramp.Key{Public: public(2)})
	o.clock.Advance(2 * time.Hour)
	good("a key of somebody else at the domain", second, false)
	_, err := o.Change(t.Context(), o.principal.domain(), "ceo", func(g *requesters.Registration) error {
		g.Keys = []ramp.Key{{Public: public(4)}}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	good("the operator's key", o.under(biscuitOf(t, key(4), `user("ceo")`).Text()), true)
	good("the published key beside the operator's", second, false)
	if _, err := o.SetStatus(t.Context(), o.principal.domain(), "ceo", requesters.Suspended); err != nil {
		t.Fatal(err)
	}
	good("of a suspended principal", o.under(biscuitOf(t, key(4), `user("ceo")`).Text()), false)
}

// TestFormerKeysOutliveTheProcess holds that another process takes a key that was published a
// moment ago, too.
func TestFormerKeysOutliveTheProcess(t *testing.T) {
	t.Parallel()
	o := newOffice(t, nil)
	dsn := storetest.ChosenDSN(t)
	o.Registry = registry(t, storetest.Open(t, dsn, requesters.Schema), o.clock, nil)
	d := o.under(biscuitOf(t, key(1), `user("ceo")`).Text())
	if _, err := o.asks(d, nil); err != nil {
		t.Fatal(err)
	}
	o.principal.publishes(t, o.principal.domain(), ramp.Key{Public: public(2)})
	o.Registry = registry(t, storetest.Open(t, dsn, requesters.Schema), o.clock, nil)
	if _, err := o.asks(d, nil); err != nil {
		t.Errorf("another process of the same front desk: %v", err)
	}
	o.Registry = registry(t, storetest.Chosen(t, requesters.Schema), o.clock, nil)
	_, err := o.asks(d, nil)
	said(t, "one that never saw the key", err, fail.Forbidden)
}

func TestTheOperatorRevokes(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		dsn := fresh(t)
		o := &office{t: t, clock: newClock(), host: newAgentHost(t), principal: newAgentHost(t)}
		o.host.publishes(t, "bot", ramp.Key{Public: public(0)})
		o.principal.publishes(t, o.principal.domain(), ramp.Key{Public: public(1)})
		o.Registry = registry(t, storetest.Open(t, dsn, requesters.Schema), o.clock, nil)
		other := registry(t, storetest.Open(t, dsn, requesters.Schema), o.clock, nil)
		root := biscuitOf(t, key(1), granted)
		source := func(code string) *biscuit.Source {
			s, err := biscuit.ParseSource(code)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		attenuated := func(of *biscuit.Token, code string) *biscuit.Token {
			more, err := of.Attenuate(rand.Reader, source(code))
			if err != nil {
				t.Fatal(err)
			}
			return more
		}
		left, right := attenuated(root, `check if operation("discover")`), attenuated(root, `check if operation($o)`)
		below := attenuated(left, `check if operation($o)`)
		all := map[string]*biscuit.Token{"root": root, "left": left, "right": right, "below": below}
		expect := func(step, gone string) {
			t.Helper()
			o.clock.Advance(time.Second)
			for name, one := range all {
				r, err := o.asks(o.under(one.Text()), nil)
				if err != nil || (r.Delegation.Ended != nil) != slices.Contains(strings.Fields(gone), name) {
					t.Errorf("%s: %s: %v %+v", step, name, err, r.Delegation)
				}
			}
		}
		expect("before", "")
		id := func(of *biscuit.Token) []byte { ids := of.RevocationIDs(); return ids[len(ids)-1] }
		for _, step := range []struct {
			block *biscuit.Token
			gone  string
		}{{below, "below"}, {left, "below left"}, {left, "below left"}, {root, "below left right root"}} {
			if _, err := other.Revoke(t.Context(), id(step.block), "lost"); err != nil { // another process does
				t.Fatal(err)
			}
			expect("revoked", step.gone)
		}
		listed, err := o.Revocations(t.Context(), 10)
		if err != nil || len(listed) != 3 || listed[0].Note != "lost" {
			t.Errorf("%+v, %v", listed, err)
		}
		for _, bad := range [][]byte{nil, []byte("short"), make([]byte, 200)} {
			_, err := o.Revoke(t.Context(), bad, "")
			said(t, "no id", err, fail.Invalid)
		}
		again := registry(t, storetest.Open(t, dsn, requesters.Schema), o.clock, nil)
		r := bodySigned(t, &rampv1.Requester{Domain: o.host.domain(), Id: "bot", Delegation: o.under(root.Text())},
			key(0))
		if who, err := again.Identify(t.Context(), r, requesters.Call{}); err != nil || who.Delegation.Ended == nil {
			t.Errorf("after a restart: %v", err)
		}
	})
}

// TestThePrincipalRevokes holds the list at revocation_uri: asked once a minute and once for all,
// needed where it matters, and what was revoked stays so.
func TestThePrincipalRevokes(t *testing.T) {
	t.Parallel()
	o := newOffice(t, nil)
	o.grants("*")
	var calls atomic.Int64
	var status atomic.Int64
	var body atomic.Value
	status.Store(200)
	body.Store(`{"revoked":[]}`)
	list := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		w.WriteHeader(int(status.Load()))
		_, _ = w.Write([]byte(body.Load().(string)))
	}))
	t.Cleanup(list.Close)
	text := biscuitOf(t, key(1), granted+`; revocation_uri("`+list.URL+`/revoked.json")`)
	r, err := o.asks(o.under(text.Text()), nil)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(sure bool) error { return r.Delegation.CheckRevocation(t.Context(), sure) }
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			if err := ask(true); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if calls.Load() != 1 {
		t.Errorf("asked %d times for 16 at once", calls.Load())
	}
	body.Store(`{"revoked":["` + hex.EncodeToString(text.RevocationIDs()[0]) + `"]}`)
	if o.clock.Advance(59 * time.Second); ask(true) != nil || calls.Load() != 1 {
		t.Errorf("within a minute: %d calls", calls.Load())
	}
	if o.clock.Advance(time.Second); !errors.Is(ask(true), requesters.ErrDelegationOver) {
		t.Error("what is revoked is let through after a minute")
	}
	status.Store(500)
	o.clock.Advance(time.Hour)
	said(t, "a list that cannot be had", ask(true), fail.Unavailable, "revocation_uri")
	if n := calls.Load(); ask(true) == nil || calls.Load() != n {
		t.Error("it is asked again at once")
	}
	if !errors.Is(ask(false), requesters.ErrDelegationOver) {
		t.Error("what was revoked is not any more, since the list cannot be had")
	}
	status.Store(200)
	for i, bad := range []string{``, `{}`, `{"revoked":null}`, `{"revoked":"x"}`, `{"revoked":[1]}`, `{"revoked":["!"]}`, `[]`, `{"revoked":[],"revoked":[]}`} {
		body.Store(bad)
		o.clock.Advance(time.Hour)
		said(t, fmt.Sprintf("a garbled list %d", i), ask(true), fail.Unavailable)
	}
	body.Store(`{"revoked":["` + base64.RawURLEncoding.EncodeToString([]byte("somebody else's")) + `"],"more":1}`)
	if o.clock.Advance(time.Hour); ask(true) != nil {
		t.Errorf("a list of others: %v", ask(true))
	}
}

// TestListsThatAreNotNeededAreNotWaitedFor holds that, where it does not matter much, a purchase
// waits for no list, and the next one knows it.
func TestListsThatAreNotNeededAreNotWaitedFor(t *testing.T) {
	t.Parallel()
	o := newOffice(t, nil)
	o.grants("*")
	text := biscuitOf(t, key(1), granted)
	release, served := make(chan struct{}), make(chan struct{})
	o.principal.set(func(w http.ResponseWriter, r *http.Request) {})
	list := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		<-release
		_, _ = w.Write([]byte(`{"revoked":["` + hex.EncodeToString(text.RevocationIDs()[0]) + `"]}`))
		close(served)
	}))
	t.Cleanup(list.Close)
	o.principal.publishes(t, o.principal.domain(), ramp.Key{Public: public(1)})
	bound := biscuitOf(t, key(1), granted+`; revocation_uri("`+list.URL+`")`)
	text = bound
	r, err := o.asks(o.under(bound.Text()), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Delegation.CheckRevocation(t.Context(), false); err != nil {
		t.Errorf("a list that nobody knows: %v", err)
	}
	close(release)
	<-served
	// which waits for the same
	if err := r.Delegation.CheckRevocation(t.Context(), true); !errors.Is(err, requesters.ErrDelegationOver) {
		t.Errorf("a list that came: %v", err)
	}
	if err := r.Delegation.CheckRevocation(t.Context(), false); !errors.Is(err, requesters.ErrDelegationOver) {
		t.Errorf("and is known: %v", err)
	}
}

// TestCapsNameTheirBlocks holds that each cap is counted under the block that sets it.
func TestCapsNameTheirBlocks(t *testing.T) {
	t.Parallel()
	o := newOffice(t, nil)
	one := biscuitOf(t, key(1), granted, `check if max_spend_cents($v), $v <= 100; check if time($t), $t < 2026-11-22T00:00:00Z`, `check if operation($o)`)
	d := o.under(one.Text())
	r, err := o.asks(d, nil)
	if err != nil {
		t.Fatal(err)
	}
	caps, ids := r.Delegation.Caps, one.RevocationIDs()
	if len(caps) != 2 || string(caps[0].Block) != string(ids[0]) || string(caps[1].Block) != string(ids[1]) ||
		*caps[0].SpendCents != 500 || *caps[0].Accesses != 10 ||
		*caps[1].SpendCents != 100 || caps[1].Accesses != nil || r.Delegation.Period != 24*time.Hour ||
		caps[1].Spend() != 100_000_000 ||
		!caps[0].Expires.Equal(time.Date(2026, 12, 21, 12, 0, 0, 0, time.UTC)) ||
		!caps[1].Expires.Equal(time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)) ||
		r.Delegation.ID != hex.EncodeToString(ids[0]) {
		t.Errorf("%+v", r.Delegation)
	}
}
