package ledger_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/wire/receipt"
)

// typical is an entry as the Agentic Intent Protocol makes them.
func typical(n int) receipt.Entry {
	return receipt.Entry{
		Kind: "access", Site: "local", Party: "platform:example",
		Subject: "https://www.example.com/markets/2026/11/rates", Request: fmt.Sprintf("req-%016x", n),
		Body: fmt.Appendf(nil, `{"chunks_returned":3,"items":[{"chunks":["c-%d-0","c-%d-1","c-%d-2"],"rule":"terms[2]","url":"https://www.example.com/markets/2026/11/rates"}],`+
			`"platform":"example","publisher":"example_site","retrieval_mode":"chunks","terms":"74234e98afe7498fb5daf1f36ac2d78a","token_count":412}`, n, n, n),
	}
}

// batch is how many entries share a transaction in the benchmarks.
const batch = 1024

// engines runs a benchmark on both engines.
func engines(b *testing.B, run func(b *testing.B, dsn string)) {
	b.Run(store.SQLite, func(b *testing.B) { run(b, storetest.NewSQLite(b)) })
	b.Run(store.PostgreSQL, func(b *testing.B) { run(b, storetest.NewPostgres(b)) })
}

// BenchmarkAppend appends entries in batches, until they are durable, in their places and signed
// for.
func BenchmarkAppend(b *testing.B) {
	engines(b, func(b *testing.B, dsn string) {
		db := storetest.Open(b, dsn, ledger.Schema)
		l := open(b, db, options("one"))
		entries := make([]receipt.Entry, batch)
		for i := range entries {
			entries[i] = typical(i)
		}
		n := 0
		for b.Loop() {
			err := db.Update(b.Context(), func(tx *store.Tx) error {
				_, err := l.AppendAll(b.Context(), tx, entries)
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
			n += batch
		}
		settled(b, l, int64(n))
		b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "entries/s")
	})
}

// BenchmarkAppendFloor writes rows of the same size in batches of the same size, and nothing else.
func BenchmarkAppendFloor(b *testing.B) {
	floor := store.Schema{ID: "floor", Steps: []string{`CREATE TABLE floor_row (place {{key}}, leaf {{bytes}} NOT NULL)`}}
	engines(b, func(b *testing.B, dsn string) {
		db := storetest.Open(b, dsn, floor)
		e := typical(1)
		e.V, e.ID, e.Time = 1, "01930000-0000-7000-8000-000000000000", time.Unix(1, 0)
		leaf, err := e.Leaf()
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for b.Loop() {
			err := db.Update(b.Context(), func(tx *store.Tx) error {
				_, err := tx.BulkInsert(b.Context(), "floor_row", []string{"place", "leaf"},
					func(yield func([]any) bool) {
						for i := range batch {
							if !yield([]any{n + i, leaf}) {
								return
							}
						}
					})
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
			n += batch
		}
		b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "entries/s")
		b.ReportMetric(float64(len(leaf)), "bytes/leaf")
	})
}

// BenchmarkAppendOne appends one entry in a transaction of its own, beside a row of the same size
// without a ledger.
func BenchmarkAppendOne(b *testing.B) {
	plain := store.Schema{ID: "plain", Steps: []string{`CREATE TABLE plain_row (place {{key}}, leaf {{bytes}} NOT NULL)`}}
	engines(b, func(b *testing.B, dsn string) {
		db := storetest.Open(b, dsn, ledger.Schema, plain)
		l := open(b, db, options("one"))
		b.Run("ledger", func(b *testing.B) {
			for b.Loop() {
				if err := db.Update(b.Context(), func(tx *store.Tx) error {
					_, err := l.Append(b.Context(), tx, typical(1))
					return err
				}); err != nil {
					b.Fatal(err)
				}
			}
		})
		n, leaf := 0, make([]byte, 520)
		b.Run("floor", func(b *testing.B) {
			for b.Loop() {
				n++
				if err := db.Update(b.Context(), func(tx *store.Tx) error {
					_, err := tx.Exec(b.Context(), `INSERT INTO plain_row (place, leaf) VALUES ($1, $2)`, n, leaf)
					return err
				}); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
}

// BenchmarkSize says how many bytes an entry takes beyond its leaf.
func BenchmarkSize(b *testing.B) {
	const n = 100_000
	engines(b, func(b *testing.B, dsn string) {
		db := storetest.Open(b, dsn, ledger.Schema)
		l := open(b, db, options("one"))
		var leaves int64
		entries := make([]receipt.Entry, 10_000)
		for i := range entries {
			entries[i] = typical(i)
		}
		for b.Loop() {
			for range n / 10_000 {
				err := db.Update(b.Context(), func(tx *store.Tx) error {
					_, err := l.AppendAll(b.Context(), tx, entries)
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		}
		h, err := l.Head(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		settled(b, l, h.Size+h.Waiting)
		err = db.View(b.Context(), func(tx *store.Tx) error {
			return tx.QueryRow(b.Context(), `SELECT SUM(LENGTH(leaf)), COUNT(*) FROM ledger_entry`).Scan(&leaves, &h.Size)
		})
		if err != nil {
			b.Fatal(err)
		}
		taken := size(b, dsn, db)
		b.ReportMetric(float64(taken-leaves)/float64(h.Size), "bytes/entry-beyond")
		b.ReportMetric(float64(leaves)/float64(h.Size), "bytes/leaf")
	})
}

// size is what the ledger takes on the disk.
func size(b *testing.B, dsn string, db *store.DB) (n int64) {
	b.Helper()
	if db.Engine() == store.SQLite {
		err := db.View(b.Context(), func(tx *store.Tx) error {
			var pages, page int64
			if err := tx.QueryRow(b.Context(), `SELECT page_count FROM pragma_page_count()`).Scan(&pages); err != nil {
				return err
			}
			err := tx.QueryRow(b.Context(), `SELECT page_size FROM pragma_page_size()`).Scan(&page)
			n = pages * page
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
		return n
	}
	direct, err := sql.Open("pgx", dsn)
	if err != nil {
		b.Fatal(err)
	}
	defer direct.Close()
	if _, err := direct.Exec(`VACUUM ledger_pending, ledger_tile, ledger_head`); err != nil {
		b.Fatal(err)
	}
	err = direct.QueryRow(`SELECT SUM(pg_total_relation_size(c)) FROM UNNEST(ARRAY['ledger_entry', 'ledger_tile', 'ledger_head']::regclass[]) c`).Scan(&n)
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// synthetic fills the tiles of a ledger of n entries that nobody wrote, whose leaves hash as their
// numbers do.
func synthetic(b *testing.B, db *store.DB, n int64) {
	b.Helper()
	var edge receipt.Edge
	type row struct {
		t      receipt.Tile
		hashes []byte
	}
	rows := make(chan row, 64)
	keep := func(t receipt.Tile, hashes []byte) error {
		rows <- row{t, bytes.Clone(hashes)}
		return nil
	}
	go func() {
		defer close(rows)
		for i := range n {
			_ = edge.Append(syntheticHash(i), keep)
		}
		_ = edge.Partial(keep)
	}()
	err := db.Update(context.Background(), func(tx *store.Tx) error {
		_, err := tx.BulkInsert(context.Background(), "ledger_tile", []string{"level", "n", "hashes"},
			func(yield func([]any) bool) {
				for r := range rows {
					for n, hashes := range slices.Collect(slices.Chunk(r.hashes, 16*sha256.Size)) {
						if !yield([]any{r.t.Level, 16*r.t.N + int64(n), hashes}) {
							return
						}
					}
				}
			})
		if err != nil {
			return err
		}
		signed, err := receipt.Checkpoint{Origin: origin, Size: n, Root: edge.Root()}.Sign(signer(origin, "one"))
		if err != nil {
			return err
		}
		_, err = tx.Exec(context.Background(), `INSERT INTO ledger_head (origin, size, checkpoint, signed) VALUES ($1, $2, $3, 0)`, origin, n, signed)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
}

func syntheticHash(i int64) receipt.Hash {
	return sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(i)))
}

// BenchmarkProof makes and checks inclusion proofs in a tree of 10 million entries, each of another
// place. The floor reads the three tiles on the way up from an entry, without a proof.
func BenchmarkProof(b *testing.B) {
	const n = 10_000_000
	engines(b, func(b *testing.B, dsn string) {
		db := storetest.Open(b, dsn, ledger.Schema)
		l := ledger.New(db, options("one"))
		synthetic(b, db, n)
		signed, err := l.Checkpoint(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		c, err := receipt.OpenCheckpoint(signed, public("one"))
		if err != nil {
			b.Fatal(err)
		}
		at := int64(0)
		next := func() int64 { at = (at + 7_654_321) % n; return at }
		b.Run("inclusion", func(b *testing.B) {
			for b.Loop() {
				index := next()
				proof, err := l.Prove(b.Context(), index, syntheticHash(index))
				if err != nil {
					b.Fatal(err)
				}
				if tlog.CheckRecord(proof, c.Size, c.Root, index, syntheticHash(index)) != nil {
					b.Fatalf("the proof for %d does not hold", index)
				}
			}
		})
		b.Run("consistency", func(b *testing.B) {
			for b.Loop() {
				if _, err := l.Consistency(b.Context(), next(), n); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("floor", func(b *testing.B) {
			for b.Loop() {
				index := next()
				for level := range 3 {
					if _, err := l.Tile(b.Context(),
						receipt.Tile{Level: level, N: index >> (8 * (level + 1)), Width: 128}); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	})
}

// BenchmarkVerifyExport verifies the export of a million entries. The floor hashes the same bytes.
func BenchmarkVerifyExport(b *testing.B) {
	const n = 1_000_000
	path := filepath.Join(b.TempDir(), "ledger.jsonl")
	writeExport(b, path, n)
	b.Run("verify", func(b *testing.B) {
		for b.Loop() {
			file, err := os.Open(path)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := receipt.VerifyExport(file, public("one")); err != nil {
				b.Fatal(err)
			}
			file.Close()
		}
	})
	b.Run("floor", func(b *testing.B) {
		for b.Loop() {
			text, err := os.ReadFile(path)
			if err != nil {
				b.Fatal(err)
			}
			sha256.Sum256(text)
		}
	})
}

func writeExport(b *testing.B, path string, n int64) {
	b.Helper()
	file, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	leaves := func(yield func(int64, []byte) error) error {
		for i := range n {
			e := typical(int(i))
			e.V, e.ID, e.Time = 1, fmt.Sprintf("01930000-0000-7000-8000-%012x", i), time.Unix(i, 0)
			leaf, err := e.Leaf()
			if err != nil {
				return err
			}
			if err := yield(i, leaf); err != nil {
				return err
			}
		}
		return nil
	}
	var edge receipt.Edge
	if err := leaves(func(_ int64, leaf []byte) error {
		return edge.Append(receipt.LeafHash(leaf), func(receipt.Tile, []byte) error { return nil })
	}); err != nil {
		b.Fatal(err)
	}
	signed, err := receipt.Checkpoint{Origin: origin, Size: n, Root: edge.Root()}.Sign(signer(origin, "one"))
	if err != nil {
		b.Fatal(err)
	}
	head, err := receipt.ExportHead(signed)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := file.Write(head); err != nil {
		b.Fatal(err)
	}
	if err := leaves(func(i int64, leaf []byte) error {
		_, err := file.Write(receipt.AppendExport(nil, i, leaf))
		return err
	}); err != nil {
		b.Fatal(err)
	}
}
