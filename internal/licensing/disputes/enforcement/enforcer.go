package enforcement

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/periodic"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
	"frontdesk/wire/receipt"
)

// Config are the dependencies of an [Enforcer].
type Config struct {
	DB     *store.DB // with Schema and the ledger's
	Ledger *ledger.Ledger
	Rules  Rules
	Now    func() time.Time
	Log    *slog.Logger
	// Dispute gives the dispute of a transaction; ok is false where there is none.
	Dispute func(ctx context.Context, tx *store.Tx, transaction string) (d Dispute, ok bool, err error)
	// Reconcile holds what was bought in a time against what was delivered and reported, by the ids
	// of sites. It may be nil.
	Reconcile func(ctx context.Context, since, until time.Time) (map[string]Reconciled, error)
	// Close shuts a party out before its Closure is confirmed. It may be called again, and may be
	// nil.
	Close func(ctx context.Context, p Party) error
}

// Enforcer counts, and imposes sanctions. Its methods may be called concurrently.
type Enforcer struct {
	config  Config
	inForce atomic.Pointer[map[Party]Level] // the heaviest step in force, of those that hold somebody to something
}

// New returns an enforcer. Nobody is restricted before its first RunOnce.
func New(config Config) *Enforcer {
	k := &Enforcer{config: config}
	k.inForce.Store(&map[Party]Level{})
	return k
}

// Restricted reports whether a party is limited to a rate, or closed. It reads memory; decisions of
// other nodes hold after the next RunOnce.
func (k *Enforcer) Restricted(p Party) (limited, closed bool) {
	step := (*k.inForce.Load())[p]
	return step == RateLimited, step == Closure
}

// every is how often it is looked for entries that are new.
const every = 10 * time.Second

// Run counts until ctx ends.
func (k *Enforcer) Run(ctx context.Context) {
	periodic.Try(ctx, every, k.RunOnce, func(err error) {
		k.config.Log.Error("not all events of purchases could be counted for sanctions; that is tried again",
			"error", err)
	})
}

// batch is how many entries of the ledger one transaction counts.
const batch = 1000

// errRaced is of entries that another node has counted meanwhile.
var errRaced = errors.New("another node was first")

// RunOnce counts what the ledger has that was not counted yet, imposes the sanctions that are due,
// and reads which are in force.
func (k *Enforcer) RunOnce(ctx context.Context) error {
	for {
		place, err := k.place(ctx)
		if err != nil {
			return err
		}
		var some []receipt.Entry
		next := place
		for r, err := range k.config.Ledger.Read(ctx, ledger.Filter{After: place, Limit: batch}) {
			if err != nil {
				return fmt.Errorf("read the ledger: %w", err)
			}
			some, next = append(some, r.Entry), r.Index+1
		}
		if len(some) == 0 {
			return errors.Join(k.reconcile(ctx), k.refresh(ctx))
		}
		err = k.config.DB.Update(ctx, func(tx *store.Tx) error { return k.count(ctx, tx, some, place, next) })
		if err != nil && !errors.Is(err, errRaced) {
			return err
		}
	}
}

// When purchases are reconciled: once their reports are due by the usual window, and logs of the
// delivery are there; a whole day of them at a time, none of them twice.
const (
	ripe           = 48 * time.Hour
	reconciledSpan = 24 * time.Hour
)

