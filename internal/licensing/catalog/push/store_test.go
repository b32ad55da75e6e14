package push_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/catalog/push"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/storetest"
)

var noon = time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)

func each(t *testing.T, test func(t *testing.T, db *store.DB)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		test(t, open(t, push.Schema))
	})
}

func entry(address, title string) *push.Entry {
	return &push.Entry{Address: address, Title: title, Caller: "acme", Pushed: noon}
}

// shelf follows a feed, as the catalog does.
type shelf struct {
	t      *testing.T
	of     *push.Store
	cursor map[string]int64
	has    map[string]string // title by tenant, address and author
	anew   int
}

func (s *shelf) follow() {
	s.t.Helper()
	fn := func(c push.Change) error {
		key := c.Tenant + " " + c.Entry.Address + " " + c.Entry.Author
		if s.has[key] = c.Entry.Title; c.Removed {
			delete(s.has, key)
		}
		return nil
	}
	to, err := s.of.Changes(context.Background(), s.cursor, fn)
	if errors.Is(err, push.ErrBehind) {
		s.anew++
		s.has = map[string]string{}
		to, err = s.of.Changes(context.Background(), nil, fn)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.cursor = to
}

func (s *shelf) wants(want map[string]string) {
	s.t.Helper()
	s.follow()
	if !maps.Equal(s.has, want) {
		s.t.Errorf("the feed tells of %v, not of %v", s.has, want)
	}
}

func TestFeedTellsWhatWasPushedAndRemoved(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		shelves := push.NewStore(db, func() time.Time { return noon })
		f := &shelf{t: t, of: shelves, has: map[string]string{}}
		put := func(tenant string, entries ...*push.Entry) {
			t.Helper()
			if _, err := shelves.Put(ctx, push.Batch{Tenant: tenant, Entries: entries}); err != nil {
				t.Fatal(err)
			}
		}
		put("a", entry("a.example/1", "One"), entry("a.example/2", "Two"))
		put("b", entry("b.example/1", "Other"))
		f.wants(map[string]string{"a a.example/1 ": "One", "a a.example/2 ": "Two", "b b.example/1 ": "Other"})
		by := entry("a.example/1", "Seen by another")
		by.Author = "verifier.example"
		put("a", entry("a.example/1", "One anew"), by)
		f.wants(map[string]string{"a a.example/1 ": "One anew", "a a.example/1 verifier.example": "Seen by another",
			"a a.example/2 ": "Two", "b b.example/1 ": "Other"})

		// A contributor takes out its own alone; the tenant all; and nobody what is another
		// tenant's.
		if n, err := shelves.Remove(ctx, "a", []string{"a.example/2", "b.example/1"}, "verifier.example"); n != 0 ||
			err != nil {
			t.Errorf("a contributor removed %d, %v", n, err)
		}
		if n, err := shelves.Remove(ctx, "a", []string{"a.example/1", "a.example/1", "b.example/1"}, ""); n != 1 ||
			err != nil {
			t.Errorf("removed %d, %v", n, err)
		}
		f.wants(map[string]string{"a a.example/2 ": "Two", "b b.example/1 ": "Other"})
		put("a", entry("a.example/1", "Again"))
		f.wants(map[string]string{"a a.example/1 ": "Again", "a a.example/2 ": "Two", "b b.example/1 ": "Other"})
		if f.anew != 0 {
			t.Errorf("the follower started over %d times", f.anew)
		}
	})
}

