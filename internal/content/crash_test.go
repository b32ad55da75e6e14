package content_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/content"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
)

// The environment variables by which a test makes this binary the process that it kills.
const (
	victimDSN  = "FRONTDESK_TEST_VICTIM_DSN"
	victimFrom = "FRONTDESK_TEST_VICTIM_FROM"
)

func TestMain(m *testing.M) {
	if dsn := os.Getenv(victimDSN); dsn != "" {
		from, _ := strconv.Atoi(os.Getenv(victimFrom))
		fmt.Fprintln(os.Stderr, victim(context.Background(), dsn, from))
		os.Exit(3)
	}
	os.Exit(m.Run())
}

// stateItems are the items of the source's n-th state: a part changes, a part goes, a part comes
// with each.
func stateItems(n int) (made []content.Item) {
	for i := range 120 {
		switch {
		case i%5 == n%5: // not there in this state
		case i%3 == 0: // never changes
			made = append(made, item(strconv.Itoa(i), 1))
		default:
			made = append(made, item(strconv.Itoa(i), n))
		}
	}
	return made
}

// victim publishes one state after another, and says so after each, until it is killed. A run that
// a victim before it has left behind must not keep it waiting.
func victim(ctx context.Context, dsn string, from int) error {
	db, err := store.Open(ctx, store.Config{DSN: dsn, Schemas: []store.Schema{content.Schema}})
	if err != nil {
		return err
	}
	catalog := content.New(db, content.Options{})
	catalog.SetLimits(7, 11, 13)
	fmt.Println("open")
	for n := from; ; n++ {
		run, err := catalog.Begin(ctx, site, source)
		if err != nil {
			return err
		}
		if err := run.Put(ctx, stateItems(n)...); err != nil {
			return err
		}
		if _, err := run.Commit(ctx, content.CommitOptions{}); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

// TestKilledProcessLeavesAWholeState kills a process that fills a source at random moments, again
// and again (10 times, or as many as FRONTDESK_KILLS says). After each kill the database is sound
// and holds exactly the state that the process reported last, or the next one: that was durable
// before it could be reported.
func TestKilledProcessLeavesAWholeState(t *testing.T) {
	t.Parallel()
	kills := 10
	if n, err := strconv.Atoi(os.Getenv("FRONTDESK_KILLS")); err == nil {
		kills = n
	}
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		dsn := fresh(t)
		begin := time.Now()
		// one that is left alone for long enough to do two runs
		at := identify(t, dsn, killOne(t, dsn, 0, time.Hour, 2))
		span := time.Since(begin)
		for range kills {
			reported := killOne(t, dsn, at+1, rand.N(span), -1)
			at = identify(t, dsn, max(at, reported))
		}
		t.Logf("%d states were published in the lives of %d processes", at+1, kills+1)
	})
}

// killOne starts a process that goes on from a state, kills it some time after it has opened the
// database or when it has reported so many states, and returns the last state that it reported, -1
// if none.
func killOne(t *testing.T, dsn string, from int, after time.Duration, states int) int {
	t.Helper()
	process := exec.Command(os.Args[0])
	process.Env = append(os.Environ(), victimDSN+"="+dsn, victimFrom+"="+strconv.Itoa(from))
	process.Stderr = os.Stderr
	out, err := process.StdoutPipe()
	if err == nil {
		err = process.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	kill := func() { process.Process.Kill() }
	reported := -1
	for lines := bufio.NewScanner(out); lines.Scan(); states-- {
		if lines.Text() == "open" {
			defer time.AfterFunc(after, kill).Stop()
		} else if reported, err = strconv.Atoi(lines.Text()); err != nil {
			t.Errorf("the process said %q", lines.Text())
		}
		if states == 0 {
			kill()
		}
	}
	if err := process.Wait(); process.ProcessState.Exited() {
		t.Fatalf("the process ended by itself: %v", err)
	}
	return reported
}

// identify checks the database and says which state it holds: reported or, if that was never said,
// the next.
func identify(t *testing.T, dsn string, reported int) int {
	t.Helper()
	db, err := store.Open(t.Context(), store.Config{DSN: dsn, Schemas: []store.Schema{content.Schema}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if db.Engine() == store.SQLite {
		var verdict string
		err := db.View(t.Context(), func(tx *store.Tx) error {
			return tx.QueryRow(t.Context(), `PRAGMA integrity_check`).Scan(&verdict)
		})
		if err != nil || verdict != "ok" {
			t.Fatalf("integrity check: %s %v", verdict, err)
		}
	}
	got := map[string]content.Item{}
	catalog := content.New(db, content.Options{})
	if err := catalog.EachItem(t.Context(), site, func(i content.Item) error { got[i.URL] = i; return nil }); err !=
		nil {
		t.Fatal(err)
	}
	diff := ""
	for _, n := range []int{reported, reported + 1} {
		want := map[string]content.Item{}
		for _, i := range stateItems(n) {
			if n >= 0 {
				want[i.URL] = i
			}
		}
		if diff = cmp.Diff(want, got); diff == "" {
			sources, err := catalog.Sources(t.Context())
			if err != nil || len(sources) > 0 && sources[0].Items != len(want) {
				t.Errorf("state %d is counted as %+v (%v)", n, sources, err)
			}
			return n
		}
	}
	t.Fatalf("the process reported state %d, and the database holds neither that nor the next (-want +got):\n%s",
		reported, diff)
	return 0
}
