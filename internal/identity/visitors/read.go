package visitors

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/infra/store"
)

// Store reads what was counted. Its methods may be called from many goroutines.
type Store struct {
	db *store.DB
	*Directory

	mu    sync.Mutex
	known []past // the ranges that were listed last
}

// NewStore reads a database that has Schema.
func NewStore(db *store.DB, directory *Directory) *Store {
	return &Store{db: db, Directory: directory}
}

// Counts are figures of visits.
type Counts struct{ Asked, Read, Paid, Denied int64 }

// All is the sum.
func (c Counts) All() int64 { return c.Asked + c.Read + c.Paid + c.Denied }

func (c *Counts) add(more Counts) {
	c.Asked += more.Asked
	c.Read += more.Read
	c.Paid += more.Paid
	c.Denied += more.Denied
}

// Visitor is who came.
type Visitor struct {
	ID string
	About
	Known []string // how it was known, what says most first
	Counts
	Before int64     // how many visits there were in as many days before
	Last   time.Time // the last day on which it came
}

// Filter says which visitors a list has.
type Filter struct {
	Since, Until time.Time // the days, by UTC, in which since ≤ time < until lies
	Search       string    // what the name, the id or the operator has in it, in any case
}

// sumSince sums a column of the days from $1 on.
func sumSince(column string) string {
	return `CAST(SUM(CASE WHEN day >= $1 THEN ` + column + ` ELSE 0 END) AS BIGINT)`
}

// sums gives who came in the days of from ≤ day < until, with what came before a first day told
// apart.
func (s *Store) sums(ctx context.Context, first, from, until int64) (map[string]Visitor, error) {
	by := map[string]Visitor{}
	err := s.db.View(ctx, func(tx *store.Tx) error {
		return tx.Each(ctx, `SELECT agent, known, MAX(day), `+sumSince("asked")+`, `+sumSince("fetched")+`, `+
			sumSince("paid")+`, `+sumSince("denied")+`, CAST(SUM(asked + fetched + paid + denied) AS BIGINT)
			FROM visitor_day WHERE day >= $2 AND day < $3 GROUP BY agent, known`, func(r store.Scanner) error {
			var at row
			var n Counts
			var both int64
			err := r.Scan(&at.agent, &at.known, &at.day, &n.Asked, &n.Read, &n.Paid, &n.Denied, &both)
			v, known := by[at.agent]
			if !known {
				v = Visitor{ID: at.agent, About: s.About(at.agent)}
			}
			v.Before += both - n.All()
			if v.add(n); at.day >= first {
				v.see(at)
			}
			by[at.agent] = v
			return err
		}, first, from, until)
	})
	if err != nil {
		return nil, fmt.Errorf("list visitors: %w", err)
	}
	return by, nil
}

// pastTime is how long sums of days that are over are good: their last counts are written a little
// after midnight.
const pastTime = time.Minute

// past are sums of days that are over, which hardly change.
type past struct {
	days [3]int64 // as sums has them
	by   map[string]Visitor
	read time.Time
}

// pastSums is sums for days that are over.
func (s *Store) pastSums(ctx context.Context, days [3]int64) (map[string]Visitor, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, known := range s.known {
		if known.days == days && time.Since(known.read) < pastTime {
			return known.by, nil
		}
	}
	by, err := s.sums(ctx, days[0], days[1], days[2])
	if err == nil {
		s.known = append(s.known[max(0, len(s.known)-maxPast):], past{days, by, time.Now()})
	}
	return by, err
}

// maxPast is how many ranges are remembered, beside the last.
const maxPast = 3

