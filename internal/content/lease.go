package content

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
)

// leaseTime is how long a run may be silent before another may take its source over.
const leaseTime = 30 * time.Second

// holder says who fills a source. It is kept as one line, "run boot space process started", so that
// a run that was killed need not be waited for: a process on the same machine can look whether it
// still lives. Every write of a run checks that the source is still its own, so that a wrong guess
// costs a run, but never harms the content.
type holder struct {
	run     string // of this run alone
	boot    string // which machine, since which start; empty where that cannot be known
	space   string // in which namespace process counts
	process int
	started string // when the process began, in ticks since boot; tells it from a later one of the same number
}

func newHolder() holder {
	h := holder{run: rand.Text(), process: os.Getpid()}
	h.boot = readLine("/proc/sys/kernel/random/boot_id")
	h.space, _ = os.Readlink("/proc/self/ns/pid")
	h.started, _ = processStart(h.process)
	return h
}

func (h holder) String() string {
	return fmt.Sprintf("%s %s %s %d %s", h.run, orDash(h.boot), orDash(h.space), h.process, orDash(h.started))
}

// NewHolder names this process for a lease of another package, in the form that HolderGone reads.
// No two names are the same.
func NewHolder() string { return newHolder().String() }

// HolderGone says whether the process that a NewHolder names is known to be dead, so that its lease
// need not be waited for. A wrong guess must do no harm.
func HolderGone(name, engine string) bool { return parseHolder(name).gone(newHolder(), engine) }

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// parseHolder reads a line that String wrote. One that it cannot read is a holder of whom nothing
// is known.
func parseHolder(line string) holder {
	f := strings.Fields(line)
	if len(f) != 5 {
		return holder{}
	}
	process, _ := strconv.Atoi(f[3])
	return holder{run: f[0], boot: undash(f[1]), space: undash(f[2]), process: process, started: undash(f[4])}
}

func undash(s string) string {
	if s == "-" {
		return ""
	}
	return s
}

// gone reports whether h is known to be dead, as seen by a process that is me. An SQLite database
// serves one machine only, so that there a holder from another boot is one from before a restart.
func (h holder) gone(me holder, engine string) bool {
	if h.boot == "" || me.boot == "" {
		return false
	}
	if h.boot != me.boot {
		return engine == store.SQLite
	}
	if h.space != me.space || h.process == 0 || h.started == "" || me.started == "" {
		return false
	}
	started, alive := processStart(h.process)
	return !alive || started != h.started
}

// processStart says when a process began and whether it lives. Where there is no /proc, every
// process does, and the lease has to run out.
func processStart(process int) (started string, alive bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process))
	if err != nil {
		return "", !os.IsNotExist(err) || !hasProc()
	}
	// "pid (name) state ...": the name may hold anything, so count from the last parenthesis
	// (proc(5)).
	_, rest, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " ")
	f := strings.Fields(rest)
	if len(f) < 20 {
		return "", true
	}
	return f[19], f[0] != "Z" && f[0] != "X"
}

func hasProc() bool {
	_, err := os.Stat("/proc/self/stat")
	return err == nil
}

func readLine(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// acquire takes the lease of a source for a run that is about to begin. A lease that somebody holds
// is refused with the time when it is free at the latest.
func (r *Run) acquire(ctx context.Context, tx *store.Tx) error {
	var line string
	var until, lastRun int64
	err := tx.QueryRow(ctx, `SELECT published, swept, items, passages, pages, last_run, lease, lease_until FROM content_source WHERE n = $1`, r.source).
		Scan(&r.published, &r.swept, &r.items, &r.passages, &r.pages, &lastRun, &line, &until)
	if err != nil {
		return err
	}
	r.first = lastRun == 0
	now := r.catalog.now()
	// A lease that ends in the far future is one from before the clock was set back.
	if left := store.FromMicros(until).Sub(now); line != "" && left > 0 && left <= 2*leaseTime {
		if other := parseHolder(line); !other.gone(r.holder, r.catalog.db.Engine()) {
			return r.taken(other, left)
		}
	}
	_, err = tx.Exec(ctx, `UPDATE content_source SET lease = $1, lease_until = $2 WHERE n = $3`,
		r.holder.String(), store.Micros(now.Add(leaseTime)), r.source)
	return err
}

func (r *Run) taken(by holder, left time.Duration) error {
	// The clocks of two machines may differ; nobody needs to wait longer than a whole lease.
	left = (min(left, leaseTime) + time.Second - 1).Truncate(time.Second)
	who := "another run"
	if by.boot == r.holder.boot && by.process != 0 {
		who = fmt.Sprintf("another run (process %d)", by.process)
	}
	return fail.New(fail.Unavailable,
		"%s fills the source %s of site %s just now; wait until it is done, or, if it is dead, %s, and try again",
		who, r.key.Source, r.key.Site, left).After(left)
}

// update is a transaction in which the run writes. It begins with renewing the lease, and fails if
// somebody has taken that over.
func (r *Run) update(ctx context.Context, fn func(*store.Tx) error) error {
	now := r.catalog.now()
	err := r.catalog.db.Update(ctx, func(tx *store.Tx) error {
		n, err := tx.Exec(ctx, `UPDATE content_source SET lease_until = $1 WHERE n = $2 AND lease = $3`,
			store.Micros(now.Add(leaseTime)), r.source, r.holder.String())
		if err == nil && n == 0 {
			err = r.lost()
		}
		if err != nil {
			return err
		}
		return fn(tx)
	})
	if err == nil {
		r.renewAt = now.Add(leaseTime / 3)
	}
	return err
}

func (r *Run) lost() error {
	return fail.New(fail.Unavailable,
		"another run has taken over the source %s of site %s, because this one was silent for more than %s; "+
			"what was published before is unchanged; run again", r.key.Source, r.key.Site, leaseTime)
}
