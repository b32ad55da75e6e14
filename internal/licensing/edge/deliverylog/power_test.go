package deliverylog

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/testkit/clock"
	"frontdesk/wire/edge"
)

// memory is a disk that remembers what was done to it, so that a test can see what the end of the
// process, or a loss of power, at any moment would have left.
type memory struct {
	mu    sync.Mutex
	files map[string][]byte
	done  []doing
	fault func(what string) error // nil for none
}

// doing is something that was done: a file was created, written, synced or removed, or the folder
// was settled.
type doing struct {
	what, name string
	data       []byte
}

func (m *memory) do(what, name string, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fault != nil {
		if err := m.fault(what); err != nil {
			return err
		}
	}
	switch what {
	case "create":
		if _, ok := m.files[name]; ok {
			return fs.ErrExist
		}
		m.files[name] = nil
	case "write":
		m.files[name] = append(m.files[name], data...)
	case "remove":
		delete(m.files, name)
	}
	m.done = append(m.done, doing{what, name, bytes.Clone(data)})
	return nil
}

func (m *memory) now() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.done)
}

func (m *memory) lock(string) (func() error, error) { return func() error { return nil }, nil }
func (m *memory) settle(string) error               { return m.do("settle", "", nil) }
func (m *memory) remove(_, name string) error       { return m.do("remove", name, nil) }
func (m *memory) sync(_, name string) error         { return m.do("sync", name, nil) }

func (m *memory) list(string) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Keys(m.files)), nil
}

