package grants_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"frontdesk/internal/excerpts/grants"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// put records requests, of which the ids say the order.
func put(t *testing.T, db *store.DB, requests ...grants.Request) {
	t.Helper()
	if err := db.Update(t.Context(), func(tx *store.Tx) error {
		for _, r := range requests {
			if err := grants.Put(t.Context(), tx, r); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func TestRefusedRequestsAreListedPageByPage(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := open(t, grants.Schema)
		var want []string
		for i := range 30 { // three at each moment, so that a page ends among equals
			r := grants.Request{Platform: []string{"a", "b"}[i%2], ID: fmt.Sprintf("r%02d", i),
				At: noon.Add(-time.Duration(i/3) * time.Hour), Outcome: "rate_limited"}
			if i%5 == 0 {
				r.Outcome = grants.OutcomeOK
			} else {
				want = append(want, r.ID)
			}
			put(t, db, r)
		}
		list := func(w grants.RefusalFilter) (ids []string, last grants.Request) {
			t.Helper()
			if err := db.View(t.Context(), func(tx *store.Tx) error {
				all, err := grants.ListRefused(t.Context(), tx, w)
				ids = nil
				for _, r := range all {
					ids, last = append(ids, r.ID), r
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
			return ids, last
		}
		var got []string
		for w := (grants.RefusalFilter{Limit: 4}); ; {
			page, last := list(w)
			got = append(got, page...)
			if len(page) < 4 {
				break
			}
			w.Before = last
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("page by page: %v, want %v", got, want)
		}
		if ids, _ := list(grants.RefusalFilter{Platform: "a", Since: noon.Add(-time.Hour), Until: noon.Add(time.Second),
			Limit: 9}); !slices.Equal(ids, []string{"r02", "r04"}) {
			t.Errorf("of one platform in an hour: %v", ids)
		}
		if ids, _ := list(grants.RefusalFilter{Outcome: "out_of_scope", Limit: 9}); len(ids) > 0 {
			t.Errorf("of another reason: %v", ids)
		}
		if ids, _ := list(grants.RefusalFilter{Outcome: "rate_limited", Limit: 2}); !slices.Equal(ids,
			[]string{"r01", "r02"}) {
			t.Errorf("the newest first: %v", ids)
		}
	})
}

func TestTalliesCountByPlatformAndDay(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := open(t, grants.Schema)
		midnight := noon.Truncate(24 * time.Hour)
		put(t, db,
			grants.Request{Platform: "a", ID: "1", At: midnight.Add(-time.Microsecond), Outcome: grants.OutcomeOK},
			grants.Request{Platform: "a", ID: "2", At: midnight, Outcome: grants.OutcomeOK},
			grants.Request{Platform: "a", ID: "3", At: noon, Outcome: grants.OutcomeOK},
			grants.Request{Platform: "a", ID: "4", At: noon, Outcome: "out_of_scope"},
			grants.Request{Platform: "b", ID: "1", At: noon, Outcome: "rate_limited"},
			grants.Request{Platform: "b", ID: "2", At: noon.AddDate(0, 0, -9), Outcome: grants.OutcomeOK},
		)
		if err := db.Update(t.Context(), func(tx *store.Tx) error {
			for i, kind := range []string{"citation", "citation", "access"} {
				if err := grants.PutEvent(t.Context(), tx,
					grants.Event{Platform: "c", ID: fmt.Sprint(i), Kind: kind, At: noon}); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		var got []string
		if err := db.View(t.Context(), func(tx *store.Tx) error {
			all, err := grants.CountByDay(t.Context(), tx, midnight.AddDate(0, 0, -1))
			got = nil
			for _, t := range all {
				got = append(got,
					fmt.Sprintf("%s %s %d %v %d", t.Day.Format(time.DateOnly), t.Platform, t.Given, t.Refused, t.Cited))
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		want := []string{"2026-11-21 a 1 map[] 0", "2026-11-22 a 2 map[out_of_scope:1] 0",
			"2026-11-22 b 0 map[rate_limited:1] 0", "2026-11-22 c 0 map[] 2"}
		if !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	})
}
