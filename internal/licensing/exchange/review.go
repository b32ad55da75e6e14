package exchange

import (
	"context"
	"errors"
	"slices"
	"time"
	"unicode/utf8"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/licensing/disputes"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
)

// lookInto adds to the facts of a dispute what the catalog says, as far as anything depends on it.
func (s *Service) lookInto(ctx context.Context, t transactions.Transaction, f *disputes.Facts) error {
	if err := s.renewed(ctx, t, f); err != nil {
		return err
	}
	if f.Received == "" && f.Prefers != disputes.Redelivery {
		return nil
	}
	return s.compare(ctx, t, f)
}

// renewed looks whether the provider attested another version about when something was bought than
// that which it attests in the offer: by what it pushed, and of what is published here by when
// readers first saw it.
func (s *Service) renewed(ctx context.Context, t transactions.Transaction, f *disputes.Facts) error {
	if f.Level != 1 || f.Offered == "" || f.Reason != disputes.ContentMismatch && f.Reason != disputes.WrongContent {
		return nil
	}
	if t.Item.Source != catalog.PushedSource {
		later, err := s.deps.Renewals(ctx, t.Item)
		if err != nil {
			return err
		}
		for _, one := range later {
			if one.At.Sub(t.Made).Abs() > disputes.Race {
				continue
			}
			later, err := s.assortment.deps.Corpus.LoadVersion(ctx, one.Ref)
			if err != nil {
				return err
			}
			if later != nil && !slices.Contains(later.Hashes(), f.Offered) {
				f.Fresher = one.At
				return nil
			}
		}
	}
	address := ""
	if entry := s.assortment.EntryAt(t.URI, t.Site, t.Item.Source); entry != nil && entry.Pushed.At != "" {
		address = entry.Pushed.At
	} else if canonical, err := catalog.CanonicalURI(t.URI); err == nil { // it may have gone since
		address = canonical
	}
	claims, err := s.assortment.deps.Push.Store.Claims(ctx, t.Site, address, t.Made.Add(-disputes.Race),
		t.Made.Add(disputes.Race))
	for _, c := range claims {
		if c.Digest != f.Offered && c.Made.After(f.Attested) {
			f.Fresher = c.Received
			return err
		}
	}
	return err
}

// compare holds the catalog's versions of what was bought against a dispute.
func (s *Service) compare(ctx context.Context, t transactions.Transaction, f *disputes.Facts) error {
	bought, err := s.assortment.deps.Corpus.LoadVersion(ctx, t.Item)
	if err != nil {
		return err
	}
	if bought != nil {
		f.Bought = bought.Hashes()
	}
	item, _, err := s.assortment.CopyOf(ctx, t)
	switch {
	case err == nil:
		f.StillAvailable, f.Known = true, item.Hashes()
	case fail.From(err).Code != fail.NotFound:
		return err
	}
	if t.Method == transactions.Instructions { // by whoever else delivers it
		if entry := s.assortment.EntryAt(t.URI, t.Site, t.Item.Source); entry != nil {
			rules, tenant, sold := s.assortment.termsFor(entry, s.assortment.Terms())
			if sold && rules.Decide(entry.Facts()).Access != policy.Blocked {
				if outlet := s.assortment.outlet(entry, tenant); outlet != nil {
					f.StillAvailable = outlet.ready(ctx, entry.URL, s.deps.Now())
				}
			}
		}
	}
	return nil
}

// reviewStep is how many disputes are looked at before others are read.
const reviewStep = 100

// ReviewDisputes does what time brings with it for disputes: the rules of tier 2 decide what could
// not be decided at once, what a person has to look at is handed over, and what was decided becomes
// final. It is part of KeepDeals. Several processes may do so at once: each dispute is moved by one
// of them.
func (s *Service) ReviewDisputes(ctx context.Context) error {
	var failed error
	seen := map[string]bool{}
	for {
		now := s.deps.Now().UTC().Truncate(time.Microsecond)
		var due []disputes.Case
		if err := s.deps.DB.View(ctx, func(tx *store.Tx) (err error) {
			due, err = disputes.Due(ctx, tx, now, reviewStep+len(seen))
			return err
		}); err != nil {
			return errors.Join(failed, err)
		}
		more := false
		for _, c := range due {
			if seen[c.ID] {
				continue
			}
			more = true
			if err := s.review(ctx, c, now); err != nil && !errors.Is(err, errRaced) {
				if seen[c.ID] = true; ctx.Err() != nil {
					return err
				}
				failed = errors.Join(failed, err)
			}
		}
		if !more {
			break
		}
	}
	for more := true; more && failed == nil; {
		failed = s.deps.DB.Update(ctx, func(tx *store.Tx) error {
			n, err := disputes.Forget(ctx, tx, s.deps.Now().Add(-s.deps.Cases.disputeRules().Retention), dealsStep)
			more = n == dealsStep
			return err
		})
	}
	return failed
}

