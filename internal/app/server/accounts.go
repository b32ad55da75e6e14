package server

import (
	"context"
	"encoding/json"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/delivery/botstats"
	"frontdesk/internal/licensing/reports"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/operator"
	"frontdesk/internal/policy"
	"frontdesk/wire/receipt"
)

// openAccounts makes the book of the house, whose every change by the operator the ledger tells of.
func (h *House) openAccounts(config Config) {
	credit, _ := policy.ParseAmount(config.RAMP.Accounts.Credit) // the check of the configuration told what is wrong with it
	h.Accounts = accounts.New(accounts.Options{Credit: credit, Tolerance: int64(config.RAMP.Accounts.Tolerance), Changed: h.recordAccount})
	h.ReadAccounts = accounts.NewReader(h.db)
	h.ReadDeals = transactions.NewReader(h.db)
	h.ReadTraffic = botstats.NewReader(h.db)
	h.openEvidence(config)
}

// Reports write what was sold for other programs.
func (h *House) Reports() reports.Reporter {
	return reports.Reporter{Accounts: h.ReadAccounts, Transactions: h.ReadDeals, AccessLog: h.ReadEvidence, Disputes: h.ReadDisputes(), Now: h.now}
}

// ChangeAccounts runs fn in a transaction on the book.
func (h *House) ChangeAccounts(ctx context.Context, fn func(tx *store.Tx) error) error {
	return h.db.UpdateBatched(ctx, fn)
}

// CheckAccounts derives the whole book anew, and says everything that is not as it must be.
func (h *House) CheckAccounts(ctx context.Context) ([]accounts.Finding, error) {
	return accounts.Check(ctx, h.db)
}

// accountFact is the body of an entry of the ledger on what the operator did to an account, a licence or a subscription.
type accountFact struct {
	Of       string `json:"of"`  // account, licence or subscription
	Did      string `json:"did"` // open, credit, debit, expire, limit, suspend, resume, add, quota or end
	Amount   string `json:"amount,omitempty"`
	Currency string `json:"currency,omitempty"`
	Limit    string `json:"limit,omitempty"` // how far below nothing an account may go; "configured" where it has none of its own
	Unit     string `json:"unit,omitempty"`
	Quota    *int64 `json:"quota,omitempty"`
	By       string `json:"by,omitempty"` // who did it at the console, or the key that did it over HTTP; empty for the command
}

// recordAccount has the ledger tell of a change, in the transaction that makes it.
func (h *House) recordAccount(ctx context.Context, tx *store.Tx, c accounts.Change) error {
	fact := accountFact{Of: c.What, Did: c.Action, Currency: c.Currency, Unit: c.Unit}
	fact.By = operator.Actor(ctx)
	switch c.Action {
	case "credit", "debit", "expire":
		fact.Amount = policy.Amount(c.Amount)
	case "open", "limit":
		if fact.Limit = "configured"; c.Amount >= 0 {
			fact.Limit = policy.Amount(c.Amount)
		}
	case "quota":
		fact.Quota = &c.Amount
	}
	body, err := json.Marshal(fact)
	if err != nil {
		return err
	}
	_, err = h.Ledger.Append(ctx, tx, receipt.Entry{Kind: "account", Site: c.Site, Party: "buyer:" + c.Buyer, Subject: c.ID, Body: body})
	return err
}
