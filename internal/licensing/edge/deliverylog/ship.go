package deliverylog

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"frontdesk/wire/edge"
)

// The waits of the shipper: after a failure the shortest, then twice as long each time up to the
// longest.
const (
	shortestWait = time.Second
	longestWait  = time.Minute
	refusedWait  = time.Hour // before a batch that was refused is tried again
)

// Run hands over what is written, until ctx ends. It is called once.
func (s *Log) Run(ctx context.Context) {
	wait := s.config.Every
	for {
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		switch err := s.Flush(ctx); {
		case err == nil:
			wait = s.config.Every
		case wait >= longestWait || wait < shortestWait:
			wait = min(max(wait, shortestWait), longestWait)
		default:
			wait = min(2*wait, longestWait)
		}
	}
}

// Flush writes what was counted, and hands over all that is written by now. It returns nil once
// everything was taken but what was refused, or failed while other batches were taken; Standing
// tells of that.
func (s *Log) Flush(ctx context.Context) error {
	s.shipping.Lock()
	defer s.shipping.Unlock()
	s.tidy()
	if err := s.handAll(ctx); err != nil {
		// No more than a few segments are begun for what cannot be told yet: each would carry what
		// is open. A second one tells whether it is the Exchange that fails, or the first.
		if s.few() {
			err = errors.Join(err, s.seal())
		}
		return err
	}
	if err := s.seal(); err != nil {
		return err
	}
	return s.handAll(ctx)
}

// fewSealed is how many segments may wait for another to be sealed while none is taken.
const fewSealed = 3

func (s *Log) few() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.segments.sealed) < fewSealed
}

// tidy writes what waits to be written.
func (s *Log) tidy() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writeCounts()
	s.writeLate()
}

// writeLate writes the ends that could not be written.
func (s *Log) writeLate() {
	for _, o := range s.open.late {
		s.writeEnd(o)
	}
}

// failuresAtOnce is how many segments are tried in vain before the Exchange is left alone for a
// while.
const failuresAtOnce = 2

// handAll hands over the sealed segments that the disk has, those first that failed least, so that
// one that always fails holds up no other. Its error is the last failure, where nothing was taken.
func (s *Log) handAll(ctx context.Context) error {
	s.mu.Lock()
	waiting := slices.DeleteFunc(slices.Clone(s.segments.sealed), func(g *segment) bool { return g.file != nil })
	s.mu.Unlock()
	slices.SortStableFunc(waiting, func(a, b *segment) int { return cmp.Compare(a.tries, b.tries) })
	var failed []*segment
	var last error
	taken := false
	for _, g := range waiting {
		if err := ctx.Err(); err != nil {
			return err
		}
		if s.waits(g) {
			continue
		}
		if err := s.hand(ctx, g); err != nil {
			g.tries++
			if failed, last = append(failed, g), err; len(failed) == failuresAtOnce {
				break
			}
			continue
		}
		taken = true
	}
	if !taken {
		return last
	}
	for _, g := range failed {
		g.later = s.config.Now().Add(min(shortestWait<<min(g.tries, 12), refusedWait))
		s.config.Log.Error("a batch of delivery records is not taken while others are; it is kept, and told "+
			"again later", "file", g.name, "error", last)
	}
	return nil
}

// waits says whether a segment is not to be told yet.
func (s *Log) waits(g *segment) bool {
	wait := g.later.Sub(s.config.Now())
	return wait > 0 && wait <= refusedWait // or the clock was set back
}

