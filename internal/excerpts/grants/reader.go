package grants

import (
	"context"
	"time"

	"frontdesk/internal/infra/store"
)

// Reader reads what platforms did, of a database that has Schema.
type Reader struct{ DB *store.DB }

// Refused lists requests of platforms that got nothing.
func (r Reader) Refused(ctx context.Context, f RefusalFilter) (all []Request, err error) {
	err = r.DB.View(ctx, func(tx *store.Tx) (err error) {
		all, err = ListRefused(ctx, tx, f)
		return err
	})
	return all, err
}

// Tallies counts what platforms did, by day.
func (r Reader) Tallies(ctx context.Context, since time.Time) (all []DayCount, err error) {
	err = r.DB.View(ctx, func(tx *store.Tx) (err error) {
		all, err = CountByDay(ctx, tx, since)
		return err
	})
	return all, err
}