// List gives who came in some days, those with the most visits first; people and others too.
func (s *Store) List(ctx context.Context, f Filter) ([]Visitor, error) {
	first, end := dayOf(f.Since), dayOf(f.Until.Add(day-time.Nanosecond))
	before, err := s.pastSums(ctx, [3]int64{first, 2*first - end, end - 1})
	if err != nil {
		return nil, err
	}
	by, err := s.sums(ctx, first, end-1, end) // the last day
	if err != nil {
		return nil, err
	}
	for id, v := range before {
		today := by[id]
		v.add(today.Counts)
		v.Before += today.Before
		if today.Last.After(v.Last) {
			v.Last = today.Last
		}
		v.Known = slices.Clone(v.Known)
		for _, known := range today.Known {
			v.see(row{known: known})
		}
		by[id] = v
	}
	all := make([]Visitor, 0, len(by))
	for _, v := range by {
		if v.All() > 0 && v.Matches(f.Search) {
			all = append(all, v)
		}
	}
	slices.SortFunc(all, func(a, b Visitor) int {
		return cmp.Or(cmp.Compare(b.All(), a.All()), cmp.Compare(a.ID, b.ID))
	})
	return all, nil
}

// Matches says whether a search finds the visitor.
func (v *Visitor) Matches(search string) bool {
	text := strings.ToLower(v.ID + "\n" + v.Name + "\n" + v.Operator)
	return strings.Contains(text, strings.ToLower(strings.TrimSpace(search)))
}

// knowing orders how agents are known.
var knowing = []string{"signed", ByKey, "address", "word"}

// see adds how and when it was seen.
func (v *Visitor) see(at row) {
	if at.known != "" && !slices.Contains(v.Known, at.known) {
		v.Known = append(v.Known, at.known)
		slices.SortFunc(v.Known, func(a, b string) int { return slices.Index(knowing, a) - slices.Index(knowing, b) })
	}
	if day := startOf(at.day); day.After(v.Last) {
		v.Last = day
	}
}

// Part is a part of somebody's visits.
type Part struct {
	Day     time.Time // its beginning, by UTC; zero for a part that is none of days
	Channel string
	Known   string
	Counts
}

// Details are what is known of one visitor.
type Details struct {
	Visitor
	Days  []Part // on which it came, the first first
	Parts []Part // by channel and how it was known, that with the most visits first
}

// Get tells of a visitor in some days. Of one that did not come the figures are 0.
func (s *Store) Get(ctx context.Context, id string, since, until time.Time) (d Details, err error) {
	d.Visitor = Visitor{ID: id, About: s.About(id)}
	first, end := dayOf(since), dayOf(until.Add(day-time.Nanosecond))
	days, parts := map[int64]*Part{}, map[[2]string]*Part{}
	err = s.each(ctx, `WHERE agent = $1 AND day >= $2 AND day < $3`, func(at row, n Counts) {
		if at.day < first {
			d.Before += n.All()
			return
		}
		d.add(n)
		d.see(at)
		if days[at.day] == nil {
			days[at.day] = &Part{Day: startOf(at.day)}
		}
		days[at.day].add(n)
		of := [2]string{at.channel, at.known}
		if parts[of] == nil {
			parts[of] = &Part{Channel: at.channel, Known: at.known}
		}
		parts[of].add(n)
	}, id, 2*first-end, end)
	for _, n := range slices.Sorted(maps.Keys(days)) {
		d.Days = append(d.Days, *days[n])
	}
	for _, one := range parts {
		d.Parts = append(d.Parts, *one)
	}
	slices.SortFunc(d.Parts, func(a, b Part) int {
		return cmp.Or(cmp.Compare(b.All(), a.All()), cmp.Compare(a.Channel, b.Channel), cmp.Compare(a.Known, b.Known))
	})
	return d, err
}

// each reads sums by day.
func (s *Store) each(ctx context.Context, where string, see func(row, Counts), args ...any) error {
	err := s.db.View(ctx, func(tx *store.Tx) error {
		return tx.Each(ctx, `SELECT day, agent, known, channel, asked, fetched, paid, denied FROM visitor_day `+where,
			func(r store.Scanner) error {
				var at row
				var n Counts
				err := r.Scan(&at.day, &at.agent, &at.known, &at.channel, &n.Asked, &n.Read, &n.Paid, &n.Denied)
				if err == nil {
					see(at, n)
				}
				return err
			}, args...)
	})
	if err != nil {
		return fmt.Errorf("read visitors: %w", err)
	}
	return nil
}