// seal seals the active segment where it holds something to tell, and has the disk take it and the
// one that follows.
func (s *Log) seal() error {
	s.mu.Lock()
	var err error
	switch {
	case s.closed:
		err = errClosed
	case s.segments.active.fresh > 0:
		err = s.begin()
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	s.sync()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.broken
}

// hand hands over a sealed segment, and removes it once it was taken. What the Exchange refuses of
// it is kept, and no error.
func (s *Log) hand(ctx context.Context, g *segment) error {
	text, err := s.config.disk.read(s.config.Dir, g.name)
	if err != nil {
		return s.failed(err)
	}
	c := read(text)
	if c.fresh > 0 {
		err = s.config.Ship(ctx, c.batch())
	}
	if errors.Is(err, ErrRefused) {
		return s.refused(ctx, g, c, err)
	}
	if err != nil {
		return s.failed(err)
	}
	return s.taken(g, nil)
}

// taken removes a segment that was taken, all of it but what is in rest, which may be nil.
func (s *Log) taken(g, rest *segment) error {
	if err := s.config.disk.remove(s.config.Dir, g.name); err != nil {
		return s.failed(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.segments.remove(g)
	if rest != nil {
		s.segments.seal(rest)
		return nil
	}
	s.told.Problem = ""
	s.told.Accepted++
	return nil
}

// refused tells a batch that was refused again in parts, so that one record that will not be taken
// holds up no other, and keeps what is refused by itself.
func (s *Log) refused(ctx context.Context, g *segment, c *content, cause error) error {
	whole := c.batch()
	rest, err := s.sift(ctx, whole)
	if err != nil {
		return s.failed(err)
	}
	left := len(rest.Deliveries) + len(rest.Sightings)
	if left == 0 {
		return s.taken(g, nil)
	}
	s.config.Log.Error("the Exchange refused delivery records; they are kept, and told again in an hour", "file",
		g.name, "records", left,
		"of", len(whole.Deliveries)+len(whole.Sightings), "error", cause)
	s.mu.Lock()
	s.told.Refused++
	s.mu.Unlock()
	_ = s.failed(cause)
	g.later = s.config.Now().Add(refusedWait)
	if left == len(whole.Deliveries)+len(whole.Sightings) {
		return nil
	}
	kept, err := s.keep(g, rest, c.head.Begun)
	if err != nil {
		return s.failed(err)
	}
	return s.taken(g, kept)
}

// keep writes what is left of a segment to one of its own, which the disk has when it returns.
func (s *Log) keep(g *segment, rest edge.Batch, begun time.Time) (*segment, error) {
	text, err := segmentOf(rest, begun)
	if err != nil {
		return nil, err
	}
	kept := &segment{
		name: strings.TrimSuffix(g.name, suffix) + "-r" + suffix, size: int64(len(text)),
		fresh: len(rest.Deliveries) + min(len(rest.Sightings), 1), begun: g.begun, later: g.later,
	}
	_ = s.config.disk.remove(s.config.Dir, kept.name) // which a process left that died before it removed g
	file, err := s.config.disk.create(s.config.Dir, kept.name)
	if err != nil {
		return nil, err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Sync(), file.Close(), s.config.disk.settle(s.config.Dir)); err != nil {
		return nil, errors.Join(err, s.config.disk.remove(s.config.Dir, kept.name))
	}
	return kept, nil
}

// How many parts of a batch are told at a time: some in vain, and more for each that is taken,
// since all of it may be refused.
const (
	siftsInVain = 16
	siftsForOne = 16
	sifts       = 64
)

// sift tells a batch in parts, halving those that are refused, and gives what is refused in the
// end: the batch itself where that is all of it. The same batch has the same parts each time, so
// that each counts once. The error is one that is about no batch alone.
func (s *Log) sift(ctx context.Context, b edge.Batch) (rest edge.Batch, err error) {
	parts := halves(b)
	if len(parts) == 0 {
		return b, nil
	}
	for left := siftsInVain; len(parts) > 0; {
		part := parts[0]
		parts = parts[1:]
		err := ErrRefused
		if left > 0 {
			err = s.config.Ship(ctx, named(part, b.ID))
		}
		left--
		switch more := halves(part); {
		case err == nil:
			left = min(left+siftsForOne, sifts)
		case !errors.Is(err, ErrRefused):
			return rest, err
		case left > 0 && len(more) > 0:
			parts = append(more, parts...)
		default:
			rest.Deliveries, rest.Sightings = append(rest.Deliveries, part.Deliveries...),
				append(rest.Sightings, part.Sightings...)
		}
	}
	return named(rest, b.ID), nil
}

// halves are the two parts of a batch that has more than one record.
func halves(b edge.Batch) []edge.Batch {
	d, g := len(b.Deliveries), len(b.Sightings)
	switch {
	case d > 0 && g > 0:
		return []edge.Batch{{Deliveries: b.Deliveries}, {Sightings: b.Sightings}}
	case d > 1:
		return []edge.Batch{{Deliveries: b.Deliveries[:d/2]}, {Deliveries: b.Deliveries[d/2:]}}
	case g > 1:
		return []edge.Batch{{Sightings: b.Sightings[:g/2]}, {Sightings: b.Sightings[g/2:]}}
	}
	return nil
}

// named gives a part of a batch its id, which is the same each time.
func named(part edge.Batch, whole string) edge.Batch {
	part.Version, part.ID = edge.Version, ""
	text, _ := part.Text() // of what was read from JSON
	part.ID = "bat-" + edge.Digest(append(text, whole...))[:40]
	return part
}

// failed counts an attempt that failed.
func (s *Log) failed(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told.Failed++
	s.told.Problem = err.Error()
	return err
}
