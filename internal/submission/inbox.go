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
	Intake  string
	Session string
	Offer   string
	State   State  // by the clock
	Open    bool   // only what somebody has to see to: what waits, and binds that are not done
	Before  string // the id of a record: only those that are older
	Limit   int    // 0 is 50, at most 500
}

// The bounds of a list.
const (
	usualLimit = 50
	maxLimit   = 500
	maxCounts  = 1000
)

// List gives submissions, the latest first.
func List(ctx context.Context, tx *store.Tx, f Filter, now time.Time) ([]Record, error) {
	where, args := []string{"TRUE"}, []any(nil)
	narrow := func(condition string, arg any) {
		args = append(args, arg)
		where = append(where, strings.ReplaceAll(condition, "?", "$"+strconv.Itoa(len(args))))
	}
	for _, member := range []struct{ condition, value string }{
		{"intake = ?", f.Intake}, {"session = ?", strings.ToLower(f.Session)}, {"offer = ?", f.Offer}, {"id < ?", f.Before},
	} {
		if member.value != "" {
			narrow(member.condition, member.value)
		}
	}
	switch f.State {
	case "":
	case Waiting, Offered:
		narrow("state = ?", string(f.State))
		narrow("expires > ?", store.Micros(now))
	case Expired:
		narrow("(state = 'expired' OR state IN ('waiting', 'offered') AND expires <= ?)", store.Micros(now))
	default:
		narrow("state = ?", string(f.State))
	}
	if f.Open {
		narrow("(state = 'waiting' AND expires > ? OR offer IN (SELECT offer FROM submission_bind WHERE done = 0))", store.Micros(now))
	}
	limit := f.Limit
	if limit <= 0 {
		limit = usualLimit
	}
	args = append(args, min(limit, maxLimit))
	rows, err := tx.Query(ctx, `SELECT `+recordColumns+` FROM submission_record WHERE `+strings.Join(where, " AND ")+` ORDER BY id DESC LIMIT $`+strconv.Itoa(len(args)), args...)
	return records(rows, err)
}

// Count is what became of the submissions of a platform to an intake.
type Count struct {
	Intake, Platform string // Platform is empty where the agents did not say
	Submitted        int
	Waiting          int // that somebody has to answer
	Declined         int
	Offered          int // whatever became of the offer
	Bound            int
	Expired          int // offers that were not bound in time
}

// Counts counts what became of the submissions since a time, by intake and platform; the most frequent ones first.
func Counts(ctx context.Context, tx *store.Tx, since, now time.Time) (all []Count, err error) {
	rows, err := tx.Query(ctx, `SELECT r.intake, r.platform, COUNT(*) AS submitted,
			COALESCE(SUM(CASE WHEN r.state = 'waiting' AND r.expires > $1 THEN 1 ELSE 0 END), 0),
			COALESCE(SUM(CASE WHEN r.state = 'declined' THEN 1 ELSE 0 END), 0),
			COUNT(r.offer), COUNT(b.offer),
			COALESCE(SUM(CASE WHEN r.offer IS NOT NULL AND b.offer IS NULL AND r.expires <= $1 AND r.state <> 'erased' THEN 1 ELSE 0 END), 0)
		FROM submission_record r LEFT JOIN submission_bind b ON b.offer = r.offer
		WHERE r.id >= $2 GROUP BY r.intake, r.platform ORDER BY submitted DESC, r.intake, r.platform LIMIT $3`,
		store.Micros(now), firstID(since), maxCounts)
	if err == nil {
		defer rows.Close()
		for rows.Next() {
			var c Count
			if err := rows.Scan(&c.Intake, &c.Platform, &c.Submitted, &c.Waiting, &c.Declined, &c.Offered, &c.Bound, &c.Expired); err != nil {
				return nil, fmt.Errorf("count submissions: %w", err)
			}
			all = append(all, c)
		}
		err = rows.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("count submissions: %w", err)
	}
	return all, nil
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
