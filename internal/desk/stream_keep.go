package desk

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
	if all.under[s.t.ID] >= mostStreams {
		return false
	}
	all.open[s] = struct{}{}
	all.under[s.t.ID]++
	if all.none == nil {
		all.none = make(chan struct{})
		go s.desk.keepStreams(all.none)
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

// list gives the streams that are open, under a transaction or, where that is empty, all; those first that have begun first.
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
	slices.SortFunc(list, func(a, b *Stream) int { return cmp.Or(a.begun.Compare(b.begun), cmp.Compare(a.record.ID, b.record.ID)) })
	return list
}

// AwaitStreams returns when no stream is open any more, or with ctx's error. It is called after Dealing.Stopping is closed.
func (d *Desk) AwaitStreams(ctx context.Context) error {
	d.streams.mu.Lock()
	none := d.streams.none
	d.streams.mu.Unlock()
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

// keepStreams keeps what open streams metered until none is open: whatever becomes of the process, no more than
// streamBeat and streamKeep of it is lost.
func (d *Desk) keepStreams(none <-chan struct{}) {
	tick := time.NewTicker(streamKeep)
	defer tick.Stop()
	for {
		select {
		case <-none:
			return
		case <-tick.C:
			d.keepMetered(context.Background(), d.streams.list(""))
		}
	}
}

// metersAtOnce is of how many streams one transaction keeps what they metered.
const metersAtOnce = 100

// keepMetered keeps what streams metered until now, and ends those whose use was reported, be it to another process. What cannot be kept
// is kept with what comes.
func (d *Desk) keepMetered(ctx context.Context, list []*Stream) {
	for part := range slices.Chunk(list, metersAtOnce) {
		ctx, cancel := context.WithTimeout(ctx, streamEnds)
		kept := make([]meterReading, len(part))
		var over []string
		err := d.dealing.DB.Update(ctx, func(tx *store.Tx) (err error) {
			var ids []string
			for i, s := range part {
				if s.live && !slices.Contains(ids, s.t.ID) {
					ids = append(ids, s.t.ID)
				}
				if kept[i], err = s.meter(ctx, tx); err != nil {
					return err
				}
				if kept[i].new {
					if err := transactions.GoOnDelivery(ctx, tx, s.record.ID, 0, s.open()); err != nil {
						return err
					}
				}
			}
			over, err = transactions.Reported(ctx, tx, ids...)
			return err
		})
		cancel()
		if err != nil {
			d.config.Log.Error("for how long streams were open could not be kept; that is tried again", "error", err)
			continue
		}
		for i, s := range part {
			s.counted(kept[i])
		}
		for _, id := range over {
			d.endStreams(id)
		}
	}
}

// meterReading is until when a stream's time was counted, and for how long its purchase was used in all.
type meterReading struct {
	new   bool // there was something to count
	until time.Time
	used  time.Duration
}

// meter counts the time of a stream that is live since it was counted last.
func (s *Stream) meter(ctx context.Context, tx *store.Tx) (m meterReading, err error) {
	s.mu.Lock()
	from, to := s.from, s.seen
	s.mu.Unlock()
	if !s.live || !to.After(from) {
		return meterReading{}, nil
	}
	m = meterReading{new: true, until: to}
	m.used, err = s.desk.dealing.Book.Meter(ctx, tx, s.t.ID, from, to)
	return m, err
}

// counted notes that time was counted, once that is durable.
func (s *Stream) counted(m meterReading) {
	if !m.new {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.from, s.used = m.until, m.used
}

// streamEnds is how long the record of a stream may take.
const streamEnds = 10 * time.Second

// finish records how a stream is over, with what was metered of it.
func (s *Stream) finish(ctx context.Context, why Ending) {
	d := s.desk
	defer d.streams.leave(s)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), streamEnds)
	defer cancel()
	end := s.record
	end.State, end.Ended, end.Bytes, end.Seconds, end.Sum = transactions.DeliveryEnded, s.now(), s.bytes, s.open(), s.sum.Sum(nil)
	if s.broken || s.bytes < end.Announced {
		end.State = transactions.DeliveryCut
	}
	err := d.befalls("stream ends")
	if err == nil {
		err = d.dealing.DB.Update(ctx, func(tx *store.Tx) (err error) {
			if _, err = s.meter(ctx, tx); err != nil {
				return err
			}
			return d.delivered(ctx, tx, s.t, end, why)
		})
	}
	if err != nil && !errors.Is(err, errOver) {
		d.config.Log.Error("how a stream ended could not be recorded; it will be recorded as cut", "transaction", s.t.ID, "error", err)
	}
}

// endStreams ends the streams under a transaction whose use was reported.
func (d *Desk) endStreams(transaction string) {
	for _, s := range d.streams.list(transaction) {
		if s.live {
			s.once.Do(func() { close(s.quit) })
		}
	}
}
