package store

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// SQLite takes the write-ahead log of a process that was killed up to the first frame that does not
// fit, and drops what stands behind it: it cannot tell a transaction that was being written from
// one that was committed and damaged since. Some damage can be told
// (https://sqlite.org/fileformat2.html#the_write_ahead_log). Each frame bears the salts of its run
// through the log, so that frames of earlier runs are known, and a checksum that goes on from that
// of the frame before it. With synchronous=FULL a transaction is synced before anything of the next
// one is written. So
//
//   - a frame that goes on from a commit frame, both of the current run, proves that the commit was
//     synced with all before it: where the first frame that does not fit stands at that commit or
//     before, it was damaged later. What a loss of power, a kill, a full disk or a failed sync
//     leaves of a transaction that was not committed has no such pair: its commit frame, if there
//     is one, is its last, and what an earlier attempt left behind that goes on from another
//     checksum;
//   - the log's index (the file -shm) tells which frame was the last to be committed, and is
//     written after the sync.
//
// What is not told: damage in the last transaction, or a log cut short, where the index is gone or
// older. That takes disks that honour a sync; where one does not, and lost what was synced, this
// stops as well, since what was acknowledged is lost.

// ErrDamagedLog is the error of an SQLite database whose write-ahead log lost committed
// transactions.
var ErrDamagedLog = errors.New("its write-ahead log is damaged, and what was committed behind the damage would be " +
	"lost without a word")

// damage is where a log is damaged.
type damage struct {
	salts [8]byte
	frame int  // the first that does not fit, counted from 1; 0 for the header
	lost  int  // how many transactions are known at least to be behind
	mixed bool // some of what is behind is in the database file already
}

const (
	logHeader   = 32
	frameHeader = 24
)

// wholeLog refuses a database whose log has lost what was committed.
func wholeLog(path string, alone bool) error {
	found, err := confirmDamage(path)
	if err != nil || found == nil {
		return err
	}
	where := fmt.Sprintf("from frame %d on", found.frame)
	if found.frame == 0 {
		where = "from its header on"
	}
	advice := "put back a backup by `frontdesk restore --replace`, or run `frontdesk ledger resume`: the database " +
		"goes on with what stands before the damage, " +
		"the log is kept beside it, and the ledger gets a new name"
	if alone {
		advice = "put back a copy of before, or move the three files away to begin anew"
	}
	return fmt.Errorf("%s cannot be opened: %w (%s-wal, %s; %d transactions or more). First copy it to another "+
		"place, with its -wal and -shm. Then %s",
		path, ErrDamagedLog, filepath.Base(path), where, found.lost, advice)
}

// confirmDamage looks twice. Of a log that another process is writing, frames may be read before
// and others after they were written; at the second look such a place is whole.
func confirmDamage(path string) (*damage, error) {
	first, err := findDamage(path)
	if err != nil || first == nil {
		return nil, err
	}
	second, err := findDamage(path)
	if err != nil || second == nil || second.frame != first.frame || second.salts != first.salts {
		return nil, err
	}
	return second, nil
}

// findDamage reads the log of a database.
func findDamage(path string) (*damage, error) {
	index := readLogIndex(path + "-shm") // before the log, so that it tells of no more
	file, err := os.Open(path + "-wal")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, explainFile(err, path+"-wal")
	}
	defer file.Close()
	in := bufio.NewReaderSize(file, 1<<18)
	var header [logHeader]byte
	if _, err := io.ReadFull(in, header[:]); err != nil {
		return nil, cutShort(err)
	}
	scan := newLogScan(header, path)
	frame := make([]byte, frameHeader+scan.page)
	for {
		if _, err := io.ReadFull(in, frame); err != nil {
			return scan.judge(index), cutShort(err)
		}
		scan.take(frame)
	}
}

// cutShort drops the error of what ends.
func cutShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// logScan goes through the frames of a log.
type logScan struct {
	order  binary.ByteOrder
	page   int
	salts  []byte // of the current run; nil where the header is damaged
	frames int    // that were taken
	good   int    // how many of them fit, from the first on
	bad    bool   // one did not
	sums   [2]uint32
	last   []byte // the head of the frame before
	lost   int
	proof  []byte // the salts of what is lost
}

