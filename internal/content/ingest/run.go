package ingest

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/content/ingest/document"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/periodic"
)

// maxReported bounds the problems that a report holds and a log gets.
const maxReported = 100

// logEvery is how often a log gets a line while a long run goes on.
const logEvery = 10 * time.Second

// Run reads a source and publishes what it holds, all at once, in the place of what it held before.
// When anything fails the old state stays. When files could not be read whole, nothing is removed,
// since what they held may still be there: the report is Partial. A run that finds nothing
// publishes nothing.
func Run(ctx context.Context, catalog *content.Catalog, source Source, options Options) (Report, error) {
	if options.Now == nil {
		options.Now = time.Now
	}
	f := filler{catalog: catalog, options: options, report: Report{Source: source}, start: options.Now()}
	f.logged = f.start
	err := f.run(ctx)
	f.report.Elapsed = options.Now().Sub(f.start)
	if err != nil && ctx.Err() == nil && source.check() == nil && (source.Web == nil || source.Web.Only == nil) {
		err = with(err, catalog.RecordFailure(ctx, content.SourceKey{Site: source.Site, Source: source.Name}, err))
	}
	f.logEnd(err)
	return f.report, err
}

// with adds what went wrong after an error, unless that is the same: when a disk is full, nothing
// can be written of the failure either.
func with(err, further error) error {
	if err != nil && further != nil && strings.Contains(err.Error(), further.Error()) {
		return err
	}
	return errors.Join(err, further)
}

// filler is a run in progress.
type filler struct {
	catalog *content.Catalog
	options Options
	report  Report
	items   *content.Run
	start   time.Time
	logged  time.Time // when the log last got a line
	// nextShow is when to publish what a first run over the web has so far, showEvery how long
	// until the time after it.
	nextShow  time.Time
	showEvery time.Duration
}

func (f *filler) run(ctx context.Context) (err error) {
	s, err := newScan(f.report.Source, f.options.Limits)
	if err != nil {
		return err
	}
	defer s.close()
	if f.items, err = f.catalog.Begin(ctx, f.report.Site, f.report.Name); err != nil {
		return err
	}
	defer func() { err = with(err, f.items.Abort(ctx)) }()
	some := false
	if s.web != nil {
		if f.items.IsFirst() {
			s.web.Only = nil // there is nothing yet to which a few pages would be added
		}
		some = s.web.some()
		s.web.run, s.web.now = f.items, f.options.Now
		f.report.Web = &s.web.report
		defer f.renewLease(ctx)()
	}
	err = s.run(ctx, outlet{
		item:     func(d document.Draft) error { return f.put(ctx, d) },
		problem:  f.problem,
		progress: f.progress,
		now:      f.options.Now,
	})
	f.report.Files, f.report.Read, f.report.Partial = s.progress.FilesDone, s.progress.Read, s.broken
	f.report.Unread, f.report.UnreadCount = s.unread, s.unreadN
	if err != nil {
		return err
	}
	kept := f.report.Kept
	if s.web != nil {
		var partial bool
		if partial, err = s.web.end(ctx); err != nil {
			return err
		}
		s.broken = s.broken || partial
		f.report.Partial = s.broken || f.report.Web.Cut != ""
		f.report.Files = f.report.Web.Asked
		kept += f.report.Web.Unchanged + f.report.Web.Failed
	}
	if kept == 0 && !f.options.AllowShrink && !some {
		return f.nothing()
	}
	f.report.Summary, err = f.items.Commit(ctx,
		content.CommitOptions{Partial: s.broken, Subset: some, AllowShrink: f.options.AllowShrink})
	if err == nil && f.options.Progress != nil {
		s.progress.Done = true
		s.progress.Elapsed = f.options.Now().Sub(f.start)
		f.options.Progress(s.progress)
	}
	return err
}

// renewLease keeps the run's lease while a site takes its time, until the function that it gives is
// called.
func (f *filler) renewLease(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var holding sync.WaitGroup
	holding.Go(func() {
		periodic.After(ctx, renewEvery, func(ctx context.Context) {
			// One that cannot be renewed is lost, which the next write will say.
			_ = f.items.RenewLease(ctx)
		})
	})
	return func() {
		cancel()
		holding.Wait()
	}
}

