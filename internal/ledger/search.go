package ledger

import (
	"context"
	"iter"
	"sort"
	"time"
)

// slack is how much earlier or later an entry may stand in the ledger than by its time.
const slack = time.Hour

// Search is Read for a filter that may name a time: the entries of that time are looked for where
// they stand, since entries are in the order of their times but for a moment.
func (l *Ledger) Search(ctx context.Context, f Filter) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if !f.Since.IsZero() || !f.Until.IsZero() {
			if err := l.narrow(ctx, &f); err != nil {
				yield(Record{}, err)
				return
			}
		}
		for r, err := range l.Read(ctx, f) {
			if !yield(r, err) {
				return
			}
		}
	}
}

// narrow sets the places between which the times of a filter lie.
func (l *Ledger) narrow(ctx context.Context, f *Filter) error {
	head, err := l.Head(ctx)
	if err != nil {
		return err
	}
	first := func(t time.Time) int64 {
		return int64(sort.Search(int(head.Size), func(i int) bool {
			for r, e := range l.Read(ctx, Filter{After: int64(i), Before: int64(i) + 1}) {
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
