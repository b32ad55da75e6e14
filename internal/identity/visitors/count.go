package visitors

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/infra/store"
)

// Options are what a Counter needs. DB is required.
type Options struct {
	DB   *store.DB
	Keep time.Duration    // how long; 0 counts nothing
	Now  func() time.Time // nil is time.Now
	Log  *slog.Logger     // nil for none
}

// The bounds of what is counted, so that nobody can fill memory or disk with domains that sign or
// sign up. Beyond them visits count as those of Others.
const (
	maxStrangers = 300    // that are in no list and told apart on a day, by one process
	maxRows      = 10_000 // that wait for being written
)

const (
	flushEvery = 400 * time.Millisecond // so much is lost, at most, where the process is killed
	sweepEvery = time.Hour
)

// row is what is counted together.
type row struct {
	day                   int64
	agent, known, channel string
}

func (a row) compare(b row) int {
	return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.agent, b.agent), cmp.Compare(a.known, b.known),
		cmp.Compare(a.channel, b.channel))
}

// figures are counts by What.
type figures [whats]int64

// Counter counts visits and writes the sums a little later. Its methods may be called from many
// goroutines.
type Counter struct {
	options   Options
	directory *Directory

	mu        sync.Mutex
	pending   map[row]*figures
	today     int64
	strangers map[string]bool // of today

	writing sync.Mutex // held by Flush
}

// NewCounter makes a counter for a database that has Schema. Run has to be running for what it
// counts to be written.
func NewCounter(options Options, directory *Directory) *Counter {
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	return &Counter{options: options, directory: directory, pending: map[row]*figures{}}
}

// Count counts a visit.
func (c *Counter) Count(v Visit) {
	if c == nil || c.options.Keep <= 0 {
		return
	}
	at := row{dayOf(c.options.Now()), v.Agent, v.Known, v.Channel}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.known(at) {
		at.agent = Others
	}
	sum := c.pending[at]
	if sum == nil {
		if len(c.pending) >= maxRows { // the database cannot be written
			return
		}
		sum = new(figures)
		c.pending[at] = sum
	}
	sum[v.What]++
}

// known says whether an agent has a row of its own. Listed agents and keys that the owner gave out
// always have.
func (c *Counter) known(at row) bool {
	if c.directory.Knows(at.agent) || at.known == ByKey && !strings.HasPrefix(at.agent, buyers) {
		return true
	}
	if at.day > c.today || c.strangers == nil {
		c.today, c.strangers = at.day, map[string]bool{}
	}
	if !c.strangers[at.agent] {
		if len(c.strangers) >= maxStrangers {
			return false
		}
		c.strangers[at.agent] = true
	}
	return true
}

// buyers begins the ids of those who signed up to buy, which anybody may.
const buyers = "requester:"

// Run writes what is counted, and removes what is older than is kept, until ctx ends and all is
// written. It has to be running where nothing is kept, too: what was kept before goes then.
func (c *Counter) Run(ctx context.Context) {
	flush, sweep := time.NewTicker(flushEvery), time.NewTicker(sweepEvery)
	defer flush.Stop()
	defer sweep.Stop()
	c.tell(ctx, "old counts of visitors could not be removed; that is tried again", c.Sweep(ctx))
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			c.tell(last, "the last visits could not be counted", c.Flush(last))
			return
		case <-flush.C:
			c.tell(ctx, "visits could not be counted; that is tried again", c.Flush(ctx))
		case <-sweep.C:
			c.tell(ctx, "old counts of visitors could not be removed; that is tried again", c.Sweep(ctx))
		}
	}
}

func (c *Counter) tell(ctx context.Context, what string, err error) {
	if err != nil && ctx.Err() == nil {
		c.options.Log.Warn(what, "error", err)
	}
}

// Flush writes what was counted so far. It is durable when Flush returns. What cannot be written is
// counted again.
func (c *Counter) Flush(ctx context.Context) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.mu.Lock()
	taken := c.pending
	if len(taken) > 0 {
		c.pending = map[row]*figures{}
	}
	c.mu.Unlock()
	if len(taken) == 0 {
		return nil
	}
	var rows [][]any
	for _, at := range slices.SortedFunc(maps.Keys(taken), row.compare) {
		n := taken[at]
		rows = append(rows, []any{at.day, at.agent, at.known, at.channel, n[Asked], n[Read], n[Paid], n[Denied]})
	}
	err := c.options.DB.UpdateSerial(ctx, turn, func(tx *store.Tx) error {
		return tx.Add(ctx, "visitor_day", "day agent known channel", "asked fetched paid denied", rows)
	})
	if err == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for at, n := range taken {
		if later := c.pending[at]; later != nil {
			for what := range n {
				later[what] += n[what]
			}
		} else if len(c.pending) < maxRows {
			c.pending[at] = n
		}
	}
	return fmt.Errorf("count visitors: %w", err)
}

// Sweep removes days that are older than is kept.
func (c *Counter) Sweep(ctx context.Context) error {
	now := c.options.Now()
	oldest := dayOf(now) + 1
	if c.options.Keep > 0 {
		oldest = dayOf(now.Add(-c.options.Keep)) + 1
	}
	return c.options.DB.UpdateSerial(ctx, turn, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM visitor_day WHERE day < $1`, oldest)
		return err
	})
}
