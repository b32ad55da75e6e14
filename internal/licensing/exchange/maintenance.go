package exchange

import (
	"context"
	"errors"
	"slices"
	"time"

	"frontdesk/internal/infra/periodic"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/accounts/counts"
	"frontdesk/internal/licensing/delivery/botstats"
	"frontdesk/internal/licensing/disputes/accesslog"
	"frontdesk/internal/licensing/transactions"
)

// RunMaintenance expires reports, purchases, disputes and offers in time, until ctx ends.
func (s *Service) RunMaintenance(ctx context.Context) {
	periodic.Try(ctx, dealsEvery, s.MaintainOnce, func(err error) {
		s.deps.Log.Error("what was due among the deals could not all be done; that is tried again", "error", err)
	})
}

const (
	dealsEvery = time.Minute // RAMP v1, reporting
	dealsStep  = 500         // rows that one transaction changes
)

// MaintainOnce is one round of [Service.RunMaintenance].
func (s *Service) MaintainOnce(ctx context.Context) error {
	now := s.deps.Now().UTC().Truncate(time.Microsecond)
	overdue := 0
	for _, step := range []func(tx *store.Tx) (int, error){
		func(tx *store.Tx) (int, error) {
			ids, err := transactions.Expire(ctx, tx, now, dealsStep)
			overdue += len(ids)
			return len(ids), err
		},
		func(tx *store.Tx) (int, error) { return s.deps.Deliveries.EndLost(ctx, tx, now, dealsStep) },
		func(tx *store.Tx) (int, error) {
			n, err := transactions.ForgetRequests(ctx, tx, now.Add(-remembered), dealsStep)
			return int(n), err
		},
		func(tx *store.Tx) (int, error) {
			n, err := transactions.ForgetOffers(ctx, tx, now.Add(-s.deps.Retention.Offers), dealsStep)
			return int(n), err
		},
		func(tx *store.Tx) (int, error) { return counts.Forget(ctx, tx, now.Add(-remembered), dealsStep) },
		func(tx *store.Tx) (int, error) {
			return botstats.Forget(ctx, tx, now.Add(-s.deps.Retention.Sightings), dealsStep)
		},
		func(tx *store.Tx) (int, error) {
			if s.deps.Retention.Evidence <= 0 {
				return 0, nil
			}
			n, err := accesslog.Forget(ctx, tx, now.Add(-s.deps.Retention.Evidence), dealsStep)
			return int(n), err
		},
	} {
		for more := true; more; {
			n := 0
			if err := s.deps.DB.Update(ctx, func(tx *store.Tx) (err error) {
				n, err = step(tx)
				return err
			}); err != nil {
				return err
			}
			more = n == dealsStep
		}
	}
	if overdue > 0 {
		s.deps.Log.Info("reports are overdue", "count", overdue)
	}
	return errors.Join(s.expire(ctx, now), s.ReviewDisputes(ctx))
}

// expireStep is how many purchases one transaction closes: those who buy from the same account wait
// for it.
const expireStep = 50

// expire closes purchases whose report did not come in time, those of each account by themselves.
func (s *Service) expire(ctx context.Context, now time.Time) error {
	for n := dealsStep; n == dealsStep; {
		var due map[string][]string
		if err := s.deps.DB.View(ctx, func(tx *store.Tx) (err error) {
			due, err = accounts.Overdue(ctx, tx, now, dealsStep)
			return err
		}); err != nil {
			return err
		}
		n = 0
		for account, ids := range due {
			n += len(ids)
			for some := range slices.Chunk(ids, expireStep) {
				if err := s.deps.DB.UpdateBatched(ctx, []string{account}, func(tx *store.Tx) error {
					_, err := s.deps.Accounts.Expire(ctx, tx, now, some...)
					return err
				}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
