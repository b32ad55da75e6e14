package vault

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/infra/store"
)

// Filter selects submissions; a zero field does not narrow.
type Filter struct {
	Intake, Platform string
	State            State     // by the clock
	Since, Until     time.Time // when it was submitted: Since ≤ time < Until
	Find             string    // the id of a session, an offer, an agent or a submission
	Before           string    // the id of a submission: only those that are older
	Limit            int       // how many at most; 0 is 50
}

// ListEntry is a submission in a list, without sealed data.
type ListEntry struct {
	Record
	Bind *Bind // nil where it was not bound
}

// listed are the columns of a ListEntry, of tables named r and b.
const listed = `r.id, r.intake, r.session, r.agent, r.platform, r.state, r.retention, r.made, r.expires, COALESCE(r.offer, ''), r.reply, r.data_key, r.offer_key,
	b.made, b.sink, b.done, b.entry, b.key`

// slack is how much earlier or later the time of a submission may be than its id says.
const slack = time.Hour

// List lists submissions, newest first.
func List(ctx context.Context, tx *store.Tx, f Filter, now time.Time) ([]ListEntry, error) {
	q, limit := f.conditions(now), f.Limit
	if limit <= 0 {
		limit = 50
	}
	// What fits is looked for in an index alone, and only what is listed is read.
	return q.list(ctx, tx, `SELECT `+listed+` FROM submission_record r LEFT JOIN submission_bind b ON b.offer = r.offer
		WHERE r.id IN (`+q.first(limit)+`) ORDER BY r.id DESC`)
}

// conditions are those of a filter.
func (f Filter) conditions(now time.Time) (q query) {
	if f.Intake != "" {
		q.where(`intake = ?`, f.Intake)
	}
	if f.Platform != "" {
		q.where(`platform = ?`, f.Platform)
	}
	switch f.State {
	case "":
	case Bound, Declined, Erased:
		q.where(`state = ?`, string(f.State))
	case Expired: // at the instant, and not when that is noted
		q.where(`(state = 'expired' OR state IN ('waiting', 'offered') AND expires <= ?)`, store.Micros(now))
	default:
		q.where(`state = ? AND expires > ?`, string(f.State), store.Micros(now))
	}
	if !f.Since.IsZero() {
		q.where(`made >= ? AND id >= ?`, store.Micros(f.Since), firstID(f.Since.Add(-slack)))
	}
	if !f.Until.IsZero() {
		q.where(`made < ? AND id < ?`, store.Micros(f.Until), firstID(f.Until.Add(slack)))
	}
	if f.Find != "" {
		q.where(`(session = ? OR offer = ? OR agent = ? OR id = ?)`, strings.ToLower(f.Find), f.Find, f.Find, f.Find)
	}
	if f.Before != "" {
		q.where(`id < ?`, f.Before)
	}
	return q
}

// ListWaiting lists submissions that wait for a person's answer, the longest waiting first.
func ListWaiting(ctx context.Context, tx *store.Tx, now time.Time, limit int) ([]ListEntry, error) {
	q := query{args: []any{store.Micros(now)}}
	return q.list(ctx, tx, `SELECT `+listed+` FROM submission_record r LEFT JOIN submission_bind b ON b.offer = r.offer
		WHERE r.state = 'waiting' AND r.expires > $1 ORDER BY r.id LIMIT `+strconv.Itoa(limit))
}

// ListUndoneBinds lists binds in the inbox that nobody has marked as done, oldest first.
func ListUndoneBinds(ctx context.Context, tx *store.Tx, limit int) ([]ListEntry, error) {
	var q query
	return q.list(ctx, tx, `SELECT `+listed+` FROM submission_bind b JOIN submission_record r ON r.offer = b.offer
		WHERE b.done = 0 AND b.sink = '' AND r.state = 'bound' ORDER BY b.made, b.offer LIMIT `+strconv.Itoa(limit))
}

// countOpen counts up to $2 of what waits to be answered at $1, and up to as many binds to be seen
// to.
const countOpen = `SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM submission_record WHERE state = 'waiting' AND expires > $1 LIMIT $2) w)
	+ (SELECT COUNT(*) FROM (SELECT 1 FROM submission_bind b WHERE b.done = 0 AND b.sink = ''
		AND EXISTS (SELECT 1 FROM submission_record r WHERE r.offer = b.offer AND r.state = 'bound') LIMIT $2) d)`

// CountWaiting counts what waits for a person: submissions to answer, and binds to complete. It
// counts up to a bound of each.
func CountWaiting(ctx context.Context, tx *store.Tx, now time.Time, most int) (n int, err error) {
	if err = tx.QueryRow(ctx, countOpen, store.Micros(now), most).Scan(&n); err != nil {
		return 0, fmt.Errorf("count what waits for a person: %w", err)
	}
	return n, nil
}

