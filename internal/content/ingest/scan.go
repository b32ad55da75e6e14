package ingest

import (
	"context"
	"errors"
	"net/url"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"frontdesk/internal/content/ingest/document"
	"frontdesk/internal/content/ingest/markup"
	"frontdesk/internal/content/ingest/pageurl"
)

// scan reads one source: one goroutine takes files apart, workers on all cores make items of the
// pieces, and the caller's goroutine hands the items on in the order of the source.
type scan struct {
	source Source
	base   *url.URL
	limits document.Limits
	files  *files       // nil for a source of the web,
	web    *crawl       // which has this
	bytes  atomic.Int64 // read so far

	progress Progress
	broken   bool               // a file could not be read whole
	unread   []document.Problem // the first files of which that is so, and why
	unreadN  int
}

// unit is a portion of a document on its way from the source to the outlet.
type unit struct {
	document.Portion
	visit  *visit // of which it is an answer, for a source of the web
	last   bool   // the file ends here
	result chan document.Result
}

// weight is the part of the memory that a unit takes.
func (u *unit) weight() int64 { return min(u.Size()+1, memory) }

// outlet is where a scan's findings go, all from one goroutine.
type outlet struct {
	item     func(document.Draft) error
	problem  func(document.Problem)
	progress func(Progress) // may be nil
	now      func() time.Time
}

func newScan(source Source, limits document.Limits) (*scan, error) {
	if err := source.check(); err != nil {
		return nil, err
	}
	base, err := source.baseAddress()
	if err != nil {
		return nil, err
	}
	s := &scan{source: source, limits: limits.WithDefaults()}
	s.base, _ = pageurl.AsFolder(base)
	if source.Web != nil {
		s.web = newCrawl(&s.source, base, s.limits)
		s.progress = Progress{Source: source.Name}
		return s, nil
	}
	found, err := findFiles(&source)
	if err != nil {
		return nil, err
	}
	s.files = found
	s.progress = Progress{Source: source.Name, Files: len(found.all)}
	for _, f := range found.all {
		s.progress.Bytes += f.Size
	}
	return s, nil
}

func (s *scan) close() {
	if s.files != nil {
		s.files.close()
	}
}

// memory bounds the text that is on its way from the reader to the outlet, in bytes.
const memory = 128 << 20

func (s *scan) run(ctx context.Context, to outlet) error {
	workers := runtime.GOMAXPROCS(0)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	group, ctx := errgroup.WithContext(ctx)
	order := make(chan *unit, 4*workers)
	work := make(chan *unit)
	room := semaphore.NewWeighted(memory)
	emit := func(ctx context.Context, u *unit) error {
		s.locate(u)
		if err := room.Acquire(ctx, u.weight()); err != nil {
			return err
		}
		u.result = make(chan document.Result, 1)
		for _, line := range []chan *unit{order, work} {
			select {
			case line <- u:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	}
	group.Go(func() error {
		defer close(work)
		defer close(order)
		if s.web != nil {
			return s.web.pump(ctx, emit)
		}
		return s.read(ctx, emit)
	})
	reader := s.reader()
	for range workers {
		group.Go(func() error {
			for u := range work {
				u.result <- reader.Read(&u.Portion)
			}
			return nil
		})
	}
	err := s.hand(ctx, order, room, to)
	cancel()
	if failed := group.Wait(); failed != nil && (err == nil || errors.Is(err, context.Canceled)) {
		err = failed
	}
	return err
}

// read takes all files apart.
func (s *scan) read(ctx context.Context, emit func(context.Context, *unit) error) error {
	for _, p := range s.files.problems {
		if err := emit(ctx, &unit{Portion: document.Portion{Problem: &p, Whole: true}}); err != nil {
			return err
		}
	}
	for _, p := range s.files.refused {
		if err := emit(ctx, &unit{Portion: document.Portion{Problem: &p}}); err != nil {
			return err
		}
	}
	r := document.Splitter{From: s.files.from, Limits: s.limits, Count: &s.bytes}
	r.Emit = func(ctx context.Context, p *document.Portion) error { return emit(ctx, &unit{Portion: *p}) }
	for _, f := range s.files.all {
		if err := r.File(ctx, f); err != nil {
			return err
		}
		if err := emit(ctx, &unit{Portion: document.Portion{File: f}, last: true}); err != nil {
			return err
		}
	}
	return nil
}

// reader makes items of the source's documents.
func (s *scan) reader() *document.Reader {
	return &document.Reader{
		Base: s.base, Language: s.source.Language, Publisher: s.source.Publisher, Schemes: s.source.Schemes,
		Permalink: s.source.Permalink, Limits: s.limits,
	}
}

// locate says of a unit from the web where it was had, and has its visit look at it.
func (s *scan) locate(u *unit) {
	if u.visit == nil {
		return
	}
	u.Address = u.visit.at
	u.Filter = func(page *markup.Page) bool { return u.visit.look(page, s.source.Web.Agent) }
	if s.source.Base == "" {
		u.Base = u.visit.at
	}
}

// hand passes on what the workers made, in order.
func (s *scan) hand(ctx context.Context, order <-chan *unit, room *semaphore.Weighted, to outlet) error {
	if to.now == nil {
		to.now = time.Now
	}
	start := to.now()
	names := document.NewURLSet()
	for u := range order {
		var r document.Result
		select {
		case r = <-u.result:
		case <-ctx.Done():
			return ctx.Err()
		}
		room.Release(u.weight())
		if r.Cut != nil {
			s.notWhole(*r.Cut)
		}
		if u.visit != nil {
			s.pass(u, &r)
			if r.Cut != nil {
				u.visit.cut = true
			}
		}
		for _, p := range r.Problems {
			to.problem(p)
		}
		for i := range r.Drafts {
			if !names.Admit(&r.Drafts[i], u.visit != nil && u.visit.foreign(&r.Drafts[i])) {
				continue
			}
			s.progress.Kept++
			if err := to.item(r.Drafts[i]); err != nil {
				return err
			}
			if u.visit != nil {
				u.visit.add(r.Drafts[i].URL)
			}
		}
		if u.visit != nil && u.last {
			if err := s.conclude(ctx, u.visit, names); err != nil {
				return err
			}
		}
		s.progress.Read += r.Read
		s.progress.Skipped += len(r.Problems)
		if u.last {
			s.progress.FilesDone++
		}
		s.progress.BytesDone, s.progress.Elapsed = s.bytes.Load(), to.now().Sub(start)
		if to.progress != nil {
			to.progress(s.progress)
		}
	}
	return ctx.Err()
}

// pass leaves out what is not wanted of an answer from the web.
func (s *scan) pass(u *unit, r *document.Result) {
	if !s.web.wanted(u.visit) {
		r.Drafts = nil
		if u.visit.outcome != failed && u.Problem == nil {
			r.Problems = nil
		}
	}
}

// conclude ends a visit.
func (s *scan) conclude(ctx context.Context, v *visit, names *document.URLSet) error {
	if v.cut && v.known != nil { // what it held before stays
		v.outcome = failed
	}
	if err := s.web.applyVisit(ctx, v); err != nil {
		return err
	}
	if v.outcome == same {
		for _, address := range v.items {
			names.MarkUsed(address)
		}
	}
	var bytes int64
	s.progress.Files, bytes = s.web.size()
	s.progress.Bytes = bytes
	s.bytes.Store(bytes)
	return nil
}

// notWhole notes a file that could not be read whole.
func (s *scan) notWhole(p document.Problem) {
	s.broken = true
	if s.unreadN++; len(s.unread) < maxReported {
		s.unread = append(s.unread, p)
	}
}
