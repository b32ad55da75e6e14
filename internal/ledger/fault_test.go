package ledger_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/wire/receipt"
)

// steps are the places at which the ledger writes. What ends in " done" was written.
var steps = map[string][]string{
	store.SQLite: {"append", "append done", "tile", "tile done", "head", "head done"},
	store.PostgreSQL: {"append", "append done", "take", "take done", "place", "place done", "tile", "tile done", "head",
		"head done", "commit done"},
}

// TestAFailedWriteLosesAndDoublesNothing lets each step of writing fail, once before it has written
// and once after: then either the caller heard of it and nothing is there, or the entry is there
// once and gets its receipt.
func TestAFailedWriteLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, fresh func(*testing.T, ...store.Schema) *store.DB) {
		db := fresh(t, ledger.Schema)
		for _, step := range steps[db.Engine()] {
			for _, times := range []int64{1, 3} {
				if testing.Short() && times > 1 {
					continue
				}
				t.Run(fmt.Sprintf("%s %d", step, times), func(t *testing.T) {
					db := fresh(t, ledger.Schema)
					l := ledger.New(db, options("one"))
					var left atomic.Int64
					l.SetFault(func(at string) error {
						if at == step && left.Add(-1) >= 0 {
							return fmt.Errorf("the fault at %s", step)
						}
						return nil
					})
					run(t, l)
					acknowledged := add(t, db, l, 0, 300)
					settled(t, l, 300)
					left.Store(times)
					for i := range 6 {
						id, err := appendOne(t, db, l, 300+i)
						if err == nil {
							acknowledged = append(acknowledged, id)
						}
					}
					left.Store(0)
					acknowledged = append(acknowledged, add(t, db, l, 400, 1)...)
					settled(t, l, int64(len(acknowledged)))
					sound(t, l)
					there := map[string]int{}
					for r, err := range l.Read(t.Context(), ledger.Filter{}) {
						if err != nil {
							t.Fatal(err)
						}
						there[r.Entry.ID]++
					}
					for _, id := range acknowledged {
						r, err := l.Receipt(t.Context(), id)
						if err != nil || there[id] != 1 {
							t.Fatalf("an acknowledged entry is there %d times: %v", there[id], err)
						}
						if _, err := receipt.Verify(r, public("one")); err != nil {
							t.Fatal(err)
						}
					}
					if len(there) != len(acknowledged) {
						t.Errorf("%d entries are there, and %d were acknowledged", len(there), len(acknowledged))
					}
				})
			}
		}
	})
}

func appendOne(t *testing.T, db *store.DB, l *ledger.Ledger, n int) (id string, err error) {
	err = db.Update(t.Context(), func(tx *store.Tx) (err error) {
		id, err = l.Append(t.Context(), tx, entry(n))
		return err
	})
	return id, err
}

