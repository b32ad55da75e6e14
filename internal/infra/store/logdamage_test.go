package store_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
)

// killed is the files of a database as they are when its process is killed after some transactions.
type killed map[string][]byte

// kill writes transactions of some words each, and gives what a kill leaves after the last. files
// names a layer of files.
func kill(t *testing.T, files string, transactions ...int) killed {
	t.Helper()
	path := filepath.Join(t.TempDir(), "frontdesk.db")
	db, err := store.Open(t.Context(), store.Config{DSN: path, Schemas: []store.Schema{words}, Files: files})
	if err != nil {
		t.Fatal(err)
	}
	for n, size := range transactions {
		if err := putSome(t, db, n, size); err != nil {
			t.Fatal(err)
		}
	}
	left := filesOf(t, path)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return left
}

// putSome writes long words in one transaction, so that it takes about a page for each.
func putSome(t *testing.T, db *store.DB, n, size int) error {
	return db.Update(t.Context(), func(tx *store.Tx) error {
		for i := range size {
			if err := put(t, tx, fmt.Sprintf("%03d %03d %s", n, i, strings.Repeat("x", 3000))); err != nil {
				return err
			}
		}
		return nil
	})
}

func filesOf(t *testing.T, path string) killed {
	t.Helper()
	left := killed{}
	for _, end := range []string{"", "-wal", "-shm"} {
		data, err := os.ReadFile(path + end)
		if err != nil {
			t.Fatal(err)
		}
		left[end] = data
	}
	return left
}

// put lays the files out, and gives the path of the database.
func (k killed) put(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "frontdesk.db")
	for end, data := range k {
		if err := os.WriteFile(path+end, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// with gives the files with another log, and without an index unless it is kept.
func (k killed) with(log []byte, index bool) killed {
	other := maps.Clone(k)
	other["-wal"] = log
	if !index {
		delete(other, "-shm")
	}
	return other
}

const frameSize = 24 + 4096

// commitsOf are the numbers of the frames that commit, counted from 0, of the log's current run.
func (k killed) commitsOf() (all []int) {
	log := k["-wal"]
	for n := 0; 32+(n+1)*frameSize <= len(log); n++ {
		head := log[32+n*frameSize:]
		if bytes.Equal(head[8:16], log[16:24]) && binary.BigEndian.Uint32(head[4:]) != 0 {
			all = append(all, n)
		}
	}
	return all
}

// harmed gives the log with bytes changed from a place on.
func (k killed) harmed(at, n int) []byte {
	log := bytes.Clone(k["-wal"])
	for i := range n {
		log[at+i] ^= 0x55
	}
	return log
}

// openWords opens what was left, and says how many transactions there are.
func openWords(t *testing.T, path string) (transactions int, err error) {
	t.Helper()
	db, err := store.Open(t.Context(), store.Config{DSN: path, Schemas: []store.Schema{words}})
	if err != nil {
		return 0, err
	}
	defer db.Close()
	seen := map[string]bool{}
	for _, word := range allWords(t, db) {
		seen[word[:3]] = true
	}
	return len(seen), nil
}

func TestADamagedLogThatLostTransactionsStopsTheStart(t *testing.T) {
	t.Parallel()
	left := kill(t, "", 1, 3, 2, 1, 4, 1)
	commits := left.commitsOf()
	middle, last := commits[len(commits)-4], commits[len(commits)-1]
	at := func(frame, offset int) int { return 32 + frame*frameSize + offset }
	for name, log := range map[string][]byte{
		"a page":                     left.harmed(at(middle, 1000), 1),
		"a page of a first frame":    left.harmed(at(0, 24), 1),
		"a frame's checksum":         left.harmed(at(middle, 16), 8),
		"a frame's salts":            left.harmed(at(middle, 8), 8),
		"a frame's size of the file": left.harmed(at(middle, 4), 4),
		"several frames":             left.harmed(at(middle-1, 0), 2*frameSize),
		"a sector":                   left.harmed(at(middle, 512-32), 512),
		"the header's checksum":      left.harmed(24, 8),
		"the header's salts":         left.harmed(16, 8),
		"the header":                 left.harmed(0, 32),
		"the first sector":           left.harmed(0, 512),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			broken := left.with(log, false)
			path := broken.put(t)
			_, err := openWords(t, path)
			if !errors.Is(err, store.ErrDamagedLog) || !strings.Contains(err.Error(), "frontdesk ledger resume") {
				t.Fatalf("it opens with %v", err)
			}
			for end, data := range broken {
				if now, err := os.ReadFile(path + end); err != nil || !bytes.Equal(now, data) {
					t.Errorf("%s is not as it was: %v", filepath.Base(path+end), err)
				}
			}
		})
	}
	for name, log := range map[string][]byte{
		"the last transaction": left.harmed(at(last, 1000), 1),
		"a log that is cut":    left["-wal"][:at(middle, 0)],
		"a log whose end was zeroed": append(bytes.Clone(left["-wal"][:at(middle, 0)]),
			make([]byte, len(left["-wal"])-at(middle, 0))...),
		"a log that lost half a page": left["-wal"][:at(last, 2000)],
	} {
		t.Run("by its index: "+name, func(t *testing.T) {
			t.Parallel()
			if _, err := openWords(t, left.with(log, true).put(t)); !errors.Is(err, store.ErrDamagedLog) {
				t.Fatalf("it opens with %v", err)
			}
		})
	}
	t.Run("nothing", func(t *testing.T) {
		t.Parallel()
		if n, err := openWords(t, left.put(t)); err != nil || n != 6 {
			t.Errorf("%d transactions, %v", n, err)
		}
	})
}

