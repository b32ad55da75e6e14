package content_test

import (
	"context"
	"flag"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"frontdesk/internal/content"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
)

// TestCatalogBehavesLikeItsModel does random things to a catalog and to a model of it, a map per
// source: runs that are committed, aborted, refused, overtaken or just dropped, as by a crash.
// After every step a full reading equals the model, and so does what followers have that were told
// of the changes bit by bit.
func TestCatalogBehavesLikeItsModel(t *testing.T) {
	t.Parallel()
	// Each case opens the database several times: fewer of them than usual, unless the command line
	// asks for a number.
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() == checks.DefValue {
		defer flag.Set(checks.Name, checks.DefValue)
		flag.Set(checks.Name, "25")
	}
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		rapid.Check(t, func(rt *rapid.T) {
			m := &machine{dsn: fresh(t), clock: newClock(), sources: map[string]*modelSource{}}
			m.open(rt)
			defer func() { m.db.Close() }()
			for range 3 {
				m.followers = append(m.followers, newFollower())
			}
			rt.Repeat(map[string]func(*rapid.T){
				"begin":      m.begin,
				"put":        m.put,
				"keep":       m.keep,
				"commit":     m.commit,
				"checkpoint": m.checkpoint,
				"whole":      m.whole,
				"whole2":     m.whole, // is what happens most
				"whole3":     m.whole,
				"abort":      m.abort,
				"crash":      m.crash,
				"wait":       m.wait,
				"remove":     m.remove,
				"follow":     m.follow,
				"":           m.check,
			})
		})
	})
}

// machine drives a catalog and its model side by side.
type machine struct {
	dsn       string
	db        *store.DB
	catalog   *content.Catalog
	clock     *clock
	sources   map[string]*modelSource
	followers []*follower
}

// modelSource is what a source should be.
type modelSource struct {
	items    map[string]content.Item // published, by URL
	revision int64
	run      *modelRun // the one that holds the lease
	late     []*modelRun
}

type modelRun struct {
	run   *content.Run // nil after a crash
	put   map[string]content.Item
	kept  map[string]bool
	base  map[string]content.Item // what was published when it began, once it has published something itself
	moved map[string]bool         // items that it has published otherwise than they were
	times int                     // how often an item was put, or kept
	until int64                   // when the lease ends
	// unsure says that the run went on after its lease had ended. Whether it has it back depends on
	// whether a batch was full since, which is the catalog's affair.
	unsure bool
}

func (m *machine) open(t *rapid.T) {
	db, err := store.Open(context.Background(), store.Config{DSN: m.dsn, Schemas: []store.Schema{content.Schema}})
	if err != nil {
		t.Fatal(err)
	}
	m.db, m.catalog = db, content.New(db, content.Options{Now: m.clock.now})
	m.catalog.SetLimits(3, 2, 2)
}

var (
	sourceNames = rapid.SampledFrom([]string{"x", "x", "x", "y"})
	someItems   = rapid.SliceOfN(rapid.StringMatching(`[a-f]:[012]`), 1, 6)
)

func (m *machine) source(t *rapid.T) (content.SourceKey, *modelSource) {
	name := sourceNames.Draw(t, "source")
	if m.sources[name] == nil {
		m.sources[name] = &modelSource{items: map[string]content.Item{}}
	}
	return content.SourceKey{Site: site, Source: name}, m.sources[name]
}

// running picks a run that holds its lease.
func (m *machine) running(t *rapid.T) (*modelSource, *modelRun) {
	_, s := m.source(t)
	if s.run == nil || s.run.run == nil {
		t.Skip("no run")
	}
	return s, s.run
}

func (m *machine) leased(s *modelSource) bool {
	return s.run != nil && m.clock.now().Unix() < s.run.until
}

func (m *machine) renew(r *modelRun) { r.until = m.clock.now().Add(content.LeaseTime).Unix() }

