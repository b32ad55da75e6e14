package delivery

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/transactions"
)

// streams are those that are open in this process.
type streams struct {
	mu    sync.Mutex // guards what follows
	open  map[*Stream]struct{}
	under map[string]int // how many by their transaction
	none  chan struct{}  // closed when none is open any more; nil while none is
}

// enter adds a stream; no where there are too many under its transaction.
func (all *streams) enter(s *Stream) bool {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.open == nil {
		all.open, all.under = map[*Stream]struct{}{}, map[string]int{}
	}
	if all.under[s.t.ID] >= maxStreams {
		return false
	}
	all.open[s] = struct{}{}
	all.under[s.t.ID]++
	if all.none == nil {
		all.none = make(chan struct{})
		go s.of.maintainStreams(all.none)
	}
	return true
}

func (all *streams) leave(s *Stream) {
	all.mu.Lock()
	defer all.mu.Unlock()
	delete(all.open, s)
	if all.under[s.t.ID]--; all.under[s.t.ID] == 0 {
		delete(all.under, s.t.ID)
	}
	if len(all.open) == 0 {
		close(all.none)
		all.none = nil
	}
}

// list gives the streams that are open, under a transaction or, where that is empty, all; those
// first that have begun first.
func (all *streams) list(transaction string) (list []*Stream) {
	all.mu.Lock()
	if transaction == "" || all.under[transaction] > 0 {
		for s := range all.open {
			if transaction == "" || s.t.ID == transaction {
				list = append(list, s)
			}
		}
	}
	all.mu.Unlock()
	slices.SortFunc(list, func(a, b *Stream) int {
		return cmp.Or(a.meter.begun.Compare(b.meter.begun), cmp.Compare(a.record.ID, b.record.ID))
	})
	return list
}

// AwaitStreams returns when no stream is open any more, or with ctx's error. It is called after
// Deps.Stopping is closed.
func (s *Service) AwaitStreams(ctx context.Context) error {
	s.streams.mu.Lock()
	none := s.streams.none
	s.streams.mu.Unlock()
	if none == nil {
		return nil
	}
	select {
	case <-none:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// maintainStreams keeps what open streams metered until none is open: whatever becomes of the
// process, no more than streamBeat and streamKeep of it is lost.
func (s *Service) maintainStreams(none <-chan struct{}) {
	tick := time.NewTicker(streamKeep)
	defer tick.Stop()
	for {
		select {
		case <-none:
			return
		case <-tick.C:
			s.saveMetered(context.Background(), s.streams.list(""))
		}
	}
}

// metersAtOnce is of how many streams one transaction keeps what they metered.
const metersAtOnce = 100

// saveMetered keeps what streams metered until now, and ends those whose use was reported, be it to
// another process. What cannot be kept is kept with what comes.
func (s *Service) saveMetered(ctx context.Context, list []*Stream) {
	for part := range slices.Chunk(list, metersAtOnce) {
		ctx, cancel := context.WithTimeout(ctx, streamEnds)
		kept := make([]meterReading, len(part))
		var over []string
		err := s.deps.DB.Update(ctx, func(tx *store.Tx) (err error) {
			var ids []string
			for i, one := range part {
				if one.live && !slices.Contains(ids, one.t.ID) {
					ids = append(ids, one.t.ID)
				}
				if kept[i], err = one.count(ctx, tx); err != nil {
					return err
				}
				if kept[i].new {
					if err := transactions.ExtendDelivery(ctx, tx, one.record.ID, 0, one.meter.open()); err != nil {
						return err
					}
				}
			}
			over, err = transactions.Reported(ctx, tx, ids...)
			return err
		})
		cancel()
		if err != nil {
			s.deps.Log.Error("for how long streams were open could not be kept; that is tried again", "error", err)
			continue
		}
		for i, one := range part {
			one.meter.counted(kept[i])
		}
		for _, id := range over {
			s.EndStreams(id)
		}
	}
}

// streamEnds is how long the record of a stream may take.
const streamEnds = 10 * time.Second

// finish records how a stream is over, with what was metered of it.
func (s *Stream) finish(ctx context.Context, why Ending) {
	by := s.of
	defer by.streams.leave(s)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), streamEnds)
	defer cancel()
	end := s.record
	end.State, end.Ended, end.Bytes, end.Seconds, end.Sum = transactions.DeliveryEnded, s.now(), s.bytes,
		s.meter.open(), s.sum.Sum(nil)
	if s.broken || s.bytes < end.Announced {
		end.State = transactions.DeliveryCut
	}
	err := by.deps.Fault("stream ends")
	if err == nil {
		err = by.deps.DB.Update(ctx, func(tx *store.Tx) (err error) {
			if _, err = s.count(ctx, tx); err != nil {
				return err
			}
			return by.delivered(ctx, tx, s.t, end, why)
		})
	}
	if err != nil && !errors.Is(err, errOver) {
		by.deps.Log.Error("how a stream ended could not be recorded; it will be recorded as cut", "transaction", s.t.ID,
			"error", err)
	}
}

// EndStreams ends the streams under a transaction whose use was reported.
func (s *Service) EndStreams(transaction string) {
	for _, one := range s.streams.list(transaction) {
		if one.live {
			one.once.Do(func() { close(one.quit) })
		}
	}
}

// Meter counts for how long the streams under a transaction were open until now.
func (s *Service) Meter(ctx context.Context, transaction string) {
	s.saveMetered(ctx, s.streams.list(transaction))
}
