package app

import (
	"errors"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/policy"
)

func TestWhatIsSaidOfAccountsIsChecked(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{credit: "25.5", tolerance: 5}`: "",
		`{credit: "-1"}`:                 `ramp.accounts.credit: "-1" is no amount`,
		`{credit: lots}`:                 `ramp.accounts.credit: "lots" is no amount`,
		`{credit: "1000000001"}`:         "ramp.accounts.credit: 1000000001 is more than 1000000000",
		`{tolerance: 0}`:                 "ramp.accounts.tolerance: 0 is not between 1 and 100",
		`{tolerance: 101}`:               "ramp.accounts.tolerance: 101 is not between 1 and 100",
	} {
		_, err := Load(Layers{File: write(t, t.TempDir(), "frontdesk.yaml", "ramp: {accounts: "+text+"}\n")})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	const open = "url: https://x.example\nramp: {enabled: true, signatures: none, accounts: {credit: \"1\"}}\n"
	loaded, err := Load(Layers{File: write(t, t.TempDir(), "frontdesk.yaml", open)})
	if err != nil || !strings.Contains(loaded.Warnings.Error(), "ramp.accounts.credit: everybody buys on credit") {
		t.Errorf("%v, %v", loaded.Warnings, err)
	}
}

// TestTheBookFollowsTheConfiguration buys on the configured credit, reports far less than was
// estimated, and finds what the operator did in the ledger.
func TestTheBookFollowsTheConfiguration(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "ramp: {accounts: {credit: \"2\", tolerance: 50}}\n")
	now := time.Date(2026, 3, 18, 12, 0, 0, 0, time.UTC)
	const coin, buyer = 100_000_000, "buyer.example.com/research-bot"
	c := accounts.Charge{
		ID: "txn-1", Buyer: buyer, Site: "news", Item: accounts.Item{URL: "https://news.example/a"},
		Price: policy.Money{Model: "per_token", Rate: coin / 50, Currency: "USD"}, Quantity: 100,
		Due: now.Add(time.Hour), Now: now,
	}
	err := s.ChangeAccounts(t.Context(), func(tx *store.Tx) error {
		if _, err := s.Accounts.Authorize(t.Context(), tx, c); err != nil {
			return err
		}
		if settled, err := s.Accounts.Settle(t.Context(), tx, c.ID,
			accounts.Report{Quantity: 10, Now: now}); err != nil || settled.Charged != coin || !settled.Deviant {
			t.Errorf("%+v, %v", settled, err)
		}
		more := c
		more.ID, more.Quantity = "txn-2", 51
		var refused *accounts.Denial
		if _, err := s.Accounts.Authorize(t.Context(), tx, more); !errors.As(err, &refused) ||
			refused.Reason != accounts.InsufficientBalance {
			t.Errorf("above the credit: %v", err)
		}
		_, err := s.Accounts.Pay(t.Context(), tx, accounts.Credit, buyer, "USD", 3*coin, "INV-1", now)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if found, err := s.CheckAccounts(t.Context()); err != nil || len(found) > 0 {
		t.Errorf("%v, %v", found, err)
	}
	var told []string
	for r, err := range s.Ledger.Read(t.Context(), ledger.Filter{Kind: "account"}) {
		if err != nil {
			t.Fatal(err)
		}
		told = append(told, r.Entry.Party+" "+string(r.Entry.Body))
	}
	if want := `buyer:` + buyer + ` {"amount":"3","currency":"USD","did":"credit","of":"account"}`; strings.Join(told, "\n") != want {
		t.Errorf("the ledger tells %q, want %q", told, want)
	}
}
