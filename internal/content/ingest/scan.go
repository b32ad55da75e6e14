package ingest

import (
	"context"
	"errors"
	"hash/maphash"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"frontdesk/internal/content"
)

// scan reads one source: one goroutine takes files apart, workers on all cores make items of the pieces, and the
// caller's goroutine hands the items on in the order of the source.
type scan struct {
	source Source
	base   *url.URL
	limits Limits
	files  *files       // nil for a source of the web,
	web    *crawl       // which has this
	bytes  atomic.Int64 // read so far

	progress Progress
	broken   bool      // a file could not be read whole
	unread   []Problem // the first files of which that is so, and why
	unreadN  int
}

// outlet is where a scan's findings go, all from one goroutine.
type outlet struct {
	item     func(draft) error
	problem  func(Problem)
	progress func(Progress) // may be nil
	now      func() time.Time
}

func newScan(source Source, limits Limits) (*scan, error) {
	if err := source.check(); err != nil {
		return nil, err
	}
	base, err := source.baseAddress()
	if err != nil {
		return nil, err
	}
	s := &scan{source: source, limits: limits.withDefaults()}
	s.base, _ = folder(base)
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
		s.progress.Bytes += f.size
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
		if err := room.Acquire(ctx, u.weight()); err != nil {
			return err
		}
		u.result = make(chan result, 1)
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
	w := worker{source: &s.source, base: s.base, limits: s.limits}
	for range workers {
		group.Go(func() error {
			for u := range work {
				u.result <- w.work(u)
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
		if err := emit(ctx, &unit{problem: &p, whole: true}); err != nil {
			return err
		}
	}
	for _, p := range s.files.refused {
		if err := emit(ctx, &unit{problem: &p}); err != nil {
			return err
		}
	}
	r := reader{from: s.files.from, limits: s.limits, count: &s.bytes, emit: emit}
	for _, f := range s.files.all {
		if err := r.read(ctx, f); err != nil {
			return err
		}
		if err := emit(ctx, &unit{file: f, last: true}); err != nil {
			return err
		}
	}
	return nil
}

// weight is the part of the memory that a unit takes.
func (u *unit) weight() int64 {
	if u.spans != nil { // of a document that many units share
		last := u.spans[len(u.spans)-1]
		return int64(last.end - u.spans[0].begin)
	}
	return min(int64(len(u.text))+1, memory)
}

// hand passes on what the workers made, in order.
func (s *scan) hand(ctx context.Context, order <-chan *unit, room *semaphore.Weighted, to outlet) error {
	if to.now == nil {
		to.now = time.Now
	}
	start := to.now()
	names := namer{taken: map[string]string{}, known: map[uint64]uint64{}, seed: maphash.MakeSeed()}
	for u := range order {
		var r result
		select {
		case r = <-u.result:
		case <-ctx.Done():
			return ctx.Err()
		}
		room.Release(u.weight())
		if u.whole {
			r.cut = u.problem
		}
		if r.cut != nil {
			s.notWhole(*r.cut)
		}
		if u.visit != nil {
			s.pass(u, &r)
			if r.cut != nil {
				u.visit.cut = true
			}
		}
		for _, p := range r.problems {
			to.problem(p)
		}
		for i := range r.drafts {
			if !names.admit(&r.drafts[i], u.visit != nil && u.visit.foreign(&r.drafts[i])) {
				continue
			}
			s.progress.Kept++
			if err := to.item(r.drafts[i]); err != nil {
				return err
			}
			if u.visit != nil {
				u.visit.add(r.drafts[i].URL)
			}
		}
		if u.visit != nil && u.last {
			if err := s.conclude(ctx, u.visit, &names); err != nil {
				return err
			}
		}
		s.progress.Read += r.read
		s.progress.Skipped += len(r.problems)
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
func (s *scan) pass(u *unit, r *result) {
	if r.sight != nil {
		u.visit.sight = r.sight
	}
	if !s.web.wanted(u.visit) {
		r.drafts = nil
		if u.visit.outcome != failed && u.problem == nil {
			r.problems = nil
		}
	}
}

// conclude ends a visit.
func (s *scan) conclude(ctx context.Context, v *visit, names *namer) error {
	if v.cut && v.known != nil { // what it held before stays
		v.outcome = failed
	}
	if err := s.web.settle(ctx, v); err != nil {
		return err
	}
	if v.outcome == same {
		for _, address := range v.items {
			names.know(address, "")
		}
	}
	var bytes int64
	s.progress.Files, bytes = s.web.size()
	s.progress.Bytes = bytes
	s.bytes.Store(bytes)
	return nil
}

// notWhole notes a file that could not be read whole.
func (s *scan) notWhole(p Problem) {
	s.broken = true
	if s.unreadN++; len(s.unread) < mostReported {
		s.unread = append(s.unread, p)
	}
}

// namer keeps the items of a source apart by their URLs.
type namer struct {
	seed  maphash.Seed
	known map[uint64]uint64 // the URLs that were given out, each with a digest of its item's name, 0 if that is not known
	taken map[string]string // made-up URLs, each with a digest of its object
}

// mostKnown bounds what is remembered of URLs; behind so many items, stubs are left out.
const mostKnown = 1 << 20

// admit settles an item's URL; false for one that something else tells more of. A foreign item is one that was found
// on another page than its own.
func (n *namer) admit(d *draft, foreign bool) bool {
	if d.derived {
		n.part(d)
	}
	if d.claims && n.differs(d) {
		address, _, _ := strings.Cut(d.URL, "#")
		d.move(address + "#" + slug(d.Name)) // below which rules on its path still hold
	}
	if d.stub || foreign {
		if _, found := n.known[maphash.String(n.seed, d.URL)]; found || d.stub && len(n.known) >= mostKnown {
			return false
		}
	}
	if !d.stub {
		n.know(d.URL, folded(d.Name))
	}
	return true
}

// know notes a URL as given out to an item of a name, which is empty where it is not known.
func (n *namer) know(address, name string) {
	if len(n.known) < mostKnown {
		digest := uint64(0)
		if name != "" {
			digest = maphash.String(n.seed, name)
		}
		n.known[maphash.String(n.seed, address)] = digest
	}
}

// differs says whether the address that a page claims was given out to another page: some sites give all their pages
// the address of one.
func (n *namer) differs(d *draft) bool {
	name := n.known[maphash.String(n.seed, d.URL)]
	return name != 0 && d.Name != "" && name != maphash.String(n.seed, folded(d.Name))
}

// part keeps made-up URLs apart. Equal things keep one; others of the same name are numbered in their order.
func (n *namer) part(d *draft) {
	made, sum := d.URL, content.PassageID(string(d.Object), 0)
	address := made
	for i := 2; ; i++ {
		known, taken := n.taken[address]
		if !taken {
			n.taken[address] = sum
		}
		if !taken || known == sum {
			break
		}
		address = made + "-" + strconv.Itoa(i)
	}
	if address != made {
		d.move(address)
	}
}
