package ledger

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"iter"
	"strconv"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/wire/receipt"
)

// Record is an entry with its index.
type Record struct {
	Index int64
	Entry receipt.Entry
	Leaf  []byte // its canonical JSON
}

// Receipt makes the receipt of an entry under the latest checkpoint. It is fail.NotFound where
// there is no such entry. While the entry waits for its place it is fail.Unavailable, and of the
// receipt there is only the entry; so it is while the checkpoint cannot be kept (Options.Keep),
// before which no receipt leaves.
func (l *Ledger) Receipt(ctx context.Context, id string) (receipt.Receipt, error) {
	unknown := fail.New(fail.NotFound, "the ledger has no entry of this id")
	tag, err := tagOf(id)
	if err != nil {
		return receipt.Receipt{}, unknown
	}
	var r receipt.Receipt
	var h head
	err = l.db.View(ctx, func(tx *store.Tx) (err error) {
		h, err = readHead(ctx, tx)
		if err != nil && !errors.Is(err, errNone) {
			return err
		}
		record, err := find(ctx, tx, tag, id)
		switch {
		case err != nil:
			return err
		case record.Leaf == nil:
			return unknown
		case record.Index < 0 || record.Index >= h.size:
			r.Entry = record.Entry
			return fail.New(fail.Unavailable, "this entry is kept, and has no place in the ledger yet; ask again "+
				"in a second").After(Delay)
		}
		proof, err := prove(ctx, tx, h, record.Index, receipt.LeafHash(record.Leaf))
		r = receipt.Receipt{Entry: record.Entry, Index: record.Index, Proof: proof, Checkpoint: h.checkpoint}
		return err
	})
	if err == nil {
		if err = l.vouch(ctx, h); err != nil {
			r = receipt.Receipt{Entry: r.Entry}
		}
	}
	return r, err
}

// prove makes the proof of a leaf, and checks it: what was damaged proves nothing.
func prove(ctx context.Context, tx *store.Tx, h head, index int64, leaf receipt.Hash) ([]receipt.Hash, error) {
	proof, err := receipt.ProveEntry(h.size, index,
		receipt.FromTrustedTiles(func(tiles []receipt.Tile) ([][]byte, error) { return wholeTiles(ctx, tx, tiles) }))
	if err != nil {
		return nil, err
	}
	if tlog.CheckRecord(proof, h.size, h.root, index, leaf) != nil {
		return nil,
			fail.New(fail.Internal, "entry %d of the ledger is not what was signed, or a tile is not; `frontdesk "+
				"ledger audit` says which", index)
	}
	return proof, nil
}

// find reads an entry by its id. Its leaf is nil where there is none, and its index -1 where it has
// no place yet.
func find(ctx context.Context, tx *store.Tx, tag int64, id string) (found Record, err error) {
	err = tx.Each(ctx, `SELECT place, leaf FROM ledger_entry WHERE tag = $1 UNION ALL SELECT 0, leaf FROM ledger_pending WHERE tag = $1`,
		func(row store.Scanner) error {
			var r Record
			if err = row.Scan(&r.Index, &r.Leaf); err != nil {
				return err
			}
			r.Index--
			if r.Entry, err = receipt.ParseEntry(r.Leaf); err != nil {
				return err
			}
			if r.Entry.ID == id && found.Leaf == nil {
				found = r
			}
			return nil
		}, tag)
	if err != nil {
		return Record{}, err
	}
	return found, nil
}

// hashesOf reads hashes of the tree of a head. Tiles that do not belong to it are an error.
func hashesOf(ctx context.Context, tx *store.Tx, h head) interface {
	ReadHashes([]int64) ([]receipt.Hash, error)
} {
	return receipt.FromTiles(h.size, h.root, func(tiles []receipt.Tile) ([][]byte, error) {
		data, err := wholeTiles(ctx, tx, tiles)
		for i := range data {
			data[i] = data[i][:tiles[i].Width*hashSize]
		}
		return data, err
	})
}

