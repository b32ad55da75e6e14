package console

import (
	"context"
	"iter"
	"sort"
	"time"

	"frontdesk/internal/ledger"
)

// slack is how much earlier or later an entry may stand in the ledger than by its time.
const slack = time.Hour

// recorded is Entries for a filter that may name a time: the entries of that time are looked for
// where they stand, since entries are in the order of their times but for a moment.
func (o *owner) recorded(ctx context.Context, f ledger.Filter) iter.Seq2[ledger.Record, error] {
	return func(yield func(ledger.Record, error) bool) {
		if !f.Since.IsZero() || !f.Until.IsZero() {
			if err := o.narrow(ctx, &f); err != nil {
				yield(ledger.Record{}, err)
				return
			}
		}
		for r, err := range o.config.Entries(ctx, f) {
			if !yield(r, err) {
				return
			}
		}
	}
}

// narrow sets the places between which the times of a filter lie.
func (o *owner) narrow(ctx context.Context, f *ledger.Filter) error {
	head, err := o.config.Head(ctx)
	if err != nil {
		return err
	}
	first := func(t time.Time) int64 {
		return int64(sort.Search(int(head.Size), func(i int) bool {
			for r, e := range o.config.Entries(ctx, ledger.Filter{After: int64(i), Before: int64(i) + 1}) {
				if e != nil {
					err = e
				}
				return e == nil && !r.Entry.Time.Before(t)
			}
			return false
		}))
	}
	if !f.Since.IsZero() {
		f.After = max(f.After, first(f.Since.Add(-slack)))
	}
	if !f.Until.IsZero() {
		if end := first(f.Until.Add(slack)); f.Before == 0 || end < f.Before {
			f.Before = max(end, 1) // 0 would be no bound
		}
	}
	return err
}
