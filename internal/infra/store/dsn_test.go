package store_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
)

const secret = "s3cr3t"

// wantRefusal opens dsn, which must fail with an error that has each of the words and not the
// password.
func wantRefusal(t *testing.T, dsn string, words ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	db, err := store.Open(ctx, store.Config{DSN: dsn, Schemas: []store.Schema{notes}})
	if err == nil {
		db.Close()
		t.Fatalf("%q was opened", dsn)
	}
	for e := err; e != nil; e = errors.Unwrap(e) {
		if strings.Contains(fmt.Sprintf("%v %+v %#v", e, e, e.Error()), secret) {
			t.Errorf("the error shows the password: %v", e)
		}
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q: the error does not say %q: %v", dsn, word, err)
		}
	}
}

func TestDSNThatNamesNoDatabaseIsExplained(t *testing.T) {
	t.Parallel()
	for dsn, word := range map[string]string{
		"":                                     "sqlite:/",
		"  ":                                   "no database is named",
		"sqlite:":                              "needs the path",
		":memory:":                             "plain file",
		"file:x.db?mode=memory":                "plain file",
		"mysql://u:" + secret + "@h/d":         "mysql://",
		"/tmp/":                                "is a directory",
		"host=h password=" + secret:            "postgres://user:password@host",
		"/etc/x/dbname=d password = " + secret: "postgres://user:password@host",
		"a\x00b":                               "path",
	} {
		wantRefusal(t, dsn, word)
	}
}

func TestMissingDirectoryIsMadeForTheOwnerAlone(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{"", "sqlite:", "sqlite://"} {
		path := filepath.Join(t.TempDir(), "a", "b", "we ird?%#.db")
		if err := tryOpen(t, prefix+path, notes); err != nil {
			t.Fatal(err)
		}
		for p, want := range map[string]os.FileMode{filepath.Dir(path): 0o700, path: 0o600} {
			info, err := os.Stat(p)
			if err != nil {
				t.Fatal(err)
			}
			if got := info.Mode().Perm(); got != want {
				t.Errorf("%s has mode %o, want %o", p, got, want)
			}
		}
	}
}

// TestWhatIsBesideTheDatabaseIsTheOwnersAloneToo holds that in a folder which others can look into
// they do not find in the log of the database what they cannot read in the database.
func TestWhatIsBesideTheDatabaseIsTheOwnersAloneToo(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "we ird?%#&+.db")
	db, err := store.Open(t.Context(), store.Config{DSN: path, Schemas: []store.Schema{notes}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, p := range []string{path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != 0o600 {
			t.Errorf("%s has mode %o, want 600", filepath.Base(p), got)
		}
	}
}

func TestFileThatIsNoDatabaseIsLeftAlone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "letter.txt")
	text := []byte(strings.Repeat("Dear diary, ", 1000))
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, path, path, "not an SQLite database", "move it away")
	if got, err := os.ReadFile(path); err != nil || string(got) != string(text) {
		t.Errorf("the file was changed (%v)", err)
	}
}

func TestPlaceThatCannotBeWrittenIsExplained(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, filepath.Join(file, "x.db"), "a part of the path is a file")
	wantRefusal(t, dir, "is a directory", "frontdesk.db")

	closed := filepath.Join(dir, "closed")
	if err := os.Mkdir(closed, 0o500); err != nil {
		t.Fatal(err)
	}
	asNobody(t, func() { wantRefusal(t, filepath.Join(closed, "x.db"), "permission denied", "let the user") })
	asNobody(t, func() { wantRefusal(t, filepath.Join(closed, "new", "x.db"), "permission denied", "let the user") })
}

func TestDamagedFileIsExplained(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	if err := tryOpen(t, path, notes); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.WriteAt([]byte(strings.Repeat("rubbish ", 400)), 100)
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, path, "damaged", "put back a copy")
}

func TestPostgresThatDoesNotAnswerIsExplained(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close() // nobody is there now
	wantRefusal(t, "postgres://desk:"+secret+"@"+address+"/shop", "postgres://desk@"+address+"/shop", "is running")
}

func TestPostgresAddressIsNeverShownWithItsPassword(t *testing.T) {
	t.Parallel()
	for _, dsn := range []string{
		"postgres://desk:" + secret + "@127.0.0.1:port/shop",
		"postgres://desk:" + secret + "%zz@127.0.0.1/shop",
		"postgres://desk:" + secret + " x@127.0.0.1:1/shop",
		"postgres://desk@127.0.0.1:1/shop?password=" + secret + "&connect_timeout=x",
		"postgresql://:" + secret + "@127.0.0.1:1/shop?sslmode=wrong",
		"postgres:desk:" + secret + "@127.0.0.1:1/shop",
		"postgres://desk:" + secret + "@[::1/shop",
	} {
		wantRefusal(t, dsn, "PostgreSQL address cannot be read")
	}
	wantRefusal(t, "postgres://desk@127.0.0.1:1/shop?password="+secret, "postgres://desk@127.0.0.1:1/shop does not")
}

func TestPostgresThatRefusesIsExplained(t *testing.T) {
	t.Parallel()
	storetest.NeedPostgres(t)
	change := func(edit func(*url.URL)) string {
		u, err := url.Parse(os.Getenv(storetest.PostgresEnv))
		if err != nil {
			t.Fatal(err)
		}
		edit(u)
		return u.String()
	}
	wantRefusal(t, change(func(u *url.URL) { u.Path = "/nowhere" }), "no such database", "createdb")
	wantRefusal(t, change(func(u *url.URL) { u.User = url.UserPassword("stranger", secret) }), "postgres://stranger@")
	wantRefusal(t, change(func(u *url.URL) { u.RawQuery += "&search_path=nowhere" }), "CREATE SCHEMA")
}

// asNobody runs fn on a thread that may not do what root may with files. What fn opens first it
// opens on that thread.
func asNobody(t *testing.T, fn func()) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	restore := dropFileRights(t)
	defer restore()
	fn()
}