func TestSweepDeletesWhatIsOver(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		now := noon
		shelves := push.NewStore(db, func() time.Time { return now })
		for _, tenant := range []string{"a", "b"} {
			for _, e := range []string{"1", "2", "3"} {
				refused := []push.Rejection{{At: now, Caller: tenant, Address: e, Reason: "INVALID_ENTRY",
					Detail: "It is none."}}
				if _, err := shelves.Put(ctx,
					push.Batch{Tenant: tenant, Entries: []*push.Entry{entry(tenant+".example/"+e, e)},
						Refused: refused}); err != nil {
					t.Fatal(err)
				}
			}
		}
		slow := &shelf{t: t, of: shelves, has: map[string]string{}}
		slow.follow()
		if _, err := shelves.Remove(ctx, "a", []string{"a.example/1"}, ""); err != nil {
			t.Fatal(err)
		}
		quick := &shelf{t: t, of: shelves, has: map[string]string{}}
		quick.follow()
		now = now.Add(push.RemovalRetention - time.Hour)
		if err := shelves.Sweep(ctx, func(string) bool { return false }); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"a a.example/2 ": "2", "a a.example/3 ": "3", "b b.example/1 ": "1",
			"b b.example/2 ": "2", "b b.example/3 ": "3"}
		quick.wants(want)
		now = now.Add(2 * time.Hour)
		if err := shelves.Sweep(ctx, func(string) bool { return false }); err != nil {
			t.Fatal(err)
		}
		quick.wants(want)
		slow.wants(want) // who did not learn of the removal in time starts over
		if quick.anew != 0 || slow.anew != 1 {
			t.Errorf("started over: %d and %d times, not 0 and 1", quick.anew, slow.anew)
		}
		if all, err := shelves.Refused(ctx, "a", 10); len(all) != 3 || err != nil {
			t.Errorf("refused: %v, %v", all, err)
		}
		// Of a tenant that is no more nothing stays.
		if err := shelves.Sweep(ctx, func(tenant string) bool { return tenant == "a" }); err != nil {
			t.Fatal(err)
		}
		quick.wants(map[string]string{"b b.example/1 ": "1", "b b.example/2 ": "2", "b b.example/3 ": "3"})
		if all, err := shelves.Refused(ctx, "a", 10); len(all) != 0 || err != nil {
			t.Errorf("refused: %v, %v", all, err)
		}
		now = now.Add(push.RefusalRetention)
		if err := shelves.Sweep(ctx, func(string) bool { return false }); err != nil {
			t.Fatal(err)
		}
		if all, err := shelves.Refused(ctx, "b", 10); len(all) != 0 || err != nil {
			t.Errorf("refused long ago: %v, %v", all, err)
		}
	})
}

func TestRejectionsAreBounded(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		shelves := push.NewStore(db, func() time.Time { return noon })
		for batch := range 3 {
			var refused []push.Rejection
			for i := range 700 {
				refused = append(refused, push.Rejection{At: noon, Caller: "c", Address: fmt.Sprintf("%d-%d", batch, i),
					Reason: "INVALID_ENTRY", Detail: strings.Repeat("x", 1000)})
			}
			if _, err := shelves.Put(ctx, push.Batch{Tenant: "a", Refused: refused}); err != nil {
				t.Fatal(err)
			}
		}
		all, err := shelves.Refused(ctx, "a", 5000)
		if err != nil || len(all) != push.Rejections || all[0].Address != "2-699" || all[999].Address != "1-400" ||
			len(all[0].Detail) > 512 {
			t.Errorf("%d are kept, %v", len(all), err)
		}
		if revisions, err := shelves.Revisions(ctx); len(revisions) != 0 || err != nil {
			t.Errorf("what was refused counts as a change: %v, %v", revisions, err)
		}
	})
}

