package broker

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/infra/store"
)

// drawn is what a work draws on a budget.
type drawn struct {
	Scope    string        `json:"scope"`
	Currency string        `json:"currency"`
	Limit    int64         `json:"limit"`
	Period   time.Duration `json:"period,omitempty"` // 0 for all time
	Held     int64         `json:"held"`
}

// The scopes of budgets begin with whose they are: nobody's own scope can be the operator's.
const (
	scopeOwn      = "own "
	scopeOperator = "operator"
)

// draws are the budgets that a request draws on: its own, by its scope or its licence, and that
// which the operator has given it.
func (b *Broker) draws(a Request) (all []*drawn) {
	c := a.GetConstraints()
	if budget := c.GetPeriodBudget(); budget != nil {
		limit, _ := units(budget.GetAmount()) // which wishesOf has looked at
		all = append(all, &drawn{
			Scope:    scopeOwn + cmp.Or(c.GetBudgetScope(), a.GetRequester().GetLicenseId()),
			Currency: strings.ToUpper(budget.GetCurrency()), Limit: limit, Period: c.GetBudgetPeriod().AsDuration(),
		})
	}
	at := slices.IndexFunc(b.Budgets, func(one Budget) bool { return one.Account == a.Account })
	if at < 0 {
		at = slices.IndexFunc(b.Budgets, func(one Budget) bool { return one.Account == "*" })
	}
	if at >= 0 {
		one := b.Budgets[at]
		all = append(all, &drawn{Scope: scopeOperator, Currency: one.Currency, Limit: one.Amount, Period: one.Period})
	}
	return all
}

// locks are the names of what a work changes: all that its account draws on.
func (w *work) locks() []string { return []string{"broker " + w.account} }

// budgetState is the state of a budget.
type budgetState struct {
	started, ends int64
	held, spent   int64
}

// stands reads the state of a budget at a time. A period that is over is followed by the next,
// which begins with the first that is drawn on it.
func (d *drawn) stands(ctx context.Context, tx *store.Tx, account string, now time.Time) (p budgetState, err error) {
	err = tx.QueryRow(ctx, `SELECT started, ends, held, spent FROM broker_budget WHERE account = $1 AND scope = $2 AND currency = $3`, account, d.Scope, d.Currency).
		Scan(&p.started, &p.ends, &p.held, &p.spent)
	is := err == nil
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	if is && p.ends == 0 && d.Period > 0 { // it was for all time, and has a period by now
		p.ends = store.Micros(store.FromMicros(p.started).Add(d.Period))
	}
	if !is || p.ends != 0 && store.Micros(now) >= p.ends {
		p.started, p.ends, p.spent = store.Micros(now), 0, 0
		if d.Period > 0 {
			p.ends = store.Micros(now.Add(d.Period))
		}
	}
	return p, err
}

// left is what may still be drawn.
func (d *drawn) left(p budgetState) int64 { return max(0, d.Limit-p.spent-p.held) }

// put writes the state of a budget.
func (d *drawn) put(ctx context.Context, tx *store.Tx, account string, p budgetState) error {
	_, err := tx.Exec(ctx, `INSERT INTO broker_budget (account, scope, currency, started, ends, held, spent) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (account, scope, currency) DO UPDATE SET started = EXCLUDED.started, ends = EXCLUDED.ends, held = EXCLUDED.held, spent = EXCLUDED.spent`,
		account, d.Scope, d.Currency, p.started, p.ends, p.held, p.spent)
	return err
}

// needs is what items cost with their fees, in one currency; ok is false where something costs
// another that cannot be converted.
func (r *Rates) needs(items []*item, currency string) (sum int64, ok bool) {
	for _, i := range items {
		n, ok := i.spent(r, currency)
		if !ok {
			return 0, false
		}
		sum = min(sum+n, maxUnits)
	}
	return sum, true
}

// settle releases what a work held of its budgets, and counts what it spent. What is still open
// stays held.
func (w *work) settle(ctx context.Context, tx *store.Tx, now time.Time) error {
	for _, d := range w.Budgets {
		p, err := d.stands(ctx, tx, w.account, now)
		if err != nil {
			return err
		}
		held, spent := int64(0), int64(0)
		for _, i := range w.Items {
			switch {
			case i.State == open:
				n, _ := w.Rates.convert(i.paid(), i.Currency, d.Currency) // which were looked at when it was taken
				held += n
			case (i.State == bought || i.State == lost) && !i.Settled:
				n, _ := i.spent(&w.Rates, d.Currency)
				spent += n
			}
		}
		p.held, p.spent = max(0, p.held-d.Held+held), p.spent+spent
		d.Held = held
		if err := d.put(ctx, tx, w.account, p); err != nil {
			return err
		}
	}
	for _, i := range w.Items {
		i.Settled = i.Settled || i.State == bought || i.State == lost
	}
	return nil
}
