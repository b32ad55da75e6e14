package store

import (
	"fmt"
	"testing"
)

const countNotes = `SELECT COUNT(*) FROM notes WHERE id >= $1`

// TestUpdatesKeepTheirStatements asks the same of many Updates: in the end it is prepared, and
// still sees what a statement of today would.
func TestUpdatesKeepTheirStatements(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/test.db"
	db, other := openFile(t, path), openFile(t, path)
	for i := range 8 {
		if err := db.Update(t.Context(), func(tx *Tx) error {
			var n int
			if err := tx.QueryRow(t.Context(), countNotes, "").Scan(&n); err != nil || n != i {
				t.Errorf("there are %d notes, want %d (%v)", n, i, err)
			}
			return put(t.Context(), fmt.Sprint(i))(tx)
		}); err != nil {
			t.Fatal(err)
		}
	}
	if w := writerOf(db); w.conn.statements[countNotes] == nil || w.conn.statements[`INSERT INTO notes (id, n) VALUES ($1, 0)`] == nil {
		t.Error("what was asked again and again is not prepared")
	}
	if err := other.Update(t.Context(), func(tx *Tx) error {
		_, err := tx.Exec(t.Context(), `ALTER TABLE notes ADD COLUMN more BIGINT`)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if err := db.Update(t.Context(), put(t.Context(), "after another process has changed the table")); err != nil {
		t.Error(err)
	}
}

// TestOpenRowsDoNotMeetTheirStatementAgain leaves rows open in every member of a group, and asks
// the same within them.
func TestOpenRowsDoNotMeetTheirStatementAgain(t *testing.T) {
	bubble(t, func(t *testing.T, db *DB) {
		read := func(tx *Tx) error {
			for range 2 {
				rows, err := tx.Query(t.Context(), `SELECT id FROM notes WHERE id >= $1 ORDER BY id`, "")
				if err != nil {
					return err
				}
				if !rows.Next() {
					return fmt.Errorf("no rows: %v", rows.Err())
				}
			}
			tx.QueryRow(t.Context(), countNotes, "")
			return nil
		}
		if err := db.Update(t.Context(), put(t.Context(), "one")); err != nil {
			t.Fatal(err)
		}
		for range 4 {
			for _, err := range lineUp(t, db, read, read, read) {
				if err != nil {
					t.Error(err)
				}
			}
		}
		if err := db.Update(t.Context(), put(t.Context(), "two")); err != nil {
			t.Error(err)
		}
		wantNotes(t, db, "one", "two")
	})
}
