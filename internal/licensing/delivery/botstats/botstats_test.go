package botstats

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
)

var noon = time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC)

func add1(t testing.TB, db *store.DB, digest string, all ...Sighting) {
	t.Helper()
	if err := db.UpdateSerial(t.Context(), Turn,
		func(tx *store.Tx) error { return Add(t.Context(), tx, digest, noon, all) }); err != nil {
		t.Fatal(err)
	}
}

func TestSightingsAreCountedByDayAndByPath(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(t *testing.T, schemas ...store.Schema) *store.DB) {
		db := open(t, Schema)
		add1(t, db, "one", Sighting{"news", noon, "GPTBot", "/a/", "refused", 2},
			Sighting{"news", noon.Add(time.Hour), "GPTBot", "/a/", "refused", 3},
			Sighting{"news", noon, "GPTBot", "/b", "licensed", 1},
			Sighting{"news", noon.Add(12 * time.Hour), "GPTBot", "/a/", "refused", 4})
		add1(t, db, "two", Sighting{"news", noon.Add(30 * time.Minute), "GPTBot", "/a/", "refused", 5},
			Sighting{"news", noon, "CCBot", "", "refused", 7}, Sighting{"shop", noon, "CCBot", "/a/", "refused", 11})
		r := NewReader(db)
		day := noon.Truncate(24 * time.Hour)
		w := Filter{Site: "news", Since: noon.Add(10 * time.Minute), Until: noon.Add(12 * time.Hour)}
		for name, c := range map[string]struct {
			w    Filter
			want []Day
		}{
			"by the day": {w, []Day{{day, "CCBot", "refused", 7}, {day, "GPTBot", "licensed", 1},
				{day, "GPTBot", "refused", 10}}},
			"of two days": {Filter{Site: "news", Since: w.Since, Until: noon.Add(13 * time.Hour)},
				[]Day{{day, "CCBot", "refused", 7}, {day, "GPTBot", "licensed", 1}, {day, "GPTBot", "refused", 10},
					{day.AddDate(0, 0, 1), "GPTBot", "refused", 4}}},
			"of an agent": {Filter{Site: "news", Agent: "CCBot", Since: w.Since, Until: w.Until},
				[]Day{{day, "CCBot", "refused", 7}}},
			"of an outcome": {Filter{Site: "news", Outcome: "licensed", Since: w.Since, Until: w.Until},
				[]Day{{day, "GPTBot", "licensed", 1}}},
			"of no site": {Filter{Site: "none", Since: w.Since, Until: w.Until}, nil},
		} {
			if got, err := r.Days(t.Context(), c.w); err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%s: %v, %v, want %v", name, got, err, c.want)
			}
		}
		got, err := r.Paths(t.Context(), w, 3)
		if want := []Path{{"/a/", "GPTBot", "refused", 10}, {"", "CCBot", "refused", 7},
			{"/b", "GPTBot", "licensed", 1}}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%v, %v, want %v", got, err, want)
		}
		if got, err := r.Paths(t.Context(), Filter{Site: "news", Since: noon.Add(-48 * time.Hour),
			Until: noon.Truncate(24 * time.Hour)}, 3); err != nil || got != nil {
			t.Errorf("of the days before: %v, %v", got, err)
		}
		for digest, want := range map[string]bool{"one": true, "two": true, "three": false} {
			if err := db.View(t.Context(), func(tx *store.Tx) error {
				if taken, err := BatchCounted(t.Context(), tx, digest); taken != want {
					t.Errorf("%s is taken: %v", digest, taken)
					return err
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Update(t.Context(),
			func(tx *store.Tx) error { return Add(t.Context(), tx, "one", noon, nil) }); err == nil {
			t.Error("a batch was noted twice")
		}
	})
}

func TestPathsBeyondABoundAreNotToldApart(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.NewSQLite(t), Schema)
	var all []Sighting
	for n := range MaxPaths + 10 {
		all = append(all, Sighting{"news", noon, "GPTBot", fmt.Sprintf("/%d", n), "refused", 1})
	}
	add1(t, db, "one", all...)
	add1(t, db, "two", Sighting{"news", noon, "GPTBot", "/0", "refused", 100},
		Sighting{"news", noon, "GPTBot", "/new", "refused", 1}, Sighting{"shop", noon, "GPTBot", "/new", "refused", 1})
	got, err := NewReader(db).Paths(t.Context(), Filter{Site: "news", Since: noon, Until: noon.Add(time.Hour)},
		MaxPaths*2)
	if err != nil || len(got) != MaxPaths+1 || got[0] != (Path{"/0", "GPTBot", "refused", 101}) ||
		got[1] != (Path{"", "GPTBot", "refused", 11}) {
		t.Errorf("%d rows, %v, %v", len(got), got[:min(len(got), 3)], err)
	}
	shop, err := NewReader(db).Paths(t.Context(), Filter{Site: "shop", Since: noon, Until: noon.Add(time.Hour)}, 5)
	if err != nil || len(shop) != 1 || shop[0].Path != "/new" {
		t.Errorf("%v, %v", shop, err)
	}
}

func TestWhatWasCountedIsForgottenStepByStep(t *testing.T) {
	t.Parallel()
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
		for _, want := range []int{2, 1, 0} {
			var n int
			err := db.Update(t.Context(), func(tx *store.Tx) (err error) {
				n, err = Forget(t.Context(), tx, noon.Add(3*24*time.Hour), 2)
				return err
			})
			if err != nil || n != want {
				t.Fatalf("%d forgotten, want %d: %v", n, want, err)
			}
		}
		all := Filter{Site: "news", Since: noon.Add(-time.Hour), Until: noon.Add(100 * 24 * time.Hour)}
		days, err := NewReader(db).Days(t.Context(), all)
		if err != nil || len(days) != 2 {
			t.Errorf("%v, %v", days, err)
		}
	})
}

// TestWhatWasCountedByTheHourIsCountedByTheDay takes over what an older program counted.
func TestWhatWasCountedByTheHourIsCountedByTheDay(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		dsn := fresh(t)
		older := Schema
		older.Steps = older.Steps[:1]
		db := storetest.Open(t, dsn, older)
		if err := db.Update(t.Context(), func(tx *store.Tx) error {
			for n := range 30 {
				_, err := tx.Exec(t.Context(), `INSERT INTO traffic_hour (site, hour, agent, outcome, count) VALUES ($1, $2, $3, $4, $5)`,
					"news", store.Micros(noon.Add(time.Duration(n)*time.Hour)), "GPTBot", "refused", n)
				if err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := NewReader(storetest.Open(t, dsn, Schema)).Days(t.Context(),
			Filter{Site: "news", Since: noon, Until: noon.AddDate(0, 0, 9)})
		day := noon.Truncate(24 * time.Hour)
		if want := []Day{{day, "GPTBot", "refused", 66}, {day.AddDate(0, 0, 1), "GPTBot", "refused", 369}}; err !=
			nil || !slices.Equal(got, want) {
			t.Errorf("%v, %v, want %v", got, err, want)
		}
	})
}
