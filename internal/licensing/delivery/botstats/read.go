package botstats

import (
	"context"
	"fmt"
	"strings"
	"time"

	"frontdesk/internal/infra/store"
)

// Reader reads what was counted. Its methods may be called concurrently.
type Reader struct{ db *store.DB }

// NewReader reads a database that has Schema.
func NewReader(db *store.DB) *Reader { return &Reader{db} }

// Filter selects sightings. An empty field is no condition.
type Filter struct {
	Site    string // its id; it has to be set
	Agent   string
	Outcome string
	// Since and Until bound the time, by the days in which they lie: Since ≤ time < Until.
	Since, Until time.Time
}

// Day is how often an agent was seen on a day.
type Day struct {
	Day     time.Time // its beginning, by UTC
	Agent   string
	Outcome string
	Count   int64
}

// narrowed is the condition of what is wanted, with its arguments.
func (w Filter) narrowed() (string, []any) {
	const day = 24 * time.Hour
	where, args := "", []any{}
	for _, c := range []struct {
		is   string
		want any
	}{
		{"site =", w.Site}, {"day >=", store.Micros(w.Since.UTC().Truncate(day))},
		{"day <", store.Micros(w.Until.UTC().Add(day - time.Microsecond).Truncate(day))},
		{"agent =", w.Agent}, {"outcome =", w.Outcome},
	} {
		if c.want != "" {
			args = append(args, c.want)
			where += fmt.Sprintf(" AND %s $%d", c.is, len(args))
		}
	}
	return strings.TrimPrefix(where, " AND "), args
}

// Days gives how often agents were seen, by day, agent and outcome.
func (r *Reader) Days(ctx context.Context, w Filter) (all []Day, err error) {
	where, args := w.narrowed()
	all, err = store.List(ctx, r.db, `SELECT day, agent, outcome, count FROM traffic_day WHERE `+where+` ORDER BY day, agent, outcome`,
		func(row store.Scanner) (d Day, err error) {
			err = row.Scan(&d.Day, &d.Agent, &d.Outcome, &d.Count)
			return d, err
		}, args...)
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
func (r *Reader) Paths(ctx context.Context, w Filter, limit int) (all []Path, err error) {
	where, args := w.narrowed()
	args = append(args, limit)
	all, err = store.List(ctx, r.db, `SELECT path, agent, outcome, CAST(SUM(count) AS BIGINT) AS total FROM traffic_path WHERE `+where+
		fmt.Sprintf(` GROUP BY path, agent, outcome ORDER BY total DESC, path, agent, outcome LIMIT $%d`, len(args)), func(row store.Scanner) (p Path, err error) {
		err = row.Scan(&p.Path, &p.Agent, &p.Outcome, &p.Count)
		return p, err
	}, args...)
	if err != nil {
		return nil, fmt.Errorf("read sightings: %w", err)
	}
	return all, nil
}
