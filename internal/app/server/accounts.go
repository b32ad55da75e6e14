package server

import (
	"context"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/delivery/botstats"
	"frontdesk/internal/licensing/reports"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
)

// openAccounts makes the book of the house, whose every change by the operator the ledger tells of.
func (h *House) openAccounts(config Config) {
	credit, _ := policy.ParseAmount(config.RAMP.Accounts.Credit) // the check of the configuration told what is wrong with it
	h.Accounts = accounts.New(accounts.Options{Credit: credit, Tolerance: int64(config.RAMP.Accounts.Tolerance), Changed: h.recorder().Account})
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
