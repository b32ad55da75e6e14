package traffic

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"frontdesk/internal/store"
	"frontdesk/internal/store/storetest"
)

var noon = time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC)

func add1(t testing.TB, db *store.DB, digest string, all ...Sighting) {
	t.Helper()
	if err := db.UpdateInTurn(t.Context(), Turn, func(tx *store.Tx) error { return Add(t.Context(), tx, digest, noon, all) }); err != nil {
		t.Fatal(err)
	}
}

func TestSightingsAreCountedByHourAndByPath(t *testing.T) {
	storetest.Each(t, func(t *testing.T, open func(t *testing.T, schemas ...store.Schema) *store.DB) {
		db := open(t, Schema)
		add1(t, db, "one", Sighting{"news", noon, "GPTBot", "/a/", "refused", 2}, Sighting{"news", noon.Add(time.Hour), "GPTBot", "/a/", "refused", 3}, Sighting{"news", noon, "GPTBot", "/b", "licensed", 1})
		add1(t, db, "two", Sighting{"news", noon.Add(30 * time.Minute), "GPTBot", "/a/", "refused", 5}, Sighting{"news", noon, "CCBot", "", "refused", 7}, Sighting{"shop", noon, "CCBot", "/a/", "refused", 11})
		r := NewReader(db)
		w := Wanted{Site: "news", Since: noon.Add(10 * time.Minute), Until: noon.Add(24 * time.Hour)}
		for name, c := range map[string]struct {
			w    Wanted
			step time.Duration
			want []Hour
		}{
			"by the hour":   {w, time.Hour, []Hour{{noon, "CCBot", "refused", 7}, {noon, "GPTBot", "licensed", 1}, {noon, "GPTBot", "refused", 7}, {noon.Add(time.Hour), "GPTBot", "refused", 3}}},
			"by six hours":  {w, 6 * time.Hour, []Hour{{noon, "CCBot", "refused", 7}, {noon, "GPTBot", "licensed", 1}, {noon, "GPTBot", "refused", 10}}},
			"of an agent":   {Wanted{Site: "news", Agent: "CCBot", Since: w.Since, Until: w.Until}, time.Hour, []Hour{{noon, "CCBot", "refused", 7}}},
			"of an outcome": {Wanted{Site: "news", Outcome: "licensed", Since: w.Since, Until: w.Until}, time.Hour, []Hour{{noon, "GPTBot", "licensed", 1}}},
			"of an hour":    {Wanted{Site: "news", Since: noon.Add(time.Hour), Until: noon.Add(2 * time.Hour)}, time.Hour, []Hour{{noon.Add(time.Hour), "GPTBot", "refused", 3}}},
			"of no site":    {Wanted{Site: "none", Since: w.Since, Until: w.Until}, time.Hour, nil},
		} {
			if got, err := r.Hours(t.Context(), c.w, c.step); err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%s: %v, %v, want %v", name, got, err, c.want)
			}
		}
		got, err := r.Paths(t.Context(), w, 3)
		if want := []Path{{"/a/", "GPTBot", "refused", 10}, {"", "CCBot", "refused", 7}, {"/b", "GPTBot", "licensed", 1}}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%v, %v, want %v", got, err, want)
		}
		if got, err := r.Paths(t.Context(), Wanted{Site: "news", Since: noon.Add(-48 * time.Hour), Until: noon.Truncate(24 * time.Hour)}, 3); err != nil || got != nil {
			t.Errorf("of the days before: %v, %v", got, err)
		}
		for digest, want := range map[string]bool{"one": true, "two": true, "three": false} {
			if err := db.View(t.Context(), func(tx *store.Tx) error {
				if taken, err := Taken(t.Context(), tx, digest); taken != want {
					t.Errorf("%s is taken: %v", digest, taken)
					return err
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Update(t.Context(), func(tx *store.Tx) error { return Add(t.Context(), tx, "one", noon, nil) }); err == nil {
			t.Error("a batch was noted twice")
		}
	})
}

func TestPathsBeyondABoundAreNotToldApart(t *testing.T) {
	db := storetest.Open(t, storetest.NewSQLite(t), Schema)
	var all []Sighting
	for n := range MaxPaths + 10 {
		all = append(all, Sighting{"news", noon, "GPTBot", fmt.Sprintf("/%d", n), "refused", 1})
	}
	add1(t, db, "one", all...)
	add1(t, db, "two", Sighting{"news", noon, "GPTBot", "/0", "refused", 100}, Sighting{"news", noon, "GPTBot", "/new", "refused", 1}, Sighting{"shop", noon, "GPTBot", "/new", "refused", 1})
	got, err := NewReader(db).Paths(t.Context(), Wanted{Site: "news", Since: noon, Until: noon.Add(time.Hour)}, MaxPaths*2)
	if err != nil || len(got) != MaxPaths+1 || got[0] != (Path{"/0", "GPTBot", "refused", 101}) || got[1] != (Path{"", "GPTBot", "refused", 11}) {
		t.Errorf("%d rows, %v, %v", len(got), got[:min(len(got), 3)], err)
	}
	shop, err := NewReader(db).Paths(t.Context(), Wanted{Site: "shop", Since: noon, Until: noon.Add(time.Hour)}, 5)
	if err != nil || len(shop) != 1 || shop[0].Path != "/new" {
		t.Errorf("%v, %v", shop, err)
	}
}

func TestWhatWasCountedIsForgottenStepByStep(t *testing.T) {
	storetest.Each(t, func(t *testing.T, open func(t *testing.T, schemas ...store.Schema) *store.DB) {
		db := open(t, Schema)
		for n := range 5 {
			at := noon.Add(time.Duration(n) * 24 * time.Hour)
			if err := db.Update(t.Context(), func(tx *store.Tx) error {
				return Add(t.Context(), tx, fmt.Sprint(n), at, []Sighting{{"news", at, "GPTBot", "/a", "refused", 1}})
			}); err != nil {
				t.Fatal(err)
			}
		}
		for _, want := range []int{2, 2, 0} {
			var n int
			err := db.Update(t.Context(), func(tx *store.Tx) (err error) {
				n, err = Forget(t.Context(), tx, noon.Add(3*24*time.Hour), 2)
				return err
			})
			if err != nil || n != want {
				t.Fatalf("%d forgotten, want %d: %v", n, want, err)
			}
		}
		all := Wanted{Site: "news", Since: noon.Add(-time.Hour), Until: noon.Add(100 * 24 * time.Hour)}
		hours, err := NewReader(db).Hours(t.Context(), all, 24*time.Hour)
		if err != nil || len(hours) != 2 {
			t.Errorf("%v, %v", hours, err)
		}
	})
}