// reconcile counts the purchases that are old enough by now, from the beginning of the last month
// on.
func (k *Enforcer) reconcile(ctx context.Context) error {
	if k.config.Reconcile == nil {
		return nil
	}
	for {
		var at int64
		if err := k.config.DB.View(ctx, func(tx *store.Tx) error {
			return tx.QueryRow(ctx, `SELECT until FROM measure_reconciled WHERE one = 1`).Scan(&at)
		}); err != nil {
			return fmt.Errorf("read until when purchases are reconciled: %w", err)
		}
		end := k.config.Now().UTC().Add(-ripe)
		first := MonthOf(end) - 1
		since := time.Date(int(first)/12, time.Month(int(first)%12+1), 1, 0, 0, 0, 0, time.UTC)
		if from := store.FromMicros(at); from.After(since) {
			since = from
		}
		next := since.Truncate(reconciledSpan).Add(reconciledSpan) // within one month
		if next.After(end) {
			return nil
		}
		sites, err := k.config.Reconcile(ctx, since, next)
		if err != nil {
			return fmt.Errorf("reconcile purchases: %w", err)
		}
		err = k.config.DB.Update(ctx, func(tx *store.Tx) error {
			n, err := tx.Exec(ctx, `UPDATE measure_reconciled SET until = $1 WHERE one = 1 AND until = $2`, store.Micros(next), at)
			if err == nil && n == 0 {
				err = errRaced
			}
			for _, site := range slices.Sorted(maps.Keys(sites)) {
				p, m := Party{Provider, site}, MonthOf(since)
				if err == nil && sites[site].Of > 0 {
					err = add(ctx, tx, p, m, reconciled, sites[site].Of)
				}
				if err == nil && sites[site].Gaps > 0 {
					err = add(ctx, tx, p, m, gaps, sites[site].Gaps)
				}
				if err == nil {
					err = putDay(ctx, tx, Day{At: since.Truncate(reconciledSpan), Site: site, Reconciled: sites[site]})
				}
			}
			return err
		})
		if err != nil && !errors.Is(err, errRaced) {
			return err
		}
	}
}

func (k *Enforcer) place(ctx context.Context) (place int64, err error) {
	err = k.config.DB.View(ctx, func(tx *store.Tx) error {
		return tx.QueryRow(ctx, `SELECT place FROM measure_cursor WHERE one = 1`).Scan(&place)
	})
	if err != nil {
		return 0, fmt.Errorf("read how far it was counted: %w", err)
	}
	return place, nil
}

// refresh reads which sanctions are in force.
func (k *Enforcer) refresh(ctx context.Context) error {
	all, err := store.Get(ctx, k.config.DB, func(tx *store.Tx) ([]Sanction, error) {
		return selectSanctions(ctx, tx, ` WHERE lifted = 0 AND step IN ('limit', 'end')`)
	})
	if err != nil {
		return err
	}
	force := map[Party]Level{}
	for _, m := range all {
		switch {
		case m.Level == Closure && !m.Confirmed.IsZero():
			force[m.Party] = Closure
		case m.Level == RateLimited && force[m.Party] == "":
			force[m.Party] = RateLimited
		}
	}
	k.inForce.Store(&force)
	return nil
}

// tally is what is added to counts.
type tally map[Party]map[Month]counts

func (t tally) add(p Party, m Month, what string, n int64) {
	if p.ID == "" || n == 0 {
		return
	}
	if t[p] == nil {
		t[p] = map[Month]counts{}
	}
	if t[p][m] == nil {
		t[p][m] = counts{}
	}
	t[p][m][what] += n
}

// count counts some entries, imposes due sanctions, and moves the cursor from place to next.
func (k *Enforcer) count(ctx context.Context, tx *store.Tx, some []receipt.Entry, place, next int64) error {
	n, err := tx.Exec(ctx, `UPDATE measure_cursor SET place = $1 WHERE one = 1 AND place = $2`, next, place)
	if err != nil {
		return fmt.Errorf("count for sanctions: %w", err)
	}
	if n == 0 {
		return errRaced
	}
	t := tally{}
	for _, e := range some {
		if err := k.entry(ctx, tx, e, t); err != nil {
			return err
		}
	}
	parties := slices.SortedFunc(maps.Keys(t),
		func(a, b Party) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID)) })
	for _, p := range parties {
		for _, m := range slices.Sorted(maps.Keys(t[p])) {
			for _, what := range slices.Sorted(maps.Keys(t[p][m])) {
				if err := add(ctx, tx, p, m, what, t[p][m][what]); err != nil {
					return err
				}
			}
			if err := k.readCounts(ctx, tx, p, m); err != nil {
				return err
			}
		}
	}
	return nil
}

func add(ctx context.Context, tx *store.Tx, p Party, m Month, what string, n int64) error {
	_, err := tx.Exec(ctx, `INSERT INTO measure_month (kind, party, month, what, count) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (kind, party, month, what) DO UPDATE SET count = measure_month.count + EXCLUDED.count`, string(p.Kind), p.ID, int64(m), what, n)
	if err != nil {
		return fmt.Errorf("count for sanctions: %w", err)
	}
	return nil
}

