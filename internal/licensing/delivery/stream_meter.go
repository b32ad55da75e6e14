package delivery

import (
	"context"
	"sync"
	"time"

	"frontdesk/internal/infra/store"
)

// streamMeter is for how long the client of a stream was there. What is after the end of the
// purchase does not count.
type streamMeter struct {
	begun   time.Time
	expires time.Time // the end of the purchase

	mu   sync.Mutex    // guards what follows, which is looked at while the stream runs
	from time.Time     // until when its time was counted
	seen time.Time     // when the client was there last
	used time.Duration // of the purchase, until from
}

// saw notes that the client was there.
func (m *streamMeter) saw(at time.Time) {
	if at.After(m.expires) {
		at = m.expires
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if at.After(m.seen) {
		m.seen = at
	}
}

// usedBy is for how long the purchase was used by a time, as far as this stream knows.
func (m *streamMeter) usedBy(at time.Time) time.Duration {
	if at.After(m.expires) {
		at = m.expires
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.used + max(at.Sub(m.from), 0)
}

// open is for how many whole seconds the client was there.
func (m *streamMeter) open() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return int64(m.seen.Sub(m.begun) / time.Second)
}

// uncounted is the time that the client was there and that is not counted yet.
func (m *streamMeter) uncounted() (from, to time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.from, m.seen
}

// counted notes that time was counted, once that is durable.
func (m *streamMeter) counted(r meterReading) {
	if !r.new {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.from, m.used = r.until, r.used
}

// meterReading is until when a stream's time was counted, and for how long its purchase was used in
// all.
type meterReading struct {
	new   bool // there was something to count
	until time.Time
	used  time.Duration
}

// count counts the time of a stream that is live since it was counted last.
func (s *Stream) count(ctx context.Context, tx *store.Tx) (r meterReading, err error) {
	from, to := s.meter.uncounted()
	if !s.live || !to.After(from) {
		return meterReading{}, nil
	}
	r = meterReading{new: true, until: to}
	r.used, err = s.of.deps.Accounts.Meter(ctx, tx, s.t.ID, from, to)
	return r, err
}
