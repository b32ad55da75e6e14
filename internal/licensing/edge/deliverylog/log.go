// Package deliverylog is the write-ahead log of an edge. It writes deliveries and sightings of
// agents to files before a first byte leaves, and sends them to the Exchange until the Exchange has
// accepted them.
//
// The package owns one folder, which belongs to one process at a time. It must not know a database:
// [Config.Ship] sends a batch. Enter by [Open], [Log.Begin] and [Log.Run].
//
// # The files
//
// Records are appended to a segment, each after its length and a CRC-32C, by one write: a killed
// process loses nothing that it wrote. The disk has it after [Config.Sync]. From time to time a
// segment is sealed and becomes one batch, always the same, which is removed once it is accepted.
// The next segment begins with the deliveries that are still open. The last segment alone therefore
// says which deliveries a dead process had begun and not ended. Those are reported as cut, with the
// most bytes that can have left.
//
// Unreadable records, such as the torn end after a loss of power, are skipped, and reading
// continues behind them.
package deliverylog

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"frontdesk/wire/edge"
)

// ErrFull is returned by Begin and Put while the log is full: nothing may be delivered that cannot
// be recorded.
var ErrFull = errors.New("the spool of delivery records is full; nothing licensed is delivered until the Exchange " +
	"takes what waits, or edge.spool.max is raised")

var errClosed = errors.New("the spool is closed")

// Config says where the log is and how batches are sent. Fields without a default are required.
type Config struct {
	// Dir is its folder, which is made if it is missing.
	Dir string
	// Sync is how long what was written may wait for the disk together with others; 0 has Begin and
	// Put wait until the disk has it. A loss of power, not the end of the process, loses what
	// waits.
	Sync time.Duration
	// Max is the most bytes of all files together, from MinSize; 0 is DefaultMax.
	Max int64
	// Every is how often what was written is told; 0 is DefaultEvery.
	Every time.Duration
	// Ship hands a batch over, and returns nil once it is recorded for good on the other side. It
	// is called again for what it failed to hand over, also after a restart, always with the same
	// batch. An error that wraps ErrRefused is about this batch alone.
	Ship func(context.Context, edge.Batch) error
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Log hears of what was lost, cut or refused; nil for none.
	Log *slog.Logger

	disk disk // nil for the operating system's
}

// The defaults and bounds of Config.
const (
	DefaultSync  = 50 * time.Millisecond // for configurations
	DefaultMax   = 256 << 20
	MinSize      = 4 << 20
	DefaultEvery = 5 * time.Second
)

// ErrRefused is wrapped by errors of Config.Ship for a batch that the other side will not take as
// it is. It is tried again much later, and others before.
var ErrRefused = errors.New("the batch was refused")

// Delivery is what is about to be delivered.
type Delivery struct {
	Transaction string // as the address named it; may be empty
	Agent       string // that the address named; may be empty
	URI         string // absolute, without what signs it
	Form        string // of the address, such as "hmac"; may be empty
	// Length is how many bytes of content will leave, -1 where nobody knows yet.
	Length int64
}

// Log is an open delivery log. Its methods may be called concurrently.
type Log struct {
	config Config
	lock   func() error // gives the folder back

	mu       sync.Mutex
	synced   *sync.Cond // of mu: done has moved on
	wrote    int64      // how many records were written
	done     int64      // how many of them the disk has
	dirty    chan struct{}
	segments segments
	open     openDeliveries
	seen     tally
	broken   error     // why the disk does not sync at the moment
	warned   time.Time // when it was last said that the disk takes nothing
	told     Stats
	closed   bool

	syncs    sync.Mutex // held while the disk is told to take something
	shipping sync.Mutex // held while batches are handed over
	stop     chan struct{}
	ended    sync.WaitGroup
}

