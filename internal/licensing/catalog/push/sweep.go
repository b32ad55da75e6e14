package push

import (
	"context"
	"time"

	"frontdesk/internal/infra/store"
)

// How long what is over is kept.
const (
	RemovalRetention = 7 * 24 * time.Hour   // that an entry was removed: who follows less often than that starts over
	RefusalRetention = 30 * 24 * time.Hour  // that an entry was refused
	ClaimRetention   = 400 * 24 * time.Hour // that a provider attested a hash
	sweptAtOnce      = 5000
	sweptAtMost      = 200 // transactions of one sweep
)

// Sweep deletes what was kept long enough, and all that was pushed for tenants that gone says are
// no more.
func (s *Store) Sweep(ctx context.Context, gone func(tenant string) bool) error {
	tenants, err := store.Get(ctx, s.db, func(tx *store.Tx) (map[string]tenantState, error) {
		return tenantStates(ctx, tx)
	})
	for tenant := range tenants {
		if err == nil {
			err = s.sweep(ctx, tenant, gone(tenant))
		}
	}
	return err
}

func (s *Store) sweep(ctx context.Context, tenant string, all bool) error {
	now := s.now()
	err := s.db.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM supply_attested WHERE tenant = $1 AND (at < $2 OR $3 = 1)`, tenant, store.Micros(now.Add(-ClaimRetention)), store.Flag(all))
		return err
	})
	if err != nil {
		return err
	}
	for range sweptAtMost {
		swept := 0
		err := s.change(ctx, tenant, func(tx *store.Tx, at *tenantState) error {
			swept = 0
			type key struct{ address, author string }
			var keys []key
			err := tx.Each(ctx, `SELECT address, author, revision, entry IS NULL FROM supply_entry WHERE tenant = $1 AND (entry IS NULL AND changed < $2 OR $3 = 1) LIMIT $4`,
				func(row store.Scanner) error {
					var k key
					var revision int64
					var removed bool
					if err := row.Scan(&k.address, &k.author, &revision, &removed); err != nil {
						return err
					}
					keys = append(keys, k)
					at.horizon = max(at.horizon, revision)
					return nil
				}, tenant, store.Micros(now.Add(-RemovalRetention)), store.Flag(all), sweptAtOnce)
			if err != nil {
				return err
			}
			for _, k := range keys {
				err := tx.ExecOne(ctx, `DELETE FROM supply_entry WHERE tenant = $1 AND address = $2 AND author = $3`, tenant, k.address, k.author)
				if _, stars := Pattern(k.address); stars && all && err == nil {
					_, err = tx.Exec(ctx, `DELETE FROM supply_pattern WHERE tenant = $1 AND address = $2 AND author = $3`, tenant, k.address, k.author)
				}
				if err != nil {
					return err
				}
			}
			if all && len(keys) > 0 {
				at.revision++ // who follows starts over
				at.horizon = at.revision
			}
			swept = len(keys)
			_, err = tx.Exec(ctx, `DELETE FROM supply_rejection WHERE tenant = $1 AND (at < $2 OR $3 = 1)`, tenant, store.Micros(now.Add(-RefusalRetention)), store.Flag(all))
			return err
		})
		if err != nil || swept < sweptAtOnce {
			return err
		}
	}
	return nil
}
