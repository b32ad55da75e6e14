package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
)

// things is a room with a column of each kind.
var things = store.Schema{ID: "things", Steps: []string{
	`CREATE TABLE things_one (n {{key}}, name TEXT NOT NULL, body {{bytes}} NOT NULL, size BIGINT, note TEXT);
	CREATE INDEX things_one_name ON things_one (name)`,
	`CREATE TABLE things_two (id {{text}} PRIMARY KEY)`,
	`CREATE TABLE things_work (name {{text}} PRIMARY KEY, done BIGINT NOT NULL); INSERT INTO things_work (name, done) VALUES ('sweep', 0)`,
}}

// dumped is a database in memory.
type dumped struct {
	layout store.Layout
	rows   [][][]any // of each table
}

func dump(t testing.TB, dsn string) dumped {
	t.Helper()
	d, err := tryDump(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func tryDump(ctx context.Context, dsn string) (d dumped, err error) {
	err = store.Dump(ctx, store.Config{DSN: dsn}, func(layout store.Layout) error {
		d = dumped{layout, make([][][]any, len(layout.Tables))}
		return nil
	}, func(table int, values []any) error {
		row := slices.Clone(values)
		for i, value := range row {
			if b, is := value.([]byte); is {
				row[i] = slices.Clone(b)
			}
		}
		d.rows[table] = append(d.rows[table], row)
		return nil
	})
	return d, err
}

// read hands the rows over in batches of two.
func (d dumped) read(put func(int, [][]any) error) error {
	for table, rows := range d.rows {
		for part := range slices.Chunk(rows, 2) {
			if err := put(table, part); err != nil {
				return err
			}
		}
	}
	return nil
}

// tables gives the rows of each table in an order that does not depend on the engine.
func (d dumped) tables() map[string][]string {
	all := map[string][]string{}
	for i, table := range d.layout.Tables {
		for _, row := range d.rows[i] {
			all[table.Name] = append(all[table.Name], fmt.Sprintf("%#v", row))
		}
		slices.Sort(all[table.Name])
	}
	return all
}

func fillThings(t testing.TB, dsn string, schema store.Schema) {
	t.Helper()
	db := storetest.Open(t, dsn, schema)
	defer db.Close()
	long := strings.Repeat("Ärger – 長い文章 ", 3000)
	err := db.Update(t.Context(), func(tx *store.Tx) error {
		for i, row := range [][]any{
			{"plain", []byte("bytes"), int64(7), "note"}, {"", []byte{}, int64(0), nil},
			{"null", []byte{0, 255, '\n'}, nil, ""},
			{"long", []byte(long), int64(-1) << 62, long}, {"'\"\\%", []byte("n"), int64(1)<<62 + 1, "\u2028\t"},
		} {
			if _, err := tx.Exec(t.Context(), `INSERT INTO things_one (n, name, body, size, note) VALUES ($1, $2, $3, $4, $5)`, append([]any{int64(i * 1000)}, row...)...); err != nil {
				return err
			}
		}
		if len(schema.Steps) > 1 {
			_, err := tx.Exec(t.Context(), `INSERT INTO things_two (id) VALUES ($1)`, "é")
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestWhatIsDumpedIsLoaded goes from each engine to each.
func TestWhatIsDumpedIsLoaded(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, from storetest.Fresh) {
		source := from(t)
		fillThings(t, source, things)
		want := dump(t, source)
		if len(want.layout.Tables) != 3 || len(want.rows[0]) != 5 {
			t.Fatalf("the dump holds %+v", want.layout)
		}
		storetest.EachDSN(t, func(t *testing.T, to storetest.Fresh) {
			target := to(t)
			config := store.Config{DSN: target, Schemas: []store.Schema{things}}
			if err := store.Load(t.Context(), config, want.layout, store.LoadOptions{Mark: "first"}, want.read); err !=
				nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.tables(), dump(t, target).tables()); diff != "" {
				t.Error(diff)
			}
			db := storetest.Open(t, target, things)
			if mark, err := db.LoadMark(t.Context()); err != nil || mark != "first" {
				t.Errorf("the mark is %q, %v", mark, err)
			}
			// What was loaded can be worked with: keys and indexes are there.
			err := db.Update(t.Context(), func(tx *store.Tx) error {
				_, err := tx.Exec(t.Context(), `INSERT INTO things_one (n, name, body) VALUES (1000, 'twice', '')`)
				return err
			})
			if err == nil {
				t.Error("a key is there twice")
			}
		})
	})
}

func TestALoadBrokenOffLeavesEverythingAsItWas(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		source, target := fresh(t), fresh(t)
		fillThings(t, source, things)
		fillThings(t, target, upTo(things, 1))
		before, other := dump(t, target), dump(t, source)
		config := store.Config{DSN: target, Schemas: []store.Schema{things}}
		broken := errors.New("the file ends here")
		load := func(ctx context.Context, replace bool, read func(func(int, [][]any) error) error) error {
			return store.Load(ctx, config, other.layout, store.LoadOptions{Replace: replace, Mark: "new"}, read)
		}
		same := func(what string) {
			t.Helper()
			if diff := cmp.Diff(before, dump(t, target), cmp.AllowUnexported(dumped{})); diff != "" {
				t.Errorf("%s: %s", what, diff)
			}
		}
		if err := load(t.Context(), false, other.read); !errors.Is(err, store.ErrNotEmpty) {
			t.Errorf("without leave to replace: %v", err)
		}
		same("refused")
		err := load(t.Context(), true, func(put func(int, [][]any) error) error {
			return errors.Join(put(0, other.rows[0]), broken)
		})
		if !errors.Is(err, broken) {
			t.Errorf("broken off: %v", err)
		}
		same("broken off")
		ctx, cancel := context.WithCancel(t.Context())
		err = load(ctx, true, func(put func(int, [][]any) error) error {
			cancel()
			return put(0, other.rows[0])
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("told to stop: %v", err)
		}
		same("told to stop")
		if err := load(t.Context(), true, other.read); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(other.tables(), dump(t, target).tables()); diff != "" {
			t.Errorf("replaced: %s", diff)
		}
	})
}

func TestAnOlderDumpIsBroughtForwardAndANewerOneRefused(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		source := fresh(t)
		fillThings(t, source, upTo(things, 1))
		old := dump(t, source)
		target := fresh(t)
		if err := store.Load(t.Context(), store.Config{DSN: target, Schemas: []store.Schema{things}}, old.layout,
			store.LoadOptions{}, old.read); err != nil {
			t.Fatal(err)
		}
		if now := dump(t, target); len(now.layout.Tables) != 3 || now.layout.Schemas[0].Version != 3 ||
			len(now.rows[0]) != 5 {
			t.Errorf("it was brought to %+v", now.layout)
		}
		err := store.Load(t.Context(), store.Config{DSN: fresh(t), Schemas: []store.Schema{upTo(things, 1)}},
			dump(t, target).layout, store.LoadOptions{}, old.read)
		if err == nil || !strings.Contains(err.Error(), "newer frontdesk") {
			t.Errorf("a newer one: %v", err)
		}
		for _, name := range []string{`things_one"; DROP TABLE x`, "others_table", "frontdesk_schema"} {
			layout := old.layout
			layout.Tables = []store.Table{{Name: name, Columns: []string{"n"}}}
			if err := store.Load(t.Context(), store.Config{DSN: fresh(t), Schemas: []store.Schema{things}}, layout,
				store.LoadOptions{}, old.read); err == nil {
				t.Errorf("a table %q was taken", name)
			}
		}
	})
}