// entry counts one entry.
func (k *Enforcer) entry(ctx context.Context, tx *store.Tx, e receipt.Entry, t tally) error {
	buyer, site := Party{Agent, strings.TrimPrefix(e.Party, "requester:")}, Party{Provider, e.Site}
	switch e.Kind {
	case "transaction":
		t.add(buyer, MonthOf(e.Time), transactions, 1)
		t.add(site, MonthOf(e.Time), transactions, 1)
	case "usage":
		var body struct {
			Deviant bool `json:"deviant"`
		}
		if err := json.Unmarshal(e.Body, &body); err != nil {
			return nil // of another version: it says nothing of that
		}
		t.add(site, MonthOf(e.Time), reports, 1)
		if body.Deviant {
			t.add(site, MonthOf(e.Time), deviant, 1)
		}
	case "dispute":
		return k.dispute(ctx, tx, e, t)
	}
	return nil
}

// dispute counts a dispute once, and what it came to.
func (k *Enforcer) dispute(ctx context.Context, tx *store.Tx, e receipt.Entry, t tally) error {
	if k.config.Dispute == nil {
		return nil
	}
	d, ok, err := k.config.Dispute(ctx, tx, e.Subject)
	if err != nil || !ok {
		return err
	}
	month := MonthOf(d.Filed)
	n, err := tx.Exec(ctx, `INSERT INTO measure_case (id, buyer, site, month, reason, fault) VALUES ($1, $2, $3, $4, $5, '') ON CONFLICT (id) DO NOTHING`, d.ID, d.Buyer, d.Site, int64(month), d.Reason)
	if err != nil {
		return fmt.Errorf("count a dispute: %w", err)
	}
	t.add(Party{Agent, d.Buyer}, month, disputes, n)
	var before string
	if err := tx.QueryRow(ctx, `SELECT fault FROM measure_case WHERE id = $1`, d.ID).Scan(&before); err != nil {
		return fmt.Errorf("count a dispute: %w", err)
	}
	if before == string(d.Fault) {
		return nil
	}
	if before != "" {
		t.add(Party{Provider, d.Site}, month, before, -1)
	}
	if d.Fault != "" {
		t.add(Party{Provider, d.Site}, month, string(d.Fault), 1)
	}
	if _, err := tx.Exec(ctx, `UPDATE measure_case SET fault = $1 WHERE id = $2`, string(d.Fault), d.ID); err != nil {
		return fmt.Errorf("count a dispute: %w", err)
	}
	return nil
}

// readCounts imposes the sanctions that are due against a party after a month's counts. Months that
// are long over cause none.
func (k *Enforcer) readCounts(ctx context.Context, tx *store.Tx, p Party, m Month) error {
	c, err := countsOf(ctx, tx, p, m)
	if err != nil {
		return err
	}
	breach, _ := k.config.Rules.breach(p, c)
	if breach && c[breached] == 0 {
		if err := add(ctx, tx, p, m, breached, 1); err != nil {
			return err
		}
	}
	now := k.config.Now().UTC().Truncate(time.Microsecond)
	if m < MonthOf(now)-1 {
		return nil
	}
	months, err := monthsInARow(ctx, tx, p, m)
	if err != nil {
		return err
	}
	same := 0
	if p.Kind == Agent {
		if same, err = sameReason(ctx, tx, p.ID, m); err != nil {
			return err
		}
	}
	for _, f := range k.config.Rules.judge(p, c, months, same) {
		if err := k.impose(ctx, tx, Sanction{ID: newID(p, m, f.step), Party: p, Month: m, Level: f.step, Cause: f.cause,
			Imposed: now}); err != nil {
			return err
		}
	}
	return nil
}

// newID is the id of the one sanction of a step that is imposed on a party in a month.
func newID(p Party, m Month, s Level) string {
	return strings.Join([]string{m.String(), string(s), string(p.Kind), p.ID}, ".")
}

