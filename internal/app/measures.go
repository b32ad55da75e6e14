package app

import (
	"context"
	"strings"
	"time"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/ratelimit"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/disputes"
	"frontdesk/internal/licensing/disputes/enforcement"
	"frontdesk/internal/licensing/exchange"
)

// sanctions are in force against buyers and sites between whom too much goes wrong. Nil where none
// are.
type sanctions struct {
	*base
	*identities
	*accounting
	measures *enforcement.Enforcer
	held     ratelimit.Meter // of those that a measure holds to a rate
}

// openSanctions has what goes wrong between buyers and sites counted, and those held to a rate
// against whom a measure is in force.
func openSanctions(k *identities, a *accounting) (*sanctions, error) {
	config := k.config.RAMP.Measures
	if !k.config.RAMP.Enabled || !config.Enabled {
		return nil, nil
	}
	rate, err := ratelimit.ParseRate(config.Rate)
	if err != nil {
		return nil, err
	}
	s := &sanctions{base: k.base, identities: k, accounting: a}
	s.measures = enforcement.New(enforcement.Config{
		DB: s.db, Ledger: s.Ledger, Rules: config.Rules(), Now: s.now, Log: s.log, Dispute: disputed,
		Close: s.closeParty, Reconcile: s.reconcile,
	})
	s.held = ratelimit.New(ratelimit.Options{Now: s.now, Log: s.log, DB: s.together()}).Meter("measure", rate)
	return s, nil
}

// disputed gives the dispute of a transaction as measures count it.
func disputed(ctx context.Context, tx *store.Tx, transaction string) (d enforcement.Dispute, ok bool, err error) {
	c, ok, err := disputes.FindByTransaction(ctx, tx, transaction)
	if err != nil || !ok {
		return d, false, err
	}
	d = enforcement.Dispute{ID: c.ID, Buyer: c.Buyer, Site: c.Site, Reason: string(c.Reason), Filed: c.Filed}
	if c.Resolution != disputes.Credit && c.Resolution != disputes.Redelivery {
		return d, true, nil
	}
	switch c.Rule {
	case disputes.RuleStatus, disputes.RuleBroken, disputes.RuleEmpty, disputes.RuleSession, disputes.RuleSize:
		d.Fault = enforcement.FailedDelivery
	case disputes.RuleHash, disputes.RuleCatalog, disputes.RuleSent:
		if c.Level == 1 {
			d.Fault = enforcement.WrongHash
		}
	}
	return d, true, nil
}

// closeParty lets a buyer in no more. One that never signed up is refused by the measure itself, as
// a site's sales are.
func (s *sanctions) closeParty(ctx context.Context, p enforcement.Party) error {
	if p.Kind != enforcement.Agent {
		return nil
	}
	domain, id, _ := strings.Cut(p.ID, "/")
	_, err := s.Requesters.SetStatus(ctx, domain, id, requesters.Suspended)
	if err != nil && fail.From(err).Code == fail.NotFound {
		return nil
	}
	return err
}

// heldBuyer says how often a buyer may ask against whom a measure is in force; held is false where
// none is.
func (s *sanctions) heldBuyer(ctx context.Context, account string) (left requesters.Allowance, held bool) {
	if s == nil {
		return left, false
	}
	limited, closed := s.measures.Restricted(enforcement.Party{Kind: enforcement.Agent, ID: account})
	switch {
	case closed:
		return requesters.Allowance{Limit: 1, Reset: s.now().Add(24 * time.Hour), Window: 24 * time.Hour,
			RetryAfter: 24 * time.Hour}, true
	case limited:
		status := s.held.Allow(ctx, "account "+account, 1)
		return s.allowance(s.held, status), true
	}
	return left, false
}

// heldSite says why nothing is sold of a site against which a measure is in force; empty where it
// is.
func (s *sanctions) heldSite(ctx context.Context, site string) exchange.Denial {
	limited, closed := s.measures.Restricted(enforcement.Party{Kind: enforcement.Provider, ID: site})
	switch {
	case closed:
		return exchange.ContentUnavailable
	case limited && !s.held.Allow(ctx, "site "+site, 1).OK:
		return exchange.TooManyPurchases
	}
	return ""
}

// allowance tells a requester how a limit stands.
func (b *base) allowance(meter ratelimit.Meter, status ratelimit.Status) requesters.Allowance {
	return requesters.Allowance{
		OK: status.OK, Limit: status.Limit, Remaining: status.Remaining, Reset: b.now().Add(status.Reset),
		Window: meter.Rate().Window(), RetryAfter: status.RetryAfter,
	}
}

// disputeRates says how often things go wrong, for the rules by which disputes are decided; nil
// where nothing is counted.
func (s *sanctions) disputeRates() func(ctx context.Context, tx *store.Tx, buyer, site string,
	now time.Time) (disputes.Rates, error) {
	if s == nil {
		return nil
	}
	rules, out := s.config.RAMP.Measures, disputes.NoRates
	return func(ctx context.Context, tx *store.Tx, buyer, site string, now time.Time) (disputes.Rates, error) {
		of, month := out, enforcement.MonthOf(now)
		agent, err := enforcement.RatesOf(ctx, tx, enforcement.Party{Kind: enforcement.Agent, ID: buyer}, month)
		if err != nil {
			return of, err
		}
		if agent.Disputes >= int64(rules.Cases) && agent.Transactions >= int64(rules.Of) {
			of.Agent = agent.Disputed
		}
		provider, err := enforcement.RatesOf(ctx, tx, enforcement.Party{Kind: enforcement.Provider, ID: site}, month)
		if err == nil && provider.Reports >= int64(rules.Of) {
			of.Discrepancy = provider.Tokens
		}
		if err == nil && provider.Reconciled < int64(rules.Of) { // what was bought lately is not reconciled yet
			provider, err = enforcement.RatesOf(ctx, tx,
				enforcement.Party{Kind: enforcement.Provider, ID: site}, month-1)
		}
		if err == nil && provider.Reconciled >= int64(rules.Of) {
			of.Gap = provider.Gap
		}
		return of, err
	}
}

// reconcile holds what was bought against what was delivered and reported, for measures.
func (s *sanctions) reconcile(ctx context.Context, since, until time.Time) (map[string]enforcement.Reconciled, error) {
	sites, err := s.Reports().Reconcile(ctx, since, until)
	out := map[string]enforcement.Reconciled{}
	for site, r := range sites {
		out[site] = enforcement.Reconciled(r)
	}
	return out, err
}