// Open opens the log in a folder and recovers what an earlier process left. The caller must call
// Run.
func Open(config Config) (*Log, error) {
	config.Max, config.Every = max(cmp.Or(config.Max, DefaultMax), MinSize), cmp.Or(config.Every, DefaultEvery)
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	if config.disk == nil {
		config.disk = files{}
	}
	s := &Log{
		config: config, dirty: make(chan struct{}, 1), stop: make(chan struct{}),
		open: openDeliveries{byID: map[string]*OpenDelivery{}, late: map[string]*OpenDelivery{}},
		seen: tally{counts: map[seen]int64{}, since: config.Now()},
	}
	s.synced = sync.NewCond(&s.mu)
	lock, err := config.disk.lock(config.Dir)
	if err != nil {
		return nil, fmt.Errorf("the spool %s cannot be used: %w", config.Dir, err)
	}
	s.lock = lock
	if err := s.recover(); err != nil {
		return nil, errors.Join(fmt.Errorf("the spool %s cannot be used: %w", config.Dir, err), lock())
	}
	s.ended.Go(s.syncing)
	return s, nil
}

// OpenDelivery is a delivery that has begun. Call exactly one of End and Cut; later calls do
// nothing.
type OpenDelivery struct {
	log    *Log
	record edge.Delivery
	size   int64          // of the record, and of its end
	unsure bool           // Length was -1: record.Bytes is a promise that grows
	ended  *edge.Delivery // nil before it has
}

// ID tells the delivery from all others, as records and logs name it.
func (o *OpenDelivery) ID() string { return o.record.ID }

// step is by how much what may leave of a delivery of unknown length grows at once.
const step = 1 << 20

// Begin records that something is about to be delivered, and returns before its first byte may
// leave. The error is ErrFull, or that the disk takes nothing, or that what d says cannot be told:
// then it must not be delivered.
func (s *Log) Begin(d Delivery) (*OpenDelivery, error) {
	now := s.now()
	o := &OpenDelivery{log: s, unsure: d.Length < 0, record: edge.Delivery{
		ID: newID("dlv", now), Transaction: d.Transaction, Agent: d.Agent, URI: d.URI, Form: d.Form, State: edge.Begun,
		Announced: max(d.Length, 0), Bytes: d.Length, At: now,
	}}
	if o.unsure {
		o.record.Bytes = step
	}
	if err := o.record.Check(); err != nil {
		return nil, err // one that cannot be told would have all others of its batch refused
	}
	text := begun(o.record)
	o.size = int64(len(text)) + endSize
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.room(int64(len(text)) + o.size); err != nil {
		return nil, err
	}
	if err := s.write(text); err != nil {
		return nil, err
	}
	s.open.add(o)
	if err := s.settled(); err != nil {
		s.finish(o, edge.Cut, 0, 0, nil) // nothing leaves
		return nil, err
	}
	return o, nil
}

// Announce is called before n more bytes are handed to the connection. It costs something only for
// a delivery of unknown length, now and then; its error means that they must not be.
func (o *OpenDelivery) Announce(sent, n int64) error {
	if !o.unsure || sent+n <= o.record.Bytes {
		return nil
	}
	s := o.log
	s.mu.Lock()
	defer s.mu.Unlock()
	most := (sent+n)/step*step + step
	text := more(o.ID(), most)
	if err := s.room(int64(len(text))); err != nil {
		return err
	}
	if err := s.write(text); err != nil {
		return err
	}
	o.record.Bytes = most
	return s.settled()
}

// End records that all of a delivery was handed to the connection: its status, how many bytes of
// content, and their SHA-256, which may be nil.
func (o *OpenDelivery) End(status int, bytes int64, sum []byte) {
	o.end(edge.Ended, status, bytes, sum)
}

// Cut is End for a delivery that ended before all of it was handed to the connection.
func (o *OpenDelivery) Cut(status int, bytes int64, sum []byte) { o.end(edge.Cut, status, bytes, sum) }

func (o *OpenDelivery) end(state edge.State, status int, bytes int64, sum []byte) {
	s := o.log
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.ended == nil {
		s.finish(o, state, status, bytes, sum)
	}
}

