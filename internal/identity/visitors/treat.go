package visitors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"frontdesk/internal/identity/agents"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/periodic"
	"frontdesk/internal/infra/store"
)

// Action is what is done with an agent's requests.
type Action string

// The actions, the mildest first. None opens what the terms close.
const (
	Allow      Action = "allow"
	Limit      Action = "limit"       // so many requests a minute
	RequireKey Action = "require_key" // it has to prove who it is: by signature, address or key
	Block      Action = "block"
)

// Actions are all, the mildest first.
var Actions = []Action{Allow, Limit, RequireKey, Block}

// The bounds of treatments.
const (
	maxTreatments = 2000
	MaxRate       = 100_000
)

// Treatment is what the owner says of an agent. That of an agent goes before that of its operator.
type Treatment struct {
	Agent   string // a name of the list, the host of an operator, or Others
	Action  Action
	Rate    int // requests a minute, of Limit
	Changed time.Time
	By      string // who said so, as the ledger has it; empty for the command line
}

// Treatments keep what the owner says. Their methods may be called concurrently, and by several
// processes.
type Treatments struct {
	db        *store.DB
	now       func() time.Time
	directory *Directory
	turn      sync.Mutex // held while what is in force changes
	inForce   atomic.Pointer[treated]
}

// treated are treatments by the agent, in small letters.
type treated struct {
	version int64
	of      map[string]Treatment
	any     bool // one is not Allow
}

// NewTreatments keeps treatments in a database that has Schema. None is in force before Refresh.
func NewTreatments(db *store.DB, directory *Directory, now func() time.Time) *Treatments {
	return &Treatments{db: db, now: now, directory: directory}
}

// Subject gives the id of what can be treated: an agent of the list or a domain, in any case, or
// Others. The error is fail.Invalid for anything else.
func (d *Directory) Subject(name string) (id string, err error) {
	name = strings.TrimSpace(name)
	small := strings.ToLower(name)
	known, listed := d.names[small]
	switch {
	case listed:
		return known.UserAgent, nil
	case small == Others:
		return Others, nil
	case small == People:
		return "", fail.New(fail.Invalid,
			"people with browsers are always answered, since anything can call itself a browser")
	case strings.Contains(small, ":") || small == "token":
		return "", fail.New(fail.Invalid, "%.80q holds a key: revoke or limit that (`frontdesk keys`)", name)
	case isDomain(small):
		return small, nil
	}
	return "", fail.New(fail.Invalid,
		"%.80q is no agent of the list, and no domain of an operator; name one of yours with agents.known", name)
}

// Knows says whether an id is that of an agent or an operator of the list, or of a row that is
// always there.
func (d *Directory) Knows(id string) bool {
	_, listed := d.names[strings.ToLower(id)]
	_, run := d.hosts[id]
	return listed || run || id == People || id == Others
}

// isDomain says whether a text is a host's name, in small letters, and no address.
func isDomain(text string) bool {
	last := strings.LastIndexFunc(text, func(c rune) bool { return c < '0' || c > '9' })
	return len(text) <= 253 && last == len(text)-1 && strings.Contains(text, ".") &&
		!strings.Contains("."+text+".", "..") &&
		!strings.ContainsFunc(text, func(c rune) bool {
			return c != '.' && c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z')
		})
}

