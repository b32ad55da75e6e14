// Package botstats counts the AI agents that edges report: which agent, on which day, below which
// path, with which outcome. It stores no network address, no query and no whole user agent.
//
// The package owns the counters, and the digests of the batches that were counted. Its functions
// run in the transactions of licensing/delivery. Enter by [Add] and [NewReader].
package botstats

import (
	"context"
	"fmt"
	"time"

	"frontdesk/internal/infra/store"
)

// Schema is the tables of this package. Times are microseconds.
//
// traffic_day counts by the day and the agent, traffic_path by the path, too; so what is shown of a
// long time is read from few rows. traffic_batch has one row for each batch that was counted, by
// its digest, so that none counts twice.
var Schema = store.Schema{
	ID: "traffic",
	Steps: []string{`
CREATE TABLE traffic_hour (
	site    {{text}} NOT NULL,
	hour    BIGINT NOT NULL,
	agent   {{text}} NOT NULL,
	outcome {{text}} NOT NULL,
	count   BIGINT NOT NULL,
	PRIMARY KEY (site, hour, agent, outcome)
) {{clustered}};
CREATE INDEX traffic_hour_hour ON traffic_hour (hour);
CREATE TABLE traffic_path (
	site    {{text}} NOT NULL,
	day     BIGINT NOT NULL,
	agent   {{text}} NOT NULL,
	path    {{text}} NOT NULL,
	outcome {{text}} NOT NULL,
	count   BIGINT NOT NULL,
	PRIMARY KEY (site, day, agent, path, outcome)
) {{clustered}};
CREATE INDEX traffic_path_day ON traffic_path (day);
CREATE TABLE traffic_batch (
	digest {{text}} NOT NULL PRIMARY KEY,
	taken  BIGINT NOT NULL
);
CREATE INDEX traffic_batch_taken ON traffic_batch (taken);
`, byTheDay},
}

// byTheDay is the step of Schema that counts by the day what was counted by the hour: nobody asked
// for hours, and a month of them is many rows.
const byTheDay = `
CREATE TABLE traffic_day (
	site    {{text}} NOT NULL,
	day     BIGINT NOT NULL,
	agent   {{text}} NOT NULL,
	outcome {{text}} NOT NULL,
	count   BIGINT NOT NULL,
	PRIMARY KEY (site, day, agent, outcome)
) {{clustered}};
INSERT INTO traffic_day (site, day, agent, outcome, count)
	SELECT site, hour - hour % 86400000000, agent, outcome, SUM(count) FROM traffic_hour GROUP BY site, hour - hour % 86400000000, agent, outcome;
DROP TABLE traffic_hour;
CREATE INDEX traffic_day_day ON traffic_day (day);
`

// MaxPaths is how many rows of a site's day tell paths apart. What comes beyond is counted under
// the path "".
const MaxPaths = 5000

// Turn is the turn of transactions that count (see [store.DB.UpdateSerial]).
const Turn = "traffic"

// Sighting counts an agent in an hour, with one outcome, below one path.
type Sighting struct {
	Site    string // its id
	Hour    time.Time
	Agent   string // by the name that edges know it by
	Path    string // or what it lies below; "" for many
	Outcome string // a word such as "refused"
	Count   int64
}

// BatchCounted says whether a batch was counted.
func BatchCounted(ctx context.Context, tx *store.Tx, digest string) (bool, error) {
	var n int
	if err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM traffic_batch WHERE digest = $1`, digest).Scan(&n); err != nil {
		return false, fmt.Errorf("look a batch of sightings up: %w", err)
	}
	return n > 0, nil
}

// Add counts sightings of a batch that was not Taken. It is called in a transaction of Turn.
func Add(ctx context.Context, tx *store.Tx, digest string, at time.Time, all []Sighting) error {
	if _, err := tx.Exec(ctx, `INSERT INTO traffic_batch (digest, taken) VALUES ($1, $2)`, digest, store.Micros(at)); err != nil {
		return fmt.Errorf("note a batch of sightings: %w", err)
	}
	room := map[site]int{}
	for _, s := range all {
		if err := add(ctx, tx, s, room); err != nil {
			return fmt.Errorf("count sightings: %w", err)
		}
	}
	return nil
}

// site is a site's day.
type site struct {
	id  string
	day int64
}

// add counts one sighting. Room is how many rows more the days of sites may have.
func add(ctx context.Context, tx *store.Tx, s Sighting, room map[site]int) error {
	day := site{s.Site, store.Micros(s.Hour.UTC().Truncate(24 * time.Hour))}
	if err := tx.Add(ctx, "traffic_day", "site day agent outcome", "count",
		[][]any{{day.id, day.day, s.Agent, s.Outcome, s.Count}}); err != nil {
		return err
	}
	if _, ok := room[day]; !ok {
		var n int
		if err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM traffic_path WHERE site = $1 AND day = $2`, day.id, day.day).Scan(&n); err != nil {
			return err
		}
		room[day] = MaxPaths - n
	}
	n, err := tx.Exec(ctx, `UPDATE traffic_path SET count = count + $1 WHERE site = $2 AND day = $3 AND agent = $4 AND path = $5 AND outcome = $6`,
		s.Count, day.id, day.day, s.Agent, s.Path, s.Outcome)
	if err != nil || n > 0 {
		return err
	}
	if room[day]--; room[day] < 0 {
		s.Path = ""
	}
	return tx.Add(ctx, "traffic_path", "site day agent path outcome", "count",
		[][]any{{day.id, day.day, s.Agent, s.Path, s.Outcome, s.Count}})
}

// Forget removes what was counted on days that were over at a time, and the batches that were taken
// before it, up to so many rows of each; it says how many at the most of one kind it has removed.
func Forget(ctx context.Context, tx *store.Tx, before time.Time, most int) (int, error) {
	removed := 0
	day := before.UTC().Truncate(24 * time.Hour)
	for statement, before := range map[string]time.Time{
		`DELETE FROM traffic_batch WHERE digest IN (SELECT digest FROM traffic_batch WHERE taken < $1 ORDER BY taken LIMIT $2)`:                                               before,
		`DELETE FROM traffic_day WHERE (site, day, agent, outcome) IN (SELECT site, day, agent, outcome FROM traffic_day WHERE day < $1 ORDER BY day LIMIT $2)`:               day,
		`DELETE FROM traffic_path WHERE (site, day, agent, path, outcome) IN (SELECT site, day, agent, path, outcome FROM traffic_path WHERE day < $1 ORDER BY day LIMIT $2)`: day,
	} {
		n, err := tx.Exec(ctx, statement, store.Micros(before), most)
		if err != nil {
			return removed, fmt.Errorf("forget sightings: %w", err)
		}
		removed = max(removed, int(n))
	}
	return removed, nil
}
