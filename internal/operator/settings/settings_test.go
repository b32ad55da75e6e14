package settings

import (
	"context"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
)

var noon = time.Date(2027, 1, 31, 12, 0, 0, 0, time.UTC)

// book is one on a database of its own, with what it says of rows.
func book(t *testing.T, db *store.DB, check func(rows []Row, changed []string) error) *Book {
	t.Helper()
	return &Book{
		Store: New(db, func() time.Time { return noon }), Check: check,
		List: func() []Setting {
			return []Setting{{Key: "ask.limit", Layer: "file", Place: "site.yaml:3", Locked: true}}
		},
		Apply: func(context.Context) error { return nil },
	}
}

func TestChangesAreKeptAllOrNone(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(t *testing.T, schemas ...store.Schema) *store.DB) {
		db := open(t, Schema)
		var asked []string
		b := book(t, db, func(rows []Row, changed []string) error {
			asked = changed
			for _, r := range rows {
				if r.Values[0] == "wrong" {
					return Problems{r.Key: "it is wrong"}
				}
			}
			return nil
		})
		change := func(want string, changes ...Change) {
			t.Helper()
			err := b.Change(t.Context(), "key:k", changes...)
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%v: %v, want %q", changes, err, want)
			}
		}
		change("", Change{"console.about", []string{" Oil "}}, Change{"console.examples", []string{"a, b", "c"}})
		change("it is wrong", Change{"console.logo", []string{"x"}}, Change{"console.color", []string{"wrong"}})
		change("site.yaml:3 sets it", Change{"console.logo", []string{"x"}}, Change{"ask.limit", []string{"3"}})
		change("cannot be set here", Change{"console.logo", []string{"x"}}, Change{"listen", []string{":80"}})
		change("a text is empty", Change{"console.logo", []string{"x"}}, Change{"console.color", []string{" "}})
		change("control character", Change{"console.color", []string{"\xff"}})
		change("at most 50", Change{"console.examples", strings.Split(strings.Repeat("x ", 51), " ")[:51]})
		change("cannot be set here", Change{"sources[a", nil})
		change("", Change{"console.logo", nil}) // of which nothing is kept
		set, err := b.Read(t.Context())
		if err != nil || len(set.Rows) != 2 || set.Rows[0].Values[0] != "Oil" || set.Rows[1].Values[0] != "a, b" ||
			set.Rows[0].By != "key:k" || !set.Rows[0].Changed.Equal(noon) || set.Version != 1 {
			t.Errorf("%+v %v", set, err)
		}
		if len(asked) != 2 || asked[1] != "console.color" {
			t.Errorf("it was asked of %q", asked)
		}
		change("", Change{"console.about", nil})
		if set, _ = b.Read(t.Context()); len(set.Rows) != 1 || set.Version != 2 {
			t.Errorf("after a reset: %+v", set)
		}
	})
}

// TestSomebodyElsesChangeIsNotHeldWithOnesOwn has another setting be changed between the check and
// the writing.
func TestSomebodyElsesChangeIsNotHeldWithOnesOwn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(t *testing.T, schemas ...store.Schema) *store.DB) {
		db := open(t, Schema)
		other := book(t, db, func([]Row, []string) error { return nil })
		b := book(t, db, func([]Row, []string) error {
			return other.Change(t.Context(), "", Change{"console.about", []string{"meanwhile"}})
		})
		err := b.Change(t.Context(), "", Change{"console.title", []string{"mine"}})
		if err == nil || !strings.Contains(err.Error(), "console.about was changed meanwhile") {
			t.Errorf("%v", err)
		}
		if set, _ := b.Read(t.Context()); len(set.Rows) != 1 {
			t.Errorf("%+v", set)
		}
	})
}

func TestMarksAreKept(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(t *testing.T, schemas ...store.Schema) *store.DB) {
		db := open(t, Schema)
		b := book(t, db, nil)
		for _, on := range []bool{true, true, false, true} {
			if err := b.Mark(t.Context(), StepsHidden, "key:k", on); err != nil {
				t.Fatal(err)
			}
			if made, err := b.Marked(t.Context(), StepsHidden); err != nil || made.Equal(noon) != on {
				t.Errorf("%v: %v %v", on, made, err)
			}
		}
	})
}

// TestWhatIsKeptIsReadOfADatabaseAsItIs has backups and `config print` find the tables, which are
// known by how their names begin.
func TestWhatIsKeptIsReadOfADatabaseAsItIs(t *testing.T) {
	t.Parallel()
	dsn := storetest.NewSQLite(t, Schema)
	b := book(t, storetest.Open(t, dsn, Schema), func([]Row, []string) error { return nil })
	if err := b.Change(t.Context(), "", Change{"console.about", []string{"Oil"}}); err != nil {
		t.Fatal(err)
	}
	rows, err := Peek(t.Context(), store.Config{DSN: dsn, Schemas: []store.Schema{Schema}})
	if err != nil || len(rows) != 1 || rows[0].Values[0] != "Oil" {
		t.Errorf("%+v %v", rows, err)
	}
}