// newLogScan begins with the log's header. Where that is damaged, the database tells the size of
// pages.
func newLogScan(header [logHeader]byte, path string) *logScan {
	magic := binary.BigEndian.Uint32(header[0:])
	s := &logScan{order: binary.NativeEndian, page: int(binary.BigEndian.Uint32(header[8:])), sums: sumsAt(header[24:])}
	switch magic {
	case 0x377f0682:
		s.order = binary.LittleEndian
	case 0x377f0683:
		s.order = binary.BigEndian
	}
	if magic&^1 == 0x377f0682 && s.page >= 512 && s.page <= 1<<16 && s.page&(s.page-1) == 0 &&
		logSums(s.order, [2]uint32{}, header[:24]) == s.sums {
		s.salts = bytes.Clone(header[16:24])
		return s
	}
	s.bad, s.page = true, pageSize(path)
	return s
}

// pageSize is that of a database file.
func pageSize(path string) int {
	file, err := os.Open(path)
	if err != nil {
		return 4096
	}
	defer file.Close()
	var header [18]byte
	if _, err := io.ReadFull(file, header[:]); err != nil {
		return 4096
	}
	switch size := int(binary.BigEndian.Uint16(header[16:])); {
	case size == 1:
		return 1 << 16
	case size >= 512 && size&(size-1) == 0:
		return size
	}
	return 4096
}

// take looks at the next frame.
func (s *logScan) take(frame []byte) {
	s.frames++
	salts, sums, last := frame[8:16], sumsAt(frame[16:]), s.last
	current := s.salts != nil && bytes.Equal(salts, s.salts) ||
		s.salts == nil && last != nil && bytes.Equal(salts, last[8:16])
	follows := func() bool { return logSums(s.order, logSums(s.order, s.sums, frame[:8]), frame[frameHeader:]) == sums }
	switch {
	case !s.bad:
		if s.bad = !current || binary.BigEndian.Uint32(frame) == 0 || !follows(); !s.bad {
			s.good++
		}
	case current && s.frames > s.good+1 && commits(last) && bytes.Equal(last[8:16], salts) && !repeats(last, frame) &&
		follows():
		s.lost++
		s.proof = bytes.Clone(salts)
	}
	s.sums, s.last = sums, bytes.Clone(frame[:frameHeader])
}

// commits says whether a frame is the last of a transaction.
func commits(head []byte) bool { return head != nil && binary.BigEndian.Uint32(head[4:]) != 0 }

// repeats says whether a frame may be the one before once more, by which SQLite fills sectors on
// some disks.
func repeats(last, frame []byte) bool { return bytes.Equal(last[:8], frame[:8]) }

// judge says what the frames and the index prove; nil for nothing.
func (s *logScan) judge(index logIndex) *damage {
	if s.lost == 0 && s.salts != nil && bytes.Equal(index.salts, s.salts) && s.good < index.committed {
		s.lost, s.proof = 1, s.salts
	}
	if s.lost == 0 {
		return nil
	}
	d := &damage{salts: [8]byte(s.proof), lost: s.lost}
	if s.salts != nil {
		d.frame = s.good + 1
	}
	d.mixed = bytes.Equal(index.salts, s.proof) && index.copied >= max(1, d.frame)
	return d
}

// sumsAt reads a checksum.
func sumsAt(p []byte) [2]uint32 {
	return [2]uint32{binary.BigEndian.Uint32(p), binary.BigEndian.Uint32(p[4:])}
}

