package app

import (
	"context"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/delivery/botstats"
	"frontdesk/internal/licensing/disputes/accesslog"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/licensing/reports"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
)

// accounting is what buyers paid and may use, what there is to read of sales, and the disputes
// about them.
type accounting struct {
	*base
	Accounts     *accounts.Ledger
	ReadAccounts *accounts.Reader
	ReadDeals    *transactions.Reader // what was offered and sold
	ReadTraffic  *botstats.Reader     // whom edges saw
	ReadEvidence *accesslog.Reader    // what logs say of deliveries
	Cases        *exchange.Cases      // disputes, as the operator decides them

	imports *accesslog.Importer // of logs of deliveries
}

// openAccounting opens the accounts. The ledger tells of each change by the operator.
func (b *base) openAccounting() (_ *accounting, err error) {
	a := &accounting{
		base: b, ReadAccounts: accounts.NewReader(b.db), ReadDeals: transactions.NewReader(b.db),
		ReadTraffic: botstats.NewReader(b.db), ReadEvidence: accesslog.NewReader(b.db), imports: b.accessLogImporter(),
	}
	c := b.config.RAMP.Accounts
	credit, _ := policy.ParseAmount(c.Credit) // the check of the configuration told what is wrong with it
	a.Accounts = accounts.New(
		accounts.Options{Credit: credit, Tolerance: int64(c.Tolerance), Changed: b.recorder().Account})
	a.Cases, err = exchange.NewCases(exchange.CaseDeps{
		DB: b.db, Ledger: b.Ledger, Accounts: a.Accounts, Rules: b.config.disputeRules, Now: b.now,
	})
	return a, err
}

// Reports write what was sold for other programs.
func (a *accounting) Reports() reports.Reporter {
	return reports.Reporter{Accounts: a.ReadAccounts, Transactions: a.ReadDeals, AccessLog: a.ReadEvidence,
		Disputes: a.ReadDisputes(), Now: a.now}
}

// ChangeAccounts runs fn in a transaction on the book.
func (a *accounting) ChangeAccounts(ctx context.Context, fn func(tx *store.Tx) error) error {
	return a.db.Update(ctx, fn)
}

// CheckAccounts derives the whole book anew, and says everything that is not as it must be.
func (a *accounting) CheckAccounts(ctx context.Context) ([]accounts.Finding, error) {
	return accounts.Check(ctx, a.db)
}