// TestADumpIsOfOneMoment dumps again and again while a writer moves a sum between two rows of two
// tables.
func TestADumpIsOfOneMoment(t *testing.T) {
	t.Parallel()
	sums := store.Schema{ID: "sums", Steps: []string{`CREATE TABLE sums_a (n BIGINT NOT NULL); CREATE TABLE sums_b (n BIGINT NOT NULL);
		INSERT INTO sums_a (n) VALUES (1000); INSERT INTO sums_b (n) VALUES (0)`}}
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		dsn := fresh(t)
		db := storetest.Open(t, dsn, sums)
		ctx, stop := context.WithCancel(t.Context())
		var writing sync.WaitGroup
		moved := make(chan struct{}, 1)
		writing.Go(func() {
			for ctx.Err() == nil {
				err := db.Update(context.Background(), func(tx *store.Tx) error {
					_, err := tx.Exec(context.Background(), `UPDATE sums_a SET n = n - 1`)
					if err == nil {
						_, err = tx.Exec(context.Background(), `UPDATE sums_b SET n = n + 1`)
					}
					return err
				})
				if err != nil {
					t.Error(err)
					return
				}
				select {
				case moved <- struct{}{}:
				default:
				}
			}
		})
		values := map[int64]bool{}
		for range 20 {
			<-moved
			d := dump(t, dsn)
			a, b := d.rows[0][0][0].(int64), d.rows[1][0][0].(int64)
			if a+b != 1000 {
				t.Errorf("the dump holds %d and %d", a, b)
			}
			values[a] = true
		}
		stop()
		writing.Wait()
		if len(values) < 2 {
			t.Error("nothing was written meanwhile")
		}
	})
}

func TestADumpOfNothingSaysSo(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		dsn := fresh(t)
		for range 2 { // and the first makes nothing
			if _, err := tryDump(t.Context(), dsn); !errors.Is(err, store.ErrEmpty) {
				t.Errorf("got %v", err)
			}
		}
	})
}