// TestATornLastTransactionStopsNoStart takes the last transaction apart in all the ways in which a
// loss of power does: no index tells of it, since that is written after the sync.
func TestATornLastTransactionStopsNoStart(t *testing.T) {
	t.Parallel()
	left := kill(t, "", 1, 3, 2, 5)
	commits := left.commitsOf()
	first, last := commits[len(commits)-2]+1, commits[len(commits)-1]
	if last-first < 4 {
		t.Fatalf("the last transaction has the frames %d to %d", first, last)
	}
	for frame := first; frame <= last; frame++ {
		begin := 32 + frame*frameSize
		for name, log := range map[string][]byte{
			"cut before":  left["-wal"][:begin],
			"cut within":  left["-wal"][:begin+1234],
			"harmed":      left.harmed(begin+1000, 512),
			"lost":        left.harmed(begin, frameSize),
			"head harmed": left.harmed(begin, 24),
			"written late": append(append(bytes.Clone(left["-wal"][:begin]), make([]byte, frameSize)...),
				left["-wal"][begin+frameSize:]...),
		} {
			if n, err := openWords(t, left.with(log, false).put(t)); err != nil || n != 3 {
				t.Errorf("frame %d of %d to %d %s: %d transactions, %v", frame, first, last, name, n, err)
			}
		}
	}
}

// TestNoLossOfPowerStopsAStart loses the power at moments all over a run, with whatever a disk may
// then have of what was not synced.
func TestNoLossOfPowerStopsAStart(t *testing.T) {
	t.Parallel()
	disk := storetest.NewDisk(t)
	path := filepath.Join(t.TempDir(), "frontdesk.db")
	db, err := store.Open(t.Context(), store.Config{DSN: path, Schemas: []store.Schema{words}, Files: disk.Name})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 12 {
		if err := putSome(t, db, n, []int{1, 7, 2, 1, 30}[n%5]); err != nil {
			t.Fatal(err)
		}
	}
	end := disk.Now()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	source := rand.New(rand.NewPCG(3, 5))
	for i := range 120 {
		folder := t.TempDir()
		at := end * (i + 1) / 120
		if err := disk.Crash(at, source, folder); err != nil {
			t.Fatal(err)
		}
		if _, err := openWords(t, filepath.Join(folder, "frontdesk.db")); err != nil {
			t.Fatalf("after moment %d of %d: %v", at, end, err)
		}
	}
}

// stubborn is a layer of files whose logs are not synced while it is told so.
type stubborn struct {
	vfs.VFSFilename
	refuses atomic.Bool
}

func (s *stubborn) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	file, out, err := s.VFSFilename.OpenFilename(name, flags)
	if err == nil && flags&vfs.OPEN_WAL != 0 {
		file = &stubbornFile{file, s}
	}
	return file, out, err
}

type stubbornFile struct {
	vfs.File
	of *stubborn
}

func (f *stubbornFile) Sync(flags vfs.SyncFlag) error {
	if f.of.refuses.Load() {
		return sqlite3.IOERR_FSYNC
	}
	return f.File.Sync(flags)
}

