package client_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"frontdesk/biscuit"
	"frontdesk/client"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// delegated is a delegation by a token of Datalog.
func delegated(t *testing.T, code string) *rampv1.Delegation {
	t.Helper()
	source, err := biscuit.ParseSource(code)
	if err != nil {
		t.Fatal(err)
	}
	token, err := biscuit.Mint(oldKey, rand.Reader, source)
	if err != nil {
		t.Fatal(err)
	}
	return &rampv1.Delegation{PrincipalDomain: "owner.example", PrincipalId: "ceo",
		ExpiresAt: timestamppb.New(time.Now().Add(time.Hour)), Token: token.Text()}
}

func TestDelegationsAreRead(t *testing.T) {
	t.Parallel()
	text, err := ramp.Marshal(delegated(t, `user("ceo")`))
	if err != nil {
		t.Fatal(err)
	}
	if d, err := client.ReadDelegation(text); err != nil || d.PrincipalId != "ceo" {
		t.Errorf("%v, %v", d, err)
	}
	over := delegated(t, `user("ceo")`)
	over.ExpiresAt = timestamppb.New(time.Now().Add(-time.Second))
	past, err := ramp.Marshal(over)
	if err != nil {
		t.Fatal(err)
	}
	for says, text := range map[string]string{
		"no delegation":    "site: {}",
		"principal_domain": "{}",
		"no Biscuit token": `{"principal_domain":"owner.example","principal_id":"ceo","expires_at":"2100-01-01T00:00:00Z","token":"AAAA"}`,
		"has expired":      string(past),
	} {
		if _, err := client.ReadDelegation([]byte(text)); err == nil ||
			!strings.Contains(strings.ToLower(err.Error()), strings.ToLower(strings.TrimPrefix(says, "no "))) {
			t.Errorf("%s: %v", says, err)
		}
	}
}

// TestADelegationIsShownOnlyToWhoMaySeeIt holds that every request carries it, and that a token
// which anybody can use is sent to no Exchange that was only found.
func TestADelegationIsShownOnlyToWhoMaySeeIt(t *testing.T) {
	t.Parallel()
	bound := `user("ceo"); holder(hex:` + hex.EncodeToString(buyerKey.Public().(ed25519.PublicKey)) + `)`
	others := `user("ceo"); holder(hex:` + hex.EncodeToString(oldKey.Public().(ed25519.PublicKey)) + `)`
	for _, v := range []struct {
		name, code string
		exchange   bool // is named
		sent       bool
	}{{"unbound, to one that is named", `user("ceo")`, true, true},
		{"unbound, to one that was found", `user("ceo")`, false, false},
		{"bound, to one that was found", bound, false, true}, {"bound to somebody else", others, false, false}} {
		s := newShop(t)
		var bodies []string
		s.seen = func(_ string, body []byte) { bodies = append(bodies, string(body)) }
		desk, err := client.New(s.URL, client.Options{
			Buyer: client.Buyer{ID: "bot", Domain: "buyer.example", Key: buyerKey, KeyID: "k1",
				Delegation: delegated(t, v.code)}, MaxWait: 10 * time.Millisecond, Retries: 2,
		})
		if err != nil {
			t.Fatal(err)
		}
		f := client.Fetching{Most: client.Price{Amount: 1, Currency: "USD"}, Later: true}
		if v.exchange {
			f.Exchange = s.URL
		}
		answer, err := s.desk.Ask(t.Context(), client.Question{Text: "soup"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = desk.Fetch(t.Context(), answer.Results[0], f)
		if v.sent && (len(bodies) < 2 || !strings.Contains(bodies[0], `"principal_id":"ceo"`) ||
			!strings.Contains(bodies[1], "REQUESTER_TYPE_DELEGATED")) {
			t.Errorf("%s: %v, %v", v.name, err, bodies)
		}
		if !v.sent && (err == nil || len(bodies) > 0 || !strings.Contains(err.Error(), "bound to your key")) {
			t.Errorf("%s: %v, %d requests", v.name, err, len(bodies))
		}
	}
}
