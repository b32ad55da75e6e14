package traffic

import (
	"context"
	"fmt"
	"strings"
	"time"

	"frontdesk/internal/store"
)

// Reader reads what was counted. It may be used from many goroutines.
type Reader struct{ db *store.DB }

// NewReader reads a database that has Schema.
func NewReader(db *store.DB) *Reader { return &Reader{db} }

// Wanted says which sightings are wanted. An empty field is no condition.
type Wanted struct {
	Site    string // its id; it has to be set
	Agent   string
	Outcome string
	// Since and Until bound the time: Since ≤ time < Until, by the hour, or of paths by the day in which they lie.
	Since, Until time.Time
}

// Hour is how often an agent was seen in an hour, or in several.
type Hour struct {
	Hour    time.Time // the beginning
	Agent   string
	Outcome string
	Count   int64
}

// narrowed is the condition of what is wanted, for a table whose column of time has a name, behind some arguments.
func (w Wanted) narrowed(column string, from, until time.Time, args ...any) (string, []any) {
	where := ""
	for _, c := range []struct {
		column, is string
		want       any
	}{{"site", "=", w.Site}, {column, ">=", store.Micros(from)}, {column, "<", store.Micros(until)}, {"agent", "=", w.Agent}, {"outcome", "=", w.Outcome}} {
		if c.want != "" {
			args = append(args, c.want)
			where += fmt.Sprintf(" AND %s %s $%d", c.column, c.is, len(args))
		}
	}
	return strings.TrimPrefix(where, " AND "), args
}

// Hours gives how often agents were seen, by steps of so many hours (at least one, and none longer than a day) from Since on; those
// of a step by agent and outcome. Steps without any are left out.
func (r *Reader) Hours(ctx context.Context, w Wanted, step time.Duration) (all []Hour, err error) {
	step = min(max(step.Truncate(time.Hour), time.Hour), 24*time.Hour)
	from := w.Since.UTC().Truncate(time.Hour)
	where, args := w.narrowed("hour", from, w.Until, store.Micros(from), step.Microseconds())
	err = r.db.View(ctx, func(tx *store.Tx) error {
		all = nil
		rows, err := tx.Query(ctx, `SELECT step, agent, outcome, CAST(SUM(count) AS BIGINT) FROM (
			SELECT (hour - $1) / $2 AS step, agent, outcome, count FROM traffic_hour WHERE `+where+`) AS narrowed GROUP BY step, agent, outcome ORDER BY step, agent, outcome`, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var h Hour
			var n int64
			if err := rows.Scan(&n, &h.Agent, &h.Outcome, &h.Count); err != nil {
				return err
			}
			h.Hour = from.Add(time.Duration(n) * step)
			all = append(all, h)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("read sightings: %w", err)
	}
	return all, nil
}

// Path is how often an agent was seen below a path.
type Path struct {
	Path    string // "" for those that are not told apart
	Agent   string
	Outcome string
	Count   int64
}

// Paths gives where agents were seen most, up to so many rows, the most often first.
func (r *Reader) Paths(ctx context.Context, w Wanted, limit int) (all []Path, err error) {
	const day = 24 * time.Hour
	where, args := w.narrowed("day", w.Since.UTC().Truncate(day), w.Until.UTC().Add(day-time.Microsecond).Truncate(day))
	args = append(args, limit)
	err = r.db.View(ctx, func(tx *store.Tx) error {
		all = nil
		rows, err := tx.Query(ctx, `SELECT path, agent, outcome, CAST(SUM(count) AS BIGINT) AS total FROM traffic_path WHERE `+where+
			fmt.Sprintf(` GROUP BY path, agent, outcome ORDER BY total DESC, path, agent, outcome LIMIT $%d`, len(args)), args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var p Path
			if err := rows.Scan(&p.Path, &p.Agent, &p.Outcome, &p.Count); err != nil {
				return err
			}
			all = append(all, p)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("read sightings: %w", err)
	}
	return all, nil
}