// Checkpoint gives the latest checkpoint, as a signed note.
func (l *Ledger) Checkpoint(ctx context.Context) (string, error) {
	h, err := l.head(ctx)
	if err == nil {
		err = l.vouch(ctx, h)
	}
	if err != nil {
		return "", err
	}
	return h.checkpoint, nil
}

// head reads the head in a transaction of its own.
func (l *Ledger) head(ctx context.Context) (h head, err error) {
	err = l.db.View(ctx, func(tx *store.Tx) error {
		h, err = readHead(ctx, tx)
		return err
	})
	if errors.Is(err, errNone) {
		err = fail.New(fail.NotFound, "there is no ledger here yet")
	}
	return h, err
}

// Tile gives the hashes of a tile, 32 bytes each. It is fail.NotFound when the tree does not have
// it.
func (l *Ledger) Tile(ctx context.Context, t receipt.Tile) (hashes []byte, err error) {
	err = l.db.View(ctx, func(tx *store.Tx) error {
		h, err := readHead(ctx, tx)
		if err != nil && !errors.Is(err, errNone) {
			return err
		}
		if !t.In(h.size) {
			return fail.New(fail.NotFound, "the ledger has no such tile; it has %d entries", h.size)
		}
		hashes, err = readTile(ctx, tx, t)
		return err
	})
	return hashes, err
}

// Consistency gives the hashes that show that the ledger of older entries is the beginning of that
// of size entries.
func (l *Ledger) Consistency(ctx context.Context, older, size int64) (proof []receipt.Hash, err error) {
	err = l.db.View(ctx, func(tx *store.Tx) error {
		h, err := readHead(ctx, tx)
		if err != nil && !errors.Is(err, errNone) {
			return err
		}
		if older < 0 || older > size || size > h.size {
			return fail.New(fail.Invalid, "the ledger has %d entries: ask for 0 ≤ OLDER ≤ SIZE ≤ %d", h.size, h.size)
		}
		proof, err = receipt.ProveGrowth(older, size, hashesOf(ctx, tx, h))
		return err
	})
	return proof, err
}

// Filter selects entries. An empty field is no condition.
type Filter struct {
	Site, Kind, Party, Subject, Request string

	Since, Until time.Time // when it happened: Since ≤ time < Until
	After        int64     // entries from this index on
	Before       int64     // entries below this index; 0 for no bound
	Newest       bool      // the newest first
	Limit        int       // how many at most; 0 for all
}

// page is how many rows are read at once, so that a reader holds no snapshot for long.
const page = 1024

// Read gives the entries of the signed tree that a filter wants, in their order. It reads on while
// it is asked, so that its answer is not of one moment.
func (l *Ledger) Read(ctx context.Context, f Filter) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		h, err := l.head(ctx)
		if err != nil {
			if fail.From(err).Code != fail.NotFound {
				yield(Record{}, err)
			}
			return
		}
		from, to := max(0, f.After), h.size
		if f.Before > 0 {
			to = min(to, f.Before)
		}
		wanted, given := f.snippets(), 0
		for from < to {
			rows, err := l.page(ctx, from, to, f.Newest, wanted)
			if err != nil {
				yield(Record{}, err)
				return
			}
			if f.Newest {
				to = max(from, to-page)
			} else {
				from = min(from+page, to)
			}
			for _, r := range rows {
				if !f.takes(r.Entry) {
					continue
				}
				if !yield(r, nil) {
					return
				}
				if given++; given == f.Limit {
					return
				}
			}
		}
	}
}

