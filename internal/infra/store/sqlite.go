package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"
)

// sqliteEngine is one file, a pool of connections that only read, and one that writes. A second
// process may have the same file open: SQLite lets one write at a time, and readers are never in
// the way.
type sqliteEngine struct {
	path    string
	readers *readers
	writers *sql.DB // of one connection
	writer  *writer
}

// busyTimeout is how long a writer waits for another process to finish its transaction. Nobody's
// should take more than a fraction of a second.
const busyTimeout = 30 * time.Second

func openSQLite(ctx context.Context, path string, config Config) (engine, error) {
	if err := prepareFile(path); err != nil {
		return nil, err
	}
	if !config.anyLog {
		if err := wholeLog(path, config.Exclusive); err != nil {
			return nil, err
		}
	}
	readers, files := config.Readers, config.Files
	// The log of WAL keeps what was deleted for a while. Without it, a commit lasts once the folder
	// is synced, too. Most commits write the same few pages once more, so that a log of 16 MB,
	// before they are copied into the file, saves most of the copying. The cache is small, since
	// SQLite looks through all of it when a page is split and its parts change places, which rows
	// with random keys bring about at every fourth commit.
	commits := []string{"journal_mode(wal)", "synchronous(full)", "wal_autocheckpoint(4096)"}
	if config.Shred {
		if err := noLog(ctx, path, files); err != nil {
			return nil, err
		}
		commits = []string{"journal_mode(delete)", "synchronous(extra)", "secure_delete(on)"}
	}
	if readers <= 0 {
		readers = max(4, 2*runtime.GOMAXPROCS(0))
	}
	e := &sqliteEngine{path: path}
	var err error
	e.writers, err = openPool(ctx, path, files, 1,
		"_txlock=immediate", append(commits, "cache_size(-4000)", "journal_size_limit(67108864)")...)
	if err != nil {
		return nil, explainSQLite(err, path)
	}
	shareAlike(path)
	pool, err := openPool(ctx, path, files, readers, "_txlock=deferred", "query_only(on)", "cache_size(-4000)")
	if err != nil {
		return nil, errors.Join(explainSQLite(err, path), e.writers.Close())
	}
	e.readers = newReaders(pool, readers)
	conn, err := connectionOf(ctx, e.writers)
	if err != nil {
		return nil, errors.Join(explainSQLite(err, path), e.readers.close(), e.writers.Close())
	}
	e.writer = startWriter(conn)
	return e, nil
}

// noLog refuses a database with a log: it was made without Shred, and may be in use.
func noLog(ctx context.Context, path, files string) error {
	pool, err := openPool(ctx, path, files, 1, "_txlock=deferred", "query_only(on)")
	if err != nil {
		return explainSQLite(err, path)
	}
	defer pool.Close()
	var mode string
	if err := pool.QueryRowContext(ctx, `PRAGMA journal_mode`).Scan(&mode); err != nil {
		return explainSQLite(err, path)
	}
	if mode == "wal" {
		return fmt.Errorf("%s: %w", path, ErrNotAlone)
	}
	return nil
}

// shareAlike gives the index of the log, which the driver makes for everybody to read, the rights
// of the database. Of another user's file that cannot be done, nor is it needed.
func shareAlike(path string) {
	database, err := os.Stat(path)
	index, missing := os.Lstat(path + "-shm")
	if err == nil && missing == nil && index.Mode().IsRegular() && index.Mode().Perm() != database.Mode().Perm() {
		_ = os.Chmod(path+"-shm", database.Mode().Perm())
	}
}

