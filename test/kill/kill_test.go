// Package kill ends the real frontdesk with SIGKILL at random points of an ingest run, a backup, a
// restore or of what it serves, again and again on the same database, and holds that what is left
// is the state before or the state after it, whole.
//
// The short form is part of every test run; FRONTDESK_KILLS=300 is the long one.
package kill

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"frontdesk/internal/testkit/process"
	"frontdesk/internal/testkit/storetest"
)

func TestMain(m *testing.M) { process.Main(m) }

// shortKills is how often a database is hit in the short form.
const shortKills = 20

// kills is how often servers are killed: FRONTDESK_KILLS times, without it as often as the short
// form says.
func kills(t *testing.T, short int) int {
	value := os.Getenv("FRONTDESK_KILLS")
	if value == "" {
		return short
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 {
		t.Fatalf("FRONTDESK_KILLS is %q; it must be a number of kills", value)
	}
	return n
}

// killOnBoth runs a series of kills of one server on SQLite, and of two on one PostgreSQL. fresh
// gives the address of a new database.
func killOnBoth(t *testing.T, short int, series func(t *testing.T, fresh func() string, servers, kills int)) {
	if testing.Short() {
		t.Skip("short: runs the real program some dozens of times")
	}
	n := kills(t, short)
	t.Run("sqlite", func(t *testing.T) {
		series(t, func() string { return "sqlite:" + filepath.Join(t.TempDir(), "frontdesk.db") }, 1, n)
	})
	t.Run("postgres", func(t *testing.T) {
		storetest.NeedPostgres(t)
		series(t, func() string { return storetest.NewPostgres(t) }, 2, n)
	})
}

// The content alternates between these editions. The later ones come half way through, and bring
// new files: the content grows, and then alternates again, so that a run adds, changes and removes
// items.
var (
	early = []edition{{"amber", 1600, 12}, {"birch", 1600, 12}}
	later = []edition{{"cedar", 2000, 20}, {"dunes", 1700, 16}}
)

func TestKilledIngestLeavesTheOldOrTheNewState(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: runs the real program some dozens of times")
	}
	t.Run("sqlite", func(t *testing.T) {
		data := t.TempDir()
		r := &run{t: t, store: "sqlite:" + filepath.Join(data, "frontdesk.db"), data: data}
		r.all()
		// What killed runs left behind is swept: the database does not grow with their number.
		if after := size(t, data); after > 8*r.fresh {
			t.Errorf("after the kills the database takes %d KiB; with the same content alone it takes %d", after>>10,
				r.fresh>>10)
		}
	})
	t.Run("postgres", func(t *testing.T) {
		storetest.NeedPostgres(t)
		(&run{t: t, store: storetest.NewPostgres(t)}).all()
	})
}

// run is one series of kills on one database.
type run struct {
	t      *testing.T
	store  string           // DSN
	data   string           // directory of the SQLite database, empty for PostgreSQL
	source string           // directory of the content
	holds  string           // the edition that the catalog held when it was looked at last
	states map[string]state // of each edition, read after an undisturbed run
	length time.Duration    // of a whole run
	fresh  int64            // size of a database with the largest edition alone
	random *rand.Rand

	killed, finished int // runs that were, and runs that were done before
	old, new         int // what killed runs left
}

// begin fills the database with the first edition.
func (r *run) begin() {
	seed := uint64(time.Now().UnixNano())
	r.t.Logf("seed %d", seed)
	r.random = rand.New(rand.NewPCG(seed, 0))
	r.source = r.t.TempDir()
	r.learn()
	r.switchTo(early[0])
	began := time.Now()
	if err := r.ingest(-1); err != nil {
		r.t.Fatal(err)
	}
	r.length = time.Since(began)
	r.check()
}

