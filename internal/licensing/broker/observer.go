package broker

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// Observer is notified of events, for metrics. Its functions are called concurrently and must
// return quickly.
type Observer struct {
	// Resolved is told how a request ended: "bought", "partly", "quoted" for a dry run, or the code
	// of Connect with which it was refused.
	Resolved func(outcome string)
	// Asked is told how an Exchange answered a query, and in which time: "answered", "refused",
	// "late", "failed", or "resting" for one that was not asked.
	Asked func(exchange, result string, took time.Duration)
	// Bought is told what came of an offer that was taken: "sold", "denied" or "lost".
	Bought func(exchange, result string)
	// Overcharged is told of a purchase for which an Exchange has charged more than it offered, or
	// in another currency.
	Overcharged func(exchange string)
}

// otherExchange is what those are called that the operator has not named.
const otherExchange = "other"

// named is what an Exchange is called to the Watch.
func (b *Broker) named(domain string) string {
	if slices.ContainsFunc(b.Exchanges, func(x Exchange) bool { return domainOf(x.Domain) == domain }) {
		return domain
	}
	return otherExchange
}

func (b *Broker) watchResolved(a Request, answer *rampv1.RAMPResponse, err error) {
	if b.Observer.Resolved != nil {
		b.Observer.Resolved(outcome(a, answer, err))
	}
}

// outcome is how a request ended, in one of few words.
func outcome(a Request, answer *rampv1.RAMPResponse, err error) string {
	var refused *Refusal
	var invalid *ramp.Invalid
	fields := answer.GetExt().GetFields()
	switch {
	case errors.As(err, &refused):
		return refused.code
	case errors.As(err, &invalid):
		return "invalid_argument"
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.Is(err, context.DeadlineExceeded):
		return "deadline_exceeded"
	case err != nil:
		return "internal"
	case dryRun(a.RAMPRequest):
		return "quoted"
	case fields[extUnsold] != nil || fields[extOpen] != nil:
		return "partly"
	}
	return "bought"
}

func (b *Broker) watchAsked(p *peer, err error, began time.Time) {
	if b.Observer.Asked == nil || errors.Is(err, context.Canceled) { // nobody wanted to know any more
		return
	}
	result := "failed"
	switch {
	case err == nil:
		result = "answered"
	case errors.Is(err, errProfile), refused(err):
		result = "refused"
	case errors.Is(err, context.DeadlineExceeded):
		result = "late"
	}
	b.Observer.Asked(b.named(p.domain), result, time.Since(began))
}

func (b *Broker) watchResting(p *peer) {
	if b.Observer.Asked != nil {
		b.Observer.Asked(b.named(p.domain), "resting", 0)
	}
}

func (b *Broker) watchBought(domain string, s state) {
	result := map[state]string{bought: "sold", denied: "denied", lost: "lost"}[s]
	if b.Observer.Bought != nil && result != "" {
		b.Observer.Bought(b.named(domain), result)
	}
}

// watchOvercharged tells the operator, too, what the agent is told.
func (b *Broker) watchOvercharged(domain string, i *item) {
	r, err := i.result()
	if err != nil {
		return
	}
	n, currency := i.charged()
	b.Log.Warn("an Exchange has charged more than it offered", "exchange", domain, "transaction",
		clip(r.TransactionId, 200), "offered", words(i.Price, i.Currency), "charged", words(n, currency))
	if b.Observer.Overcharged != nil {
		b.Observer.Overcharged(b.named(domain))
	}
}

// ExchangeStatus is how reliably a configured Exchange answers.
type ExchangeStatus struct {
	Domain string
	// Paused says that the Exchange failed repeatedly and is not asked for a while.
	Paused bool
	// Timeout is how long the Exchange is given to answer.
	Timeout time.Duration
}

// ExchangeStatuses returns the present status of the configured Exchanges.
func (b *Broker) ExchangeStatuses() (all []ExchangeStatus) {
	for _, p := range b.configured() {
		all = append(all, ExchangeStatus{p.domain, !p.resting(b.Now()).IsZero(), p.patience(b.Deadline)})
	}
	return all
}

// HeldBudget is the amount held of budgets of one kind in one currency.
type HeldBudget struct {
	Operator bool // of budgets that the operator gave; else of those that requests say
	Currency string
	Amount   int64 // in units of 1e-8
}

// HeldBudgets says what is held of budgets, and how many requests there are of which it is not
// known yet what came of them, in all of the database.
func (b *Broker) HeldBudgets(ctx context.Context) (held []HeldBudget, open int, err error) {
	err = b.DB.View(ctx, func(tx *store.Tx) error {
		held = nil
		err := tx.Each(ctx, `SELECT scope, currency, held FROM broker_budget WHERE held > 0`,
			func(row store.Scanner) error {
				var scope, currency string
				var n int64
				if err := row.Scan(&scope, &currency, &n); err != nil {
					return err
				}
				if len(currency) != 3 || strings.Trim(currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
					currency = "other"
				}
				one := HeldBudget{Operator: scope == scopeOperator, Currency: currency}
				at := slices.IndexFunc(held, func(h HeldBudget) bool {
					return h.Operator == one.Operator && h.Currency == one.Currency
				})
				if at < 0 {
					at, held = len(held), append(held, one)
				}
				held[at].Amount += n
				return nil
			})
		if err != nil {
			return err
		}
		return tx.QueryRow(ctx, `SELECT COUNT(*) FROM broker_request WHERE done = 0`).Scan(&open)
	})
	return held, open, err
}
