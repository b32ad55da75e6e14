package ledger_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
	"frontdesk/internal/testkit/clock"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/wire/receipt"
)

// folder is what is kept outside the database.
type folder struct {
	mu   sync.Mutex
	text string
}

func (f *folder) keep(text string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.text = text
	return nil
}

func (f *folder) recall() (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.text, nil
}

// kept are the options of a ledger whose checkpoints are kept in a folder.
func (f *folder) kept(o ledger.Options) ledger.Options {
	o.SaveCheckpoint, o.LoadCheckpoint = f.keep, f.recall
	return o
}

// copied is all that a database holds.
type copied struct {
	layout store.Layout
	rows   [][][]any // of each table
}

func configOf(dsn string) store.Config {
	return store.Config{DSN: dsn, Schemas: []store.Schema{ledger.Schema}}
}

func copyOf(t testing.TB, dsn string) (c copied) {
	t.Helper()
	begin := func(layout store.Layout) error {
		c = copied{layout, make([][][]any, len(layout.Tables))}
		return nil
	}
	err := store.Dump(t.Context(), configOf(dsn), begin, func(table int, values []any) error {
		row := slices.Clone(values)
		for i, v := range row {
			if b, ok := v.([]byte); ok {
				row[i] = slices.Clone(b)
			}
		}
		c.rows[table] = append(c.rows[table], row)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// put puts a copy in the place of what a database holds: with a mark as `frontdesk restore` does,
// without one as if its files had been exchanged.
func (c copied) put(t testing.TB, dsn, mark string) {
	t.Helper()
	err := store.Load(t.Context(), configOf(dsn), c.layout, store.LoadOptions{Replace: true, Mark: mark},
		func(put func(int, [][]any) error) error {
			for i, rows := range c.rows {
				if err := put(i, rows); err != nil {
					return err
				}
			}
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
}

// opened opens a database until the test ends.
func opened(t testing.TB, dsn string) *store.DB {
	t.Helper()
	return storetest.Open(t, dsn, ledger.Schema)
}

// runs has a ledger sequence for as long as fn takes, and then keep what it has signed.
func runs(t testing.TB, l *ledger.Ledger, fn func()) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { l.Run(ctx) })
	fn()
	stop()
	running.Wait()
}

// grown appends entries, one in each transaction, and waits until they have their places.
func grown(t testing.TB, db *store.DB, l *ledger.Ledger, n int) (ids []string) {
	t.Helper()
	head, err := l.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	runs(t, l, func() {
		for i := range n {
			ids = append(ids, add(t, db, l, int(head.Size)+i, 1)...)
		}
		settled(t, l, head.Size+int64(n))
	})
	return ids
}

// refused expects that a ledger does not go on, and what that says.
func refused(t *testing.T, db *store.DB, l *ledger.Ledger, says string) {
	t.Helper()
	if err := l.Inspect(t.Context()); err == nil || !strings.Contains(err.Error(), says) ||
		!strings.Contains(err.Error(), "frontdesk ledger resume") {
		t.Errorf("Inspect says %v, want %q and what to do", err, says)
	}
	before, err := l.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	add(t, db, l, 99, 1)
	if err := l.SequenceNow(t.Context()); err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("the sequencer says %v, want %q", err, says)
	}
	after, err := l.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if after.Size != before.Size || after.Root != before.Root || after.Waiting != before.Waiting+1 {
		t.Errorf("it was signed all the same: %+v after %+v", after, before)
	}
}

func receiptOf(t testing.TB, l *ledger.Ledger, id string) receipt.Receipt {
	t.Helper()
	r, err := l.Receipt(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func holds(t testing.TB, r receipt.Receipt) receipt.Checkpoint {
	t.Helper()
	c, err := receipt.Verify(r, public("one"))
	if err != nil {
		t.Error(err)
	}
	return c
}

func TestARestoredLedgerGoesOnUnderANewName(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		dsn := fresh(t)
		db := opened(t, dsn)
		l := ledger.New(db, options("one"))
		early := grown(t, db, l, 3)
		backup := copyOf(t, dsn)
		late := grown(t, db, l, 2)
		lost := receiptOf(t, l, late[1])

		elsewhere := fresh(t)
		backup.put(t, elsewhere, "first")
		c := clock.At(time.Date(2026, 11, 22, 6, 30, 5, 0, time.UTC))
		o := options("one")
		o.Now = c.Now
		db = opened(t, elsewhere)
		l = ledger.New(db, o)
		refused(t, db, l, "was put back from a backup, with 3 entries")
		head, err := l.Resume(t.Context(), ledger.Resumption{})
		if err != nil || head.Origin != origin+"/20261122063005" || head.Size != 5 || head.Waiting != 0 {
			t.Fatalf("%+v, %v", head, err)
		}
		sound(t, l)
		later := grown(t, db, l, 1)
		sound(t, l)
		for i, id := range append(early, later...) {
			r := receiptOf(t, l, id)
			if got := holds(t, r); got.Origin != head.Origin || i < 3 && r.Index != int64(i) {
				t.Errorf("entry %d has the place %d in %+v", i, r.Index, got)
			}
		}
		if got := holds(t, lost); got.Origin != origin {
			t.Errorf("a receipt of before is one of %+v", got)
		}
		told := ""
		for r, err := range l.Read(t.Context(), ledger.Filter{Kind: "ledger"}) {
			if err != nil {
				t.Fatal(err)
			}
			told += r.Entry.Subject + string(r.Entry.Body)
		}
		if want := head.Origin + `{"entries":3,"follows":"` + origin + `","root":"`; !strings.HasPrefix(told, want) {
			t.Errorf("the ledger tells %s, want %s", told, want)
		}
		if _, err := l.Resume(t.Context(), ledger.Resumption{}); fail.From(err).Code != fail.Invalid {
			t.Errorf("a ledger that goes on is resumed: %v", err)
		}

		copyOf(t, elsewhere).put(t, dsn, "second")
		c.Advance(time.Hour)
		again := ledger.New(opened(t, dsn), o)
		for _, name := range []string{origin, head.Origin, "no name"} {
			if _, err := again.Resume(t.Context(), ledger.Resumption{Name: name}); fail.From(err).Code != fail.Invalid {
				t.Errorf("the name %q is taken: %v", name, err)
			}
		}
		if head, err := again.Resume(t.Context(), ledger.Resumption{}); err != nil ||
			head.Origin != origin+"/20261122073005" {
			t.Errorf("%+v, %v", head, err)
		}
		sound(t, again)
	})
}

func TestACompleteLedgerKeepsItsName(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		var f folder
		dsn := fresh(t)
		db := opened(t, dsn)
		l := ledger.New(db, f.kept(options("one")))
		grown(t, db, l, 3)
		early := copyOf(t, dsn)
		grown(t, db, l, 2)
		whole := copyOf(t, dsn)

		elsewhere := fresh(t)
		early.put(t, elsewhere, "first")
		l = ledger.New(opened(t, elsewhere), f.kept(options("one")))
		if _, err := l.Resume(t.Context(), ledger.Resumption{Complete: true}); fail.From(err).Code != fail.Invalid ||
			!strings.Contains(err.Error(), "5 were signed") {
			t.Errorf("a ledger is called complete that is not: %v", err)
		}
		whole.put(t, elsewhere, "second")
		db = opened(t, elsewhere)
		l = ledger.New(db, f.kept(options("one")))
		if err := l.Inspect(t.Context()); err == nil {
			t.Error("what was put back goes on by itself")
		}
		head, err := l.Resume(t.Context(), ledger.Resumption{Complete: true})
		if err != nil || head.Origin != origin || head.Size != 6 {
			t.Errorf("%+v, %v", head, err)
		}
		if err := ledger.New(db, f.kept(options("one"))).Inspect(t.Context()); err != nil {
			t.Errorf("it has to be said again: %v", err)
		}
		grown(t, db, l, 1)
		sound(t, l)
	})
}