// renewEvery is how often the lease of a slow run is renewed.
const renewEvery = 5 * time.Second

// show publishes what a first run has found so far, ever more seldom.
func (f *filler) show(ctx context.Context) error {
	if !f.items.IsFirst() || f.report.Kept == 0 {
		return nil
	}
	now := f.options.Now()
	if f.nextShow.IsZero() {
		f.nextShow, f.showEvery = f.start.Add(firstShow), firstShow
	}
	if now.Before(f.nextShow) {
		return nil
	}
	f.showEvery = min(2*f.showEvery, lastShow)
	f.nextShow = now.Add(f.showEvery)
	return f.items.Checkpoint(ctx)
}

// When a first run over the web shows what it has so far: for the first time, and how often at
// last.
const (
	firstShow = 3 * time.Second
	lastShow  = 5 * time.Minute
)

// put hands an item on. One that content refuses is a problem like others.
func (f *filler) put(ctx context.Context, d document.Draft) error {
	err := f.items.Put(ctx, d.Item)
	var refused *fail.Error
	if errors.As(err, &refused) && refused.Code == fail.Invalid {
		f.problem(document.Problem{Origin: d.Origin, Reason: refused.Detail})
		return nil
	}
	if err == nil {
		f.report.Kept++
	}
	if err == nil && f.report.Web != nil {
		err = f.show(ctx)
	}
	return err
}

func (f *filler) problem(p document.Problem) {
	f.report.SkippedCount++
	if len(f.report.Skipped) >= maxReported {
		return
	}
	f.report.Skipped = append(f.report.Skipped, p)
	if f.options.Log != nil {
		f.options.Log.Warn("content skipped", "origin", p.Origin, "reason", p.Reason)
	}
}

func (f *filler) progress(p Progress) {
	if f.options.Progress != nil {
		f.options.Progress(p)
	}
	if now := f.options.Now(); f.options.Log != nil && now.Sub(f.logged) >= logEvery {
		f.logged = now
		f.options.Log.Info("reading content", "files", p.FilesDone, "of", p.Files, "bytes", p.BytesDone,
			"of_bytes", p.Bytes,
			"items", p.Kept, "skipped", p.Skipped)
	}
}

// nothing says that a source holds no items, and why if there is a reason.
func (f *filler) nothing() error {
	r := &f.report
	if len(r.Skipped) > 0 {
		return fail.New(fail.Invalid,
			"source %s of site %s holds no item that can be used, so nothing was changed; %s problems, the "+
				"first at %s: %s",
			r.Name, r.Site, countText(r.SkippedCount), r.Skipped[0].Origin, r.Skipped[0].Reason)
	}
	return fail.New(fail.Invalid,
		"source %s of site %s holds no items, so nothing was changed; %s files were read, and what they hold "+
			"are no things "+
			"that schema.org describes, or only parts of pages", r.Name, r.Site, countText(r.Files))
}

// logEnd writes the outcome.
func (f *filler) logEnd(err error) {
	if f.options.Log == nil {
		return
	}
	r := &f.report
	counts := []any{"files", r.Files, "items", r.Kept, "skipped", r.SkippedCount, "elapsed", r.Elapsed}
	var coded *fail.Error
	switch {
	case errors.Is(err, context.Canceled): // as told, by whoever ends the program
		f.options.Log.Info("content not read to its end; the old content stays", counts...)
		return
	case errors.As(err, &coded) && coded.Code == fail.Unavailable: // another node or command reads it
		f.options.Log.Info("content not read", append(counts[:0], "reason", err)...)
		return
	case err != nil:
		f.options.Log.Error("content not taken over; the old content stays", append(counts, "reason", err)...)
		return
	}
	s := r.Summary
	counts[3] = s.Items // with those that were not read again
	f.options.Log.Info("content taken over",
		append(counts, "added", s.Added, "changed", s.Changed, "removed", s.Removed,
			"unchanged", s.Unchanged, "passages", s.Passages, slog.Bool("partial", r.Partial))...)
}
