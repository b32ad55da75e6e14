package vector

import (
	"context"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/infra/store"
)

// leaseTime is how long a process has the work for itself; longer than a call of the model takes.
const leaseTime = 3 * time.Minute

// lease is the right to make vectors, which one of several processes on a database has. One
// goroutine uses it.
type lease struct {
	db      *store.DB
	name    string // of this process
	holding bool
	renew   time.Time // when to renew it, or to try for it again
}

// claim takes the lease, or renews it, and says whether we have it.
func (l *lease) claim(ctx context.Context, now time.Time) (held bool, err error) {
	if l.holding && now.Before(l.renew) && now.After(l.renew.Add(-leaseTime)) {
		return true, nil
	}
	if !l.holding && now.Before(l.renew) && now.After(l.renew.Add(-leaseTime)) {
		return false, nil // somebody else had it a moment ago
	}
	err = l.db.Update(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, `INSERT INTO vector_work (name) VALUES ('texts') ON CONFLICT (name) DO NOTHING`); err != nil {
			return err
		}
		var holder string
		var until int64
		if err := tx.QueryRow(ctx, `SELECT holder, lease_until FROM vector_work WHERE name = 'texts'`).Scan(&holder, &until); err != nil {
			return err
		}
		// A lease that ends in the far future is one from before the clock was set back.
		left := store.FromMicros(until).Sub(now)
		held = holder == l.name || left <= 0 || left > 2*leaseTime || content.HolderGone(holder, l.db.Engine())
		if !held {
			return nil
		}
		_, err := tx.Exec(ctx, `UPDATE vector_work SET holder = $1, lease_until = $2 WHERE name = 'texts'`, l.name, store.Micros(now.Add(leaseTime)))
		return err
	})
	l.holding, l.renew = held && err == nil, now.Add(leaseTime/2)
	if !l.holding {
		l.renew = now.Add(lookAgain)
	}
	return l.holding, err
}

// release lets another process have the lease at once. It also works when ctx has ended.
func (l *lease) release(ctx context.Context) error {
	if !l.holding {
		return nil
	}
	l.holding = false
	ctx = context.WithoutCancel(ctx)
	return l.db.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE vector_work SET lease_until = 0 WHERE name = 'texts' AND holder = $1`, l.name)
		return err
	})
}
