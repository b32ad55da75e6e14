package broker

import (
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"frontdesk/biscuit"
	rampv1 "frontdesk/wire/ramp/v1"
)

// delegated is a delegation of a principal, and the key that it is verified by.
func delegated(t *testing.T, code string, change func(*rampv1.Delegation)) (*rampv1.Delegation, biscuit.PublicKey) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	source, err := biscuit.ParseSource(code)
	if err != nil {
		t.Fatal(err)
	}
	token, err := biscuit.Mint(private, rand.Reader, source)
	if err != nil {
		t.Fatal(err)
	}
	key, err := biscuit.NewPublicKey(biscuit.Ed25519, public)
	if err != nil {
		t.Fatal(err)
	}
	d := &rampv1.Delegation{PrincipalDomain: "acme.example", PrincipalId: "ceo", Token: token.Text(),
		ExpiresAt: timestamppb.New(time.Now().Add(1000 * time.Hour))}
	if change != nil {
		change(d)
	}
	return d, key
}

// passedOn is the delegation that an Exchange got, verified, and the Broker's request.
func passedOn(t *testing.T, d *desk, said *rampv1.Delegation, key biscuit.PublicKey,
	change func(*rampv1.RAMPRequest)) (*rampv1.Delegation, *biscuit.Grants) {
	t.Helper()
	r := d.request(newID("r"), "a", "b")
	r.Requester.Delegation = said
	if change != nil {
		change(r)
	}
	d.must(r)
	queries := d.at[0].Queries()
	got := queries[len(queries)-1].GetRequester().GetDelegation()
	token, err := biscuit.ParseText(got.GetToken())
	if err != nil {
		t.Fatal(err)
	}
	verified, err := token.Verify(key)
	if err != nil {
		t.Fatal(err)
	}
	grants, err := verified.Grants()
	if err != nil {
		t.Fatal(err)
	}
	return got, grants
}

// TestADelegationIsNarrowedToTheRequest: what the Exchange gets is good for what was asked for, and
// for nothing else that the agent's was good for.
func TestADelegationIsNarrowedToTheRequest(t *testing.T) {
	t.Parallel()
	d := openDesk(t, sqlite(t), 1, nil)
	said, key := delegated(t, `user("ceo"); scope("news:*"); max_spend_cents(5000);`, func(d *rampv1.Delegation) {
		d.MaxSpend, d.Scopes = &rampv1.Cost{Amount: 50, Currency: "USD"}, []string{"news:*"}
	})
	before := proto.CloneOf(said)
	got, grants := passedOn(t, d, said, key, func(r *rampv1.RAMPRequest) {
		r.Requester.Scopes = []string{"news:a"}
		r.Constraints = &rampv1.RequestConstraints{MaxPrice: &rampv1.Cost{Amount: 0.995, Currency: "USD"}}
	})
	if !proto.Equal(said, before) {
		t.Error("the request itself was changed")
	}
	if len(grants.Scopes) != 1 || grants.Scopes[0] != "news:a" || *grants.MaxSpendCents != 100 ||
		got.MaxSpend.Amount != 1 || len(got.Scopes) != 1 || got.Scopes[0] != "news:a" ||
		got.ExpiresAt.AsTime().After(time.Now().Add(delegationHolds)) || !grants.Expires.Equal(got.ExpiresAt.AsTime()) {
		t.Errorf("it grants %v, %v, until %v; beside it stands %v", grants.Scopes, grants.MaxSpendCents,
			grants.Expires, got)
	}
	cents := int64(1)
	ask := biscuit.Request{Time: time.Now(), Operation: "transact", Resource: d.at[0].URI("b"),
		RequestedScope: "news:a", SpendCents: &cents}
	for name, c := range map[string]struct {
		good   bool
		change func(*biscuit.Request)
	}{
		"what was asked for": {true, func(*biscuit.Request) {}},
		"another site":       {false, func(r *biscuit.Request) { r.Resource = "https://www.example.com/b" }},
		"another scope":      {false, func(r *biscuit.Request) { r.RequestedScope = "news:b" }},
		"another operation":  {false, func(r *biscuit.Request) { r.Operation = "resell" }},
		"two days later":     {false, func(r *biscuit.Request) { r.Time = r.Time.Add(48 * time.Hour) }},
	} {
		r := ask
		c.change(&r)
		if err := grants.Authorize(biscuit.NewAuthorizer(nil, biscuit.Limits{}), r); (err == nil) != c.good {
			t.Errorf("%s: %v", name, err)
		}
	}
	if last := d.at[0].Bought(); len(last) != 2 {
		t.Errorf("bought %v", last)
	}
}

