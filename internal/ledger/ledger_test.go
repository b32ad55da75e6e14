package ledger_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/wire/receipt"
)

const origin = "example.com/ledger"

// key makes the private key of a name.
func key(name string) ed25519.PrivateKey {
	seed := sha256.Sum256([]byte(name))
	return ed25519.NewKeyFromSeed(seed[:])
}

// signer is what the key of a name signs a ledger with.
func signer(origin, name string) note.Signer {
	verifier, err := public(name)[0].Verifier(origin)
	if err != nil {
		panic(err)
	}
	hash, _, _ := strings.Cut(strings.TrimPrefix(verifier, origin+"+"), "+")
	made, err := note.NewSigner("PRIVATE+KEY+" + origin + "+" + hash + "+" +
		base64.StdEncoding.EncodeToString(append([]byte{1}, key(name).Seed()...)))
	if err != nil {
		panic(err)
	}
	return made
}

func public(names ...string) (keys receipt.Keys) {
	for _, name := range names {
		keys = append(keys, receipt.Key{ID: name, Public: key(name).Public().(ed25519.PublicKey)})
	}
	return keys
}

// options are those of a ledger that the named keys sign.
func options(names ...string) ledger.Options {
	return ledger.Options{
		Origin: origin,
		Signers: func(origin string) (signers []note.Signer) {
			for _, name := range names {
				signers = append(signers, signer(origin, name))
			}
			return signers
		},
		Keys: func() receipt.Keys { return public(names...) },
	}
}

// open opens a ledger, and runs its sequencer until the test ends.
func open(t testing.TB, db *store.DB, o ledger.Options) *ledger.Ledger {
	t.Helper()
	l := ledger.New(db, o)
	if err := l.Inspect(t.Context()); err != nil {
		t.Fatal(err)
	}
	run(t, l)
	return l
}

// run runs the sequencer until the test ends.
func run(t testing.TB, l *ledger.Ledger) {
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { l.Run(ctx) })
	t.Cleanup(func() {
		stop()
		running.Wait()
	})
}

// entry is some entry.
func entry(n int) receipt.Entry {
	return receipt.Entry{
		Kind: "access", Site: "local", Party: fmt.Sprintf("platform-%d", n%7),
		Subject: fmt.Sprintf("https://example.com/ü/%d", n), Request: fmt.Sprintf("r-%d", n),
		Body: []byte(fmt.Sprintf(`{"n": %d, "items":[{"url":"https://example.com/%d","chunks":["a","b"]}]}`, n, n)),
	}
}

// add appends n entries in one transaction, and gives their ids.
func add(t testing.TB, db *store.DB, l *ledger.Ledger, from, n int) (ids []string) {
	t.Helper()
	err := db.Update(t.Context(), func(tx *store.Tx) error {
		ids = nil
		for i := range n {
			id, err := l.Append(t.Context(), tx, entry(from+i))
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// settled waits until the ledger has a number of entries.
func settled(t testing.TB, l *ledger.Ledger, size int64) {
	t.Helper()
	if size == 0 {
		return
	}
	for _, err := range l.Follow(t.Context(), size-1) {
		if err != nil {
			t.Fatal(err)
		}
		return
	}
}

// sound has the ledger check itself.
func sound(t testing.TB, l *ledger.Ledger) {
	t.Helper()
	report, err := l.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Findings {
		t.Errorf("%s: %s", f.Where, f.Problem)
	}
}

// TestEntriesOfOneMomentAreNotTakenForOne has entries whose ids begin alike wait beside others that
// have their places.
func TestEntriesOfOneMomentAreNotTakenForOne(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, fresh func(*testing.T, ...store.Schema) *store.DB) {
		db, o := fresh(t, ledger.Schema), options("one")
		o.Now = func() time.Time { return time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC) }
		l := ledger.New(db, o)
		add(t, db, l, 0, 3)
		if err := l.SequenceNow(t.Context()); err != nil {
			t.Fatal(err)
		}
		add(t, db, l, 3, 2)
		sound(t, l)
	})
}

func TestEveryEntryGetsAReceiptThatHolds(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, fresh func(*testing.T, ...store.Schema) *store.DB) {
		db := fresh(t, ledger.Schema)
		l := open(t, db, options("one"))
		var ids []string
		for _, n := range []int{1, 1, 5, 249, 1, 300, 1} {
			ids = append(ids, add(t, db, l, len(ids), n)...)
			settled(t, l, int64(len(ids)))
			sound(t, l)
		}
		places := map[int64]bool{}
		for i, id := range ids {
			r, err := l.Receipt(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			again, err := receipt.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			c, err := receipt.Verify(again, public("one"))
			if err != nil {
				t.Fatalf("entry %d: %v", i, err)
			}
			if c.Size != int64(len(ids)) || again.Entry.Subject != entry(i).Subject || again.Entry.ID != id {
				t.Errorf("entry %d: %s", i, text)
			}
			places[r.Index] = true
			if _, err := receipt.Verify(again, public("two")); err == nil {
				t.Error("a receipt holds under a key that has not signed it")
			}
		}
		if len(places) != len(ids) {
			t.Errorf("%d entries have %d places", len(ids), len(places))
		}
		if _, err := l.Receipt(t.Context(), "01930000-0000-7000-8000-000000000000"); fail.From(err).Code !=
			fail.NotFound {
			t.Errorf("an unknown id: %v", err)
		}
	})
}

