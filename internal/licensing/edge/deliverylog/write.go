package deliverylog

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"frontdesk/wire/edge"
)

// suffix is how the names of segments end; before it stands their number in 16 digits.
const suffix = ".spool"

// recover reads what a process before left, begins a segment of this one's own, and says there of
// what was open that it was cut.
func (s *Log) recover() error {
	names, err := s.config.disk.list(s.config.Dir)
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasSuffix(name, suffix) })
	slices.Sort(names)
	open := map[string]edge.Delivery{}
	for _, name := range names {
		s.segments.number = max(s.segments.number, numberOf(name))
		if err := s.recoverSegment(name, open); err != nil {
			return err
		}
	}
	if err := s.begin(); err != nil {
		return err
	}
	now := s.now()
	for _, d := range slices.SortedFunc(maps.Values(open), byID) {
		d.State, d.AtMost, d.Ended = edge.Cut, true, now
		if err := s.write(whole(d)); err != nil {
			return err
		}
		s.told.Recovered++
	}
	if len(open) > 0 {
		s.config.Log.Warn("deliveries had begun when the process before ended; they are told as cut, with the most "+
			"bytes that can have left", "deliveries", len(open))
	}
	if err := s.segments.active.file.Sync(); err != nil {
		return err
	}
	s.done = s.wrote
	return s.config.disk.settle(s.config.Dir)
}

// recoverSegment takes up one file, and brings open up to its end.
func (s *Log) recoverSegment(name string, open map[string]edge.Delivery) error {
	text, err := s.config.disk.read(s.config.Dir, name)
	if err != nil {
		return err
	}
	c := read(text)
	if c.lost > 0 {
		s.config.Log.Warn("a file of the spool has bytes that are no record; they are passed over", "file", name,
			"bytes", c.lost)
	}
	maps.Copy(open, c.open)
	for id, d := range c.told {
		if d.State != edge.Begun {
			delete(open, id)
		}
	}
	if c.fresh == 0 {
		// Nothing of it is to be told. What it carries is told as cut by the segment that follows,
		// and it is removed after that.
		s.segments.seal(&segment{name: name, size: int64(len(text))})
		return nil
	}
	if err := s.config.disk.sync(s.config.Dir, name); err != nil {
		return err
	}
	s.segments.seal(&segment{name: name, size: int64(len(text)), fresh: c.fresh, begun: cmp.Or(c.head.Begun, s.now())})
	return nil
}

// begin begins a segment, and seals the one before. What it carries is written to it; nobody has to
// wait for the disk here, since the one before is not removed until the disk has both.
func (s *Log) begin() error {
	now := s.now()
	g := &segment{name: s.segments.next(), begun: now}
	text, err := record(kindHead, head{ID: newID("bat", now), Begun: now})
	if err != nil {
		return err
	}
	text = append(text, s.open.carried()...)
	if g.file, err = s.config.disk.create(s.config.Dir, g.name); err != nil {
		return err
	}
	if _, err := g.file.Write(text); err != nil {
		return errors.Join(err, g.file.Close(), s.config.disk.remove(s.config.Dir, g.name))
	}
	g.size = int64(len(text))
	s.segments.activate(g)
	s.wrote++
	s.stir()
	return nil
}

// room says whether so much more may be written without taking the room that the open deliveries
// need for their ends.
func (s *Log) room(more int64) error {
	if s.closed {
		return errClosed
	}
	if s.broken != nil {
		s.stir()
		return s.broken
	}
	if s.segments.bytes()+s.open.owed+more > s.config.Max {
		return ErrFull
	}
	return nil
}

// write appends a record to the active segment.
func (s *Log) write(text []byte) error {
	if s.closed {
		return errClosed
	}
	if s.segments.active.fresh >= maxRecords || s.segments.active.weight >= maxSegment {
		if err := s.begin(); err != nil {
			return s.fail(err)
		}
	}
	n, err := s.segments.active.file.Write(text)
	s.segments.active.size += int64(n)
	if err != nil {
		// Half a record is passed over by whoever reads.
		return s.fail(err)
	}
	s.segments.active.fresh, s.segments.active.weight = s.segments.active.fresh+1, s.segments.active.weight+int64(n)
	s.wrote++
	s.stir()
	return nil
}

// fail says, once a minute at the most, that the disk does not take something.
func (s *Log) fail(err error) error {
	if now := s.now(); now.Sub(s.warned).Abs() >= time.Minute {
		s.warned = now
		s.config.Log.Error("the disk takes no delivery record; nothing licensed is delivered meanwhile", "error", err)
	}
	return fmt.Errorf("the disk takes no delivery record: %w", err)
}

// stir wakes the goroutine that syncs.
func (s *Log) stir() {
	select {
	case s.dirty <- struct{}{}:
	default:
	}
}

// settled returns once what was written so far needs no more waiting: at once, or with Config.Sync
// of 0 when the disk has it.
func (s *Log) settled() error {
	if s.config.Sync > 0 {
		return s.broken
	}
	for upTo := s.wrote; s.done < upTo && s.broken == nil && !s.closed; {
		s.synced.Wait()
	}
	return s.broken
}

// syncing has the disk take what was written, all that waits together, until the log is closed.
func (s *Log) syncing() {
	for {
		select {
		case <-s.stop:
			return
		case <-s.dirty:
		}
		if s.config.Sync > 0 {
			timer := time.NewTimer(s.config.Sync)
			select {
			case <-s.stop:
				timer.Stop()
				return
			case <-timer.C:
			}
		}
		s.sync()
	}
}

// sync has the disk take what was written so far.
func (s *Log) sync() {
	s.syncs.Lock()
	defer s.syncs.Unlock()
	s.mu.Lock()
	upTo, active, before := s.wrote, s.segments.active, s.segments.unsynced()
	s.mu.Unlock()
	err := active.file.Sync()
	for _, g := range before {
		err = errors.Join(err, g.file.Sync())
	}
	if len(before) > 0 {
		err = errors.Join(err, s.config.disk.settle(s.config.Dir))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.synced.Broadcast()
	if err != nil {
		// What the disk did not take once it may never take, and say nothing of it: what is open is
		// written again, to another file.
		if s.segments.active == active && active.fresh > 0 {
			err = errors.Join(err, s.begin())
		}
		s.broken = s.fail(err)
		return
	}
	for _, g := range before {
		_ = g.file.Close()
		g.file = nil
	}
	s.done, s.broken = max(s.done, upTo), nil
}