// query puts conditions together.
type query struct {
	text string
	args []any
}

// where adds a condition, in which each ? stands for a value.
func (q *query) where(condition string, values ...any) {
	for _, v := range values {
		q.args = append(q.args, v)
		condition = strings.Replace(condition, "?", "$"+strconv.Itoa(len(q.args)), 1)
	}
	if q.text == "" {
		q.text = " WHERE " + condition
		return
	}
	q.text += " AND " + condition
}

// first selects the ids of the latest ones that meet the conditions.
func (q *query) first(limit int) string {
	return `SELECT id FROM submission_record` + q.text + ` ORDER BY id DESC LIMIT ` + strconv.Itoa(limit)
}

func (q *query) list(ctx context.Context, tx *store.Tx, text string) (all []ListEntry, err error) {
	all, err = store.All(ctx, tx, text, func(row store.Scanner) (l ListEntry, err error) {
		var bound, done *int64
		var sink, entry, key *string
		if err := row.Scan(&l.ID, &l.Intake, &l.Session, &l.Agent, &l.Platform, &l.State, &l.Retention, &l.CreatedAt,
			&l.Expires, &l.Offer, &l.Reply, &l.DataKey, &l.OfferKey,
			&bound, &sink, &done, &entry, &key); err != nil {
			return l, err
		}
		if bound != nil {
			l.Bind = &Bind{Offer: l.Offer, CreatedAt: store.FromMicros(*bound), Sink: *sink, Entry: *entry, Key: *key}
			if *done != 0 {
				l.Bind.Done = store.FromMicros(*done)
			}
		}
		return l, err
	}, q.args...)
	if err != nil {
		return nil, fmt.Errorf("list what was submitted: %w", err)
	}
	return all, nil
}

// DayCount counts the submissions of one day of UTC, platform and intake, by their present state.
type DayCount struct {
	Day              time.Time
	Intake, Platform string

	Waiting    int // for a person
	Unanswered int // that nobody answered in time
	Declined   int
	Open       int // offers that stand
	Bound      int
	Expired    int // offers that nobody took in time
	Erased     int // on demand, whatever they were
}

// dayMicros is a day in the unit of the tables.
const dayMicros = int64(24 * time.Hour / time.Microsecond)

// dayOf is a time in days since 1970.
func dayOf(t time.Time) int64 { return store.Micros(t) / dayMicros }

// countDays counts by day from $2 on; of how many the time is over at $1 it counts, too.
const countDays = `SELECT day, intake, platform, state, COUNT(*), COUNT(offer), SUM(CASE WHEN expires <= $1 THEN 1 ELSE 0 END)
	FROM submission_record WHERE day >= $2 GROUP BY day, intake, platform, state ORDER BY day, intake, platform, state`

// CountByDay counts the submissions since the beginning of a day, ordered by day, intake and
// platform.
func CountByDay(ctx context.Context, tx *store.Tx, since, now time.Time) (all []DayCount, err error) {
	err = tx.Each(ctx, countDays, func(row store.Scanner) error {
		var day int64
		var t DayCount
		var state State
		var n, offers, over int
		if err := row.Scan(&day, &t.Intake, &t.Platform, &state, &n, &offers, &over); err != nil {
			return err
		}
		t.Day = store.FromMicros(day * dayMicros)
		last := len(all) - 1
		if last < 0 || all[last].Day != t.Day || all[last].Intake != t.Intake || all[last].Platform != t.Platform {
			all, last = append(all, t), last+1
		}
		all[last].add(state, n, offers, over)
		return nil
	}, store.Micros(now), dayOf(since))
	if err != nil {
		return nil, fmt.Errorf("count what was submitted: %w", err)
	}
	return all, nil
}

// add counts n submissions of a state in, of which some had an offer, and the time of some is over.
func (t *DayCount) add(state State, n, offers, over int) {
	switch state {
	case Waiting:
		t.Waiting += n - over
		t.Unanswered += over
	case Declined:
		t.Declined += n
	case Offered:
		t.Open += n - over
		t.Expired += over
	case Bound:
		t.Bound += n
	case Expired:
		t.Expired += offers
		t.Unanswered += n - offers
	case Erased:
		t.Erased += n
	}
}

// firstID is not after the id of anything that was recorded since a time: ids are UUIDs of version
// 7, which begin with the millisecond (RFC 9562 §5.7).
func firstID(since time.Time) string {
	if since.Before(time.UnixMilli(0)) {
		return ""
	}
	text := fmt.Sprintf("%012x", since.UnixMilli())
	return text[:8] + "-" + text[8:]
}
