package store

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// address is a DSN that was understood.
type address struct {
	engine string
	path   string // SQLite: the absolute path of the file
	dsn    string // PostgreSQL: as given, with the password
	shown  string // what may be printed
}

// String names the database without its password.
func (a address) String() string { return a.shown }

const howToName = "name a file (sqlite:/var/lib/frontdesk/frontdesk.db) or a PostgreSQL database " +
	"(postgres://user:password@host:5432/database)"

// parseDSN understands a DSN. Its errors never repeat what may hold a password.
func parseDSN(dsn string) (address, error) {
	scheme, rest, found := strings.Cut(dsn, ":")
	switch {
	case strings.TrimSpace(dsn) == "":
		return address{}, errors.New("no database is named: " + howToName)
	case found && (scheme == "postgres" || scheme == "postgresql"):
		return parsePostgres(dsn)
	case found && scheme == "sqlite":
		return parsePath(strings.TrimPrefix(rest, "//"))
	case found && strings.HasPrefix(rest, "//"):
		return address{}, fmt.Errorf("%s:// is not a database that frontdesk knows: %s", scheme, howToName)
	case keywords.MatchString(dsn): // as a path it would be shown, password and all
		return address{}, errors.New("the database is named by keywords, as psql takes it: write it as an address, " +
			"postgres://user:password@host:5432/database, " +
			"or, if a file is meant, with sqlite: before its path")
	}
	return parsePath(dsn)
}

// keywords finds libpq's other form of a connection string, behind a folder perhaps.
var keywords = regexp.MustCompile(`(^|[\s/])(host|hostaddr|port|dbname|user|password|passfile|service|sslmode)\s*=`)

func parsePath(path string) (address, error) {
	if path == "" || strings.ContainsRune(path, 0) {
		return address{}, errors.New("sqlite: needs the path of a file: " + howToName)
	}
	if path == ":memory:" || strings.HasPrefix(path, "file:") {
		return address{}, fmt.Errorf("%s: frontdesk keeps its SQLite database in a plain file: %s", path, howToName)
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return address{}, err
	}
	if strings.HasSuffix(path, string(filepath.Separator)) {
		return address{}, isDirectory(absolute)
	}
	return address{engine: SQLite, path: absolute, shown: absolute}, nil
}

// parsePostgres takes the address apart only as far as to show it without its password. The text of
// url.Parse's errors holds the whole address and is dropped.
func parsePostgres(dsn string) (address, error) {
	u, err := url.Parse(dsn)
	if err != nil || u.Opaque != "" {
		return address{}, errors.New("the PostgreSQL address cannot be read: write it as " +
			"postgres://user:password@host:5432/database, " +
			"with %XX for special characters in the password (%40 for @, %2F for /, %25 for %)")
	}
	shown := url.URL{Scheme: "postgres", Host: u.Host, Path: u.Path}
	if u.User.Username() != "" {
		shown.User = url.User(u.User.Username())
	}
	return address{engine: PostgreSQL, dsn: dsn, shown: shown.String()}, nil
}

func isDirectory(path string) error {
	return fmt.Errorf("%s is a directory: name a file in it, for example %s", path, filepath.Join(path, "frontdesk.db"))
}

// prepareFile makes sure that an SQLite database can live at path: the directory is there and can
// be written to (SQLite keeps two more files beside the database), and so is the file. It creates
// both for the owner alone.
func prepareFile(path string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return explainFile(err, dir)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return isDirectory(path)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return explainFile(err, path)
	}
	if err := file.Close(); err != nil {
		return err
	}
	probe, err := os.CreateTemp(dir, ".frontdesk-*")
	if err != nil {
		return explainFile(err, dir)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// explainFile says what a person can do about err.
func explainFile(err error, path string) error {
	cause := err
	var onPath *fs.PathError
	if errors.As(err, &onPath) {
		cause, path = onPath.Err, onPath.Path
	}
	advice := "check the path"
	switch {
	case errors.Is(err, fs.ErrPermission):
		advice = "let the user that runs frontdesk write there, or name another place"
	case strings.Contains(cause.Error(), "read-only file system"):
		advice = "the file system is mounted read-only; name a place that can be written to"
	case strings.Contains(cause.Error(), "not a directory"):
		advice = "a part of the path is a file; name another place"
	case strings.Contains(cause.Error(), "no space left"):
		advice = "free some space on the disk, or name another place"
	}
	if dir := filepath.Dir(path); strings.HasPrefix(filepath.Base(path), ".frontdesk-") {
		path = dir
	}
	return fmt.Errorf("the database cannot be kept at %s: %w; %s", path, cause, advice)
}

// File is the absolute path of the database when it is a file.
func (c Config) File() (path string, ok bool) {
	at, err := parseDSN(c.DSN)
	return at.path, err == nil && at.engine == SQLite
}