func TestADryRunDelegatesNoPurchase(t *testing.T) {
	t.Parallel()
	d := openDesk(t, sqlite(t), 1, nil)
	said, key := delegated(t, `user("ceo");`, nil)
	for dry, good := range map[bool]bool{true: false, false: true} {
		_, grants := passedOn(t, d, said, key, func(r *rampv1.RAMPRequest) {
			if dry {
				r.Ext = &structpb.Struct{Fields: map[string]*structpb.Value{extDryRun: structpb.NewBoolValue(true)}}
			}
		})
		for operation, want := range map[string]bool{"discover": true, "transact": good} {
			err := grants.Authorize(biscuit.NewAuthorizer(nil, biscuit.Limits{}),
				biscuit.Request{Time: time.Now(), Operation: operation, Resource: d.at[0].URI("a")})
			if (err == nil) != want {
				t.Errorf("dry run %v, %s: %v", dry, operation, err)
			}
		}
	}
}

// TestDelegationsThatPassUnchanged: what is bound to a key, what is sealed, and all where the
// operator wants that; and caps that the request does not lower, or that are in another currency.
func TestDelegationsThatPassUnchanged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		code   string
		whole  bool
		sealed bool
		same   bool
	}{
		"bound":                 {code: `user("ceo"); holder(hex:00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff);`, same: true},
		"sealed":                {code: `user("ceo");`, sealed: true, same: true},
		"the operator wants it": {code: `user("ceo");`, whole: true, same: true},
		"none of these":         {code: `user("ceo");`},
	} {
		t.Run(name, func(t *testing.T) {
			d := openDesk(t, sqlite(t), 1, func(o *Config) { o.WholeDelegations = c.whole })
			said, key := delegated(t, c.code, nil)
			if c.sealed {
				token, _ := biscuit.ParseText(said.Token)
				sealed, err := token.Seal()
				if err != nil {
					t.Fatal(err)
				}
				said.Token = sealed.Text()
			}
			got, _ := passedOn(t, d, said, key, nil)
			if proto.Equal(got, said) != c.same {
				t.Errorf("it passes as %v", got)
			}
		})
	}
	for name, c := range map[string]struct {
		code, currency string
		want           int64
	}{
		"a lower cap":      {`user("ceo"); max_spend_cents(10);`, "USD", 10},
		"another currency": {`user("ceo"); max_spend_cents(5000);`, "EUR", 5000},
		"no cap":           {`user("ceo");`, "USD", 0},
	} {
		t.Run(name, func(t *testing.T) {
			d := openDesk(t, sqlite(t), 1, nil)
			said, key := delegated(t, c.code, func(d *rampv1.Delegation) {
				d.MaxSpend = &rampv1.Cost{Amount: float64(c.want) / 100, Currency: c.currency}
			})
			if c.want == 0 {
				said.MaxSpend = nil
			}
			_, grants := passedOn(t, d, said, key, func(r *rampv1.RAMPRequest) {
				r.Constraints = &rampv1.RequestConstraints{MaxPrice: &rampv1.Cost{Amount: 1, Currency: "USD"}}
			})
			switch {
			case c.want == 0 && grants.MaxSpendCents != nil, c.want > 0 &&
				(grants.MaxSpendCents == nil || *grants.MaxSpendCents != c.want):
				t.Errorf("it allows %v", grants.MaxSpendCents)
			}
		})
	}
}

// TestARetryHasTheSameDelegation: what is not known yet is asked for again under the token of the
// first time.
func TestARetryHasTheSameDelegation(t *testing.T) {
	t.Parallel()
	d := openDesk(t, sqlite(t), 1, nil)
	broke := false
	d.Fault = func(step string) error {
		if step == "begun" && !broke {
			broke = true
			return errCut
		}
		return nil
	}
	said, _ := delegated(t, `user("ceo");`, nil)
	r := d.request("r", "a")
	r.Requester.Delegation = said
	if _, err := d.ask(r); !errors.Is(err, errCut) {
		t.Fatal(err)
	}
	d.must(r)
	if n := len(d.at[0].Queries()); n != 1 {
		t.Errorf("asked %d times", n)
	}
}