// monthsInARow counts the months in which a party has exceeded a rate, back from one without one
// between that was well.
func monthsInARow(ctx context.Context, tx *store.Tx, p Party, m Month) (n int, err error) {
	rows, err := tx.Query(ctx, `SELECT month FROM measure_month WHERE kind = $1 AND party = $2 AND month > $3 AND month <= $4 AND what = 'breached' ORDER BY month DESC`,
		string(p.Kind), p.ID, int64(m)-endMonths, int64(m))
	if err != nil {
		return 0, fmt.Errorf("count months: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var month int64
		if err := rows.Scan(&month); err != nil {
			return 0, fmt.Errorf("count months: %w", err)
		}
		if month != int64(m)-int64(n) {
			break
		}
		n++
	}
	return n, rows.Err()
}

// sameReason is the most providers of which a buyer has disputed in a month for one and the same
// reason.
func sameReason(ctx context.Context, tx *store.Tx, buyer string, m Month) (most int, err error) {
	err = tx.Each(ctx, `SELECT reason, COUNT(DISTINCT site) FROM measure_case WHERE buyer = $1 AND month = $2 GROUP BY reason`,
		func(row store.Scanner) error {
			var reason string
			var n int
			if err := row.Scan(&reason, &n); err != nil {
				return err
			}
			most = max(most, n)
			return nil
		}, buyer, int64(m))
	if err != nil {
		return 0, fmt.Errorf("count reasons: %w", err)
	}
	return most, nil
}

// fact is the body of an entry of kind "measure".
type fact struct {
	By    string `json:"by,omitempty"` // who did it; empty for the rules
	Cause string `json:"cause"`
	Did   string `json:"did"` // taken, confirmed or lifted
	Month string `json:"month"`
	Step  Level  `json:"step"`
}

// recorded puts what was done into the ledger.
func (k *Enforcer) recorded(ctx context.Context, tx *store.Tx, m Sanction, did string, at time.Time) (string, error) {
	body, err := json.Marshal(fact{By: m.By, Cause: m.Cause, Did: did, Month: m.Month.String(), Step: m.Level})
	if err != nil {
		return "", err
	}
	e := receipt.Entry{Time: at, Kind: "measure", Party: "requester:" + m.Party.ID, Subject: m.ID, Body: body}
	if m.Kind == Provider {
		e.Site, e.Party = m.Party.ID, ""
	}
	return k.config.Ledger.Append(ctx, tx, e)
}

// impose records a sanction, if it was not imposed in its month already.
func (k *Enforcer) impose(ctx context.Context, tx *store.Tx, m Sanction) (err error) {
	var n int
	if err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM measure_taken WHERE id = $1`, m.ID).Scan(&n); err != nil || n > 0 {
		return err
	}
	if m.Entry, err = k.recorded(ctx, tx, m, "taken", m.Imposed); err != nil {
		return err
	}
	err = tx.ExecOne(ctx, `INSERT INTO measure_taken (id, kind, party, month, step, cause, taken, confirmed, lifted, by, note, entry) VALUES ($1, $2, $3, $4, $5, $6, $7, 0, 0, '', '', $8)`,
		m.ID, string(m.Kind), m.Party.ID, int64(m.Month), string(m.Level), m.Cause, store.Micros(m.Imposed), m.Entry)
	if err != nil {
		return fmt.Errorf("impose a sanction: %w", err)
	}
	tx.AfterCommit(func() {
		k.config.Log.Warn("a sanction was imposed", "step", string(m.Level), "kind", string(m.Kind),
			"party", m.Party.ID,
			"cause", m.Cause)
	})
	return nil
}

// maxNote bounds what an operator writes.
const maxNote = 500

// Lift ends a sanction, with who did it and why. The error is fail.NotFound if no sanction of the
// id is in force.
func (k *Enforcer) Lift(ctx context.Context, id, by, note string) error {
	return k.change(ctx, id, by, note, "lifted", func(tx *store.Tx, m Sanction, at int64) error {
		return tx.ExecOne(ctx, `UPDATE measure_taken SET lifted = $1, by = $2, note = $3 WHERE id = $4 AND lifted = 0`, at, by, note, m.ID)
	})
}

// Confirm confirms an End: the party's account is closed. The error is fail.Invalid for another
// step, and fail.NotFound as of Lift.
func (k *Enforcer) Confirm(ctx context.Context, id, by, note string) error {
	if len(note) > maxNote {
		return errNote
	}
	all, err := store.Get(ctx, k.config.DB, func(tx *store.Tx) ([]Sanction, error) {
		return selectSanctions(ctx, tx, ` WHERE id = $1 AND lifted = 0`, id)
	})
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return errNone
	}
	if err := confirmable(all[0]); err != nil {
		return err
	}
	if k.config.Close != nil {
		if err := k.config.Close(ctx, all[0].Party); err != nil {
			return fmt.Errorf("close the account: %w", err)
		}
	}
	return k.change(ctx, id, by, note, "confirmed", func(tx *store.Tx, m Sanction, at int64) error {
		if err := confirmable(m); err != nil {
			return err
		}
		return tx.ExecOne(ctx, `UPDATE measure_taken SET confirmed = $1, by = $2, note = $3 WHERE id = $4 AND lifted = 0`, at, by, note, m.ID)
	})
}

var (
	errNone = fail.New(fail.NotFound, "there is no such sanction in force")
	errNote = fail.New(fail.TooLong, "a note has at most %d bytes", maxNote)
)

func confirmable(m Sanction) error {
	if m.Level != Closure || !m.Confirmed.IsZero() {
		return fail.New(fail.Invalid, "only the end of an account is confirmed, and once")
	}
	return nil
}

func (k *Enforcer) change(ctx context.Context, id, by, note, did string,
	set func(*store.Tx, Sanction, int64) error) error {
	if len(note) > maxNote {
		return errNote
	}
	now := k.config.Now().UTC().Truncate(time.Microsecond)
	err := k.config.DB.Update(ctx, func(tx *store.Tx) error {
		all, err := selectSanctions(ctx, tx, ` WHERE id = $1 AND lifted = 0`, id)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			return errNone
		}
		m := all[0]
		if err := set(tx, m, store.Micros(now)); err != nil {
			return err
		}
		m.By = by
		_, err = k.recorded(ctx, tx, m, did, now)
		return err
	})
	if err != nil {
		return err
	}
	return k.refresh(ctx)
}

func selectSanctions(ctx context.Context, tx *store.Tx, where string, args ...any) (all []Sanction, err error) {
	all, err = store.All(ctx, tx, `SELECT id, kind, party, month, step, cause, taken, confirmed, lifted, by, note, entry FROM measure_taken`+where,
		func(row store.Scanner) (m Sanction, err error) {
			err = row.Scan(&m.ID, (*string)(&m.Kind), &m.Party.ID, (*int)(&m.Month), (*string)(&m.Level), &m.Cause,
				&m.Imposed, &m.Confirmed, &m.Lifted, &m.By, &m.Note, &m.Entry)
			return m, err
		}, args...)
	if err != nil {
		return nil, fmt.Errorf("read sanctions: %w", err)
	}
	return all, nil
}

// Reader reads sanctions and rates. Its methods may be called concurrently.
type Reader struct{ db *store.DB }

// NewReader reads a database that has Schema.
func NewReader(db *store.DB) *Reader { return &Reader{db} }

// Sanctions gives sanctions, the newest first, up to so many: those in force, or all.
func (r *Reader) Sanctions(ctx context.Context, all bool, most int) (list []Sanction, err error) {
	where := ` WHERE lifted = 0 ORDER BY taken DESC, id LIMIT $1`
	if all {
		where = ` ORDER BY taken DESC, id LIMIT $1`
	}
	return store.Get(ctx, r.db, func(tx *store.Tx) ([]Sanction, error) {
		return selectSanctions(ctx, tx, where, most)
	})
}

// Rates are a month's rates of a party, in percent, and of how many each is; of none a rate is 0.
type Rates struct {
	Transactions, Disputes, Reports int64
	Disputed                        float64 // of an agent
	Tokens, Failures, Hashes        float64 // of a provider
	Reconciled                      int64   // purchases that were held against deliveries and reports
	Gap                             float64 // of those, where they contradict one another
}

// RatesOf gives a party's rates of a month, as far as it was counted.
func RatesOf(ctx context.Context, tx *store.Tx, p Party, m Month) (Rates, error) {
	c, err := countsOf(ctx, tx, p, m)
	if err != nil {
		return Rates{}, err
	}
	part := func(n, of int64) float64 {
		if of == 0 {
			return 0
		}
		return float64(n) * 100 / float64(of)
	}
	return Rates{
		Transactions: c[transactions], Disputes: c[disputes], Reports: c[reports],
		Disputed: part(c[disputes], c[transactions]),
		Tokens:   part(c[deviant], c[reports]), Failures: part(c[string(FailedDelivery)], c[transactions]),
		Hashes:     part(c[string(WrongHash)], c[transactions]),
		Reconciled: c[reconciled], Gap: part(c[gaps], c[reconciled]),
	}, nil
}