// TestADatabaseOlderThanWhatWasSignedDoesNotGoOn exchanges it behind the ledger's back, as other
// programs do.
func TestADatabaseOlderThanWhatWasSignedDoesNotGoOn(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		var f folder
		dsn := fresh(t)
		db := opened(t, dsn)
		l := ledger.New(db, f.kept(options("one")))
		grown(t, db, l, 300)
		early := copyOf(t, dsn)
		first, _ := f.recall()
		grown(t, db, l, 300)
		last, _ := f.recall()
		place := ""
		start := func(c *copied, text string) (*store.DB, *ledger.Ledger) {
			elsewhere := fresh(t)
			place = elsewhere
			if c != nil {
				c.put(t, elsewhere, "")
			}
			f.keep(text)
			db := opened(t, elsewhere)
			return db, ledger.New(db, f.kept(options("one")))
		}

		db, l = start(&early, first)
		grown(t, db, l, 300) // another 300
		other := copyOf(t, place)
		fork, _ := f.recall()
		if fork == last {
			t.Fatal("two histories are one")
		}

		db, l = start(&early, last)
		refused(t, db, l, "ends with 300 entries, and 600 were signed already")
		db, l = start(&other, last)
		refused(t, db, l, "the first 600 entries of the ledger in the database are not those that were signed")
		db, l = start(nil, last)
		refused(t, db, l, "have signed a ledger of 600 entries (example.com/ledger), and the database holds none")
		head, err := l.Resume(t.Context(), ledger.Resumption{Name: "example.com/second"})
		if err != nil || head.Origin != "example.com/second" {
			t.Errorf("%+v, %v", head, err)
		}
		sound(t, l)
		second, _ := f.recall()
		db, l = start(&early, second)
		refused(t, db, l, "named example.com/second, and the database holds another")
		_, l = start(&early, "nonsense")
		if err := l.Inspect(t.Context()); err == nil || !strings.Contains(err.Error(), "cannot be believed") {
			t.Errorf("nonsense is believed: %v", err)
		}

		// The same while it runs.
		db, l = start(&other, fork)
		grown(t, db, l, 1)
		early.put(t, place, "")
		if err := l.SequenceNow(t.Context()); err == nil {
			add(t, db, l, 0, 1)
			err = l.SequenceNow(t.Context())
			if err == nil || !strings.Contains(err.Error(), "601 were signed already") {
				t.Errorf("it goes on while it runs: %v", err)
			}
		}
	})
}