// TestWhatFailedTransactionsLeftInTheLogStopsNoStart leaves frames of the current run behind the
// end, commit frames among them.
func TestWhatFailedTransactionsLeftInTheLogStopsNoStart(t *testing.T) {
	t.Parallel()
	files := &stubborn{VFSFilename: vfs.Find("os").(vfs.VFSFilename)}
	vfs.Register("stubborn", files)
	t.Cleanup(func() { vfs.Unregister("stubborn") })
	path := filepath.Join(t.TempDir(), "frontdesk.db")
	db, err := store.Open(t.Context(), store.Config{DSN: path, Schemas: []store.Schema{words}, Files: "stubborn"})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := putSome(t, db, 0, 2); err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{20, 12, 6} { // each shorter, so that something of the one before stays
		files.refuses.Store(true)
		if err := putSome(t, db, 1, size); err == nil {
			t.Fatal("a transaction that was not synced counts")
		}
		files.refuses.Store(false)
	}
	if err := putSome(t, db, 1, 1); err != nil {
		t.Fatal(err)
	}
	left := filesOf(t, path)
	if len(left.commitsOf()) < 5 {
		t.Fatalf("the failed transactions have left nothing: there are the commits %v", left.commitsOf())
	}
	for _, index := range []bool{false, true} {
		if n, err := openWords(t, left.with(left["-wal"], index).put(t)); err != nil || n != 2 {
			t.Errorf("with the index %t: %d transactions, %v", index, n, err)
		}
	}
}

func TestADamagedLogIsCutWhereItsOwnerSaysSo(t *testing.T) {
	t.Parallel()
	left := kill(t, "", 1, 3, 2, 1, 4, 1)
	commits := left.commitsOf()
	broken := left.with(left.harmed(32+commits[len(commits)-3]*frameSize+100, 1), true)
	path := broken.put(t)
	config := store.Config{DSN: path, Schemas: []store.Schema{words}}
	kept, err := store.RepairLog(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	if log, err := os.ReadFile(kept); err != nil || !bytes.Equal(log, broken["-wal"]) {
		t.Errorf("the log was kept as %q: %v", kept, err)
	}
	if n, err := openWords(t, path); err != nil || n != 3 {
		t.Errorf("%d transactions, %v; want the three before the damage", n, err)
	}
	db, err := store.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if mark, err := db.LoadMark(t.Context()); err != nil || mark == "" {
		t.Errorf("it is not marked as older: %q, %v", mark, err)
	}
	if kept, err := store.RepairLog(t.Context(), config); err != nil || kept != "" {
		t.Errorf("where nothing is damaged, it keeps %q, %v", kept, err)
	}
}

// TestADatabaseThatHoldsWhatIsBehindTheDamageIsNotCut is of a log that was copied into the database
// before it was damaged.
func TestADatabaseThatHoldsWhatIsBehindTheDamageIsNotCut(t *testing.T) {
	t.Parallel()
	left := kill(t, "", 1, 3, 2)
	index := bytes.Clone(left["-shm"])
	copy(index[96:], index[16:20]) // all that was committed is copied
	broken := left.with(left.harmed(32+left.commitsOf()[1]*frameSize+100, 1), true)
	broken["-shm"] = index
	path := broken.put(t)
	if kept, err := store.RepairLog(t.Context(), store.Config{DSN: path}); err == nil || kept != "" ||
		!strings.Contains(err.Error(), "put back a backup") {
		t.Errorf("it keeps %q, %v", kept, err)
	}
}

// TestARestoreReplacesADatabaseWithADamagedLog loads one over it, as its error advises.
func TestARestoreReplacesADatabaseWithADamagedLog(t *testing.T) {
	t.Parallel()
	left := kill(t, "", 1, 3, 2, 1)
	commits := left.commitsOf()
	path := left.with(left.harmed(32+commits[len(commits)-3]*frameSize+100, 1), true).put(t)
	said := store.Schema{ID: "said", Steps: []string{`CREATE TABLE said_word (word {{text}} NOT NULL PRIMARY KEY)`}}
	config := store.Config{DSN: path, Schemas: []store.Schema{said}}
	layout := store.Layout{Schemas: []store.SchemaVersion{{ID: "said", Version: 1}},
		Tables: []store.Table{{Name: "said_word", Columns: []string{"word"}}}}
	load := func(options store.LoadOptions) error {
		return store.Load(t.Context(), config, layout, options, func(put func(int, [][]any) error) error {
			return put(0, [][]any{{"only"}})
		})
	}
	if err := load(store.LoadOptions{Mark: "one"}); !errors.Is(err, store.ErrDamagedLog) {
		t.Errorf("without a word it loads with %v", err)
	}
	if err := load(store.LoadOptions{Mark: "one", Replace: true}); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if mark, err := db.LoadMark(t.Context()); err != nil || mark != "one" {
		t.Errorf("what was loaded is %q, %v", mark, err)
	}
}
