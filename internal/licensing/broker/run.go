package broker

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"frontdesk/internal/infra/periodic"
	"frontdesk/internal/infra/store"
)

// When something counts as left unfinished at the latest, and when an agent comes back.
const (
	leftAfter = 30 * time.Second
	comeBack  = 2 * time.Second
)

// leftAfter is when something counts as left unfinished: nobody works on it for so long any more.
func (b *Broker) leftAfter() time.Duration { return min(3*max(b.BuyWithin, time.Second), leftAfter) }

// lookAtOnce is how many purchases are gone on with at a time, so that an Exchange that is dead
// keeps none of another's waiting.
const lookAtOnce = 16

// How long things are kept: what was answered, and where transactions were made.
const (
	answerRetention = 30 * 24 * time.Hour
	salesRetention  = 400 * 24 * time.Hour
)

// Run finishes what was left unfinished, by this process or others, and forgets what is over, until
// ctx ends.
func (b *Broker) Run(ctx context.Context) {
	periodic.Try(ctx, b.leftAfter()/3, b.look, func(err error) {
		b.Log.Error("unfinished purchases cannot be looked after", "error", err)
	})
}

// look does once what [Broker.Run] does again and again. What cannot be finished yet is logged, and
// waits for the next time: the error is the database's.
func (b *Broker) look(ctx context.Context) error {
	type name struct{ account, id string }
	now := b.Now()
	left, err := store.List(ctx, b.DB, `SELECT account, id FROM broker_request WHERE done = 0 AND touched < $1 ORDER BY touched LIMIT 100`,
		func(row store.Scanner) (one name, err error) {
			err = row.Scan(&one.account, &one.id)
			return one, err
		}, store.Micros(now.Add(-b.leftAfter())))
	if err != nil {
		return err
	}
	turns := make(chan struct{}, lookAtOnce)
	var wait sync.WaitGroup
	for _, one := range left {
		turns <- struct{}{}
		wait.Go(func() {
			defer func() { <-turns }()
			if err := b.goOn(ctx, one.account, one.id); err != nil {
				b.Log.Warn("a purchase is still unfinished", "error", err)
			}
		})
	}
	wait.Wait()
	return b.DB.Update(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM broker_request WHERE made < $1 AND done = 1`, store.Micros(now.Add(-answerRetention))); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `DELETE FROM broker_sale WHERE made < $1`, store.Micros(now.Add(-salesRetention)))
		return err
	})
}

// goOn takes up a work that was left.
func (b *Broker) goOn(ctx context.Context, account, id string) error {
	release, err := b.take(ctx, account, id)
	if err != nil {
		return err
	}
	defer release()
	w, err := store.Get(ctx, b.DB, func(tx *store.Tx) (*work, error) { return load(ctx, tx, account, id) })
	if err != nil || w == nil || w.done {
		return err
	}
	_, err = b.finish(ctx, w)
	return err
}

// honour is how often an Exchange sold what it had offered.
type honour struct{ sold, failed atomic.Int64 }

func (b *Broker) honour(domain string) *honour {
	one, is := b.record.Load(domain)
	if !is {
		one, _ = b.record.LoadOrStore(domain, &honour{})
	}
	return one.(*honour)
}

// isReliable is the share of offers that an Exchange kept to; one of which nothing is known has
// them all.
func (b *Broker) isReliable(domain string) float64 {
	one, is := b.record.Load(domain)
	if !is { // and nothing is kept: agents name Exchanges as they like
		return 1
	}
	h := one.(*honour)
	sold, failed := h.sold.Load(), h.failed.Load()
	return float64(sold+1) / float64(sold+failed+1)
}

// dishonour notes an offer that was not good.
func (b *Broker) dishonour(domain string) { b.honour(domain).failed.Add(1) }

// counts puts on record which Exchanges kept to their offers.
func (b *Broker) counts(ctx context.Context, tx *store.Tx, w *work) error {
	for _, one := range w.Buys {
		if one.State == open || one.Counted {
			continue
		}
		sold, failed := int64(0), int64(0)
		for _, at := range one.Items {
			i := w.Items[at]
			over := i.State == bought && i.overcharged()
			if over {
				tx.AfterCommit(func() { b.watchOvercharged(one.Exchange, i) })
			}
			if i.State == bought && !over {
				sold++
			} else {
				failed++
			}
		}
		one.Counted = true
		if _, err := tx.Exec(ctx, `INSERT INTO broker_exchange (domain, sold, failed) VALUES ($1, $2, $3)
			ON CONFLICT (domain) DO UPDATE SET sold = broker_exchange.sold + EXCLUDED.sold, failed = broker_exchange.failed + EXCLUDED.failed`, one.Exchange, sold, failed); err != nil {
			return err
		}
		states := make([]state, len(one.Items))
		for n, at := range one.Items {
			states[n] = w.Items[at].State
		}
		tx.AfterCommit(func() {
			for _, s := range states {
				b.watchBought(one.Exchange, s)
			}
			h := b.honour(one.Exchange)
			h.sold.Add(sold)
			h.failed.Add(failed)
		})
	}
	return nil
}

// Load reads from the database how Exchanges kept to their offers, by which it is chosen among
// them. It is called once, before the first request: what other processes count later is not seen.
func (b *Broker) Load(ctx context.Context) error {
	return b.DB.View(ctx, func(tx *store.Tx) error {
		return tx.Each(ctx, `SELECT domain, sold, failed FROM broker_exchange`, func(row store.Scanner) error {
			var domain string
			var sold, failed int64
			if err := row.Scan(&domain, &sold, &failed); err != nil {
				return err
			}
			h := b.honour(domain)
			h.sold.Store(sold)
			h.failed.Store(failed)
			return nil
		})
	})
}
