package ledger_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/wire/receipt"
)

// TestTilesOfOneRowBecomeTilesOfSixteen opens a ledger as it was kept before, with 256 hashes in a
// row.
func TestTilesOfOneRowBecomeTilesOfSixteen(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		const n = 2*256 + 77
		was := ledger.Schema
		was.Steps = was.Steps[:2]
		dsn := fresh(t)
		db := storetest.Open(t, dsn, was)
		err := db.Update(t.Context(), func(tx *store.Tx) error {
			var edge receipt.Edge
			var tiles [][]any
			keep := func(at receipt.Tile, hashes []byte) error {
				tiles = append(tiles, []any{at.Level, at.N, bytes.Clone(hashes)})
				return nil
			}
			_, err := tx.BulkInsert(t.Context(), "ledger_entry", []string{"place", "tag", "leaf"},
				func(yield func([]any) bool) {
					for i := range n {
						e := entry(i)
						e.V, e.ID, e.Time = 1, fmt.Sprintf("01930000-%04x-7000-8000-000000000000", i), time.Unix(1, 0)
						leaf, err := e.Leaf()
						if err != nil {
							t.Fatal(err)
						}
						if _ = edge.Append(receipt.LeafHash(leaf),
							keep); !yield([]any{i + 1, int64(0x0193_0000_0000_7000 | i<<16), leaf}) {
							return
						}
					}
				})
			if err != nil {
				return err
			}
			_ = edge.Partial(keep)
			for _, tile := range tiles {
				if _, err := tx.Exec(t.Context(), `INSERT INTO ledger_tile (level, n, hashes) VALUES ($1, $2, $3)`, tile...); err != nil {
					return err
				}
			}
			signed, err := receipt.Checkpoint{Origin: origin, Size: n, Root: edge.Root()}.Sign(signer(origin, "one"))
			if err != nil {
				return err
			}
			_, err = tx.Exec(t.Context(), `INSERT INTO ledger_head (origin, size, checkpoint, signed) VALUES ($1, $2, $3, 0)`, origin, n, signed)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		db = storetest.Open(t, dsn, ledger.Schema)
		l := open(t, db, options("one"))
		sound(t, l)
		add(t, db, l, n, 500)
		settled(t, l, n+500)
		sound(t, l)
	})
}