// review moves on one dispute whose time has come.
func (s *Service) review(ctx context.Context, c disputes.Case, now time.Time) error {
	m := moving{case_: c, was: c, now: now, tier: 2}
	if !c.Status.Open() {
		if err := s.deps.DB.View(ctx, func(tx *store.Tx) (err error) {
			m.sale, _, err = transactions.FindTransaction(ctx, tx, c.Transaction)
			return err
		}); err != nil {
			return err
		}
		m.step(disputes.Final, disputes.ByRule, disputes.Verdict{})
		return s.deps.Cases.advance(ctx, &m)
	}
	v, err := s.reconsider(ctx, &m)
	if err != nil {
		return err
	}
	if c.Status != disputes.UnderReview {
		m.step(disputes.UnderReview, disputes.ByRule, disputes.Verdict{})
	}
	to := disputes.Resolved
	if v.Resolution == disputes.Investigation {
		to, m.tier = disputes.Escalated, 3
	}
	m.step(to, disputes.ByRule, v)
	return s.deps.Cases.advance(ctx, &m)
}

// advance makes the steps of a dispute durable that was read before.
func (cs *Cases) advance(ctx context.Context, m *moving) error {
	_, err := cs.move(ctx, m, func(ctx context.Context, tx *store.Tx) (bool, error) {
		return disputes.Advance(ctx, tx, m.was, m.case_, m.steps)
	})
	return err
}

// caseMonth is the month in which disputes count together.
const caseMonth = 30 * 24 * time.Hour

// reconsider has the rules of tier 2 look at a dispute. What they do not decide otherwise after an
// appeal is for a person.
func (s *Service) reconsider(ctx context.Context, m *moving) (v disputes.Verdict, err error) {
	c := &m.case_
	var records []disputes.Record
	cases, rates := 0, disputes.NoRates
	if err = s.deps.DB.View(ctx, func(tx *store.Tx) (err error) {
		if m.sale, _, err = transactions.FindTransaction(ctx, tx, c.Transaction); err != nil {
			return err
		}
		if records, err = recordsOf(ctx, tx, m.sale); err != nil {
			return err
		}
		if cases, err = disputes.CountShort(ctx, tx, c.Site, m.now.Add(-caseMonth), reviewStep); err != nil {
			return err
		}
		rates, err = s.rates(ctx, tx, c, m.now)
		return err
	}); err != nil {
		return v, err
	}
	f := facts(m.sale, c, records, m.now)
	if err := s.compare(ctx, m.sale, &f); err != nil {
		return v, err
	}
	if err := s.renewed(ctx, m.sale, &f); err != nil {
		return v, err
	}
	if f.Rates, f.Cases = rates, cases; !c.Short {
		f.Cases++ // if it is short, it is one more
	}
	v = disputes.Tier2(f)
	c.Short = c.Short || v.Short
	if c.Appeals > 0 && (v.Resolution == disputes.Rejected || v.Resolution == c.Resolution) {
		v = disputes.Verdict{Resolution: disputes.Investigation, Rule: disputes.RuleAppeal, Evidence: v.Evidence}
	}
	return v, nil
}

// The least that the rate of a buyer is told from.
const leastDisputes = 5

// rates says how often a buyer disputes, of how much it buys, and what is known of the provider.
func (s *Service) rates(ctx context.Context, tx *store.Tx, c *disputes.Case, now time.Time) (disputes.Rates, error) {
	if s.deps.Rates != nil {
		return s.deps.Rates(ctx, tx, c.Buyer, c.Site, now)
	}
	out := disputes.NoRates
	since := now.Add(-caseMonth)
	n, err := disputes.CountByBuyer(ctx, tx, c.Buyer, since, 1_000_000)
	if err != nil || n < leastDisputes {
		return out, err
	}
	// with more the rate is below 5 %, which is usual
	bought, err := s.deps.Accounts.CountPurchases(ctx, tx, c.Buyer, since, n*21)
	out.Agent = 100 * float64(n) / float64(max(bought, n))
	return out, err
}

