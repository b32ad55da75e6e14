package kill

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"frontdesk/internal/testkit/process"
	"frontdesk/internal/testkit/storetest"
)

// TestKilledRestoreLeavesTheOldOrTheNewWhole ends restores by SIGKILL: afterwards database and key
// file are those of one backup, together.
func TestKilledRestoreLeavesTheOldOrTheNewWhole(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: runs the real program some dozens of times")
	}
	t.Run("sqlite", func(t *testing.T) {
		data := t.TempDir()
		newRestores(t, "sqlite:"+filepath.Join(data, "frontdesk.db"), data).all()
	})
	t.Run("postgres", func(t *testing.T) {
		storetest.NeedPostgres(t)
		newRestores(t, storetest.NewPostgres(t), t.TempDir()).all()
	})
}

// restores is a series of restores into one place.
type restores struct {
	*run
	place   string            // the data folder
	backups map[string]string // of each edition
}

// newRestores makes a backup of each of the early editions, each with a key file that bears its
// name.
func newRestores(t *testing.T, dsn, place string) *restores {
	r := &restores{run: &run{t: t, store: dsn}, place: place, backups: map[string]string{}}
	from := t.TempDir()
	origin := &run{t: t, store: "sqlite:" + filepath.Join(from, "frontdesk.db"), data: from}
	origin.begin()
	r.states, r.random = origin.states, origin.random
	for _, e := range early {
		origin.switchTo(e)
		if err := origin.ingest(-1); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(from, "keys"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(from, "keys", "site.key"), []byte(e.name), 0o600); err != nil {
			t.Fatal(err)
		}
		r.backups[e.name] = filepath.Join(t.TempDir(), e.name+".backup")
		process.MustRun(t, "backup", "--data", from, r.backups[e.name])
	}
	return r
}

func (r *restores) all() {
	holds := early[0].name
	r.restore(holds, -1)
	began := time.Now()
	r.restore(holds, -1)
	length := time.Since(began)
	killed, old := 0, 0
	n := max(6, kills(r.t, shortKills)/3)
	for i := 0; i < 4*n && killed < n; i++ {
		next := early[0].name
		if next == holds {
			next = early[1].name
		}
		at := 0.1 + r.random.Float64()
		if i%2 == 0 { // near the end, where the database is committed and the files are moved
			at = 0.8 + 0.3*r.random.Float64()
		}
		finished := r.restore(next, time.Duration(at*float64(length)))
		after := r.look()
		switch {
		case finished && after != next:
			r.t.Errorf("a restore that was done left %s, want %s", after, next)
		case !finished:
			killed++
			if after == holds {
				old++
			}
		}
		holds = after
	}
	r.t.Logf("%d kills: %d left the old state, %d the new one", killed, old, killed-old)
	if killed < n || old == 0 {
		r.t.Error("the kills did not hit the restores: too little was tested")
	}
}

// restore puts the backup of an edition in place, and says whether that was done before the kill.
func (r *restores) restore(edition string, after time.Duration) bool {
	r.t.Helper()
	return r.kill(after, "restore", "--replace", "--data", r.place, "--store", r.store, r.backups[edition])
}

// look has the program start once, as it does after a crash, and names the edition that database
// and key file are of.
func (r *restores) look() string {
	r.t.Helper()
	process.MustRun(r.t, "keys", "list", "--data", r.place, "--store", r.store)
	key, err := os.ReadFile(filepath.Join(r.place, "keys", "site.key"))
	if err != nil {
		r.t.Fatal(err)
	}
	if got := r.check(); got != string(key) {
		r.t.Fatalf("the database is of edition %s, and the key of %s", got, key)
	}
	return string(key)
}

// kill runs the program and kills it after a while, unless that is negative. It says whether the
// program was done.
func (r *run) kill(after time.Duration, args ...string) bool {
	r.t.Helper()
	command := process.Command(r.t, args...)
	var output strings.Builder
	command.Stdout, command.Stderr = &output, &output
	if err := command.Start(); err != nil {
		r.t.Fatal(err)
	}
	if after >= 0 {
		timer := time.AfterFunc(after, func() { command.Process.Signal(syscall.SIGKILL) })
		defer timer.Stop()
	}
	err := command.Wait()
	if err != nil && !killed(err) {
		r.t.Fatalf("%s: %v\n%s", args[0], err, output.String())
	}
	return err == nil
}

// TestBackupUnderLoadIsOfOneEditionAndWholeOrNotThere backs up while a server answers and an ingest
// replaces one edition by the other, and ends some of the backups by SIGKILL: a file that has the
// name is whole, and holds one edition.
func TestBackupUnderLoadIsOfOneEditionAndWholeOrNotThere(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: runs the real program some dozens of times")
	}
	t.Run("sqlite", func(t *testing.T) {
		data := t.TempDir()
		backUpUnderLoad(t, &run{t: t, store: "sqlite:" + filepath.Join(data, "frontdesk.db"), data: data})
	})
	t.Run("postgres", func(t *testing.T) {
		storetest.NeedPostgres(t)
		backUpUnderLoad(t, &run{t: t, store: storetest.NewPostgres(t)})
	})
}

func backUpUnderLoad(t *testing.T, r *run) {
	r.begin()
	server := process.Start(t, "serve", "--data", t.TempDir(), "--store", r.store, "--listen", "127.0.0.1:0",
		"--metrics-listen", "off", "--log-level", "warn", "--set", manyAsked)
	asker := &asker{url: server.URL, done: make(chan struct{})}
	asker.wait.Go(asker.keepAsking)
	dir := t.TempDir()
	began := time.Now()
	r.kill(-1, "backup", "--data", dir, "--store", r.store, filepath.Join(dir, "first.backup"))
	length := time.Since(began)
	whole, broken := 0, 0
	for i := range 2 * max(4, kills(t, shortKills)/4) {
		r.switchTo(early[(i+1)%2])
		ingest := process.Command(t, "ingest", "--store", r.store, r.source)
		if err := ingest.Start(); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "site.backup")
		after := time.Duration(-1)
		if i%2 == 1 {
			after = time.Duration(r.random.Float64() * float64(length))
		}
		done := r.kill(after, "backup", "--replace", "--data", dir, "--store", r.store, path)
		if err := ingest.Wait(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && !done {
			broken++
			continue
		}
		process.MustRun(t, "restore", "--check", path)
		if done {
			whole++
			r.restored(path)
		}
		os.Remove(path)
	}
	close(asker.done)
	asker.wait.Wait()
	for _, fault := range asker.faults {
		t.Error(fault)
	}
	t.Logf("%d whole backups, %d that never got their name, %d answers meanwhile", whole, broken, asker.answers)
	if whole == 0 || broken == 0 || asker.answers == 0 {
		t.Error("too little was tested")
	}
}

// restored restores a backup elsewhere, and expects one edition whole.
func (r *run) restored(path string) {
	r.t.Helper()
	dir := r.t.TempDir()
	defer os.RemoveAll(dir)
	process.MustRun(r.t, "restore", "--data", dir, path)
	elsewhere := &run{t: r.t, store: "sqlite:" + filepath.Join(dir, "frontdesk.db"), states: r.states}
	elsewhere.check()
}