// page reads the entries of one page that hold all snippets.
func (l *Ledger) page(ctx context.Context, from, to int64, newest bool, snippets [][]byte) (all []Record, err error) {
	query, first, last := `SELECT place, leaf FROM ledger_entry WHERE place > $1 AND place <= $2 ORDER BY place`, from, min(to, from+page)
	if newest {
		query, first, last = query+` DESC`, max(from, to-page), to
	}
	err = l.db.View(ctx, func(tx *store.Tx) error {
		all = nil
		return tx.Each(ctx, query, func(row store.Scanner) error {
			var place int64
			var leaf sql.RawBytes
			if err := row.Scan(&place, &leaf); err != nil {
				return err
			}
			if !holdsAll(leaf, snippets) {
				return nil
			}
			r := Record{Index: place - 1, Leaf: bytes.Clone(leaf)}
			if r.Entry, err = receipt.ParseEntry(r.Leaf); err != nil {
				return fail.New(fail.Internal, "entry %d of the ledger cannot be read; `frontdesk ledger audit` "+
					"says more", r.Index).Wrap(err)
			}
			all = append(all, r)
			return nil
		}, first, last)
	})
	return all, err
}

func holdsAll(leaf []byte, snippets [][]byte) bool {
	for _, s := range snippets {
		if !bytes.Contains(leaf, s) {
			return false
		}
	}
	return true
}

// snippets are what the leaf of every wanted entry holds somewhere: canonical JSON has one
// spelling. Most that are not wanted need not be parsed.
func (f Filter) snippets() (all [][]byte) {
	for _, member := range []struct{ name, value string }{
		{"site", f.Site}, {"kind", f.Kind}, {"party", f.Party}, {"subject", f.Subject}, {"request", f.Request},
	} {
		if member.value != "" {
			all = append(all, receipt.Member(member.name, member.value))
		}
	}
	return all
}

func (f Filter) takes(e receipt.Entry) bool {
	same := func(want, have string) bool { return want == "" || want == have }
	return same(f.Site, e.Site) && same(f.Kind, e.Kind) && same(f.Party, e.Party) && same(f.Subject, e.Subject) &&
		same(f.Request, e.Request) &&
		(f.Since.IsZero() || !e.Time.Before(f.Since)) && (f.Until.IsZero() || e.Time.Before(f.Until))
}

// Follow gives the entries from an index on, and those to come as they get their places, until ctx
// ends or an error.
func (l *Ledger) Follow(ctx context.Context, cursor int64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		look := time.NewTicker(Delay) // for what other processes append
		defer look.Stop()
		for {
			l.checkedAt.Lock()
			news := l.news
			l.checkedAt.Unlock()
			for r, err := range l.Read(ctx, Filter{After: cursor}) {
				if err != nil && ctx.Err() != nil {
					return
				}
				if !yield(r, err) || err != nil {
					return
				}
				cursor = r.Index + 1
			}
			select {
			case <-ctx.Done():
				return
			case <-news:
			case <-look.C:
			}
		}
	}
}

// Head is the state of the ledger.
type Head struct {
	Origin  string
	Size    int64
	Root    receipt.Hash
	Signed  time.Time // when its checkpoint was signed
	Keys    []string  // the hashes of the keys that signed it, as C2SP signed notes write them
	Waiting int64     // entries that have no place yet
}

// Head reads how the ledger stands; its origin is empty where there is none.
func (l *Ledger) Head(ctx context.Context) (out Head, err error) {
	err = l.db.View(ctx, func(tx *store.Tx) error {
		h, err := readHead(ctx, tx)
		if err != nil && !errors.Is(err, errNone) {
			return err
		}
		out = Head{Origin: h.origin, Size: h.size, Root: h.root}
		for _, hash := range receipt.SignedBy(h.checkpoint) {
			out.Keys = append(out.Keys, strconv.FormatUint(uint64(hash)|1<<32, 16)[1:])
		}
		if h.origin != "" {
			if err := tx.QueryRow(ctx, `SELECT signed FROM ledger_head`).Scan(&out.Signed); err != nil {
				return err
			}
		}
		out.Waiting, err = waiting(ctx, tx, h.size)
		return err
	})
	return out, err
}

// waiting counts the entries that have no place yet.
func waiting(ctx context.Context, tx *store.Tx, size int64) (n int64, err error) {
	err = tx.QueryRow(ctx, `SELECT (SELECT COUNT(*) FROM ledger_entry WHERE place > $1) + (SELECT COUNT(*) FROM ledger_pending)`, size).Scan(&n)
	return n, err
}
