package report

import (
	"context"
	"maps"
	"time"

	"frontdesk/internal/deal"
)

// Reconciled is what came of holding what was bought of a site against what was delivered and what was reported.
type Reconciled struct {
	Of   int64 // purchases that were delivered or reported, and deliveries that nobody bought
	Gaps int64 // of those, the ones whose sides contradict one another
}

// instructions is the way of delivery by somebody else.
const instructions = "instructions"

// sides are the counts of one site: of what this front desk delivers, and of what somebody else does, with whether he tells of any of it.
type sides struct {
	own, away Reconciled
	told      bool
}

// Reconcile holds the three sides of each purchase of a time against one another: the transaction, the records of deliveries, and the
// report (RAMP v1, reconciliation). They contradict one another where use was reported of what nobody delivered, where what was delivered
// was reported as not used, and where something was delivered that nobody bought. What was neither delivered nor reported contradicts nothing.
// Of a site whose deliveries somebody else makes and tells nothing of in that time, those do not count. It gives sites by their ids.
func (b Books) Reconcile(ctx context.Context, since, until time.Time) (map[string]Reconciled, error) {
	all := map[string]*sides{}
	at := func(site string) *sides {
		if all[site] == nil {
			all[site] = &sides{}
		}
		return all[site]
	}
	var some []deal.Transaction
	for t, err := range b.Deals.Each(ctx, deal.Wanted{Since: since, Until: until}) {
		if err != nil {
			return nil, err
		}
		if some = append(some, t); len(some) == atOnce {
			if err := b.weigh(ctx, some, at); err != nil {
				return nil, err
			}
			some = some[:0]
		}
	}
	if err := b.weigh(ctx, some, at); err != nil {
		return nil, err
	}
	for l, err := range b.unbought(ctx, Wanted{Since: since}, until) {
		if err != nil {
			return nil, err
		}
		if site := l.delivery.Site; site != "" {
			s := at(site)
			s.own.Of, s.own.Gaps = s.own.Of+1, s.own.Gaps+1
		}
	}
	out := map[string]Reconciled{}
	for site, s := range all {
		if s.told {
			s.own.Of, s.own.Gaps = s.own.Of+s.away.Of, s.own.Gaps+s.away.Gaps
		}
		if s.own.Of > 0 {
			out[site] = s.own
		}
	}
	return out, nil
}

// weigh counts some purchases.
func (b Books) weigh(ctx context.Context, some []deal.Transaction, at func(site string) *sides) error {
	if len(some) == 0 {
		return nil
	}
	ids := make([]string, len(some))
	for i, t := range some {
		ids[i] = t.ID
	}
	delivered, err := b.Deals.Fetched(ctx, ids...)
	if err != nil {
		return err
	}
	logged, err := b.Evidence.Fetched(ctx, ids...)
	if err != nil {
		return err
	}
	maps.Copy(delivered, logged)
	for _, t := range some {
		reported := t.Report.ID != ""
		if t.Failed || !reported && !delivered[t.ID] {
			continue
		}
		s := at(t.Site)
		count := &s.own
		if t.Method == instructions {
			count, s.told = &s.away, s.told || delivered[t.ID]
		}
		if count.Of++; reported && (t.Report.Consumed > 0) != delivered[t.ID] {
			count.Gaps++
		}
	}
	return nil
}
