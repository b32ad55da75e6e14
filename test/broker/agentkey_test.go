package broker

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"frontdesk/client"
	"frontdesk/internal/testkit/process"
)

// TestAnAgentsKeyIsReplacedInFlight replaces the key of an agent at the Exchange and the Broker,
// while the answer to one purchase is lost and another is answered. Under its new key it is told
// what was bought, once; the old key is refused.
func TestAnAgentsKeyIsReplacedInFlight(t *testing.T) {
	t.Parallel()
	m := openMarket(t, "sqlite:"+t.TempDir()+"/broker.db", 1, 2,
		"  budgets: [{requester: \"*\", amount: \"1000\", currency: USD}]\n")
	old := m.broker()
	told := &order{Resolving: client.Resolving{ID: "told", URIs: []string{m.thing(0)}}}
	if err := insists(func() (lost, err error) { return told.ask(t.Context(), old) }); err != nil {
		t.Fatal(err)
	}
	m.at.cut.Store(true)
	open := &order{Resolving: client.Resolving{ID: "open", URIs: []string{m.thing(1)}}}
	err := insists(func() (lost, err error) {
		if lost, err = open.ask(t.Context(), old); lost != nil && m.at.cuts.Load() > 0 {
			lost = nil
		}
		return lost, err
	})
	if err != nil || open.answer != nil {
		t.Fatalf("what was lost is told: %v, %v", open.answer, err)
	}
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{6}, ed25519.SeedSize))
	for _, config := range []string{m.exchange.config, m.configs[0]} {
		process.MustRun(t, "ramp", "requester", "change", "buyer.example.com", "bot", "--key",
			base64.StdEncoding.EncodeToString(key.Public().(ed25519.PublicKey)), "--config", config)
	}
	m.at.cut.Store(false)
	fresh, err := client.OpenBroker(m.through.URL, client.Buyer{ID: "bot", Domain: "buyer.example.com", Key: key},
		client.Options{Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []*order{told, open} {
		before := o.answer
		err := insists(func() (lost, err error) { // a server takes another key within a second
			if lost, err = o.ask(t.Context(), fresh); err != nil && strings.Contains(err.Error(), "unauthenticated") {
				return err, nil
			}
			return lost, err
		})
		if err != nil || before != nil && !proto.Equal(before.Answer, o.answer.Answer) {
			t.Errorf("%s under the new key: %v", o.ID, err)
		}
	}
	if _, err := old.Resolve(t.Context(), &client.Resolving{ID: "told", URIs: told.URIs}); err == nil ||
		!strings.Contains(err.Error(), "unauthenticated") {
		t.Error("the old key:", err)
	}
	if spent, held, err := m.purse(fresh); err != nil || held != 0 || !near(spent, 0.044) ||
		!near(m.books(), m.credit-0.04) {
		t.Errorf("%v are spent, %v held, and charged %v: %v", spent, held, m.credit-m.books(), err)
	}
}