func (m *machine) begin(t *rapid.T) {
	key, s := m.source(t)
	run, err := m.catalog.Begin(context.Background(), key.Site, key.Source)
	if refused := fail.From(err).Code == fail.Unavailable; refused && s.run != nil && s.run.unsure {
		return
	}
	if m.leased(s) {
		if fail.From(err).Code != fail.Unavailable {
			t.Fatalf("Begin beside a living run gives %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if s.run != nil && s.run.run != nil {
		s.late = append(s.late, s.run)
	}
	s.run = &modelRun{run: run, put: map[string]content.Item{}, kept: map[string]bool{}, moved: map[string]bool{}}
	m.renew(s.run)
}

func (m *machine) put(t *rapid.T) {
	s, r := m.running(t)
	items := items(someItems.Draw(t, "items")...)
	if err := r.run.Put(context.Background(), items...); err != nil {
		t.Fatal(err)
	}
	for _, i := range items {
		r.put[i.URL] = i
		r.times++
	}
	r.unsure = r.unsure || !m.leased(s)
}

func (m *machine) keep(t *rapid.T) {
	s, r := m.running(t)
	missing := 0
	var urls []string
	offered := map[string]bool{}
	for _, i := range items(someItems.Draw(t, "items")...) {
		if offered[i.URL] {
			continue
		}
		offered[i.URL] = true
		urls = append(urls, i.URL)
		_, put := r.put[i.URL]
		switch now, published := s.items[i.URL]; {
		case put && published:
			r.put[i.URL] = now
		case put || r.kept[i.URL]:
		case published:
			r.kept[i.URL] = true
			r.times++
		default:
			missing++
		}
	}
	got, err := r.run.KeepItems(context.Background(), urls...)
	if err != nil && m.leased(s) {
		t.Fatal(err)
	}
	if err == nil && got != missing {
		t.Fatalf("Keep misses %d of %q, the model %d", got, urls, missing)
	}
	r.unsure = r.unsure || !m.leased(s)
}

func (m *machine) checkpoint(t *rapid.T) {
	s, r := m.running(t)
	if r.unsure || !m.leased(s) {
		t.Skip("not its own any more")
	}
	if err := r.run.Checkpoint(context.Background()); err != nil {
		t.Fatal(err)
	}
	if r.base == nil {
		r.base = s.items
	}
	next := maps.Clone(s.items)
	for url, now := range r.put {
		before, known := r.base[url]
		r.moved[url] = r.moved[url] || known && !cmp.Equal(before, now)
		next[url] = now
	}
	if !cmp.Equal(next, s.items) {
		s.items = next
		s.revision++
	}
}

// seen are the items that a run has put or kept.
func (r *modelRun) seen() int {
	all := maps.Clone(r.kept)
	for url := range r.put {
		all[url] = true
	}
	return len(all)
}

func (m *machine) commit(t *rapid.T) {
	s, r := m.running(t)
	options := content.CommitOptions{Partial: rapid.Bool().Draw(t, "partial"),
		AllowShrink: rapid.Bool().Draw(t, "allow")}
	got, err := r.run.Commit(context.Background(), options)
	base := s.items
	if r.base != nil {
		base = r.base
	}
	if !options.Partial && !options.AllowShrink && 2*r.seen() < len(base) {
		if fail.From(err).Code != fail.Invalid {
			t.Fatalf("%d items in the place of %d give %v", r.seen(), len(base), err)
		}
		r.unsure = r.unsure || !m.leased(s)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	want := s.apply(r, options.Partial)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("summary (-want +got):\n%s", diff)
	}
	s.run = nil
}

// whole is a run from beginning to end.
func (m *machine) whole(t *rapid.T) {
	m.begin(t)
	for range rapid.IntRange(1, 3).Draw(t, "puts") {
		m.put(t)
	}
	m.commit(t)
}

// apply publishes a run in the model.
func (s *modelSource) apply(r *modelRun, partial bool) content.Summary {
	sum := content.Summary{Duplicates: r.times - r.seen()}
	base := s.items
	if r.base != nil {
		base = r.base
	}
	next := maps.Clone(s.items)
	for url, old := range base {
		now, put := r.put[url]
		switch {
		case !put && r.kept[url]:
			sum.Unchanged++
		case !put && !partial:
			delete(next, url)
			sum.Removed++
		case put && cmp.Equal(old, now) && !r.moved[url]:
			sum.Unchanged++
		case put:
			sum.Changed++
		}
	}
	for url, now := range r.put {
		if _, known := base[url]; !known {
			sum.Added++
		}
		next[url] = now
	}
	if !cmp.Equal(next, s.items) {
		s.revision++
	}
	s.items = next
	sum.Items, sum.Passages, sum.Revision = len(next), passages(next), s.revision
	return sum
}

func passages(items map[string]content.Item) (n int) {
	for _, i := range items {
		n += len(i.Passages)
	}
	return n
}

func (m *machine) abort(t *rapid.T) {
	s, r := m.running(t)
	if err := r.run.Abort(context.Background()); err != nil {
		t.Fatal(err)
	}
	s.run = nil
}

// crash loses all runs and the connection. The leases stay: to the catalog the process still lives.
func (m *machine) crash(t *rapid.T) {
	if err := m.db.Close(); err != nil {
		t.Fatal(err)
	}
	for _, s := range m.sources {
		if s.run != nil {
			s.run.run = nil
		}
		s.late = nil
	}
	m.open(t)
}

// wait lets all leases expire. A run that goes on after that may find that another has taken over.
func (m *machine) wait(t *rapid.T) {
	m.clock.advance(content.LeaseTime)
	_, s := m.source(t)
	for _, late := range s.late {
		if _, err := late.run.Commit(context.Background(),
			content.CommitOptions{AllowShrink: true}); fail.From(err).Code != fail.Unavailable {
			t.Fatalf("a run that was overtaken commits with %v", err)
		}
	}
	s.late = nil
}

func (m *machine) remove(t *rapid.T) {
	key, s := m.source(t)
	err := m.catalog.Remove(context.Background(), key.Site, key.Source)
	if refused := fail.From(err).Code == fail.Unavailable; refused && s.run != nil && s.run.unsure {
		return
	}
	if m.leased(s) {
		if fail.From(err).Code != fail.Unavailable {
			t.Fatalf("forgetting a source beside a living run gives %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	// In the catalog a source is known from its first Begin on, even if nothing came of that.
	if revisions, err := m.catalog.Revisions(context.Background()); err != nil {
		t.Fatal(err)
	} else if got := revisions[key]; got < s.revision || got > s.revision+1 {
		t.Fatalf("forgetting a source took it from revision %d to %d", s.revision, got)
	} else {
		s.revision = got
	}
	if s.run != nil && s.run.run != nil {
		s.late = append(s.late, s.run)
	}
	s.run, s.items = nil, map[string]content.Item{}
}

func (m *machine) follow(t *rapid.T) {
	f := rapid.SampledFrom(m.followers).Draw(t, "follower")
	to, err := m.catalog.Changes(context.Background(), f.at, func(change content.Change) error {
		ref := change.Entry.Ref
		ref.Since = 0
		if change.Removed {
			delete(f.items, ref)
		} else {
			f.items[ref] = change.Entry
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	f.at = to
	m.compare(t, "a follower", f)
}

// compare holds what a follower has of this case's site to the model.
func (m *machine) compare(t *rapid.T, who string, f *follower) {
	got := map[string]map[string]content.Item{}
	for ref, entry := range f.items {
		if got[ref.Source] == nil {
			got[ref.Source] = map[string]content.Item{}
		}
		if ref.ID != content.ItemID(ref.Site, ref.Source, entry.URL) {
			t.Fatalf("%s has the ID %q", entry.URL, ref.ID)
		}
		got[ref.Source][entry.URL] = entry.Item
	}
	want := map[string]map[string]content.Item{}
	for name, s := range m.sources {
		for url, i := range s.items {
			if want[name] == nil {
				want[name] = map[string]content.Item{}
			}
			want[name][url] = i
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", who, diff)
	}
}

// check holds everything that can be read to the model.
func (m *machine) check(t *rapid.T) {
	ctx := context.Background()
	reader := newFollower()
	var refs []content.Ref
	_, err := m.catalog.Changes(ctx, nil, func(change content.Change) error {
		reader.items[change.Entry.Ref] = change.Entry
		refs = append(refs, change.Entry.Ref)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	m.compare(t, "a full reading", reader)

	loaded, err := m.catalog.LoadItems(ctx, refs...)
	if err != nil {
		t.Fatal(err)
	}
	for i, ref := range refs {
		if diff := cmp.Diff(m.sources[ref.Source].items[loaded[i].URL], loaded[i]); diff != "" {
			t.Fatalf("Load (-want +got):\n%s", diff)
		}
	}
	// Followers are at most a few revisions behind; one that is a single one behind can still load
	// all that it has.
	for _, f := range m.followers {
		for ref, entry := range f.items {
			at := f.at[content.SourceKey{Site: ref.Site, Source: ref.Source}]
			s := m.sources[ref.Source]
			if at < s.revision-1 {
				continue
			}
			old, err := m.catalog.LoadItems(ctx, entry.Ref)
			if err != nil || old[0].URL != entry.URL || old[0].Name != entry.Name {
				t.Fatalf("at revision %d of %d, %+v loads as %q (%v)", at, s.revision, entry.Ref, old[0].Name, err)
			}
		}
	}
	sources, err := m.catalog.Sources(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range sources {
		if s := m.sources[got.Source]; s != nil &&
			(got.Revision != s.revision || got.Items != len(s.items) || got.Passages != passages(s.items)) {
			t.Fatalf("%+v, want revision %d with %d items", got, s.revision, len(s.items))
		}
	}
}