func TestAnEntryIsThereWithItsTransactionOrNotAtAll(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, fresh func(*testing.T, ...store.Schema) *store.DB) {
		db := fresh(t, ledger.Schema)
		l := open(t, db, options("one"))
		var lost string
		refused := errors.New("refused")
		err := db.Update(t.Context(), func(tx *store.Tx) (err error) {
			if lost, err = l.Append(t.Context(), tx, entry(0)); err != nil {
				return err
			}
			return refused
		})
		if !errors.Is(err, refused) {
			t.Fatal(err)
		}
		kept := add(t, db, l, 1, 1)
		settled(t, l, 1)
		sound(t, l)
		if _, err := l.Receipt(t.Context(), lost); fail.From(err).Code != fail.NotFound {
			t.Errorf("the entry of a transaction that was taken back: %v", err)
		}
		if r, err := l.Receipt(t.Context(), kept[0]); err != nil || r.Index != 0 {
			t.Errorf("the entry that was kept: %d, %v", r.Index, err)
		}
	})
}

// TestTheTreeIsTheOneOfTheGoTeamsLibrary compares roots, tiles and proofs with
// golang.org/x/mod/sumdb/tlog, which is handed the same leaves one by one.
func TestTheTreeIsTheOneOfTheGoTeamsLibrary(t *testing.T) {
	t.Parallel()
	db := storetest.OpenSQLite(t, ledger.Schema)
	l := open(t, db, options("one"))
	var hashes hashList
	sizes := []int64{}
	for _, n := range []int{1, 2, 60, 193, 1, 255, 257} {
		add(t, db, l, len(sizes), n)
		for r, err := range l.Read(t.Context(), ledger.Filter{After: hashes.leaves}) {
			if err != nil {
				t.Fatal(err)
			}
			if err := hashes.add(r.Leaf); err != nil {
				t.Fatal(err)
			}
		}
		signed, err := l.Checkpoint(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		c, err := receipt.OpenCheckpoint(signed, public("one"))
		if err != nil {
			t.Fatal(err)
		}
		if want, err := tlog.TreeHash(c.Size, hashes); err != nil || c.Root != want || c.Size != hashes.leaves {
			t.Fatalf("%d entries: the root is %s, and the library says %s (%v)", c.Size, c.Root, want, err)
		}
		sizes = append(sizes, c.Size)
	}
	size := sizes[len(sizes)-1]
	for _, old := range append(sizes, 0) {
		proof, err := l.Consistency(t.Context(), old, size)
		if err != nil {
			t.Fatal(err)
		}
		if old == 0 || old == size {
			continue
		}
		want, err := tlog.ProveTree(size, old, hashes)
		if err != nil || !slices.Equal(proof, want) {
			t.Errorf("from %d to %d: %v instead of %v (%v)", old, size, proof, want, err)
		}
	}
	err := receipt.Tiles(size, func(tile receipt.Tile) error {
		got, err := l.Tile(t.Context(), tile)
		if err != nil {
			return err
		}
		want, err := tlog.ReadTileData(tlog.Tile{H: receipt.TileHeight, L: tile.Level, N: tile.N, W: tile.Width},
			hashes)
		if err != nil || string(got) != string(want) {
			t.Errorf("%s differs from the library's (%v)", tile.Path(), err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// hashList keeps hashes as the library wants them.
type hashList struct {
	leaves int64
	hashes []tlog.Hash
}

func (h *hashList) add(leaf []byte) error {
	more, err := tlog.StoredHashes(h.leaves, leaf, h)
	h.leaves++
	h.hashes = append(h.hashes, more...)
	return err
}

func (h hashList) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		out[i] = h.hashes[index]
	}
	return out, nil
}

func TestAnEntryHoldsNothingOfAPerson(t *testing.T) {
	t.Parallel()
	db := storetest.OpenSQLite(t, ledger.Schema)
	l := open(t, db, options("one"))
	for body, fine := range map[string]bool{
		`{}`: true, `{"items":[{"url":"https://example.com/query"}]}`: true, `{"terms":"query_text"}`: true,
		`{"query_text":"soup"}`: false, `{"items":[{"a":[{"session_id":"s"}]}]}`: false, `{"email":null}`: false,
		`{"n":1e400}`: false, `{"n":9007199254740993}`: false, `{"n":1,"n":2}`: false, `[]`: false, `{`: false,
	} {
		err := db.Update(t.Context(), func(tx *store.Tx) error {
			e := entry(1)
			e.Body = []byte(body)
			_, err := l.Append(t.Context(), tx, e)
			return err
		})
		if (err == nil) != fine {
			t.Errorf("%s: %v", body, err)
		}
	}
	sound(t, l)
}

func TestAppendRefusesWhatIsNoEntry(t *testing.T) {
	t.Parallel()
	db := storetest.OpenSQLite(t, ledger.Schema)
	l := open(t, db, options("one"))
	for name, spoil := range map[string]func(*receipt.Entry){
		"an id":           func(e *receipt.Entry) { e.ID = "01930000-0000-7000-8000-000000000000" },
		"no kind":         func(e *receipt.Entry) { e.Kind = "" },
		"an odd kind":     func(e *receipt.Entry) { e.Kind = "Access" },
		"no UTF-8":        func(e *receipt.Entry) { e.Party = "\xff" },
		"a long subject":  func(e *receipt.Entry) { e.Subject = string(make([]byte, 3000)) },
		"the year 12000":  func(e *receipt.Entry) { e.Time = time.Date(12000, 1, 1, 0, 0, 0, 0, time.UTC) },
		"a body too long": func(e *receipt.Entry) { e.Body = fmt.Appendf(nil, `{"n":%q}`, make([]byte, 70000)) },
	} {
		e := entry(1)
		spoil(&e)
		err := db.Update(t.Context(), func(tx *store.Tx) error {
			_, err := l.Append(t.Context(), tx, e)
			return err
		})
		if err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

func TestManyEntriesAreAppendedAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, fresh func(*testing.T, ...store.Schema) *store.DB) {
		db := fresh(t, ledger.Schema)
		l := open(t, db, options("one"))
		var entries []receipt.Entry
		for i := range 700 {
			entries = append(entries, entry(i))
		}
		var ids []string
		put := func(entries []receipt.Entry) error {
			return db.Update(t.Context(), func(tx *store.Tx) (err error) {
				ids, err = l.AppendAll(t.Context(), tx, entries)
				return err
			})
		}
		if err := put(entries); err != nil || len(ids) != len(entries) {
			t.Fatalf("%d ids: %v", len(ids), err)
		}
		all := ids
		settled(t, l, 700)
		entries[650].Kind = "Wrong"
		if err := put(entries); err == nil {
			t.Error("one that is wrong among them was taken")
		}
		if err := db.Update(t.Context(), func(tx *store.Tx) error {
			_, _ = l.AppendAll(t.Context(), tx, entries)
			return nil
		}); err == nil {
			t.Error("the transaction of one that is wrong goes on")
		}
		if err := put(nil); err != nil || len(ids) != 0 {
			t.Errorf("none: %v, %v", ids, err)
		}
		for i, id := range all {
			r, err := l.Receipt(t.Context(), id)
			if err != nil || r.Entry.Request != fmt.Sprintf("r-%d", i) {
				t.Fatalf("entry %d: %+v, %v", i, r.Entry, err)
			}
		}
		sound(t, l)
	})
}

func TestWhatChangedIsRecordedOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, fresh func(*testing.T, ...store.Schema) *store.DB) {
		db := fresh(t, ledger.Schema)
		l := open(t, db, options("one"))
		wrote := 0
		for _, state := range []string{"a", "a", "b", "b", "a"} {
			err := db.Update(t.Context(), func(tx *store.Tx) error {
				changed, err := l.AppendChange(t.Context(), tx, "terms", state,
					receipt.Entry{Kind: "terms", Subject: state})
				if changed {
					wrote++
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		settled(t, l, 3)
		var seen []string
		for r, err := range l.Read(t.Context(), ledger.Filter{Kind: "terms"}) {
			if err != nil {
				t.Fatal(err)
			}
			seen = append(seen, r.Entry.Subject)
		}
		slices.Sort(seen)
		if wrote != 3 || !slices.Equal(seen, []string{"a", "a", "b"}) {
			t.Errorf("%d changes: %v", wrote, seen)
		}
	})
}

func TestReadGivesWhatTheFilterWants(t *testing.T) {
	t.Parallel()
	db := storetest.OpenSQLite(t, ledger.Schema)
	l := open(t, db, options("one"))
	start := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	err := db.Update(t.Context(), func(tx *store.Tx) error {
		for i := range 3000 {
			e := entry(i)
			e.Time = start.Add(time.Duration(i) * time.Second)
			e.Kind = []string{"access", "citation"}[i%2]
			e.Body = []byte(`{"kind":"citation"}`)
			if _, err := l.Append(t.Context(), tx, e); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		filter      ledger.Filter
		count       int
		first, last int64
	}{
		"all":       {ledger.Filter{}, 3000, 0, 2999},
		"newest":    {ledger.Filter{Newest: true}, 3000, 2999, 0},
		"a kind":    {ledger.Filter{Kind: "citation"}, 1500, 1, 2999},
		"a party":   {ledger.Filter{Party: "platform-3", Limit: 2}, 2, 3, 10},
		"a subject": {ledger.Filter{Subject: "https://example.com/ü/1234"}, 1, 1234, 1234},
		"a request": {ledger.Filter{Request: "r-7", Newest: true}, 1, 7, 7},
		"a site":    {ledger.Filter{Site: "elsewhere"}, 0, 0, 0},
		"a time": {ledger.Filter{Since: start.Add(10 * time.Second), Until: start.Add(12 * time.Second)}, 2,
			10, 11},
		"from, to":    {ledger.Filter{After: 1500, Before: 1502}, 2, 1500, 1501},
		"few, newest": {ledger.Filter{Newest: true, Limit: 3, Kind: "access"}, 3, 2998, 2994},
	} {
		var got []int64
		for r, err := range l.Read(t.Context(), c.filter) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, r.Index)
		}
		if len(got) != c.count || c.count > 0 && (got[0] != c.first || got[len(got)-1] != c.last) {
			t.Errorf("%s: %d entries from %v to %v", name, len(got), got[:min(1, len(got))], got[max(0, len(got)-1):])
		}
	}
}

func TestAnExportIsVerifiedWithNothingButTheKey(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, fresh func(*testing.T, ...store.Schema) *store.DB) {
		db := fresh(t, ledger.Schema)
		l := open(t, db, options("one"))
		if _, err := ledger.New(fresh(t, ledger.Schema), ledger.Options{}).Export(t.Context(), io.Discard,
			ledger.Lines); fail.From(err).Code != fail.NotFound {
			t.Errorf("where there is no ledger: %v", err)
		}
		add(t, db, l, 0, 600)
		settled(t, l, 600)
		var lines, cells bytes.Buffer
		if n, err := l.Export(t.Context(), &lines, ledger.Lines); err != nil || n != 600 {
			t.Fatal(n, err)
		}
		if c, err := receipt.VerifyExport(&lines, public("one")); err != nil || c.Size != 600 {
			t.Errorf("%+v, %v", c, err)
		}
		err := db.Update(t.Context(), func(tx *store.Tx) error {
			_, err := l.Append(t.Context(), tx, receipt.Entry{Kind: "access", Subject: `=HYPERLINK("https://example.com")`})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		settled(t, l, 601)
		if n, err := l.Export(t.Context(), &cells, ledger.CSV); err != nil || n != 601 {
			t.Fatal(n, err)
		}
		rows, err := csv.NewReader(&cells).ReadAll()
		if err != nil || len(rows) != 602 || rows[18][6] != entry(17).Subject && db.Engine() == store.SQLite {
			t.Errorf("%d rows: %v", len(rows), err)
		}
		if got := rows[601][6]; !strings.HasPrefix(got, "'=") {
			t.Errorf("a spreadsheet would take %s for a formula", got)
		}
		if _, err := l.Export(t.Context(), &cells, "xml"); err == nil {
			t.Error("a form is taken that there is not")
		}
	})
}
