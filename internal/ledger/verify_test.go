package ledger_test

import (
	"context"
	"testing"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
	"frontdesk/internal/testkit/storetest"
)

// TestTheWholeIsVerifiedAndKept verifies a ledger, and again after somebody changed an entry: each
// time another process is told, too.
func TestTheWholeIsVerifiedAndKept(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, opened func(*testing.T, ...store.Schema) *store.DB) {
		db := opened(t, ledger.Schema)
		l := open(t, db, options("a"))
		if v, err := l.Verified(t.Context()); err != nil || !v.Ended.IsZero() || v.Sound() {
			t.Fatalf("before: %+v, %v", v, err)
		}
		add(t, db, l, 0, 7)
		settled(t, l, 7)
		v, err := l.Verify(t.Context(), "key:a")
		if err != nil || !v.Sound() || v.By != "key:a" || v.Report.Entries != 7 || !v.Running.IsZero() || v.Failed {
			t.Fatalf("%+v, %v", v, err)
		}
		if err := db.Update(t.Context(), func(tx *store.Tx) error {
			return tx.ExecOne(t.Context(), `UPDATE ledger_entry SET leaf = $1 WHERE place = 3`, []byte(`{"v":1}`))
		}); err != nil {
			t.Fatal(err)
		}
		if v, err = l.Verify(t.Context(), "key:b"); err != nil || v.Sound() || len(v.Report.Findings) == 0 {
			t.Fatalf("with an entry that was changed: %+v, %v", v, err)
		}
		other, err := ledger.New(db, options("a")).Verified(t.Context())
		if err != nil || other.Sound() || other.By != "key:b" || !other.Ended.Equal(v.Ended) {
			t.Errorf("another process: %+v, %v", other, err)
		}
	})
}

// TestVerifyingGoesOnWithoutWhoAsked has somebody leave at once, and another wait for the end.
func TestVerifyingGoesOnWithoutWhoAsked(t *testing.T) {
	t.Parallel()
	db := storetest.OpenSQLite(t, ledger.Schema)
	l := open(t, db, options("a"))
	add(t, db, l, 0, 3)
	settled(t, l, 3)
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := l.Verify(gone, "who left"); err != nil {
		t.Fatal(err)
	}
	v, err := l.Verify(t.Context(), "who stayed")
	if err != nil || !v.Sound() || v.Report.Entries != 3 {
		t.Errorf("%+v, %v", v, err)
	}
}
