package intake

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/intake/vault"
	"frontdesk/wire/receipt"
)

// How often it is looked for what is to be erased, and for keys that nothing names; and how much is
// erased at a time.
const (
	eraseEvery = 20 * time.Second
	vaultEvery = 24 * time.Hour
	eraseBatch = 200
)

// eraseSoon has KeepRetention look at once.
func (s *Service) eraseSoon() {
	select {
	case s.erasing <- struct{}{}:
	default:
	}
}

// KeepRetention erases what submissions and binds hold when it is time, until ctx ends. Of several
// processes one does so; when it is gone, another goes on within minutes.
func (s *Service) KeepRetention(ctx context.Context) {
	if err := s.checkVault(ctx); err != nil && ctx.Err() == nil {
		s.deps.Log.Error("the vault may be another than the one that belongs to this database", "error", err)
	}
	holder := rand.Text()
	tick := time.NewTicker(eraseEvery)
	defer tick.Stop()
	var swept time.Time
	for ctx.Err() == nil {
		err := s.keepOnce(ctx, holder, &swept)
		if err != nil && ctx.Err() == nil {
			s.deps.Log.Error("what is due to be erased could not all be erased; that is tried again", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		case <-s.erasing:
		}
	}
	_ = s.deps.DB.Update(context.WithoutCancel(ctx), func(tx *store.Tx) error { // if not, the lease ends by itself
		return vault.ReleaseLease(context.WithoutCancel(ctx), tx, holder)
	})
}

// checkVault says when none of what was submitted last can be opened though it is not erased.
func (s *Service) checkVault(ctx context.Context) error {
	var ids []string
	err := s.deps.DB.View(ctx, func(tx *store.Tx) error {
		ids = nil
		all, err := vault.List(ctx, tx, vault.Filter{Limit: 50}, s.deps.Now())
		for _, l := range all {
			if l.OfferKey != "" {
				ids = append(ids, l.OfferKey)
			}
		}
		return err
	})
	if err != nil || len(ids) == 0 {
		return err
	}
	keys, err := s.deps.Vault.Keys(ctx, ids...)
	if err == nil && len(keys) == 0 {
		err = fmt.Errorf("none of the keys of the latest %d submissions is in it: what they hold cannot be read, "+
			"and offers that were accepted are not delivered; put the vault back, "+
			"or name it with intakes.vault", len(ids))
	}
	return err
}

// keepOnce erases what is due, if there is anything and this process has the lease.
func (s *Service) keepOnce(ctx context.Context, holder string, swept *time.Time) error {
	now, due := s.deps.Now(), false
	err := s.deps.DB.View(ctx, func(tx *store.Tx) (err error) { // a look comes first: it holds up no writer
		due, err = vault.AnyDue(ctx, tx, now)
		return err
	})
	sweep := now.Sub(*swept) >= vaultEvery || now.Before(*swept)
	if err != nil || !due && !sweep {
		return err
	}
	ours := false
	err = s.deps.DB.Update(ctx, func(tx *store.Tx) (err error) {
		ours, err = vault.ClaimLease(ctx, tx, holder, now)
		return err
	})
	if err != nil || !ours {
		return err
	}
	if err := s.EraseDue(ctx); err != nil || !sweep {
		return err
	}
	*swept = now
	return s.sweepVault(ctx)
}

// sweepVault destroys keys that nothing has named for a week: those that a process had ready when
// it ended.
func (s *Service) sweepVault(ctx context.Context) error {
	named, err := vault.FindNamedKeys(ctx, s.deps.DB)
	if err != nil {
		return err
	}
	return s.deps.Vault.Sweep(ctx, named)
}

// EraseDue erases all that is due by now, as the retention of the intakes says (Agent Intake
// Protocol 0.1.0, privacy.data_retention). It can be broken off at any time, and called again.
func (s *Service) EraseDue(ctx context.Context) error {
	for {
		var ripe []vault.Erasure
		err := s.deps.DB.Update(ctx, func(tx *store.Tx) (err error) {
			ripe, err = vault.DecideDue(ctx, tx, s.deps.Now(), eraseBatch)
			return err
		})
		if err != nil || len(ripe) == 0 {
			return err
		}
		if err := s.erase(ctx, ripe, eraseBody{Reason: "retention"}, receipt.Entry{}); err != nil {
			return err
		}
	}
}