// TestNoTwoHistoriesUnderOneName takes a ledger through appending, backups, restores and exchanged
// files, with an owner who calls a ledger complete only if it is, and holds that under one name
// there was never more than one history.
func TestNoTwoHistoriesUnderOneName(t *testing.T) {
	t.Parallel()
	all := 0
	for seed := range uint64(30) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 5))
			var f folder
			var mu sync.Mutex
			signed := map[string]string{} // name and size: the text that was signed
			c := clock.At(time.Date(2026, 11, 22, 6, 0, 0, 0, time.UTC))
			o := f.kept(options("one"))
			o.Now = c.Now
			o.Signers = func(origin string) []note.Signer {
				return []note.Signer{witness{signer(origin, "one"), func(text string) {
					mu.Lock()
					defer mu.Unlock()
					name, _, _ := strings.Cut(text, "\n")
					size, _, _ := strings.Cut(strings.TrimPrefix(text, name+"\n"), "\n")
					if before := signed[name+" "+size]; before != "" && before != text {
						t.Errorf("two histories of %s entries were signed:\n%s\n%s", size, before, text)
					}
					signed[name+" "+size] = text
				}}}
			}
			dsn := storetest.NewSQLite(t)
			db := opened(t, dsn)
			l := ledger.New(db, o)
			grown(t, db, l, 1)
			backups := []copied{copyOf(t, dsn)}
			newest := map[int]bool{0: true} // the backups after which nothing was signed
			complete := true                // nothing was signed but what is in the database
			signing := func() { newest, complete = map[int]bool{}, true }
			for range 25 {
				c.Advance(time.Second)
				switch random.IntN(5) {
				case 0, 1:
					if l.Inspect(t.Context()) == nil {
						grown(t, db, l, 1+random.IntN(3))
						signing()
					}
				case 2:
					newest[len(backups)] = complete
					backups = append(backups, copyOf(t, dsn))
				case 3:
					mark, which := fmt.Sprint("mark ", random.Uint64()), random.IntN(len(backups))
					if random.IntN(2) == 0 && f.text != "" { // files without the folder of secrets are beyond knowing
						mark = ""
					} else if random.IntN(2) == 0 {
						f.keep("") // another machine
					}
					dsn = storetest.NewSQLite(t)
					backups[which].put(t, dsn, mark)
					db = opened(t, dsn)
					l = ledger.New(db, o)
					complete = newest[which]
				case 4:
					_, err := l.Resume(t.Context(), ledger.Resumption{Complete: complete && random.IntN(2) == 0})
					if err != nil && fail.From(err).Code != fail.Invalid {
						t.Error(err)
					}
					if err == nil {
						signing()
					}
				}
			}
			all += len(signed)
		})
	}
	if all < 300 {
		t.Errorf("%d checkpoints were signed: too little was tested", all)
	}
}

// witness is a signer that tells what it signs.
type witness struct {
	note.Signer
	saw func(text string)
}

func (w witness) Sign(text []byte) ([]byte, error) {
	w.saw(string(text))
	return w.Signer.Sign(text)
}