// Set keeps a treatment in the place of that of its agent, and puts it in force here.
func (t *Treatments) Set(ctx context.Context, said Treatment) (Treatment, error) {
	var err error
	if said.Agent, err = t.directory.Subject(said.Agent); err != nil {
		return said, err
	}
	switch {
	case !slices.Contains(Actions, said.Action):
		return said, fail.New(fail.Invalid,
			"there is no treatment %.40q; it is one of allow, limit, require_key, block", string(said.Action))
	case said.Action != Limit:
		said.Rate = 0
	case said.Rate < 1 || said.Rate > MaxRate:
		return said, fail.New(fail.Invalid, "say how many requests a minute it may send, from 1 to %d", MaxRate)
	}
	said.Changed = t.now().UTC().Truncate(time.Microsecond)
	err = t.db.Update(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, `INSERT INTO visitor_treatment (agent, treatment, rate, changed, changed_by)
			VALUES ($1, $2, $3, $4, $5) ON CONFLICT (agent) DO UPDATE SET treatment = excluded.treatment,
			rate = excluded.rate, changed = excluded.changed, changed_by = excluded.changed_by`,
			said.Agent, string(said.Action), said.Rate, store.Micros(said.Changed), said.By); err != nil {
			return err
		}
		var n int
		if err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM visitor_treatment`).Scan(&n); err != nil {
			return err
		}
		if n > maxTreatments {
			return fail.New(fail.Invalid, "there are %d treatments already, and no more can be kept", maxTreatments)
		}
		_, err := tx.Exec(ctx, `UPDATE visitor_version SET version = version + 1 WHERE one = 1`)
		return err
	})
	if err != nil {
		return said, err
	}
	return said, t.Refresh(ctx)
}

// Refresh puts in force what was said since, to any process.
func (t *Treatments) Refresh(ctx context.Context) error {
	t.turn.Lock()
	defer t.turn.Unlock()
	before := t.inForce.Load()
	err := t.db.View(ctx, func(tx *store.Tx) error {
		next := &treated{of: map[string]Treatment{}}
		if err := tx.QueryRow(ctx, `SELECT version FROM visitor_version WHERE one = 1`).Scan(&next.version); err != nil {
			return err
		}
		if before != nil && before.version == next.version {
			return nil
		}
		err := tx.Each(ctx, `SELECT agent, treatment, rate, changed, changed_by FROM visitor_treatment`,
			func(row store.Scanner) error {
				var one Treatment
				err := row.Scan(&one.Agent, (*string)(&one.Action), &one.Rate, &one.Changed, &one.By)
				next.of[strings.ToLower(one.Agent)] = one
				next.any = next.any || one.Action != Allow
				return err
			})
		if err == nil {
			t.inForce.Store(next)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("read how agents are treated: %w", err)
	}
	return nil
}

// pollEvery is how often Follow looks for changes.
const pollEvery = time.Second

// Follow puts in force what other processes are told, until ctx ends.
func (t *Treatments) Follow(ctx context.Context, log *slog.Logger) {
	failed := false
	periodic.After(ctx, pollEvery, func(ctx context.Context) {
		err := t.Refresh(ctx)
		if err != nil && !failed && !errors.Is(err, context.Canceled) {
			log.Error("treatments of agents cannot be read; what was in force stays", "error", err)
		}
		failed = err != nil
	})
}

// All gives what is in force, by agent.
func (t *Treatments) All() (all []Treatment) {
	if now := t.inForce.Load(); now != nil {
		for _, one := range now.of {
			all = append(all, one)
		}
	}
	slices.SortFunc(all, func(a, b Treatment) int { return cmp.Compare(a.Agent, b.Agent) })
	return all
}

// Any says whether somebody is answered otherwise than others are.
func (t *Treatments) Any() bool {
	now := t.inForce.Load()
	return now != nil && now.any
}

// first is the treatment of the first of some ids that has one.
func (now *treated) first(ids ...string) (one Treatment, ok bool) {
	for _, id := range ids {
		if one, ok = now.of[strings.ToLower(id)]; ok && id != "" {
			return one, true
		}
	}
	return Treatment{}, false
}

// Of gives the treatment of an id: its own, or else that of its operator.
func (t *Treatments) Of(id string) (one Treatment, ok bool) {
	now := t.inForce.Load()
	if now == nil {
		return one, false
	}
	return now.first(id, hostOf(t.directory.About(id).Origin))
}

// For gives the treatment of a request. Whoever only claims to be an agent is held to what is said
// of that, too: the strictest of both counts.
func (t *Treatments) For(agent agents.Agent, userAgent string) (one Treatment, ok bool) {
	if t == nil {
		return one, false
	}
	now := t.inForce.Load()
	if now == nil || !now.any {
		return one, false
	}
	one, ok = now.first(agent.Name, hostOf(agent.Operator), hostOf(agent.ID), agent.Group())
	claimed := []string{hostOf(agent.Claimed)}
	if said := agent.Said; said != nil {
		claimed = append(claimed, said.UserAgent, hostOf(said.Origin))
	}
	other, too := now.first(claimed...)
	if too && slices.Index(Actions, other.Action) > slices.Index(Actions, one.Action) {
		one, ok = other, true
	}
	if !ok && agent.Known == "" && (agent.Signature != "" || !FromBrowser(userAgent)) {
		return now.first(Others)
	}
	return one, ok
}