func TestPushesAtTheSameTimeAreAllTold(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *store.DB) {
		shelves := push.NewStore(db, func() time.Time { return noon })
		f := &shelf{t: t, of: shelves, has: map[string]string{}}
		var pushing sync.WaitGroup
		for by := range 8 {
			pushing.Go(func() {
				for n := range 10 {
					e := entry(fmt.Sprintf("a.example/%d/%d", by, n), "x")
					if _, err := shelves.Put(context.Background(),
						push.Batch{Tenant: fmt.Sprint("t", by%3), Entries: []*push.Entry{e}}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		done := make(chan struct{})
		go func() { pushing.Wait(); close(done) }()
		for over := false; !over; {
			select {
			case <-done:
				over = true
			default:
			}
			f.follow()
		}
		f.follow()
		if len(f.has) != 80 || f.anew != 0 {
			t.Errorf("%d of 80 are told of, after starting over %d times", len(f.has), f.anew)
		}
	})
}

func TestAttestationsKeepTheirBytes(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *store.DB) {
		shelves := push.NewStore(db, func() time.Time { return noon })
		own, other := entry("a.example/1", "One"), entry("a.example/1", "")
		own.Attestations = [][]byte{[]byte(`{"verifier": "a.example",  "n":1.0}`)}
		other.Author, other.Attestations = "v.example", [][]byte{[]byte(`{"verifier":"v.example"}`), []byte(`{"verifier":"w.example"}`)}
		if _, err := shelves.Put(t.Context(), push.Batch{Tenant: "a", Entries: []*push.Entry{other, own}}); err != nil {
			t.Fatal(err)
		}
		all, err := shelves.Attestations(t.Context(), "a", "a.example/1", nil)
		if err != nil || len(all) != 3 || string(all[0]) != `{"verifier": "a.example",  "n":1.0}` || string(all[2]) != `{"verifier":"w.example"}` {
			t.Errorf("%s, %v", all, err)
		}
		if all, err := shelves.Attestations(t.Context(), "b", "a.example/1", nil); len(all) != 0 || err != nil {
			t.Errorf("another tenant has %s, %v", all, err)
		}
		// Of an entry that was pushed anew since nothing is given to who knows the one of before.
		if _, err := shelves.Put(t.Context(), push.Batch{Tenant: "a", Entries: []*push.Entry{own}}); err != nil {
			t.Fatal(err)
		}
		for revision, want := range map[int64]int{1: 2, 2: 1, 3: 0} {
			all, err := shelves.Attestations(t.Context(), "a", "a.example/1",
				func(_ string, at int64) bool { return at == revision })
			if err != nil || len(all) != want {
				t.Errorf("of revision %d there are %s, %v", revision, all, err)
			}
		}
	})
}

// tenants opens the tenants of a database.
func tenants(t *testing.T, db *store.DB) *push.Tenants {
	t.Helper()
	all, err := push.OpenTenants(t.Context(), push.TenantsConfig{
		DB: db, Now: func() time.Time { return noon }, Sites: map[string]bool{"site": true, "www.site.example": true},
		Host: func(domain string) (string, bool) { return policy.Host("https://" + domain + "/") },
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestADomainIsOneTenantsAlone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		here, there := tenants(t, db), tenants(t, db)
		put := func(id string, domains ...string) error {
			_, _, err := here.Put(ctx, push.Tenant{ID: id, Domains: domains})
			return err
		}
		if err := put("acme", "WWW.acme.example", "www.acme.example", "news.acme.example"); err != nil {
			t.Fatal(err)
		}
		for name, err := range map[string]error{
			"another's domain": put("other", "news.acme.example"), "a site's domain": put("other", "www.site.example"),
			"a site's id": put("site", "x.example"),
			"no domain":   put("other"), "no such domain": put("other", "a b"), "no id": put("Other!", "x.example"),
		} {
			if fail.From(err).Code != fail.Invalid {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, _, err := here.Put(ctx, push.Tenant{ID: "open", Domains: []string{"o.example"},
			Rule: policy.Rule{Access: policy.Open}}); fail.From(err).Code != fail.Invalid {
			t.Errorf("what is pushed is open: %v", err)
		}
		if one := here.Get("acme"); one == nil ||
			strings.Join(one.Domains, " ") != "news.acme.example www.acme.example" ||
			here.At("www.acme.example") != one {
			t.Errorf("%+v", one)
		}
		if there.Get("acme") != nil {
			t.Error("another process knows it before it looked")
		}
		if changed, err := there.Refresh(ctx); !changed || err != nil || there.At("news.acme.example") == nil {
			t.Errorf("%t, %v", changed, err)
		}
		// A domain that is given up can be another's.
		if err := put("acme", "www.acme.example"); err != nil {
			t.Fatal(err)
		}
		if err := put("other", "news.acme.example"); err != nil || here.At("news.acme.example").ID != "other" {
			t.Error(err)
		}
		if err := here.Remove(ctx, "acme"); err != nil || here.Get("acme") != nil ||
			here.At("www.acme.example") != nil {
			t.Error(err)
		}
		if err := here.Remove(ctx, "acme"); fail.From(err).Code != fail.NotFound {
			t.Error(err)
		}
		if err := put("acme", "www.acme.example"); fail.From(err).Code != fail.Invalid {
			t.Errorf("the id of one that was removed is another's: %v", err)
		}
	})
}

// TestPatternsAreBoundedAndThoseThatAreThereMayBePushedAgain holds the bound of entries with stars,
// whoever pushes at the same time, and that nothing else counts against it.
func TestPatternsAreBoundedAndThoseThatAreThereMayBePushedAgain(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *store.DB) {
		now := noon
		shelves := push.NewStore(db, func() time.Time { return now })
		put := func(tenant string, most int, addresses ...string) int {
			t.Helper()
			b := push.Batch{Tenant: tenant, Patterns: most, Over: func(e *push.Entry) push.Rejection {
				return push.Rejection{At: now, Caller: "c", Address: e.Address, Reason: "TOO_MANY_PATTERNS"}
			}}
			for _, address := range addresses {
				b.Entries = append(b.Entries, entry(address, address))
			}
			over, err := shelves.Put(context.Background(), b)
			if err != nil {
				t.Fatal(err)
			}
			return over
		}
		if over := put("a", 2, "a.example/*/1", "a.example/*", "a.example/b/", "a.example/c", "a.example/*/2",
			"a.example/*/3", "a.example/*/1"); over != 1 {
			t.Errorf("%d are too many", over)
		}
		if has, err := shelves.Has(t.Context(), "a", "a.example/*/3", ""); has || err != nil {
			t.Errorf("what was refused is there: %v", err)
		}
		if refused, err := shelves.Refused(t.Context(), "a", 10); err != nil || len(refused) != 1 ||
			refused[0].Address != "a.example/*/3" {
			t.Errorf("%+v %v", refused, err)
		}
		if over := put("a", 2, "a.example/*/2", "a.example/*/1"); over != 0 {
			t.Error("what is there cannot be pushed again")
		}
		if over := put("b", 2, "b.example/*/1", "b.example/*/2"); over != 0 {
			t.Error("another tenant's count")
		}
		if n, err := shelves.Remove(t.Context(), "a", []string{"a.example/*/1"}, ""); n != 1 || err != nil {
			t.Fatal(n, err)
		}
		if over := put("a", 2, "a.example/*/4", "a.example/*/5"); over != 1 {
			t.Error("one that was removed counts, or nothing does")
		}
		// All at once.
		var all sync.WaitGroup
		var over atomic.Int64
		for by := range 4 {
			all.Go(func() {
				for i := range 5 {
					over.Add(int64(put("c", 7, fmt.Sprintf("c.example/*/%d/%d", by, i))))
				}
			})
		}
		all.Wait()
		if over.Load() != 20-7 {
			t.Errorf("%d of 20 are too many, where 7 may be", over.Load())
		}
		// A tenant that is gone has none.
		if err := shelves.Sweep(t.Context(), func(tenant string) bool { return tenant == "c" }); err != nil {
			t.Fatal(err)
		}
		if over := put("c", 7, "c.example/*/x"); over != 0 {
			t.Error("what was swept counts")
		}
	})
}