// finish ends a delivery.
func (s *Log) finish(o *OpenDelivery, state edge.State, status int, bytes int64, sum []byte) {
	d := o.record
	d.State, d.Status, d.Bytes, d.SHA256, d.Ended = state, status, bytes, hex.EncodeToString(sum), s.now()
	o.ended = &d
	s.writeEnd(o)
}

// writeEnd writes the end of a delivery, or leaves it for later.
func (s *Log) writeEnd(o *OpenDelivery) {
	if s.write(finished(*o.ended)) != nil {
		s.open.late[o.ID()] = o
		return
	}
	s.segments.active.weight += o.size // it is told as a whole, wherever it began
	s.open.remove(o)
}

// openDeliveries are those that have begun and not ended.
type openDeliveries struct {
	byID map[string]*OpenDelivery
	late map[string]*OpenDelivery // whose end could not be written yet
	owed int64                    // bytes that they may still need
}

func (d *openDeliveries) add(o *OpenDelivery) { d.byID[o.ID()], d.owed = o, d.owed+o.size }

// remove forgets a delivery whose end is written, or that never was open.
func (d *openDeliveries) remove(o *OpenDelivery) {
	delete(d.late, o.ID())
	if _, ok := d.byID[o.ID()]; ok {
		delete(d.byID, o.ID())
		d.owed -= o.size
	}
}

// carried are the records by which they go on in the next segment.
func (d *openDeliveries) carried() (text []byte) {
	for _, id := range slices.Sorted(maps.Keys(d.byID)) {
		text = append(text, carried(d.byID[id].record)...)
	}
	return text
}

// Ready says why Begin would not record a delivery at the moment, and writes nothing; nil where it
// would.
func (s *Log) Ready() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.room(endSize)
}

// Put records a delivery that somebody else made, such as a server before which this edge only
// answers whether it may: one that has begun, or the end of one, under an id of its own. Its At is
// set where it is zero.
func (s *Log) Put(d edge.Delivery) error {
	d.At = cmp.Or(d.At, s.now())
	if err := d.Check(); err != nil {
		return err
	}
	text := whole(d)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.room(int64(len(text))); err != nil {
		return err
	}
	if err := s.write(text); err != nil {
		return err
	}
	return s.settled()
}

// NewID makes the id of a delivery for Put, as Begin makes them.
func (s *Log) NewID() string { return newID("dlv", s.now()) }

func (s *Log) now() time.Time { return s.config.Now().UTC().Truncate(time.Microsecond) }

// Stats is the state of a log.
type Stats struct {
	Open      int           // deliveries that have begun and not ended
	Waiting   int           // records that are not taken yet
	Bytes     int64         // of all files
	Max       int64         // see Config
	Oldest    time.Duration // since the oldest segment that waits was begun; 0 for none
	Accepted  int64         // batches that were taken since the spool was opened
	Failed    int64         // attempts that failed
	Refused   int64         // batches that were refused
	Problem   string        // why the last attempt failed; empty since one succeeded
	Recovered int           // deliveries that a process before had begun and not ended
	Dropped   int64         // sightings that found no room
}

// Stats returns the state of the log.
func (s *Log) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.told
	t.Open, t.Bytes, t.Max = len(s.open.byID), s.segments.bytes(), s.config.Max
	t.Waiting = s.segments.waiting()
	if oldest := s.segments.oldest(); oldest.fresh > 0 {
		t.Oldest = s.config.Now().Sub(oldest.begun)
	}
	return t
}

// Close writes what was counted, has the disk take everything, and gives the folder back. What is
// still open is told as cut by the next Open.
func (s *Log) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.writeLate()
	s.writeCounts()
	s.closed = true
	s.mu.Unlock()
	close(s.stop)
	s.ended.Wait()
	s.shipping.Lock() // whoever hands something over is done with the files
	defer s.shipping.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, g := range append([]*segment{s.segments.active}, s.segments.unsynced()...) {
		errs = append(errs, g.file.Sync(), g.file.Close())
	}
	s.synced.Broadcast()
	return errors.Join(append(errs, s.lock())...)
}
