package delivery_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
)

// TestAnAddressOpensWhatStandsAndNothingElse holds that a good signature alone opens nothing: the
// transaction must be there and stand, be the agent's, and what was bought must be served and let
// out still.
func TestAnAddressOpensWhatStandsAndNothingElse(t *testing.T) {
	t.Parallel()
	d := shop(t)
	d.Price(t, policy.Rule{Match: policy.Match{Path: []string{"/a/**", "/list"}}, Access: policy.Licensed, Price: cent})
	list := item("site", "list", "ItemList", "A list", "A list.")
	list.Object = []byte(`{"@type":"ItemList","itemListElement":[{"@type":"Recipe","url":"/a/1","text":"all of it"}]}`)
	d.Stock(t, story("a/1", "One."), list)
	one, whole := d.BuyAt(t, "a/1").Transaction, d.BuyAt(t, "list").Transaction
	if got := d.Opens(t, one.ID, one.Agent); got != "One." {
		t.Fatal(got)
	}
	if got := d.Opens(t, one.ID, strings.Repeat("0", 64)); got != string(fail.Forbidden) {
		t.Errorf("to another agent: %s", got)
	}
	if got := d.Opens(t, transactions.NewID("txn", d.Clock.Now()), one.Agent); got != string(fail.Forbidden) {
		t.Errorf("of nothing: %s", got)
	}
	d.NoKeys = errors.New("away")
	if _, err := d.Execute(t.Context(), d.OrderRequest(bot, d.FirstOffer(t, bot, "a/1"))); err == nil {
		t.Fatal("there was no failure")
	}
	d.NoKeys = nil
	var failed string
	d.Write(t, func(ctx context.Context, tx *store.Tx) error {
		return tx.QueryRow(ctx, `SELECT id FROM deal_transaction WHERE failed = 1`).Scan(&failed)
	})
	if got := d.Opens(t, failed, one.Agent); got != string(fail.Forbidden) {
		t.Errorf("what was taken back: %s", got)
	}
	if got := d.Opens(t, whole.ID, whole.Agent); !strings.Contains(got, "all of it") {
		t.Errorf("what is sold as a whole: %s", got)
	}
	d.Price(t, licensed("/list", cent),
		policy.Rule{Access: policy.Licensed, Price: policy.Price{Model: "per_access", Rate: "5", Currency: "USD"}})
	if got := d.Opens(t, whole.ID, whole.Agent); got != string(fail.NotFound) {
		t.Errorf("what would give away another's text by now: %s", got)
	}
	if got := d.Opens(t, one.ID, one.Agent); got != "One." {
		t.Errorf("dearer by now: %s", got)
	}
	d.Reopen(t, "elsewhere")
	if got := d.Opens(t, one.ID, one.Agent); got != string(fail.NotFound) {
		t.Errorf("of a site that is not served: %s", got)
	}
	d.Reopen(t, "site")
	if problems, err := accounts.Check(t.Context(), d.DB); err != nil || len(problems) > 0 {
		t.Errorf("the book: %v %v", problems, err)
	}
}