// openPool opens connections to the file and tries one. Two processes that create the same file at
// once may find it busy in a place where SQLite does not wait by itself.
func openPool(ctx context.Context, path, files string, size int, txlock string, pragmas ...string) (*sql.DB, error) {
	pool, err := driver.Open(fileURL(path, files, txlock, pragmas))
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(size)
	pool.SetMaxIdleConns(size)
	for pause := time.Millisecond; ; pause *= 2 {
		var pages int
		err = pool.QueryRowContext(ctx, `PRAGMA page_count`).Scan(&pages)
		if !errors.Is(err, sqlite3.BUSY) || pause > busyTimeout/2 {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
	if err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	return pool, nil
}

// fileURL is the driver's name for the file. The busy timeout comes first: the other pragmas may
// already have to wait. The files that SQLite keeps beside it are for the eyes of those for whom it
// is.
func fileURL(path, files, txlock string, pragmas []string) string {
	query := fmt.Sprintf("%s&_pragma=busy_timeout(%d)&_pragma=foreign_keys(on)&_pragma=temp_store(memory)", txlock,
		busyTimeout.Milliseconds())
	for _, pragma := range pragmas {
		query += "&_pragma=" + pragma
	}
	query += "&modeof=" + strings.ReplaceAll(url.QueryEscape(path), "+", "%20") // SQLite reads no + as a blank
	query += "&vfs=" + logFiles(files)
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: query}
	return u.String()
}

func explainSQLite(err error, path string) error {
	advice := ""
	switch {
	case errors.Is(err, sqlite3.NOTADB):
		advice = "the file is not an SQLite database; move it away, or name another file"
	case errors.Is(err, sqlite3.CORRUPT):
		advice = "the file is damaged; put back a copy, or move it away and ingest again"
	case errors.Is(err, sqlite3.BUSY):
		advice = "another process keeps it locked; end that one first"
	case errors.Is(err, sqlite3.READONLY), errors.Is(err, sqlite3.CANTOPEN), errors.Is(err, sqlite3.PERM):
		advice = "let the user that runs frontdesk write to the file and its directory"
	case errors.Is(err, sqlite3.FULL), errors.Is(err, sqlite3.IOERR):
		return outOfSpace(fmt.Errorf("%s: %w", path, err), path)
	default:
		return fmt.Errorf("%s: %w", path, err)
	}
	return fmt.Errorf("%s cannot be opened: %s (%w)", path, advice, err)
}

func (e *sqliteEngine) name() string { return SQLite }

// ping reads from the file: the driver's own Ping does not.
func (e *sqliteEngine) ping(ctx context.Context) error {
	return e.view(ctx, func(tx *Tx) error {
		var tables int
		return tx.QueryRow(ctx, `SELECT COUNT(*) FROM sqlite_master`).Scan(&tables)
	})
}

func (e *sqliteEngine) view(ctx context.Context, fn func(*Tx) error) error {
	c, err := e.readers.acquire(ctx)
	if err != nil {
		return err
	}
	defer e.readers.release(c)
	return outOfSpace(c.view(ctx, fn), e.path)
}

func (e *sqliteEngine) update(ctx context.Context, fn func(*Tx) error) error {
	return outOfSpace(e.writer.update(ctx, fn), e.path)
}

// updateSerial needs nothing of its own: there is one writer at a time.
func (e *sqliteEngine) updateSerial(ctx context.Context, _ string, fn func(*Tx) error) error {
	return e.update(ctx, fn)
}

// updateBatched needs nothing of its own either.
func (e *sqliteEngine) updateBatched(ctx context.Context, _ []string, fn func(*Tx) error) error {
	return e.update(ctx, fn)
}

// littleSpace is what is left of a disk that SQLite's next write may not fit on.
const littleSpace = 1 << 20

// outOfSpace says what to do when an error comes of a full disk. SQLite calls it an I/O error as
// often as not, so the disk itself is asked.
func outOfSpace(err error, path string) error {
	var code sqlite3.ErrorCode
	if !errors.As(err, &code) || code != sqlite3.IOERR && code != sqlite3.FULL {
		return err
	}
	if left, known := freeSpace(path); code == sqlite3.IOERR && (!known || left > littleSpace) {
		return err
	}
	return fmt.Errorf("the disk that holds %s is full: free some space and try again; what was stored before is "+
		"unharmed (%w)", path, code)
}

// analyze has nothing to do: without statistics SQLite takes the index that fits a query best.
func (e *sqliteEngine) analyze(context.Context, []string) error { return nil }

// migrate needs no lock of its own: a writing transaction excludes other processes from its
// beginning.
func (e *sqliteEngine) migrate(ctx context.Context, fn func(*Tx) error) error {
	return explained(e.writer.update(ctx, fn), e.path)
}

// explained is explainSQLite for errors that may be ours.
func explained(err error, path string) error {
	var code sqlite3.ErrorCode
	if !errors.As(err, &code) {
		return err
	}
	return explainSQLite(err, path)
}

func (e *sqliteEngine) close() error {
	return errors.Join(e.readers.close(), e.writer.close(), e.writers.Close())
}

func refuseBulk(context.Context, string, []string, iter.Seq[[]any]) (int64, error) {
	return 0, errors.New("a View cannot write; use Update")
}
