package app

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"frontdesk/internal/app/stored"
	"frontdesk/internal/content"
	"frontdesk/internal/content/ingest"
	"frontdesk/internal/infra/fail"
)

// Watching says how sources are watched.
type Watching struct {
	Log *slog.Logger
	// Options are those of each run.
	Options ingest.Options
	// Done is told of each run, from any goroutine.
	Done func(ingest.SourceSettings, ingest.Report, error)
	// Turns bounds how many are read at a time; nil for as many as usual.
	Turns chan struct{}
	// Tried, when not nil, is called when all sources were read once, or are not yet due.
	Tried func()
}

// A source that could not be read is tried again after this time, or earlier if it is read more
// often anyway.
const tryAgain = 15 * time.Minute

// atOnce is how many sources of the web are read at a time: a site that takes hours must not keep
// all others waiting.
const atOnce = 4

// Watch reads sources when they are due, until ctx ends or none will ever be due again. Those on
// this machine are due at once, and are read one after the other before all others; those of the
// web when their time has come since the last run, be it one of another process on the same
// database. Where several nodes watch, one of them reads.
func (s *sources) Watch(ctx context.Context, sources []ingest.SourceSettings, w Watching) {
	for _, source := range sources {
		if source.URL == "" && ctx.Err() == nil {
			s.visit(ctx, source, w)
		}
	}
	turns := w.Turns
	if turns == nil {
		turns = make(chan struct{}, atOnce)
	}
	var watching, first sync.WaitGroup
	for _, source := range sources {
		if source.Every == 0 {
			continue
		}
		first.Add(1)
		tried := sync.OnceFunc(first.Done)
		watching.Go(func() {
			defer tried()
			s.watch(ctx, source, w, turns, tried)
		})
	}
	if w.Tried != nil {
		watching.Go(func() {
			first.Wait()
			if ctx.Err() == nil {
				w.Tried()
			}
		})
	}
	watching.Wait()
}

// followAdded reads the sources that were added beside the file, each until it is removed, until
// ctx ends.
func (s *sources) followAdded(ctx context.Context) {
	w := Watching{Log: s.log, Done: s.ingested, Turns: make(chan struct{}, atOnce)}
	stored.Follow(ctx, func() map[content.SourceKey]ingest.SourceSettings {
		now := map[content.SourceKey]ingest.SourceSettings{}
		for _, source := range s.allSources() {
			if source.Stored {
				now[content.SourceKey{Site: source.Site, Source: source.Name}] = source
			}
		}
		return now
	}, func(ctx context.Context, source ingest.SourceSettings) {
		s.Watch(ctx, []ingest.SourceSettings{source}, w)
	})
}

// watch reads one source whenever it is due. tried is called when it was read, or is not due yet.
func (s *sources) watch(ctx context.Context, source ingest.SourceSettings, w Watching, turns chan struct{},
	tried func()) {
	for {
		wait := time.Until(s.due(ctx, source))
		if wait > 0 {
			tried()
			timer := time.NewTimer(min(wait, lookAgain))
			select {
			case <-ctx.Done():
				timer.Stop()
				return
			case <-timer.C:
			}
			continue
		}
		select {
		case turns <- struct{}{}:
		case <-ctx.Done():
			return
		}
		pause := s.visit(ctx, source, w)
		<-turns
		tried()
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// breath is the least time between two readings of a source, should nothing be recorded of the
// first.
const breath = 5 * time.Second

// lookAgain is how often it is looked whether a source is due: another process may have read it
// meanwhile.
const lookAgain = time.Minute

// visit reads a source once, and says how long to keep away at least.
func (s *sources) visit(ctx context.Context, source ingest.SourceSettings, w Watching) (pause time.Duration) {
	options := w.Options
	if w.Log != nil {
		options.Log = w.Log.With("site", source.Site, "source", source.Name)
	}
	report, err := s.Ingest(ctx, source, options)
	if w.Done != nil && (err == nil || ctx.Err() == nil) {
		w.Done(source, report, err)
	}
	var coded *fail.Error
	if errors.As(err, &coded) && coded.Code == fail.Unavailable {
		return max(coded.RetryAfter, breath)
	}
	return breath
}

// due is when a source is to be read next.
func (s *sources) due(ctx context.Context, source ingest.SourceSettings) time.Time {
	all, err := s.Catalog.Sources(ctx)
	if err != nil {
		return time.Now().Add(lookAgain)
	}
	for _, s := range all {
		if s.SourceKey == (content.SourceKey{Site: source.Site, Source: source.Name}) {
			return nextRun(source, s)
		}
	}
	return time.Time{}
}

// nextAttempt is when a source is due that was read; zero for never.
func nextAttempt(source ingest.SourceSettings, began time.Time, failed error) (next time.Time) {
	switch {
	case source.Every > 0 && failed != nil:
		next = began.Add(min(source.Every, tryAgain))
	case source.Every > 0:
		next = began.Add(source.Every)
	}
	return next
}

// nextRun is when a source is due that stands like this; zero for at once, or for never where it
// has no time.
func nextRun(source ingest.SourceSettings, s content.Source) time.Time {
	if s.Attempt.StartedAt.IsZero() {
		return time.Time{}
	}
	next := s.Attempt.StartedAt.Add(source.Every)
	if s.LastError != "" {
		next = s.Attempt.StartedAt.Add(min(source.Every, tryAgain))
	}
	return next
}
