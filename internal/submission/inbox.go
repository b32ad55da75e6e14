package submission

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/store"
)

// Filter says which submissions are looked for; a zero member does not narrow.
type Filter struct {
	Intake, Platform string
	State            State     // by the clock
	Since, Until     time.Time // when it was submitted: Since ≤ time < Until
	Find             string    // the id of a session, an offer, an agent or a submission
	Before           string    // the id of a submission: only those that are older
	Limit            int       // how many at most; 0 is 50
}

// Listed is a submission as it is listed: nothing of it is opened, and what is sealed is left out.
type Listed struct {
	Record
	Bind *Bind // nil where it was not bound
}

// listed are the columns of a Listed, of tables named r and b.
const listed = `r.id, r.intake, r.session, r.agent, r.platform, r.state, r.retention, r.made, r.expires, COALESCE(r.offer, ''), r.reply, r.data_key, r.offer_key,
	b.made, b.sink, b.done, b.entry, b.key`

// slack is how much earlier or later the time of a submission may be than its id says.
const slack = time.Hour

// List gives submissions, the latest first.
func List(ctx context.Context, tx *store.Tx, f Filter, now time.Time) ([]Listed, error) {
	var q query
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
	limit := f.Limit
	if limit <= 0 {
		limit = 50
	}
	// What fits is looked for in an index alone, and only what is listed is read.
	return q.list(ctx, tx, `SELECT `+listed+` FROM submission_record r LEFT JOIN submission_bind b ON b.offer = r.offer
		WHERE r.id IN (SELECT id FROM submission_record`+q.text+` ORDER BY id DESC LIMIT `+strconv.Itoa(limit)+`) ORDER BY r.id DESC`)
}

// ToAnswer gives submissions that wait for a person, the one that waited longest first.
func ToAnswer(ctx context.Context, tx *store.Tx, now time.Time, limit int) ([]Listed, error) {
	q := query{args: []any{store.Micros(now)}}
	return q.list(ctx, tx, `SELECT `+listed+` FROM submission_record r LEFT JOIN submission_bind b ON b.offer = r.offer
		WHERE r.state = 'waiting' AND r.expires > $1 ORDER BY r.id LIMIT `+strconv.Itoa(limit))
}

// ToDo gives binds that wait in the inbox until somebody has seen to them, the oldest first.
func ToDo(ctx context.Context, tx *store.Tx, limit int) ([]Listed, error) {
	var q query
	return q.list(ctx, tx, `SELECT `+listed+` FROM submission_bind b JOIN submission_record r ON r.offer = b.offer
		WHERE b.done = 0 AND b.sink = '' AND r.state = 'bound' ORDER BY b.made, b.offer LIMIT `+strconv.Itoa(limit))
}

// Open counts what waits for a person: submissions to be answered, and binds to be seen to. It counts up to a bound of each.
func Open(ctx context.Context, tx *store.Tx, now time.Time, most int) (n int, err error) {
	bound := strconv.Itoa(most)
	err = tx.QueryRow(ctx, `SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM submission_record WHERE state = 'waiting' AND expires > $1 LIMIT `+bound+`) w)
		+ (SELECT COUNT(*) FROM (SELECT 1 FROM submission_bind b JOIN submission_record r ON r.offer = b.offer
			WHERE b.done = 0 AND b.sink = '' AND r.state = 'bound' LIMIT `+bound+`) d)`, store.Micros(now)).Scan(&n)
	if err != nil {
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

func (q *query) list(ctx context.Context, tx *store.Tx, text string) (all []Listed, err error) {
	rows, err := tx.Query(ctx, text, q.args...)
	if err != nil {
		return nil, fmt.Errorf("list what was submitted: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var l Listed
		var made, expires int64
		var bound, done *int64
		var sink, entry, key *string
		if err := rows.Scan(&l.ID, &l.Intake, &l.Session, &l.Agent, &l.Platform, &l.State, &l.Retention, &made, &expires, &l.Offer, &l.Reply, &l.DataKey, &l.OfferKey,
			&bound, &sink, &done, &entry, &key); err != nil {
			return nil, fmt.Errorf("list what was submitted: %w", err)
		}
		l.Made, l.Expires = store.FromMicros(made), store.FromMicros(expires)
		if bound != nil {
			l.Bind = &Bind{Offer: l.Offer, Made: store.FromMicros(*bound), Sink: *sink, Entry: *entry, Key: *key}
			if *done != 0 {
				l.Bind.Done = store.FromMicros(*done)
			}
		}
		all = append(all, l)
	}
	return all, rows.Err()
}

// Tally counts the submissions of one day, by UTC, that came from one platform to one intake, each by how it stands now.
type Tally struct {
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

// Tallies counts the submissions that were made since a time, ordered by day, intake and platform.
func Tallies(ctx context.Context, tx *store.Tx, since, now time.Time) (all []Tally, err error) {
	rows, err := tx.Query(ctx, `SELECT made / 86400000000, intake, platform,
			CASE WHEN state = 'expired' OR state IN ('waiting', 'offered') AND expires <= $1
				THEN CASE WHEN offer IS NULL THEN 'unanswered' ELSE 'expired' END ELSE state END, COUNT(*)
		FROM submission_record WHERE made >= $2 AND id >= $3 GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3`, store.Micros(now), store.Micros(since), firstID(since.Add(-slack)))
	if err != nil {
		return nil, fmt.Errorf("count what was submitted: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var day int64
		var t Tally
		var state State
		var n int
		if err := rows.Scan(&day, &t.Intake, &t.Platform, &state, &n); err != nil {
			return nil, fmt.Errorf("count what was submitted: %w", err)
		}
		t.Day = store.FromMicros(day * int64(24*time.Hour/time.Microsecond))
		last := len(all) - 1
		if last < 0 || all[last].Day != t.Day || all[last].Intake != t.Intake || all[last].Platform != t.Platform {
			all, last = append(all, t), last+1
		}
		*all[last].of(state) += n
	}
	return all, rows.Err()
}

// of is the count of a state, or of "unanswered".
func (t *Tally) of(state State) *int {
	switch state {
	case Waiting:
		return &t.Waiting
	case Declined:
		return &t.Declined
	case Offered:
		return &t.Open
	case Bound:
		return &t.Bound
	case Expired:
		return &t.Expired
	case Erased:
		return &t.Erased
	}
	return &t.Unanswered
}

// firstID is not after the id of anything that was recorded since a time: ids are UUIDs of version 7, which begin with the
// millisecond (RFC 9562 §5.7).
func firstID(since time.Time) string {
	if since.Before(time.UnixMilli(0)) {
		return ""
	}
	text := fmt.Sprintf("%012x", since.UnixMilli())
	return text[:8] + "-" + text[8:]
}