func (r *run) all() {
	r.begin()
	n := kills(r.t, shortKills)
	// Runs that were done before their kill do not count.
	for i := 0; i < 4*n && r.killed < n; i++ {
		pair := early
		if r.killed >= n/2 {
			pair = later
		}
		r.once(pair)
	}
	r.t.Logf("%d kills: %d left the old state, %d the new one; %d runs were done before the kill", r.killed, r.old,
		r.new, r.finished)
	if r.killed < n || r.old == 0 {
		r.t.Errorf("the kills did not hit the runs: too little was tested")
	}
	r.switchTo(later[0])
	if err := r.ingest(-1); err != nil {
		r.t.Fatal(err)
	}
	if got := r.check(); got != later[0].name {
		r.t.Errorf("after an undisturbed run the catalog holds edition %s, want %s", got, later[0].name)
	}
}

// learn reads the state of each edition from a database of its own.
func (r *run) learn() {
	r.states = map[string]state{}
	for _, e := range append(early, later...) {
		dir := r.t.TempDir()
		other := &run{t: r.t, store: "sqlite:" + filepath.Join(dir, "frontdesk.db"), source: r.source}
		other.switchTo(e)
		if err := other.ingest(-1); err != nil {
			r.t.Fatal(err)
		}
		r.states[e.name] = readState(r.t, other.store)
		if got := r.states[e.name].items; got != e.items {
			r.t.Fatalf("edition %s has %d items in the catalog, want %d", e.name, got, e.items)
		}
		r.fresh = max(r.fresh, size(r.t, dir))
	}
}

// switchTo lays out another edition for the next run.
func (r *run) switchTo(e edition) {
	e.write(r.t, r.source)
}

// once kills one run that would replace the catalog's edition by the other of the pair, and counts
// what is left.
func (r *run) once(pair []edition) {
	before := r.holds
	target := pair[0]
	if before == target.name {
		target = pair[1]
	}
	r.switchTo(target)
	// Half of the kills fall anywhere in the run, the others near its end, where it is published.
	at := r.random.Float64()
	if r.random.IntN(2) == 0 {
		at = 0.8 + 0.4*at
	}
	began := time.Now()
	if r.ingest(time.Duration(at*float64(r.length))) == nil {
		r.finished++
		r.length = time.Since(began) // and the next kills come earlier
		if after := r.check(); after != target.name {
			r.t.Errorf("a run that was done left %s, want %s", after, target.name)
		}
		return
	}
	r.killed++
	switch after := r.check(); after {
	case before:
		r.old++
		if at > 0.9 {
			r.length += r.length / 10 // runs take longer than we thought
		}
	case target.name:
		r.new++
	default:
		r.t.Errorf("the run was to replace %s by %s, and left %s", before, target.name, after)
	}
}

// ingest runs the program, and kills it after a while unless that is negative. It fails where the
// program was killed before it was done.
func (r *run) ingest(after time.Duration) error {
	r.t.Helper()
	args := []string{"ingest", "--store", r.store, r.source}
	if after < 0 {
		_, stderr, err := process.Run(r.t, args...)
		if err != nil {
			return fmt.Errorf("%w\n%s", err, stderr)
		}
		return nil
	}
	command := process.Command(r.t, args...)
	var output strings.Builder
	command.Stdout, command.Stderr = &output, &output
	if err := command.Start(); err != nil {
		r.t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { command.Process.Signal(syscall.SIGKILL) })
	defer timer.Stop()
	err := command.Wait()
	if killed(err) || err == nil {
		return err
	}
	r.t.Fatalf("a run that follows a killed one failed: %v\n%s", err, output.String())
	return nil
}

// killed says whether a program ended by SIGKILL.
func killed(err error) bool {
	exit, ok := err.(*exec.ExitError)
	if !ok {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// check reads what is there, and names the edition that it is, whole.
func (r *run) check() string {
	r.t.Helper()
	dsn := r.store
	if r.data != "" {
		// A look at the database itself would repair it; the next run has to do that.
		dir := r.t.TempDir()
		dsn = "sqlite:" + filepath.Join(dir, "frontdesk.db")
		copyDatabase(r.t, filepath.Join(r.data, "frontdesk.db"), filepath.Join(dir, "frontdesk.db"))
		defer os.RemoveAll(dir)
	}
	got := readState(r.t, dsn)
	for name, want := range r.states {
		if got == want {
			r.holds = name
			return name
		}
	}
	r.t.Fatalf("the catalog holds %d items that are no edition as a whole (digest %s)", got.items, got.digest)
	return ""
}