// logSums goes on with a checksum over bytes, whose number eight divides.
func logSums(order binary.ByteOrder, sums [2]uint32, p []byte) [2]uint32 {
	one, two := sums[0], sums[1]
	if order == binary.ByteOrder(binary.LittleEndian) { // almost always; and several times as fast
		for ; len(p) >= 8; p = p[8:] {
			one += binary.LittleEndian.Uint32(p) + two
			two += binary.LittleEndian.Uint32(p[4:]) + one
		}
		return [2]uint32{one, two}
	}
	for ; len(p) >= 8; p = p[8:] {
		one += order.Uint32(p) + two
		two += order.Uint32(p[4:]) + one
	}
	return [2]uint32{one, two}
}

// logIndex is what the index of a log tells (https://sqlite.org/walformat.html#walidxfmt).
type logIndex struct {
	salts     []byte
	committed int // frames
	copied    int // of them into the database file
}

// readLogIndex reads an index; empty where there is none that holds together.
func readLogIndex(path string) logIndex {
	const header, copied = 48, 96
	file, err := os.Open(path)
	if err != nil {
		return logIndex{}
	}
	defer file.Close()
	var p [copied + 4]byte
	if _, err := io.ReadFull(file, p[:]); err != nil {
		return logIndex{}
	}
	order := binary.NativeEndian
	sums := logSums(binary.NativeEndian, [2]uint32{}, p[:40])
	if !bytes.Equal(p[:header], p[header:2*header]) || order.Uint32(p[0:]) != 3007000 || p[12] != 1 ||
		order.Uint32(p[40:]) != sums[0] || order.Uint32(p[44:]) != sums[1] {
		return logIndex{}
	}
	return logIndex{salts: bytes.Clone(p[32:40]), committed: int(order.Uint32(p[16:])),
		copied: int(order.Uint32(p[copied:]))}
}

// RepairLog has a database go on whose log is damaged (ErrDamagedLog), with what stands before the
// damage: the log is kept beside it, under the name that it gives, and the database is marked as a
// Load marks it, since it is older than what was told of it. kept is empty where nothing is
// damaged. No other process may have the database open.
func RepairLog(ctx context.Context, config Config) (kept string, err error) {
	at, err := parseDSN(config.DSN)
	if err != nil || at.engine != SQLite {
		return "", err
	}
	found, err := confirmDamage(at.path)
	if err != nil || found == nil {
		return "", err
	}
	if found.mixed {
		return "",
			fmt.Errorf("%s: some of what stands behind the damage in its write-ahead log is in the database "+
				"already, and some is not, so that it cannot go on without: put back a backup", at)
	}
	pool, err := openPool(ctx, at.path, config.Files, 1,
		"_txlock=immediate", "busy_timeout(2000)", "locking_mode(exclusive)", "journal_mode(wal)", "synchronous(full)")
	if errors.Is(err, sqlite3.BUSY) {
		return "", fmt.Errorf("%s: another process has it open; end that one first", at)
	}
	if err != nil {
		return "", explainSQLite(err, at.path)
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	var sound string
	if err := pool.QueryRowContext(ctx, `PRAGMA integrity_check(1)`).Scan(&sound); err != nil {
		return "", explainSQLite(err, at.path)
	}
	if sound != "ok" {
		return "",
			fmt.Errorf("%s: without what stands behind the damage in its write-ahead log, the database does not "+
				"hold together: put back a backup", at)
	}
	kept = at.path + "-wal-damaged-" + time.Now().UTC().Format("20060102150405")
	if err := copyDurably(at.path+"-wal", kept); err != nil {
		return "", explainFile(err, kept)
	}
	if err := begunAnew(ctx, pool); err != nil {
		return "", explainSQLite(err, at.path)
	}
	if left, err := findDamage(at.path); err != nil || left != nil {
		return "", errors.Join(err,
			fmt.Errorf("%s: its write-ahead log cannot be begun anew; end every process that has the database open, "+
				"and try again", at))
	}
	return kept, nil
}

// begunAnew marks a database, and empties its log.
func begunAnew(ctx context.Context, pool *sql.DB) error {
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := mark(ctx, &Tx{tx: pooled{tx}}, strings.ToLower(rand.Text())); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	_, err = pool.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
	return err
}

// copyDurably copies a file, for its owner alone.
func copyDurably(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Sync(), target.Close())
}