// TestOfManySequencersOneHistoryComes lets several nodes append and sequence on one database. (On
// SQLite they are processes that share the file.)
func TestOfManySequencersOneHistoryComes(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		dsn := fresh(t)
		var nodes []*ledger.Ledger
		var dbs []*store.DB
		for range 3 {
			db := storetest.Open(t, dsn, ledger.Schema)
			dbs = append(dbs, db)
			nodes = append(nodes, open(t, db, options("one")))
		}
		const each = 120
		var all sync.WaitGroup
		var mu sync.Mutex
		ids := map[string]bool{}
		for worker := range 6 {
			all.Go(func() {
				for i := range each {
					id, err := appendOne(t, dbs[worker%3], nodes[worker%3], worker*each+i)
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					ids[id] = true
					mu.Unlock()
				}
			})
		}
		// Somebody follows, and sees one history that only grows.
		older, err := nodes[1].Checkpoint(t.Context())
		for i := 0; i < 50 || err != nil; i++ {
			older, err = nodes[i%3].Checkpoint(t.Context())
		}
		a, err := receipt.OpenCheckpoint(older, public("one"))
		if err != nil {
			t.Fatal(err)
		}
		all.Wait()
		settled(t, nodes[2], 6*each)
		newer, err := nodes[0].Checkpoint(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		b, err := receipt.OpenCheckpoint(newer, public("one"))
		if err != nil {
			t.Fatal(err)
		}
		proof, err := nodes[1].Consistency(t.Context(), a.Size, b.Size)
		if err != nil {
			t.Fatal(err)
		}
		if err := receipt.VerifyGrowth(a, b, proof); err != nil {
			t.Error(err)
		}
		if len(ids) != 6*each || b.Size != 6*each {
			t.Errorf("%d ids and %d places of %d entries", len(ids), b.Size, 6*each)
		}
		sound(t, nodes[0])
		for id := range ids {
			if _, err := nodes[1].Receipt(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestAnyFlippedBitInTheStoreIsFoundAndNamed flips bits in entries, tiles and the checkpoint, one
// at a time.
func TestAnyFlippedBitInTheStoreIsFoundAndNamed(t *testing.T) {
	t.Parallel()
	db := storetest.OpenSQLite(t, ledger.Schema)
	l := open(t, db, options("one"))
	const n = 2*256 + 77
	add(t, db, l, 0, n)
	sound(t, l)
	source := rand.New(rand.NewPCG(1, 2))
	flip := func(read, write string, key ...any) {
		t.Helper()
		var was []byte
		err := db.Update(t.Context(), func(tx *store.Tx) error {
			if err := tx.QueryRow(t.Context(), read, key...).Scan(&was); err != nil {
				return err
			}
			bent := bytes.Clone(was)
			bent[source.IntN(len(bent))] ^= 1 << source.IntN(8)
			_, err := tx.Exec(t.Context(), write, append([]any{bent}, key...)...)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		report, err := l.Check(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		where := ""
		switch {
		case strings.Contains(read, "ledger_entry"):
			where = fmt.Sprintf("entry %d", key[0].(int)-1)
		case strings.Contains(read, "ledger_tile"):
			where = fmt.Sprintf("tile/%d/%03d", key[0], key[1].(int)/16)
		default:
			where = "checkpoint"
		}
		if len(report.Findings) == 0 {
			t.Errorf("%s was changed, and nothing is found", where)
		}
		for _, f := range report.Findings {
			if f.Where != where && !strings.HasPrefix(f.Where, where+".p/") {
				t.Errorf("%s was changed, and found is %v", where, f)
			}
		}
		err = db.Update(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Exec(t.Context(), write, append([]any{was}, key...)...)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	rounds := 60
	if testing.Short() {
		rounds = 6
	}
	for range rounds {
		flip(`SELECT leaf FROM ledger_entry WHERE place = $1`, `UPDATE ledger_entry SET leaf = $1 WHERE place = $2`, 1+source.IntN(n))
		flip(`SELECT checkpoint FROM ledger_head WHERE size = $1`, `UPDATE ledger_head SET checkpoint = $1 WHERE size = $2`, n)
		for level, rows := range []int{(n + 15) / 16, 1} {
			flip(`SELECT hashes FROM ledger_tile WHERE level = $1 AND n = $2`, `UPDATE ledger_tile SET hashes = $1 WHERE level = $2 AND n = $3`, level, source.IntN(rows))
		}
	}
	sound(t, l)
}

func TestWhatIsMissingIsNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ change, where string }{
		"an entry":         {`DELETE FROM ledger_entry WHERE place = 18`, "entry 17"},
		"the last entry":   {`DELETE FROM ledger_entry WHERE place = 300`, "entry 299"},
		"a tile":           {`DELETE FROM ledger_tile WHERE level = 0 AND n < 16`, "tile/0/000"},
		"a row of a tile":  {`DELETE FROM ledger_tile WHERE level = 0 AND n = 3`, "tile/0/000"},
		"its last row":     {`DELETE FROM ledger_tile WHERE level = 0 AND n = 15`, "tile/0/000"},
		"the last tile":    {`DELETE FROM ledger_tile WHERE level = 0 AND n >= 16`, "tile/0/001"},
		"the top tile":     {`DELETE FROM ledger_tile WHERE level = 1`, "tile/1/000"},
		"half a row":       {`UPDATE ledger_tile SET hashes = SUBSTR(hashes, 1, 64) WHERE level = 0 AND n = 0`, "tile/0/000"},
		"a way to an id":   {`UPDATE ledger_entry SET tag = 7 WHERE place = 18`, "entry 17"},
		"a row too many":   {`INSERT INTO ledger_tile SELECT 0, 19, hashes FROM ledger_tile WHERE level = 1`, "tile/0/001"},
		"one too many":     {`INSERT INTO ledger_tile SELECT 0, 7*16, hashes FROM ledger_tile WHERE level = 1`, "tile/0/007"},
		"an id of its own": {`INSERT INTO ledger_entry (tag, leaf) SELECT tag, leaf FROM ledger_entry WHERE place = 5`, "id "},
		"the head":         {`DELETE FROM ledger_head`, "checkpoint"},
		"but one head":     {`INSERT INTO ledger_head (origin, size, checkpoint, signed) SELECT 'zz/ledger', size, checkpoint, signed FROM ledger_head`, "checkpoint"},
	} {
		t.Run(name, func(t *testing.T) {
			db := storetest.OpenSQLite(t, ledger.Schema)
			l := ledger.New(db, options("one"))
			add(t, db, l, 0, 300)
			sound(t, l)
			err := db.Update(t.Context(), func(tx *store.Tx) error {
				_, err := tx.Exec(t.Context(), c.change)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			report, err := l.Check(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, f := range report.Findings {
				found = found || strings.HasPrefix(f.Where, c.where)
			}
			if !found {
				t.Errorf("found is %v", report.Findings)
			}
			if err := l.Inspect(t.Context()); (err == nil) == (name == "the head" || name == "the last entry") {
				t.Errorf("at the next start: %v", err)
			}
		})
	}
}

// TestWhatIsDamagedProvesNothing asks for receipts over a tile that was changed.
func TestWhatIsDamagedProvesNothing(t *testing.T) {
	t.Parallel()
	db := storetest.OpenSQLite(t, ledger.Schema)
	l := ledger.New(db, options("one"))
	ids := add(t, db, l, 0, 300)
	err := db.Update(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec(t.Context(), `UPDATE ledger_tile SET hashes = ZEROBLOB(32) WHERE level = 1`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := l.Receipt(t.Context(), ids[299]); fail.From(err).Code != fail.Internal {
		t.Errorf("a receipt is given: %v, %v", r, err)
	}
	if _, err := l.Consistency(t.Context(), 299, 300); err == nil {
		t.Error("a proof of growth is given")
	}
}

// TestAnEntryWaitsForWhoCanSign appends where there is no key, as commands do, and lets a server
// give the place.
func TestAnEntryWaitsForWhoCanSign(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		dsn := fresh(t)
		db := storetest.Open(t, dsn, ledger.Schema)
		runs, unsigned := 0, ledger.New(db, ledger.Options{Origin: origin})
		ids := add(t, db, unsigned, 0, 2)
		err := db.Update(t.Context(), func(tx *store.Tx) error {
			runs++
			id, err := unsigned.Append(t.Context(), tx, entry(2))
			ids = append(ids, id)
			return err
		})
		if err != nil || runs != 1 {
			t.Errorf("a transaction ran %d times: %v", runs, err)
		}
		reader := ledger.New(db, ledger.Options{})
		r, err := reader.Receipt(t.Context(), ids[1])
		if told := fail.From(err); told.Code != fail.Unavailable || told.RetryAfter <= 0 || r.Entry.ID != ids[1] {
			t.Errorf("%v, %+v", err, r)
		}
		l := open(t, storetest.Open(t, dsn, ledger.Schema), options("one"))
		settled(t, l, 3)
		sound(t, l)
		if _, err := reader.Receipt(t.Context(), ids[1]); err != nil {
			t.Error(err)
		}
	})
}

func TestARaceForTheHeadIsLostByWhoBuiltOnTheOldOne(t *testing.T) {
	t.Parallel()
	db := storetest.OpenSQLite(t, ledger.Schema)
	l := ledger.New(db, options("one"))
	add(t, db, l, 0, 3)
	raced := errors.New("raced")
	beaten := ledger.New(db, options("one"))
	beaten.SetFault(func(step string) error {
		if step == "head" {
			return raced
		}
		return nil
	})
	add(t, db, beaten, 3, 2) // it signs nothing
	h, err := l.Head(t.Context())
	if err != nil || h.Size != 3 || h.Waiting != 2 {
		t.Fatalf("%+v, %v", h, err)
	}
	add(t, db, l, 5, 1)
	if h, err = l.Head(t.Context()); err != nil || h.Size != 6 || h.Waiting != 0 {
		t.Fatalf("%+v, %v", h, err)
	}
	sound(t, l)
}