func (m *memory) read(_, name string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	text, ok := m.files[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return bytes.Clone(text), nil
}

func (m *memory) create(_, name string) (file, error) {
	return &memoryFile{m, name}, m.do("create", name, nil)
}

type memoryFile struct {
	disk *memory
	name string
}

func (f *memoryFile) Write(p []byte) (int, error) {
	if err := f.disk.do("write", f.name, p); err != nil {
		return 0, err
	}
	return len(p), nil
}
func (f *memoryFile) Sync() error  { return f.disk.do("sync", f.name, nil) }
func (f *memoryFile) Close() error { return nil }

// killed is what the end of the process leaves at a moment: all that was done by then, and of the
// write under way some part.
func (m *memory) killed(at int, source *rand.Rand) *memory {
	left := &memory{files: map[string][]byte{}}
	for _, d := range m.done[:at] {
		left.apply(d)
	}
	if at < len(m.done) && m.done[at].what == "write" {
		d := m.done[at]
		d.data = d.data[:source.IntN(len(d.data)+1)]
		left.apply(d)
	}
	return left
}

func (m *memory) apply(d doing) {
	switch d.what {
	case "create":
		m.files[d.name] = nil
	case "write":
		m.files[d.name] = append(m.files[d.name], d.data...)
	case "remove":
		delete(m.files, d.name)
	}
}

// unpowered is what a loss of power leaves at a moment: what was synced, and of the rest whatever
// source pleases, sector by sector. A name that the folder has not settled on may be there or not,
// created or removed.
func (m *memory) unpowered(at int, source *rand.Rand) *memory {
	left := m.killed(at, source)
	synced, settled := map[string]int{}, 0
	size := map[string]int{}
	for n, d := range m.done[:at] {
		switch d.what {
		case "write":
			size[d.name] += len(d.data)
		case "sync":
			synced[d.name] = size[d.name]
		case "settle":
			settled = n
		}
	}
	for _, d := range m.done[:at] { // what was removed, and may not be
		if d.what == "remove" && source.IntN(2) == 0 {
			for _, back := range m.done[:at] {
				if back.name == d.name && back.what == "write" {
					left.files[d.name] = append(left.files[d.name], back.data...)
				}
			}
		}
	}
	for n, d := range m.done[:at] {
		if d.what == "create" && n > settled && source.IntN(2) == 0 {
			delete(left.files, d.name)
		}
	}
	for name, text := range left.files {
		// a sector that was not written is zeros, or the end of the file
		for at := synced[name]; at < len(text); at += 64 {
			switch end := min(at+64, len(text)); source.IntN(4) {
			case 0:
				clear(text[at:end])
			case 1:
				text = text[:at]
			}
		}
		left.files[name] = text
	}
	return left
}

// fact is what a caller of the spool knows of one delivery, with the moments at which that was so.
type fact struct {
	transaction string
	begun       int // when Begin had returned
	length      int64
	sent        int64
	ended       int // when End or Cut had returned; 0 for never
	state       edge.State
}

// journey drives a spool at random and writes down what it was told.
type journey struct {
	disk    *memory
	facts   []*fact
	shipped []struct {
		at    int
		batch edge.Batch
	}
	seen   []int // at which moments something had been seen
	config Config
}

func travel(t *testing.T, seed uint64, config Config) *journey {
	j := &journey{disk: &memory{files: map[string][]byte{}}, config: config}
	source, now := rand.New(rand.NewPCG(seed, 1)), clock.At(noon)
	config.disk, config.Now = j.disk, now.Now
	away := false
	config.Ship = func(_ context.Context, b edge.Batch) error {
		if away {
			return errors.New("away")
		}
		j.shipped = append(j.shipped, struct {
			at    int
			batch edge.Batch
		}{j.disk.now(), b})
		if source.IntN(5) == 0 {
			return errors.New("the answer was lost")
		}
		return nil
	}
	s, err := Open(config)
	if err != nil {
		t.Fatal(err)
	}
	open := map[*fact]*OpenDelivery{}
	for n := range 150 {
		now.Advance(time.Duration(source.IntN(1000)) * time.Millisecond)
		switch source.IntN(8) {
		case 0, 1, 2:
			f := &fact{transaction: "txn-" + string(rune('A'+n%26)) + string(rune('0'+n/26)),
				length: int64(source.IntN(5*step)) - 1}
			b, err := s.Begin(Delivery{Transaction: f.transaction, URI: "https://news.example/a", Length: f.length})
			if err != nil {
				t.Fatal(err)
			}
			f.begun = j.disk.now()
			j.facts, open[f] = append(j.facts, f), b
		case 3, 4, 5:
			for f, b := range open {
				if f.length < 0 {
					if err := b.Announce(0, 3*step); err != nil {
						t.Fatal(err)
					}
					f.sent = 3 * step
				} else {
					f.sent = f.length
				}
				if f.state = edge.Ended; source.IntN(3) == 0 {
					f.state, f.sent = edge.Cut, f.sent/2
					b.Cut(200, f.sent, nil)
				} else {
					b.End(200, f.sent, nil)
				}
				f.ended = j.disk.now()
				delete(open, f)
				break
			}
		case 6:
			s.CountSighting(Sighting{"news.example", "GPTBot", "/a", "refused"})
			j.seen = append(j.seen, j.disk.now())
		case 7:
			away = source.IntN(3) == 0
			_ = s.Flush(t.Context())
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return j
}

// survives opens what is left at a moment as the next start would, has all of it told, and holds
// what the Exchange knows then against what the callers knew: each delivery that had begun is known
// once, by its own figures or as cut with no fewer bytes than left.
func (j *journey) survives(t *testing.T, left *memory, at int, certain bool) {
	t.Helper()
	d := newDesk()
	for _, s := range j.shipped {
		if s.at <= at {
			if err := d.take(s.batch); err != nil {
				t.Fatal(err)
			}
		}
	}
	config := j.config
	config.disk, config.Ship, config.Now = left, d.ship, clock.At(noon.Add(time.Hour)).Now
	for range 2 { // the second has nothing more to tell
		s, err := Open(config)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := s.Stats(); got.Waiting != 0 || got.Open != 0 {
			t.Errorf("%+v", got)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	known := map[string]edge.Delivery{}
	for _, one := range d.deliveries {
		if _, twice := known[one.Transaction]; twice {
			t.Errorf("%s is told under two ids", one.Transaction)
		}
		known[one.Transaction] = one
	}
	for _, f := range j.facts {
		got, ok := known[f.transaction]
		if f.begun > at {
			continue
		}
		right := ok && got.State == f.state && got.Bytes == f.sent && !got.AtMost
		bound := ok && got.State == edge.Cut && got.AtMost && got.Bytes >= f.sent
		switch ended := f.ended != 0 && f.ended <= at; {
		case !ended && !right && !bound, ended && certain && !right, ended && !right && !bound:
			t.Errorf("at %d of a delivery that began at %d and ended at %d with %d bytes (%s) is told: %+v", at,
				f.begun, f.ended, f.sent, f.state, got)
		}
	}
	var told int64
	for _, n := range d.sightings {
		told += n
	}
	seen := 0
	for _, when := range j.seen {
		if when <= at {
			seen++
		}
	}
	if told > int64(seen) {
		t.Errorf("at %d %d sightings are told of %d", at, told, seen)
	}
}

// TestTheEndOfTheProcessLosesNothing ends it at every moment of some runs.
func TestTheEndOfTheProcessLosesNothing(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		j := travel(t, seed, Config{Dir: "x", Sync: time.Hour})
		source := rand.New(rand.NewPCG(seed, 2))
		for at := range len(j.disk.done) {
			if j.survives(t, j.disk.killed(at, source), at, true); t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
	}
}

// TestALossOfPowerLosesNothingThatWasWaitedFor loses it at every moment of some runs, and at some
// with another whim of the disk.
func TestALossOfPowerLosesNothingThatWasWaitedFor(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		j := travel(t, seed, Config{Dir: "x"})
		source := rand.New(rand.NewPCG(seed, 3))
		for at := range len(j.disk.done) {
			for range 3 {
				if j.survives(t, j.disk.unpowered(at, source), at, false); t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
		}
	}
}
