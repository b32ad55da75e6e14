package ledger_test

import (
	"errors"
	"sync/atomic"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/wire/receipt"
)

// counted counts what a signer signs.
type counted struct {
	note.Signer
	times *atomic.Int64
}

func (c counted) Sign(text []byte) ([]byte, error) {
	c.times.Add(1)
	return c.Signer.Sign(text)
}

// TestWhatIsSignedAheadIsWhatIsThere appends entries one by one, which is when signatures are made
// ahead, and in between does all that makes such a signature wrong: entries that are taken back,
// several at once, another process, another key.
func TestWhatIsSignedAheadIsWhatIsThere(t *testing.T) {
	t.Parallel()
	dsn := storetest.NewSQLite(t)
	db, elsewhere := storetest.Open(t, dsn, ledger.Schema), storetest.Open(t, dsn, ledger.Schema)
	var times atomic.Int64
	keys := []string{"one"}
	o := options("one", "two")
	o.Signers = func(origin string) (all []note.Signer) {
		for _, name := range keys {
			all = append(all, counted{signer(origin, name), &times})
		}
		return all
	}
	l, other := ledger.New(db, o), ledger.New(elsewhere, o)
	there := int64(0)
	put := func(l *ledger.Ledger, db *store.DB, n int) {
		t.Helper()
		add(t, db, l, int(there), n)
		if there += int64(n); there%7 == 0 {
			sound(t, l)
		}
	}
	disturb := []func(){
		func() {},
		func() {
			refused := errors.New("refused")
			err := db.Update(t.Context(), func(tx *store.Tx) error {
				_, err := l.Append(t.Context(), tx, entry(1000))
				return errors.Join(err, refused)
			})
			if !errors.Is(err, refused) {
				t.Fatal(err)
			}
		},
		func() { put(l, db, 3) },
		func() { put(other, elsewhere, 1) },
		func() { // while the transaction goes on
			err := db.Update(t.Context(), func(tx *store.Tx) error {
				_, err := l.Append(t.Context(), tx, entry(int(there)))
				keys = []string{"two"}
				return err
			})
			there++
			checkpoint, wrong := l.Checkpoint(t.Context())
			if _, unsigned := receipt.OpenCheckpoint(checkpoint, public("two")); err != nil || wrong != nil ||
				unsigned != nil {
				t.Fatal("a key that has ended signed: ", err, wrong, unsigned)
			}
		},
		func() { put(other, elsewhere, 2) },
	}
	put(l, db, 1)
	for _, do := range disturb {
		do()
		for range 2 {
			put(l, db, 1)
			settled(t, l, there)
			sound(t, l)
		}
	}
	// Of entries that come one by one, each is signed for once.
	before := times.Load()
	for range 300 {
		put(l, db, 1)
	}
	if n := times.Load() - before; n != 300 {
		t.Errorf("300 entries were signed for %d times", n)
	}
	settled(t, l, there)
	sound(t, l)
}
