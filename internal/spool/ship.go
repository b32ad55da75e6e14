package spool

import (
	"context"
	"errors"
	"slices"
	"time"
)

// The waits of the shipper: after a failure the shortest, then twice as long each time up to the longest.
const (
	shortestWait = time.Second
	longestWait  = time.Minute
	refusedWait  = time.Hour // before a batch that was refused is tried again
)

// Run hands over what is written, until ctx ends. It is called once.
func (s *Spool) Run(ctx context.Context) {
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

// Flush writes what was counted, and hands over all that is written by now. It returns nil once everything was taken but what was
// refused.
func (s *Spool) Flush(ctx context.Context) error {
	s.shipping.Lock()
	defer s.shipping.Unlock()
	s.tidy()
	if err := s.handAll(ctx); err != nil {
		return err // no segment is begun for what cannot be told yet: each would carry what is open
	}
	if err := s.seal(); err != nil {
		return err
	}
	return s.handAll(ctx)
}

// tidy writes what waits to be written.
func (s *Spool) tidy() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writeCounts()
	for _, o := range s.late {
		s.writeEnd(o)
	}
}

// handAll hands over the sealed segments that the disk has.
func (s *Spool) handAll(ctx context.Context) error {
	s.mu.Lock()
	waiting := slices.DeleteFunc(slices.Clone(s.sealed), func(g *segment) bool { return g.file != nil })
	s.mu.Unlock()
	for _, g := range waiting {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.hand(ctx, g); err != nil {
			return err
		}
	}
	return nil
}

// seal seals the active segment where it holds something to tell, and has the disk take it and the one that follows.
func (s *Spool) seal() error {
	s.mu.Lock()
	var err error
	switch {
	case s.closed:
		err = errClosed
	case s.active.fresh > 0:
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

// hand hands over a sealed segment, and removes it once it was taken. Only an error that the other side is to blame for as a whole
// is returned.
func (s *Spool) hand(ctx context.Context, g *segment) error {
	if s.config.Now().Before(g.later) {
		return nil
	}
	text, err := s.config.disk.read(s.config.Dir, g.name)
	if err != nil {
		return s.failed(err)
	}
	if c := read(text); c.fresh > 0 {
		err = s.config.Ship(ctx, c.batch())
	}
	if errors.Is(err, ErrRefused) {
		g.later = s.config.Now().Add(refusedWait)
		s.config.Log.Error("the Exchange refused a batch of delivery records; it is kept, and told again in an hour", "file", g.name, "error", err)
		s.mu.Lock()
		s.told.Refused++
		s.mu.Unlock()
		_ = s.failed(err)
		return nil
	}
	if err != nil {
		return s.failed(err)
	}
	if err := s.config.disk.remove(s.config.Dir, g.name); err != nil {
		return s.failed(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sealed = slices.DeleteFunc(s.sealed, func(one *segment) bool { return one == g })
	s.kept -= g.size
	s.told.Problem = ""
	s.told.Taken++
	return nil
}

// failed counts an attempt that failed.
func (s *Spool) failed(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told.Failed++
	s.told.Problem = err.Error()
	return err
}