// Decision is the operator's decision of a dispute.
type Decision struct {
	Dispute    string
	Resolution disputes.Resolution // Credit, Redelivery, Rejected, or Investigation to look into it further
	Amount     int64               // of a credit, in units of 1e-8; 0 for all that was charged
	By         string              // the operator's name
	Note       string              // why, for people here; not in the ledger, and forgotten with what the buyer wrote
}

// DecideDispute has the operator decide a dispute that is not decided. It is fail.NotFound where
// there is none of the id, and fail.Invalid for one that was decided, by whomever, or for a
// decision that cannot be.
func (cs *Cases) DecideDispute(ctx context.Context, by Decision) (disputes.Case, error) {
	now := cs.deps.Now().UTC().Truncate(time.Microsecond)
	m := moving{now: now, tier: 3, amount: by.Amount}
	ok := false
	err := cs.deps.DB.View(ctx, func(tx *store.Tx) (err error) {
		if m.was, ok, err = disputes.Find(ctx, tx, by.Dispute); err == nil && ok {
			m.sale, _, err = transactions.FindTransaction(ctx, tx, m.was.Transaction)
		}
		return err
	})
	if err != nil {
		return disputes.Case{}, err
	}
	if err := decidable(m.was, ok, by); err != nil {
		return disputes.Case{}, err
	}
	m.case_ = m.was
	who := disputes.Operator + by.By
	v := disputes.Verdict{Resolution: by.Resolution, Rule: disputes.RuleOperator}
	to := disputes.Settled
	if m.was.Status != disputes.Escalated {
		if m.tier, to = 2, disputes.Resolved; by.Resolution == disputes.Investigation {
			m.tier, to = 3, disputes.Escalated
		}
		if m.was.Status != disputes.UnderReview {
			m.step(disputes.UnderReview, who, disputes.Verdict{})
		}
	}
	m.step(to, who, v)
	m.steps[len(m.steps)-1].Note = by.Note
	err = cs.advance(ctx, &m)
	if errors.Is(err, errRaced) {
		return m.was, fail.New(fail.Invalid, "this dispute has moved meanwhile; look at it again, and decide then")
	}
	return m.case_, err
}

// decidable says why a decision cannot be.
func decidable(c disputes.Case, known bool, by Decision) error {
	switch {
	case !known:
		return fail.New(fail.NotFound, "there is no dispute %.60q", by.Dispute)
	case len(by.Note) > disputes.MaxNote || !utf8.ValidString(by.Note):
		return fail.New(fail.Invalid, "a note is a text of at most %d bytes", disputes.MaxNote)
	case by.By == "":
		return fail.New(fail.Invalid, "a decision names who decides")
	case !c.Status.Open():
		return fail.New(fail.Invalid, "this dispute is decided: %s", c.Resolution)
	case by.Resolution != disputes.Credit && by.Resolution != disputes.Redelivery &&
		by.Resolution != disputes.Rejected && by.Resolution != disputes.Investigation:
		return fail.New(fail.Invalid, "a decision is credit, redelivery, rejected or investigation")
	case by.Resolution == disputes.Investigation && c.Status == disputes.Escalated:
		return fail.New(fail.Invalid, "this dispute is being looked into already; decide credit, redelivery or "+
			"rejected")
	case by.Amount != 0 && by.Resolution != disputes.Credit:
		return fail.New(fail.Invalid, "only a credit has an amount")
	}
	return nil
}

// EraseDispute forgets what the buyer wrote of a dispute. It is fail.NotFound where there is none
// of the id.
func (cs *Cases) EraseDispute(ctx context.Context, id string) error {
	return cs.deps.DB.Update(ctx, func(tx *store.Tx) error {
		there, err := disputes.Erase(ctx, tx, id)
		if err == nil && !there {
			err = fail.New(fail.NotFound, "there is no dispute %.60q", id)
		}
		return err
	})
}
