package keyring

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/infra/store"
)

// Schema is the table of when keys were used last: one row a key, with the day, counted from 1970
// by UTC, and the network that the key was first used from on that day.
var Schema = store.Schema{
	ID: "keyuse",
	Steps: []string{`
CREATE TABLE keyuse_day (
	id      {{text}} NOT NULL PRIMARY KEY,
	day     BIGINT NOT NULL,
	network {{text}} NOT NULL
);
`},
}

// turn is the turn of transactions that write (see [store.DB.UpdateSerial]).
const turn = "key use"

const (
	flushEvery = 500 * time.Millisecond
	maxWaiting = 10_000 // uses that wait for being written
	maxSeen    = 50_000 // keys of a day that are remembered
)

// UsesOptions are what Uses needs. DB is required.
type UsesOptions struct {
	DB  *store.DB
	Now func() time.Time // nil is time.Now
	Log *slog.Logger     // nil for none
	// Buyer says whether a domain signed up to buy. Of others nothing is kept, since anybody may
	// send requests with a key of their own. Nil keeps nothing of any.
	Buyer func(ctx context.Context, domain string) (bool, error)
}

// Uses keeps the day on which each key was used last. A key is written at most once a day by each
// process, whatever its requests. Its methods may be called from many goroutines.
type Uses struct {
	options UsesOptions

	mu      sync.RWMutex
	seen    map[string]int64 // the day by key
	waiting map[string]Use   // for being written

	writing sync.Mutex // held by Flush
}

// Use is when a key was used last.
type Use struct {
	Day  time.Time // by UTC
	From string    // the network, such as 192.0.2.0/24; empty where it is not known
}

// NewUses makes uses for a database that has Schema. Run has to be running for them to be written.
func NewUses(options UsesOptions) *Uses {
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	return &Uses{options: options, seen: map[string]int64{}, waiting: map[string]Use{}}
}

const secondsOfDay = 24 * 60 * 60

// Saw notes that a key was used now. Its id is as [usedAs] makes it. A nil Uses notes nothing.
func (u *Uses) Saw(id string, from netip.Addr) {
	if u == nil {
		return
	}
	day := u.options.Now().Unix() / secondsOfDay
	u.mu.RLock()
	known := u.seen[id] == day
	u.mu.RUnlock()
	if known {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.seen[id] == day || len(u.waiting) >= maxWaiting {
		return
	}
	if len(u.seen) >= maxSeen {
		clear(u.seen)
	}
	u.seen[id] = day
	u.waiting[id] = Use{Day: time.Unix(day*secondsOfDay, 0).UTC(), From: network(from)}
}

// network is the part of an address that is kept: enough to tell places apart, and not enough to
// tell a person.
func network(from netip.Addr) string {
	bits := 48
	if from = from.Unmap().WithZone(""); from.Is4() {
		bits = 24
	}
	prefix, err := from.Prefix(bits)
	if err != nil || !from.IsValid() {
		return ""
	}
	return prefix.String()
}

// Run writes uses until ctx ends and all are written.
func (u *Uses) Run(ctx context.Context) {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			u.tell(last, u.Flush(last))
			return
		case <-tick.C:
			u.tell(ctx, u.Flush(ctx))
		}
	}
}

func (u *Uses) tell(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		u.options.Log.Warn("it could not be noted when keys were used; that is tried again", "error", err)
	}
}

// Flush writes what was noted so far.
func (u *Uses) Flush(ctx context.Context) error {
	u.writing.Lock()
	defer u.writing.Unlock()
	u.mu.RLock()
	taken := maps.Clone(u.waiting)
	u.mu.RUnlock()
	if len(taken) == 0 {
		return nil
	}
	kept := maps.Clone(taken)
	for id := range taken {
		domain, buys := strings.CutPrefix(id, buyers)
		if !buys {
			continue
		}
		known, err := false, error(nil)
		if u.options.Buyer != nil {
			known, err = u.options.Buyer(ctx, domain)
		}
		if err != nil {
			return fmt.Errorf("look up a buyer: %w", err)
		}
		if !known {
			delete(kept, id)
		}
	}
	err := u.options.DB.UpdateSerial(ctx, turn, func(tx *store.Tx) error {
		for _, id := range slices.Sorted(maps.Keys(kept)) {
			if _, err := tx.Exec(ctx, `INSERT INTO keyuse_day (id, day, network) VALUES ($1, $2, $3)
				ON CONFLICT (id) DO UPDATE SET network = CASE WHEN keyuse_day.day < excluded.day THEN excluded.network
				ELSE keyuse_day.network END, day = CASE WHEN keyuse_day.day < excluded.day THEN excluded.day ELSE keyuse_day.day END`,
				id, kept[id].Day.Unix()/secondsOfDay, kept[id].From); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("note uses of keys: %w", err)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	for id, use := range taken {
		if u.waiting[id] == use {
			delete(u.waiting, id)
		}
	}
	return nil
}

// Read gives when keys were used last, by their ids as [usedAs] makes them: as far as that is
// written, and what this process knows beyond it. A nil Uses knows nothing.
func (u *Uses) Read(ctx context.Context) (map[string]Use, error) {
	if u == nil {
		return nil, nil
	}
	all := map[string]Use{}
	err := u.options.DB.View(ctx, func(tx *store.Tx) error {
		return tx.Each(ctx, `SELECT id, day, network FROM keyuse_day`, func(row store.Scanner) error {
			var id, from string
			var day int64
			err := row.Scan(&id, &day, &from)
			all[id] = Use{time.Unix(day*secondsOfDay, 0).UTC(), from}
			return err
		})
	})
	u.mu.RLock()
	defer u.mu.RUnlock()
	for id, use := range u.waiting {
		if all[id].Day.Before(use.Day) {
			all[id] = use
		}
	}
	return all, err
}

// buyers begins the ids of uses by buyers, whose domains send with keys of their own.
const buyers = "requester:"

// usedAs is the id of a key among uses. Of a request it is the party that logs name, with the id of
// the key where a party has several.
func usedAs(kind, id string) string {
	switch kind {
	case API, Console, Configured:
		return "key:" + id
	case Requester:
		domain, _, _ := strings.Cut(id, "/")
		return buyers + domain
	}
	return kind + ":" + id
}

// UsedBy is the id of a key among uses by what the log says of a request: its party, such as
// key:ID or platform:NAME, and the key where the party has several.
func UsedBy(party, key string) string {
	if key == "" {
		return party
	}
	kind, _, _ := strings.Cut(party, ":")
	return kind + ":" + key
}
