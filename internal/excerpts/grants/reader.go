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
	return store.Get(ctx, r.DB, func(tx *store.Tx) ([]Request, error) { return ListRefused(ctx, tx, f) })
}

// Tallies counts what platforms did, by day.
func (r Reader) Tallies(ctx context.Context, since time.Time) (all []DayCount, err error) {
	return store.Get(ctx, r.DB, func(tx *store.Tx) ([]DayCount, error) { return CountByDay(ctx, tx, since) })
}
