package ledger_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/wire/receipt"
)

// TestNothingSignedLeavesBeforeItIsKept takes whatever bears a checkpoint, where nothing keeps one
// from time to time, and holds that it was kept by then; that many share a writing; and that
// nothing leaves while none can be kept.
func TestNothingSignedLeavesBeforeItIsKept(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, openDB func(*testing.T, ...store.Schema) *store.DB) {
		db := openDB(t, ledger.Schema)
		var f folder
		var writings atomic.Int64
		var broken error
		o := f.kept(options("one"))
		o.SaveCheckpoint = func(text string) error {
			writings.Add(1)
			if broken != nil {
				return broken
			}
			return f.keep(text)
		}
		l := ledger.New(db, o)
		var ids []string
		more := func(n int) {
			ids = add(t, db, l, len(ids), n)
			if err := l.SequenceNow(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		leaves := map[string]func() (string, error){
			"a receipt": func() (string, error) {
				r, err := l.Receipt(t.Context(), ids[0])
				return r.Checkpoint, err
			},
			"a checkpoint": func() (string, error) { return l.Checkpoint(t.Context()) },
			"an export": func() (string, error) {
				var out bytes.Buffer
				_, err := l.Export(t.Context(), &out, ledger.Lines)
				kept, _ := f.recall()
				if head, failed := receipt.ExportHead(kept); err == nil &&
					(failed != nil || !bytes.HasPrefix(out.Bytes(), head)) {
					t.Error("the export has another checkpoint than was kept")
				}
				return kept, err
			},
		}
		for name, take := range leaves {
			more(2)
			head, err := l.Head(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			left, err := take()
			if err != nil {
				t.Fatal(err)
			}
			kept, _ := f.recall()
			if c, err := receipt.OpenCheckpoint(kept, public("one")); err != nil || c.Size != head.Size ||
				kept != left {
				t.Errorf("%s left with %q, and %q was kept (%v)", name, left, kept, err)
			}
		}
		more(20)
		writings.Store(0)
		for _, id := range ids {
			if _, err := l.Receipt(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}
		if n := writings.Load(); n != 1 {
			t.Errorf("20 receipts under one checkpoint took %d writings", n)
		}
		more(1)
		broken = errors.New("no space left on device")
		for name, take := range leaves {
			if left, err := take(); fail.From(err).Code != fail.Unavailable || name != "an export" && left != "" {
				t.Errorf("%s leaves while nothing can be kept: %q, %v", name, left, err)
			}
		}
		broken = nil
		if _, err := l.Receipt(t.Context(), ids[0]); err != nil {
			t.Error(err)
		}
	})
}

// durably writes a file as trust.SiteKeys does.
func durably(path string) func(string) error {
	return func(text string) error {
		file, err := os.Create(path + ".new")
		if err != nil {
			return err
		}
		_, err = file.WriteString(text)
		if err := errors.Join(err, file.Sync(), file.Close(), os.Rename(path+".new", path)); err != nil {
			return err
		}
		folder, err := os.Open(filepath.Dir(path))
		if err != nil {
			return err
		}
		return errors.Join(folder.Sync(), folder.Close())
	}
}

// BenchmarkReceiptAfterAppend appends an entry and takes its receipt, many side by side, with the
// checkpoint kept on the disk in between.
func BenchmarkReceiptAfterAppend(b *testing.B) {
	for name, keeps := range map[string]bool{"kept": true, "not kept": false} {
		b.Run(name, func(b *testing.B) {
			db := storetest.Open(b, storetest.NewSQLite(b), ledger.Schema)
			o := options("one")
			if keeps {
				o.SaveCheckpoint = durably(filepath.Join(b.TempDir(), "signed"))
			}
			l := open(b, db, o)
			var all sync.WaitGroup
			var n atomic.Int64
			b.ResetTimer()
			for range 32 {
				all.Go(func() {
					for n.Add(1) <= int64(b.N) {
						var id string
						err := db.Update(context.Background(), func(tx *store.Tx) (err error) {
							id, err = l.Append(context.Background(), tx, typical(1))
							return err
						})
						if err == nil {
							_, err = l.Receipt(context.Background(), id)
						}
						if err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			all.Wait()
		})
	}
}
