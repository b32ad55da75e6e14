package desk

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
	"frontdesk/wire/sign"
)

// opens says what an address gives, which this front desk signs for a transaction and an agent; the error's code where it
// gives nothing.
func (d *dealer) opens(t *testing.T, transaction, agent string) string {
	t.Helper()
	const at = "https://site.example/deliver/"
	grant := sign.URLGrant{Expires: d.clock.Now().Add(time.Minute).Truncate(time.Second), Agent: agent, Transaction: transaction}
	signed, err := addressed(at, []sign.URLKey{addressKey("new")}).Sign(at+transaction, grant, d.clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	_, query, _ := strings.Cut(signed, "?")
	got, _, err := d.delivers(t.Context(), at, transaction, query)
	if err != nil {
		return string(fail.From(err).Code)
	}
	return got
}

// delivers fetches what an address opens in its first form, with all that is recorded of it.
func (d *dealer) delivers(ctx context.Context, at, transaction, query string) (text string, r *Rendition, err error) {
	fetched, err := d.Fetch(ctx, at, transaction, query)
	if err != nil {
		return "", nil, err
	}
	r = fetched.In(fetched.Media[0])
	sending, err := r.Begin(ctx, 200, r.Size)
	if err != nil {
		return "", nil, err
	}
	return string(sending.Body), r, sending.End(ctx, r.Size)
}

// TestAnAddressOpensWhatStandsAndNothingElse holds that a good signature alone opens nothing: the transaction must be there and
// stand, be the agent's, and what was bought must be served and let out still.
func TestAnAddressOpensWhatStandsAndNothingElse(t *testing.T) {
	t.Parallel()
	d := shop(t)
	d.price(t, policy.Rule{Match: policy.Match{Path: []string{"/a/**", "/list"}}, Access: policy.Licensed, Price: cent})
	list := item("site", "list", "ItemList", "A list", "A list.")
	list.Object = []byte(`{"@type":"ItemList","itemListElement":[{"@type":"Recipe","url":"/a/1","text":"all of it"}]}`)
	d.stock(t, story("a/1", "One."), list)
	one, whole := d.bought(t, "a/1").Transaction, d.bought(t, "list").Transaction
	if got := d.opens(t, one.ID, one.Agent); got != "One." {
		t.Fatal(got)
	}
	if got := d.opens(t, one.ID, strings.Repeat("0", 64)); got != string(fail.Forbidden) {
		t.Errorf("to another agent: %s", got)
	}
	if got := d.opens(t, transactions.NewID("txn", d.clock.Now()), one.Agent); got != string(fail.Forbidden) {
		t.Errorf("of nothing: %s", got)
	}
	d.keys = errors.New("away")
	if _, err := d.Commit(t.Context(), d.take(bot, d.offered(t, bot, "a/1"))); err == nil {
		t.Fatal("there was no failure")
	}
	d.keys = nil
	var failed string
	d.update(t, func(ctx context.Context, tx *store.Tx) error {
		return tx.QueryRow(ctx, `SELECT id FROM deal_transaction WHERE failed = 1`).Scan(&failed)
	})
	if got := d.opens(t, failed, one.Agent); got != string(fail.Forbidden) {
		t.Errorf("what was taken back: %s", got)
	}
	if got := d.opens(t, whole.ID, whole.Agent); !strings.Contains(got, "all of it") {
		t.Errorf("what is sold as a whole: %s", got)
	}
	d.price(t, licensed("/list", cent), policy.Rule{Access: policy.Licensed, Price: policy.Price{Model: "per_access", Rate: "5", Currency: "USD"}})
	if got := d.opens(t, whole.ID, whole.Agent); got != string(fail.NotFound) {
		t.Errorf("what would give away another's text by now: %s", got)
	}
	if got := d.opens(t, one.ID, one.Agent); got != "One." {
		t.Errorf("dearer by now: %s", got)
	}
	delete(d.served, "site")
	if got := d.opens(t, one.ID, one.Agent); got != string(fail.NotFound) {
		t.Errorf("of a site that is not served: %s", got)
	}
	d.served["site"] = true
	if problems, err := accounts.Check(t.Context(), d.db); err != nil || len(problems) > 0 {
		t.Errorf("the book: %v %v", problems, err)
	}
}
